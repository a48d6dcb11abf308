// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: taking a ring's memory from the host, and giving it back.
 *
 * In steps, a hypercall each, because exceptions are masked meanwhile: what a step
 * takes or gives back is bounded, and the host calls again. struct hyp_trace_load says
 * how far it has come. What can't be had is noted there, and all that was taken before
 * goes back in the same way.
 *
 * In protected mode the host is the adversary. So: the list of page frame numbers is
 * read only when the whole region with it has been taken from the host, and a page is
 * used only while it is pinned. In nVHE mode the host owns EL2's page tables and has
 * mapped all that it names.
 */

#include <nvhe/trace.h>
#include <nvhe/trace_test.h>

#include <asm/kvm_mmu.h>
#include <asm/kvm_pkvm.h>

#include <nvhe/mem_protect.h>
#include <nvhe/memory.h>

static bool is_protected(void)
{
	return static_branch_unlikely(&kvm_protected_mode_initialized);
}

static void *pfn_to_hyp_va(u64 pfn)
{
	return hyp_phys_to_virt(hyp_pfn_to_phys(pfn));
}

/* The owner is checked later. Without protection EL2 does not know what is memory. */
static bool pfn_is_memory(u64 pfn)
{
	return !is_protected() ||
	       (pfn < BIT(CONFIG_ARM64_PA_BITS - PAGE_SHIFT) &&
		addr_is_memory(hyp_pfn_to_phys(pfn)));
}

/* Pin a page that the host has shared; nobody else may have pinned it. */
static int page_take(u64 pfn, void **page)
{
	void *va;
	int ret;

	if (!pfn_is_memory(pfn))
		return -EPERM;

	va = pfn_to_hyp_va(pfn);
	if (is_protected()) {
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
	if (is_protected())
		hyp_unpin_shared_mem(va, va + PAGE_SIZE);
}

/* The first part of a step: it leaves to the next one what is left of @budget [pages]. */
static int region_take(struct hyp_trace_load *load, u32 *budget)
{
	u32 nr = min_t(u64, *budget, load->region_pages - load->region_taken);
	int ret;

	if (nr && is_protected()) {
		ret = __pkvm_host_donate_hyp(load->region_pfn + load->region_taken, nr);
		if (ret)
			return ret;
	}

	load->region_taken += nr;
	*budget -= nr;
	return load->region_taken == load->region_pages ? 0 : -EINPROGRESS;
}

/*
 * From its end. It is cleaned to the point of coherency, for the host may look at it with
 * caches off: without protection it has been the host's all the time.
 */
static int region_give_back(struct hyp_trace_load *load, u32 *budget)
{
	u32 nr = min(*budget, load->region_taken);
	u64 pfn = load->region_pfn + load->region_taken - nr;
	void *va = pfn_to_hyp_va(pfn);

	if (nr) {
		memset(va, 0, nr * PAGE_SIZE);
		if (is_protected()) {
			kvm_flush_dcache_to_poc(va, nr * PAGE_SIZE);
			WARN_ON(__pkvm_hyp_donate_host(pfn, nr));
		}
	}

	load->region_taken -= nr;
	*budget -= nr;
	return load->region_taken ? -EINPROGRESS : 0;
}

/*
 * Turn the list of page frame numbers into records, in place: a record takes
 * the room of two numbers, so from the last to the first none is overwritten
 * before it is used. The meta page's number comes first, and is used first.
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

/* Is it the call that began it, made again? */
static bool load_is_same(const struct hyp_trace_load *load, u64 pfn, u64 nr_pages,
			 u32 nr_slots)
{
	bool loading = load->stage == HYP_TRACE_LOADING ||
		       (load->stage == HYP_TRACE_UNLOADING && load->error);

	return loading && load->region_pfn == pfn &&
	       load->region_pages == nr_pages && load->nr_slots == nr_slots;
}

/* A step of its own: a word for each slot, which takes as long as some hundred pages. */
static void load_finish(struct hyp_trace_cpu *cpu)
{
	struct hyp_trace_load *load = &cpu->load;

	ext_ring_init(&cpu->ring, pfn_to_hyp_va(load->region_pfn), load->nr_slots,
		      load->meta);
	load->stage = HYP_TRACE_LOADED;

	/* A CPU that is in firmware can't open it, and need not. */
	if (cpu->parked && cpu->was_open)
		ext_ring_open(&cpu->ring);
}

/**
 * hyp_trace_load() - begin to load a ring, or go on with it
 * @cpu:	whose, locked
 * @pfn:	the region's first page
 * @nr_pages:	its size, hyp_trace_region_pages(@nr_slots)
 * @nr_slots:	pages that the ring is to have
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
 * hyp_trace_unload() - begin to unload a ring, or go on with it
 * @cpu:	whose, locked
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

		/* Whoever has closed it has said whether for a moment only. */
		cpu->was_open = cpu->ring.open;
		if (cpu->ring.open)
			ext_ring_suspend(&cpu->ring);
		load->stage = HYP_TRACE_UNLOADING;
	} else if (load->error) {
		return -EBUSY;
	}

	return give_back_step(load);
}
