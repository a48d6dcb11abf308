/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: functions that have been called and have not returned (calls.c).
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_CALLS_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_CALLS_H

#include <linux/minmax.h>
#include <linux/trace_ext_function.h>
#include <linux/types.h>

/**
 * struct hyp_call - a function that will return to hyp_hook_return
 * @ret:	where it returns to after that
 * @func:	its address in the kernel, plus an enum hyp_result; 0 if the call was not recorded
 * @start:	boot clock when it was called [ns]
 * @sp:		the stack pointer then: its frame is below
 */
struct hyp_call {
	u64	ret;
	u64	func;
	u64	start;
	u64	sp;
} __aligned(32);

/**
 * struct hyp_calls - a CPU's functions that will return to hyp_hook_return
 * @depth:	their number
 * @not:	the number of the one that is not recorded, nor what it calls, from 1; or 0
 * @special:	where a function returns at less than this depth, there is more to do than to
 *		record it: the largest of @first, @root and @not
 * @root:	the number of the first one that is a root, from 1; 0 if there is none
 * @first:	number of those whose returns are not recorded, although the calls were: these
 *		are in a ring that has been closed, emptied or replaced
 * @overrun:	calls that were too deep, or have not returned
 * @call:	the functions, the outermost one first
 */
struct hyp_calls {
	u64		depth;
	u64		not;
	u64		special;
	u64		root;
	u64		first;
	u32		overrun;
	struct hyp_call	call[FTRACE_RETFUNC_DEPTH];
};

/* The address of hyp_hook_return (hook.S). */
extern const u64 hyp_hook_return_address;

/* Compute @calls->special, after a change of what it depends on. */
static inline void hyp_calls_special_update(struct hyp_calls *calls)
{
	calls->special = max3(calls->first, calls->root, calls->not);
}

struct hyp_trace_cpu;

#ifdef CONFIG_KVM_HYPTRACE_FUNCTIONS
void hyp_graph_end(struct hyp_trace_cpu *cpu);
void hyp_calls_forget(struct hyp_trace_cpu *cpu);
void hyp_calls_reset(struct hyp_trace_cpu *cpu);
u64 hyp_calls_depth(const struct hyp_trace_cpu *cpu);
u64 hyp_calls_return(const struct hyp_trace_cpu *cpu, u64 *depth, u64 record, u64 ret);
#else
static inline void hyp_graph_end(struct hyp_trace_cpu *cpu) { }
static inline void hyp_calls_forget(struct hyp_trace_cpu *cpu) { }
static inline void hyp_calls_reset(struct hyp_trace_cpu *cpu) { }
static inline u64 hyp_calls_depth(const struct hyp_trace_cpu *cpu) { return 0; }
static inline u64 hyp_calls_return(const struct hyp_trace_cpu *cpu, u64 *depth, u64 record,
				   u64 ret) { return ret; }
#endif

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_CALLS_H */
