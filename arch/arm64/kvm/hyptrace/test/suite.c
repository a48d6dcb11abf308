// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile host: tracing hypercalls with one invalid argument at a time.
 *
 * With protected KVM, no call of the host may harm EL2 or make it release memory that it
 * uses. Each call must return the error that asm/hyptrace.h specifies. Afterwards EL2
 * must trace as before, and the host must be able to use, share and donate every page
 * (hostile_expect_intact()).
 *
 * kunit.enable=1 kunit.filter_glob=hyp_trace_hostile on the kernel's command line
 * runs it at boot; results are in /sys/kernel/debug/kunit/hyp_trace_hostile.
 */

#include <asm/hyptrace_ids.h>
#include <linux/memblock.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

#include <asm/kvm_host.h>
#include <asm/virt.h>

#include "hostile.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "hyp_trace_hostile."

#define TYPE	1234

/* Invalid arguments ---------------------------------------------------------------- */

static void bad_cpus_are_refused(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test);
	unsigned int i;

	for (i = 0; i < hostile_nr_bad_cpus(); i++) {
		u64 cpu = hostile_bad_cpu(i);

		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hostile_load_ring(cpu, ring),
				    "load of CPU %llx", cpu);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hostile_unload(cpu),
				    "unload of CPU %llx", cpu);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hostile_swap(cpu),
				    "swap of CPU %llx", cpu);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hostile_reset(cpu),
				    "reset of CPU %llx", cpu);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_trace_alarm(cpu, 0),
				    "alarm of CPU %llx", cpu);
	}
	hostile_expect_intact(test, ring, "CPUs that do not exist");
}

static void bad_sizes_are_refused(struct kunit *test)
{
	static const u64 slots[] = {
		0, 1, EXT_RING_MAX_SLOTS + 1, U32_MAX - 1, U32_MAX, BIT(32),
		BIT(32) + HOSTILE_SLOTS, BIT(52), BIT(63) + HOSTILE_SLOTS,
		U64_MAX - 1, U64_MAX,
	};
	static const u64 spares[] = {
		0, EXT_RING_MAX_SPARES + 1, -1ULL, -HOSTILE_SLOTS, BIT(32),
		BIT(32) + HOSTILE_SPARES, BIT(63) + HOSTILE_SPARES, S64_MAX,
	};
	static const u64 pages[] = {
		0, 2, 3, U32_MAX, BIT(32), BIT(32) + 1, BIT(52), BIT(52) + 1,
		BIT(63), BIT(63) + 1, U64_MAX,
	};
	struct hostile_ring *ring = hostile_ring_new(test);
	u64 pfn = virt_to_pfn(ring->region);
	int i;

	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		u64 fit = hyp_trace_region_pages(slots[i] + HOSTILE_SPARES);

		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    hostile_load(0, pfn, 1, slots[i]),
				    "%llx slots", slots[i]);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    hostile_load(0, pfn, fit, slots[i]),
				    "%llx slots, %llx pages", slots[i], fit);
	}
	for (i = 0; i < ARRAY_SIZE(spares); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    hostile_load_with(0, pfn, 1, HOSTILE_SLOTS, spares[i]),
				    "%llx spares", spares[i]);
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    hostile_load(0, pfn, pages[i], HOSTILE_SLOTS),
				    "%llx pages for %u slots", pages[i],
				    HOSTILE_SLOTS);
	hostile_expect_intact(test, ring, "sizes out of range");
}

/* EL2's memory, devices, or no memory; as the region, then as each page of the ring. */
static void pages_that_are_not_the_hosts_are_refused(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test);
	int i, at;

	for (i = 0; i < hostile_nr_bad_pfns(); i++) {
		u64 pfn = hostile_bad_pfn(i);

		KUNIT_EXPECT_EQ_MSG(test, -EPERM,
				    hostile_load(0, pfn, 1, HOSTILE_SLOTS),
				    "region at frame %llx", pfn);
		for (at = 0; at < HOSTILE_PAGES; at++) {
			hostile_describe(ring);
			ring->region[at] = pfn;
			KUNIT_EXPECT_EQ_MSG(test, -EPERM,
					    hostile_load_ring(0, ring),
					    "frame %llx as page %d", pfn, at);
		}
	}
	hostile_expect_intact(test, ring, "frames that are not the host's");
}

/*
 * A region that begins or ends in memory that the host does not own. It is as large as
 * one step: of a larger one EL2 would own the first part for a while, and the kernel may
 * be using that part.
 */
