// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of intervals.
 */

#include <err.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"
#include "table.h"

const char * const kind_names[NR_KINDS] = {
	[KIND_GUEST]		= "guest",
	[KIND_EXIT_HOST]	= "exit_host",
	[KIND_EXIT_EL2]		= "exit_el2",
	[KIND_HCALL]		= "hcall",
	[KIND_SMC]		= "smc",
	[KIND_PSCI]		= "psci",
	[KIND_FIRMWARE]		= "firmware",
	[KIND_ABORT]		= "abort",
};

const char * const activity_names[NR_ACTIVITIES] = {
	[ACTIVITY_GUEST]	= "guest",
	[ACTIVITY_EL2]		= "EL2",
	[ACTIVITY_FIRMWARE]	= "firmware",
	[ACTIVITY_KVM]		= "kvm",
	[ACTIVITY_VMM]		= "vmm",
	[ACTIVITY_PREEMPTED]	= "preempted",
	[ACTIVITY_BLOCKED]	= "blocked",
};

/**
 * kind_of() - the kind that has a name
 * @name:	the name
 *
 * Return: the kind, NR_KINDS if there is none
 */
enum kind kind_of(const char *name)
{
	enum kind kind = 0;

	while (kind < NR_KINDS && strcmp(kind_names[kind], name))
		kind++;
	return kind;
}

/**
 * xrealloc() - resize an array, or end the program
 * @memory:	the array, or NULL
 * @number:	number of elements
 * @size:	size of an element [bytes]
 *
 * Return: the array
 */
void *xrealloc(void *memory, size_t number, size_t size)
{
	memory = reallocarray(memory, number, size);
	if (!memory && number)
		err(1, "memory");
	return memory;
}

/**
 * xzalloc() - allocate zeroed memory, or end the program
 * @size:	size [bytes]
 *
 * Return: the memory
 */
void *xzalloc(size_t size)
{
	return memset(xrealloc(NULL, 1, size), 0, size);
}

/**
 * xstrdup() - copy a text, or end the program
 * @text:	the text
 *
 * Return: the copy
 */
