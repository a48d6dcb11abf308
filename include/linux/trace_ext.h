/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * External writers: who else writes trace events into rings of the layout of
 * linux/ext_ring.h, the hypervisor say. Each has an instance of its own in tracefs.
 *
 * This is what a writer's driver gives to tracing, and calls.
 * Documentation/trace/external-writers.rst says how to add a writer.
 */
#ifndef _LINUX_TRACE_EXT_H
#define _LINUX_TRACE_EXT_H

#include <linux/cpumask.h>
#include <linux/ext_ring.h>
#include <linux/types.h>

struct dentry;
struct rb_ext;

/**
 * struct trace_ext_ring - memory of one CPU's ring
 * @cpu:	its CPU
 * @nr_slots:	pages in the ring
 * @meta:	where the writer publishes its position
 * @pages:	@nr_slots + 1 pages, by id
 */
struct trace_ext_ring {
	int			cpu;
	u32			nr_slots;
	struct ext_ring_meta	*meta;
	struct ext_ring_page	**pages;
};

/**
 * enum trace_ext_mode - what the writer is to do with events
 * @TRACE_EXT_OFF:	record none
 * @TRACE_EXT_DRAIN:	finish what has begun, and begin nothing
 * @TRACE_EXT_ON:	record them
 *
 * Between off and on, both ways, there is drain.
 */
enum trace_ext_mode {
	TRACE_EXT_OFF,
	TRACE_EXT_DRAIN,
	TRACE_EXT_ON,
};

/**
 * struct trace_ext_ops - how to talk to the writer
 * @start:	before the first ring is loaded: set up its clock
 * @stop:	after the last one is unloaded: nothing of tracing is in anybody's way
 * @load:	give it a ring, closed
 * @unload:	take the ring back, and the counts of what it wrote and dropped
 * @sync:	have that online CPU, or all with -1, pass through the writer's
 *		quiescent state, with its ring open unless @set_cpus or @ignore
 *		is against it. A CPU whose ring is closed, and stays so, is left alone
 * @is_open:	may that CPU be writing? A hint: it may open its ring at any time
 * @set_cpus:	record events of these CPUs only, from now on; at first of all
 * @ignore:	record none of this CPU's events, from now on, or do. Interrupts are
 *		off. NULL if the events are not those of tasks
 * @set_mode:	record events or not; and a full ring loses the oldest events with
 *		@overwrite, else the newest. Any context.
 * @swap_page:	see struct ext_ring_swap; -EAGAIN if there is nothing. Any context.
 * @reset:	empty a ring
 * @enable:	the event of that number (struct trace_ext_event) is to be recorded with
 *		type @type, or not at all if that is 0
 * @set_alarm:	have trace_ext_doorbell() called on CPU @cpu when an event comes to be
 *		at position @pos or later; once, and instead of what was asked for
 *		before. On that CPU with interrupts off, or while it is off or its ring
 *		closed: else -EBUSY. NULL if the writer can't, then those who wait look
 *		themselves
 *
 * Those that return int return 0 or a negative errno, and have said why in the
 * kernel log. All but the ones marked may sleep. CPU hotplug is held off by the
 * caller of @start, @stop, @unload, @sync, @set_cpus and @reset. @sync may run in
 * parallel to @unload and @set_cpus.
 */
struct trace_ext_ops {
	int	(*start)(void);
	void	(*stop)(void);
	int	(*load)(const struct trace_ext_ring *ring);
	int	(*unload)(const struct trace_ext_ring *ring, u64 *seq,
			  u64 *dropped);
	void	(*sync)(int cpu);
	bool	(*is_open)(int cpu);
	void	(*set_cpus)(const struct cpumask *cpus);
	void	(*ignore)(bool ignore);
	void	(*set_mode)(enum trace_ext_mode mode, bool overwrite);
	int	(*swap_page)(int cpu, struct ext_ring_swap *swap);
	int	(*reset)(int cpu);
	int	(*enable)(unsigned int event, u16 type);
	int	(*set_alarm)(int cpu, u64 pos);
};

/**
 * enum trace_ext_error - what an error_log says that an event can't do
 * @TRACE_EXT_ERR_FILTER:	have a filter
 * @TRACE_EXT_ERR_ELSEWHERE:	be recorded in another instance
 * @TRACE_EXT_ERR_TRIGGER:	have a trigger, or be enabled by one
 * @TRACE_EXT_ERR_PROBE:	have an event probe
 * @TRACE_EXT_ERR_PERF:		be perf's
 * @TRACE_EXT_NR_ERRORS:	how many there are
 */
enum trace_ext_error {
	TRACE_EXT_ERR_FILTER,
	TRACE_EXT_ERR_ELSEWHERE,
	TRACE_EXT_ERR_TRIGGER,
	TRACE_EXT_ERR_PROBE,
	TRACE_EXT_ERR_PERF,
	TRACE_EXT_NR_ERRORS,
};

/**
 * struct trace_ext_writer - an external writer, whose time stamps are of the boot clock
 * @name:	its instance, and the directory of that at the root of tracefs
 * @alias:	another name of the directory, or NULL
 * @link:	what instances/@name points to, "../" and @name
 * @systems:	the event systems of the instance: the writer's, which no other writer
 *		has, and "ftrace"
 * @label:	prefix of messages in the kernel log
 * @location:	what an error_log says that its messages are about
 * @errors:	those messages
 * @ops:	how to talk to it
 * @created:	called when its instance is there, with its directory; or NULL
 * @ext:	its buffer, NULL as long as it has no instance
 * @armed:	its events can be enabled; under event_mutex
 * @next:	the writer that is registered next
 *
 * The last three are trace_ext.c's.
 */
struct trace_ext_writer {
	const char			*name;
	const char			*alias;
	const char			*link;
	const char			*systems;
	const char			*label;
	const char			*location;
	const char			*errors[TRACE_EXT_NR_ERRORS];
	const struct trace_ext_ops	*ops;
	void				(*created)(struct dentry *dir);

	struct rb_ext			*ext;
	bool				armed;
	struct trace_ext_writer		*next;
};

void trace_ext_register(struct trace_ext_writer *writer);
int trace_ext_cpu_online(struct trace_ext_writer *writer, unsigned int cpu);
int trace_ext_cpu_dead(struct trace_ext_writer *writer, unsigned int cpu);
void trace_ext_doorbell(struct trace_ext_writer *writer);

#endif /* _LINUX_TRACE_EXT_H */
