// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: readers that wait for events.
 *
 * A reader that waits does not poll. It has the writer set an alarm, for each CPU that it
 * reads, at the position where the ring is as full as the reader asked for; if any event
 * will do, at the next event. When the writer gets there, it rings the doorbell once. If
 * no reader waits, no alarm is set, and the writer does not ring. An alarm is set at most
 * once in a tick, because setting it and ringing interrupt the CPU, and may cause more
 * events there.
 *
 * An alarm is set on its own CPU, or while that CPU is offline or its ring is closed, so
 * never in the middle of a write. An event is recorded either before the alarm is set, and
 * then the reader sees it when it checks once more; or after, and then it sets off the
 * alarm. Documentation/trace/hyp-ring.rst names the model that checks this.
 *
 * If a writer has no alarms, a work polls while readers wait. It reads shared memory, and
 * calls the writer only if there are events.
 */

#include <linux/smp.h>

#include "internal.h"

/* The position at which a ring is @full per cent full, including the current page. */
static u64 watermark_pos(const struct rb_ext_cpu *c, int full)
{
	return full ? c->next_pos + DIV_ROUND_UP_ULL((u64)full * c->ring->nr_slots, 100) - 1 : 0;
}

/* True if @cpu's ring has events and is at least @full per cent full. */
static bool watermark_hit(struct rb_ext *ext, int cpu, int full)
{
	struct rb_ext_cpu *c;

	if (rb_ext_empty(ext, cpu))
		return false;
	if (!full || cpu == RING_BUFFER_ALL_CPUS || trace_ext_is_frozen(ext->writer))
		return true;

	c = per_cpu_ptr(ext->cpus, cpu);
	guard(raw_spinlock_irqsave)(&c->lock);

	return c->ring && rb_ext_tail(c->ring) >= watermark_pos(c, full);
}

/* Wake the readers of this CPU and those of all CPUs. */
static void wake_cpu(struct rb_ext_cpu *c)
{
	wake_up_all(&c->waiters);
	wake_up_all(&c->ext->waiters);
}

static void wake_all(struct rb_ext *ext)
{
	int cpu;

	wake_up_all(&ext->waiters);
	for_each_possible_cpu(cpu)
		wake_up_all(&per_cpu_ptr(ext->cpus, cpu)->waiters);
}

/* Alarms -------------------------------------------------------------------------- */

/**
 * struct rb_ext_alarm - an alarm to be set
 * @c:		its CPU
 * @full:	how full the ring must be [per cent]
 * @busy:	the writer refused: the alarm must be set on that CPU
 */
struct rb_ext_alarm {
	struct rb_ext_cpu	*c;
	int			full;
	bool			busy;
};

/* True if no alarm is set at this position or an earlier one. */
static bool alarm_missing(const struct rb_ext_alarm *alarm)
{
	struct rb_ext_cpu *c = alarm->c;

	lockdep_assert_held(&c->lock);

	return c->ring && watermark_pos(c, alarm->full) < c->alarm;
}

/*
 * Runs on the CPU itself, or while the CPU is offline or its ring is closed. While the CPU
 * is going offline or coming online, the writer may refuse; rb_ext_rearm() follows then.
 */
static void alarm_set(void *data)
{
	struct rb_ext_alarm *alarm = data;
	struct rb_ext_cpu *c = alarm->c;
	u64 pos, old;

	guard(raw_spinlock_irqsave)(&c->lock);

	alarm->busy = false;
	if (!alarm_missing(alarm))
		return;

	pos = watermark_pos(c, alarm->full);
	old = c->alarm;
	/* Store this first: rb_ext_doorbell() may run at once, and takes no lock. */
	WRITE_ONCE(c->alarm, pos);
	alarm->busy = c->ext->ops->set_alarm(c->ext->writer, c->cpu, pos);
	if (alarm->busy)
		WRITE_ONCE(c->alarm, old);
	else
		c->armed = jiffies;
}

/*
 * Don't interrupt a CPU whose ring is closed: it may be isolated (nohz_full). If the CPU
 * is opening its ring right now, the writer refuses, and the CPU is interrupted.
 */
static void alarm_set_anywhere(struct rb_ext_alarm *alarm)
{
	struct rb_ext_cpu *c = alarm->c;
	const struct trace_ext_ops *ops = c->ext->ops;

	if (!ops->is_open || !ops->is_open(c->ext->writer, c->cpu)) {
		alarm_set(alarm);
		if (!alarm->busy)
			return;
	}

	if (smp_call_function_single(c->cpu, alarm_set, alarm, true))
		alarm_set(alarm);
}

static void cpu_arm(struct rb_ext_cpu *c, int full)
{
	struct rb_ext_alarm alarm = { .c = c, .full = full };
	bool soon;

	scoped_guard(raw_spinlock_irqsave, &c->lock) {
		if (!alarm_missing(&alarm))
			return;
		soon = time_before_eq(jiffies, c->armed);
	}

	if (soon)
		schedule_delayed_work(&c->ext->poll, 1);
	else
		alarm_set_anywhere(&alarm);
}

/*
 * Have the caller woken when there may be an event. The caller must check once more after
 * this: an event may have been recorded before the alarm was set.
 */
static void arm_alarm(struct rb_ext *ext, int cpu, int full)
{
	if (!ext->ops->set_alarm) {
		schedule_delayed_work(&ext->poll, RB_EXT_POLL_TICKS);
	} else if (cpu != RING_BUFFER_ALL_CPUS) {
		cpu_arm(per_cpu_ptr(ext->cpus, cpu), full);
	} else {
		for_each_possible_cpu(cpu)
			cpu_arm(per_cpu_ptr(ext->cpus, cpu), 0);
	}
}

