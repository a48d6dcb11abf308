// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hypervisor's instance: /sys/kernel/tracing/hyp.
 *
 * A trace_array like any other, but for its place and for who writes its
 * buffer: nearly all of its files are ftrace's own.
 */

#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>

#include <trace/events/sched.h>

#include "hyp_events.h"
#include "ring_buffer_ext_internal.h"
#include "trace.h"
#include "trace_ext_test.h"

static struct rb_ext hyp_ext;

/*
 * Whether the task that runs on this CPU is to be traced. ftrace finds that out
 * at each switch, for set_event_pid; here EL2 is told. What it has found out counts
 * only while there is a list: a probe may be late with it.
 */
static void follow_pid(void *unused)
{
	struct trace_array *tr = hyp_ext.tr;
	bool ignore = (rcu_access_pointer(tr->filtered_pids) ||
		       rcu_access_pointer(tr->filtered_no_pids)) &&
		      this_cpu_read(tr->array_buffer.data->ignore_pid);

	hyp_ext.ops->ignore(ignore);
}

/**
 * trace_ext_follow_pids() - set_event_pid or set_event_notrace_pid has changed
 * @ext:	whose instance's, or NULL: that of none
 */
void trace_ext_follow_pids(struct rb_ext *ext)
{
	if (ext)
		on_each_cpu(follow_pid, NULL, true);
}

/*
 * Have the names of tasks at hand when their pids are printed. ftrace saves
 * them when one of its own events is recorded; EL2's are not recorded here. Both:
 * @next may run for long before it is switched from, and @prev may have a new name.
 */
static void probe_sched_switch(void *data, bool preempt,
			       struct task_struct *prev,
			       struct task_struct *next,
			       unsigned int prev_state)
{
	if (hyp_ext.tr->trace_flags & TRACE_ITER_RECORD_CMD) {
		trace_save_cmdline(prev);
		trace_save_cmdline(next);
	}

	follow_pid(NULL);
}

static void follow_current(void *unused)
{
	trace_save_cmdline(current);
	follow_pid(NULL);
}

/* Lower than those of ftrace's own probes, which find out about the next task. */
#define PROBE_PRIO	-1

static void follow_tasks(bool on)
{
	static bool registered;

	if (on && !registered) {
		registered = !register_trace_prio_sched_switch(probe_sched_switch,
							       NULL, PROBE_PRIO);
		if (!registered)
			pr_warn("hyp_trace: can't follow task switches: names of tasks may be missing, and set_event_pid is not heeded\n");
	} else if (!on && registered) {
		unregister_trace_sched_switch(probe_sched_switch, NULL);
		registered = false;
	}

	/* Those that run now may not be switched from for long. */
	if (on)
		on_each_cpu_mask(hyp_ext.tr->tracing_cpumask, follow_current, NULL,
				 true);
}

static struct rb_ext hyp_ext = {
	.name	= "hyp_trace",
	.in_use	= follow_tasks,
};

static const struct trace_ext_ops *registered_ops;

/**
 * trace_ext_register() - there is a hypervisor that can be traced
 * @ops:	how to talk to it
 *
 * Context: before late_initcall_sync().
 */
void __init trace_ext_register(const struct trace_ext_ops *ops)
{
	registered_ops = ops;
}

#define NAME	"hyp"

/* The name is not to be taken by anybody else, unless there is nothing to trace. */
static bool name_is_free;

/**
 * trace_ext_name_reserved() - is this the hypervisor's, whose instance is yet to come?
 * @name:	of an ordinary instance that is to be created
 *
 * Context: trace_types_lock is held, or boot.
 */
bool trace_ext_name_reserved(const char *name)
{
	if (name_is_free || strcmp(name, NAME))
		return false;

	pr_err("hyp_trace: \"" NAME "\" is the hypervisor's instance: choose another name\n");
	return true;
}

static int __init create_instance(const struct trace_ext_ops *ops)
{
	struct trace_array *tr;
	int ret;

	hyp_ext.ops = ops;
	ret = trace_ext_test_fail() ?: rb_ext_init(&hyp_ext);
	if (ret)
		return ret;

	ret = trace_ext_test_fail() ?: hyp_events_init(&hyp_ext.format);
	if (ret)
		goto exit_ext;

	/* To have it fail in the middle a name that none can have will do. */
	tr = trace_array_create_ext(trace_ext_test_fail() ? "/" : NAME,
				       "../" NAME, "hyp,ftrace", &hyp_ext);
	if (IS_ERR(tr)) {
		ret = PTR_ERR(tr);
		goto free_format;
	}

	/* Perfetto knows this name, too. */
	if (trace_ext_test_fail() || !tracefs_create_symlink("hypervisor", NULL, NAME))
		pr_warn("hyp_trace: no link \"hypervisor\", some clients may not find " NAME "\n");

	/* From here on CPUs that come up may get a ring. */
	smp_store_release(&hyp_ext.tr, tr);

	hyp_events_arm(ops);
	trace_ext_test_init(&hyp_ext);
	return 0;

free_format:
	kfree(hyp_ext.format.size);
	hyp_ext.format.size = NULL;
exit_ext:
	rb_ext_exit(&hyp_ext);
	return ret;
}

/* Leave nothing that could be enabled to no effect. */
static void __init do_without(void)
{
	hyp_events_remove();

	guard(mutex)(&trace_types_lock);
	name_is_free = true;
}

/*
 * After trace_eval_sync(), which the Makefile has before us: tracefs is set up
 * by a work, and until that is done there is nowhere to put the directory.
 */
static int __init trace_ext_init(void)
{
	int ret;

	if (!registered_ops) {
		do_without();
		return 0;
	}

	ret = create_instance(registered_ops);
	if (ret) {
		pr_err("hyp_trace: not available: can't create the tracefs instance: %pe\n",
		       ERR_PTR(ret));
		do_without();
	}

	return ret;
}
late_initcall_sync(trace_ext_init);

/* Pairs with create_instance(). */
static bool is_up(void)
{
	return smp_load_acquire(&hyp_ext.tr);
}

/**
 * trace_ext_cpu_online() - a CPU has come up, and can call the hypervisor
 * @cpu:	the CPU; runs this
 *
 * Context: CPU hotplug.
 * Return: 0
 */
int trace_ext_cpu_online(unsigned int cpu)
{
	if (!is_up())
		return 0;

	return rb_ext_cpu_online(&hyp_ext, cpu);
}

/**
 * trace_ext_cpu_dead() - a CPU is off
 * @cpu:	the CPU
 *
 * Context: CPU hotplug.
 * Return: 0
 */
int trace_ext_cpu_dead(unsigned int cpu)
{
	if (is_up())
		rb_ext_rearm(per_cpu_ptr(hyp_ext.cpus, cpu));

	return 0;
}

/**
 * trace_ext_doorbell() - the hypervisor may have an event for us, on this CPU
 *
 * Context: hard interrupt.
 */
void trace_ext_doorbell(void)
{
	if (is_up())
		rb_ext_doorbell(&hyp_ext);
}
