/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An event that an external writer records; trace/define_trace_ext.h defines them.
 */
#ifndef _LINUX_TRACE_EXT_EVENT_H
#define _LINUX_TRACE_EXT_EVENT_H

#include <linux/container_of.h>
#include <linux/trace_events.h>
#include <linux/trace_ext.h>

/**
 * struct trace_ext_event - an external writer's event
 * @call:	ftrace's side of it, with TRACE_EVENT_FL_EXTERNAL
 * @writer:	who records it
 * @number:	by which the writer knows it
 * @size:	of its record [bytes]
 * @users:	instances that have it enabled: the writer's, the root, or both; under
 *		event_mutex
 */
struct trace_ext_event {
	struct trace_event_call	call;
	struct trace_ext_writer	*writer;
	unsigned int		number;
	u16			size;
	unsigned int		users;
};

/**
 * is_trace_ext_event() - does an external writer record this event?
 * @call:	any event
 *
 * Return: whether it does
 */
static inline bool is_trace_ext_event(const struct trace_event_call *call)
{
	return call->flags & TRACE_EVENT_FL_EXTERNAL;
}

/* The event of a trace_event_call of which is_trace_ext_event() is true. */
#define to_trace_ext_event(ptr)						\
	container_of_const(ptr, struct trace_ext_event, call)

int trace_ext_event_reg(struct trace_event_call *call, enum trace_reg type,
			void *data);

#endif /* _LINUX_TRACE_EXT_EVENT_H */
