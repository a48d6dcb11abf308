/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Vectors for exceptions of the host while they are traced, measured or followed: those of host.S,
 * except for synchronous ones. Switching VBAR_EL2 costs nothing while tracing is off, unlike
 * a check in the ordinary path.
 */

#include <linux/linkage.h>

#include <asm/assembler.h>
#include <asm/esr.h>
#include <asm/virt.h>

	.text

/* The same as without tracing. */
.macro usual_vect offset
	.align 7
	b	__kvm_hyp_host_vector + \offset
.endm

.macro traced_vect offset, exit
	.align 7
	stp	x0, x1, [sp, #-16]!
	mrs	x1, esr_el2
	ubfx	x1, x1, #ESR_ELx_EC_SHIFT, #ESR_ELx_EC_WIDTH
	cmp	x1, #ESR_ELx_EC_HVC64
	b.ne	\exit

	/* Stub hypercalls are not traced. In protected mode there are none. */
alternative_if ARM64_KVM_PROTECTED_MODE
	b	\exit
alternative_else_nop_endif
	cmp	x0, #HVC_STUB_HCALL_NR
	b.hs	\exit
	ldp	x0, x1, [sp], #16
	b	__kvm_hyp_host_vector + \offset
.endm

.macro vectors name, exit
	.align 11
SYM_CODE_START(\name)
	usual_vect	0x000			// Synchronous EL2t
	usual_vect	0x080			// IRQ EL2t
	usual_vect	0x100			// FIQ EL2t
	usual_vect	0x180			// Error EL2t

	usual_vect	0x200			// Synchronous EL2h
	usual_vect	0x280			// IRQ EL2h
	usual_vect	0x300			// FIQ EL2h
	usual_vect	0x380			// Error EL2h

	traced_vect	0x400, \exit		// Synchronous 64-bit EL1/EL0
	usual_vect	0x480			// IRQ 64-bit EL1/EL0
	usual_vect	0x500			// FIQ 64-bit EL1/EL0
	usual_vect	0x580			// Error 64-bit EL1/EL0

	traced_vect	0x600, \exit		// Synchronous 32-bit EL1/EL0
	usual_vect	0x680			// IRQ 32-bit EL1/EL0
	usual_vect	0x700			// FIQ 32-bit EL1/EL0
	usual_vect	0x780			// Error 32-bit EL1/EL0
SYM_CODE_END(\name)
.endm

	vectors		hyp_trace_vector, __host_exit_traced
	vectors		hyp_totals_vector, __host_exit_measured
	vectors		hyp_follow_vector, __host_exit_followed
