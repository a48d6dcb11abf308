/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings in memory that survives a reboot.
 */
#ifndef _KERNEL_TRACE_EXT_MEM_H
#define _KERNEL_TRACE_EXT_MEM_H

#include <linux/trace_ext_mem.h>

#include "earlier.h"

u32 trace_ext_mem_slots(const struct trace_ext_writer *writer);
void trace_ext_mem_pages(struct trace_ext_ring *ring);
void trace_ext_mem_begin(const struct trace_ext_ring *ring);
void trace_ext_mem_cleared(const struct trace_ext_writer *writer, int cpu, bool loaded, u64 since);
void trace_ext_mem_describe(void);
struct ext_mem_bank *trace_ext_mem_kept(const struct ext_mem_bank **header);

#endif /* _KERNEL_TRACE_EXT_MEM_H */
