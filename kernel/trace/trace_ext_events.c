// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of external writers: what they can't do, and who has them enabled.
 *
 * Registering an event (trace_event_class.reg) tells its writer to record it. Wherever
 * it is enabled, it is recorded in the writer's instance.
 */

#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "ring_buffer_ext_internal.h"
#include "trace_ext_events.h"

/* Say in the error_log of @tr, or the root's, what @writer's events can't do. */
static void log_error(struct trace_array *tr, struct trace_ext_writer *writer,
		      enum trace_ext_error error, const char *command)
{
	tracing_log_err(tr, writer->location, command, writer->errors, error, 0);
}

/**
 * trace_ext_event_refuse() - an external writer's event can't do what is wanted of it
 * @tr:		the instance, in whose error_log it is said; NULL for the root
 * @call:	the event; if it is not an external writer's, @tr is
 * @error:	what is not to be had
 * @command:	what was asked for
 *
 * To be called before anything has changed: ftrace's own undoing is not complete.
 *
 * Filter files are there nevertheless: trace-cmd takes an event for one that can be
 * enabled only if it has a filter, which may be empty.
 *
 * Return: -EOPNOTSUPP
 */
int trace_ext_event_refuse(struct trace_array *tr, const struct trace_event_call *call,
			   enum trace_ext_error error, const char *command)
{
	struct trace_ext_writer *writer = is_trace_ext_event(call) ?
		to_trace_ext_event(call)->writer : trace_array_ext(tr)->writer;

	log_error(tr, writer, error, command);
	return -EOPNOTSUPP;
}

/* The writer of a system's events in an instance, or NULL. */
static struct trace_ext_writer *system_writer(struct trace_array *tr, const char *system)
{
	struct trace_event_call *call;

	lockdep_assert_held(&event_mutex);

	if (trace_array_ext(tr))
		return trace_array_ext(tr)->writer;

	list_for_each_entry(call, &ftrace_events, list) {
		if (is_trace_ext_event(call) && !strcmp(call->class->system, system))
			return to_trace_ext_event(call)->writer;
	}

	return NULL;
}

/**
 * trace_ext_system_filter() - may all events of a system have a filter?
 * @tr:		the instance
 * @system:	the system's name
 * @filter:	what was written
 *
 * Context: event_mutex is held.
 * Return: 0, or -EOPNOTSUPP, which the error_log of @tr explains
 */
int trace_ext_system_filter(struct trace_array *tr, const char *system, char *filter)
{
	struct trace_ext_writer *writer = system_writer(tr, system);

	if (!writer)
		return 0;

	log_error(tr, writer, TRACE_EXT_ERR_FILTER, filter);
	return -EOPNOTSUPP;
}

static void note_if_foreign(struct trace_event_file *file)
{
	const struct trace_event_call *call = file->event_call;

	if (trace_ext_event_is_foreign(file->tr, call))
		log_error(file->tr, to_trace_ext_event(call)->writer,
			  TRACE_EXT_ERR_ELSEWHERE, trace_event_name(file->event_call));
}

#ifdef CONFIG_PERF_EVENTS
/*
 * The event's id is there for those who read the writer's instance. Who may not read
 * error_log may not fill it.
 */
static int refuse_perf(struct trace_event_call *call)
{
	if (!perfmon_capable())
		return -EOPNOTSUPP;

	return trace_ext_event_refuse(NULL, call, TRACE_EXT_ERR_PERF,
				      trace_event_name(call));
}
#endif

static int event_enable(struct trace_ext_event *event)
{
	return event->writer->ops->enable(event->number, event->call.event.type);
}

/**
 * trace_ext_event_reg() - have the writer record an event, or stop it
 * @call:	the event
 * @type:	what is wanted
 * @data:	the trace_event_file, of the instance that asks
 *
 * Wherever it is enabled, it is recorded in the writer's instance; if that is not the
 * one, its error_log says so. Before the writer is known it is only noted down who wants
 * it, for trace_ext_events_arm().
 *
 * Context: event_mutex is held.
 * Return: 0, -EOPNOTSUPP for anything but recording it (perf), or why the writer refused
 */
