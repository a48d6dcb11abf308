// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of hypervisor tracing: memory for EL2, see nvhe/hyptrace/memory.c.
 */

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include <asm/kvm_mmu.h>
#include <asm/virt.h>

#include "hyptrace.h"

static void pages_unshare(const struct hyptrace_memory *mem, u32 nr_pages)
{
	while (nr_pages--) {
		kvm_unshare_hyp(mem->pages[nr_pages], mem->pages[nr_pages] + PAGE_SIZE);
		cond_resched();
	}
	kvm_unshare_hyp(mem->first, mem->first + PAGE_SIZE);
}

static int pages_share(const struct hyptrace_memory *mem)
{
	u32 i;
	int ret = kvm_share_hyp(mem->first, mem->first + PAGE_SIZE);

	if (ret)
		return ret;

	for (i = 0; i < mem->nr_pages; i++) {
		ret = kvm_share_hyp(mem->pages[i], mem->pages[i] + PAGE_SIZE);
		if (ret) {
			pages_unshare(mem, i);
			return ret;
		}
		cond_resched();
	}

	return 0;
}

static void region_free(struct hyptrace_memory *mem)
{
	free_pages_exact(mem->region, mem->region_pages * PAGE_SIZE);
	mem->region = NULL;
}

/* Allocate the region, and fill it with the page frame numbers of the shared pages. */
static int region_alloc(struct hyptrace_memory *mem, gfp_t gfp)
{
	u64 *pfns;
	u32 i;
	int ret;

	mem->region = alloc_pages_exact(mem->region_pages * PAGE_SIZE,
					gfp | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	if (!mem->region)
		return -ENOMEM;

	/* In protected mode load donates the region; in nVHE mode EL2 must have it mapped. */
	if (!is_protected_kvm_enabled()) {
		ret = kvm_share_hyp(mem->region, mem->region +
				    mem->region_pages * PAGE_SIZE);
		if (ret) {
			region_free(mem);
			return ret;
		}
	}

	pfns = mem->region;
	*pfns++ = virt_to_pfn(mem->first);
	for (i = 0; i < mem->nr_pages; i++)
		*pfns++ = virt_to_pfn(mem->pages[i]);

	return 0;
}

/**
 * hyptrace_memory_prepare() - make memory ready for EL2 to take
 * @mem:	the memory; all but @mem->region is set
 * @gfp:	how the region is allocated: GFP_KERNEL, or GFP_KERNEL_ACCOUNT
 *
 * Return: 0, or a negative errno
 */
int hyptrace_memory_prepare(struct hyptrace_memory *mem, gfp_t gfp)
{
	int ret = pages_share(mem);

	if (ret)
		return ret;

	ret = region_alloc(mem, gfp);
	if (ret)
		pages_unshare(mem, mem->nr_pages);

	return ret;
}

/* Undo hyptrace_memory_prepare(). EL2 does not have the memory, or has given it back. */
void hyptrace_memory_release(struct hyptrace_memory *mem)
{
	region_free(mem);
	pages_unshare(mem, mem->nr_pages);
}
