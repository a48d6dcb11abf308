// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: consuming reads.
 *
 * Events come from the copy of the reader page, see reader_page.c. Binary readers get the
 * reader page itself, if the writer has left it, and if there is another spare to give to the
 * writer. It comes back when they put it: nobody else has a reference to it then. They do not write
 * to it.
 */

#include <linux/mm.h>

#include "internal.h"

/*
 * True if all of the reader page is copied, and the writer has left it, or has ended there.
 * Read the tail first: if the writer has left the page, its commit is final.
 */
static bool is_final(struct rb_ext_cpu *c)
{
	bool final = !c->ring || trace_ext_is_frozen(c->ext->writer) ||
		     rb_ext_tail(c->ring) >= c->next_pos;

	rb_ext_refresh(c);
	return final;
}

/* True if there is a page with events to swap for. @tail is the writer's position. */
static bool can_swap(const struct rb_ext_cpu *c, u64 tail)
{
	return tail > c->next_pos ||
	       (tail == c->next_pos &&
		ext_page_commit(rb_ext_page_at(c, tail)));
}

/*
 * Get an event to consume, if there is one. Swap only if there is a page with events, so
 * that a reader of an empty ring does not call the writer.
 *
 * With @raw a whole page will do, too: the caller does not decode its events.
 *
 * Return: 1 if there is an event at c->done, 0 if there is none; -EAGAIN if it is unknown
 * after many malformed pages: call this again
 */
static int refill_page(struct rb_ext_cpu *c, bool raw)
{
	unsigned int pages = 0;

	lockdep_assert_held(&c->lock);

	while (c->done.read == c->commit) {
		u64 tail;

		if (!c->ring)
			return 0;
		if (raw && c->whole)
			return 1;

		/* Read the tail first: if it has moved on, the commit is final. */
		tail = rb_ext_tail(c->ring);
		rb_ext_refresh(c);
		if (c->done.read != c->commit)
			return 1;

		if (pages++ == RB_EXT_PAGES_AT_ONCE)
			return -EAGAIN;

		if (!can_swap(c, tail) || !rb_ext_swap_page(c))
			return 0;
	}

	return 1;
}

/* Account for @count events as consumed, up to @done. */
static void account_consumed(struct rb_ext_cpu *c, const struct ext_cursor *done,
			     unsigned int count)
{
	c->done = *done;
	c->peeked.read = 0;
	c->lost = 0;
	c->unread -= count;
	c->seq += count;
	c->read += count;
}

/* Return a copy of the next event; set @next to the position after it. */
static struct ring_buffer_event *read_peek(struct rb_ext_cpu *c, struct ext_cursor *next)
{
	/* Who consumes an event has peeked at it. */
	if (c->peeked.read) {
		*next = c->peeked;
		return (void *)c->event;
	}

	*next = c->done;
	if (ext_cursor_next(next, c->copy, c->commit, &c->ext->format) <= 0)
		return NULL;

	c->peeked = *next;
	return memcpy(c->event, next->header, (void *)c->copy->data + next->read - next->header);
}

/* There is nothing to read: unload the rings if tracing is off and no one needs them. */
static void maybe_idle(struct rb_ext_cpu *c)
{
	if (!rb_ext_is_armed(c->ext) && READ_ONCE(c->ring))
		schedule_work(&c->ext->idle);
}

/*
 * Lock, and get an event to consume; see refill_page(). Drop the lock every RB_EXT_PAGES_AT_ONCE
 * malformed pages.
 *
 * Return: true if there is an event; in either case the lock is held
 */
static bool reader_lock_filled(struct rb_ext_cpu *c, bool raw, unsigned long *flags)
{
	int ret;

	while (1) {
		raw_spin_lock_irqsave(&c->lock, *flags);
		ret = refill_page(c, raw);
		if (ret != -EAGAIN)
			return ret;
		raw_spin_unlock_irqrestore(&c->lock, *flags);
	}
}

static struct ring_buffer_event *read_event(struct rb_ext *ext, int cpu,
					    u64 *ts, unsigned long *lost,
					    bool consume)
{
	struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);
	struct ring_buffer_event *event;
	struct ext_cursor next;
	unsigned long flags;

	if (rb_ext_is_dumping(ext))
		return rb_ext_dump_read(c, ts, lost, consume);

	reader_lock_filled(c, false, &flags);
	event = read_peek(c, &next);
	if (ts)
		*ts = next.ts;
	if (lost)
		*lost = event ? c->lost : 0;

	if (event && consume)
		account_consumed(c, &next, 1);

	raw_spin_unlock_irqrestore(&c->lock, flags);

	if (!event)
		maybe_idle(c);

	return event;
}

struct ring_buffer_event *rb_ext_peek(struct rb_ext *ext, int cpu, u64 *ts, unsigned long *lost)
{
	return read_event(ext, cpu, ts, lost, false);
}

