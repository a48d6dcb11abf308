/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracers of an external writer's functions: what trace.c and instance.c call.
 */
#ifndef _KERNEL_TRACE_EXT_FUNCTIONS_H
#define _KERNEL_TRACE_EXT_FUNCTIONS_H

#include <linux/types.h>

struct dentry;
struct ext_page_format;
struct rb_ext;
struct trace_ext_writer;
struct tracer;

#ifdef CONFIG_TRACE_EXT_FUNCTIONS
struct tracer *trace_ext_function_tracers(const struct trace_ext_writer *writer);
void trace_ext_functions_format(const struct trace_ext_writer *writer,
				struct ext_page_format *format, u16 *size);
bool trace_ext_functions_register(struct rb_ext *ext);
void trace_ext_functions_files(const struct rb_ext *ext, struct dentry *dir);
#else
#define trace_ext_function_tracers(writer)		NULL
#define trace_ext_functions_format(writer, format, size) do { } while (0)
#define trace_ext_functions_register(ext)		false
#define trace_ext_functions_files(ext, dir)		do { } while (0)
#endif

#endif /* _KERNEL_TRACE_EXT_FUNCTIONS_H */
