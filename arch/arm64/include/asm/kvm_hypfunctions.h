/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks of EL2's functions.
 *
 * With CONFIG_NVHE_EL2_FUNCTION_TRACER a function of EL2 begins with two slots:
 *
 *	mov	x9, lr		the return address, which the hook may replace
 *	nop			or: bl <hook>
 *
 * The compiler makes both a nop, and puts the address of the first one into a table. The host
 * sets the first slot once, before EL2 runs. Only the second one changes after that, between
 * nop and bl, which the architecture allows while other CPUs execute it (Arm ARM, B2.2.5,
 * "Concurrent modification and execution of instructions").
 */
#ifndef __ARM64_KVM_HYPFUNCTIONS_H__
#define __ARM64_KVM_HYPFUNCTIONS_H__

#include <linux/bits.h>
#include <linux/trace_ext_function.h>

#include <asm/hyp_image.h>
#include <asm/insn-def.h>

/* The addresses of all functions' first slots. EL2's addresses, once they are relocated. */
extern const u64 kvm_nvhe_sym(__start_hyp_functions)[];
extern const u64 kvm_nvhe_sym(__stop_hyp_functions)[];

extern const char kvm_nvhe_sym(hyp_hook_function)[];
extern const char kvm_nvhe_sym(hyp_hook_function_stack)[];
extern const char kvm_nvhe_sym(hyp_hook_graph)[];
extern const char kvm_nvhe_sym(hyp_hook_graph_root)[];
extern const char kvm_nvhe_sym(hyp_hook_graph_not)[];

/* mov x9, lr; nop */
#define HYP_FUNCTION_SAVE_LR	0xaa1e03e9U
#define HYP_FUNCTION_NOP	0xd503201fU

/**
 * hyp_function_slot() - the address of a function's second slot
 * @first:	that of its first one
 *
 * Return: the address
 */
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

#endif /* __ARM64_KVM_HYPFUNCTIONS_H__ */
