// SPDX-License-Identifier: GPL-2.0-only
/*
 * The instances of external writers, at the root of tracefs.
 *
 * An instance is a trace_array like any other, except for its directory and its buffer.
 * Nearly all of its files are ftrace's own.
 */

#include <linux/bootconfig.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_ext_compat.h>
#include <linux/tracefs.h>

#include <trace/events/sched.h>

#include "internal.h"
#include "../trace.h"
#include "events.h"
#include "filter.h"
#include "follow.h"
#include "functions.h"
#include "mem.h"
#include "test.h"

/* Writers -------------------------------------------------------------------------- */

/* The writers that have events. */
static struct trace_ext_writer *writers;

/* The buffer of a writer, or NULL if it has none yet; pairs with instance_create(). */
static struct rb_ext *buffer_of(struct trace_ext_writer *writer)
{
	return smp_load_acquire(&writer->ext);
}

/* Tasks ---------------------------------------------------------------------------- */

/*
 * Tell the writer whether the current task is traced. For set_event_pid, ftrace stores
 * this in ignore_pid at each task switch. The value is valid only while there is a list:
 * a probe may update it late.
 */
static void follow_pid(void *data)
{
	struct rb_ext *ext = data;
	struct trace_array *tr = ext->tr;
	bool ignore = (rcu_access_pointer(tr->filtered_pids) ||
		       rcu_access_pointer(tr->filtered_no_pids)) &&
		      this_cpu_read(tr->array_buffer.data->ignore_pid);

	if (ext->ops->ignore)
		ext->ops->ignore(ext->writer, ignore);
}

/**
 * trace_ext_follow_pids() - set_event_pid or set_event_notrace_pid has changed
 * @ext:	the instance's buffer, or NULL if that is not external
 */
void trace_ext_follow_pids(struct rb_ext *ext)
{
	if (ext)
		on_each_cpu(follow_pid, ext, true);
}

/*
 * Save the names of tasks, which are printed with their pids. ftrace saves a name when it
 * records an event itself, which it does not do for a writer's events. Save both names:
 * @next may run for long before the next switch, and @prev may have changed its name.
 */
static void probe_sched_switch(void *data, bool preempt,
			       struct task_struct *prev,
			       struct task_struct *next,
			       unsigned int prev_state)
{
	struct rb_ext *ext = data;

	if (ext->tr->trace_flags & TRACE_EXT_ITER(RECORD_CMD)) {
		trace_save_cmdline(prev);
		trace_save_cmdline(next);
	}

	follow_pid(ext);
}

static void follow_current(void *data)
{
	trace_save_cmdline(current);
	follow_pid(data);
}

/* Lower than the priority of ftrace's own probes, which update ignore_pid. */
#define PROBE_PRIO	-1

static void follow_tasks(struct rb_ext *ext, bool on)
{
	if (on && !ext->follows) {
		ext->follows = !register_trace_prio_sched_switch(probe_sched_switch,
								 ext, PROBE_PRIO);
		if (!ext->follows)
			pr_warn("%s: can't follow task switches: names of tasks may be missing, and set_event_pid is not heeded\n",
				ext->name);
	} else if (!on && ext->follows) {
		unregister_trace_sched_switch(probe_sched_switch, ext);
		ext->follows = false;
	}

	/* It may take long until the current tasks are switched. */
	if (on)
		on_each_cpu_mask(ext->tr->tracing_cpumask, follow_current, ext, true);
}

/**
 * trace_ext_tracers() - the tracers of an instance
 * @tr:		the instance
 * @all:	those of this kernel
 *
 * All tracers but nop trace this kernel. A writer may have its own.
 *
 * Return: the first one
 */
struct tracer *trace_ext_tracers(const struct trace_array *tr, struct tracer *all)
{
	if (!tr->ext)
		return all;

	return trace_ext_function_tracers(tr->ext->writer) ?: &nop_trace;
}

/**
 * trace_ext_set_flag() - an option of an instance is about to change
 * @tr:		any instance
 * @mask:	the option
 * @enabled:	its new value
 *
 * Return: 0; -EINVAL if the instance has no such option, or the writer's error
 */
int trace_ext_set_flag(const struct trace_array *tr, u64 mask, bool enabled)
{
	struct rb_ext *ext = tr->ext;

	if (!ext)
		return 0;

	/* This kernel can't write to an external buffer. */
	if (mask & TRACE_EXT_WRITING_OPTIONS)
		return -EINVAL;

	switch (mask) {
	case TRACE_EXT_ITER(OVERWRITE):
		rb_ext_set_overwrite(ext, enabled);
		return 0;
	case TRACE_EXT_ITER(STACKTRACE):
		if (!ext->writer->ops->set_stacks)
			return -EINVAL;
		return ext->ops->set_stacks ? ext->ops->set_stacks(ext->writer, enabled) : 0;
	default:
		return 0;
	}
}

