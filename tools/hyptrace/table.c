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

/*
 * A finer histogram for percentiles. Each power of two has 64 buckets of the same width, so the
 * middle of a bucket is not more than 0.8 % from what is in it.
 */
#define FINE_BITS	6
#define NR_FINE		(1 << FINE_BITS)
#define NR_POWERS	64

struct fine {
	uint32_t	*bucket[NR_POWERS];	/* NULL if all of them are empty */
};

static uint32_t *fine_bucket(struct fine *fine, uint64_t ns)
{
	const unsigned int power = 63 - __builtin_clzll(ns | 1);
	const unsigned int shift = power > FINE_BITS ? power - FINE_BITS : 0;

	if (!fine->bucket[power])
		fine->bucket[power] = xzalloc(NR_FINE * sizeof(uint32_t));
	return &fine->bucket[power][ns >> shift & (NR_FINE - 1)];
}

/* The middle of a bucket. Below 128 ns, each has one number of nanoseconds. */
static uint64_t fine_value(unsigned int power, unsigned int i)
{
	const unsigned int shift = power > FINE_BITS ? power - FINE_BITS : 0;

	if (power < FINE_BITS)
		return i;
	return ((uint64_t)(NR_FINE | i) << shift) + ((1ULL << shift) - 1) / 2;
}

static uint64_t fine_percentile(const struct fine *fine, uint64_t rank)
{
	unsigned int power, i;
	uint64_t sum = 0;

	for (power = 0; power < NR_POWERS; power++) {
		for (i = 0; fine->bucket[power] && i < NR_FINE; i++) {
			sum += fine->bucket[power][i];
			if (sum >= rank)
				return fine_value(power, i);
		}
	}
	return UINT64_MAX;
}

static void fine_free(struct fine *fine)
{
	unsigned int power;

	for (power = 0; fine && power < NR_POWERS; power++)
		free(fine->bucket[power]);
	free(fine);
}

/* Rows with so many intervals or fewer keep each of them; more memory is not worth it. */
#define MAX_KEPT	64

static bool keeps_all;

/**
 * rows_keep_all() - let all rows keep each interval from now on
 */
void rows_keep_all(void)
{
	keeps_all = true;
}

static void refine(struct row *row)
{
	uint64_t i;

	row->fine = xzalloc(sizeof(*row->fine));
	for (i = 0; i < row->count; i++)
		++*fine_bucket(row->fine, row->times[i]);
	free(row->times);
	row->times = NULL;
	row->size = 0;
}

static void keep(struct row *row, uint64_t ns)
{
	if (!row->fine && row->count == MAX_KEPT && !keeps_all)
		refine(row);
	if (row->fine) {
		++*fine_bucket(row->fine, ns);
		return;
	}
	if (row->count == row->size) {
		row->size = row->size ? 2 * row->size : 8;
		row->times = xrealloc(row->times, row->size, sizeof(*row->times));
	}
	row->times[row->count] = ns;
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
	keep(row, ns);
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

/**
 * row_clear() - free what a row has, and make it empty
 * @row:	the row
 */
void row_clear(struct row *row)
{
	free(row->times);
	fine_free(row->fine);
	free(row->spread);
	*row = (struct row) { .key = row->key };
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

static void merge_fine(struct row *row, const struct row *other)
{
	unsigned int power, i;
	uint64_t n;

	if (!row->fine)
		refine(row);
	for (n = 0; other->times && n < other->count; n++)
		++*fine_bucket(row->fine, other->times[n]);
	for (power = 0; other->fine && power < NR_POWERS; power++)
		for (i = 0; other->fine->bucket[power] && i < NR_FINE; i++)
			if (other->fine->bucket[power][i])
				*fine_bucket(row->fine, fine_value(power, i)) +=
					other->fine->bucket[power][i];
}

/* Either it is known of all rows of a table, or of none. */
static void merge_times(struct row *row, const struct row *other)
{
	if (!other->times && !other->fine)
		return;
	if (row->fine || other->fine || (row->count + other->count > MAX_KEPT && !keeps_all)) {
		merge_fine(row, other);
		return;
	}
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
 * Return: their standard deviation [ns]; of several runs, that of the runs' averages; NAN if
 *	   neither is known
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
 * row_precision() - what the percentiles of a row are
 * @row:	the row
 *
 * Return: how precise they are
 */
enum precision row_precision(const struct row *row)
{
	if (row->times)
		return PRECISE;
	return row->fine ? PRECISE_TO_PERCENT : UPPER_BOUND;
}

/**
 * precision_sign() - how that is shown
 * @row:	the row
 *
 * Return: what comes before a percentile
 */
const char *precision_sign(const struct row *row)
{
	static const char * const signs[] = {
		[PRECISE] = "", [PRECISE_TO_PERCENT] = "~", [UPPER_BOUND] = "<",
	};

	return signs[row_precision(row)];
}

/**
 * row_percentile() - the time that a part of the intervals does not exceed
 * @row:	the row
 * @percent:	how many of them [percent]
 *
 * Return: the time [ns], as precise as row_precision() says
 */
uint64_t row_percentile(const struct row *row, unsigned int percent)
{
	uint64_t rank = (row->count * percent + 99) / 100, sum = 0;
	int i;

	if (!row->count)
		return 0;
	if (row->times)
		return row->times[rank - 1];
	if (row->fine) {
		sum = fine_percentile(row->fine, rank);
		sum = sum < row->min ? row->min : sum;
		return sum > row->max ? row->max : sum;
	}
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

	row_clear(row);
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

static unsigned int hash_of(const struct key *key)
{
	const uintptr_t texts = (uintptr_t)key->reason * 31 + (uintptr_t)key->detail * 17 +
				(uintptr_t)key->thread;

	/* The lowest bits of addresses tell nothing. */
	return (texts >> 4 ^ texts >> 12 ^ key->vm * 61 ^ key->vcpu * 7 ^ key->kind) % NR_RECENT;
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
	struct row **recent = &table->recent[hash_of(key)], *row = *recent;

	if (row && !by_key(row, key))
		return row;
	row = table_find(table, key);
	if (row)
		return *recent = row;
	row = xzalloc(sizeof(*row));
	row->key = *key;
	if (!tsearch(row, &table->tree, by_key))
		err(1, "memory");
	table->row = xrealloc(table->row, table->nr + 1, sizeof(struct row *));
	table->row[table->nr++] = row;
	return *recent = row;
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

	memset(table->recent, 0, sizeof(table->recent));
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
