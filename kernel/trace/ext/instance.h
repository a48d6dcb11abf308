/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The instances of external writers: what trace.c and trace_events.c call.
 */
#ifndef _KERNEL_TRACE_EXT_INSTANCE_H
#define _KERNEL_TRACE_EXT_INSTANCE_H

#include <linux/kernel.h>

#include "buffer.h"

struct dentry;
struct trace_array;
struct trace_event;
struct tracer;

/* ftrace_dump_one(), which is private to trace.c. */
typedef void (*trace_ext_dump_one_fn)(struct trace_array *tr, enum ftrace_dump_mode mode);

/**
 * trace_array_create_ext() - create an instance for an external writer
 * @name:	its name, and the name of its directory at the root of tracefs
 * @systems:	its event systems
 * @ext:	its buffer
 *
 * This is in trace.c. The directory is made when tracefs is there.
 *
 * Context: boot, as for the instances of trace_instance=: no lock is held, because boot
 * triggers take event_mutex.
 * Return: the instance, or an ERR_PTR()
 */
struct trace_array *trace_array_create_ext(const char *name, const char *systems,
					   struct rb_ext *ext);

/*
 * trace_array_ext() is the external buffer of an instance, or NULL; trace_ext_creating that of
 * the instance that is being created, during boot. Without the option they are constants,
 * so that the hooks compile to nothing.
 */
#ifdef CONFIG_RING_BUFFER_EXT
extern struct rb_ext *trace_ext_creating;
#define trace_array_ext(tr)			((tr)->ext)
void trace_ext_create_all(void);
struct tracer *trace_ext_tracers(const struct trace_array *tr, struct tracer *all);
int trace_ext_set_flag(const struct trace_array *tr, u64 mask, bool enabled);
void trace_ext_save_vmcoreinfo(void);
bool trace_ext_boot_instance(char *spec, char *events);
void trace_ext_link(struct rb_ext *ext, struct dentry *dir);
bool trace_ext_stays(const struct rb_ext *ext);
void trace_ext_follow_pids(struct rb_ext *ext);
bool trace_ext_prints_numbers(const struct trace_array *tr, const struct trace_event *event);
void trace_ext_find_cmdline(const struct trace_array *tr, int pid, char *comm);
void trace_ext_dump(enum ftrace_dump_mode mode, const char *names, trace_ext_dump_one_fn dump_one);
#else
#define trace_ext_creating			((struct rb_ext *)NULL)
#define trace_array_ext(tr)			((struct rb_ext *)NULL)
#define trace_ext_create_all()			do { } while (0)
#define trace_ext_tracers(tr, all)		(all)
#define trace_ext_set_flag(tr, mask, enabled)	0
#define trace_ext_save_vmcoreinfo()		do { } while (0)
#define trace_ext_boot_instance(spec, events)	false
#define trace_ext_link(ext, dir)		do { } while (0)
#define trace_ext_stays(ext)			false
#define trace_ext_follow_pids(ext)		do { } while (0)
#define trace_ext_prints_numbers(tr, event)	false
#define trace_ext_find_cmdline(tr, pid, comm)	trace_find_cmdline(pid, comm)
#define trace_ext_dump(mode, names, dump_one)	do { } while (0)
#endif

#endif /* _KERNEL_TRACE_EXT_INSTANCE_H */
