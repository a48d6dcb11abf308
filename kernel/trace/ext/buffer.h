/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * External ring buffers: an external writer fills them, and this kernel reads them.
 *
 * For an external trace_buffer, ring_buffer.c's public functions call the functions below
 * of the same names, so that all of tracefs works on it unchanged. Their descriptions are
 * in ring_buffer.c. The cpumask of an external trace_buffer is empty: where ring_buffer.c
 * finds that a CPU is not in it, it uses that CPU's ring here. The writer's driver provides
 * struct trace_ext_ops.
 */
#ifndef _KERNEL_TRACE_EXT_BUFFER_H
#define _KERNEL_TRACE_EXT_BUFFER_H

#include <linux/poll.h>
#include <linux/ring_buffer.h>
#include <linux/trace_ext.h>

struct buffer_data_page;

enum rb_ext_stat {
	RB_EXT_ENTRIES,
	RB_EXT_OVERRUN,
	RB_EXT_DROPPED,
	RB_EXT_READ,
	RB_EXT_BYTES,
	RB_EXT_OLDEST_TS,
};

/**
 * ring_buffer_alloc_ext() - allocate a buffer with an external writer
 * @ext:	the external buffer; outlives the trace_buffer
 * @size:	its size once it is loaded [bytes per CPU]
 * @flags:	attributes of the ring buffer
 *
 * This kernel can't write to it: its cpumask is empty.
 *
 * Return: the buffer, or NULL
 */
struct trace_buffer *ring_buffer_alloc_ext(struct rb_ext *ext,
					   unsigned long size,
					   unsigned int flags);

int rb_ext_prepare(struct rb_ext *ext, unsigned long size, bool overwrite);

/*
 * to_ext() is the external buffer of a trace_buffer, or NULL. rb_ext_iter() and
 * rb_set_ext_iter() do the same for the iterator.
 *
 * These are macros because the structures are private to ring_buffer.c. Without the
 * option they are constants, so that the hooks compile to nothing.
 */
#ifdef CONFIG_RING_BUFFER_EXT
#define to_ext(buffer)				((buffer)->ext)
#define rb_ext_iter(iter)			((iter)->ext)
#define rb_set_ext_iter(iter, ext_iter)		((void)((iter)->ext = (ext_iter)))
void rb_ext_reader_gone(struct rb_ext *ext);
int rb_ext_load(struct rb_ext *ext);
bool rb_ext_is_on(struct rb_ext *ext);
int rb_ext_add_trigger(struct rb_ext *ext, bool starts);
void rb_ext_del_trigger(struct rb_ext *ext, bool started);
void rb_ext_dump_begin(struct rb_ext *ext, bool this_cpu);
void rb_ext_dump_end(struct rb_ext *ext);
#else
#define to_ext(buffer)				((struct rb_ext *)NULL)
#define rb_ext_iter(iter)			((struct rb_ext_iter *)NULL)
#define rb_set_ext_iter(iter, ext_iter)		do { } while (0)
#define rb_ext_reader_gone(ext)			do { } while (0)
#define rb_ext_load(ext)			0
#define rb_ext_is_on(ext)			false
#define rb_ext_dump_begin(ext, this_cpu)	do { } while (0)
#define rb_ext_dump_end(ext)			do { } while (0)
#endif

void rb_ext_on(struct rb_ext *ext);
void rb_ext_off(struct rb_ext *ext);
void rb_ext_pause(struct rb_ext *ext);
void rb_ext_resume(struct rb_ext *ext);
void rb_ext_set_overwrite(struct rb_ext *ext, bool overwrite);
int rb_ext_resize(struct rb_ext *ext, unsigned long size, int cpu);
unsigned long rb_ext_size(struct rb_ext *ext, int cpu);
void rb_ext_reset(struct rb_ext *ext, int cpu);
void rb_ext_set_cpus(struct rb_ext *ext, const struct cpumask *cpus);

struct ring_buffer_event *rb_ext_peek(struct rb_ext *ext, int cpu, u64 *ts, unsigned long *lost);
struct ring_buffer_event *rb_ext_consume(struct rb_ext *ext, int cpu,
					 u64 *ts, unsigned long *lost);
int rb_ext_read_page(struct rb_ext *ext, int cpu,
		     struct buffer_data_page **data_page, size_t len, int full);
void *rb_ext_get_page(struct rb_ext *ext, int cpu);
void *rb_ext_put_page(struct rb_ext *ext, int cpu, void *data);
bool rb_ext_empty(struct rb_ext *ext, int cpu);
u64 rb_ext_stat(struct rb_ext *ext, int cpu, enum rb_ext_stat stat);

void rb_ext_wake(struct rb_ext *ext);
int rb_ext_wait(struct rb_ext *ext, int cpu, int full, ring_buffer_cond_fn cond, void *data);
__poll_t rb_ext_poll(struct rb_ext *ext, int cpu, struct file *filp,
		     poll_table *poll_table, int full);

int rb_ext_map(struct rb_ext *ext, int cpu, struct vm_area_struct *vma);
void rb_ext_map_dup(struct rb_ext *ext, int cpu);
int rb_ext_unmap(struct rb_ext *ext, int cpu);
int rb_ext_map_get_reader(struct rb_ext *ext, int cpu);

struct rb_ext_iter;

struct rb_ext_iter *rb_ext_iter_alloc(struct rb_ext *ext, int cpu, gfp_t gfp);
void rb_ext_iter_free(struct rb_ext_iter *iter);
void rb_ext_iter_reset(struct rb_ext_iter *iter);
bool rb_ext_iter_empty(struct rb_ext_iter *iter);
struct ring_buffer_event *rb_ext_iter_peek(struct rb_ext_iter *iter, u64 *ts, int *missed_events);
void rb_ext_iter_advance(struct rb_ext_iter *iter);
u64 rb_ext_iter_seq(const struct rb_ext_iter *iter);
void rb_ext_iter_seek(struct rb_ext_iter *iter, u64 ts);
bool rb_ext_iter_has_gap(const struct rb_ext_iter *iter, u64 ts);
u64 rb_ext_iter_next_seq(const struct rb_ext_iter *iter);

#endif /* _KERNEL_TRACE_EXT_BUFFER_H */
