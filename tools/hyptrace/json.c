// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables as JSON, and back.
 */

#include <err.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "json.h"
#include "origin.h"
#include "print.h"
#include "runs.h"
#include "text.h"

static json_t *histogram_to_json(const struct row *row)
{
	json_t *histogram = json_object();
	char bound[24];
	int i;

	for (i = 0; i < NR_BUCKETS; i++) {
		if (!row->bucket[i])
			continue;
		snprintf(bound, sizeof(bound), i == INF_BUCKET ? "inf" : "%llu", 1ULL << i);
		json_object_set_new(histogram, bound, json_integer(row->bucket[i]));
	}
	return histogram;
}

/* Of a vCPU or of an exit; what did not happen has 0. */
static json_t *activities_to_json(const uint64_t time[NR_ACTIVITIES])
{
	json_t *object = json_object();
	enum activity activity;

	for (activity = 0; activity < NR_ACTIVITIES; activity++)
		json_object_set_new(object, activity_names[activity], json_integer(time[activity]));
	return object;
}

static json_t *spread_to_json(const struct spread *spread)
{
	json_t *object = json_pack("{sf, sf}", "count", spread->count, "total_ns", spread->total);

	/* It may have been there in one run only. */
	if (!isnan(spread->average))
		json_object_set_new(object, "avg_ns", json_real(spread->average));
	return object;
}

static json_t *row_to_json(const struct row *row, bool has_parts)
{
	json_t *object;

	object = json_pack("{si, si, ss, ss, sI, sI, sI, sI, sb, sb, sI, sI, so}",
			   "vm", row->key.vm, "vcpu", row->key.vcpu,
			   "kind", kind_names[row->key.kind], "reason", row->key.reason,
			   "count", (json_int_t)row->count, "total_ns", (json_int_t)row->total,
			   "min_ns", (json_int_t)row->min, "max_ns", (json_int_t)row->max,
			   "min_is_bound", row->min_is_bound, "max_is_bound", row->max_is_bound,
			   "p50_ns", (json_int_t)row_percentile(row, 50),
			   "p99_ns", (json_int_t)row_percentile(row, 99),
			   "histogram", histogram_to_json(row));
	json_object_set_new(object, "percentiles_are_rounded",
			    json_boolean(row_precision(row) == PRECISE_TO_PERCENT));
	if (row->spread && !isnan(row->spread->count))
		json_object_set_new(object, "deviations", spread_to_json(row->spread));
	if (has_parts && row->key.kind == KIND_EXIT_HOST)
		json_object_set_new(object, "time_ns", activities_to_json(row->part));
	return object;
}

static json_t *vm_to_json(const struct vm *vm)
{
	json_t *tids = json_array(), *object;
	unsigned int i;

	for (i = 0; i < vm->nr_vcpus; i++)
		json_array_append_new(tids, json_integer(vm->tid[i]));
	object = json_pack("{si, so}", "vm", vm->number, "tids", tids);
	/* Not all recordings tell these. */
	if (vm->pid)
		json_object_set_new(object, "pid", json_integer(vm->pid));
	if (vm->name)
		json_object_set_new(object, "name", json_string(vm->name));
	if (vm->state != VM_UNKNOWN)
		json_object_set_new(object, "state",
				    json_string(vm->state == VM_GONE ? "gone" : "alive"));
	return object;
}

/* How long it took from waking the thread until the guest ran. */
static json_t *wakeups_to_json(const struct vcpu *vcpu)
{
	const struct row *row = &vcpu->wakeup;

	return json_pack("{sI, sI, sI, sI, sI, sI, sb, sI}", "count", (json_int_t)row->count,
			 "total_ns", (json_int_t)row->total, "min_ns", (json_int_t)row->min,
			 "max_ns", (json_int_t)row->max,
			 "p50_ns", (json_int_t)row_percentile(row, 50),
			 "p99_ns", (json_int_t)row_percentile(row, 99),
			 "percentiles_are_rounded", row_precision(row) == PRECISE_TO_PERCENT,
			 "max_ended_ns", (json_int_t)vcpu->slowest);
}

static json_t *vcpu_to_json(const struct vcpu *vcpu)
{
	return json_pack("{si, si, si, ss, sI, sI, so, so}", "vm", vcpu->vm, "vcpu", vcpu->index,
			 "tid", vcpu->tid, "comm", vcpu->comm,
			 "first_ns", (json_int_t)vcpu->first, "last_ns", (json_int_t)vcpu->last,
			 "time_ns", activities_to_json(vcpu->time),
			 "wakeups", wakeups_to_json(vcpu));
}

