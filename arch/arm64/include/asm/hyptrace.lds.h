/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing's parts of the linker scripts: hyp.lds.S links EL2, vmlinux.lds.S the kernel with it.
 */
#ifndef __ASM_HYPTRACE_LDS_H
#define __ASM_HYPTRACE_LDS_H

/*
 * Between an event and its record: stack traces leave this text out. The word behind it is there
 * as kallsyms must not find the end at a function's address.
 */
#ifdef CONFIG_KVM_HYPTRACE
#define HYP_TRACE_TEXT					\
	__hyp_trace_text_start = .;			\
	*/hyptrace/draft.nvhe.o(.text .text.*)		\
	*/hyptrace/events.nvhe.o(.text .text.*)		\
	*/hyptrace/function.nvhe.o(.text .text.*)	\
	*/hyptrace/graph.nvhe.o(.text .text.*)		\
	*/hyptrace/guest.nvhe.o(.text .text.*)		\
	*/hyptrace/hook.nvhe.o(.text .text.*)		\
	*/hyptrace/span.nvhe.o(.text .text.*)		\
	*/hyptrace/stack.nvhe.o(.text .text.*)		\
	*/hyptrace/trigger.nvhe.o(.text .text.*)	\
	__hyp_trace_text_end = .;			\
	QUAD(0)
#else
#define HYP_TRACE_TEXT
#endif

/*
 * The places of hooks in EL2's functions, and what the kernel's read-only data has of them. The
 * host's ftrace must not find their own section: it would patch EL2.
 */
#ifdef CONFIG_KVM_HYPTRACE_FUNCTIONS
#define HYP_TRACE_FUNCTIONS						\
	BEGIN_HYP_SECTION(.functions)					\
		BOUNDED_SECTION_BY(__patchable_function_entries, _hyp_functions) \
	END_HYP_SECTION
#define HYPERVISOR_FUNCTIONS	*(HYP_SECTION_NAME(.functions))
#else
#define HYP_TRACE_FUNCTIONS
#define HYPERVISOR_FUNCTIONS
#endif

/* Texts of hyp_trace_printk(): only the host reads them; not mapped at EL2. */
#ifdef CONFIG_KVM_HYPTRACE
#define HYPERVISOR_FORMATS					\
	.hyp_formats : {					\
		BOUNDED_SECTION_BY(hyp_formats, _hyp_formats)	\
	}
#else
#define HYPERVISOR_FORMATS
#endif

#endif /* __ASM_HYPTRACE_LDS_H */
