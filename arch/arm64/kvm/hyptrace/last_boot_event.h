/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event of hyp_last_boot/: what this kernel does not know. It has the layout of struct
 * ext_mem_unknown.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hyp_last_boot

#if !defined(_HYPTRACE_LAST_BOOT_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define _HYPTRACE_LAST_BOOT_EVENT_H

#include <linux/tracepoint.h>

TRACE_EVENT(hyp_unknown,
	TP_PROTO(u16 type, u32 len),
	TP_ARGS(type, len),
	TP_STRUCT__entry(
		__dynamic_array(u8, bytes, len)
		__field(u16, type)
	),
	TP_fast_assign(
		__entry->type = type;
	),
	TP_printk("type=%u bytes=%s", __entry->type,
		  __print_hex(__get_dynamic_array(bytes), __get_dynamic_array_len(bytes)))
);

#endif /* _HYPTRACE_LAST_BOOT_EVENT_H */
