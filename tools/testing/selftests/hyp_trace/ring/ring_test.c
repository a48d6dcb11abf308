// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the ring algorithm and of the page decoder, in user space: they use the files
 * that run at EL2 and in the kernel, kernel/trace/ext/ring.c and ext/page.c. The kernel's
 * readers are tested in reader_stress.c.
 *
 * Prints TAP. Some tests use threads; build with -fsanitize=thread or address,undefined
 * to have the accesses checked too.
 */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ext_ring_writer.h>

#include "page.h"
#include "tap.h"

#define TYPE		100		/* type of the tests' events */
#ifdef __SANITIZE_THREAD__
#define STRESS_EVENTS	30000		/* ThreadSanitizer is slow */
#else
#define STRESS_EVENTS	300000
#endif

static unsigned int rung;

void ext_ring_doorbell(void)
{
	rung++;
}

/* An event as EL2 writes it: the trace_entry and a number. */
struct record {
	u16	type;
	u16	pad;
	u32	pid;
	u64	id;
} __attribute__((packed, aligned(4)));

static u16 sizes[TYPE + 1] = { [TYPE] = sizeof(struct record) };
static const struct ext_page_format format = {
	.nr_types = TYPE + 1,
	.size = sizes,
};

/* A ring with its pages, and the reader's view of it. */
#define SPARES	2

struct test_ring {
	struct ext_ring		ring;
	struct ext_ring_meta	meta;
	struct ext_ring_page	*pages;
	void			*bookkeeping;
	u64			clock;
	u32			spare[SPARES];
	u32			turn;

	/* reader */
	struct ext_ring_page	*page;
	u64			next_pos;
	struct ext_cursor	cursor;
	u64			seq;
	u64			page_end;	/* sequence number behind the page, if it is known */
	u64			known_ends;
	u64			reserved;	/* events on the page that were never committed */
	u64			lost;
	u64			read;
	u64			last_id;
	u64			last_ts;
};

static struct test_ring *ring_new(u32 nr_slots, bool overwrite)
{
	u32 nr_pages = nr_slots + SPARES;
	struct test_ring *t = calloc(1, sizeof(*t));
	struct ext_ring_record *records;
	u32 i;

	t->pages = aligned_alloc(EXT_RING_PAGE_SIZE,
				 nr_pages * sizeof(*t->pages));
	memset(t->pages, 0xa5, nr_pages * sizeof(*t->pages));
	t->bookkeeping = calloc(1, ext_ring_bookkeeping(nr_slots, nr_pages));
	records = t->bookkeeping;
	for (i = 0; i < nr_pages; i++)
		records[i].page = &t->pages[i];
	for (i = 0; i < SPARES; i++)
		t->spare[i] = nr_slots + i;
	ext_ring_init(&t->ring, records, nr_slots, nr_pages, &t->meta);
	t->ring.overwrite = overwrite;
	ext_ring_open(&t->ring);
	t->clock = 1000;
	return t;
}

static void ring_delete(struct test_ring *t)
{
	free(t->pages);
	free(t->bookkeeping);
	free(t);
}

static bool reserve(struct test_ring *t, u32 size, struct ext_ring_reservation *resv)
{
	return ext_ring_reserve(&t->ring, t->clock, size, resv) ||
	       ext_ring_reserve_slow(&t->ring, t->clock, size, resv);
}

/* Each second event is written as a whole. */
static bool emit(struct test_ring *t, u64 id)
{
	const struct record record = { .type = TYPE, .pid = 1, .id = id };
	struct ext_ring_reservation resv;

	if (id % 2 == 0)
		return ext_ring_write(&record, sizeof(record), &t->ring, t->clock);

	if (!reserve(t, sizeof(record), &resv))
		return false;
	*(struct record *)resv.payload = record;
	ext_ring_commit(&resv);
	return true;
}

