// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: taking memory from the host, and giving it back.
 *
 * The memory of a ring or a table is a region, which only EL2 uses, and pages that are
 * shared with the host. The region begins with the list of these pages.
 *
 * Exceptions are masked at EL2, so each hypercall does a bounded step, and the host calls
 * again until it is done. struct hyp_trace_memory has the state between two steps. If a
 * page can't be taken, the error is kept there, and all that was taken before is given
 * back in the same way.
 *
 * In protected mode the host is untrusted. The list of page frame numbers is read only
 * after the whole region that holds it has been donated to EL2, and a page is used only
 * while it is pinned. In nVHE mode the host owns EL2's page tables and has mapped all
 * these pages.
 */

#include <nvhe/hyptrace.h>
#include <nvhe/hyptrace/test.h>

#include <asm/kvm_mmu.h>
#include <asm/kvm_pkvm.h>

#include <nvhe/mem_protect.h>
#include <nvhe/memory.h>

static void *pfn_to_hyp_va(u64 pfn)
{
	return hyp_phys_to_virt(hyp_pfn_to_phys(pfn));
}

/*
 * Ownership is checked when the page is pinned or donated. Without protection EL2 does
 * not know what is memory.
 */
static bool pfn_is_memory(u64 pfn)
{
	return !is_protected_kvm_enabled() ||
	       (pfn < BIT(CONFIG_ARM64_PA_BITS - PAGE_SHIFT) &&
		addr_is_memory(hyp_pfn_to_phys(pfn)));
}

/* Pin a page that the host has shared. It must not be pinned already. */
static int page_take(u64 pfn, void **page)
{
	void *va;
	int ret;

	if (!pfn_is_memory(pfn))
		return -EPERM;

	va = pfn_to_hyp_va(pfn);
	if (is_protected_kvm_enabled()) {
		ret = hyp_pin_shared_mem(va, va + PAGE_SIZE);
		if (ret)
			return ret;

		if (hyp_page_count(va) != 1) {
			hyp_unpin_shared_mem(va, va + PAGE_SIZE);
			return -EINVAL;
		}
	}

	*page = va;
	return 0;
}

static void page_give_back(void *va)
{
	if (is_protected_kvm_enabled())
		hyp_unpin_shared_mem(va, va + PAGE_SIZE);
}

/* The pages of the region that this step takes or gives back, of @left pages. */
static u32 region_step(u64 left, u32 budget)
{
	return min3(left, (u64)budget, (u64)HYP_TRACE_STEP_REGION);
}

/* Take the region, @budget pages at most; @budget becomes what this has left of it. */
static int region_take(struct hyp_trace_memory *mem, u32 *budget)
{
	u32 nr = region_step(mem->region_pages - mem->region_taken, *budget);
	int ret;

	if (nr && is_protected_kvm_enabled()) {
		ret = __pkvm_host_donate_hyp(mem->region_pfn + mem->region_taken, nr);
		if (ret)
			return ret;
	}

	mem->region_taken += nr;
	*budget -= nr;
	return mem->region_taken == mem->region_pages ? 0 : -EINPROGRESS;
}

/*
 * Zero the region and give it back, from its end. With protection, clean it to the point of
 * coherency first: the host may read it with caches off. Without, it has been the host's
 * all the time.
 */
static int region_give_back(struct hyp_trace_memory *mem, u32 *budget)
{
	u32 nr = region_step(mem->region_taken, *budget);
	u64 pfn = mem->region_pfn + mem->region_taken - nr;
	void *va = pfn_to_hyp_va(pfn);

	if (nr) {
		memset(va, 0, nr * PAGE_SIZE);
		if (is_protected_kvm_enabled()) {
			kvm_flush_dcache_to_poc(va, nr * PAGE_SIZE);
			WARN_ON(__pkvm_hyp_donate_host(pfn, nr));
		}
	}

	mem->region_taken -= nr;
	*budget -= nr;
	return mem->region_taken ? -EINPROGRESS : 0;
}

/*
 * The list has @mem->element bytes of each shared page, which begin with the page's address at
 * EL2.
 */
void *hyp_trace_memory_element(const struct hyp_trace_memory *mem, u32 i)
{
	return pfn_to_hyp_va(mem->region_pfn) + i * mem->element;
}

/* The address of a shared page at EL2. */
void *hyp_trace_memory_page(const struct hyp_trace_memory *mem, u32 i)
{
	return *(void **)hyp_trace_memory_element(mem, i);
}

