/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writer side of the trace ring: reserve and commit, inlined into each event.
 *
 * It relies on one writer per ring, on one CPU, which is never interrupted by another
 * write. Readers call ext_ring_swap() from any CPU, serialised by the caller. What
 * must not run in parallel to the writer says so; the caller sees to it.
 *
 * It is plain C: tools/testing/selftests/hyp_trace/ring/ring_test.c builds it in user
 * space.
 */
#ifndef _LINUX_EXT_RING_WRITER_H
#define _LINUX_EXT_RING_WRITER_H

#include <linux/compiler.h>
#include <linux/ext_ring.h>
#include <linux/limits.h>

#include <asm/barrier.h>

/**
 * struct ext_ring_record - the writer's private record of one page
 * @page:	the page, in the writer's address space
 * @first_seq:	events written to the ring before this page was begun
 */
struct ext_ring_record {
	struct ext_ring_page	*page;
	u64			first_seq;
};

/**
 * struct ext_ring - the writer's private state of one CPU's ring
 * @page:	page being written
 * @seq:	events written since ext_ring_reset()
 * @write:	bytes of @page->data in use
 * @stamp:	boot clock of the last event [ns]
 * @limit:	up to where the fast path may write: EXT_RING_DATA_SIZE, or 0 to have
 *		the next event take the slow path, which makes it more than 0 again
 *		only if @open. It is all that the fast path looks at, and a closed
 *		ring's pages may be gone
 * @open:	the writer may write
 * @suspended:	not @open for a moment only: what would be written is counted
 * @overwrite:	full means: reuse the oldest unread page, else drop the event
 * @dropped:	events dropped, in no-overwrite mode or while @suspended
 * @missed:	those among them that are not in @dropped yet
 * @tail:	position being written; readers may take any page up to it
 * @alarm:	tell the reader when there is an event at this position or later
 * @rung:	how often that was done
 * @tail_slot:	@tail % @nr_slots
 * @nr_slots:	pages in the ring; there is one page more, the spare
 * @spare:	id of the page that the reader owns
 * @head:	next position that a reader will get
 * @slots:	a word each, see slot_word() in ext_ring.c
 * @records:	@nr_slots + 1 of them, by page id
 * @meta:	shared with the reader, written only
 *
 * The first five are all that the fast path touches.
 */
struct ext_ring {
	struct ext_ring_page	*page;
	u64			seq;
	u64			write;
	u64			stamp;
	u64			limit;

	bool			open;
	bool			suspended;
	bool			overwrite;
	u64			dropped;
	u64			missed;
	u64			tail;
	u64			alarm;
	u64			rung;
	u32			tail_slot;
	u32			nr_slots;
	u32			spare;
	u64			head;
	u64			*slots;
	struct ext_ring_record	*records;
	struct ext_ring_meta	*meta;
};

/* This is no alarm: no position is that high. */
#define EXT_RING_NO_ALARM	U64_MAX

/**
 * struct ext_ring_reservation - room that was reserved for an event
 * @payload:	where to write the event's payload
 * @page:	the page that this is in
 * @end:	bytes of the page's data that are in use once it is committed
 *
 * It is passed by value, in registers: after stores to the page the compiler would
 * have to load all of it from struct ext_ring again.
 */
struct ext_ring_reservation {
	void			*payload;
	struct ext_ring_page	*page;
	u64			end;
};

/**
 * ext_ring_size() - size of an event in the ring
 * @payload:	size of its payload [bytes], a multiple of 4
 *
 * Return: size with the header [bytes]
 */
static __always_inline u32 ext_ring_size(u32 payload)
{
	return payload + (payload > EXT_RING_TYPE_MAX_LEN * 4 ? 8 : 4);
}

/* Write the header of an event of a given payload; return the payload. */
static __always_inline void *ext_ring_head(void *event, u32 delta, u32 payload)
{
	u32 *head = event;

	if (payload > EXT_RING_TYPE_MAX_LEN * 4) {
		head[0] = delta << EXT_RING_TYPE_BITS;
		head[1] = payload + 4;
		return head + 2;
	}

	head[0] = delta << EXT_RING_TYPE_BITS | payload / 4;
	return head + 1;
}

/**
 * ext_ring_take() - reserve room that is there
 * @ring:	this CPU's ring
 * @now:	boot clock [ns]
 * @delta:	time since the last event [ns]
 * @payload:	size of the event's payload [bytes], a multiple of 4
 *
 * Context: the ring's own CPU; ext_ring_has_room(), or ext_ring_make_room() has given
 * @delta. ext_ring_commit() follows before anything else.
 * Return: the reservation
 */