static void check_event(struct test_ring *t)
{
	const struct record *r = t->cursor.record;

	CHECK(t->cursor.ts >= t->last_ts, "%llu after %llu",
	      (unsigned long long)t->cursor.ts, (unsigned long long)t->last_ts);
	CHECK(r->id == t->seq + 1, "event %llu where %llu is expected",
	      (unsigned long long)r->id, (unsigned long long)t->seq + 1);
	t->last_ts = t->cursor.ts;
	t->last_id = r->id;
	t->seq++;
	t->read++;
}

/* Swap, taking turns with the spares. */
static int swap_page(struct test_ring *t, struct ext_ring_swap *swap)
{
	u32 *spare = &t->spare[t->turn++ % SPARES];
	int ret = ext_ring_swap(&t->ring, *spare, swap);

	if (!ret)
		*spare = swap->id;
	return ret;
}

/* Consume all events, as the kernel does; ids must be seq + 1. */
static void consume(struct test_ring *t)
{
	struct ext_ring_swap swap;

	while (1) {
		u64 tail = smp_load_acquire(&t->meta.tail);
		int ret;

		if (t->page) {
			u64 commit = ext_page_commit(t->page);

			while ((ret = ext_cursor_next(&t->cursor, t->page,
						      commit, &format)) > 0)
				check_event(t);
			CHECK(!ret, "malformed event at %u", t->cursor.read);
		}

		if (tail < t->next_pos)
			return;

		CHECK(!t->page_end || t->page_end == t->seq + t->reserved,
		      "the page ends at %llu, not %llu", (unsigned long long)t->seq,
		      (unsigned long long)t->page_end);

		/* An empty page need not be swapped. */
		if (swap_page(t, &swap))
			return;

		CHECK(swap.id < t->ring.nr_pages, "id %u", swap.id);
		CHECK(swap.pos >= t->next_pos, "position goes backwards");
		CHECK(swap.first_seq >= t->seq, "sequence goes backwards");
		t->lost += swap.first_seq - t->seq;
		t->seq = swap.first_seq;
		t->page_end = swap.events ? swap.first_seq + swap.events : 0;
		t->known_ends += !!swap.events;
		t->page = &t->pages[swap.id];
		t->next_pos = swap.pos + 1;
		ext_cursor_init(&t->cursor, t->page);
	}
}

static void events_come_out_as_they_went_in(void)
{
	struct test_ring *t = ring_new(8, true);
	u64 id;

	for (id = 1; id <= 1000; id++) {
		t->clock += 10;
		CHECK(emit(t, id), "refused");
	}
	consume(t);
	CHECK(t->read == 1000 && !t->lost, "read %llu lost %llu",
	      (unsigned long long)t->read, (unsigned long long)t->lost);
	ring_delete(t);
}

static void a_reader_on_the_writers_page_follows_it(void)
{
	struct test_ring *t = ring_new(2, true);
	u64 id;

	for (id = 1; id <= 5000; id++) {
		t->clock += 10;
		emit(t, id);
		consume(t);
		CHECK(t->last_id == id, "last is %llu",
		      (unsigned long long)t->last_id);
	}
	CHECK(!t->lost, "lost %llu", (unsigned long long)t->lost);
	ring_delete(t);
}

/* A reader of whole pages need not count: the number is known of all but the last page. */
static void the_number_of_events_in_a_page_is_known(void)
{
	const u64 per_page = EXT_RING_DATA_ROOM / (4 + sizeof(struct record));
	struct test_ring *t = ring_new(8, true);
	struct ext_ring_swap swap;
	u64 id;

	for (id = 1; id <= 20 * per_page; id++) {
		t->clock += 10;
		emit(t, id);
	}
	consume(t);
	CHECK(t->known_ends == 7 && t->read == 8 * per_page, "%llu pages, %llu events",
	      (unsigned long long)t->known_ends, (unsigned long long)t->read);

	/* The writer goes on to the page behind the one that a reader has. */
	emit(t, ++id);
	CHECK(!swap_page(t, &swap) && !swap.events, "%u events", swap.events);
	ring_delete(t);
}

