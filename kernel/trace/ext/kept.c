// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: pages for readers of trace_pipe_raw.
 *
 * Splicing takes a page for each page that it reads, and gives it back when the pipe is read. If
 * it gets a page of the ring instead (read.c), it needs the first one no longer. A
 * reader fills all of the page, so a page that is kept need not be cleared, and costs less than one
 * of the page allocator.
 */

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/topology.h>

#include "internal.h"

/* Take a page that is kept; return NULL if there is none. */
static void *take_kept(struct rb_ext_cpu *c)
{
	guard(raw_spinlock_irqsave)(&c->lock);

	return c->nr_kept ? c->kept[--c->nr_kept] : NULL;
}

/* Get a page for a reader of @cpu, not initialised; NULL if there is no memory. May sleep. */
void *rb_ext_get_page(struct rb_ext *ext, int cpu)
{
	void *kept = take_kept(per_cpu_ptr(ext->cpus, cpu));
	struct page *page;

	if (kept)
		return kept;

	page = alloc_pages_node(cpu_to_node(cpu), GFP_KERNEL | __GFP_RETRY_MAYFAIL, 0);
	return page ? page_address(page) : NULL;
}

/*
 * Keep a page of a locked CPU, which nobody else uses, for another reader. Return NULL; or the
 * page if there are enough, and the caller frees it when the CPU is unlocked.
 */
void *rb_ext_keep_page(struct rb_ext_cpu *c, void *page)
{
	lockdep_assert_held(&c->lock);

	if (!c->ring || c->nr_kept == RB_EXT_MAX_KEPT)
		return page;

	c->kept[c->nr_kept++] = page;
	return NULL;
}

/**
 * rb_ext_put_page() - take back the page of a reader
 * @ext:	the buffer
 * @cpu:	the CPU that was read
 * @data:	the page, which nobody else uses
 *
 * Return: NULL; or the page if the caller has to free it
 */
void *rb_ext_put_page(struct rb_ext *ext, int cpu, void *data)
{
	struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);

	guard(raw_spinlock_irqsave)(&c->lock);

	return rb_ext_keep_page(c, data);
}

/* Free the pages that are kept; the CPU's ring has been unloaded. */
void rb_ext_free_kept(struct rb_ext_cpu *c)
{
	void *page;

	while ((page = take_kept(c)))
		free_page((unsigned long)page);
}