static void regions_that_overlap_are_refused(struct kunit *test)
{
	const u64 pages = HYP_TRACE_STEP_REGION;
	const u64 slots = pages * PAGE_SIZE / HYP_TRACE_BYTES_PER_PAGE - 1 - HOSTILE_SPARES;
	struct hostile_ring *ring = hostile_ring_new(test);
	const u64 firsts[] = {
		PHYS_PFN(hyp_mem_base) - 1,
		PHYS_PFN(hyp_mem_base) - pages + 1,
		PHYS_PFN(memblock_end_of_DRAM()) - 1,
		PHYS_PFN(memblock_start_of_DRAM()) - pages + 1,
		BIT(CONFIG_ARM64_PA_BITS - PAGE_SHIFT) - pages,
		BIT(CONFIG_ARM64_PA_BITS - PAGE_SHIFT) - 1,
		U64_MAX - pages + 1, U64_MAX - pages + 2,
	};
	int i;

	KUNIT_ASSERT_EQ(test, pages, hyp_trace_region_pages(slots + HOSTILE_SPARES));
	for (i = 0; i < ARRAY_SIZE(firsts); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EPERM,
				    hostile_load(0, firsts[i], pages, slots),
				    "region of %llu pages at %llx", pages,
				    firsts[i]);
	hostile_expect_intact(test, ring, "regions that overlap");
}

static void pages_that_are_not_shared_are_refused(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test);
	int at;

	for (at = 0; at < HOSTILE_PAGES; at++) {
		KUNIT_ASSERT_EQ(test, 0, hostile_unshare(ring->page[at]));
		KUNIT_EXPECT_EQ_MSG(test, -EPERM, hostile_load_ring(0, ring),
				    "page %d not shared", at);
		KUNIT_ASSERT_EQ(test, 0, hostile_share(ring->page[at]));
		hostile_expect_intact(test, ring, "a page that is not shared");
	}

	KUNIT_ASSERT_EQ(test, 0, hostile_share(ring->region));
	KUNIT_EXPECT_EQ(test, -EPERM, hostile_load_ring(0, ring));
	KUNIT_ASSERT_EQ(test, 0, hostile_unshare(ring->region));
	hostile_expect_intact(test, ring, "a region that is shared");
}

static void pages_named_twice_are_refused(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test);
	int from, to;

	for (from = 0; from < HOSTILE_PAGES; from++) {
		for (to = 0; to < HOSTILE_PAGES; to++) {
			if (from == to)
				continue;
			hostile_describe(ring);
			ring->region[to] = ring->region[from];
			KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
					    hostile_load_ring(0, ring),
					    "page %d is page %d", to, from);
		}
		hostile_describe(ring);
		ring->region[from] = virt_to_pfn(ring->region);
		KUNIT_EXPECT_EQ_MSG(test, -EPERM, hostile_load_ring(0, ring),
				    "page %d is the region", from);
	}
	hostile_expect_intact(test, ring, "a page that is named twice");
}

static void need_two_cpus(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
}

static void pages_of_another_ring_are_refused(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test);
	struct hostile_ring *other = hostile_ring_new(test);
	int at, of;

	need_two_cpus(test);
	KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(1, other));
	for (at = 0; at < HOSTILE_PAGES; at++) {
		for (of = 0; of < HOSTILE_PAGES; of++) {
			hostile_describe(ring);
			ring->region[at] = virt_to_pfn(other->page[of]);
			KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
					    hostile_load_ring(0, ring),
					    "page %d is the other's page %d", at,
					    of);
		}
		hostile_describe(ring);
		ring->region[at] = virt_to_pfn(other->region);
		KUNIT_EXPECT_EQ_MSG(test, -EPERM, hostile_load_ring(0, ring),
				    "page %d is the other's region", at);
		KUNIT_EXPECT_EQ_MSG(test, -EPERM,
				    hostile_load(0, virt_to_pfn(other->page[at]),
						 1, HOSTILE_SLOTS),
				    "the region is the other's page %d", at);
		KUNIT_EXPECT_EQ_MSG(test, -EBUSY, hostile_unshare(other->page[at]),
				    "unshared page %d of a ring", at);
	}
	KUNIT_EXPECT_EQ(test, -EPERM, hostile_load_ring(0, other));
	KUNIT_EXPECT_EQ(test, -EPERM, hostile_share(other->region));
	hostile_expect_intact(test, ring, "pages of another ring");
	KUNIT_ASSERT_EQ(test, 0, hostile_unload(1));
	hostile_expect_intact(test, other, "lending to another ring");
}

/* Step by step ----------------------------------------------------------------------- */