static void overwrite_loses_the_oldest_exactly(void)
{
	u32 slots;
	u64 id;

	for (slots = 2; slots < 20; slots++) {
		struct test_ring *t = ring_new(slots, true);

		for (id = 1; id <= 20000; id++) {
			t->clock += 10;
			emit(t, id);
			if (id % 7777 == 0)
				consume(t);
		}
		consume(t);
		CHECK(t->read + t->lost == 20000, "slots %u: %llu + %llu",
		      slots, (unsigned long long)t->read,
		      (unsigned long long)t->lost);
		CHECK(t->last_id == 20000, "the newest is missing");
		CHECK(t->lost, "nothing lost, so nothing tested");
		ring_delete(t);
	}
}

static void no_overwrite_keeps_the_oldest_and_counts_the_rest(void)
{
	struct test_ring *t = ring_new(4, false);
	u64 id, kept = 0;

	for (id = 1; id <= 20000; id++) {
		t->clock += 10;
		kept += emit(t, id);
	}
	CHECK(kept + t->meta.dropped == 20000, "kept %llu, dropped %llu",
	      (unsigned long long)kept, (unsigned long long)t->meta.dropped);
	consume(t);
	CHECK(t->read == kept && !t->lost, "read %llu",
	      (unsigned long long)t->read);
	CHECK(emit(t, kept + 1), "no room after reading");
	consume(t);
	CHECK(t->last_id == kept + 1, "last is %llu",
	      (unsigned long long)t->last_id);
	ring_delete(t);
}

static void time_far_apart_and_backwards(void)
{
	static const u64 clocks[] = {
		1000, 999, 1000 + (1ull << 27), 5, 1ull << 40,
		(1ull << 40) + (1ull << 58), (1ull << 62) + (1ull << 61), 7,
		U64_MAX, 1, U64_MAX,
	};
	struct test_ring *t = ring_new(4, true);
	u64 want = 0, id;

	for (id = 1; id <= sizeof(clocks) / sizeof(clocks[0]); id++) {
		t->clock = clocks[id - 1];
		want = max(want, min(t->clock, (u64)S64_MAX));
		CHECK(emit(t, id), "refused");
		consume(t);
		CHECK(t->last_id == id && t->last_ts == want,
		      "event %llu is dated %llx", (unsigned long long)id,
		      (unsigned long long)t->last_ts);
	}
	ring_delete(t);
}

static void a_closed_ring_takes_nothing_and_goes_on_where_it_was(void)
{
	struct test_ring *t = ring_new(2, true);

	emit(t, 1);
	ext_ring_close(&t->ring);
	ext_ring_close(&t->ring);
	CHECK(!emit(t, 99), "written while closed");
	t->clock = 0;
	CHECK(!emit(t, 99), "written while closed, clock 0");
	ext_ring_open(&t->ring);
	ext_ring_open(&t->ring);
	CHECK(emit(t, 2), "refused");
	consume(t);
	CHECK(t->read == 2 && t->next_pos == 1, "read %llu, position %llu",
	      (unsigned long long)t->read, (unsigned long long)t->next_pos);
	CHECK(!t->meta.dropped, "%llu dropped",
	      (unsigned long long)t->meta.dropped);
	ring_delete(t);
}

static void a_suspended_ring_counts_what_it_does_not_take(void)
{
	struct test_ring *t = ring_new(2, true);

	emit(t, 1);
	ext_ring_suspend(&t->ring);
	CHECK(!emit(t, 99) && !emit(t, 99), "written while suspended");
	ext_ring_close(&t->ring);
	CHECK(!emit(t, 99), "written while closed");
	ext_ring_open(&t->ring);
	CHECK(t->meta.dropped == 2, "%llu dropped",
	      (unsigned long long)t->meta.dropped);
	CHECK(emit(t, 2), "refused");
	consume(t);
	CHECK(t->read == 2 && !t->lost, "read %llu",
	      (unsigned long long)t->read);
	ring_delete(t);
}

