// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hypervisor's events on the host, generated from trace/events/hyp.h.
 */

#include <asm/esr.h>
#include <asm/kvm_asm.h>
#include <asm/hyptrace_ids.h>
#include <asm/sections.h>

#include "hyptrace.h"
#include "channel.h"
#include "hcall_names.h"
#include "printk.h"

#undef TRACE_SYSTEM
#define TRACE_SYSTEM hyp
#define TRACE_SYSTEM_VAR hyp

#define TRACE_EXT_HEADER	"trace/events/hyp.h"
#define TRACE_EXT_WRITER	hyptrace_writer
#define TRACE_EXT_NUMBER(name)	HYP_EVENT_##name
#define TRACE_EXT_ENUMS		HYP_HCALLS
#include <trace/define_trace_ext.h>

/* A text without arguments, as hyp_trace_puts() has checked, or a format with up to four. */
static enum print_line_t print_text(struct trace_seq *s, const char *event, u32 offset,
				    u64 a, u64 b, u64 c, u64 d)
{
	const char *fmt = hyptrace_printk_text(offset);

	trace_seq_printf(s, "%s: ", event);
	if (fmt)
		/* Each conversion takes a u64: hyp_trace_printk() has checked it, too. */
		trace_seq_printf(s, fmt, a, b, c, d);
	else
		trace_seq_printf(s, "text %u is not in this kernel", offset);
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

static enum print_line_t hyp_printk_print(struct trace_iterator *iter, int flags,
					  struct trace_event *event)
{
	const struct trace_event_raw_hyp_printk *record = (void *)iter->ent;

	return print_text(&iter->seq, "hyp_printk", record->fmt, record->a, record->b, record->c,
			  record->d);
}

static enum print_line_t hyp_puts_print(struct trace_iterator *iter, int flags,
					struct trace_event *event)
{
	const struct trace_event_raw_hyp_puts *record = (void *)iter->ent;

	return print_text(&iter->seq, "hyp_puts", record->fmt, 0, 0, 0, 0);
}

/* Print what EL2 has panicked for, and the function where it did. */
static enum print_line_t hyp_panic_print(struct trace_iterator *iter, int flags,
					 struct trace_event *event)
{
	const struct trace_event_raw_hyp_panic *record = (void *)iter->ent;
	struct trace_seq *s = &iter->seq;
	u32 pc = record->pc;

	trace_seq_printf(s, "hyp_panic: %s esr=0x%llx", esr_get_class_string(record->esr),
			 record->esr);
	if (pc < __hyp_text_end - __hyp_text_start)
		trace_seq_printf(s, " at %pS", __hyp_text_start + pc);
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

#ifdef CONFIG_KVM_HYPTRACE_GUESTS
static_assert(sizeof(struct trace_event_raw_guest_trace_1) ==
	      sizeof(struct hyptrace_guest_record) + sizeof(u64));
static_assert(sizeof(struct trace_event_raw_guest_trace_16) ==
	      sizeof(struct hyptrace_guest_record) + HYPERTRACE_MAX_ARGS * sizeof(u64));
static_assert(offsetof(struct trace_event_raw_guest_trace_1, id) ==
	      offsetof(struct hyptrace_guest_record, id));

static void __init guest_events_init(void)
{
	hyptrace_channel_print_init(&event_guest_trace_1.call);
	hyptrace_channel_print_init(&event_guest_trace_2.call);
	hyptrace_channel_print_init(&event_guest_trace_4.call);
	hyptrace_channel_print_init(&event_guest_trace_8.call);
	hyptrace_channel_print_init(&event_guest_trace_16.call);
}
#else
static void __init guest_events_init(void)
{
}
#endif

/* At boot, make events print what only the kernel knows. */
void __init hyptrace_events_init(void)
{
	hyptrace_printk_init(&event_hyp_printk.call, &event_hyp_puts.call);
	event_hyp_printk.call.event.funcs->trace = hyp_printk_print;
	event_hyp_puts.call.event.funcs->trace = hyp_puts_print;
	event_hyp_panic.call.event.funcs->trace = hyp_panic_print;
	event_hyp_panic.by_kernel = true;
	guest_events_init();
}
