/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the events at EL2 come by their fields' values: what TP_fast_assign() in
 * trace/events/hyp.h calls. Compiled where the events are written, nvhe/trace_events.c.
 */
#ifndef __ARM64_KVM_HYP_NVHE_TRACE_FIELDS_H
#define __ARM64_KVM_HYP_NVHE_TRACE_FIELDS_H

#include <trace/misc/hyp.h>

#include <asm/kvm_emulate.h>
#include <asm/kvm_hyp.h>

#include <nvhe/gfp.h>
#include <nvhe/memory.h>
#include <nvhe/trace_span.h>
#include <nvhe/trace_test.h>
#include <nvhe/trap_handler.h>

/**
 * hyp_vm() - which VM a vCPU is of
 * @vcpu:	a vCPU that is being run; with protection, EL2's own copy
 *
 * With protection @vcpu->kvm is EL2's own. Not so what @vcpu->arch.hw_mmu names, and
 * the VMID in VTTBR_EL2, which is from there: that is the host's to choose, and could
 * be what lies anywhere at EL2.
 *
 * Return: its VMID; with protection its number, from 1
 */
static __always_inline u16 hyp_vm(const struct kvm_vcpu *vcpu)
{
	return atomic64_read(&kern_hyp_va(vcpu->kvm)->arch.mmu.vmid.id) &
	       GENMASK(kvm_arm_vmid_bits - 1, 0);
}

/**
 * hyp_tlb_vm() - whose translations are being invalidated
 *
 * With protection the host says that with a pointer that EL2 does not check.
 *
 * Return: the VMID, 0 for the host; HYP_VM_A_GUEST if EL2 is not to tell
 */
static __always_inline u16 hyp_tlb_vm(void)
{
	u64 vttbr = read_sysreg(vttbr_el2);

	if (!static_branch_unlikely(&kvm_protected_mode_initialized))
		return vttbr >> VTTBR_VMID_SHIFT;

	return vttbr == this_cpu_ptr(&kvm_init_params)->vttbr ? 0 : HYP_VM_A_GUEST;
}

/* Of a guest's exit; an interrupt has none. */
static __always_inline u64 hyp_exit_esr(u64 exit_code)
{
	return ARM_EXCEPTION_CODE(exit_code) == ARM_EXCEPTION_IRQ ?
	       0 : read_sysreg_el2(SYS_ESR);
}

static __always_inline u8 hyp_exit_reason(u64 exit_code, u64 esr)
{
	u64 code = ARM_EXCEPTION_CODE(exit_code);

	return code == ARM_EXCEPTION_TRAP ? ESR_ELx_EC(esr) :
					    ESR_ELx_EC_MAX + 1 + code;
}

/**
 * hyp_is_secret() - is what is in a guest's registers not for the host to know?
 * @vcpu:	the guest's vCPU
 *
 * The host is told that a protected guest ran, and why it stopped, not with what.
 */
static __always_inline bool hyp_is_secret(const struct kvm_vcpu *vcpu)
{
	return vcpu_is_protected(vcpu) || hyp_trace_test_withhold();
}

/**
 * hyp_disclose() - what a guest's register holds, if the host may know
 * @secret:	hyp_is_secret()
 * @value:	what it holds; not evaluated if it is secret
 *
 * Return: @value; 0 if it is secret
 */
#define hyp_disclose(secret, value)	((secret) ? 0 : (value))

/* The host has to know the class of a protected guest's exception, to see to it. */
static __always_inline u64 hyp_disclose_esr(bool secret, u64 esr)
{
	return secret ? esr & ESR_ELx_EC_MASK : esr;
}

/*
 * HPFAR_EL2 has it down to bit 12; the rest is that of the VA, but in a table walk, and if
 * that is not to be told.
 */
