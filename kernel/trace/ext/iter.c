// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: non-consuming reads.
 *
 * An iterator copies one page of the ring after the other. After each copy it checks
 * whether the writer has begun to reuse the page. It neither stops the writer nor calls it.
 * It ends at the position that the writer had when it started, so that it terminates
 * however fast the writer is.
 */

#include <linux/slab.h>

#include "internal.h"

/**
 * struct rb_ext_iter - a non-consuming reader
 * @c:		the CPU that it reads
 * @generation:	c->generation; if that has changed, there is nothing more
 * @next:	position of the page to copy next
 * @end:	first position that is not read
 * @end_commit:	bytes to read of the last page, @end - 1
 * @copy:	copy of the current page
 * @seq:	sequence number of the next event in it; untrusted
 * @dropped:	events were skipped since the last event
 * @seen:	an event has been read
 */
struct rb_ext_iter {
	struct rb_ext_cpu	*c;
	unsigned int		generation;
	u64			next;
	u64			end;
	u32			end_commit;
	struct rb_ext_copy	copy;
	u64			seq;
	bool			dropped;
	bool			seen;
};

/* Copy the reader page; go to its first unread event. */
static void take_reader_page(struct rb_ext_iter *iter)
{
	struct rb_ext_cpu *c = iter->c;

	rb_ext_refresh(c);
	memcpy(iter->copy.page, c->copy, sizeof(*iter->copy.page));
	iter->copy.commit = c->commit;
	iter->copy.cursor = c->done;
	iter->seq = c->seq;
	iter->next = c->next_pos;
}

/* Copy the next page; return false if it was being reused, or is malformed. */
static bool iter_copy_page(struct rb_ext_iter *iter)
{
	const struct rb_ext_cpu *c = iter->c;
	const u64 pos = iter->next++;
	const struct ext_ring_page *page = rb_ext_page_at(c, pos);
	u64 commit = ext_page_bytes(page);

	if (iter->next == iter->end)
		commit = min(commit, iter->end_commit);

	if (rb_ext_copy_page(&iter->copy, c->ext, page, pos, commit) < 0)
		return false;

	iter->seq = iter->copy.page->first_seq;
	return true;
}

/* Go to the next page with events. Return 1, 0 if there is none, -EAGAIN to continue. */
static int some_pages(struct rb_ext_iter *iter)
{
	struct rb_ext_cpu *c = iter->c;
	unsigned int pages = 0;
	u64 oldest;

	guard(raw_spinlock_irqsave)(&c->lock);

	if (!c->ring || iter->generation != c->generation)
		return 0;

	while (iter->next < iter->end) {
		if (pages++ == RB_EXT_PAGES_AT_ONCE)
			return -EAGAIN;

		/* Events have been consumed meanwhile: go on after them. */
		if (iter->next < c->next_pos) {
			take_reader_page(iter);
			if (!rb_ext_copy_is_read(&iter->copy))
				return 1;
			continue;
		}

		oldest = rb_ext_oldest(c, rb_ext_tail(c->ring));
		if (iter->next < oldest) {
			iter->next = oldest;
			iter->dropped = true;
			continue;
		}

		if (!iter_copy_page(iter))
			iter->dropped = true;
		else if (iter->copy.commit)
			return 1;
	}

	return 0;
}

/* Skip empty and malformed pages; drop the lock every RB_EXT_PAGES_AT_ONCE pages. */
static bool next_page(struct rb_ext_iter *iter)
{
	int ret;

	do {
		ret = some_pages(iter);
	} while (ret == -EAGAIN);

	return ret;
}

/* Go to the oldest event, and set the end. */
void rb_ext_iter_reset(struct rb_ext_iter *iter)
{
	struct rb_ext_cpu *c = iter->c;
	u64 tail;

	guard(raw_spinlock_irqsave)(&c->lock);

	iter->generation = c->generation;
	iter->dropped = false;
	iter->copy.ring = c->ring;
	iter->copy.commit = 0;
	iter->copy.cursor.read = 0;
	iter->next = 0;
	iter->end = 0;
	if (!c->ring)
		return;

	if (c->page)
		take_reader_page(iter);

	/* Begin with the oldest page; read at most as many pages as the ring has. */
	tail = rb_ext_tail(c->ring);
	if (tail >= c->next_pos) {
		iter->next = rb_ext_oldest(c, tail);
		iter->end = tail + 1;
		iter->end_commit = min(ext_page_commit(rb_ext_page_at(c, tail)),
				       EXT_RING_DATA_SIZE);
	}
}