/* Have a step take or give back one page, until the end of the test. */
static void one_page_a_step(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, hcall_trace_test(HYP_TRACE_TEST_STEP, 1));
}

/* Expect that any other call is refused while a ring is being loaded or unloaded. */
static void expect_busy(struct kunit *test, const struct hostile_ring *other, int step,
			const char *what)
{
	KUNIT_EXPECT_EQ_MSG(test, -EBUSY, hostile_load_ring(0, other),
			    "another load in step %d of %s", step, what);
	KUNIT_EXPECT_EQ_MSG(test, -EBUSY, hostile_swap(0), "swap in step %d of %s",
			    step, what);
	KUNIT_EXPECT_EQ_MSG(test, -EBUSY, hostile_reset(0), "reset in step %d of %s",
			    step, what);
	KUNIT_EXPECT_EQ_MSG(test, -EBUSY, hcall_trace_alarm(0, 0), "alarm in step %d of %s",
			    step, what);
	/* The ring has no pages yet, so opening it has no effect. */
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_OPEN, 0));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(step));
}

static int load_ring_step(const struct hostile_ring *ring)
{
	return hostile_load_step(0, virt_to_pfn(ring->region), 1, HOSTILE_SLOTS,
				 HOSTILE_SPARES);
}

/* A step for the region and one for each page. */
#define HOSTILE_STEPS	(1 + HOSTILE_PAGES)

static void a_ring_that_is_being_loaded_or_unloaded_refuses_all_else(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test);
	struct hostile_ring *other = hostile_ring_new(test);
	int step;

	one_page_a_step(test);
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_event(HYP_EVENT_selftest, TYPE));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	/* One more step initialises the slots. */
	for (step = 0; step < HOSTILE_STEPS; step++) {
		KUNIT_ASSERT_EQ(test, -EINPROGRESS, load_ring_step(ring));
		expect_busy(test, other, step, "loading");
		KUNIT_EXPECT_EQ(test, -EBUSY, hostile_unload_step(0));
	}
	KUNIT_ASSERT_EQ(test, 0, load_ring_step(ring));

	for (step = 1; step < HOSTILE_STEPS; step++) {
		KUNIT_ASSERT_EQ(test, -EINPROGRESS, hostile_unload_step(0));
		expect_busy(test, other, step, "unloading");
		KUNIT_EXPECT_EQ(test, -EBUSY, load_ring_step(ring));
	}
	KUNIT_ASSERT_EQ(test, 0, hostile_unload_step(0));

	hostile_quiet(test);
	hostile_expect_intact(test, ring, "loading and unloading step by step");
	hostile_expect_intact(test, other, "being refused meanwhile");
}

/* Each page in turn can't be taken: EL2 gives back all before it, in as many steps. */
static void what_was_taken_is_given_back_step_by_step(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test);
	struct hostile_ring *other = hostile_ring_new(test);
	int at, step, taken;

	one_page_a_step(test);
	for (at = 0; at < HOSTILE_PAGES; at++) {
		/* The region, then the pages from the last on. */
		taken = HOSTILE_PAGES - at;
		hostile_describe(ring);
		ring->region[at] = hostile_bad_pfn(PFN_EL2_POOL);
		for (step = 0; step < 2 * taken; step++) {
			KUNIT_ASSERT_EQ_MSG(test, -EINPROGRESS, load_ring_step(ring),
					    "step %d with page %d wrong", step, at);
			expect_busy(test, other, step, "giving back");
			KUNIT_EXPECT_EQ(test, -EBUSY, hostile_unload_step(0));
		}
		KUNIT_EXPECT_EQ_MSG(test, -EPERM, load_ring_step(ring),
				    "page %d wrong", at);
		hostile_quiet(test);
		hostile_expect_intact(test, ring, "giving back step by step");
	}
}

