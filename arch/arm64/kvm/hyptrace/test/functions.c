// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile host: hooks of EL2's functions.
 */

#include <linux/trace_ext_function.h>

#include "hostile.h"

/**
 * hostile_functions_arguments() - hooks with one wrong argument at a time
 * @test:	the test
 */
void hostile_functions_arguments(struct kunit *test)
{
	static const u64 large[] = { U8_MAX, BIT(16), BIT(31), BIT(32), BIT(63), U64_MAX };
	struct hostile_ring *ring = hostile_ring_new(test);
	u64 nr = hyptrace_functions.nr;
	int i;

	hostile_unhook_all(test);
	KUNIT_EXPECT_EQ(test, -EINVAL, hcall_trace_hook(nr, TRACE_EXT_HOOK_FUNCTION));
	KUNIT_EXPECT_EQ(test, -EINVAL, hcall_trace_hook(0, TRACE_EXT_NR_HOOKS));
	KUNIT_EXPECT_EQ(test, -EINVAL, hcall_trace_functions(2, 0, 1, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, hcall_trace_functions(1, 0, 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, hcall_trace_functions(1, 0, FTRACE_RETFUNC_DEPTH + 1, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, hcall_trace_functions(1, 0, 1, 2));
	for (i = 0; i < ARRAY_SIZE(large); i++) {
		KUNIT_EXPECT_EQ(test, -EINVAL,
				hcall_trace_hook(nr | large[i], TRACE_EXT_HOOK_GRAPH));
		KUNIT_EXPECT_EQ(test, -EINVAL, hcall_trace_hook(0, large[i]));
		KUNIT_EXPECT_EQ(test, -EINVAL, hcall_trace_functions(large[i], 0, 1, 0));
		KUNIT_EXPECT_EQ(test, -EINVAL, hcall_trace_functions(1, 0, large[i], 0));
		KUNIT_EXPECT_EQ(test, -EINVAL, hcall_trace_functions(1, 0, 1, large[i]));
	}
	KUNIT_EXPECT_EQ(test, 0, hostile_text_changed());
	/* This check can fail: a hook changes the text. */
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_hook(nr - 1, TRACE_EXT_HOOK_GRAPH));
	KUNIT_EXPECT_EQ(test, -EBADMSG, hostile_text_changed());

	hostile_quiet(test);
	hostile_expect_intact(test, ring, "malformed calls for hooks");
}

/**
 * hostile_functions_in_use() - hooks are set and removed while EL2 executes them
 * @test:	the test
 *
 * The host's idea of where EL2's text is goes into records, and nowhere else.
 */
void hostile_functions_in_use(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test);
	enum trace_ext_hook hook;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(0, ring));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_clock(0, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_OPEN, 0));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	for (hook = TRACE_EXT_HOOK_FUNCTION; hook < TRACE_EXT_NR_HOOKS; hook++) {
		KUNIT_EXPECT_EQ(test, 0, hcall_trace_functions(1, U64_MAX, FTRACE_RETFUNC_DEPTH,
							       hook == TRACE_EXT_HOOK_GRAPH_ROOT));
		for (i = 0; i < hyptrace_functions.nr; i++)
			KUNIT_EXPECT_EQ(test, 0, hcall_trace_hook(i, hook));
		KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(1));
	}
	/* Something was recorded. */
	KUNIT_EXPECT_EQ(test, 0, min(hostile_swap(0), 0));
	/* The ring goes away below functions that have not returned. */
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_functions(1, 0, FTRACE_RETFUNC_DEPTH, 0));
	for (i = 0; i < hyptrace_functions.nr; i++)
		KUNIT_EXPECT_EQ(test, 0, hcall_trace_hook(i, TRACE_EXT_HOOK_GRAPH));
	KUNIT_EXPECT_EQ(test, 0, hostile_unload(0));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(1));

	hostile_quiet(test);
	hostile_expect_intact(test, ring, "hooks");
}
