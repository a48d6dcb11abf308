/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The texts that EL2 records by reference: hyp_printk and hyp_puts.
 */
#ifndef __ARM64_KVM_HYPTRACE_PRINTK_H
#define __ARM64_KVM_HYPTRACE_PRINTK_H

#include <linux/trace_events.h>

/* The records. trace/events/hyp.h declares them, too; events.c compares. */
struct hyp_printk_record {
	struct trace_entry	ent;
	u64			args[4];
	u32			fmt;
};

struct hyp_puts_record {
	struct trace_entry	ent;
	u32			fmt;
};

void hyptrace_printk_init(struct trace_event_call *printk,
			  struct trace_event_call *puts);

#endif /* __ARM64_KVM_HYPTRACE_PRINTK_H */