/* A call handles a bounded number of pages, for a ring of any size. */
static void a_large_region_is_taken_in_steps(struct kunit *test)
{
	const u32 slots = EXT_RING_MAX_SLOTS;
	const u64 pages = hyp_trace_region_pages(slots + HOSTILE_SPARES);
	struct hostile_ring *ring = hostile_ring_new(test);
	u64 *region = alloc_pages_exact(pages * PAGE_SIZE, GFP_KERNEL | __GFP_ZERO);
	void *end = (void *)region + (pages - 1) * PAGE_SIZE;
	unsigned int steps = 1;

	KUNIT_ASSERT_NOT_NULL(test, region);
	KUNIT_ASSERT_GT(test, pages, 3 * HYP_TRACE_STEP_REGION);

	/* The last page can't be donated, so all steps before it are undone. */
	KUNIT_EXPECT_EQ(test, 0, hostile_share(end));
	while (hostile_load_step(0, virt_to_pfn(region), pages, slots,
				 HOSTILE_SPARES) == -EINPROGRESS)
		steps++;
	KUNIT_EXPECT_EQ(test, 2 * DIV_ROUND_UP(pages, HYP_TRACE_STEP_REGION) - 1, steps);
	KUNIT_EXPECT_EQ(test, 0, hostile_unshare(end));

	/* The region can be donated, but the pages that it lists are not the host's. */
	KUNIT_EXPECT_EQ(test, -EPERM,
			hostile_load(0, virt_to_pfn(region), pages, slots));
	memset(region, 0x5a, pages * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, 0x5a5a5a5a5a5a5a5aull, region[pages * PAGE_SIZE / 8 - 1]);
	free_pages_exact(region, pages * PAGE_SIZE);
	hostile_expect_intact(test, ring, "a large region");
}

/* A ring whose list does not fit into a page, and which takes many steps. */
#define LARGE_SLOTS	600
#define LARGE_PAGES	(1 + LARGE_SLOTS + HOSTILE_SPARES)

/* Make the list anew, after EL2 has had it. */
static void large_describe(u64 *region, u64 region_pages, void *const *pages)
{
	int i;

	memset(region, 0, region_pages * PAGE_SIZE);
	for (i = 0; i < LARGE_PAGES; i++)
		region[i] = virt_to_pfn(pages[i]);
}

static void a_large_ring_is_like_a_small_one(struct kunit *test)
{
	const u64 region_pages = hyp_trace_region_pages(LARGE_SLOTS + HOSTILE_SPARES);
	void **pages = kunit_kcalloc(test, LARGE_PAGES, sizeof(*pages), GFP_KERNEL);
	u64 *region = alloc_pages_exact(region_pages * PAGE_SIZE, GFP_KERNEL | __GFP_ZERO);
	struct hostile_ring *ring = hostile_ring_new(test);
	int i, id;

	KUNIT_ASSERT_NOT_NULL(test, pages);
	KUNIT_ASSERT_NOT_NULL(test, region);
	KUNIT_ASSERT_GT(test, LARGE_PAGES, 2 * HYP_TRACE_STEP_PAGES);
	for (i = 0; i < LARGE_PAGES; i++)
		pages[i] = hostile_page_new(test);

	/* The last page that EL2 takes is wrong: what it has pinned before is the host's again. */
	large_describe(region, region_pages, pages);
	region[0] = hostile_bad_pfn(0);
	KUNIT_EXPECT_EQ(test, -EPERM, hostile_load(0, virt_to_pfn(region), region_pages,
						   LARGE_SLOTS));
	KUNIT_EXPECT_EQ(test, 0, hostile_unshare(pages[LARGE_PAGES - 1]));
	KUNIT_EXPECT_EQ(test, 0, hostile_share(pages[LARGE_PAGES - 1]));

	large_describe(region, region_pages, pages);
	KUNIT_ASSERT_EQ(test, 0, hostile_load(0, virt_to_pfn(region), region_pages, LARGE_SLOTS));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_event(HYP_EVENT_selftest, TYPE));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_OPEN, 0));
	/* More than it has room for. */
	for (i = 0; i < (LARGE_SLOTS + 1) * (EXT_RING_DATA_SIZE / 20 + 1); i++)
		hcall_trace_write_event(i);
	KUNIT_EXPECT_EQ(test, -EINVAL, hostile_swap_for(0, 0));
	id = hostile_swap_for(0, LARGE_SLOTS);
	KUNIT_EXPECT_LE(test, 0, id);
	KUNIT_EXPECT_GT(test, LARGE_SLOTS, id);
	KUNIT_EXPECT_EQ(test, -EINVAL, hostile_swap_for(0, LARGE_SLOTS));
	for (i = 0; i < LARGE_PAGES; i++)
		KUNIT_EXPECT_EQ(test, -EBUSY, hostile_unshare(pages[i]));
	hostile_quiet(test);
	KUNIT_EXPECT_EQ(test, 0, hostile_unload(0));

	for (i = 0; i < LARGE_PAGES; i++)
		KUNIT_EXPECT_EQ(test, 0, hostile_unshare(pages[i]));
	KUNIT_EXPECT_NULL(test, memchr_inv(region, 0, region_pages * PAGE_SIZE));
	free_pages_exact(region, region_pages * PAGE_SIZE);
	hostile_expect_intact(test, ring, "a large ring");
}

