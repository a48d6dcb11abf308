// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace stat: the hypervisor's totals as a table.
 */

#include "measure.h"
#include "print.h"
#include "subcommands.h"
#include "totals.h"

struct arguments {
	struct measurement	measurement;
	struct selection	selection;
	enum format		format;
};

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	if (option != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = &arguments->selection;
	state->child_inputs[1] = &arguments->selection;
	state->child_inputs[2] = &arguments->selection;
	state->child_inputs[3] = &arguments->measurement;
	state->child_inputs[4] = &arguments->format;
	state->child_inputs[5] = &arguments->selection.by;
	return 0;
}

int cmd_stat(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &select_argp }, { &kind_argp }, { &sort_argp }, { &measure_argp },
		{ &format_argp }, { &group_argp }, { 0 }
	};
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "[COMMAND...]",
		.doc = "Show what the hypervisor does how often, and how long it takes: while "
		       "COMMAND runs, for SECONDS, or since totals are kept. Nothing is "
		       "recorded.\v"
		       "'<' is an upper bound and '>' a lower one: the totals have histograms "
		       "with powers of two. Hypercalls and other entries of the host have no VM.",
		.children = children,
	};
	struct arguments arguments = { .selection = SELECT_ALL };
	struct table *table;

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments);
	table = measure(&arguments.measurement);
	totals_name_vms(table);
	print_table(stdout, arguments.format, table, &arguments.selection, NULL);
	table_free(table);
	return arguments.measurement.status;
}
