/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State that the parts of an external ring buffer share. The parts are in layers: none
 * calls a function of a layer above it, or of another part in its own layer.
 *
 *   size.c		sizes
 *
 *   buffer.c		life of the rings: load, unload, on, off
 *
 *   load.c		the ring of one CPU: its memory, load, unload, exchange, reset
 *
 *   excerpt.c		the events of a time, as text
 *
 *   iter.c		non-consuming reads
 *   wait.c		readers that wait for events
 *   map.c		pages in user space
 *
 *   read.c		consuming reads
 *   stat.c		statistics
 *
 *   kept.c		pages for copies
 *   reader_page.c	the reader page: copied and checked
 *   dump.c		dumps in a crash
 *   vmcore.c		where the rings are, for a dump of all memory
 *   mem.c		memory that survives a reboot
 *
 *   page_copy.c	copies of pages, for readers that do not consume
 *
 *   earlier.c		what an earlier boot has left
 *   page.c		from a page's bytes to events
 *   this file		state, and access to pages
 *
 * A lower part that finds that the rings may be unused schedules rb_ext.idle, a work of
 * buffer.c.
 *
 * Locks, outer first: event_mutex, trace_types_lock, cpus_read_lock() or mmap_lock,
 * rb_ext.lock, rb_ext_cpu.lock, rb_ext.mode_lock.
 */
#ifndef _KERNEL_TRACE_EXT_INTERNAL_H
#define _KERNEL_TRACE_EXT_INTERNAL_H

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pipe_fs_i.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "page.h"
#include "buffer.h"

/* For what is large, or can be missed: fail rather than invoke the OOM killer. */
#define RB_EXT_GFP	(GFP_KERNEL | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/**
 * struct rb_ext_tail_count - events counted in the page that is being written
 * @page:	the page, NULL if none
 * @pos:	its position
 * @cursor:	position after the last event that was counted
 * @count:	number of events up to there
 */
struct rb_ext_tail_count {
	const struct ext_ring_page	*page;
	u64				pos;
	struct ext_cursor		cursor;
	int				count;
};

/**
 * struct rb_ext_copy - a copy of a page, for readers that do not consume
 * @ring:	the page's ring
 * @page:	the copy
 * @commit:	bytes of events in it
 * @cursor:	position before the next event
 */
struct rb_ext_copy {
	const struct trace_ext_ring	*ring;
	struct ext_ring_page		*page;
	u32				commit;
	struct ext_cursor		cursor;
};

/* Have all its events been read? */
static inline bool rb_ext_copy_is_read(const struct rb_ext_copy *copy)
{
	return copy->cursor.read >= copy->commit;
}

/* page_copy.c */
int rb_ext_copy_page(struct rb_ext_copy *copy, const struct rb_ext *ext,
		     const struct ext_ring_page *page, u64 pos, u64 commit);
struct ring_buffer_event *rb_ext_copy_peek(const struct rb_ext_copy *copy,
					   const struct rb_ext *ext, struct ext_cursor *next);

/**
 * struct rb_ext_dump - dump of one CPU's ring
 * @copy:	copy of the current page, in rb_ext_cpu.dump_copy; its ring is NULL if none was
 *		loaded when the dump began
 * @seq:	sequence number of the next event, or of one before that has been lost
 * @end:	one after the last event, as far as it is known
 * @lost:	events lost since the last one
 * @next_page:	the next page's first event has this sequence number or a later one
 * @last_page:	that of the last page
 * @last_commit: bytes to dump of the last page
 * @pages:	number of pages that may still be looked at
 * @bad:	number of malformed pages
 * @done:	all events before this one have been dumped, or left out
 * @done_generation: the CPU's generation when the dump began: that of @done
 */
struct rb_ext_dump {
	struct rb_ext_copy		copy;
	u64				seq;
	u64				end;
	u64				lost;
	u64				next_page;
	u64				last_page;
	u64				last_commit;
	u32				pages;
	u32				bad;
	u64				done;
	unsigned int			done_generation;
};

/* Splicing to a pipe of the usual size takes that many pages at once. */
#define RB_EXT_MAX_KEPT	PIPE_DEF_BUFFERS

static_assert(1 + RB_EXT_MAX_KEPT <= EXT_RING_MAX_SPARES,
	      "a ring must be able to have the reader page, and as many spares as are in a pipe");

