// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the kernel's readers of an external ring, in user space: reader_page.c, read.c, stat.c
 * and iter.c of kernel/trace/ext/, with a ring that ring.c writes, all unchanged, in one thread.
 * reader_stress.c tests them in parallel, reader_fuzz.c with hostile pages.
 *
 * Prints TAP.
 */

#include <linux/ext_ring_writer.h>

#include "reader_fixture.h"
#include "tap.h"

#define SLOTS		2048
#define MAX_SPARES	4
#define EVENT_SIZE	(4 + sizeof(struct record))
#define PER_PAGE	(EXT_RING_DATA_ROOM / EVENT_SIZE)
#define PAGE_BYTES	(PER_PAGE * EVENT_SIZE)

/* Limits while the lock is held: pages, and loads of these pages and of positions. */
#define AT_ONCE		256
#define MOST_LOADS	(AT_ONCE + 4)

static struct reader reader;
static struct ext_ring ring;
static struct ext_ring_page *pages[SLOTS + MAX_SPARES];
static struct ext_ring_record *records;
static u64 last_id;

void ext_ring_doorbell(void)
{
}

u64 ktime_get_boot_fast_ns(void)
{
	return S64_MAX;
}

/* Nobody else has what EL2 gets. */
static int swap_page(struct trace_ext_writer *writer, int cpu, u32 spare,
		     struct ext_ring_swap *swap)
{
	CHECK(page_ref_count(virt_to_page(pages[spare])) == 1, "page %u is somebody's", spare);
	return ext_ring_swap(&ring, spare, swap);
}

static const struct trace_ext_ops ops = { .swap_page = swap_page };

/* Set up a ring and its reader, empty. Pages that have not been written have nonsense. */
static void begin_with(u32 nr_slots, u32 nr_spares)
{
	u32 id, nr_pages = nr_slots + nr_spares;

	records = calloc(1, ext_ring_bookkeeping(nr_slots, nr_pages));
	for (id = 0; id < nr_pages; id++) {
		pages[id] = page_new();
		pages[id]->commit = 0;
		records[id].page = pages[id];
	}
	reader_init(&reader, pages, nr_slots, nr_pages, &ops);
	ring = (struct ext_ring) { .overwrite = true };
	ext_ring_init(&ring, records, nr_slots, nr_pages, &reader.meta);
	ext_ring_open(&ring);
	last_id = 0;
	lock_use = (struct lock_use) { };
}

static void begin(u32 nr_slots)
{
	begin_with(nr_slots, 1);
}

static void end(void)
{
	u32 id;

	for (id = 0; id < ring.nr_pages; id++)
		free_page((unsigned long)pages[id]);
	free(records);
	reader_destroy(&reader);
}

/* Write an event, with @more bytes after the record; false if it was dropped. */
static bool emit_at(u64 ts, u32 more)
{
	const u32 size = sizeof(struct record) + more;
	struct ext_ring_reservation resv;

	if (!ext_ring_reserve(&ring, ts, size, &resv) &&
	    !ext_ring_reserve_slow(&ring, ts, size, &resv))
		return false;
	*(struct record *)resv.payload = (struct record) {
		.type = TYPE, .pid = 1, .id = ++last_id,
	};
	ext_ring_commit(&resv);
	return true;
}

/* Write events, with @more bytes after the record. */
static void emit_long(u64 count, u32 more)
{
	while (count-- && emit_at(1000, more))
		;
}

static void emit(u64 count)
{
	emit_long(count, 0);
}

static u64 last_consumed;

static void consume(u64 count)
{
	struct ring_buffer_event *event;

	while (count--) {
		event = rb_ext_consume(&reader.ext, 0, NULL, NULL);
		last_consumed = event ? record_of(event)->id : 0;
	}
}

static u64 bytes(void)
{
	return rb_ext_stat(&reader.ext, 0, RB_EXT_BYTES);
}

static void bytes_of_a_large_ring_are_counted_a_part_at_a_time(void)
{
	u64 got;

	begin(SLOTS);
	emit(SLOTS * PER_PAGE);
	got = bytes();
	CHECK(got == SLOTS * PAGE_BYTES, "%llu bytes", (unsigned long long)got);
	CHECK(lock_use.most_loads >= AT_ONCE && lock_use.most_loads <= MOST_LOADS,
	      "%u loads with the lock held", lock_use.most_loads);
	CHECK(lock_use.times >= SLOTS / AT_ONCE, "locked %u times", lock_use.times);

	/* Consume some pages, and a part of another one. */
	consume(10 * PER_PAGE + PER_PAGE / 2);
	got = bytes();
	CHECK(got == SLOTS * PAGE_BYTES - (10 * PER_PAGE + PER_PAGE / 2) * EVENT_SIZE,
	      "%llu bytes", (unsigned long long)got);
	consume(SLOTS * PER_PAGE);
	CHECK(!bytes(), "%llu bytes", (unsigned long long)bytes());
	end();
}

