/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing hypercalls: the table, in the order of their numbers. It has macros only.
 *
 * X(name, result, enables, (max, argument)...)
 *
 * @name:	of __hyp_<name>(), which asm/hyptrace.h describes
 * @result:	SHOWN if the first result may be recorded in host_hcall_done: a number or an error,
 *		never an address; else WITHHELD
 * @enables:	in terms of the arguments: if tracing is locked and this is not 0, EL2 refuses the
 *		call with -EPERM
 * @max:	EL2 refuses a call of which an argument is more than that with -EINVAL. With ANY,
 *		and for what depends on more than a constant, the handler checks
 *
 * All arguments are u64: a smaller type would cut what the host passes.
 *
 * A hypercall that is listed by M() instead of X() has further results.
 */
#ifndef __ASM_HYPTRACE_HCALLS_H
#define __ASM_HYPTRACE_HCALLS_H

#include <linux/args.h>

#ifdef CONFIG_KVM_HYPTRACE

#define HYP_RING_HCALLS(X, M)								\
	X(trace_load, SHOWN, 1, (ANY, ring), (ANY, pfn), (ANY, region_pages),		\
	  (EXT_RING_MAX_SLOTS, nr_slots), (ANY, nr_pages))				\
	M(trace_unload, SHOWN, 0, (ANY, ring))						\
	X(trace_sync, SHOWN, 0, (HYP_TRACE_SUSPENDED, state), (1, totals),		\
	  (HYP_TRACE_SUSPENDED, follower))						\
	X(trace_mode, SHOWN, 0, (TRACE_EXT_ON, mode), (1, overwrite))			\
	X(trace_run, SHOWN, 0, (1, on))							\
	X(trace_event, SHOWN, id, (HYP_NR_EVENTS - 1, event), (U16_MAX, id))		\
	X(trace_follow, SHOWN, id, (HYP_NR_EVENTS - 1, event), (U16_MAX, id))		\
	X(trace_pred, SHOWN, 0, (HYP_FILTER_PLACES - 1, place), (ANY, lo), (ANY, width), \
	  (ANY, mask), (ANY, rest))							\
	X(trace_filter, SHOWN, 0, (HYP_NR_EVENTS - 1, event), (HYP_FILTER_USES - 1, use), \
	  (ANY, place), (EXT_FILTER_MAX, nr))						\
	X(trace_trigger, SHOWN, action, (HYP_NR_EVENTS - 1, event),			\
	  (HYP_FILTER_USES - 1, use), (ANY, action), (ANY, count))			\
	M(trace_triggers, SHOWN, 0, (HYP_NR_EVENTS - 1, event), (HYP_FILTER_USES - 1, use)) \
	X(trace_stacks, SHOWN, on, (1, on), (ANY, text))				\
	M(trace_mark, SHOWN, 0, (ANY, ip), (TRACE_EXT_MARK_MAX, len))			\
	M(trace_swap, SHOWN, 0, (ANY, ring), (ANY, id))					\
	M(trace_reset, SHOWN, 0, (ANY, ring))						\
	X(trace_clock, SHOWN, 0, (ANY, mult), (63, shift), (ANY, base))			\
	X(trace_alarm, SHOWN, 0, (ANY, cpu), (ANY, pos))				\
	X(trace_doorbell, SHOWN, 0, (ANY, sgi))

#define HYP_FUNCTION_HCALLS(X)								\
	X(trace_hook, SHOWN, hook, (ANY, function), (TRACE_EXT_NR_HOOKS - 1, hook))	\
	X(trace_functions, SHOWN, on, (1, on), (ANY, text),				\
	  (FTRACE_RETFUNC_DEPTH, max_depth), (1, roots))

#define HYP_TOTALS_HCALLS(X, M)							\
	X(totals_load, SHOWN, 1, (ANY, cpu), (ANY, pfn), (ANY, nr_pages))		\
	X(totals_load_vcpu, SHOWN, 1, (ANY, vm), (ANY, id), (ANY, pfn), (ANY, nr_pages)) \
	M(totals_unload, SHOWN, 0, (ANY, cpu))						\
	X(totals_enable, SHOWN, enable, (1, enable), (U32_MAX, reset))			\
	X(totals_max, SHOWN, enable, (1, enable), (ANY, threshold), (U32_MAX, number),	\
	  (U32_MAX, reset))

#define HYP_TEST_HCALLS(X)								\
	X(trace_write_event, SHOWN, 0, (ANY, id))					\
	X(trace_test, SHOWN, 0, (ANY, action), (ANY, arg))

/* All that have a number, whether this kernel has them or not. */
#define HYP_ALL_HCALLS(X, M)								\
	HYP_RING_HCALLS(X, M)								\
	HYP_FUNCTION_HCALLS(X)								\
	HYP_TOTALS_HCALLS(X, M)								\
	HYP_TEST_HCALLS(X)

#else
#define HYP_ALL_HCALLS(X, M)
#endif

/* For enum __kvm_host_smccc_func. */
#define HYP_HCALL_NUMBER(name, ...)	__KVM_HOST_SMCCC_FUNC___hyp_##name,
#define HYP_HCALL_NUMBERS		HYP_ALL_HCALLS(HYP_HCALL_NUMBER, HYP_HCALL_NUMBER)

/* Apply @m to each (max, argument), with @sep() between them. */
#define HYP_EACH(m, sep, ...)	CONCATENATE(HYP_EACH_, COUNT_ARGS(__VA_ARGS__))(m, sep, __VA_ARGS__)
#define HYP_EACH_1(m, sep, arg)		m arg
#define HYP_EACH_2(m, sep, arg, ...)	m arg sep() HYP_EACH_1(m, sep, __VA_ARGS__)
#define HYP_EACH_3(m, sep, arg, ...)	m arg sep() HYP_EACH_2(m, sep, __VA_ARGS__)
#define HYP_EACH_4(m, sep, arg, ...)	m arg sep() HYP_EACH_3(m, sep, __VA_ARGS__)
#define HYP_EACH_5(m, sep, arg, ...)	m arg sep() HYP_EACH_4(m, sep, __VA_ARGS__)
#define HYP_COMMA()	,

/* The parameters of a function with these arguments, and what to call it with. */
#define HYP_ARG_PARAM(max, argument)	u64 argument
#define HYP_ARG_NAME(max, argument)	argument
#define HYP_PARAMS(...)		HYP_EACH(HYP_ARG_PARAM, HYP_COMMA, __VA_ARGS__)
#define HYP_NAMES(...)		HYP_EACH(HYP_ARG_NAME, HYP_COMMA, __VA_ARGS__)

#endif /* __ASM_HYPTRACE_HCALLS_H */
