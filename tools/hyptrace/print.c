// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables in each format. columns.c has text, and json.c has JSON.
 */

#include <ctype.h>
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "color.h"
#include "json.h"
#include "origin.h"
#include "print.h"
#include "runs.h"

enum {
	OPTION_JSON = 0x2000,
	OPTION_CSV,
	OPTION_ORIGIN,
	OPTION_PROMETHEUS,
};

static const struct argp_option options[] = {
	{ "json", OPTION_JSON, NULL, 0,
	  "Print JSON, or CSV; times in ns", 0 },
	{ "csv", OPTION_CSV, NULL, OPTION_ALIAS },
	/* Few want it, and a help fits a screen. */
	{ "origin", OPTION_ORIGIN, NULL, OPTION_HIDDEN },
	{ "field-separator", 'x', "SEP", 0,
	  "Print CSV with SEP in place of commas", 0 },
	{ 0 }
};

static const struct argp_option prometheus_options[] = {
	{ "prometheus", OPTION_PROMETHEUS, NULL, 0,
	  "Print for node_exporter's textfile collector", 0 },
	{ 0 }
};

/* As perf, which takes \t for a tab. Names are not quoted: copy_text() takes these out of them. */
static const char *separator_option(struct argp_state *state, const char *text)
{
	if (!strcmp(text, "\\t"))
		return "\t";
	if (strlen(text) != 1 || !strchr(",;\t", *text))
		argp_error(state, "-x '%s': must be a comma, ; or \\t: a character that no name has",
			   text);
	return text;
}

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct style *style = state->input;

	switch (option) {
	case OPTION_JSON:
		style->format = FORMAT_JSON;
		return 0;
	case OPTION_CSV:
		style->format = FORMAT_CSV;
		return 0;
	case OPTION_ORIGIN:
		style->has_origin = true;
		return 0;
	case ARGP_KEY_END:
		if (style->has_origin && style->format != FORMAT_CSV)
			argp_error(state, "--origin is for --csv; --json has it always");
		return 0;
	case 'x':
		style->format = FORMAT_CSV;
		style->separator = separator_option(state, argument);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp format_argp = { .options = options, .parser = parse };

static error_t parse_prometheus(int option, char *argument, struct argp_state *state)
{
	struct style *style = state->input;

	if (option != OPTION_PROMETHEUS)
		return ARGP_ERR_UNKNOWN;
	style->format = FORMAT_PROMETHEUS;
	return 0;
}

const struct argp prometheus_argp = { .options = prometheus_options, .parser = parse_prometheus };

/**
 * warn_of_lost() - tell that events or VMs were lost, if they were
 * @table:	the table made of the others
 * @from:	the file, or another source
 */
void warn_of_lost(const struct table *table, const char *from)
{
	if (table->lost)
		warn_missing("%s: %" PRIu64 " or more events were lost: what they belong to is missing, and an exit of which a part is missing may seem longer",
			     from, table->lost);
	if (table->has_forgotten)
		warn_missing("%s: some VMs that are gone are missing: the kernel has forgotten their totals",
			     from);
}

/* How wide is the terminal? 0 if there is none: programs get all. */
static unsigned int terminal_width(FILE *file)
{
	struct winsize size;

	return isatty(fileno(file)) && !ioctl(fileno(file), TIOCGWINSZ, &size) ? size.ws_col : 0;
}

static void print_runs(FILE *file, const struct table *table)
{
	const double spread = runs_seconds_spread(table);

	fprintf(file, "Measured: %zu run%s, of %.3f s", table->nr_runs,
		table->nr_runs > 1 ? "s" : "", table->seconds);
	if (!isnan(spread))
		fprintf(file, " +- %.2f%%", 100 * spread / table->seconds);
	fprintf(file, "\n");
}

/* Say what was measured. */
static void print_text(FILE *file, const struct table *table, const struct selection *selection)
{
	const unsigned int by = selection->by ?: BY_WHAT;
	struct table *selected = select_rows(table, selection, by);

	if (table->nr_runs)
		print_runs(file, table);
	else if (table->until)
		fprintf(file, "\nMeasured: %.3f s, until %.3f s\n", table->seconds, table->until);
	else if (table->seconds)
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

/* A field of a line. No name has a comma or a quote: copy_name(). */
static void print_field(FILE *file, const struct style *style, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(file, format, arguments);
	va_end(arguments);
	fputs(style->separator ?: ",", file);
}

/* If it is not known, it is empty. */
static void print_deviation(FILE *file, const struct style *style, double deviation)
{
	print_field(file, style, isnan(deviation) ? "" : "%.1f", deviation);
}

static void print_csv_header(FILE *file, const struct style *style, const struct table *table,
			     unsigned int by)
{
	static const char * const names[] = {
		"vm", "vcpu", "kind", "reason", "count", "total_ns", "min_ns", "max_ns", "avg_ns",
		"p50_ns", "p99_ns", "min_is_bound", "max_is_bound",
	};
	size_t i;

	if (table->until)
		print_field(file, style, "until");
	if (by & BY_THREAD)
		print_field(file, style, "thread");
	if (by & BY_DETAIL)
		print_field(file, style, "detail");
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		print_field(file, style, "%s", names[i]);
	if (table->nr_runs) {
		print_field(file, style, "count_deviation");
		print_field(file, style, "total_ns_deviation");
		print_field(file, style, "avg_ns_deviation");
	}
	print_field(file, style, "percentiles_are_bounds");
	fprintf(file, "percentiles_are_rounded\n");
}

/* What is not told apart is empty. */
static void print_csv_row(FILE *file, const struct style *style, const struct table *table,
			  const struct row *row, unsigned int by)
{
	if (table->until)
		print_field(file, style, "%.3f", table->until);
	if (by & BY_THREAD)
		print_field(file, style, "%s", row->key.thread);
	if (by & BY_DETAIL)
		print_field(file, style, "%s", row->key.detail);
	print_field(file, style, by & BY_VM ? "%u" : "", row->key.vm);
	print_field(file, style, by & BY_VCPU ? "%u" : "", row->key.vcpu);
	print_field(file, style, "%s", group_kind(row->key.kind, by));
	print_field(file, style, "%s", row->key.reason);
	print_field(file, style, "%" PRIu64, row->count);
	print_field(file, style, "%" PRIu64, row->total);
	print_field(file, style, "%" PRIu64, row->min);
	print_field(file, style, "%" PRIu64, row->max);
	print_field(file, style, "%" PRIu64, row->total / row->count);
	print_field(file, style, "%" PRIu64, row_percentile(row, 50));
	print_field(file, style, "%" PRIu64, row_percentile(row, 99));
	print_field(file, style, "%d", row->min_is_bound);
	print_field(file, style, "%d", row->max_is_bound);
	if (row->spread) {
		print_deviation(file, style, row->spread->count);
		print_deviation(file, style, row->spread->total);
		print_deviation(file, style, row->spread->average);
	}
	print_field(file, style, "%d", row_precision(row) == UPPER_BOUND);
	fprintf(file, "%d\n", row_precision(row) == PRECISE_TO_PERCENT);
}

/* A comment. JSON has both members, too. */
static void print_csv_origin(FILE *file, const struct style *style,
			     const struct recording *recording)
{
	json_t *root = json_pack("{ss, so}", "format", FORMAT_NAME, "origin",
				 origin_of(recording, style->command));

	fprintf(file, "# ");
	print_json_value(file, root, JSON_COMPACT);
}

static void print_csv(FILE *file, struct style *style, const struct table *table, unsigned int by,
		      const struct recording *recording)
{
	size_t i;

	if (!style->has_header && style->has_origin)
		print_csv_origin(file, style, recording);
	if (!style->has_header)
		print_csv_header(file, style, table, by);
	style->has_header = style->is_series;
	for (i = 0; i < table->nr; i++)
		print_csv_row(file, style, table, table->row[i], by);
}

/* Prometheus ------------------------------------------------------------------------ */

#define METRIC	"hyptrace_interval_seconds"

/* Each label costs a time series for each bound, so every second bound of the totals must do. */
enum {
	PROMETHEUS_FIRST	= 8,
	PROMETHEUS_LAST		= 34,
	PROMETHEUS_STEP		= 2,
};

static void print_metric(FILE *file, const struct row *row, unsigned int by)
{
	char labels[160], vm[24] = "", vcpu[24] = "", total[SECONDS_SIZE];
	uint64_t sum = 0;
	int i;

	if (by & BY_VM && is_vcpus(row->key.kind))
		snprintf(vm, sizeof(vm), "vm=\"%u\",", row->key.vm);
	if (by & BY_VCPU && is_vcpus(row->key.kind))
		snprintf(vcpu, sizeof(vcpu), "vcpu=\"%u\",", row->key.vcpu);
	snprintf(labels, sizeof(labels), "%s%skind=\"%s\",reason=\"%s\"", vm, vcpu,
		 group_kind(row->key.kind, by), row->key.reason);
	for (i = 0; i <= PROMETHEUS_LAST; i++) {
		sum += row->bucket[i];
		if (i >= PROMETHEUS_FIRST && !((i - PROMETHEUS_FIRST) % PROMETHEUS_STEP))
			fprintf(file, METRIC "_bucket{%s,le=\"%.9g\"} %" PRIu64 "\n", labels,
				(1ULL << i) / 1e9, sum);
	}
	fprintf(file, METRIC "_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", labels, row->count);
	fprintf(file, METRIC "_sum{%s} %s\n", labels, format_seconds(total, row->total, 9));
	fprintf(file, METRIC "_count{%s} %" PRIu64 "\n", labels, row->count);
}

/* Only these end a label's value. */
static void print_label(FILE *file, const char *value)
{
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', file);
		fputc(*value, file);
	}
}

static bool has_rows_of(const struct table *table, unsigned int vm)
{
	size_t i;

	for (i = 0; i < table->nr; i++)
		if (is_vcpus(table->row[i]->key.kind) && table->row[i]->key.vm == vm)
			return true;
	return false;
}

static void print_vm_info(FILE *file, const struct table *table, const struct table *vms)
{
	const struct vm *vm;

	fprintf(file, "# HELP hyptrace_vm_info Whose a VM is, and what that calls it.\n"
		"# TYPE hyptrace_vm_info gauge\n");
	for (vm = vms->vm; vm < vms->vm + vms->nr_vms; vm++) {
		if (!has_rows_of(table, vm->number))
			continue;
		fprintf(file, "hyptrace_vm_info{vm=\"%u\",pid=\"%d\",name=\"", vm->number, vm->pid);
		print_label(file, vm->name ?: "");
		fprintf(file, "\"} 1\n");
	}
}

/* https://prometheus.io/docs/instrumenting/exposition_formats/ */
static void print_prometheus(FILE *file, const struct table *table, const struct table *vms,
			     unsigned int by)
{
	size_t i;

	fprintf(file, "# HELP " METRIC " Time of hypercalls, exits and guests, as EL2 measures it.\n"
		"# TYPE " METRIC " histogram\n");
	for (i = 0; i < table->nr; i++)
		print_metric(file, table->row[i], by);
	if (by & BY_VM)
		print_vm_info(file, table, vms);
}

/* All ------------------------------------------------------------------------------- */

/* What is told apart if the user has not said it: people want what is done, programs want all. */
static unsigned int usual_by(enum format format)
{
	switch (format) {
	case FORMAT_TEXT:
		return BY_WHAT;
	case FORMAT_PROMETHEUS:
		return BY_VM | BY_WHAT;
	default:
		return BY_WHOSE | BY_WHAT;
	}
}

/**
 * style_problem() - why something can't be printed so
 * @style:	how it is to be printed
 * @by:		what the user wants to tell apart, 0 if that was not said
 * @is_recorded: it is from a recording, not from totals
 *
 * Return: the reason, NULL if there is none
 */
const char *style_problem(const struct style *style, unsigned int by, bool is_recorded)
{
	if (by & BY_THREAD && !is_recorded)
		return "--by thread: totals do not know threads: use hyptrace record and report";
	if (by & BY_DETAIL && !is_recorded)
		return "--by mmio, hypercall, sysreg: totals do not know these: use record and "
		       "report";
	if (by & (BY_THREAD | BY_DETAIL) && style->format == FORMAT_PROMETHEUS)
		return "--by thread, mmio, hypercall, sysreg: too many for Prometheus, which keeps "
		       "all";
	if (style->format == FORMAT_JSON && by)
		return "--json has a row for each VM, vCPU and reason: leave out --by";
	return NULL;
}

/**
 * rows_by() - what the rows of a recording must tell apart, so that a table can be printed
 * @style:	in which format
 * @selection:	what of it; one VM, vCPU or process is only found in rows of vCPUs
 *
 * Return: bits of enum group_by
 */
unsigned int rows_by(const struct style *style, const struct selection *selection)
{
	return (selection->by ?: usual_by(style->format)) | BY_WHAT |
	       (selects_all_vms(selection) ? 0 : BY_WHOSE);
}

/**
 * print_table() - print a table
 * @file:	where to
 * @style:	in which format; people get VMs and vCPUs added up, programs don't
 * @table:	the table
 * @selection:	what of it, and in which order; selection_check() has found nothing wrong
 * @recording:	the recording that it is from, NULL if it is from totals
 */
void print_table(FILE *file, struct style *style, const struct table *table,
		 const struct selection *selection, const struct recording *recording)
{
	const unsigned int by = selection->by ?: usual_by(style->format);
	struct table *selected;

	if (style->format == FORMAT_TEXT) {
		print_text(file, table, selection);
		if (recording && recording->has_kvm)
			print_handling(file, recording, selection);
		return;
	}
	selected = select_rows(table, selection, by);
	if (style->format == FORMAT_JSON)
		print_json(file, style, selected, selection, table, recording);
	else if (style->format == FORMAT_CSV)
		print_csv(file, style, selected, by, recording);
	else
		print_prometheus(file, selected, table, by);
	table_free(selected);
}
