// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile host: EL2's functions without hooks.
 */

#include <linux/trace_ext_function.h>

#include "hostile.h"

/**
 * hostile_unhook_all() - take all hooks out of EL2's functions
 * @test:	the test
 *
 * EL2's text must be as it was when this was called first.
 */
void hostile_unhook_all(struct kunit *test)
{
	static bool kept;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, 0, hcall_trace_functions(0, 0, 1, 0));
	for (i = 0; i < hyptrace_functions.nr; i++)
		KUNIT_EXPECT_EQ(test, 0, hcall_trace_hook(i, TRACE_EXT_HOOK_NONE));
	if (!kept)
		KUNIT_EXPECT_EQ(test, 0, hcall_trace_test(HYP_TRACE_TEST_TEXT, 0));
	kept = true;
	KUNIT_EXPECT_EQ(test, 0, hostile_text_changed());
}
