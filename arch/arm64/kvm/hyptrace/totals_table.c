// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the totals of the time at EL2, and prints them.
 *
 * EL2 changes rows while they are read: each is read until it is consistent. What EL2 has
 * written is checked, like all that is read from shared memory.
 */

#include <linux/bitfield.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/trace_events.h>

#include <trace/misc/hyp.h>

#include "totals.h"
#include "hcall_names.h"

/* Reading ----------------------------------------------------------------------------- */

/**
 * struct snapshot - rows of all CPUs at about one time
 * @size:	rows that there is room for
 * @nr_rows:	rows in use
 * @rows:	by VM, vCPU, kind and reason, no two the same
 */
struct snapshot {
	size_t			size;
	size_t			nr_rows;
	struct hyp_totals_row	rows[];
};

static const struct hyp_totals_row *row_at(const struct hyptrace_totals_table *table, u32 i)
{
	const struct hyp_totals_row *rows = table->pages[i / HYP_TOTALS_PER_PAGE];

	return &rows[i % HYP_TOTALS_PER_PAGE];
}

#define TRIES		10

/* Copy a row; false if it was being written all the time. */
static bool row_try(const struct hyp_totals_row *row, struct hyp_totals_row *copy)
{
	int tries;

	guard(preempt)();

	for (tries = 0; tries < TRIES; tries++) {
		/* Pairs with the release of EL2's hyp_totals_publish_end(). */
		u64 done = smp_load_acquire(&row->done);

		memcpy(copy, row, sizeof(*copy));
		/* Pairs with the smp_wmb() of EL2's hyp_totals_publish_begin(). */
		smp_rmb();
		if (READ_ONCE(row->count) == done && READ_ONCE(row->key) == copy->key) {
			copy->count = done;
			return true;
		}
	}

	return false;
}

/*
 * Copy a row. EL2 writes it in far less than a microsecond, but in a virtual machine the CPU
 * may have been stopped in the middle: then wait, for all rows together up to @patience times.
 */
static bool row_read(const struct hyp_totals_row *row, struct hyp_totals_row *copy,
		     unsigned int *patience)
{
	while (!row_try(row, copy)) {
		if (!*patience)
			return false;

		--*patience;
		usleep_range(100, 200);
	}

	return true;
}

static enum hyp_totals_kind key_kind(u64 key)
{
	return FIELD_GET(HYP_TOTALS_KEY_KIND, key);
}

static bool row_makes_sense(const struct hyp_totals_row *row)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < HYP_TOTALS_BUCKETS; i++)
		sum += row->bucket[i];

	return key_kind(row->key) && key_kind(row->key) < HYP_TOTALS_KINDS &&
	       sum == row->count && row->min <= row->max && row->max <= row->total;
}

/* Add a CPU's rows that have counted anything to the snapshot; false if they don't fit. */
static bool read_rows(struct snapshot *snapshot, struct hyptrace_totals_table *table, int cpu,
		      unsigned int *patience)
{
	u32 i;

	for (i = 1; i < hyp_totals_places(table->nr_rows); i++) {
		struct hyp_totals_row *copy = &snapshot->rows[snapshot->nr_rows];
		bool ok;

		if (snapshot->nr_rows == snapshot->size)
			return false;

		ok = row_read(row_at(table, i), copy, patience);
		if (ok && !copy->count)
			continue;

		if (ok && row_makes_sense(copy)) {
			snapshot->nr_rows++;
			continue;
		}

		table->bad++;
		pr_warn_ratelimited("hyp_trace: CPU%d: row %u of the totals makes no sense: key %#llx, count %llu\n",
				    cpu, i, copy->key, copy->count);
	}

	return true;
}

/*
 * Read a CPU's rows. If a row has become part of "other" after that was read, read them again,
 * and don't let EL2 keep this going for ever. False if they don't fit.
 */
static bool read_cpu(struct snapshot *snapshot, int cpu, unsigned int *patience)
{
	struct hyptrace_totals_table *table = per_cpu_ptr(&hyptrace_totals_table, cpu);
	const struct hyp_totals_state *state = table->pages[0];
	size_t before = snapshot->nr_rows;
	int tries = 10;
	u64 replaced;

	do {
		snapshot->nr_rows = before;
		replaced = READ_ONCE(state->replaced);
		if (!read_rows(snapshot, table, cpu, patience))
			return false;

		cond_resched();
		/* The acquire of row_try() orders this after the rows. */
	} while (READ_ONCE(state->replaced) != replaced && --tries);

	return true;
}

