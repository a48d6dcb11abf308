// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile host: hypercalls for totals with one invalid argument at a time, and tables that
 * the host writes to.
 */

#include <linux/gfp.h>

#include "hostile.h"

static void free_region(void *region)
{
	free_pages_exact(region, HOSTILE_TABLE_REGION * PAGE_SIZE);
}

/**
 * hostile_table_new() - allocate memory for a table, shared with EL2
 * @test:	the test, at whose end the memory is freed
 *
 * Return: the table, not loaded
 */
struct hostile_table *hostile_table_new(struct kunit *test)
{
	struct hostile_table *table = kunit_kzalloc(test, sizeof(*table), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, table);
	table->region = alloc_pages_exact(HOSTILE_TABLE_REGION * PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, table->region);
	kunit_add_action(test, free_region, table->region);
	for (i = 0; i < HOSTILE_TABLE_PAGES; i++)
		table->page[i] = hostile_page_new(test);
	hostile_table_describe(table);
	return table;
}

/* Fill in the region of a table that is not loaded. */
void hostile_table_describe(struct hostile_table *table)
{
	int i;

	memset(table->region, 0, HOSTILE_TABLE_REGION * PAGE_SIZE);
	for (i = 0; i < HOSTILE_TABLE_PAGES; i++)
		table->region[i] = virt_to_pfn(table->page[i]);
}

/**
 * hostile_table_expect_intact() - expect that the host owns a table's pages, and EL2 traces
 * @test:	the test
 * @table:	a table that is not loaded
 * @what:	what the test has tried, for messages
 *
 * Context: runs on CPU 0.
 */
void hostile_table_expect_intact(struct kunit *test, struct hostile_table *table,
				 const char *what)
{
	int i;

	memset(table->region, 0x5a, HOSTILE_TABLE_REGION * PAGE_SIZE);
	for (i = 0; i < HOSTILE_TABLE_PAGES; i++) {
		memset(table->page[i], 0, PAGE_SIZE);
		KUNIT_EXPECT_EQ_MSG(test, 0, hostile_unshare(table->page[i]),
				    "after %s: page %d is not shared, or is pinned", what, i);
		KUNIT_EXPECT_EQ(test, 0, hostile_share(table->page[i]));
	}
	hostile_table_describe(table);
	KUNIT_EXPECT_EQ_MSG(test, 0, hostile_totals_load_table(0, table),
			    "after %s: a good table is refused", what);
	KUNIT_EXPECT_EQ(test, 0, hostile_totals_unload(0));
	KUNIT_EXPECT_NULL_MSG(test, memchr_inv(table->region, 0,
					       HOSTILE_TABLE_REGION * PAGE_SIZE),
			      "after %s: EL2 left something in the region", what);
	hostile_table_describe(table);
	hostile_expect_intact(test, hostile_ring_new(test), what);
}

static struct hyp_totals_row *row_in(void *const *pages, u32 i)
{
	struct hyp_totals_row *rows = pages[(1 + i) / HYP_TOTALS_PER_PAGE];

	return &rows[(1 + i) % HYP_TOTALS_PER_PAGE];
}

/* The row of the hypercall that records an event. */
static const struct hyp_totals_row *event_row(const struct hostile_table *table)
{
	return row_in(table->page, HYP_TOTALS_ROW_HCALLS +
				   __KVM_HOST_SMCCC_FUNC___hyp_trace_write_event);
}

void hostile_totals_arguments(struct kunit *test)
{
	const u64 pages[] = {
		0, HOSTILE_TABLE_REGION - 1, HOSTILE_TABLE_REGION + 1,
		BIT(32) + HOSTILE_TABLE_REGION, BIT(63) + HOSTILE_TABLE_REGION, U64_MAX,
	};
	static const u64 bools[] = { 2, U32_MAX, BIT(32), BIT(32) + 1, U64_MAX };
	static const u64 resets[] = { BIT(32), BIT(32) + 1, BIT(63), U64_MAX };
	struct hostile_table *table = hostile_table_new(test);
	u64 pfn = virt_to_pfn(table->region);
	int i;

	for (i = 0; i < hostile_nr_bad_cpus(); i++) {
		u64 cpu = hostile_bad_cpu(i);

		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hostile_totals_load_table(cpu, table),
				    "load of CPU %llx", cpu);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hostile_totals_unload(cpu),
				    "unload of CPU %llx", cpu);
	}
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    hostile_totals_load(0, pfn, pages[i]),
				    "%llx pages", pages[i]);
	for (i = 0; i < ARRAY_SIZE(bools); i++) {
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_totals_enable(bools[i], 1),
				    "enable %llx", bools[i]);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_totals_max(bools[i], 1, 1, 1),
				    "max %llx", bools[i]);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    hostile_sync(0, HYP_TRACE_CLOSED, bools[i]),
				    "sync %llx", bools[i]);
	}
	for (i = 0; i < ARRAY_SIZE(resets); i++) {
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_totals_enable(0, resets[i]),
				    "reset %llx", resets[i]);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_totals_max(0, 1, resets[i], 1),
				    "number %llx", resets[i]);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_totals_max(0, 1, 1, resets[i]),
				    "reset of max %llx", resets[i]);
	}
	hostile_table_expect_intact(test, table, "arguments out of range");
}

