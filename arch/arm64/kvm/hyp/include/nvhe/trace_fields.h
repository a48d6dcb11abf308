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

/*
 * What a hypercall returns. Not of those that return nothing: there is an argument of
 * the host's in the register, perhaps an address; nor of the one that returns an
 * address of EL2's.
 */
static __always_inline s64 hyp_hcall_result(u32 id,
					    const struct kvm_cpu_context *host_ctxt)
{
	switch (id) {
	case __KVM_HOST_SMCCC_FUNC___kvm_adjust_pc:
	case __KVM_HOST_SMCCC_FUNC___kvm_flush_vm_context:
	case __KVM_HOST_SMCCC_FUNC___kvm_tlb_flush_vmid_ipa:
	case __KVM_HOST_SMCCC_FUNC___kvm_tlb_flush_vmid_ipa_nsh:
	case __KVM_HOST_SMCCC_FUNC___kvm_tlb_flush_vmid_range:
	case __KVM_HOST_SMCCC_FUNC___kvm_tlb_flush_vmid:
	case __KVM_HOST_SMCCC_FUNC___kvm_flush_cpu_context:
	case __KVM_HOST_SMCCC_FUNC___kvm_timer_set_cntvoff:
	case __KVM_HOST_SMCCC_FUNC___kvm_enable_ssbs:
	case __KVM_HOST_SMCCC_FUNC___vgic_v3_init_lrs:
	case __KVM_HOST_SMCCC_FUNC___vgic_v3_save_vmcr_aprs:
	case __KVM_HOST_SMCCC_FUNC___vgic_v3_restore_vmcr_aprs:
	case __KVM_HOST_SMCCC_FUNC___pkvm_vcpu_init_traps:
	case __KVM_HOST_SMCCC_FUNC___pkvm_create_private_mapping:
		return 0;
	default:
		return cpu_reg(host_ctxt, 1);
	}
}

#endif /* __ARM64_KVM_HYP_NVHE_TRACE_FIELDS_H */
