// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the kernel's readers of an external ring, in user space:
 * ring_buffer_ext_page.c, _read.c, _stat.c and _iter.c, with a ring that ext_ring.c
 * writes, all unchanged, in one thread. reader_stress.c tests them in parallel,
 * reader_fuzz.c with hostile pages.
 *
 * Prints TAP.
 */

#include <linux/ext_ring_writer.h>

#include "reader_fixture.h"
#include "tap.h"

#define SLOTS		2048
#define EVENT_SIZE	(4 + sizeof(struct record))
#define PER_PAGE	(EXT_RING_DATA_SIZE / EVENT_SIZE)
#define PAGE_BYTES	(PER_PAGE * EVENT_SIZE)

/* Limits while the lock is held: pages, and loads of these pages and of positions. */
#define AT_ONCE		256
#define MOST_LOADS	(AT_ONCE + 4)

static struct reader reader;
static struct ext_ring ring;
static struct ext_ring_page *pages[SLOTS + 1];
static struct ext_ring_record *records;
static u64 last_id;

void ext_ring_doorbell(void)
{
}

u64 ktime_get_boot_fast_ns(void)
{
	return S64_MAX;
}

static int swap_page(int cpu, struct ext_ring_swap *swap)
{
	return ext_ring_swap(&ring, swap);
}

static const struct trace_ext_ops ops = { .swap_page = swap_page };

/* Set up a ring and its reader, empty. */
static void begin(u32 nr_slots)
{
	u32 id;

	records = calloc(1, ext_ring_bookkeeping(nr_slots));
	for (id = 0; id <= nr_slots; id++) {
		pages[id] = aligned_alloc(EXT_RING_PAGE_SIZE, sizeof(*pages[id]));
		records[id].page = pages[id];
	}
	reader_init(&reader, pages, nr_slots, &ops);
	ring = (struct ext_ring) { .overwrite = true };
	ext_ring_init(&ring, records, nr_slots, &reader.meta);
	ext_ring_open(&ring);
	last_id = 0;
	lock_use = (struct lock_use) { };
}

static void end(void)
{
	u32 id;

	for (id = 0; id <= ring.nr_slots; id++)
		free(pages[id]);
	free(records);
	reader_destroy(&reader);
}

static void emit(u64 count)
{
	struct ext_ring_reservation resv;

	while (count--) {
		if (!ext_ring_reserve(&ring, 1000, sizeof(struct record), &resv) &&
		    !ext_ring_reserve_slow(&ring, 1000, sizeof(struct record), &resv))
			return;
		*(struct record *)resv.payload = (struct record) {
			.type = TYPE, .pid = 1, .id = ++last_id,
		};
		ext_ring_commit(&resv);
	}
}

static void consume(u64 count)
{
	while (count--)
		rb_ext_consume(&reader.ext, 0, NULL, NULL);
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
	rb_ext_rewind(&reader.c);
}

static void it_is_reset(void)
{
	ext_ring_reset(&ring);
	rb_ext_slots_init(reader.c.slot_id, SLOTS);
	rb_ext_rewind(&reader.c);
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
	struct ext_ring_page *page = calloc(1, sizeof(*page));
	struct buffer_data_page *data_page = (void *)page;
	const struct record *record;
	bool ok;

	ok = !rb_ext_read_page(&reader.ext, 0, &data_page, EXT_RING_PAGE_SIZE, 0);
	page = (void *)data_page;
	record = (const void *)(page->data + 4);
	ok = ok && record->id == FIRST_GOOD;
	free(page);
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

/*
 * A dump in an oops reads the overrun first. The oops may have stopped the holder of the
 * readers' lock, so the dump must not wait for it.
 */
static void nobody_waits_for_the_lock_in_an_oops(void)
{
	static const enum rb_ext_stat stats[] = {
		RB_EXT_ENTRIES, RB_EXT_OVERRUN, RB_EXT_DROPPED, RB_EXT_READ, RB_EXT_OLDEST_TS,
	};
	unsigned long flags;
	size_t i;

	begin(SLOTS);
	emit(10);
	CHECK(rb_ext_stat(&reader.ext, 0, RB_EXT_ENTRIES) == 10, "before the oops");
	oops_in_progress = true;
	CHECK(rb_ext_stat(&reader.ext, 0, RB_EXT_ENTRIES) == 10, "with the lock free");
	raw_spin_lock_irqsave(&reader.c.lock, flags);
	for (i = 0; i < ARRAY_SIZE(stats); i++)
		CHECK(!rb_ext_stat(&reader.ext, 0, stats[i]), "statistic %zu", i);
	CHECK(!rb_ext_consume(&reader.ext, 0, NULL, NULL), "an event");
	raw_spin_unlock_irqrestore(&reader.c.lock, flags);
	oops_in_progress = false;
	CHECK(rb_ext_stat(&reader.ext, 0, RB_EXT_ENTRIES) == 10, "after the oops");
	end();
}

static const struct test tests[] = {
	TEST(bytes_of_a_large_ring_are_counted_a_part_at_a_time),
	TEST(bytes_that_go_while_they_are_counted_are_left_out),
	TEST(an_iterator_passes_over_bad_pages_a_part_at_a_time),
	TEST(readers_pass_over_bad_pages_a_part_at_a_time),
	TEST(nobody_waits_for_the_lock_in_an_oops),
};

int main(void)
{
	return run_tests("reader", tests, ARRAY_SIZE(tests));
}