static void a_muted_ring_takes_nothing_and_counts_nothing(void)
{
	struct test_ring *t = ring_new(2, true);
	int i;

	emit(t, 1);
	for (i = 0; i < 2; i++) {
		ext_ring_mute(&t->ring);
		CHECK(!emit(t, 99) && !emit(t, 99), "written while muted");
		if (i) {
			ext_ring_suspend(&t->ring);
			CHECK(!emit(t, 99), "written while muted and suspended");
			ext_ring_open(&t->ring);
			CHECK(!emit(t, 99), "written while muted and open");
		}
		ext_ring_unmute(&t->ring);
		CHECK(emit(t, 2 + i), "refused");
	}
	CHECK(!t->meta.dropped, "%llu dropped", (unsigned long long)t->meta.dropped);
	consume(t);
	CHECK(t->read == 3 && !t->lost, "read %llu", (unsigned long long)t->read);
	ring_delete(t);
}

static void reset_empties(void)
{
	struct test_ring *t = ring_new(3, true);
	u64 id;
	int i;

	for (i = 0; i < 4; i++) {
		for (id = 1; id <= 3000; id++)
			emit(t, id);
		if (i & 1)
			ext_ring_suspend(&t->ring);
		t->page = NULL;
		t->page_end = t->next_pos = 0;
		t->seq = ext_ring_reset(&t->ring);
		CHECK(t->seq == (i + 1) * 3000ull && t->meta.first_seq == t->seq,
		      "next is event %llu", (unsigned long long)t->seq);
		ext_ring_open(&t->ring);
		consume(t);
		CHECK(!t->read, "read %llu", (unsigned long long)t->read);
	}
	emit(t, t->seq + 1);
	consume(t);
	CHECK(t->read == 1, "read %llu", (unsigned long long)t->read);
	ring_delete(t);
}

static bool refused(struct test_ring *t, u64 id)
{
	struct ext_ring_swap swap;

	return ext_ring_swap(&t->ring, id, &swap) == -EINVAL;
}

/* Other pages do not go into the ring, and a spare stays one until it does. */
static void only_a_spare_goes_into_the_ring(void)
{
	static const u64 beyond[] = { 5, BIT(20), BIT(32), BIT(32) + 3, BIT(63) + 3, U64_MAX };
	struct test_ring *t = ring_new(3, true);
	struct ext_ring_swap swap;
	size_t i;
	u64 id;

	for (id = 0; id < 3; id++)
		CHECK(refused(t, id), "page %llu of the ring", (unsigned long long)id);
	for (i = 0; i < ARRAY_SIZE(beyond); i++)
		CHECK(refused(t, beyond[i]), "page %llx", (unsigned long long)beyond[i]);

	CHECK(!ext_ring_swap(&t->ring, 4, &swap) && swap.id == 0, "id %u", swap.id);
	CHECK(refused(t, 4) && refused(t, 1) && refused(t, 2), "it is in the ring");
	for (i = 0; i < 2; i++)
		CHECK(ext_ring_swap(&t->ring, 0, &swap) == -EAGAIN &&
		      ext_ring_swap(&t->ring, 3, &swap) == -EAGAIN, "there is nothing to swap");
	ring_delete(t);
}

/* Have the writer begin so many pages. */
static void write_pages(struct test_ring *t, u64 count)
{
	u64 stop = t->ring.tail + count;

	while (t->ring.tail < stop)
		CHECK(emit(t, 1), "refused");
}

static bool is_untouched(const struct test_ring *t, u32 id)
{
	const u64 pattern = 0x5a5a5a5a5a5a5a5a;

	return t->pages[id].commit == pattern && t->pages[id].first_seq == pattern;
}

