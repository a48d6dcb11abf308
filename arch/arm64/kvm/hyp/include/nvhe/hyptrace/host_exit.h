/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * __host_exit for the vectors of nvhe/hyptrace/vector.S. host.S includes this: it has the way in,
 * host_save, and the way out.
 */
#ifdef CONFIG_KVM_HYPTRACE

.macro host_exit_by name, handler
SYM_FUNC_START(\name)
	host_save
	bl	\handler
	b	__host_enter_restore_full
SYM_FUNC_END(\name)
.endm

	host_exit_by	__host_exit_traced, hyp_trace_handle_trap
	host_exit_by	__host_exit_followed, hyp_follow_handle_trap
	host_exit_by	__host_exit_measured, hyp_totals_handle_trap

#endif
