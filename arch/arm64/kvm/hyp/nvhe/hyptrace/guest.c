// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: guests. These functions run only if anything was traced when the host had EL2 run
 * the vCPU; it need not be any more.
 */

#include <nvhe/hyptrace.h>
#include <nvhe/hyptrace/test.h>

#include <asm/kvm_emulate.h>

/* @esr is ESR_EL2: __fixup_guest_exit() sets @vcpu->arch.fault.esr_el2 only later. */
static void trace_trap(const struct kvm_vcpu *vcpu, u64 esr)
{
	switch (ESR_ELx_EC(esr)) {
	case ESR_ELx_EC_WFx:
		hyp_emit_vcpu_wfx(vcpu, hyp_secret(esr));
		break;
	case ESR_ELx_EC_HVC32:
	case ESR_ELx_EC_HVC64:
		hyp_emit_guest_hvc(vcpu);
		break;
	case ESR_ELx_EC_SMC32:
	case ESR_ELx_EC_SMC64:
		hyp_emit_guest_smc(vcpu);
		break;
	}
}

/* The boot clock at a value of the counter [ns]. */
static u64 ns_at(u64 cyc)
{
	return hyp_clock_at(&this_cpu_ptr(&hyp_trace_cpu)->clock, cyc);
}

static void enter_events(struct kvm_vcpu *vcpu, u64 what)
{
	u64 now;

	hyp_emit_vcpu_enter(vcpu);
	if (!(what & HYP_TRACE_TOTALS)) {
		hyp_trace_exit(HYP_CROSSING_ERET_GUEST);
		return;
	}

	now = hyp_clock_cycles();
	hyp_trace_exit_at(HYP_CROSSING_ERET_GUEST, ns_at(now));
	hyp_totals_guest_enter_at(vcpu, now);
}

static void exit_events(struct kvm_vcpu *vcpu, u64 exit_code, u64 what)
{
	u64 now, ns;

	if (what & HYP_TRACE_TOTALS) {
		now = hyp_clock_cycles();
		ns = ns_at(now);
		hyp_totals_mark(&vcpu->arch.hyp_totals.mark, this_cpu_ptr(&hyp_trace_cpu), now, ns);
		hyp_trace_enter_at(HYP_CROSSING_GUEST_EXIT, ns);
		hyp_totals_guest_exit_at(vcpu, exit_code, now);
	} else {
		hyp_trace_enter(HYP_CROSSING_GUEST_EXIT);
	}

	hyp_emit_vcpu_exit(vcpu, hyp_public(exit_code));
	/* If a system error came with the trap, the guest retries the instruction. */
	if (exit_code == ARM_EXCEPTION_TRAP)
		trace_trap(vcpu, read_sysreg_el2(SYS_ESR));
	if (exit_code == ARM_EXCEPTION_EL1_SERROR || ARM_SERROR_PENDING(exit_code))
		hyp_emit_vcpu_serror(vcpu);
}

/* EL2 has decided who handles an exit; if it does not, the host does. */
static void trace_fixup(const struct kvm_vcpu *vcpu, u64 exit_code, bool handled)
{
	u64 esr = vcpu->arch.fault.esr_el2;

	if (exit_code != ARM_EXCEPTION_TRAP)
		return;

	switch (ESR_ELx_EC(esr)) {
	case ESR_ELx_EC_SYS64:
	case ESR_ELx_EC_CP15_32:
		if (handled)
			hyp_emit_vcpu_fixup_sysreg(vcpu, hyp_secret(esr));
		break;
	case ESR_ELx_EC_FP_ASIMD:
	case ESR_ELx_EC_SVE:
		if (handled)
			hyp_emit_vcpu_fixup_fp(vcpu, hyp_secret(esr));
		break;
	case ESR_ELx_EC_MOPS:
		if (handled)
			hyp_emit_vcpu_fixup_mops(vcpu, hyp_secret(esr));
		break;
	case ESR_ELx_EC_IABT_LOW:
	case ESR_ELx_EC_DABT_LOW:
		/* If EL2 makes the guest retry the access, the address may be unknown. */
		if (handled)
			hyp_emit_vcpu_fixup_mem(vcpu, hyp_secret(esr));
		else
			hyp_emit_vcpu_mem_abort(vcpu);
		break;
	}
}

u64 __hyp_trace_guest_run(struct kvm_vcpu *vcpu, u64 last_exit)
{
	u64 exit_code, what;

	if (last_exit != HYP_TRACE_NO_EXIT)
		trace_fixup(vcpu, last_exit, true);

	if (hyp_trace_test_refuse())
		hyp_trace_raise();
	if (unlikely(hyp_trace_guest_refused()))
		return ARM_EXCEPTION_IRQ;

	/* Read it once: a run that is measured from its entry on is measured to its exit. */
	what = hyp_word_read(HYP_EVENT_GUEST);
	enter_events(vcpu, what);
	exit_code = __guest_enter(vcpu);
	exit_events(vcpu, exit_code, what);
	return exit_code;
}

void __hyp_trace_guest_end(const struct kvm_vcpu *vcpu, u64 exit_code)
{
	trace_fixup(vcpu, exit_code, false);
}
