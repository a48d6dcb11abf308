// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the totals of the time at EL2, and prints them.
 *
 * EL2 changes rows while they are read: each is read until it is consistent. What EL2 has
 * written is checked, like all that is read from shared memory.
 */

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/trace_events.h>

#include <trace/misc/hyp.h>

#include "totals.h"
#include "vms.h"
#include "hcall_names.h"

/* Reading ----------------------------------------------------------------------------- */

/**
 * struct snapshot_row - a row as it was read
 * @vm:		number of the vCPU's VM; 0 if it is the sum of all CPUs' rows
 * @vcpu:	the vCPU's number
 * @row:	its number, as in struct hyp_totals_max
 * @sums:	what it has
 */
struct snapshot_row {
	u32			vm;
	u32			vcpu;
	u32			row;
	struct hyp_totals_row	sums;
};

/**
 * struct hyptrace_totals_snapshot - rows at about one time
 * @size:	rows that there is room for
 * @nr_rows:	rows in use
 * @reset:	the reset after which they have begun at 0
 * @rows:	the CPUs', then those of vCPUs by VM, vCPU and row
 */
struct hyptrace_totals_snapshot {
	size_t			size;
	size_t			nr_rows;
	u32			reset;
	struct snapshot_row	rows[];
};

/**
 * struct reader - reads tables into a snapshot
 * @snapshot:	the snapshot, NULL if there was no memory
 * @patience:	how often to wait for a row that is being written
 */
struct reader {
	struct hyptrace_totals_snapshot	*snapshot;
	unsigned int			patience;
};

static atomic64_t bad_rows;

/* The number of rows that made no sense when they were read. */
u64 hyptrace_totals_bad(void)
{
	return atomic64_read(&bad_rows);
}

static const struct hyp_totals_row *row_at(const struct hyptrace_totals_table *table, u32 i)
{
	const struct hyp_totals_row *rows = table->pages[(1 + i) / HYP_TOTALS_PER_PAGE];

	return &rows[(1 + i) % HYP_TOTALS_PER_PAGE];
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
		if (READ_ONCE(row->count) == done) {
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

static bool row_makes_sense(const struct hyp_totals_row *row)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < HYP_TOTALS_BUCKETS; i++)
		sum += row->bucket[i];

	return sum == row->count && row->min <= row->max && row->max <= row->total;
}

/* Read row @i of a table; false if it has counted nothing, or makes no sense. */
static bool table_read_row(struct reader *reader, const struct hyptrace_totals_table *table, u32 i,
			   struct hyp_totals_row *copy)
{
	bool ok = row_read(row_at(table, i), copy, &reader->patience);

	if (ok && (!copy->count || row_makes_sense(copy)))
		return copy->count;

	atomic64_inc(&bad_rows);
	pr_warn_ratelimited("hyp_trace: row %u of a table of totals makes no sense: count %llu\n",
			    i, copy->count);
	return false;
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

/* Make room in the snapshot for a number of rows; false if there is no memory. */
static bool snapshot_has_room(struct reader *reader, size_t nr)
{
	struct hyptrace_totals_snapshot *old = reader->snapshot, *snapshot;
	size_t size;

	if (!old || old->size - old->nr_rows >= nr)
		return old;

	size = old->nr_rows + nr + old->size / 2;
	snapshot = kvrealloc(old, struct_size(old, rows, size), GFP_KERNEL);
	if (!snapshot)
		kvfree(old);
	else
		snapshot->size = size;
	reader->snapshot = snapshot;
	return snapshot;
}

/* Begin to read, with room for the rows of the CPUs. */
static struct reader reader_begin(void)
{
	struct reader reader = { .patience = 10000 };
	struct hyptrace_totals_snapshot *snapshot;

