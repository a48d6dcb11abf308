// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of stack traces of EL2: they are what EL2 has called, also where a hook has replaced a
 * return address. EL2 calls the functions of arch/arm64/kvm/hyp/nvhe/hyptrace/function_test.c.
 */

#include "../tracefs/hyp_suite.h"
#include "hyp_symbols.h"

#define MAX_STACK	16	/* TRACE_EXT_STACK_MAX */
#define EVENT		HYP "events/hyp/selftest/"

/* Stacks as they were recorded -------------------------------------------------------- */

static struct {
	int	event, call, stack;	/* types */
	int	size, caller;		/* of a stack: offsets in the payload */
} record;

static int offset_of(const char *field)
{
	return get_num(HYP "events/ftrace/kernel_stack/format",
		       path_of(" %s;\toffset:", field)) - 8;
}

static void read_formats(void)
{
	record.event = event_id("selftest");
	record.call = get_num(HYP "events/ftrace/function/format", "ID: ");
	record.stack = get_num(HYP "events/ftrace/kernel_stack/format", "ID: ");
	record.size = offset_of("size");
	record.caller = offset_of("caller[8]");
}

/* What a CPU's ring has, and the last stack. */
struct stacks {
	int		events;		/* selftest, or calls of functions */
	int		stacks;
	int		with_stack;	/* events that have a stack right behind them */
	int		errors;
	uint64_t	ids;		/* a bit for each id, below 64, that has a stack */
	const char	*name[MAX_STACK];
	int		depth;

	uint64_t	last_id;
	uint64_t	last_ts;
	bool		was_event;
};

static void take_stack(struct stacks *s, const struct event *e)
{
	const struct symbol *symbol;
	uint64_t caller;
	int i;

	memcpy(&s->depth, e->payload + record.size, sizeof(s->depth));
	s->stacks++;
	if (s->was_event && e->ts == s->last_ts) {
		s->with_stack++;
		s->ids |= 1ULL << s->last_id % 64;
	}
	if (s->depth < 1 || s->depth > MAX_STACK ||
	    record.caller + s->depth * sizeof(caller) > e->size) {
		s->errors++;
		return;
	}
	for (i = 0; i < s->depth; i++) {
		memcpy(&caller, e->payload + record.caller + i * sizeof(caller), sizeof(caller));
		symbol = symbol_of(caller);
		s->errors += !symbol;
		s->name[i] = symbol ? symbol->name : "?";
	}
	/* The last one is followed by ULONG_MAX, or by nothing. */
	caller = -1;
	if (record.caller + i * sizeof(caller) < e->size)
		memcpy(&caller, e->payload + record.caller + i * sizeof(caller), sizeof(caller));
	s->errors += caller != (uint64_t)-1;
}

static void take(void *data, const struct event *e)
{
	struct stacks *s = data;

	if (e->type == record.stack)
		take_stack(s, e);
	s->was_event = e->type == record.event || e->type == record.call;
	s->events += s->was_event;
	s->last_id = payload_u64(e);
	s->last_ts = e->ts;
}

/* Turn tracing off, and read what CPU 0 has recorded. */
static struct stacks stacks_of_cpu0(void)
{
	struct stacks s = { };

	if (put(HYP "tracing_on", "0") || read_raw(0, take, &s) < 0)
		s.errors++;
	if (s.errors)
		printf("# %d errors in %d stacks\n", s.errors, s.stacks);
	return s;
}

/* Does the last stack begin with these functions? The last one is "". */
static bool begins_with(const struct stacks *s, const char * const *name)
{
	int i, equal;

	for (i = 0; *name[i]; i++) {
		equal = i < s->depth && !strcmp(s->name[i], name[i]);
		if (!equal) {
			printf("# %d: %s, should be %s\n", i, i < s->depth ? s->name[i] : "(end)",
			       name[i]);
			return false;
		}
	}
	return true;
}

/* Is the last stack @depth + 1 times hyp_test_recurse(), below the handler of the hypercall? */
static bool is_recursion(const struct stacks *s, int depth)
{
	const char *name[MAX_STACK + 1];
	int i;

	for (i = 0; i <= depth && i < MAX_STACK; i++)
		name[i] = "hyp_test_recurse";
	if (i < MAX_STACK)
		name[i++] = "handle___hyp_trace_test";
	name[i] = "";
	return begins_with(s, name);
}

/* What CPU 0 records while EL2 calls hyp_test_recurse(). */
static struct stacks stacks_of_recursion(int depth)
{
	int ret = put(HYP "tracing_on", "1") ?: write_test(HYP_TRACE_TEST_RECURSE, depth);
	struct stacks s = stacks_of_cpu0();

	s.errors += !!ret;
	return s;
}

/* The fixture --------------------------------------------------------------------------- */

FIXTURE(stack) {
};

