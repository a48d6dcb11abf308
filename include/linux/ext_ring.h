/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ext_ring - the per-CPU trace ring that an external writer fills and this kernel reads
 *
 * Both sides share the layout of the data pages and of the meta page, and the meaning of
 * a position. Documentation/trace/hyp-ring.rst derives the algorithm. The writer is
 * kernel/trace/ext/ring.c; the reader is in the same folder, from reader_page.c on.
 *
 * Vocabulary
 *   position  monotonic number of a page in the stream of one CPU, from 0
 *   slot      position % nr_slots: where the ring keeps the page of a position
 *   id        index of a page in the table given to the writer; ids
 *             0..nr_slots - 1 start in the slot of that number, the others
 *             outside of the ring
 *   spare     a page that is outside of the ring, one of nr_pages - nr_slots; the
 *             reader page is a spare
 *
 * The writer writes the shared pages, and the reader reads them. The reader writes to the
 * reader page only: after a reset commit 0; and if user space gets to see the page as it is, the
 * missed and stored flags in commit, the number of lost events behind the data, and 0 behind
 * that, up to first_seq. All pages are the reader's memory, so the writer never reads from them.
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

/* Minimum number of slots of a ring: one is written while another one is read. */
#define EXT_RING_MIN_SLOTS	2
/*
 * Maximum number of slots of a ring: 512 MiB per CPU with pages of 4 KiB, 8 GiB with 64 KiB.
 * The writer's bookkeeping must be physically contiguous. At this size it takes 3 MiB; the
 * page allocator provides at most 4 MiB with pages of 4 KiB, and more with larger ones.
 */
#define EXT_RING_MAX_SLOTS	131072U
/* Maximum number of spares: what readers can keep while the writer goes on. */
#define EXT_RING_MAX_SPARES	64U

/* Size of struct ext_ring_page without the data. */
#define EXT_RING_PAGE_OVERHEAD	24
#define EXT_RING_DATA_SIZE	(EXT_RING_PAGE_SIZE - EXT_RING_PAGE_OVERHEAD)
/*
 * Where the writer's events end at the latest: behind them, readers put the number of events
 * that were lost before the page, for binary readers (ring_buffer.c's RB_MISSED_STORED).
 */
#define EXT_RING_DATA_ROOM	(EXT_RING_DATA_SIZE - 8)

/**
 * struct ext_ring_page - one sub-buffer
 * @time_stamp:	boot clock of the first event [ns]
 * @commit:	bytes of @data that hold complete events
 * @data:	events, as ring_buffer.h's struct ring_buffer_event
 * @first_seq:	number of events that its CPU wrote before this page
 *
 * The layout is that of ring_buffer.c's struct buffer_data_page, which
 * events/header_page describes and binary readers parse. @first_seq takes the last bytes
 * of that structure's data; @commit never reaches them.
 */
struct ext_ring_page {
	__u64	time_stamp;
	__u64	commit;
	__u8	data[EXT_RING_DATA_SIZE];
	__u64	first_seq;
};

static_assert(sizeof(struct ext_ring_page) == EXT_RING_PAGE_SIZE,
	      "EXT_RING_PAGE_OVERHEAD must be what struct ext_ring_page has besides its data");
/* struct buffer_data_page, private to ring_buffer.c, starts with a u64 and a local_t. */
static_assert(offsetof(struct ext_ring_page, data) == 16,
	      "data must be where it is in struct buffer_data_page");

/**
 * struct ext_ring_meta - the writer's position and counters
 * @claimed:	latest position that the writer has claimed. The page that held
 *		@claimed - nr_slots is being reused: a copy of it may be corrupt
 * @tail:	position that is being written, its page header valid;
 *		@tail <= @claimed <= @tail + 1
 * @dropped:	events not written: for lack of a free page in no-overwrite mode, or
 *		while the ring was being exchanged
 * @rung:	how often the writer has called the reader: for an alarm that has gone off, or by
 *		ext_ring_call_reader()
 * @first_seq:	events written before the ring was emptied last: a page that has a smaller
 *		first_seq is stale
 */
struct ext_ring_meta {
	__u64	claimed;
	__u64	tail;
	__u64	dropped;
	__u64	rung;
	__u64	first_seq;
};

/**
 * struct ext_ring_swap - result of swapping the reader page
 * @id:		page that the reader now owns
 * @events:	number of its events, if the writer has left it; 0 if it is not known. An event that
 *		ext_ring_skip_page() has lost counts
 * @pos:	its position
 * @first_seq:	sequence number of its first event, from the writer's own record
 *
 * The writer returns it in registers, so that neither side has to trust shared memory.
 */
struct ext_ring_swap {
	__u32	id;
	__u32	events;
	__u64	pos;
	__u64	first_seq;
};

/* Layout of the header word of struct ring_buffer_event, see ring_buffer.h. */
#define EXT_RING_TYPE_BITS	5
#define EXT_RING_DELTA_BITS	27
#define EXT_RING_EXTEND_BITS	(EXT_RING_DELTA_BITS + 32)
#define EXT_RING_TYPE_MAX_LEN	28	/* type_len * 4 is the payload's size */
#define EXT_RING_TYPE_EXTEND	30	/* RINGBUF_TYPE_TIME_EXTEND */
#define EXT_RING_EXTEND_SIZE	8

#endif /* _LINUX_EXT_RING_H */
