// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace diff: two measurements side by side, what got slower first.
 */

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "color.h"
#include "json.h"
#include "numbers.h"
#include "print.h"
#include "recording.h"
#include "subcommands.h"
#include "text.h"

/* Pairs are sorted by this. The pair that has grown most comes first. */
enum diff_key {
	DIFF_SLOWER,	/* what B would have saved with A's average */
	DIFF_TIME,
	DIFF_COUNT,
	DIFF_MAX,
	DIFF_P99,
	NR_DIFF_KEYS
};

static const char * const key_names[NR_DIFF_KEYS] = {
	[DIFF_SLOWER]	= "slower",
	[DIFF_TIME]	= "time",
	[DIFF_COUNT]	= "count",
	[DIFF_MAX]	= "max",
	[DIFF_P99]	= "p99",
};

struct arguments {
	struct selection	selection;
	struct style		style;
	struct input		input[2];
	enum diff_key		key;
	uint64_t		min_count;
	size_t			nr_runs[2];
};

/**
 * struct pair - a kind and reason in both measurements
 * @row:	the rows, NULL if it was not there
 * @value:	what it is sorted by
 * @is_rare:	there are too few samples for it to come first
 */
struct pair {
	const struct row	*row[2];
	double			value;
	bool			is_rare;
};

enum {
	OPTION_MIN_COUNT = 0x3000,
};

#define MIN_COUNT	30

static const struct argp_option options[] = {
	{ "key", 'k', "KEY", 0, "Sort by slower (default), time, count, max or p99", 0 },
	{ "min-count", OPTION_MIN_COUNT, "N", 0,
	  "What has fewer samples comes last; default: 30", 0 },
	{ 0 }
};

static enum diff_key key_option(struct argp_state *state, const char *text)
{
	enum diff_key key = 0;

	while (key < NR_DIFF_KEYS && strcmp(key_names[key], text))
		key++;
	if (key == NR_DIFF_KEYS)
		argp_error(state, "-k %s: must be slower, time, count, max or p99", text);
	return key;
}

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (option) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->selection;
		state->child_inputs[1] = &arguments->selection;
		state->child_inputs[2] = &arguments->style;
		return 0;
	case 'k':
		arguments->key = key_option(state, argument);
		return 0;
	case OPTION_MIN_COUNT:
		arguments->min_count = number_option(state, "--min-count", argument);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 1)
			return ARGP_ERR_UNKNOWN;
		arguments->input[state->arg_num].path = argument;
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < 2)
			argp_error(state, "say which two");
		if (arguments->style.has_origin)
			argp_error(state, "--origin is for the tables of stat and report");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Pairs ----------------------------------------------------------------------------- */

static double average(const struct row *row)
{
	return (double)row->total / row->count;
}

/* A table of several runs has their sum. */
static double per_run(uint64_t sum, size_t nr_runs)
{
	return nr_runs ? (double)sum / nr_runs : sum;
}

/* A row that is only in one of the tables has not grown. */
static double value_of(const struct row *a, const struct row *b, enum diff_key key,
		       const size_t runs[2])
{
	if (!a || !b)
		return 0;
	switch (key) {
	case DIFF_TIME:
		return per_run(b->total, runs[1]) - per_run(a->total, runs[0]);
	case DIFF_COUNT:
		return per_run(b->count, runs[1]) - per_run(a->count, runs[0]);
	case DIFF_MAX:
		return (double)b->max - a->max;
	case DIFF_P99:
		return (double)row_percentile(b, 99) - row_percentile(a, 99);
	default:
		return (average(b) - average(a)) * per_run(b->count, runs[1]);
	}
}

static int by_value(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->is_rare != y->is_rare)
		return x->is_rare ? 1 : -1;
	return x->value > y->value ? -1 : x->value < y->value;
}

static struct pair pair_of(const struct row *a, const struct row *b,
			   const struct arguments *arguments)
{
	const uint64_t min = arguments->min_count;

	return (struct pair) {
		.row = { a, b }, .value = value_of(a, b, arguments->key, arguments->nr_runs),
		.is_rare = (a ? a->count : 0) < min || (b ? b->count : 0) < min,
	};
}

/* All that is in either table; both have VMs and vCPUs added up. */
static size_t make_pairs(struct pair *pairs, const struct table *a, const struct table *b,
			 const struct arguments *arguments)
{
	const struct row *row;
	size_t i, n = 0;

	for (i = 0; i < b->nr; i++) {
		row = b->row[i];
		pairs[n++] = pair_of(table_find(a, &row->key), row, arguments);
	}
	for (i = 0; i < a->nr; i++) {
		row = a->row[i];
		if (!table_find(b, &row->key))
			pairs[n++] = pair_of(row, NULL, arguments);
	}
	sort(pairs, n, sizeof(*pairs), by_value);
	return n;
}

