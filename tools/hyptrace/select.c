// SPDX-License-Identifier: GPL-2.0-only
/*
 * The options --vm, --vcpu, -p, --kind and -k, and what they select.
 */

#include <err.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "runs.h"
#include "select.h"

const char * const sort_key_names[NR_SORT_KEYS] = {
	[SORT_TIME]	= "time",
	[SORT_COUNT]	= "count",
	[SORT_MAX]	= "max",
	[SORT_P99]	= "p99",
};

enum {
	OPTION_VM = 0x1000,
	OPTION_VCPU,
	OPTION_KIND,
};

static const struct argp_option options[] = {
	{ "vm", OPTION_VM, "N", 0, "Only this VM (hyp/totals/vms has all), this vCPU", 0 },
	{ "vcpu", OPTION_VCPU, "N", OPTION_ALIAS },
	{ "pid", 'p', "PID", 0, "Only this process's VM, or this thread's vCPU", 0 },
	{ 0 }
};

static const struct argp_option kind_options[] = {
	{ "kind", OPTION_KIND, "KIND", 0, "Only guest, exit, hcall, ...; several with commas", 0 },
	{ 0 }
};

static const struct argp_option sort_options[] = {
	{ "key", 'k', "KEY", 0,
	  "Sort by time (default), count, max or p99", 0 },
	{ 0 }
};

static enum sort_key sort_key_option(struct argp_state *state, const char *text)
{
	enum sort_key key = 0;

	while (key < NR_SORT_KEYS && strcmp(sort_key_names[key], text))
		key++;
	if (key == NR_SORT_KEYS)
		argp_error(state, "-k %s: must be time, count, max or p99", text);
	return key;
}

/* Is a kind in a list of names, or beginnings of names, with commas? */
static bool is_listed(enum kind kind, const char *list)
{
	size_t length;

	for (; *list; list += length + !!list[length]) {
		length = strcspn(list, ",");
		if (length && !strncmp(list, kind_names[kind], length))
			return true;
	}
	return false;
}

/**
 * kinds_in_both() - the kinds that are in two lists
 * @list:	names of kinds, or beginnings of names, with commas; NULL for all
 * @other:	the same, but not NULL
 *
 * Return: @other if @list is NULL, else their names, from intern(); "-" if there are none
 */
const char *kinds_in_both(const char *list, const char *other)
{
	char text[128] = "";
	enum kind kind;

	if (!list)
		return other;
	for (kind = 0; kind < NR_KINDS; kind++)
		if (is_listed(kind, list) && is_listed(kind, other))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				 *text ? "," : "", kind_names[kind]);
	return intern(*text ? text : "-");
}

/**
 * select_kinds() - select some kinds, or end the program
 * @state:	the parser's state
 * @selection:	what is selected
 * @list:	names of kinds, or beginnings of names, with commas; it must stay
 */
void select_kinds(struct argp_state *state, struct selection *selection, const char *list)
{
	char *name, *copy = strdupa(list);
	enum kind kind;

	selection->kinds = list;
	while ((name = strsep(&copy, ","))) {
		for (kind = 0; kind < NR_KINDS && !is_listed(kind, name); kind++)
			;
		if (kind == NR_KINDS)
			argp_error(state, "no kind %s: there are guest, exit_host, exit_el2, hcall, smc, psci, firmware and abort",
				   name);
	}
}

/**
 * select_what() - select a kind, and maybe a reason, or end the program
 * @state:	the parser's state
 * @selection:	what is selected
 * @what:	"exit_host/DABT_LOW", or "guest"; it must stay
 */
