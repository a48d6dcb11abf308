// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: marks of the host's user space among the events.
 */

#include <nvhe/hyptrace.h>

#include <linux/string.h>

#include <nvhe/trap_handler.h>

static_assert(sizeof(struct trace_ext_print) <= HYP_RECORD_MAX);

/* The text is in registers from the third argument on. Return the size of the record. */
static u32 fill_in(struct hyp_trace_cpu *cpu, struct trace_ext_print *mark,
		   const struct kvm_cpu_context *host_ctxt, u64 ip, u64 len)
{
	hyp_trace_head(cpu, mark, TRACE_EXT_PRINT);
	mark->ip = ip;
	memset(mark->text, 0, sizeof(mark->text));
	memcpy(mark->text, &host_ctxt->regs.regs[3], len);
	mark->text[len] = '\n';
	return ALIGN(offsetof(struct trace_ext_print, text) + len + sizeof("\n"), sizeof(u32));
}

void handle___hyp_trace_mark(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, ip, host_ctxt, 1);
	DECLARE_REG(u64, len, host_ctxt, 2);
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	/* No event is being recorded. */
	struct trace_ext_print *mark = (void *)cpu->draft.record;
	int ret = -EINVAL;

	if (len && len <= TRACE_EXT_MARK_MAX) {
		ret = -EBADF;
		if (hyp_word_read(HYP_EVENT_MARK) && cpu->user.ring.open &&
		    ext_ring_write(mark, fill_in(cpu, mark, host_ctxt, ip, len),
				   &cpu->user.ring, hyp_clock_now(&cpu->clock)))
			ret = 0;
	}

	cpu_reg(host_ctxt, 1) = ret;
}
