// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of intervals.
 */

#include <stdlib.h>
#include <string.h>

#include "table.h"

/**
 * table_new() - an empty table
 *
 * Return: the table, for table_free()
 */
struct table *table_new(void)
{
	return xzalloc(sizeof(struct table));
}

static bool is_same_key(const struct key *a, const struct key *b)
{
	return a->vm == b->vm && a->vcpu == b->vcpu && a->kind == b->kind &&
	       a->reason == b->reason && a->detail == b->detail && a->thread == b->thread;
}

/* Knuth's multiplicative hash (TAOCP 3, 6.4): 2^64 by the golden ratio. */
static uint64_t hash(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 32;
}

static uint64_t hash_of(const struct key *key)
{
	uint64_t h = hash(0, (uint64_t)key->vm << 32 | key->vcpu);

	h = hash(hash(h, key->kind), (uintptr_t)key->reason);
	return hash(hash(h, (uintptr_t)key->detail), (uintptr_t)key->thread);
}

/* The place of a row in table->slot, or the empty slot where it belongs. */
static size_t slot_of(const struct table *table, const struct key *key)
{
	size_t i = hash_of(key);
	const struct row *row;

	for (;; i++) {
		i &= table->nr_slots - 1;
		row = table->slot[i];
		if (!row || is_same_key(&row->key, key))
			return i;
	}
}

/* Find all rows by new slots, which are a power of two, and at least half of them empty. */
static void set_slots(struct table *table, size_t nr_slots)
{
	size_t i;

	free(table->slot);
	table->slot = xzalloc(nr_slots * sizeof(*table->slot));
	table->nr_slots = nr_slots;
	for (i = 0; i < table->nr; i++)
		table->slot[slot_of(table, &table->row[i]->key)] = table->row[i];
}

static void row_free(struct row *row)
{
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
	for (i = 0; i < table->nr; i++)
		row_free(table->row[i]);
	for (i = 0; i < table->nr_vms; i++)
		free(table->vm[i].tid);
	for (i = 0; table->run && i < table->nr_runs; i++)
		table_free(table->run[i]);
	free(table->run);
	free(table->vm);
	free(table->row);
	free(table->slot);
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
	return table->nr_slots ? table->slot[slot_of(table, key)] : NULL;
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
	if (2 * table->nr >= table->nr_slots)
		set_slots(table, table->nr_slots ? 2 * table->nr_slots : 64);
	row = xzalloc(sizeof(*row));
	row->key = *key;
	table->row = xrealloc(table->row, table->nr + 1, sizeof(struct row *));
	table->row[table->nr++] = row;
	table->slot[slot_of(table, key)] = row;
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

/**
 * table_add_vms() - add the VMs of another table
 * @table:	the table; what it knows of them is replaced
 * @other:	the other one
 */
void table_add_vms(struct table *table, const struct table *other)
{
	const struct vm *vm;
	struct vm *new;
	unsigned int i;

	for (vm = other->vm; vm < other->vm + other->nr_vms; vm++) {
		new = table_vm(table, vm->number);
		new->pid = vm->pid;
		new->name = vm->name;
		new->state = vm->state;
		for (i = 0; i < vm->nr_vcpus; i++)
			vm_set_tid(new, i, vm->tid[i]);
	}
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

	for (i = 0; i < table->nr; i++) {
		if (table->row[i]->count)
			table->row[kept++] = table->row[i];
		else
			row_free(table->row[i]);
	}
	table->nr = kept;
	set_slots(table, table->nr_slots);
}

static struct table *table_copy(const struct table *table)
{
	struct table *copy = table_new();
	size_t i;

	copy->has_bounds = table->has_bounds;
	for (i = 0; i < table->nr; i++)
		*table_row(copy, &table->row[i]->key) = *table->row[i];
	table_add_vms(copy, table);
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
