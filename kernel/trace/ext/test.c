// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files for tests in the instance of each external writer:
 *
 *   write_destroy	a write tries to destroy the instance, as a module could
 *   write_null		a write calls functions that modules may call with a NULL buffer
 *   ring_pages		the memory that this kernel shares with the writer
 */

#include <linux/cleanup.h>
#include <linux/fault-inject.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "internal.h"
#include "../trace.h"
#include "test.h"

static ssize_t write_destroy_write(struct file *filp, const char __user *ubuf,
				   size_t cnt, loff_t *ppos)
{
	struct rb_ext *ext = filp->private_data;

	return trace_array_destroy(ext->tr) ?: cnt;
}

static const struct file_operations write_destroy_fops = {
	.open	= tracing_open_generic,
	.write	= write_destroy_write,
};

static ssize_t write_null_write(struct file *filp, const char __user *ubuf,
				size_t cnt, loff_t *ppos)
{
	ring_buffer_free_read_page(NULL, 0, NULL);
	return ring_buffer_subbuf_order_set(NULL, 0) ?: cnt;
}

static const struct file_operations write_null_fops = {
	.open	= tracing_open_generic,
	.write	= write_null_write,
};

/* In ring_pages, the pages of CPU n begin at offset n << CPU_SHIFT. */
#define CPU_SHIFT	40

DEFINE_FREE(bounce, void *, free_page((unsigned long)_T))

/* Get the page at an offset: the meta page, then the data pages by id; NULL at the end. */
static void *page_at(struct rb_ext *ext, loff_t pos)
{
	u64 cpu = pos >> CPU_SHIFT, page = (pos & (BIT(CPU_SHIFT) - 1)) >> PAGE_SHIFT;
	struct trace_ext_ring *ring;

	lockdep_assert_held(&ext->lock);

	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return NULL;

	ring = per_cpu_ptr(ext->cpus, cpu)->ring;
	if (!ring || page > ring->nr_pages)
		return NULL;

	return page ? (void *)ring->pages[page - 1] : ring->meta;
}

/*
 * Reads end at a page boundary. They copy through a page of our own: user memory must not
 * be accessed with ext->lock held, which mmap() takes with mmap_lock held.
 */
static ssize_t ring_pages_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	void *buf __free(bounce) = (void *)__get_free_page(GFP_KERNEL);
	struct rb_ext *ext = filp->private_data;
	size_t offset = offset_in_page(*ppos);

	if (!buf)
		return -ENOMEM;

	scoped_guard(mutex, &ext->lock) {
		const void *page = page_at(ext, *ppos);

		if (!page)
			return 0;
		memcpy(buf, page, PAGE_SIZE);
	}

	cnt = min(cnt, PAGE_SIZE - offset);
	if (copy_to_user(ubuf, buf + offset, cnt))
		return -EFAULT;

	*ppos += cnt;
	return cnt;
}

static ssize_t ring_pages_write(struct file *filp, const char __user *ubuf,
				size_t cnt, loff_t *ppos)
{
	void *buf __free(bounce) = (void *)__get_free_page(GFP_KERNEL);
	struct rb_ext *ext = filp->private_data;
	size_t offset = offset_in_page(*ppos);
	void *page;

	if (!buf)
		return -ENOMEM;

	cnt = min(cnt, PAGE_SIZE - offset);
	if (copy_from_user(buf, ubuf, cnt))
		return -EFAULT;

	guard(mutex)(&ext->lock);

	page = page_at(ext, *ppos);
	if (!page)
		return -ENOSPC;

	memcpy(page + offset, buf, cnt);
	*ppos += cnt;
	return cnt;
}

static const struct file_operations ring_pages_fops = {
	.open	= tracing_open_generic,
	.read	= ring_pages_read,
	.write	= ring_pages_write,
	.llseek	= default_llseek,
};

#ifdef CONFIG_FAULT_INJECTION
static DECLARE_FAULT_ATTR(fail_trace_ext);
static char fail_option[32];

/* fail_trace_ext=1,100,N,1 makes the Nth step of creating instances fail. */
static int __init setup_fail(char *arg)
{
	return arg && strscpy(fail_option, arg, sizeof(fail_option)) > 0 ? 0 : -EINVAL;
}
early_param("fail_trace_ext", setup_fail);

/* Return -ENOMEM if this step of creating the instance must fail. */
int trace_ext_test_fail(void)
{
	/* setup_fault_attr() of Linux 6.18 allocates memory, of which there is none at first. */
	if (*fail_option)
		setup_fault_attr(&fail_trace_ext, fail_option);
	*fail_option = '\0';
	return should_fail(&fail_trace_ext, 1) ? -ENOMEM : 0;
}
#else
int trace_ext_test_fail(void)
{
	return 0;
}
#endif

/* Create the files for tests. */
void __init trace_ext_test_init(struct rb_ext *ext)
{
	struct dentry *dir = ext->tr->dir;

	trace_create_file("write_destroy", 0200, dir, ext, &write_destroy_fops);
	trace_create_file("write_null", 0200, dir, ext, &write_null_fops);
	trace_create_file("ring_pages", 0600, dir, ext, &ring_pages_fops);
}
