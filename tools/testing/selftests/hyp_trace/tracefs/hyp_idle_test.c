// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing must not disturb CPUs that it does not concern: CPUs after tracing was turned
 * off, CPUs outside tracing_cpumask, CPUs that sleep while nobody traces.
 *
 * The host's own tracers show what the host does to a CPU for the sake of tracing: the
 * function tracer, and the events for calls of one CPU to another.
 */

#include <sys/timex.h>

#include "hyp_suite.h"

#define FUNCTIONS	"tell_el2 sync_this_cpu hyptrace_set_alarm"
#define CALLS		ROOT "events/csd/csd_function_entry/enable"

FIXTURE(idle) {
	int cpus;
};

FIXTURE_SETUP(idle)
{
	self->cpus = nr_cpus();
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	ASSERT_EQ(0, put(HYP "tracing_cpumask", path_of("%x", (1 << self->cpus) - 1)));
	ASSERT_EQ(0, put(HYP "trace", ""));
	ASSERT_EQ(0, put(HYP "events/hyp/selftest/enable", "1"));
	ASSERT_EQ(0, put(ROOT "set_ftrace_filter", FUNCTIONS));
	ASSERT_EQ(0, put(CALLS, "1"));
	ASSERT_EQ(0, run_on(0));
}

FIXTURE_TEARDOWN(idle)
{
	struct timex normal = { .modes = ADJ_TICK, .tick = 10000 };

	adjtimex(&normal);
	put(CALLS, "0");
	put(ROOT "current_tracer", "nop");
	put(ROOT "set_ftrace_filter", "");
	put(HYP "tracing_cpumask", path_of("%x", (1 << self->cpus) - 1));
	put(HYP "tracing_on", "0");
	put(HYP "trace", "");
}

/* Record from now on which functions run on which CPU, and calls to other CPUs. */
static int watch(void)
{
	put(ROOT "current_tracer", "nop");
	put(ROOT "trace", "");
	return put(ROOT "current_tracer", "function");
}

static int count(int cpu, const char *text)
{
	return count_in(path_of(ROOT "per_cpu/cpu%d/trace", cpu), text);
}

/* How often a CPU has run @function, one of FUNCTIONS. */
static int ran(int cpu, const char *function)
{
	return count(cpu, path_of(": %s <-", function));
}

/* How often another CPU has interrupted this one to run @function. */
static int interrupted(int cpu, const char *function)
{
	return count(cpu, path_of("func=%s", function));
}

/* 0 if tracing intercepts nothing on that CPU, -EBUSY if it does. */
static int is_quiet(int cpu)
{
	if (run_on(cpu))
		return -errno;
	return write_test(HYP_TRACE_TEST_QUIET, 0);
}

TEST_F(idle, nothing_is_in_the_way_after_use)
{
	int cpu;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (cpu = 0; cpu < self->cpus; cpu++)
		EXPECT_EQ(-EBUSY, is_quiet(cpu));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	ASSERT_TRUE(wait_until_unloaded(self->cpus));
	for (cpu = 0; cpu < self->cpus; cpu++)
		EXPECT_EQ(0, is_quiet(cpu));
}

TEST_F(idle, nothing_is_in_the_way_of_a_cpu_that_was_off)
{
	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	/* The CPU goes off and on while nobody traces, */
	ASSERT_TRUE(wait_until_unloaded(self->cpus));
	ASSERT_EQ(0, set_online(1, false));
	ASSERT_EQ(0, set_online(1, true));
	EXPECT_EQ(0, is_quiet(1));

	/* while tracing is on, */
	run_on(0);
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, set_online(1, false));
	ASSERT_EQ(0, set_online(1, true));
	EXPECT_EQ(-EBUSY, is_quiet(1));

	/* and comes back after tracing has stopped. */
	run_on(0);
	ASSERT_EQ(0, set_online(1, false));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	ASSERT_TRUE(wait_until_unloaded(self->cpus));
	ASSERT_EQ(0, set_online(1, true));
	EXPECT_EQ(0, is_quiet(1));
}

TEST_F(idle, a_cpu_that_wakes_up_calls_nobody_unless_it_is_traced)
{
	if (is_protected())
		SKIP(return, "with protection EL2 sees that by itself");

	ASSERT_TRUE(wait_until_unloaded(self->cpus));
	ASSERT_EQ(0, watch());
	ASSERT_EQ(0, put(HYP "write_cpu_pm", "1"));
	EXPECT_EQ(0, ran(0, "tell_el2"));

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, watch());
	ASSERT_EQ(0, put(HYP "write_cpu_pm", "1"));
	EXPECT_EQ(1, ran(0, "tell_el2"));
}

static void *read_pipe(void *unused)
{
	char buf[4096];
	int fd = open(HYP "trace_pipe", O_RDONLY);
	ssize_t n = read(fd, buf, sizeof(buf));

	close(fd);
	return (void *)n;
}

/*
 * All operations that involve other CPUs: tracing goes on, the clock is corrected, a
 * reader waits for events of all CPUs and is woken, the buffer is resized and emptied,
 * tracing goes off.
 */
static bool trace_for_a_while(void)
{
	struct timex faster = { .modes = ADJ_TICK, .tick = 10100 };
	struct timex normal = { .modes = ADJ_TICK, .tick = 10000 };
	pthread_t thread;
	void *got = NULL;
	bool ok;
	int i;

	ok = !watch() && !put(HYP "tracing_on", "1") && adjtimex(&faster) >= 0;
	for (i = 0; i < TIMEOUT_MS / 20 && !ran(0, "sync_this_cpu"); i++)
		usleep(20000);
	ok &= ran(0, "sync_this_cpu") > 0 && adjtimex(&normal) >= 0;

	ok &= !pthread_create(&thread, NULL, read_pipe, NULL);
	for (i = 0; i < TIMEOUT_MS / 20 && !ran(0, "hyptrace_set_alarm"); i++)
		usleep(20000);
	ok &= ran(0, "hyptrace_set_alarm") > 0;
	ok &= !emit(1, 1) && !pthread_join(thread, &got) && (long)got > 0;
	ok &= !put(HYP "buffer_size_kb", "64") && !put(HYP "buffer_size_kb", "256");
	return ok && !put(HYP "trace", "") && !put(HYP "tracing_on", "0");
}

TEST_F(idle, a_cpu_that_is_not_traced_is_left_alone)
{
	static const char * const calls[] = {
		"open_this_cpu", "close_this_cpu", "sync_this_cpu", "reset_cpu",
		"alarm_set", "follow_current",
	};
	size_t i;

	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");
	if (!el2_can_ring())
		SKIP(return, "there are no alarms to be set");

	ASSERT_TRUE(wait_until_unloaded(self->cpus));
	ASSERT_EQ(0, put(HYP "tracing_cpumask", "1"));
	ASSERT_TRUE(trace_for_a_while());
	ASSERT_TRUE(wait_until_unloaded(self->cpus));
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		EXPECT_EQ(0, interrupted(1, calls[i])) TH_LOG("call %zu", i);
	EXPECT_EQ(0, ran(1, "tell_el2"));

	/* The calls are seen if the CPU is traced. */
	ASSERT_EQ(0, put(HYP "tracing_cpumask", "3"));
	ASSERT_TRUE(trace_for_a_while());
	ASSERT_TRUE(wait_until_unloaded(self->cpus));
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		EXPECT_LT(0, interrupted(1, calls[i])) TH_LOG("call %zu", i);
	EXPECT_LT(0, ran(1, "tell_el2"));
}

TEST_HARNESS_MAIN
