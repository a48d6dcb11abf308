// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: triggers, events that stop or start recording, or have their stack recorded.
 *
 * Nothing here takes a lock: a trigger acts in the middle of anything that EL2 does.
 */

#include <nvhe/hyptrace/trigger.h>

struct hyp_trigger hyp_triggers[HYP_FILTER_USES][HYP_NR_EVENTS];

/* Take one of the times that are left; false if there is none. */
static bool trigger_take_one(struct hyp_trigger *trigger)
{
	s64 left = READ_ONCE(trigger->left);

	do {
		if (left <= 0)
			return left;
	} while (!try_cmpxchg(&trigger->left, &left, left - 1));

	return true;
}

/* Another CPU was first: it has not been used. */
static void trigger_give_back(struct hyp_trigger *trigger)
{
	s64 left = READ_ONCE(trigger->left);

	do {
		if (left < 0)
			return;
	} while (!try_cmpxchg(&trigger->left, &left, left + 1));
}

/* Stop or start recording, unless that is so already. Only a CPU that does it uses up a time. */
void hyp_trigger_turn(struct hyp_trace_cpu *cpu, u64 type, bool on)
{
	struct hyp_trigger *trigger = hyp_trigger_of(type, HYP_FILTER_TRIGGER);

	if (hyp_trace_is_running() == on || !trigger_take_one(trigger))
		return;

	if (!hyp_trace_turn(on))
		trigger_give_back(trigger);
	else
		cpu->leave |= HYP_LEAVE_TURNED;
}

/* The stack trigger of an event acts: take one of its times. False if it must not act. */
bool hyp_trigger_take_stack(u64 type)
{
	return hyp_trace_is_running() && trigger_take_one(hyp_trigger_of(type, HYP_FILTER_STACK));
}

static bool has_action(u64 use, u64 action)
{
	switch (use) {
	case HYP_FILTER_TRIGGER:
		return action <= TRACE_EXT_START;
	case HYP_FILTER_STACK:
		return action == TRACE_EXT_STACK_TRACE || !action;
	default:
		return false;
	}
}

s64 handle___hyp_trace_trigger(u64 event, u64 use, u64 action, u64 count)
{
	struct hyp_trigger *trigger = &hyp_triggers[use][event];

	if (!has_action(use, action) || (s64)count < -1)
		return -EINVAL;

	WRITE_ONCE(trigger->left, count);
	/* Pairs with hyp_trigger_action(). */
	smp_store_release(&trigger->action, action);
	hyp_trace_set_trigger(event, use, action);
	return 0;
}
