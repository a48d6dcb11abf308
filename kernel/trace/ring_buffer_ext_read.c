// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: consuming reads and statistics.
 *
 * The reader trusts nothing that lies in shared pages. It copies what has been
 * committed, checks the copy, and serves events from there. What EL2 says in
 * registers is compared with what it must be. What is wrong is skipped, and
 * reported once; the events that were in it count as lost, exactly, because the
 * next page comes with its first event's sequence number.
 */

#include <linux/printk.h>

#include "ring_buffer_ext_internal.h"

/* As ring_buffer.c tells binary readers of lost events, in a page's commit. */
#define MISSED_EVENTS	BIT(31)
#define MISSED_STORED	BIT(30)

/* What a page has behind its header, for those that know nothing of first_seq. */
#define DATA_ROOM	(PAGE_SIZE - offsetof(struct ext_ring_page, data))

/*
 * Behind the header, at @offset. The page's @data ends before its @first_seq, but for
 * those that read pages it goes on to the page's end.
 */
static void *room_at(struct ext_ring_page *page, size_t offset)
{
	return (void *)page + offsetof(struct ext_ring_page, data) + offset;
}

/* Events that a page has at most: a header and a struct trace_entry each. */
#define MAX_EVENTS	(EXT_RING_DATA_SIZE / 12)

/* Skip the rest of the reader page: as if it ended where the last event was taken */
static void skip_page(struct rb_ext_cpu *c, const char *why)
{
	c->bad = true;
	c->commit = c->done.read;
	c->end = c->done;
	c->unread = 0;

	if (!c->warned)
		pr_warn("%s: CPU%d: corrupt page (%s), its events are skipped and count as overrun in per_cpu/cpu%d/stats\n",
			c->ext->name, c->cpu, why, c->cpu);
	c->warned = true;
}

/* Copy what the writer has added to the reader page since last time. */
static void take_commit(struct rb_ext_cpu *c)
{
	u64 commit = ext_page_commit(c->page);
	struct ext_cursor start = c->end, end;
	int count;

	if (commit == c->commit)
		return;

	if (commit < c->commit || commit > EXT_RING_DATA_SIZE) {
		skip_page(c, "commit out of range");
		return;
	}

	if (!c->commit) {
		c->copy->time_stamp = READ_ONCE(c->page->time_stamp);
		ext_cursor_init(&start, c->copy);
		if (start.ts < c->end.ts) {
			skip_page(c, "time goes backwards");
			return;
		}
	}

	memcpy(c->copy->data + c->commit, c->page->data + c->commit,
	       commit - c->commit);
	end = start;
	count = ext_cursor_skip(&end, c->copy, commit, &c->ext->format);
	if (count < 0) {
		skip_page(c, "malformed event");
		return;
	}

	/* Else everything that is not would be going backwards from then on. */
	if (end.ts > rb_ext_latest()) {
		skip_page(c, "time in the future");
		return;
	}

	if (!c->commit)
		c->done = start;
	c->end = end;
	c->commit = commit;
	c->unread += count;
}

/* Is what EL2 returned the one thing that it can be? */
static bool swap_ok(const struct rb_ext_cpu *c,
		    const struct ext_ring_swap *swap)
{
	return swap->pos >= c->next_pos &&
	       swap->first_seq >= c->seq &&
	       swap->id == c->slot_id[swap->pos % c->ring->nr_slots];
}

/* Exchange the reader page for the oldest unread one; false if there is none */
static bool swap_page(struct rb_ext_cpu *c)
{
	struct ext_ring_swap swap;
	u64 lost;

	if (c->ext->ops->swap_page(c->cpu, &swap))
		return false;

	if (!swap_ok(c, &swap)) {
		pr_err_once("%s: CPU%d: impossible reader page %u for position %llu, expected position %llu or later\n",
			    c->ext->name, c->cpu, swap.id, swap.pos,
			    c->next_pos);
		return false;
	}

	c->slot_id[swap.pos % c->ring->nr_slots] = c->spare;
	c->spare = swap.id;
	c->page = c->ring->pages[swap.id];
	c->next_pos = swap.pos + 1;
	c->commit = 0;
	c->unread = 0;
	c->done.read = 0;
	c->bad = false;
	c->flagged = false;

	lost = swap.first_seq - c->seq;
	c->seq = swap.first_seq;
	c->lost += lost;
	c->overrun += lost;
	return true;
}

/**
 * rb_ext_refresh() - take what was added to the reader page
 * @c:		the CPU, locked
 */
void rb_ext_refresh(struct rb_ext_cpu *c)
{
	lockdep_assert_held(&c->lock);

	if (c->ring && c->page && !c->bad && !c->flagged)
		take_commit(c);
}

/*
 * Is all of the reader page copied, with no more to come? In this order: if the writer
 * has moved on, the commit is its last.
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
 * See to it that there is something to consume. Swaps only if the writer has published
 * something to swap for: a reader of an empty ring causes no hypercall.
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

		/* In this order: if tail has moved on, commit is final. */
		tail = rb_ext_tail(c->ring);
		rb_ext_refresh(c);
		if (c->done.read != c->commit)
			return 1;

		if (pages++ == RB_EXT_PAGES_AT_ONCE)
			return -EAGAIN;

		if (!can_swap(c, tail) || !swap_page(c))
			return 0;
	}

	return 1;
}