/*
 * True if an alarm has gone off since the last call. If so, clear it, so that readers set
 * it again, even if all events have been read or another alarm was set meanwhile. The
 * count is untrusted; if it is wrong, a wake-up is spurious or missing.
 */
static bool alarm_clear(struct rb_ext_cpu *c)
{
	u64 rung;

	guard(raw_spinlock_irqsave)(&c->lock);

	if (!c->ring)
		return false;

	rung = READ_ONCE(c->ring->meta->rung);
	if (rung == c->rung)
		return false;

	c->rung = rung;
	WRITE_ONCE(c->alarm, RB_EXT_NO_ALARM);
	return true;
}

/*
 * The writer may have rung, on this CPU; called in its hard interrupt. That may have another
 * cause, and usually no reader waits. If no alarm is set and no trigger can ring, return without
 * the lock, which readers hold while they copy a page.
 *
 * The check needs no lock. c->alarm is stored before the writer is told of the alarm: on this
 * CPU with interrupts off, or on another CPU while this one is offline or its ring is closed. In
 * the latter case the writer takes its own lock to set the alarm, and again before this CPU's
 * next event, so the store is visible here. If c->alarm has been cleared meanwhile, the function
 * that cleared it wakes the readers, and they set it again.
 *
 * A wake-up may be spurious: a reader checks, and waits again.
 */
void rb_ext_doorbell(struct rb_ext *ext)
{
	struct rb_ext_cpu *c = this_cpu_ptr(ext->cpus);

	if ((READ_ONCE(c->alarm) != RB_EXT_NO_ALARM || READ_ONCE(ext->nr_triggers)) &&
	    alarm_clear(c))
		irq_work_queue(&c->doorbell);
}

static void doorbell_work(struct irq_work *work)
{
	struct rb_ext_cpu *c = container_of(work, struct rb_ext_cpu, doorbell);

	rb_ext_ask_soon(c->ext);
	wake_cpu(c);
}

/*
 * Make waiting readers set their alarms again. An alarm is lost when the ring is exchanged or
 * reset, and may be lost when it goes off while the CPU is going offline or coming online; so
 * may that of a trigger.
 */
void rb_ext_rearm(struct rb_ext_cpu *c)
{
	scoped_guard(raw_spinlock_irqsave, &c->lock)
		WRITE_ONCE(c->alarm, RB_EXT_NO_ALARM);

	rb_ext_ask_soon(c->ext);
	wake_cpu(c);
}

/* Polling: the writer has no alarms, or an alarm would come too soon ----------------- */

static bool anyone_waits(struct rb_ext *ext)
{
	int cpu;

	/* A reader that begins to wait after this check schedules the work again. */
	for_each_possible_cpu(cpu) {
		if (wq_has_sleeper(&per_cpu_ptr(ext->cpus, cpu)->waiters))
			return true;
	}

	return wq_has_sleeper(&ext->waiters);
}

/* Waiters check for themselves, and call arm_alarm() again if they go on waiting. */
static void poll_work(struct work_struct *work)
{
	struct rb_ext *ext = container_of(to_delayed_work(work), struct rb_ext, poll);

	if (!anyone_waits(ext))
		return;

	if (ext->ops->set_alarm) {
		wake_all(ext);
		return;
	}

	rb_ext_ask_soon(ext);
	if (!rb_ext_all_empty(ext))
		wake_all(ext);

	schedule_delayed_work(&ext->poll, RB_EXT_POLL_TICKS);
}

/* Waiting ------------------------------------------------------------------------- */

/**
 * rb_ext_init_wait() - initialise the state of waiters
 * @ext:	the buffer; @ext->cpus is allocated
 */
void rb_ext_init_wait(struct rb_ext *ext)
{
	int cpu;

	init_waitqueue_head(&ext->waiters);
	INIT_DELAYED_WORK(&ext->poll, poll_work);

	for_each_possible_cpu(cpu) {
		struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);

		c->alarm = RB_EXT_NO_ALARM;
		c->armed = jiffies - 1;
		init_waitqueue_head(&c->waiters);
		init_irq_work(&c->doorbell, doorbell_work);
	}
}

void rb_ext_wake(struct rb_ext *ext)
{
	atomic_inc(&ext->wakes);
	wake_all(ext);
}

static wait_queue_head_t *queue_of(struct rb_ext *ext, int cpu)
{
	return cpu == RING_BUFFER_ALL_CPUS ? &ext->waiters :
	       &per_cpu_ptr(ext->cpus, cpu)->waiters;
}

int rb_ext_wait(struct rb_ext *ext, int cpu, int full, ring_buffer_cond_fn cond, void *data)
{
	int wakes = atomic_read(&ext->wakes), ret = 0;
	wait_queue_head_t *queue = queue_of(ext, cpu);
	DEFINE_WAIT(wait);

	while (1) {
		prepare_to_wait(queue, &wait, TASK_INTERRUPTIBLE);
		/* Without a condition, wait until rb_ext_wake(). */
		if (watermark_hit(ext, cpu, full) ||
		    (cond ? cond(data) : atomic_read(&ext->wakes) != wakes))
			break;
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			break;
		}

		arm_alarm(ext, cpu, full);
		if (!watermark_hit(ext, cpu, full))
			schedule();
	}

	finish_wait(queue, &wait);
	return ret;
}

__poll_t rb_ext_poll(struct rb_ext *ext, int cpu, struct file *filp,
		     poll_table *poll_table, int full)
{
	poll_wait(filp, queue_of(ext, cpu), poll_table);

	if (!watermark_hit(ext, cpu, full))
		arm_alarm(ext, cpu, full);

	return watermark_hit(ext, cpu, full) ? EPOLLIN | EPOLLRDNORM : 0;
}
