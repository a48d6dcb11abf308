/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace_marker in the instance of an external writer.
 */
#ifndef _KERNEL_TRACE_EXT_MARK_H
#define _KERNEL_TRACE_EXT_MARK_H

#include <linux/types.h>

struct dentry;
struct ext_page_format;
struct rb_ext;
struct trace_ext_writer;

void trace_ext_mark_format(const struct trace_ext_writer *writer, struct ext_page_format *format,
			   u16 *size);
void trace_ext_mark_file(struct rb_ext *ext, struct dentry *dir);

#endif /* _KERNEL_TRACE_EXT_MARK_H */
