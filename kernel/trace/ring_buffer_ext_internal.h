/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of an external ring buffer share this state. They are a ladder: none calls a
 * function of one above it, and those on the same rung call none of each other.
 *
 *   ring_buffer_ext.c		life of the rings: load, unload, resize, on, off
 *
 *   ring_buffer_ext_iter.c	non-consuming reads
 *   ring_buffer_ext_wait.c	those who wait for events
 *   ring_buffer_ext_map.c	pages in user space
 *
 *   ring_buffer_ext_read.c	consuming reads
 *   ring_buffer_ext_stat.c	statistics
 *
 *   ring_buffer_ext_page.c	the reader page: copied and checked
 *
 *   this file			state, and access to pages
 *
 * Where something below finds that the rings may be of no use any more, it schedules
 * rb_ext.idle, which is a work of the topmost.
 *
 * Locks, outer first: trace_types_lock, cpus_read_lock() or mmap_lock,
 * rb_ext.lock, rb_ext_cpu.lock, rb_ext.mode_lock.
 */
#ifndef _KERNEL_TRACE_RING_BUFFER_EXT_INTERNAL_H
#define _KERNEL_TRACE_RING_BUFFER_EXT_INTERNAL_H

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "ext_page.h"
#include "ring_buffer_ext.h"

/**
 * struct rb_ext_tail_count - how much of the page being written has been counted
 * @page:	the page, NULL if none
 * @pos:	its position
 * @cursor:	behind the last event that was counted
 * @count:	events up to there
 */
struct rb_ext_tail_count {
	const struct ext_ring_page	*page;
	u64				pos;
	struct ext_cursor		cursor;
	int				count;
};

/**
 * struct rb_ext_cpu - the reader's side of one CPU's ring
 * @lock:	serialises readers; protects all below but @doorbell, @waiters and @mapped
 * @ext:	the buffer that it is of
 * @cpu:	the CPU
 * @nr_slots:	pages that the ring has, or will have once it is loaded
 * @ring:	the ring's memory, NULL if none is loaded
 * @generation:	counts what makes positions meaningless: load, unload, reset
 * @slot_id:	page id by slot. The writer has the same, but this one is ours: a swap
 *		must return what is expected
 * @spare:	id of the reader page
 * @next_pos:	position that the next swap will give, or a later one
 * @page:	the reader page as the writer writes it, NULL before the first swap
 * @copy:	our copy of it: what is checked stays as it was checked. It is given
 *		away for another page by readers of pages only
 * @event:	a copy of the event that was given to a reader last, who looks at it
 *		without @lock, while another one may find @copy's rest to be bad, skip
 *		it, and take the next page. It stays when the ring is exchanged, and is
 *		freed only while the instance's trace_ref is 0
 * @commit:	bytes of @copy that have been copied and checked
 * @done:	in @copy, behind what has been consumed
 * @end:	in @copy, at @commit
 * @unread:	events from @done to @end
 * @tail:	for statistics
 * @bad:	the reader page made no sense; the rest of it is skipped
 * @flagged:	the reader page is final, and its commit has the missed events and
 *		missed stored flags now, for user space
 * @warned:	a page made no sense, and that was reported
 * @seq:	sequence number of the next event to consume
 * @lost:	events lost since the last one consumed
 * @read:	events consumed
 * @overrun:	events lost
 * @dropped:	events dropped by rings that are unloaded
 * @alarm:	position at which the writer will tell us of an event, RB_EXT_NO_ALARM
 *		if it won't. rb_ext_doorbell() reads it without @lock
 * @rung:	how often the writer had told us when we last looked
 * @armed:	when that was set last [jiffies]
 * @doorbell:	wakes those who wait, when it has
 * @waiters:	those who wait for events of this CPU
 * @mapped:	mappings of the ring in user space, under rb_ext.lock. While there
 *		are any the ring is neither unloaded nor exchanged
 * @user:	the page that tells them where the reader is, NULL if there are none
 */
struct rb_ext_cpu {
	raw_spinlock_t			lock;
	struct rb_ext			*ext;
	int				cpu;
	u32				nr_slots;

	struct trace_ext_ring		*ring;
	unsigned int			generation;
	u32				*slot_id;
	u32				spare;
	u64				next_pos;

	const struct ext_ring_page	*page;
	struct ext_ring_page		*copy;
	struct ext_ring_page		*event;
	u32				commit;
	struct ext_cursor		done;
	struct ext_cursor		end;
	unsigned int			unread;
	struct rb_ext_tail_count	tail;
	bool				bad;
	bool				flagged;
	bool				warned;

	u64				seq;
	u64				lost;
	u64				read;
	u64				overrun;
	u64				dropped;

	u64				alarm;
	u64				rung;
	unsigned long			armed;
	struct irq_work			doorbell;
	wait_queue_head_t		waiters;

	unsigned int			mapped;
	struct trace_buffer_meta	*user;
};

