/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values of the hypervisor events' fields, and their names.
 *
 * Each list generates the enum, the names that the events print, and the values for binary
 * readers (TRACE_DEFINE_ENUM). EMe is for the last entry.
 */
#ifndef _TRACE_MISC_HYP_H
#define _TRACE_MISC_HYP_H

#include <linux/arm_ffa.h>
#include <linux/arm-smccc.h>

#include <asm/hyptrace_compat.h>
#include <asm/kvm_arm.h>
#include <asm/kvm_asm.h>
#include <asm/sysreg.h>

#include <uapi/linux/hypertrace.h>
#include <uapi/linux/psci.h>

struct kvm_vcpu;
struct pkvm_hyp_vm;

/**
 * union hyp_guest - a guest's vCPU, as an event takes it
 * @__vcpu:	what is passed
 *
 * TP_fast_assign() can't follow the pointer. Functions in nvhe/hyptrace/fields.h do, and what they
 * return of the guest is a struct hyp_secret.
 */
union hyp_guest {
	const struct kvm_vcpu	*__vcpu;
} __attribute__((__transparent_union__));

/**
 * union hyp_guest_vm - a guest's VM, as an event takes it
 * @__vm:	what is passed
 *
 * As for a vCPU, only functions in nvhe/hyptrace/fields.h follow the pointer. What is passed with
 * it may be numbers: what the host asks of a VM's memory, and the answer.
 */
union hyp_guest_vm {
	const struct pkvm_hyp_vm	*__vm;
} __attribute__((__transparent_union__));

/**
 * struct hyp_secret - a value that is a guest's, as an event takes it
 * @__value:	the value
 *
 * It is no number: only hyp_disclose_or() gets at it, which asks whether the host may know.
 */
struct hyp_secret {
	u64	__value;
};

static __always_inline struct hyp_secret hyp_secret(u64 value)
{
	return (struct hyp_secret) { value };
}

/**
 * struct hyp_public - a value that is not a guest's, or that the guest wants to be recorded
 * @value:	the value
 */
struct hyp_public {
	u64	value;
};

static __always_inline struct hyp_public hyp_public(u64 value)
{
	return (struct hyp_public) { value };
}

#define HYP_ENUMERATOR(name, value, text)	HYP_##name = value,
#define HYP_DEFINE_ENUM(name, value, text)	TRACE_DEFINE_ENUM(HYP_##name);
#define HYP_SYMBOL(name, value, text)		{ HYP_##name, text },
#define HYP_SYMBOL_END(name, value, text)	{ HYP_##name, text }

#define HYP_ENUM(list)		{ list(HYP_ENUMERATOR, HYP_ENUMERATOR) }
#define HYP_DEFINE_ENUMS(list)	list(HYP_DEFINE_ENUM, HYP_DEFINE_ENUM)
#define HYP_SYMBOLS(list)	list(HYP_SYMBOL, HYP_SYMBOL_END)

#define HYP_CROSSING_LIST(EM, EMe)					\
	EM(CROSSING_SMC,		0, "smc")			\
	EM(CROSSING_HVC,		1, "hvc")			\
	EM(CROSSING_SYS,		2, "sys")			\
	EM(CROSSING_PSCI,		3, "psci")			\
	EM(CROSSING_HOST_ABORT,	4, "host_abort")			\
	EM(CROSSING_GUEST_EXIT,	5, "guest_exit")			\
	EM(CROSSING_ERET_HOST,	6, "eret_host")				\
	EM(CROSSING_ERET_GUEST,	7, "eret_guest")			\
	EMe(CROSSING_UNKNOWN,	8, "unknown")

/*
 * Why EL2 is entered or left. PSCI is a call of PSCI firmware or its return, and SMC an SMC of the
 * host, or a call of other firmware or its return; GUEST_EXIT is any exception of a guest. SYS is
 * unused before Linux 7.3: no access of the host to a system register traps.
 */
