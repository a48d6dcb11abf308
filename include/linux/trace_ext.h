/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * External writers: code outside of this kernel's tracepoints (the hypervisor, say) that
 * writes trace events into rings with the layout of linux/ext_ring.h. Each writer has its
 * own instance in tracefs.
 *
 * This is the interface between a writer's driver and tracing.
 * Documentation/trace/external-writers.rst describes how to add a writer.
 */
#ifndef _LINUX_TRACE_EXT_H
#define _LINUX_TRACE_EXT_H

#include <linux/cpumask.h>
#include <linux/ext_filter.h>
#include <linux/ext_ring.h>
#include <linux/types.h>

struct dentry;
struct rb_ext;
struct seq_buf;
struct trace_ext_functions;
struct trace_ext_writer;

/**
 * struct trace_ext_ring - memory of one CPU's ring
 * @cpu:	its CPU
 * @reserved:	its memory survives a reboot, and is never freed
 * @nr_slots:	pages in the ring
 * @nr_pages:	the same, with the spares
 * @meta:	where the writer publishes its position
 * @pages:	@nr_pages pages, by id
 */
struct trace_ext_ring {
	int			cpu;
	bool			reserved;
	u32			nr_slots;
	u32			nr_pages;
	struct ext_ring_meta	*meta;
	struct ext_ring_page	**pages;
};

/**
 * enum trace_ext_mode - what the writer does with events
 * @TRACE_EXT_OFF:	record no events
 * @TRACE_EXT_DRAIN:	complete event pairs that have begun, and begin none
 * @TRACE_EXT_ON:	record all enabled events
 *
 * A change between off and on, in either direction, passes through drain.
 */
enum trace_ext_mode {
	TRACE_EXT_OFF,
	TRACE_EXT_DRAIN,
	TRACE_EXT_ON,
};

/**
 * enum trace_ext_action - what an event that is a trigger does
 * @TRACE_EXT_NO_ACTION: it is none
 * @TRACE_EXT_STOP:	stop recording, after this event
 * @TRACE_EXT_START:	start recording, with this event
 * @TRACE_EXT_STACK_TRACE: record the stack, after this event
 */
enum trace_ext_action {
	TRACE_EXT_NO_ACTION,
	TRACE_EXT_STOP,
	TRACE_EXT_START,
	TRACE_EXT_STACK_TRACE,
};

/**
 * struct trace_ext_ops - how to talk to the writer
 * @start:	called before the first ring is opened: set up the writer's clock. mmap() may load
 *		a ring before that
 * @stop:	called after the rings are unloaded, but for those that user space has mapped:
 *		remove all overhead of tracing
 * @load:	give the writer a ring, closed
 * @unload:	take the ring back; return the number of events written and dropped
 * @sync:	make an online CPU, or all with -1, pass through the writer's quiescent
 *		state and open its ring, unless @set_cpus or @ignore excludes it. Does
 *		not disturb a CPU whose ring is closed and stays closed
 * @is_open:	true if the CPU's ring may be open. A hint: the CPU may open it at any
 *		time
 * @set_cpus:	record events of these CPUs only. Initially all CPUs are recorded
 * @ignore:	stop (true) or resume (false) recording on this CPU. Interrupts are
 *		off
 * @set_mode:	set the mode. If @overwrite, a full ring loses the oldest events, else
 *		the newest. Any context.
 * @swap_page:	swap the spare page with id @spare, see struct ext_ring_swap; -EAGAIN if no page
 *		is available, -EINVAL if that one is no spare. Any context.
 * @reset:	empty a ring; return the sequence number of its next event. Spares stay spares
 * @enable:	record the event of that number (struct trace_ext_event) with type
 *		@type, or disable it if @type is 0
 * @set_filter:	record the event of that number only if @nr comparisons @preds let it pass,
 *		whose places count from EXT_FILTER_FIRST; always, if @nr is 0, which must not
 *		fail. On failure, change nothing. -ENOSPC if there is no room for as many:
 *		error_log has the reason then. NULL if the writer can't filter
 * @set_trigger: have the event of that number do something when @nr comparisons @preds let it
 *		pass, @count times at most (-1: without a limit). It does not do so before; and
 *		it does not both stop and start recording. Otherwise as @set_filter. NULL if the
 *		writer has no triggers; with it are @del_trigger, @trigger_left, @set_running
 *		and @is_running
 * @del_trigger: have the event no longer do that
 * @trigger_left: how often the event may still do that; -1: without a limit
 * @set_stacks:	record the stack after each event, or (false) do not. NULL if the writer can't
 * @mark:	record what a user has written to trace_marker: @len characters, 1 to
 *		TRACE_EXT_MARK_MAX, without a line feed at the end; @ip is where in this kernel.
 *		-EBADF if nothing is recorded just now. NULL if the writer can't
 * @set_running: in mode TRACE_EXT_ON, stop or start recording, as triggers do. Any context
 * @is_running:	whether triggers or @set_running let events be recorded. Any context
 * @seen:	a reader has read events, and has closed its file. Any context
 * @set_alarm:	call trace_ext_doorbell() on CPU @cpu at the next event at position
 *		@pos or later, once. Replaces an earlier alarm. Called on that CPU with
 *		interrupts off, or while it is offline or its ring is closed; otherwise
 *		returns -EBUSY. NULL if the writer can't: waiting readers then poll
 *
 * @start, @load, @unload, @swap_page and @enable are always there, and so is @reset but for a
 * follower. Any other may be NULL: then there is nothing to do, unless its description says
 * otherwise.
 *
 * Functions that return int return 0 or a negative errno. All but @swap_page, @set_alarm and @mark
 * log the reason of a failure. They may sleep, unless marked otherwise. The caller of @start,
 * @stop, @unload, @sync, @set_cpus and @reset holds off CPU hotplug. @sync may run in parallel to
 * @unload and @set_cpus.
 */
