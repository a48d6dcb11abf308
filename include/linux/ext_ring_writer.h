/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writer side of the trace ring: reserve and commit, inlined into each event.
 *
 * Each ring has one writer, on one CPU, and no write interrupts another write to the same
 * ring. Readers call ext_ring_swap() from any CPU, serialised by the caller. Functions
 * that must not run in parallel to the writer say so; the caller has to ensure it.
 *
 * This is plain C: tools/testing/selftests/hyp_trace/ring/ring_test.c builds it in user
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
 * @first_seq:	events written to the ring before this page was begun; EXT_RING_SPARE if it is
 *		outside of the ring, and 0 from there until it is begun again
 */
struct ext_ring_record {
	struct ext_ring_page	*page;
	u64			first_seq;
};

#define EXT_RING_SPARE	U64_MAX

/**
 * struct ext_ring - the writer's private state of one CPU's ring
 * @page:	page being written
 * @seq:	events written since ext_ring_init()
 * @write:	bytes of @page->data in use
 * @stamp:	boot clock of the last event [ns]
 * @limit:	end of the fast path's room: EXT_RING_DATA_ROOM, or 0 to send the next
 *		event to the slow path, which sets it again only if the ring is @open and
 *		not @muted.
 *		The fast path checks only this, and must not touch a closed ring, whose
 *		pages may be freed
 * @open:	the writer may write
 * @suspended:	closed temporarily: events that are not written are counted
 * @muted:	open or not, the writer does not write just now, and events are not counted
 * @overwrite:	if the ring is full: reuse the oldest unread page, else drop the event
 * @dropped:	events dropped, in no-overwrite mode or while @suspended
 * @missed:	events dropped while @suspended that @dropped does not include yet
 * @tail:	position being written; readers may take any page up to it
 * @alarm:	ring the doorbell at the next event at this position or later
 * @rung:	how often the writer has called the reader: for an alarm that has gone off, or by
 *		ext_ring_call_reader()
 * @tail_slot:	the slot of @tail
 * @slots_end:	the end of @slots
 * @nr_slots:	pages in the ring
 * @nr_pages:	the same, with the spares
 * @head:	next position that a reader will get
 * @slots:	one word per slot, see slot_word() in ext/ring.c
 * @records:	@nr_pages records, by page id
 * @meta:	shared with the reader, written only
 *
 * The fast path uses the first five members only.
 */
struct ext_ring {
	struct ext_ring_page	*page;
	u64			seq;
	u64			write;
	u64			stamp;
	u64			limit;

	bool			open;
	bool			suspended;
	bool			muted;
	bool			overwrite;
	u64			dropped;
	u64			missed;
	u64			tail;
	u64			alarm;
	u64			rung;
	u64			*tail_slot;
	u64			*slots_end;
	u32			nr_slots;
	u32			nr_pages;
	u64			head;
	u64			*slots;
	struct ext_ring_record	*records;
	struct ext_ring_meta	*meta;
};

/* No alarm is set: no position is that high. */
#define EXT_RING_NO_ALARM	U64_MAX

/**
 * struct ext_ring_reservation - room that is reserved for an event
 * @payload:	where to write the event's payload
 * @page:	the page of @payload
 * @end:	the page's commit once the event is committed
 *
 * It is passed by value, in registers. Otherwise the compiler would load the values from
 * struct ext_ring again after each store to the page.
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
static __always_inline u64 ext_ring_size(u64 payload)
{
	return payload + (payload > EXT_RING_TYPE_MAX_LEN * 4 ? 8 : 4);
}

/* Write the header of an event with @payload bytes of payload; return its payload. */
static __always_inline void *ext_ring_head(void *event, u32 delta, u64 payload)
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

