/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the driver of an external writer gives to tracing.
 */
#ifndef _LINUX_TRACE_EXT_H
#define _LINUX_TRACE_EXT_H

#include <linux/cpumask.h>
#include <linux/ext_ring.h>
#include <linux/types.h>

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
 *		off
 * @set_on:	record events or not; in between, both ways, there is "finish what
 *		has begun", with @draining. Any context.
 * @swap_page:	see struct ext_ring_swap; -EAGAIN if there is nothing. Any context.
 * @reset:	empty a ring
 * @enable:	event number @event (hyp_event_ids.h) is to be recorded with type
 *		@type, or not at all if that is 0
 * @set_alarm:	have trace_ext_doorbell() called on CPU @cpu when an event comes to be
 *		at position @pos or later; once, and instead of what was asked for
 *		before. On that CPU with interrupts off, or while it is off or its ring
 *		closed: else -EBUSY. NULL if the writer can't, then those who wait look
 *		themselves
 * @write_event: have a "selftest" event recorded on this CPU; tests only, and
 * @test:	so is this: see enum hyp_trace_test_action
 *
 * Those that return int return 0 or a negative errno, and have said why in the
 * kernel log. All but the ones marked may sleep. CPU hotplug is held off by the
 * caller of @start, @stop, @unload, @sync, @set_cpus and @reset.
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
	void	(*set_on)(bool on, bool draining, bool overwrite);
	int	(*swap_page)(int cpu, struct ext_ring_swap *swap);
	int	(*reset)(int cpu);
	int	(*enable)(unsigned int event, u16 type);
	int	(*set_alarm)(int cpu, u64 pos);
	void	(*write_event)(u64 id);
	int	(*test)(u64 action, u64 arg);
};

void trace_ext_register(const struct trace_ext_ops *ops);
int trace_ext_cpu_online(unsigned int cpu);
int trace_ext_cpu_dead(unsigned int cpu);
void trace_ext_doorbell(void);

#endif /* _LINUX_TRACE_EXT_H */
