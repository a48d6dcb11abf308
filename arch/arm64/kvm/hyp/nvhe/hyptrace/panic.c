// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: EL2 panics. hyp_panic is the last event; then no CPU traces any more.
 */

#include <nvhe/hyptrace.h>

#include <asm/sections.h>

/* hyp_spin_lock(), if nobody holds the lock: after a panic that may be for ever. */
static bool try_lock(hyp_spinlock_t *lock)
{
	hyp_spinlock_t old = READ_ONCE(*lock), new = old;

	new.next++;
	return old.owner == old.next && try_cmpxchg_acquire(&lock->__val, &old.__val, new.__val);
}

/*
 * A CPU that does not trace has no clock, or an old one, and its exceptions come through vectors
 * that latch no pid. CONTEXTIDR_EL1 is not the host's while a vCPU is there, nor after firmware.
 */
static void take_clock_and_pid(struct hyp_trace_cpu *cpu)
{
	struct hyp_clock clock;

	if (hyp_clock_try_copy(&clock))
		cpu->clock = clock;
	if (cpu->parked || host_data_ptr(host_ctxt)->__hyp_running_vcpu)
		cpu->pid = 0;
	else
		hyp_trace_latch_pid(cpu);
}

/*
 * Have this CPU's ring for hyp_panic, even if it is closed. Others may take a closed ring, and that
 * of a CPU that is on its way out of firmware. They do it with the lock held. So this opens the
 * ring with the lock held, if the lock is free. Return true if this CPU has an open ring, which
 * nobody takes.
 */
static bool ring_claim(struct hyp_trace_cpu *cpu)
{
	bool loaded;

	if (cpu->user.ring.open && !cpu->parked)
		return true;

	if (!try_lock(&cpu->lock))
		return false;

	loaded = hyp_trace_ring_is_loaded(&cpu->user);
	if (loaded) {
		take_clock_and_pid(cpu);
		ext_ring_open(&cpu->user.ring);
	}
	/* The next owner of the lock finds the panic, and an open ring: ring_quiescent(). */
	hyp_spin_unlock(&cpu->lock);

	return loaded;
}

/* Record the exception for which EL2 panics. */
static void record_panic(struct hyp_trace_cpu *cpu)
{
	const struct hyp_panic_regs *panic = &cpu->panic;

	if (!hyp_emit_hyp_panic_enabled() || !ring_claim(cpu))
		return;

	/* This CPU may not have been tracing, or hidden what a guest does. */
	cpu->traced = true;
	ext_ring_unmute(&cpu->user.ring);
	/* The page that is being written may be what EL2 has faulted on: leave it. */
	cpu->user.ring.alarm = EXT_RING_NO_ALARM;
	cpu->user.ring.overwrite = true;
	ext_ring_skip_page(&cpu->user.ring, hyp_clock_now(&cpu->clock));

	if ((panic->spsr & PSR_MODE_MASK) != PSR_MODE_EL2h)
		hyp_emit_hyp_panic(panic->esr & ESR_ELx_EC_MASK, -1);
	else
		hyp_emit_hyp_panic(panic->esr, hyp_is_text(panic->elr) ?
				   panic->elr - (u64)__hyp_text_start : -1);
}

/* EL2 has panicked: this CPU traces and measures no more. Take no lock. */
void hyp_trace_end(struct hyp_trace_cpu *cpu)
{
	ext_ring_close(&cpu->user.ring);
	ext_ring_close(&cpu->follower.ring);
	cpu->traced = false;
	hyp_totals_shut(&cpu->totals);
	cpu->vector = 0;
	write_sysreg(hyp_trace_host_vector(__kvm_hyp_host_vector), vbar_el2);
}

/**
 * hyp_trace_panic() - EL2 panics
 * @spsr:	SPSR_EL2, for the host
 * @elr:	ELR_EL2, for the host
 * @par:	PAR_EL1, for the host
 *
 * Tracing must not stand in the way of the reset that follows. EL2 may have panicked
 * anywhere, while it wrote an event or with a lock held. So this waits for no lock, and after
 * its last event, hyp_panic, this CPU writes no event and takes none of tracing's locks on
 * its way through PSCI firmware.
 *
 * If EL2 faults on that event, it gets here again. The event is not tried again, and the
 * host is told of the first panic.
 */
void hyp_trace_panic(u64 *spsr, u64 *elr, u64 *par)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	struct hyp_panic_regs *panic = &cpu->panic;
	int event;

	WRITE_ONCE(hyp_trace_panicked, true);
	if (!panic->panicked) {
		*panic = (struct hyp_panic_regs) {
			.panicked	= true,
			.esr		= read_sysreg_el2(SYS_ESR),
			.elr		= *elr,
			.spsr		= *spsr,
			.par		= *par,
			.far		= read_sysreg_el2(SYS_FAR),
			.hpfar		= read_sysreg(hpfar_el2),
		};
		/* If record_panic() faults, this is complete. */
		barrier();
		/* The follower's ring may be what EL2 has faulted on, and nobody will read it. */
		cpu->followed = false;
		hyp_stack_unhook(cpu);
		record_panic(cpu);
	}

	*elr = panic->elr;
	*spsr = panic->spsr;
	*par = panic->par;
	write_sysreg_el2(panic->esr, SYS_ESR);
	write_sysreg_el2(panic->far, SYS_FAR);
	write_sysreg(panic->hpfar, hpfar_el2);

	/* Pairs with word_publish(): either it finds the panic, or this finds its word. */
	smp_mb();
	/* Another CPU that panics may still record hyp_panic. */
	for (event = 0; event < HYP_EVENT_WORDS; event++)
		if (event != HYP_EVENT_hyp_panic)
			WRITE_ONCE(hyp_words[event], 0);

	hyp_trace_end(cpu);
}