/* Events that an iterator passes over, from where it seeks a time, before it has that event. */
static u64 passed_over(u64 id)
{
	struct rb_ext_iter *iter = rb_ext_iter_alloc(&reader.ext, 0, GFP_KERNEL);
	struct ring_buffer_event *event;
	u64 ts, passed = 0;
	int missed;

	rb_ext_iter_seek(iter, 10 * id);
	while ((event = rb_ext_iter_peek(iter, &ts, &missed)) && ts < 10 * id) {
		passed++;
		rb_ext_iter_advance(iter);
	}
	CHECK(event && record_of(event)->id == id, "%llu is not found", (unsigned long long)id);
	CHECK(rb_ext_iter_seq(iter) == id - 1, "%llu has number %llu", (unsigned long long)id,
	      (unsigned long long)rb_ext_iter_seq(iter));
	rb_ext_iter_free(iter);
	return passed;
}

/* May events since @ts be gone that were before the first one that the ring has now? */
static bool has_gap(u64 ts)
{
	struct rb_ext_iter *iter = rb_ext_iter_alloc(&reader.ext, 0, GFP_KERNEL);
	bool gap;
	int missed;

	CHECK(rb_ext_iter_peek(iter, NULL, &missed), "there is no event");
	gap = rb_ext_iter_has_gap(iter, ts);
	rb_ext_iter_free(iter);
	return gap;
}

/* All events of a ring that has been overwritten once, and some of it has been consumed. */
static void an_iterator_seeks_a_time(void)
{
	u64 id, first = 0, found = 0, all = 2 * 16 * PER_PAGE + 5;

	begin(16);
	while (last_id < PER_PAGE)
		emit_at(10 * (last_id + 1), 0);
	CHECK(!has_gap(1), "nothing is lost yet");
	while (last_id < all)
		emit_at(10 * (last_id + 1), 0);
	CHECK(has_gap(1), "half of it is lost");
	consume(PER_PAGE / 2);
	first = last_consumed + 1;
	CHECK(has_gap(10 * last_consumed) && !has_gap(10 * first), "what is consumed is known");
	for (id = first; id <= all; id++, found++)
		CHECK(passed_over(id) <= PER_PAGE, "it begins too early for %llu",
		      (unsigned long long)id);
	CHECK(found > 14 * PER_PAGE, "%llu events", (unsigned long long)found);
	end();
}

/* Changes that happen while the lock is free. */
static void it_is_all_consumed(void)
{
	consume(SLOTS * PER_PAGE);
}

static void it_is_all_overrun(void)
{
	emit(SLOTS * PER_PAGE);
}

static void some_of_it_is_overrun(void)
{
	emit(SLOTS / 2 * PER_PAGE);
}

static void it_is_unloaded(void)
{
	reader.c.ring = NULL;
	rb_ext_rewind(&reader.c, 0);
}

static void it_is_reset(void)
{
	rb_ext_rewind(&reader.c, ext_ring_reset(&ring));
	emit(SLOTS * PER_PAGE);
}

/* A count leaves out events that go before it gets to them, and it ends. */
static void bytes_that_go_while_they_are_counted_are_left_out(void)
{
	static const struct {
		void	(*happens)(void);
		u64	pages;
	} cases[] = {
		{ it_is_all_consumed, 0 },
		{ it_is_all_overrun, 0 },
		{ some_of_it_is_overrun, SLOTS / 2 },
		{ it_is_unloaded, 0 },
		{ it_is_reset, 0 },
	};
	size_t i;
	u64 got;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(SLOTS);
		emit(SLOTS * PER_PAGE);
		lock_use.unlocked = cases[i].happens;
		got = bytes();
		/* At most the pages counted before the change may be in it, too. */
		CHECK(got >= cases[i].pages * PAGE_BYTES &&
		      got <= (cases[i].pages + AT_ONCE) * PAGE_BYTES,
		      "case %zu: %llu bytes", i, (unsigned long long)got);
		CHECK(lock_use.most_loads <= MOST_LOADS,
		      "case %zu: %u loads with the lock held", i, lock_use.most_loads);
		end();
	}
}

