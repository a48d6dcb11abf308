// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables as text, CSV and for Prometheus; json.c has JSON.
 */

#include <err.h>
#include <inttypes.h>
#include <string.h>

#include "print.h"

enum {
	OPTION_JSON = 0x2000,
	OPTION_CSV,
	OPTION_PROMETHEUS,
};

static const struct argp_option options[] = {
	{ "json", OPTION_JSON, NULL, 0,
	  "Print JSON, with each VM, vCPU and histogram", 0 },
	{ "csv", OPTION_CSV, NULL, 0,
	  "Print CSV, with each VM and vCPU; times in ns", 0 },
	{ "prometheus", OPTION_PROMETHEUS, NULL, 0,
	  "Print for node_exporter's textfile collector", 0 },
	{ 0 }
};

static error_t parse(int option, char *argument, struct argp_state *state)
{
	enum format *format = state->input;

	switch (option) {
	case OPTION_JSON:
		*format = FORMAT_JSON;
		return 0;
	case OPTION_CSV:
		*format = FORMAT_CSV;
		return 0;
	case OPTION_PROMETHEUS:
		*format = FORMAT_PROMETHEUS;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp format_argp = { .options = options, .parser = parse };

/**
 * format_time() - a time for people
 * @text:	where it goes
 * @sign:	what comes before it: "<" or ">" for a bound, or ""
 * @ns:		the time [ns]
 *
 * Return: @text
 */
const char *format_time(char text[TIME_SIZE], const char *sign, uint64_t ns)
{
	static const char * const units[] = { "ns", "us", "ms", "s" };
	unsigned int unit = 0;
	double time = ns;

	for (; time >= 1000 && unit < 3; unit++)
		time /= 1000;
	snprintf(text, TIME_SIZE, "%s%.*f %s", sign, !unit ? 0 : time < 10 ? 2 : time < 100 ? 1 : 0,
		 time, units[unit]);
	return text;
}

/**
 * reason_text() - a row's reason for people
 * @row:	the row
 *
 * Return: the reason, or an empty string if the kind has only one
 */
const char *reason_text(const struct row *row)
{
	return strcmp(row->reason, "-") ? row->reason : "";
}

/* Text ------------------------------------------------------------------------------ */

/* The parts of a table. The times of a part's rows add up to a whole. */
static const struct section {
	const char	*title;
	bool		is_vcpus;
} sections[] = {
	{ "The time of vCPUs", true },
	{ "EL2, for the host", false },
};

#define NR_SECTIONS (sizeof(sections) / sizeof(sections[0]))

#define NAME_WIDTH	39

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void print_row(FILE *file, const struct table *table, const struct row *row,
		      const struct row *sum)
{
	const char *bound = table->has_bounds ? "<" : "";
	char min[TIME_SIZE], max[TIME_SIZE], average[TIME_SIZE], p50[TIME_SIZE], p99[TIME_SIZE];

	fprintf(file, "%-9s %-*.*s %9" PRIu64 " %8.2f%% %6.2f%% %9s %9s %9s %9s %9s\n",
		kind_names[row->kind], NAME_WIDTH - 10, NAME_WIDTH - 10, reason_text(row),
		row->count, percent(row->count, sum->count), percent(row->total, sum->total),
		format_time(min, row->min_is_bound ? ">" : "", row->min),
		format_time(max, row->max_is_bound ? "<" : "", row->max),
		format_time(average, "", row->total / row->count),
		format_time(p50, bound, row_percentile(row, 50)),
		format_time(p99, bound, row_percentile(row, 99)));
}

static void print_section(FILE *file, const struct table *table, const struct section *section)
{
	struct row sum = { 0 };
	char time[TIME_SIZE];
	size_t i;

	for (i = 0; i < table->nr; i++) {
		if (is_vcpus(table->row[i]->kind) != section->is_vcpus)
			continue;
		sum.count += table->row[i]->count;
		sum.total += table->row[i]->total;
	}
	if (!sum.count)
		return;
	fprintf(file, "\n%-*s %9s %9s %7s %9s %9s %9s %9s %9s\n", NAME_WIDTH, section->title,
		"Samples", "Samples%", "Time%", "Min", "Max", "Avg", "p50", "p99");
	for (i = 0; i < table->nr; i++)
		if (is_vcpus(table->row[i]->kind) == section->is_vcpus)
			print_row(file, table, table->row[i], &sum);
	fprintf(file, "%-*s %9" PRIu64 " %9s %7s\n", NAME_WIDTH, "total", sum.count, "",
		format_time(time, "", sum.total));
}

/**
 * print_sections() - print a table as text
 * @file:	where to
 * @table:	the table, selected and added up
 */
void print_sections(FILE *file, const struct table *table)
{
	const struct section *section;

	for (section = sections; section < sections + NR_SECTIONS; section++)
		print_section(file, table, section);
}

/**
 * warn_of_lost() - tell that events or VMs were lost, if they were
 * @table:	the table made of the others
 * @from:	the file, or another source
 */
void warn_of_lost(const struct table *table, const char *from)
{
	if (table->lost)
		warnx("%s: %" PRIu64 " or more events were lost: what they belong to is missing, and an exit of which a part is missing may seem longer",
		      from, table->lost);
	if (table->has_forgotten)
		warnx("%s: some VMs that are gone are missing: the kernel has forgotten their totals",
		      from);
}

/* Say what was measured. */
static void print_text(FILE *file, const struct table *table, const struct selection *selection)
{
	struct table *selected = select_rows(table, selection, true);

	if (table->seconds)
		fprintf(file, "Measured: %.3f s\n", table->seconds);
	if (!selected->nr)
		fprintf(file, "Nothing of what was asked for has happened.\n");
	print_sections(file, selected);
	table_free(selected);
}

/* CSV ------------------------------------------------------------------------------- */

/* No name has a comma or a quote: copy_name(). */
static void print_csv(FILE *file, const struct table *table)
{
	const struct row *row;
	size_t i;

	fprintf(file, "vm,vcpu,kind,reason,count,total_ns,min_ns,max_ns,avg_ns,p50_ns,p99_ns,"
		"min_is_bound,max_is_bound,percentiles_are_bounds\n");
	for (i = 0; i < table->nr; i++) {
		row = table->row[i];
		fprintf(file, "%u,%u,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",%" PRIu64 ",%d,%d,%d\n", row->vm, row->vcpu,
			kind_names[row->kind], row->reason, row->count, row->total, row->min,
			row->max, row->total / row->count, row_percentile(row, 50),
			row_percentile(row, 99), row->min_is_bound, row->max_is_bound,
			table->has_bounds);
	}
}

/* Prometheus ------------------------------------------------------------------------ */

#define METRIC	"hyptrace_interval_seconds"

static void print_metric(FILE *file, const struct row *row)
{
	uint64_t sum = 0;
	char labels[160];
	int i;

	snprintf(labels, sizeof(labels), "vm=\"%u\",vcpu=\"%u\",kind=\"%s\",reason=\"%s\"", row->vm,
		 row->vcpu, kind_names[row->kind], row->reason);
	for (i = FIRST_BUCKET; i <= LAST_BOUND; i++) {
		sum += row->bucket[i];
		fprintf(file, METRIC "_bucket{%s,le=\"%.9g\"} %" PRIu64 "\n", labels,
			(1ULL << i) / 1e9, sum);
	}
	fprintf(file, METRIC "_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", labels, row->count);
	fprintf(file, METRIC "_sum{%s} %" PRIu64 ".%09" PRIu64 "\n", labels,
		row->total / 1000000000, row->total % 1000000000);
	fprintf(file, METRIC "_count{%s} %" PRIu64 "\n", labels, row->count);
}

/* https://prometheus.io/docs/instrumenting/exposition_formats/ */
static void print_prometheus(FILE *file, const struct table *table)
{
	size_t i;

	fprintf(file, "# HELP " METRIC " Time of hypercalls, exits and guests, as EL2 measures it.\n"
		"# TYPE " METRIC " histogram\n");
	for (i = 0; i < table->nr; i++)
		print_metric(file, table->row[i]);
}

/* All ------------------------------------------------------------------------------- */

/**
 * print_table() - print a table
 * @file:	where to
 * @format:	in which format; people get VMs and vCPUs added up, programs don't
 * @table:	the table
 * @selection:	what of it, and in which order
 * @recording:	the recording that it is from, NULL if it is from totals
 */
void print_table(FILE *file, enum format format, const struct table *table,
		 const struct selection *selection, const struct recording *recording)
{
	struct table *selected;

	selection_check(table, selection);
	if (format == FORMAT_TEXT) {
		print_text(file, table, selection);
		return;
	}
	selected = select_rows(table, selection, false);
	if (format == FORMAT_JSON)
		print_json(file, selected, selection, table, recording);
	else if (format == FORMAT_CSV)
		print_csv(file, selected);
	else
		print_prometheus(file, selected);
	table_free(selected);
}
