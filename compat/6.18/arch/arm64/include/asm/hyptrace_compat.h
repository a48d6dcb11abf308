/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing of the hypervisor: what is different in other versions of Linux, for arm64. There is a
 * file like this for each; this one is for 6.18.
 */
#ifndef __ASM_HYPTRACE_COMPAT_H
#define __ASM_HYPTRACE_COMPAT_H

#include <asm/text-patching.h>

/* With protection, EL2 manages the memory of guests, so there are events of that. */
#define HYPTRACE_GUESTS_MEMORY

/* The CPU's interface to the interrupt controller is system registers. */
#define HYPTRACE_HAS_GIC_SYSREGS	ARM64_HAS_GICV3_CPUIF

/* Only some stable releases have it. */
#ifndef __noipa
#if __has_attribute(__noipa__)
#define __noipa				__attribute__((__noipa__))
#else
#define __noipa
#endif
#endif

/*
 * KVM's own hypercalls whose result may be shown: a number or an error. One that returns nothing
 * leaves an argument in the register, perhaps an address; another one may return an address of
 * EL2.
 */
#define HYPTRACE_SHOWN_HCALLS(X)		\
	X(__pkvm_init)				\
	X(__pkvm_cpu_set_vector)		\
	X(__vgic_v3_get_gic_config)		\
	X(__pkvm_prot_finalize)			\
	X(__pkvm_host_share_hyp)		\
	X(__pkvm_host_unshare_hyp)		\
	X(__pkvm_host_share_guest)		\
	X(__pkvm_host_unshare_guest)		\
	X(__pkvm_host_relax_perms_guest)	\
	X(__pkvm_host_wrprotect_guest)		\
	X(__pkvm_host_test_clear_young_guest)	\
	X(__pkvm_host_mkyoung_guest)		\
	X(__kvm_vcpu_run)			\
	X(__pkvm_reserve_vm)			\
	X(__pkvm_init_vm)			\
	X(__pkvm_init_vcpu)			\
	X(__pkvm_teardown_vm)

/* The host's hypercalls have numbers below this; the last one is ours. */
#define HYPTRACE_NR_HCALLS		(__KVM_HOST_SMCCC_FUNC___hyp_trace_test + 1)

/* Exits of a guest that the host handles, and not every kernel has: HYP_TOTALS_EXITS(). */
#define HYPTRACE_MORE_EXITS(X)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, OTHER)	\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, GCS)

/* Bits of enum kvm_pgtable_prot, in events. */
#define HYPTRACE_PROT_X			1
#define HYPTRACE_PROT_X_PARTS
#define HYPTRACE_PROT_W			2
#define HYPTRACE_PROT_R			4
#define HYPTRACE_PROT_DEVICE		8

/* The last of enum pkvm_component_id. */
#define HYPTRACE_OTHER_OWNER		"ffa"

/* The thread that runs a vCPU, or 0. */
#define HYPTRACE_VCPU_TID(vcpu)			\
({						\
	guard(read_lock)(&(vcpu)->pid_lock);	\
	pid_nr((vcpu)->pid);			\
})

/* EL2's copy of a vCPU, whose VM is not torn down while it is held; or NULL. */
#define HYPTRACE_HYP_VCPU_GET(vm, id)					\
({									\
	struct pkvm_hyp_vm *__vm = get_pkvm_hyp_vm(vm);			\
	struct pkvm_hyp_vcpu *__vcpu = NULL;				\
									\
	if (__vm && (id) < __vm->kvm.created_vcpus)			\
		__vcpu = READ_ONCE(__vm->vcpus[id]);			\
	/* Take the lock in which the pointer is set: then the vCPU is set up, too. */ \
	if (__vcpu)							\
		put_pkvm_hyp_vm(get_pkvm_hyp_vm(vm));			\
	if (__vm && !__vcpu)						\
		put_pkvm_hyp_vm(__vm);					\
	__vcpu;								\
})
#define HYPTRACE_HYP_VCPU_PUT(vcpu)	put_pkvm_hyp_vm(pkvm_hyp_vcpu_to_hyp_vm(vcpu))

/* __pkvm_hyp_donate_host() does not refuse what is not memory: EL2 would panic. */
#define HYPTRACE_DONATION_IS_CHECKED	false

/* Tracing begins before finalize_pkvm(), so that a trace from boot on shows what that does. */
#define hyptrace_initcall(fn)		device_initcall(fn)

/* A function that generates the parameters of a KUnit test has these parameters. */
#define HYPTRACE_GEN_PARAMS(prev, desc)	struct kunit *test, const void *prev, char *desc

/* A guest gets the real time and the counter at once, into a struct system_time_snapshot. */
#define HYPERTRACE_GET_SNAPSHOT(snap)	ktime_get_snapshot(snap)
#define HYPERTRACE_REAL(snap)		((snap)->real)

#endif /* __ASM_HYPTRACE_COMPAT_H */