/* Make a full ring in which only the last page is good. */
static void begin_with_bad_pages(void)
{
	u32 pos;

	begin(SLOTS);
	emit(SLOTS * PER_PAGE);
	for (pos = 0; pos < SLOTS - 1; pos++)
		pages[pos]->commit = 1;
}

#define FIRST_GOOD	((SLOTS - 1) * PER_PAGE + 1)

/* Each page takes up to three loads: the writer's position, and the commit, twice. */
static bool held_for_some_pages_only(void)
{
	CHECK(lock_use.most_loads <= 3 * MOST_LOADS, "%u loads with the lock held",
	      lock_use.most_loads);
	return lock_use.most_loads >= AT_ONCE;
}

/* The lock is released while bad pages are skipped. */
static void an_iterator_passes_over_bad_pages_a_part_at_a_time(void)
{
	struct rb_ext_iter *iter;
	struct ring_buffer_event *event;
	int missed;

	begin_with_bad_pages();
	iter = rb_ext_iter_alloc(&reader.ext, 0, GFP_KERNEL);
	event = rb_ext_iter_peek(iter, NULL, &missed);
	CHECK(event && record_of(event)->id == FIRST_GOOD, "the good page is not found");
	CHECK(missed, "nothing missing");
	CHECK(held_for_some_pages_only(), "one by one");
	rb_ext_iter_free(iter);
	end();
}

static bool consumes_event(void)
{
	struct ring_buffer_event *event;
	unsigned long lost;

	event = rb_ext_consume(&reader.ext, 0, NULL, &lost);
	return event && record_of(event)->id == FIRST_GOOD && lost == FIRST_GOOD - 1;
}

static bool consumes_page(void)
{
	struct ext_ring_page *page = page_new();
	struct buffer_data_page *data_page = (void *)page;
	const struct record *record;
	bool ok;

	ok = !rb_ext_read_page(&reader.ext, 0, &data_page, EXT_RING_PAGE_SIZE, 0);
	page = (void *)data_page;
	record = (const void *)(page->data + 4);
	ok = ok && record->id == FIRST_GOOD;
	free_page((unsigned long)page);
	return ok;
}

static bool is_not_empty(void)
{
	return !rb_ext_empty(&reader.ext, 0);
}

static void readers_pass_over_bad_pages_a_part_at_a_time(void)
{
	static bool (* const reads[])(void) = {
		consumes_event, consumes_page, is_not_empty,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(reads); i++) {
		begin_with_bad_pages();
		CHECK(reads[i](), "case %zu: the good page is not found", i);
		CHECK(held_for_some_pages_only(), "case %zu: one by one", i);
		end();
	}
}

/* Dumps ------------------------------------------------------------------------------- */

/* The events that a dump has shown. */
static struct dumped {
	u64	count;
	u64	first;
	u64	last;
	u64	lost;
	bool	gaps;		/* there were some that were not counted as lost */
} dumped;

static void begin_dump(unsigned int events)
{
	dumped = (struct dumped) { };
	reader.writer.dump_events = events;
	rb_ext_dump_begin(&reader.ext, false);
}

/* Read up to @count events as ftrace_dump_one() does, which asks for the overrun first. */
static void dump(u64 count)
{
	const struct ring_buffer_event *event;
	unsigned long lost;
	u64 ts, id;

	rb_ext_stat(&reader.ext, RING_BUFFER_ALL_CPUS, RB_EXT_OVERRUN);
	while (count-- && !rb_ext_empty(&reader.ext, 0)) {
		event = rb_ext_peek(&reader.ext, 0, &ts, &lost);
		id = record_of(event)->id;
		CHECK(event == rb_ext_consume(&reader.ext, 0, &ts, &lost), "event %llu",
		      (unsigned long long)id);
		dumped.lost += lost;
		dumped.gaps |= dumped.count && id != dumped.last + 1 + lost;
		if (!dumped.count++)
			dumped.first = id;
		dumped.last = id;
	}
}

static void dump_all(unsigned int events)
{
	begin_dump(events);
	dump(U64_MAX);
	rb_ext_dump_end(&reader.ext);
}

/* Dump all: these are shown, and @lost before them are reported. */
static void dump_shows_after(unsigned int events, u64 lost, u64 first, u64 last)
{
	dump_all(events);
	CHECK(dumped.count == (last ? last - first + 1 : 0) && dumped.first == first &&
	      dumped.last == last && dumped.lost == lost && !dumped.gaps,
	      "of %u events: %llu to %llu, %llu in all, %llu lost", events,
	      (unsigned long long)dumped.first, (unsigned long long)dumped.last,
	      (unsigned long long)dumped.count, (unsigned long long)dumped.lost);
}