struct trace_ext_ops {
	int	(*start)(struct trace_ext_writer *writer);
	void	(*stop)(struct trace_ext_writer *writer);
	int	(*load)(struct trace_ext_writer *writer, const struct trace_ext_ring *ring);
	int	(*unload)(struct trace_ext_writer *writer, const struct trace_ext_ring *ring,
			  u64 *seq, u64 *dropped);
	void	(*sync)(struct trace_ext_writer *writer, int cpu);
	bool	(*is_open)(struct trace_ext_writer *writer, int cpu);
	void	(*set_cpus)(struct trace_ext_writer *writer, const struct cpumask *cpus);
	void	(*ignore)(struct trace_ext_writer *writer, bool ignore);
	void	(*set_mode)(struct trace_ext_writer *writer, enum trace_ext_mode mode,
			    bool overwrite);
	int	(*swap_page)(struct trace_ext_writer *writer, int cpu, u32 spare,
			     struct ext_ring_swap *swap);
	int	(*reset)(struct trace_ext_writer *writer, int cpu, u64 *seq);
	int	(*enable)(struct trace_ext_writer *writer, unsigned int event, u16 type);
	int	(*set_filter)(struct trace_ext_writer *writer, unsigned int event,
			      const struct ext_filter_pred *preds, unsigned int nr);
	int	(*set_trigger)(struct trace_ext_writer *writer, unsigned int event,
			       enum trace_ext_action action, long count,
			       const struct ext_filter_pred *preds, unsigned int nr);
	void	(*del_trigger)(struct trace_ext_writer *writer, unsigned int event,
			       enum trace_ext_action action);
	long	(*trigger_left)(struct trace_ext_writer *writer, unsigned int event,
				enum trace_ext_action action);
	int	(*set_stacks)(struct trace_ext_writer *writer, bool on);
	int	(*mark)(struct trace_ext_writer *writer, unsigned long ip, const char *text,
			size_t len);
	void	(*set_running)(struct trace_ext_writer *writer, bool on);
	bool	(*is_running)(struct trace_ext_writer *writer);
	int	(*set_alarm)(struct trace_ext_writer *writer, int cpu, u64 pos);
	void	(*seen)(struct trace_ext_writer *writer);
};

/**
 * enum trace_ext_error - messages in error_log: what an external event can't do
 * @TRACE_EXT_ERR_FILTER:	have a filter at all, or in another instance
 * @TRACE_EXT_ERR_OPERAND:	have a filter that compares anything but numbers
 * @TRACE_EXT_ERR_SIZE:		... that compares a field of that size
 * @TRACE_EXT_ERR_LENGTH:	... that is so long
 * @TRACE_EXT_ERR_ROOM:		... for which there is no room beside the others
 * @TRACE_EXT_ERR_ELSEWHERE:	be recorded in another instance
 * @TRACE_EXT_ERR_TRIGGER:	have a trigger, or not yet, or be enabled by one
 * @TRACE_EXT_ERR_COMMAND:	have that trigger in its writer's instance
 * @TRACE_EXT_ERR_PROBE:	have an event probe
 * @TRACE_EXT_ERR_PERF:		be used by perf, if its writer has no follower
 * @TRACE_EXT_ERR_FUNCTION:	not an event: no function of the writer has that name
 * @TRACE_EXT_NR_ERRORS:	number of messages
 */
enum trace_ext_error {
	TRACE_EXT_ERR_FILTER,
	TRACE_EXT_ERR_OPERAND,
	TRACE_EXT_ERR_SIZE,
	TRACE_EXT_ERR_LENGTH,
	TRACE_EXT_ERR_ROOM,
	TRACE_EXT_ERR_ELSEWHERE,
	TRACE_EXT_ERR_TRIGGER,
	TRACE_EXT_ERR_COMMAND,
	TRACE_EXT_ERR_PROBE,
	TRACE_EXT_ERR_PERF,
	TRACE_EXT_ERR_FUNCTION,
	TRACE_EXT_NR_ERRORS,
};