static json_t *memory_to_json(const struct vm_memory *vm)
{
	return json_pack("{si, s{sI, sI, sI}, s{sI, sI, sI}, sI, sI, sI}", "vm", vm->vm,
			 "most", "bytes", (json_int_t)vm->most.bytes,
			 "blocks", (json_int_t)vm->most.blocks, "pages", (json_int_t)vm->most.pages,
			 "end", "bytes", (json_int_t)vm->now.bytes,
			 "blocks", (json_int_t)vm->now.blocks, "pages", (json_int_t)vm->now.pages,
			 "shares", (json_int_t)vm->shares, "unshares", (json_int_t)vm->unshares,
			 "faults", (json_int_t)vm->faults);
}

static json_t *split_to_json(const struct split *split)
{
	return json_pack("{si, ss, si, ss, sI, sI}", "vm", split->vm,
			 "cause", split_cause_names[split->cause], "tid", split->tid,
			 "comm", split->comm, "blocks", (json_int_t)split->blocks,
			 "pages", (json_int_t)split->pages);
}

/* Only a recording tells what vCPUs did, and the memory of VMs. */
static void add_recorded(const struct recording *recording, const struct selection *selection,
			 json_t *vcpus, json_t *memory, json_t *splits)
{
	const struct memory *m = &recording->memory;
	size_t i;

	for (i = 0; i < recording->nr_vcpus; i++)
		if (is_selected_vcpu(recording, recording->vcpu[i], selection))
			json_array_append_new(vcpus, vcpu_to_json(recording->vcpu[i]));
	for (i = 0; i < m->nr_vms; i++)
		if (is_vm_selected(table_find_vm(recording->table, m->vm[i].vm), selection))
			json_array_append_new(memory, memory_to_json(&m->vm[i]));
	for (i = 0; i < m->nr_splits; i++)
		if (is_vm_selected(table_find_vm(recording->table, m->split[i].vm), selection))
			json_array_append_new(splits, split_to_json(&m->split[i]));
}

static json_t *rows_to_json(const struct table *table, bool has_parts)
{
	json_t *rows = json_array();
	size_t i;

	for (i = 0; i < table->nr; i++)
		json_array_append_new(rows, row_to_json(table->row[i], has_parts));
	return rows;
}

/* The rows of each: who adds up others than these must know how they differ. */
static json_t *runs_to_json(const struct table *all, const struct selection *selection)
{
	json_t *runs = json_array();
	struct table *run;
	size_t i;

	for (i = 0; i < all->nr_runs; i++) {
		run = select_rows(all->run[i], selection, BY_WHOSE | BY_WHAT);
		json_array_append_new(runs, json_pack("{sf, so}", "seconds", run->seconds, "rows",
						      rows_to_json(run, false)));
		table_free(run);
	}
	return runs;
}

/**
 * print_json_value() - print a value, and free it
 * @file:	where to; output_finish() reports errors of writing
 * @value:	the value; NULL if it could not be made
 * @flags:	for json_dumpf()
 */
void print_json_value(FILE *file, json_t *value, size_t flags)
{
	if (!value || (json_dumpf(value, file, flags) && !ferror(file)))
		errx(1, "can't make JSON");
	fputc('\n', file);
	json_decref(value);
}

/**
 * print_json() - print a table as JSON
 * @file:	where to
 * @style:	whether it is one of several, which are one a line
 * @table:	the table, selected
 * @selection:	what was selected
 * @all:	the table of which it is a part; it has the VMs
 * @recording:	the recording that it is from, NULL if it is from totals
 */
void print_json(FILE *file, const struct style *style, const struct table *table,
		const struct selection *selection, const struct table *all,
		const struct recording *recording)
{
	json_t *vms = json_array(), *vcpus = json_array();
	json_t *memory = json_array(), *splits = json_array(), *root;
	size_t i;

	for (i = 0; i < all->nr_vms; i++)
		json_array_append_new(vms, vm_to_json(&all->vm[i]));
	if (recording && !recording->is_part)
		add_recorded(recording, selection, vcpus, memory, splits);
	root = json_pack("{ss, sf, sI, sb, so, so, so, so, so}", "format", FORMAT_NAME, "seconds",
			 table->seconds, "lost", (json_int_t)table->lost, "percentiles_are_bounds",
			 table->has_bounds, "rows", rows_to_json(table, recording), "vms", vms,
			 "vcpus", vcpus, "memory", memory, "splits", splits);
	json_object_set_new(root, "origin", origin_of(recording, style->command));
	if (table->until)
		json_object_set_new(root, "until", json_real(table->until));
	if (all->nr_runs)
		json_object_set_new(root, "runs", runs_to_json(all, selection));
	print_json_value(file, root, style->is_series ? JSON_COMPACT : JSON_INDENT(2));
}