/* Calls too early, too late or twice ------------------------------------------------ */

static void without_a_ring_there_is_none(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test);
	int cpu;

	for_each_possible_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, -ENOENT, hostile_unload(cpu));
		KUNIT_EXPECT_EQ(test, -ENOENT, hostile_swap(cpu));
		KUNIT_EXPECT_EQ(test, -ENOENT, hostile_reset(cpu));
		KUNIT_EXPECT_EQ(test, -ENOENT, hcall_trace_alarm(cpu, 0));
	}

	/* Open the ring and turn tracing on, without a page to write to. */
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_OPEN, 0));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_event(HYP_EVENT_selftest, TYPE));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(1));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_OFF, 1));
	hostile_expect_intact(test, ring, "calls without a ring");
}

static void what_is_done_twice_is_refused(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test);
	struct hostile_ring *other = hostile_ring_new(test);

	KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(0, ring));
	KUNIT_EXPECT_EQ(test, -EBUSY, hostile_load_ring(0, ring));
	KUNIT_EXPECT_EQ(test, -EBUSY, hostile_load_ring(0, other));
	KUNIT_EXPECT_EQ(test, 0, hostile_reset(0));
	KUNIT_EXPECT_EQ(test, 0, hostile_reset(0));
	KUNIT_EXPECT_EQ(test, 0, hostile_swap(0));
	KUNIT_EXPECT_EQ(test, -EAGAIN, hostile_swap_for(0, 0));
	KUNIT_EXPECT_EQ(test, 0, hostile_unload(0));
	KUNIT_EXPECT_EQ(test, -ENOENT, hostile_unload(0));
	KUNIT_EXPECT_EQ(test, -ENOENT, hostile_swap(0));
	KUNIT_EXPECT_EQ(test, -ENOENT, hostile_reset(0));
	hostile_expect_intact(test, ring, "loading and unloading twice");
	hostile_expect_intact(test, other, "being refused");
}

/* Expect that none of these pages can be swapped into the ring. */
static void expect_swaps_refused(struct kunit *test, const u64 *ids, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hostile_swap_for(0, ids[i]),
				    "page %llx is no spare", ids[i]);
}

/* Only a spare goes into the ring, and EL2 does not write to what is one; a reset included. */
static void only_spares_go_into_the_ring(struct kunit *test)
{
	static const u64 at_first[] = {
		0, HOSTILE_SLOTS - 1, HOSTILE_SLOTS + HOSTILE_SPARES, U32_MAX, BIT(20),
		BIT(20) + HOSTILE_SLOTS, BIT(32) + HOSTILE_SLOTS, BIT(63) + HOSTILE_SLOTS, U64_MAX,
	};
	static const u64 in_the_ring[] = { 1, HOSTILE_SLOTS };
	struct hostile_ring *ring = hostile_ring_new(test);
	const u64 *spares[] = { ring->page[1], ring->page[1 + HOSTILE_SLOTS + 1] };
	const struct ext_ring_page *first = ring->page[1 + HOSTILE_SLOTS];
	int i;

	KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(0, ring));
	expect_swaps_refused(test, at_first, ARRAY_SIZE(at_first));
	KUNIT_ASSERT_EQ(test, 0, hostile_swap(0));
	for (i = 0; i < 2; i++) {
		expect_swaps_refused(test, in_the_ring, ARRAY_SIZE(in_the_ring));
		/* A page that could not be swapped is still a spare. */
		KUNIT_EXPECT_EQ(test, -EAGAIN, hostile_swap_for(0, HOSTILE_SLOTS + 1));
		KUNIT_EXPECT_EQ(test, -EAGAIN, hostile_swap_for(0, 0));
	}

	KUNIT_ASSERT_EQ(test, 0, hostile_reset(0));
	expect_swaps_refused(test, in_the_ring, ARRAY_SIZE(in_the_ring));
	for (i = 0; i < ARRAY_SIZE(spares); i++)
		memset((void *)spares[i], 0x5a, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_event(HYP_EVENT_selftest, TYPE));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_OPEN, 0));
	/* EL2 writes to all pages of the ring, and goes around. */
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_test(HYP_TRACE_TEST_EMIT,
						  (HOSTILE_SLOTS + 1) * PAGE_SIZE / 20));
	KUNIT_EXPECT_LT(test, EXT_RING_DATA_ROOM - 64, first->commit);
	for (i = 0; i < ARRAY_SIZE(spares); i++) {
		KUNIT_EXPECT_EQ(test, 0x5a5a5a5a5a5a5a5aull, spares[i][0]);
		KUNIT_EXPECT_EQ(test, 0x5a5a5a5a5a5a5a5aull, spares[i][PAGE_SIZE / 8 - 1]);
	}
	KUNIT_EXPECT_LE(test, 0, hostile_swap_for(0, 0));

	hostile_quiet(test);
	KUNIT_EXPECT_EQ(test, 0, hostile_unload(0));
	hostile_expect_intact(test, ring, "swaps of pages that are no spares");
}

