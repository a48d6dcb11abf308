/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: spans, to measure how long something takes.
 *
 *   static int foo(void)
 *   {
 *           HYP_TRACE_SPAN("foo");
 *           ...
 *
 * records an event where the scope is entered and another one where it is left, on any
 * path.
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_SPAN_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_SPAN_H

#include <linux/build_bug.h>
#include <linux/compiler.h>

#include <nvhe/hyptrace.h>

#if defined(CONFIG_KVM_HYPTRACE) && defined(__KVM_NVHE_HYPERVISOR__)

/**
 * struct hyp_span - a span of time that has begun
 * @name:	HYP_SPAN_NAME_SIZE bytes
 * @id:		unique on this CPU since boot, 0 if the span is not recorded
 * @began:	when it began [ns]
 */
struct hyp_span {
	const char	*name;
	u64		id;
	u64		began;
};

void __hyp_span_begin(struct hyp_span *span);
void __hyp_span_end(const struct hyp_span *span);

static __always_inline struct hyp_span hyp_span_begin(const char *name)
{
	struct hyp_span span = { .name = name };

	if (unlikely(hyp_emit_hyp_span_enabled()))
		__hyp_span_begin(&span);

	return span;
}

static __always_inline void hyp_span_end(const struct hyp_span *span)
{
	if (unlikely(span->id))
		__hyp_span_end(span);
}

#define __HYP_TRACE_SPAN(name, span, text)				\
	static const char name[HYP_SPAN_NAME_SIZE] = text;		\
	static_assert(sizeof(text) <= HYP_SPAN_NAME_SIZE,		\
		      "the name of a span is too long: " text);		\
	struct hyp_span span __maybe_unused __cleanup(hyp_span_end) =	\
		hyp_span_begin(name)

/**
 * HYP_TRACE_SPAN() - record a span from here to the end of this scope
 * @text:	the span's name, a literal of less than HYP_SPAN_NAME_SIZE characters
 */
#define HYP_TRACE_SPAN(text)						\
	__HYP_TRACE_SPAN(__UNIQUE_ID(hyp_span_name), __UNIQUE_ID(hyp_span), text)

#else

#define HYP_TRACE_SPAN(text)

#endif
#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_SPAN_H */
