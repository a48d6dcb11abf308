// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace stat: the hypervisor's totals as a table.
 */

#include <err.h>
#include <stdlib.h>

#include "color.h"
#include "measure.h"
#include "numbers.h"
#include "print.h"
#include "subcommands.h"
#include "totals.h"

struct arguments {
	struct measurement	measurement;
	struct selection	selection;
	struct style		style;
	struct output		output;
	double			part;		/* of a series [s], 0 if it is none */
	long			nr_runs;	/* 0 if the user has not said it */
	bool			has_begun;	/* something has been printed */
};

static const struct argp_option options[] = {
	{ "interval-print", 'I', "MS", 0,
	  "Print what has been added every MS ms, until Ctrl-C or the end", 0 },
	{ "repeat", 'r', "N", 0,
	  "Run COMMAND N times, and show how much the runs differ", 0 },
	{ "output", 'o', "FILE", 0,
	  "Print into FILE", 0 },
	{ 0 }
};

static void check(struct argp_state *state, const struct arguments *arguments)
{
	const char *problem = style_problem(&arguments->style, arguments->selection.by, false);

	if (arguments->nr_runs && !arguments->measurement.argv)
		argp_error(state, "-r: say which command");
	if (arguments->nr_runs && arguments->part)
		argp_error(state, "either -r or -I");
	if (arguments->style.format == FORMAT_PROMETHEUS && (arguments->nr_runs || arguments->part))
		argp_error(state, "--prometheus has no series: leave out -r and -I");
	if (problem)
		argp_error(state, "%s", problem);
}

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (option) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->selection;
		state->child_inputs[1] = &arguments->selection;
		state->child_inputs[2] = &arguments->selection;
		state->child_inputs[3] = &arguments->measurement;
		state->child_inputs[4] = &arguments->style;
		state->child_inputs[5] = &arguments->selection.by;
		state->child_inputs[6] = &arguments->style;
		return 0;
	case 'I':
		arguments->part = number_option(state, "-I", argument) / 1000.0;
		if (arguments->part < 0.01)
			argp_error(state, "-I %s: must be 10 ms or more", argument);
		arguments->style.is_series = true;
		return 0;
	case 'r':
		arguments->nr_runs = number_option(state, "-r", argument);
		if (!arguments->nr_runs || arguments->nr_runs > 10000)
			argp_error(state, "-r %s: must be from 1 to 10000", argument);
		return 0;
	case 'o':
		arguments->output.path = argument;
		return 0;
	case ARGP_KEY_END:
		check(state, arguments);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void print_to(FILE *file, struct table *table, struct arguments *arguments)
{
	totals_name_vms(table);
	print_table(file, &arguments->style, table, &arguments->selection, NULL);
	/* The reader of a series wants it now. */
	fflush(file);
}

/* The next part of a series */
static void show_part(struct table *table, void *data)
{
	struct arguments *arguments = data;

	/* What was there before stays until there is something new. */
	if (arguments->output.path && !arguments->has_begun)
		output_begin(&arguments->output);
	arguments->has_begun = true;
	print_to(arguments->output.path ? arguments->output.file : stdout, table, arguments);
}

static void show(struct table *table, struct arguments *arguments)
{
	char *text;
	size_t size;
	FILE *file;

	if (!arguments->output.path) {
		print_to(stdout, table, arguments);
		return;
	}
	file = open_memstream(&text, &size);
	if (!file)
		err(1, "memory");
	print_to(file, table, arguments);
	if (fclose(file))
		err(1, "memory");
	output_write(&arguments->output, text, size);
	free(text);
}

int cmd_stat(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &select_argp }, { &kind_argp }, { &sort_argp }, { &measure_argp },
		{ &format_argp }, { &group_argp }, { &prometheus_argp }, { &color_argp }, { 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[COMMAND...]",
		.doc = "Show what the hypervisor does how often, and how long it takes: while "
		       "COMMAND runs, for SECONDS, or since totals are kept. Nothing is "
		       "recorded.\v"
		       "'<' is an upper bound and '>' a lower one: totals have histograms.",
		.children = children,
	};
	struct arguments arguments = { .selection = SELECT_ALL };
	struct table *table;

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments);
	arguments.style.command = arguments.measurement.argv;
	output_open(&arguments.output);
	if (arguments.part) {
		measure_parts(&arguments.measurement, arguments.part, show_part, &arguments);
	} else {
		table = arguments.nr_runs ?
			measure_runs(&arguments.measurement, arguments.nr_runs) :
			measure(&arguments.measurement);
		/* In a series, a VM may come and go. */
		selection_check(table, &arguments.selection);
		show(table, &arguments);
		table_free(table);
	}
	if (arguments.output.path)
		output_close(&arguments.output);
	return arguments.measurement.status;
}
