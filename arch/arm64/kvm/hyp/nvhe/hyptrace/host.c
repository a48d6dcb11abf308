// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: exceptions of the host.
 *
 * While a CPU's ring is open or suspended, or the CPU measures, exceptions of the host come
 * through vector.S; otherwise they take the ordinary path, at no cost.
 */

#include <nvhe/hyptrace.h>

#include <nvhe/ffa.h>

/* These record their own hyp_exit first; nothing may be recorded for them afterwards. */
static bool exits_early(u64 id)
{
	return id == __KVM_HOST_SMCCC_FUNC___hyp_trace_alarm ||
	       id == __KVM_HOST_SMCCC_FUNC___hyp_trace_sync ||
	       id == __KVM_HOST_SMCCC_FUNC___hyp_trace_triggers;
}

/**
 * hyp_trace_exit_early() - record the hyp_exit of this hypercall now
 * @cpu:	this CPU
 *
 * This also records the returns of its functions. Afterwards nothing may be recorded in the user's
 * ring, and no trigger acts. The follower gets the event when EL2 is left.
 */
void hyp_trace_exit_early(struct hyp_trace_cpu *cpu)
{
	bool followed = cpu->followed;

	hyp_graph_end(cpu);
	if (!cpu->traced)
		return;

	cpu->followed = false;
	hyp_trace_exit(HYP_CROSSING_ERET_HOST);
	cpu->followed = followed;
	cpu->leave |= HYP_LEAVE_EXITED;
}

static void trace_hcall(struct kvm_cpu_context *host_ctxt)
{
	u64 id = hyp_trace_hcall_id(host_ctxt);
	bool valid = hyp_trace_hcall_is_valid(id);

	hyp_emit_host_hcall(min_t(u64, id, U32_MAX), !valid);
	handle_trap(host_ctxt);
	if (valid && !exits_early(id))
		hyp_emit_host_hcall_done(id, host_ctxt);
}

/* Call handle_trap() between hyp_enter and hyp_exit, and record hypercalls. */
void hyp_trace_handle(u64 esr, struct kvm_cpu_context *host_ctxt)
{
	if (ESR_ELx_EC(esr) == ESR_ELx_EC_HVC64)
		trace_hcall(host_ctxt);
	else
		handle_trap(host_ctxt);
}

/* handle_trap(), traced */
void hyp_trace_handle_trap(struct kvm_cpu_context *host_ctxt)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	u64 esr = read_sysreg_el2(SYS_ESR);

	hyp_trace_latch_pid(cpu);
	hyp_trace_enter_host(esr);
	hyp_trace_handle(esr, host_ctxt);
	hyp_trace_exit(HYP_CROSSING_ERET_HOST);
	hyp_trace_leave(cpu);
}

void __hyp_trace_ffa(u64 func_id, const struct kvm_cpu_context *host_ctxt, bool handled)
{
	/* The same ranges as in kvm_host_ffa_handler(). */
	if (ARM_SMCCC_IS_FAST_CALL(func_id) &&
	    ARM_SMCCC_OWNER_NUM(func_id) == ARM_SMCCC_OWNER_STANDARD &&
	    ARM_SMCCC_FUNC_NUM(func_id) >= FFA_MIN_FUNC_NUM &&
	    ARM_SMCCC_FUNC_NUM(func_id) <= FFA_MAX_FUNC_NUM)
		hyp_emit_host_ffa_call(func_id, host_ctxt, handled);
}
