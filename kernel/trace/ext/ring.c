// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writer side of the trace ring: page crossing, reader swap, reset.
 *
 * A slot holds the word {page id, position}: the page holds that position, or will hold
 * it next. To get the page of a position, writer and reader do:
 *
 *   writer, slot free      {id, pos}		taken as it is, no cmpxchg
 *   writer, slot unread    {id, pos - N}	-> {id, pos}	(overrun)
 *   reader                 {id, h}		-> {spare, h + N}	(id is a spare then)
 *
 * The word changes by cmpxchg only, so either the reader gets the page of a position or
 * the writer reuses it, never both. Documentation/trace/hyp-ring.rst describes the races.
 */

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include <linux/ext_ring_writer.h>

/* A slot's word has the page id in its low bits, and the position above them. */
#define SLOT_ID_BITS	20

static_assert(EXT_RING_MAX_SLOTS + EXT_RING_MAX_SPARES <= BIT(SLOT_ID_BITS),
	      "a slot's word must have room for any page id");

static u64 slot_word(u32 id, u64 pos)
{
	return pos << SLOT_ID_BITS | id;
}

static u32 slot_id(u64 word)
{
	return word & (BIT(SLOT_ID_BITS) - 1);
}

static u64 slot_pos(u64 word)
{
	return word >> SLOT_ID_BITS;
}

/*
 * Claim the slot of position @pos for writing. There is one writer and at most one reader
 * at a time. If the cmpxchg fails, the reader has swapped this slot, which is free then.
 *
 * The acquire pairs with the reader's cmpxchg in ext_ring_swap(), a full barrier: the
 * reader's loads from the page complete before our stores to it. If our cmpxchg fails,
 * the address dependency on the word that it returned gives the same order. So it need not
 * order anything itself; ring_begin_page() has the order of the claim and what follows.
 *
 * Return false if the slot is unread and must be kept.
 */
static __always_inline bool slot_claim(struct ext_ring *ring, u64 *slot, u64 pos, u32 *id)
{
	u64 word = smp_load_acquire(slot);

	if (slot_pos(word) != pos) {
		if (!ring->overwrite)
			return false;

		/* Whether this succeeds or fails, word has the id of our page. */
		try_cmpxchg_relaxed(slot, &word, slot_word(slot_id(word), pos));
	}

	*id = slot_id(word);
	return true;
}

/* The slot of the next position. */
static __always_inline u64 *ring_next_slot(const struct ext_ring *ring)
{
	u64 *slot = ring->tail_slot + 1;

	return likely(slot != ring->slots_end) ? slot : ring->slots;
}

/*
 * Begin position @pos, in @slot, on page @id; return the page. The caller sets the ring's fill
 * level and stamp.
 */
static __always_inline struct ext_ring_page *
ring_begin_page(struct ext_ring *ring, u64 pos, u64 *slot, u32 id, u64 now)
{
	struct ext_ring_record *record = &ring->records[id];
	struct ext_ring_page *page = record->page;
	struct ext_ring_meta *meta = ring->meta;
	u64 seq = ring->seq;

	/*
	 * Before overwriting the page, tell readers that may be copying it.
	 * Pairs with the smp_rmb() in rb_ext_copy_page(). And the slot has been claimed before the
	 * record changes, which pairs with events_of().
	 */
	WRITE_ONCE(meta->claimed, pos);
	smp_wmb();

	WRITE_ONCE(record->first_seq, seq);
	WRITE_ONCE(page->commit, 0);
	WRITE_ONCE(page->time_stamp, now);
	WRITE_ONCE(page->first_seq, seq);

	ring->page = page;
	ring->tail_slot = slot;

	/*
	 * From here on readers may read the page as position pos: its commit is no longer
	 * that of its old position. The first store pairs with ext_ring_swap(), the
	 * second with rb_ext_tail().
	 */
	smp_store_release(&ring->tail, pos);
	smp_store_release(&meta->tail, pos);
	return page;
}

/* Go to the next page; return false if it is unread and must be kept. */
static __always_inline bool ring_next_page(struct ext_ring *ring, u64 now)
{
	u64 *slot = ring_next_slot(ring);
	u64 pos = ring->tail + 1;
	u32 id;

	if (!slot_claim(ring, slot, pos, &id))
		return false;

	ring_begin_page(ring, pos, slot, id, now);
	ring->write = 0;
	ring->stamp = now;
	return true;
}

static void ring_write_extend(struct ext_ring *ring, u64 delta)
{
	u32 *head = (u32 *)(ring->page->data + ring->write);

	head[0] = (u32)delta << EXT_RING_TYPE_BITS | EXT_RING_TYPE_EXTEND;
	head[1] = delta >> EXT_RING_DELTA_BITS;
	ring->write += EXT_RING_EXTEND_SIZE;
}

