// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: guests that record events themselves (linux/hypertrace.h).
 *
 * A guest is hostile: all that it passes is data. Nothing of it is an address, and no loop depends
 * on it.
 */

#include <nvhe/hyptrace/channel.h>

#include <hyp/adjust_pc.h>

/* A vCPU may record an eighth of a second's worth of events at once. */
#define BURST_SHIFT	3

/*
 * Take an event out of what the vCPU may record. It may record one when the counter has reached
 * @due, and each event moves @due on by @interval. While the vCPU records less, @due falls behind
 * the counter, by a burst at most: that is what it may record at once.
 */
static bool limit_take_one(struct hyp_channel_vcpu *channel, u64 interval)
{
	s64 now = hyp_clock_cycles();
	s64 burst = read_sysreg(cntfrq_el0) >> BURST_SHIFT;
	/* The counter may have begun less than a burst ago. */
	s64 due = max(channel->due, now - burst);

	/* The limit has been raised, or the counter has begun anew. */
	if (due > now + (s64)interval)
		due = now;

	if (due > now) {
		channel->limited++;
		return false;
	}

	channel->due = due + interval;
	return true;
}

/* Take the number of events that were over the limit since the last one that was not. */
static u32 take_lost(struct hyp_channel_vcpu *channel)
{
	u64 told = channel->told;

	channel->told = channel->limited;
	return min(channel->limited - told, (u64)U32_MAX);
}

/* The event of a call with that many arguments; HYP_NR_EVENTS if there is none. */
static unsigned int event_of_size(u64 count)
{
	if (count <= 1)
		return HYP_EVENT_guest_trace_1;
	if (count <= 2)
		return HYP_EVENT_guest_trace_2;
	if (count <= 4)
		return HYP_EVENT_guest_trace_4;
	if (count <= 8)
		return HYP_EVENT_guest_trace_8;
	if (count <= HYPERTRACE_MAX_ARGS)
		return HYP_EVENT_guest_trace_16;

	return HYP_NR_EVENTS;
}

static unsigned int event_of(u64 desc)
{
	u64 count = hypertrace_count(desc);

	switch (hypertrace_kind(desc)) {
	case HYPERTRACE_EVENT:
		return event_of_size(count);
	case HYPERTRACE_MARK:
		return count <= HYPERTRACE_MAX_TEXT ? HYP_EVENT_guest_mark : HYP_NR_EVENTS;
	case HYPERTRACE_CLOCK:
		return count == HYPERTRACE_CLOCK_ARGS ? HYP_EVENT_guest_clock : HYP_NR_EVENTS;
	default:
		return HYP_NR_EVENTS;
	}
}

static void write_guest_event(unsigned int event, u64 type, struct kvm_vcpu *vcpu,
			      struct hyp_public desc)
{
	struct hyp_public missing = hyp_public(take_lost(&vcpu->arch.hyp_channel));

	switch (event) {
	case HYP_EVENT_guest_trace_1:
		return hyp_write_guest_trace_1(type, vcpu, desc, missing);
	case HYP_EVENT_guest_trace_2:
		return hyp_write_guest_trace_2(type, vcpu, desc, missing);
	case HYP_EVENT_guest_trace_4:
		return hyp_write_guest_trace_4(type, vcpu, desc, missing);
	case HYP_EVENT_guest_trace_8:
		return hyp_write_guest_trace_8(type, vcpu, desc, missing);
	case HYP_EVENT_guest_trace_16:
		return hyp_write_guest_trace_16(type, vcpu, desc, missing);
	case HYP_EVENT_guest_mark:
		return hyp_write_guest_mark(type, vcpu, desc, missing);
	case HYP_EVENT_guest_clock:
		return hyp_write_guest_clock(type, vcpu, missing);
	}
}

/* Does anybody get the event now? The CPU may be traced for other events that are followed. */
static bool is_wanted(const struct hyp_trace_cpu *cpu, u64 type)
{
	if (!type || !cpu->traced)
		return false;

	if (hyp_trace_ring_is_traced(&cpu->user) &&
	    (likely(!(type & HYP_EVENT_UNRECORDED)) || type & HYP_EVENT_TRIGGER))
		return true;

	return type & HYP_EVENT_FOLLOWED && cpu->followed;
}

static s64 channel_record(struct kvm_vcpu *vcpu, u64 desc, u64 interval)
{
	unsigned int event = event_of(desc);
	u64 type;

	if (event == HYP_NR_EVENTS)
		return HYPERTRACE_INVALID;

	type = READ_ONCE(hyp_words[event]);
	if (!is_wanted(this_cpu_ptr(&hyp_trace_cpu), type))
		return HYPERTRACE_IDLE;

	if (interval != HYP_CHANNEL_NO_LIMIT && !limit_take_one(&vcpu->arch.hyp_channel, interval))
		return HYPERTRACE_LIMITED;

	write_guest_event(event, type, vcpu, hyp_public(desc));
	return HYPERTRACE_DONE;
}

/**
 * hyp_channel_handle() - a guest has made a call, by HVC or SMC from AArch64
 * @vcpu:	its vCPU
 * @exit_code:	unused
 *
 * Return: true if the guest can go on; false if the host has to handle the call
 */
bool hyp_channel_handle(struct kvm_vcpu *vcpu, u64 *exit_code)
{
	u64 interval = READ_ONCE(vcpu->arch.hyp_channel.interval);
	u64 esr = vcpu->arch.fault.esr_el2, desc;

	if (!interval || lower_32_bits(vcpu_get_reg(vcpu, 0)) != HYPERTRACE_CALL ||
	    esr & ESR_ELx_xVC_IMM_MASK)
		return false;

	/* Names are rare, and the host has more room for them. */
	desc = vcpu_get_reg(vcpu, 1);
	if (hypertrace_kind(desc) == HYPERTRACE_NAME)
		return false;

	vcpu_set_reg(vcpu, 0, channel_record(vcpu, desc, interval));
	/* An SMC traps: its return address is that of the instruction itself. */
	if (ESR_ELx_EC(esr) == ESR_ELx_EC_SMC64)
		__kvm_skip_instr(vcpu);

	return true;
}
