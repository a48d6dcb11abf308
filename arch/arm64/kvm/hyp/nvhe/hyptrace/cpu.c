// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: the state of each CPU, and whether EL2 may trace at all. All the rest builds on
 * this.
 */

#include <nvhe/hyptrace.h>

/* All zero is a closed ring. A closed table must not have the epoch of a new vCPU, which is 0. */
DEFINE_PER_CPU(struct hyp_trace_cpu, hyp_trace_cpu) = {
	.totals.epoch = HYP_TOTALS_CLOSED,
};

/*
 * No tracing until the next boot. The host sets this before it is deprivileged; after
 * that nobody can write to it, EL2 included.
 */
bool hyp_trace_locked __ro_after_init =
	IS_ENABLED(CONFIG_KVM_HYPTRACE_LOCKED);

bool hyp_trace_panicked;

/*
 * Test whether a CPU can't be tracing now: it executes this, or is off or in firmware. After a
 * panic EL2 knows this of no CPU: a CPU comes out of firmware without the lock then.
 */
bool hyp_trace_cpu_is_away(struct hyp_trace_cpu *cpu)
{
	hyp_assert_lock_held(&cpu->lock);

	return !READ_ONCE(hyp_trace_panicked) &&
	       (cpu == this_cpu_ptr(&hyp_trace_cpu) || cpu->parked);
}
