/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: addresses of EL2's text, and stack traces (stack.c).
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_STACK_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_STACK_H

#include <linux/align.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include <asm/insn-def.h>
#include <asm/sections.h>

/* An address of EL2's text and this are the address in the kernel; 0 before it is known. */
extern u64 hyp_text_to_kernel;

/* Test whether an address is in EL2's text. */
static __always_inline bool hyp_is_text(u64 addr)
{
	return addr - (u64)__hyp_text_start < __hyp_text_end - __hyp_text_start;
}

/*
 * Show addresses in records as if EL2's text began at @text. That is the host's, and may be
 * anything. But bits 1:0 of a call's address say what may be recorded of its result (struct
 * hyp_call): the host must not choose them.
 */
static inline void hyp_text_set(u64 text)
{
	text = ALIGN_DOWN(text, AARCH64_INSN_SIZE);
	WRITE_ONCE(hyp_text_to_kernel, text - (u64)__hyp_text_start);
}

struct hyp_trace_cpu;

void hyp_stack_record(struct hyp_trace_cpu *cpu, u64 now);
void hyp_stack_unhook(struct hyp_trace_cpu *cpu);

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_STACK_H */