/* Text ------------------------------------------------------------------------------ */

static const char *count_text(char text[TIME_SIZE], const struct row *row, size_t nr_runs)
{
	if (!row)
		return "-";
	snprintf(text, TIME_SIZE, "%.*f", nr_runs > 1, per_run(row->count, nr_runs));
	return text;
}

static const char *average_text(char text[TIME_SIZE], const struct row *row)
{
	return row ? format_time(text, "", average(row)) : "-";
}

static const char *p99_text(char text[TIME_SIZE], const struct row *row)
{
	return row ? format_time(text, precision_sign(row), row_percentile(row, 99)) : "-";
}

/* Relative to the average */
static const char *deviation_text(char text[TIME_SIZE], const struct row *row)
{
	const double deviation = row ? row_deviation(row) : NAN;

	if (isnan(deviation) || !average(row))
		return "-";
	snprintf(text, TIME_SIZE, "%.1f%%", 100 * deviation / average(row));
	return text;
}

/* How much the average has grown; NAN if that is not known [percent] */
static double change_of(const struct pair *pair)
{
	if (!pair->row[0] || !pair->row[1] || !average(pair->row[0]))
		return NAN;
	return 100 * (average(pair->row[1]) / average(pair->row[0]) - 1);
}

static void print_pair(const struct pair *pair, const size_t nr_runs[2])
{
	const struct row *any = pair->row[1] ?: pair->row[0], *a = pair->row[0], *b = pair->row[1];
	char text[8][TIME_SIZE], change[TIME_SIZE] = "-";

	if (!isnan(change_of(pair)))
		snprintf(change, sizeof(change), "%+.1f%%", change_of(pair));
	printf("%-9s %-28.28s%s %9s %9s %9s %8s %9s %8s %9s %9s %9s\n", kind_names[any->key.kind],
	       reason_text(&any->key), pair->is_rare ? "*" : " ",
	       count_text(text[0], a, nr_runs[0]), count_text(text[1], b, nr_runs[1]),
	       average_text(text[2], a), deviation_text(text[3], a),
	       average_text(text[4], b), deviation_text(text[5], b), change,
	       p99_text(text[6], a), p99_text(text[7], b));
}

static void print_text(const struct arguments *arguments, const struct pair *pairs, size_t nr)
{
	bool has_rare = false;
	size_t i;

	printf("A: %s\nB: %s\n\n%-39s %9s %9s %9s %8s %9s %8s %9s %9s %9s\n",
	       arguments->input[0].path, arguments->input[1].path, "", "Samples A", "B", "Avg A",
	       "+-", "B", "+-", "Change", "p99 A", "B");
	for (i = 0; i < nr; i++) {
		print_pair(&pairs[i], arguments->nr_runs);
		has_rare |= pairs[i].is_rare;
	}
	if (has_rare)
		printf("* fewer than %" PRIu64 " samples (--min-count) in A or B\n",
		       arguments->min_count);
}

/* For programs ---------------------------------------------------------------------- */

/* Columns of A and of B. New ones come last, as some programs count columns. */
static void print_csv_header(const char *s)
{
	char side;

	printf("kind%sreason", s);
	for (side = 'a'; side <= 'b'; side++)
		printf("%scount_%c%stotal_ns_%c%smax_ns_%c%sp99_ns_%c%sdeviation_ns_%c", s, side,
		       s, side, s, side, s, side, s, side);
	printf("%sis_rare", s);
	for (side = 'a'; side <= 'b'; side++)
		printf("%smax_is_bound_%c%spercentiles_are_bounds_%c%spercentiles_are_rounded_%c",
		       s, side, s, side, s, side);
	printf("\n");
}

static void print_csv_times(const char *s, const struct row *row)
{
	if (!row) {
		printf("%s%s%s%s%s", s, s, s, s, s);
		return;
	}
	printf("%s%" PRIu64 "%s%" PRIu64 "%s%" PRIu64 "%s%" PRIu64 "%s", s, row->count, s,
	       row->total, s, row->max, s, row_percentile(row, 99), s);
	if (!isnan(row_deviation(row)))
		printf("%.1f", row_deviation(row));
}

