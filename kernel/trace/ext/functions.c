// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracers of an external writer's functions, in its instance.
 *
 * ftrace's own tracers trace this kernel, and all instances share their flags. These are tracers
 * of one instance only. Their records are those of ftrace's tracers, which also print them.
 */

#include <linux/bitmap.h>
#include <linux/cleanup.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/trace_ext_function.h>

#include "internal.h"
#include "../trace.h"
#include "events.h"
#include "functions.h"

static_assert(TRACE_EXT_FUNCTION == TRACE_FN);
static_assert(TRACE_EXT_STACK == TRACE_STACK);
static_assert(TRACE_EXT_GRAPH_ENTRY == TRACE_GRAPH_ENT);
static_assert(TRACE_EXT_GRAPH_RETURN == TRACE_GRAPH_RET);

static_assert(sizeof(struct trace_ext_function) == sizeof(struct ftrace_entry));
static_assert(offsetof(struct trace_ext_function, ip) == offsetof(struct ftrace_entry, ip));
static_assert(offsetof(struct trace_ext_function, parent_ip) ==
	      offsetof(struct ftrace_entry, parent_ip));
static_assert(sizeof(struct trace_ext_graph_entry) == sizeof(struct ftrace_graph_ent_entry));
static_assert(offsetof(struct trace_ext_graph_entry, call) ==
	      offsetof(struct ftrace_graph_ent_entry, graph_ent));
static_assert(sizeof(struct trace_ext_graph_return) >= sizeof(struct ftrace_graph_ret_entry));
static_assert(offsetof(struct trace_ext_graph_return, ret) ==
	      offsetof(struct ftrace_graph_ret_entry, ret));

/**
 * enum choice - the functions that users choose by a file
 * @FILTER:	only these are traced; all, if there are none
 * @NOTRACE:	these are not traced
 * @GRAPH:	only what these call is traced; all, if there are none
 * @GRAPH_NOT:	what these call is not traced, nor are they
 * @NR_CHOICES:	number of files
 */
enum choice {
	FILTER,
	NOTRACE,
	GRAPH,
	GRAPH_NOT,
	NR_CHOICES,
};

/**
 * struct functions - the functions of the writer that has any
 * @lock:	protects all below
 * @ext:	its buffer
 * @ops:	the functions
 * @chosen:	a bit for each function
 * @hook:	enum trace_ext_hook that each function has
 * @max_depth:	max_graph_depth; 0 for no limit
 * @tracer:	the hook of functions that are traced, TRACE_EXT_HOOK_FUNCTION or ..._GRAPH
 */
struct functions {
	struct mutex				lock;
	struct rb_ext				*ext;
	const struct trace_ext_functions	*ops;
	unsigned long				*chosen[NR_CHOICES];
	u8					*hook;
	unsigned int				max_depth;
	enum trace_ext_hook			tracer;
};

static struct functions functions = {
	.lock	= __MUTEX_INITIALIZER(functions.lock),
};

/* The option of the tracer "function". */
#define FUNC_STACK_TRACE	BIT(0)

static struct tracer_opt function_opts[] = {
	{ TRACER_OPT(func_stack_trace, FUNC_STACK_TRACE) },
	{ }
};

static struct tracer function_tracer;

static struct tracer_flags function_flags = {
	.opts	= function_opts,
	.trace	= &function_tracer,
};

static bool any_chosen(enum choice choice)
{
	return !bitmap_empty(functions.chosen[choice], functions.ops->nr);
}

static bool is_chosen(enum choice choice, unsigned int function)
{
	return test_bit(function, functions.chosen[choice]);
}

/* Hooks ---------------------------------------------------------------------------- */

static enum trace_ext_hook wanted_hook(unsigned int function)
{
	if (functions.tracer == TRACE_EXT_HOOK_NONE || is_chosen(NOTRACE, function) ||
	    (any_chosen(FILTER) && !is_chosen(FILTER, function)))
		return TRACE_EXT_HOOK_NONE;

	if (functions.tracer == TRACE_EXT_HOOK_FUNCTION)
		return function_flags.val & FUNC_STACK_TRACE ? TRACE_EXT_HOOK_FUNCTION_STACK :
							       TRACE_EXT_HOOK_FUNCTION;

