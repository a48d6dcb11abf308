// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an event of one u64 costs with LTTng-UST, to be run in a session that has
 * hyp_bench:selftest enabled; see bench_user/run.
 */

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_event.h"

#include "bench.h"

static void write_event(uint64_t id)
{
	lttng_ust_tracepoint(hyp_bench, selftest, id);
}

int main(void)
{
	bench("lttng", write_event);
	return 0;
}
