// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: mappings in user space.
 *
 * mmap() of trace_pipe_raw maps a meta page, followed by the pages that the writer writes,
 * read-only and ordered by id. The meta page, struct trace_buffer_meta of
 * linux/trace_mmap.h, has the id of the reader page. As with any other ring buffer,
 * TRACE_MMAP_IOCTL_GET_READER consumes the events in the reader page. Later events are in
 * the same page or in the next one.
 *
 * User space reads the writer's pages directly: it gets unchecked events.
 */

#include <linux/cleanup.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <uapi/linux/trace_mmap.h>

#include "internal.h"

/**
 * rb_ext_update_user() - update the meta page of the mappings
 * @c:		a CPU whose ring is mapped, locked
 * @lost:	events lost before the reader page, or since the last update
 */
void rb_ext_update_user(struct rb_ext_cpu *c, u64 lost)
{
	struct rb_ext_counts counts = rb_ext_count(c);
	struct trace_buffer_meta *user = c->user;

	lockdep_assert_held(&c->lock);

	if (lost || user->reader.id != rb_ext_reader_id(c))
		user->reader.lost_events = lost;
	user->reader.id = rb_ext_reader_id(c);
	user->reader.read = c->done.read;
	user->entries = counts.entries;
	user->overrun = counts.overrun;
	user->read = c->read;
}

static int user_page_alloc(struct rb_ext_cpu *c)
{
	struct trace_buffer_meta *user = (void *)get_zeroed_page(GFP_KERNEL);

	if (!user)
		return -ENOMEM;

	user->meta_page_size = PAGE_SIZE;
	user->meta_struct_len = sizeof(*user);
	user->subbuf_size = PAGE_SIZE;
	user->nr_subbufs = c->ring->nr_pages;

	guard(raw_spinlock_irqsave)(&c->lock);
	c->user = user;
	rb_ext_update_user(c, 0);
	return 0;
}

static void user_page_free(struct rb_ext_cpu *c)
{
	struct trace_buffer_meta *user = c->user;

	scoped_guard(raw_spinlock_irqsave, &c->lock)
		c->user = NULL;

	free_page((unsigned long)user);
}

/* Page 0 of a mapping is the meta page; the ring's pages follow, by id. */
static struct page *page_of(const struct rb_ext_cpu *c, unsigned long pgoff)
{
	return pgoff ? virt_to_page(c->ring->pages[pgoff - 1]) :
		       virt_to_page(c->user);
}

/* Map the pages from @vma->vm_pgoff on into @vma. */
static int insert_pages(struct rb_ext_cpu *c, struct vm_area_struct *vma)
{
	unsigned long nr_pages = c->ring->nr_pages + 1, count = vma_pages(vma);
	unsigned long first = vma->vm_pgoff, i;
	struct page **pages __free(kvfree) = NULL;

	if (first >= nr_pages || count > nr_pages - first)
		return -EINVAL;

	pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;

	for (i = 0; i < count; i++)
		pages[i] = page_of(c, first + i);

	return vm_insert_pages(vma, vma->vm_start, pages, &count);
}

/**
 * rb_ext_map_cpu() - map a CPU's ring into user space
 * @c:		the CPU; its ring is loaded
 * @vma:	the mapping; its page 0 is the meta page
 *
 * Context: mmap_lock and rb_ext.lock are held.
 * Return: 0, -EINVAL if beyond the end, -ENOMEM
 */
int rb_ext_map_cpu(struct rb_ext_cpu *c, struct vm_area_struct *vma)
{
	int ret;

	lockdep_assert_held(&c->ext->lock);

	if (!c->mapped) {
		ret = user_page_alloc(c);
		if (ret)
			return ret;
	}

	ret = insert_pages(c, vma);
	if (!ret)
		c->mapped++;
	else if (!c->mapped)
		user_page_free(c);

	return ret;
}

/**
 * rb_ext_map_dup() - a mapping is being duplicated (mremap, fork)
 * @ext:	the buffer
 * @cpu:	the CPU
 */
void rb_ext_map_dup(struct rb_ext *ext, int cpu)
{
	guard(mutex)(&ext->lock);

	per_cpu_ptr(ext->cpus, cpu)->mapped++;
}

/**
 * rb_ext_unmap() - a mapping has been removed
 * @ext:	the buffer
 * @cpu:	the CPU
 *
 * Return: 0
 */
int rb_ext_unmap(struct rb_ext *ext, int cpu)
{
	struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);

	guard(mutex)(&ext->lock);

	if (!--c->mapped)
		user_page_free(c);

	return 0;
}

/**
 * rb_ext_map_get_reader() - TRACE_MMAP_IOCTL_GET_READER
 * @ext:	the buffer
 * @cpu:	the CPU
 *
 * Return: 0, -ENODEV if it is not mapped
 */
int rb_ext_map_get_reader(struct rb_ext *ext, int cpu)
{
	struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);

	guard(raw_spinlock_irqsave)(&c->lock);

	if (!c->user)
		return -ENODEV;

	rb_ext_update_user(c, rb_ext_consume_mapped(c));
	return 0;
}