/* For a kernel whose writers ring otherwise, or never: rings of an earlier boot have no alarm. */
void __weak ext_ring_doorbell(void)
{
}

/**
 * ext_ring_call_reader() - have the reader look
 * @ring:	this CPU's ring, open
 */
void ext_ring_call_reader(struct ext_ring *ring)
{
	WRITE_ONCE(ring->meta->rung, ++ring->rung);
	ext_ring_doorbell();
}

/*
 * The next two return what ext_ring_write_slow() does, which can tail-call them without a stack
 * frame.
 */

/*
 * A reader waits for an event at this position or an earlier one, and this event will be
 * written, or has been.
 */
static noinline bool ring_alarm(struct ext_ring *ring)
{
	ring->alarm = EXT_RING_NO_ALARM;
	ext_ring_call_reader(ring);
	return true;
}

static noinline bool ring_drop(struct ext_ring *ring)
{
	WRITE_ONCE(ring->meta->dropped, ++ring->dropped);
	return false;
}

/* The part of ext_ring_make_room() that is needed less than once per page. */
static noinline s64 ring_make_room_rarely(struct ext_ring *ring, u64 now, u32 size)
{
	u64 delta;
	u32 extend;

	if (ring->muted)
		return -1;

	if (!ring->open) {
		ring->missed += ring->suspended;
		return -1;
	}

	ring->limit = EXT_RING_DATA_ROOM;

	/*
	 * Time stamps of a CPU never go backwards, even if the clock does. They are
	 * limited to half of their range: otherwise time could wrap around, which would
	 * look like a small delta to the fast path.
	 */
	now = max(min(now, (u64)S64_MAX), ring->stamp);
	if (!ring->write) {
		WRITE_ONCE(ring->page->time_stamp, now);
		ring->stamp = now;
	}

	delta = now - ring->stamp;
	extend = delta >> EXT_RING_DELTA_BITS ? EXT_RING_EXTEND_SIZE : 0;

	/* If the delta is too large for a time extend, begin a page with a time stamp. */
	if (ring->write + extend + size > EXT_RING_DATA_ROOM ||
	    delta >> EXT_RING_EXTEND_BITS) {
		if (!ring_next_page(ring, now)) {
			ring_drop(ring);
			return -1;
		}
		delta = 0;
	} else if (extend) {
		ring_write_extend(ring, delta);
		ring->stamp = now;
		delta = 0;
	}

	if (ring->alarm <= ring->tail)
		ring_alarm(ring);

	return delta;
}

/**
 * ext_ring_make_room() - make room for an event, slow path
 * @ring:	this CPU's ring
 * @now:	boot clock [ns]
 * @payload:	size of the event's payload [bytes], a multiple of 4
 *
 * This is needed if the page is full, if time has advanced by more than an event's header
 * can express or has gone backwards, if an alarm is set, or if the ring is closed.
 *
 * Context: the ring's own CPU; ext_ring_has_room() was false.
 * Return: the event's delta [ns]; -1 if the event must not be written: the ring is closed or
 * muted; or it is suspended, or full in no-overwrite mode, and the event is counted as dropped
 */
s64 ext_ring_make_room(struct ext_ring *ring, u64 now, u32 payload)
{
	u64 delta = now - ring->stamp;

	if (unlikely(!ring->limit || delta >> EXT_RING_DELTA_BITS))
		return ring_make_room_rarely(ring, now, ext_ring_size(payload));

	if (unlikely(!ring_next_page(ring, now))) {
		ring_drop(ring);
		return -1;
	}

	if (unlikely(ring->alarm <= ring->tail))
		ring_alarm(ring);

	return 0;
}

static noinline bool ring_write_rarely(const void *record, u64 size, struct ext_ring *ring,
				       u64 now)
{
	s64 delta = ring_make_room_rarely(ring, now, ext_ring_size(size));
	struct ext_ring_reservation resv;

	if (delta < 0)
		return false;

	resv = ext_ring_take(ring, ring->stamp + delta, delta, size);
	ext_ring_copy(resv.payload, record, size);
	ext_ring_commit(&resv);
	return true;
}

/*
 * ext_ring_write() where ext_ring_has_room() was false: the same as ext_ring_make_room(),
 * ext_ring_take() and ext_ring_commit(). In what a full page needs, it calls nothing, so it needs
 * no stack frame.
 */
