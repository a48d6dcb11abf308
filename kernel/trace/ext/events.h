/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of external writers: which files they have in tracefs.
 */
#ifndef _KERNEL_TRACE_EXT_EVENTS_H
#define _KERNEL_TRACE_EXT_EVENTS_H

#include <linux/glob.h>
#include <linux/string.h>
#include <linux/trace_ext_event.h>

#include "page.h"
#include "../trace.h"
#include "instance.h"

#ifdef CONFIG_RING_BUFFER_EXT

bool trace_ext_can_follow(const struct trace_event_call *call);
bool trace_ext_has_triggers(struct trace_array *tr, const struct trace_event_call *call);

int trace_ext_event_refuse(struct trace_array *tr, const struct trace_event_call *call,
			   enum trace_ext_error error, const char *command);
void trace_ext_log_error(struct trace_array *tr, struct trace_ext_writer *writer,
			 enum trace_ext_error error, const char *command);

int trace_ext_format_init(const struct trace_ext_writer *writer, struct ext_page_format *format);
bool trace_ext_events_move(struct trace_ext_writer *writer);
void trace_ext_events_arm(struct trace_ext_writer *writer);
void trace_ext_events_remove(void);

void trace_ext_mark_format(const struct trace_ext_writer *writer, struct ext_page_format *format,
			   u16 *size);
void trace_ext_mark_file(struct rb_ext *ext, struct dentry *dir);

/* Is an event one of this writer's? event_mutex is held. */
static inline bool trace_ext_event_is_of(const struct trace_ext_event *event,
					 const struct trace_ext_writer *writer)
{
	lockdep_assert_held(&event_mutex);

	return is_trace_ext_event(&event->call) && event->writer == writer;
}

#define trace_ext_for_each_event(event, of)			\
	list_for_each_entry(event, &ftrace_events, call.list)	\
		if (trace_ext_event_is_of(event, of))

/**
 * trace_ext_event_is_foreign() - check whether an external writer records an event in an
 * instance other than this one
 * @tr:		the instance
 * @call:	any event
 *
 * Return: true if so
 */
static inline bool trace_ext_event_is_foreign(struct trace_array *tr,
					      const struct trace_event_call *call)
{
	return is_trace_ext_event(call) && !trace_array_ext(tr);
}

/**
 * trace_ext_event_visible() - check whether an instance lists an event
 * @tr:		the instance, which has the event's system
 * @call:	any event
 *
 * The root lists external events, too: binary readers take all formats from there, and
 * tools look there for events to enable. A writer's instance lists only the writer's events
 * and ftrace's own: a system of the same name may have tracepoints of this kernel, too.
 *
 * Return: true if so
 */
static inline bool trace_ext_event_visible(struct trace_array *tr,
					   const struct trace_event_call *call)
{
	if (is_trace_ext_event(call))
		return trace_array_ext(tr) || (tr->flags & TRACE_ARRAY_FL_GLOBAL);

	return !trace_array_ext(tr) || !strcmp(call->class->system, "ftrace");
}

/**
 * trace_ext_file_absent() - check whether an event's directory lacks a file
 * @tr:		the instance
 * @call:	any event
 * @name:	a file in the event's directory, other than "format"
 *
 * Return: true if so
 */
static inline bool trace_ext_file_absent(struct trace_array *tr,
					 const struct trace_event_call *call,
					 const char *name)
{
	if (is_trace_ext_event(call) && !strcmp(name, "trigger"))
		return !trace_ext_has_triggers(tr, call);
	if (is_trace_ext_event(call) && (!strcmp(name, "hist") || !strcmp(name, "hist_debug")))
		return !trace_ext_can_follow(call);

	return (is_trace_ext_event(call) || trace_array_ext(tr)) &&
	       strcmp(name, "id") && strcmp(name, "enable") && strcmp(name, "filter");
}

/**
 * trace_ext_name_differs() - compare an event's name with what was written to set_event
 * @call:	any event
 * @pattern:	the part that follows the system's name; for an external writer's event a glob
 * @name:	the event's name
 *
 * Return: true if the name does not match
 */
static inline bool trace_ext_name_differs(const struct trace_event_call *call,
					  const char *pattern, const char *name)
{
	return is_trace_ext_event(call) ? !glob_match(pattern, name) : strcmp(pattern, name);
}

#else

/* Constants, so that the hooks compile to nothing. */
#undef is_trace_ext_event
#define is_trace_ext_event(call)			false
#define trace_ext_event_refuse(tr, call, error, command) 0
#define trace_ext_event_is_foreign(tr, call)		false
#define trace_ext_event_visible(tr, call)		true
#define trace_ext_file_absent(tr, call, name)		false
#define trace_ext_name_differs(call, pattern, name)	(strcmp(pattern, name) != 0)

#endif

#endif /* _KERNEL_TRACE_EXT_EVENTS_H */
