// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: calls of functions, and their returns.
 *
 * The hooks in hook.S call this from the beginning of any function of EL2 that is not
 * part of tracing. So whatever is called here has no hook, which a test checks
 * (tools/testing/selftests/hyp_trace/build/hooks).
 *
 * The records have addresses in the kernel: no address of EL2 leaves EL2.
 */

#include <nvhe/hyptrace.h>

#include <asm/hyptrace_functions.h>
#include <asm/tlbflush.h>

#include <nvhe/mm.h>
#include <nvhe/trap_handler.h>

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

/* In, and for, hook.S. */
extern const char hyp_hook_return[];
void hyp_function_called(u64 pc, u64 ret);
void hyp_function_stack_called(u64 pc, u64 ret);
u64 hyp_graph_called(u64 pc, u64 ret, u64 sp);
u64 hyp_graph_root_called(u64 pc, u64 ret, u64 sp);
u64 hyp_graph_not_called(u64 pc, u64 ret, u64 sp);
u64 hyp_graph_returns(u64 retval);

/* The first slot of a function whose hook returns to @pc. */
static u64 first_slot(u64 pc)
{
	return pc - 2 * AARCH64_INSN_SIZE;
}

/**
 * hyp_calls_depth() - get the number of functions that return to hyp_hook_return
 * @cpu:	this CPU
 *
 * Return: the number
 */
u64 hyp_calls_depth(const struct hyp_trace_cpu *cpu)
{
	return cpu->calls.depth;
}

/**
 * hyp_calls_return() - get where a function returns to after hyp_hook_return
 * @cpu:	this CPU
 * @depth:	number of functions that return to hyp_hook_return and have not been passed; those
 *		that are passed now are subtracted
 * @record:	where the function has its return address, in its frame; 0 if it has no frame
 * @ret:	its return address
 *
 * Return: @ret, or what hyp_hook_return replaces
 */
u64 hyp_calls_return(const struct hyp_trace_cpu *cpu, u64 *depth, u64 record, u64 ret)
{
	const struct hyp_call *call = cpu->calls.call;

	/* A function that calls none has no frame. */
	while (*depth && call[*depth - 1].sp <= record)
		--*depth;

	/* After a tail call, the function that was called returns there twice. */
	while (*depth && ret == (u64)hyp_hook_return)
		ret = call[--*depth].ret;

	return ret;
}

/*
 * As with events, the fast paths call nothing and need no stack frame. Where a page is full, a
 * tail call does it the slow way, which must not be taken while there is room.
 */
enum way {
	FAST,
	SLOW,
};

static __always_inline bool reserve(enum way way, struct hyp_trace_cpu *cpu, u64 now, u32 size,
				    struct ext_ring_reservation *resv)
{
	return way == FAST ? ext_ring_reserve(&cpu->user.ring, now, size, resv) :
			      ext_ring_reserve_slow(&cpu->user.ring, now, size, resv);
}

/* The function tracer ------------------------------------------------------- */

static __always_inline bool record_call(enum way way, struct hyp_trace_cpu *cpu, u64 now,
					u64 pc, u64 ret)
{
	struct ext_ring_reservation resv;
	struct trace_ext_function *record;
	u64 delta = READ_ONCE(hyp_text_to_kernel);

	if (!reserve(way, cpu, now, sizeof(*record), &resv))
		return false;

	record = resv.payload;
	hyp_trace_head(cpu, &record->ent, TRACE_EXT_FUNCTION);
	record->ip = first_slot(pc) + delta;
	record->parent_ip = hyp_is_text(ret) ? ret + delta : 0;
	ext_ring_commit(&resv);
	return true;
}

static noinline bool call_slow(u64 pc, u64 ret, struct hyp_trace_cpu *cpu, u64 now)
{
	u64 depth = cpu->calls.depth;

	/* The function that calls this one may have been hooked for a graph. */
	ret = hyp_calls_return(cpu, &depth, 0, ret);
	return record_call(FAST, cpu, now, pc, ret) || record_call(SLOW, cpu, now, pc, ret);
}

/**
 * hyp_function_called() - a function is called: record that
 * @pc:		where the function goes on
 * @ret:	where it returns to
 */
void hyp_function_called(u64 pc, u64 ret)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	u64 now;

	if (!hyp_event_id_read(HYP_EVENT_CALL))
		return;

	now = hyp_clock_now(&cpu->clock);
	if (unlikely(cpu->calls.depth) || !record_call(FAST, cpu, now, pc, ret))
		call_slow(pc, ret, cpu, now);
}

/**
 * hyp_function_stack_called() - as hyp_function_called(), with the stack
 * @pc:		where the function goes on
 * @ret:	where it returns to
 */
void hyp_function_stack_called(u64 pc, u64 ret)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	u64 now;

	if (!hyp_event_id_read(HYP_EVENT_CALL))
		return;

	now = hyp_clock_now(&cpu->clock);
	if (call_slow(pc, ret, cpu, now))
		hyp_stack_record(cpu, now);
}

