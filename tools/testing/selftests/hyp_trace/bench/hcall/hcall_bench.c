// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a hypercall from the host and back, without tracing; runs on any kernel, with
 * the tracer's hooks or not. It measures a hypercall that EL2 does not know, and one that
 * does little, with a disabled event in it.
 */

#include <linux/arm-smccc.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/module.h>

#include <asm/kvm_asm.h>

#define CALLS	100
#define ROUNDS	20

/* The least time of a hypercall [ns / CALLS]. */
static u64 least(u32 id, s64 result)
{
	u64 start, ns, best = U64_MAX;
	struct arm_smccc_res res;
	unsigned long flags;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		local_irq_save(flags);
		start = ktime_get_ns();
		for (i = 0; i < CALLS; i++)
			arm_smccc_1_1_hvc(id, &res);
		ns = ktime_get_ns() - start;
		local_irq_restore(flags);
		if ((s64)res.a0 != result)
			return 0;
		best = min(best, ns);
	}
	return best;
}

static int __init hcall_bench_init(void)
{
	u64 unknown = least(KVM_HOST_SMCCC_ID(0xff), SMCCC_RET_NOT_SUPPORTED);
	u64 flush = least(KVM_HOST_SMCCC_FUNC(__kvm_flush_vm_context),
			  SMCCC_RET_SUCCESS);

	if (!unknown || !flush)
		return -EIO;

	pr_info("hcall_bench: hypercall %llu.%02llu\n", unknown / CALLS, unknown % CALLS);
	pr_info("hcall_bench: tlb_flush %llu.%02llu\n", flush / CALLS, flush % CALLS);
	return 0;
}
module_init(hcall_bench_init);

MODULE_DESCRIPTION("Cost of a hypercall");
MODULE_LICENSE("GPL");
