// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace diff: two measurements side by side, what got slower first.
 */

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

#include "print.h"
#include "recording.h"
#include "subcommands.h"

struct arguments {
	struct selection	selection;
	struct input		input[2];
};

/**
 * struct pair - a kind and reason in both measurements
 * @row:	the rows, NULL if it was not there
 * @slower:	what the second measurement would have saved, had each interval taken as long
 *		as on average in the first one [ns]
 */
struct pair {
	const struct row	*row[2];
	double			slower;
};

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (option) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->selection;
		state->child_inputs[1] = &arguments->selection;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 1)
			return ARGP_ERR_UNKNOWN;
		arguments->input[state->arg_num].path = argument;
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < 2)
			argp_error(state, "say which two");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static double average(const struct row *row)
{
	return (double)row->total / row->count;
}

static int by_slowness(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return x->slower > y->slower ? -1 : x->slower < y->slower;
}

static struct pair pair_of(const struct row *a, const struct row *b)
{
	struct pair pair = { .row = { a, b } };

	if (a && b)
		pair.slower = (average(b) - average(a)) * b->count;
	return pair;
}

/* All that is in either table; both have VMs and vCPUs added up. */
static size_t make_pairs(struct pair *pairs, const struct table *a, const struct table *b)
{
	const struct row *row;
	size_t i, n = 0;

	for (i = 0; i < b->nr; i++) {
		row = b->row[i];
		pairs[n++] = pair_of(table_find(a, &row->key), row);
	}
	for (i = 0; i < a->nr; i++) {
		row = a->row[i];
		if (!table_find(b, &row->key))
			pairs[n++] = pair_of(row, NULL);
	}
	sort(pairs, n, sizeof(*pairs), by_slowness);
	return n;
}

static const char *count_text(char text[TIME_SIZE], const struct row *row)
{
	if (!row)
		return "-";
	snprintf(text, TIME_SIZE, "%" PRIu64, row->count);
	return text;
}

static const char *average_text(char text[TIME_SIZE], const struct row *row)
{
	return row ? format_time(text, "", average(row)) : "-";
}

static const char *p99_text(char text[TIME_SIZE], const struct row *row, bool is_bound)
{
	return row ? format_time(text, is_bound ? "<" : "", row_percentile(row, 99)) : "-";
}

static void print_pair(const struct pair *pair, struct table *tables[2])
{
	const struct row *any = pair->row[1] ?: pair->row[0];
	char text[6][TIME_SIZE], change[TIME_SIZE] = "-";

	if (pair->row[0] && pair->row[1] && average(pair->row[0]) > 0)
		snprintf(change, sizeof(change), "%+.1f%%",
			 100 * (average(pair->row[1]) / average(pair->row[0]) - 1));
	printf("%-9s %-29.29s %9s %9s %9s %9s %9s %9s %9s\n", kind_names[any->key.kind],
	       reason_text(&any->key), count_text(text[0], pair->row[0]),
	       count_text(text[1], pair->row[1]), average_text(text[2], pair->row[0]),
	       average_text(text[3], pair->row[1]), change,
	       p99_text(text[4], pair->row[0], tables[0]->has_bounds),
	       p99_text(text[5], pair->row[1], tables[1]->has_bounds));
}

int cmd_diff(int argc, char **argv)
{
	static const struct argp_child children[] = { { &select_argp }, { &kind_argp }, { 0 } };
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "A B",
		.doc = "Compare two recordings (trace.dat), or two outputs of 'hyptrace stat "
		       "--json'. What got slower comes first: by the time that B would have saved"
		       " with A's averages.",
		.children = children,
	};
	struct arguments arguments = { .selection = SELECT_ALL };
	struct table *all, *tables[2];
	struct pair *pairs;
	size_t i, n;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	read_in_child(arguments.input, 2, NULL);
	for (i = 0; i < 2; i++) {
		all = table_of_file(&arguments.input[i]);
		tables[i] = select_rows(all, &arguments.selection, BY_WHAT);
		table_free(all);
	}
	pairs = xrealloc(NULL, tables[0]->nr + tables[1]->nr + 1, sizeof(*pairs));
	n = make_pairs(pairs, tables[0], tables[1]);
	if (!n)
		errx(1, "nothing of what was asked for is in %s and %s",
		     arguments.input[0].path, arguments.input[1].path);
	printf("A: %s\nB: %s\n\n%-39s %9s %9s %9s %9s %9s %9s %9s\n", arguments.input[0].path,
	       arguments.input[1].path, "", "Samples A", "B", "Avg A", "B", "Change", "p99 A", "B");
	for (i = 0; i < n; i++)
		print_pair(&pairs[i], tables);
	free(pairs);
	table_free(tables[0]);
	table_free(tables[1]);
	return 0;
}
