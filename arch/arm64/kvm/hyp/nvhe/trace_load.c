// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: taking a ring's memory from the host, and giving it back.
 *
 * Exceptions are masked at EL2, so each hypercall does a bounded step, and the host calls
 * again until it is done. struct hyp_trace_load has the state between two steps. If a
 * page can't be taken, the error is kept there, and all that was taken before is given
 * back in the same way.
 *
 * In protected mode the host is untrusted. The list of page frame numbers is read only
 * after the whole region that holds it has been donated to EL2, and a page is used only
 * while it is pinned. In nVHE mode the host owns EL2's page tables and has mapped all
 * these pages.
 */

#include <nvhe/trace.h>
#include <nvhe/trace_test.h>

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
static int region_take(struct hyp_trace_load *load, u32 *budget)
{
	u32 nr = region_step(load->region_pages - load->region_taken, *budget);
	int ret;

	if (nr && is_protected_kvm_enabled()) {
		ret = __pkvm_host_donate_hyp(load->region_pfn + load->region_taken, nr);
		if (ret)
			return ret;
	}

	load->region_taken += nr;
	*budget -= nr;
	return load->region_taken == load->region_pages ? 0 : -EINPROGRESS;
}

/*
 * Zero the region and give it back, from its end. With protection, clean it to the point of
 * coherency first: the host may read it with caches off. Without, it has been the host's
 * all the time.
 */
static int region_give_back(struct hyp_trace_load *load, u32 *budget)
{
	u32 nr = region_step(load->region_taken, *budget);
	u64 pfn = load->region_pfn + load->region_taken - nr;
	void *va = pfn_to_hyp_va(pfn);

	if (nr) {
		memset(va, 0, nr * PAGE_SIZE);
		if (is_protected_kvm_enabled()) {
			kvm_flush_dcache_to_poc(va, nr * PAGE_SIZE);
			WARN_ON(__pkvm_hyp_donate_host(pfn, nr));
		}
	}

	load->region_taken -= nr;
	*budget -= nr;
	return load->region_taken ? -EINPROGRESS : 0;
}

/*
 * Turn the list of page frame numbers into records, in place. A record is as large as
 * two numbers, so going from the last one to the first overwrites no number that is
 * still needed. The meta page's number is the first one, and is used first.
 */
static int pages_take(struct hyp_trace_load *load, u32 *budget)
{
	u64 *pfns = pfn_to_hyp_va(load->region_pfn);
	struct ext_ring_record *records = (void *)pfns;
	void *page;
	int ret;

	for (; *budget && load->pages_taken <= load->nr_slots; --*budget) {
		u32 id = load->nr_slots - load->pages_taken;

		ret = page_take(load->meta ? pfns[id + 1] : pfns[0], &page);
		if (ret)
			return ret;

		if (!load->meta) {
			load->meta = page;
			continue;
		}

		records[id] = (struct ext_ring_record) { .page = page };
		load->pages_taken++;
	}

	return load->pages_taken > load->nr_slots ? 0 : -EINPROGRESS;
}

static int pages_give_back(struct hyp_trace_load *load, u32 *budget)
{
	struct ext_ring_record *records = pfn_to_hyp_va(load->region_pfn);

	for (; *budget && load->pages_taken; --*budget)
		page_give_back(records[load->nr_slots + 1 - load->pages_taken--].page);

	if (*budget && load->meta) {
		page_give_back(load->meta);
		load->meta = NULL;
		--*budget;
	}

	return load->meta ? -EINPROGRESS : 0;
}

static int take_step(struct hyp_trace_load *load)
{
	u32 budget = hyp_trace_step_pages();
	int ret = region_take(load, &budget);

	return ret ?: pages_take(load, &budget);
}

static int give_back_step(struct hyp_trace_load *load)
{
	u32 budget = hyp_trace_step_pages();
	int ret = pages_give_back(load, &budget);

	ret = ret ?: region_give_back(load, &budget);
	if (!ret)
		load->stage = HYP_TRACE_NO_RING;

	return ret;
}