	if (is_chosen(GRAPH_NOT, function))
		return TRACE_EXT_HOOK_GRAPH_NOT;

	return is_chosen(GRAPH, function) ? TRACE_EXT_HOOK_GRAPH_ROOT : TRACE_EXT_HOOK_GRAPH;
}

static int set_hooks(void)
{
	enum trace_ext_hook hook;
	unsigned int i;
	int ret;

	for (i = 0; i < functions.ops->nr; i++) {
		hook = wanted_hook(i);
		if (functions.hook[i] == hook)
			continue;
		ret = functions.ops->hook(i, hook);
		if (ret)
			return ret;
		functions.hook[i] = hook;
	}

	return 0;
}

/* Have the writer do what users have chosen. */
static int functions_update(void)
{
	unsigned int max_depth = functions.max_depth ?: FTRACE_RETFUNC_DEPTH;

	lockdep_assert_held(&functions.lock);

	if (functions.tracer == TRACE_EXT_HOOK_NONE || !functions.ops)
		return 0;

	/* While hooks are set, the calls for that need not be traced. */
	return set_hooks() ?: functions.ops->trace(true, min(max_depth, FTRACE_RETFUNC_DEPTH),
						   any_chosen(GRAPH));
}

static void tracer_stop(void)
{
	functions.tracer = TRACE_EXT_HOOK_NONE;
	if (functions.ops) {
		functions.ops->trace(false, FTRACE_RETFUNC_DEPTH, false);
		set_hooks();
	}
}

/* If the writer can't be called yet, trace_ext_functions_register() has it begin. */
static int tracer_start(struct trace_array *tr, enum trace_ext_hook hook)
{
	const struct rb_ext *ext = trace_array_ext(tr);
	int ret;

	guard(mutex)(&functions.lock);

	if (ext->writer->registered && ext != functions.ext)
		return -ENODEV;

	functions.tracer = hook;
	ret = functions_update();
	if (ret)
		tracer_stop();

	return ret;
}

/* Tracers -------------------------------------------------------------------------- */

static int function_init(struct trace_array *tr)
{
	return tracer_start(tr, TRACE_EXT_HOOK_FUNCTION);
}

static int graph_init(struct trace_array *tr)
{
	return tracer_start(tr, TRACE_EXT_HOOK_GRAPH);
}

static void tracer_reset(struct trace_array *tr)
{
	guard(mutex)(&functions.lock);
	tracer_stop();
}

static struct tracer_opt graph_opts[] = {
	{ TRACER_OPT(funcgraph-overrun, TRACE_GRAPH_PRINT_OVERRUN) },
	{ TRACER_OPT(funcgraph-cpu, TRACE_GRAPH_PRINT_CPU) },
	{ TRACER_OPT(funcgraph-overhead, TRACE_GRAPH_PRINT_OVERHEAD) },
	{ TRACER_OPT(funcgraph-proc, TRACE_GRAPH_PRINT_PROC) },
	{ TRACER_OPT(funcgraph-duration, TRACE_GRAPH_PRINT_DURATION) },
	{ TRACER_OPT(funcgraph-abstime, TRACE_GRAPH_PRINT_ABS_TIME) },
	{ TRACER_OPT(funcgraph-tail, TRACE_GRAPH_PRINT_TAIL) },
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	{ TRACER_OPT(funcgraph-retval, TRACE_GRAPH_PRINT_RETVAL) },
	{ TRACER_OPT(funcgraph-retval-hex, TRACE_GRAPH_PRINT_RETVAL_HEX) },
#endif
	{ }
};

static struct tracer graph_tracer;

static struct tracer_flags graph_flags = {
	/* Without IRQS, what is printed would depend on this kernel's interrupt functions. */
	.val	= TRACE_GRAPH_PRINT_CPU | TRACE_GRAPH_PRINT_OVERHEAD |
		  TRACE_GRAPH_PRINT_DURATION | TRACE_GRAPH_PRINT_IRQS,
	.opts	= graph_opts,
	.trace	= &graph_tracer,
};

static enum print_line_t graph_print_line(struct trace_iterator *iter)
{
	return print_graph_function_flags(iter, graph_flags.val);
}

static void graph_print_header(struct seq_file *s)
{
	print_graph_headers_flags(s, graph_flags.val);
}