enum hyp_crossing HYP_ENUM(HYP_CROSSING_LIST);

/*
 * Why a guest was left: the exception class of a trap, or one of these values:
 * ARM_EXCEPTION_*, numbered after the last class.
 */
#define HYP_EXIT_LIST(EM, EMe)						\
	EM(EXIT_IRQ,	ESR_ELx_EC_MAX + 1 + ARM_EXCEPTION_IRQ,	"IRQ")	\
	EM(EXIT_SERROR,	ESR_ELx_EC_MAX + 1 + ARM_EXCEPTION_EL1_SERROR, "EL1_SERROR") \
	EMe(EXIT_IL,	ESR_ELx_EC_MAX + 1 + ARM_EXCEPTION_IL,	"ILLEGAL_STATE")

enum hyp_exit HYP_ENUM(HYP_EXIT_LIST);

#define HYP_EXIT_SYMBOLS	kvm_arm_exception_class, HYP_SYMBOLS(HYP_EXIT_LIST)

/* The VMID of an event, where the site does not know whose it is. */
#define HYP_VMID_A_GUEST	U16_MAX

/* The instruction of a trapped WFx, as in its syndrome; of a protected guest, WITHHELD. */
#define HYP_WFX_LIST(EM, EMe)						\
	EM(WFX_WFI,	0, "wfi")					\
	EM(WFX_WFE,	1, "wfe")					\
	EM(WFX_WFIT,	2, "wfit")					\
	EM(WFX_WFET,	3, "wfet")					\
	EMe(WFX_WITHHELD, 4, "wfx")

enum hyp_wfx HYP_ENUM(HYP_WFX_LIST);

/* Virtual exceptions that are pending without a list register: bits of HCR_EL2. */
#define HYP_VIRQ_FLAGS							\
	{ 1, "virq" }, { 2, "vfiq" }, { 4, "vserror" }

/* An exception that is injected: EXCEPT_AA64_*, followed by EXCEPT_AA32_*. */
#define HYP_INJECT_LIST(EM, EMe)					\
	EM(INJECT_EL1_SYNC,	0, "el1_sync")				\
	EM(INJECT_EL1_IRQ,	1, "el1_irq")				\
	EM(INJECT_EL1_FIQ,	2, "el1_fiq")				\
	EM(INJECT_EL1_SERROR,	3, "el1_serror")			\
	EM(INJECT_EL2_SYNC,	4, "el2_sync")				\
	EM(INJECT_EL2_IRQ,	5, "el2_irq")				\
	EM(INJECT_EL2_FIQ,	6, "el2_fiq")				\
	EM(INJECT_EL2_SERROR,	7, "el2_serror")			\
	EM(INJECT_AA32_UND,	8, "aa32_und")				\
	EM(INJECT_AA32_IABT,	9, "aa32_iabt")				\
	EMe(INJECT_AA32_DABT,	10, "aa32_dabt")

enum hyp_inject HYP_ENUM(HYP_INJECT_LIST);

/* The host tests, clears or sets the access flags of a guest's memory. */
#define HYP_YOUNG_LIST(EM, EMe)						\
	EM(YOUNG_TEST,		0, "test")				\
	EM(YOUNG_CLEAR,		1, "clear")				\
	EMe(YOUNG_SET,		2, "set")

enum hyp_young HYP_ENUM(HYP_YOUNG_LIST);

/* A guest reads or writes a register. The access of a protected guest is WITHHELD. */
#define HYP_ACCESS_LIST(EM, EMe)					\
	EM(ACCESS_READ,		0, "read")				\
	EM(ACCESS_WRITE,	1, "write")				\
	EMe(ACCESS_WITHHELD,	2, "access")

enum hyp_access HYP_ENUM(HYP_ACCESS_LIST);

