// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile host: filters that are malformed, and filters that are changed while they are in
 * use.
 */

#include <asm/hyptrace_ids.h>

#include "hostile.h"

#define PLACE	EXT_FILTER_FIRST
#define LAST	(HYP_FILTER_PLACES - 1)

/* The end of selftest's record, a struct trace_entry and a u64. */
#define END	(offsetof(struct ext_filter_data, record) + 16)

static u64 rest_of(u64 offset, u64 out_of_range, u64 in_range)
{
	return offset | out_of_range << 16 | in_range << 32;
}

static void expect_pred(struct kunit *test, int expected, u64 place, u64 mask, u64 rest)
{
	KUNIT_EXPECT_EQ_MSG(test, expected, hostile_pred(place, mask, rest),
			    "place %llx, mask %llx, rest %llx", place, mask, rest);
}

static void expect_filter(struct kunit *test, int expected, u64 event, u64 place, u64 nr)
{
	KUNIT_EXPECT_EQ_MSG(test, expected, hostile_filter(event, place, nr),
			    "event %llx, place %llx, %llx comparisons", event, place, nr);
}

static void bad_preds(struct kunit *test)
{
	static const u64 places[] = {
		EXT_FILTER_NO, EXT_FILTER_YES, HYP_FILTER_PLACES, U16_MAX, BIT(16) + PLACE,
		BIT(32) + PLACE, BIT(63) + PLACE, U64_MAX,
	};
	static const u64 back[] = { EXT_FILTER_FIRST, 9, 10, HYP_FILTER_PLACES, U16_MAX };
	const u64 max = offsetof(struct ext_filter_data, record) + HYP_RECORD_MAX;
	const u64 beyond[] = { max + 1, max + 8, U8_MAX, PAGE_SIZE - 1, PAGE_SIZE, U16_MAX };
	const u64 end = rest_of(0, EXT_FILTER_NO, EXT_FILTER_YES);
	int i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		expect_pred(test, -EINVAL, places[i], U8_MAX, end);
	for (i = 48; i < 64; i++)
		expect_pred(test, -EINVAL, PLACE, U8_MAX, end | BIT(i));
	for (i = 0; i < ARRAY_SIZE(back); i++) {
		expect_pred(test, -EINVAL, 10, U8_MAX, rest_of(0, back[i], EXT_FILTER_YES));
		expect_pred(test, -EINVAL, 10, U8_MAX, rest_of(0, EXT_FILTER_NO, back[i]));
	}
	for (i = 0; i < ARRAY_SIZE(beyond); i++) {
		expect_pred(test, -EINVAL, PLACE, 0, rest_of(beyond[i], 0, 1));
		expect_pred(test, -EINVAL, PLACE, BIT(63), rest_of(beyond[i] - 8, 0, 1));
	}
	expect_pred(test, -EINVAL, PLACE, BIT(8), rest_of(max - 1, 0, 1));
	expect_pred(test, 0, PLACE, U8_MAX, rest_of(max - 1, 0, 1));
	expect_pred(test, 0, PLACE, 0, rest_of(max, 0, 1));

	/* The first and the last place are right with the same arguments. */
	expect_pred(test, 0, PLACE, U8_MAX, rest_of(0, PLACE + 1, LAST));
	expect_pred(test, 0, LAST, U64_MAX, end);
}