	snapshot = kvmalloc(struct_size(snapshot, rows, HYP_TOTALS_CPU_ROWS), GFP_KERNEL);
	if (snapshot)
		*snapshot = (struct hyptrace_totals_snapshot) {
			.size	= HYP_TOTALS_CPU_ROWS,
			.reset	= hyptrace_totals_resets(),
		};
	reader.snapshot = snapshot;
	return reader;
}

/* Read the sums of the CPUs' rows. */
static void read_cpus(struct reader *reader)
{
	struct hyptrace_totals_snapshot *snapshot = reader->snapshot;
	const struct hyptrace_totals_table *table;
	struct snapshot_row *sum;
	struct hyp_totals_row copy;
	int cpu;
	u32 i;

	for (i = 0; i < HYP_TOTALS_CPU_ROWS; i++) {
		sum = &snapshot->rows[snapshot->nr_rows];
		*sum = (struct snapshot_row) { .row = i, .sums.min = U64_MAX };
		for_each_possible_cpu(cpu) {
			table = per_cpu_ptr(&hyptrace_totals_table, cpu);
			if (table->pages && table_read_row(reader, table, i, &copy))
				row_add(&sum->sums, &copy);
		}
		if (sum->sums.count)
			snapshot->nr_rows++;
		cond_resched();
	}
}

/* Have the rows of a table begun at 0 after the last reset? Else the vCPU has not run since. */
static bool table_is_of(const struct hyptrace_totals_table *table, u32 reset)
{
	const struct hyp_totals_state *state = table->pages[0];

	/* Pairs with the release of EL2's hyp_totals_vcpu_reset(). */
	return smp_load_acquire(&state->reset) == reset;
}

static void read_vcpu(struct reader *reader, u32 vm, const struct hyptrace_vcpu_table *vcpu)
{
	struct hyptrace_totals_snapshot *snapshot = reader->snapshot;
	struct snapshot_row *row;
	u32 i;

	if (!table_is_of(&vcpu->table, snapshot->reset))
		return;

	for (i = 0; i < HYP_TOTALS_VCPU_ROWS; i++) {
		row = &snapshot->rows[snapshot->nr_rows];
		*row = (struct snapshot_row) {
			.vm = vm, .vcpu = vcpu->vcpu, .row = HYP_TOTALS_CPU_ROWS + i,
		};
		if (table_read_row(reader, &vcpu->table, i, &row->sums))
			snapshot->nr_rows++;
	}
}

/* Read the rows of a VM that is alive. */
static void read_vm(struct reader *reader, struct hyptrace_vm *vm)
{
	struct hyptrace_vcpu_table *vcpu;
	unsigned long i;

	xa_for_each(&vm->tables, i, vcpu) {
		if (!snapshot_has_room(reader, HYP_TOTALS_VCPU_ROWS))
			return;

		read_vcpu(reader, vm->number, vcpu);
		cond_resched();
	}
}

/* Add what was kept of a VM that is gone, if it is of this measurement. */
static void read_kept(struct reader *reader, const struct hyptrace_totals_snapshot *kept)
{
	struct hyptrace_totals_snapshot *snapshot;

	if (!reader->snapshot || kept->reset != reader->snapshot->reset ||
	    !snapshot_has_room(reader, kept->nr_rows))
		return;

	snapshot = reader->snapshot;
	memcpy(&snapshot->rows[snapshot->nr_rows], kept->rows,
	       flex_array_size(kept, rows, kept->nr_rows));
	snapshot->nr_rows += kept->nr_rows;
}

static void read_vms(struct reader *reader)
{
	struct hyptrace_vm *vm;

	guard(mutex)(&hyptrace_vms_lock);

	list_for_each_entry(vm, &hyptrace_vms, list) {
		if (vm->totals)
			read_kept(reader, vm->totals);
		else
			read_vm(reader, vm);
	}
}

/*
 * Read the totals, for hyptrace_totals_show(); free them by kvfree(). NULL if there is no
 * memory.
 */
struct hyptrace_totals_snapshot *hyptrace_totals_snapshot(void)
{
	guard(mutex)(&hyptrace_totals_lock);
	struct reader reader = reader_begin();

	if (reader.snapshot) {
		read_cpus(&reader);
		read_vms(&reader);
	}

	return reader.snapshot;
}

/**
 * hyptrace_totals_snapshot_of() - read the totals of the vCPUs of a VM
 * @vm:		the VM, which does not run
 *
 * Context: hyptrace_vms_lock is held.
 * Return: as of hyptrace_totals_snapshot()
 */
struct hyptrace_totals_snapshot *hyptrace_totals_snapshot_of(struct hyptrace_vm *vm)
{
	struct reader reader = reader_begin();
	struct hyptrace_totals_snapshot *fit;

	read_vm(&reader, vm);
	if (!reader.snapshot)
		return NULL;

	/* This may stay for long. */
	fit = kvmemdup(reader.snapshot,
		       struct_size(fit, rows, reader.snapshot->nr_rows), GFP_KERNEL);
	kvfree(reader.snapshot);
	return fit;
}

/* The number of rows that hyptrace_totals_snapshot() has read. */
size_t hyptrace_totals_snapshot_rows(const struct hyptrace_totals_snapshot *snapshot)
{
	return snapshot->nr_rows;
}

/* Names ------------------------------------------------------------------------------- */

static const char * const kinds[HYP_TOTALS_KINDS] = {
	[HYP_TOTALS_HCALL]	= "hcall",
	[HYP_TOTALS_SMC]	= "smc",
	[HYP_TOTALS_ABORT]	= "abort",
	[HYP_TOTALS_PSCI]	= "psci",
	[HYP_TOTALS_FIRMWARE]	= "firmware",
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
	case HYP_TOTALS_FIRMWARE:
		return functions;
	default:
		return exits;
	}
}

/* The reason of a row for all that have no row of their own. */
#define NO_REASON		U32_MAX

static void show_reason(struct seq_file *m, enum hyp_totals_kind kind, u32 reason)
{
	const struct trace_print_flags *name = names_of(kind);

	while (name->name && name->mask != reason)
		name++;

	if (kind == HYP_TOTALS_GUEST)
		seq_puts(m, "-");
	else if (reason == NO_REASON)
		seq_puts(m, kind == HYP_TOTALS_EXIT_HOST || kind == HYP_TOTALS_ABORT ?
			 "unexpected" : "unknown");
	else if (name->name)
		seq_puts(m, name->name);
	else
		seq_printf(m, "%#x", reason);
}