/**
 * struct rb_ext_cpu - the reader's side of one CPU's ring
 * @lock:	serialises readers; protects all members below except @nr_slots and @mapped, which
 *		rb_ext.lock protects, @doorbell, @waiters, @dump_copy and @dump
 * @ext:	its buffer
 * @cpu:	the CPU
 * @nr_slots:	pages that the ring has, or will have once it is loaded
 * @ring:	the ring's memory, NULL if none is loaded
 * @generation:	number of loads, unloads and resets; each makes positions stale
 * @slot_id:	page id by slot, followed by the ids of the spares. The reader keeps its own
 *		record, to check the result of a swap
 * @reader:	index in @slot_id of the reader page
 * @give:	index in @slot_id of the spare that the next swap gives: @reader, unless the reader
 *		page has been handed out; then another one, which nobody has
 * @next_pos:	the next swap returns this position or a later one
 * @page:	the reader page as the writer writes it, NULL before the first swap
 * @copy:	copy of the reader page, so that it can't change after the check. When a
 *		full page is read, it is exchanged for the caller's page
 * @event:	copy of the event that was returned to a reader last. The reader uses it
 *		without @lock, while another reader may find the rest of @copy
 *		malformed, skip it, and take the next page. It survives an exchange of the ring.
 *		It is freed only while the instance's trace_ref is 0, or with rings that were
 *		never open: no reader has it
 * @whole:	bytes of events in the reader page, if the writer has left it, and nobody has
 *		looked at it yet; otherwise 0
 * @whole_events: number of these events
 * @commit:	bytes of @copy that have been copied and checked
 * @done:	position in @copy after the last event consumed
 * @peeked:	position after the event in @event, if that is the one behind @done; its @read is
 *		0 otherwise
 * @end:	position in @copy at @commit
 * @unread:	number of events from @done to @end
 * @tail:	for statistics
 * @bad:	the reader page is malformed; the rest of it is skipped
 * @flagged:	the reader page is final, and its commit has the missed and stored
 *		flags, for user space
 * @warned:	a malformed page has been reported
 * @seq:	sequence number of the next event to consume
 * @lost:	events lost since the last one consumed
 * @read:	events consumed
 * @overrun:	events lost
 * @dropped:	events dropped by rings that have been unloaded
 * @kept:	pages for copies, which nobody uses
 * @nr_kept:	their number
 * @alarm:	position of the alarm that is set, or RB_EXT_NO_ALARM.
 *		rb_ext_doorbell() reads it without @lock
 * @rung:	the meta page's rung when it was last read
 * @armed:	time when @alarm was last set [jiffies]
 * @doorbell:	wakes the readers that wait, when the alarm has gone off
 * @waiters:	readers that wait for events of this CPU
 * @mapped:	number of mappings in user space, protected by rb_ext.lock. While there
 *		are any, the ring is neither unloaded nor exchanged
 * @user:	meta page of the mappings, NULL if there are none
 * @dump_copy:	page for the copies of a dump; as @event, but it is kept during a dump
 * @dump:	used by the task that dumps, without @lock
 */
struct rb_ext_cpu {
	raw_spinlock_t			lock;
	struct rb_ext			*ext;
	int				cpu;
	u32				nr_slots;

	struct trace_ext_ring		*ring;
	unsigned int			generation;
	u32				*slot_id;
	u32				reader;
	u32				give;
	u64				next_pos;

	const struct ext_ring_page	*page;
	struct ext_ring_page		*copy;
	struct ext_ring_page		*event;
	u32				whole;
	u32				whole_events;
	u32				commit;
	struct ext_cursor		done;
	struct ext_cursor		peeked;
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

	void				*kept[RB_EXT_MAX_KEPT];
	unsigned int			nr_kept;

	u64				alarm;
	u64				rung;
	unsigned long			armed;
	struct irq_work			doorbell;
	wait_queue_head_t		waiters;

	unsigned int			mapped;
	struct trace_buffer_meta	*user;

	struct ext_ring_page		*dump_copy;
	struct rb_ext_dump		dump;
};

/**
 * struct rb_ext - an external ring buffer
 * @writer:	its writer
 * @name:	prefix of messages
 * @ops:	the writer's operations
 * @in_use:	called when tracing is turned on or a trigger may do that, when the traced
 *		CPUs change meanwhile, and when all rings have been unloaded; with
 *		trace_types_lock held, perhaps event_mutex, and no other lock of this file
 * @format:	the writer's events
 * @tr:		its instance
 * @link:	the link to it in instances/, or NULL
 * @traceoff:	trace_instance= names it, with ^traceoff
 * @follows:	the writer is told of task switches; private to instance.c
 * @cpus:	a ring for each possible CPU
 * @crash:	where the rings are, for dumps of all memory; NULL if they do not have them
 * @lock:	serialises load, unload, resize, reset
 * @started:	the writer has been started, so its clock runs
 * @mode_lock:	protects the six members below, and orders changes of the mode
 * @on:		tracing_on, but for what triggers that are still there have done since; the
 *		writer has that state, or is about to get it: see rb_ext_is_on()
 * @paused:	nesting of rb_ext_pause()
 * @overwrite:	a full ring loses the oldest events, else the newest
 * @nr_triggers: number of events that stop or start recording
 * @nr_starters: number of those that start it; while there are any, the rings stay loaded
 * @was_on:	what rb_ext_is_on() was when that was last acted upon
 * @turned:	acts upon what triggers have done
 * @iters:	number of non-consuming readers
 * @idle:	unloads the rings when they are not needed
 * @waiters:	readers that wait for events of any CPU
 * @wakes:	number of calls of rb_ext_wake()
 * @poll:	polls for readers that wait, if the writer has no alarms, and delays
 *		alarms that would be too frequent
 * @dumper:	the task that dumps the buffer, or NULL
 * @dump_left:	number of events that it may still show
 */