/* Registers that EL2 emulates for guests. Any other is printed by its encoding. */
#define HYP_SYSREG_LIST(EM, EMe)					\
	EM(SYSREG_CNTPCT,	SYS_CNTPCT_EL0,		"CNTPCT_EL0")	\
	EM(SYSREG_CNTPCTSS,	SYS_CNTPCTSS_EL0,	"CNTPCTSS_EL0")	\
	EM(SYSREG_ICC_IAR0,	SYS_ICC_IAR0_EL1,	"ICC_IAR0_EL1")	\
	EM(SYSREG_ICC_IAR1,	SYS_ICC_IAR1_EL1,	"ICC_IAR1_EL1")	\
	EM(SYSREG_ICC_EOIR0,	SYS_ICC_EOIR0_EL1,	"ICC_EOIR0_EL1") \
	EM(SYSREG_ICC_EOIR1,	SYS_ICC_EOIR1_EL1,	"ICC_EOIR1_EL1") \
	EM(SYSREG_ICC_IGRPEN0,	SYS_ICC_IGRPEN0_EL1,	"ICC_IGRPEN0_EL1") \
	EM(SYSREG_ICC_IGRPEN1,	SYS_ICC_IGRPEN1_EL1,	"ICC_IGRPEN1_EL1") \
	EM(SYSREG_ICC_BPR0,	SYS_ICC_BPR0_EL1,	"ICC_BPR0_EL1")	\
	EM(SYSREG_ICC_BPR1,	SYS_ICC_BPR1_EL1,	"ICC_BPR1_EL1")	\
	EM(SYSREG_ICC_AP0R0,	SYS_ICC_AP0Rn_EL1(0),	"ICC_AP0R0_EL1") \
	EM(SYSREG_ICC_AP0R1,	SYS_ICC_AP0Rn_EL1(1),	"ICC_AP0R1_EL1") \
	EM(SYSREG_ICC_AP0R2,	SYS_ICC_AP0Rn_EL1(2),	"ICC_AP0R2_EL1") \
	EM(SYSREG_ICC_AP0R3,	SYS_ICC_AP0Rn_EL1(3),	"ICC_AP0R3_EL1") \
	EM(SYSREG_ICC_AP1R0,	SYS_ICC_AP1Rn_EL1(0),	"ICC_AP1R0_EL1") \
	EM(SYSREG_ICC_AP1R1,	SYS_ICC_AP1Rn_EL1(1),	"ICC_AP1R1_EL1") \
	EM(SYSREG_ICC_AP1R2,	SYS_ICC_AP1Rn_EL1(2),	"ICC_AP1R2_EL1") \
	EM(SYSREG_ICC_AP1R3,	SYS_ICC_AP1Rn_EL1(3),	"ICC_AP1R3_EL1") \
	EM(SYSREG_ICC_HPPIR0,	SYS_ICC_HPPIR0_EL1,	"ICC_HPPIR0_EL1") \
	EM(SYSREG_ICC_HPPIR1,	SYS_ICC_HPPIR1_EL1,	"ICC_HPPIR1_EL1") \
	EM(SYSREG_ICC_DIR,	SYS_ICC_DIR_EL1,	"ICC_DIR_EL1")	\
	EM(SYSREG_ICC_RPR,	SYS_ICC_RPR_EL1,	"ICC_RPR_EL1")	\
	EM(SYSREG_ICC_CTLR,	SYS_ICC_CTLR_EL1,	"ICC_CTLR_EL1")	\
	EM(SYSREG_ICC_PMR,	SYS_ICC_PMR_EL1,	"ICC_PMR_EL1")	\
	EM(SYSREG_ICC_SRE,	SYS_ICC_SRE_EL1,	"ICC_SRE_EL1")	\
	EM(SYSREG_SCTLR,		SYS_SCTLR_EL1,		"SCTLR_EL1") \
	EM(SYSREG_TTBR0,		SYS_TTBR0_EL1,		"TTBR0_EL1") \
	EM(SYSREG_TTBR1,		SYS_TTBR1_EL1,		"TTBR1_EL1") \
	EM(SYSREG_TCR,		SYS_TCR_EL1,		"TCR_EL1")	\
	EM(SYSREG_ESR,		SYS_ESR_EL1,		"ESR_EL1")	\
	EM(SYSREG_FAR,		SYS_FAR_EL1,		"FAR_EL1")	\
	EM(SYSREG_AFSR0,		SYS_AFSR0_EL1,		"AFSR0_EL1") \
	EM(SYSREG_AFSR1,		SYS_AFSR1_EL1,		"AFSR1_EL1") \
	EM(SYSREG_MAIR,		SYS_MAIR_EL1,		"MAIR_EL1")	\
	EM(SYSREG_AMAIR,		SYS_AMAIR_EL1,		"AMAIR_EL1") \
	EM(SYSREG_CONTEXTIDR,	SYS_CONTEXTIDR_EL1,	"CONTEXTIDR_EL1") \
	EM(SYSREG_AA64PFR0,	SYS_ID_AA64PFR0_EL1,	"ID_AA64PFR0_EL1") \
	EM(SYSREG_AA64PFR1,	SYS_ID_AA64PFR1_EL1,	"ID_AA64PFR1_EL1") \
	EM(SYSREG_AA64ZFR0,	SYS_ID_AA64ZFR0_EL1,	"ID_AA64ZFR0_EL1") \
	EM(SYSREG_AA64DFR0,	SYS_ID_AA64DFR0_EL1,	"ID_AA64DFR0_EL1") \
	EM(SYSREG_AA64DFR1,	SYS_ID_AA64DFR1_EL1,	"ID_AA64DFR1_EL1") \
	EM(SYSREG_AA64ISAR0,	SYS_ID_AA64ISAR0_EL1,	"ID_AA64ISAR0_EL1") \
	EM(SYSREG_AA64ISAR1,	SYS_ID_AA64ISAR1_EL1,	"ID_AA64ISAR1_EL1") \
	EM(SYSREG_AA64ISAR2,	SYS_ID_AA64ISAR2_EL1,	"ID_AA64ISAR2_EL1") \
	EM(SYSREG_AA64MMFR0,	SYS_ID_AA64MMFR0_EL1,	"ID_AA64MMFR0_EL1") \
	EM(SYSREG_AA64MMFR1,	SYS_ID_AA64MMFR1_EL1,	"ID_AA64MMFR1_EL1") \
	EMe(SYSREG_AA64MMFR2,	SYS_ID_AA64MMFR2_EL1,	"ID_AA64MMFR2_EL1")

