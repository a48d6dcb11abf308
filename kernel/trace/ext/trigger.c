// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers of external writers' events.
 *
 * ftrace parses a trigger and keeps it in the event's list. In the writer's instance, the
 * writer itself executes traceoff and traceon, of which an event has at most one, and stacktrace,
 * at the event. For all others, histograms among them, the event is followed, and ftrace executes
 * them when it is delivered. At the root that is so for all triggers.
 *
 * Nothing here is soft-disabled: an event need not be enabled to be a trigger.
 */

#include <linux/cleanup.h>
#include <linux/slab.h>

#include "internal.h"
#include "filter.h"
#include "follow.h"
#include "trigger.h"

/* Does the writer execute triggers of an instance? */
static bool writer_has_triggers(struct trace_array *tr)
{
	struct rb_ext *ext = trace_array_ext(tr);

	return ext && ext->ops->set_trigger;
}

/* May an external writer's event have triggers in this instance? */
bool trace_ext_has_triggers(struct trace_array *tr, const struct trace_event_call *call)
{
	return writer_has_triggers(tr) || trace_ext_can_follow(call);
}

static enum trace_ext_action action_of(const char *command)
{
	if (!strcmp(command, "traceoff"))
		return TRACE_EXT_STOP;
	if (!strcmp(command, "traceon"))
		return TRACE_EXT_START;
	if (!strcmp(command, "stacktrace"))
		return TRACE_EXT_STACK_TRACE;

	return TRACE_EXT_NO_ACTION;
}

/* The kind of a trigger of an event. */
static enum trace_ext_kind trigger_kind(const struct trace_event_file *file, const char *command)
{
	if (!writer_has_triggers(file->tr))
		return TRACE_EXT_HOSTS;

	switch (action_of(command)) {
	case TRACE_EXT_NO_ACTION:
		return TRACE_EXT_HOSTS;
	case TRACE_EXT_STACK_TRACE:
		return TRACE_EXT_STACKS;
	default:
		return TRACE_EXT_TURNS;
	}
}

/* Does the writer execute this trigger of an event? */
static bool is_writers(const struct trace_event_file *file, const char *command)
{
	return trigger_kind(file, command) != TRACE_EXT_HOSTS;
}

/**
 * trace_ext_trigger_listed() - check whether an event has a trigger command
 * @file:	any event
 * @command:	the command's name
 *
 * A writer's instance has no histograms but those of its own events: nothing of this kernel
 * can be recorded there, or enabled.
 *
 * Return: true if so
 */
bool trace_ext_trigger_listed(struct trace_event_file *file, const char *command)
{
	if (!is_trace_ext_event(file->event_call) || is_writers(file, command))
		return true;

	return trace_ext_can_follow(file->event_call) &&
	       (!trace_array_ext(file->tr) || !strcmp(command, "hist"));
}

/**
 * trace_ext_trigger_allowed() - check whether an event may have a trigger
 * @file:	any event
 * @command:	the trigger's command
 *
 * Return: 0, or -EOPNOTSUPP, which error_log explains
 */
int trace_ext_trigger_allowed(struct trace_event_file *file, const char *command)
{
	const struct trace_event_call *call = file->event_call;

	if (!is_trace_ext_event(call))
		return 0;
	if (!trace_ext_has_triggers(file->tr, call) || !to_trace_ext_event(call)->writer->armed)
		return trace_ext_event_refuse(file->tr, call, TRACE_EXT_ERR_TRIGGER, command);
	if (*command && !trace_ext_trigger_listed(file, command))
		return trace_ext_event_refuse(file->tr, call, TRACE_EXT_ERR_COMMAND, command);

	return 0;
}

/**
 * trace_ext_trigger_prepare() - prepare a trigger before it is in its event's list
 * @file:	any event
 * @data:	the trigger
 *
 * What the writer executes this kernel must not do again if it follows the event.
 */
void trace_ext_trigger_prepare(struct trace_event_file *file, struct event_trigger_data *data)
{
	if (is_trace_ext_event(file->event_call) && is_writers(file, data->cmd_ops->name))
		data->paused = true;
}

/* The first of the event's triggers of a kind, or NULL. */
static struct event_trigger_data *trigger_of(struct trace_event_file *file,
					     enum trace_ext_kind kind)
{
	struct event_trigger_data *data;

	lockdep_assert_held(&event_mutex);

	list_for_each_entry(data, &file->triggers, list) {
		if (trigger_kind(file, data->cmd_ops->name) == kind)
			return data;
	}

	return NULL;
}

