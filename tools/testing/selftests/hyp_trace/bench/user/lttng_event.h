/* SPDX-License-Identifier: GPL-2.0-only */
/* The event of ring_bench.c, for LTTng: see lttng-ust(3). */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER hyp_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_event.h"

#if !defined(LTTNG_EVENT_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_EVENT_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(
	hyp_bench,
	selftest,
	LTTNG_UST_TP_ARGS(uint64_t, id),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, id, id)
	)
)

#endif /* LTTNG_EVENT_H */

#include <lttng/tracepoint-event.h>
