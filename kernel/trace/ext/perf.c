// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf and BPF follow external events.
 *
 * An event is delivered some time after it has happened, and it is for the perf events that were
 * there when it happened: those of its CPU and of its task that were on. Most still are, in perf's
 * list of this CPU, and perf counts and samples the event as any other. The others have been
 * turned off or switched out meanwhile. The event is added to their counts here; a sample would
 * show another task, so it is missed, and counted as that.
 *
 * So nothing need be delivered when perf adds or deletes its events, which it does in the
 * scheduler, with a runqueue's lock held.
 */

#include <linux/bpf.h>
#include <linux/cleanup.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "../trace.h"
#include "follow.h"

/**
 * struct listener - a perf event of an external event
 * @node:	in the event's list
 * @rcu:	frees it
 * @event:	the perf event
 * @since:	when it was turned on, boot clock [ns]
 * @until:	when it was turned off, or left its CPU, boot clock [ns]
 */
struct listener {
	struct hlist_node	node;
	struct rcu_head		rcu;
	struct perf_event	*event;
	u64			since;
	u64			until;
};

/* The number of listeners; protected by event_mutex. */
static unsigned int nr_listeners;

/* When a perf event has last left a CPU, boot clock [ns]. */
static DEFINE_PER_CPU(u64, last_left);

/* perf leaves this member to the PMU. */
static struct listener *listener_of(const struct perf_event *event)
{
	return event->hw.addr_filters;
}

static bool is_of_task(const struct perf_event *event)
{
	return event->attach_state & PERF_ATTACH_TASK;
}

/* An event that a task has inherited is on since its parent's event is. */
static bool was_on(const struct perf_event *event, u64 ts)
{
	return ts >= READ_ONCE(listener_of(event->parent ?: event)->since);
}

/* Perf events come and go --------------------------------------------------------------- */

/**
 * trace_ext_perf_open() - there is a perf event of an external event
 * @event:	the perf event
 *
 * Context: event_mutex is held.
 * Return: 0 or -ENOMEM
 */
int trace_ext_perf_open(struct perf_event *event)
{
	struct listener *listener = kzalloc(sizeof(*listener), GFP_KERNEL);

	lockdep_assert_held(&event_mutex);

	if (!listener)
		return -ENOMEM;

	listener->event = event;
	listener->since = ktime_get_boot_fast_ns();
	event->hw.addr_filters = listener;
	hlist_add_head_rcu(&listener->node, &to_trace_ext_event(event->tp_event)->listeners);
	WRITE_ONCE(nr_listeners, nr_listeners + 1);
	return 0;
}

/* A perf event will be freed, by perf after a grace period; event_mutex is held. */
void trace_ext_perf_close(struct perf_event *event)
{
	struct listener *listener = listener_of(event);

	lockdep_assert_held(&event_mutex);

	WRITE_ONCE(nr_listeners, nr_listeners - 1);
	hlist_del_rcu(&listener->node);
	kfree_rcu(listener, rcu);
}

/* A perf event comes to this CPU; interrupts are off. */
void trace_ext_perf_add(struct perf_event *event)
{
#ifdef CONFIG_CGROUP_PERF
	/* It is not known which tasks it was for before. */
	if (event->cgrp)
		WRITE_ONCE(listener_of(event)->since, ktime_get_boot_fast_ns());
#endif
}

/* A perf event leaves this CPU; interrupts are off. */
void trace_ext_perf_del(struct perf_event *event)
{
	u64 now = ktime_get_boot_fast_ns();

	WRITE_ONCE(listener_of(event)->until, now);
	__this_cpu_write(last_left, now);
}

/* Is a perf event on, and so is its group? */
static bool is_on(const struct perf_event *event)
{
	return event->state >= PERF_EVENT_STATE_INACTIVE &&
	       event->group_leader->state >= PERF_EVENT_STATE_INACTIVE;
}