void hostile_totals_pages(struct kunit *test)
{
	struct hostile_table *table = hostile_table_new(test);
	int i, at;

	for (i = 0; i < hostile_nr_bad_pfns(); i++) {
		u64 pfn = hostile_bad_pfn(i);

		KUNIT_EXPECT_EQ_MSG(test, -EPERM,
				    hostile_totals_load(0, pfn, HOSTILE_TABLE_REGION),
				    "region at frame %llx", pfn);
		for (at = 0; at < HOSTILE_TABLE_PAGES; at++) {
			hostile_table_describe(table);
			table->region[at] = pfn;
			KUNIT_EXPECT_EQ_MSG(test, -EPERM, hostile_totals_load_table(0, table),
					    "frame %llx as page %d", pfn, at);
		}
	}
	for (at = 0; at < HOSTILE_TABLE_PAGES; at++) {
		hostile_table_describe(table);
		KUNIT_ASSERT_EQ(test, 0, hostile_unshare(table->page[at]));
		KUNIT_EXPECT_EQ_MSG(test, -EPERM, hostile_totals_load_table(0, table),
				    "page %d not shared", at);
		KUNIT_ASSERT_EQ(test, 0, hostile_share(table->page[at]));

		if (HOSTILE_TABLE_PAGES == 1)
			continue;
		hostile_table_describe(table);
		table->region[at] = virt_to_pfn(table->page[!at]);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hostile_totals_load_table(0, table),
				    "page %d named twice", at);
	}
	hostile_table_expect_intact(test, table, "frames that are not the host's");
}

void hostile_totals_order(struct kunit *test)
{
	struct hostile_table *table = hostile_table_new(test);
	struct hostile_table *other = hostile_table_new(test);
	int cpu;

	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(test, -ENOENT, hostile_totals_unload(cpu));

	/* Without a table nothing is counted, and nothing is written. */
	KUNIT_EXPECT_EQ(test, 0, hcall_totals_enable(1, 1));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_CLOSED, 1));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(1));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_CLOSED, 0));

	KUNIT_EXPECT_EQ(test, 0, hostile_totals_load_table(0, table));
	KUNIT_EXPECT_EQ(test, -EBUSY, hostile_totals_load_table(0, table));
	KUNIT_EXPECT_EQ(test, -EBUSY, hostile_totals_load_table(0, other));
	KUNIT_EXPECT_EQ(test, -EBUSY, hostile_unshare(table->page[0]));
	KUNIT_EXPECT_EQ(test, -EPERM, hostile_share(table->region));

	/* A CPU may give up its own table while it measures. */
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_CLOSED, 1));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(1));
	KUNIT_EXPECT_EQ(test, 1, event_row(table)->count);
	KUNIT_EXPECT_EQ(test, 0, hostile_totals_unload(0));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(1));
	KUNIT_EXPECT_EQ(test, -ENOENT, hostile_totals_unload(0));
	hostile_quiet(test);

	if (num_online_cpus() > 1) {
		hostile_table_describe(table);
		KUNIT_ASSERT_EQ(test, 0, hostile_totals_load_table(1, table));
		KUNIT_EXPECT_EQ(test, 0, hostile_sync(1, HYP_TRACE_CLOSED, 1));
		KUNIT_EXPECT_EQ(test, -EBUSY, hostile_totals_unload(1));
		KUNIT_EXPECT_EQ(test, 0, hostile_sync(1, HYP_TRACE_CLOSED, 0));
		KUNIT_EXPECT_EQ(test, 0, hostile_totals_unload(1));
	}
	hostile_table_expect_intact(test, table, "calls too early, too late or twice");
	hostile_table_expect_intact(test, other, "being refused");
}

