/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: the values of fields. TP_fast_assign() in trace/events/hyp.h calls
 * these functions, where nvhe/hyptrace/events.c writes the events.
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_FIELDS_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_FIELDS_H

#include <trace/misc/hyp.h>

#include <asm/hyptrace_compat.h>
#include <asm/kvm_emulate.h>
#include <asm/kvm_hyp.h>
#include <asm/sections.h>

#include <nvhe/gfp.h>
#include <nvhe/memory.h>
#include <nvhe/mm.h>
#include <nvhe/pkvm.h>
#include <nvhe/hyptrace/channel.h>
#include <nvhe/hyptrace/span.h>
#include <nvhe/hyptrace/test.h>
#include <nvhe/trap_handler.h>

/**
 * hyp_vm() - the number of a vCPU's VM, which no other VM has until the next boot
 * @guest:	a vCPU that is being run; with protection, EL2's own copy
 *
 * The host has chosen it. With protection, the vCPU's kvm and the number are EL2's own copies.
 *
 * Return: the number. Events have its low 16 bits, which no two living VMs share.
 */
static __always_inline u32 hyp_vm(union hyp_guest guest)
{
	return kern_hyp_va(guest.__vcpu->kvm)->arch.hyp_trace_vm;
}

/* The same, of a VM. */
static __always_inline u32 hyp_vm_number(union hyp_guest_vm vm)
{
	return vm.__vm->kvm.arch.hyp_trace_vm;
}

/* The vCPU's number in its VM. */
static __always_inline u16 hyp_vcpu(union hyp_guest guest)
{
	return guest.__vcpu->vcpu_idx;
}

/**
 * hyp_tlb_vmid() - the VMID whose translations are being invalidated
 *
 * With protection, the VMID comes from behind a pointer of the host's that EL2 does not
 * check, so it is not shown.
 *
 * Return: the VMID, 0 for the host; with protection HYP_VMID_A_GUEST for any guest
 */
static __always_inline u16 hyp_tlb_vmid(void)
{
	u64 vttbr = read_sysreg(vttbr_el2);

	if (!static_branch_unlikely(&kvm_protected_mode_initialized))
		return vttbr >> VTTBR_VMID_SHIFT;

	return vttbr == this_cpu_ptr(&kvm_init_params)->vttbr ? 0 : HYP_VMID_A_GUEST;
}

/*
 * Are a guest's registers to be hidden from the host? The trace shows that a protected guest ran
 * and why it stopped, but not its registers.
 */
static __always_inline bool hyp_is_secret(union hyp_guest guest)
{
	return vcpu_is_protected(guest.__vcpu) || hyp_trace_test_withhold();
}

/**
 * hyp_disclose_or() - a value of a guest's, if the host may know it
 * @withheld:	what says that it is withheld, where 0 is one of its values
 * @secret:	result of hyp_is_secret()
 * @guests:	the value, a struct hyp_secret; not evaluated if it is secret
 *
 * Return: the value; @withheld if it is secret
 */
#define hyp_disclose_or(withheld, secret, guests)	((secret) ? (withheld) : (guests).__value)

/* As hyp_disclose_or(), for a value that is 0 if it is secret. */
#define hyp_disclose(secret, guests)	hyp_disclose_or(0, secret, guests)

/* The host must know a protected guest's exception class anyway, to handle the exit. */
static __always_inline u64 hyp_disclose_esr(bool secret, struct hyp_secret esr)
{
	return secret ? esr.__value & ESR_ELx_EC_MASK : esr.__value;
}

static __always_inline struct hyp_secret hyp_guest_reg(union hyp_guest guest, u8 reg)
{
	return hyp_secret(vcpu_get_reg(guest.__vcpu, reg));
}

/* The guest's pc where it is entered or left: EL2's registers hold those of the present guest. */
static __always_inline struct hyp_secret hyp_guest_pc(void)
{
	return hyp_secret(read_sysreg_el2(SYS_ELR));
}

static __always_inline struct hyp_secret hyp_guest_pstate(void)
{
	return hyp_secret(read_sysreg_el2(SYS_SPSR));
}

/* The syndrome of a guest's exit, 0 for an interrupt, which has none. */
static __always_inline struct hyp_secret hyp_exit_esr(u64 exit_code)
{
	return hyp_secret(ARM_EXCEPTION_CODE(exit_code) == ARM_EXCEPTION_IRQ ?
			  0 : read_sysreg_el2(SYS_ESR));
}

/* Not secret: the exception class at most. */
static __always_inline u8 hyp_exit_reason(u64 exit_code, struct hyp_secret esr)
{
	u64 code = ARM_EXCEPTION_CODE(exit_code);

	return code == ARM_EXCEPTION_TRAP ? ESR_ELx_EC(esr.__value) :
					    ESR_ELx_EC_MAX + 1 + code;
}

/* A member of struct kvm_vcpu_fault_info. */
#define hyp_fault(guest, member)	hyp_secret((guest).__vcpu->arch.fault.member)

/*
 * HPFAR_EL2 has the IPA down to bit 12. The lower bits are those of the VA, unless the
 * fault was on a table walk. They are not shown if the VA is secret.
 */
