// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the hypervisor tells the host that there is something to read: it raises the
 * SGI of irq_work, on the CPU whose ring it is.
 *
 * Linux has no SGI to spare: it is given eight, and uses all. But that one is for
 * being told that there is something to look for, and may come for nothing.
 */

#include <linux/irq.h>
#include <linux/irqdesc.h>

#include <asm/irq_work.h>
#include <asm/kvm_hyptrace.h>

#include "hyptrace.h"

static bool listening __ro_after_init;

/**
 * hyptrace_doorbell() - irq_work's interrupt has come; was it the hypervisor?
 *
 * Context: hard interrupt, before irq_work_run().
 */
void hyptrace_doorbell(void)
{
	if (listening)
		trace_ext_doorbell(&hyptrace_writer);
}

/**
 * hyptrace_doorbell_init() - tell the hypervisor which interrupt to raise
 *
 * Return: 0, -EOPNOTSUPP if it can't raise one
 */
int __init hyptrace_doorbell_init(void)
{
	struct irq_data *data = irq_get_irq_data(arch_irq_work_irq());
	struct arm_smccc_res res;
	int ret;

	if (!data)
		return -EOPNOTSUPP;

	ret = hyptrace_call(&res, __hyp_trace_doorbell, irqd_to_hwirq(data));
	listening = !ret;
	return ret;
}
