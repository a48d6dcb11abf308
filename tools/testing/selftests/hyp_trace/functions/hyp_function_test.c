// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the tracers of EL2's functions: what they show is what EL2 has called, to the call.
 * EL2 calls the tree of arch/arm64/kvm/hyp/nvhe/hyptrace/function_test.c.
 */

#include "../hyp_names.h"
#include "../tracefs/hyp_suite.h"
#include "hyp_symbols.h"

#define MAX_DEPTH	50		/* FTRACE_RETFUNC_DEPTH */
#define NO_RESULT	0x8000000000000000	/* TRACE_EXT_NO_RESULT */

/* The functions of the tree, by the order in which they are called. */
static const struct node {
	int		depth;
	const char	*name;
	const char	*parent;
} tree[] = {
	{ 0, "hyp_test_tree", "handle___hyp_trace_test" },
	{ 1, "hyp_test_branch", "hyp_test_tree" },
	{ 2, "hyp_test_leaf", "hyp_test_branch" },
	{ 2, "hyp_test_leaf", "hyp_test_branch" },
	{ 1, "hyp_test_branch", "hyp_test_tree" },
	{ 2, "hyp_test_leaf", "hyp_test_branch" },
	{ 2, "hyp_test_leaf", "hyp_test_branch" },
	{ 1, "hyp_test_small", "hyp_test_tree" },
	{ 1, "hyp_test_long_error", "hyp_test_tree" },
	{ 1, "hyp_test_int_error", "hyp_test_tree" },
	{ 1, "hyp_test_address", "hyp_test_tree" },
};

#define NODES	ARRAY_SIZE(tree)

/* The function whose first instructions are at an address. */
static const char *name_at(uint64_t address)
{
	const struct symbol *symbol = symbol_of(address);

	return symbol && address - symbol->address <= 4 ? symbol->name : "?";
}

/* Records -------------------------------------------------------------------------- */

/* The offset of a field in a record's payload; -1 if there is none. */
static int offset_of(const char *record, const char *field)
{
	long long offset = get_num(path_of(HYP "events/ftrace/%s/format", record),
				   path_of(" %s;\toffset:", field));

	return offset < 0 ? -1 : offset - 8;
}

static struct {
	int	call, entry, exit;			/* types */
	int	retval, depth, overrun, calltime, rettime;	/* of an exit */
} record;

static void read_formats(void)
{
	record.call = get_num(HYP "events/ftrace/function/format", "ID: ");
	record.entry = get_num(HYP "events/ftrace/funcgraph_entry/format", "ID: ");
	record.exit = get_num(HYP "events/ftrace/funcgraph_exit/format", "ID: ");
	record.retval = offset_of("funcgraph_exit", "retval");
	record.depth = offset_of("funcgraph_exit", "depth");
	record.overrun = offset_of("funcgraph_exit", "overrun");
	record.calltime = offset_of("funcgraph_exit", "calltime");
	record.rettime = offset_of("funcgraph_exit", "rettime");
}

static uint64_t u64_at(const struct event *e, int offset)
{
	uint64_t value;

	memcpy(&value, e->payload + offset, sizeof(value));
	return value;
}

static uint32_t u32_at(const struct event *e, int offset)
{
	uint32_t value;

	memcpy(&value, e->payload + offset, sizeof(value));
	return value;
}

/* A walk through the calls of a CPU. */
struct walk {
	struct {
		uint64_t	func;
		uint64_t	ts;
	} call[MAX_DEPTH];
	unsigned int	depth;
	unsigned int	errors;
	unsigned int	entries;
	unsigned int	trees;		/* entries of hyp_test_tree() */
	unsigned int	nodes;		/* entries of the tree at their places */
	unsigned int	at;		/* the next one */
	int		base;		/* depth of the last hyp_test_tree() */
	uint64_t	lost;
	uint32_t	overrun;
};

