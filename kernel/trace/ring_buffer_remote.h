/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ring buffers that somebody else writes: the hypervisor.
 *
 * ring_buffer.c's public functions come here for a trace_buffer that has a
 * remote, so that the whole of tracefs works on it unchanged. Below are the
 * functions of the same names there, see their descriptions; above them what
 * the remote's driver provides (struct rb_remote_ops) and calls.
 */
#ifndef _KERNEL_TRACE_RING_BUFFER_REMOTE_H
#define _KERNEL_TRACE_RING_BUFFER_REMOTE_H

#include <linux/poll.h>
#include <linux/ring_buffer.h>
#include <linux/trace_remote.h>

struct trace_array;
struct buffer_data_page;

enum rb_remote_stat {
	RB_REMOTE_ENTRIES,
	RB_REMOTE_OVERRUN,
	RB_REMOTE_DROPPED,
	RB_REMOTE_READ,
	RB_REMOTE_BYTES,
	RB_REMOTE_OLDEST_TS,
};

struct trace_buffer *ring_buffer_alloc_remote(struct rb_remote *remote,
					      unsigned long size,
					      unsigned int flags);
struct trace_array *trace_array_create_remote(const char *name,
					      const char *link,
					      const char *systems,
					      struct rb_remote *remote);

u64 rb_remote_clock(void);
int rb_remote_load(struct rb_remote *remote);
unsigned long rb_remote_clamp(struct rb_remote *remote, unsigned long size);
#ifdef CONFIG_RING_BUFFER_REMOTE
void rb_remote_reader_gone(struct rb_remote *remote);
bool rb_remote_name_reserved(const char *name);
#else
/* Macros: so that the compiler does not even see what there is to be left out. */
#define rb_remote_reader_gone(remote)	do { } while (0)
#define rb_remote_name_reserved(name)	false
#endif

void rb_remote_on(struct rb_remote *remote);
void rb_remote_off(struct rb_remote *remote);
void rb_remote_pause(struct rb_remote *remote);
void rb_remote_resume(struct rb_remote *remote);
bool rb_remote_is_on(struct rb_remote *remote);
bool rb_remote_is_set_on(struct rb_remote *remote);
void rb_remote_set_overwrite(struct rb_remote *remote, bool overwrite);
int rb_remote_resize(struct rb_remote *remote, unsigned long size, int cpu);
unsigned long rb_remote_size(struct rb_remote *remote, int cpu);
void rb_remote_reset(struct rb_remote *remote, int cpu);
void rb_remote_set_cpus(struct rb_remote *remote, const struct cpumask *cpus);

struct ring_buffer_event *rb_remote_peek(struct rb_remote *remote, int cpu,
					 u64 *ts, unsigned long *lost);
struct ring_buffer_event *rb_remote_consume(struct rb_remote *remote, int cpu,
					    u64 *ts, unsigned long *lost);
int rb_remote_read_page(struct rb_remote *remote, int cpu,
			struct buffer_data_page **data_page, size_t len, int full);
bool rb_remote_empty(struct rb_remote *remote, int cpu);
u64 rb_remote_stat(struct rb_remote *remote, int cpu, enum rb_remote_stat stat);

void rb_remote_wake(struct rb_remote *remote);
int rb_remote_wait(struct rb_remote *remote, int cpu, int full,
		   ring_buffer_cond_fn cond, void *data);
__poll_t rb_remote_poll(struct rb_remote *remote, int cpu, struct file *filp,
			poll_table *poll_table, int full);

int rb_remote_map(struct rb_remote *remote, int cpu, struct vm_area_struct *vma);
void rb_remote_map_dup(struct rb_remote *remote, int cpu);
int rb_remote_unmap(struct rb_remote *remote, int cpu);
int rb_remote_map_get_reader(struct rb_remote *remote, int cpu);

struct rb_remote_iter;

struct rb_remote_iter *rb_remote_iter_alloc(struct rb_remote *remote, int cpu,
					    gfp_t gfp);
void rb_remote_iter_free(struct rb_remote_iter *iter);
void rb_remote_iter_reset(struct rb_remote_iter *iter);
bool rb_remote_iter_empty(struct rb_remote_iter *iter);
bool rb_remote_iter_dropped(struct rb_remote_iter *iter);
struct ring_buffer_event *rb_remote_iter_peek(struct rb_remote_iter *iter,
					      u64 *ts);
void rb_remote_iter_advance(struct rb_remote_iter *iter);

#endif /* _KERNEL_TRACE_RING_BUFFER_REMOTE_H */
