// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables in each format. columns.c has text, and json.c has JSON.
 */

#include <err.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

/* How wide is the terminal? 0 if there is none: programs get all. */
static unsigned int terminal_width(FILE *file)
{
	struct winsize size;

	return isatty(fileno(file)) && !ioctl(fileno(file), TIOCGWINSZ, &size) ? size.ws_col : 0;
}

/* Say what was measured. */
static void print_text(FILE *file, const struct table *table, const struct selection *selection)
{
	const unsigned int by = selection->by ?: BY_WHAT;
	struct table *selected = select_rows(table, selection, by);

	if (table->seconds)
		fprintf(file, "Measured: %.3f s\n", table->seconds);
	if (!selected->nr)
		fprintf(file, "Nothing of what was asked for has happened.\n");
	print_sections(file, selected, table, by, terminal_width(file));
	table_free(selected);
}

/* KVM or the VMM? Only a recording can tell that. */
static void print_handling(FILE *file, const struct recording *recording,
			   const struct selection *selection)
{
	const unsigned int by = (selection->by ?: BY_WHAT) | BY_KIND;
	struct table *selected = select_rows(recording->table, selection, by);

	print_parts(file, selected, recording->table, by, terminal_width(file));
	table_free(selected);
}

/* CSV ------------------------------------------------------------------------------- */

/* What is not told apart is empty. No name has a comma or a quote: copy_name(). */
static void print_csv(FILE *file, const struct table *table, unsigned int by)
{
	char vm[16] = "", vcpu[16] = "";
	const struct row *row;
	size_t i;

	fprintf(file, "%svm,vcpu,kind,reason,count,total_ns,min_ns,max_ns,avg_ns,p50_ns,p99_ns,"
		"min_is_bound,max_is_bound,percentiles_are_bounds\n",
		by & BY_THREAD ? "thread," : "");
	for (i = 0; i < table->nr; i++) {
		row = table->row[i];
		if (by & BY_THREAD)
			fprintf(file, "%s,", row->key.thread);
		if (by & BY_VM)
			snprintf(vm, sizeof(vm), "%u", row->key.vm);
		if (by & BY_VCPU)
			snprintf(vcpu, sizeof(vcpu), "%u", row->key.vcpu);
		fprintf(file, "%s,%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",%" PRIu64 ",%d,%d,%d\n", vm, vcpu,
			group_kind(row->key.kind, by), row->key.reason, row->count, row->total,
			row->min, row->max, row->total / row->count, row_percentile(row, 50),
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

	snprintf(labels, sizeof(labels), "vm=\"%u\",vcpu=\"%u\",kind=\"%s\",reason=\"%s\"", row->key.vm,
		 row->key.vcpu, kind_names[row->key.kind], row->key.reason);
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
	unsigned int by = selection->by ?: BY_WHOSE | BY_WHAT;
	struct table *selected;

	selection_check(table, selection);
	if (selection->by & BY_THREAD && !recording)
		errx(1, "--by thread: totals do not know threads: use hyptrace record and report");
	if (format == FORMAT_TEXT) {
		print_text(file, table, selection);
		if (recording && recording->has_kvm)
			print_handling(file, recording, selection);
		return;
	}
	if (format == FORMAT_JSON && selection->by)
		errx(1, "--json has a row for each VM, vCPU and reason: leave out --by");
	selected = select_rows(table, selection, by);
	if (format == FORMAT_JSON)
		print_json(file, selected, selection, table, recording);
	else if (format == FORMAT_CSV)
		print_csv(file, selected, by);
	else
		print_prometheus(file, selected);
	table_free(selected);
}
