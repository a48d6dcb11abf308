// SPDX-License-Identifier: GPL-2.0-only
/*
 * An event of an external writer while it is delivered: what ftrace and perf ask of it. It keeps
 * its own time, task and stack, whatever is current on the CPU that delivers it.
 */

#include <linux/cleanup.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "../trace.h"
#include "delivery.h"

DEFINE_PER_CPU(struct trace_ext_delivery, trace_ext_delivery);

/**
 * trace_ext_delivered_entry() - fill in the head of an event that is being delivered
 * @entry:	the head of any event, which BPF may have overwritten
 * @type:	its type
 *
 * The event keeps its own task, whoever is current now.
 *
 * Return: false if it is another event
 */
bool trace_ext_delivered_entry(struct trace_entry *entry, u16 type)
{
	const struct trace_ext_delivery *this = this_cpu_ptr(&trace_ext_delivery);

	if (!this->rbe || type != this->event->call.event.type)
		return false;

	memcpy(entry, ring_buffer_event_data(this->rbe), sizeof(*entry));
	return true;
}

/**
 * trace_ext_is_delivering() - check whether this CPU delivers an external event
 *
 * Return: true if so
 */
bool trace_ext_is_delivering(void)
{
	return this_cpu_read(trace_ext_delivery.rbe);
}

/**
 * trace_ext_delivered_comm() - get the name of the task that has caused what is being delivered
 * @comm:	filled in with the name: TASK_COMM_LEN bytes
 *
 * Return: false if nothing is being delivered
 */
bool trace_ext_delivered_comm(char *comm)
{
	struct task_struct *task;
	pid_t pid;

	if (!trace_ext_is_delivering())
		return false;

	guard(rcu)();

	pid = trace_ext_delivered_pid(this_cpu_ptr(&trace_ext_delivery));
	task = find_task_by_pid_ns(pid, &init_pid_ns);
	/* The names of tasks that are gone are kept under a lock, which may be held here. */
	strscpy_pad(comm, task ? task->comm : pid ? "<...>" : "<idle>", TASK_COMM_LEN);
	return true;
}

/* Get the same, while something is being delivered. */
char *__trace_ext_event_comm(void)
{
	char *comm = this_cpu_ptr(&trace_ext_delivery)->comm;

	trace_ext_delivered_comm(comm);
	return comm;
}

/*
 * Get the stack of what the writer was called by, and its length. The stack of an event that is
 * delivered late is not known any more: it is empty then.
 */
unsigned int trace_ext_delivered_stack(unsigned long *store, unsigned int size)
{
	const struct trace_ext_delivery *this = this_cpu_ptr(&trace_ext_delivery);

	if (!this->regs || trace_ext_delivered_pid(this) != current->pid)
		return 0;

	return stack_trace_save_regs(this->regs, store, size, 0);
}

/**
 * trace_ext_hist_time() - get the time of an event that a histogram gets
 * @tr:		the histogram's instance
 * @buffer:	the buffer that has the event
 * @rbe:	the event
 *
 * An event that is delivered has a time of its own. While tracing is off, an event of this kernel
 * is in a buffer whose clock is not the instance's.
 *
 * Return: its time by the clock of the instance
 */
u64 trace_ext_hist_time(struct trace_array *tr, struct trace_buffer *buffer,
			struct ring_buffer_event *rbe)
{
	const struct trace_ext_delivery *this = this_cpu_ptr(&trace_ext_delivery);
	struct trace_buffer *own = READ_ONCE(tr->array_buffer.buffer);

	if (rbe && rbe == this->rbe)
		return this->ts;

	return buffer == own ? tracing_event_time_stamp(buffer, rbe) : ring_buffer_time_stamp(own);
}