enum hyp_sysreg HYP_ENUM(HYP_SYSREG_LIST);

/* Functions that are called by SMC or HVC, as the SMC Calling Convention defines. */
#define HYP_SMC_LIST(EM, EMe)						\
	EM(SMC_PSCI_VERSION,	PSCI_0_2_FN_PSCI_VERSION, "PSCI_VERSION") \
	EM(SMC_PSCI_CPU_SUSPEND,	PSCI_0_2_FN_CPU_SUSPEND, "PSCI_CPU_SUSPEND") \
	EM(SMC_PSCI_CPU_SUSPEND64, PSCI_0_2_FN64_CPU_SUSPEND, "PSCI_CPU_SUSPEND64") \
	EM(SMC_PSCI_CPU_OFF,	PSCI_0_2_FN_CPU_OFF, "PSCI_CPU_OFF")	\
	EM(SMC_PSCI_CPU_ON,	PSCI_0_2_FN_CPU_ON, "PSCI_CPU_ON")	\
	EM(SMC_PSCI_CPU_ON64,	PSCI_0_2_FN64_CPU_ON, "PSCI_CPU_ON64")	\
	EM(SMC_PSCI_AFFINITY_INFO, PSCI_0_2_FN_AFFINITY_INFO, "PSCI_AFFINITY_INFO") \
	EM(SMC_PSCI_AFFINITY_INFO64, PSCI_0_2_FN64_AFFINITY_INFO, "PSCI_AFFINITY_INFO64") \
	EM(SMC_PSCI_MIGRATE_INFO_TYPE, PSCI_0_2_FN_MIGRATE_INFO_TYPE, "PSCI_MIGRATE_INFO_TYPE") \
	EM(SMC_PSCI_SYSTEM_OFF,	PSCI_0_2_FN_SYSTEM_OFF, "PSCI_SYSTEM_OFF") \
	EM(SMC_PSCI_SYSTEM_RESET, PSCI_0_2_FN_SYSTEM_RESET, "PSCI_SYSTEM_RESET") \
	EM(SMC_PSCI_FEATURES,	PSCI_1_0_FN_PSCI_FEATURES, "PSCI_FEATURES") \
	EM(SMC_PSCI_SYSTEM_SUSPEND, PSCI_1_0_FN_SYSTEM_SUSPEND, "PSCI_SYSTEM_SUSPEND") \
	EM(SMC_PSCI_SYSTEM_SUSPEND64, PSCI_1_0_FN64_SYSTEM_SUSPEND, "PSCI_SYSTEM_SUSPEND64") \
	EM(SMC_PSCI_SET_SUSPEND_MODE, PSCI_1_0_FN_SET_SUSPEND_MODE, "PSCI_SET_SUSPEND_MODE") \
	EM(SMC_PSCI_SYSTEM_RESET2, PSCI_1_1_FN64_SYSTEM_RESET2, "PSCI_SYSTEM_RESET2") \
	EM(SMC_PSCI_MEM_PROTECT,	PSCI_1_1_FN_MEM_PROTECT, "PSCI_MEM_PROTECT") \
	EM(SMC_ARCH_VERSION,	ARM_SMCCC_VERSION_FUNC_ID, "SMCCC_VERSION") \
	EM(SMC_ARCH_FEATURES,	ARM_SMCCC_ARCH_FEATURES_FUNC_ID, "SMCCC_ARCH_FEATURES") \
	EM(SMC_ARCH_SOC_ID,	ARM_SMCCC_ARCH_SOC_ID, "SMCCC_ARCH_SOC_ID") \
	EM(SMC_ARCH_WORKAROUND_1, ARM_SMCCC_ARCH_WORKAROUND_1, "SMCCC_ARCH_WORKAROUND_1") \
	EM(SMC_ARCH_WORKAROUND_2, ARM_SMCCC_ARCH_WORKAROUND_2, "SMCCC_ARCH_WORKAROUND_2") \
	EM(SMC_ARCH_WORKAROUND_3, ARM_SMCCC_ARCH_WORKAROUND_3, "SMCCC_ARCH_WORKAROUND_3") \
	EM(SMC_TRNG_VERSION,	ARM_SMCCC_TRNG_VERSION, "TRNG_VERSION")	\
	EM(SMC_TRNG_FEATURES,	ARM_SMCCC_TRNG_FEATURES, "TRNG_FEATURES") \
	EM(SMC_TRNG_GET_UUID,	ARM_SMCCC_TRNG_GET_UUID, "TRNG_GET_UUID") \
	EM(SMC_TRNG_RND32,	ARM_SMCCC_TRNG_RND32, "TRNG_RND32")	\
	EM(SMC_TRNG_RND64,	ARM_SMCCC_TRNG_RND64, "TRNG_RND64")	\
	EM(SMC_PV_TIME_FEATURES,	ARM_SMCCC_HV_PV_TIME_FEATURES, "PV_TIME_FEATURES") \
	EM(SMC_PV_TIME_ST,	ARM_SMCCC_HV_PV_TIME_ST, "PV_TIME_ST")	\
	EM(SMC_VENDOR_CALL_UID,	ARM_SMCCC_VENDOR_HYP_CALL_UID_FUNC_ID, "VENDOR_HYP_CALL_UID") \
	EM(SMC_VENDOR_FEATURES,	ARM_SMCCC_VENDOR_HYP_KVM_FEATURES_FUNC_ID, "KVM_FEATURES") \
	EM(SMC_VENDOR_PTP,	ARM_SMCCC_VENDOR_HYP_KVM_PTP_FUNC_ID, "KVM_PTP") \
	EM(SMC_VENDOR_MEMINFO,	ARM_SMCCC_VENDOR_HYP_KVM_HYP_MEMINFO_FUNC_ID, "KVM_HYP_MEMINFO") \
	EM(SMC_VENDOR_SHARE,	ARM_SMCCC_VENDOR_HYP_KVM_MEM_SHARE_FUNC_ID, "KVM_MEM_SHARE") \
	EM(SMC_VENDOR_UNSHARE,	ARM_SMCCC_VENDOR_HYP_KVM_MEM_UNSHARE_FUNC_ID, "KVM_MEM_UNSHARE") \
	EM(SMC_VENDOR_HYPERTRACE, HYPERTRACE_CALL, "HYPERTRACE")		\
	EM(SMC_FFA_ERROR,	FFA_ERROR, "FFA_ERROR")			\
	EM(SMC_FFA_SUCCESS,	FFA_SUCCESS, "FFA_SUCCESS")		\
	EM(SMC_FFA_VERSION,	FFA_VERSION, "FFA_VERSION")		\
	EM(SMC_FFA_FEATURES,	FFA_FEATURES, "FFA_FEATURES")		\
	EM(SMC_FFA_RX_RELEASE,	FFA_RX_RELEASE, "FFA_RX_RELEASE")	\
	EM(SMC_FFA_RXTX_MAP,	FFA_RXTX_MAP, "FFA_RXTX_MAP")		\
	EM(SMC_FFA_RXTX_MAP64,	FFA_FN64_RXTX_MAP, "FFA_RXTX_MAP64")	\
	EM(SMC_FFA_RXTX_UNMAP,	FFA_RXTX_UNMAP, "FFA_RXTX_UNMAP")	\
	EM(SMC_FFA_PARTITION_INFO_GET, FFA_PARTITION_INFO_GET, "FFA_PARTITION_INFO_GET") \
	EM(SMC_FFA_ID_GET,	FFA_ID_GET, "FFA_ID_GET")		\
	EM(SMC_FFA_RUN,		FFA_RUN, "FFA_RUN")			\
	EM(SMC_FFA_MSG_DIRECT_REQ, FFA_MSG_SEND_DIRECT_REQ, "FFA_MSG_SEND_DIRECT_REQ") \
	EM(SMC_FFA_MSG_DIRECT_REQ64, FFA_FN64_MSG_SEND_DIRECT_REQ, "FFA_MSG_SEND_DIRECT_REQ64") \
	EM(SMC_FFA_MEM_DONATE,	FFA_MEM_DONATE, "FFA_MEM_DONATE")	\
	EM(SMC_FFA_MEM_DONATE64,	FFA_FN64_MEM_DONATE, "FFA_MEM_DONATE64") \
	EM(SMC_FFA_MEM_LEND,	FFA_MEM_LEND, "FFA_MEM_LEND")		\
	EM(SMC_FFA_MEM_LEND64,	FFA_FN64_MEM_LEND, "FFA_MEM_LEND64")	\
	EM(SMC_FFA_MEM_SHARE,	FFA_MEM_SHARE, "FFA_MEM_SHARE")		\
	EM(SMC_FFA_MEM_SHARE64,	FFA_FN64_MEM_SHARE, "FFA_MEM_SHARE64")	\
	EM(SMC_FFA_MEM_RETRIEVE_REQ, FFA_MEM_RETRIEVE_REQ, "FFA_MEM_RETRIEVE_REQ") \
	EM(SMC_FFA_MEM_RELINQUISH, FFA_MEM_RELINQUISH, "FFA_MEM_RELINQUISH") \
	EM(SMC_FFA_MEM_RECLAIM,	FFA_MEM_RECLAIM, "FFA_MEM_RECLAIM")	\
	EM(SMC_FFA_MEM_FRAG_RX,	FFA_MEM_FRAG_RX, "FFA_MEM_FRAG_RX")	\
	EMe(SMC_FFA_MEM_FRAG_TX, FFA_MEM_FRAG_TX, "FFA_MEM_FRAG_TX")