/* EL2 may use more rows while they are read. */
#define SPARE_ROWS	64

static size_t rows_in_use(void)
{
	size_t n = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct hyptrace_totals_table *table =
			per_cpu_ptr(&hyptrace_totals_table, cpu);
		const struct hyp_totals_state *state;

		if (!table->pages)
			continue;

		state = table->pages[0];
		n += HYP_TOTALS_KINDS + SPARE_ROWS +
		     min_t(u64, READ_ONCE(state->used), table->nr_rows);
	}

	return n;
}

/* Read the rows of all CPUs; false if they don't fit. */
static bool read_all(struct snapshot *snapshot)
{
	unsigned int patience = 10000;
	int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(hyptrace_totals_table, cpu).pages &&
		    !read_cpu(snapshot, cpu, &patience))
			return false;

	return true;
}

/* The VM and vCPU of a row; what is the host's comes first. */
static u64 key_whose(u64 key)
{
	return hyp_totals_is_guests(key_kind(key)) ? key >> 16 | BIT(48) : 0;
}

/* The kind and reason of a row. */
static u64 key_what(u64 key)
{
	u64 field = hyp_totals_is_guests(key_kind(key)) ? FIELD_GET(HYP_TOTALS_KEY_EXIT, key) :
							  FIELD_GET(HYP_TOTALS_KEY_UPPER, key);

	return (u64)key_kind(key) << 32 | field;
}

/* The order of rows in the table. */
static int by_key(const void *a, const void *b)
{
	u64 x = ((const struct hyp_totals_row *)a)->key;
	u64 y = ((const struct hyp_totals_row *)b)->key;

	if (key_whose(x) != key_whose(y))
		return key_whose(x) < key_whose(y) ? -1 : 1;
	if (key_what(x) != key_what(y))
		return key_what(x) < key_what(y) ? -1 : 1;
	/* The row "other" of a kind, and the row of reason 0. */
	return x < y ? -1 : x > y;
}

static void row_add(struct hyp_totals_row *sum, const struct hyp_totals_row *row)
{
	int i;

	sum->count += row->count;
	sum->total += row->total;
	sum->min = min(sum->min, row->min);
	sum->max = max(sum->max, row->max);
	for (i = 0; i < HYP_TOTALS_BUCKETS; i++)
		sum->bucket[i] += row->bucket[i];
}

/* Add up the rows of different CPUs that have the same key; they follow each other. */
static void merge_rows(struct snapshot *snapshot)
{
	struct hyp_totals_row *rows = snapshot->rows;
	size_t i, n = 0;

	for (i = 0; i < snapshot->nr_rows; i++) {
		if (n && rows[n - 1].key == rows[i].key)
			row_add(&rows[n - 1], &rows[i]);
		else
			rows[n++] = rows[i];
	}
	snapshot->nr_rows = n;
}

/**
 * hyptrace_totals_snapshot() - read the totals
 *
 * Return: what hyptrace_totals_show_row() prints, to be freed by kvfree(); NULL if there is no
 * memory
 */
void *hyptrace_totals_snapshot(void)
{
	struct snapshot *snapshot;
	size_t size;

	guard(mutex)(&hyptrace_totals_lock);

	for (size = rows_in_use(); ; size *= 2) {
		snapshot = kvmalloc(struct_size(snapshot, rows, size), GFP_KERNEL);
		if (!snapshot)
			return NULL;

		snapshot->size = size;
		snapshot->nr_rows = 0;
		if (read_all(snapshot))
			break;

		kvfree(snapshot);
	}

	sort(snapshot->rows, snapshot->nr_rows, sizeof(snapshot->rows[0]), by_key, NULL);
	merge_rows(snapshot);
	return snapshot;
}

/* The number of rows that hyptrace_totals_snapshot() has read. */
size_t hyptrace_totals_snapshot_rows(const void *snapshot)
{
	return ((const struct snapshot *)snapshot)->nr_rows;
}

/* Names ------------------------------------------------------------------------------- */

static const char * const kinds[HYP_TOTALS_KINDS] = {
	[HYP_TOTALS_HCALL]	= "hcall",
	[HYP_TOTALS_SMC]	= "smc",
	[HYP_TOTALS_ABORT]	= "abort",
	[HYP_TOTALS_PSCI]	= "psci",
	[HYP_TOTALS_EXIT_EL2]	= "exit_el2",
	[HYP_TOTALS_EXIT_HOST]	= "exit_host",
	[HYP_TOTALS_GUEST]	= "guest",
};