void select_what(struct argp_state *state, struct selection *selection, const char *what)
{
	static char kind[32];
	const char *slash = strchrnul(what, '/');

	snprintf(kind, sizeof(kind), "%.*s", (int)(slash - what), what);
	/* "trace.dat", "/tmp/trace.dat" */
	if (!*kind || strchr(kind, '.'))
		argp_error(state, "no kind %s: a file is given with -i", what);
	select_kinds(state, selection, kind);
	selection->reason = *slash ? slash + 1 : NULL;
}

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct selection *selection = state->input;

	switch (option) {
	case OPTION_VM:
		selection->vm = number_option(state, "--vm", argument);
		return 0;
	case OPTION_VCPU:
		selection->vcpu = number_option(state, "--vcpu", argument);
		return 0;
	case 'p':
		selection->pid = number_option(state, "-p", argument);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp select_argp = { .options = options, .parser = parse };

static error_t parse_kind(int option, char *argument, struct argp_state *state)
{
	if (option != OPTION_KIND)
		return ARGP_ERR_UNKNOWN;
	select_kinds(state, state->input, argument);
	return 0;
}

const struct argp kind_argp = { .options = kind_options, .parser = parse_kind };

static error_t parse_sort(int option, char *argument, struct argp_state *state)
{
	struct selection *selection = state->input;

	if (option != 'k')
		return ARGP_ERR_UNKNOWN;
	selection->key = sort_key_option(state, argument);
	return 0;
}

const struct argp sort_argp = { .options = sort_options, .parser = parse_sort };

/**
 * is_of_pid() - is this the VM of a process, or the vCPU of a thread?
 * @table:	has the VMs
 * @vm:		the VM
 * @vcpu:	the vCPU
 * @pid:	the process or thread
 *
 * Return: true if so
 */
bool is_of_pid(const struct table *table, unsigned int vm, unsigned int vcpu, pid_t pid)
{
	const struct vm *found = table_find_vm(table, vm);

	return found && (found->pid == pid ||
			 (vcpu < found->nr_vcpus && found->tid[vcpu] == pid));
}

/**
 * is_selected() - does the user want to see a row?
 * @table:	has the VMs
 * @selection:	what the user wants to see
 * @key:	the row's key
 *
 * Return: true if so
 */
bool is_selected(const struct table *table, const struct selection *selection,
		 const struct key *key)
{
	if (selection->kinds && !is_listed(key->kind, selection->kinds))
		return false;
	if (selection->reason && fnmatch(selection->reason, key->reason, 0))
		return false;
	if (selects_all_vms(selection))
		return true;
	if (!is_vcpus(key->kind))
		return false;
	return (selection->vm < 0 || key->vm == selection->vm) &&
	       (selection->vcpu < 0 || key->vcpu == selection->vcpu) &&
	       (!selection->pid || is_of_pid(table, key->vm, key->vcpu, selection->pid));
}

/**
 * is_vm_selected() - does the user want to see a VM?
 * @vm:		the VM
 * @selection:	what the user wants to see
 *
 * Return: true if so
 */
bool is_vm_selected(const struct vm *vm, const struct selection *selection)
{
	unsigned int i;

	if (selection->vm >= 0 && vm->number != selection->vm)
		return false;
	if (selection->vcpu >= 0 && selection->vcpu >= vm->nr_vcpus)
		return false;
	if (!selection->pid || vm->pid == selection->pid)
		return true;
	for (i = 0; i < vm->nr_vcpus; i++)
		if (vm->tid[i] == selection->pid)
			return true;
	return false;
}

static bool has_vcpus_kind(const struct selection *selection)
{
	enum kind kind;

	for (kind = 0; is_vcpus(kind); kind++)
		if (!selection->kinds || is_listed(kind, selection->kinds))
			return true;
	return false;
}

/**
 * selection_check() - end the program if the user has selected what can't be
 * @table:	has the VMs
 * @selection:	what the user wants to see
 *
 * It is no error if nothing of it has happened.
 */
void selection_check(const struct table *table, const struct selection *selection)
{
	const struct vm *vm;

	if (selects_all_vms(selection))
		return;
	if (!has_vcpus_kind(selection))
		errx(1, "--kind %s: these have no VM: leave out --vm, --vcpu and -p",
		     selection->kinds);
	for (vm = table->vm; vm < table->vm + table->nr_vms; vm++)
		if (is_vm_selected(vm, selection))
			return;
	if (selection->pid)
		errx(1, "-p %d: no process with a VM, nor thread of a vCPU", selection->pid);
	if (selection->vm < 0)
		errx(1, "--vcpu %ld: no VM has that many vCPUs", selection->vcpu);
	errx(1, "--vm %ld%s: there is none", selection->vm,
	     selection->vcpu < 0 ? "" : " with this vCPU");
}

static uint64_t value_of(const struct row *row, enum sort_key key)
{
	switch (key) {
	case SORT_COUNT:
		return row->count;
	case SORT_MAX:
		return row->max;
	case SORT_P99:
		return row_percentile(row, 99);
	default:
		return row->total;
	}
}

static int by_sort_key(const void *a, const void *b, void *data)
{
	const struct row *x = *(struct row * const *)a, *y = *(struct row * const *)b;
	const struct selection *selection = data;
	uint64_t x_value = value_of(x, selection->key), y_value = value_of(y, selection->key);
	int order = x->total < y->total ? 1 : -(x->total > y->total);

	if (x_value != y_value)
		order = x_value > y_value ? -1 : 1;
	return selection->ascending ? -order : order;
}

/* How much rows differ between runs is only known after each run's are grouped. */
static void select_runs(struct table *selected, const struct table *table,
			const struct selection *selection, unsigned int by)
{
	struct table **runs = xrealloc(NULL, table->nr_runs, sizeof(struct table *));
	size_t i;

	for (i = 0; i < table->nr_runs; i++)
		runs[i] = select_rows(table->run[i], selection, by);
	selected->nr_runs = table->nr_runs;
	runs_spread(selected, runs);
	for (i = 0; i < table->nr_runs; i++)
		table_free(runs[i]);
	free(runs);
}

/**
 * select_rows() - the rows that the user wants to see
 * @table:	all rows
 * @selection:	which ones, and in which order
 * @by:		what its rows tell apart
 *
 * Return: a new table, without VMs
 */
struct table *select_rows(const struct table *table, const struct selection *selection,
			  unsigned int by)
{
	struct table *selected = table_new();
	const struct row *row;
	struct key key;
	size_t i;

	selected->seconds = table->seconds;
	selected->until = table->until;
	selected->lost = table->lost;
	selected->has_bounds = table->has_bounds;
	for (i = 0; i < table->nr; i++) {
		row = table->row[i];
		if (!is_selected(table, selection, &row->key))
			continue;
		/* Who asks what exits were for wants only those of which that is known. */
		if (by & BY_DETAIL && !row->key.detail)
			continue;
		key = group_key(&row->key, by);
		row_merge(table_row(selected, &key), row);
	}
	for (i = 0; i < selected->nr; i++)
		row_finish(selected->row[i]);
	if (table->nr_runs)
		select_runs(selected, table, selection, by);
	/* qsort_r() takes no NULL. */
	if (selected->nr)
		qsort_r(selected->row, selected->nr, sizeof(struct row *), by_sort_key,
			(void *)selection);
	return selected;
}
