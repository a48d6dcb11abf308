/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hostile host: declarations that its tests share.
 */
#ifndef __ARM64_KVM_HYPTRACE_HOSTILE_H
#define __ARM64_KVM_HYPTRACE_HOSTILE_H

#include <kunit/test.h>

#include <linux/irq.h>

#include <asm/irq_work.h>
#include <asm/hyptrace_compat.h>
#include <asm/hyptrace.h>
#include <asm/memory.h>

#include "../totals.h"

#define HOSTILE_SLOTS	2			/* the smallest ring */
#define HOSTILE_SPARES	2
#define HOSTILE_PAGES	(1 + HOSTILE_SLOTS + HOSTILE_SPARES)	/* the meta page, then data pages */

/**
 * struct hostile_ring - memory for a ring, owned by the host
 * @region:	the region that describes it, filled in by hostile_describe()
 * @page:	pages that are shared with EL2, the meta page first
 */
struct hostile_ring {
	u64	*region;
	void	*page[HOSTILE_PAGES];
};

void *hostile_page_new(struct kunit *test);
struct hostile_ring *hostile_ring_new(struct kunit *test);
void hostile_describe(struct hostile_ring *ring);
void hostile_expect_intact(struct kunit *test, struct hostile_ring *ring,
			   const char *what);
void hostile_quiet(struct kunit *test);
int hostile_sync(int cpu, u64 state, u64 totals);
int hostile_sync_follower(int cpu, u64 state, u64 totals, u64 follower);

/* Pages that no ring may contain. */
enum hostile_bad_pfn {
	PFN_EL2_TEXT, PFN_EL2_RODATA, PFN_EL2_BSS, PFN_EL2_POOL, PFN_EL2_POOL_END,
	PFN_0, PFN_BELOW_RAM, PFN_BEYOND_RAM, PFN_PA_BITS_END, PFN_PA_BITS,
	PFN_40_BITS, PFN_51_BITS, PFN_52_BITS, PFN_63_BITS, PFN_MAX, NR_BAD_PFNS
};

u64 hostile_bad_pfn(unsigned int i);
unsigned int hostile_nr_bad_pfns(void);
u64 hostile_bad_cpu(unsigned int i);
unsigned int hostile_nr_bad_cpus(void);

/* One step of a load. */
static inline int hostile_load_step(u64 cpu, u64 pfn, u64 region_pages, u64 nr_slots,
				    u64 nr_spares)
{
	return hcall_trace_load(cpu, pfn, region_pages, nr_slots, nr_slots + nr_spares);
}

static inline int hostile_load_with(u64 cpu, u64 pfn, u64 region_pages, u64 nr_slots,
				    u64 nr_spares)
{
	int ret;

	do {
		ret = hostile_load_step(cpu, pfn, region_pages, nr_slots, nr_spares);
	} while (ret == -EINPROGRESS);

	return ret;
}

static inline int hostile_load(u64 cpu, u64 pfn, u64 region_pages, u64 nr_slots)
{
	return hostile_load_with(cpu, pfn, region_pages, nr_slots, HOSTILE_SPARES);
}

static inline int hostile_load_ring(u64 cpu, const struct hostile_ring *ring)
{
	return hostile_load(cpu, virt_to_pfn(ring->region), 1, HOSTILE_SLOTS);
}

/* One step of an unload. */
static inline int hostile_unload_step(u64 cpu)
{
	struct arm_smccc_res res;

	return hcall_trace_unload(&res, cpu);
}

static inline int hostile_unload(u64 cpu)
{
	int ret;

	do {
		ret = hostile_unload_step(cpu);
	} while (ret == -EINPROGRESS);

	return ret;
}

#define HOSTILE_TABLE_PAGES	(hyp_totals_cpu_shape().nr_pages)
#define HOSTILE_TABLE_REGION	(hyp_totals_cpu_shape().region_pages)

/**
 * struct hostile_table - memory for a CPU's table of totals, owned by the host
 * @region:	the region that describes it
 * @page:	pages that are shared with EL2
 */
struct hostile_table {
	u64	*region;
	void	*page[1 + HYP_TOTALS_CPU_ROWS];
};

struct hostile_table *hostile_table_new(struct kunit *test);
void hostile_table_describe(struct hostile_table *table);
void hostile_table_expect_intact(struct kunit *test, struct hostile_table *table,
				 const char *what);

