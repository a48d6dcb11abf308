// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace hist: the histogram of a kind and a reason, in the terminal or as a picture.
 */

#include <err.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "color.h"
#include "command.h"
#include "measure.h"
#include "print.h"
#include "recording.h"
#include "subcommands.h"
#include "text.h"

struct arguments {
	struct measurement	measurement;
	struct selection	selection;
	struct input		input;
	struct output		plot;
	const char		*what;
};

enum {
	OPTION_PLOT = 0x3000,
};

static const struct argp_option options[] = {
	{ "input", 'i', "FILE", 0,
	  "Read a trace.dat, or what --json has printed", 0 },
	{ "plot", OPTION_PLOT, "FILE.svg|FILE.png", 0,
	  "Let gnuplot draw it", 0 },
	{ 0 }
};

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (option) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->selection;
		state->child_inputs[1] = &arguments->measurement;
		return 0;
	case 'i':
		arguments->input.path = argument;
		return 0;
	case OPTION_PLOT:
		if (!ends_in(argument, ".svg") && !ends_in(argument, ".png"))
			argp_error(state, "--plot %s: the name must end in .svg or .png", argument);
		arguments->plot.path = argument;
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->what)
			return ARGP_ERR_UNKNOWN;
		select_what(state, &arguments->selection, argument);
		arguments->what = argument;
		return 0;
	case ARGP_KEY_END:
		if (!arguments->what)
			argp_error(state, "say of what: KIND/REASON, such as exit_host/WFx, hcall/__kvm_vcpu_run, or guest");
		if (arguments->input.path &&
		    (arguments->measurement.argv || arguments->measurement.seconds))
			argp_error(state, "either -i, or a command, or -d");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Buckets from the first to the last one that is not empty. */
struct range {
	int		first, last;
	uint64_t	most;
};

static struct range range_of(const struct row *row)
{
	struct range range = { .first = NR_BUCKETS };
	int i;

	for (i = 0; i < NR_BUCKETS; i++) {
		if (!row->bucket[i])
			continue;
		range.first = i < range.first ? i : range.first;
		range.last = i;
		range.most = row->bucket[i] > range.most ? row->bucket[i] : range.most;
	}
	return range;
}

static const char *bound_text(char text[TIME_SIZE], int bucket)
{
	if (bucket == INF_BUCKET)
		return format_time(text, "> ", 1ULL << LAST_BOUND);
	return format_time(text, "<= ", 1ULL << bucket);
}

#define BAR_WIDTH	50

static void print_histogram(const struct row *row, const char *what, const char *percentile_sign)
{
	static const char bar[] = "##################################################";
	const struct range range = range_of(row);
	char text[5][TIME_SIZE];
	int i;

	printf("%s: %" PRIu64 " samples, avg %s, p50 %s, p99 %s, max %s\n\n", what, row->count,
	       format_time(text[0], "", row->total / row->count),
	       format_time(text[1], percentile_sign, row_percentile(row, 50)),
	       format_time(text[2], percentile_sign, row_percentile(row, 99)),
	       format_time(text[3], row->max_is_bound ? "<" : "", row->max));
	for (i = range.first; i <= range.last; i++)
		printf("%12s %9" PRIu64 " |%-*.*s|\n", bound_text(text[4], i), row->bucket[i],
		       BAR_WIDTH, (int)((row->bucket[i] * BAR_WIDTH + range.most - 1) / range.most),
		       bar);
}

/* In single quotes, gnuplot takes all but these as it is; in double ones, it runs commands. */
static void plot_text(FILE *gnuplot, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', gnuplot);
		fputc((unsigned char)*text < ' ' ? '?' : *text, gnuplot);
	}
}

/* gnuplot does not notice if it can't write: so the file is written when it has ended well. */
static void write_picture(FILE *from_gnuplot, pid_t gnuplot, struct output *output)
{
	char *picture;
	size_t size;
	FILE *copy = open_memstream(&picture, &size);

	if (!copy)
		err(1, "memory");
	output_copy(copy, from_gnuplot);
	fclose(from_gnuplot);
	if (fclose(copy))
		err(1, "memory");
	if (command_wait(gnuplot) || !size)
		errx(1, "%s: gnuplot has failed; is it installed (gnuplot-nox)?", output->path);
	output_write(output, picture, size);
	output_close(output);
	free(picture);
}

static void plot(const struct row *row, const char *what, struct output *output)
{
	const struct range range = range_of(row);
	char *argv[2] = { "gnuplot", NULL };
	char text[TIME_SIZE];
	FILE *gnuplot, *picture;
	pid_t pid;
	int i;

	/* If there is no gnuplot, its exit status says so. */
	signal(SIGPIPE, SIG_IGN);
	pid = filter_start(argv, &gnuplot, &picture);
	fprintf(gnuplot, "set terminal %s size 800,400\nset title '",
		ends_in(output->path, ".svg") ? "svg" : "png");
	plot_text(gnuplot, what);
	fprintf(gnuplot, ": %" PRIu64 " samples' noenhanced\n", row->count);
	fprintf(gnuplot, "set ylabel \"samples\"\nset yrange [0:*]\nset xtics rotate by -45\n"
		"set style fill solid 0.6\nset boxwidth 0.9\nset key off\n$histogram << END\n");
	for (i = range.first; i <= range.last; i++)
		fprintf(gnuplot, "\"%s\" %" PRIu64 "\n", bound_text(text, i), row->bucket[i]);
	fprintf(gnuplot, "END\nplot $histogram using 2:xtic(1) with boxes\n");
	fclose(gnuplot);
	write_picture(picture, pid, output);
}

/* All rows that were selected, in one. */
static struct row sum_of(const struct table *selected)
{
	struct row sum = { 0 };
	size_t i;

	for (i = 0; i < selected->nr; i++)
		row_merge(&sum, selected->row[i]);
	row_finish(&sum);
	return sum;
}

int cmd_hist(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &select_argp }, { &measure_argp }, { &color_argp }, { 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "KIND[/REASON] [COMMAND...]",
		.doc = "Show how long something takes, as a histogram: while COMMAND runs, for "
		       "SECONDS, since totals are kept, or from FILE.\v"
		       "REASON may be a pattern: 'exit_host/DABT*'. hyptrace stat lists kinds and"
		       " reasons.",
		.children = children,
	};
	struct arguments arguments = { .selection = SELECT_ALL };
	struct table *table, *selected;
	struct row sum;

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments);
	if (arguments.input.path) {
		read_in_child(&arguments.input, 1, &arguments.plot);
		table = table_of_file(&arguments.input);
	} else {
		output_open(&arguments.plot);
		table = measure(&arguments.measurement);
	}
	selection_check(table, &arguments.selection);
	selected = select_rows(table, &arguments.selection, BY_WHAT);
	if (!selected->nr)
		errx(1, "%s: has not happened; hyptrace stat lists what has", arguments.what);
	sum = sum_of(selected);
	if (arguments.plot.path)
		plot(&sum, arguments.what, &arguments.plot);
	else
		print_histogram(&sum, arguments.what, precision_sign(&sum));
	row_clear(&sum);
	table_free(selected);
	table_free(table);
	return arguments.measurement.status;
}
