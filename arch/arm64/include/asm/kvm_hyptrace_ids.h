/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers the hypervisor's events, in the order of trace/events/hyp.h:
 * HYP_EVENT_<name>, from 0, and HYP_NR_EVENTS. By these numbers the host names
 * an event to EL2.
 */
#ifndef __ARM64_KVM_HYPTRACE_IDS_H__
#define __ARM64_KVM_HYPTRACE_IDS_H__

#include <trace/misc/hyp.h>
#include <linux/tracepoint.h>

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)			\
	enum { HYP_EVENT_##name = __COUNTER__ - HYP_EVENT_BASE }

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))

/*
 * The compiler counts: an enum around the text would trip over its ';'. What else makes
 * it count has been included before.
 */
enum { HYP_EVENT_BASE = __COUNTER__ + 1 };
#include <trace/events/hyp.h>
enum { HYP_NR_EVENTS = __COUNTER__ - HYP_EVENT_BASE };

#undef TRACE_EVENT
#undef DEFINE_EVENT
#undef DECLARE_EVENT_CLASS
/* Has the meaning of these macros everywhere else. */
#include <linux/tracepoint.h>

#endif /* __ARM64_KVM_HYPTRACE_IDS_H__ */
