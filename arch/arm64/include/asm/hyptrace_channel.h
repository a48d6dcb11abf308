/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guests' channel to the trace of EL2 (linux/hypertrace.h): what the host and EL2 share for it.
 */
#ifndef __ASM_HYPTRACE_CHANNEL_H__
#define __ASM_HYPTRACE_CHANNEL_H__

#include <linux/types.h>

/**
 * struct hyp_channel_vm - what a VM may do
 * @open:	it may make the call, if the VMM's filter lets it
 * @limit:	events that a vCPU may record in a second; 0 for as many as it likes
 */
struct hyp_channel_vm {
	bool	open;
	u32	limit;
};

/* A vCPU records as many events as it likes. */
#define HYP_CHANNEL_NO_LIMIT	U64_MAX

/**
 * struct hyp_channel_vcpu - the channel of a vCPU
 * @interval:	an event's part of a second [cycles of the counter]; HYP_CHANNEL_NO_LIMIT; or 0 if
 *		the vCPU may not make the call. The host sets it; with protection EL2 copies it
 *		when the vCPU is run
 * @due:	EL2's: the counter's value from which on the next event may be recorded
 * @limited:	EL2's: events that have not been recorded because there were too many
 * @told:	EL2's: @limited when the last event was recorded
 */
struct hyp_channel_vcpu {
	u64	interval;
	s64	due;
	u64	limited;
	u64	told;
};

struct kvm;
struct kvm_vcpu;

#ifdef CONFIG_KVM_HYPTRACE_GUESTS
/* In hypercalls.c: does KVM handle a guest's call, rather than deny it or tell the VMM? */
bool kvm_smccc_handles(struct kvm_vcpu *vcpu, u32 func_id);

void hyptrace_channel_vm_created(struct kvm *kvm, int fd);
void hyptrace_channel_vcpu_init(struct kvm_vcpu *vcpu);
bool hyptrace_channel_may(const struct kvm_vcpu *vcpu, u32 func_id);
void hyptrace_channel_features(struct kvm_vcpu *vcpu, u64 *word);
u64 hyptrace_channel_call(struct kvm_vcpu *vcpu);
#else
static inline void hyptrace_channel_vm_created(struct kvm *kvm, int fd) { }
static inline void hyptrace_channel_vcpu_init(struct kvm_vcpu *vcpu) { }
static inline bool hyptrace_channel_may(const struct kvm_vcpu *vcpu, u32 func_id)
{
	return false;
}

static inline void hyptrace_channel_features(struct kvm_vcpu *vcpu, u64 *word) { }
#endif

#endif /* __ASM_HYPTRACE_CHANNEL_H__ */