static void bad_filters(struct kunit *test)
{
	static const u64 events[] = {
		HYP_NR_EVENTS, U8_MAX, BIT(16), BIT(32), BIT(63), U64_MAX,
	};
	static const u64 places[] = {
		EXT_FILTER_NO, EXT_FILTER_YES, HYP_FILTER_PLACES, BIT(16) + PLACE,
		BIT(32) + PLACE, U64_MAX,
	};
	static const u64 lengths[] = {
		EXT_FILTER_MAX + 1, U16_MAX, BIT(16) + 1, BIT(32) + 1, U64_MAX - PLACE,
		U64_MAX - PLACE + 1, U64_MAX,
	};
	static const u64 uses[] = {
		HYP_FILTER_USES, U8_MAX, BIT(16), BIT(32), BIT(63), U64_MAX,
	};
	const u64 event = HYP_EVENT_selftest;
	int i;

	expect_pred(test, 0, PLACE, U8_MAX, rest_of(0, EXT_FILTER_NO, EXT_FILTER_YES));
	expect_filter(test, 0, event, PLACE, 1);
	expect_filter(test, 0, event, PLACE, 0);
	for (i = 0; i < ARRAY_SIZE(events); i++)
		expect_filter(test, -EINVAL, events[i], PLACE, 1);
	for (i = 0; i < ARRAY_SIZE(places); i++)
		expect_filter(test, -EINVAL, event, places[i], 1);
	for (i = 0; i < ARRAY_SIZE(uses); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_trace_filter(event, uses[i], PLACE, 1),
				    "use %llx", uses[i]);
	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		expect_filter(test, -EINVAL, event, PLACE, lengths[i]);
	expect_filter(test, -EINVAL, event, LAST, 2);

	/* It may not leave its own places. */
	expect_pred(test, 0, PLACE, U8_MAX, rest_of(0, EXT_FILTER_NO, PLACE + 1));
	expect_pred(test, 0, PLACE + 1, U8_MAX, rest_of(0, EXT_FILTER_NO, EXT_FILTER_YES));
	expect_filter(test, -EINVAL, event, PLACE, 1);
	expect_filter(test, 0, event, PLACE, 2);
	expect_filter(test, 0, event, PLACE, 0);

	/* It may look at the end of the record, and not behind. */
	expect_pred(test, 0, PLACE, U8_MAX, rest_of(END - 1, EXT_FILTER_NO, EXT_FILTER_YES));
	expect_filter(test, 0, event, PLACE, 1);
	expect_filter(test, 0, event, PLACE, 0);
	expect_pred(test, 0, PLACE, U16_MAX, rest_of(END - 1, EXT_FILTER_NO, EXT_FILTER_YES));
	expect_filter(test, -EINVAL, event, PLACE, 1);
	expect_pred(test, 0, PLACE, BIT(32), rest_of(END - 4, EXT_FILTER_NO, EXT_FILTER_YES));
	expect_filter(test, -EINVAL, event, PLACE, 1);
}

/**
 * hostile_draft_without_ring() - an event with a filter and a trigger on CPUs without a ring
 * @test:	the test; it is first after boot, when EL2 knows nothing of a CPU
 */
void hostile_draft_without_ring(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test);
	const u64 event = HYP_EVENT_selftest, type = 1;

	expect_pred(test, 0, PLACE, U8_MAX, rest_of(0, EXT_FILTER_NO, EXT_FILTER_YES));
	expect_filter(test, 0, event, PLACE, 1);
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_event(event, type));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(1));
	KUNIT_EXPECT_EQ(test, 0, hostile_trigger(event, TRACE_EXT_STOP, -1));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(2));
	hostile_quiet(test);
	hostile_expect_intact(test, ring, "an event without a ring");
}

/* Test comparisons and filters with one wrong argument at a time. */
void hostile_filter_arguments(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test);

	bad_preds(test);
	bad_filters(test);
	hostile_expect_intact(test, ring, "malformed filters");
}

/**
 * hostile_filter_order() - a comparison of a filter can't be changed, nor taken twice away
 * @test:	the test
 */
void hostile_filter_order(struct kunit *test)
{
	const u64 end = rest_of(0, EXT_FILTER_NO, EXT_FILTER_YES), event = HYP_EVENT_selftest;
	struct hostile_ring *ring = hostile_ring_new(test);
	u64 place;

	for (place = PLACE; place < PLACE + 4; place++)
		expect_pred(test, 0, place, U8_MAX, end);
	expect_filter(test, 0, event, PLACE + 1, 2);
	expect_pred(test, 0, PLACE, U8_MAX, end);
	expect_pred(test, -EBUSY, PLACE + 1, U8_MAX, end);
	expect_pred(test, -EBUSY, PLACE + 2, U8_MAX, end);
	expect_pred(test, 0, PLACE + 3, U8_MAX, end);

	/* Two events may share places, until neither has them. */
	expect_filter(test, 0, HYP_EVENT_hyp_enter, PLACE + 2, 2);
	expect_filter(test, 0, event, PLACE, 1);
	expect_pred(test, 0, PLACE + 1, U8_MAX, end);
	expect_pred(test, -EBUSY, PLACE + 2, U8_MAX, end);
	expect_filter(test, 0, HYP_EVENT_hyp_enter, PLACE, 0);
	expect_filter(test, 0, HYP_EVENT_hyp_enter, PLACE, 0);
	expect_pred(test, 0, PLACE + 2, U8_MAX, end);
	expect_filter(test, 0, event, PLACE, 0);

	/* An event's two filters are independent. */
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_filter(event, HYP_FILTER_TRIGGER, PLACE, 1));
	expect_filter(test, 0, event, PLACE + 1, 1);
	expect_filter(test, 0, event, PLACE + 1, 0);
	expect_pred(test, -EBUSY, PLACE, U8_MAX, end);
	expect_pred(test, 0, PLACE + 1, U8_MAX, end);
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_filter(event, HYP_FILTER_TRIGGER, PLACE, 0));
	expect_pred(test, 0, PLACE, U8_MAX, end);
	hostile_expect_intact(test, ring, "filters in use");
}

