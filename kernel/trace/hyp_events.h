/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hypervisor's events on the host, and where in tracefs they have what.
 */
#ifndef _KERNEL_TRACE_HYP_EVENTS_H
#define _KERNEL_TRACE_HYP_EVENTS_H

#include <linux/glob.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "ext_page.h"
#include "trace.h"

struct rb_ext;
struct trace_ext_ops;

/* The messages about an event in an error_log. */
enum hyp_event_error {
	HYP_ERR_FILTER,
	HYP_ERR_ELSEWHERE,
	HYP_ERR_TRIGGER,
	HYP_ERR_PROBE,
	HYP_ERR_PERF,
};

#ifdef CONFIG_NVHE_EL2_TRACING

int hyp_event_reg(struct trace_event_call *call, enum trace_reg type,
		  void *data);
int hyp_event_refuse(struct trace_array *tr, enum hyp_event_error error,
		     const char *command);
void trace_ext_follow_pids(struct rb_ext *ext);

int hyp_events_init(struct ext_page_format *format);
void hyp_events_arm(const struct trace_ext_ops *ops);
void hyp_events_remove(void);

static inline bool is_hyp_event(const struct trace_event_call *call)
{
	return call->class->reg == hyp_event_reg;
}

/**
 * hyp_event_is_foreign() - is it a hypervisor's event, in an instance that has
 * not got the hypervisor's buffer?
 * @tr:		the instance
 * @call:	any event
 */
static inline bool hyp_event_is_foreign(struct trace_array *tr,
					const struct trace_event_call *call)
{
	return is_hyp_event(call) && !trace_array_ext(tr);
}

/**
 * hyp_event_visible() - is the event to be listed in this instance?
 * @tr:		the instance
 * @call:	any event
 *
 * The root lists the hypervisor's, too: binary readers take all formats from
 * there, and tools look there for what can be enabled. The hypervisor's instance
 * has no others but ftrace's own.
 */
static inline bool hyp_event_visible(struct trace_array *tr,
				     const struct trace_event_call *call)
{
	if (is_hyp_event(call))
		return trace_array_ext(tr) ||
		       (tr->flags & TRACE_ARRAY_FL_GLOBAL);

	/* There may be others, of this kernel, in a system of that name. */
	return !trace_array_ext(tr) || !strcmp(call->class->system, "ftrace");
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
	if (!is_hyp_event(call) && !trace_array_ext(tr))
		return false;

	return strcmp(name, "id") && strcmp(name, "enable") &&
	       strcmp(name, "filter");
}

/**
 * hyp_event_unfiltered() - are events of this system recorded without a filter?
 * @tr:		the instance
 * @system:	the name of any event system
 */
static inline bool hyp_event_unfiltered(struct trace_array *tr,
					const char *system)
{
	return trace_array_ext(tr) || !strcmp(system, "hyp");
}

/**
 * hyp_event_unprobed() - is this an event that no event probe can hang on?
 * @call:	any event, or NULL
 */
static inline bool hyp_event_unprobed(const struct trace_event_call *call)
{
	return call && is_hyp_event(call);
}

/**
 * hyp_event_name_differs() - is this not the event that was written to set_event?
 * @pattern:	what was written, behind the system's name
 * @name:	the name of any event
 *
 * A glob, as elsewhere in ftrace. Without the option events go by their names only, as
 * they always have.
 */
static inline bool hyp_event_name_differs(const char *pattern, const char *name)
{
	return !glob_match(pattern, name);
}

#else

/* Macros: so that the compiler does not even see what there is to be left out. */
#define is_hyp_event(call)				false
#define hyp_event_refuse(tr, error, command)		0
#define trace_ext_follow_pids(ext)				do { } while (0)
#define hyp_event_is_foreign(tr, call)			false
#define hyp_event_visible(tr, call)			true
#define hyp_event_file_absent(tr, call, name)		false
#define hyp_event_unfiltered(tr, system)		false
#define hyp_event_unprobed(call)			false
#define hyp_event_name_differs(pattern, name)		(strcmp(pattern, name) != 0)

#endif

#endif /* _KERNEL_TRACE_HYP_EVENTS_H */
