/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: what both tracers of functions share (function.c, graph.c).
 *
 * The hooks in hook.S call them from the beginning of any function of EL2 that is not part of
 * tracing. So whatever they call has no hook, which a test checks
 * (tools/testing/selftests/hyp_trace/build/hooks).
 *
 * The records have addresses in the kernel: no address of EL2 leaves EL2.
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_FUNCTION_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_FUNCTION_H

#include <asm/insn-def.h>

#include <nvhe/hyptrace.h>

/* For hook.S. */
void hyp_function_called(u64 pc, u64 ret);
void hyp_function_stack_called(u64 pc, u64 ret);
u64 hyp_graph_called(u64 pc, u64 ret, u64 sp);
u64 hyp_graph_root_called(u64 pc, u64 ret, u64 sp);
u64 hyp_graph_not_called(u64 pc, u64 ret, u64 sp);
u64 hyp_graph_returns(u64 retval);

/* The first slot of a function whose hook returns to @pc. */
static __always_inline u64 hyp_function_first(u64 pc)
{
	return pc - 2 * AARCH64_INSN_SIZE;
}

/*
 * As with events, the fast paths call nothing and need no stack frame. Where a page is full, a
 * tail call does it the slow way, which must not be taken while there is room.
 */
enum hyp_way {
	FAST,
	SLOW,
};

static __always_inline bool hyp_function_reserve(enum hyp_way way, struct hyp_trace_cpu *cpu,
						 u64 now, u32 size,
						 struct ext_ring_reservation *resv)
{
	return way == FAST ? ext_ring_reserve(&cpu->user.ring, now, size, resv) :
			     ext_ring_reserve_slow(&cpu->user.ring, now, size, resv);
}

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_FUNCTION_H */