/*
 * Turn the list of page frame numbers into one of elements, in place. An element is at least
 * as large as a number, so going from the last one to the first overwrites no number that is
 * still needed.
 */
static int pages_take(struct hyp_trace_memory *mem, u32 *budget)
{
	const u64 *pfns = pfn_to_hyp_va(mem->region_pfn);
	void *page;
	u32 i;
	int ret;

	for (; *budget && mem->pages_taken < mem->nr_pages; --*budget) {
		i = mem->nr_pages - 1 - mem->pages_taken;
		ret = page_take(pfns[i], &page);
		if (ret)
			return ret;

		memset(hyp_trace_memory_element(mem, i), 0, mem->element);
		*(void **)hyp_trace_memory_element(mem, i) = page;
		mem->pages_taken++;
	}

	return mem->pages_taken == mem->nr_pages ? 0 : -EINPROGRESS;
}

static int pages_give_back(struct hyp_trace_memory *mem, u32 *budget)
{
	for (; *budget && mem->pages_taken; --*budget)
		page_give_back(hyp_trace_memory_page(mem, mem->nr_pages - mem->pages_taken--));

	return mem->pages_taken ? -EINPROGRESS : 0;
}

static int take_step(struct hyp_trace_memory *mem)
{
	u32 budget = hyp_trace_step_pages();

	return region_take(mem, &budget) ?: pages_take(mem, &budget);
}

static int give_back_step(struct hyp_trace_memory *mem)
{
	u32 budget = hyp_trace_step_pages();
	int ret = pages_give_back(mem, &budget) ?: region_give_back(mem, &budget);

	if (!ret)
		mem->stage = HYP_TRACE_NO_MEMORY;

	return ret;
}

/* True if this call has the arguments of the one that began the load. */
static bool load_is_same(const struct hyp_trace_memory *mem, u64 pfn, u64 region_pages,
			 u32 nr_pages)
{
	bool loading = mem->stage == HYP_TRACE_LOADING ||
		       (mem->stage == HYP_TRACE_UNLOADING && mem->error);

	return loading && mem->region_pfn == pfn &&
	       mem->region_pages == region_pages && mem->nr_pages == nr_pages;
}

/**
 * hyp_trace_memory_load() - do a step of taking memory from the host
 * @mem:	the memory
 * @pfn:	first page of the region, untrusted
 * @region_pages: size of the region, which has room for the elements
 * @nr_pages:	length of the list
 * @element:	size of what becomes of each page frame number, at least that of a pointer
 *
 * Return: 0 if all has been taken: the caller, which has steps of its own for that, sets
 * up what it is for, and then @mem->stage to HYP_TRACE_LOADED. Otherwise an error as
 * __hyp_trace_load() in asm/hyptrace.h
 */
int hyp_trace_memory_load(struct hyp_trace_memory *mem, u64 pfn, u64 region_pages,
			  u32 nr_pages, u32 element)
{
	int ret;

	if (mem->stage == HYP_TRACE_NO_MEMORY) {
		if (!pfn_is_memory(pfn) || !pfn_is_memory(pfn + region_pages - 1))
			return -EPERM;

		*mem = (struct hyp_trace_memory) {
			.stage		= HYP_TRACE_LOADING,
			.region_pfn	= pfn,
			.region_pages	= region_pages,
			.nr_pages	= nr_pages,
			.element	= element,
		};
	} else if (!load_is_same(mem, pfn, region_pages, nr_pages)) {
		return -EBUSY;
	}

	if (mem->stage == HYP_TRACE_UNLOADING)
		return give_back_step(mem) ?: mem->error;

	if (mem->pages_taken == mem->nr_pages)
		return 0;

	ret = take_step(mem);
	if (ret && ret != -EINPROGRESS) {
		mem->error = ret;
		mem->stage = HYP_TRACE_UNLOADING;
	}

	return -EINPROGRESS;
}

/*
 * Do a step of giving memory back that is no longer used. Return as __hyp_trace_unload() does,
 * see asm/hyptrace.h.
 */
int hyp_trace_memory_unload(struct hyp_trace_memory *mem)
{
	if (mem->stage == HYP_TRACE_UNLOADING && mem->error)
		return -EBUSY;

	mem->stage = HYP_TRACE_UNLOADING;
	return give_back_step(mem);
}
