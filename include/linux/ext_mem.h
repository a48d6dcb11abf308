/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ext_mem - trace rings in memory that survives a reboot
 *
 * The memory has two banks of the same size. A boot records into one bank; the other one
 * keeps what an earlier boot has recorded. A bank has:
 *
 *   the header		struct ext_mem_bank, in @header_pages pages
 *   a share per CPU	@share_pages pages: one with struct ext_mem_cpu, then the data pages
 *			of the CPU's ring, by id
 *
 * When a kernel boots, all of this is input. Another kernel may have written it, or none.
 */
#ifndef _LINUX_EXT_MEM_H
#define _LINUX_EXT_MEM_H

#include <linux/ext_ring.h>

/* "EXTTRACE", and the version of this layout. */
#define EXT_MEM_MAGIC		0x4543415254545845ULL
#define EXT_MEM_VERSION		3

/* Pages of a share besides the ring's slots: struct ext_mem_cpu, and one spare page. */
#define EXT_MEM_SHARE_OVERHEAD	2

/* Length of names, with the terminating 0; a longer name is cut. */
#define EXT_MEM_EVENT_NAME	48
#define EXT_MEM_RELEASE		72

/* SHA-1, as ld --build-id makes it. */
#define EXT_MEM_BUILD_ID	20

/* Maximum number of events that a bank describes. */
#define EXT_MEM_MAX_EVENTS	4096

/**
 * enum ext_mem_end - how the boot ended that recorded into a bank
 * @EXT_MEM_NO_END:	unknown: reset, power loss or kdump; or it has not ended
 * @EXT_MEM_REBOOT:	reboot, halt, power off or kexec
 * @EXT_MEM_PANIC:	panic
 */
enum ext_mem_end {
	EXT_MEM_NO_END,
	EXT_MEM_REBOOT,
	EXT_MEM_PANIC,
};

/**
 * struct ext_mem_event - an event of the kernel that recorded
 * @name:	its name
 * @fields:	hash of its fields: name, type, offset, size
 * @text:	hash of what its fields are printed as; 0 if the kernel died too early in boot
 * @type:	its type in records
 * @reserved:	0
 */
struct ext_mem_event {
	char	name[EXT_MEM_EVENT_NAME];
	__u32	fields;
	__u32	text;
	__u16	type;
	__u16	reserved[3];
};

/**
 * struct ext_mem_bank - header of a bank
 * @magic:	EXT_MEM_MAGIC; written last
 * @version:	EXT_MEM_VERSION
 * @page_size:	EXT_RING_PAGE_SIZE
 * @size:	size of the bank [bytes]
 * @boot:	each boot that records has a larger number than the one before
 * @header_pages: pages of the header
 * @share_pages: pages of a CPU's share
 * @nr_cpus:	number of shares
 * @nr_events:	length of @events
 * @seen:	a later boot has shown it to a reader
 * @end:	enum ext_mem_end
 * @since:	when the boot began to record [ns, boot clock]
 * @since_real:	the same in wall clock time [ns since 1970]; may be wrong early in boot
 * @ended:	when it ended [ns, boot clock]; 0 if @end is EXT_MEM_NO_END
 * @text:	where its kernel's text began: what addresses in events count from
 * @build_id:	build id of its kernel; 0 if unknown
 * @release:	release of its kernel, as in uname -r
 * @reserved:	0
 * @events:	the writer's events
 */
struct ext_mem_bank {
	__u64			magic;
	__u32			version;
	__u32			page_size;
	__u64			size;
	__u64			boot;
	__u32			header_pages;
	__u32			share_pages;
	__u32			nr_cpus;
	__u32			nr_events;
	__u32			seen;
	__u32			end;
	__u64			since;
	__u64			since_real;
	__u64			ended;
	__u64			text;
	__u8			build_id[EXT_MEM_BUILD_ID];
	char			release[EXT_MEM_RELEASE];
	__u32			reserved;
	struct ext_mem_event	events[];
};

static_assert(sizeof(struct ext_mem_bank) % 8 == 0 && sizeof(struct ext_mem_event) % 8 == 0,
	      "structures must have no padding at their end");

/**
 * struct ext_mem_cpu - the first page of a CPU's share
 * @meta:	written by the writer, the rest by this kernel
 * @boot:	that of the bank when the ring was loaded; otherwise this is what an earlier
 *		boot has left here
 * @since:	when the ring was loaded or reset [ns, boot clock]: older pages are stale
 * @nr_slots:	slots of the ring; 0 if none has been loaded, or if its events have been cleared
 */
struct ext_mem_cpu {
	struct ext_ring_meta	meta;
	__u64			boot;
	__u64			since;
	__u32			nr_slots;
};

/**
 * struct ext_mem_unknown - record that shows an event which this kernel does not know
 * @type:	the first four as in struct trace_entry: the type of this event
 * @flags:	of the unknown record
 * @preempt_count: of the unknown record
 * @pid:	of the unknown record
 * @bytes:	__data_loc of the unknown record's bytes that follow its struct trace_entry
 * @their_type:	its type in the kernel that recorded it
 * @data:	the bytes; if they are more than EXT_MEM_MAX_BYTES, the first ones
 *
 * The event is declared with __dynamic_array(u8, bytes) and __field(u16, type).
 */
struct ext_mem_unknown {
	__u16	type;
	__u8	flags;
	__u8	preempt_count;
	__s32	pid;
	__u32	bytes;
	__u16	their_type;
	__u8	data[];
};

/* printk's %*ph prints this many bytes at most. */
#define EXT_MEM_MAX_BYTES	64

#endif /* _LINUX_EXT_MEM_H */