static void dump_shows(unsigned int events, u64 first, u64 last)
{
	dump_shows_after(events, 0, first, last);
}

/* Empty the ring, as rb_ext_cpu_reset() does. */
static void reset(void)
{
	rb_ext_rewind(&reader.c, ext_ring_reset(&ring));
	last_id = 0;
}

static void a_dump_shows_the_newest_events_once(void)
{
	unsigned long flags;

	begin(8);
	dump_shows(100, 0, 0);
	emit(3 * PER_PAGE + 7);
	consume(2 * PER_PAGE);

	/* Nobody who is stopped with the lock can keep a dump from reading. */
	raw_spin_lock_irqsave(&reader.c.lock, flags);
	dump_shows(0, 0, 0);
	dump_shows(5, 3 * PER_PAGE + 3, 3 * PER_PAGE + 7);
	dump_shows(1000, 0, 0);
	emit(PER_PAGE);
	dump_shows(1000, 3 * PER_PAGE + 8, 4 * PER_PAGE + 7);
	raw_spin_unlock_irqrestore(&reader.c.lock, flags);

	/* It has consumed nothing. */
	CHECK(rb_ext_stat(&reader.ext, 0, RB_EXT_ENTRIES) == 2 * PER_PAGE + 7, "entries");
	end();
}

/* All pages are in a dump: those that were read, and one that the reader does not know of. */
static void a_dump_shows_all_pages_of_a_ring(void)
{
	struct ext_ring_swap swap;

	begin(8);
	emit(11 * PER_PAGE + 1);
	consume(1);
	dump_shows(100 * PER_PAGE, 4 * PER_PAGE + 1, 11 * PER_PAGE + 1);
	end();

	begin(8);
	emit(8 * PER_PAGE);
	CHECK(!ext_ring_swap(&ring, 8, &swap), "swap");
	emit(PER_PAGE);
	dump_shows(100 * PER_PAGE, 1, 9 * PER_PAGE);
	end();
}

static void a_dump_ends_where_the_writer_was(void)
{
	begin(8);
	emit(PER_PAGE + PER_PAGE / 2);
	begin_dump(1000);
	emit(2 * PER_PAGE);
	dump(U64_MAX);
	rb_ext_dump_end(&reader.ext);
	CHECK(dumped.first == 1 && dumped.last == PER_PAGE + PER_PAGE / 2, "up to %llu",
	      (unsigned long long)dumped.last);
	end();
}

/* The writer overtakes a dump: each event is shown, or counted as lost. */
static void a_dump_counts_what_the_writer_overtakes(void)
{
	unsigned int pages;

	for (pages = 0; pages <= 10; pages++) {
		unsigned long long lost_at_end = 0;

		begin(8);
		emit(20 * PER_PAGE);
		begin_dump(8 * PER_PAGE);
		dump(1);
		emit(pages * PER_PAGE);
		dump(U64_MAX);
		last_message[0] = '\0';
		rb_ext_dump_end(&reader.ext);
		sscanf(last_message, "test: CPU0: lost %llu more events", &lost_at_end);
		CHECK(dumped.first == 12 * PER_PAGE + 1 && !dumped.gaps, "gaps");
		CHECK(dumped.count + dumped.lost + lost_at_end == 8 * PER_PAGE,
		      "%llu events, %llu lost", (unsigned long long)dumped.count,
		      (unsigned long long)dumped.lost);
		/* The first page was copied before. */
		CHECK((pages <= 1) == (dumped.count == 8 * PER_PAGE) &&
		      (pages >= 8) == (dumped.count == PER_PAGE),
		      "%llu events after %u pages", (unsigned long long)dumped.count, pages);
		end();
	}
}

static void a_dump_shows_nothing_from_before_a_reset(void)
{
	begin(8);
	emit(11 * PER_PAGE);
	consume(PER_PAGE);
	reset();
	dump_shows(1000, 0, 0);
	emit(2 * PER_PAGE + 1);
	dump_shows(1000, 1, 2 * PER_PAGE + 1);
	emit(8 * PER_PAGE);
	dump_shows_after(1000 * PER_PAGE, PER_PAGE - 1, 3 * PER_PAGE + 1, 10 * PER_PAGE + 1);
	end();
}