/* Dumps in a crash ----------------------------------------------------------------- */

/* Is @name in a list of names, separated by commas, that may have a "=" and more? */
static bool is_named(const char *list, const char *name)
{
	size_t len = strlen(name);

	while (list) {
		if (!strncmp(list, name, len) && strchr(",=", list[len]))
			return true;
		list = strchr(list, ',');
		list += list ? 1 : 0;
	}

	return false;
}

/* Is an instance to be dumped where ftrace_dump() has this mode? */
static bool is_dumped(const struct rb_ext *ext, enum ftrace_dump_mode mode, const char *names)
{
	return mode == DUMP_ALL ? is_named(names, ext->writer->name) :
	       mode == DUMP_NONE && ext->writer->died && rb_ext_is_armed(ext);
}

/**
 * trace_ext_dump() - the part of ftrace_dump() for external instances
 * @mode:	the mode of ftrace_dump(). With DUMP_ALL (sysrq-z) dump the instances that
 *		are named; with DUMP_NONE those that are on, and whose writer has died
 * @names:	ftrace_dump_on_oops
 * @dump_one:	ftrace_dump_one()
 */
void trace_ext_dump(enum ftrace_dump_mode mode, const char *names, trace_ext_dump_one_fn dump_one)
{
	struct trace_ext_writer *writer;
	struct rb_ext *ext;

	for (writer = writers; writer; writer = writer->next) {
		ext = buffer_of(writer);
		if (ext && is_dumped(ext, mode, names))
			dump_one(ext->tr, DUMP_ALL);
	}
}

/* Creation ------------------------------------------------------------------------- */

/*
 * Operations of a writer that is not registered yet. What boot parameters set meanwhile is
 * remembered in the instance.
 */
static int absent_start(struct trace_ext_writer *writer)
{
	return -ENODEV;
}

static const struct trace_ext_ops absent_ops = {
	.start		= absent_start,
};

struct rb_ext *trace_ext_creating;

static void __init buffer_free(struct rb_ext *ext)
{
	kfree(ext->format.size);
	rb_ext_exit(ext);
	kfree(ext);
}

static struct rb_ext * __init buffer_create(struct trace_ext_writer *writer)
{
	struct rb_ext *ext = kzalloc(sizeof(*ext), GFP_KERNEL);
	int ret;

	if (!ext)
		return ERR_PTR(-ENOMEM);

	ext->name = writer->label;
	ext->writer = writer;
	ext->ops = &absent_ops;
	ext->in_use = follow_tasks;
	ret = trace_ext_test_fail() ?: rb_ext_init(ext) ?:
	      trace_ext_test_fail() ?: trace_ext_format_init(writer, &ext->format);
	if (!ret)
		return ext;

	buffer_free(ext);
	return ERR_PTR(ret);
}

static int __init instance_create(struct trace_ext_writer *writer)
{
	struct rb_ext *ext = buffer_create(writer);
	struct trace_array *tr;

	if (IS_ERR(ext))
		return PTR_ERR(ext);

	tr = trace_array_create_ext(writer->name, writer->systems, ext);
	if (IS_ERR(tr)) {
		buffer_free(ext);
		return PTR_ERR(tr);
	}

	ext->tr = tr;
	rb_ext_crash_init(ext);
	/* From here on, CPUs that come online may get a ring. */
	smp_store_release(&writer->ext, ext);
	return 0;
}

/*
 * Remove the instance of a writer that has not been registered: it has no rings. Without a
 * directory ftrace could not remove it, and nobody can use it.
 */
static void __init instance_remove(struct trace_ext_writer *writer)
{
	struct rb_ext *ext = writer->ext;

	if (!ext->tr->dir)
		return;

	writer->ext = NULL;
	cancel_work_sync(&ext->idle);
	tracefs_remove(ext->link);
	if (!WARN_ON(trace_array_destroy(ext->tr)))
		buffer_free(ext);
}

static bool __init is_known(const struct trace_ext_writer *writer)
{
	const struct trace_ext_writer *known = writers;

	while (known && known != writer)
		known = known->next;

	return known;
}

/**
 * trace_ext_create_all() - create the instances of all writers that have events
 *
 * Context: boot, when ftrace has its events, before any other instance is created. There is
 * one CPU only, and no tracefs.
 */
