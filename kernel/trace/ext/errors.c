// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors of external writers' events: if a user asks for what an event can't do, error_log gets a
 * line that says what is allowed.
 */

#include "internal.h"
#include "events.h"

/* Write to an instance's error_log, or the root's if @tr is NULL, what an event can't do. */
void trace_ext_log_error(struct trace_array *tr, struct trace_ext_writer *writer,
			 enum trace_ext_error error, const char *command)
{
	tracing_log_err(tr, writer->location, command, writer->errors, error, 0);
}

/**
 * trace_ext_event_refuse() - refuse what an external writer's event does not support
 * @tr:		the instance whose error_log is used; NULL for the root
 * @call:	the event; if it is not external, @tr is an external writer's instance
 * @error:	the operation that is not supported
 * @command:	the user's input
 *
 * Call this before anything has changed: ftrace does not undo all that it does.
 *
 * Return: -EOPNOTSUPP
 */
int trace_ext_event_refuse(struct trace_array *tr, const struct trace_event_call *call,
			   enum trace_ext_error error, const char *command)
{
	struct rb_ext *ext = tr ? trace_array_ext(tr) : NULL;
	struct trace_ext_writer *writer = ext ? ext->writer : to_trace_ext_event(call)->writer;

	trace_ext_log_error(tr, writer, error, command);
	return -EOPNOTSUPP;
}
