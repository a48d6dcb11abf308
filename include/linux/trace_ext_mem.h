/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * External writers whose rings are in memory that survives a reboot.
 *
 * The driver of such a writer has a second writer, which shows in an instance of its own
 * what an earlier boot has recorded. Its @source is the first one, its operations are
 * trace_ext_last_boot_ops, @created is trace_ext_last_boot_created(), and its one event has
 * the record struct ext_mem_unknown.
 */
#ifndef _LINUX_TRACE_EXT_MEM_H
#define _LINUX_TRACE_EXT_MEM_H

#include <linux/ext_mem.h>
#include <linux/trace_ext_event.h>

extern const struct trace_ext_ops trace_ext_last_boot_ops;
void trace_ext_last_boot_created(struct dentry *dir);
void trace_ext_last_boot_show(struct trace_ext_event *unknown);

int trace_ext_mem_init(struct trace_ext_writer *writer, void *start, size_t size);

#endif /* _LINUX_TRACE_EXT_MEM_H */
