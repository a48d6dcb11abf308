/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The texts that EL2 records by reference: hyp_printk and hyp_puts.
 */
#ifndef __ARM64_KVM_HYPTRACE_PRINTK_H
#define __ARM64_KVM_HYPTRACE_PRINTK_H

#include <linux/types.h>

struct trace_event_call;

const char *hyptrace_printk_text(u64 offset);
void hyptrace_printk_init(struct trace_event_call *printk, struct trace_event_call *puts);

#endif /* __ARM64_KVM_HYPTRACE_PRINTK_H */
