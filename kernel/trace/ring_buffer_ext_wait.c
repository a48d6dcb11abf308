// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: those who wait for events.
 *
 * They are woken, and look for nothing in between. Who waits has an alarm set with
 * the writer, for each CPU that concerns it, at the position where the ring will
 * be as full as was asked for; if just any event will do, that is the next one.
 * When the writer gets there it rings, once. With nobody waiting no alarm is set:
 * the writer then only ever writes. And none is set twice in a tick: setting it and
 * ringing interrupt the CPU, and if that runs a guest, make more events.
 *
 * An alarm is set by the CPU that it is for, or while that one is off or its ring closed:
 * it can't be in the midst of writing an event then. So an event comes either before
 * that, and whoever waits looks once more when the alarm is set, or after, and sets it
 * off. Documentation/trace/hyp-ring.rst names the model of this.
 *
 * A writer that can't ring is looked at by a work, while somebody waits. That reads
 * shared memory, and does not call the writer as long as there are no events.
 */

#include <linux/smp.h>

#include "ring_buffer_ext_internal.h"

/* A timer goes off up to one tick late: this makes 10 ms at most, or two ticks. */
#define POLL_TICKS	max(HZ / 100 - 1, 1)

/* Say at which position a ring is @full per cent full, the page being written included. */
static u64 watermark(const struct rb_ext_cpu *c, int full)
{
	return full ? c->next_pos + DIV_ROUND_UP_ULL((u64)full * c->ring->nr_slots, 100) - 1 : 0;
}

/* Has @cpu's ring events, and filled @full per cent of its pages? */
static bool watermark_hit(struct rb_ext *ext, int cpu, int full)
{
	struct rb_ext_cpu *c;

	if (rb_ext_empty(ext, cpu))
		return false;
	if (!full || cpu == RING_BUFFER_ALL_CPUS)
		return true;

	c = per_cpu_ptr(ext->cpus, cpu);
	guard(raw_spinlock_irqsave)(&c->lock);

	return c->ring && rb_ext_tail(c->ring) >= watermark(c, full);
}

/* Wake all that events of this CPU concern. */
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
 * struct rb_alarm - an alarm to be set
 * @c:		for this CPU
 * @full:	when its ring is that full [per cent]
 * @busy:	the writer refused: only that CPU can set it
 */
struct rb_alarm {
	struct rb_ext_cpu	*c;
	int			full;
	bool			busy;
};

/* Is there none that will go off at that time or before? */
static bool alarm_missing(const struct rb_alarm *alarm)
{
	struct rb_ext_cpu *c = alarm->c;

	lockdep_assert_held(&c->lock);

	return c->ring && watermark(c, alarm->full) < c->alarm;
}

/*
 * Run on the CPU itself, or while it is off or its ring closed. If it is just going or
 * coming the writer refuses, and rb_ext_rearm() follows.
 */
static void alarm_set(void *data)
{
	struct rb_alarm *alarm = data;
	struct rb_ext_cpu *c = alarm->c;
	u64 pos, old;

	guard(raw_spinlock_irqsave)(&c->lock);

	alarm->busy = false;
	if (!alarm_missing(alarm))
		return;

	pos = watermark(c, alarm->full);
	old = c->alarm;
	/* This is first: it may go off at once, and rb_ext_doorbell() takes no lock. */
	WRITE_ONCE(c->alarm, pos);
	alarm->busy = c->ext->ops->set_alarm(c->cpu, pos);
	if (alarm->busy)
		WRITE_ONCE(c->alarm, old);
	else
		c->armed = jiffies;
}

/*
 * A CPU whose ring is closed is not interrupted for this: it may be one that is not to
 * be, nohz_full for instance. If it opens its ring just now the
 * writer refuses.
 */
static void alarm_set_anywhere(struct rb_alarm *alarm)
{
	struct rb_ext_cpu *c = alarm->c;

	if (!c->ext->ops->is_open(c->cpu)) {
		alarm_set(alarm);
		if (!alarm->busy)
			return;
	}

	if (smp_call_function_single(c->cpu, alarm_set, alarm, true))
		alarm_set(alarm);
}

