// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: marks of the host's user space among the events.
 */

#include <nvhe/hyptrace.h>

#include <linux/string.h>

static_assert(sizeof(struct trace_ext_print) <= HYP_RECORD_MAX);

/* The text is in registers from the third argument on. Return the size of the record. */
static u32 fill_in(struct hyp_trace_cpu *cpu, struct trace_ext_print *mark, const u64 *text,
		   u64 ip, u64 len)
{
	hyp_trace_head(cpu, mark, TRACE_EXT_PRINT);
	mark->ip = ip;
	memset(mark->text, 0, sizeof(mark->text));
	unsafe_memcpy(mark->text, text, len, /* The table of hypercalls has its maximum. */);
	mark->text[len] = '\n';
	return ALIGN(offsetof(struct trace_ext_print, text) + len + sizeof("\n"), sizeof(u32));
}

s64 handle___hyp_trace_mark(u64 *more, u64 ip, u64 len)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	/* No event is being recorded. */
	struct trace_ext_print *mark = (void *)cpu->draft.record;

	if (!len)
		return -EINVAL;
	if (!hyp_word_read(HYP_EVENT_MARK) || !cpu->user.ring.open)
		return -EBADF;

	/* The first further register has @len. */
	return ext_ring_write(mark, fill_in(cpu, mark, more + 1, ip, len), &cpu->user.ring,
			      hyp_clock_now(&cpu->clock)) ? 0 : -EBADF;
}
