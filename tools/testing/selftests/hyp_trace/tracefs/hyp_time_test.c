// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the time of events, on a booted hypervisor.
 */

#include <sys/timex.h>

#include "../hyp_sleep.h"
#include "hyp_fixture.h"

TEST_F(hyp, time_agrees_with_boottime_around_each_event)
{
	struct stream s = stream_from(1);
	uint64_t before, after;
	int i;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (i = 1; i <= 300; i++) {
		before = boot_ns();
		ASSERT_EQ(0, emit(i, i));
		after = boot_ns();
		ASSERT_EQ(1, read_raw(0, check_stream, &s));
		EXPECT_LE(before, s.last_ts);
		EXPECT_GE(after, s.last_ts);
	}
	EXPECT_EQ(0, s.errors);
}

/* Returns how many of @n events, 50 ms apart, have a wrong time stamp. */
static int misdated(int n)
{
	struct stream s = stream_from(1);
	uint64_t before, after;
	int i, bad = 0;

	for (i = 1; i <= n; i++) {
		before = boot_ns();
		emit(i, i);
		after = boot_ns();
		if (read_raw(0, check_stream, &s) != 1 ||
		    s.last_ts < before || s.last_ts > after)
			bad++;
		usleep(50000);
	}
	return bad + s.errors;
}

/*
 * A work tells EL2 of a correction, some time after the tick that has found it. Until
 * then EL2's time stamps use the old rate.
 */
static bool is_corrected_soon(void)
{
	int tries = 100;

	while (misdated(5))
		if (!tries--)
			return false;
	return true;
}

TEST_F(hyp, time_follows_what_ntp_does_to_the_clock)
{
	struct timex faster = {
		.modes = ADJ_FREQUENCY,
		.freq = 500 << 16,	/* 500 ppm, the maximum */
	};
	struct timex normal = { .modes = ADJ_FREQUENCY };

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_LE(0, adjtimex(&faster));
	EXPECT_TRUE(is_corrected_soon());
	EXPECT_EQ(0, misdated(30));
	ASSERT_LE(0, adjtimex(&normal));
	EXPECT_TRUE(is_corrected_soon());
	EXPECT_EQ(0, misdated(10));
}

TEST_F(hyp, time_is_right_after_suspend)
{
	SKIP_IF_IT_NEVER_WAKES_UP();
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	EXPECT_EQ(0, suspend());
	EXPECT_EQ(0, misdated(5));
}

/*
 * A sleep is measured by the counter's own rate, whatever correction NTP applied before.
 * Here the correction is ten per cent, so that a second of sleep shows as much error as a
 * week with the usual corrections.
 */
TEST_F(hyp, time_is_right_after_a_sleep_with_a_clock_that_is_corrected)
{
	struct timex faster = { .modes = ADJ_TICK, .tick = 11000 };
	struct timex normal = { .modes = ADJ_TICK, .tick = 10000 };
	uint64_t before[MAX_CPUS], after[MAX_CPUS];
	int cpu;

	SKIP_IF_IT_NEVER_WAKES_UP();
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_LE(0, adjtimex(&faster));
	EXPECT_TRUE(is_corrected_soon());

	/* EL2's time stamps must not be ahead while the machine wakes up, either. */
	ASSERT_EQ(0, put(HYP "set_event", "hyp:selftest hyp:hyp_e* hyp:psci_*"));
	EXPECT_EQ(0, hibernate());
	for (cpu = 0; cpu < self->cpus; cpu++) {
		EXPECT_EQ(0, run_on(cpu));
		before[cpu] = boot_ns();
		EXPECT_EQ(0, emit(1, 1));
		after[cpu] = boot_ns();
	}
	EXPECT_LE(0, adjtimex(&normal));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));

	for (cpu = 0; cpu < self->cpus; cpu++) {
		struct stream s = stream_from(1);

		EXPECT_LE(1, read_raw(cpu, check_stream, &s));
		EXPECT_EQ(1, s.count);
		EXPECT_EQ(0, s.errors);
		EXPECT_LE(before[cpu], s.first_ts) TH_LOG("CPU %d", cpu);
		EXPECT_GE(after[cpu], s.first_ts) TH_LOG("CPU %d", cpu);
	}
}

TEST_F(hyp, clock_is_boot_and_nothing_else)
{
	char *text = get(HYP "trace_clock");

	EXPECT_STREQ("[boot]\n", text);
	free(text);
	EXPECT_EQ(0, put(HYP "trace_clock", "boot"));
	EXPECT_EQ(-EINVAL, put(HYP "trace_clock", "local"));
	EXPECT_EQ(-EINVAL, put(HYP "trace_clock", "nonsense"));
}

TEST_F(hyp, events_may_be_far_apart)
{
	struct stream s = stream_from(1);
	uint64_t before, after;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	before = boot_ns();
	ASSERT_EQ(0, emit(1, 1));
	usleep(300000);		/* more than 2^27 ns: needs a time extend */
	ASSERT_EQ(0, emit(2, 3));
	after = boot_ns();
	EXPECT_EQ(3, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	EXPECT_LE(300000000, s.last_ts - s.first_ts);
	EXPECT_LE(before, s.first_ts);
	EXPECT_GE(after, s.last_ts);
}

TEST_HARNESS_MAIN