/* Messages of each writer: @what are its events, @dir is the directory of its instance. */
#define TRACE_EXT_ERRORS(what, dir)						\
	[TRACE_EXT_ERR_ELSEWHERE] = what " are recorded in " dir ", not here",	\
	[TRACE_EXT_ERR_PROBE] = what " can't be probed"

/* Messages of a writer that has no filters, no triggers and no follower. */
#define TRACE_EXT_PLAIN_ERRORS(what, dir)					\
	TRACE_EXT_ERRORS(what, dir),						\
	[TRACE_EXT_ERR_FILTER] = what " can't be filtered; write 0 for no filter", \
	[TRACE_EXT_ERR_TRIGGER] = what " have no triggers, and none can enable them", \
	[TRACE_EXT_ERR_PERF] = what " are not perf's: read them in " dir

/**
 * struct trace_ext_writer - an external writer; its time stamps are boot clock
 * @name:	name of its instance, and of the directory at the root of tracefs
 * @alias:	another name of the directory, or NULL
 * @link:	target of the link instances/@name: "../" and @name
 * @systems:	the event systems of the instance: the writer's, which no other writer
 *		has, and "ftrace"
 * @label:	prefix of messages in the kernel log
 * @location:	location of its messages in error_log
 * @errors:	its messages in error_log
 * @ops:	operations of its driver
 * @follower:	its follower: the same writer with other operations, @name, @label and @ops are
 *		set; NULL if its events can't be followed. Of @ops, it has @start, @stop,
 *		@load, @unload, @sync, @is_open and @swap_page for a second ring on each CPU,
 *		and @enable for the events that go there, whatever the first ring records.
 *		After events there, it calls trace_ext_doorbell() on their CPU, if it has
 *		alarms
 * @functions:	its functions that can be traced, or NULL
 * @source:	the writer whose events of an earlier boot it shows, and does nothing else;
 *		NULL if it records events
 * @size:	size of its buffer [bytes per CPU]; 0 for that of other instances
 * @dump_events: number of events that a dump in a crash shows at most, of all CPUs together
 * @clean:	write memory that survives a reboot from the caches to where it survives; any
 *		context. Needed with trace_ext_mem_init() only
 * @created:	called with the directory of its instance when that exists; or NULL
 * @ext:	its buffer, NULL while it has no instance
 * @registered:	its operations can be called
 * @armed:	its events can be enabled; protected by event_mutex
 * @died:	it will never write again
 * @next:	the next writer
 *
 * The last five are private to kernel/trace.
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
	struct trace_ext_writer		*follower;
	const struct trace_ext_functions *functions;
	struct trace_ext_writer		*source;
	unsigned long			size;
	unsigned int			dump_events;
	void				(*clean)(const void *start, size_t size);
	void				(*created)(struct dentry *dir);

	struct rb_ext			*ext;
	bool				registered;
	bool				armed;
	bool				died;
	struct trace_ext_writer		*next;
};

/**
 * trace_ext_is_frozen() - test whether a writer only shows what an earlier boot has left
 * @writer:	the writer
 *
 * Return: true if so: nothing is ever added, and the clock is that boot's
 */
static inline bool trace_ext_is_frozen(const struct trace_ext_writer *writer)
{
	return writer->source;
}

/**
 * struct trace_ext_excerpt - the events of a CPU in a span of time
 * @cpu:	the CPU
 * @from:	the beginning, boot clock [ns]
 * @to:		the end, boot clock [ns]
 * @first_seq:	sequence number that an event at the beginning would have; U64_MAX if that is not
 *		known
 * @end_seq:	the same of one behind the end
 * @nr:		filled in: number of events that were found
 * @nr_shown:	filled in: of these, those for whose text there was room
 * @lost:	filled in: number of events that were not there any more; U64_MAX if there have
 *		been such events, and how many is not known
 */
struct trace_ext_excerpt {
	int	cpu;
	u64	from;
	u64	to;
	u64	first_seq;
	u64	end_seq;
	u64	nr;
	u64	nr_shown;
	u64	lost;
};

int trace_ext_excerpt(struct trace_ext_writer *writer, struct trace_ext_excerpt *excerpt,
		      struct seq_buf *text);
void trace_ext_register(struct trace_ext_writer *writer);
int trace_ext_cpu_online(struct trace_ext_writer *writer, unsigned int cpu);
int trace_ext_cpu_dead(struct trace_ext_writer *writer, unsigned int cpu);
void trace_ext_doorbell(struct trace_ext_writer *writer);
void trace_ext_died(struct trace_ext_writer *writer);

#ifdef CONFIG_RING_BUFFER_EXT
bool trace_ext_is_delivering(void);
#else
#define trace_ext_is_delivering()	false
#endif

#endif /* _LINUX_TRACE_EXT_H */