struct ring_buffer_event *rb_ext_consume(struct rb_ext *ext, int cpu, u64 *ts, unsigned long *lost)
{
	return read_event(ext, cpu, ts, lost, true);
}

/*
 * Set a page's commit. If events were lost before the page, set the missed flag; if there
 * is @room, store their number behind the data and set the stored flag.
 */
static void set_commit(struct ext_ring_page *to, size_t commit, size_t room, u64 lost)
{
	u64 flags = lost ? MISSED_EVENTS : 0;

	if (lost && room - commit >= sizeof(lost)) {
		memcpy(to->data + commit, &lost, sizeof(lost));
		flags |= MISSED_STORED;
	}

	/* A dump may look at a page of the ring. */
	WRITE_ONCE(to->commit, commit | flags);
}

/* Count the events from c->done on that fit into @len bytes; set @next after the last. */
static unsigned int events_in(struct rb_ext_cpu *c, size_t len, struct ext_cursor *next)
{
	unsigned int count = 0;

	if (c->commit - c->done.read <= len) {
		*next = c->end;
		return c->unread;
	}

	while (1) {
		struct ext_cursor last = *next;

		if (ext_cursor_next(next, c->copy, c->commit,
				    &c->ext->format) <= 0 ||
		    next->read - c->done.read > len) {
			*next = last;
			return count;
		}
		count++;
	}
}

/*
 * Complete a page that has the events from c->done to @next, and consume them. The caller of
 * rb_ext_read_page() has @room for data.
 */
static __always_inline void finish_page(struct rb_ext_cpu *c, struct ext_ring_page *to,
					size_t room, const struct ext_cursor *next,
					unsigned int count)
{
	size_t size = next->read - c->done.read;

	memset(to->data + size, 0, EXT_RING_DATA_SIZE - size);
	set_commit(to, size, room, c->lost);
	account_consumed(c, next, count);
}

/*
 * Find a spare that nobody has, but the reader page: from the one after that on, which has been
 * away longest. Return its index in c->slot_id; c->reader if there is none.
 *
 * The writer changes the spare after whoever had it has read it: the put_page() there pairs with
 * the look at the references here, and the swap's cmpxchg comes after that.
 */
static u32 free_spare(const struct rb_ext_cpu *c)
{
	const struct trace_ext_ring *ring = c->ring;
	u32 i = c->reader;

	do {
		if (++i == ring->nr_pages)
			i = ring->nr_slots;
	} while (i != c->reader && page_ref_count(virt_to_page(ring->pages[c->slot_id[i]])) != 1);

	return i;
}

/*
 * Get the reader page, to be handed out with a reference; NULL if the next swap has to give it to
 * the writer.
 */
static struct ext_ring_page *hand_out(struct rb_ext_cpu *c)
{
	struct ext_ring_page *page = c->ring->pages[rb_ext_reader_id(c)];

	c->give = free_spare(c);
	if (c->give == c->reader)
		return NULL;

	get_page(virt_to_page(page));
	c->flagged = true;
	return page;
}

/*
 * rb_ext_read_page() of a page that the writer has left. Return a page that the caller has to
 * free when it has released the lock, or NULL.
 */
static void *read_whole(struct rb_ext_cpu *c, struct buffer_data_page **data_page)
{
	struct ext_ring_page *to = (void *)*data_page, *page;

	rb_ext_take_whole(c);
	page = hand_out(c);
	if (!page) {
		copy_page(to, c->page);
		finish_page(c, to, EXT_RING_DATA_SIZE, &c->end, c->unread);
		return NULL;
	}

	finish_page(c, page, EXT_RING_DATA_SIZE, &c->end, c->unread);
	*data_page = (void *)page;
	return rb_ext_keep_page(c, to);
}

/* rb_ext_read_page() of a page that the writer may be in; @len excludes the header. */
static int read_part(struct rb_ext_cpu *c, struct buffer_data_page **data_page, size_t len,
		     int full)
{
	struct ext_ring_page *to = (void *)*data_page;
	bool final = is_final(c);
	struct ext_cursor next;
	unsigned int count;

	if (full && !final)
		return -1;

	next = c->done;
	count = events_in(c, len, &next);
	if (!count)
		return -1;

	if (!c->done.read && next.read == c->commit && final) {
		/* The page is final and none of it was consumed: hand out our copy. */
		swap(to, c->copy);
		*data_page = (void *)to;
	} else {
		memcpy(to->data, c->copy->data + c->done.read, next.read - c->done.read);
	}

	/* The first event's delta is relative to the last event consumed. */
	to->time_stamp = c->done.ts;
	to->first_seq = 0;
	finish_page(c, to, len, &next, count);
	return 0;
}