static __always_inline struct ext_ring_reservation
ext_ring_take(struct ext_ring *ring, u64 now, u32 delta, u32 payload)
{
	struct ext_ring_page *page = ring->page;
	u64 write = ring->write, end = write + ext_ring_size(payload);
	void *base = (void *)page + write;

	/* Have one register that all stores are relative to. */
	OPTIMIZER_HIDE_VAR(base);

	ring->seq++;
	ring->write = end;
	ring->stamp = now;

	return (struct ext_ring_reservation) {
		.payload = ext_ring_head(base + offsetof(struct ext_ring_page, data),
					 delta, payload),
		.page	 = page,
		.end	 = end,
	};
}

/**
 * ext_ring_has_room() - can an event be written without further ado?
 * @ring:	this CPU's ring
 * @delta:	boot clock, less that of the last event [ns]
 * @payload:	size of the event's payload [bytes], a multiple of 4
 *
 * If not, ext_ring_make_room() is to be asked, which is not done here so that the
 * caller can do it in a function of its own, and need save no registers for it in the
 * common case.
 *
 * Return: true if it can
 */
static __always_inline bool ext_ring_has_room(const struct ext_ring *ring,
					      u64 delta, u32 payload)
{
	/* A clock that went backwards makes a huge delta. */
	return likely(!(delta >> EXT_RING_DELTA_BITS) &&
		      ring->write + ext_ring_size(payload) <= ring->limit);
}

s64 ext_ring_make_room(struct ext_ring *ring, u64 now, u32 payload);

/**
 * ext_ring_reserve() - reserve room for an event, if that is simple
 * @ring:	this CPU's ring
 * @now:	boot clock [ns]
 * @payload:	size of the event's payload [bytes], a multiple of 4
 * @resv:	the reservation
 *
 * Return: false if it is not simple
 */
static __always_inline bool ext_ring_reserve(struct ext_ring *ring, u64 now,
					     u32 payload,
					     struct ext_ring_reservation *resv)
{
	u64 delta = now - ring->stamp;

	if (!ext_ring_has_room(ring, delta, payload))
		return false;

	*resv = ext_ring_take(ring, now, delta, payload);
	return true;
}

/**
 * ext_ring_reserve_slow() - reserve room for an event, whatever that takes
 * @ring:	this CPU's ring
 * @now:	boot clock [ns]; less than the last event's counts as equal
 * @payload:	size of the event's payload [bytes], a multiple of 4
 * @resv:	the reservation
 *
 * Return: false if the event is not to be written
 */
static __always_inline bool ext_ring_reserve_slow(struct ext_ring *ring, u64 now,
						  u32 payload,
						  struct ext_ring_reservation *resv)
{
	s64 delta = ext_ring_make_room(ring, now, payload);

	if (unlikely(delta < 0))
		return false;

	*resv = ext_ring_take(ring, ring->stamp + delta, delta, payload);
	return true;
}

/**
 * ext_ring_commit() - publish the event that was reserved last
 * @resv:	its reservation, filled in
 *
 * The release pairs with the readers' acquire of commit in ext_page_commit().
 */
static __always_inline void ext_ring_commit(const struct ext_ring_reservation *resv)
{
	smp_store_release(&resv->page->commit, resv->end);
}

/**
 * ext_ring_bookkeeping() - size of the arrays behind a ring
 * @nr_slots:	pages in the ring
 *
 * Return: bytes for the records and slots, to be given to ext_ring_init()
 */
static inline size_t ext_ring_bookkeeping(u32 nr_slots)
{
	return (nr_slots + 1) * sizeof(struct ext_ring_record) +
	       nr_slots * sizeof(u64);
}

void ext_ring_init(struct ext_ring *ring, struct ext_ring_record *records,
		   u32 nr_slots, struct ext_ring_meta *meta);
void ext_ring_reset(struct ext_ring *ring);
void ext_ring_open(struct ext_ring *ring);
void ext_ring_close(struct ext_ring *ring);
void ext_ring_suspend(struct ext_ring *ring);
void ext_ring_set_alarm(struct ext_ring *ring, u64 pos);

/**
 * ext_ring_doorbell() - tell the reader that this CPU's alarm has gone off
 *
 * This is not in ext_ring.c: what a doorbell is depends on the writer. The event that
 * caused it need not be visible before the writer's CPU next takes interrupts.
 */
void ext_ring_doorbell(void);
int ext_ring_swap(struct ext_ring *ring, struct ext_ring_swap *swap);

#endif /* _LINUX_EXT_RING_WRITER_H */