static void error(struct walk *w, const struct event *e, const char *what)
{
	if (!w->errors++)
		printf("# %s: %s, depth %u, at %u\n", what, name_at(payload_u64(e)), w->depth,
		       w->at);
}

static void walk_tree(struct walk *w, const char *name)
{
	if (!strcmp(name, tree[0].name)) {
		w->trees++;
		w->at = 0;
		w->base = w->depth;
	}
	if (w->at < NODES && !strcmp(name, tree[w->at].name) &&
	    w->depth == w->base + tree[w->at].depth) {
		w->nodes++;
		w->at++;
	}
}

static void walk_entry(struct walk *w, const struct event *e)
{
	if (e->size < 12 || u32_at(e, 8) != w->depth || w->depth >= MAX_DEPTH) {
		error(w, e, "entry");
		return;
	}
	w->entries++;
	walk_tree(w, name_at(payload_u64(e)));
	w->call[w->depth].func = payload_u64(e);
	w->call[w->depth++].ts = e->ts;
}

static void walk_exit(struct walk *w, const struct event *e)
{
	if (!w->depth || e->size < record.rettime + 8 || u32_at(e, record.depth) != w->depth - 1) {
		error(w, e, "exit");
		return;
	}
	w->depth--;
	w->overrun = u32_at(e, record.overrun);
	if (payload_u64(e) != w->call[w->depth].func)
		error(w, e, "exit of another function");
	if (u64_at(e, record.calltime) != w->call[w->depth].ts ||
	    u64_at(e, record.rettime) != e->ts)
		error(w, e, "exit at another time");
}

static void walk(void *data, const struct event *e)
{
	struct walk *w = data;

	w->lost += e->lost;
	if (e->type == record.entry)
		walk_entry(w, e);
	else if (e->type == record.exit)
		walk_exit(w, e);
}

static struct walk walk_cpu(int cpu)
{
	struct walk w = { };

	if (read_raw(cpu, walk, &w) < 0)
		w.errors++;
	return w;
}

/* Each entry has its exit, and nothing was lost. */
#define EXPECT_COMPLETE(w)						\
	do {								\
		EXPECT_EQ(0, (w).errors);				\
		EXPECT_EQ(0, (w).depth);				\
		EXPECT_EQ(0, (w).lost);					\
	} while (0)

/* The fixture ---------------------------------------------------------------------- */

FIXTURE(function) {
	int cpus;
};

static const char * const choices[] = {
	"set_ftrace_filter", "set_ftrace_notrace", "set_graph_function", "set_graph_notrace",
};

static void clean_up(int cpus)
{
	int i;

	for (i = 1; i < cpus; i++)
		set_online(i, true);
	put(HYP "tracing_on", "0");
	put(HYP "events/enable", "0");
	put(HYP "current_tracer", "nop");
	for (i = 0; i < ARRAY_SIZE(choices); i++)
		put(path_of(HYP "%s", choices[i]), "");
	put(HYP "max_graph_depth", "0");
	put(HYP "options/overwrite", "1");
	put(HYP "error_log", "");
	set_size_kb(256);
	put(HYP "trace", "");
}

FIXTURE_SETUP(function)
{
	self->cpus = nr_cpus();
	if (!exists(HYP "available_filter_functions"))
		SKIP(return, "this kernel does not trace EL2's functions");
	read_symbols();
	read_formats();
	clean_up(self->cpus);
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_TEXT, 0));
}

FIXTURE_TEARDOWN(function)
{
	clean_up(self->cpus);
	/* No hook is left. */
	EXPECT_EQ(0, write_test(HYP_TRACE_TEST_TEXT, 1));
}

static int trace_with(const char *tracer)
{
	return put(HYP "current_tracer", tracer) ?: put(HYP "tracing_on", "1");
}

/* Record @trees trees on this CPU by a tracer, and walk through them. */
static struct walk walk_of_trees(int trees)
{
	struct walk w = { .errors = 1 };

