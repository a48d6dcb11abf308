/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings in memory that survives a reboot, and what the last boot has left in it.
 */
#ifndef _KERNEL_TRACE_EXT_MEM_H
#define _KERNEL_TRACE_EXT_MEM_H

#include <linux/trace_ext_mem.h>

#include "earlier.h"

/* mem.c */
u32 trace_ext_mem_slots(const struct trace_ext_writer *writer);
void trace_ext_mem_pages(struct trace_ext_ring *ring);
void trace_ext_mem_begin(const struct trace_ext_ring *ring);
void trace_ext_mem_cleared(const struct trace_ext_writer *writer, int cpu, bool loaded,
			   u64 since);
void trace_ext_mem_describe(void);

/* last_boot.c */
void trace_ext_last_boot_init(struct trace_ext_event *unknown, struct ext_mem_bank *bank,
			      const struct ext_mem_bank *header);

#endif /* _KERNEL_TRACE_EXT_MEM_H */
