// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: events that the host follows.
 *
 * Such an event goes to a ring of its own, which the host empties at once and passes on to
 * histograms, perf and BPF. So the user's ring, its filters, its triggers and its readers
 * have no part in it.
 */

#include <nvhe/hyptrace.h>

#include <nvhe/trap_handler.h>

/* What the host does to get the events causes no event that is followed: that would not end. */
static bool is_own_call(struct kvm_cpu_context *host_ctxt)
{
	switch (hyp_trace_hcall_id(host_ctxt)) {
	case __KVM_HOST_SMCCC_FUNC___hyp_trace_follow:
		return true;
	case __KVM_HOST_SMCCC_FUNC___hyp_trace_load:
	case __KVM_HOST_SMCCC_FUNC___hyp_trace_unload:
	case __KVM_HOST_SMCCC_FUNC___hyp_trace_swap:
		return cpu_reg(host_ctxt, 1) & HYP_TRACE_FOLLOWER;
	default:
		return false;
	}
}

/* handle_trap(), with events that are followed */
void hyp_follow_handle_trap(struct kvm_cpu_context *host_ctxt)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	cpu->followed = ESR_ELx_EC(read_sysreg_el2(SYS_ESR)) != ESR_ELx_EC_HVC64 ||
			!is_own_call(host_ctxt);
	if (cpu->totals.open)
		hyp_totals_handle_trap(host_ctxt);
	else
		hyp_trace_handle_trap(host_ctxt);
}
