/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hypervisor's events, each declared once for both sides.
 *
 * EL2 expands this text to inline functions trace_<event>() (nvhe/trace.h), the
 * host to the events of /sys/kernel/tracing/hyp (kernel/trace/hyp_events.c).
 * Neither is a tracepoint: do not include this from elsewhere.
 * Documentation/trace/hyp-events.rst tells how to add an event.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hyp

#if !defined(_TRACE_HYP_H)
#define _TRACE_HYP_H

#include <linux/hyp_events.h>

#endif /* _TRACE_HYP_H */

HYP_REASONS

DECLARE_EVENT_CLASS(hyp_crossing,
	TP_PROTO(u8 reason),
	TP_ARGS(reason),
	TP_STRUCT__entry(
		__field(u8, reason)
	),
	TP_fast_assign(
		__entry->reason = reason;
	),
	TP_printk("reason=%s",
		  __print_symbolic(__entry->reason, HYP_REASON_NAMES))
);

/* EL2 is entered: from the host, a guest, or firmware. */
DEFINE_EVENT(hyp_crossing, hyp_enter,
	TP_PROTO(u8 reason),
	TP_ARGS(reason)
);

/* EL2 is left; always after its own hyp_enter on the same CPU. */
DEFINE_EVENT(hyp_crossing, hyp_exit,
	TP_PROTO(u8 reason),
	TP_ARGS(reason)
);

/* A hypercall of the host; invalid: EL2 refuses it. */
TRACE_EVENT(host_hcall,
	TP_PROTO(u32 id, u8 invalid),
	TP_ARGS(id, invalid),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u8, invalid)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->invalid = invalid;
	),
	TP_printk("%s id=%u invalid=%u",
		  __print_symbolic(__entry->id, HYP_HCALL_NAMES),
		  __entry->id, __entry->invalid)
);

/* An SMC of the host; forwarded: EL2 passes it on to firmware unseen. */
TRACE_EVENT(host_smc,
	TP_PROTO(u64 id, u8 forwarded),
	TP_ARGS(id, forwarded),
	TP_STRUCT__entry(
		__field(u64, id)
		__field(u8, forwarded)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->forwarded = forwarded;
	),
	TP_printk("id=0x%llx forwarded=%u", __entry->id, __entry->forwarded)
);

/* The host touched memory that its stage 2 does not map (yet). */
TRACE_EVENT(host_mem_abort,
	TP_PROTO(u64 esr, u64 addr),
	TP_ARGS(esr, addr),
	TP_STRUCT__entry(
		__field(u64, esr)
		__field(u64, addr)
	),
	TP_fast_assign(
		__entry->esr = esr;
		__entry->addr = addr;
	),
	TP_printk("esr=0x%llx addr=0x%llx", __entry->esr, __entry->addr)
);

/* Written to order by hyp/write_event. */
TRACE_EVENT(selftest,
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
