// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of hypervisor tracing: filters and triggers. EL2 has an array for the comparisons
 * of all filters; the host decides who gets which places.
 */

#include <linux/bitmap.h>
#include <linux/smp.h>

#include <asm/hyptrace.h>
#include <asm/hyptrace_ids.h>

#include "hyptrace.h"

/* Places that have comparisons, or had them while a CPU may be using them. */
static DECLARE_BITMAP(places_used, HYP_FILTER_PLACES);

/* The places of each event's filters. Protected by event_mutex, as @places_used. */
static struct places {
	unsigned int	first;
	unsigned int	nr;
} places[HYP_FILTER_USES][HYP_NR_EVENTS];

/* Put a filter's comparisons at places from @first. */
static int put_preds(const struct ext_filter_pred *preds, unsigned int nr, unsigned int first)
{
	const unsigned int shift = first - EXT_FILTER_FIRST;
	struct ext_filter_pred pred;
	unsigned int i, side;
	int ret;

	for (i = 0; i < nr; i++) {
		pred = preds[i];
		for (side = 0; side < 2; side++)
			if (pred.next[side] >= EXT_FILTER_FIRST)
				pred.next[side] += shift;

		ret = hcall_trace_pred(first + i, pred.lo, pred.width, pred.mask,
				       hyp_filter_rest(&pred));
		if (ret)
			return ret;
	}

	return 0;
}

static int put_filter(unsigned int event, enum hyp_filter_use use,
		      const struct ext_filter_pred *preds, unsigned int nr)
{
	struct places *of = &places[use][event], old = *of;
	unsigned long first = EXT_FILTER_FIRST;
	int ret;

	if (nr)
		first = bitmap_find_next_zero_area(places_used, HYP_FILTER_PLACES,
						   EXT_FILTER_FIRST, nr, 0);
	if (first >= HYP_FILTER_PLACES)
		return -ENOSPC;

	ret = put_preds(preds, nr, first) ?: hcall_trace_filter(event, use, first, nr);
	if (ret) {
		pr_err_ratelimited("hyp_trace: EL2 does not take the filter of event number %u: %pe\n",
				   event, ERR_PTR(ret));
		return ret;
	}

	bitmap_set(places_used, first, nr);
	of->first = first;
	of->nr = nr;

	/* A CPU that takes an interrupt is not at EL2, so it does not use the old filter. */
	if (old.nr)
		kick_all_cpus_sync();
	bitmap_clear(places_used, old.first, old.nr);
	return 0;
}

int hyptrace_set_filter(struct trace_ext_writer *writer, unsigned int event,
			const struct ext_filter_pred *preds, unsigned int nr)
{
	return put_filter(event, HYP_FILTER_RECORD, preds, nr);
}

/* Which of an event's filters decides whether it does something. */
static enum hyp_filter_use use_of(enum trace_ext_action action)
{
	return action == TRACE_EXT_STACK_TRACE ? HYP_FILTER_STACK : HYP_FILTER_TRIGGER;
}

static int set_action(unsigned int event, enum hyp_filter_use use, enum trace_ext_action action,
		      long count)
{
	int ret = hcall_trace_trigger(event, use, action, count);

	if (ret)
		pr_err_ratelimited("hyp_trace: EL2 does not take the trigger of event number %u: %pe%s\n",
				   event, ERR_PTR(ret), hyptrace_if_locked(ret));
	else if (action != TRACE_EXT_NO_ACTION)
		hyptrace_end_guest_runs();

	return ret;
}

int hyptrace_set_trigger(struct trace_ext_writer *writer, unsigned int event,
			 enum trace_ext_action action, long count,
			 const struct ext_filter_pred *preds, unsigned int nr)
{
	enum hyp_filter_use use = use_of(action);
	int ret = put_filter(event, use, preds, nr);

	if (ret)
		return ret;

	ret = set_action(event, use, action, count);
	if (ret)
		put_filter(event, use, NULL, 0);

	return ret;
}

void hyptrace_del_trigger(struct trace_ext_writer *writer, unsigned int event,
			  enum trace_ext_action action)
{
	enum hyp_filter_use use = use_of(action);

	set_action(event, use, TRACE_EXT_NO_ACTION, 0);
	/* A CPU at EL2 may be about to apply the filter, and then to act. */
	kick_all_cpus_sync();
	put_filter(event, use, NULL, 0);
}

long hyptrace_trigger_left(struct trace_ext_writer *writer, unsigned int event,
			   enum trace_ext_action action)
{
	struct arm_smccc_res res;

	return hcall_trace_triggers(&res, event, use_of(action)) ? 0 : res.a3;
}

void hyptrace_set_running(struct trace_ext_writer *writer, bool on)
{
	hcall_trace_run(on);
}

bool hyptrace_is_running(struct trace_ext_writer *writer)
{
	struct arm_smccc_res res;
	unsigned int any = 0;

	return !hcall_trace_triggers(&res, any, HYP_FILTER_TRIGGER) && res.a2;
}
