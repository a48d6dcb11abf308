// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of EL2 against a hostile host: marks.
 */

#include <linux/trace_ext_function.h>

#include "hostile.h"

/**
 * hostile_mark_arguments() - marks of wrong lengths, and without a ring
 * @test:	the test
 */
void hostile_mark_arguments(struct kunit *test)
{
	static const u64 lengths[] = {
		0, TRACE_EXT_MARK_MAX + 1, U32_MAX, BIT(32), BIT(32) + 1, S64_MAX, BIT(63), U64_MAX,
	};
	struct hostile_ring *ring = hostile_ring_new(test);
	int i;

	KUNIT_EXPECT_EQ(test, -EBADF, hostile_mark(1));
	KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(0, ring));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_clock(0, 0, 0));
	KUNIT_EXPECT_EQ(test, -EBADF, hostile_mark(1));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_OPEN, 0));
	KUNIT_EXPECT_EQ(test, -EBADF, hostile_mark(1));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hostile_mark(lengths[i]), "length %llx",
				    lengths[i]);
	for (i = 1; i <= TRACE_EXT_MARK_MAX; i++)
		KUNIT_EXPECT_EQ_MSG(test, 0, hostile_mark(i), "length %d", i);
	/* Something was recorded. */
	KUNIT_EXPECT_EQ(test, 0, min(hostile_swap(0), 0));
	KUNIT_EXPECT_EQ(test, 0, hostile_unload(0));
	KUNIT_EXPECT_EQ(test, -EBADF, hostile_mark(1));

	hostile_quiet(test);
	hostile_expect_intact(test, ring, "marks");
}
