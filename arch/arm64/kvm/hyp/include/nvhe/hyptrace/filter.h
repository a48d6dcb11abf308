/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: applying a filter to an event (filter.c).
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_FILTER_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_FILTER_H

#include <linux/bitfield.h>

#include <nvhe/hyptrace.h>

/* The comparisons of all filters, by place. All zero is valid, too. */
extern struct ext_filter_pred hyp_filter_pred[HYP_FILTER_PLACES];

/* The place where each event's filter begins; 0 if the event has none. */
extern u16 hyp_event_filter[HYP_FILTER_USES][HYP_NR_EVENTS];

/* Apply a filter of an event, whose word in hyp_words[] is @type. */
static __always_inline bool hyp_filter_match(const struct hyp_trace_draft *draft, u64 type,
					     enum hyp_filter_use use)
{
	/* The comparisons are there before the place is, see handle___hyp_trace_filter(). */
	u64 place = hyp_event_filter[use][FIELD_GET(HYP_EVENT_NUMBER, type)];

	OPTIMIZER_HIDE_VAR(place);
	return !place || ext_filter_match(hyp_filter_pred, place, (const void *)draft);
}

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_FILTER_H */