struct rb_ext {
	struct trace_ext_writer		*writer;
	const char			*name;
	const struct trace_ext_ops	*ops;
	void				(*in_use)(struct rb_ext *ext, bool in_use);
	struct ext_page_format		format;
	struct trace_array		*tr;
	struct dentry			*link;
	bool				traceoff;
	bool				follows;
	struct rb_ext_cpu __percpu	*cpus;
	u64				*crash;

	struct mutex			lock;
	bool				started;

	raw_spinlock_t			mode_lock;
	bool				on;
	int				paused;
	bool				overwrite;
	unsigned int			nr_triggers;
	unsigned int			nr_starters;
	bool				was_on;
	struct delayed_work		turned;

	atomic_t			iters;
	struct work_struct		idle;

	wait_queue_head_t		waiters;
	atomic_t			wakes;
	struct delayed_work		poll;

	struct task_struct		*dumper;
	unsigned int			dump_left;
};

/*
 * A trigger may have rung. Each time that this kernel asks what triggers have done, the writer may
 * ring once more. So it asks once per tick at most, whatever triggers do.
 */
static inline void rb_ext_ask_soon(struct rb_ext *ext)
{
	if (READ_ONCE(ext->nr_triggers))
		schedule_delayed_work(&ext->turned, 1);
}

/* Tracing is on, or has been on until a trigger turned it off, or a trigger may turn it on. */
static inline bool rb_ext_is_armed(const struct rb_ext *ext)
{
	return READ_ONCE(ext->on) || READ_ONCE(ext->nr_starters);
}

#define RB_EXT_NO_ALARM	U64_MAX

/*
 * Maximum number of pages, 1 MiB, to go through with rb_ext_cpu.lock held, which keeps
 * interrupts off: a ring may have up to EXT_RING_MAX_SLOTS.
 */
#define RB_EXT_PAGES_AT_ONCE	((1 << 20) / EXT_RING_PAGE_SIZE)

/* A timer expires up to one tick late, so this takes at most 10 ms or two ticks. */
#define RB_EXT_POLL_TICKS	max(HZ / 100 - 1, 1)

/* Have a CPU, or all if it is -1, open its ring. */
static inline void rb_ext_sync(const struct rb_ext *ext, int cpu)
{
	if (ext->ops->sync)
		ext->ops->sync(ext->writer, cpu);
}

/*
 * The writer's position; untrusted, as it is from shared memory. The acquire pairs with
 * ring_begin_page(). The page of that position has a valid header, and all earlier pages are
 * complete.
 */
static inline u64 rb_ext_tail(const struct trace_ext_ring *ring)
{
	return smp_load_acquire(&ring->meta->tail);
}

/*
 * The page of a position in a loaded ring, from c->next_pos on. The access is never out of
 * bounds, whatever @pos is.
 */
static inline const struct ext_ring_page *
rb_ext_page_at(const struct rb_ext_cpu *c, u64 pos)
{
	return c->ring->pages[c->slot_id[pos % c->ring->nr_slots]];
}

/* The oldest position that is in the ring: c->next_pos or a later one. */
static inline u64 rb_ext_oldest(const struct rb_ext_cpu *c, u64 tail)
{
	u64 slots = c->ring->nr_slots;

	return max(c->next_pos, tail >= slots ? tail - slots + 1 : 0);
}

/*
 * The latest plausible time stamp. Events of an earlier boot have that boot's clock, and have
 * been checked.
 */
static inline u64 rb_ext_latest(const struct rb_ext *ext)
{
	if (trace_ext_is_frozen(ext->writer))
		return U64_MAX;

	return ktime_get_boot_fast_ns() + EXT_PAGE_MAX_AHEAD;
}

