/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing of the hypervisor: what is different in other versions of Linux, for arm64. There is a
 * file like this for each; this one is for 6.12.
 */
#ifndef __ASM_HYPTRACE_COMPAT_H
#define __ASM_HYPTRACE_COMPAT_H

#include <asm/patching.h>

/* The CPU's interface to the interrupt controller is system registers. */
#define HYPTRACE_HAS_GIC_SYSREGS	ARM64_HAS_GIC_CPUIF_SYSREGS

/*
 * KVM's own hypercalls whose result may be shown: a number or an error. One that returns nothing
 * leaves an argument in the register, perhaps an address; another one may return an address of
 * EL2.
 */
#define HYPTRACE_SHOWN_HCALLS(X)	\
	X(__kvm_get_mdcr_el2)		\
	X(__pkvm_init)			\
	X(__pkvm_cpu_set_vector)	\
	X(__vgic_v3_get_gic_config)	\
	X(__pkvm_prot_finalize)		\
	X(__pkvm_host_share_hyp)	\
	X(__pkvm_host_unshare_hyp)	\
	X(__kvm_vcpu_run)		\
	X(__pkvm_init_vm)		\
	X(__pkvm_init_vcpu)		\
	X(__pkvm_teardown_vm)

/* The host's hypercalls have numbers below this; the last one is ours. */
#define HYPTRACE_NR_HCALLS		(__KVM_HOST_SMCCC_FUNC___hyp_trace_test + 1)

/* Exits of a guest that the host handles, and not every kernel has: HYP_TOTALS_EXITS(). */
#define HYPTRACE_MORE_EXITS(X)

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
	guard(rcu)();				\
	pid_nr(rcu_dereference((vcpu)->pid));	\
})

/* EL2's copy of a vCPU, whose VM is not torn down while it is held; or NULL. */
#define HYPTRACE_HYP_VCPU_GET(vm, id)	pkvm_load_hyp_vcpu(vm, id)
#define HYPTRACE_HYP_VCPU_PUT(vcpu)	pkvm_put_hyp_vcpu(vcpu)

/* __pkvm_hyp_donate_host() refuses what is not memory. */
#define HYPTRACE_DONATION_IS_CHECKED	true

/* Tracing begins before finalize_pkvm(), so that a trace from boot on shows what that does. */
#define hyptrace_initcall(fn)		device_initcall(fn)

/* A function that generates the parameters of a KUnit test has these parameters. */
#define HYPTRACE_GEN_PARAMS(prev, desc)	const void *prev, char *desc

/* A guest gets the real time and the counter at once, into a struct system_time_snapshot. */
#define HYPERTRACE_GET_SNAPSHOT(snap)	ktime_get_snapshot(snap)
#define HYPERTRACE_REAL(snap)		((snap)->real)

#endif /* __ASM_HYPTRACE_COMPAT_H */