static inline int hostile_totals_load(u64 cpu, u64 pfn, u64 nr_pages)
{
	int ret;

	do {
		ret = hcall_totals_load(cpu, pfn, nr_pages);
	} while (ret == -EINPROGRESS);

	return ret;
}

static inline int hostile_totals_load_table(u64 cpu, const struct hostile_table *table)
{
	return hostile_totals_load(cpu, virt_to_pfn(table->region), HOSTILE_TABLE_REGION);
}

static inline int hostile_totals_unload(u64 cpu)
{
	struct arm_smccc_res res;
	int ret;

	do {
		ret = hcall_totals_unload(&res, cpu);
	} while (ret == -EINPROGRESS);

	return ret;
}

/* Return the id of the page, or an error. */
static inline int hostile_swap_for(u64 cpu, u64 spare)
{
	struct arm_smccc_res res;

	return hcall_trace_swap(&res, cpu, spare);
}

/* Swap the first spare. */
static inline int hostile_swap(u64 cpu)
{
	return hostile_swap_for(cpu, HOSTILE_SLOTS);
}

static inline int hostile_reset(u64 cpu)
{
	struct arm_smccc_res res;

	return hcall_trace_reset(&res, cpu);
}

/* Is EL2's text another one than hostile_unhook_all() has found? -EBADMSG if so. */
static inline int hostile_text_changed(void)
{
	return hcall_trace_test(HYP_TRACE_TEST_TEXT, 1);
}

static inline int hostile_pred(u64 place, u64 mask, u64 rest)
{
	return hcall_trace_pred(place, 0, 0, mask, rest);
}

static inline int hostile_filter(u64 event, u64 place, u64 nr)
{
	return hcall_trace_filter(event, HYP_FILTER_RECORD, place, nr);
}

static inline int hostile_trigger(u64 event, u64 action, u64 count)
{
	return hcall_trace_trigger(event, HYP_FILTER_TRIGGER, action, count);
}

static inline int hostile_triggers(u64 event, u64 use)
{
	struct arm_smccc_res res;

	return hcall_trace_triggers(&res, event, use);
}

static inline int hostile_mark(u64 len)
{
	struct arm_smccc_res res;

	return hcall_trace_mark(&res, 0, len);
}

/* irq_work's SGI. It may be spurious; any other would harm the host. */
static inline u64 hostile_sgi(void)
{
	return irqd_to_hwirq(irq_get_irq_data(arch_irq_work_irq()));
}

#define HOSTILE_NR_SGIS	16

static inline int hostile_share(const void *page)
{
	struct arm_smccc_res res;

	return hyptrace_call(&res, __pkvm_host_share_hyp, virt_to_pfn(page));
}

static inline int hostile_unshare(const void *page)
{
	struct arm_smccc_res res;

	return hyptrace_call(&res, __pkvm_host_unshare_hyp, virt_to_pfn(page));
}

void hostile_doorbell_alarm(struct kunit *test);
void hostile_doorbell_follower(struct kunit *test);
void hostile_doorbell_trigger(struct kunit *test);
void hostile_draft_without_ring(struct kunit *test);
void hostile_filter_arguments(struct kunit *test);
void hostile_filter_order(struct kunit *test);
void hostile_trigger_arguments(struct kunit *test);
void hostile_stacks_arguments(struct kunit *test);
void hostile_mark_arguments(struct kunit *test);
void hostile_follow_arguments(struct kunit *test);
void hostile_follow_two_rings(struct kunit *test);
#ifdef CONFIG_KVM_HYPTRACE_FUNCTIONS
void hostile_unhook_all(struct kunit *test);
#else
static inline void hostile_unhook_all(struct kunit *test) { }
#endif
void hostile_functions_arguments(struct kunit *test);
void hostile_functions_in_use(struct kunit *test);
void hostile_totals_arguments(struct kunit *test);
void hostile_totals_pages(struct kunit *test);
void hostile_totals_order(struct kunit *test);
void hostile_totals_vcpus(struct kunit *test);
void hostile_totals_steps(struct kunit *test);
void hostile_totals_writes(struct kunit *test);
void hostile_totals_nonsense(struct kunit *test);
void hostile_max_writes(struct kunit *test);
void hostile_max_nonsense(struct kunit *test);
void hostile_doorbell_max(struct kunit *test);
void hostile_random_calls(struct kunit *test);
void hostile_panic_that_is_survived(struct kunit *test);
const void *hostile_next_batch(HYPTRACE_GEN_PARAMS(prev, desc));

#endif /* __ARM64_KVM_HYPTRACE_HOSTILE_H */