enum hyp_smc HYP_ENUM(HYP_SMC_LIST);

/* Scope of a TLB invalidation; "nsh" is this CPU only. */
#define HYP_TLB_LIST(EM, EMe)						\
	EM(TLB_IPA,	0, "ipa")					\
	EM(TLB_IPA_NSH,	1, "ipa_nsh")					\
	EM(TLB_RANGE,	2, "range")					\
	EM(TLB_VMID,	3, "vmid")					\
	EM(TLB_CPU,	4, "vmid_nsh")					\
	EMe(TLB_ALL,	5, "all")

enum hyp_tlb HYP_ENUM(HYP_TLB_LIST);

/* Permissions for memory: bits of enum kvm_pgtable_prot. */
#define HYP_PROT_FLAGS							\
	{ HYPTRACE_PROT_R, "r" }, { HYPTRACE_PROT_W, "w" },		\
	{ HYPTRACE_PROT_X, "x" } HYPTRACE_PROT_X_PARTS,			\
	{ HYPTRACE_PROT_DEVICE, "-device" }

/* Owner of memory: enum pkvm_component_id. */
#define HYP_OWNER_LIST(EM, EMe)						\
	EM(OWNER_HOST,	0, "host")					\
	EM(OWNER_HYP,	1, "hyp")					\
	EMe(OWNER_OTHER, 2, HYPTRACE_OTHER_OWNER)

