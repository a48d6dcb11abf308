// SPDX-License-Identifier: GPL-2.0-only
/*
 * The instances of external writers, at the root of tracefs.
 *
 * An instance is a trace_array like any other, except for its directory and its buffer.
 * Nearly all of its files are ftrace's own.
 */

#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>

#include <trace/events/sched.h>

#include "ring_buffer_ext_internal.h"
#include "trace.h"
#include "trace_ext_events.h"
#include "trace_ext_test.h"

/* Writers -------------------------------------------------------------------------- */

/* Registered writers in the order of registration, and where the next one is linked. */
static struct trace_ext_writer *writers;
static struct trace_ext_writer **next_writer __initdata = &writers;

/* The buffer of a writer, or NULL if it has none yet; pairs with create_instance(). */
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
		ext->ops->ignore(ignore);
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

	if (ext->tr->trace_flags & TRACE_ITER_RECORD_CMD) {
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
static bool is_wanted(const struct rb_ext *ext, enum ftrace_dump_mode mode)
{
	switch (mode) {
	case DUMP_ALL:
		return is_named(ftrace_dump_on_oops, ext->writer->name);
	case DUMP_NONE:
		return ext->writer->died && READ_ONCE(ext->on);
	default:
		return false;
	}
}

/**
 * trace_ext_dump() - the part of ftrace_dump() for external instances
 * @mode:	the mode of ftrace_dump(). With DUMP_ALL (sysrq-z) dump the instances that
 *		ftrace_dump_on_oops names; with DUMP_NONE those that are on, and whose
 *		writer has died
 * @dump_one:	ftrace_dump_one()
 */
void trace_ext_dump(enum ftrace_dump_mode mode, trace_ext_dump_one_fn dump_one)
{
	struct trace_ext_writer *writer;
	struct rb_ext *ext;

	for (writer = writers; writer; writer = writer->next) {
		ext = buffer_of(writer);
		if (ext && is_wanted(ext, mode))
			dump_one(ext->tr, DUMP_ALL);
	}
}

/* Creation ------------------------------------------------------------------------- */

struct rb_ext *creating_ext;

/**
 * trace_ext_register() - register an external writer
 * @writer:	the writer; never freed
 *
 * Context: before late_initcall_sync().
 */
void __init trace_ext_register(struct trace_ext_writer *writer)
{
	*next_writer = writer;
	next_writer = &writer->next;
}

/**
 * trace_ext_name_reserved() - check whether an external writer will need this name
 * @name:	name of an ordinary instance that is to be created
 *
 * A writer that is not registered yet can be found by its events. The events are removed
 * if there is no such writer; and once its instance exists, its name is taken.
 *
 * Context: event_mutex is held, or boot.
 * Return: true if the name is reserved
 */
bool trace_ext_name_reserved(const char *name)
{
	const struct trace_ext_writer *writer;
	struct trace_event_call *call;

	list_for_each_entry(call, &ftrace_events, list) {
		if (!is_trace_ext_event(call))
			continue;

		writer = to_trace_ext_event(call)->writer;
		if (strcmp(writer->name, name))
			continue;

		pr_err("%s: \"%s\" is an external writer's instance: choose another name\n",
		       writer->label, name);
		return true;
	}

	return false;
}

static struct rb_ext * __init buffer_create(struct trace_ext_writer *writer)
{
	struct rb_ext *ext = kzalloc(sizeof(*ext), GFP_KERNEL);
	int ret;

	if (!ext)
		return ERR_PTR(-ENOMEM);

	ext->name = writer->label;
	ext->writer = writer;
	ext->ops = writer->ops;
	ext->in_use = follow_tasks;
	ret = trace_ext_test_fail() ?: rb_ext_init(ext);
	if (ret)
		goto free_ext;

	ret = trace_ext_test_fail() ?: trace_ext_format_init(writer, &ext->format);
	if (ret)
		goto exit_ext;

	return ext;

exit_ext:
	rb_ext_exit(ext);
free_ext:
	kfree(ext);
	return ERR_PTR(ret);
}

static void __init buffer_free(struct rb_ext *ext)
{
	kfree(ext->format.size);
	rb_ext_exit(ext);
	kfree(ext);
}

static int __init create_instance(struct trace_ext_writer *writer)
{
	struct rb_ext *ext = buffer_create(writer);
	struct trace_array *tr;

	if (IS_ERR(ext))
		return PTR_ERR(ext);

	/* A test makes this fail halfway by a name that is not valid. */
	tr = trace_array_create_ext(trace_ext_test_fail() ? "/" : writer->name,
				    writer->link, writer->systems, ext);
	if (IS_ERR(tr)) {
		buffer_free(ext);
		return PTR_ERR(tr);
	}

	if (writer->alias &&
	    (trace_ext_test_fail() ||
	     !tracefs_create_symlink(writer->alias, NULL, writer->name)))
		pr_warn("%s: no link \"%s\", some clients may not find %s\n",
			writer->label, writer->alias, writer->name);

	ext->tr = tr;
	/* From here on, CPUs that come online may get a ring. */
	smp_store_release(&writer->ext, ext);

	trace_ext_events_arm(writer);
	trace_ext_test_init(ext);
	if (writer->created)
		writer->created(tr->dir);
	return 0;
}

/*
 * Runs after trace_eval_sync(), which is earlier in the Makefile: a work sets up tracefs,
 * and the directory can only be created after that.
 */
static int __init trace_ext_init(void)
{
	struct trace_ext_writer *writer;
	int ret;

	for (writer = writers; writer; writer = writer->next) {
		ret = create_instance(writer);
		if (ret)
			pr_err("%s: not available: can't create the tracefs instance: %pe\n",
			       writer->label, ERR_PTR(ret));
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
