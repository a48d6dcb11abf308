/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * External writers: what is different in other versions of Linux. There is a file like this for
 * each; this one is for 6.18.
 */
#ifndef _LINUX_TRACE_EXT_COMPAT_H
#define _LINUX_TRACE_EXT_COMPAT_H

#include <linux/ftrace.h>
#include <linux/trace_events.h>

/**
 * struct trace_ext_graph_entry - ftrace:funcgraph_entry
 * @ent:	its type is TRACE_EXT_GRAPH_ENTRY
 * @call:	the function, and how many others called it
 * @rest:	0: arguments could follow it
 */
struct trace_ext_graph_entry {
	struct trace_entry	ent;
	struct ftrace_graph_ent	call;
	u32			rest;
} __packed;

/* A record of an entry has a rest that is to be filled in. */
static __always_inline void trace_ext_graph_entry_rest(struct trace_ext_graph_entry *record)
{
	record->rest = 0;
}

/**
 * struct trace_ext_graph_return - ftrace:funcgraph_exit
 * @ent:	its type is TRACE_EXT_GRAPH_RETURN
 * @ret:	the function
 * @calltime:	when it was called [ns]
 * @rettime:	when it has returned [ns]
 */
struct trace_ext_graph_return {
	struct trace_entry	ent;
	struct ftrace_graph_ret	ret;
	unsigned long long	calltime;
	unsigned long long	rettime;
} __packed;

/* Put both times [ns] into a record. */
static __always_inline void trace_ext_graph_times(struct trace_ext_graph_return *record,
						  u64 calltime, u64 rettime)
{
	record->calltime = calltime;
	record->rettime = rettime;
}

/* How a histogram gets the time of an event; not of one that waits in another buffer. */
#define trace_ext_own_time(buffer, rbe)	ring_buffer_event_time_stamp(buffer, rbe)

/* An option of an instance (kernel/trace/trace.h). */
#define TRACE_EXT_ITER(name)		TRACE_ITER_##name

/* The options that make this kernel write to an instance. */
#define TRACE_EXT_WRITING_OPTIONS	(TRACE_EXT_ITER(TRACE_PRINTK) | TRACE_EXT_ITER(COPY_MARKER))

/* A file of tracefs that is made gets its inode, and stays until it is removed. */
#define TRACE_EXT_INSTANTIATE(dentry, inode)	d_instantiate(dentry, inode)

/* Works that run on the CPU that schedules them, and works that run on any. */
#define TRACE_EXT_PERCPU_WQ	system_percpu_wq
#define TRACE_EXT_UNBOUND_WQ	system_dfl_wq

#endif /* _LINUX_TRACE_EXT_COMPAT_H */
