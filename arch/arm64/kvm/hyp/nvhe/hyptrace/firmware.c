// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: calls of firmware, other than PSCI, that EL2 makes or passes on. The time is not
 * EL2's.
 *
 * Unlike the rest of tracing, this has hooks: tracers of functions show the time as that of
 * hyp_in_firmware().
 */

#include <nvhe/hyptrace.h>

/* As arm_smccc_1_2_smc(), traced. */
void hyp_in_firmware(const struct arm_smccc_1_2_regs *args, struct arm_smccc_1_2_regs *res)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	if (unlikely(cpu->totals.open)) {
		/* @args may be @res. */
		u64 fn = args->a0;

		hyp_totals_firmware_leave(cpu, HYP_CROSSING_SMC);
		arm_smccc_1_2_smc(args, res);
		hyp_totals_firmware_add(cpu, fn);
		return;
	}

	hyp_trace_exit(HYP_CROSSING_SMC);
	arm_smccc_1_2_smc(args, res);
	hyp_trace_enter(HYP_CROSSING_SMC);
}
