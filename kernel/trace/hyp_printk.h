/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The texts that EL2 records by reference: hyp_printk and hyp_puts.
 */
#ifndef _KERNEL_TRACE_HYP_PRINTK_H
#define _KERNEL_TRACE_HYP_PRINTK_H

struct trace_event_call;

void hyp_printk_init(struct trace_event_call *printk,
		     struct trace_event_call *puts);

#endif /* _KERNEL_TRACE_HYP_PRINTK_H */
