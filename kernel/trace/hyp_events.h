/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hypervisor's events on the host, and where in tracefs they have what.
 */
#ifndef _KERNEL_TRACE_HYP_EVENTS_H
#define _KERNEL_TRACE_HYP_EVENTS_H

#include <linux/string.h>
#include <linux/trace_events.h>

#include "hyp_page.h"
#include "trace.h"

#ifdef CONFIG_NVHE_EL2_TRACING

int hyp_event_reg(struct trace_event_call *call, enum trace_reg type,
		  void *data);
int hyp_event_filter_refuse(struct trace_array *tr, const char *filter);
void hyp_event_refer(struct trace_array *tr, const char *event);

static inline bool is_hyp_event(const struct trace_event_call *call)
{
	return call->class->reg == hyp_event_reg;
}

#else

static inline bool is_hyp_event(const struct trace_event_call *call)
{
	return false;
}

static inline int hyp_event_filter_refuse(struct trace_array *tr,
					  const char *filter)
{
	return 0;
}

static inline void hyp_event_refer(struct trace_array *tr, const char *event)
{
}

#endif

/**
 * hyp_event_usable() - can the event be enabled in this instance?
 * @tr:		the instance
 * @call:	any event
 *
 * Return: false for a hypervisor's event outside of the hypervisor's instance
 */
static inline bool hyp_event_usable(struct trace_array *tr,
				    const struct trace_event_call *call)
{
	return !is_hyp_event(call) || trace_array_remote(tr);
}

/**
 * hyp_event_refused() - must this instance not enable the event?
 * @tr:		the instance
 * @call:	any event
 * @asked:	the user has asked for it, not just for all that there is: say in
 *		error_log where it can be had
 *
 * Return: true for a hypervisor's event outside of the hypervisor's instance
 */
static inline bool hyp_event_refused(struct trace_array *tr,
				     struct trace_event_call *call, bool asked)
{
	if (hyp_event_usable(tr, call))
		return false;

	if (asked)
		hyp_event_refer(tr, trace_event_name(call));

	return true;
}

/**
 * hyp_event_visible() - is the event to be listed in this instance?
 * @tr:		the instance
 * @call:	any event
 *
 * The root lists those that it can't enable: binary readers take all formats
 * from there.
 */
static inline bool hyp_event_visible(struct trace_array *tr,
				     const struct trace_event_call *call)
{
	return hyp_event_usable(tr, call) ||
	       (tr->flags & TRACE_ARRAY_FL_GLOBAL);
}

/**
 * hyp_event_file_absent() - is this file not for this event here?
 * @tr:		the instance
 * @call:	any event
 * @name:	a file in the event's directory, other than "format"
 */
static inline bool hyp_event_file_absent(struct trace_array *tr,
					 const struct trace_event_call *call,
					 const char *name)
{
	if (!strcmp(name, "id"))
		return false;
	if (!trace_array_remote(tr))
		return is_hyp_event(call);

	return strcmp(name, "enable") && strcmp(name, "filter");
}

/**
 * hyp_system_has_files() - can the system's events be enabled here?
 * @tr:		the instance
 * @system:	the name of any event system
 */
static inline bool hyp_system_has_files(struct trace_array *tr,
					const char *system)
{
	return !IS_ENABLED(CONFIG_NVHE_EL2_TRACING) || trace_array_remote(tr) ||
	       strcmp(system, "hyp");
}

struct rb_remote_ops;

int hyp_events_init(const struct rb_remote_ops *ops,
		    struct hyp_page_format *format);
void hyp_events_remove(void);

#endif /* _KERNEL_TRACE_HYP_EVENTS_H */
