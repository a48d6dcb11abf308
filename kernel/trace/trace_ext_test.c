// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files in hyp/ for the tests in tools/testing/selftests/hyp_trace:
 *
 *   write_event	has EL2 record an event
 *   write_host_event	has the host record such an event, in ordinary instances
 *   write_smc		has the host call firmware: function and arguments, in hexadecimal
 *   write_hvc		has it make a hypercall, in the same way
 *   write_touch	has it read from a device, by physical address in hexadecimal
 *   write_cpu_pm	has the CPU go to sleep and wake up, as far as drivers can tell
 *   write_test		has EL2 do something else: enum hyp_trace_test_action and a number
 *   write_destroy	has a module, so to speak, destroy the instance
 *   write_null		has a module call, with no buffer, what may be called so
 *   ring_pages		the memory that the host shares with EL2, as it is
 *
 * What a test can do with them, a kernel that has gone bad could do without.
 */

#include <linux/arm-smccc.h>
#include <linux/cleanup.h>
#include <linux/cpu_pm.h>
#include <linux/fault-inject.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/uaccess.h>

#include "ring_buffer_ext_internal.h"
#include "trace.h"
#include "trace_ext_test.h"

#define CREATE_TRACE_POINTS
#include "trace_ext_test_event.h"

static ssize_t write_event_write(struct file *filp, const char __user *ubuf,
				 size_t cnt, loff_t *ppos)
{
	struct rb_ext *ext = filp->private_data;
	u64 id;
	int ret;

	ret = kstrtou64_from_user(ubuf, cnt, 10, &id);
	if (ret)
		return ret;

	ext->ops->write_event(id);
	return cnt;
}

static const struct file_operations write_event_fops = {
	.open	= tracing_open_generic,
	.write	= write_event_write,
};

static ssize_t write_host_event_write(struct file *filp, const char __user *ubuf,
				      size_t cnt, loff_t *ppos)
{
	u64 id;
	int ret;

	ret = kstrtou64_from_user(ubuf, cnt, 10, &id);
	if (ret)
		return ret;

	trace_host_selftest(id);
	return cnt;
}

static const struct file_operations write_host_event_fops = {
	.open	= tracing_open_generic,
	.write	= write_host_event_write,
};

#define TEXT_SIZE	80

/* Copy what the user wrote into @text, as a string. */
static int text_from_user(char text[TEXT_SIZE], const char __user *ubuf, size_t cnt)
{
	if (cnt >= TEXT_SIZE)
		return -E2BIG;
	if (copy_from_user(text, ubuf, cnt))
		return -EFAULT;

	text[cnt] = 0;
	return 0;
}

/* A call of firmware or of EL2: the function and up to three arguments, in hexadecimal. */
static ssize_t write_call(const char __user *ubuf, size_t cnt, bool smc)
{
	unsigned long fn, arg[3] = { };
	struct arm_smccc_res res;
	char text[TEXT_SIZE];
	int ret;

	ret = text_from_user(text, ubuf, cnt);
	if (ret)
		return ret;
	if (sscanf(text, "%lx %lx %lx %lx", &fn, &arg[0], &arg[1], &arg[2]) < 1)
		return -EINVAL;

	if (smc)
		arm_smccc_1_1_smc(fn, arg[0], arg[1], arg[2], &res);
	else
		arm_smccc_1_1_hvc(fn, arg[0], arg[1], arg[2], &res);
	return cnt;
}

static ssize_t write_smc_write(struct file *filp, const char __user *ubuf,
			       size_t cnt, loff_t *ppos)
{
	return write_call(ubuf, cnt, true);
}

static const struct file_operations write_smc_fops = {
	.open	= tracing_open_generic,
	.write	= write_smc_write,
};

static ssize_t write_hvc_write(struct file *filp, const char __user *ubuf,
			       size_t cnt, loff_t *ppos)
{
	return write_call(ubuf, cnt, false);
}

static const struct file_operations write_hvc_fops = {
	.open	= tracing_open_generic,
	.write	= write_hvc_write,
};

static ssize_t write_touch_write(struct file *filp, const char __user *ubuf,
				 size_t cnt, loff_t *ppos)
{
	void __iomem *device;
	u64 addr;
	int ret;

	ret = kstrtou64_from_user(ubuf, cnt, 16, &addr);
	if (ret)
		return ret;

	device = ioremap(addr, sizeof(u32));
	if (!device)
		return -ENOMEM;

	readl(device);
	iounmap(device);
	return cnt;
}