	if (!put(HYP "trace", "") && !put(HYP "tracing_on", "1") &&
	    !write_test(HYP_TRACE_TEST_TREE, trees) && !put(HYP "tracing_on", "0"))
		w = walk_cpu(0);
	return w;
}

static bool file_is(const char *file, const char *text)
{
	char *is = get(path_of(HYP "%s", file));
	bool equal = !strcmp(is, text);

	if (!equal)
		printf("# %s is:\n%s", file, is);
	free(is);
	return equal;
}

static bool file_has(const char *file, const char *text)
{
	char *is = get(path_of(HYP "%s", file));
	bool has = strstr(is, text);

	if (!has)
		printf("# %s has no \"%s\":\n%s", file, text, is);
	free(is);
	return has;
}

/* Files ---------------------------------------------------------------------------- */

TEST_F(function, tracers_are_those_of_the_instance)
{
	char *root = get(ROOT "current_tracer"), *after;

	EXPECT_TRUE(file_is("available_tracers", "function_graph function nop\n"));
	EXPECT_TRUE(file_is("current_tracer", "nop\n"));
	EXPECT_EQ(-EINVAL, put(HYP "current_tracer", "irqsoff"));
	EXPECT_EQ(-EINVAL, put(HYP "current_tracer", "blk"));
	EXPECT_EQ(0, put(HYP "current_tracer", "function"));
	EXPECT_TRUE(file_is("current_tracer", "function\n"));
	EXPECT_EQ(-EBADMSG, write_test(HYP_TRACE_TEST_TEXT, 1));
	EXPECT_EQ(0, put(HYP "current_tracer", "function_graph"));
	EXPECT_TRUE(file_is("current_tracer", "function_graph\n"));
	/* The kernel's own is another one. */
	after = get(ROOT "current_tracer");
	EXPECT_STREQ(root, after);
	EXPECT_EQ(0, put(HYP "options/funcgraph-cpu", "0"));
	EXPECT_EQ(1, get_num(ROOT "options/funcgraph-cpu", ""));
	EXPECT_EQ(0, put(HYP "options/funcgraph-cpu", "1"));
	free(root);
	free(after);
}

TEST_F(function, all_functions_have_a_name)
{
	char *names = get(HYP "available_filter_functions"), *name;
	int functions = 0;

	for (name = strtok(names, "\n"); name; name = strtok(NULL, "\n")) {
		EXPECT_TRUE(strstr(name, PREFIX) == name);
		functions++;
	}
	free(names);
	EXPECT_LT(200, functions);
	/* What must not have a hook, and what this kernel's ftrace has. */
	EXPECT_EQ(-EINVAL, append(HYP "set_ftrace_filter", "hyp_graph_called "));
	EXPECT_EQ(-EINVAL, append(HYP "set_ftrace_filter", "kvm_unexpected_el2_exception "));
	EXPECT_EQ(-EINVAL, append(HYP "set_ftrace_filter", "vfs_read "));
	EXPECT_EQ(-EINVAL, append(ROOT "set_ftrace_filter", PREFIX "handle_trap "));
	EXPECT_EQ(-EINVAL, append(ROOT "set_ftrace_filter", PREFIX "* "));
}