/**
 * __trace_ext_event_turned() - a perf event of an external event is turned on or off
 * @event:	the perf event
 * @on:		what it is now
 *
 * One of a CPU has been on until it left the CPU; one whose group is off already, until that was
 * turned off. The states are those from before.
 */
void __trace_ext_event_turned(struct perf_event *event, bool on)
{
	struct listener *listener = listener_of(event);

	if (on)
		WRITE_ONCE(listener->since, ktime_get_boot_fast_ns());
	else if (is_of_task(event) && is_on(event))
		WRITE_ONCE(listener->until, ktime_get_boot_fast_ns());
}

/**
 * __trace_ext_group_turned() - a group of perf events is turned on or off
 * @leader:	its leader
 * @on:		what it is now
 *
 * Siblings that are off themselves stay off.
 */
void __trace_ext_group_turned(struct perf_event *leader, bool on)
{
	struct perf_event *event;

	for_each_sibling_event(event, leader) {
		if (trace_ext_event_has_time(event) && event->state >= PERF_EVENT_STATE_INACTIVE)
			__trace_ext_event_turned(event, on);
	}
}

/* Delivery ------------------------------------------------------------------------------ */

/**
 * __trace_ext_event_is_for() - check whether what is being delivered is for a perf event
 * @event:	a perf event of an external event, in perf's list of this CPU
 *
 * Return: true if so, or nothing is being delivered
 */
bool __trace_ext_event_is_for(const struct perf_event *event)
{
	const struct trace_ext_delivery *this = this_cpu_ptr(&trace_ext_delivery);

	if (!this->rbe)
		return true;
	if (!was_on(event, this->ts))
		return false;

	return is_of_task(event) ? trace_ext_delivered_pid(this) == current->pid :
				   this->cpu == smp_processor_id();
}

/* Count the event for a perf event that is not in perf's list. Return 1 if it misses a sample. */
static unsigned int perf_count(struct perf_event *event, const struct trace_ext_delivery *this)
{
	/* Only events that are not inherited have a filter. */
	struct event_filter *filter = (event->parent ?: event)->filter;

	if (!was_on(event, this->ts) || event->attr.exclude_kernel ||
	    !filter_match_preds(filter, ring_buffer_event_data(this->rbe)))
		return 0;

	local64_inc(&event->count);
	return is_sampling_event(event);
}

/* Has the CPU's perf event left it since the event being delivered? */
static bool has_left_cpu(const struct perf_event *event, const struct trace_ext_delivery *this)
{
	return !is_of_task(event) && event->cpu == this->cpu &&
	       READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE &&
	       this->ts < READ_ONCE(listener_of(event)->until);
}

/* The same for the task's; if the task is current, those that are on are in perf's list. */
static bool has_left_task(const struct perf_event *event, const struct trace_ext_delivery *this)
{
	if (event->cpu >= 0 && event->cpu != this->cpu)
		return false;
	if (is_on(event))
		return trace_ext_delivered_pid(this) != current->pid;

	return this->ts < READ_ONCE(listener_of(event)->until);
}

/*
 * Lock the perf events of the task that has caused the event. Tasks exchange theirs, so look again
 * with the lock held.
 */
static struct perf_event_context *lock_context(const struct trace_ext_delivery *this)
{
	struct task_struct *task = find_task_by_pid_ns(trace_ext_delivered_pid(this),
						       &init_pid_ns);
	struct perf_event_context *ctx = task ? READ_ONCE(task->perf_event_ctxp) : NULL;

	while (ctx) {
		raw_spin_lock(&ctx->lock);
		if (ctx == READ_ONCE(task->perf_event_ctxp))
			return ctx;

		raw_spin_unlock(&ctx->lock);
		ctx = READ_ONCE(task->perf_event_ctxp);
	}

	return NULL;
}