static bool json_to_histogram(struct row *row, json_t *histogram)
{
	uint64_t sum = 0;
	const char *bound;
	json_t *count;
	int i;

	json_object_foreach(histogram, bound, count) {
		i = bucket_of_bound(bound);
		if (i < 0)
			return false;
		row->bucket[i] = json_integer_value(count);
		sum += row->bucket[i];
	}
	return sum == row->count;
}

static bool json_to_row(struct table *table, json_t *object)
{
	json_int_t count, total, min, max;
	const char *kind, *reason;
	int vm, vcpu, min_is_bound, max_is_bound;
	char name[REASON_SIZE];
	json_t *histogram;
	struct row *row;
	struct key key;

	if (json_unpack(object, "{si, si, ss, ss, sI, sI, sI, sI, sb, sb, so}", "vm", &vm,
			"vcpu", &vcpu, "kind", &kind, "reason", &reason, "count", &count,
			"total_ns", &total, "min_ns", &min, "max_ns", &max, "min_is_bound",
			&min_is_bound, "max_is_bound", &max_is_bound, "histogram", &histogram) ||
	    kind_of(kind) == NR_KINDS || count <= 0)
		return false;
	copy_name(name, sizeof(name), reason);
	key = (struct key) {
		.vm = vm, .vcpu = vcpu, .kind = kind_of(kind), .reason = intern(name),
	};
	row = table_row(table, &key);
	/* Two rows of the same would be an error of whoever has made it. */
	if (row->count)
		return false;
	row->count = count;
	row->total = total;
	row->min = min;
	row->max = max;
	row->min_is_bound = min_is_bound;
	row->max_is_bound = max_is_bound;
	return json_to_histogram(row, histogram);
}

static bool json_to_vm(struct table *table, json_t *object)
{
	const char *name = NULL;
	json_t *tids, *tid;
	int number, pid = 0;
	struct vm *vm;
	size_t i;

	if (json_unpack(object, "{si, s?i, s?s, so}", "vm", &number, "pid", &pid, "name", &name,
			"tids", &tids))
		return false;
	vm = table_vm(table, number);
	vm->pid = pid;
	vm->name = name ? intern(make_printable(strdupa(name))) : NULL;
	json_array_foreach(tids, i, tid)
		vm_set_tid(vm, i, json_integer_value(tid));
	return true;
}

/* Let a function read all elements of an array, which are of some kind. */
static void read_all(struct table *table, json_t *array, const char *path, const char *kind,
		     bool (*read)(struct table *table, json_t *object))
{
	json_t *object;
	size_t i;

	json_array_foreach(array, i, object)
		if (!read(table, object))
			errx(1, "%s: %s %zu can't be understood", path, kind, i + 1);
}

/* The sum of several runs. Each must know the VMs, as one of them may be selected. */
static struct table *read_runs(json_t *runs, json_t *vms, const char *path)
{
	struct table **tables = xrealloc(NULL, json_array_size(runs), sizeof(struct table *));
	json_t *run, *rows;
	size_t i;

	json_array_foreach(runs, i, run) {
		tables[i] = table_new();
		tables[i]->has_bounds = true;
		if (json_unpack(run, "{sF, so}", "seconds", &tables[i]->seconds, "rows", &rows))
			errx(1, "%s: run %zu can't be understood", path, i + 1);
		read_all(tables[i], rows, path, "row", json_to_row);
		read_all(tables[i], vms, path, "VM", json_to_vm);
	}
	return runs_sum(tables, json_array_size(runs));
}

/**
 * read_json() - read a table that was printed as JSON
 * @input:	the file
 *
 * If it can't be read, the program ends with the reason.
 *
 * Return: the table
 */
struct table *read_json(const struct input *input)
{
	FILE *file = input_stream(input);
	const char *path = input->path;
	json_t *root, *rows, *vms, *runs;
	struct table *table;
	const char *format;
	json_error_t error;
	json_int_t lost;
	double seconds;

	root = json_loadf(file, 0, &error);
	fclose(file);
	if (!root)
		errx(1, "%s: neither a trace.dat nor JSON: %s", path,
		     make_printable(error.text));
	if (json_unpack(root, "{ss, sF, sI, so, so}", "format", &format, "seconds", &seconds,
			"lost", &lost, "rows", &rows, "vms", &vms) ||
	    strcmp(format, FORMAT_NAME))
		errx(1, "%s: not from 'hyptrace stat --json' or 'hyptrace report --json'", path);
	runs = json_object_get(root, "runs");
	if (json_array_size(runs)) {
		table = read_runs(runs, vms, path);
	} else {
		table = table_new();
		table->has_bounds = true;
		read_all(table, rows, path, "row", json_to_row);
	}
	table->seconds = seconds;
	table->lost = lost;
	read_all(table, vms, path, "VM", json_to_vm);
	json_decref(root);
	warn_of_lost(table, path);
	return table;
}