TEST_F(function, functions_are_chosen_by_name)
{
	char line[200];

	EXPECT_TRUE(file_is("set_ftrace_filter", "#### all functions enabled ####\n"));
	EXPECT_TRUE(file_is("set_ftrace_notrace", "#### no functions disabled ####\n"));
	EXPECT_TRUE(file_is("set_graph_function", "#### all functions enabled ####\n"));
	EXPECT_TRUE(file_is("set_graph_notrace", "#### no functions disabled ####\n"));

	sprintf(line, "%s\n", PREFIX "hyp_test_leaf");
	EXPECT_EQ(0, put(HYP "set_ftrace_filter", "hyp_test_leaf"));
	EXPECT_TRUE(file_is("set_ftrace_filter", line));
	EXPECT_EQ(0, put(HYP "set_ftrace_filter", PREFIX "hyp_test_leaf"));
	EXPECT_TRUE(file_is("set_ftrace_filter", line));
	EXPECT_EQ(0, put(HYP "set_ftrace_filter", "*test_l*f"));
	EXPECT_TRUE(file_is("set_ftrace_filter", line));

	/* Root may not write everything that root may open. */
	EXPECT_EQ(-EACCES, append(HYP "available_filter_functions", "hyp_test_leaf"));

	EXPECT_EQ(0, append(HYP "set_ftrace_filter", "hyp_test_*\n"));
	EXPECT_TRUE(file_has("set_ftrace_filter", PREFIX "hyp_test_tree\n"));
	EXPECT_EQ(0, append(HYP "set_ftrace_filter", "!*_tree !*branch !*address !*small\n"));
	EXPECT_EQ(0, append(HYP "set_ftrace_filter", "!*error !*recurse"));
	EXPECT_TRUE(file_is("set_ftrace_filter", line));

	EXPECT_EQ(-EINVAL, append(HYP "set_ftrace_filter", "no_such_function "));
	EXPECT_TRUE(file_has("error_log", "No function of the hypervisor has that name"));
	EXPECT_TRUE(file_is("set_ftrace_filter", line));
	EXPECT_EQ(-EINVAL, append(HYP "set_ftrace_filter", "hyp_test_leaf:traceoff "));
	EXPECT_EQ(0, put(HYP "set_ftrace_filter", ""));
	EXPECT_TRUE(file_is("set_ftrace_filter", "#### all functions enabled ####\n"));
}

/* Calls ---------------------------------------------------------------------------- */

TEST_F(function, each_call_is_recorded)
{
	char *text, *line;
	int i = 0;

	ASSERT_EQ(0, put(HYP "set_ftrace_filter", "hyp_test_*"));
	ASSERT_EQ(0, trace_with("function"));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_TREE, 3));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	text = get(HYP "trace");
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (*line == '#')
			continue;
		EXPECT_TRUE(!!strstr(line, path_of(": " PREFIX "%s <-" PREFIX "%s",
						   tree[i % NODES].name,
						   tree[i % NODES].parent)));
		i++;
	}
	free(text);
	EXPECT_EQ(3 * NODES, i);
}

TEST_F(function, what_is_not_to_be_traced_is_not)
{
	ASSERT_EQ(0, put(HYP "set_ftrace_filter", "hyp_test_*"));
	ASSERT_EQ(0, put(HYP "set_ftrace_notrace", "hyp_test_leaf"));
	ASSERT_EQ(0, trace_with("function"));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_TREE, 10));
	EXPECT_EQ(10 * (NODES - 4), stat_of(0, "entries:"));
	/* While tracing goes on. */
	ASSERT_EQ(0, put(HYP "set_ftrace_notrace", ""));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_TREE, 10));
	EXPECT_EQ(10 * (NODES - 4) + 10 * NODES, stat_of(0, "entries:"));
	ASSERT_EQ(0, put(HYP "current_tracer", "nop"));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_TREE, 10));
	EXPECT_EQ(0, stat_of(0, "entries:"));
}

/* The graph ------------------------------------------------------------------------ */

TEST_F(function, the_graph_is_the_tree)
{
	struct walk w;

	ASSERT_EQ(0, put(HYP "current_tracer", "function_graph"));
	ASSERT_EQ(0, put(HYP "set_ftrace_filter", "hyp_test_*"));
	w = walk_of_trees(10);
	EXPECT_COMPLETE(w);
	EXPECT_EQ(10, w.trees);
	EXPECT_EQ(10 * NODES, w.nodes);
	EXPECT_EQ(10 * NODES, w.entries);

	/* With all functions it is part of more. */
	ASSERT_EQ(0, put(HYP "set_ftrace_filter", ""));
	w = walk_of_trees(10);
	EXPECT_COMPLETE(w);
	EXPECT_EQ(10 * NODES, w.nodes);
	EXPECT_LT(10 * NODES, w.entries);
}

