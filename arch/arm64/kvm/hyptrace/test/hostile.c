// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile host: what its tests share. They describe rings with pages of all kinds, make calls
 * on other CPUs, and find out whether EL2 is intact.
 */

#include <asm/hyptrace_ids.h>
#include <linux/memblock.h>
#include <linux/smp.h>

#include <asm/kvm_host.h>
#include <asm/sections.h>

#include "hostile.h"

/* Pages that no ring may contain --------------------------------------------------- */

/**
 * hostile_bad_pfn() - get the number of a page that the host does not own
 * @i:		index, less than hostile_nr_bad_pfns()
 *
 * Return: a page frame number; U64_MAX for the last one and any higher index
 */
u64 hostile_bad_pfn(unsigned int i)
{
	switch ((enum hostile_bad_pfn)i) {
	case PFN_EL2_TEXT:
		return PHYS_PFN(__pa_symbol(__hyp_text_start));
	case PFN_EL2_RODATA:
		return PHYS_PFN(__pa_symbol(__hyp_rodata_start));
	case PFN_EL2_BSS:		/* EL2 shares it with the host */
		return PHYS_PFN(__pa_symbol(__hyp_bss_start));
	case PFN_EL2_POOL:
		return PHYS_PFN(hyp_mem_base);
	case PFN_EL2_POOL_END:
		return PHYS_PFN(hyp_mem_base + hyp_mem_size) - 1;
	case PFN_0:
		return 0;
	case PFN_BELOW_RAM:		/* devices, on most machines */
		return PHYS_PFN(memblock_start_of_DRAM()) - 1;
	case PFN_BEYOND_RAM:
		return PHYS_PFN(memblock_end_of_DRAM());
	case PFN_PA_BITS_END:
		return BIT(CONFIG_ARM64_PA_BITS - PAGE_SHIFT) - 2;
	case PFN_PA_BITS:
		return BIT(CONFIG_ARM64_PA_BITS - PAGE_SHIFT);
	case PFN_40_BITS:
		return BIT(40);
	case PFN_51_BITS:
		return BIT(51);
	case PFN_52_BITS:
		return BIT(52) + PHYS_PFN(hyp_mem_base);
	case PFN_63_BITS:
		return BIT(63) + PHYS_PFN(hyp_mem_base);
	case PFN_MAX:
	case NR_BAD_PFNS:
		break;
	}

	return U64_MAX;
}

unsigned int hostile_nr_bad_pfns(void)
{
	return NR_BAD_PFNS;
}

static const u64 bad_cpus[] = {
	NR_CPUS, NR_CPUS + 1, HYP_TRACE_FOLLOWER + NR_CPUS, HYP_TRACE_FOLLOWER << 1,
	U32_MAX, BIT(32), BIT(63), U64_MAX - 1, U64_MAX,
};

/*
 * A CPU number that is out of range, as a ring's number, too; @i is less than
 * hostile_nr_bad_cpus().
 */
u64 hostile_bad_cpu(unsigned int i)
{
	return i < ARRAY_SIZE(bad_cpus) ? bad_cpus[i] : nr_cpu_ids;
}

unsigned int hostile_nr_bad_cpus(void)
{
	return ARRAY_SIZE(bad_cpus) + (nr_cpu_ids < NR_CPUS);
}

/* Rings, and checks that they are intact ---------------------------------------- */

static void test_page_free(void *page)
{
	hostile_unshare(page);
	free_page((unsigned long)page);
}

/* Allocate a zeroed page, and share it with EL2. At the test's end it is freed. */
void *hostile_page_new(struct kunit *test)
{
	void *page = (void *)get_zeroed_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	kunit_add_action(test, test_page_free, page);
	KUNIT_ASSERT_EQ(test, 0, hostile_share(page));
	return page;
}

/**
 * hostile_ring_new() - allocate memory for a ring, shared with EL2
 * @test:	the test, at whose end the memory is freed
 *
 * Return: the ring, not loaded
 */
struct hostile_ring *hostile_ring_new(struct kunit *test)
{
	struct hostile_ring *ring = kunit_kzalloc(test, sizeof(*ring), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, ring);
	ring->region = (u64 *)get_zeroed_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ring->region);
	kunit_add_action(test, test_page_free, ring->region);
	for (i = 0; i < HOSTILE_PAGES; i++)
		ring->page[i] = hostile_page_new(test);
	hostile_describe(ring);
	return ring;
}

/* Fill in the region of a ring that is not loaded. */
void hostile_describe(struct hostile_ring *ring)
{
	int i;

	memset(ring->region, 0, PAGE_SIZE);
	for (i = 0; i < HOSTILE_PAGES; i++)
		ring->region[i] = virt_to_pfn(ring->page[i]);
}

struct sync {
	u64	state;
	u64	totals;
	u64	follower;
	int	ret;
};

static void sync_here(void *data)
{
	struct sync *sync = data;

	sync->ret = hcall_trace_sync(sync->state, sync->totals, sync->follower);
}

/*
 * Have an online CPU open or close its ring and its table of totals, and close its follower's
 * ring. @state and @totals may be invalid.
 */
int hostile_sync(int cpu, u64 state, u64 totals)
{
	return hostile_sync_follower(cpu, state, totals, HYP_TRACE_CLOSED);
}

/* As hostile_sync(), with a state for the follower's ring. */
int hostile_sync_follower(int cpu, u64 state, u64 totals, u64 follower)
{
	struct sync sync = { .state = state, .totals = totals, .follower = follower };

	smp_call_function_single(cpu, sync_here, &sync, true);
	return sync.ret;
}

