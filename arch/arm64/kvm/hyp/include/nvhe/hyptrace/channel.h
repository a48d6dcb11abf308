/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: guests that record events themselves (linux/hypertrace.h).
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_CHANNEL_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_CHANNEL_H

#include <linux/bits.h>

#include <asm/kvm_emulate.h>

#include <nvhe/hyptrace.h>

#include <uapi/linux/hypertrace.h>

#ifdef CONFIG_KVM_HYPTRACE_GUESTS
bool hyp_channel_handle(struct kvm_vcpu *vcpu, u64 *exit_code);

/* Entries of a table of exit handlers, for the calls that guests make. */
#define HYP_CHANNEL_EXIT_HANDLERS					\
	[ESR_ELx_EC_HVC64]	= hyp_channel_handle,			\
	HYP_CHANNEL_SMC_HANDLER

/* The same of a table that has a handler for hypercalls already; that one calls ours. */
#define HYP_CHANNEL_SMC_HANDLER						\
	[ESR_ELx_EC_SMC64]	= hyp_channel_handle,

/* Do guests record this event themselves? Then no other site of EL2 looks at it. */
static inline bool hyp_channel_has(unsigned int event)
{
	return event >= HYP_EVENT_guest_trace_1 && event <= HYP_EVENT_guest_clock;
}

/**
 * hyp_channel_flush() - a vCPU is about to be run: copy what it may do
 * @vcpu:	EL2's copy of the vCPU
 * @host_vcpu:	the host's
 */
static inline void hyp_channel_flush(struct kvm_vcpu *vcpu, const struct kvm_vcpu *host_vcpu)
{
	vcpu->arch.hyp_channel.interval = READ_ONCE(host_vcpu->arch.hyp_channel.interval);
}

/**
 * hyp_channel_sync() - a vCPU has run: tell the host what was not recorded
 * @host_vcpu:	the host's vCPU
 * @vcpu:	EL2's copy of it
 */
static inline void hyp_channel_sync(struct kvm_vcpu *host_vcpu, const struct kvm_vcpu *vcpu)
{
	WRITE_ONCE(host_vcpu->arch.hyp_channel.limited, vcpu->arch.hyp_channel.limited);
}

/**
 * hyp_channel_features() - EL2 answers KVM's function FEATURES itself
 * @vcpu:	the vCPU that calls it
 * @words:	the four words that it returns: the channel's bit is added
 */
static inline void hyp_channel_features(const struct kvm_vcpu *vcpu, u64 *words)
{
	if (READ_ONCE(vcpu->arch.hyp_channel.interval))
		words[HYPERTRACE_FEATURE / 32] |= BIT(HYPERTRACE_FEATURE % 32);
}

/* A register of a call, which the guest wants to be recorded: so it is no secret. */
static __always_inline u64 hyp_channel_reg(union hyp_guest guest, u8 reg)
{
	return vcpu_get_reg(guest.__vcpu, reg);
}

/* Argument @i of a call, from 0; 0 if it has fewer: the register is none of our business. */
static __always_inline u64 hyp_channel_arg(union hyp_guest guest, u64 desc, unsigned int i)
{
	return i < hypertrace_count(desc) ? hyp_channel_reg(guest, 2 + i) : 0;
}

/*
 * Replace control characters, which have bits 5 to 7 clear: a reader's terminal would obey them,
 * and a line feed would let a guest forge the lines of others.
 */
static __always_inline u64 hyp_channel_printable(u64 text)
{
	u64 ones = 0x0101010101010101;
	u64 control = ~(text >> 5 | text >> 6 | text >> 7) & ones;

	return (text & ~(control * 0xff)) | control * '?';
}

/**
 * hyp_channel_text() - the text of a call
 * @guest:	the vCPU that makes it
 * @desc:	the descriptor
 * @text:	where to put the text, HYPERTRACE_MAX_TEXT bytes: behind it they are 0
 *
 * It has no address of the guest: it is in registers.
 */
static __always_inline void hyp_channel_text(union hyp_guest guest, u64 desc, char *text)
{
	s64 left = hypertrace_count(desc);
	int i;

	for (i = 0; i < HYPERTRACE_MAX_TEXT / 8; i++, left -= 8) {
		u64 word = left <= 0 ? 0 : hyp_channel_printable(hyp_channel_reg(guest, 2 + i));

		if (left > 0 && left < 8)
			word &= GENMASK(left * 8 - 1, 0);
		memcpy(text + i * 8, &word, sizeof(word));
	}
}

/* The trace's clock [ns] at a value of the virtual counter of the guest that is loaded. */
static __always_inline u64 hyp_channel_at(u64 cntvct)
{
	return hyp_clock_at(&this_cpu_ptr(&hyp_trace_cpu)->clock,
			    cntvct + read_sysreg(cntvoff_el2));
}

#else
#define HYP_CHANNEL_EXIT_HANDLERS
#define HYP_CHANNEL_SMC_HANDLER
static inline bool hyp_channel_has(unsigned int event) { return false; }
static inline bool hyp_channel_handle(struct kvm_vcpu *vcpu, u64 *exit_code) { return false; }
static inline void hyp_channel_features(const struct kvm_vcpu *vcpu, u64 *words) { }
static inline void hyp_channel_flush(struct kvm_vcpu *vcpu, const struct kvm_vcpu *host_vcpu) { }
static inline void hyp_channel_sync(struct kvm_vcpu *host_vcpu, const struct kvm_vcpu *vcpu) { }
#endif

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_CHANNEL_H */
