/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: lines of text, for debugging.
 *
 *   hyp_trace_printk("pfn 0x%llx, %lld left", pfn, left);
 *   hyp_trace_puts("slow path");
 *
 * The text stays in the kernel's image, in a section that EL2 does not map. A record has
 * the text's offset in that section and the arguments, and the host formats the line
 * (arch/arm64/kvm/hyptrace/events.c).
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_PRINTK_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_PRINTK_H

#include <linux/args.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>

#include <nvhe/hyptrace.h>

static inline __printf(1, 2) void hyp_printk_check(const char *fmt, ...) { }

#define __hyp_check_0(fmt)		hyp_printk_check(fmt)
#define __hyp_check_1(fmt, a)		hyp_printk_check(fmt, (u64)(a))
#define __hyp_check_2(fmt, a, b)	hyp_printk_check(fmt, (u64)(a), (u64)(b))
#define __hyp_check_3(fmt, a, b, c)	\
	hyp_printk_check(fmt, (u64)(a), (u64)(b), (u64)(c))
#define __hyp_check_4(fmt, a, b, c, d)	\
	hyp_printk_check(fmt, (u64)(a), (u64)(b), (u64)(c), (u64)(d))

/* Have the compiler check the format, without evaluating an argument. */
#define __hyp_printk_check(fmt, args...)				\
do {									\
	static_assert(COUNT_ARGS(args) <= 4,				\
		      "hyp_trace_printk() takes 4 arguments at most");	\
	__diag_push();							\
	__diag(error "-Wformat");					\
	if (0)								\
		CONCATENATE(__hyp_check_, COUNT_ARGS(args))(fmt, ##args); \
	__diag_pop();							\
} while (0)

#if defined(CONFIG_KVM_HYPTRACE) && defined(__KVM_NVHE_HYPERVISOR__)

extern const char __start_hyp_formats[];

/* The text's offset in its section, which is the same for EL2 and the host. */
#define __hyp_format(text)						\
({									\
	static const char __text[] __aligned(1) __section("hyp_formats") = text; \
									\
	(u32)(__text - __start_hyp_formats);				\
})

/**
 * hyp_trace_printk() - record a line of text
 * @fmt:	a literal; each conversion takes a u64: %llu, %lld, %llx, %#llx
 * @args:	up to 4 arguments, converted to u64; evaluated only if the event is enabled
 */
#define hyp_trace_printk(fmt, args...)					\
do {									\
	__hyp_printk_check(fmt, ##args);				\
	if (unlikely(hyp_emit_hyp_printk_enabled()))			\
		__hyp_printk_pad(__hyp_format(fmt), ##args, 0, 0, 0, 0); \
} while (0)

/* Pass the first 4 arguments. */
#define __hyp_printk_pad(id, a, b, c, d, ...)				\
	hyp_emit_hyp_printk(id, (u64)(a), (u64)(b), (u64)(c), (u64)(d))

/**
 * hyp_trace_puts() - record a line of text without arguments
 * @text:	a literal without '%', because the host uses it as a format
 */
#define hyp_trace_puts(text)						\
do {									\
	__hyp_printk_check(text);					\
	if (unlikely(hyp_emit_hyp_puts_enabled()))			\
		hyp_emit_hyp_puts(__hyp_format(text));			\
} while (0)

#else

#define hyp_trace_printk(fmt, args...)	__hyp_printk_check(fmt, ##args)
#define hyp_trace_puts(text)		__hyp_printk_check(text)

#endif
#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_PRINTK_H */
