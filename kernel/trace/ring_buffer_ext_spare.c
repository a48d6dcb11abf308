// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: pages for readers of trace_pipe_raw.
 *
 * Splicing takes a page for each page that it reads, and gives it back when the pipe is read. A
 * reader fills all of the page, so a page that is kept need not be cleared, and costs less than one
 * of the page allocator.
 */

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/topology.h>

#include "ring_buffer_ext_internal.h"

/* Splicing to a pipe of the usual size takes that many at once. */
#define MAX_SPARES	PIPE_DEF_BUFFERS

/**
 * rb_ext_get_spare() - get a page for a reader
 * @ext:	the buffer
 * @cpu:	the CPU that it will read of
 *
 * Context: may sleep.
 * Return: the page, not initialised; NULL if there is no memory
 */
void *rb_ext_get_spare(struct rb_ext *ext, int cpu)
{
	struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);
	struct page *page;

	scoped_guard(raw_spinlock_irqsave, &c->lock) {
		page = list_first_entry_or_null(&c->spares, struct page, lru);
		if (page) {
			list_del(&page->lru);
			c->nr_spares--;
		}
	}

	if (!page)
		page = alloc_pages_node(cpu_to_node(cpu), GFP_KERNEL | __GFP_RETRY_MAYFAIL, 0);

	return page ? page_address(page) : NULL;
}

/**
 * rb_ext_put_spare() - keep a page for another reader
 * @ext:	the buffer
 * @cpu:	the CPU that was read
 * @data:	the page, which nobody else uses
 *
 * Return: false if there are enough: the caller has to free the page
 */
bool rb_ext_put_spare(struct rb_ext *ext, int cpu, void *data)
{
	struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);

	guard(raw_spinlock_irqsave)(&c->lock);

	if (!c->ring || c->nr_spares == MAX_SPARES)
		return false;

	list_add(&virt_to_page(data)->lru, &c->spares);
	c->nr_spares++;
	return true;
}

/**
 * rb_ext_free_spares() - free the pages that are kept
 * @c:		the CPU; its ring has been unloaded
 */
void rb_ext_free_spares(struct rb_ext_cpu *c)
{
	struct page *page, *next;
	LIST_HEAD(spares);

	scoped_guard(raw_spinlock_irqsave, &c->lock) {
		list_splice_init(&c->spares, &spares);
		c->nr_spares = 0;
	}

	list_for_each_entry_safe(page, next, &spares, lru)
		__free_page(page);
}