/* What is recorded of results, without protection and with it. */
static const struct result {
	const char	*name;
	uint64_t	retval[2];
} results[] = {
	{ "hyp_test_tree", { NO_RESULT, NO_RESULT } },
	{ "hyp_test_leaf", { NO_RESULT, NO_RESULT } },
	{ "hyp_test_small", { NO_RESULT, NO_RESULT } },		/* a u64 */
	{ "hyp_test_long_error", { NO_RESULT, NO_RESULT } },
	{ "hyp_test_int_error", { -EINVAL, -EINVAL } },
	{ "hyp_test_address", { NO_RESULT, NO_RESULT } },
	{ "hyp_result_kinds", { NO_RESULT, NO_RESULT } },
	{ "hyp_result_bool", { 1, 1 } },
	{ "hyp_result_unlisted", { -EPERM, NO_RESULT } },
	{ "hyp_result_void", { NO_RESULT, NO_RESULT } },
	{ "handle_trap", { NO_RESULT, NO_RESULT } },
};

struct results {
	int	right[ARRAY_SIZE(results)];
	int	wrong;
};

static void check_result(void *data, const struct event *e)
{
	const char *name = name_at(payload_u64(e));
	struct results *r = data;
	int i;

	for (i = 0; e->type == record.exit && i < ARRAY_SIZE(results); i++) {
		if (strcmp(name, results[i].name))
			continue;
		if (u64_at(e, record.retval) == results[i].retval[is_protected()])
			r->right[i]++;
		else if (!r->wrong++)
			printf("# the result of %s is %#lx\n", name, u64_at(e, record.retval));
	}
}

/* Call functions while all are recorded; returns how many had the right result, at least once. */
static int count_results(struct __test_metadata *_metadata)
{
	struct results r = { };
	int i, right = 0;

	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_TREE, 1));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_RESULTS, 1));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	ASSERT_LT(0, read_raw(0, check_result, &r));
	EXPECT_EQ(0, r.wrong);
	for (i = 0; i < ARRAY_SIZE(results); i++) {
		right += !!r.right[i];
		if (!r.right[i])
			printf("# %s has not returned\n", results[i].name);
	}
	return right;
}

TEST_F(function, results_are_those_that_may_be_shown)
{
	if (record.retval < 0)
		SKIP(return, "CONFIG_FUNCTION_GRAPH_RETVAL is off");

	ASSERT_EQ(0, set_size_kb(8192));
	ASSERT_EQ(0, trace_with("function_graph"));
	EXPECT_EQ(ARRAY_SIZE(results), count_results(_metadata));
}

/* The address at which the kernel has EL2's text; 0 if it is not shown. */
static uint64_t text_start(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char name[128], line[512];
	uint64_t address, start = 0;

	while (f && !start && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx %*c %127s", &address, name) == 2 &&
		    !strcmp(name, "__hyp_text_start"))
			start = address;
	if (f)
		fclose(f);
	return start;
}

/*
 * A host that is hostile says where EL2's text is, so that addresses in records are odd. With each
 * call, EL2 keeps in bits 1:0 of the address what may be recorded of the result.
 */
