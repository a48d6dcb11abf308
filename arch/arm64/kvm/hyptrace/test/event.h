/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hypervisor's events for tests as events of the host, to compare the cost and the
 * results of filters.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hyp_test

#if !defined(_HYPTRACE_TEST_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define _HYPTRACE_TEST_EVENT_H

#include <linux/tracepoint.h>

#include <asm/hyptrace.h>

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

TRACE_EVENT(host_selftest_fields,
	TP_PROTO(u64 id),
	TP_ARGS(id),
	TP_STRUCT__entry(
		__field(u64, id)
		__field(u64, unsigned_8)
		__field(s64, signed_8)
		__field(u32, unsigned_4)
		__field(s32, signed_4)
		__field(u16, unsigned_2)
		__field(s16, signed_2)
		__field(u8, unsigned_1)
		__field(s8, signed_1)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->unsigned_8 = hyp_trace_test_number(id, 0);
		__entry->signed_8 = hyp_trace_test_number(id, 1);
		__entry->unsigned_4 = hyp_trace_test_number(id, 2);
		__entry->signed_4 = hyp_trace_test_number(id, 3);
		__entry->unsigned_2 = hyp_trace_test_number(id, 4);
		__entry->signed_2 = hyp_trace_test_number(id, 5);
		__entry->unsigned_1 = hyp_trace_test_number(id, 6);
		__entry->signed_1 = hyp_trace_test_number(id, 7);
	),
	TP_printk("id=%llu %llu %lld %u %d %u %d %u %d", __entry->id,
		  __entry->unsigned_8, __entry->signed_8,
		  __entry->unsigned_4, __entry->signed_4,
		  __entry->unsigned_2, __entry->signed_2,
		  __entry->unsigned_1, __entry->signed_1)
);

#endif /* _HYPTRACE_TEST_EVENT_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH ../../arch/arm64/kvm/hyptrace/test
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE event
#include <trace/define_trace.h>
