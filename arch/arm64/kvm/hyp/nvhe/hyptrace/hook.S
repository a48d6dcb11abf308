/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hooks that a function's second slot calls, see asm/hyptrace_functions.h.
 *
 * A hook runs before its function has done anything: x0 to x8 are the function's arguments,
 * x9 is its return address, and lr is where it goes on. A hook may change x9 to x17. EL2's C code
 * does not use the FP/SIMD registers.
 */

#include <linux/linkage.h>

#include <asm/assembler.h>

#define SAVED_REGS	80

	.text

/* Save the function's arguments. Its caller's frame record and its own are for unwinding. */
.macro hook_begin
	stp	x29, x9, [sp, #-16]!
	mov	x29, sp
	stp	x29, x30, [sp, #-(16 + SAVED_REGS)]!
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x7, [sp, #64]
	str	x8, [sp, #80]

	mov	x0, x30
	mov	x1, x9
.endm

/* Go on in the function, which will return to the address in x9. */
.macro hook_end
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldp	x6, x7, [sp, #64]
	ldr	x8, [sp, #80]
	ldr	x10, [sp, #8]
	ldr	x29, [sp, #(16 + SAVED_REGS)]
	add	sp, sp, #(32 + SAVED_REGS)
	mov	x30, x9
	ret	x10
.endm

.macro graph_hook name, handler
SYM_CODE_START(\name)
	hook_begin
	add	x2, sp, #(32 + SAVED_REGS)
	bl	\handler
	mov	x9, x0
	hook_end
SYM_CODE_END(\name)
.endm

.macro function_hook name, handler
SYM_CODE_START(\name)
	hook_begin
	bl	\handler
	ldr	x9, [sp, #(24 + SAVED_REGS)]
	hook_end
SYM_CODE_END(\name)
.endm

	function_hook	hyp_hook_function,	hyp_function_called
	function_hook	hyp_hook_function_stack, hyp_function_stack_called
	graph_hook	hyp_hook_graph,		hyp_graph_called
	graph_hook	hyp_hook_graph_root,	hyp_graph_root_called
	graph_hook	hyp_hook_graph_not,	hyp_graph_not_called

/*
 * A function that hyp_hook_graph*() has hooked returns here. Results have no more than 16 bytes
 * in registers.
 */
SYM_CODE_START(hyp_hook_return)
	stp	x0, x1, [sp, #-16]!
	bl	hyp_graph_returns
	mov	x30, x0
	ldp	x0, x1, [sp], #16
	ret
SYM_CODE_END(hyp_hook_return)

/* The address of hyp_hook_return for C: a reference from C would make a circle of files. */
	.section .rodata, "a"
	.balign	8
SYM_DATA(hyp_hook_return_address, .quad hyp_hook_return)