static void print_csv_precision(const char *s, const struct row *row)
{
	if (row)
		printf("%s%d%s%d%s%d", s, row->max_is_bound, s, row_precision(row) == UPPER_BOUND,
		       s, row_precision(row) == PRECISE_TO_PERCENT);
	else
		printf("%s%s%s", s, s, s);
}

static void print_csv(const struct arguments *arguments, const struct pair *pairs, size_t nr)
{
	const char *s = arguments->style.separator ?: ",";
	const struct pair *pair;
	const struct row *any;

	print_csv_header(s);
	for (pair = pairs; pair < pairs + nr; pair++) {
		any = pair->row[1] ?: pair->row[0];
		printf("%s%s%s", kind_names[any->key.kind], s, any->key.reason);
		print_csv_times(s, pair->row[0]);
		print_csv_times(s, pair->row[1]);
		printf("%s%d", s, pair->is_rare);
		print_csv_precision(s, pair->row[0]);
		print_csv_precision(s, pair->row[1]);
		printf("\n");
	}
}

static json_t *side_to_json(const struct row *row)
{
	json_t *object;

	if (!row)
		return json_null();
	object = json_pack("{sI, sI, sI, sI, sb, sb, sb}", "count", (json_int_t)row->count,
			   "total_ns", (json_int_t)row->total, "max_ns", (json_int_t)row->max,
			   "p99_ns", (json_int_t)row_percentile(row, 99),
			   "max_is_bound", row->max_is_bound,
			   "percentiles_are_bounds", row_precision(row) == UPPER_BOUND,
			   "percentiles_are_rounded", row_precision(row) == PRECISE_TO_PERCENT);
	if (!isnan(row_deviation(row)))
		json_object_set_new(object, "deviation_ns", json_real(row_deviation(row)));
	return object;
}

static void print_json_pairs(const struct arguments *arguments, const struct pair *pairs, size_t nr)
{
	json_t *rows = json_array(), *root;
	const struct row *any;
	size_t i;

	for (i = 0; i < nr; i++) {
		any = pairs[i].row[1] ?: pairs[i].row[0];
		json_array_append_new(rows, json_pack("{ss, ss, so, so, sb}", "kind",
						      kind_names[any->key.kind], "reason",
						      any->key.reason, "a",
						      side_to_json(pairs[i].row[0]), "b",
						      side_to_json(pairs[i].row[1]), "is_rare",
						      pairs[i].is_rare));
	}
	/* JSON is UTF-8, and names of files may be anything. */
	root = json_pack("{ss, ss, ss, si, si, so}", "format", "hyptrace diff 1",
			 "a", make_printable(strdupa(arguments->input[0].path)),
			 "b", make_printable(strdupa(arguments->input[1].path)),
			 "runs_a", (int)arguments->nr_runs[0], "runs_b", (int)arguments->nr_runs[1],
			 "rows", rows);
	print_json_value(stdout, root, JSON_INDENT(2));
}

int cmd_diff(int argc, char **argv)
{
	static const struct argp_child children[] = { { &select_argp }, { &kind_argp },
						      { &format_argp }, { &color_argp }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "A B",
		.doc = "Compare two recordings (trace.dat), or two outputs of 'hyptrace stat "
		       "--json'. What got slower comes first, by the time that B took longer:"
		       " the difference of the averages, times B's samples.",
		.children = children,
	};
	struct arguments arguments = { .selection = SELECT_ALL, .min_count = MIN_COUNT };
	struct table *all, *tables[2];
	struct pair *pairs;
	size_t i, n;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	read_in_child(arguments.input, 2, NULL);
	for (i = 0; i < 2; i++) {
		all = table_of_file(&arguments.input[i]);
		tables[i] = select_rows(all, &arguments.selection, BY_WHAT);
		arguments.nr_runs[i] = tables[i]->nr_runs;
		table_free(all);
	}
	pairs = xrealloc(NULL, tables[0]->nr + tables[1]->nr + 1, sizeof(*pairs));
	n = make_pairs(pairs, tables[0], tables[1], &arguments);
	if (!n)
		errx(1, "nothing of what was asked for is in %s and %s",
		     arguments.input[0].path, arguments.input[1].path);
	if (arguments.style.format == FORMAT_JSON)
		print_json_pairs(&arguments, pairs, n);
	else if (arguments.style.format == FORMAT_CSV)
		print_csv(&arguments, pairs, n);
	else
		print_text(&arguments, pairs, n);
	free(pairs);
	table_free(tables[0]);
	table_free(tables[1]);
	return 0;
}