/* Once the writer has left a page that was swapped, neither it nor a reset touches it. */
static void what_is_a_spare_is_left_alone(void)
{
	struct test_ring *t = ring_new(3, true);
	struct ext_ring_swap swap;
	u32 held = 3, next = 4;
	int round;

	memset(&t->pages[held], 0x5a, sizeof(*t->pages));
	for (round = 0; round < 50; round++) {
		write_pages(t, round % 7);
		CHECK(!ext_ring_swap(&t->ring, next, &swap), "nothing to swap");
		write_pages(t, 1);
		next = held;
		held = swap.id;
		memset(&t->pages[held], 0x5a, sizeof(*t->pages));
		if (round % 5 == 4)
			ext_ring_reset(&t->ring);
		write_pages(t, 5);
		CHECK(is_untouched(t, held) && is_untouched(t, next),
		      "round %d: page %u or %u was written", round, held, next);
	}
	ring_delete(t);
}

static void a_page_is_skipped_with_what_is_reserved(void)
{
	struct test_ring *t = ring_new(2, true);
	struct ext_ring_reservation resv;

	emit(t, 1);
	CHECK(reserve(t, sizeof(struct record), &resv), "refused");
	t->ring.page = NULL;
	t->clock = 0;
	CHECK(ext_ring_skip_page(&t->ring, t->clock), "not skipped");
	CHECK(emit(t, 3), "refused");
	t->reserved = 1;
	consume(t);
	CHECK(t->read == 2 && t->lost == 1 && t->last_id == 3, "read %llu lost %llu",
	      (unsigned long long)t->read, (unsigned long long)t->lost);
	ring_delete(t);
}

static void a_page_that_is_unread_is_not_skipped_to(void)
{
	struct test_ring *t = ring_new(2, false);

	CHECK(ext_ring_skip_page(&t->ring, t->clock), "not skipped");
	CHECK(!ext_ring_skip_page(&t->ring, t->clock), "skipped");
	CHECK(emit(t, 1), "refused");
	ring_delete(t);
}

static void a_full_page_has_room_for_the_number_of_lost_events(void)
{
	struct test_ring *t = ring_new(2, true);
	struct ext_ring_reservation resv;
	u64 commit = 0;
	u32 size;

	for (size = 8; size < 64; size += 4) {
		const u64 tail = t->meta.tail;

		while (t->meta.tail == tail) {
			commit = t->ring.page->commit;
			CHECK(reserve(t, size, &resv), "refused");
			ext_ring_commit(&resv);
		}
		CHECK(commit <= EXT_RING_DATA_ROOM &&
		      commit + ext_ring_size(size) > EXT_RING_DATA_ROOM,
		      "size %u: full at %llu", size, (unsigned long long)commit);
	}
	ring_delete(t);
}

static void payloads_of_every_size(void)
{
	static u16 any[] = { 8 };
	const struct ext_page_format any_format = { .nr_types = 1, .size = any };
	struct test_ring *t = ring_new(2, true);
	u32 size;

	for (size = 8; size <= 512; size += 4) {
		struct ext_ring_reservation resv;
		struct ext_cursor cursor;
		u64 commit;

		ext_ring_reset(&t->ring);
		t->clock++;
		CHECK(reserve(t, size, &resv), "refused");
		memset(resv.payload, 0, size);
		ext_ring_commit(&resv);
		commit = t->pages[0].commit;
		CHECK(commit == ext_ring_size(size), "size %u: commit %llu",
		      size, (unsigned long long)commit);
		ext_cursor_init(&cursor, &t->pages[0]);
		CHECK(ext_cursor_next(&cursor, &t->pages[0], commit,
				      &any_format) == 1 &&
		      cursor.record == resv.payload && cursor.read == commit,
		      "size %u", size);
	}
	ring_delete(t);
}