/*
 * Tables of vCPUs that there are not. (Without protection, EL2 believes the host where a vCPU is.
 * hyp_totals_vcpu_test.c tests real ones.)
 */
void hostile_totals_vcpus(struct kunit *test)
{
	static const u64 vms[] = { 0, 1, U16_MAX, BIT(16), BIT(32), BIT(63), U64_MAX };
	const u64 fit = hyp_totals_vcpu_shape().region_pages;
	const u64 pages[] = { 0, fit - 1, fit + 1, BIT(32) + fit, BIT(63) + fit, U64_MAX };
	struct hostile_table *table = hostile_table_new(test);
	u64 pfn = virt_to_pfn(table->region);
	int i;

	for (i = 0; i < ARRAY_SIZE(pages); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, hcall_totals_load_vcpu(0, 0, pfn, pages[i]),
				    "%llx pages", pages[i]);
	for (i = 0; is_protected_kvm_enabled() && i < ARRAY_SIZE(vms); i++) {
		KUNIT_EXPECT_EQ_MSG(test, -ENOENT, hcall_totals_load_vcpu(vms[i], 0, pfn, fit),
				    "VM %llx", vms[i]);
		KUNIT_EXPECT_EQ_MSG(test, -ENOENT,
				    hcall_totals_load_vcpu(vms[i], U64_MAX, pfn, fit),
				    "VM %llx, vCPU %llx", vms[i], U64_MAX);
	}
	KUNIT_EXPECT_EQ(test, -ENOENT, hostile_totals_unload(HYP_TOTALS_GONE));
	hostile_table_expect_intact(test, table, "tables of no vCPU");
}

/**
 * hostile_totals_steps() - a call takes a bounded number of pages, or sets up as many rows
 * @test:	the test
 */
void hostile_totals_steps(struct kunit *test)
{
	struct hostile_table *table = hostile_table_new(test);
	unsigned int steps = 1;

	KUNIT_ASSERT_EQ(test, 0, hcall_trace_test(HYP_TRACE_TEST_STEP, 1));
	while (hcall_totals_load(0, virt_to_pfn(table->region), HOSTILE_TABLE_REGION) ==
	       -EINPROGRESS) {
		/* It is not there before it is complete. */
		KUNIT_EXPECT_EQ(test, -EBUSY, hostile_totals_unload(0));
		steps++;
	}
	KUNIT_EXPECT_EQ(test, HOSTILE_TABLE_REGION + HOSTILE_TABLE_PAGES + HYP_TOTALS_CPU_ROWS,
			steps);
	KUNIT_ASSERT_EQ(test, 0, hcall_trace_test(HYP_TRACE_TEST_STEP, HYP_TRACE_STEP_PAGES));

	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_CLOSED, 1));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(1));
	KUNIT_EXPECT_EQ(test, 1, event_row(table)->count);
	hostile_quiet(test);
	KUNIT_EXPECT_EQ(test, 0, hostile_totals_unload(0));
	hostile_table_expect_intact(test, table, "a load in small steps");
}

/*
 * EL2 reads nothing back: it publishes its own numbers, whatever the host has written. It
 * publishes the extremes only when they change, or may have.
 */
void hostile_totals_writes(struct kunit *test)
{
	struct hostile_table *table = hostile_table_new(test);
	const struct hyp_totals_row *row;
	u64 total = 0, min = U64_MAX, written = 0;
	int i, call, changes = 0;

	KUNIT_ASSERT_EQ(test, 0, hcall_trace_clock(BIT_ULL(63), 1, 0));
	KUNIT_ASSERT_EQ(test, 0, hostile_totals_load_table(0, table));
	KUNIT_EXPECT_EQ(test, 0, hcall_totals_enable(1, 1));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_CLOSED, 1));
	for (call = 1; call <= 100; call++) {
		KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(call));
		row = event_row(table);
		KUNIT_EXPECT_EQ(test, call, row->count);
		KUNIT_EXPECT_EQ(test, call, row->done);
		KUNIT_EXPECT_GE(test, row->total, total);
		if (row->min != written) {
			KUNIT_EXPECT_LE(test, row->min, min);
			KUNIT_EXPECT_LE(test, row->max, row->total);
			min = row->min;
			changes++;
		}
		total = row->total;

		for (i = 0; i < HOSTILE_TABLE_PAGES; i++)
			memset(table->page[i], call, PAGE_SIZE);
		memset(&written, call, sizeof(written));
	}
	KUNIT_EXPECT_GT(test, total, 0);
	KUNIT_EXPECT_GT(test, changes, 0);
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_CLOSED, 0));
	KUNIT_EXPECT_EQ(test, 0, hostile_totals_unload(0));
	hostile_table_expect_intact(test, table, "writing to a table");
}

