/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Followers of external writers' events: triggers that this kernel executes, histograms
 * among them, perf and BPF.
 */
#ifndef _KERNEL_TRACE_EXT_FOLLOW_H
#define _KERNEL_TRACE_EXT_FOLLOW_H

#include <linux/bits.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ring_buffer.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/trace_ext_event.h>

struct perf_event;
struct trace_array;

/**
 * enum trace_ext_by - who follows an event
 * @TRACE_EXT_BY_OWN:	triggers in the writer's instance
 * @TRACE_EXT_BY_ROOT:	triggers at the root
 * @TRACE_EXT_BY_PERF:	perf and BPF
 */
enum trace_ext_by {
	TRACE_EXT_BY_OWN	= BIT(0),
	TRACE_EXT_BY_ROOT	= BIT(1),
	TRACE_EXT_BY_PERF	= BIT(2),
};

#ifdef CONFIG_RING_BUFFER_EXT

/**
 * struct trace_ext_delivery - the event that a CPU delivers
 * @rbe:	the event in a copy of its page, NULL if there is none
 * @event:	its description
 * @cpu:	the CPU where it has happened: this one, unless that is dead
 * @ts:		its time, boot clock [ns]
 * @regs:	what the writer's doorbell has interrupted, NULL if the event is delivered later
 */
struct trace_ext_delivery {
	struct ring_buffer_event	*rbe;
	struct trace_ext_event		*event;
	int				cpu;
	u64				ts;
	struct pt_regs			*regs;
};

DECLARE_PER_CPU(struct trace_ext_delivery, trace_ext_delivery);

/* The task that has caused it, as the writer has recorded it. */
static inline pid_t trace_ext_delivered_pid(const struct trace_ext_delivery *this)
{
	const struct trace_entry *entry = ring_buffer_event_data(this->rbe);

	return entry->pid;
}

bool trace_ext_can_follow(const struct trace_event_call *call);
int trace_ext_follow(struct trace_ext_event *event, enum trace_ext_by by);
void trace_ext_unfollow(struct trace_ext_event *event, enum trace_ext_by by);
void trace_ext_follow_doorbell(struct trace_ext_writer *writer);
void trace_ext_follow_settle(int cpu);
void trace_ext_follow_flush(struct trace_event_file *file);

void trace_ext_follow_online(struct trace_ext_writer *writer, unsigned int cpu);
void trace_ext_follow_dead(struct trace_ext_writer *writer, unsigned int cpu);
void trace_ext_follow_init(struct trace_ext_writer *writer, struct dentry *dir);

bool trace_ext_delivered_time(const struct ring_buffer_event *rbe, u64 *ts);
bool trace_ext_delivered_entry(struct trace_entry *entry, u16 type);
bool trace_ext_delivered_comm(char *comm);
bool trace_ext_is_delivering(void);
unsigned int trace_ext_delivered_stack(unsigned long *store, unsigned int size);
u64 trace_ext_hist_time(struct trace_array *tr, struct trace_buffer *buffer,
			struct ring_buffer_event *rbe);

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

#ifdef CONFIG_PERF_EVENTS
int trace_ext_perf_open(struct perf_event *event);
void trace_ext_perf_close(struct perf_event *event);
void trace_ext_perf_add(struct perf_event *event);
void trace_ext_perf_del(struct perf_event *event);
bool trace_ext_perf_can_deliver(void);
unsigned int trace_ext_perf_deliver(const struct trace_ext_delivery *this);
#else
static inline bool trace_ext_perf_can_deliver(void)
{
	return true;
}

static inline unsigned int trace_ext_perf_deliver(const struct trace_ext_delivery *this)
{
	return 0;
}
#endif

/* An external event has a time of its own, so a histogram can't choose the clock. */
#define TRACE_EXT_CLOCK		"boot"

/**
 * trace_ext_default_clock() - get the clock of a histogram that names none
 * @file:	its event
 *
 * Return: the clock's name
 */
static inline const char *trace_ext_default_clock(const struct trace_event_file *file)
{
	return is_trace_ext_event(file->event_call) ? TRACE_EXT_CLOCK : "global";
}

/**
 * trace_ext_check_clock() - check whether a histogram may have a clock
 * @file:	its event
 * @clock:	the clock's name
 *
 * Return: 0, or -EINVAL
 */
static inline int trace_ext_check_clock(const struct trace_event_file *file, const char *clock)
{
	return is_trace_ext_event(file->event_call) && strcmp(clock, TRACE_EXT_CLOCK) ?
	       -EINVAL : 0;
}

#else

/* Constants, so that the hooks compile to nothing. */
#define trace_ext_follow_flush(file)			do { } while (0)
#define trace_ext_default_clock(file)			"global"
#define trace_ext_check_clock(file, clock)		0
#define trace_ext_delivered_time(rbe, ts)		false
#define trace_ext_delivered_entry(entry, type)		false
#define trace_ext_delivered_comm(comm)			false
#define trace_ext_stack_save(store, size, skip)		stack_trace_save(store, size, skip)
#define trace_ext_hist_time(tr, buffer, rbe)		tracing_event_time_stamp(buffer, rbe)

#endif

#endif /* _KERNEL_TRACE_EXT_FOLLOW_H */