/* A reset in the middle of a dump: the next one shows all events since then. */
static void a_dump_is_right_after_a_reset_during_the_last_one(void)
{
	begin(8);
	emit(7 * PER_PAGE);
	begin_dump(1000 * PER_PAGE);
	dump(PER_PAGE);
	reset();
	dump(U64_MAX);
	rb_ext_dump_end(&reader.ext);
	emit(3 * PER_PAGE);
	dump_shows(1000 * PER_PAGE, 1, 3 * PER_PAGE);
	end();
}

/* Make the page with this first event malformed. */
static void spoil(u64 first_seq)
{
	u32 id;

	for (id = 0; id < ring.nr_pages; id++) {
		if (pages[id]->first_seq == first_seq && pages[id]->commit)
			*(u32 *)pages[id]->data = EXT_RING_TYPE_MAX_LEN + 1;
	}
}

static void a_dump_leaves_out_malformed_pages(void)
{
	begin(100);
	emit(5 * PER_PAGE);
	spoil(2 * PER_PAGE);
	begin_dump(1000 * PER_PAGE);
	dump(U64_MAX);
	nr_messages = 0;
	rb_ext_dump_end(&reader.ext);
	CHECK(dumped.count == 4 * PER_PAGE && dumped.lost == PER_PAGE && !dumped.gaps,
	      "%llu events, %llu lost", (unsigned long long)dumped.count,
	      (unsigned long long)dumped.lost);
	CHECK(strstr(last_message, "1 malformed pages"), "%s", last_message);
	end();

	/* The page that the last dump did not finish. */
	begin(100);
	emit(2 * PER_PAGE + 50);
	dump_shows(1000 * PER_PAGE, 1, 2 * PER_PAGE + 50);
	emit(2 * PER_PAGE);
	spoil(2 * PER_PAGE);
	dump_shows_after(1000 * PER_PAGE, PER_PAGE - 50, 3 * PER_PAGE + 1, 4 * PER_PAGE + 50);
	end();
}

/* A dump of many bad pages has one message, and not more events than were asked for. */
static void a_dump_of_nonsense_is_short(void)
{
	u64 seq;
	u32 id;

	begin(1000);
	emit(1001 * PER_PAGE);
	for (seq = PER_PAGE; seq < 1000 * PER_PAGE; seq += PER_PAGE)
		spoil(seq);
	begin_dump(500);
	dump(U64_MAX);
	nr_messages = 0;
	rb_ext_dump_end(&reader.ext);
	CHECK(dumped.count <= 500 && nr_messages == 1, "%llu events, %u messages",
	      (unsigned long long)dumped.count, nr_messages);
	end();

	begin(1000);
	emit(1001 * PER_PAGE);
	for (id = 0; id <= 1000; id++)
		pages[id]->first_seq = U64_MAX - id % 3;
	dump_all(500);
	CHECK(dumped.count <= 500, "%llu events", (unsigned long long)dumped.count);
	end();
}

/* User space that has mapped the ring finds a number behind the data, but not in first_seq. */
static void a_dump_shows_what_is_mapped(void)
{
	unsigned long flags;
	int i;

	/* This writer leaves room for the number only with first_seq. */
	begin(8);
	for (i = 0; i < 20; i++) {
		emit(PER_PAGE - 1);
		ring.limit = EXT_RING_DATA_SIZE;
		emit_long(1, (EXT_RING_DATA_SIZE - PAGE_BYTES - 1) & ~3);
	}
	raw_spin_lock_irqsave(&reader.c.lock, flags);
	rb_ext_consume_mapped(&reader.c);
	raw_spin_unlock_irqrestore(&reader.c.lock, flags);
	CHECK(reader.c.flagged, "no event was lost");
	dump_shows(1000 * PER_PAGE, 12 * PER_PAGE + 1, 20 * PER_PAGE);
	end();
}

/* Read a page, at most @len bytes of its data; return NULL if there is none. */
static struct ext_ring_page *read_page(size_t len)
{
	struct buffer_data_page *data_page = page_new();

	if (!rb_ext_read_page(&reader.ext, 0, &data_page,
			      offsetof(struct ext_ring_page, data) + len, 0))
		return (struct ext_ring_page *)data_page;

	free_page((unsigned long)data_page);
	return NULL;
}

/*
 * Read a page; returns its bytes of events, 0 if there is none. What the page had before does not
 * get out; it may end with the number of events before it.
 */