static void a_ring_that_may_be_written_is_not_taken_away(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test);

	need_two_cpus(test);
	KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(1, ring));
	KUNIT_ASSERT_EQ(test, 0, hostile_sync(1, HYP_TRACE_OPEN, 0));
	KUNIT_EXPECT_EQ(test, -EBUSY, hostile_unload(1));
	KUNIT_EXPECT_EQ(test, -EBUSY, hostile_reset(1));
	KUNIT_EXPECT_EQ(test, -EBUSY, hcall_trace_alarm(1, 0));
	KUNIT_EXPECT_EQ(test, 0, hostile_swap(1));
	KUNIT_ASSERT_EQ(test, 0, hostile_sync(1, HYP_TRACE_CLOSED, 0));
	KUNIT_EXPECT_EQ(test, 0, hostile_reset(1));
	KUNIT_EXPECT_EQ(test, 0, hostile_unload(1));
	hostile_expect_intact(test, ring, "unloading what may be written");
}

static void bad_arguments_are_refused(struct kunit *test)
{
	static const u64 events[] = {
		HYP_NR_EVENTS, HYP_NR_EVENTS + 1, U32_MAX, BIT(32), BIT(63), U64_MAX,
	};
	static const u64 ids[] = { BIT(16), U32_MAX, BIT(32), BIT(32) + 1, U64_MAX };
	static const u64 modes[] = { TRACE_EXT_ON + 1, U32_MAX, BIT(32), U64_MAX };
	static const u64 bools[] = { 2, U32_MAX, BIT(32), BIT(32) + 1, U64_MAX };
	static const u64 states[] = {
		HYP_TRACE_SUSPENDED + 1, U32_MAX, BIT(32) + 1, U64_MAX,
	};
	static const u64 shifts[] = { 64, 65, U32_MAX, BIT(32), U64_MAX };
	static const u64 sgis[] = { HOSTILE_NR_SGIS, 17, U8_MAX, BIT(32), BIT(32) + 1, U64_MAX };
	static const u64 steps[] = { 0, HYP_TRACE_STEP_PAGES + 1, U32_MAX, BIT(32) + 1 };
	struct hostile_ring *ring = hostile_ring_new(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_trace_event(events[i], TYPE),
				    "event %llx", events[i]);
	for (i = 0; i < ARRAY_SIZE(ids); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_trace_event(0, ids[i]),
				    "event type %llx", ids[i]);
	for (i = 0; i < ARRAY_SIZE(modes); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_trace_mode(modes[i], 1),
				    "mode %llx", modes[i]);
	for (i = 0; i < ARRAY_SIZE(bools); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    hcall_trace_mode(TRACE_EXT_OFF, bools[i]),
				    "overwrite %llx", bools[i]);
	for (i = 0; i < ARRAY_SIZE(states); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hostile_sync(0, states[i], 0),
				    "ring state %llx", states[i]);
	for (i = 0; i < ARRAY_SIZE(shifts); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_trace_clock(1, shifts[i], 0),
				    "shift %llx", shifts[i]);
	for (i = 0; i < ARRAY_SIZE(sgis); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_trace_doorbell(sgis[i]),
				    "SGI %llx", sgis[i]);
	for (i = 0; i < ARRAY_SIZE(steps); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    hcall_trace_test(HYP_TRACE_TEST_STEP, steps[i]),
				    "%llx pages a step", steps[i]);
	hostile_expect_intact(test, ring, "arguments out of range");
}

static void unknown_calls_are_refused(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test);
	struct arm_smccc_res res;
	u32 nr;

	for (nr = HYPTRACE_NR_HCALLS; nr < 0x10000; nr = nr * 2 + 1) {
		arm_smccc_1_1_hvc(ARM_SMCCC_CALL_VAL(ARM_SMCCC_FAST_CALL,
						     ARM_SMCCC_SMC_64,
						     ARM_SMCCC_OWNER_VENDOR_HYP,
						     nr), 0, 0, 0, 0, &res);
		KUNIT_EXPECT_EQ_MSG(test, SMCCC_RET_NOT_SUPPORTED, (long)res.a0,
				    "hypercall %u", nr);
	}
	hostile_expect_intact(test, ring, "calls that are unknown");
}