static const struct file_operations write_touch_fops = {
	.open	= tracing_open_generic,
	.write	= write_touch_write,
};

static ssize_t write_cpu_pm_write(struct file *filp, const char __user *ubuf,
				  size_t cnt, loff_t *ppos)
{
	unsigned long flags;
	int ret;

	local_irq_save(flags);
	ret = cpu_pm_enter();
	if (!ret)
		ret = cpu_pm_exit();
	local_irq_restore(flags);
	return ret ?: cnt;
}

static const struct file_operations write_cpu_pm_fops = {
	.open	= tracing_open_generic,
	.write	= write_cpu_pm_write,
};

static ssize_t write_test_write(struct file *filp, const char __user *ubuf,
				size_t cnt, loff_t *ppos)
{
	struct rb_ext *ext = filp->private_data;
	char text[TEXT_SIZE];
	u64 action, arg;
	int ret;

	ret = text_from_user(text, ubuf, cnt);
	if (ret)
		return ret;
	if (sscanf(text, "%llu %llu", &action, &arg) != 2)
		return -EINVAL;

	ret = ext->ops->test(action, arg);
	return ret ?: cnt;
}

static const struct file_operations write_test_fops = {
	.open	= tracing_open_generic,
	.write	= write_test_write,
};

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

/* A CPU's pages in ring_pages begin at its number times this. */
#define CPU_SHIFT	40

DEFINE_FREE(bounce, void *, free_page((unsigned long)_T))

/* The meta page, then the data pages by id; NULL behind the last. */
static void *page_at(struct rb_ext *ext, loff_t pos)
{
	u64 cpu = pos >> CPU_SHIFT, page = (pos & (BIT(CPU_SHIFT) - 1)) >> PAGE_SHIFT;
	struct trace_ext_ring *ring;

	lockdep_assert_held(&ext->lock);

	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return NULL;

	ring = per_cpu_ptr(ext->cpus, cpu)->ring;
	if (!ring || page > ring->nr_slots + 1)
		return NULL;

	return page ? (void *)ring->pages[page - 1] : ring->meta;
}

/*
 * Up to the end of a page, through one of our own: user memory is not to be
 * touched under the lock, which mmap() takes inside of mmap_lock.
 */
static ssize_t ring_pages_read(struct file *filp, char __user *ubuf,
			       size_t cnt, loff_t *ppos)
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
static DECLARE_FAULT_ATTR(fail_hyp_trace);

/* fail_hyp_trace=1,100,N,1: the Nth step of creating the instance fails */
static int __init setup_fail(char *arg)
{
	return setup_fault_attr(&fail_hyp_trace, arg) ? 0 : -EINVAL;
}
early_param("fail_hyp_trace", setup_fail);

/**
 * trace_ext_test_fail() - is this step of creating the instance to fail?
 *
 * Return: 0, or -ENOMEM if it is
 */
int __init trace_ext_test_fail(void)
{
	return should_fail(&fail_hyp_trace, 1) ? -ENOMEM : 0;
}
#else
int __init trace_ext_test_fail(void)
{
	return 0;
}
#endif

/**
 * trace_ext_test_init() - create the files for tests
 * @ext:	the hypervisor's buffer, with its instance
 */
void __init trace_ext_test_init(struct rb_ext *ext)
{
	struct dentry *dir = ext->tr->dir;

	trace_create_file("write_event", 0200, dir, ext, &write_event_fops);
	trace_create_file("write_host_event", 0200, dir, ext,
			  &write_host_event_fops);
	trace_create_file("write_smc", 0200, dir, ext, &write_smc_fops);
	trace_create_file("write_hvc", 0200, dir, ext, &write_hvc_fops);
	trace_create_file("write_touch", 0200, dir, ext, &write_touch_fops);
	trace_create_file("write_cpu_pm", 0200, dir, ext, &write_cpu_pm_fops);
	trace_create_file("write_test", 0200, dir, ext, &write_test_fops);
	trace_create_file("write_destroy", 0200, dir, ext, &write_destroy_fops);
	trace_create_file("write_null", 0200, dir, ext, &write_null_fops);
	trace_create_file("ring_pages", 0600, dir, ext, &ring_pages_fops);
}
