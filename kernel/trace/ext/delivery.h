/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An event of an external writer while it is delivered to triggers, perf and BPF.
 */
#ifndef _KERNEL_TRACE_EXT_DELIVERY_H
#define _KERNEL_TRACE_EXT_DELIVERY_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/trace_ext_compat.h>
#include <linux/trace_ext_event.h>

struct trace_array;

#ifdef CONFIG_RING_BUFFER_EXT

/**
 * struct trace_ext_delivery - the event that a CPU delivers
 * @rbe:	the event in a copy of its page, NULL if there is none
 * @event:	its description
 * @cpu:	the CPU where it has happened: this one, unless that is dead
 * @ts:		its time, boot clock [ns]
 * @regs:	what the writer's doorbell has interrupted, NULL if the event is delivered later
 * @comm:	room for trace_ext_event_comm()
 */
struct trace_ext_delivery {
	struct ring_buffer_event	*rbe;
	struct trace_ext_event		*event;
	int				cpu;
	u64				ts;
	struct pt_regs			*regs;
	char				comm[TASK_COMM_LEN];
};

DECLARE_PER_CPU(struct trace_ext_delivery, trace_ext_delivery);

/* The task that has caused it, as the writer has recorded it. */
static inline pid_t trace_ext_delivered_pid(const struct trace_ext_delivery *this)
{
	const struct trace_entry *entry = ring_buffer_event_data(this->rbe);

	return entry->pid;
}

bool trace_ext_delivered_entry(struct trace_entry *entry, u16 type);
bool trace_ext_delivered_comm(char *comm);
char *__trace_ext_event_comm(void);
unsigned int trace_ext_delivered_stack(unsigned long *store, unsigned int size);
u64 trace_ext_hist_time(struct trace_array *tr, struct trace_buffer *buffer,
			struct ring_buffer_event *rbe);

/**
 * trace_ext_event_comm() - get the name of the task that has caused an event
 *
 * Return: the name, until the CPU delivers something else
 */
static inline char *trace_ext_event_comm(void)
{
	return trace_ext_is_delivering() && !in_nmi() ? __trace_ext_event_comm() : current->comm;
}

/**
 * trace_ext_stack_save() - get the stack of what has caused an event
 * @store:	filled in with the stack
 * @size:	its maximum length
 * @skip:	what to skip, if the event is of this kernel
 *
 * Inline, as it would have to be skipped otherwise.
 *
 * Return: the length of the stack
 */
static __always_inline unsigned int trace_ext_stack_save(unsigned long *store, unsigned int size,
							 unsigned int skip)
{
	return trace_ext_is_delivering() && !in_nmi() ? trace_ext_delivered_stack(store, size) :
							stack_trace_save(store, size, skip);
}

#else

/* Constants, so that the hooks compile to nothing. */
#define trace_ext_delivered_entry(entry, type)		false
#define trace_ext_delivered_comm(comm)			false
#define trace_ext_event_comm()				(current->comm)
#define trace_ext_stack_save(store, size, skip)		stack_trace_save(store, size, skip)
#define trace_ext_hist_time(tr, buffer, rbe)		trace_ext_own_time(buffer, rbe)

#endif

#endif /* _KERNEL_TRACE_EXT_DELIVERY_H */
