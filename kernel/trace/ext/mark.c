// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_marker in the instance of an external writer: the writer records what users write, so that
 * it is among the writer's events, by the same clock and in the same order.
 */

#include <linux/trace_ext_compat.h>
#include <linux/trace_ext_function.h>
#include <linux/uaccess.h>

#include "internal.h"
#include "../trace.h"
#include "events.h"

static_assert(TRACE_EXT_PRINT == TRACE_PRINT);
static_assert(offsetof(struct trace_ext_print, ip) == offsetof(struct print_entry, ip));
static_assert(offsetof(struct trace_ext_print, text) == offsetof(struct print_entry, buf));

static int mark_open(struct inode *inode, struct file *filp)
{
	return tracing_open_generic(inode, filp) ?: stream_open(inode, filp);
}

/*
 * As ftrace's own, this returns -EBADF if tracing is off, and of a long text what was recorded: the
 * rest is another mark, if whoever writes goes on.
 */
static ssize_t mark_write(struct file *filp, const char __user *ubuf, size_t cnt, loff_t *pos)
{
	struct rb_ext *ext = filp->private_data;
	size_t len = min_t(size_t, cnt, TRACE_EXT_MARK_MAX + 1);
	char text[TRACE_EXT_MARK_MAX + 1];
	bool feed;
	int ret;

	if (!(ext->tr->trace_flags & TRACE_EXT_ITER(MARKERS)) || !len)
		return -EINVAL;
	if (copy_from_user(text, ubuf, len))
		return -EFAULT;

	/* The writer adds one. A mark is not empty, so one that is a line feed keeps it. */
	feed = len > 1 && text[len - 1] == '\n';
	len = feed ? len - 1 : min_t(size_t, len, TRACE_EXT_MARK_MAX);
	ret = ext->ops->mark(ext->writer, _THIS_IP_, text, len);
	return ret ?: len + feed;
}

static const struct file_operations mark_fops = {
	.open		= mark_open,
	.write		= mark_write,
};

/* Fill in the format of marks in a writer's rings. */
void __init trace_ext_mark_format(const struct trace_ext_writer *writer,
				  struct ext_page_format *format, u16 *size)
{
	if (!writer->ops->mark)
		return;

	/* ftrace prints the text up to a 0. */
	size[TRACE_PRINT] = offsetof(struct print_entry, buf) + 1;
	format->text = TRACE_PRINT;
}

/* Create trace_marker, if the writer can record marks. */
void __init trace_ext_mark_file(struct rb_ext *ext, struct dentry *dir)
{
	if (ext->ops->mark)
		trace_create_file("trace_marker", 0220, dir, ext, &mark_fops);
}
