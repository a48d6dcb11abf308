// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: what else becomes of an event that is followed, is a trigger, or has its stack
 * recorded. Its record is a draft first, in EL2's own memory.
 */

#include <nvhe/hyptrace/filter.h>

static void follow_draft(struct hyp_trace_cpu *cpu, u32 size, u64 now)
{
	if (!cpu->followed)
		return;

	cpu->leave |= HYP_LEAVE_FOLLOWED;
	ext_ring_write(cpu->draft.record, size, &cpu->follower.ring, now);
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
	if (!cpu->user.ring.open && !cpu->user.ring.suspended)
		return false;

	if (type & HYP_EVENT_TRIGGER)
		return hyp_trace_triggered(cpu, type, size, now);

	if ((type & (HYP_EVENT_UNRECORDED | HYP_EVENT_UNPAIRED)) ||
	    !hyp_filter_match(&cpu->draft, type, HYP_FILTER_RECORD) ||
	    !ext_ring_write(cpu->draft.record, size, &cpu->user.ring, now))
		return false;

	if (type & HYP_EVENT_STACK)
		hyp_stack_record(cpu, now);

	return true;
}
