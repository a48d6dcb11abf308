/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: memory that EL2 has taken from the host (memory.c).
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_MEMORY_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_MEMORY_H

#include <linux/types.h>

/**
 * enum hyp_trace_stage - state of memory for a ring or a table
 * @HYP_TRACE_NO_MEMORY: there is none
 * @HYP_TRACE_LOADING:	the memory is being taken from the host, step by step
 * @HYP_TRACE_LOADED:	the ring or table is ready
 * @HYP_TRACE_UNLOADING: the memory is being given back, step by step
 */
enum hyp_trace_stage {
	HYP_TRACE_NO_MEMORY,
	HYP_TRACE_LOADING,
	HYP_TRACE_LOADED,
	HYP_TRACE_UNLOADING,
};

/**
 * struct hyp_trace_memory - memory that EL2 has taken from the host (memory.c)
 * @stage:	whether the memory is being taken or given back
 * @region_pfn:	first page of the donated region
 * @region_pages: size of the donated region
 * @nr_pages:	number of shared pages, which the list at the start of the region names
 * @element:	size of an element of the list, once a page is pinned [bytes]
 * @region_taken: pages of the region that EL2 owns, counted from the first
 * @pages_taken: shared pages that are pinned, counted from the last
 * @set_up:	how much of what the memory is for has been set up, if that takes steps, too
 * @error:	why a load has failed, while its memory is given back; 0 in an unload
 */
struct hyp_trace_memory {
	enum hyp_trace_stage	stage;
	u64			region_pfn;
	u64			region_pages;
	u32			nr_pages;
	u32			element;
	u32			region_taken;
	u32			pages_taken;
	u32			set_up;
	int			error;
};

void *hyp_trace_memory_element(const struct hyp_trace_memory *mem, u32 i);
void *hyp_trace_memory_page(const struct hyp_trace_memory *mem, u32 i);
int hyp_trace_memory_load(struct hyp_trace_memory *mem, u64 pfn, u64 region_pages,
			  u32 nr_pages, u32 element);
int hyp_trace_memory_unload(struct hyp_trace_memory *mem);

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_MEMORY_H */