void __init trace_ext_create_all(void)
{
	struct trace_event_call *call;
	int ret;

	/* From the first that was linked, to have a fixed order for tests. */
	list_for_each_entry_reverse(call, &ftrace_events, list) {
		struct trace_ext_writer *writer;

		if (!is_trace_ext_event(call))
			continue;

		writer = to_trace_ext_event(call)->writer;
		if (is_known(writer))
			continue;

		writer->next = writers;
		writers = writer;
		ret = instance_create(writer);
		if (ret)
			pr_err("%s: not available: can't create the tracefs instance: %pe\n",
			       writer->label, ERR_PTR(ret));
	}
}

#ifdef CONFIG_VMCORE_INFO
/* Name the rings of all writers in vmcoreinfo, which is being made. */
void __init trace_ext_save_vmcoreinfo(void)
{
	struct trace_ext_writer *writer;

	for (writer = writers; writer; writer = writer->next) {
		if (writer->ext)
			rb_ext_crash_name(writer->ext);
	}
}
#endif

/**
 * trace_ext_link() - link an external writer's directory from instances/
 * @ext:	the writer's buffer, or NULL if an instance is not external
 * @dir:	instances/
 */
void trace_ext_link(struct rb_ext *ext, struct dentry *dir)
{
	if (!ext)
		return;

	/* Tools look for instances in instances/. */
	ext->link = tracefs_create_symlink(ext->writer->name, dir, ext->writer->link);
	if (!ext->link)
		pr_warn("%s: no link to %s in instances/\n", ext->name, ext->writer->name);
}

/**
 * trace_ext_stays() - check whether an instance must not be removed
 * @ext:	its buffer, or NULL if it is not external
 *
 * Return: true for an external writer's, unless the writer is missing at the end of boot
 */
bool trace_ext_stays(const struct rb_ext *ext)
{
	return ext && ext->writer->ext;
}

/* Boot parameters ------------------------------------------------------------------ */

/* The buffer of the writer whose name is the first @len characters of @name, or NULL. */
static struct rb_ext * __init buffer_named(const char *name, size_t len)
{
	struct trace_ext_writer *writer;

	for (writer = writers; writer; writer = writer->next) {
		if (writer->ext && strlen(writer->name) == len &&
		    !strncmp(writer->name, name, len))
			return writer->ext;
	}

	return NULL;
}

/* Heed the flags in NAME^FLAG^FLAG@MEMORY, or say which of them mean nothing here. */
static void __init set_flags(struct rb_ext *ext, char *spec)
{
	char *memory = spec, *flag;

	flag = strsep(&memory, "@");
	if (memory)
		pr_warn("%s: trace_instance=%s: the buffer can't be mapped to \"%s\"\n",
			ext->name, ext->writer->name, memory);

	strsep(&flag, "^");
	spec = flag;
	while ((flag = strsep(&spec, "^"))) {
		if (!strcmp(flag, "traceoff"))
			ext->traceoff = true;
		else
			pr_warn("%s: trace_instance=%s: no flag \"%s\", only traceoff\n",
				ext->name, ext->writer->name, flag);
	}
}

/**
 * trace_ext_boot_instance() - set up the instance that trace_instance= names, if it is an
 * external writer's
 * @spec:	the instance: NAME^FLAG^FLAG@MEMORY
 * @events:	the events to enable in it, separated by commas, or NULL
 *
 * Return: true if it is an external writer's; false if it is to be created as an ordinary
 * one
 */
bool __init trace_ext_boot_instance(char *spec, char *events)
{
	struct rb_ext *ext = buffer_named(spec, strcspn(spec, "^@"));
	char *event;

	if (!ext)
		return false;

	set_flags(ext, spec);
	if (!ext->traceoff)
		tracer_tracing_on(ext->tr);
	while ((event = strsep(&events, ",")))
		early_enable_events(ext->tr, event, true);

	return true;
}

/*
 * Do boot parameters want tracing to be on? trace_instance= has turned it on, and so has
 * tracing_on in the bootconfig. Other instances are on by default: this one is if it is
 * mentioned.
 */
static bool __init is_wanted_on(struct rb_ext *ext, bool has_any)
{
	struct xbc_node *node = NULL;

	if (IS_ENABLED(CONFIG_BOOTTIME_TRACING))
		node = xbc_find_node("ftrace.instance");
	if (node)
		node = xbc_node_find_subkey(node, ext->writer->name);
	if (node && xbc_node_find_subkey(node, "tracing_on"))
		return tracer_tracing_is_on(ext->tr);

	return !ext->traceoff && (node || has_any || tracer_tracing_is_on(ext->tr));
}

/* Have the writer record what boot parameters have set. */
static void __init instance_arm(struct rb_ext *ext)
{
	if (ext->tr->trace_flags & TRACE_EXT_ITER(STACKTRACE))
		trace_ext_set_flag(ext->tr, TRACE_EXT_ITER(STACKTRACE), true);
	trace_ext_filters_arm(ext->tr);
	trace_ext_events_arm(ext->writer);
	rb_ext_set_cpus(ext, ext->tr->tracing_cpumask);
}