/* The function_graph tracer: calls ------------------------------------------ */

/* After a change of what they depend on. */
static void special_update(struct hyp_calls *calls)
{
	calls->special = max3(calls->first, calls->root, calls->not);
}

/* The enum hyp_result of a function: see asm/hyptrace_functions.h. */
static __always_inline u64 result_kind(u64 pc)
{
	return IS_ENABLED(CONFIG_FUNCTION_GRAPH_RETVAL) ?
	       FIELD_GET(HYP_FUNCTION_RESULT, *(const u32 *)first_slot(pc)) : HYP_RESULT_NONE;
}

/* Push a function. It will return to hyp_hook_return. */
static __always_inline void push(struct hyp_calls *calls, u64 depth, u64 ret, u64 sp, u64 func,
				 u64 now)
{
	struct hyp_call *call = &calls->call[depth];

	call->ret = ret;
	call->func = func;
	call->start = now;
	call->sp = sp;
	calls->depth = depth + 1;
}

/* Record a call, and have the function return to hyp_hook_return. */
static __always_inline bool record_entry(enum way way, struct hyp_trace_cpu *cpu, u64 now,
					 u64 pc, u64 ret, u64 sp, u64 depth)
{
	struct ext_ring_reservation resv;
	struct trace_ext_graph_entry *record;
	u64 func = first_slot(pc) + READ_ONCE(hyp_text_to_kernel);

	if (!reserve(way, cpu, now, sizeof(*record), &resv))
		return false;

	push(&cpu->calls, depth, ret, sp, func | result_kind(pc), now);
	record = resv.payload;
	hyp_trace_head(cpu, &record->ent, TRACE_EXT_GRAPH_ENTRY);
	record->call.func = func;
	record->call.depth = depth;
	ext_ring_commit(&resv);
	return true;
}

/* If the entry is lost, so is the return. */
static noinline u64 entry_slow(u64 pc, u64 ret, u64 sp, struct hyp_trace_cpu *cpu, u64 now)
{
	u64 depth = cpu->calls.depth;

	return record_entry(FAST, cpu, now, pc, ret, sp, depth) ||
	       record_entry(SLOW, cpu, now, pc, ret, sp, depth) ? (u64)hyp_hook_return : ret;
}

/* True if a call is to be recorded, or begins what is not recorded. */
static bool is_wanted(struct hyp_calls *calls, enum trace_ext_hook hook)
{
	if (!hyp_event_id_read(HYP_EVENT_CALL) || calls->not)
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

	if (!hyp_event_id_read(HYP_EVENT_CALL))
		return ret;

	if (unlikely(depth >= READ_ONCE(hyp_functions.limit) || cpu->calls.not))
		return called_slow(pc, ret, sp, cpu);

	now = hyp_clock_now(&cpu->clock);
	if (record_entry(FAST, cpu, now, pc, ret, sp, depth))
		return (u64)hyp_hook_return;

	return entry_slow(pc, ret, sp, cpu, now);
}

/**
 * hyp_graph_root_called() - as hyp_graph_called(), and record what the function calls
 * @pc:		where the function goes on
 * @ret:	where it returns to
 * @sp:		its stack pointer
 *
 * Return: where it shall return to
 */
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
		special_update(calls);
	}

	return shall;
}

/**
 * hyp_graph_not_called() - record neither this function nor what it calls
 * @pc:		where the function goes on
 * @ret:	where it returns to
 * @sp:		its stack pointer
 *
 * Return: where it shall return to
 */
u64 hyp_graph_not_called(u64 pc, u64 ret, u64 sp)
{
	struct hyp_calls *calls = &this_cpu_ptr(&hyp_trace_cpu)->calls;

	if (!is_wanted(calls, TRACE_EXT_HOOK_GRAPH_NOT))
		return ret;

	push(calls, calls->depth, ret, sp, 0, 0);
	calls->not = calls->depth;
	special_update(calls);
	return (u64)hyp_hook_return;
}

/* The function_graph tracer: returns ----------------------------------------- */

/* A function without a result leaves anything in @retval; with a small one, in its upper bits. */
static __always_inline u64 result(const struct hyp_call *call, u64 retval)
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