/* Any flag may be set at any time. */
static int set_flag(struct trace_array *tr, u32 old_flags, u32 bit, int set)
{
	return 0;
}

static int function_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, int set)
{
	u32 old = function_flags.val;
	int ret;

	guard(mutex)(&functions.lock);

	/* This is what functions_update() goes by; ftrace sets it to the same when this returns. */
	function_flags.val = set ? old | bit : old & ~bit;
	ret = functions_update();
	function_flags.val = ret ? old : function_flags.val;
	return ret;
}

static struct tracer function_tracer = {
	.name		= "function",
	.init		= function_init,
	.reset		= tracer_reset,
	.flags		= &function_flags,
	.set_flag	= function_set_flag,
	.allow_instances = true,
	.next		= &nop_trace,
};

static struct tracer graph_tracer = {
	.name		= "function_graph",
	.init		= graph_init,
	.reset		= tracer_reset,
	.open		= graph_trace_open,
	.pipe_open	= graph_trace_open,
	.close		= graph_trace_close,
	.pipe_close	= graph_trace_close,
	.print_line	= graph_print_line,
	.print_header	= graph_print_header,
	.flags		= &graph_flags,
	.set_flag	= set_flag,
	.allow_instances = true,
	.next		= &function_tracer,
};

/* The tracers of a writer's functions, and nop; NULL if the writer has no functions. */
struct tracer *trace_ext_function_tracers(const struct trace_ext_writer *writer)
{
	return writer->functions ? &graph_tracer : NULL;
}

/* Records -------------------------------------------------------------------------- */

/* Beyond that, printing warns or indents a line without end. */
static const struct ext_page_limit limits[] = {
	{ TRACE_GRAPH_ENT, offsetof(struct trace_ext_graph_entry, call.depth),
	  FTRACE_RETFUNC_DEPTH - 1 },
	{ TRACE_GRAPH_RET, offsetof(struct trace_ext_graph_return, ret.depth),
	  FTRACE_RETFUNC_DEPTH - 1 },
	{ }
};

/*
 * Add the records of tracers to a writer's events; @size has all types up to TRACE_GRAPH_ENT at
 * least.
 */
void __init trace_ext_functions_format(const struct trace_ext_writer *writer,
				       struct ext_page_format *format, u16 *size)
{
	if (!writer->functions)
		return;

	size[TRACE_FN] = sizeof(struct trace_ext_function);
	size[TRACE_GRAPH_ENT] = sizeof(struct trace_ext_graph_entry);
	size[TRACE_GRAPH_RET] = sizeof(struct ftrace_graph_ret_entry);
	format->limits = limits;
}

/* Names ---------------------------------------------------------------------------- */

/* The symbol of a function, in @name, and without the writer's prefix. */
static const char *function_name(unsigned int function, char name[KSYM_NAME_LEN])
{
	size_t prefix = strlen(functions.ops->prefix);

	if (lookup_symbol_name(functions.ops->address(function), name))
		return NULL;

	return strncmp(name, functions.ops->prefix, prefix) ? name : name + prefix;
}

/* Choose all functions that match a glob, or (!glob) no longer. */
static int functions_choose(unsigned long *chosen, char *glob)
{
	char name[KSYM_NAME_LEN];
	const char *without_prefix;
	bool found = false;
	bool off = *glob == '!';
	unsigned int i;

	for (i = 0; i < functions.ops->nr; i++) {
		without_prefix = function_name(i, name);
		if (!without_prefix || (!glob_match(glob + off, name) &&
					!glob_match(glob + off, without_prefix)))
			continue;

		assign_bit(i, chosen, !off);
		found = true;
	}

	return found ? 0 : -EINVAL;
}

/* Files ---------------------------------------------------------------------------- */

/**
 * struct choice_file - a file that has functions
 * @name:	its name
 * @none:	what it shows if no function is chosen; NULL if it always has all
 */
struct choice_file {
	const char	*name;
	const char	*none;
};

static const struct choice_file choice_files[] = {
	[FILTER]	= { "set_ftrace_filter", "all functions enabled" },
	[NOTRACE]	= { "set_ftrace_notrace", "no functions disabled" },
	[GRAPH]		= { "set_graph_function", "all functions enabled" },
	[GRAPH_NOT]	= { "set_graph_notrace", "no functions disabled" },
	[NR_CHOICES]	= { "available_filter_functions", NULL },
};

