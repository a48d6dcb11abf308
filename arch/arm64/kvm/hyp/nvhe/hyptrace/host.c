// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: exceptions of the host.
 *
 * While a CPU's ring is open or suspended, or the CPU measures, exceptions of the host come
 * through vector.S; otherwise they take the ordinary path, at no cost.
 */

#include <nvhe/hyptrace.h>

#include <asm/sections.h>

#include <nvhe/ffa.h>
#include <nvhe/trap_handler.h>

extern char __kvm_hyp_trace_vector[], __kvm_hyp_totals_vector[], __kvm_hyp_follow_vector[];
extern char __kvm_hyp_host_vector[];

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
	bool user = cpu->user.ring.open || cpu->user.ring.suspended;
	bool follower = cpu->follower.ring.open || cpu->follower.ring.suspended;

	hyp_assert_lock_held(&cpu->lock);

	/* A suspended ring counts the events that it misses. */
	cpu->traced = user || follower;
	if (follower)
		cpu->vector = __kvm_hyp_follow_vector - __kvm_hyp_host_vector;
	else if (cpu->totals.open)
		cpu->vector = __kvm_hyp_totals_vector - __kvm_hyp_host_vector;
	else if (user)
		cpu->vector = __kvm_hyp_trace_vector - __kvm_hyp_host_vector;
	else
		cpu->vector = 0;
	/* Only the follower's vectors decide on that. */
	if (!follower)
		cpu->followed = false;
	write_sysreg(hyp_trace_host_vector(__kvm_hyp_host_vector), vbar_el2);
}

bool hyp_trace_panicked;

/* Record the exception for which EL2 panics. */
static void record_panic(struct hyp_trace_cpu *cpu)
{
	const struct hyp_panic_regs *panic = &cpu->panic;

	if (!trace_hyp_panic_enabled() || !hyp_trace_ring_claim(cpu))
		return;

	/* The page that is being written may be what EL2 has faulted on: leave it. */
	cpu->user.ring.alarm = EXT_RING_NO_ALARM;
	cpu->user.ring.overwrite = true;
	ext_ring_skip_page(&cpu->user.ring, hyp_clock_now(&cpu->clock));

	if ((panic->spsr & PSR_MODE_MASK) != PSR_MODE_EL2h)
		trace_hyp_panic(panic->esr & ESR_ELx_EC_MASK, -1);
	else
		trace_hyp_panic(panic->esr, hyp_is_text(panic->elr) ?
				panic->elr - (u64)__hyp_text_start : -1);
}

/**
 * hyp_trace_end() - EL2 has panicked: this CPU traces and measures no more
 * @cpu:	this CPU
 *
 * Context: takes no lock.
 */
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
			WRITE_ONCE(hyp_event_id[event], 0);

	hyp_trace_end(cpu);
}

/* These record their own hyp_exit first; nothing may be recorded for them afterwards. */
static bool exits_early(u64 id)
{
	return id == __KVM_HOST_SMCCC_FUNC___hyp_trace_alarm ||
	       id == __KVM_HOST_SMCCC_FUNC___hyp_trace_sync ||
	       id == __KVM_HOST_SMCCC_FUNC___hyp_trace_triggers;
}

static void trace_hcall(struct kvm_cpu_context *host_ctxt)
{
	u64 id = (cpu_reg(host_ctxt, 0) & ~ARM_SMCCC_CALL_HINTS) - KVM_HOST_SMCCC_ID(0);
	bool valid = hyp_trace_hcall_is_valid(id);

	trace_host_hcall(min_t(u64, id, U32_MAX), !valid);
	handle_trap(host_ctxt);
	if (valid && !exits_early(id))
		trace_host_hcall_done(id, host_ctxt);
}

/**
 * hyp_trace_handle() - handle_trap(), traced, between hyp_enter and hyp_exit
 * @esr:	ESR_EL2
 * @host_ctxt:	the host's registers
 */
void hyp_trace_handle(u64 esr, struct kvm_cpu_context *host_ctxt)
{
	if (ESR_ELx_EC(esr) == ESR_ELx_EC_HVC64)
		trace_hcall(host_ctxt);
	else
		handle_trap(host_ctxt);
}

/**
 * hyp_trace_handle_trap() - handle_trap(), traced
 * @host_ctxt:	the host's registers
 */
void hyp_trace_handle_trap(struct kvm_cpu_context *host_ctxt)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	u64 esr = read_sysreg_el2(SYS_ESR);

	hyp_trace_latch_pid(cpu);
	hyp_trace_enter_host(esr);
	hyp_trace_handle(esr, host_ctxt);
	hyp_trace_exit(HYP_REASON_ERET_HOST);
	hyp_trace_leave(cpu);
}

void __hyp_trace_ffa(u64 func_id, const struct kvm_cpu_context *host_ctxt,
		     bool handled)
{
	/* The same ranges as in kvm_host_ffa_handler(). */
	if (ARM_SMCCC_IS_FAST_CALL(func_id) &&
	    ARM_SMCCC_OWNER_NUM(func_id) == ARM_SMCCC_OWNER_STANDARD &&
	    ARM_SMCCC_FUNC_NUM(func_id) >= FFA_MIN_FUNC_NUM &&
	    ARM_SMCCC_FUNC_NUM(func_id) <= FFA_MAX_FUNC_NUM)
		trace_host_ffa_call(func_id, host_ctxt, handled);
}
