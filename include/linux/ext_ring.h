/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ext_ring - the per-CPU trace ring that an external writer fills and this kernel reads
 *
 * The two sides share the layout of a page, of the meta page, and the meaning of
 * a position. Documentation/trace/hyp-ring.rst derives the algorithm; the writer is
 * kernel/trace/ext_ring.c, the reader ring_buffer_ext.c and its parts.
 *
 * Vocabulary
 *   position  monotonic number of a page in the stream of one CPU, from 0
 *   slot      position % nr_slots: where the ring keeps the page of a position
 *   id        index of a page in the table given to the writer; ids
 *             0..nr_slots - 1 start in the slot of that number, id nr_slots
 *             outside of the ring
 *   spare     the one that is outside of the ring: what the reader holds
 *
 * The writer writes all of this, and the reader reads it. The reader writes to nothing
 * but the spare page, if that is mapped into user space: its commit, and behind the
 * data how many events were lost before. Since it could write to all of it (it is
 * the reader's memory), the writer never reads it back.
 */
#ifndef _LINUX_EXT_RING_H
#define _LINUX_EXT_RING_H

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>

#ifdef __KERNEL__
#include <asm/page.h>
#define EXT_RING_PAGE_SIZE	PAGE_SIZE
#else
#define EXT_RING_PAGE_SIZE	4096
#endif

/* A ring has this many slots at least: one is written while one is read. */
#define EXT_RING_MIN_SLOTS	2
/*
 * A ring has this many slots at most: 512 MiB for a CPU with pages of 4 KiB. The
 * writer's bookkeeping has to be in one piece, which is 3 MiB then; the page allocator
 * has 4 at most.
 */
#define EXT_RING_MAX_SLOTS	131072U

/* This is struct ext_ring_page without the data. */
#define EXT_RING_PAGE_OVERHEAD	24
#define EXT_RING_DATA_SIZE	(EXT_RING_PAGE_SIZE - EXT_RING_PAGE_OVERHEAD)

/**
 * struct ext_ring_page - one sub-buffer
 * @time_stamp:	boot clock of the first event [ns]
 * @commit:	bytes of @data that hold complete events
 * @data:	events, as ring_buffer.h's struct ring_buffer_event
 * @first_seq:	number of events that its CPU wrote before this page
 *
 * It is byte-compatible with ring_buffer.c's struct buffer_data_page, which is what
 * events/header_page describes and binary readers parse. @first_seq lies where
 * that has data, but @commit never reaches it.
 */
struct ext_ring_page {
	__u64	time_stamp;
	__u64	commit;
	__u8	data[EXT_RING_DATA_SIZE];
	__u64	first_seq;
};

static_assert(sizeof(struct ext_ring_page) == EXT_RING_PAGE_SIZE,
	      "EXT_RING_PAGE_OVERHEAD must be what struct ext_ring_page has besides its data");
/* It has a u64 and a local_t; ring_buffer.c keeps the structure to itself. */
static_assert(offsetof(struct ext_ring_page, data) == 16,
	      "data must be where it is in struct buffer_data_page");

/**
 * struct ext_ring_meta - where the writer is
 * @claimed:	position that the writer has made its own; the page that held
 *		@claimed - nr_slots is being reused, do not trust a copy of it
 * @tail:	position that is being written, its page header valid;
 *		@tail <= @claimed <= @tail + 1
 * @dropped:	events not written: for lack of a free page in no-overwrite mode, or
 *		while the ring was being exchanged
 * @rung:	counts how often the reader was told that there is something to read
 */
struct ext_ring_meta {
	__u64	claimed;
	__u64	tail;
	__u64	dropped;
	__u64	rung;
};

/**
 * struct ext_ring_swap - what swapping out a reader page gave
 * @id:		page that the reader now owns
 * @pos:	its position
 * @first_seq:	sequence number of its first event, from the writer's own record
 *
 * It travels in registers, so that neither side has to trust memory for it.
 */
struct ext_ring_swap {
	__u32	id;
	__u64	pos;
	__u64	first_seq;
};

/* ring_buffer.h describes struct ring_buffer_event; this is its header word's layout. */
#define EXT_RING_TYPE_BITS	5
#define EXT_RING_DELTA_BITS	27
#define EXT_RING_EXTEND_BITS	(EXT_RING_DELTA_BITS + 32)
#define EXT_RING_TYPE_MAX_LEN	28	/* type_len * 4 is the payload's size */
#define EXT_RING_TYPE_EXTEND	30	/* RINGBUF_TYPE_TIME_EXTEND */
#define EXT_RING_EXTEND_SIZE	8

#endif /* _LINUX_EXT_RING_H */
