// SPDX-License-Identifier: GPL-2.0-only
/*
 * Remote ring buffers: those who wait for events.
 *
 * The writer can't wake anybody. While somebody waits, and only then, a work
 * looks for events; it reads shared memory and causes no hypercall as long as
 * there are none.
 */

#include "ring_buffer_remote_internal.h"

#define POLL_INTERVAL_MS	10

/* Has @cpu's ring events, and filled @full per cent of its pages? */
static bool watermark_hit(struct rb_remote *remote, int cpu, int full)
{
	struct rb_remote_cpu *c;
	u64 dirty, end;

	if (rb_remote_empty(remote, cpu))
		return false;
	if (!full || cpu == RING_BUFFER_ALL_CPUS)
		return true;

	c = per_cpu_ptr(remote->cpus, cpu);
	guard(raw_spinlock_irqsave)(&c->lock);
	if (!c->ring)
		return false;

	/* The page that is being written counts: else 100 % were never hit. */
	end = rb_remote_tail(c->ring) + 1;
	dirty = end > c->next_pos ? end - c->next_pos : 0;
	return c->next_pos && dirty * 100 >= (u64)full * c->ring->nr_slots;
}

static void arm_poll(struct rb_remote *remote)
{
	schedule_delayed_work(&remote->poll,
			      msecs_to_jiffies(POLL_INTERVAL_MS));
}

/* Each waiter looks for itself, and wants to be woken again if need be. */
static void poll_work(struct work_struct *work)
{
	struct rb_remote *remote = container_of(to_delayed_work(work),
						struct rb_remote, poll);

	/* Who comes to wait just after this arms the poll themselves. */
	if (!waitqueue_active(&remote->waiters))
		return;

	if (!rb_remote_all_empty(remote))
		wake_up_all(&remote->waiters);

	arm_poll(remote);
}

/**
 * rb_remote_init_wait() - prepare for waiters
 * @remote:	the buffer
 */
void rb_remote_init_wait(struct rb_remote *remote)
{
	init_waitqueue_head(&remote->waiters);
	INIT_DELAYED_WORK(&remote->poll, poll_work);
}

void rb_remote_wake(struct rb_remote *remote)
{
	atomic_inc(&remote->wakes);
	wake_up_all(&remote->waiters);
}

int rb_remote_wait(struct rb_remote *remote, int cpu, int full,
		   ring_buffer_cond_fn cond, void *data)
{
	int wakes = atomic_read(&remote->wakes), ret = 0;
	DEFINE_WAIT(wait);

	while (1) {
		prepare_to_wait(&remote->waiters, &wait, TASK_INTERRUPTIBLE);
		/* Without a condition: until they are told to give up. */
		if (watermark_hit(remote, cpu, full) ||
		    (cond ? cond(data) : atomic_read(&remote->wakes) != wakes))
			break;
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			break;
		}

		arm_poll(remote);
		schedule();
	}

	finish_wait(&remote->waiters, &wait);
	return ret;
}

__poll_t rb_remote_poll(struct rb_remote *remote, int cpu, struct file *filp,
			poll_table *poll_table, int full)
{
	poll_wait(filp, &remote->waiters, poll_table);
	if (watermark_hit(remote, cpu, full))
		return EPOLLIN | EPOLLRDNORM;

	arm_poll(remote);
	return 0;
}