struct rb_ext_iter *rb_ext_iter_alloc(struct rb_ext *ext, int cpu, gfp_t gfp)
{
	struct rb_ext_iter *iter = kzalloc(sizeof(*iter), gfp);

	if (iter)
		iter->copy.page = kmalloc(sizeof(*iter->copy.page), gfp);
	if (!iter || !iter->copy.page) {
		kfree(iter);
		return NULL;
	}

	atomic_inc(&ext->iters);
	iter->c = per_cpu_ptr(ext->cpus, cpu);
	rb_ext_iter_reset(iter);
	return iter;
}

void rb_ext_iter_free(struct rb_ext_iter *iter)
{
	struct rb_ext *ext = iter->c->ext;

	if (iter->seen && ext->ops->seen)
		ext->ops->seen(ext->writer);
	if (atomic_dec_and_test(&ext->iters) && !READ_ONCE(ext->on))
		schedule_work(&ext->idle);

	kfree(iter->copy.page);
	kfree(iter);
}

/* True if there is an event in the copy or in a later page. */
static bool iter_fill(struct rb_ext_iter *iter)
{
	return !rb_ext_copy_is_read(&iter->copy) || next_page(iter);
}

bool rb_ext_iter_empty(struct rb_ext_iter *iter)
{
	return !iter_fill(iter);
}

/**
 * rb_ext_iter_peek() - get the next event without going on
 * @iter:	the iterator
 * @ts:		boot clock of the event [ns], may be NULL
 * @missed_events: set to true if events were missed before it, may be NULL
 *
 * Return: the event, or NULL if there is none
 */
struct ring_buffer_event *rb_ext_iter_peek(struct rb_ext_iter *iter, u64 *ts, int *missed_events)
{
	struct ring_buffer_event *event = NULL;
	struct ext_cursor next;

	if (iter_fill(iter))
		event = rb_ext_copy_peek(&iter->copy, iter->c->ext, &next);
	if (event && ts)
		*ts = next.ts;
	if (missed_events)
		*missed_events = iter->dropped;

	return event;
}

void rb_ext_iter_advance(struct rb_ext_iter *iter)
{
	iter->dropped = false;
	iter->seen = true;
	if (iter_fill(iter)) {
		rb_ext_copy_peek(&iter->copy, iter->c->ext, &iter->copy.cursor);
		iter->seq++;
	}
}

/* The sequence number of the event that rb_ext_iter_peek() has returned; untrusted. */
u64 rb_ext_iter_seq(const struct rb_ext_iter *iter)
{
	return iter->seq;
}

/**
 * rb_ext_iter_seek() - skip pages that have no event of a time, or of a later one
 * @iter:	an iterator that has just been allocated
 * @ts:		boot clock [ns]
 *
 * The pages' times are untrusted: if they are not in order, the iterator begins anywhere.
 */
void rb_ext_iter_seek(struct rb_ext_iter *iter, u64 ts)
{
	struct rb_ext_cpu *c = iter->c;
	u64 low = iter->next, high = iter->end, pos;

	guard(raw_spinlock_irqsave)(&c->lock);

	if (!c->ring || iter->generation != c->generation)
		return;

	/*
	 * Pages before @low begin before @ts, those from @high on do not. The last one before @low
	 * may still have events of @ts.
	 */
	while (low < high) {
		pos = low + (high - low) / 2;
		if (READ_ONCE(rb_ext_page_at(c, pos)->time_stamp) < ts)
			low = pos + 1;
		else
			high = pos;
	}
	if (low <= iter->next)
		return;

	iter->next = low - 1;
	iter->copy.commit = 0;
	iter->copy.cursor.read = 0;
}

/*
 * May events of @ts or later be gone, overwritten or consumed, that were before the first one of
 * an iterator? It is at that, or has none.
 */
bool rb_ext_iter_has_gap(const struct rb_ext_iter *iter, u64 ts)
{
	struct rb_ext_cpu *c = iter->c;

	guard(raw_spinlock_irqsave)(&c->lock);

	return iter->seq > c->seq || c->done.ts >= ts;
}

/* The sequence number of the event that is consumed next: if there is none, of the next one. */
u64 rb_ext_iter_next_seq(const struct rb_ext_iter *iter)
{
	struct rb_ext_cpu *c = iter->c;

	guard(raw_spinlock_irqsave)(&c->lock);

	return c->seq;
}
