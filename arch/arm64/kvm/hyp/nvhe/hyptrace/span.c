// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: the slow path of HYP_TRACE_SPAN().
 */

#include <nvhe/hyptrace/span.h>

void __hyp_span_begin(struct hyp_span *span)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	if (!cpu->traced)
		return;

	span->id = ++cpu->nr_spans;
	span->began = hyp_clock_now(&cpu->clock);
	hyp_emit_hyp_span(HYP_SPAN_BEGIN, span, 0);
}

void __hyp_span_end(const struct hyp_span *span)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	hyp_emit_hyp_span(HYP_SPAN_END, span, hyp_clock_now(&cpu->clock) - span->began);
}
