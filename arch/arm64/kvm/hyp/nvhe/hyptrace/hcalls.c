// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: the hypercalls are checked here against asm/hyptrace_hcalls.h, and passed on to
 * their handlers. EL2's own table of hypercalls calls this, and nothing else does.
 */

#include <nvhe/hyptrace.h>

#include <nvhe/trap_handler.h>

#define ANY				U64_MAX
#define ARG_IS_BAD(max, argument)	(argument > (max))
#define OR()				||

/* The first registers of the host. */
#define REGS_1(c)	cpu_reg(c, 1)
#define REGS_2(c)	REGS_1(c), cpu_reg(c, 2)
#define REGS_3(c)	REGS_2(c), cpu_reg(c, 3)
#define REGS_4(c)	REGS_3(c), cpu_reg(c, 4)
#define REGS_5(c)	REGS_4(c), cpu_reg(c, 5)
#define REGS(c, ...)	CONCATENATE(REGS_, COUNT_ARGS(__VA_ARGS__))(c)

#define CHECK_ARGS(enables, ...)					\
	if (HYP_EACH(ARG_IS_BAD, OR, __VA_ARGS__))			\
		return -EINVAL;						\
	if (hyp_trace_locked && (enables))				\
		return -EPERM

#define HCALL(name, result, enables, ...)				\
static s64 try_##name(HYP_PARAMS(__VA_ARGS__))				\
{									\
	CHECK_ARGS(enables, __VA_ARGS__);				\
	return handle___hyp_##name(HYP_NAMES(__VA_ARGS__));		\
}									\
									\
void hyp_hcall_##name(struct kvm_cpu_context *host_ctxt)		\
{									\
	cpu_reg(host_ctxt, 1) = try_##name(REGS(host_ctxt, __VA_ARGS__)); \
}

#define HCALL_MORE(name, result, enables, ...)				\
static s64 try_##name(u64 *more, HYP_PARAMS(__VA_ARGS__))		\
{									\
	CHECK_ARGS(enables, __VA_ARGS__);				\
	return handle___hyp_##name(more, HYP_NAMES(__VA_ARGS__));	\
}									\
									\
void hyp_hcall_##name(struct kvm_cpu_context *host_ctxt)		\
{									\
	cpu_reg(host_ctxt, 1) = try_##name(&cpu_reg(host_ctxt, 2),	\
					   REGS(host_ctxt, __VA_ARGS__)); \
}

HYP_OUR_HCALLS(HCALL, HCALL_MORE)