/* A wrong clock only makes time stamps wrong: events stay within the page. */
static void any_clock_is_safe(struct kunit *test)
{
	static const u64 values[] = { 0, 1, BIT(27), BIT(32), BIT(63), U64_MAX };
	struct hostile_ring *ring = hostile_ring_new(test);
	const struct ext_ring_page *page = ring->page[1];
	int i, j, k;

	KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(0, ring));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_event(HYP_EVENT_selftest, TYPE));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	for (i = 0; i < ARRAY_SIZE(values) * ARRAY_SIZE(values) * 4; i++) {
		j = i / 4 / ARRAY_SIZE(values);
		k = i / 4 % ARRAY_SIZE(values);
		KUNIT_EXPECT_EQ(test, 0, hcall_trace_clock(values[j], i % 4 * 21,
							   values[k]));
		KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_OPEN, 0));
		KUNIT_EXPECT_EQ(test, 0, hostile_reset(0));
		KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(i));
		KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(i));
		/* The second event may have a time extend, or be on the next page. */
		KUNIT_EXPECT_TRUE_MSG(test, page->commit == 40 ||
				      page->commit == 48 || page->commit == 20,
				      "clock %llx %d %llx: commit %llu", values[j],
				      i % 4 * 21, values[k], page->commit);
	}
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_OFF, 1));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_CLOSED, 0));
	KUNIT_EXPECT_EQ(test, 0, hostile_unload(0));
	hostile_expect_intact(test, ring, "clocks of all kinds");
}

/*
 * EL2 follows some pointers of the host, such as that to the VM whose translations are
 * invalidated. Such a pointer may lead to EL2's memory, so its content must not be
 * recorded. (EL2 of some kernels maps only what is pinned, as the pages of a ring that is loaded.)
 */
static void what_a_pointer_leads_to_is_not_recorded(struct kunit *test)
{
	struct hostile_ring *ring = hostile_ring_new(test), *other = hostile_ring_new(test);
	const struct ext_ring_page *page = ring->page[1];
	struct kvm_s2_mmu *mmu = other->page[1];
	/* The field follows the event's header, the common fields, ipa and size. */
	const u16 *vmid = (const u16 *)(page->data + 4 + 8 + 8 + 8);

	KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(0, ring));
	KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(HYP_TRACE_FOLLOWER, other));
	memset(mmu, 0, PAGE_SIZE);
	atomic64_set(&mmu->vmid.id, 0x5a);
	mmu->arch = other->page[1];
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_event(HYP_EVENT_tlb_flush, TYPE));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_OPEN, 0));
	kvm_call_hyp_nvhe(__kvm_tlb_flush_vmid, mmu);
	KUNIT_EXPECT_EQ(test, 0, hostile_swap(0));
	KUNIT_EXPECT_EQ(test, 36, page->commit);
	KUNIT_EXPECT_EQ(test, HYP_VMID_A_GUEST, *vmid);

	hostile_quiet(test);
	KUNIT_EXPECT_EQ(test, 0, hostile_unload(0));
	KUNIT_EXPECT_EQ(test, 0, hostile_unload(HYP_TRACE_FOLLOWER));
	hostile_expect_intact(test, ring, "a pointer to a VM");
}

static bool touch;
module_param(touch, bool, 0444);
MODULE_PARM_DESC(touch, "write to memory that was given to EL2, which must be fatal");

/*
 * The host can't change the list of frames while EL2 reads it, because EL2 owns it then.
 * 6.12's pKVM panics if the host tries, so this does not run by default. All other tests
 * change the list before the call.
 */
static void a_region_cannot_be_written_once_it_is_given_away(struct kunit *test)
{
	struct hostile_ring *ring;

	if (!touch)
		kunit_skip(test, "ends in a panic; hyp_trace_hostile.touch=1 runs it");

	ring = hostile_ring_new(test);
	KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(0, ring));
	pr_emerg("hyp_trace_hostile: writing to EL2's memory\n");
	WRITE_ONCE(ring->region[0], 0);
	pr_emerg("hyp_trace_hostile: it was not EL2's\n");
	KUNIT_FAIL(test, "the host wrote to memory that it gave to EL2");
	hostile_unload(0);
}

