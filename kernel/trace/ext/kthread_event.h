/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of the external writer for tests, kthread.c.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kthread

#if !defined(_TRACE_EXT_KTHREAD_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_EXT_KTHREAD_EVENT_H

#include <linux/tracepoint.h>

TRACE_EVENT(written,
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

#endif /* _TRACE_EXT_KTHREAD_EVENT_H */
