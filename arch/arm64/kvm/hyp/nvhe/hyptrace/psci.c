// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: calls of PSCI firmware, and CPUs that come out of it.
 */

#include <nvhe/hyptrace.h>

void __hyp_trace_psci_forward(u64 fn)
{
	fn &= ~ARM_SMCCC_CALL_HINTS;
	if (fn == PSCI_0_2_FN_CPU_OFF ||
	    (kvm_host_psci_config.psci_0_1_cpu_off_implemented &&
	     fn == kvm_host_psci_config.function_ids_0_1.cpu_off))
		hyp_emit_psci_cpu_off(fn);
}

/* This CPU calls PSCI firmware: it returns, comes back at its entry point, or not at all. */
void hyp_trace_psci_leave(void)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	if (unlikely(cpu->totals.open))
		hyp_totals_firmware_leave(cpu, HYP_CROSSING_PSCI);
	else
		hyp_trace_exit(HYP_CROSSING_PSCI);
	hyp_trace_leave_for_firmware(cpu);

	/* EL2 may have panicked with the lock held. */
	if (unlikely(READ_ONCE(hyp_trace_panicked)))
		return;

	guard(hyp_trace_lock)(&cpu->lock);
	cpu->parked = true;
}

/**
 * hyp_trace_psci_return() - this CPU is back from PSCI firmware
 *
 * Meanwhile the host may have replaced the ring, and this CPU's copy of the clock is
 * stale.
 */
void hyp_trace_psci_return(void)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	if (unlikely(READ_ONCE(hyp_trace_panicked))) {
		/* A CPU that panicked may hold the lock for ever. No CPU takes a ring away now. */
		hyp_trace_end(cpu);
		WRITE_ONCE(cpu->parked, false);
		return;
	}

	hyp_clock_copy(&cpu->clock);

	scoped_guard(hyp_trace_lock, &cpu->lock) {
		cpu->parked = false;
		hyp_trace_rings_reopen(cpu);
		hyp_trace_vector_update(cpu);
	}

	if (unlikely(cpu->totals.open))
		hyp_totals_firmware_return(cpu, HYP_CROSSING_PSCI);
	else
		hyp_trace_enter(HYP_CROSSING_PSCI);
}

/**
 * hyp_trace_cpu_entry() - this CPU comes out of firmware at its entry point
 *
 * EL1 state is stale here. Write pid 0 (idle) to CONTEXTIDR_EL1; the host updates it at
 * its next switch.
 */
void hyp_trace_cpu_entry(void)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	write_sysreg_el1(0, SYS_CONTEXTIDR);
	hyp_trace_latch_pid(cpu);
	/* Another CPU may be emptying the ring: hyp_calls_forget(). After a panic, none records. */
	if (likely(!READ_ONCE(hyp_trace_panicked))) {
		guard(hyp_trace_lock)(&cpu->lock);
		hyp_calls_reset(cpu);
	}
	hyp_trace_psci_return();
	hyp_totals_settle(&cpu->totals);
}

/* This CPU goes on to the host, at the address in ELR_EL2. */
void hyp_trace_cpu_start(void)
{
	hyp_emit_psci_cpu_entry(read_sysreg_el2(SYS_ELR));
	hyp_trace_exit(HYP_CROSSING_ERET_HOST);
	hyp_trace_leave(this_cpu_ptr(&hyp_trace_cpu));
}