static void clean_up(void)
{
	put(HYP "tracing_on", "0");
	put(EVENT "trigger", "!stacktrace");
	put(EVENT "trigger", "!traceoff");
	put(EVENT "filter", "0");
	put(HYP "options/stacktrace", "0");
	put(HYP "events/enable", "0");
	put(HYP "options/overwrite", "1");
	put(HYP "error_log", "");
	if (exists(HYP "set_ftrace_filter")) {
		put(HYP "options/func_stack_trace", "0");
		put(HYP "current_tracer", "nop");
		put(HYP "set_ftrace_filter", "");
	}
	set_size_kb(256);
	put(HYP "trace", "");
}

FIXTURE_SETUP(stack)
{
	read_symbols();
	read_formats();
	clean_up();
	ASSERT_EQ(0, run_on(0));
	ASSERT_LT(0, nr_symbols);
	ASSERT_EQ(0, put(EVENT "enable", "1"));
}

FIXTURE_TEARDOWN(stack)
{
	clean_up();
}

/* options/stacktrace ---------------------------------------------------------------------- */

TEST_F(stack, each_event_has_the_stack_behind_it)
{
	struct stacks s;
	int depth;

	ASSERT_EQ(0, put(HYP "options/stacktrace", "1"));
	for (depth = 0; depth < MAX_STACK + 4; depth++) {
		s = stacks_of_recursion(depth);
		EXPECT_EQ(0, s.errors);
		EXPECT_EQ(1, s.events);
		EXPECT_EQ(1, s.with_stack);
		EXPECT_TRUE(is_recursion(&s, depth));
		if (depth >= MAX_STACK)
			EXPECT_EQ(MAX_STACK, s.depth);
	}
}

TEST_F(stack, without_the_option_there_are_none)
{
	struct stacks s;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 10));
	s = stacks_of_cpu0();
	EXPECT_EQ(10, s.events);
	EXPECT_EQ(0, s.stacks);
}

/* Events of all kinds, from all of EL2: a guest runs. */
TEST_F(stack, all_events_have_stacks)
{
	struct stacks s;

	ASSERT_EQ(0, put(HYP "events/hyp/enable", "1"));
	ASSERT_EQ(0, put(HYP "options/stacktrace", "1"));
	ASSERT_EQ(0, set_size_kb(8192));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_LT(0, run_guest(20, NULL));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	s = stacks_of_cpu0();
	EXPECT_EQ(0, s.errors);
	EXPECT_LT(100, s.stacks);
	EXPECT_EQ(stat_of(0, "overrun:"), 0);
}

TEST_F(stack, what_a_filter_does_not_let_pass_has_none)
{
	struct stacks s;

	ASSERT_EQ(0, put(HYP "options/stacktrace", "1"));
	ASSERT_EQ(0, put(EVENT "filter", "id == 3 || id == 5"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 10));
	s = stacks_of_cpu0();
	EXPECT_EQ(0, s.errors);
	EXPECT_EQ(2, s.stacks);
	EXPECT_EQ(1 << 3 | 1 << 5, s.ids);
}

TEST_F(stack, text_names_the_functions)
{
	char *text;

	ASSERT_EQ(0, put(HYP "options/stacktrace", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_RECURSE, 2));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	text = get(HYP "trace");
	EXPECT_EQ(1, count_of(text, "<stack trace>\n => " PREFIX "hyp_test_recurse\n"));
	EXPECT_EQ(3, count_of(text, " => " PREFIX "hyp_test_recurse\n"));
	EXPECT_EQ(1, count_of(text, " => " PREFIX "handle___hyp_trace_test\n"));
	free(text);
}

/* A full buffer that drops the newest events drops no event and keeps its stack. */
TEST_F(stack, a_stack_is_recorded_after_its_event_or_not_at_all)
{
	struct stacks s;

	ASSERT_EQ(0, put(HYP "options/overwrite", "0"));
	ASSERT_EQ(0, put(HYP "options/stacktrace", "1"));
	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, MANY));
	s = stacks_of_cpu0();
	EXPECT_EQ(0, s.errors);
	EXPECT_LT(0, s.with_stack);
	EXPECT_EQ(s.stacks, s.with_stack);
}

/* The trigger -------------------------------------------------------------------------- */

TEST_F(stack, a_trigger_records_some)
{
	struct stacks s;

	ASSERT_EQ(0, append(EVENT "trigger", "stacktrace:2 if id > 6"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 7));
	EXPECT_EQ(1, count_in(EVENT "trigger", "stacktrace:count=1 if id > 6"));
	ASSERT_EQ(0, emit(8, 20));
	s = stacks_of_cpu0();
	EXPECT_EQ(0, s.errors);
	EXPECT_EQ(20, s.events);
	EXPECT_EQ(2, s.with_stack);
	EXPECT_EQ(1 << 7 | 1 << 8, s.ids);
	EXPECT_EQ(1, count_in(EVENT "trigger", "stacktrace:count=0 if id > 6"));

	ASSERT_EQ(0, put(EVENT "trigger", "!stacktrace"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 20));
	s = stacks_of_cpu0();
	EXPECT_EQ(20, s.events);
	EXPECT_EQ(0, s.stacks);
}