/**
 * struct rb_ext - an external ring buffer
 * @writer:	who writes it
 * @name:	for messages
 * @ops:	how to talk to the writer
 * @in_use:	called when tracing is turned on, while it is for other CPUs, and when
 *		all rings are unloaded; with trace_types_lock held and none of the others
 * @format:	the events that it writes
 * @tr:		its instance
 * @follows:	the writer is told of task switches; trace_ext.c's
 * @cpus:	a ring for each possible CPU
 * @lock:	serialises load, unload, resize, reset
 * @started:	the writer's clock runs
 * @mode_lock:	protects the three below, and orders what the writer is told
 * @on:		the user wants events recorded, as in trace_buffer.record_disabled;
 *		this is what the writer is told, or about to be
 * @paused:	nesting of rb_ext_pause()
 * @overwrite:	a full ring loses the oldest events, else the newest
 * @iters:	non-consuming readers
 * @idle:	unloads the rings when they are of no use any more
 * @waiters:	those who wait for events of any CPU
 * @wakes:	counts how often they were told to stop waiting
 * @poll:	looks for events on behalf of those who wait, if the writer can't tell
 */
struct rb_ext {
	struct trace_ext_writer		*writer;
	const char			*name;
	const struct trace_ext_ops	*ops;
	void				(*in_use)(struct rb_ext *ext, bool in_use);
	struct ext_page_format		format;
	struct trace_array		*tr;
	bool				follows;
	struct rb_ext_cpu __percpu	*cpus;

	struct mutex			lock;
	bool				started;

	raw_spinlock_t			mode_lock;
	bool				on;
	int				paused;
	bool				overwrite;

	atomic_t			iters;
	struct work_struct		idle;

	wait_queue_head_t		waiters;
	atomic_t			wakes;
	struct delayed_work		poll;
};

#define RB_EXT_NO_ALARM	U64_MAX

/*
 * So many pages of a ring are looked at with rb_ext_cpu.lock held at most, which keeps
 * the CPU's interrupts off: a ring may have EXT_RING_MAX_SLOTS.
 */
#define RB_EXT_PAGES_AT_ONCE	256

/**
 * rb_ext_tail() - position that the writer is at
 * @ring:	a loaded ring
 *
 * The acquire pairs with ring_begin_page(). The page of that position has a valid
 * header, all earlier ones have all their events.
 *
 * Return: the position; it is only a hint, for it lies in shared memory
 */
static inline u64 rb_ext_tail(const struct trace_ext_ring *ring)
{
	return smp_load_acquire(&ring->meta->tail);
}

/**
 * rb_ext_page_at() - the page of a position in the ring
 * @c:		a CPU whose ring is loaded
 * @pos:	position, from c->next_pos on
 *
 * The access is never out of bounds, whatever @pos is.
 *
 * Return: the page
 */
static inline const struct ext_ring_page *
rb_ext_page_at(const struct rb_ext_cpu *c, u64 pos)
{
	return c->ring->pages[c->slot_id[pos % c->ring->nr_slots]];
}

/**
 * rb_ext_oldest() - the oldest position that is in the ring
 * @c:		a CPU whose ring is loaded
 * @tail:	position that the writer is at
 *
 * Return: the position, c->next_pos or a later one
 */
static inline u64 rb_ext_oldest(const struct rb_ext_cpu *c, u64 tail)
{
	u64 slots = c->ring->nr_slots;

	return max(c->next_pos, tail >= slots ? tail - slots + 1 : 0);
}

/**
 * rb_ext_latest() - the latest time that an event can have
 *
 * The writer's clock may be ahead of ours, after a suspend for instance, until it is
 * corrected. This is for time that makes no sense.
 *
 * Return: boot clock [ns]
 */
static inline u64 rb_ext_latest(void)
{
	return ktime_get_boot_fast_ns() + 600ULL * NSEC_PER_SEC;
}

/* ring_buffer_ext_page.c */
void rb_ext_slots_init(u32 *slot_id, u32 nr_slots);
void rb_ext_rewind(struct rb_ext_cpu *c);
void rb_ext_refresh(struct rb_ext_cpu *c);
bool rb_ext_swap_page(struct rb_ext_cpu *c);

/* ring_buffer_ext_read.c */
bool rb_ext_all_empty(struct rb_ext *ext);
u64 rb_ext_consume_mapped(struct rb_ext_cpu *c);

/* ring_buffer_ext_stat.c */
u64 rb_ext_entries(struct rb_ext_cpu *c);
u64 rb_ext_overrun(struct rb_ext_cpu *c);

/* ring_buffer_ext_wait.c */
void rb_ext_init_wait(struct rb_ext *ext);
void rb_ext_rearm(struct rb_ext_cpu *c);
void rb_ext_doorbell(struct rb_ext *ext);

/* ring_buffer_ext_map.c */
void rb_ext_update_user(struct rb_ext_cpu *c, u64 lost);
int rb_ext_map_prepare(struct vm_area_struct *vma);
int rb_ext_map_cpu(struct rb_ext_cpu *c, struct vm_area_struct *vma);

/* ring_buffer_ext.c */
/**
 * rb_ext_reader_lock() - lock a CPU's reader side
 * @c:		the CPU
 * @flags:	for raw_spin_unlock_irqrestore()
 *
 * Who dumps the buffer in an oops may have interrupted the lock's holder: an incomplete
 * dump is better than none.
 *
 * Return: false if the lock could not be had
 */
static inline bool rb_ext_reader_lock(struct rb_ext_cpu *c, unsigned long *flags)
{
	if (unlikely(oops_in_progress))
		return raw_spin_trylock_irqsave(&c->lock, *flags);

	raw_spin_lock_irqsave(&c->lock, *flags);
	return true;
}

int rb_ext_init(struct rb_ext *ext);
void rb_ext_exit(struct rb_ext *ext);
int rb_ext_cpu_online(struct rb_ext *ext, int cpu);

#endif /* _KERNEL_TRACE_RING_BUFFER_EXT_INTERNAL_H */
