/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state in which each test of most programs begins. A program with a fixture of its own
 * includes hyp_suite.h only, as the compiler warns of a fixture that no test uses.
 */
#ifndef HYP_FIXTURE_H
#define HYP_FIXTURE_H

#include "hyp_suite.h"

FIXTURE(hyp) {
	int cpus;
};

/* Tracing off and empty, default size, no event but selftest, all CPUs online. */
FIXTURE_SETUP(hyp)
{
	int cpu;

	self->cpus = nr_cpus();
	ASSERT_TRUE(exists(HYP "tracing_on"))
		TH_LOG("no hyp/: see dmesg for why");
	for (cpu = 1; cpu < self->cpus; cpu++)
		set_online(cpu, true);
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	ASSERT_EQ(0, put(ROOT "events/enable", "0"));
	rmdir(FOO);
	ASSERT_EQ(0, put(HYP "buffer_percent", "50"));
	ASSERT_EQ(0, put(HYP "options/event-fork", "0"));
	ASSERT_EQ(0, put(HYP "options/overwrite", "1"));
	ASSERT_EQ(0, put(HYP "set_event_pid", ""));
	ASSERT_EQ(0, put(HYP "set_event_notrace_pid", ""));
	ASSERT_EQ(0, put(HYP "tracing_cpumask",
			 path_of("%x", (1 << self->cpus) - 1)));
	ASSERT_EQ(0, set_size_kb(256));
	ASSERT_EQ(0, put(HYP "trace", ""));
	ASSERT_EQ(0, put(HYP "events/hyp/selftest/enable", "1"));
	ASSERT_EQ(0, run_on(0));
}

FIXTURE_TEARDOWN(hyp)
{
	put(HYP "tracing_on", "0");
	put(HYP "trace", "");
}

#endif /* HYP_FIXTURE_H */
