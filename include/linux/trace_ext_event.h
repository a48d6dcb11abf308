/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that an external writer records; defined with trace/define_trace_ext.h.
 */
#ifndef _LINUX_TRACE_EXT_EVENT_H
#define _LINUX_TRACE_EXT_EVENT_H

#include <linux/container_of.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/trace_events.h>
#include <linux/trace_ext.h>

/**
 * enum trace_ext_kind - kinds of an event's triggers in its writer's instance
 * @TRACE_EXT_TURNS:	what stops or starts recording; the event has at most one
 * @TRACE_EXT_STACKS:	what records its stack; the event has at most one
 * @TRACE_EXT_HOSTS:	all others, which this kernel executes
 */
enum trace_ext_kind {
	TRACE_EXT_TURNS,
	TRACE_EXT_STACKS,
	TRACE_EXT_HOSTS,
};

/**
 * struct trace_ext_event - an external writer's event
 * @call:	the event as ftrace knows it, with TRACE_EVENT_FL_EXTERNAL
 * @writer:	the writer that records it
 * @number:	the writer's number of the event
 * @size:	size of its record [bytes]
 * @by_kernel:	its text depends on this kernel's code, not only on its format
 * @action:	what it does as a trigger, by kind; protected by event_mutex
 * @own:	its file in its writer's instance, if that has had triggers
 * @root:	its file at the root, if that has had triggers
 * @listeners:	perf events of it; changed with event_mutex held
 * @followed:	set of enum trace_ext_by: who follows it; changed with event_mutex held
 * @users:	number of instances that have it enabled (the writer's, the root, or
 *		both); protected by event_mutex
 */
struct trace_ext_event {
	struct trace_event_call	call;
	struct trace_ext_writer	*writer;
	unsigned int		number;
	u16			size;
	bool			by_kernel;
	enum trace_ext_action	action[TRACE_EXT_HOSTS];
	struct trace_event_file	*own;
	struct trace_event_file	*root;
	struct hlist_head	listeners;
	unsigned int		followed;
	unsigned int		users;
};

/**
 * is_trace_ext_event() - check whether an external writer records an event
 * @call:	any event
 *
 * Return: true if so
 */
static inline bool is_trace_ext_event(const struct trace_event_call *call)
{
	return call->flags & TRACE_EVENT_FL_EXTERNAL;
}

/* The external event of a trace_event_call; is_trace_ext_event() must be true. */
#define to_trace_ext_event(ptr)						\
	container_of_const(ptr, struct trace_ext_event, call)

#if defined(CONFIG_RING_BUFFER_EXT) && defined(CONFIG_PERF_EVENTS)
/**
 * trace_ext_event_has_time() - check whether a perf event's samples have times of their own
 * @event:	any perf event
 *
 * They are never taken in an NMI. So perf may use a clock that can't be read there.
 *
 * Return: true if it is of an external event
 */
static inline bool trace_ext_event_has_time(const struct perf_event *event)
{
	return event->tp_event && is_trace_ext_event(event->tp_event);
}

u64 __trace_ext_event_time(const struct perf_event *event);

/**
 * trace_ext_event_time() - get the time of an external event that is being delivered to perf
 * @event:	any perf event
 *
 * Return: boot clock [ns]; 0 if @event is not of such an event, or has another clock
 */
static inline u64 trace_ext_event_time(const struct perf_event *event)
{
	return trace_ext_event_has_time(event) ? __trace_ext_event_time(event) : 0;
}

bool __trace_ext_event_is_for(const struct perf_event *event);

/**
 * trace_ext_event_is_for() - check whether what happens now is for a perf event
 * @event:	any perf event
 *
 * Return: false if an external event is being delivered, and was not for it when it happened
 */
static inline bool trace_ext_event_is_for(const struct perf_event *event)
{
	return !trace_ext_event_has_time(event) || __trace_ext_event_is_for(event);
}

void __trace_ext_event_turned(struct perf_event *event, bool on);
void __trace_ext_group_turned(struct perf_event *leader, bool on);

/**
 * trace_ext_event_state() - a perf event gets a new state
 * @event:	any perf event; if it leads a group, others of that may be external
 * @state:	the state; if it is negative, the event is off, and so is its group
 */
static inline void trace_ext_event_state(struct perf_event *event, enum perf_event_state state)
{
	bool was_off = event->state < 0, is_off = state < 0;

	if (was_off == is_off)
		return;
	if (trace_ext_event_has_time(event))
		__trace_ext_event_turned(event, !is_off);
	if (event->nr_siblings)
		__trace_ext_group_turned(event, !is_off);
}

void trace_ext_perf_settle(int cpu);
void __trace_ext_task_settle(const struct task_struct *task);

/**
 * trace_ext_event_settle() - a perf event is going to be read, or changed by its user
 * @event:	any perf event; others of its group may be external
 */
static inline void trace_ext_event_settle(const struct perf_event *event)
{
	if (trace_ext_event_has_time(event) || event->nr_siblings || event->group_leader != event)
		trace_ext_perf_settle(event->cpu);
}

/**
 * trace_ext_owner_settle() - all perf events that a task has opened are going to be turned on
 * @task:	any task
 */
static inline void trace_ext_owner_settle(const struct task_struct *task)
{
	if (!list_empty(&task->perf_event_list))
		trace_ext_perf_settle(-1);
}

/**
 * trace_ext_task_settle() - the counts of a task's perf events are going to be summed up
 * @task:	any task, which exits
 */
static inline void trace_ext_task_settle(const struct task_struct *task)
{
	if (task->perf_event_ctxp)
		__trace_ext_task_settle(task);
}
#else
#define trace_ext_event_has_time(event)		false
#define trace_ext_event_time(event)		0
#define trace_ext_event_is_for(event)		true
#define trace_ext_event_state(event, state)	do { } while (0)
#define trace_ext_event_settle(event)		do { } while (0)
#define trace_ext_owner_settle(task)		do { } while (0)
#define trace_ext_task_settle(task)		do { } while (0)
#endif

int trace_ext_perf_perm(struct trace_event_call *call, struct perf_event *event);
int trace_ext_event_reg(struct trace_event_call *call, enum trace_reg type, void *data);

#endif /* _LINUX_TRACE_EXT_EVENT_H */