static int load_begin(struct hyp_trace_load *load, u64 pfn, u64 nr_pages, u32 nr_slots)
{
	if (hyp_trace_locked)
		return -EPERM;
	if (!pfn_is_memory(pfn) || !pfn_is_memory(pfn + nr_pages - 1))
		return -EPERM;

	*load = (struct hyp_trace_load) {
		.stage		= HYP_TRACE_LOADING,
		.region_pfn	= pfn,
		.region_pages	= nr_pages,
		.nr_slots	= nr_slots,
	};
	return 0;
}

/* True if this call has the arguments of the one that began the load. */
static bool load_is_same(const struct hyp_trace_load *load, u64 pfn, u64 nr_pages,
			 u32 nr_slots)
{
	bool loading = load->stage == HYP_TRACE_LOADING ||
		       (load->stage == HYP_TRACE_UNLOADING && load->error);

	return loading && load->region_pfn == pfn &&
	       load->region_pages == nr_pages && load->nr_slots == nr_slots;
}

/* A step of its own: a store for each slot, which takes as long as some hundred pages. */
static void load_finish(struct hyp_trace_cpu *cpu)
{
	struct hyp_trace_load *load = &cpu->load;

	ext_ring_init(&cpu->ring, pfn_to_hyp_va(load->region_pfn), load->nr_slots,
		      load->meta);
	load->stage = HYP_TRACE_LOADED;

	/* A CPU in firmware can't open its ring. It is not writing, so open it here. */
	if (cpu->parked && cpu->was_open)
		ext_ring_open(&cpu->ring);
}

/**
 * hyp_trace_load() - do a step of loading a ring
 * @cpu:	the ring's CPU, locked
 * @pfn:	first page of the region, untrusted
 * @nr_pages:	size of the region, hyp_trace_region_pages(@nr_slots)
 * @nr_slots:	number of slots of the ring
 *
 * Return: as __hyp_trace_load() in asm/kvm_hyptrace.h
 */
int hyp_trace_load(struct hyp_trace_cpu *cpu, u64 pfn, u64 nr_pages, u32 nr_slots)
{
	struct hyp_trace_load *load = &cpu->load;
	int ret;

	hyp_assert_lock_held(&cpu->lock);

	if (load->stage == HYP_TRACE_NO_RING) {
		ret = load_begin(load, pfn, nr_pages, nr_slots);
		if (ret)
			return ret;
	} else if (!load_is_same(load, pfn, nr_pages, nr_slots)) {
		return -EBUSY;
	}

	if (load->stage == HYP_TRACE_UNLOADING)
		return give_back_step(load) ?: load->error;

	if (load->pages_taken > load->nr_slots) {
		load_finish(cpu);
		return 0;
	}

	ret = take_step(load);
	if (ret && ret != -EINPROGRESS) {
		load->error = ret;
		load->stage = HYP_TRACE_UNLOADING;
	}

	return -EINPROGRESS;
}

/**
 * hyp_trace_unload() - do a step of unloading a ring
 * @cpu:	the ring's CPU, locked
 *
 * Return: as __hyp_trace_unload() in asm/kvm_hyptrace.h
 */
int hyp_trace_unload(struct hyp_trace_cpu *cpu)
{
	struct hyp_trace_load *load = &cpu->load;
	int ret;

	hyp_assert_lock_held(&cpu->lock);

	if (load->stage != HYP_TRACE_UNLOADING) {
		ret = hyp_trace_ring_quiescent(cpu);
		if (ret)
			return ret;

		/* If the host has closed it, it has also chosen between closed and suspended. */
		cpu->was_open = cpu->ring.open;
		if (cpu->ring.open)
			ext_ring_suspend(&cpu->ring);
		load->stage = HYP_TRACE_UNLOADING;
	} else if (load->error) {
		return -EBUSY;
	}

	return give_back_step(load);
}