/* The event that was written last has this record, and the bytes behind it are as they were. */
static void check_written(const struct test_ring *t, const u8 *record, u32 size)
{
	const u8 *end = t->ring.page->data + t->ring.write, *behind;

	CHECK(t->ring.page->commit == t->ring.write, "size %u: not committed", size);
	CHECK(!memcmp(end - size, record, size), "size %u: another record", size);
	for (behind = end; behind < t->ring.page->data + EXT_RING_DATA_SIZE; behind++)
		CHECK(*behind == 0xa5, "size %u: %#x behind it", size, *behind);
}

/* Each is written after a time extend, where there is room, and where a page begins. */
static void records_of_every_size(void)
{
	struct test_ring *t = ring_new(2, true);
	u8 record[512];
	u32 size;

	for (size = 0; size < sizeof(record); size++)
		record[size] = size + 1;

	for (size = 12; size <= sizeof(record); size += 4) {
		ext_ring_reset(&t->ring);
		memset(t->pages[0].data, 0xa5, EXT_RING_DATA_SIZE);
		memset(t->pages[1].data, 0xa5, EXT_RING_DATA_SIZE);
		t->clock += 1ull << EXT_RING_DELTA_BITS;
		while (t->meta.tail < 1) {
			CHECK(ext_ring_write(record, size, &t->ring, t->clock), "refused");
			check_written(t, record, size);
		}
	}
	ring_delete(t);
}

static void an_alarm_goes_off_once_at_its_position(void)
{
	struct test_ring *t = ring_new(8, true);
	u64 id = 0;

	rung = 0;
	ext_ring_set_alarm(&t->ring, 3);
	while (t->ring.tail < 3) {
		CHECK(!rung, "at position %llu, expected 3",
		      (unsigned long long)t->ring.tail);
		emit(t, ++id);
	}
	CHECK(rung == 1, "rung %u times", rung);
	while (t->ring.tail < 10)
		emit(t, ++id);
	CHECK(rung == 1, "rung %u times", rung);
	ring_delete(t);
}

/* An alarm goes off at an event, not at one that is refused or at a control operation. */
static void an_alarm_that_is_due_waits_for_an_event(void)
{
	struct test_ring *t = ring_new(2, false);
	u64 id = 0;

	rung = 0;
	emit(t, ++id);
	ext_ring_set_alarm(&t->ring, 0);
	ext_ring_close(&t->ring);
	CHECK(!emit(t, id + 1), "written to a closed ring");
	ext_ring_open(&t->ring);
	CHECK(!rung, "rung without an event");
	emit(t, ++id);
	CHECK(rung == 1, "rung %u times", rung);

	while (emit(t, id + 1))
		id++;
	ext_ring_set_alarm(&t->ring, 0);
	CHECK(!emit(t, id + 1) && rung == 1, "rung by an event that was dropped");
	consume(t);
	CHECK(t->read == id, "read %llu of %llu", (unsigned long long)t->read,
	      (unsigned long long)id);
	CHECK(emit(t, ++id) && rung == 2, "rung %u times", rung);

	ext_ring_set_alarm(&t->ring, 0);
	ext_ring_reset(&t->ring);
	emit(t, 1);
	CHECK(rung == 2, "a reset leaves the alarm set");
	ring_delete(t);
}

/* Whatever the bytes, decoding ends, and (with ASan) accesses nothing outside. */
static void garbage_is_refused_or_ends(void)
{
	struct ext_ring_page *page = malloc(sizeof(*page));
	unsigned int seed = 1;
	int i, refused = 0;
	size_t j;

	for (i = 0; i < 20000; i++) {
		struct ext_cursor cursor;
		u64 commit = rand_r(&seed) % (EXT_RING_DATA_SIZE + 1);

		for (j = 0; j < sizeof(*page); j += 4)
			*(u32 *)((u8 *)page + j) = rand_r(&seed) %
				(i % 3 ? 64 : U32_MAX);
		ext_cursor_init(&cursor, page);
		refused += ext_cursor_skip(&cursor, page, commit, &format) < 0;
	}
	CHECK(refused > 10000, "only %d refused", refused);
	free(page);
}

