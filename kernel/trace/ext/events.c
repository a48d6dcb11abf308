// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of external writers: enabling them, and refusing what they do not support.
 *
 * Registering an event (trace_event_class.reg) tells its writer to record it. Whichever
 * instance enables it, it is recorded in the writer's instance.
 */

#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/trace_ext_function.h>

#include "internal.h"
#include "events.h"
#include "follow.h"
#include "functions.h"

static void note_if_foreign(struct trace_event_file *file)
{
	struct trace_event_call *call = file->event_call;

	if (trace_ext_event_is_foreign(file->tr, call))
		trace_ext_log_error(file->tr, to_trace_ext_event(call)->writer,
				    TRACE_EXT_ERR_ELSEWHERE, trace_event_name(call));
}

#ifdef CONFIG_PERF_EVENTS
/* A user that may not read error_log must not write to it. */
static int perf_register(struct trace_event_call *call)
{
	if (trace_ext_can_follow(call))
		return trace_ext_follow(to_trace_ext_event(call), TRACE_EXT_BY_PERF);
	if (!perfmon_capable())
		return -EOPNOTSUPP;

	return trace_ext_event_refuse(NULL, call, TRACE_EXT_ERR_PERF, trace_event_name(call));
}

static int perf_reg(struct trace_event_call *call, enum trace_reg type, struct perf_event *event)
{
	switch (type) {
	case TRACE_REG_PERF_REGISTER:
		return perf_register(call);
	case TRACE_REG_PERF_UNREGISTER:
		trace_ext_unfollow(to_trace_ext_event(call), TRACE_EXT_BY_PERF);
		return 0;
	case TRACE_REG_PERF_OPEN:
		return trace_ext_perf_open(event);
	case TRACE_REG_PERF_CLOSE:
		trace_ext_perf_close(event);
		return 0;
	/* 0 has perf add it to this CPU's list, or delete it. */
	case TRACE_REG_PERF_ADD:
		trace_ext_perf_add(event);
		return 0;
	case TRACE_REG_PERF_DEL:
		trace_ext_perf_del(event);
		return 0;
	default:
		return 0;
	}
}
#else
static int perf_reg(struct trace_event_call *call, enum trace_reg type, struct perf_event *event)
{
	return -EOPNOTSUPP;
}
#endif

static int event_enable(struct trace_ext_event *event)
{
	return event->writer->ops->enable(event->writer, event->number, event->call.event.type);
}

static bool is_in_frozen(const struct trace_event_file *file)
{
	const struct rb_ext *ext = trace_array_ext(file->tr);

	return ext && trace_ext_is_frozen(ext->writer);
}

/**
 * trace_ext_event_reg() - have the writer record an event, or stop it
 * @call:	the event
 * @type:	the operation
 * @data:	the trace_event_file of the instance that enables the event; perf's event when one
 *		comes or goes
 *
 * The event is recorded in the writer's instance. If another instance enables it, the
 * error_log of that instance says so. Until trace_ext_events_arm(), the users are only
 * counted.
 *
 * Context: event_mutex is held.
 * Return: 0, -EOPNOTSUPP for perf if the writer has no follower, -EROFS in an instance that
 * only shows what has been recorded, or the writer's error
 */
int trace_ext_event_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct trace_ext_event *event = to_trace_ext_event(call);
	bool armed = event->writer->armed;
	int ret = 0;

	switch (type) {
	case TRACE_REG_REGISTER:
		if (is_in_frozen(data))
			return -EROFS;
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
		return event->writer->ops->enable(event->writer, event->number, 0);
	default:
		return perf_reg(call, type, data);
	}
}

/* The largest type of a writer's events; 0 if @writer is NULL. */
static unsigned int __init last_type(const struct trace_ext_writer *writer)
{
	struct trace_ext_event *event;
	unsigned int last = 0;

	trace_ext_for_each_event(event, writer)
		last = max_t(unsigned int, last, event->call.event.type);

	return last;
}