TEST_F(function, results_do_not_depend_on_where_the_text_is)
{
	struct names hcalls = learn("host_hcall", "id");
	const uint64_t set = 0xc6000000 | value_of_name(&hcalls, "__hyp_trace_stacks");
	static const unsigned int offsets[] = { 1, 2, 3, 4096 };
	const uint64_t text = text_start();
	int i, right = 0;

	if (record.retval < 0)
		SKIP(return, "CONFIG_FUNCTION_GRAPH_RETVAL is off");

	ASSERT_NE(0xc6000000, set);
	ASSERT_NE(0, text);
	ASSERT_EQ(0, set_size_kb(8192));
	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		ASSERT_EQ(0, put(HYP "trace", ""));
		ASSERT_EQ(0, trace_with("function_graph"));
		ASSERT_EQ(0, put(HYP "write_hvc", path_of("%lx 0 %lx", set, text + offsets[i])));
		right = count_results(_metadata);
		if (offsets[i] < 4)
			EXPECT_EQ(ARRAY_SIZE(results), right);
	}

	/* EL2 has heeded that: at the last one, functions do not have their names. */
	EXPECT_GT(ARRAY_SIZE(results), right);
}

TEST_F(function, only_what_roots_call_is_recorded)
{
	struct walk w;

	ASSERT_EQ(0, put(HYP "set_graph_function", "hyp_test_branch"));
	ASSERT_EQ(0, put(HYP "current_tracer", "function_graph"));
	w = walk_of_trees(10);
	EXPECT_COMPLETE(w);
	EXPECT_EQ(10 * 6, w.entries);
	EXPECT_EQ(0, w.trees);

	ASSERT_EQ(0, put(HYP "set_graph_notrace", "hyp_test_leaf"));
	w = walk_of_trees(10);
	EXPECT_COMPLETE(w);
	EXPECT_EQ(10 * 2, w.entries);

	ASSERT_EQ(0, put(HYP "set_graph_function", "hyp_test_tree"));
	ASSERT_EQ(0, put(HYP "set_graph_notrace", "hyp_test_branch"));
	w = walk_of_trees(10);
	EXPECT_COMPLETE(w);
	EXPECT_EQ(10 * 5, w.entries);
	EXPECT_EQ(10, w.trees);
}

TEST_F(function, depth_is_limited)
{
	static const int entries[] = { NODES, 1, 7, NODES };
	struct walk w;
	int depth;

	ASSERT_EQ(0, put(HYP "set_ftrace_filter", "hyp_test_*"));
	ASSERT_EQ(0, put(HYP "current_tracer", "function_graph"));
	for (depth = 0; depth < ARRAY_SIZE(entries); depth++) {
		ASSERT_EQ(0, put_num(HYP "max_graph_depth", depth));
		EXPECT_EQ(depth, get_num(HYP "max_graph_depth", ""));
		w = walk_of_trees(10);
		EXPECT_COMPLETE(w);
		EXPECT_EQ(10 * entries[depth], w.entries);
		EXPECT_EQ(0, w.overrun);
	}
}

TEST_F(function, what_is_too_deep_is_counted)
{
	struct walk w;

	ASSERT_EQ(0, put(HYP "set_ftrace_filter", "hyp_test_*"));
	ASSERT_EQ(0, trace_with("function_graph"));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_RECURSE, MAX_DEPTH - 1));
	w = walk_cpu(0);
	EXPECT_COMPLETE(w);
	EXPECT_EQ(MAX_DEPTH, w.entries);
	EXPECT_EQ(0, w.overrun);
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_RECURSE, MAX_DEPTH + 9));
	w = walk_cpu(0);
	EXPECT_COMPLETE(w);
	EXPECT_EQ(MAX_DEPTH, w.entries);
	EXPECT_EQ(10, w.overrun);
}

TEST_F(function, the_graph_is_printed_as_a_program)
{
	static const char * const lines[] = {
		"|  " PREFIX "hyp_test_tree() {\n",
		"|    " PREFIX "hyp_test_branch() {\n",
		"|      " PREFIX "hyp_test_leaf();\n",
		"|    }\n",
		"|    " PREFIX "hyp_test_address();\n",
		"|  }\n",
	};
	int i;

	ASSERT_EQ(0, put(HYP "set_ftrace_filter", "hyp_test_*"));
	ASSERT_EQ(0, trace_with("function_graph"));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_TREE, 1));
	for (i = 0; i < ARRAY_SIZE(lines); i++)
		EXPECT_TRUE(file_has("trace", lines[i]));
	ASSERT_EQ(0, put(HYP "options/funcgraph-tail", "1"));
	EXPECT_TRUE(file_has("trace", "|    } /* " PREFIX "hyp_test_branch */\n"));
	ASSERT_EQ(0, put(HYP "options/funcgraph-tail", "0"));
}