/* Events extend to the page's end, over first_seq; all is valid except the commit. */
static void a_commit_beyond_the_data_is_refused(void)
{
	struct ext_ring_page *page = calloc(1, sizeof(*page));
	const u32 size = ext_ring_size(sizeof(struct record));
	const u32 end = sizeof(*page) - offsetof(struct ext_ring_page, data);
	const u32 good = EXT_RING_DATA_SIZE / size;
	u32 at;
	int ret;

	for (at = 0; at + size <= end; at += size) {
		void *event = (u8 *)page + offsetof(struct ext_ring_page, data) + at;
		struct record *record = ext_ring_head(event, 0, sizeof(*record));

		record->type = TYPE;
	}
	CHECK(at > EXT_RING_DATA_SIZE, "no event goes beyond it: they end at %u", at);
	ret = ext_cursor_skip(&(struct ext_cursor) { }, page, good * size, &format);
	CHECK(ret == (int)good, "%d of %u are good", ret, good);
	ret = ext_cursor_skip(&(struct ext_cursor) { }, page, at, &format);
	CHECK(ret < 0, "%d are good", ret);
	free(page);
}

static struct test_ring *shared;
static bool stop;

static void *stress_writer(void *arg)
{
	u64 id;

	for (id = 1; id <= STRESS_EVENTS; id++) {
		shared->clock += id % 1000 ? 10 : 1ull << 28;
		emit(shared, id);
	}
	WRITE_ONCE(stop, true);
	return NULL;
}

static void stress(u32 slots)
{
	pthread_t writer;

	shared = ring_new(slots, true);
	stop = false;
	pthread_create(&writer, NULL, stress_writer, NULL);
	while (!READ_ONCE(stop))
		consume(shared);
	pthread_join(writer, NULL);
	consume(shared);
	CHECK(shared->read + shared->lost == STRESS_EVENTS,
	      "slots %u: read %llu + lost %llu", slots,
	      (unsigned long long)shared->read,
	      (unsigned long long)shared->lost);
	CHECK(shared->last_id == STRESS_EVENTS, "the newest is missing");
	ring_delete(shared);
}

static void writer_and_reader_in_parallel(void)
{
	u32 slots;

	for (slots = 2; slots <= 64; slots *= 2)
		stress(slots);
}

static const struct test tests[] = {
	TEST(events_come_out_as_they_went_in),
	TEST(a_reader_on_the_writers_page_follows_it),
	TEST(the_number_of_events_in_a_page_is_known),
	TEST(overwrite_loses_the_oldest_exactly),
	TEST(no_overwrite_keeps_the_oldest_and_counts_the_rest),
	TEST(time_far_apart_and_backwards),
	TEST(a_closed_ring_takes_nothing_and_goes_on_where_it_was),
	TEST(a_suspended_ring_counts_what_it_does_not_take),
	TEST(a_muted_ring_takes_nothing_and_counts_nothing),
	TEST(reset_empties),
	TEST(only_a_spare_goes_into_the_ring),
	TEST(what_is_a_spare_is_left_alone),
	TEST(a_page_is_skipped_with_what_is_reserved),
	TEST(a_page_that_is_unread_is_not_skipped_to),
	TEST(a_full_page_has_room_for_the_number_of_lost_events),
	TEST(payloads_of_every_size),
	TEST(records_of_every_size),
	TEST(an_alarm_goes_off_once_at_its_position),
	TEST(an_alarm_that_is_due_waits_for_an_event),
	TEST(garbage_is_refused_or_ends),
	TEST(a_commit_beyond_the_data_is_refused),
	TEST(writer_and_reader_in_parallel),
};

int main(void)
{
	return run_tests("ring", tests, ARRAY_SIZE(tests));
}