/* Count the event for those that have left. Return the number of samples that are missed. */
static unsigned int count_for_left(const struct trace_ext_delivery *this)
{
	struct perf_event_context *ctx;
	unsigned int missed = 0;
	struct listener *l;

	guard(rcu)();

	ctx = lock_context(this);
	hlist_for_each_entry_rcu(l, &this->event->listeners, node) {
		struct perf_event *event = l->event;

		if (has_left_cpu(event, this) ||
		    (ctx && event->ctx == ctx && has_left_task(event, this)))
			missed += perf_count(event, this);
	}
	if (ctx)
		raw_spin_unlock(&ctx->lock);

	return missed;
}

/* Has any left since, or is the task of the event switched out? */
static bool may_have_left(const struct trace_ext_delivery *this)
{
	return this->ts < per_cpu(last_left, this->cpu) ||
	       trace_ext_delivered_pid(this) != current->pid;
}

/**
 * trace_ext_perf_deliver() - deliver an event to perf and BPF
 * @this:	the event
 *
 * As a tracepoint's probe does it, with the registers of what has been interrupted.
 *
 * Return: number of perf events that miss a sample
 */
unsigned int trace_ext_perf_deliver(const struct trace_ext_delivery *this)
{
	struct trace_event_call *call = &this->event->call;
	struct hlist_head *head = this_cpu_ptr(call->perf_events);
	bool has_prog = bpf_prog_array_valid(call);
	u32 size = this->event->size;
	struct pt_regs *regs;
	void *record;
	int rctx;

	if (!has_prog && hlist_empty(head))
		goto left;

	/* perf puts a u32 in front of it. */
	size = ALIGN(size + sizeof(u32), sizeof(u64)) - sizeof(u32);
	record = perf_trace_buf_alloc(size, &regs, &rctx);
	if (!record)
		goto left;

	memcpy(record, ring_buffer_event_data(this->rbe), this->event->size);
	if (this->regs)
		regs = this->regs;
	else
		perf_fetch_caller_regs(regs);

	if (has_prog) {
		*(struct pt_regs **)record = regs;
		if (!trace_call_bpf(call, record)) {
			perf_swevent_put_recursion_context(rctx);
			return 0;
		}
	}

	perf_tp_event(call->event.type, 1, record, size, regs, head, rctx, NULL);
left:
	return may_have_left(this) ? count_for_left(this) : 0;
}

/*
 * Can BPF programs run? While one runs, or a map is changed, no other runs on this CPU, and perf
 * does not see the event either.
 */
bool trace_ext_perf_can_deliver(void)
{
#ifdef CONFIG_BPF_EVENTS
	return !__this_cpu_read(bpf_prog_active);
#else
	return true;
#endif
}

/* Are there any perf events of external events? */
bool trace_ext_perf_is_listening(void)
{
	return READ_ONCE(nr_listeners);
}

/* Hooks: what perf asks -------------------------------------------------------------- */

/**
 * __trace_ext_event_time() - get the time of an event that is being delivered, for perf
 * @event:	a perf event of an external event
 *
 * Return: boot clock [ns]; 0 if @event has another clock, or it is another event
 */
u64 __trace_ext_event_time(const struct perf_event *event)
{
	bool boot = event->attr.use_clockid && event->attr.clockid == CLOCK_BOOTTIME;
	const struct trace_ext_delivery *this;

	/* Only then it is certain that this runs on one CPU. */
	if (!boot || !trace_ext_is_delivering())
		return 0;

	this = this_cpu_ptr(&trace_ext_delivery);
	return event->tp_event == &this->event->call ? this->ts : 0;
}

/**
 * trace_ext_perf_perm() - check whether a user may follow an external event by perf
 * @call:	the event
 * @event:	the perf event
 *
 * Even to count it costs memory and interrupts, on all CPUs. perf itself asks only of users
 * who want the fields.
 *
 * Return: 0 or -EPERM
 */
int trace_ext_perf_perm(struct trace_event_call *call, struct perf_event *event)
{
	bool allowed = event->parent || sysctl_perf_event_paranoid < 0 || perfmon_capable();

	return allowed ? 0 : -EPERM;
}