static size_t read_bytes(size_t len)
{
	struct ext_ring_page *page = read_page(len);
	size_t got, at;

	if (!page)
		return 0;

	got = page->commit & (BIT(30) - 1);
	at = got + (page->commit & BIT(30) ? sizeof(u64) : 0);
	for (; at < EXT_RING_DATA_SIZE; at++)
		CHECK(!page->data[at], "byte %zu is not 0", at);
	CHECK(!page->first_seq || page->first_seq == reader.c.seq - PER_PAGE,
	      "the page ends with %llu", (unsigned long long)page->first_seq);
	free_page((unsigned long)page);
	return got;
}

static u64 stat(enum rb_ext_stat stat)
{
	return rb_ext_stat(&reader.ext, 0, stat);
}

/* Who reads whole pages gets what they have; nothing is counted twice, or not at all. */
static void a_page_is_read_as_it_is(void)
{
	struct ring_buffer_event *event;
	unsigned long missed;

	begin(8);
	nr_messages = 0;
	emit(4 * PER_PAGE);
	spoil(PER_PAGE);
	spoil(2 * PER_PAGE);
	CHECK(read_bytes(EXT_RING_DATA_SIZE) == PAGE_BYTES, "good page");
	CHECK(read_bytes(EXT_RING_DATA_SIZE) == PAGE_BYTES && !nr_messages, "bad page");
	CHECK(stat(RB_EXT_READ) == 2 * PER_PAGE, "%llu read",
	      (unsigned long long)stat(RB_EXT_READ));

	/* Who reads events gets none of a bad page. */
	event = rb_ext_consume(&reader.ext, 0, NULL, &missed);
	CHECK(nr_messages == 1 && event && record_of(event)->id == 3 * PER_PAGE + 1 &&
	      missed == PER_PAGE, "%u messages, %lu missed", nr_messages, missed);
	CHECK(stat(RB_EXT_READ) == 2 * PER_PAGE + 1 && stat(RB_EXT_OVERRUN) == PER_PAGE &&
	      stat(RB_EXT_ENTRIES) == PER_PAGE - 1, "totals");
	end();
}

/* Who looks whether there is something does not know who will read it, nor how much. */
static void a_page_that_was_found_is_read_by_anybody(void)
{
	begin(8);
	emit(4 * PER_PAGE);
	CHECK(!rb_ext_empty(&reader.ext, 0), "empty");
	consume(1);
	CHECK(last_consumed == 1, "event %llu", (unsigned long long)last_consumed);
	consume(PER_PAGE - 1);

	CHECK(!rb_ext_empty(&reader.ext, 0), "empty");
	CHECK(stat(RB_EXT_ENTRIES) == 3 * PER_PAGE, "entries");
	CHECK(read_bytes(EXT_RING_DATA_SIZE) == PAGE_BYTES, "whole page");

	CHECK(!rb_ext_empty(&reader.ext, 0), "empty");
	CHECK(read_bytes(10 * EVENT_SIZE) == 10 * EVENT_SIZE, "part of a page");
	CHECK(read_bytes(EXT_RING_DATA_SIZE) == PAGE_BYTES - 10 * EVENT_SIZE, "rest of a page");
	CHECK(read_bytes(EXT_RING_DATA_SIZE) == PAGE_BYTES, "last page");
	CHECK(stat(RB_EXT_READ) == 4 * PER_PAGE && !stat(RB_EXT_ENTRIES), "totals");
	end();
}

/* Otherwise those who look for events would call those who find none, forever. */
static void a_page_that_was_found_stays(void)
{
	begin(8);
	emit(2 * PER_PAGE);
	CHECK(!rb_ext_empty(&reader.ext, 0), "empty");
	pages[0]->commit = 0;
	CHECK(!rb_ext_empty(&reader.ext, 0), "empty");
	consume(1);
	CHECK(last_consumed == 1, "event %llu", (unsigned long long)last_consumed);
	end();
}

static void a_page_has_no_more_events_than_were_written(void)
{
	begin(8);
	nr_messages = 0;
	emit(3 * PER_PAGE);
	consume(PER_PAGE);
	CHECK(!rb_ext_empty(&reader.ext, 0), "empty");
	reader.c.whole_events--;
	consume(1);
	CHECK(nr_messages == 1 && last_consumed == 2 * PER_PAGE + 1, "%u messages, event %llu",
	      nr_messages, (unsigned long long)last_consumed);
	end();
}

/* A page that had more events than were written, as its content was changed: the ring goes on. */
static void too_many_events_do_not_stop_a_ring(void)
{
	begin(8);
	nr_messages = 0;
	emit(4 * PER_PAGE);
	consume(PER_PAGE);
	reader.c.seq++;
	reader.c.read++;
	consume(1);
	CHECK(nr_messages == 1 && last_consumed == 2 * PER_PAGE + 1, "%u messages, event %llu",
	      nr_messages, (unsigned long long)last_consumed);
	CHECK(stat(RB_EXT_READ) + stat(RB_EXT_OVERRUN) + stat(RB_EXT_ENTRIES) == 4 * PER_PAGE,
	      "totals");
	end();
}

