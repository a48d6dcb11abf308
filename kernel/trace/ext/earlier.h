/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ext_mem - find what an earlier boot has left in memory, and copy its events
 *
 * This is plain C without state of its own, so that it can be tested and fuzzed in user
 * space. Whatever the bytes are, it makes no access outside of the bank, and terminates.
 * Nobody writes to the bank meanwhile.
 */
#ifndef _KERNEL_TRACE_EXT_EARLIER_H
#define _KERNEL_TRACE_EXT_EARLIER_H

#include <linux/ext_mem.h>
#include <linux/ext_ring_writer.h>

#include "page.h"

/**
 * struct ext_mem_page - a page that a bank has, and that is valid
 * @page:	the page
 * @commit:	its bytes of events
 * @count:	number of its events
 * @seq:	number of the first one since the ring's last reset
 * @start:	its time stamp [ns]
 * @end:	time of its last event [ns]
 */
struct ext_mem_page {
	const struct ext_ring_page	*page;
	u32				commit;
	u32				count;
	u64				seq;
	u64				start;
	u64				end;
};

/**
 * struct ext_mem_count - what has been found in a bank, and why the rest is left out
 * @good:	valid pages
 * @stale:	pages from before the ring was loaded or reset
 * @malformed:	pages whose content is not valid
 * @misplaced:	pages that overlap others in time or in sequence numbers
 * @cpus:	CPUs whose ring has an impossible size
 */
struct ext_mem_count {
	u32	good;
	u32	stale;
	u32	malformed;
	u32	misplaced;
	u32	cpus;
};

/**
 * struct ext_mem_types - the events of the kernel that recorded, and this kernel's
 * @format:	the valid events, by their types
 * @ours:	by their types: this kernel's type; 0 if it does not know the event
 * @unknown:	this kernel's type by which those are shown
 * @same:	all types are the same, as with the same kernel: pages can be copied as they are
 */
struct ext_mem_types {
	struct ext_page_format	format;
	const u16		*ours;
	u16			unknown;
	bool			same;
};

const char *ext_mem_bank_error(const struct ext_mem_bank *bank, u64 size);
bool ext_mem_is_used(const struct ext_mem_bank *bank);
u32 ext_mem_find(const struct ext_mem_bank *bank, u32 cpu,
		 const struct ext_page_format *format, struct ext_mem_page *found,
		 struct ext_mem_count *count);

u32 ext_mem_slots(const struct ext_mem_page *pages, u32 nr, const struct ext_mem_types *types);
void ext_mem_copy_page(struct ext_ring *ring, const struct ext_mem_page *page,
		       const struct ext_mem_types *types);

/* The first page of a CPU's share in a bank without error; @cpu is less than @bank->nr_cpus. */
static inline struct ext_mem_cpu *ext_mem_cpu(const struct ext_mem_bank *bank, u32 cpu)
{
	u64 page = bank->header_pages + (u64)cpu * bank->share_pages;

	return (void *)bank + page * EXT_RING_PAGE_SIZE;
}

/*
 * A data page of a CPU's share in a bank without error. @cpu is less than @bank->nr_cpus, @id
 * less than @bank->share_pages - 1.
 */
static inline struct ext_ring_page *ext_mem_data_page(const struct ext_mem_bank *bank,
						      u32 cpu, u32 id)
{
	return (void *)ext_mem_cpu(bank, cpu) + (id + 1ULL) * EXT_RING_PAGE_SIZE;
}

#endif /* _KERNEL_TRACE_EXT_EARLIER_H */
