// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: runs of protected guests that the host does not want to be traced
 * (kvm-arm.hyp_trace=unprotected).
 *
 * From before EL2 gives the vCPU its state until it has taken it back, this CPU writes to no ring
 * and nothing triggers, and the time does not count. The events themselves stay enabled: other CPUs
 * may run other guests. A panic of EL2 is recorded all the same.
 */

#include <nvhe/hyptrace.h>

#ifdef HYPTRACE_PROTECTED_GUESTS

/* The host sets this before it is deprivileged; after that nobody can write to it. */
bool hyp_trace_unprotected __ro_after_init;

/* A protected vCPU is about to run on this CPU. */
void __hyp_trace_hide(void)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	ext_ring_mute(&cpu->user.ring);
	ext_ring_mute(&cpu->follower.ring);
	cpu->traced = false;
	if (cpu->totals.open)
		hyp_totals_leave(&cpu->totals, hyp_clock_cycles());
}

/* It has run. */
void __hyp_trace_show(void)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	if (cpu->totals.open)
		hyp_totals_return(&cpu->totals, hyp_clock_cycles());
	cpu->traced = hyp_trace_ring_is_traced(&cpu->user) ||
		      hyp_trace_ring_is_traced(&cpu->follower);
	/* The host's call goes on: why the guest has stopped is its result. */
	if (cpu->traced)
		cpu->leave |= HYP_LEAVE_HIDDEN;
	ext_ring_unmute(&cpu->user.ring);
	ext_ring_unmute(&cpu->follower.ring);
}

#endif
