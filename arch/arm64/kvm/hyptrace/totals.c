// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of the totals of the time at EL2: gives EL2 the tables, and turns it on and off.
 *
 * A CPU's table stays until reset, so that counters only grow. Those of vCPUs: see totals_vcpus.c.
 */

#include <linux/cpu.h>
#include <linux/gfp.h>
#include <linux/slab.h>
#include <linux/suspend.h>

#include "totals.h"

DEFINE_PER_CPU(struct hyptrace_totals_table, hyptrace_totals_table);
DEFINE_MUTEX(hyptrace_totals_lock);
DEFINE_STATIC_KEY_FALSE(hyptrace_totals_key);

static u32 resets = 1;

/* The number of the last reset; not 0. */
u32 hyptrace_totals_resets(void)
{
	return READ_ONCE(resets);
}

/* Tables -------------------------------------------------------------------------- */

static void table_free_pages(struct hyptrace_totals_table *table)
{
	u32 i;

	for (i = 0; i < table->shape.nr_pages; i++)
		free_page((unsigned long)table->pages[i]);
	kvfree(table->pages);
	table->pages = NULL;
}

/**
 * hyptrace_totals_table_init() - allocate a table, ready for EL2 to take
 * @table:	the table
 * @shape:	its size
 * @node:	NUMA node
 * @gfp:	how to allocate
 *
 * Return: 0, or a negative errno
 */
int hyptrace_totals_table_init(struct hyptrace_totals_table *table,
			       struct hyp_totals_shape shape, int node, gfp_t gfp)
{
	u32 i, nr_pages = shape.nr_pages;
	int ret;

	*table = (struct hyptrace_totals_table) {
		.shape = shape,
		.pages = kvcalloc(nr_pages, sizeof(*table->pages), gfp),
	};
	if (!table->pages)
		return -ENOMEM;

	for (i = 0; i < nr_pages; i++) {
		struct page *page = alloc_pages_node(node, gfp | __GFP_ZERO, 0);

		if (!page) {
			table_free_pages(table);
			return -ENOMEM;
		}
		table->pages[i] = page_address(page);
	}

	table->mem = (struct hyptrace_memory) {
		.region_pages	= shape.region_pages,
		.first		= table->pages[0],
		.pages		= table->pages + 1,
		.nr_pages	= nr_pages - 1,
	};
	ret = hyptrace_memory_prepare(&table->mem, gfp);
	if (ret)
		table_free_pages(table);

	return ret;
}

/* Free a table that EL2 does not have, or has given back. */
void hyptrace_totals_table_free(struct hyptrace_totals_table *table)
{
	hyptrace_memory_release(&table->mem);
	table_free_pages(table);
}

/* Give EL2 a table for a CPU, if it has none. */
static int table_load(int cpu)
{
	struct hyptrace_totals_table *table = per_cpu_ptr(&hyptrace_totals_table, cpu);
	int ret;

	lockdep_assert_held(&hyptrace_totals_lock);

	if (table->pages)
		return 0;

	ret = hyptrace_totals_table_init(table, hyp_totals_cpu_shape(), cpu_to_node(cpu),
					 GFP_KERNEL);
	if (!ret) {
		ret = hcall_steps(hcall_totals_load(cpu, virt_to_pfn(table->mem.region),
						    table->mem.region_pages));
		if (ret)
			hyptrace_totals_table_free(table);
	}
	if (ret)
		pr_err_ratelimited("hyp_trace: CPU%d: can't hand over a table of totals: %pe%s\n",
				   cpu, ERR_PTR(ret), hyptrace_if_locked(ret));

	return ret;
}

/* Take the tables of all CPUs back. EL2 does not use any. */
static void tables_unload(void)
{
	struct arm_smccc_res res;
	int cpu, ret;

	lockdep_assert_held(&hyptrace_totals_lock);

	for_each_possible_cpu(cpu) {
		struct hyptrace_totals_table *table = per_cpu_ptr(&hyptrace_totals_table, cpu);

		if (!table->pages)
			continue;

		ret = hcall_steps(hcall_totals_unload(&res, cpu));
		if (ret) {
			pr_err_ratelimited("hyp_trace: CPU%d: EL2 does not give back the table of totals: %pe\n",
					   cpu, ERR_PTR(ret));
			continue;
		}

		hyptrace_totals_table_free(table);
	}
}

/* On and off ------------------------------------------------------------------------ */

static int totals_start(void)
{
	int cpu, ret;

	ret = hyptrace_clock_start();
	if (ret)
		return ret;

	for_each_online_cpu(cpu) {
		ret = table_load(cpu);
		if (ret)
			goto out_clock;
	}

	/* A vCPU gets its table before it is measured. */
	static_branch_enable_cpuslocked(&hyptrace_totals_key);
	ret = hcall_totals_enable(true, resets);
	if (ret)
		goto out_key;

	hyptrace_totals_turn(true);
	return 0;

out_key:
	static_branch_disable_cpuslocked(&hyptrace_totals_key);
out_clock:
	hyptrace_clock_stop();
	return ret;
}

static void totals_stop(void)
{
	hyptrace_totals_turn(false);
	hcall_totals_enable(false, resets);
	static_branch_disable_cpuslocked(&hyptrace_totals_key);
	hyptrace_clock_stop();
}

/**
 * hyptrace_totals_enable() - begin or cease to keep totals
 * @enable:	true to begin
 *
 * Return: 0, or a negative errno
 */
int hyptrace_totals_enable(bool enable)
{
	guard(cpus_read_lock)();
	guard(mutex)(&hyptrace_totals_lock);

	if (enable == hyptrace_totals_are_on())
		return 0;
	if (enable)
		return totals_start();

	totals_stop();
	return 0;
}

/* Free the CPUs' tables, so that totals begin at 0; -EBUSY if totals are kept. */
int hyptrace_totals_reset(void)
{
	guard(cpus_read_lock)();
	guard(mutex)(&hyptrace_totals_lock);

	if (hyptrace_totals_are_on())
		return -EBUSY;

	tables_unload();
	WRITE_ONCE(resets, resets + 1 ?: 1);
	return 0;
}

/* Sleep ----------------------------------------------------------------------------- */

/* The machine hibernates. The image has this, so it is still true when the machine goes on. */
static bool hibernates;

static int totals_pm_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	if (action == PM_HIBERNATION_PREPARE)
		hibernates = true;
	else if (action == PM_POST_HIBERNATION)
		hibernates = false;

	return NOTIFY_OK;
}

static struct notifier_block pm_nb = {
	.notifier_call	= totals_pm_notify,
};

/*
 * The machine goes on after sleep; this CPU will sync. After hibernation the counter has begun
 * anew. An interval that had begun before can't be measured, so EL2 begins another measurement,
 * of which it is no part. Interrupts are off, all other CPUs are offline, and no task runs.
 */
void hyptrace_totals_resume(void)
{
	if (!hibernates || !hyptrace_totals_are_on())
		return;

	hcall_totals_enable(false, resets);
	hcall_totals_enable(true, resets);
}

/* Follow hibernation. */
void __init hyptrace_totals_init(void)
{
	register_pm_notifier(&pm_nb);
}

/* CPU hotplug ----------------------------------------------------------------------- */

/* A CPU comes online; it will sync. If there is no memory, it does not keep totals. */
void hyptrace_totals_online(unsigned int cpu)
{
	guard(mutex)(&hyptrace_totals_lock);

	if (hyptrace_totals_are_on())
		table_load(cpu);
}