static void cpu_arm(struct rb_ext_cpu *c, int full)
{
	struct rb_alarm alarm = { .c = c, .full = full };
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
 * Be woken when it is worth looking again. After this, look: there may have been an
 * event before the alarm was set, by whomever.
 */
static void arm(struct rb_ext *ext, int cpu, int full)
{
	if (!ext->ops->set_alarm) {
		schedule_delayed_work(&ext->poll, POLL_TICKS);
		return;
	}

	if (cpu != RING_BUFFER_ALL_CPUS) {
		cpu_arm(per_cpu_ptr(ext->cpus, cpu), full);
		return;
	}

	for_each_possible_cpu(cpu)
		cpu_arm(per_cpu_ptr(ext->cpus, cpu), 0);
}

/*
 * Has an alarm gone off? Then it must be set again, even if all has been read since, or
 * if another one was set meanwhile. What the writer says of it lies in shared memory;
 * the worst that follows is a spurious wake-up, or one too few.
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

/**
 * rb_ext_doorbell() - the writer may have rung, on this CPU
 * @ext:	the buffer
 *
 * Others ring there, too, and most of the time nobody waits: then there is nothing to
 * do, and no lock to take, which readers hold while they copy a page.
 *
 * That no alarm is set can be seen without the lock. It is noted before the writer is
 * asked for it: by this CPU with interrupts off; or by another one while this one is off
 * or its ring closed, and the writer, which takes its own lock for that and again before
 * this CPU's next event, makes that one's store visible here. Where it is found cleared,
 * whoever cleared it wakes those who wait, and they set it again.
 *
 * A wake-up may be spurious: who is woken looks, and waits again.
 *
 * Context: hard interrupt.
 */
void rb_ext_doorbell(struct rb_ext *ext)
{
	struct rb_ext_cpu *c = this_cpu_ptr(ext->cpus);

	if (READ_ONCE(c->alarm) != RB_EXT_NO_ALARM && alarm_clear(c))
		irq_work_queue(&c->doorbell);
}

static void doorbell_work(struct irq_work *work)
{
	wake_cpu(container_of(work, struct rb_ext_cpu, doorbell));
}

/**
 * rb_ext_rearm() - alarms may be lost: have those who wait set them again
 * @c:		the CPU
 *
 * Its ring is another one or empty, or it was off: when the writer rings on its way
 * there or back nobody listens.
 */
void rb_ext_rearm(struct rb_ext_cpu *c)
{
	scoped_guard(raw_spinlock_irqsave, &c->lock)
		WRITE_ONCE(c->alarm, RB_EXT_NO_ALARM);

	wake_cpu(c);
}

/* Without alarms, or too soon for one ----------------------------------------------- */

static bool anyone_waits(struct rb_ext *ext)
{
	int cpu;

	/* Who comes to wait just after this has the work run once more. */
	for_each_possible_cpu(cpu) {
		if (wq_has_sleeper(&per_cpu_ptr(ext->cpus, cpu)->waiters))
			return true;
	}

	return wq_has_sleeper(&ext->waiters);
}

/* Each waiter looks for itself, and wants to be woken again if need be. */
static void poll_work(struct work_struct *work)
{
	struct rb_ext *ext = container_of(to_delayed_work(work), struct rb_ext, poll);

	if (!anyone_waits(ext))
		return;

	if (ext->ops->set_alarm) {
		wake_all(ext);
		return;
	}

	if (!rb_ext_all_empty(ext))
		wake_all(ext);

	schedule_delayed_work(&ext->poll, POLL_TICKS);
}

/* Waiting ------------------------------------------------------------------------- */

/**
 * rb_ext_init_wait() - prepare for waiters
 * @ext:	the buffer, with its CPUs
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

int rb_ext_wait(struct rb_ext *ext, int cpu, int full,
		ring_buffer_cond_fn cond, void *data)
{
	int wakes = atomic_read(&ext->wakes), ret = 0;
	wait_queue_head_t *queue = queue_of(ext, cpu);
	DEFINE_WAIT(wait);

	while (1) {
		prepare_to_wait(queue, &wait, TASK_INTERRUPTIBLE);
		/* Without a condition they wait until they are told to give up. */
		if (watermark_hit(ext, cpu, full) ||
		    (cond ? cond(data) : atomic_read(&ext->wakes) != wakes))
			break;
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			break;
		}

		arm(ext, cpu, full);
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
		arm(ext, cpu, full);

	return watermark_hit(ext, cpu, full) ? EPOLLIN | EPOLLRDNORM : 0;
}