static int hostile_init(struct kunit *test)
{
	if (!is_protected_kvm_enabled())
		kunit_skip(test, "not protected: EL2 trusts the host");

	test->priv = NULL;
	/* The tests would take the rings from anyone who traces. */
	if (hostile_load(0, U64_MAX, 1, HOSTILE_SLOTS) == -EBUSY)
		kunit_skip(test, "somebody traces: write 0 to hyp/tracing_on");

	/* Recording may have been left stopped. */
	hcall_trace_run(1);

	/* Some calls must come from the ring's own CPU, so run all of them on CPU 0. */
	return set_cpus_allowed_ptr(current, cpumask_of(0));
}

/* Fail a test that has not called hostile_expect_intact(); clean up after a failed one. */
static void hostile_exit(struct kunit *test)
{
	int cpu;

	if (test->status == KUNIT_SKIPPED)
		return;

	KUNIT_EXPECT_NOT_NULL_MSG(test, test->priv,
				  "whether EL2 is intact was not asked");

	hostile_quiet(test);
	for_each_possible_cpu(cpu) {
		hostile_unload(cpu);
		hostile_unload(cpu | HYP_TRACE_FOLLOWER);
		hostile_totals_unload(cpu);
	}
	hcall_trace_test(HYP_TRACE_TEST_STEP, HYP_TRACE_STEP_PAGES);
}

static struct kunit_case hostile_cases[] = {
	KUNIT_CASE(hostile_draft_without_ring),		/* before any sync */
	KUNIT_CASE(bad_cpus_are_refused),
	KUNIT_CASE(bad_sizes_are_refused),
	KUNIT_CASE(pages_that_are_not_the_hosts_are_refused),
	KUNIT_CASE(regions_that_overlap_are_refused),
	KUNIT_CASE(pages_that_are_not_shared_are_refused),
	KUNIT_CASE(pages_named_twice_are_refused),
	KUNIT_CASE(pages_of_another_ring_are_refused),
	KUNIT_CASE(a_ring_that_is_being_loaded_or_unloaded_refuses_all_else),
	KUNIT_CASE(what_was_taken_is_given_back_step_by_step),
	KUNIT_CASE(a_large_region_is_taken_in_steps),
	KUNIT_CASE(a_large_ring_is_like_a_small_one),
	KUNIT_CASE(without_a_ring_there_is_none),
	KUNIT_CASE(what_is_done_twice_is_refused),
	KUNIT_CASE(only_spares_go_into_the_ring),
	KUNIT_CASE(a_ring_that_may_be_written_is_not_taken_away),
	KUNIT_CASE(bad_arguments_are_refused),
	KUNIT_CASE(unknown_calls_are_refused),
	KUNIT_CASE(any_clock_is_safe),
	KUNIT_CASE(what_a_pointer_leads_to_is_not_recorded),
	KUNIT_CASE(hostile_doorbell_alarm),
	KUNIT_CASE(hostile_doorbell_follower),
	KUNIT_CASE(hostile_doorbell_trigger),
	KUNIT_CASE(hostile_filter_arguments),
	KUNIT_CASE(hostile_filter_order),
	KUNIT_CASE(hostile_trigger_arguments),
	KUNIT_CASE(hostile_stacks_arguments),
	KUNIT_CASE(hostile_mark_arguments),
	KUNIT_CASE(hostile_follow_arguments),
	KUNIT_CASE(hostile_follow_two_rings),
#ifdef CONFIG_KVM_HYPTRACE_FUNCTIONS
	KUNIT_CASE(hostile_functions_arguments),
	KUNIT_CASE(hostile_functions_in_use),
#endif
	KUNIT_CASE(hostile_totals_arguments),
	KUNIT_CASE(hostile_totals_pages),
	KUNIT_CASE(hostile_totals_order),
	KUNIT_CASE(hostile_totals_vcpus),
	KUNIT_CASE(hostile_totals_steps),
	KUNIT_CASE(hostile_totals_writes),
	KUNIT_CASE(hostile_totals_nonsense),
	KUNIT_CASE(hostile_max_writes),
	KUNIT_CASE(hostile_max_nonsense),
	KUNIT_CASE(hostile_doorbell_max),
	KUNIT_CASE_PARAM_ATTR(hostile_random_calls, hostile_next_batch,
			      { .speed = KUNIT_SPEED_SLOW }),
	KUNIT_CASE(a_region_cannot_be_written_once_it_is_given_away),
	KUNIT_CASE(hostile_panic_that_is_survived),
	{}
};

static struct kunit_suite hostile_suite = {
	.name = "hyp_trace_hostile",
	.init = hostile_init,
	.exit = hostile_exit,
	.test_cases = hostile_cases,
};

kunit_test_suite(hostile_suite);