/**
 * rb_ext_rewind() - begin anew, with an empty ring
 * @c:		the CPU, locked; if it has a ring, rb_ext_slots_init() was before this
 */
void rb_ext_rewind(struct rb_ext_cpu *c)
{
	lockdep_assert_held(&c->lock);

	c->generation++;
	WRITE_ONCE(c->alarm, RB_EXT_NO_ALARM);
	c->rung = 0;
	c->page = NULL;
	c->next_pos = 0;
	c->commit = 0;
	c->unread = 0;
	c->tail = (struct rb_ext_tail_count) { };
	c->seq = 0;
	c->bad = false;
	c->flagged = false;
	c->warned = false;
	c->done = (struct ext_cursor) { };
	c->end = c->done;
	if (!c->ring)
		return;

	/* Who has it mapped must not take it for a page with events. */
	c->spare = c->ring->nr_slots;
	WRITE_ONCE(c->ring->pages[c->spare]->commit, 0);
}

/**
 * rb_ext_slots_init() - which page is in which slot of an empty ring
 * @slot_id:	by slot, to be filled in
 * @nr_slots:	how many there are
 *
 * Context: no reader may look at them yet; so many that it is not for the readers' lock.
 */
void rb_ext_slots_init(u32 *slot_id, u32 nr_slots)
{
	u32 i;

	for (i = 0; i < nr_slots; i++)
		slot_id[i] = i;
}

/* @count events are consumed, up to @done. */
static void consumed(struct rb_ext_cpu *c, const struct ext_cursor *done,
		     unsigned int count)
{
	c->done = *done;
	c->lost = 0;
	c->unread -= count;
	c->seq += count;
	c->read += count;
}

/* The next event, and in @next the state behind it. */
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
 * Who dumps the buffer in an oops may have been interrupted with the lock held:
 * better an incomplete dump than none. False if it could not be had.
 */
static bool reader_lock(struct rb_ext_cpu *c, unsigned long *flags)
{
	if (unlikely(oops_in_progress))
		return raw_spin_trylock_irqsave(&c->lock, *flags);

	raw_spin_lock_irqsave(&c->lock, *flags);
	return true;
}

/*
 * Lock, with something to consume if there is anything: 1, or 0 if there is not. Pages that
 * are no good are passed over, with the lock held for some of them only.
 *
 * -EBUSY if the lock could not be had.
 */
static int reader_lock_filled(struct rb_ext_cpu *c, unsigned long *flags)
{
	int ret;

	while (reader_lock(c, flags)) {
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

/* As many events as fit into @len bytes, from @next on; returns how many. */
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

/* With something to consume: see below. */
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
		/* All of a page that gets no more: our copy of it will do. */
		swap(to, c->copy);
		*data_page = (void *)to;
	} else {
		memcpy(to->data, c->copy->data + c->done.read, size);
	}

	/* Its first event's delta counts from the last one before it. */
	to->time_stamp = c->done.ts;
	memset(room_at(to, size), 0, DATA_ROOM - size);
	set_commit(to, size, min(len, DATA_ROOM), c->lost);

	consumed(c, &next, count);
	return 0;
}

/**
 * rb_ext_read_page() - consume a page's worth of events
 * @ext:	the buffer
 * @cpu:	whose
 * @data_page:	a page, for one in the format of events/header_page: the same, filled
 *		in, or another one in exchange
 * @len:	bytes of data that it may have
 * @full:	only a page that the writer has left
 *
 * Return: 0, or -1 if there is nothing of the kind
 */
int rb_ext_read_page(struct rb_ext *ext, int cpu,
		     struct buffer_data_page **data_page, size_t len, int full)
{
	struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);
	unsigned long flags;
	int filled, ret = -1;

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
 * For those who have the ring mapped. If nothing is left in the reader page, the
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
	 * Without a ring: it is just being reset. With many pages that are no good: there
	 * is more, mapped_empty() says, so this is asked for again.
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

/* As refill() finds, but the reader page stays: somebody may be reading it. */
static bool mapped_empty(struct rb_ext_cpu *c)
{
	u64 tail = rb_ext_tail(c->ring);

	rb_ext_refresh(c);
	return c->done.read == c->commit && !can_swap(c, tail);
}

/* Is there nothing to consume? -EAGAIN as refill(). */
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
		if (!reader_lock(c, &flags))
			return true;
		empty = nothing_there(c);
		raw_spin_unlock_irqrestore(&c->lock, flags);
	} while (empty == -EAGAIN);

	return empty;
}

/**
 * rb_ext_all_empty() - is there nothing to read from any CPU?
 * @ext:	the buffer
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

/* Statistics --------------------------------------------------------------- */