static __always_inline u64 hyp_fault_ipa(union hyp_guest guest, bool secret)
{
	const struct kvm_vcpu_fault_info *fault = &guest.__vcpu->arch.fault;
	u64 ipa = (fault->hpfar_el2 & HPFAR_MASK) << 8;

	return secret || fault->esr_el2 & ESR_ELx_S1PTW ?
	       ipa : ipa | (fault->far_el2 & GENMASK(11, 0));
}

/* The value that HYP_WFX_LIST names. */
static __always_inline struct hyp_secret hyp_esr_wfx(struct hyp_secret esr)
{
	return hyp_secret(esr.__value & ESR_ELx_WFx_ISS_TI);
}

/* The system register of a trapped access, what is written or read, and whether it is written. */
static __always_inline struct hyp_secret hyp_esr_sysreg(struct hyp_secret esr)
{
	return hyp_secret(ESR_ELx_EC(esr.__value) == ESR_ELx_EC_CP15_32 ?
			  esr_cp15_to_sysreg(esr.__value) : esr_sys64_to_sysreg(esr.__value));
}

static __always_inline struct hyp_secret hyp_esr_sysreg_value(struct hyp_secret esr,
							      union hyp_guest guest)
{
	return hyp_guest_reg(guest, ESR_ELx_SYS64_ISS_RT(esr.__value));
}

static __always_inline struct hyp_secret hyp_esr_sysreg_write(struct hyp_secret esr)
{
	return hyp_secret(!(esr.__value & ESR_ELx_SYS64_ISS_DIR_READ));
}

/* The bits that HYP_VIRQ_FLAGS names. */
static __always_inline u8 hyp_virq_flags(union hyp_guest guest)
{
	u64 hcr = guest.__vcpu->arch.hcr_el2;

	return (hcr & HCR_VI ? 1 : 0) | (hcr & HCR_VF ? 2 : 0) |
	       (hcr & HCR_VSE ? 4 : 0);
}

/* The values that HYP_INJECT_LIST names. */
static __always_inline u8 hyp_inject_kind(union hyp_guest guest)
{
	return vcpu_get_flag(guest.__vcpu, EXCEPT_MASK) >> __EXCEPT_SHIFT |
	       (guest.__vcpu->arch.hcr_el2 & HCR_RW ? 0 : HYP_INJECT_AA32_UND);
}

/* Interrupts, as the host has set them or will find them. */
static __always_inline const struct vgic_v3_cpu_if *hyp_vgic(union hyp_guest guest)
{
	return &guest.__vcpu->arch.vgic_cpu.vgic_v3;
}

static __always_inline u16 hyp_vgic_empty(void)
{
	return read_gicreg(ICH_ELRSR_EL2);
}

static __always_inline u8 hyp_vgic_maintenance(void)
{
	return read_gicreg(ICH_MISR_EL2);
}

/**
 * hyp_pool_kind() - what a pool is for: not where it is
 * @pool:	the pool
 *
 * EL2's own pool and that of the host's stage 2 are variables of EL2, and EL2's page tables are in
 * its own pool. A VM's pool is in memory that the host has donated.
 *
 * Return: enum hyp_pool_kind
 */
static __always_inline u8 hyp_pool_kind(const struct hyp_pool *pool)
{
	phys_addr_t pgd = __hyp_pa(pkvm_pgtable.pgd);

	if ((char *)pool < __hyp_bss_start || (char *)pool >= __hyp_bss_end)
		return HYP_POOL_VM;

	return pgd >= pool->range_start && pgd < pool->range_end ? HYP_POOL_EL2 : HYP_POOL_HOST;
}

/**
 * hyp_hcall_result() - the result of a hypercall, if it may be shown
 * @id:		the hypercall
 * @host_ctxt:	the host's registers, after the call
 *
 * It may be if asm/hyptrace_hcalls.h says so, for our hypercalls, or asm/hyptrace_compat.h, for
 * KVM's: add yours if it returns a number or an error.
 *
 * Return: the result; 0 for any other hypercall, and where what it has done is hidden
 */
static __always_inline s64 hyp_hcall_result(u32 id, const struct kvm_cpu_context *host_ctxt)
{
#define HYP_HCALL_SHOWN(name)			case __KVM_HOST_SMCCC_FUNC___hyp_##name:
#define HYP_HCALL_WITHHELD(name)
#define HYP_HCALL_CASE(name, result, ...)	HYP_HCALL_##result(name)
#define HYP_HCALL_OF_KVM(name)			case __KVM_HOST_SMCCC_FUNC_##name:

	if (hyp_trace_has_hidden())
		return 0;

	switch (id) {
	HYP_OUR_HCALLS(HYP_HCALL_CASE, HYP_HCALL_CASE)
	HYPTRACE_SHOWN_HCALLS(HYP_HCALL_OF_KVM)
		return cpu_reg(host_ctxt, 1);
	default:
		return 0;
	}
#undef HYP_HCALL_OF_KVM
#undef HYP_HCALL_CASE
#undef HYP_HCALL_WITHHELD
#undef HYP_HCALL_SHOWN
}

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_FIELDS_H */
