// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: the host opens and closes what a CPU has, stops and starts recording, and asks
 * whether triggers have. A CPU opens and closes its own rings, its table and its vectors, and
 * nobody else does while it is at EL2.
 */

#include <nvhe/hyptrace/trigger.h>

extern char hyp_trace_vector[], hyp_totals_vector[], hyp_follow_vector[];

/**
 * hyp_trace_vector_update() - select the vectors for the host's exceptions
 * @cpu:	this CPU
 *
 * To be called when the ring or the table may have been opened or closed, and when firmware
 * has lost VBAR_EL2. Another CPU opens or closes them only while this CPU is in firmware.
 *
 * Context: @cpu->lock is held.
 */
void hyp_trace_vector_update(struct hyp_trace_cpu *cpu)
{
	bool user = hyp_trace_ring_is_traced(&cpu->user);
	bool follower = hyp_trace_ring_is_traced(&cpu->follower);

	hyp_assert_lock_held(&cpu->lock);

	cpu->traced = user || follower;
	if (follower)
		cpu->vector = hyp_follow_vector - __kvm_hyp_host_vector;
	else if (cpu->totals.open)
		cpu->vector = hyp_totals_vector - __kvm_hyp_host_vector;
	else if (user)
		cpu->vector = hyp_trace_vector - __kvm_hyp_host_vector;
	else
		cpu->vector = 0;
	/* Only the follower's vectors decide on that. */
	if (!follower)
		cpu->followed = false;
	write_sysreg(hyp_trace_host_vector(__kvm_hyp_host_vector), vbar_el2);
}

/* Open a ring of this CPU, if it is loaded. After a panic none is opened but for hyp_panic. */
static void ring_open(struct hyp_trace_ring *ring)
{
	if (hyp_trace_ring_is_loaded(ring) && !READ_ONCE(hyp_trace_panicked))
		ext_ring_open(&ring->ring);
}

/* Open the rings that were replaced while this CPU was in firmware. */
void hyp_trace_rings_reopen(struct hyp_trace_cpu *cpu)
{
	hyp_assert_lock_held(&cpu->lock);

	if (cpu->user.was_open)
		ring_open(&cpu->user);
	if (cpu->follower.was_open)
		ring_open(&cpu->follower);
}

/* Open, close or suspend a ring of this CPU. */
static void ring_sync(struct hyp_trace_ring *ring, enum hyp_trace_ring_state state)
{
	/* hyp_trace_rings_reopen() must not open it: the host has decided. */
	ring->was_open = false;
	if (state == HYP_TRACE_CLOSED)
		ext_ring_close(&ring->ring);
	else if (state == HYP_TRACE_SUSPENDED)
		ext_ring_suspend(&ring->ring);
	else
		ring_open(ring);
}

s64 handle___hyp_trace_sync(u64 state, u64 totals, u64 follower)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	/* The exception that made this call may have come through the ordinary vectors. */
	hyp_trace_latch_pid(cpu);
	hyp_clock_copy(&cpu->clock);

	if (state != HYP_TRACE_OPEN)
		hyp_trace_exit_early(cpu);

	guard(hyp_trace_lock)(&cpu->lock);

	/* After a panic on another CPU, this one may have come out of firmware unnoticed. */
	cpu->parked = false;
	ring_sync(&cpu->user, state);
	ring_sync(&cpu->follower, follower);
	if (totals)
		hyp_totals_open(cpu);
	else
		hyp_totals_shut(&cpu->totals);
	hyp_trace_vector_update(cpu);
	return 0;
}

s64 handle___hyp_trace_run(u64 on)
{
	hyp_trace_turn(on);
	hyp_trace_tell(this_cpu_ptr(&hyp_trace_cpu));
	return 0;
}

s64 handle___hyp_trace_triggers(u64 *more, u64 event, u64 use)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	/* If this call's hyp_exit is a trigger, it must not change what the host is told. */
	hyp_trace_exit_early(cpu);

	more[0] = hyp_trace_tell(cpu);
	more[1] = READ_ONCE(hyp_triggers[use][event].left);
	return 0;
}