int trace_ext_event_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct trace_ext_event *event = to_trace_ext_event(call);
	bool armed = event->writer->armed;
	int ret = 0;

	switch (type) {
	case TRACE_REG_REGISTER:
		if (armed)
			note_if_foreign(data);
		if (armed && !event->users)
			ret = event_enable(event);
		if (!ret)
			event->users++;
		return ret;
	case TRACE_REG_UNREGISTER:
		if (--event->users || !armed)
			return 0;
		return event->writer->ops->enable(event->number, 0);
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		return refuse_perf(call);
#endif
	default:
		return -EOPNOTSUPP;
	}
}

/* The event of @writer behind @event, or the first one; NULL if there is none. */
static struct trace_ext_event *next_event(const struct trace_ext_writer *writer,
					  struct trace_ext_event *event)
{
	struct trace_event_call *call = event ? &event->call : NULL;

	lockdep_assert_held(&event_mutex);

	call = list_prepare_entry(call, &ftrace_events, list);
	list_for_each_entry_continue(call, &ftrace_events, list) {
		if (is_trace_ext_event(call) && to_trace_ext_event(call)->writer == writer)
			return to_trace_ext_event(call);
	}

	return NULL;
}

#define for_each_event_of(event, writer)				\
	for (event = next_event(writer, NULL); event; event = next_event(writer, event))

/**
 * trace_ext_format_init() - what the events of a writer look like
 * @writer:	the writer
 * @format:	to be filled in: the records that it writes
 *
 * Return: 0 or -ENOMEM
 */
int __init trace_ext_format_init(const struct trace_ext_writer *writer,
				 struct ext_page_format *format)
{
	struct trace_ext_event *event;
	unsigned int last = 0;
	u16 *size;

	guard(mutex)(&event_mutex);

	for_each_event_of(event, writer)
		last = max_t(unsigned int, last, event->call.event.type);

	size = kcalloc(last + 1, sizeof(*size), GFP_KERNEL);
	if (!size)
		return -ENOMEM;

	for_each_event_of(event, writer)
		size[event->call.event.type] = event->size;

	format->size = size;
	format->nr_types = last + 1;
	return 0;
}

/* Do something about each file of an event by which it is enabled. */
static void __init to_enabled_files(struct trace_event_call *call,
				    void (*fn)(struct trace_event_file *file))
{
	struct trace_event_file *file;
	struct trace_array *tr;

	guard(mutex)(&trace_types_lock);

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		list_for_each_entry(file, &tr->events, list) {
			if (file->event_call == call &&
			    file->flags & EVENT_FILE_FL_ENABLED)
				fn(file);
		}
	}
}

/* It has recorded nothing: no trace need be cleared when the event is removed. */
static void __init disarm(struct trace_event_file *file)
{
	trace_event_enable_disable(file, 0, 0);
	clear_bit(EVENT_FILE_FL_WAS_ENABLED_BIT, &file->flags);
}

static void __init arm(struct trace_ext_event *event)
{
	int ret;

	if (!event->users)
		return;

	ret = event_enable(event);
	if (ret) {
		pr_err("%s: %s, enabled at boot, is disabled again: %pe\n",
		       event->writer->label, trace_event_name(&event->call), ERR_PTR(ret));
		to_enabled_files(&event->call, disarm);
	} else {
		to_enabled_files(&event->call, note_if_foreign);
	}
}

/**
 * trace_ext_events_arm() - there is a writer to record its events
 * @writer:	the writer
 *
 * Has it record what has been enabled until now.
 */
void __init trace_ext_events_arm(struct trace_ext_writer *writer)
{
	struct trace_ext_event *event;

	guard(mutex)(&event_mutex);

	for_each_event_of(event, writer)
		arm(event);
	writer->armed = true;
}

/**
 * trace_ext_events_remove() - remove the events of writers that are not there
 *
 * One that is enabled could not be removed: it is disabled first.
 */
void __init trace_ext_events_remove(void)
{
	struct trace_event_call *call, *next;

	guard(mutex)(&event_mutex);

	list_for_each_entry_safe(call, next, &ftrace_events, list) {
		if (!is_trace_ext_event(call) || to_trace_ext_event(call)->writer->armed)
			continue;
		to_enabled_files(call, disarm);
		WARN_ON(trace_remove_event_call(call));
	}
}
