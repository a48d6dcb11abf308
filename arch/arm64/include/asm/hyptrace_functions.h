/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks of EL2's functions.
 *
 * With CONFIG_KVM_HYPTRACE_FUNCTIONS a function of EL2 begins with two slots:
 *
 *	mov	x9, lr		the return address, which the hook may replace
 *	nop			or: bl <hook>
 *
 * The compiler makes both a nop, and puts the address of the first one into a table. The host
 * sets the first slot once, before EL2 runs. Only the second one changes after that, between
 * nop and bl, which the architecture allows while other CPUs execute it (Arm ARM, B2.2.5,
 * "Concurrent modification and execution of instructions").
 *
 * Several instructions are mov x9, lr: it shifts lr by 0, in any of four ways. Which one the first
 * slot has, tells EL2 what it may record of the function's result: with protection, the host can't
 * change that any more.
 */
#ifndef __ASM_HYPTRACE_FUNCTIONS_H__
#define __ASM_HYPTRACE_FUNCTIONS_H__

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/trace_ext_function.h>

#include <asm/hyp_image.h>
#include <asm/insn-def.h>

/* The addresses of all functions' first slots. EL2's addresses, once they are relocated. */
extern const u64 kvm_nvhe_sym(__start_hyp_functions)[];
extern const u64 kvm_nvhe_sym(__stop_hyp_functions)[];

/* For each, an enum hyp_result and flags: what function_results.awk knows of it. */
extern const u8 kvm_nvhe_sym(hyp_function_results)[];

extern const char kvm_nvhe_sym(hyp_hook_function)[];
extern const char kvm_nvhe_sym(hyp_hook_function_stack)[];
extern const char kvm_nvhe_sym(hyp_hook_graph)[];
extern const char kvm_nvhe_sym(hyp_hook_graph_root)[];
extern const char kvm_nvhe_sym(hyp_hook_graph_not)[];

/**
 * enum hyp_result - what is recorded of a function's result
 * @HYP_RESULT_NONE:	nothing: the function has none, or not one that is known to be harmless
 * @HYP_RESULT_BOOL:	a bool
 * @HYP_RESULT_INT:	an int
 */
enum hyp_result {
	HYP_RESULT_NONE,
	HYP_RESULT_BOOL,
	HYP_RESULT_INT,
};

#define HYP_RESULT_KIND		GENMASK(1, 0)
#define HYP_RESULT_DISCLOSED	BIT(7)		/* with protection, too */

/* mov x9, lr, with an enum hyp_result; nop */
#define HYP_FUNCTION_SAVE_LR	0xaa1e03e9U
#define HYP_FUNCTION_RESULT	GENMASK(23, 22)
#define HYP_FUNCTION_NOP	0xd503201fU

/* The address of a function's second slot, by that of its first one. */
static inline u64 hyp_function_slot(u64 first)
{
	return first + AARCH64_INSN_SIZE;
}

/**
 * hyp_function_insn() - the instruction for a function's second slot
 * @first:	address of its first slot, in the address space of this code
 * @hook:	what the slot calls
 *
 * EL2's text is small: a bl reaches all of it.
 *
 * Return: the instruction
 */
static inline u32 hyp_function_insn(u64 first, enum trace_ext_hook hook)
{
	const char *target = NULL;

	switch (hook) {
	case TRACE_EXT_HOOK_FUNCTION:
		target = kvm_nvhe_sym(hyp_hook_function);
		break;
	case TRACE_EXT_HOOK_FUNCTION_STACK:
		target = kvm_nvhe_sym(hyp_hook_function_stack);
		break;
	case TRACE_EXT_HOOK_GRAPH:
		target = kvm_nvhe_sym(hyp_hook_graph);
		break;
	case TRACE_EXT_HOOK_GRAPH_ROOT:
		target = kvm_nvhe_sym(hyp_hook_graph_root);
		break;
	case TRACE_EXT_HOOK_GRAPH_NOT:
		target = kvm_nvhe_sym(hyp_hook_graph_not);
		break;
	default:
		return HYP_FUNCTION_NOP;
	}

	return BIT(31) | 0x5 << 26 |
	       (((u64)target - hyp_function_slot(first)) >> 2 & GENMASK(25, 0));
}

#endif /* __ASM_HYPTRACE_FUNCTIONS_H__ */