/**
 * trace_ext_register() - register an external writer: from now on it can be called
 * @writer:	the writer; never freed
 *
 * If boot parameters ask for it, tracing is on when this returns.
 *
 * Context: before late_initcall_sync(), after core_initcall_sync(). May sleep.
 */
void __init trace_ext_register(struct trace_ext_writer *writer)
{
	struct rb_ext *ext = writer->ext;
	bool any, wanted;

	/* Without ftrace, there are no events by which to find the writer. */
	if (!is_known(writer))
		pr_err("%s: not available: ftrace is off; is the kernel locked down?\n",
		       writer->label);
	if (!ext)
		return;

	writer->registered = true;
	ext->ops = writer->ops;
	rb_ext_use_mem(ext);
	rb_ext_note_sizes(ext);
	any = trace_ext_events_move(writer);
	any |= trace_ext_functions_register(ext);
	wanted = is_wanted_on(ext, any);
	if (wanted)
		instance_arm(ext);

	guard(mutex)(&trace_types_lock);

	if (wanted && !rb_ext_load(ext))
		tracer_tracing_on(ext->tr);
	else
		tracer_tracing_off(ext->tr);
}

/* The end of boot ------------------------------------------------------------------ */

static void __init instance_finish(struct trace_ext_writer *writer)
{
	struct rb_ext *ext = writer->ext;

	if (!writer->armed)
		instance_arm(ext);

	if (!ext->tr->dir) {
		pr_err("%s: not available: no directory in tracefs\n", writer->label);
		tracer_tracing_off(ext->tr);
		return;
	}

	if (writer->alias &&
	    (trace_ext_test_fail() ||
	     !tracefs_create_symlink(writer->alias, NULL, writer->name)))
		pr_warn("%s: no link \"%s\", some clients may not find %s\n",
			writer->label, writer->alias, writer->name);

	trace_ext_follow_init(writer, ext->tr->dir);
	trace_ext_functions_files(ext, ext->tr->dir);
	trace_ext_mark_file(ext, ext->tr->dir);
	trace_ext_test_init(ext);
	if (writer->created)
		writer->created(ext->tr->dir);
}

/*
 * Runs after trace_eval_sync(), which is earlier in the Makefile: a work sets up tracefs,
 * and creates the directories of instances.
 */
static int __init trace_ext_init(void)
{
	struct trace_ext_writer *writer;

	trace_ext_mem_describe();

	for (writer = writers; writer; writer = writer->next) {
		if (writer->registered && writer->ext)
			instance_finish(writer);
		else if (writer->ext)
			instance_remove(writer);
	}

	/* Remove events that have no writer: enabling them would have no effect. */
	trace_ext_events_remove();
	return 0;
}
late_initcall_sync(trace_ext_init);

/* Called by drivers ------------------------------------------------------------------ */

/**
 * trace_ext_cpu_online() - a CPU has come online, and can call the writer
 * @writer:	the writer
 * @cpu:	the CPU, which runs this
 *
 * Context: CPU hotplug.
 * Return: 0
 */
int trace_ext_cpu_online(struct trace_ext_writer *writer, unsigned int cpu)
{
	struct rb_ext *ext = buffer_of(writer);

	trace_ext_follow_online(writer, cpu);
	return ext ? rb_ext_cpu_online(ext, cpu) : 0;
}

/**
 * trace_ext_cpu_dead() - a CPU has gone offline
 * @writer:	the writer
 * @cpu:	the CPU
 *
 * Context: CPU hotplug.
 * Return: 0
 */
int trace_ext_cpu_dead(struct trace_ext_writer *writer, unsigned int cpu)
{
	struct rb_ext *ext = buffer_of(writer);

	trace_ext_follow_dead(writer, cpu);
	if (ext)
		rb_ext_rearm(per_cpu_ptr(ext->cpus, cpu));

	return 0;
}

/**
 * trace_ext_doorbell() - the writer may have rung, on this CPU
 * @writer:	the writer
 *
 * Context: hard interrupt.
 */
void trace_ext_doorbell(struct trace_ext_writer *writer)
{
	struct rb_ext *ext = buffer_of(writer);

	if (ext)
		rb_ext_doorbell(ext);
	trace_ext_follow_doorbell(writer);
}

/**
 * trace_ext_died() - a writer has died: if its instance is on, dump the last events
 * @writer:	the writer
 *
 * Context: any. From now on the writer's operations must do nothing.
 */
void trace_ext_died(struct trace_ext_writer *writer)
{
	writer->died = true;
	ftrace_dump(DUMP_NONE);
}
