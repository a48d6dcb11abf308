/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Followers of external writers' events: triggers that this kernel executes, histograms
 * among them, perf and BPF.
 */
#ifndef _KERNEL_TRACE_EXT_FOLLOW_H
#define _KERNEL_TRACE_EXT_FOLLOW_H

#include <linux/bits.h>
#include <linux/string.h>
#include <linux/trace_ext_event.h>

#include "delivery.h"

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

int trace_ext_follow(struct trace_ext_event *event, enum trace_ext_by by);
void trace_ext_unfollow(struct trace_ext_event *event, enum trace_ext_by by);
void trace_ext_follow_doorbell(struct trace_ext_writer *writer);
void trace_ext_follow_flush(void);

void trace_ext_follow_online(struct trace_ext_writer *writer, unsigned int cpu);
void trace_ext_follow_dead(struct trace_ext_writer *writer, unsigned int cpu);
void trace_ext_follow_init(struct trace_ext_writer *writer, struct dentry *dir);

#ifdef CONFIG_PERF_EVENTS
int trace_ext_perf_open(struct perf_event *event);
void trace_ext_perf_close(struct perf_event *event);
void trace_ext_perf_add(struct perf_event *event);
void trace_ext_perf_del(struct perf_event *event);
bool trace_ext_perf_is_listening(void);
bool trace_ext_perf_can_deliver(void);
unsigned int trace_ext_perf_deliver(const struct trace_ext_delivery *this);
#else
#define trace_ext_perf_can_deliver()	true
#define trace_ext_perf_deliver(this)	0
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
#define trace_ext_follow_flush()			do { } while (0)
#define trace_ext_default_clock(file)			"global"
#define trace_ext_check_clock(file, clock)		0

#endif

#endif /* _KERNEL_TRACE_EXT_FOLLOW_H */
