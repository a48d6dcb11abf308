// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: consuming reads.
 *
 * They are served from the copy of the reader page, see ring_buffer_ext_page.c.
 */

#include "ring_buffer_ext_internal.h"

/* ring_buffer.c tells binary readers of lost events with these, in a page's commit. */
#define MISSED_EVENTS	BIT(31)
#define MISSED_STORED	BIT(30)

/* A page has this behind its header, for those that know nothing of first_seq. */
#define DATA_ROOM	(PAGE_SIZE - offsetof(struct ext_ring_page, data))

/*
 * Go behind the header, to @offset. The page's @data ends before its @first_seq, but
 * for those that read pages it goes on to the page's end.
 */
static void *room_at(struct ext_ring_page *page, size_t offset)
{
	return (void *)page + offsetof(struct ext_ring_page, data) + offset;
}

/*
 * Is all of the reader page copied, with no more to come? The order matters: if the
 * writer has moved on, the commit is its last.
 */
static bool is_final(struct rb_ext_cpu *c)
{
	bool final = !c->ring || rb_ext_tail(c->ring) >= c->next_pos;

	rb_ext_refresh(c);
	return final;
}

/* Has the writer published something to swap for? @tail is where it is. */
static bool can_swap(const struct rb_ext_cpu *c, u64 tail)
{
	return tail > c->next_pos ||
	       (tail == c->next_pos &&
		ext_page_commit(rb_ext_page_at(c, tail)));
}

/*
 * See to it that there is something to consume. Swap only if the writer has published
 * something to swap for: a reader of an empty ring does not call the writer.
 *
 * Return: 1 if c->done is in front of an event, 0 if there is none; -EAGAIN if not known
 * yet, for there were many pages that are no good
 */
static int refill(struct rb_ext_cpu *c)
{
	unsigned int pages = 0;

	lockdep_assert_held(&c->lock);

	while (c->done.read == c->commit) {
		u64 tail;

		if (!c->ring)
			return 0;

		/* The order matters: if tail has moved on, commit is final. */
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

/* Note that @count events are consumed, up to @done. */
static void consumed(struct rb_ext_cpu *c, const struct ext_cursor *done,
		     unsigned int count)
{
	c->done = *done;
	c->lost = 0;
	c->unread -= count;
	c->seq += count;
	c->read += count;
}

/* Return the next event, and in @next the state behind it. */
static struct ring_buffer_event *peek(struct rb_ext_cpu *c,
				      struct ext_cursor *next)
{
	*next = c->done;
	if (ext_cursor_next(next, c->copy, c->commit, &c->ext->format) <= 0)
		return NULL;

	return memcpy(c->event, next->header,
		      (void *)c->copy->data + next->read - next->header);
}

/* Nothing to read, and nothing will come: are the rings still needed? */
static void maybe_idle(struct rb_ext_cpu *c)
{
	if (!READ_ONCE(c->ext->on) && READ_ONCE(c->ring) &&
	    !oops_in_progress)
		schedule_work(&c->ext->idle);
}

/*
 * Lock, and see to it that there is something to consume. Pages that are no good are
 * passed over, with the lock held for some of them only.
 *
 * Return: 1, or 0 if there is nothing; -EBUSY if the lock could not be had
 */
static int reader_lock_filled(struct rb_ext_cpu *c, unsigned long *flags)
{
	int ret;

	while (rb_ext_reader_lock(c, flags)) {
		ret = refill(c);
		if (ret != -EAGAIN)
			return ret;
		raw_spin_unlock_irqrestore(&c->lock, *flags);
	}

	return -EBUSY;
}

static struct ring_buffer_event *read_event(struct rb_ext *ext, int cpu,
					    u64 *ts, unsigned long *lost,
					    bool consume)
{
	struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);
	struct ring_buffer_event *event;
	struct ext_cursor next;
	unsigned long flags;

	if (reader_lock_filled(c, &flags) < 0)
		return NULL;

	event = peek(c, &next);
	if (ts)
		*ts = next.ts;
	if (lost)
		*lost = event ? c->lost : 0;

	if (event && consume)
		consumed(c, &next, 1);

	raw_spin_unlock_irqrestore(&c->lock, flags);

	if (!event)
		maybe_idle(c);

	return event;
}

struct ring_buffer_event *rb_ext_peek(struct rb_ext *ext, int cpu,
				      u64 *ts, unsigned long *lost)
{
	return read_event(ext, cpu, ts, lost, false);
}

struct ring_buffer_event *rb_ext_consume(struct rb_ext *ext, int cpu,
					 u64 *ts, unsigned long *lost)
{
	return read_event(ext, cpu, ts, lost, true);
}

/*
 * Set a page's commit, in which to tell a binary reader how many events are missing
 * before it. The number goes behind the data, if there is @room for it.
 */
static void set_commit(struct ext_ring_page *to, size_t commit, size_t room,
		       u64 lost)
{
	u64 flags = lost ? MISSED_EVENTS : 0;

	if (lost && room - commit >= sizeof(lost)) {
		memcpy(room_at(to, commit), &lost, sizeof(lost));
		flags |= MISSED_STORED;
	}

	to->commit = commit | flags;
}

/* Take as many events as fit into @len bytes, from @next on; return how many. */
static unsigned int events_in(struct rb_ext_cpu *c, size_t len,
			      struct ext_cursor *next)
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

/* Do what rb_ext_read_page() does; something is there, and @len is without the header. */
static int read_page(struct rb_ext_cpu *c, struct buffer_data_page **data_page,
		     size_t len, int full)
{
	struct ext_ring_page *to = (void *)*data_page;
	struct ext_cursor next;
	unsigned int count;
	size_t size;
	bool final;

	lockdep_assert_held(&c->lock);

	final = is_final(c);
	if (full && !final)
		return -1;

	next = c->done;
	count = events_in(c, len, &next);
	if (!count)
		return -1;

	size = next.read - c->done.read;
	if (!c->done.read && next.read == c->commit && final) {
		/* It is all of a page that gets no more: our copy of it will do. */
		swap(to, c->copy);
		*data_page = (void *)to;
	} else {
		memcpy(to->data, c->copy->data + c->done.read, size);
	}

	/* Its first event's delta counts from the last one before it. */
	to->time_stamp = c->done.ts;
	memset(room_at(to, size), 0, DATA_ROOM - size);
	set_commit(to, size, len, c->lost);

	consumed(c, &next, count);
	return 0;
}

/**
 * rb_ext_read_page() - consume a page's worth of events
 * @ext:	the buffer
 * @cpu:	the CPU
 * @data_page:	a page, for one in the format of events/header_page: the same, filled
 *		in, or another one in exchange
 * @len:	bytes that it may have, its header included
 * @full:	only a page that the writer has left
 *
 * Return: 0, or -1 if there is nothing of the kind
 */
int rb_ext_read_page(struct rb_ext *ext, int cpu,
		     struct buffer_data_page **data_page, size_t len, int full)
{
	struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);
	const size_t header = offsetof(struct ext_ring_page, data);
	unsigned long flags;
	int filled, ret = -1;

	if (len <= header)
		return -1;
	len = min(len - header, DATA_ROOM);

	filled = reader_lock_filled(c, &flags);
	if (filled < 0)
		return -1;

	if (filled)
		ret = read_page(c, data_page, len, full);
	raw_spin_unlock_irqrestore(&c->lock, flags);
	return ret;
}

