/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writer side of the trace ring: reserve and commit, inlined into each event.
 *
 * Relies on: one writer per ring, on one CPU, never interrupted by another
 * write (EL2 runs with exceptions masked). Readers call hyp_ring_swap() from
 * any CPU, serialised by the caller. What must not run in parallel to the writer
 * says so; nvhe/trace.c sees to it.
 *
 * Plain C: tools/testing/selftests/hyp_trace/ring_test.c builds it in user
 * space.
 */
#ifndef __ARM64_KVM_HYP_NVHE_RING_H
#define __ARM64_KVM_HYP_NVHE_RING_H

#include <linux/compiler.h>
#include <linux/hyp_ring.h>

#include <asm/barrier.h>

/**
 * struct hyp_ring_record - EL2's private record of one page
 * @page:	the page, in EL2's address space
 * @first_seq:	events written to the ring before this page was begun
 */
struct hyp_ring_record {
	struct hyp_ring_page	*page;
	u64			first_seq;
};

/**
 * struct hyp_ring - EL2's private state of one CPU's ring
 * @page:	page being written
 * @write:	bytes of @page->data in use. While closed HYP_RING_DATA_SIZE and
 *		never less, not for a moment: that is all that the fast path
 *		looks at, and a closed ring's pages may be gone
 * @stamp:	boot clock of the last event [ns]
 * @seq:	events written since hyp_ring_reset()
 * @open:	the writer may write
 * @suspended:	not @open for a moment only: what would be written is counted
 * @overwrite:	full means: reuse the oldest unread page, else drop the event
 * @parked_write: @write while closed
 * @dropped:	events dropped, in no-overwrite mode or while @suspended
 * @missed:	those among them that are not in @dropped yet
 * @tail:	position being written; readers may take any page up to it
 * @tail_slot:	@tail % @nr_slots
 * @nr_slots:	pages in the ring; there is one page more, the spare
 * @spare:	id of the page that the reader owns
 * @head:	next position that a reader will get
 * @slots:	a word each, see slot_word() in ring.c
 * @records:	@nr_slots + 1 of them, by page id
 * @meta:	shared with the host, written only
 *
 * The first four are all that the fast path touches.
 */
struct hyp_ring {
	struct hyp_ring_page	*page;
	u64			write;
	u64			stamp;
	u64			seq;

	bool			open;
	bool			suspended;
	bool			overwrite;
	u64			parked_write;
	u64			dropped;
	u64			missed;
	u64			tail;
	u32			tail_slot;
	u32			nr_slots;
	u32			spare;
	u64			head;
	u64			*slots;
	struct hyp_ring_record	*records;
	struct hyp_ring_meta	*meta;
};

/**
 * hyp_ring_size() - size of an event in the ring
 * @payload:	size of its payload [bytes], a multiple of 4
 *
 * Return: size with the header [bytes]
 */
static __always_inline u32 hyp_ring_size(u32 payload)
{
	return payload + (payload > HYP_RING_TYPE_MAX_LEN * 4 ? 8 : 4);
}

/* Write the header of an event of a given payload; return the payload. */
static __always_inline void *hyp_ring_head(void *event, u32 delta, u32 payload)
{
	u32 *head = event;

	if (payload > HYP_RING_TYPE_MAX_LEN * 4) {
		head[0] = delta << HYP_RING_TYPE_BITS;
		head[1] = payload + 4;
		return head + 2;
	}

	head[0] = delta << HYP_RING_TYPE_BITS | payload / 4;
	return head + 1;
}

void *hyp_ring_reserve_slow(struct hyp_ring *ring, u64 now, u32 payload);

/**
 * hyp_ring_reserve() - make room for an event, if that is simple
 * @ring:	this CPU's ring
 * @now:	boot clock [ns]; less than the last event's counts as equal
 * @payload:	size of the event's payload [bytes], a multiple of 4
 *
 * Context: the ring's own CPU; hyp_ring_commit() follows before anything else.
 * Return: where to write the payload, or NULL: then hyp_ring_reserve_slow() is
 * to be asked, which is not done here so that the caller can do it in a function
 * of its own, and need save no registers for it in the common case
 */
static __always_inline void *hyp_ring_reserve(struct hyp_ring *ring, u64 now,
					      u32 payload)
{
	u64 write = ring->write, delta = now - ring->stamp;
	u32 size = hyp_ring_size(payload);
	void *where;

	/* A clock that went backwards makes a huge delta. */
	if (unlikely(delta >> HYP_RING_DELTA_BITS ||
		     write > HYP_RING_DATA_SIZE - size))
		return NULL;

	ring->write = write + size;
	ring->stamp = now;
	ring->seq++;
	where = hyp_ring_head(ring->page->data + write, delta, payload);

	/* Within a page, so not NULL: spare the caller that test. */
	if (!where)
		__builtin_unreachable();

	return where;
}

/**
 * hyp_ring_commit() - publish the event that was reserved last
 * @ring:	this CPU's ring
 *
 * Release: pairs with the readers' acquire of commit in hyp_page_commit().
 */
static __always_inline void hyp_ring_commit(struct hyp_ring *ring)
{
	smp_store_release(&ring->page->commit, ring->write);
}

/**
 * hyp_ring_bookkeeping() - size of the arrays behind a ring
 * @nr_slots:	pages in the ring
 *
 * Return: bytes for the records and slots, to be given to hyp_ring_init()
 */
static inline size_t hyp_ring_bookkeeping(u32 nr_slots)
{
	return (nr_slots + 1) * sizeof(struct hyp_ring_record) +
	       nr_slots * sizeof(u64);
}

void hyp_ring_init(struct hyp_ring *ring, struct hyp_ring_record *records,
		   u32 nr_slots, struct hyp_ring_meta *meta);
void hyp_ring_reset(struct hyp_ring *ring);
void hyp_ring_open(struct hyp_ring *ring);
void hyp_ring_close(struct hyp_ring *ring);
void hyp_ring_suspend(struct hyp_ring *ring);
int hyp_ring_swap(struct hyp_ring *ring, struct hyp_ring_swap *swap);

#endif /* __ARM64_KVM_HYP_NVHE_RING_H */
