// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each VM costs, in CPUs: 100 % is all of one. A VM with several vCPUs may have more.
 */

#include <math.h>
#include <stdlib.h>

#include "loads.h"
#include "vmm.h"

/* Columns --------------------------------------------------------------------------- */

static struct value cpus(const struct load *load, uint64_t ns)
{
	return (struct value) {
		.unit = UNIT_PERCENT, .decimals = 1,
		.number = load->seconds > 0 ? ns / load->seconds / 1e7 : 0,
	};
}

static struct value guest_of(const void *load, int argument)
{
	return cpus(load, ((const struct load *)load)->guest);
}

static struct value el2_of(const void *load, int argument)
{
	return cpus(load, ((const struct load *)load)->el2);
}

static struct value host_of(const void *load, int argument)
{
	return cpus(load, ((const struct load *)load)->host);
}

static struct value rate_of(const void *data, int argument)
{
	const struct load *load = data;

	return (struct value) {
		.unit = UNIT_COUNT,
		.number = load->seconds > 0 ? load->events.count / load->seconds : 0,
	};
}

/* Without an event, there is no time. */
static struct value event_time(const struct load *load, const char *sign, double ns)
{
	return (struct value) {
		.unit = UNIT_TIME, .sign = sign, .number = load->events.count ? ns : NAN,
	};
}

static struct value average_of(const void *data, int argument)
{
	const struct load *load = data;

	return event_time(load, "", load->events.count ?
			  load->events.total / load->events.count : 0);
}

static struct value p99_of(const void *data, int argument)
{
	const struct load *load = data;

	return event_time(load, precision_sign(&load->events),
			  row_percentile(&load->events, 99));
}

static struct value max_of(const void *data, int argument)
{
	const struct load *load = data;

	return event_time(load, load->events.max_is_bound ? "<" : "", load->events.max);
}

const struct column load_columns[NR_LOAD_KEYS + 1] = {
	[LOAD_GUEST]	= { "Guest",	9, 1, guest_of },
	[LOAD_EXITS]	= { "Exits/s",	9, 2, rate_of },
	[LOAD_EL2]	= { "EL2",	9, 3, el2_of },
	[LOAD_HOST]	= { "Host",	9, 4, host_of },
	[LOAD_AVERAGE]	= { "Avg",	9, 5, average_of },
	[LOAD_P99]	= { "p99",	9, 6, p99_of },
	[LOAD_MAX]	= { "Max",	9, 7, max_of },
};

#define NAME_WIDTH	24

/* The VM's number, process and name come before the columns. */
static unsigned int max_rank(unsigned int width)
{
	return columns_max_rank(load_columns, 5 + 1 + 7 + 1 + NAME_WIDTH, width);
}

/**
 * loads_print_titles() - print the columns' titles
 * @file:	where to
 * @width:	how many characters a line may have, 0 for all columns
 */
void loads_print_titles(FILE *file, unsigned int width)
{
	fprintf(file, "%5s %7s %-*s", "VM", "PID", NAME_WIDTH, "Name");
	print_column_titles(file, load_columns, max_rank(width));
}

/* A VM's name costs reading files, and most VMs are not on the screen. */
static void print_name(FILE *file, const struct load *load)
{
	char *name = NULL;

	if (!load->vm) {
		fprintf(file, "%5s %7s %-*s", "-", "-", NAME_WIDTH, "(EL2, for the host)");
		return;
	}
	if (load->info && load->info->state == VM_ALIVE)
		name = vmm_name(load->info->pid);
	fprintf(file, "%5u %7d %-*.*s", load->vm, load->info ? load->info->pid : 0, NAME_WIDTH,
		NAME_WIDTH, name ?: "(gone)");
	free(name);
}

/**
 * loads_print() - print a VM's line
 * @file:	where to
 * @load:	what it costs
 * @width:	how many characters a line may have, 0 for all columns
 */
void loads_print(FILE *file, const struct load *load, unsigned int width)
{
	print_name(file, load);
	print_columns(file, load_columns, max_rank(width), load);
}

/* Loads ----------------------------------------------------------------------------- */

/* The rows of a VM follow each other. */
static struct load *load_of(struct loads *loads, const struct table *table, unsigned int vm)
{
	struct load *load = loads->nr ? &loads->load[loads->nr - 1] : NULL;

	if (load && load->vm == vm)
		return load;
	loads->load = xrealloc(loads->load, loads->nr + 1, sizeof(*loads->load));
	load = &loads->load[loads->nr++];
	*load = (struct load) {
		.vm = vm, .info = vm ? table_find_vm(table, vm) : NULL, .seconds = table->seconds,
	};
	return load;
}

static void add(struct load *load, const struct row *row)
{
	switch (row->key.kind) {
	case KIND_GUEST:
		load->guest += row->total;
		return;
	case KIND_EXIT_HOST:
		load->host += row->total;
		break;
	/* Firmware is no part of EL2, and its calls have been counted. */
	case KIND_FIRMWARE:
		return;
	default:
		load->el2 += row->total;
		break;
	}
	row_merge(&load->events, row);
}

static bool has_load(const struct loads *loads, unsigned int vm)
{
	size_t i;

	for (i = 0; i < loads->nr; i++)
		if (loads->load[i].vm == vm)
			return true;
	return false;
}

/* VMs that live and do nothing are shown, too. */
static void add_idle(struct loads *loads, const struct table *table,
		     const struct selection *selection)
{
	const struct vm *vm;

	for (vm = table->vm; vm < table->vm + table->nr_vms; vm++)
		if (vm->state == VM_ALIVE && is_vm_selected(vm, selection) &&
		    !has_load(loads, vm->number))
			load_of(loads, table, vm->number);
}

static int by_vm(const void *a, const void *b)
{
	const struct key *x = &(*(struct row * const *)a)->key;
	const struct key *y = &(*(struct row * const *)b)->key;

	return x->vm < y->vm ? -1 : x->vm > y->vm;
}

/* A load without a value counts as 0. */
static double sort_value(const struct load *load, enum load_key key)
{
	const double number = load_columns[key].value(load, 0).number;

	return isnan(number) ? 0 : number;
}

static int by_value(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->vm < y->vm ? -1 : x->vm > y->vm;
}

static int by_value_ascending(const void *a, const void *b)
{
	return by_value(b, a);
}

/**
 * loads_of() - what VMs and the host cost
 * @table:	the totals of some time
 * @selection:	of which VMs, and which kinds
 * @key:	the column that they are sorted by
 * @ascending:	whether the lowest comes first
 *
 * Return: the loads; free() frees @load
 */
struct loads loads_of(const struct table *table, const struct selection *selection,
		      enum load_key key, bool ascending)
{
	struct table *selected = select_rows(table, selection, BY_VM | BY_KIND);
	struct loads loads = { 0 };
	size_t i;

	sort(selected->row, selected->nr, sizeof(*selected->row), by_vm);
	for (i = 0; i < selected->nr; i++)
		add(load_of(&loads, table, selected->row[i]->key.vm), selected->row[i]);
	table_free(selected);
	add_idle(&loads, table, selection);
	for (i = 0; i < loads.nr; i++)
		loads.load[i].value = sort_value(&loads.load[i], key);
	sort(loads.load, loads.nr, sizeof(*loads.load), ascending ? by_value_ascending : by_value);
	return loads;
}