/* Nonsense ------------------------------------------------------------------------- */

/* A row that makes sense, and one of its fields with which it does not. */
static const struct nonsense {
	const char	*what;
	size_t		offset;
	u64		value;
} nonsense[] = {
	{ "min above max",	offsetof(struct hyp_totals_row, min),	 U64_MAX },
	{ "max above total",	offsetof(struct hyp_totals_row, max),	 1000 },
	{ "an empty histogram",	offsetof(struct hyp_totals_row, bucket), 0 },
	{ "being written",	offsetof(struct hyp_totals_row, count),	 8 },
};

static void sound_row(struct hyp_totals_row *row)
{
	*row = (struct hyp_totals_row) {
		.done	= 7,
		.count	= 7,
		.total	= 70,
		.min	= 10,
		.max	= 10,
		.bucket	= { 7 },
	};
}

/* Read all rows; returns their number. */
static ssize_t count_rows(void)
{
	struct hyptrace_totals_snapshot *snapshot = hyptrace_totals_snapshot();
	ssize_t n;

	if (!snapshot)
		return -ENOMEM;

	n = hyptrace_totals_snapshot_rows(snapshot);
	kvfree(snapshot);
	return n;
}

/* Has any CPU counted something in a row? */
static bool is_counted(u32 i)
{
	const struct hyptrace_totals_table *table;
	int cpu;

	for_each_possible_cpu(cpu) {
		table = per_cpu_ptr(&hyptrace_totals_table, cpu);
		if (table->pages && row_in(table->pages, i)->count)
			return true;
	}

	return false;
}

/* The reader, in turn, believes no row that EL2 can't have written. */
void hostile_totals_nonsense(struct kunit *test)
{
	const struct hyptrace_totals_table *table = per_cpu_ptr(&hyptrace_totals_table, 0);
	struct hostile_table *other = hostile_table_new(test);
	const struct nonsense *n;
	struct hyp_totals_row *row;
	u32 i, filled = 0;
	ssize_t rows;
	u64 bad;

	/* While totals are off, EL2 keeps the tables, but does not write to them. */
	KUNIT_ASSERT_EQ(test, 0, hyptrace_totals_enable(true));
	KUNIT_ASSERT_EQ(test, 0, hyptrace_totals_enable(false));
	row = row_in(table->pages, HYP_TOTALS_ROW_OTHER_ABORT);
	KUNIT_EXPECT_EQ(test, 0, row->count);
	rows = count_rows();
	bad = hyptrace_totals_bad();

	sound_row(row);
	KUNIT_EXPECT_EQ(test, rows + 1, count_rows());
	KUNIT_EXPECT_EQ(test, bad, hyptrace_totals_bad());
	for (n = nonsense; n < nonsense + ARRAY_SIZE(nonsense); n++) {
		sound_row(row);
		*(u64 *)((void *)row + n->offset) = n->value;
		KUNIT_EXPECT_EQ_MSG(test, rows, count_rows(), "%s", n->what);
		KUNIT_EXPECT_EQ_MSG(test, ++bad, hyptrace_totals_bad(), "%s", n->what);
	}
	row->count = 0;
	row->done = 0;

	/* All rows, some of which EL2 never counts anything in. */
	for (i = 0; i < HYP_TOTALS_CPU_ROWS; i++) {
		filled += !is_counted(i);
		sound_row(row_in(table->pages, i));
	}
	KUNIT_EXPECT_GT(test, filled, HYP_TOTALS_CPU_ROWS / 2);
	KUNIT_EXPECT_EQ(test, rows + filled, count_rows());
	KUNIT_EXPECT_EQ(test, bad, hyptrace_totals_bad());
	KUNIT_EXPECT_EQ(test, 0, hyptrace_totals_reset());
	hostile_table_expect_intact(test, other, "reading nonsense");
}
