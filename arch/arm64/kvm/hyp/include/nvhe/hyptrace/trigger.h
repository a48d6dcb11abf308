/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: triggers. draft.c decides when they act, trigger.c has what they do.
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_TRIGGER_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_TRIGGER_H

#include <linux/bitfield.h>

#include <nvhe/hyptrace/filter.h>

/**
 * struct hyp_trigger - what an event does
 * @action:	enum trace_ext_action
 * @left:	how often it may still do it; -1 if there is no limit. All CPUs share this
 */
struct hyp_trigger {
	u8	action;
	s64	left;
};

/* The first index is enum hyp_filter_use: that of the filter that decides whether it acts. */
extern struct hyp_trigger hyp_triggers[HYP_FILTER_USES][HYP_NR_EVENTS];

static inline struct hyp_trigger *hyp_trigger_of(u64 type, enum hyp_filter_use use)
{
	return &hyp_triggers[use][FIELD_GET(HYP_EVENT_NUMBER, type)];
}

/* The action that the event in this CPU's draft is to take now. */
static inline u8 hyp_trigger_action(const struct hyp_trace_cpu *cpu, u64 type,
				    enum hyp_filter_use use)
{
	/* Pairs with handle___hyp_trace_trigger(): the count and the filter come first. */
	u8 action = smp_load_acquire(&hyp_trigger_of(type, use)->action);

	return action && hyp_filter_match(&cpu->draft, type, use) ? action : TRACE_EXT_NO_ACTION;
}

void hyp_trigger_turn(struct hyp_trace_cpu *cpu, u64 type, bool on);
bool hyp_trigger_take_stack(u64 type);

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_TRIGGER_H */
