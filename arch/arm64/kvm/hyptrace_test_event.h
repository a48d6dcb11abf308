/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hypervisor's event "selftest" as an event of the host, to compare the cost.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hyp_test

#if !defined(_HYPTRACE_TEST_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define _HYPTRACE_TEST_EVENT_H

#include <linux/tracepoint.h>

TRACE_EVENT(host_selftest,
	TP_PROTO(u64 id),
	TP_ARGS(id),
	TP_STRUCT__entry(
		__field(u64, id)
	),
	TP_fast_assign(
		__entry->id = id;
	),
	TP_printk("id=%llu", __entry->id)
);

#endif /* _HYPTRACE_TEST_EVENT_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH ../../arch/arm64/kvm
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE hyptrace_test_event
#include <trace/define_trace.h>