/**
 * struct stat_snapshot - what is in a ring, seen without disturbing the writer
 * @entries:	events that can still be read
 * @overrun:	events that cannot, and no swap has found out yet
 * @oldest_ts:	boot clock of the oldest one, or of its page [ns]
 */
struct stat_snapshot {
	u64	entries;
	u64	overrun;
	u64	oldest_ts;
};

static void snapshot_reader_page(struct rb_ext_cpu *c, struct stat_snapshot *snap)
{
	rb_ext_refresh(c);
	if (!c->unread)
		return;

	snap->oldest_ts = c->done.ts;
	snap->entries = c->unread;
}

/*
 * Events in the page that is being written, or -EINVAL. Each is counted once: whoever
 * asks again has the new ones added.
 */
static int count_tail(struct rb_ext_cpu *c, const struct ext_ring_page *page, u64 pos)
{
	struct rb_ext_tail_count *tail = &c->tail;
	int count;

	if (tail->page != page || tail->pos != pos) {
		*tail = (struct rb_ext_tail_count) { .page = page, .pos = pos };
		ext_cursor_init(&tail->cursor, page);
	}

	/* Live: the page may be reused meanwhile, which the caller finds out. */
	count = data_race(ext_cursor_skip(&tail->cursor, page, ext_page_commit(page),
					  &c->ext->format));
	if (count < 0) {
		tail->page = NULL;
		return count;
	}

	tail->count += count;
	return tail->count;
}

/*
 * Add the pages in the ring. Numbers from shared memory: what cannot be is left
 * out, and nonsense stays in this one answer. False if the writer interfered.
 */
static bool snapshot_ring(struct rb_ext_cpu *c, u64 tail, struct stat_snapshot *snap)
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
		snap->overrun = first_seq - expected;
	before = READ_ONCE(page->first_seq) - first_seq;
	if (count >= 0 && before <= (u64)c->ring->nr_slots * MAX_EVENTS)
		snap->entries += before + count;

	/* Pairs with ring_begin_page(): was the oldest page still the oldest? */
	smp_rmb();
	return READ_ONCE(c->ring->meta->claimed) < oldest + c->ring->nr_slots;
}

static struct stat_snapshot take_snapshot(struct rb_ext_cpu *c)
{
	struct stat_snapshot snap;
	int tries = 3;
	u64 tail = 0;

	/* In this order: if tail has moved on, the reader page's commit is final. */
	do {
		snap = (struct stat_snapshot) { };
		if (c->ring)
			tail = rb_ext_tail(c->ring);
		snapshot_reader_page(c, &snap);
	} while (c->ring && !snapshot_ring(c, tail, &snap) && --tries);

	return snap;
}

/**
 * struct byte_count - bytes that can still be read, counted a part at a time
 * @bytes:	so far
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

/* The reader page; and settle where the end is. */
static void count_reader_page(struct rb_ext_cpu *c, struct byte_count *count)
{
	u64 tail;

	guard(raw_spinlock_irqsave)(&c->lock);

	rb_ext_refresh(c);
	*count = (struct byte_count) {
		.bytes = c->commit - c->done.read,
		.generation = c->generation,
	};
	if (!c->ring)
		return;

	tail = rb_ext_tail(c->ring);
	if (tail < c->next_pos)
		return;

	/* From shared memory: not more than a ring's worth, whatever it says. */
	count->next = rb_ext_oldest(c, tail);
	count->end = count->next + min(tail - count->next + 1, (u64)c->ring->nr_slots);
}

/* Some more pages, less those that are gone meanwhile; false if there are none. */
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

/* Bytes that can still be read; while the writer runs, a good guess. */
static u64 count_bytes(struct rb_ext_cpu *c)
{
	struct byte_count count;

	count_reader_page(c, &count);
	while (count_pages(c, &count))
		;

	return count.bytes;
}

/**
 * rb_ext_entries() - events that can still be read
 * @c:		the CPU, locked
 */
u64 rb_ext_entries(struct rb_ext_cpu *c)
{
	lockdep_assert_held(&c->lock);

	return take_snapshot(c).entries;
}

/**
 * rb_ext_overrun() - events that are lost
 * @c:		the CPU, locked
 */
u64 rb_ext_overrun(struct rb_ext_cpu *c)
{
	lockdep_assert_held(&c->lock);

	return c->overrun + take_snapshot(c).overrun;
}

static u64 cpu_stat(struct rb_ext_cpu *c, enum rb_ext_stat stat)
{
	/* This looks at all pages, and takes the lock for some of them at a time. */
	if (stat == RB_EXT_BYTES)
		return count_bytes(c);

	guard(raw_spinlock_irqsave)(&c->lock);

	switch (stat) {
	case RB_EXT_ENTRIES:
		return rb_ext_entries(c);
	case RB_EXT_OVERRUN:
		return rb_ext_overrun(c);
	case RB_EXT_DROPPED:
		return c->dropped +
		       (c->ring ? READ_ONCE(c->ring->meta->dropped) : 0);
	case RB_EXT_READ:
		return c->read;
	case RB_EXT_OLDEST_TS:
		return take_snapshot(c).oldest_ts;
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
