/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that an external writer records; defined with trace/define_trace_ext.h.
 */
#ifndef _LINUX_TRACE_EXT_EVENT_H
#define _LINUX_TRACE_EXT_EVENT_H

#include <linux/container_of.h>
#include <linux/trace_events.h>
#include <linux/trace_ext.h>

/**
 * struct trace_ext_event - an external writer's event
 * @call:	the event as ftrace knows it, with TRACE_EVENT_FL_EXTERNAL
 * @writer:	the writer that records it
 * @number:	the writer's number of the event
 * @size:	size of its record [bytes]
 * @by_kernel:	its text depends on this kernel's code, not only on its format
 * @action:	what it does as a trigger; protected by event_mutex
 * @users:	number of instances that have it enabled (the writer's, the root, or
 *		both); protected by event_mutex
 */
struct trace_ext_event {
	struct trace_event_call	call;
	struct trace_ext_writer	*writer;
	unsigned int		number;
	u16			size;
	bool			by_kernel;
	enum trace_ext_action	action;
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

int trace_ext_event_reg(struct trace_event_call *call, enum trace_reg type,
			void *data);

#endif /* _LINUX_TRACE_EXT_EVENT_H */