/*
 * A reader may come again with a page that was handed out to it. Nothing may be written to
 * that page while it is the ring's: take it back, and give the reader another one.
 */
static bool reader_page_ok(struct rb_ext *ext, int cpu, struct buffer_data_page **data_page)
{
	void *page;

	if (page_ref_count(virt_to_page(*data_page)) == 1)
		return true;

	page = rb_ext_get_page(ext, cpu);
	if (!page)
		return false;

	free_page((unsigned long)*data_page);
	*data_page = page;
	return true;
}

/**
 * rb_ext_read_page() - consume a page's worth of events
 * @ext:	the buffer
 * @cpu:	the CPU
 * @data_page:	a page. It is filled in the format of events/header_page, or exchanged
 *		for a page that is. The caller must not write to that, and puts it
 * @len:	maximum size, including the header [bytes]
 * @full:	return only a page that the writer has left
 *
 * Context: may sleep.
 * Return: 0; -1 if there is no such page; -ENOMEM
 */
int rb_ext_read_page(struct rb_ext *ext, int cpu,
		     struct buffer_data_page **data_page, size_t len, int full)
{
	struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);
	const size_t header = offsetof(struct ext_ring_page, data);
	void *unused = NULL;
	unsigned long flags;
	int ret = 0;

	if (len <= header)
		return -1;
	if (!reader_page_ok(ext, cpu, data_page))
		return -ENOMEM;
	len = min(len - header, EXT_RING_DATA_SIZE);

	/* A whole page must fit. */
	if (!reader_lock_filled(c, len == EXT_RING_DATA_SIZE, &flags))
		ret = -1;
	else if (c->whole)
		unused = read_whole(c, data_page);
	else
		ret = read_part(c, data_page, len, full);
	raw_spin_unlock_irqrestore(&c->lock, flags);

	if (unused)
		free_page((unsigned long)unused);
	return ret;
}

/**
 * rb_ext_consume_mapped() - consume the reader page in place
 * @c:		the CPU, locked
 *
 * This is for rings that user space has mapped. If all of the reader page has been read,
 * swap it first. If events were lost before the page and the writer has left it, set the
 * missed and stored flags in its commit, as rb_ext_read_page() does.
 *
 * Return: number of events lost before those that were consumed
 */
u64 rb_ext_consume_mapped(struct rb_ext_cpu *c)
{
	u64 lost = 0;
	bool final;

	lockdep_assert_held(&c->lock);

	/*
	 * If there is no ring, a reset is in progress. After many malformed pages
	 * mapped_empty() returns false, so user space will call again.
	 */
	if (!c->ring || refill_page(c, true) <= 0)
		return 0;

	final = c->whole;
	if (final)
		rb_ext_take_whole(c);
	else
		final = is_final(c);
	if (c->bad)
		return 0;

	swap(lost, c->lost);
	if (lost && final && !c->done.read && !c->flagged) {
		/* A dump needs the page's first_seq, which is behind its data. */
		set_commit(c->ring->pages[rb_ext_reader_id(c)], c->commit,
			   EXT_RING_DATA_SIZE, lost);
		c->flagged = true;
	}

	account_consumed(c, &c->end, c->unread);
	return lost;
}

/* Like !refill_page(), but without a swap: user space may be reading the reader page. */
static bool mapped_empty(struct rb_ext_cpu *c)
{
	u64 tail = rb_ext_tail(c->ring);

	rb_ext_refresh(c);
	return c->done.read == c->commit && !can_swap(c, tail);
}

/* Return 1 if there is nothing to consume, 0 if there is, -EAGAIN if unknown. */
static int nothing_there(struct rb_ext_cpu *c)
{
	int ret;

	if (c->user && c->ring)
		return mapped_empty(c);

	ret = refill_page(c, true);
	return ret < 0 ? ret : !ret;
}

static bool cpu_empty(struct rb_ext_cpu *c)
{
	int empty;

	do {
		guard(raw_spinlock_irqsave)(&c->lock);
		empty = nothing_there(c);
	} while (empty == -EAGAIN);

	return empty;
}

/* Are the rings of all CPUs empty? */
bool rb_ext_all_empty(struct rb_ext *ext)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!cpu_empty(per_cpu_ptr(ext->cpus, cpu)))
			return false;
	}

	return true;
}

bool rb_ext_empty(struct rb_ext *ext, int cpu)
{
	struct rb_ext_cpu *c;

	if (cpu == RING_BUFFER_ALL_CPUS)
		return rb_ext_all_empty(ext);

	c = per_cpu_ptr(ext->cpus, cpu);
	if (rb_ext_is_dumping(ext))
		return !rb_ext_dump_read(c, NULL, NULL, false);

	if (!cpu_empty(c))
		return false;

	maybe_idle(c);
	return true;
}