/* The id of the reader page; if no page has been swapped yet, that of the page to give then. */
static inline u32 rb_ext_reader_id(const struct rb_ext_cpu *c)
{
	return c->slot_id[c->reader];
}

/* reader_page.c */
void rb_ext_slots_init(u32 *slot_id, u32 nr_pages);
void rb_ext_rewind(struct rb_ext_cpu *c, u64 seq);
void rb_ext_take_commit(struct rb_ext_cpu *c, u64 commit);
bool rb_ext_swap_page(struct rb_ext_cpu *c);

/* kept.c */
void *rb_ext_keep_page(struct rb_ext_cpu *c, void *page);
void rb_ext_free_kept(struct rb_ext_cpu *c);

/**
 * rb_ext_refresh() - take new events of the reader page
 * @c:		the CPU, locked
 */
static inline void rb_ext_refresh(struct rb_ext_cpu *c)
{
	u64 commit;

	lockdep_assert_held(&c->lock);

	if (!c->ring || !c->page || c->bad || c->flagged)
		return;

	/* The end of a page that the writer has left does not change, whatever memory says. */
	commit = c->whole ?: ext_page_commit(c->page);
	if (commit != c->commit)
		rb_ext_take_commit(c, commit);
}

/*
 * Take the reader page as a whole; @c->whole is not 0. It is as if the page had been copied and
 * checked, but for time: what was checked last still counts. The caller must consume all of the
 * page before it releases the lock.
 */
static inline void rb_ext_take_whole(struct rb_ext_cpu *c)
{
	lockdep_assert_held(&c->lock);

	c->end.read = c->whole;
	c->commit = c->whole;
	c->unread = c->whole_events;
	c->whole = 0;
}

/* dump.c */
struct ring_buffer_event *rb_ext_dump_read(struct rb_ext_cpu *c, u64 *ts, unsigned long *lost,
					   bool consume);

/*
 * Does the current task read the buffer as a dump? Interrupts are off during a dump, so nobody
 * else is this task.
 */
static inline bool rb_ext_is_dumping(const struct rb_ext *ext)
{
	return unlikely(READ_ONCE(ext->dumper) == current);
}

/* read.c */
bool rb_ext_all_empty(struct rb_ext *ext);
u64 rb_ext_consume_mapped(struct rb_ext_cpu *c);

/* stat.c */

/**
 * struct rb_ext_counts - what is in a ring
 * @entries:	events that are unread
 * @overrun:	events that were lost
 * @oldest_ts:	boot clock of the oldest unread event, or of its page [ns]
 */
struct rb_ext_counts {
	u64	entries;
	u64	overrun;
	u64	oldest_ts;
};

struct rb_ext_counts rb_ext_count(struct rb_ext_cpu *c);

/* wait.c */
void rb_ext_init_wait(struct rb_ext *ext);
void rb_ext_rearm(struct rb_ext_cpu *c);
void rb_ext_doorbell(struct rb_ext *ext);

/* map.c */
void rb_ext_update_user(struct rb_ext_cpu *c, u64 lost);
int rb_ext_map_cpu(struct rb_ext_cpu *c, struct vm_area_struct *vma);

/* vmcore.c */
#ifdef CONFIG_VMCORE_INFO
void rb_ext_crash_init(struct rb_ext *ext);
void rb_ext_crash_name(const struct rb_ext *ext);
void rb_ext_crash_set(struct rb_ext_cpu *c, const struct trace_ext_ring *ring);
#else
#define rb_ext_crash_init(ext)			do { } while (0)
#define rb_ext_crash_set(c, ring)		do { } while (0)
#endif

/* load.c */
void rb_ext_ring_free(struct trace_ext_ring *ring);
struct trace_ext_ring *rb_ext_ring_alloc(struct rb_ext_cpu *c, u32 nr_slots);
int rb_ext_cpu_load(struct rb_ext_cpu *c);
void rb_ext_cpu_unload(struct rb_ext_cpu *c);
int rb_ext_cpu_exchange(struct rb_ext_cpu *c, struct trace_ext_ring *ring);
void rb_ext_cpu_reset(struct rb_ext_cpu *c);

/* buffer.c */
int rb_ext_init(struct rb_ext *ext);
void rb_ext_exit(struct rb_ext *ext);
int rb_ext_begin(struct rb_ext *ext);
void rb_ext_end(struct rb_ext *ext);
int rb_ext_cpu_online(struct rb_ext *ext, int cpu);

/* size.c */
void rb_ext_note_sizes(struct rb_ext *ext);
void rb_ext_use_mem(struct rb_ext *ext);
int rb_ext_load_cpu(struct rb_ext *ext, int cpu, u32 nr_slots);

#endif /* _KERNEL_TRACE_EXT_INTERNAL_H */