enum hyp_owner HYP_ENUM(HYP_OWNER_LIST);

/* Begin or end of a span. */
#define HYP_SPAN_LIST(EM, EMe)						\
	EM(SPAN_BEGIN,	'B', "begin")					\
	EMe(SPAN_END,	'E', "end")

enum hyp_span_type HYP_ENUM(HYP_SPAN_LIST);

/* Size of a span's name, including the terminating 0. */
#define HYP_SPAN_NAME_SIZE	24

/* EL2 allocates pages for its own page tables, for the host's stage 2, or for a VM's. */
#define HYP_POOL_LIST(EM, EMe)						\
	EM(POOL_EL2,	0, "el2")					\
	EM(POOL_HOST,	1, "host")					\
	EMe(POOL_VM,	2, "vm")

enum hyp_pool_kind HYP_ENUM(HYP_POOL_LIST);

/* The values of all lists, for binary readers. */
#define HYP_DEFINE_ALL_ENUMS						\
	HYP_DEFINE_ENUMS(HYP_CROSSING_LIST)				\
	HYP_DEFINE_ENUMS(HYP_EXIT_LIST)					\
	HYP_DEFINE_ENUMS(HYP_WFX_LIST)					\
	HYP_DEFINE_ENUMS(HYP_INJECT_LIST)				\
	HYP_DEFINE_ENUMS(HYP_YOUNG_LIST)				\
	HYP_DEFINE_ENUMS(HYP_ACCESS_LIST)				\
	HYP_DEFINE_ENUMS(HYP_SYSREG_LIST)				\
	HYP_DEFINE_ENUMS(HYP_SMC_LIST)					\
	HYP_DEFINE_ENUMS(HYP_TLB_LIST)					\
	HYP_DEFINE_ENUMS(HYP_OWNER_LIST)				\
	HYP_DEFINE_ENUMS(HYP_POOL_LIST)					\
	HYP_DEFINE_ENUMS(HYP_SPAN_LIST)

#endif /* _TRACE_MISC_HYP_H */