static const struct trace_print_flags hcalls[] = { HYP_HCALL_NAMES, { -1, NULL } };
static const struct trace_print_flags functions[] = { HYP_SYMBOLS(HYP_SMC_LIST), { -1, NULL } };
static const struct trace_print_flags exits[] = { HYP_EXIT_SYMBOLS, { -1, NULL } };

/* The names of a kind's reasons. */
static const struct trace_print_flags *names_of(enum hyp_totals_kind kind)
{
	switch (kind) {
	case HYP_TOTALS_HCALL:
		return hcalls;
	case HYP_TOTALS_SMC:
	case HYP_TOTALS_PSCI:
		return functions;
	default:
		return exits;
	}
}

static void show_reason(struct seq_file *m, enum hyp_totals_kind kind, u32 reason)
{
	const struct trace_print_flags *name = names_of(kind);

	while (name->name && name->mask != reason)
		name++;

	if (kind == HYP_TOTALS_GUEST)
		seq_puts(m, "-");
	else if (name->name)
		seq_puts(m, name->name);
	else if (kind == HYP_TOTALS_HCALL && reason == HYP_TOTALS_NO_HCALL)
		seq_puts(m, "unknown");
	else
		seq_printf(m, "%#x", reason);
}

/* Printing ---------------------------------------------------------------------------- */

/* Print the names of the columns. */
void hyptrace_totals_show_header(struct seq_file *m)
{
	seq_puts(m, "vm\tvcpu\tkind\treason\tcount\ttotal_ns\tmin_ns\tmax_ns\thistogram\n");
}

static void show_key(struct seq_file *m, u64 key)
{
	enum hyp_totals_kind kind = key_kind(key);
	bool is_guests = hyp_totals_is_guests(kind);
	u32 upper = FIELD_GET(HYP_TOTALS_KEY_UPPER, key);

	if (key == HYP_TOTALS_OTHER(kind)) {
		seq_printf(m, "0\t0\t%s\tother", kinds[kind]);
		return;
	}

	seq_printf(m, "%u\t%u\t%s\t", is_guests ? upper : 0,
		   is_guests ? (u32)FIELD_GET(HYP_TOTALS_KEY_VCPU, key) : 0, kinds[kind]);
	show_reason(m, kind, is_guests ? (u32)FIELD_GET(HYP_TOTALS_KEY_EXIT, key) : upper);
}

/**
 * hyptrace_totals_show_row() - print a row
 * @m:		the file
 * @data:	what hyptrace_totals_snapshot() has returned
 * @i:		the row's number
 */
void hyptrace_totals_show_row(struct seq_file *m, const void *data, size_t i)
{
	const struct snapshot *snapshot = data;
	const struct hyp_totals_row *row = &snapshot->rows[i];
	const char *gap = "\t";
	int bucket;

	show_key(m, row->key);
	seq_printf(m, "\t%llu\t%llu\t%llu\t%llu", row->count, row->total, row->min, row->max);
	for (bucket = HYP_TOTALS_BUCKETS - 1; bucket >= 0; bucket--) {
		if (!row->bucket[bucket])
			continue;

		seq_puts(m, gap);
		if (bucket)
			seq_printf(m, "%llu", BIT_ULL(HYP_TOTALS_BITS(bucket)));
		else
			seq_puts(m, "inf");
		seq_printf(m, ":%llu", row->bucket[bucket]);
		gap = " ";
	}
	seq_putc(m, '\n');
}

/**
 * hyptrace_totals_show_cpus() - print how full the CPUs' tables are
 * @m:		the file
 *
 * Return: 0
 */
int hyptrace_totals_show_cpus(struct seq_file *m)
{
	const struct hyp_totals_state *state;
	const struct hyptrace_totals_table *table;
	int cpu;

	guard(mutex)(&hyptrace_totals_lock);

	seq_puts(m, "cpu\trows\tused\treplaced\tbad\n");
	for_each_possible_cpu(cpu) {
		table = per_cpu_ptr(&hyptrace_totals_table, cpu);
		if (!table->pages)
			continue;

		state = table->pages[0];
		seq_printf(m, "%d\t%u\t%llu\t%llu\t%llu\n", cpu, table->nr_rows,
			   READ_ONCE(state->used), READ_ONCE(state->replaced), table->bad);
	}

	return 0;
}