/* As in ftrace. But nothing is recorded while tracing is off. */
TEST_F(stack, a_trigger_needs_no_enabled_event)
{
	struct stacks s;

	ASSERT_EQ(0, put(EVENT "enable", "0"));
	ASSERT_EQ(0, append(EVENT "trigger", "stacktrace"));
	ASSERT_EQ(0, emit(1, 5));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 3));
	s = stacks_of_cpu0();
	EXPECT_EQ(0, s.errors);
	EXPECT_EQ(0, s.events);
	EXPECT_EQ(3, s.stacks);
}

/* The last thing that is recorded is the stack of the event that stops recording. */
TEST_F(stack, an_event_may_stop_recording_and_have_its_stack_recorded)
{
	struct stacks s;

	ASSERT_EQ(0, append(EVENT "trigger", "traceoff if id == 7"));
	ASSERT_EQ(0, append(EVENT "trigger", "stacktrace if id == 7"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 20));
	EXPECT_EQ(0, get_num(HYP "tracing_on", ""));
	s = stacks_of_cpu0();
	EXPECT_EQ(7, s.events);
	EXPECT_EQ(1, s.with_stack);
	EXPECT_EQ(1 << 7, s.ids);

	/* They go one by one. */
	ASSERT_EQ(0, put(EVENT "trigger", "!traceoff if id == 7"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 20));
	s = stacks_of_cpu0();
	EXPECT_EQ(20, s.events);
	EXPECT_EQ(1, s.with_stack);
}

/* Functions ------------------------------------------------------------------------------ */

TEST_F(stack, return_addresses_that_are_hooked_are_the_real_ones)
{
	struct stacks s;
	int depth;

	if (!exists(HYP "set_ftrace_filter"))
		SKIP(return, "this kernel does not trace EL2's functions");

	ASSERT_EQ(0, put(HYP "options/stacktrace", "1"));
	ASSERT_EQ(0, put(HYP "current_tracer", "function_graph"));
	for (depth = 0; depth < MAX_STACK + 4; depth++) {
		s = stacks_of_recursion(depth);
		EXPECT_EQ(0, s.errors);
		EXPECT_EQ(1, s.with_stack);
		EXPECT_TRUE(is_recursion(&s, depth));
	}

	/* Some are hooked, and some are not. */
	ASSERT_EQ(0, put(HYP "set_ftrace_filter", "handle_*"));
	s = stacks_of_recursion(3);
	EXPECT_EQ(0, s.errors);
	EXPECT_TRUE(is_recursion(&s, 3));
}

TEST_F(stack, calls_of_functions_have_stacks)
{
	static const char * const leaf[] = {
		"hyp_test_leaf", "hyp_test_branch", "hyp_test_tree", "handle___hyp_trace_test", "",
	};
	struct stacks s;

	if (!exists(HYP "set_ftrace_filter"))
		SKIP(return, "this kernel does not trace EL2's functions");

	ASSERT_EQ(0, put(HYP "set_ftrace_filter", "hyp_test_leaf"));
	ASSERT_EQ(0, put(HYP "current_tracer", "function"));
	ASSERT_EQ(0, put(HYP "options/func_stack_trace", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_TREE, 10));
	s = stacks_of_cpu0();
	EXPECT_EQ(0, s.errors);
	EXPECT_EQ(10 * 4, s.events);
	EXPECT_EQ(10 * 4, s.with_stack);
	EXPECT_TRUE(begins_with(&s, leaf));

	ASSERT_EQ(0, put(HYP "options/func_stack_trace", "0"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_TREE, 10));
	s = stacks_of_cpu0();
	EXPECT_EQ(10 * 4, s.events);
	EXPECT_EQ(0, s.stacks);
}

/* The stack that it is all about ------------------------------------------------------------- */

#define SPARE	1024	/* bytes: build/stack computes that there are more */

/* EL2's stack is a page. All that can be hooked is, and each event has its stack. */
TEST_F(stack, el2_has_room_on_its_stack)
{
	int cpus = nr_cpus(), cpu;

	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(0, run_on(cpu));
		ASSERT_EQ(0, write_test(HYP_TRACE_TEST_STACK, 0));
		EXPECT_EQ(0, write_test(HYP_TRACE_TEST_STACK, SPARE));
		/* What is used is seen. */
		EXPECT_EQ(-ENOSPC, write_test(HYP_TRACE_TEST_STACK, page_size()));
	}

	ASSERT_EQ(0, put(HYP "events/hyp/enable", "1"));
	ASSERT_EQ(0, put(HYP "options/stacktrace", "1"));
	if (exists(HYP "set_ftrace_filter"))
		ASSERT_EQ(0, put(HYP "current_tracer", "function_graph"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(0, run_on(cpu));
		ASSERT_LT(0, run_guest(100, NULL));
		ASSERT_EQ(0, emit(1, 100));
	}
	if (cpus > 1) {
		ASSERT_EQ(0, set_online(cpus - 1, false));
		ASSERT_EQ(0, set_online(cpus - 1, true));
	}
	/* A ring is taken from EL2, and given to it. */
	ASSERT_EQ(0, set_size_kb(512));

	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(0, run_on(cpu));
		EXPECT_EQ(0, write_test(HYP_TRACE_TEST_STACK, SPARE));
	}
	ASSERT_EQ(0, run_on(0));
}

TEST_HARNESS_MAIN
