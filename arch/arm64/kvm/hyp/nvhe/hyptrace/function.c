// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: the function tracer. See function.h for what this must not call.
 */

#include <nvhe/hyptrace/function.h>

static __always_inline bool record_call(enum hyp_way way, struct hyp_trace_cpu *cpu, u64 now,
					u64 pc, u64 ret)
{
	struct ext_ring_reservation resv;
	struct trace_ext_function *record;
	u64 delta = READ_ONCE(hyp_text_to_kernel);

	if (!hyp_function_reserve(way, cpu, now, sizeof(*record), &resv))
		return false;

	record = resv.payload;
	hyp_trace_head(cpu, &record->ent, TRACE_EXT_FUNCTION);
	record->ip = hyp_function_first(pc) + delta;
	record->parent_ip = hyp_is_text(ret) ? ret + delta : 0;
	ext_ring_commit(&resv);
	return true;
}

static noinline bool call_slow(u64 pc, u64 ret, struct hyp_trace_cpu *cpu, u64 now)
{
	u64 depth = cpu->calls.depth;

	/* The function that calls this one may have been hooked for a graph. */
	ret = hyp_calls_return(cpu, &depth, 0, ret);
	return record_call(FAST, cpu, now, pc, ret) || record_call(SLOW, cpu, now, pc, ret);
}

/**
 * hyp_function_called() - a function is called: record that
 * @pc:		where the function goes on
 * @ret:	where it returns to
 */
void hyp_function_called(u64 pc, u64 ret)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	u64 now;

	if (!hyp_word_read(HYP_EVENT_CALL))
		return;

	now = hyp_clock_now(&cpu->clock);
	if (unlikely(cpu->calls.depth) || !record_call(FAST, cpu, now, pc, ret))
		call_slow(pc, ret, cpu, now);
}

/* As hyp_function_called(), with the stack. */
void hyp_function_stack_called(u64 pc, u64 ret)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	u64 now;

	if (!hyp_word_read(HYP_EVENT_CALL))
		return;

	now = hyp_clock_now(&cpu->clock);
	if (call_slow(pc, ret, cpu, now))
		hyp_stack_record(cpu, now);
}
