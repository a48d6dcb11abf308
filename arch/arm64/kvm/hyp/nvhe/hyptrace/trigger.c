// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: triggers, events that stop or start recording, or have their stack recorded.
 *
 * Nothing here takes a lock: a trigger acts in the middle of anything that EL2 does.
 */

#include <nvhe/hyptrace/filter.h>

#include <linux/bitfield.h>

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
static struct hyp_trigger hyp_triggers[HYP_FILTER_USES][HYP_NR_EVENTS];

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

/* Stop or start, unless that was done before. Only who changes the state counts. */
static void trigger_act(struct hyp_trace_cpu *cpu, struct hyp_trigger *trigger, bool on)
{
	if (hyp_trace_is_running() == on || !trigger_take_one(trigger))
		return;

	if (!hyp_trace_turn(on))
		trigger_give_back(trigger);
	else
		cpu->leave |= HYP_LEAVE_TURNED;
}

/* The action that an event is to take now. */
static u8 action_now(struct hyp_trace_cpu *cpu, u64 type, enum hyp_filter_use use)
{
	struct hyp_trigger *trigger = &hyp_triggers[use][FIELD_GET(HYP_EVENT_NUMBER, type)];
	/* Pairs with handle___hyp_trace_trigger(): the count and the filter come first. */
	u8 action = smp_load_acquire(&trigger->action);

	return action && hyp_filter_match(&cpu->draft, type, use) ? action : TRACE_EXT_NO_ACTION;
}

/*
 * Record the stack of an event, if it is to be. Like in ftrace, the trigger does that even if the
 * event itself is not recorded.
 */
static void record_stack(struct hyp_trace_cpu *cpu, u64 type, bool written, bool trigger, u64 now)
{
	struct hyp_trigger *of = &hyp_triggers[HYP_FILTER_STACK][FIELD_GET(HYP_EVENT_NUMBER, type)];

	trigger = trigger && hyp_trace_is_running() && trigger_take_one(of);
	if (trigger || (written && type & HYP_EVENT_STACK))
		hyp_stack_record(cpu, now);
}

/**
 * hyp_trace_triggered() - an event that is a trigger
 * @cpu:	this CPU; its draft has the event's record
 * @type:	the event's word in hyp_words[]
 * @size:	size of the record [bytes]
 * @now:	boot clock [ns]
 *
 * As in ftrace, an event that starts recording is recorded itself if it is enabled, and one
 * that stops it is recorded before.
 *
 * Return: true if the event was recorded
 */
bool hyp_trace_triggered(struct hyp_trace_cpu *cpu, u64 type, u32 size, u64 now)
{
	unsigned int event = FIELD_GET(HYP_EVENT_NUMBER, type);
	struct hyp_trigger *trigger = &hyp_triggers[HYP_FILTER_TRIGGER][event];
	u8 action = action_now(cpu, type, HYP_FILTER_TRIGGER);
	bool stack = action_now(cpu, type, HYP_FILTER_STACK);
	struct trace_entry *entry = (void *)cpu->draft.record;
	bool written = false;
	u32 now_type = type;

	if (action == TRACE_EXT_START) {
		trigger_act(cpu, trigger, true);
		/* The host may have enabled or disabled it meanwhile, with another type. */
		now_type = READ_ONCE(hyp_words[event]);
		entry->type = now_type;
	}

	if (now_type && !((now_type & HYP_EVENT_UNRECORDED) || (type & HYP_EVENT_UNPAIRED)) &&
	    hyp_filter_match(&cpu->draft, type, HYP_FILTER_RECORD))
		written = ext_ring_write(cpu->draft.record, size, &cpu->user.ring, now);
	record_stack(cpu, type, written, stack, now);

	if (action == TRACE_EXT_STOP)
		trigger_act(cpu, trigger, false);

	return written;
}

/* How often a trigger may still act; -1 if there is no limit. */
s64 hyp_trigger_left(unsigned int event, enum hyp_filter_use use)
{
	return READ_ONCE(hyp_triggers[use][event].left);
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
	/* Pairs with action_now(). */
	smp_store_release(&trigger->action, action);
	hyp_trace_set_trigger(event, use, action);
	return 0;
}