/**
 * struct opened - a file that is open
 * @choice:	its functions
 * @changed:	they have changed since the writer was told
 * @parser:	what has been written and is not a complete word yet
 */
struct opened {
	enum choice		choice;
	bool			changed;
	struct trace_parser	parser;
};

/* The place in functions.hook[] of the next function of a file, or NULL. */
static void *function_from(const struct opened *opened, loff_t *pos)
{
	if (opened->choice < NR_CHOICES)
		*pos = find_next_bit(functions.chosen[opened->choice], functions.ops->nr, *pos);

	return *pos < functions.ops->nr ? &functions.hook[*pos] : NULL;
}

static void *functions_start(struct seq_file *m, loff_t *pos)
{
	struct opened *opened = m->private;

	mutex_lock(&functions.lock);
	if (!*pos && opened->choice < NR_CHOICES && !any_chosen(opened->choice))
		return SEQ_START_TOKEN;

	return function_from(opened, pos);
}

static void *functions_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return v == SEQ_START_TOKEN ? NULL : function_from(m->private, pos);
}

static void functions_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&functions.lock);
}

static int functions_show(struct seq_file *m, void *v)
{
	struct opened *opened = m->private;
	char name[KSYM_NAME_LEN];

	if (v == SEQ_START_TOKEN)
		seq_printf(m, "#### %s ####\n", choice_files[opened->choice].none);
	else if (function_name((u8 *)v - functions.hook, name))
		seq_printf(m, "%s\n", name);

	return 0;
}

static const struct seq_operations functions_seq_ops = {
	.start	= functions_start,
	.next	= functions_next,
	.stop	= functions_stop,
	.show	= functions_show,
};

/* A word has been written. */
static int take_word(struct opened *opened, char *word)
{
	struct trace_array *tr = functions.ext->tr;
	int ret;

	guard(mutex)(&functions.lock);

	ret = functions_choose(functions.chosen[opened->choice], word);
	if (ret) {
		trace_ext_log_error(tr, functions.ext->writer, TRACE_EXT_ERR_FUNCTION, word);
		return ret;
	}

	opened->changed = false;
	return functions_update();
}

static int take_parsed(struct opened *opened)
{
	struct trace_parser *parser = &opened->parser;
	int ret;

	if (!trace_parser_loaded(parser))
		return 0;

	ret = take_word(opened, parser->buffer);
	trace_parser_clear(parser);
	return ret;
}

static ssize_t functions_write(struct file *file, const char __user *from, size_t count,
			       loff_t *pos)
{
	struct opened *opened = ((struct seq_file *)file->private_data)->private;
	ssize_t taken;

	if (!count)
		return 0;

	taken = trace_get_user(&opened->parser, from, count, pos);
	if (taken < 0 || trace_parser_cont(&opened->parser))
		return taken;

	return take_parsed(opened) ?: taken;
}

static int open_choice(struct inode *inode, struct file *file)
{
	const struct choice_file *choice = inode->i_private;
	struct opened *opened;
	int ret;

	opened = __seq_open_private(file, &functions_seq_ops, sizeof(*opened));
	if (!opened)
		return -ENOMEM;

	opened->choice = choice - choice_files;
	if (!(file->f_mode & FMODE_WRITE))
		return 0;

	/* Modes of files do not stop root. */
	ret = opened->choice < NR_CHOICES ? 0 : -EACCES;
	if (!ret && trace_parser_get_init(&opened->parser, KSYM_NAME_LEN))
		ret = -ENOMEM;
	if (ret) {
		seq_release_private(inode, file);
		return ret;
	}

	/* Whoever truncates the file goes on to write. The writer is told after that. */
	if (file->f_flags & O_TRUNC) {
		guard(mutex)(&functions.lock);
		bitmap_zero(functions.chosen[opened->choice], functions.ops->nr);
		opened->changed = true;
	}

	return 0;
}

static int functions_open(struct inode *inode, struct file *file)
{
	struct trace_array *tr = functions.ext->tr;
	int ret = tracing_check_open_get_tr(tr);

	if (ret)
		return ret;

	ret = open_choice(inode, file);
	if (ret)
		trace_array_put(tr);

	return ret;
}