/* Triggers of a kind that there is not, or that does something else. */
static void bad_uses(struct kunit *test)
{
	static const u64 uses[] = {
		HYP_FILTER_RECORD, HYP_FILTER_USES, U8_MAX, BIT(16), BIT(32), BIT(63), U64_MAX,
	};
	const u64 event = HYP_EVENT_selftest;
	int i;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    hcall_trace_trigger(event, uses[i], TRACE_EXT_STACK_TRACE, 1),
				    "use %llx", uses[i]);
		if (i)
			KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hostile_triggers(event, uses[i]),
					    "use %llx", uses[i]);
	}
	KUNIT_EXPECT_EQ(test, -EINVAL,
			hcall_trace_trigger(event, HYP_FILTER_STACK, TRACE_EXT_STOP, 1));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			hcall_trace_trigger(event, HYP_FILTER_TRIGGER, TRACE_EXT_STACK_TRACE, 1));
	KUNIT_EXPECT_EQ(test, 0,
			hcall_trace_trigger(event, HYP_FILTER_STACK, TRACE_EXT_STACK_TRACE, 1));
	KUNIT_EXPECT_EQ(test, 0,
			hcall_trace_trigger(event, HYP_FILTER_STACK, TRACE_EXT_NO_ACTION, 0));
}

/**
 * hostile_stacks_arguments() - stacks with a wrong argument, and of every event
 * @test:	the test
 *
 * The host's idea of where EL2's text is goes into records, and nowhere else.
 */
void hostile_stacks_arguments(struct kunit *test)
{
	static const u64 bools[] = { 2, U32_MAX, BIT(32), BIT(32) + 1, U64_MAX };
	const u64 event = HYP_EVENT_selftest, type = 1;
	struct hostile_ring *ring = hostile_ring_new(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(bools); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_trace_stacks(bools[i], 0), "on %llx",
				    bools[i]);

	/* Without a ring, and with one. */
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_event(event, type));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_stacks(1, U64_MAX));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(1));
	KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(0, ring));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_clock(0, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_OPEN, 0));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(2));
	KUNIT_EXPECT_EQ(test, 0, min(hostile_swap(0), 0));
	KUNIT_EXPECT_EQ(test, 0, hostile_unload(0));

	hostile_quiet(test);
	hostile_expect_intact(test, ring, "stacks");
}

/**
 * hostile_trigger_arguments() - triggers with one wrong argument at a time
 * @test:	the test
 */
void hostile_trigger_arguments(struct kunit *test)
{
	static const u64 events[] = {
		HYP_NR_EVENTS, U8_MAX, BIT(16), BIT(32), BIT(63), U64_MAX,
	};
	static const u64 actions[] = { TRACE_EXT_START + 1, U8_MAX, BIT(8), BIT(32), U64_MAX };
	static const u64 counts[] = { -2ULL, BIT(63), BIT(63) + 1 };
	static const u64 bools[] = { 2, U32_MAX, BIT(32), BIT(32) + 1, U64_MAX };
	const u64 event = HYP_EVENT_selftest;
	struct hostile_ring *ring = hostile_ring_new(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hostile_trigger(events[i], TRACE_EXT_STOP, 1),
				    "event %llx", events[i]);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    hostile_triggers(events[i], HYP_FILTER_TRIGGER),
				    "event %llx", events[i]);
	}
	for (i = 0; i < ARRAY_SIZE(actions); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hostile_trigger(event, actions[i], 1),
				    "action %llx", actions[i]);
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    hostile_trigger(event, TRACE_EXT_STOP, counts[i]),
				    "count %llx", counts[i]);
	bad_uses(test);
	for (i = 0; i < ARRAY_SIZE(bools); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_trace_run(bools[i]), "run %llx", bools[i]);

	KUNIT_EXPECT_EQ(test, 0, hostile_trigger(event, TRACE_EXT_START, S64_MAX));
	KUNIT_EXPECT_EQ(test, 0, hostile_trigger(event, TRACE_EXT_STOP, 0));
	KUNIT_EXPECT_EQ(test, 0, hostile_trigger(event, TRACE_EXT_STOP, -1));
	KUNIT_EXPECT_EQ(test, 0, hostile_triggers(event, HYP_FILTER_TRIGGER));
	KUNIT_EXPECT_EQ(test, 0, hostile_trigger(event, TRACE_EXT_NO_ACTION, 0));
	hostile_expect_intact(test, ring, "malformed triggers");
}
