/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filters of external writers' events: declarations.
 */
#ifndef _KERNEL_TRACE_EXT_FILTER_H
#define _KERNEL_TRACE_EXT_FILTER_H

#include "../trace.h"
#include "events.h"

#ifdef CONFIG_RING_BUFFER_EXT

int trace_ext_filter_allowed(struct trace_array *tr, const struct trace_event_call *call,
			     const char *filter);
int trace_ext_system_filter_allowed(struct trace_array *tr, const char *system,
				    const char *filter);
void trace_ext_filter_refused(struct trace_event_file *file, enum trace_ext_error why,
			      const char *filter);
int trace_ext_filter_compile(const struct event_filter *filter, struct ext_filter_pred **preds,
			     enum trace_ext_error *why);
int trace_ext_filter_set(struct trace_event_file *file, const struct event_filter *filter,
			 enum trace_ext_error *why);
void trace_ext_filter_clear(struct trace_event_file *file);
void trace_ext_filters_arm(struct trace_array *tr);

#else

#define trace_ext_filter_allowed(tr, call, filter)		0
#define trace_ext_system_filter_allowed(tr, system, filter)	0
#define trace_ext_filter_clear(file)				do { } while (0)

#endif

#endif /* _KERNEL_TRACE_EXT_FILTER_H */