bool ext_ring_write_slow(const void *record, u64 size, struct ext_ring *ring, u64 now)
{
	u64 delta = now - ring->stamp, pos, *slot;
	struct ext_ring_reservation resv;
	struct ext_ring_page *page;
	u32 id;

	if (unlikely(!ring->limit || delta >> EXT_RING_DELTA_BITS))
		return ring_write_rarely(record, size, ring, now);

	slot = ring_next_slot(ring);
	pos = ring->tail + 1;
	if (unlikely(!slot_claim(ring, slot, pos, &id)))
		return ring_drop(ring);

	page = ring_begin_page(ring, pos, slot, id, now);
	resv = ext_ring_take_at(ring, page, page, ext_ring_size(size), now, 0, size);
	ext_ring_copy(resv.payload, record, size);
	ext_ring_commit(&resv);
	if (unlikely(ring->alarm <= ring->tail))
		return ring_alarm(ring);

	return true;
}

/**
 * ext_ring_skip_page() - leave the page that is being written, and begin the next one
 * @ring:	this CPU's ring, open
 * @now:	boot clock [ns]; if it is before the last event's, that one is used
 *
 * For a writer that can't go on where it was, because it has faulted there. An event that
 * was reserved and not committed is lost, and counts as lost; but if the page is read as a
 * whole, it counts as read.
 *
 * Context: the ring's own CPU.
 * Return: false if the ring is full in no-overwrite mode
 */
bool ext_ring_skip_page(struct ext_ring *ring, u64 now)
{
	return ring_next_page(ring, max(min(now, (u64)S64_MAX), ring->stamp));
}

/**
 * ext_ring_set_alarm() - have the reader told of an event
 * @ring:	a ring that has been initialised
 * @pos:	ring the doorbell once, at the next event at this position or later.
 *		Replaces an earlier alarm; EXT_RING_NO_ALARM for none
 *
 * Context: no writer may run, unless the ring is closed.
 */
void ext_ring_set_alarm(struct ext_ring *ring, u64 pos)
{
	ring->alarm = pos;
	ring->limit = 0;
}

/*
 * Return the number of events in the page that the reader has just got from @slot; 0 if the writer
 * was in it, or has reused the next page meanwhile.
 */
static u32 events_of(const struct ext_ring *ring, const struct ext_ring_swap *swap, u32 slot,
		     u64 tail)
{
	const u64 *next = &ring->slots[slot + 1 == ring->nr_slots ? 0 : slot + 1];
	u64 word = READ_ONCE(*next), end;

	if (swap->pos == tail || slot_pos(word) != swap->pos + 1)
		return 0;

	end = READ_ONCE(ring->records[slot_id(word)].first_seq);

	/* Pairs with ring_begin_page(): the slot is claimed before the record changes. */
	smp_rmb();
	return READ_ONCE(*next) == word ? end - swap->first_seq : 0;
}

/* Exchange page @spare, see ext_ring_swap(). */
static int ring_swap(struct ext_ring *ring, u32 spare, struct ext_ring_swap *swap)
{
	u32 tries = ring->nr_slots;

	while (tries--) {
		/* Pairs with ring_begin_page(). */
		u64 tail = smp_load_acquire(&ring->tail);
		u64 pos = ring->head, word;
		u32 slot;

		if (pos > tail)
			return -EAGAIN;
		if (tail - pos >= ring->nr_slots)
			pos = tail - ring->nr_slots + 1;

		slot = pos % ring->nr_slots;
		word = READ_ONCE(ring->slots[slot]);
		if (slot_pos(word) != pos ||
		    !try_cmpxchg(&ring->slots[slot], &word,
				 slot_word(spare, pos + ring->nr_slots))) {
			/* The writer has just overrun this position. */
			ring->head = pos + 1;
			continue;
		}

		swap->id = slot_id(word);
		swap->pos = pos;
		swap->first_seq = ring->records[swap->id].first_seq;
		swap->events = events_of(ring, swap, slot, tail);
		ring->head = pos + 1;
		return 0;
	}

	return -EAGAIN;
}

/**
 * ext_ring_swap() - exchange a spare page for the oldest unread one
 * @ring:	any CPU's ring
 * @spare:	id of the page that goes into the ring, untrusted
 * @swap:	the result; this page is a spare now
 *
 * If the oldest unread page is the one that is being written, the reader gets it and follows
 * its commit; the next swap fails until the writer has gone on to another page. So the writer
 * has left all spares but the one that was got last.
 *
 * Context: any CPU, in parallel to the writer; one reader at a time. Each retry means that
 * the writer has filled a whole page meanwhile.
 * Return: 0, -EAGAIN if there is no unread page, -EINVAL if @spare is no spare page's id
 */