/**
 * hostile_quiet() - turn tracing, all events and totals off, remove all filters, triggers and
 * hooks, and close all rings and tables
 * @test:	the test
 */
void hostile_quiet(struct kunit *test)
{
	int event, cpu;
	u64 use;

	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_OFF, 1));
	KUNIT_EXPECT_EQ(test, 0, hcall_totals_enable(0, 0));
	KUNIT_EXPECT_EQ(test, 0, hcall_totals_max(0, 0, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_stacks(0, 0));
	for (event = 0; event < HYP_NR_EVENTS; event++) {
		KUNIT_EXPECT_EQ(test, 0, hcall_trace_event(event, 0));
		KUNIT_EXPECT_EQ(test, 0, hcall_trace_follow(event, 0));
		for (use = 0; use < HYP_FILTER_USES; use++)
			KUNIT_EXPECT_EQ(test, 0, hcall_trace_filter(event, use,
								    EXT_FILTER_FIRST, 0));
		for (use = HYP_FILTER_TRIGGER; use < HYP_FILTER_USES; use++)
			KUNIT_EXPECT_EQ(test, 0, hcall_trace_trigger(event, use,
								     TRACE_EXT_NO_ACTION, 0));
	}
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_run(1));
	hostile_unhook_all(test);
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_EQ(test, 0, hostile_sync(cpu, HYP_TRACE_CLOSED, 0));
}

/* Expect that the host can write to a page, share it and unshare it. */
static void expect_owned(struct kunit *test, void *page, bool shared,
			 const char *what)
{
	u64 *words = page;

	memset(page, 0x5a, PAGE_SIZE);
	KUNIT_EXPECT_EQ_MSG(test, words[PAGE_SIZE / 8 - 1], 0x5a5a5a5a5a5a5a5aull,
			    "after %s: a page does not keep what is written", what);
	if (shared)
		KUNIT_EXPECT_EQ_MSG(test, 0, hostile_unshare(page),
				    "after %s: a page is not shared, or is pinned",
				    what);
	KUNIT_EXPECT_EQ_MSG(test, 0, hostile_share(page),
			    "after %s: a page can't be shared", what);
	if (!shared)
		KUNIT_EXPECT_EQ_MSG(test, 0, hostile_unshare(page),
				    "after %s: a page can't be unshared", what);
}

#define TYPE	1234

/* Expect that tracing works, on CPU 0, where the test runs. */
static void expect_traces(struct kunit *test, struct hostile_ring *ring,
			  const char *what)
{
	const struct ext_ring_page *first = ring->page[1];
	const u32 *event = (const u32 *)first->data;

	hostile_describe(ring);
	KUNIT_ASSERT_EQ_MSG(test, 0, hostile_load_ring(0, ring),
			    "after %s: a good ring is refused", what);
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_clock(0, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_event(HYP_EVENT_selftest, TYPE));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_OPEN, 0));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(4711));
	KUNIT_EXPECT_EQ_MSG(test, 0, hostile_swap(0),
			    "after %s: the first page can't be had", what);
	KUNIT_EXPECT_EQ_MSG(test, 20, first->commit,
			    "after %s: no event recorded", what);
	KUNIT_EXPECT_EQ_MSG(test, TYPE, event[1],
			    "after %s: wrong event recorded", what);
	KUNIT_EXPECT_EQ_MSG(test, 4711, event[3],
			    "after %s: wrong event recorded", what);
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_OFF, 1));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_event(HYP_EVENT_selftest, 0));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_CLOSED, 0));
	KUNIT_ASSERT_EQ_MSG(test, 0, hostile_unload(0),
			    "after %s: the ring can't be unloaded", what);
}

/* Expect that the host can donate a data page: load a ring with it as the region. */
static void expect_donatable(struct kunit *test, struct hostile_ring *ring, int at,
			     const char *what)
{
	void *region = ring->region;

	KUNIT_ASSERT_EQ(test, 0, hostile_unshare(ring->page[at]));
	KUNIT_ASSERT_EQ(test, 0, hostile_share(region));
	ring->region = ring->page[at];
	ring->page[at] = region;
	hostile_describe(ring);

	KUNIT_EXPECT_EQ_MSG(test, 0, hostile_load_ring(0, ring),
			    "after %s: page %d can't be donated", what, at);
	KUNIT_EXPECT_EQ_MSG(test, 0, hostile_unload(0),
			    "after %s: page %d does not come back", what, at);

	ring->page[at] = ring->region;
	ring->region = region;
	KUNIT_ASSERT_EQ(test, 0, hostile_unshare(region));
	KUNIT_ASSERT_EQ(test, 0, hostile_share(ring->page[at]));
}

/**
 * hostile_expect_intact() - expect that tracing works and the host owns its pages
 * @test:	the test; its @priv notes that this was called, see hostile_exit()
 * @ring:	a ring that is not loaded
 * @what:	what the test has tried, for messages
 *
 * Context: runs on CPU 0.
 */
void hostile_expect_intact(struct kunit *test, struct hostile_ring *ring,
			   const char *what)
{
	int i;

	test->priv = ring;
	expect_owned(test, ring->region, false, what);
	for (i = 0; i < HOSTILE_PAGES; i++)
		expect_owned(test, ring->page[i], true, what);
	for (i = 0; i < HOSTILE_PAGES; i++)
		expect_donatable(test, ring, i, what);
	expect_traces(test, ring, what);
	KUNIT_EXPECT_NULL_MSG(test, memchr_inv(ring->region, 0, PAGE_SIZE),
			      "after %s: EL2 left something in the region", what);
	hostile_describe(ring);
}