/* Events that were lost before a page, and their number behind it, if it is read raw. */
static void a_whole_page_says_what_was_lost(void)
{
	begin(8);
	emit(12 * PER_PAGE);
	CHECK(read_bytes(EXT_RING_DATA_SIZE) == PAGE_BYTES, "whole page");
	CHECK(stat(RB_EXT_OVERRUN) == 4 * PER_PAGE, "%llu lost",
	      (unsigned long long)stat(RB_EXT_OVERRUN));
	CHECK(read_bytes(EVENT_SIZE) == EVENT_SIZE, "an event");
	CHECK(read_bytes(EXT_RING_DATA_SIZE) == PAGE_BYTES - EVENT_SIZE, "rest of a page");
	end();
}

/* Put a page that was read, after a check that it still has the event that it began with. */
static void put_page(struct ext_ring_page *page, u64 id)
{
	const struct record *record = (const void *)(page->data + 4);

	CHECK(record->id == id && (page->commit & (BIT(30) - 1)) == PAGE_BYTES,
	      "event %llu where %llu was read", (unsigned long long)record->id,
	      (unsigned long long)id);
	free_page((unsigned long)page);
}

static bool is_the_rings(const struct ext_ring_page *page)
{
	u32 id;

	for (id = 0; id < ring.nr_pages; id++) {
		if (pages[id] == page)
			return true;
	}
	return false;
}

/* Readers get pages of the ring itself, unless there would be none for the next swap. */
static void pages_are_handed_out_while_there_are_spares(void)
{
	u64 first = 12 * PER_PAGE + 1;
	struct ext_ring_page *got[7];
	u32 i;

	begin_with(8, 4);
	emit(20 * PER_PAGE);
	for (i = 0; i < 6; i++) {
		/* The first one comes back in between. */
		if (i == 5)
			put_page(got[0], first);
		got[i] = read_page(EXT_RING_DATA_SIZE);
		CHECK(is_the_rings(got[i]) == (i != 3 && i != 4), "page %u", i);
	}
	CHECK(got[0]->commit & BIT(30), "the number of lost events is missing");

	/* While the writer goes on, they stay as they are. */
	emit(30 * PER_PAGE);
	got[6] = read_page(EXT_RING_DATA_SIZE);
	CHECK(!is_the_rings(got[6]), "a page that is still held is the next spare");
	for (i = 1; i < 6; i++)
		put_page(got[i], first + i * PER_PAGE);
	put_page(got[6], 42 * PER_PAGE + 1);
	CHECK(stat(RB_EXT_READ) == 7 * PER_PAGE && stat(RB_EXT_OVERRUN) == 36 * PER_PAGE,
	      "totals");
	end();
}

/* A reader passes the page that it got last, which may be the ring's. */
static void a_page_of_the_ring_is_not_read_into(void)
{
	struct buffer_data_page *data_page = page_new();
	struct ext_ring_page *page;
	u64 id;

	begin_with(8, 4);
	emit(5 * PER_PAGE + 3);
	for (id = 1; id <= 5 * PER_PAGE; id += PER_PAGE) {
		CHECK(!rb_ext_read_page(&reader.ext, 0, &data_page, EXT_RING_PAGE_SIZE, 0), "none");
		page = (struct ext_ring_page *)data_page;
		CHECK(is_the_rings(page), "a copy");
	}
	get_page(virt_to_page(page));
	CHECK(!rb_ext_read_page(&reader.ext, 0, &data_page, EXT_RING_PAGE_SIZE, 0), "none");
	CHECK(!is_the_rings((struct ext_ring_page *)data_page), "the writer is in that page");
	put_page(page, 4 * PER_PAGE + 1);
	free_page((unsigned long)data_page);
	end();
}