/* Add a writer's events, and those of ftrace's own records that it has. */
static void __init add_sizes(const struct trace_ext_writer *writer,
			     struct ext_page_format *format, u16 *size)
{
	struct trace_ext_event *event;

	trace_ext_for_each_event(event, writer)
		size[event->call.event.type] = event->size;

	if (writer->ops->set_stacks)
		size[TRACE_STACK] = offsetof(struct trace_ext_stack, caller[TRACE_EXT_STACK_MIN]);
	trace_ext_mark_format(writer, format, size);
	trace_ext_functions_format(writer, format, size);
}

/**
 * trace_ext_format_init() - fill in the format of the events in a writer's rings
 * @writer:	the writer; if it has a source, that writer's events are included
 * @format:	the format
 *
 * Return: 0 or -ENOMEM
 */
int __init trace_ext_format_init(const struct trace_ext_writer *writer,
				 struct ext_page_format *format)
{
	unsigned int last;
	u16 *size;

	guard(mutex)(&event_mutex);

	last = max3(last_type(writer), last_type(writer->source), (unsigned int)TRACE_GRAPH_ENT);
	size = kcalloc(last + 1, sizeof(*size), GFP_KERNEL);
	if (!size)
		return -ENOMEM;

	add_sizes(writer, format, size);
	if (writer->source)
		add_sizes(writer->source, format, size);
	format->size = size;
	format->nr_types = last + 1;
	return 0;
}

/* Boot ------------------------------------------------------------------------------- */

/* Call @fn for each instance's file of an event that is enabled there. */
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

/* The event has recorded nothing: don't clear any trace when it is removed. */
static void __init event_disarm(struct trace_event_file *file)
{
	trace_event_enable_disable(file, 0, 0);
	clear_bit(EVENT_FILE_FL_WAS_ENABLED_BIT, &file->flags);
}

/* Enable an event in its writer's instance, if a boot parameter has enabled it at the root. */
static bool __init move_from_root(struct trace_ext_event *event)
{
	const char *system = event->call.class->system;
	const char *name = trace_event_name(&event->call);
	struct trace_event_file *root, *own;

	root = __find_event_file(top_trace_array(), system, name);
	own = __find_event_file(event->writer->ext->tr, system, name);
	if (!root || !own || !(root->flags & EVENT_FILE_FL_ENABLED))
		return false;

	event_disarm(root);
	return !trace_event_enable_disable(own, 1, 0);
}

/* Have trace_event= enable a writer's events in its instance; true if it names any. */
bool __init trace_ext_events_move(struct trace_ext_writer *writer)
{
	struct trace_ext_event *event;
	bool any = false;

	guard(mutex)(&event_mutex);

	trace_ext_for_each_event(event, writer)
		any |= move_from_root(event);

	return any;
}

static void __init event_arm(struct trace_ext_event *event)
{
	int ret;

	if (!event->users)
		return;

	ret = event_enable(event);
	if (ret) {
		pr_err("%s: %s, enabled at boot, is disabled again: %pe\n",
		       event->writer->label, trace_event_name(&event->call), ERR_PTR(ret));
		to_enabled_files(&event->call, event_disarm);
	}
}

/* Have a writer record the events that have been enabled. */
void __init trace_ext_events_arm(struct trace_ext_writer *writer)
{
	struct trace_ext_event *event;

	guard(mutex)(&event_mutex);

	trace_ext_for_each_event(event, writer)
		event_arm(event);
	writer->armed = true;
}

/**
 * trace_ext_events_remove() - remove the events of writers that have no instance
 *
 * An event that is enabled can't be removed, so it is disabled first.
 */
void __init trace_ext_events_remove(void)
{
	struct trace_event_call *call, *next;

	guard(mutex)(&event_mutex);

	list_for_each_entry_safe(call, next, &ftrace_events, list) {
		if (!is_trace_ext_event(call) || to_trace_ext_event(call)->writer->armed)
			continue;
		to_enabled_files(call, event_disarm);
		WARN_ON(trace_remove_event_call(call));
	}
}