/**
 * rb_ext_consume_mapped() - consume the reader page where it is
 * @c:		the CPU, locked
 *
 * This is for those who have the ring mapped. If all of the reader page is read, the
 * next one takes its place. Events lost before a page are flagged as in
 * rb_ext_read_page(), if the writer has done with it.
 *
 * Return: events lost before those that were consumed
 */
u64 rb_ext_consume_mapped(struct rb_ext_cpu *c)
{
	u64 lost = 0;
	bool final;

	lockdep_assert_held(&c->lock);

	/*
	 * Without a ring, it is just being reset. After many pages that are no good,
	 * mapped_empty() says that there is more, so this is asked for again.
	 */
	if (!c->ring || refill(c) <= 0)
		return 0;

	final = is_final(c);
	if (c->bad)
		return 0;

	swap(lost, c->lost);
	if (lost && final && !c->done.read && !c->flagged) {
		set_commit(c->ring->pages[c->spare], c->commit, DATA_ROOM, lost);
		c->flagged = true;
	}

	consumed(c, &c->end, c->unread);
	return lost;
}

/* Find what refill() does, but leave the reader page: somebody may be reading it. */
static bool mapped_empty(struct rb_ext_cpu *c)
{
	u64 tail = rb_ext_tail(c->ring);

	rb_ext_refresh(c);
	return c->done.read == c->commit && !can_swap(c, tail);
}

/* Is there nothing to consume? Return -EAGAIN if refill() does. */
static int nothing_there(struct rb_ext_cpu *c)
{
	int ret;

	if (c->user && c->ring)
		return mapped_empty(c);

	ret = refill(c);
	return ret < 0 ? ret : !ret;
}

static bool cpu_empty(struct rb_ext_cpu *c)
{
	unsigned long flags;
	int empty;

	do {
		if (!rb_ext_reader_lock(c, &flags))
			return true;
		empty = nothing_there(c);
		raw_spin_unlock_irqrestore(&c->lock, flags);
	} while (empty == -EAGAIN);

	return empty;
}

/**
 * rb_ext_all_empty() - is there nothing to read from any CPU?
 * @ext:	the buffer
 *
 * Return: true if there is nothing
 */
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
	if (!cpu_empty(c))
		return false;

	maybe_idle(c);
	return true;
}
