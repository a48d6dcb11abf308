// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: what happens to an event that is followed, is a trigger, or has its stack
 * recorded, and in which order. Its record is a draft first, in EL2's own memory.
 */

#include <nvhe/hyptrace/trigger.h>

static void follow_draft(struct hyp_trace_cpu *cpu, u32 size, u64 now)
{
	if (!cpu->followed)
		return;

	cpu->leave |= HYP_LEAVE_FOLLOWED;
	ext_ring_write(cpu->draft.record, size, &cpu->follower.ring, now);
}

/*
 * A trigger has started recording, and the host may have enabled or disabled the event since its
 * site has read its word. Return the word to go on with.
 */
static u64 type_now(struct hyp_trace_cpu *cpu, u64 type)
{
	u32 word = READ_ONCE(hyp_words[FIELD_GET(HYP_EVENT_NUMBER, type)]);
	struct trace_entry *entry = (void *)cpu->draft.record;

	entry->type = word;
	return (type & (HYP_EVENT_NUMBER | HYP_EVENT_UNPAIRED)) |
	       (word ? word & ~HYP_EVENT_NUMBER : HYP_EVENT_UNRECORDED);
}

static __always_inline bool draft_write(struct hyp_trace_cpu *cpu, u64 type, u32 size, u64 now)
{
	return !(type & (HYP_EVENT_UNRECORDED | HYP_EVENT_UNPAIRED)) &&
	       hyp_filter_match(&cpu->draft, type, HYP_FILTER_RECORD) &&
	       ext_ring_write(cpu->draft.record, size, &cpu->user.ring, now);
}

/*
 * Record a draft in the user's ring, or not. As in ftrace, an event that starts recording is
 * recorded itself, one that stops it is recorded before, and a trigger has the stack recorded even
 * if the event is not. @trigger is a constant: other events do not pay for triggers.
 */
static __always_inline bool draft_record(struct hyp_trace_cpu *cpu, u64 type, u32 size, u64 now,
					 bool trigger)
{
	u8 turn = trigger ? hyp_trigger_action(cpu, type, HYP_FILTER_TRIGGER) : 0;
	bool stack = trigger && hyp_trigger_action(cpu, type, HYP_FILTER_STACK);
	bool written;

	if (turn == TRACE_EXT_START) {
		hyp_trigger_turn(cpu, type, true);
		type = type_now(cpu, type);
	}

	written = draft_write(cpu, type, size, now);

	if ((stack && hyp_trigger_take_stack(type)) || (written && type & HYP_EVENT_STACK))
		hyp_stack_record(cpu, now);

	if (turn == TRACE_EXT_STOP)
		hyp_trigger_turn(cpu, type, false);

	return written;
}

/**
 * hyp_draft_finish() - an event that is followed, or a trigger, or has its stack recorded
 * @type:	the event's word in hyp_words[]
 * @size:	size of the record [bytes]
 * @cpu:	this CPU; its draft has the event's record
 * @now:	boot clock if the time is known [ns], or 0
 *
 * Return: true if the event was recorded in the user's ring
 */
bool hyp_draft_finish(u64 type, u64 size, struct hyp_trace_cpu *cpu, u64 now)
{
	/* It may never have been. */
	if (unlikely(!cpu->traced))
		return false;

	now = now ?: hyp_clock_now(&cpu->clock);
	if (type & HYP_EVENT_FOLLOWED)
		follow_draft(cpu, size, now);

	/* A CPU or task that the user does not trace triggers nothing, either. */
	if (!hyp_trace_ring_is_traced(&cpu->user))
		return false;

	return type & HYP_EVENT_TRIGGER ? draft_record(cpu, type, size, now, true) :
					  draft_record(cpu, type, size, now, false);
}