int ext_ring_swap(struct ext_ring *ring, u64 spare, struct ext_ring_swap *swap)
{
	u64 *mark;

	if (spare >= ring->nr_pages)
		return -EINVAL;

	mark = &ring->records[spare].first_seq;
	if (READ_ONCE(*mark) != EXT_RING_SPARE)
		return -EINVAL;

	/* The cmpxchg comes between this and ring_begin_page(), which sets it. */
	WRITE_ONCE(*mark, 0);
	if (ring_swap(ring, spare, swap)) {
		*mark = EXT_RING_SPARE;
		return -EAGAIN;
	}

	ring->records[swap->id].first_seq = EXT_RING_SPARE;
	return 0;
}

/*
 * Restart at position 0. Leave @ring->missed: the writer may be incrementing it. Sequence
 * numbers go on: they tell what is stale.
 */
static void ring_restart(struct ext_ring *ring)
{
	ring->head = 0;
	WRITE_ONCE(ring->meta->first_seq, ring->seq);
	ring->dropped = 0;
	WRITE_ONCE(ring->meta->dropped, 0);
	ring->alarm = EXT_RING_NO_ALARM;
	ring->rung = 0;
	WRITE_ONCE(ring->meta->rung, 0);
	ring_begin_page(ring, 0, ring->slots, slot_id(ring->slots[0]), ring->stamp);
	ring->write = 0;
}

/**
 * ext_ring_reset() - empty a ring and its counters
 * @ring:	the ring; keeps its pages, and stays open or closed. What is a spare stays one
 *
 * Context: no reader may run, and no writer unless the ring is closed.
 * Return: the sequence number of its next event
 */
u64 ext_ring_reset(struct ext_ring *ring)
{
	u32 i;

	for (i = 0; i < ring->nr_slots; i++)
		ring->slots[i] = slot_word(slot_id(ring->slots[i]), i);

	ring->missed = 0;
	ring_restart(ring);
	return ring->seq;
}

/**
 * ext_ring_init() - initialise a ring, closed and empty
 * @ring:	the ring; the caller sets its overwrite mode
 * @records:	ext_ring_bookkeeping() bytes, whose first @nr_pages records have their page set; the
 *		rest of them is 0
 * @nr_slots:	pages in the ring, EXT_RING_MIN_SLOTS to EXT_RING_MAX_SLOTS
 * @nr_pages:	the same, with the spares, 1 to EXT_RING_MAX_SPARES
 * @meta:	shared page for the writer's position and counters
 *
 * Events that were dropped while the previous ring was suspended count in this one.
 *
 * Context: no reader may run. The writer may run: the ring stays closed throughout.
 */
void ext_ring_init(struct ext_ring *ring, struct ext_ring_record *records,
		   u32 nr_slots, u32 nr_pages, struct ext_ring_meta *meta)
{
	u32 id;

	ring->records = records;
	ring->slots = (u64 *)(records + nr_pages);
	ring->slots_end = ring->slots + nr_slots;
	ring->nr_slots = nr_slots;
	ring->nr_pages = nr_pages;
	for (id = 0; id < nr_slots; id++)
		ring->slots[id] = slot_word(id, id);
	for (; id < nr_pages; id++)
		records[id].first_seq = EXT_RING_SPARE;
	ring->meta = meta;
	ring->open = false;
	ring->limit = 0;
	ring->stamp = 0;
	ring->seq = 0;
	ring_restart(ring);
}

/**
 * ext_ring_open() - let the writer write, from where it stopped
 * @ring:	a ring that has been initialised
 *
 * Context: the ring's own CPU.
 */
void ext_ring_open(struct ext_ring *ring)
{
	if (ring->open)
		return;

	ring->open = true;
	ring->suspended = false;
	ring->dropped += ring->missed;
	ring->missed = 0;
	WRITE_ONCE(ring->meta->dropped, ring->dropped);
}

/**
 * ext_ring_close() - stop the writer; events are not counted
 * @ring:	a ring whose writer does not run; it need not be initialised
 */
void ext_ring_close(struct ext_ring *ring)
{
	ring->suspended = false;
	ring->limit = 0;
	ring->open = false;
}

/**
 * ext_ring_suspend() - stop the writer temporarily; events count as dropped
 * @ring:	as for ext_ring_close()
 */
void ext_ring_suspend(struct ext_ring *ring)
{
	ring->suspended = true;
	ring->limit = 0;
	ring->open = false;
}

/**
 * ext_ring_mute() - write nothing up to ext_ring_unmute(); events are not counted
 * @ring:	as for ext_ring_close(). It stays open if it is: nobody may take it away
 *
 * Context: the ring's own CPU.
 */
void ext_ring_mute(struct ext_ring *ring)
{
	ring->muted = true;
	ring->limit = 0;
}

/**
 * ext_ring_unmute() - write again, if the ring is open
 * @ring:	the ring. The next event sets its limit
 *
 * Context: the ring's own CPU.
 */
void ext_ring_unmute(struct ext_ring *ring)
{
	ring->muted = false;
}