/* Tell the writer of a trigger. */
static int set_trigger(struct trace_event_file *file, enum trace_ext_action action,
		       const struct event_trigger_data *data, enum trace_ext_error *why)
{
	const struct event_filter *filter = rcu_access_pointer(data->filter);
	const struct trace_ext_event *event = to_trace_ext_event(file->event_call);
	struct rb_ext *ext = trace_array_ext(file->tr);
	struct ext_filter_pred *preds __free(kfree) = NULL;
	int nr = 0, ret;

	*why = TRACE_EXT_NR_ERRORS;
	if (filter)
		nr = trace_ext_filter_compile(filter, &preds, why);
	if (nr < 0)
		return nr;

	ret = ext->ops->set_trigger(ext->writer, event->number, action, (long)data->count, preds,
				    nr);
	if (ret == -ENOSPC)
		*why = TRACE_EXT_ERR_ROOM;

	return ret;
}

static int trigger_add(struct trace_event_file *file, enum trace_ext_kind kind,
		       const struct event_trigger_data *data)
{
	struct trace_ext_event *event = to_trace_ext_event(file->event_call);
	enum trace_ext_action action = action_of(data->cmd_ops->name);
	struct rb_ext *ext = trace_array_ext(file->tr);
	enum trace_ext_error why;
	int ret = 0;

	if (kind == TRACE_EXT_TURNS)
		ret = rb_ext_add_trigger(ext, action == TRACE_EXT_START);
	if (ret)
		return ret;

	ret = set_trigger(file, action, data, &why);
	if (ret) {
		trace_ext_filter_refused(file, why, data->filter_str ?: data->cmd_ops->name);
		if (kind == TRACE_EXT_TURNS)
			rb_ext_del_trigger(ext, action == TRACE_EXT_START);
		return ret;
	}

	event->action[kind] = action;
	return 0;
}

static void trigger_del(struct trace_event_file *file, enum trace_ext_kind kind)
{
	struct trace_ext_event *event = to_trace_ext_event(file->event_call);
	enum trace_ext_action action = event->action[kind];
	struct rb_ext *ext = trace_array_ext(file->tr);

	ext->ops->del_trigger(ext->writer, event->number, action);
	if (kind == TRACE_EXT_TURNS)
		rb_ext_del_trigger(ext, action == TRACE_EXT_START);
	event->action[kind] = TRACE_EXT_NO_ACTION;
}

/* Have the writer execute an event's trigger of a kind, if there is one. */
static int trigger_update(struct trace_event_file *file, enum trace_ext_kind kind)
{
	const struct trace_ext_event *event = to_trace_ext_event(file->event_call);
	const struct event_trigger_data *data;

	if (!writer_has_triggers(file->tr))
		return 0;

	data = trigger_of(file, kind);
	if (data && !event->action[kind])
		return trigger_add(file, kind, data);
	if (!data && event->action[kind])
		trigger_del(file, kind);

	return 0;
}

/* Follow the event while it has a trigger that this kernel executes. */
static int trigger_follow(struct trace_event_file *file)
{
	struct trace_ext_event *event = to_trace_ext_event(file->event_call);
	bool is_own = trace_array_ext(file->tr);
	enum trace_ext_by by = is_own ? TRACE_EXT_BY_OWN : TRACE_EXT_BY_ROOT;

	if (!trigger_of(file, TRACE_EXT_HOSTS)) {
		trace_ext_unfollow(event, by);
		return 0;
	}

	/* Neither instance is ever removed. */
	if (is_own)
		event->own = file;
	else
		event->root = file;

	return trace_ext_follow(event, by);
}

/**
 * trace_ext_trigger_update() - an external writer's event has got a trigger or has lost it
 * @file:	the event, whose list of triggers has been changed
 *
 * Context: event_mutex is held.
 * Return: 0, or a negative errno; then what the event has got has no effect
 */
int trace_ext_trigger_update(struct trace_event_file *file)
{
	return trigger_update(file, TRACE_EXT_TURNS) ?: trigger_update(file, TRACE_EXT_STACKS) ?:
	       trigger_follow(file);
}

/**
 * trace_ext_trigger_count() - get how often an event's triggers may still act, to show it
 * @file:	any event
 *
 * Context: event_mutex is held.
 */
void trace_ext_trigger_count(struct trace_event_file *file)
{
	const struct trace_event_call *call = file->event_call;
	struct event_trigger_data *data;
	enum trace_ext_kind kind;
	struct rb_ext *ext;

	if (!is_trace_ext_event(call) || !writer_has_triggers(file->tr))
		return;

	ext = trace_array_ext(file->tr);
	for (kind = 0; kind < TRACE_EXT_HOSTS; kind++) {
		data = trigger_of(file, kind);
		if (data)
			data->count = ext->ops->trigger_left(ext->writer,
							     to_trace_ext_event(call)->number,
							     action_of(data->cmd_ops->name));
	}
}