static __always_inline bool record_return(enum way way, struct hyp_trace_cpu *cpu, u64 now,
					  const struct hyp_call *call, u64 depth, u64 result)
{
	u64 func = call->func & ~HYP_RESULT_KIND, start = call->start;
	struct ext_ring_reservation resv;
	struct trace_ext_graph_return *record;

	if (!reserve(way, cpu, now, sizeof(*record), &resv))
		return false;

	record = resv.payload;
	hyp_trace_head(cpu, &record->ent, TRACE_EXT_GRAPH_RETURN);
	record->ret.func = func;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	record->ret.retval = result;
#endif
	record->ret.depth = depth;
	record->ret.overrun = cpu->calls.overrun;
	record->ret.calltime = start;
	record->ret.rettime = now;
	record->calltime = start;
	record->rettime = now;
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
	special_update(calls);

	if (!recorded || !hyp_event_id_read(HYP_EVENT_RETURN))
		return call->ret;

	return return_slow(call, result(call, retval), cpu, hyp_clock_now(&cpu->clock));
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

	if (!hyp_event_id_read(HYP_EVENT_RETURN))
		return call->ret;

	now = hyp_clock_now(&cpu->clock);
	retval = result(call, retval);
	if (!record_return(FAST, cpu, now, call, depth, retval))
		return return_slow(call, retval, cpu, now);

	return call->ret;
}

/**
 * hyp_calls_end() - record the returns of all functions that have not returned, now
 * @cpu:	this CPU, whose ring is about to be closed
 */
void hyp_calls_end(struct hyp_trace_cpu *cpu)
{
	struct hyp_calls *calls = &cpu->calls;
	u64 depth = calls->depth;

	if (!hyp_event_id_read(HYP_EVENT_RETURN))
		return;

	while (depth-- > calls->first)
		if (calls->call[depth].func)
			return_slow(&calls->call[depth], TRACE_EXT_NO_RESULT, cpu,
				    hyp_clock_now(&cpu->clock));
	hyp_calls_forget(cpu);
}

/**
 * hyp_calls_forget() - do not record the returns of functions that have been called
 * @cpu:	a CPU that does not execute them, or this one; its ring is another one now
 */
void hyp_calls_forget(struct hyp_trace_cpu *cpu)
{
	cpu->calls.first = cpu->calls.depth;
	special_update(&cpu->calls);
}

/**
 * hyp_calls_reset() - no function will return
 * @cpu:	this CPU, which has come out of firmware at its entry point
 */
void hyp_calls_reset(struct hyp_trace_cpu *cpu)
{
	struct hyp_calls *calls = &cpu->calls;

	calls->overrun += calls->depth;
	calls->depth = 0;
	calls->root = 0;
	calls->not = 0;
	hyp_calls_forget(cpu);
}

/* Hypercalls --------------------------------------------------------------- */

/*
 * Write a function's second slot, through a mapping of its own: text is not writable where it
 * executes. Other CPUs may execute the slot, and may write it at the same time.
 */
static void set_slot(u64 first, enum trace_ext_hook hook)
{
	u64 slot = hyp_function_slot(first);
	void *page = hyp_fixmap_map(__hyp_pa(slot));
	u32 *insn = page + offset_in_page(slot);

	WRITE_ONCE(*insn, hyp_function_insn(first, hook));
	dcache_clean_inval_poc((u64)insn, (u64)(insn + 1));
	hyp_fixmap_unmap();
	/*
	 * QEMU 7.2 does not invalidate EL2's TLB by address if EL2 has VHE: the next function's
	 * slot would be written where this one is.
	 */
	if (has_hvhe()) {
		__tlbi(alle2is);
		dsb(ish);
		isb();
	}
	icache_inval_pou(slot, slot + AARCH64_INSN_SIZE);
}

void handle___hyp_trace_hook(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, index, host_ctxt, 1);
	DECLARE_REG(u64, hook, host_ctxt, 2);
	u64 nr = __stop_hyp_functions - __start_hyp_functions;
	int ret = -EINVAL;

	/* Without protection there is no such mapping, and the host writes EL2's text anyway. */
	if (!static_branch_unlikely(&kvm_protected_mode_initialized)) {
		ret = -EOPNOTSUPP;
	} else if (index < nr && hook < TRACE_EXT_NR_HOOKS) {
		ret = hook && hyp_trace_locked ? -EPERM : 0;
		if (!ret)
			set_slot(__start_hyp_functions[index], hook);
	}

	cpu_reg(host_ctxt, 1) = ret;
}

void handle___hyp_trace_functions(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, on, host_ctxt, 1);
	DECLARE_REG(u64, text, host_ctxt, 2);
	DECLARE_REG(u64, max_depth, host_ctxt, 3);
	DECLARE_REG(u64, roots, host_ctxt, 4);
	int ret = -EINVAL;

	if (on <= 1 && max_depth && max_depth <= FTRACE_RETFUNC_DEPTH && roots <= 1) {
		ret = on && hyp_trace_locked ? -EPERM : 0;
		if (!ret) {
			hyp_text_set(text);
			WRITE_ONCE(hyp_functions.max_depth, max_depth);
			WRITE_ONCE(hyp_functions.roots, roots);
			WRITE_ONCE(hyp_functions.limit, roots ? 0 : max_depth);
			hyp_trace_set_functions(on);
		}
	}

	cpu_reg(host_ctxt, 1) = ret;
}