/* ext_ring_take(), where the ring's page is known, and where in it the event begins and ends. */
static __always_inline struct ext_ring_reservation
ext_ring_take_at(struct ext_ring *ring, struct ext_ring_page *page, void *base, u64 end, u64 now,
		 u32 delta, u64 payload)
{
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
 * ext_ring_take() - reserve room that is available
 * @ring:	this CPU's ring
 * @now:	boot clock [ns]
 * @delta:	time since the last event [ns]
 * @payload:	size of the event's payload [bytes], a multiple of 4
 *
 * Context: the ring's own CPU; ext_ring_has_room() was true, or ext_ring_make_room()
 * returned @delta. ext_ring_commit() must follow before the next reservation.
 * Return: the reservation
 */
static __always_inline struct ext_ring_reservation
ext_ring_take(struct ext_ring *ring, u64 now, u32 delta, u64 payload)
{
	struct ext_ring_page *page = ring->page;
	u64 write = ring->write;
	void *base = (void *)page + write;

	/* Make all stores relative to one register. */
	OPTIMIZER_HIDE_VAR(base);
	return ext_ring_take_at(ring, page, base, write + ext_ring_size(payload), now, delta,
				payload);
}

/**
 * ext_ring_has_room() - check whether the fast path can write an event
 * @ring:	this CPU's ring
 * @delta:	boot clock, less that of the last event [ns]
 * @payload:	size of the event's payload [bytes], a multiple of 4
 *
 * If not, the caller must call ext_ring_make_room(). It should do so in a function of its
 * own, so that the fast path saves no registers for that call.
 *
 * Return: true if it can
 */
static __always_inline bool ext_ring_has_room(const struct ext_ring *ring, u64 delta, u64 payload)
{
	/* If the clock went backwards, delta is huge. */
	return likely(!(delta >> EXT_RING_DELTA_BITS) &&
		      ring->write + ext_ring_size(payload) <= ring->limit);
}

s64 ext_ring_make_room(struct ext_ring *ring, u64 now, u32 payload);
bool ext_ring_skip_page(struct ext_ring *ring, u64 now);

/**
 * ext_ring_reserve() - reserve room for an event, fast path
 * @ring:	this CPU's ring
 * @now:	boot clock [ns]
 * @payload:	size of the event's payload [bytes], a multiple of 4
 * @resv:	the reservation
 *
 * Return: false if ext_ring_reserve_slow() is needed
 */
static __always_inline bool ext_ring_reserve(struct ext_ring *ring, u64 now,
					     u64 payload,
					     struct ext_ring_reservation *resv)
{
	u64 delta = now - ring->stamp;

	if (!ext_ring_has_room(ring, delta, payload))
		return false;

	*resv = ext_ring_take(ring, now, delta, payload);
	return true;
}

/**
 * ext_ring_reserve_slow() - reserve room for an event, slow path
 * @ring:	this CPU's ring
 * @now:	boot clock [ns]; if it is before the last event's, that one is used
 * @payload:	size of the event's payload [bytes], a multiple of 4
 * @resv:	the reservation
 *
 * Return: false if the event must not be written
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

/*
 * Copy a record of more than 8 bytes. Most are so small that a call of memcpy() would take longer.
 * Words are copied from the last one on, some bytes perhaps for the second time.
 */
static __always_inline void ext_ring_copy(void *payload, const void *record, u64 size)
{
	if (likely(size == 16)) {
		memcpy(payload, record, 16);
		return;
	}

	for (; size > 8; size -= 8) {
		memcpy(payload + size - 8, record + size - 8, 8);
		/* Otherwise the compiler makes it a call of memcpy() again. */
		barrier();
	}
	memcpy(payload, record, 8);
}

bool ext_ring_write_slow(const void *record, u64 size, struct ext_ring *ring, u64 now);

/**
 * ext_ring_write() - write an event whose record is complete
 * @record:	the event's payload, in the writer's own memory
 * @size:	its size [bytes], a multiple of 4, more than 8
 * @ring:	this CPU's ring
 * @now:	boot clock [ns]; if it is before the last event's, that one is used
 *
 * Context: the ring's own CPU.
 * Return: false if the event must not be written, see ext_ring_make_room()
 */
static __always_inline bool ext_ring_write(const void *record, u64 size, struct ext_ring *ring,
					   u64 now)
{
	struct ext_ring_reservation resv;

	if (!ext_ring_reserve(ring, now, size, &resv))
		return ext_ring_write_slow(record, size, ring, now);

	ext_ring_copy(resv.payload, record, size);
	ext_ring_commit(&resv);
	return true;
}

/**
 * ext_ring_bookkeeping() - size of the arrays behind a ring
 * @nr_slots:	pages in the ring
 * @nr_pages:	the same, with the spares
 *
 * Return: size of the records and slots that ext_ring_init() needs [bytes]
 */
static inline size_t ext_ring_bookkeeping(u32 nr_slots, u32 nr_pages)
{
	return nr_pages * sizeof(struct ext_ring_record) + nr_slots * sizeof(u64);
}

void ext_ring_init(struct ext_ring *ring, struct ext_ring_record *records,
		   u32 nr_slots, u32 nr_pages, struct ext_ring_meta *meta);
u64 ext_ring_reset(struct ext_ring *ring);
void ext_ring_open(struct ext_ring *ring);
void ext_ring_close(struct ext_ring *ring);
void ext_ring_suspend(struct ext_ring *ring);
void ext_ring_mute(struct ext_ring *ring);
void ext_ring_unmute(struct ext_ring *ring);
void ext_ring_set_alarm(struct ext_ring *ring, u64 pos);
void ext_ring_call_reader(struct ext_ring *ring);

/**
 * ext_ring_doorbell() - tell the reader that this CPU's alarm has gone off
 *
 * Each writer defines its own. The event that caused the call may not be committed yet,
 * so the reader must not be told before the writer's CPU next takes interrupts.
 */
void ext_ring_doorbell(void);
int ext_ring_swap(struct ext_ring *ring, u64 spare, struct ext_ring_swap *swap);

#endif /* _LINUX_EXT_RING_WRITER_H */
