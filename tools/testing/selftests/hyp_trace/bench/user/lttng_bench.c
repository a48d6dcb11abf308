// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of an event of one u64 with LTTng-UST. Runs in a session that has
 * hyp_bench:selftest enabled; see bench/user/run.
 */

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_event.h"

#include "bench.h"

static void write_event(uint64_t id)
{
	lttng_ust_tracepoint(hyp_bench, selftest, id);
}

/* Is the event recorded? Otherwise only a test and a branch would be timed. */
static void check_enabled(void)
{
	if (!lttng_ust_tracepoint_enabled(hyp_bench, selftest)) {
		fprintf(stderr, "lttng_bench: hyp_bench:selftest is not enabled\n");
		exit(1);
	}
}

int main(void)
{
	check_enabled();
	bench("lttng", write_event);
	check_enabled();
	return 0;
}
