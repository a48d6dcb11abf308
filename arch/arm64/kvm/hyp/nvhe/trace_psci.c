// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: calls of PSCI firmware, and CPUs that come out of it.
 */

#include <nvhe/trace.h>

void __hyp_trace_psci_forward(u64 fn)
{
	bool off_0_1;

	fn &= ~ARM_SMCCC_CALL_HINTS;
	off_0_1 = kvm_host_psci_config.psci_0_1_cpu_off_implemented &&
		  fn == kvm_host_psci_config.function_ids_0_1.cpu_off;

	if (fn == PSCI_0_2_FN_CPU_OFF || off_0_1)
		trace_psci_cpu_off(fn);
}

/**
 * hyp_trace_psci_leave() - this CPU is about to call PSCI firmware
 *
 * It may come back here, at the CPU's entry point, or not at all.
 */
void hyp_trace_psci_leave(void)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	hyp_trace_exit(HYP_REASON_PSCI);

	/* It may have panicked with the lock held. */
	if (unlikely(READ_ONCE(hyp_trace_panicked)))
		return;

	hyp_spin_lock(&cpu->lock);
	cpu->parked = true;
	hyp_spin_unlock(&cpu->lock);
}

/**
 * hyp_trace_psci_return() - this CPU is back from PSCI firmware
 *
 * Its ring may have been replaced meanwhile, and its clock be out of date by whatever it
 * has been wrong by for as long as that took.
 */
void hyp_trace_psci_return(void)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	if (unlikely(READ_ONCE(hyp_trace_panicked)))
		return;

	hyp_trace_take_clock(cpu);

	hyp_spin_lock(&cpu->lock);
	cpu->parked = false;
	hyp_trace_vector_update(cpu);
	hyp_spin_unlock(&cpu->lock);

	hyp_trace_enter(HYP_REASON_PSCI);
}

/**
 * hyp_trace_cpu_entry() - this CPU comes out of firmware at its entry point
 *
 * Where the host's registers are of no value. In CONTEXTIDR_EL1 there is to be a pid,
 * of the idle task; the host sets it before it runs another one.
 */
void hyp_trace_cpu_entry(void)
{
	write_sysreg_el1(0, SYS_CONTEXTIDR);
	hyp_trace_psci_return();
}

/** hyp_trace_cpu_start() - this CPU goes from there to the host, which ELR_EL2 tells */
void hyp_trace_cpu_start(void)
{
	trace_psci_cpu_entry(read_sysreg_el2(SYS_ELR));
	hyp_trace_exit(HYP_REASON_ERET_HOST);
}
