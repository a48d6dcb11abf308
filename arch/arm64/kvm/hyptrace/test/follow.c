// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile host: the rings for what is followed.
 */

#include <asm/hyptrace_ids.h>

#include "hostile.h"

#define TYPE	1234

/* The number of CPU 0's ring. */
#define NUMBER	HYP_TRACE_FOLLOWER

/**
 * hostile_follow_arguments() - calls for such rings with one wrong argument at a time
 * @test:	the test
 */
void hostile_follow_arguments(struct kunit *test)
{
	static const u64 events[] = {
		HYP_NR_EVENTS, U8_MAX, BIT(16), BIT(32), BIT(63), U64_MAX,
	};
	static const u64 ids[] = { BIT(16), BIT(32), BIT(32) + 1, BIT(63), U64_MAX };
	static const u64 states[] = { HYP_TRACE_SUSPENDED + 1, U8_MAX, BIT(8), BIT(32), U64_MAX };
	struct hostile_ring *ring = hostile_ring_new(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_trace_follow(events[i], TYPE),
				    "event %llx", events[i]);
	for (i = 0; i < ARRAY_SIZE(ids); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_trace_follow(HYP_EVENT_selftest, ids[i]),
				    "id %llx", ids[i]);
	for (i = 0; i < ARRAY_SIZE(states); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    hostile_sync_follower(0, HYP_TRACE_CLOSED, 0, states[i]),
				    "state %llx", states[i]);
	KUNIT_EXPECT_EQ(test, -ENOENT, hostile_swap(NUMBER));
	KUNIT_EXPECT_EQ(test, -ENOENT, hostile_reset(NUMBER));
	KUNIT_EXPECT_EQ(test, -ENOENT, hostile_unload(NUMBER));
	KUNIT_EXPECT_EQ(test, -EINVAL, hcall_trace_alarm(NUMBER, 0));

	/* An event that is followed, and there is no ring, or none yet. */
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_follow(HYP_EVENT_selftest, TYPE));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(1));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync_follower(0, HYP_TRACE_CLOSED, 0, HYP_TRACE_OPEN));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(1));
	KUNIT_EXPECT_EQ(test, 0,
			hostile_sync_follower(0, HYP_TRACE_CLOSED, 0, HYP_TRACE_SUSPENDED));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(1));
	hostile_quiet(test);
	hostile_expect_intact(test, ring, "malformed calls for a follower");
}

static u32 committed_bytes(const struct hostile_ring *ring)
{
	const struct ext_ring_page *first = ring->page[1];

	return first->commit;
}

/**
 * hostile_follow_two_rings() - a CPU's rings have nothing in common
 * @test:	the test
 */
void hostile_follow_two_rings(struct kunit *test)
{
	struct hostile_ring *user = hostile_ring_new(test), *follower = hostile_ring_new(test);

	KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(NUMBER, follower));
	KUNIT_EXPECT_EQ(test, -EBUSY, hostile_load_ring(NUMBER, user));
	KUNIT_EXPECT_EQ(test, -ENOENT, hostile_unload(0));
	/* Its pages are taken. */
	KUNIT_EXPECT_EQ(test, -EPERM, hostile_load_ring(0, follower));
	KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(0, user));

	/* Nothing is on, but one event is followed. */
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_clock(0, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_follow(HYP_EVENT_selftest, TYPE));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync_follower(0, HYP_TRACE_OPEN, 0, HYP_TRACE_OPEN));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(1));
	KUNIT_EXPECT_EQ(test, 20, committed_bytes(follower));
	KUNIT_EXPECT_EQ(test, 0, committed_bytes(user));

	/* Both have it now; then the user's only. */
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_event(HYP_EVENT_selftest, TYPE));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(2));
	KUNIT_EXPECT_EQ(test, 40, committed_bytes(follower));
	KUNIT_EXPECT_EQ(test, 20, committed_bytes(user));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_follow(HYP_EVENT_selftest, 0));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(3));
	KUNIT_EXPECT_EQ(test, 40, committed_bytes(follower));
	KUNIT_EXPECT_EQ(test, 40, committed_bytes(user));

	/* The one is taken away while the other is written. */
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_follow(HYP_EVENT_selftest, TYPE));
	KUNIT_EXPECT_EQ(test, 0, hostile_unload(0));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(4));
	KUNIT_EXPECT_EQ(test, 60, committed_bytes(follower));
	KUNIT_EXPECT_EQ(test, 0, hostile_swap(NUMBER));
	KUNIT_EXPECT_EQ(test, -ENOENT, hostile_swap(0));
	KUNIT_EXPECT_EQ(test, 0, hostile_unload(NUMBER));
	hostile_quiet(test);
	hostile_expect_intact(test, user, "two rings");
	hostile_expect_intact(test, follower, "two rings");
}
