// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hypervisor's events on the host, generated from trace/events/hyp.h.
 */

#include <asm/kvm_asm.h>
#include <asm/kvm_hyptrace_ids.h>

#include "hyptrace.h"
#include "hyptrace_hcall_names.h"
#include "hyptrace_printk.h"

#undef TRACE_SYSTEM
#define TRACE_SYSTEM hyp
#define TRACE_SYSTEM_VAR hyp

#define TRACE_EXT_HEADER	"trace/events/hyp.h"
#define TRACE_EXT_WRITER	hyptrace_writer
#define TRACE_EXT_NUMBER(name)	HYP_EVENT_##name
#define TRACE_EXT_ENUMS		HYP_HCALLS
#include <trace/define_trace_ext.h>

static_assert(sizeof(struct trace_event_raw_hyp_printk) == sizeof(struct hyp_printk_record));
static_assert(offsetof(struct trace_event_raw_hyp_printk, a) ==
	      offsetof(struct hyp_printk_record, args));
static_assert(offsetof(struct trace_event_raw_hyp_printk, fmt) ==
	      offsetof(struct hyp_printk_record, fmt));
static_assert(offsetof(struct trace_event_raw_hyp_puts, fmt) ==
	      offsetof(struct hyp_puts_record, fmt));

/**
 * hyptrace_events_init() - make hyp_printk and hyp_puts print their texts
 *
 * Context: boot, before tracing is possible.
 */
void __init hyptrace_events_init(void)
{
	hyptrace_printk_init(&event_hyp_printk.call, &event_hyp_puts.call);
}
