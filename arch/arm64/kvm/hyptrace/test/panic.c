// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile host that survives a panic of EL2, and goes on making hypercalls.
 */

#include <asm/hyptrace_ids.h>
#include <linux/cpu.h>
#include <linux/moduleparam.h>
#include <linux/smp.h>

#include <asm/daifflags.h>

#include "hostile.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "hyp_trace_hostile."

#define TYPE	1234

static bool survive;
module_param(survive, bool, 0444);
MODULE_PARM_DESC(survive, "have EL2 panic, and try to get the ring of a CPU that is off");

static struct kunit *test_of_panic;
static struct hostile_ring *ring_of_cpu_1;

static void write_event_here(void *unused)
{
	hcall_trace_write_event(1);
}

/* Expect that CPU 1 does not write to its ring, although an event is enabled. */
static void expect_silence(struct kunit *test, const char *when)
{
	const struct ext_ring_page *first = ring_of_cpu_1->page[1];
	u32 commit = first->commit;

	KUNIT_EXPECT_EQ(test, 0, hcall_trace_event(HYP_EVENT_selftest, TYPE));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	KUNIT_EXPECT_EQ(test, 0, smp_call_function_single(1, write_event_here, NULL, true));
	KUNIT_EXPECT_EQ_MSG(test, commit, first->commit, "%s, CPU 1 writes", when);
}

/* On the CPU on which EL2 has panicked, instead of the host's own panic. */
static void after_panic(void)
{
	struct kunit *test = test_of_panic;
	int i;

	local_daif_restore(DAIF_PROCCTX);

	/* It may come back at any time, and does not ask for the lock then. */
	KUNIT_EXPECT_EQ(test, -EBUSY, hostile_unload(1));
	KUNIT_EXPECT_EQ(test, -EBUSY, hostile_reset(1));
	KUNIT_EXPECT_EQ(test, 0, add_cpu(1));
	expect_silence(test, "back from firmware");
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(1, HYP_TRACE_OPEN, 0));
	expect_silence(test, "told to open its ring");

	/* Now its ring is closed for good, and can go. */
	KUNIT_EXPECT_EQ(test, 0, hostile_unload(1));
	for (i = 0; i < HOSTILE_PAGES; i++)
		KUNIT_EXPECT_EQ(test, 0, hostile_unshare(ring_of_cpu_1->page[i]));
	pr_emerg("hyp_trace_hostile: EL2 has panicked, and all was tried\n");
}

/**
 * hostile_panic_that_is_survived() - the ring of a CPU that is off while EL2 panics
 * @test:	the test, which does not return
 */
void hostile_panic_that_is_survived(struct kunit *test)
{
	const struct ext_ring_page *first;

	if (!survive)
		kunit_skip(test, "ends in a panic; hyp_trace_hostile.survive=1 runs it");

	test_of_panic = test;
	ring_of_cpu_1 = hostile_ring_new(test);
	first = ring_of_cpu_1->page[1];
	KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(1, ring_of_cpu_1));
	KUNIT_ASSERT_EQ(test, 0, hcall_trace_event(HYP_EVENT_selftest, TYPE));
	KUNIT_ASSERT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	KUNIT_ASSERT_EQ(test, 0, hostile_sync(1, HYP_TRACE_OPEN, 0));
	KUNIT_ASSERT_EQ(test, 0, smp_call_function_single(1, write_event_here, NULL, true));
	KUNIT_ASSERT_LT(test, 0, first->commit);
	KUNIT_ASSERT_EQ(test, 0, remove_cpu(1));

	hyptrace_after_panic = after_panic;
	hcall_trace_test(HYP_TRACE_TEST_PANIC, 0);
	KUNIT_FAIL(test, "EL2 has not panicked");
}