static int functions_release(struct inode *inode, struct file *file)
{
	struct opened *opened = ((struct seq_file *)file->private_data)->private;

	if (file->f_mode & FMODE_WRITE) {
		take_parsed(opened);
		trace_parser_put(&opened->parser);
	}

	if (opened->changed) {
		guard(mutex)(&functions.lock);
		functions_update();
	}

	trace_array_put(functions.ext->tr);
	return seq_release_private(inode, file);
}

static const struct file_operations functions_fops = {
	.open		= functions_open,
	.read		= seq_read,
	.write		= functions_write,
	.llseek		= tracing_lseek,
	.release	= functions_release,
};

static int max_depth_get(void *data, u64 *val)
{
	*val = functions.max_depth;
	return 0;
}

static int max_depth_set(void *data, u64 val)
{
	guard(mutex)(&functions.lock);

	functions.max_depth = min(val, FTRACE_RETFUNC_DEPTH);
	return functions_update();
}

static int max_depth_open(struct inode *inode, struct file *filp)
{
	return security_locked_down(LOCKDOWN_TRACEFS) ?:
	       simple_attr_open(inode, filp, max_depth_get, max_depth_set, "%llu\n");
}

static const struct file_operations max_depth_fops = {
	.open		= max_depth_open,
	.read		= simple_attr_read,
	.write		= simple_attr_write,
	.release	= simple_attr_release,
};

/* Init ----------------------------------------------------------------------------- */

static int __init functions_alloc(unsigned int nr)
{
	int i;

	functions.hook = kzalloc(nr, GFP_KERNEL);
	if (!functions.hook)
		return -ENOMEM;

	for (i = 0; i < NR_CHOICES; i++) {
		functions.chosen[i] = bitmap_zalloc(nr, GFP_KERNEL);
		if (!functions.chosen[i])
			return -ENOMEM;
	}

	return 0;
}

/* Choose what a boot parameter names; false if it names nothing. */
static bool __init choose_from_boot(const struct rb_ext *ext, char *globs)
{
	bool found = false;
	char *glob;

	while ((glob = strsep(&globs, ","))) {
		if (!functions_choose(functions.chosen[FILTER], glob))
			found = true;
		else
			pr_err("%s: no function has the name \"%s\"\n", ext->name, glob);
	}

	return found;
}

/**
 * trace_ext_functions_register() - an external writer can be called: trace its functions if boot
 * parameters ask for that
 * @ext:	its buffer
 *
 * Return: true if its functions are traced
 */
bool __init trace_ext_functions_register(struct rb_ext *ext)
{
	const struct trace_ext_functions *ops = ext->writer->functions;
	bool wanted;

	if (!ops || !ops->nr)
		return false;

	scoped_guard(mutex, &functions.lock) {
		if (functions.ext || functions_alloc(ops->nr)) {
			pr_err("%s: functions can't be traced: %s\n", ext->name,
			       functions.ext ? "another writer's can" : "no memory");
			return false;
		}

		functions.ops = ops;
		functions.ext = ext;
		wanted = ops->from_boot && choose_from_boot(ext, ops->from_boot);
		/* The bootconfig may have chosen a tracer. */
		if (functions.tracer && functions_update())
			tracer_stop();
	}

	return functions.tracer || (wanted && !tracing_set_tracer(ext->tr, function_tracer.name));
}

/**
 * trace_ext_functions_files() - create the files that choose what functions are traced
 * @ext:	the writer's buffer
 * @dir:	the directory of its instance
 */
void __init trace_ext_functions_files(const struct rb_ext *ext, struct dentry *dir)
{
	umode_t mode;
	int i;

	if (functions.ext != ext)
		return;

	for (i = 0; i < ARRAY_SIZE(choice_files); i++) {
		mode = choice_files[i].none ? TRACE_MODE_WRITE : TRACE_MODE_READ;
		trace_create_file(choice_files[i].name, mode, dir, (void *)&choice_files[i],
				  &functions_fops);
	}
	trace_create_file("max_graph_depth", TRACE_MODE_WRITE, dir, NULL, &max_depth_fops);
}
