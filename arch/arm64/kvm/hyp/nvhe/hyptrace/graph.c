// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: the function_graph tracer, and the settings of both tracers of functions. See
 * function.h for what this must not call.
 */

#include <nvhe/hyptrace/function.h>

#include <linux/bitfield.h>

#include <asm/hyptrace_functions.h>

/**
 * struct hyp_functions - the host's settings
 * @limit:	@max_depth, or 0 if there are @roots
 * @max_depth:	functions that are this deep are not recorded, FTRACE_RETFUNC_DEPTH at most
 * @roots:	only what roots call is recorded
 */
static struct hyp_functions {
	u64	limit;
	u64	max_depth;
	bool	roots;
} hyp_functions;

/* Calls ------------------------------------------------------------------------- */

/* The enum hyp_result of a function: see asm/hyptrace_functions.h. */
static __always_inline u64 result_kind(u64 pc)
{
	if (!IS_ENABLED(CONFIG_FUNCTION_GRAPH_RETVAL))
		return HYP_RESULT_NONE;

	return FIELD_GET(HYP_FUNCTION_RESULT, *(const u32 *)hyp_function_first(pc));
}

/* Push a function. It will return to hyp_hook_return. */
static __always_inline void push_call(struct hyp_calls *calls, u64 depth, u64 ret, u64 sp,
				      u64 func, u64 now)
{
	struct hyp_call *call = &calls->call[depth];

	call->ret = ret;
	call->func = func;
	call->start = now;
	call->sp = sp;
	calls->depth = depth + 1;
}

/* hyp_text_set() sees to it that the host does not choose these bits of an address. */
static_assert(HYP_RESULT_KIND < AARCH64_INSN_SIZE);

/* Record a call, and have the function return to hyp_hook_return. */
static __always_inline bool record_entry(enum hyp_way way, struct hyp_trace_cpu *cpu, u64 now,
					 u64 pc, u64 ret, u64 sp, u64 depth)
{
	struct ext_ring_reservation resv;
	struct trace_ext_graph_entry *record;
	u64 func = hyp_function_first(pc) + READ_ONCE(hyp_text_to_kernel);

	if (!hyp_function_reserve(way, cpu, now, sizeof(*record), &resv))
		return false;

	push_call(&cpu->calls, depth, ret, sp, func | result_kind(pc), now);
	record = resv.payload;
	hyp_trace_head(cpu, &record->ent, TRACE_EXT_GRAPH_ENTRY);
	record->call.func = func;
	record->call.depth = depth;
	trace_ext_graph_entry_rest(record);
	ext_ring_commit(&resv);
	return true;
}

/* If the entry is lost, so is the return. */
static noinline u64 entry_slow(u64 pc, u64 ret, u64 sp, struct hyp_trace_cpu *cpu, u64 now)
{
	u64 depth = cpu->calls.depth;

	return record_entry(FAST, cpu, now, pc, ret, sp, depth) ||
	       record_entry(SLOW, cpu, now, pc, ret, sp, depth) ? hyp_hook_return_address : ret;
}

/* True if a call is to be recorded, or begins what is not recorded. */
static bool is_wanted(struct hyp_calls *calls, enum trace_ext_hook hook)
{
	if (!hyp_word_read(HYP_EVENT_CALL) || calls->not)
		return false;

	if (hook != TRACE_EXT_HOOK_GRAPH_ROOT && !calls->root && READ_ONCE(hyp_functions.roots))
		return false;

	if (calls->depth < READ_ONCE(hyp_functions.max_depth))
		return true;

	calls->overrun += calls->depth == FTRACE_RETFUNC_DEPTH;
	return false;
}

/* With roots, or too deep, or within what is not recorded. */
static noinline u64 called_slow(u64 pc, u64 ret, u64 sp, struct hyp_trace_cpu *cpu)
{
	if (!is_wanted(&cpu->calls, TRACE_EXT_HOOK_GRAPH))
		return ret;

	return entry_slow(pc, ret, sp, cpu, hyp_clock_now(&cpu->clock));
}

/**
 * hyp_graph_called() - a function is called: record that, and that it returns
 * @pc:		where the function goes on
 * @ret:	where it returns to
 * @sp:		its stack pointer
 *
 * Return: where it shall return to
 */
u64 hyp_graph_called(u64 pc, u64 ret, u64 sp)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	u64 depth = cpu->calls.depth, now;

	if (!hyp_word_read(HYP_EVENT_CALL))
		return ret;

	if (unlikely(depth >= READ_ONCE(hyp_functions.limit) || cpu->calls.not))
		return called_slow(pc, ret, sp, cpu);

	now = hyp_clock_now(&cpu->clock);
	if (record_entry(FAST, cpu, now, pc, ret, sp, depth))
		return hyp_hook_return_address;

	return entry_slow(pc, ret, sp, cpu, now);
}

/* As hyp_graph_called(), and record what the function calls. */
u64 hyp_graph_root_called(u64 pc, u64 ret, u64 sp)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	struct hyp_calls *calls = &cpu->calls;
	u64 depth = calls->depth, shall;

	if (!is_wanted(calls, TRACE_EXT_HOOK_GRAPH_ROOT))
		return ret;

	shall = entry_slow(pc, ret, sp, cpu, hyp_clock_now(&cpu->clock));
	if (calls->depth > depth && !calls->root) {
		calls->root = calls->depth;
		hyp_calls_special_update(calls);
	}

	return shall;
}