/* Rows -------------------------------------------------------------------------------- */

/* The kind and the reason of a row. */
struct row_meaning {
	enum hyp_totals_kind	kind;
	u32			reason;
};

static struct row_meaning meaning_of_function(enum hyp_totals_kind kind, u32 place)
{
	return (struct row_meaning) {
		kind, place < HYP_TOTALS_FUNCTIONS ? functions[place].mask : NO_REASON,
	};
}

/* The classes of aborts, by row; the last one is that of all others. */
#define FIRST_ABORT		(HYP_TOTALS_ROW_OTHER_SMC + 1)
#define ABORT_CLASS(ec)		ESR_ELx_EC_##ec,
static const u32 aborts[] = { HYP_TOTALS_ABORTS(ABORT_CLASS) NO_REASON };

static_assert(FIRST_ABORT + ARRAY_SIZE(aborts) - 1 == HYP_TOTALS_ROW_OTHER_ABORT);

static struct row_meaning meaning_of_cpus(u32 row)
{
	if (row < HYP_TOTALS_ROW_NO_HCALL)
		return (struct row_meaning) { HYP_TOTALS_HCALL, row - HYP_TOTALS_ROW_HCALLS };
	if (row == HYP_TOTALS_ROW_NO_HCALL)
		return (struct row_meaning) { HYP_TOTALS_HCALL, NO_REASON };
	if (row <= HYP_TOTALS_ROW_OTHER_SMC)
		return meaning_of_function(HYP_TOTALS_SMC, row - HYP_TOTALS_ROW_SMCS);
	if (row >= HYP_TOTALS_ROW_FIRMWARE)
		return meaning_of_function(HYP_TOTALS_FIRMWARE, row - HYP_TOTALS_ROW_FIRMWARE);
	if (row >= HYP_TOTALS_ROW_PSCI)
		return meaning_of_function(HYP_TOTALS_PSCI, row - HYP_TOTALS_ROW_PSCI);

	return (struct row_meaning) { HYP_TOTALS_ABORT, aborts[row - FIRST_ABORT] };
}

static struct row_meaning meaning_of_vcpus(u32 row)
{
	static const struct row_meaning meanings[HYP_TOTALS_VCPU_ROWS] = {
		[HYP_TOTALS_ROW_UNEXPECTED]	= { HYP_TOTALS_EXIT_HOST, NO_REASON },
#define MEANING(kind, name, reason)	\
		[HYP_TOTALS_ROW_##kind##_##name] = { HYP_TOTALS_##kind, reason },
		HYP_TOTALS_EXITS(MEANING)
#undef MEANING
		[HYP_TOTALS_ROW_GUEST]		= { HYP_TOTALS_GUEST, 0 },
	};

	return meanings[row];
}

/* Printing ---------------------------------------------------------------------------- */

/* Print the kind and the reason of any row, by its number in struct hyp_totals_max. */
void hyptrace_totals_show_meaning(struct seq_file *m, u32 row)
{
	struct row_meaning meaning = row < HYP_TOTALS_CPU_ROWS ? meaning_of_cpus(row) :
				     meaning_of_vcpus(row - HYP_TOTALS_CPU_ROWS);

	seq_printf(m, "%s\t", kinds[meaning.kind]);
	show_reason(m, meaning.kind, meaning.reason);
}

static void show_histogram(struct seq_file *m, const u64 *bucket)
{
	u32 i, n, first = HYP_TOTALS_SHORTEST + HYP_TOTALS_BUCKETS;
	const char *gap = "\t";

	for (n = 0; n < HYP_TOTALS_BUCKETS; n++) {
		i = (first - n) % HYP_TOTALS_BUCKETS;
		if (!bucket[i])
			continue;

		seq_puts(m, gap);
		if (i == HYP_TOTALS_LONGEST)
			seq_puts(m, "inf");
		else
			seq_printf(m, "%llu", BIT_ULL(HYP_TOTALS_BITS(i)));
		seq_printf(m, ":%llu", bucket[i]);
		gap = " ";
	}
}

/* Print the names of the columns, or a row of what hyptrace_totals_snapshot() has returned. */
int hyptrace_totals_show(struct seq_file *m, void *v)
{
	const struct hyptrace_totals_snapshot *snapshot = m->private;
	const struct snapshot_row *row;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "vm\tvcpu\tkind\treason\tcount\ttotal_ns\tmin_ns\tmax_ns\thistogram\n");
		return 0;
	}

	row = &snapshot->rows[*(loff_t *)v - 1];
	seq_printf(m, "%u\t%u\t", row->vm, row->vcpu);
	hyptrace_totals_show_meaning(m, row->row);
	seq_printf(m, "\t%llu\t%llu\t%llu\t%llu", row->sums.count, row->sums.total,
		   row->sums.min, row->sums.max);
	show_histogram(m, row->sums.bucket);
	seq_putc(m, '\n');
	return 0;
}
