// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: functions that have been called and will return to hyp_hook_return, on each CPU.
 */

#include <nvhe/hyptrace.h>

/* The number of functions that return to hyp_hook_return. */
u64 hyp_calls_depth(const struct hyp_trace_cpu *cpu)
{
	return cpu->calls.depth;
}

/**
 * hyp_calls_return() - get where a function returns to after hyp_hook_return
 * @cpu:	this CPU
 * @depth:	number of functions that return to hyp_hook_return and have not been passed; those
 *		that are passed now are subtracted
 * @record:	where the function has its return address, in its frame; 0 if it has no frame
 * @ret:	its return address
 *
 * Return: @ret, or what hyp_hook_return replaces
 */
u64 hyp_calls_return(const struct hyp_trace_cpu *cpu, u64 *depth, u64 record, u64 ret)
{
	const struct hyp_call *call = cpu->calls.call;

	/* A function that calls none has no frame. */
	while (*depth && call[*depth - 1].sp <= record)
		--*depth;

	/* After a tail call, the function that was called returns there twice. */
	while (*depth && ret == hyp_hook_return_address)
		ret = call[--*depth].ret;

	return ret;
}

/*
 * Do not record the returns of functions that have been called: this CPU's ring is another one
 * now. If @cpu is another CPU, it executes none of them.
 */
void hyp_calls_forget(struct hyp_trace_cpu *cpu)
{
	cpu->calls.first = cpu->calls.depth;
	hyp_calls_special_update(&cpu->calls);
}

/* No function will return: this CPU has come out of firmware at its entry point. */
void hyp_calls_reset(struct hyp_trace_cpu *cpu)
{
	struct hyp_calls *calls = &cpu->calls;

	calls->overrun += calls->depth;
	calls->depth = 0;
	calls->root = 0;
	calls->not = 0;
	hyp_calls_forget(cpu);
}