/* A page that was handed out before a reset stays as it is, and no dump shows it. */
static void a_reset_leaves_alone_what_is_handed_out(void)
{
	struct ext_ring_page *got[3];
	int i;

	begin_with(8, 4);
	emit(11 * PER_PAGE);
	for (i = 0; i < 3; i++)
		got[i] = read_page(EXT_RING_DATA_SIZE);
	dump_shows(100 * PER_PAGE, 3 * PER_PAGE + 1, 11 * PER_PAGE);

	reset();
	dump_shows(100 * PER_PAGE, 0, 0);
	emit(30 * PER_PAGE);
	dump_shows(100 * PER_PAGE, 22 * PER_PAGE + 1, 30 * PER_PAGE);
	for (i = 0; i < 3; i++) {
		CHECK(is_the_rings(got[i]), "page %d is a copy", i);
		put_page(got[i], (3 + i) * PER_PAGE + 1);
	}

	got[0] = read_page(EXT_RING_DATA_SIZE);
	CHECK(is_the_rings(got[0]), "the first page is a copy");
	put_page(got[0], 22 * PER_PAGE + 1);
	CHECK(stat(RB_EXT_ENTRIES) == 7 * PER_PAGE, "entries");
	end();
}

/* A record with a number that is limited: a call at a depth. */
struct limited {
	u16	type;
	u8	flags;
	u8	preempt_count;
	s32	pid;
	u32	depth;
};

/* How many events of a page are valid whose @n-th record has @depth; -EINVAL if not all are. */
static int count_with_depth(u32 n, u32 depth, u16 type)
{
	static u16 sizes[EXT_PAGE_LIMITED_TYPES + 1] = {
		[1] = sizeof(struct limited),
		[2] = sizeof(struct limited),
		[EXT_PAGE_LIMITED_TYPES] = sizeof(struct limited),
	};
	static const struct ext_page_limit limits[] = {
		{ 1, offsetof(struct limited, depth), 49 },
		{ }
	};
	const struct ext_page_format format = { ARRAY_SIZE(sizes), sizes, limits };
	struct ext_ring_page *page = calloc(1, sizeof(*page));
	struct ext_cursor cursor;
	u32 *event = (u32 *)page->data, i;
	int ret;

	for (i = 0; i < 10; i++, event += 1 + sizeof(struct limited) / 4) {
		event[0] = sizeof(struct limited) / 4;
		*(struct limited *)(event + 1) = (struct limited) {
			.type = type, .pid = 1, .depth = i == n ? depth : 49,
		};
	}
	ext_cursor_init(&cursor, page);
	ret = ext_cursor_skip(&cursor, page, (u8 *)event - page->data, &format);
	free(page);
	return ret;
}

static void a_value_beyond_its_limit_is_refused(void)
{
	u32 n;

	begin(SLOTS);
	for (n = 0; n < 10; n++) {
		CHECK(count_with_depth(n, 49, 1) == 10, "49 is refused");
		CHECK(count_with_depth(n, 50, 1) == -EINVAL, "50 in record %u is not", n);
		CHECK(count_with_depth(n, ~0u, 1) == -EINVAL, "-1 in record %u is not", n);
		CHECK(count_with_depth(n, ~0u, 2) == 10, "another type is");
		CHECK(count_with_depth(n, ~0u, EXT_PAGE_LIMITED_TYPES) == 10, "an event is");
	}
	end();
}

static const struct test tests[] = {
	TEST(a_page_is_read_as_it_is),
	TEST(a_page_that_was_found_is_read_by_anybody),
	TEST(a_page_that_was_found_stays),
	TEST(a_page_has_no_more_events_than_were_written),
	TEST(too_many_events_do_not_stop_a_ring),
	TEST(a_whole_page_says_what_was_lost),
	TEST(pages_are_handed_out_while_there_are_spares),
	TEST(a_page_of_the_ring_is_not_read_into),
	TEST(a_reset_leaves_alone_what_is_handed_out),
	TEST(bytes_of_a_large_ring_are_counted_a_part_at_a_time),
	TEST(bytes_that_go_while_they_are_counted_are_left_out),
	TEST(an_iterator_seeks_a_time),
	TEST(an_iterator_passes_over_bad_pages_a_part_at_a_time),
	TEST(readers_pass_over_bad_pages_a_part_at_a_time),
	TEST(a_dump_shows_the_newest_events_once),
	TEST(a_dump_shows_all_pages_of_a_ring),
	TEST(a_dump_ends_where_the_writer_was),
	TEST(a_dump_counts_what_the_writer_overtakes),
	TEST(a_dump_shows_nothing_from_before_a_reset),
	TEST(a_dump_is_right_after_a_reset_during_the_last_one),
	TEST(a_dump_leaves_out_malformed_pages),
	TEST(a_dump_of_nonsense_is_short),
	TEST(a_dump_shows_what_is_mapped),
	TEST(a_value_beyond_its_limit_is_refused),
};

int main(void)
{
	return run_tests("reader", tests, ARRAY_SIZE(tests));
}
