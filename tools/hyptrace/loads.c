// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each VM costs, in CPUs: 100 % is all of one. A VM with several vCPUs may have more.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "loads.h"
#include "vmm.h"

/* Columns --------------------------------------------------------------------------- */

static double per_second(const struct load *load, double value)
{
	return load->seconds > 0 ? value / load->seconds : 0;
}

static double guest_of(const struct load *load)
{
	return per_second(load, load->guest);
}

static double rate_of(const struct load *load)
{
	return per_second(load, load->events.count);
}

static double el2_of(const struct load *load)
{
	return per_second(load, load->el2);
}

static double host_of(const struct load *load)
{
	return per_second(load, load->host);
}

static double average_of(const struct load *load)
{
	return load->events.count ? (double)load->events.total / load->events.count : 0;
}

static double p99_of(const struct load *load)
{
	return row_percentile(&load->events, 99);
}

static double max_of(const struct load *load)
{
	return load->events.max;
}

static void print_cpus(char text[TIME_SIZE], const struct load *load, double ns_each_second)
{
	snprintf(text, TIME_SIZE, "%.1f%%", ns_each_second / 1e7);
}

static void print_rate(char text[TIME_SIZE], const struct load *load, double rate)
{
	snprintf(text, TIME_SIZE, "%.0f", rate);
}

/* Without an event, there is no time. */
static void print_ns(char text[TIME_SIZE], const struct load *load, const char *sign, double ns)
{
	if (load->events.count)
		format_time(text, sign, ns);
	else
		strcpy(text, "-");
}

static void print_average(char text[TIME_SIZE], const struct load *load, double ns)
{
	print_ns(text, load, "", ns);
}

static void print_p99(char text[TIME_SIZE], const struct load *load, double ns)
{
	print_ns(text, load, precision_sign(&load->events), ns);
}

static void print_max(char text[TIME_SIZE], const struct load *load, double ns)
{
	print_ns(text, load, load->events.max_is_bound ? "<" : "", ns);
}

const char * const load_key_names[NR_LOAD_KEYS] = {
	[LOAD_GUEST]	= "Guest",
	[LOAD_EXITS]	= "Exits/s",
	[LOAD_EL2]	= "EL2",
	[LOAD_HOST]	= "Host",
	[LOAD_AVERAGE]	= "Avg",
	[LOAD_P99]	= "p99",
	[LOAD_MAX]	= "Max",
};

/* The most important ones are first: the last ones are left out if there is no room. */
static const struct {
	double	(*value)(const struct load *load);
	void	(*print)(char text[TIME_SIZE], const struct load *load, double value);
} columns[NR_LOAD_KEYS] = {
	[LOAD_GUEST]	= { guest_of, print_cpus },
	[LOAD_EXITS]	= { rate_of, print_rate },
	[LOAD_EL2]	= { el2_of, print_cpus },
	[LOAD_HOST]	= { host_of, print_cpus },
	[LOAD_AVERAGE]	= { average_of, print_average },
	[LOAD_P99]	= { p99_of, print_p99 },
	[LOAD_MAX]	= { max_of, print_max },
};

#define COLUMN_WIDTH	9
#define NAME_WIDTH	24

/* Those that a width has room for, behind the VM's number, process and name; 0 is for all. */
static size_t nr_shown(unsigned int width)
{
	const unsigned int names = 5 + 1 + 7 + 1 + NAME_WIDTH;
	const size_t room = width > names ? (width - names) / (1 + COLUMN_WIDTH) : 0;

	return !width || room > NR_LOAD_KEYS ? NR_LOAD_KEYS : room;
}

/**
 * loads_print_titles() - print the columns' titles
 * @file:	where to
 * @width:	how many characters a line may have, 0 for all columns
 */
void loads_print_titles(FILE *file, unsigned int width)
{
	size_t i;

	fprintf(file, "%5s %7s %-*s", "VM", "PID", NAME_WIDTH, "Name");
	for (i = 0; i < nr_shown(width); i++)
		fprintf(file, " %*s", COLUMN_WIDTH, load_key_names[i]);
	fprintf(file, "\n");
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
	char text[TIME_SIZE];
	size_t i;

	print_name(file, load);
	for (i = 0; i < nr_shown(width); i++) {
		columns[i].print(text, load, columns[i].value(load));
		fprintf(file, " %*s", COLUMN_WIDTH, text);
	}
	fprintf(file, "\n");
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
		loads.load[i].value = columns[key].value(&loads.load[i]);
	sort(loads.load, loads.nr, sizeof(*loads.load), ascending ? by_value_ascending : by_value);
	return loads;
}
