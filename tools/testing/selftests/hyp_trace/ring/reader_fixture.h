/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's reader of an external ring, in user space: reader_page.c, read.c, stat.c and iter.c
 * of kernel/trace/ext/, unchanged, with one CPU's ring in pages of the test.
 */
#ifndef READER_FIXTURE_H
#define READER_FIXTURE_H

#include <stdarg.h>
#include <stdio.h>

#include <linux/mm.h>

#include "internal.h"

#define TYPE		100		/* type of the tests' events */

/* An event as EL2 writes it: the trace_entry, a number, and a check of the number. */
struct record {
	u16	type;
	u8	flags;
	u8	preempt_count;
	s32	pid;
	u64	id;
	u64	check;
} __attribute__((packed, aligned(4)));

/* A record's check; it depends on the number and the time stamp. */
static inline u64 check_of(u64 id, u64 ts)
{
	return id * 0x9e3779b97f4a7c15ull ^ ts;
}

unsigned int nr_messages;		/* but for those on what a dump has lost */
char last_message[256];

/* Called by the reader, with its lock held. */
void message(const char *fmt, ...)
{
	va_list args;

	if (!strstr(fmt, "during the dump"))
		__atomic_add_fetch(&nr_messages, 1, __ATOMIC_RELAXED);
	va_start(args, fmt);
	vsnprintf(last_message, sizeof(last_message), fmt, args);
	va_end(args);
	last_message[strcspn(last_message, "\n")] = '\0';
}

_Thread_local struct lock_use lock_use;
_Thread_local struct task_struct task_of_thread;

/* The reader, and the memory that it shares with the writer. */
struct reader {
	struct rb_ext		ext;
	struct trace_ext_writer	writer;
	struct rb_ext_cpu	c;
	struct trace_ext_ring	ring;
	struct ext_ring_meta	meta;
};

/* No page is kept for other readers. */
void *rb_ext_get_page(struct rb_ext *ext, int cpu)
{
	return page_new();
}

void *rb_ext_keep_page(struct rb_ext_cpu *c, void *page)
{
	return page;
}

static u16 type_sizes[TYPE + 1] = { [TYPE] = sizeof(struct record) };

/* Set the reader up; @pages are from page_new(). */
static inline void reader_init(struct reader *r, struct ext_ring_page **pages,
			       u32 nr_slots, u32 nr_pages, const struct trace_ext_ops *ops)
{
	*r = (struct reader) {
		.ext.name = "test",
		.ext.ops = ops,
		.ext.format = { TYPE + 1, type_sizes },
		.ext.cpus = &r->c,
		.ext.on = true,
		.ext.writer = &r->writer,
		.ring.nr_slots = nr_slots,
		.ring.nr_pages = nr_pages,
		.ring.meta = &r->meta,
		.ring.pages = pages,
		.c.ext = &r->ext,
		.c.nr_slots = nr_slots,
		.c.ring = &r->ring,
		.c.slot_id = calloc(nr_pages, sizeof(u32)),
		.c.give = nr_slots,
		.c.copy = page_new(),
		.c.event = calloc(1, sizeof(struct ext_ring_page)),
		.c.dump_copy = calloc(1, sizeof(struct ext_ring_page)),
	};
	pthread_mutex_init(&r->c.lock, NULL);
	rb_ext_slots_init(r->c.slot_id, nr_pages);
	rb_ext_rewind(&r->c, 0);
}

static inline void reader_destroy(struct reader *r)
{
	free(r->c.slot_id);
	free_page((unsigned long)r->c.copy);
	free(r->c.event);
	free(r->c.dump_copy);
	pthread_mutex_destroy(&r->c.lock);
}

/* An event's payload; the encoding is that of ext_ring_head(). */
static inline const struct record *record_of(const struct ring_buffer_event *event)
{
	const u32 *head = (const u32 *)event;

	return (const struct record *)(head[0] & 31 ? head + 1 : head + 2);
}

/* The size of the payload, by the event's header. */
static inline u32 size_of(const struct ring_buffer_event *event)
{
	const u32 *head = (const u32 *)event;

	return head[0] & 31 ? (head[0] & 31) * 4 : head[1] - 4;
}

#endif /* READER_FIXTURE_H */
