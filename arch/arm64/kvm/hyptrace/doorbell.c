// SPDX-License-Identifier: GPL-2.0-only
/*
 * The doorbell: the hypervisor raises irq_work's SGI on the CPU whose ring has something
 * to read.
 *
 * Linux has eight SGIs and uses all of them. This one may be spurious: its handler looks
 * for work and does nothing if there is none.
 */

#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/irq.h>

#include <asm/irq_work.h>
#include <asm/hyptrace.h>
#include <asm/kvm_mmu.h>

#include "hyptrace.h"

/* EL2 has an interrupt to raise. */
bool hyptrace_el2_rings __ro_after_init;

/* The distributor of a GICv2; without a size if there is none. */
static struct resource gicd __ro_after_init;

/**
 * hyptrace_set_gicd() - keep where the distributor is
 * @dist:	a GICv2's distributor, physical; without a size if that is not known
 *
 * Context: KVM probes the GICv2, and protected KVM does not. Before hyptrace_doorbell_init().
 */
void hyptrace_set_gicd(const struct resource *dist)
{
	gicd = *dist;
}

/* Map the distributor of a GICv2 at EL2, so that EL2 can raise an interrupt. */
static void __init gicd_map(void)
{
	void __iomem *base, *hyp;

	if (!gicd.end || create_hyp_io_mappings(gicd.start, resource_size(&gicd), &base, &hyp))
		return;

	/* The irqchip has its own. */
	iounmap(base);
	kvm_nvhe_sym(hyp_trace_gicd) = hyp;
}

/* Handle irq_work's interrupt, which EL2 may have raised, before irq_work_run(). */
void hyptrace_handle_doorbell(void)
{
	if (!hyptrace_el2_rings)
		return;

	trace_ext_doorbell(&hyptrace_writer);
	hyptrace_max_doorbell();
}

/**
 * hyptrace_doorbell_init() - set the interrupt that the hypervisor raises
 *
 * Return: 0, or -EOPNOTSUPP if it can't raise one
 */
int __init hyptrace_doorbell_init(void)
{
	struct irq_data *data = irq_get_irq_data(hyptrace_test_doorbell(arch_irq_work_irq()));
	int ret;

	if (!data)
		return -EOPNOTSUPP;

	gicd_map();
	ret = hcall_trace_doorbell(irqd_to_hwirq(data));
	hyptrace_el2_rings = !ret;
	return ret;
}
