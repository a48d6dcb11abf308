/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers of the hypervisor's events: HYP_EVENT_<name>, from 0 in the order of
 * trace/events/hyp.h, and HYP_NR_EVENTS. The host names an event to EL2 by its number.
 */
#ifndef __ASM_HYPTRACE_IDS_H__
#define __ASM_HYPTRACE_IDS_H__

#include <linux/stddef.h>
#include <linux/tracepoint.h>

#include <trace/misc/hyp.h>

#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(name)

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))

/* Pass 1: the header's includes and declarations, which can't be inside a struct. */
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)

#include <trace/events/hyp.h>

/* Pass 2: one byte for each event; its offset is the event's number. */
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)	char name

struct hyp_event_numbers {
#include <trace/events/hyp.h>
};

/* Pass 3: the numbers. */
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)			\
	enum { HYP_EVENT_##name = offsetof(struct hyp_event_numbers, name) }

#include <trace/events/hyp.h>

enum { HYP_NR_EVENTS = sizeof(struct hyp_event_numbers) };

#undef TRACE_EVENT
#undef DEFINE_EVENT
#undef DECLARE_EVENT_CLASS
/* Restore the macros' ordinary meaning. */
#include <linux/tracepoint.h>

#endif /* __ASM_HYPTRACE_IDS_H__ */
