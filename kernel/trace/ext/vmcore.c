// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: where the rings are, for who reads a dump of all memory.
 *
 * Such a reader may have no debug information, and may know physical addresses only. So
 * each ring has a list of its pages by physical address, struct rb_ext_crash, and
 * vmcoreinfo has the address of a table with the lists of all CPUs:
 *
 *   EXT_RINGS(hyp)=<physical address>,<number of CPUs>
 *
 * An entry is 0 if the CPU has no ring. tools/hyptrace/hyptrace-vmcore reads it.
 */

#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/kmemleak.h>
#include <linux/slab.h>
#include <linux/vmcore_info.h>

#include "internal.h"

/**
 * struct rb_ext_crash - a page of a list of a ring's pages, by id
 * @next:	the next page of the list, 0 at the end
 * @meta:	the ring's struct ext_ring_meta
 * @nr_pages:	number of the ring's data pages
 * @count:	length of @pages in this page
 * @pages:	the data pages
 *
 * All addresses are physical.
 */
struct rb_ext_crash {
	u64	next;
	u64	meta;
	u32	nr_pages;
	u32	count;
	u64	pages[];
};

#define PAGES_PER_LIST	((PAGE_SIZE - sizeof(struct rb_ext_crash)) / sizeof(u64))

static void list_free(u64 at)
{
	while (at) {
		struct rb_ext_crash *list = phys_to_virt(at);

		at = list->next;
		free_page((unsigned long)list);
	}
}

/* Make the list of a ring, from its end. Return its address, 0 if there is no memory. */
static u64 list_make(const struct trace_ext_ring *ring)
{
	u32 end = ring->nr_pages, first, i;
	struct rb_ext_crash *list;
	u64 at = 0;

	while (end) {
		list = (void *)get_zeroed_page(RB_EXT_GFP);
		if (!list) {
			list_free(at);
			return 0;
		}

		first = (end - 1) / PAGES_PER_LIST * PAGES_PER_LIST;
		list->next = at;
		list->meta = virt_to_phys(ring->meta);
		list->nr_pages = ring->nr_pages;
		list->count = end - first;
		for (i = first; i < end; i++)
			list->pages[i - first] = virt_to_phys(ring->pages[i]);
		at = virt_to_phys(list);
		end = first;
	}

	return at;
}

/*
 * Say where a CPU's ring is; @ring is NULL if it has none from now on. Without memory, a dump
 * lacks it.
 */
void rb_ext_crash_set(struct rb_ext_cpu *c, const struct trace_ext_ring *ring)
{
	u64 *crash = c->ext->crash, old;

	if (!crash)
		return;

	old = crash[c->cpu];
	WRITE_ONCE(crash[c->cpu], ring ? list_make(ring) : 0);
	list_free(old);
}

/*
 * Make the table of a buffer's rings; without memory, a dump does not have them. It is never
 * freed, as vmcoreinfo has its address. The buffer may be.
 */
void rb_ext_crash_init(struct rb_ext *ext)
{
	ext->crash = kcalloc(nr_cpu_ids, sizeof(*ext->crash), GFP_KERNEL);
	kmemleak_not_leak(ext->crash);
}

/* Put the table of a buffer's rings into vmcoreinfo. */
void __init rb_ext_crash_name(const struct rb_ext *ext)
{
	if (ext->crash)
		vmcoreinfo_append_str("EXT_RINGS(%s)=%llx,%u\n", ext->writer->name,
				      (u64)virt_to_phys(ext->crash), nr_cpu_ids);
}