char *xstrdup(const char *text)
{
	return strcpy(xrealloc(NULL, strlen(text) + 1, 1), text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/**
 * intern() - the only copy of a text
 * @text:	the text
 *
 * Return: the copy, which stays; texts that are the same have the same address
 */
const char *intern(const char *text)
{
	static void *texts;

	return *(char **)(tfind(text, &texts, by_text) ?: tsearch(xstrdup(text), &texts, by_text));
}

/**
 * tree_get() - find an element of a tree, or add it
 * @tree:	the tree, for tsearch()
 * @key:	what the element equals; a copy of the key is added if there is none
 * @size:	size of an element [bytes]
 * @compare:	compares two elements
 *
 * If there is no memory, the program ends with a message.
 *
 * Return: the element
 */
void *tree_get(void **tree, const void *key, size_t size,
	       int (*compare)(const void *a, const void *b))
{
	void **found = tsearch(key, tree, compare);

	if (!found)
		err(1, "memory");
	if (*found == key)
		*found = memcpy(xrealloc(NULL, 1, size), key, size);
	return *found;
}

/**
 * sort() - sort an array, which may be empty
 * @array:	the array; NULL if it is empty
 * @number:	number of elements
 * @size:	size of an element [bytes]
 * @compare:	as of qsort(), which takes no NULL
 */
void sort(void *array, size_t number, size_t size, int (*compare)(const void *a, const void *b))
{
	if (number)
		qsort(array, number, size, compare);
}

/* Rows ------------------------------------------------------------------------------ */

static int bucket_of(uint64_t ns)
{
	int bits = ns <= 1 ? 0 : 64 - __builtin_clzll(ns - 1);

	if (bits < FIRST_BUCKET)
		return FIRST_BUCKET;
	return bits > LAST_BOUND ? INF_BUCKET : bits;
}

/**
 * bucket_of_bound() - the bucket that has a bound
 * @bound:	the bound [ns], or "inf"
 *
 * Return: the bucket, -1 if none has this bound
 */
int bucket_of_bound(const char *bound)
{
	unsigned long long ns;
	char *end;
	int i;

	if (!strcmp(bound, "inf"))
		return INF_BUCKET;
	ns = strtoull(bound, &end, 10);
	for (i = FIRST_BUCKET; i <= LAST_BOUND; i++)
		if (!*end && ns == 1ULL << i)
			return i;
	return -1;
}

/**
 * row_add_interval() - add an interval to a row
 * @row:	the row
 * @ns:		its length [ns]
 *
 * After the last one, row_finish() must be called.
 */
void row_add_interval(struct row *row, uint64_t ns)
{
	if (row->count == row->size) {
		row->size = row->size ? 2 * row->size : 64;
		row->times = xrealloc(row->times, row->size, sizeof(*row->times));
	}
	row->times[row->count] = ns;
	row->min = !row->count || ns < row->min ? ns : row->min;
	row->max = ns > row->max ? ns : row->max;
	row->count++;
	row->total += ns;
	row->squares += (double)ns * ns;
	row->bucket[bucket_of(ns)]++;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/**
 * row_finish() - all intervals have been added
 * @row:	the row
 */
void row_finish(struct row *row)
{
	if (row->times)
		sort(row->times, row->count, sizeof(*row->times), by_value);
}

static void merge_extremes(struct row *row, const struct row *other)
{
	if (!row->count || other->min < row->min) {
		row->min = other->min;
		row->min_is_bound = other->min_is_bound;
	}
	if (other->max > row->max) {
		row->max = other->max;
		row->max_is_bound = other->max_is_bound;
	}
}

/* Either all rows of a table have times, or none. */
static void merge_times(struct row *row, const struct row *other)
{
	if (!other->times)
		return;
	row->size = row->count + other->count;
	row->times = xrealloc(row->times, row->size, sizeof(*row->times));
	memcpy(row->times + row->count, other->times, other->count * sizeof(*other->times));
}

/**
 * row_merge() - add all intervals of another row
 * @row:	the row; row_finish() must be called after the last one
 * @other:	the other one
 */
void row_merge(struct row *row, const struct row *other)
{
	int i;

	if (!other->count)
		return;
	merge_extremes(row, other);
	merge_times(row, other);
	/* Nobody has counted so far, but a damaged file may; and a row's count must not be 0. */
	if (__builtin_add_overflow(row->count, other->count, &row->count))
		row->count = UINT64_MAX;
	row->total += other->total;
	row->squares += other->squares;
	for (i = 0; i < NR_BUCKETS; i++)
		row->bucket[i] += other->bucket[i];
	for (i = 0; i < NR_ACTIVITIES; i++)
		row->part[i] += other->part[i];
}

/**
 * row_deviation() - how much intervals differ
 * @row:	the row
 *
 * Return: their standard deviation [ns]; of several runs, that of the runs' averages; NAN if neither
 *	   is known
 */
double row_deviation(const struct row *row)
{
	const double mean = (double)row->total / row->count;
	double variance;

	if (row->spread)
		return row->spread->average;
	if (!row->squares || row->count < 2)
		return NAN;
	variance = (row->squares - mean * row->total) / (row->count - 1);
	return variance > 0 ? sqrt(variance) : 0;
}

/**
 * row_percentile() - the time that a part of the intervals does not exceed
 * @row:	the row
 * @percent:	how many of them [percent]
 *
 * Return: the time [ns]. If only the histogram is known, it is the bound of a bucket.
 */
uint64_t row_percentile(const struct row *row, unsigned int percent)
{
	uint64_t rank = (row->count * percent + 99) / 100, sum = 0;
	int i;

	if (!row->count)
		return 0;
	if (row->times)
		return row->times[rank - 1];
	for (i = 0; i <= LAST_BOUND; i++) {
		sum += row->bucket[i];
		if (sum >= rank)
			return 1ULL << i < row->max ? 1ULL << i : row->max;
	}
	return row->max;
}

/* Tables ---------------------------------------------------------------------------- */

/**
 * table_new() - an empty table
 *
 * Return: the table, for table_free()
 */
struct table *table_new(void)
{
	return xzalloc(sizeof(struct table));
}

static int by_key(const void *a, const void *b)
{
	const struct key *x = &((const struct row *)a)->key, *y = &((const struct row *)b)->key;

	if (x->vm != y->vm)
		return x->vm < y->vm ? -1 : 1;
	if (x->vcpu != y->vcpu)
		return x->vcpu < y->vcpu ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->reason != y->reason)
		return x->reason < y->reason ? -1 : 1;
	if (x->detail != y->detail)
		return x->detail < y->detail ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void row_free(void *data)
{
	struct row *row = data;

	free(row->times);
	free(row->spread);
	free(row);
}

/**
 * table_free() - free a table
 * @table:	the table, or NULL
 */
void table_free(struct table *table)
{
	size_t i;

	if (!table)
		return;
	tdestroy(table->tree, row_free);
	for (i = 0; i < table->nr_vms; i++)
		free(table->vm[i].tid);
	for (i = 0; table->run && i < table->nr_runs; i++)
		table_free(table->run[i]);
	free(table->run);
	free(table->vm);
	free(table->row);
	free(table);
}

/**
 * table_find() - look for a row
 * @table:	the table
 * @key:	the row's key
 *
 * Return: the row, NULL if there is none
 */
struct row *table_find(const struct table *table, const struct key *key)
{
	/* A row begins with its key, and by_key() looks at nothing else. */
	struct row **found = tfind(key, &table->tree, by_key);

	return found ? *found : NULL;
}

/**
 * table_row() - look for a row, and make an empty one if there is none
 * @table:	the table
 * @key:	the row's key
 *
 * Return: the row
 */
struct row *table_row(struct table *table, const struct key *key)
{
	struct row *row = table_find(table, key);

	if (row)
		return row;
	row = xzalloc(sizeof(*row));
	row->key = *key;
	if (!tsearch(row, &table->tree, by_key))
		err(1, "memory");
	table->row = xrealloc(table->row, table->nr + 1, sizeof(struct row *));
	table->row[table->nr++] = row;
	return row;
}

/* VMs ------------------------------------------------------------------------------- */

/**
 * table_find_vm() - look for a VM
 * @table:	the table
 * @number:	the VM's number
 *
 * Return: the VM, NULL if it is not known
 */
struct vm *table_find_vm(const struct table *table, unsigned int number)
{
	size_t i;

	for (i = 0; i < table->nr_vms; i++)
		if (table->vm[i].number == number)
			return &table->vm[i];
	return NULL;
}

/**
 * table_vm() - look for a VM, and add it if it is not known
 * @table:	the table
 * @number:	the VM's number
 *
 * Return: the VM, until another one is added
 */
struct vm *table_vm(struct table *table, unsigned int number)
{
	struct vm *vm = table_find_vm(table, number);

	if (vm)
		return vm;
	table->vm = xrealloc(table->vm, table->nr_vms + 1, sizeof(*table->vm));
	vm = &table->vm[table->nr_vms++];
	*vm = (struct vm) { .number = number };
	return vm;
}

/**
 * vm_set_tid() - note which thread runs a vCPU
 * @vm:		the VM
 * @vcpu:	the vCPU's index
 * @tid:	the thread
 */
void vm_set_tid(struct vm *vm, unsigned int vcpu, pid_t tid)
{
	if (vcpu >= vm->nr_vcpus) {
		vm->tid = xrealloc(vm->tid, vcpu + 1, sizeof(*vm->tid));
		while (vm->nr_vcpus <= vcpu)
			vm->tid[vm->nr_vcpus++] = 0;
	}
	vm->tid[vcpu] = tid;
}

/* Differences ----------------------------------------------------------------------- */

/* Take away what @before has; false if that is more than there is. */
static bool row_subtract(struct row *row, const struct row *before)
{
	bool is_shorter = !row->min_is_bound && row->min < before->min;
	bool is_longer = !row->max_is_bound && row->max > before->max;
	int i, first = -1, last = 0;

	if (row->count < before->count || row->total < before->total)
		return false;
	row->count -= before->count;
	row->total -= before->total;
	for (i = 0; i < NR_BUCKETS; i++) {
		if (row->bucket[i] < before->bucket[i])
			return false;
		row->bucket[i] -= before->bucket[i];
		if (!row->bucket[i])
			continue;
		first = first < 0 ? i : first;
		last = i;
	}
	/* A new extreme is exact. Otherwise, the old one and the histogram are bounds. */
	row->min_is_bound = !is_shorter;
	if (!is_shorter && first > FIRST_BUCKET && 1ULL << (first - 1) > row->min)
		row->min = 1ULL << (first - 1);
	row->max_is_bound = !is_longer;
	if (!is_longer && last <= LAST_BOUND && 1ULL << last < row->max)
		row->max = 1ULL << last;
	return true;
}

/*
 * Take away what @old has; false if the totals were reset meanwhile. The kernel keeps the rows of a
 * VM that is gone as long as it lists the VM.
 */
static bool take(struct table *table, const struct row *old)
{
	struct row *row = table_find(table, &old->key);

	if (row)
		return row_subtract(row, old);
	if (!is_vcpus(old->key.kind) || table_find_vm(table, old->key.vm))
		return false;
	table->has_forgotten = true;
	return true;
}

static void drop_empty(struct table *table)
{
	size_t i, kept = 0;
	struct row *row;

	for (i = 0; i < table->nr; i++) {
		row = table->row[i];
		if (row->count) {
			table->row[kept++] = row;
		} else {
			tdelete(row, &table->tree, by_key);
			row_free(row);
		}
	}
	table->nr = kept;
}

static struct table *table_copy(const struct table *table)
{
	struct table *copy = table_new();
	const struct vm *vm;
	struct vm *new_vm;
	unsigned int i;
	size_t n;

	copy->has_bounds = table->has_bounds;
	for (n = 0; n < table->nr; n++)
		*table_row(copy, &table->row[n]->key) = *table->row[n];
	for (n = 0; n < table->nr_vms; n++) {
		vm = &table->vm[n];
		new_vm = table_vm(copy, vm->number);
		new_vm->pid = vm->pid;
		new_vm->name = vm->name;
		new_vm->state = vm->state;
		for (i = 0; i < vm->nr_vcpus; i++)
			vm_set_tid(new_vm, i, vm->tid[i]);
	}
	return copy;
}

/**
 * table_difference() - what has been added to the totals since they were read before
 * @now:	the totals
 * @before:	the totals as they were before
 *
 * Return: a new table; NULL if the totals were reset meanwhile
 */
struct table *table_difference(const struct table *now, const struct table *before)
{
	struct table *table = table_copy(now);
	size_t i;

	for (i = 0; i < before->nr; i++) {
		if (!take(table, before->row[i])) {
			table_free(table);
			return NULL;
		}
	}
	drop_empty(table);
	return table;
}
