/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers of external writers' events: declarations.
 */
#ifndef _KERNEL_TRACE_EXT_TRIGGER_H
#define _KERNEL_TRACE_EXT_TRIGGER_H

#include "events.h"

#ifdef CONFIG_RING_BUFFER_EXT
bool trace_ext_trigger_listed(struct trace_event_file *file, const char *command);
int trace_ext_trigger_allowed(struct trace_event_file *file, const char *command);
void trace_ext_trigger_prepare(struct trace_event_file *file, struct event_trigger_data *data);
int trace_ext_trigger_update(struct trace_event_file *file);
void trace_ext_trigger_count(struct trace_event_file *file);
#else
#define trace_ext_trigger_listed(file, command)		true
#define trace_ext_trigger_allowed(file, command)	0
#define trace_ext_trigger_prepare(file, data)		do { } while (0)
#define trace_ext_trigger_update(file)			0
#define trace_ext_trigger_count(file)			do { } while (0)
#endif

#endif /* _KERNEL_TRACE_EXT_TRIGGER_H */
