// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: stack traces.
 *
 * They follow the frame records on EL2's own stacks, upwards only, and end where one is not on a
 * stack or returns to what is not EL2's text. So they end whatever the host had in its frame
 * pointer when it called EL2.
 */

#include <nvhe/hyptrace.h>

#include <linux/bitfield.h>

#include <asm/stacktrace/nvhe.h>

DECLARE_PER_CPU(unsigned long [OVERFLOW_STACK_SIZE / sizeof(long)], overflow_stack);

/* The functions that are called between an event and its record, see hyp.lds.S. */
extern const char __hyp_trace_text_start[];
extern const char __hyp_trace_text_end[];

u64 hyp_text_to_kernel;

/**
 * struct walk - a walk from a function to its caller, and so on
 * @state:	the kernel's state; its pc is where the function returns to
 * @stacks:	this CPU's stacks
 * @address:	the bits of addresses. In others, a return address may have an authentication code;
 *		one that was signed twice, as in an exception, has no valid one to strip
 * @cpu:	this CPU
 * @depth:	number of its functions that return to hyp_hook_return and have not been passed
 * @pc:		where @state.pc is kept
 * @hooked:	that is hyp_hook_return
 */
struct walk {
	struct unwind_state	state;
	struct stack_info	stacks[2];
	u64			address;
	const struct hyp_trace_cpu *cpu;
	u64			depth;
	u64			*pc;
	bool			hooked;
};

/* Begin a walk at the function that calls this. */
static __always_inline void walk_begin(struct walk *walk, const struct hyp_trace_cpu *cpu)
{
	u64 overflow = (u64)this_cpu_ptr(overflow_stack);
	u64 stack = this_cpu_ptr(&kvm_init_params)->stack_hyp_va - PAGE_SIZE;

	walk->stacks[0] = (struct stack_info) { overflow, overflow + OVERFLOW_STACK_SIZE };
	walk->stacks[1] = (struct stack_info) { stack, stack + PAGE_SIZE };
	walk->address = GENMASK_ULL(63 - FIELD_GET(TCR_T0SZ_MASK, read_sysreg(tcr_el2)), 0);
	walk->state.stacks = walk->stacks;
	walk->state.nr_stacks = ARRAY_SIZE(walk->stacks);
	walk->cpu = cpu;
	walk->depth = hyp_calls_depth(cpu);
	kvm_nvhe_unwind_init(&walk->state, (u64)__builtin_frame_address(0), 0);
}

/* Go to where the function returns; false if that is not EL2. */
static bool walk_on(struct walk *walk)
{
	u64 record = walk->state.fp, ret;

	if (unwind_next_frame_record(&walk->state))
		return false;

	ret = walk->state.pc & walk->address;
	walk->pc = (u64 *)record + 1;
	walk->state.pc = hyp_calls_return(walk->cpu, &walk->depth, record, ret);
	walk->hooked = walk->state.pc != ret;
	return hyp_is_text(walk->state.pc);
}

static bool is_tracing(u64 pc)
{
	return pc - (u64)__hyp_trace_text_start < __hyp_trace_text_end - __hyp_trace_text_start;
}

/**
 * hyp_stack_record() - record where the function that has an event will return to, and so on
 * @cpu:	this CPU, which has just recorded the event
 * @now:	the event's time [ns]
 */
void hyp_stack_record(struct hyp_trace_cpu *cpu, u64 now)
{
	/* Until the host has said where its text is, it gets offsets: never EL2's addresses. */
	u64 delta = READ_ONCE(hyp_text_to_kernel) ?: -(u64)__hyp_text_start;
	struct trace_ext_stack *stack = &cpu->stack;
	struct walk walk;
	u32 n = 0;

	walk_begin(&walk, cpu);
	while (n < TRACE_EXT_STACK_MAX && walk_on(&walk))
		if (n || !is_tracing(walk.state.pc))
			stack->caller[n++] = walk.state.pc + delta;

	hyp_trace_head(cpu, &stack->ent, TRACE_EXT_STACK);
	stack->size = n;
	while (n < TRACE_EXT_STACK_MIN)
		stack->caller[n++] = ULONG_MAX;
	ext_ring_write(stack, offsetof(struct trace_ext_stack, caller[n]), &cpu->user.ring, now);
}

/*
 * Have backtraces of this CPU show the real return addresses. It panics: none of its functions
 * that are hooked will return.
 */
void hyp_stack_unhook(struct hyp_trace_cpu *cpu)
{
	struct walk walk;

	walk_begin(&walk, cpu);
	while (walk_on(&walk))
		if (walk.hooked)
			*walk.pc = walk.state.pc;
}
