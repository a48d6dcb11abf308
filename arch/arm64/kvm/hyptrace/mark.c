// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of hypervisor tracing: what users write to hyp/trace_marker.
 */

#include <linux/string.h>
#include <linux/trace_ext_function.h>

#include "hyptrace.h"

/*
 * See @mark of struct trace_ext_ops. The text is in registers, so that EL2 needs no memory of the
 * host's.
 */
int hyptrace_mark(struct trace_ext_writer *writer, unsigned long ip, const char *text, size_t len)
{
	union {
		struct arm_smccc_1_2_regs	regs;
		u64				x[18];
	} call = {
		.x = { KVM_HOST_SMCCC_FUNC(__hyp_trace_mark), ip, len },
	};

	static_assert(sizeof(call.x) == sizeof(call.regs));
	static_assert(3 * sizeof(u64) + TRACE_EXT_MARK_MAX <= sizeof(call.x));

	if (!hyptrace_may_call())
		return -EIO;

	memcpy(call.x + 3, text, len);
	arm_smccc_1_2_hvc(&call.regs, &call.regs);
	return call.regs.a0 == SMCCC_RET_SUCCESS ? (int)call.regs.a1 : -ENODEV;
}
