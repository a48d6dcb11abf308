/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that are followed: what the tests of triggers and of perf share.
 */
#ifndef HYP_FOLLOW_H
#define HYP_FOLLOW_H

#include "../tracefs/hyp_suite.h"

/* The sum of a number in the file "follower", for all CPUs. */
static inline long long followed(const char *key)
{
	char *text = get(HYP "follower"), *at = text;
	long long sum = 0;

	while ((at = strstr(at, key))) {
		at += strlen(key);
		sum += atoll(at);
	}
	free(text);
	return sum;
}

/* Wait until as many events have been delivered since boot, without having it done. */
static inline bool wait_until_delivered(long long events)
{
	int tries = TIMEOUT_MS;

	while (followed("delivered: ") < events && tries--)
		usleep(1000);
	return tries >= 0;
}

/* Does EL2 take exceptions of the host on this CPU as it does without tracing? */
static inline bool is_quiet(void)
{
	return !write_test(HYP_TRACE_TEST_QUIET, 0);
}

/*
 * Have all events delivered that have happened: to read any histogram does. With an interrupt
 * they have been; where EL2 can't ring, the host polls.
 */
static inline void flush(void)
{
	free(get(ROOT "events/hyp/selftest/hist"));
}

/* Emit ids from @first to @last on each CPU. */
static inline int emit_on_all(int cpus, unsigned long first, unsigned long last)
{
	int cpu, ret = 0;

	for (cpu = 0; cpu < cpus && !ret; cpu++)
		ret = run_on(cpu) ?: emit(first, last);
	return ret ?: run_on(0);
}

#endif /* HYP_FOLLOW_H */