static __always_inline u64 hyp_fault_ipa(const struct kvm_vcpu_fault_info *fault, bool secret)
{
	u64 ipa = (fault->hpfar_el2 & HPFAR_MASK) << 8;

	return secret || fault->esr_el2 & ESR_ELx_S1PTW ?
	       ipa : ipa | (fault->far_el2 & GENMASK(11, 0));
}

/* As HYP_VIRQ_FLAGS names them. */
static __always_inline u8 hyp_virq_flags(const struct kvm_vcpu *vcpu)
{
	u64 hcr = vcpu->arch.hcr_el2;

	return (hcr & HCR_VI ? 1 : 0) | (hcr & HCR_VF ? 2 : 0) |
	       (hcr & HCR_VSE ? 4 : 0);
}

/* As HYP_INJECT_LIST names them. */
static __always_inline u8 hyp_inject_kind(const struct kvm_vcpu *vcpu)
{
	return vcpu_get_flag(vcpu, EXCEPT_MASK) >> __EXCEPT_SHIFT |
	       (vcpu->arch.hcr_el2 & HCR_RW ? 0 : HYP_INJECT_AA32_UND);
}

/* The register of a trapped access. */
static __always_inline u32 hyp_esr_sysreg(u64 esr)
{
	return ESR_ELx_EC(esr) == ESR_ELx_EC_CP15_32 ? esr_cp15_to_sysreg(esr) :
						       esr_sys64_to_sysreg(esr);
}

/**
 * hyp_hcall_result() - the result of a hypercall, if it may be shown
 * @id:		the hypercall
 * @host_ctxt:	the host's registers, after the call
 *
 * A hypercall that returns nothing leaves an argument in the register, perhaps an
 * address; another one may return an address of EL2. So only the results of the
 * hypercalls in this list are shown: add yours if it returns a number or an error.
 *
 * Return: the result; 0 for any other hypercall
 */
static __always_inline s64 hyp_hcall_result(u32 id,
					    const struct kvm_cpu_context *host_ctxt)
{
	switch (id) {
	case __KVM_HOST_SMCCC_FUNC___kvm_get_mdcr_el2:
	case __KVM_HOST_SMCCC_FUNC___pkvm_init:
	case __KVM_HOST_SMCCC_FUNC___pkvm_cpu_set_vector:
	case __KVM_HOST_SMCCC_FUNC___vgic_v3_get_gic_config:
	case __KVM_HOST_SMCCC_FUNC___pkvm_prot_finalize:
	case __KVM_HOST_SMCCC_FUNC___pkvm_host_share_hyp:
	case __KVM_HOST_SMCCC_FUNC___pkvm_host_unshare_hyp:
	case __KVM_HOST_SMCCC_FUNC___kvm_vcpu_run:
	case __KVM_HOST_SMCCC_FUNC___pkvm_init_vm:
	case __KVM_HOST_SMCCC_FUNC___pkvm_init_vcpu:
	case __KVM_HOST_SMCCC_FUNC___pkvm_teardown_vm:
	case __KVM_HOST_SMCCC_FUNC___hyp_trace_load:
	case __KVM_HOST_SMCCC_FUNC___hyp_trace_unload:
	case __KVM_HOST_SMCCC_FUNC___hyp_trace_mode:
	case __KVM_HOST_SMCCC_FUNC___hyp_trace_event:
	case __KVM_HOST_SMCCC_FUNC___hyp_trace_swap:
	case __KVM_HOST_SMCCC_FUNC___hyp_trace_reset:
	case __KVM_HOST_SMCCC_FUNC___hyp_trace_clock:
	case __KVM_HOST_SMCCC_FUNC___hyp_trace_doorbell:
	case __KVM_HOST_SMCCC_FUNC___hyp_trace_write_event:
	case __KVM_HOST_SMCCC_FUNC___hyp_trace_test:
		return cpu_reg(host_ctxt, 1);
	default:
		return 0;
	}
}

#endif /* __ARM64_KVM_HYP_NVHE_TRACE_FIELDS_H */
