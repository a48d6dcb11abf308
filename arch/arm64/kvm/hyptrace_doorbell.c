// SPDX-License-Identifier: GPL-2.0-only
/*
 * The doorbell: the hypervisor raises irq_work's SGI on the CPU whose ring has something
 * to read.
 *
 * Linux has eight SGIs and uses all of them. This one may be spurious: its handler looks
 * for work and does nothing if there is none.
 */

#include <linux/irq.h>
#include <linux/irqdesc.h>

#include <asm/irq_work.h>
#include <asm/kvm_hyptrace.h>

#include "hyptrace.h"

static bool listening __ro_after_init;

/**
 * hyptrace_doorbell() - handle irq_work's interrupt, which EL2 may have raised
 *
 * Context: hard interrupt, before irq_work_run().
 */
void hyptrace_doorbell(void)
{
	if (listening)
		trace_ext_doorbell(&hyptrace_writer);
}

/**
 * hyptrace_doorbell_init() - set the interrupt that the hypervisor raises
 *
 * Return: 0, or -EOPNOTSUPP if it can't raise one
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