/* Storms --------------------------------------------------------------------------- */

#define ROUNDS		25
#define TREES		200

static void *call_trees(void *cpu)
{
	run_on((long)cpu);
	return (void *)(long)write_test(HYP_TRACE_TEST_TREE, TREES);
}

/* Functions that EL2 executes all the time come and go, and so do a CPU and the follower. */
static void *change_others(void *data)
{
	int cpus = *(int *)data, i;

	for (i = 0; i < 4; i++) {
		append(HYP "set_ftrace_filter", "handle_* __kvm_vcpu_run kvm_pgtable_* ");
		if (cpus > 1)
			set_online(cpus - 1, i % 2);
		append(HYP "set_graph_notrace", "fixup_guest_exit ");
		append(ROOT "events/hyp/hyp_enter/trigger", "hist:keys=reason");
		append(HYP "set_ftrace_filter", "!handle_* !__kvm_vcpu_run !kvm_pgtable_* ");
		append(HYP "set_graph_notrace", "!fixup_guest_exit ");
		append(ROOT "events/hyp/hyp_enter/trigger", "!hist:keys=reason");
	}
	return NULL;
}

static void *run_guests(void *unused)
{
	return (void *)(long)(run_guest(200, NULL) < 0);
}

TEST_F(function, trees_are_complete_whatever_else_happens)
{
	int calling = self->cpus > 1 ? self->cpus - 1 : 1, round, cpu;
	pthread_t thread[MAX_CPUS], other[2];
	struct walk w;
	void *ret;

	ASSERT_EQ(0, set_size_kb(2048));
	ASSERT_EQ(0, put(HYP "set_ftrace_filter", "hyp_test_*"));
	ASSERT_EQ(0, put(HYP "current_tracer", "function_graph"));
	for (round = 0; round < rounds_of(ROUNDS); round++) {
		ASSERT_EQ(0, put(HYP "trace", ""));
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
		ASSERT_EQ(0, pthread_create(&other[0], NULL, change_others, &self->cpus));
		ASSERT_EQ(0, pthread_create(&other[1], NULL, run_guests, NULL));
		for (cpu = 0; cpu < calling; cpu++)
			ASSERT_EQ(0, pthread_create(&thread[cpu], NULL, call_trees,
						    (void *)(long)cpu));
		for (cpu = 0; cpu < calling; cpu++) {
			pthread_join(thread[cpu], &ret);
			EXPECT_TRUE(!ret);
		}
		pthread_join(other[0], NULL);
		pthread_join(other[1], &ret);
		EXPECT_TRUE(!ret);
		ASSERT_EQ(0, put(HYP "tracing_on", "0"));
		for (cpu = 0; cpu < calling; cpu++) {
			w = walk_cpu(cpu);
			EXPECT_COMPLETE(w);
			EXPECT_EQ(TREES, w.trees);
			EXPECT_EQ(TREES * NODES, w.nodes);
		}
	}
}

TEST_F(function, turning_off_ends_all_calls)
{
	const unsigned int rounds = rounds_of(100);
	unsigned int entries = 0, i;
	struct walk w;

	ASSERT_EQ(0, put(HYP "current_tracer", "function_graph"));
	for (i = 0; i < rounds; i++) {
		w = walk_of_trees(1);
		EXPECT_COMPLETE(w);
		entries += w.entries;
	}
	/* tracing_on is written by hypercalls, which call more. */
	EXPECT_LT(rounds * NODES, entries);
}

TEST_HARNESS_MAIN
