// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: filters.
 *
 * The host puts comparisons at places of one array, and then tells which of them are an
 * event's filter. It decides where they are. EL2 checks each comparison before it uses it:
 * whatever a hostile host does, and whenever, a filter ends, stays inside of the array and
 * looks at nothing but the event (ext_filter_pred_is_valid()). So nothing at EL2 waits for
 * the host when a filter is exchanged.
 */

#include <nvhe/hyptrace/filter.h>

struct ext_filter_pred hyp_filter_pred[HYP_FILTER_PLACES];
u16 hyp_event_filter[HYP_FILTER_USES][HYP_NR_EVENTS];

static struct {
	hyp_spinlock_t	lock;	/* taken before that of words.c */
	u16		nr[HYP_FILTER_USES][HYP_NR_EVENTS];	/* of comparisons; 0: no filter */
} hyp_filters;

/* True if a filter has a comparison at a place. */
static bool place_is_used(u64 place)
{
	int use, event;

	hyp_assert_lock_held(&hyp_filters.lock);

	for (use = 0; use < HYP_FILTER_USES; use++)
		for (event = 0; event < HYP_NR_EVENTS; event++)
			if (place - hyp_event_filter[use][event] < hyp_filters.nr[use][event])
				return true;

	return false;
}

/* Replace a comparison, which another CPU may be using if the host has not waited for it. */
static void place_set(u64 place, const struct ext_filter_pred *pred)
{
	struct ext_filter_pred *to = &hyp_filter_pred[place];

	WRITE_ONCE(to->lo, pred->lo);
	WRITE_ONCE(to->width, pred->width);
	WRITE_ONCE(to->mask, pred->mask);
	WRITE_ONCE(to->offset, pred->offset);
	WRITE_ONCE(to->next[0], pred->next[0]);
	WRITE_ONCE(to->next[1], pred->next[1]);
}

s64 handle___hyp_trace_pred(u64 place, u64 lo, u64 width, u64 mask, u64 rest)
{
	const struct ext_filter_pred pred = {
		.lo	= lo,
		.width	= width,
		.mask	= mask,
		.offset	= rest,
		.next	= { rest >> 16, rest >> 32 },
	};

	if (place < EXT_FILTER_FIRST || rest != hyp_filter_rest(&pred) ||
	    !ext_filter_pred_is_valid(&pred, place, HYP_FILTER_PLACES,
				      offsetof(struct hyp_trace_draft, zero)))
		return -EINVAL;

	guard(hyp_trace_lock)(&hyp_filters.lock);

	if (place_is_used(place))
		return -EBUSY;

	place_set(place, &pred);
	return 0;
}

/* Check whether an event may have a filter. */
static bool filter_is_valid(u64 event, u64 place, u64 nr)
{
	u64 size, end = place + nr;

	hyp_assert_lock_held(&hyp_filters.lock);

	size = offsetof(struct hyp_trace_draft, record) + hyp_record_size(event);
	for (; place < end; place++)
		if (!ext_filter_pred_is_valid(&hyp_filter_pred[place], place, end, size))
			return false;

	return true;
}

s64 handle___hyp_trace_filter(u64 event, u64 use, u64 place, u64 nr)
{
	if (place < EXT_FILTER_FIRST || place > HYP_FILTER_PLACES - nr)
		return -EINVAL;

	guard(hyp_trace_lock)(&hyp_filters.lock);

	if (!filter_is_valid(event, place, nr))
		return -EINVAL;

	hyp_filters.nr[use][event] = nr;
	/* The release pairs with hyp_filter_match()'s address dependency: comparisons first. */
	smp_store_release(&hyp_event_filter[use][event], nr ? place : 0);
	if (use == HYP_FILTER_RECORD)
		hyp_trace_set_filtered(event, nr);

	return 0;
}
