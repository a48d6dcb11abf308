// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters of external writers' events.
 *
 * ftrace parses a filter, filter_parsed.h describes the result, filter_compile.c
 * compiles it, and the writer applies it before it records an event.
 */

#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/slab.h>

#include "filter_compile.h"
#include "internal.h"
#include "filter.h"

/* Can events of an instance have filters? Only a writer's own instance applies them. */
static bool has_filters(struct trace_array *tr)
{
	struct rb_ext *ext = trace_array_ext(tr);

	/* Not @ext->ops: during boot, they are not the writer's yet. */
	return ext && ext->writer->ops->set_filter;
}

/**
 * trace_ext_filter_allowed() - check whether an event may have a filter
 * @tr:		the instance
 * @call:	any event
 * @filter:	the user's input
 *
 * An event has a filter file even where filters are refused: trace-cmd enables an event only
 * if it has that file.
 *
 * Return: 0, or -EOPNOTSUPP, which the error_log of @tr explains
 */
int trace_ext_filter_allowed(struct trace_array *tr, const struct trace_event_call *call,
			     const char *filter)
{
	if (is_trace_ext_event(call) ? has_filters(tr) : !trace_array_ext(tr))
		return 0;

	return trace_ext_event_refuse(tr, call, TRACE_EXT_ERR_FILTER, filter);
}

/**
 * trace_ext_system_filter_allowed() - check whether a system's events may have a filter
 * @tr:		the instance
 * @system:	the system's name
 * @filter:	the user's input
 *
 * Context: event_mutex is held.
 * Return: as trace_ext_filter_allowed()
 */
int trace_ext_system_filter_allowed(struct trace_array *tr, const char *system, const char *filter)
{
	struct trace_event_file *file;

	lockdep_assert_held(&event_mutex);

	list_for_each_entry(file, &tr->events, list) {
		if (is_trace_ext_event(file->event_call) &&
		    !strcmp(file->event_call->class->system, system))
			return trace_ext_filter_allowed(tr, file->event_call, filter);
	}

	return 0;
}

/*
 * Log why an event can't have a filter; not if the reason is TRACE_EXT_NR_ERRORS, which is not
 * for the user.
 */
void trace_ext_filter_refused(struct trace_event_file *file, enum trace_ext_error why,
			      const char *filter)
{
	if (why != TRACE_EXT_NR_ERRORS)
		trace_ext_log_error(file->tr, to_trace_ext_event(file->event_call)->writer,
				    why, filter);
}

static int event_set_filter(struct trace_event_file *file, const struct ext_filter_pred *preds,
			    unsigned int nr)
{
	const struct trace_ext_event *event = to_trace_ext_event(file->event_call);
	const struct rb_ext *ext = trace_array_ext(file->tr);

	return ext->ops->set_filter ?
	       ext->ops->set_filter(ext->writer, event->number, preds, nr) : 0;
}

/**
 * trace_ext_filter_set() - have the writer apply a filter to an event
 * @file:	the event, in an external writer's instance
 * @filter:	the filter, as ftrace has parsed it
 * @why:	filled in with the reason of a failure, or TRACE_EXT_NR_ERRORS if there is none
 *		for the user
 *
 * Context: event_mutex is held.
 * Return: 0; or -EINVAL, -ENOSPC, -ENOMEM or the writer's error, and the event has the filter
 * that it had
 */
int trace_ext_filter_set(struct trace_event_file *file, const struct event_filter *filter,
			 enum trace_ext_error *why)
{
	struct ext_filter_pred *preds __free(kfree) = NULL;
	int ret;

	ret = trace_ext_filter_compile(filter, &preds, why);
	if (ret < 0)
		return ret;

	ret = event_set_filter(file, preds, ret);
	if (ret == -ENOSPC)
		*why = TRACE_EXT_ERR_ROOM;

	return ret;
}

/**
 * trace_ext_filter_clear() - an event's filter, if it has one, is about to be disabled
 * @file:	any event
 *
 * Context: event_mutex is held.
 */
void trace_ext_filter_clear(struct trace_event_file *file)
{
	if (is_trace_ext_event(file->event_call) && file->flags & EVENT_FILE_FL_FILTERED &&
	    has_filters(file->tr))
		event_set_filter(file, NULL, 0);
}
