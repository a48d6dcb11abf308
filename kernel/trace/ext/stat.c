// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: statistics.
 *
 * The statistics read the ring's shared pages while the writer writes them. Implausible
 * values are ignored. A wrong value affects that one result only.
 */

#include "internal.h"

static void snapshot_reader_page(struct rb_ext_cpu *c, struct rb_ext_counts *snap)
{
	/* A raw reader may take it as it is. */
	if (c->whole) {
		snap->oldest_ts = READ_ONCE(c->page->time_stamp);
		snap->entries = c->whole_events;
		return;
	}

	rb_ext_refresh(c);
	if (!c->unread)
		return;

	snap->oldest_ts = c->done.ts;
	snap->entries = c->unread;
}

/*
 * Return the number of events in the page that is being written, or -EINVAL. Continue
 * from the last count of the same page, so that each event is decoded once.
 */
static int count_tail(struct rb_ext_cpu *c, const struct ext_ring_page *page, u64 pos)
{
	struct rb_ext_tail_count *tail = &c->tail;
	u64 commit;
	int count;

	if (tail->page != page || tail->pos != pos) {
		*tail = (struct rb_ext_tail_count) { .page = page, .pos = pos };
		ext_cursor_init(&tail->cursor, page);
	}

	commit = ext_page_commit(page);
	if (commit == tail->cursor.read)
		return tail->count;

	/* The page may be written or reused meanwhile; the caller checks for reuse. */
	count = data_race(ext_cursor_skip(&tail->cursor, page, commit, &c->ext->format));
	if (count < 0) {
		tail->page = NULL;
		return count;
	}

	tail->count += count;
	return tail->count;
}

/*
 * Add the pages in the ring. Their numbers are untrusted: ignore implausible ones. Return
 * false if the writer has reused the oldest page meanwhile.
 */
static bool snapshot_ring(struct rb_ext_cpu *c, u64 tail, struct rb_ext_counts *snap)
{
	u64 oldest, first_seq, expected, before;
	const struct ext_ring_page *page;
	int count;

	if (tail < c->next_pos)
		return true;

	oldest = rb_ext_oldest(c, tail);
	page = rb_ext_page_at(c, oldest);
	first_seq = READ_ONCE(page->first_seq);
	if (!snap->entries && ext_page_commit(page))
		snap->oldest_ts = READ_ONCE(page->time_stamp);

	page = rb_ext_page_at(c, tail);
	count = count_tail(c, page, tail);

	expected = c->seq + snap->entries;
	if (first_seq > expected)
		snap->overrun += first_seq - expected;
	before = READ_ONCE(page->first_seq) - first_seq;
	if (count >= 0 && before <= (u64)c->ring->nr_slots * EXT_PAGE_MAX_EVENTS)
		snap->entries += before + count;

	/* Pairs with ring_begin_page(). Check that the oldest page was not reused. */
	smp_rmb();
	return READ_ONCE(c->ring->meta->claimed) < oldest + c->ring->nr_slots;
}

/**
 * rb_ext_count() - count events, and find the oldest one, while the writer runs
 * @c:		the CPU, locked
 *
 * Return: what was found
 */
struct rb_ext_counts rb_ext_count(struct rb_ext_cpu *c)
{
	struct rb_ext_counts snap;
	int tries = 3;
	u64 tail = 0;

	lockdep_assert_held(&c->lock);

	/* Read the tail first: if it has moved on, the reader page's commit is final. */
	do {
		snap = (struct rb_ext_counts) { .overrun = c->overrun };
		if (c->ring)
			tail = rb_ext_tail(c->ring);
		snapshot_reader_page(c, &snap);
	} while (c->ring && !snapshot_ring(c, tail, &snap) && --tries);

	return snap;
}

/**
 * struct byte_count - count of unread bytes, taken some pages at a time
 * @bytes:	bytes counted so far
 * @next:	position of the page to count next
 * @end:	position to stop at
 * @generation:	c->generation; if that has changed, there is nothing more
 */
struct byte_count {
	u64		bytes;
	u64		next;
	u64		end;
	unsigned int	generation;
};

/* Count the reader page, and set the end. */
static void count_reader_page(struct rb_ext_cpu *c, struct byte_count *count)
{
	u64 tail;

	guard(raw_spinlock_irqsave)(&c->lock);

	if (!c->whole)
		rb_ext_refresh(c);
	*count = (struct byte_count) {
		.bytes = c->whole ?: c->commit - c->done.read,
		.generation = c->generation,
	};
	if (!c->ring)
		return;

	tail = rb_ext_tail(c->ring);
	if (tail < c->next_pos)
		return;

	/* The tail is untrusted: rb_ext_oldest() is at most the ring's size before it. */
	count->next = rb_ext_oldest(c, tail);
	count->end = tail + 1;
}

/* Count some more pages, except overrun ones; return false if there are none left. */
static bool count_pages(struct rb_ext_cpu *c, struct byte_count *count)
{
	u64 stop;

	guard(raw_spinlock_irqsave)(&c->lock);

	if (!c->ring || c->generation != count->generation)
		return false;

	count->next = max(count->next, rb_ext_oldest(c, rb_ext_tail(c->ring)));
	if (count->next >= count->end)
		return false;

	stop = count->next + min(count->end - count->next, (u64)RB_EXT_PAGES_AT_ONCE);
	for (; count->next != stop; count->next++)
		count->bytes += min(ext_page_commit(rb_ext_page_at(c, count->next)),
				    EXT_RING_DATA_SIZE);

	return true;
}

/* Count the unread bytes. While the writer runs, the result is approximate. */
static u64 count_bytes(struct rb_ext_cpu *c)
{
	struct byte_count count;

	count_reader_page(c, &count);
	while (count_pages(c, &count))
		;

	return count.bytes;
}

static u64 cpu_stat(struct rb_ext_cpu *c, enum rb_ext_stat stat)
{
	/* ftrace asks for the overrun; the dump itself reports what is lost. */
	if (rb_ext_is_dumping(c->ext))
		return 0;

	/* This looks at all pages, and takes the lock for some of them at a time. */
	if (stat == RB_EXT_BYTES)
		return count_bytes(c);

	guard(raw_spinlock_irqsave)(&c->lock);

	switch (stat) {
	case RB_EXT_ENTRIES:
		return rb_ext_count(c).entries;
	case RB_EXT_OVERRUN:
		return rb_ext_count(c).overrun;
	case RB_EXT_DROPPED:
		return c->dropped + (c->ring ? READ_ONCE(c->ring->meta->dropped) : 0);
	case RB_EXT_READ:
		return c->read;
	case RB_EXT_OLDEST_TS:
		return rb_ext_count(c).oldest_ts;
	default:
		return 0;
	}
}

u64 rb_ext_stat(struct rb_ext *ext, int cpu, enum rb_ext_stat stat)
{
	u64 sum = 0;

	if (cpu != RING_BUFFER_ALL_CPUS)
		return cpu_stat(per_cpu_ptr(ext->cpus, cpu), stat);

	for_each_possible_cpu(cpu)
		sum += cpu_stat(per_cpu_ptr(ext->cpus, cpu), stat);

	return sum;
}