/* As hyp_graph_called(), but record neither this function nor what it calls. */
u64 hyp_graph_not_called(u64 pc, u64 ret, u64 sp)
{
	struct hyp_calls *calls = &this_cpu_ptr(&hyp_trace_cpu)->calls;

	if (!is_wanted(calls, TRACE_EXT_HOOK_GRAPH_NOT))
		return ret;

	push_call(calls, calls->depth, ret, sp, 0, 0);
	calls->not = calls->depth;
	hyp_calls_special_update(calls);
	return hyp_hook_return_address;
}

/* Returns ----------------------------------------------------------------------- */

/* Bits of @retval that are no part of the function's result may be anything, a secret included. */
static __always_inline u64 call_result(const struct hyp_call *call, u64 retval)
{
	switch (call->func & HYP_RESULT_KIND) {
	case HYP_RESULT_BOOL:
		return retval & 1;
	case HYP_RESULT_INT:
		return (s32)retval;
	default:
		return TRACE_EXT_NO_RESULT;
	}
}

static __always_inline bool record_return(enum hyp_way way, struct hyp_trace_cpu *cpu, u64 now,
					  const struct hyp_call *call, u64 depth, u64 result)
{
	u64 func = call->func & ~HYP_RESULT_KIND, start = call->start;
	struct ext_ring_reservation resv;
	struct trace_ext_graph_return *record;

	if (!hyp_function_reserve(way, cpu, now, sizeof(*record), &resv))
		return false;

	record = resv.payload;
	hyp_trace_head(cpu, &record->ent, TRACE_EXT_GRAPH_RETURN);
	record->ret.func = func;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	record->ret.retval = result;
#endif
	record->ret.depth = depth;
	record->ret.overrun = cpu->calls.overrun;
	trace_ext_graph_times(record, start, now);
	ext_ring_commit(&resv);
	return true;
}

static noinline u64 return_slow(const struct hyp_call *call, u64 result,
				struct hyp_trace_cpu *cpu, u64 now)
{
	u64 depth = call - cpu->calls.call;

	if (!record_return(FAST, cpu, now, call, depth, result))
		record_return(SLOW, cpu, now, call, depth, result);

	return call->ret;
}

/* The function at this depth returns: a root, or one that is not recorded. */
static noinline u64 return_special(const struct hyp_call *call, u64 retval,
				   struct hyp_trace_cpu *cpu)
{
	struct hyp_calls *calls = &cpu->calls;
	u64 depth = calls->depth;
	bool recorded = call->func && depth >= calls->first;

	calls->first = min(calls->first, depth);
	if (calls->root > depth)
		calls->root = 0;
	if (calls->not > depth)
		calls->not = 0;
	hyp_calls_special_update(calls);

	if (!recorded || !hyp_word_read(HYP_EVENT_RETURN))
		return call->ret;

	return return_slow(call, call_result(call, retval), cpu, hyp_clock_now(&cpu->clock));
}

/**
 * hyp_graph_returns() - a function has returned to hyp_hook_return
 * @retval:	its result, if it has one
 *
 * Return: where it returns to
 */
u64 hyp_graph_returns(u64 retval)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	u64 depth = cpu->calls.depth - 1, now;
	const struct hyp_call *call = &cpu->calls.call[depth];

	/* hyp_hook_return is the return address of what was pushed only. There is no way on. */
	if (unlikely(depth >= FTRACE_RETFUNC_DEPTH))
		hyp_panic();
	/* Have one register point to it. */
	OPTIMIZER_HIDE_VAR(call);

	cpu->calls.depth = depth;
	if (unlikely(depth < cpu->calls.special))
		return return_special(call, retval, cpu);

	if (!hyp_word_read(HYP_EVENT_RETURN))
		return call->ret;

	now = hyp_clock_now(&cpu->clock);
	retval = call_result(call, retval);
	if (!record_return(FAST, cpu, now, call, depth, retval))
		return return_slow(call, retval, cpu, now);

	return call->ret;
}

/*
 * Record the returns of functions that have not returned: nothing more of this hypercall may be
 * recorded in the user's ring.
 */
void hyp_graph_end(struct hyp_trace_cpu *cpu)
{
	struct hyp_calls *calls = &cpu->calls;
	u64 depth = calls->depth;

	if (!hyp_word_read(HYP_EVENT_RETURN))
		return;

	while (depth-- > calls->first)
		if (calls->call[depth].func)
			return_slow(&calls->call[depth], TRACE_EXT_NO_RESULT, cpu,
				    hyp_clock_now(&cpu->clock));
	hyp_calls_forget(cpu);
}

/* Settings ---------------------------------------------------------------------- */

s64 handle___hyp_trace_functions(u64 on, u64 text, u64 max_depth, u64 roots)
{
	if (!max_depth)
		return -EINVAL;

	hyp_text_set(text);
	WRITE_ONCE(hyp_functions.max_depth, max_depth);
	WRITE_ONCE(hyp_functions.roots, roots);
	WRITE_ONCE(hyp_functions.limit, roots ? 0 : max_depth);
	hyp_trace_set_functions(on);
	return 0;
}
