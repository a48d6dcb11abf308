// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables as text. If there is not enough room for all columns, the least important ones are left
 * out.
 */

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "columns.h"
#include "group.h"
#include "runs.h"

/**
 * format_time() - a time for people
 * @text:	where it goes
 * @sign:	what comes before it: "<" or ">" for a bound, or ""
 * @ns:		the time [ns]
 *
 * Return: @text
 */
const char *format_time(char text[TIME_SIZE], const char *sign, double ns)
{
	static const char * const units[] = { "ns", "us", "ms", "s" };
	unsigned int unit = 0;

	for (; ns >= 1000 && unit < 3; unit++)
		ns /= 1000;
	snprintf(text, TIME_SIZE, "%s%.*f %s", sign, !unit ? 0 : ns < 10 ? 2 : ns < 100 ? 1 : 0,
		 ns, units[unit]);
	return text;
}

/**
 * format_seconds() - a point in time, or the sum of many times
 * @text:	where it goes
 * @ns:		the time [ns]
 * @decimals:	decimals of a second, 9 at most; others are cut off
 *
 * Return: @text
 */
const char *format_seconds(char text[SECONDS_SIZE], uint64_t ns, unsigned int decimals)
{
	char fraction[16];

	snprintf(fraction, sizeof(fraction), ".%09" PRIu64, ns % 1000000000);
	snprintf(text, SECONDS_SIZE, "%" PRIu64 "%.*s", ns / 1000000000,
		 decimals ? 1 + decimals : 0, fraction);
	return text;
}

/**
 * reason_text() - a reason for people
 * @key:	what has it
 *
 * Return: the reason, or an empty string if the kind has only one
 */
const char *reason_text(const struct key *key)
{
	return strcmp(key->reason, "-") ? key->reason : "";
}

/* Columns --------------------------------------------------------------------------- */

static const char *value_text(char text[TIME_SIZE], struct value value)
{
	switch (value.unit) {
	case UNIT_NONE:
		text[0] = '\0';
		break;
	case UNIT_COUNT:
		snprintf(text, TIME_SIZE, "%.*f", value.decimals, value.number);
		break;
	case UNIT_PERCENT:
		snprintf(text, TIME_SIZE, "%.*f%%", value.decimals, value.number);
		break;
	case UNIT_TIME:
		format_time(text, value.sign, value.number);
		break;
	}
	return isnan(value.number) ? strcpy(text, "-") : text;
}

/**
 * print_column_titles() - print the titles of columns, to the end of the line
 * @file:	where to
 * @columns:	the columns; the one behind the last has no title
 * @max_rank:	how important a column must be to be printed
 */
void print_column_titles(FILE *file, const struct column *columns, unsigned int max_rank)
{
	const struct column *column;

	for (column = columns; column->title; column++)
		if (column->rank <= max_rank)
			fprintf(file, " %*s", column->width, column->title);
	fprintf(file, "\n");
}

/**
 * print_columns() - print the values of columns, to the end of the line
 * @file:	where to
 * @columns:	the columns; the one behind the last has no title
 * @max_rank:	how important a column must be to be printed
 * @line:	what the columns' values are of
 */
void print_columns(FILE *file, const struct column *columns, unsigned int max_rank,
		   const void *line)
{
	const struct column *column;
	unsigned int width = 0;
	char text[TIME_SIZE];

	for (column = columns; column->title; column++) {
		if (column->rank > max_rank)
			continue;
		value_text(text, column->value(line, column->argument));
		width += 1 + column->width;
		if (!*text)
			continue;
		fprintf(file, "%*s", width, text);
		width = 0;
	}
	fprintf(file, "\n");
}

/**
 * columns_max_rank() - how important a column must be for a line not to be too wide
 * @columns:	the columns; the one behind the last has no title
 * @before:	width of what comes before them
 * @width:	how wide the line may be, 0 for all columns
 *
 * Return: the largest rank of columns to be printed
 */
unsigned int columns_max_rank(const struct column *columns, unsigned int before,
			      unsigned int width)
{
	const struct column *column;
	unsigned int rank, needed;

	for (rank = MAX_RANK; rank && width; rank--) {
		needed = before;
		for (column = columns; column->title; column++)
			needed += column->rank <= rank ? column->width + 1 : 0;
		if (needed <= width)
			break;
	}
	return rank;
}

/* Rows ------------------------------------------------------------------------------ */

/**
 * struct line - a line of a table
 * @row:	its row; a sum's row is its own sum
 * @sum:	the sum of its section's rows
 * @nr_runs:	of how many runs it is the sum, 0 if there was only one
 */
struct line {
	const struct row	*row, *sum;
	size_t			nr_runs;
};

static const struct value no_value = { .unit = UNIT_NONE };

/* @part may be NAN, which is not known. */
static struct value percent(double part, double whole)
{
	return (struct value) {
		.unit = UNIT_PERCENT, .decimals = 2,
		.number = isnan(part) ? NAN : whole ? 100 * part / whole : 0,
	};
}

static struct value time_value(const char *sign, double ns)
{
	return (struct value) { .unit = UNIT_TIME, .sign = sign, .number = ns };
}

static struct value count_of(const void *data, int argument)
{
	const struct line *line = data;

	return (struct value) { .unit = UNIT_COUNT, .number = line->row->count };
}

static struct value count_part_of(const void *data, int argument)
{
	const struct line *line = data;

	return line->row == line->sum ? no_value : percent(line->row->count, line->sum->count);
}

static struct value time_of(const void *data, int argument)
{
	const struct line *line = data;

	return time_value("", line->row->total);
}

static struct value time_part_of(const void *data, int argument)
{
	const struct line *line = data;

	return line->row == line->sum ? no_value : percent(line->row->total, line->sum->total);
}

static struct value min_of(const void *data, int argument)
{
	const struct line *line = data;

	if (line->row == line->sum)
		return no_value;
	return time_value(line->row->min_is_bound ? ">" : "", line->row->min);
}

static struct value max_of(const void *data, int argument)
{
	const struct line *line = data;

	if (line->row == line->sum)
		return no_value;
	return time_value(line->row->max_is_bound ? "<" : "", line->row->max);
}

static struct value average_of(const void *data, int argument)
{
	const struct line *line = data;

	if (line->row == line->sum)
		return no_value;
	return time_value("", line->row->total / line->row->count);
}

static struct value percentile_of(const void *data, int percent)
{
	const struct line *line = data;

	if (line->row == line->sum)
		return no_value;
	return time_value(precision_sign(line->row), row_percentile(line->row, percent));
}

static struct value part_of(const void *data, int activity)
{
	const struct line *line = data;

	return percent(line->row->part[activity], line->row->total);
}

/* A row of several runs shows their average, and how much they differ. */
static struct value mean_count_of(const void *data, int argument)
{
	const struct line *line = data;

	return (struct value) {
		.unit = UNIT_COUNT, .decimals = 1,
		.number = (double)line->row->count / line->nr_runs,
	};
}

static struct value mean_time_of(const void *data, int argument)
{
	const struct line *line = data;

	return time_value("", line->row->total / line->nr_runs);
}

/* Runs differ in these. */
enum {
	IN_COUNT,
	IN_TIME,
	IN_AVERAGE,
};

static struct value deviation_of(const void *data, int what)
{
	const struct line *line = data;
	const struct row *row = line->row;
	const double runs = line->nr_runs;

	if (!row->spread)
		return no_value;
	switch (what) {
	case IN_COUNT:
		return percent(row->spread->count, row->count / runs);
	case IN_TIME:
		return percent(row->spread->total, row->total / runs);
	default:
		return percent(row->spread->average, (double)row->total / row->count);
	}
}

static const struct column time_columns[] = {
	{ "Samples",	9, 0, count_of },
	{ "Samples%",	8, 5, count_part_of },
	{ "Time",	9, 1, time_of },
	{ "Time%",	7, 3, time_part_of },
	{ "Min",	9, 7, min_of },
	{ "Max",	9, 4, max_of },
	{ "Avg",	9, 2, average_of },
	{ "p50",	9, 8, percentile_of, 50 },
	{ "p99",	9, 6, percentile_of, 99 },
	{ 0 }
};

static const struct column run_columns[] = {
	{ "Samples",	9, 0, mean_count_of },
	{ "+-",		8, 0, deviation_of, IN_COUNT },
	{ "Time",	9, 1, mean_time_of },
	{ "+-",		8, 1, deviation_of, IN_TIME },
	{ "Time%",	7, 4, time_part_of },
	{ "Avg",	9, 0, average_of },
	{ "+-",		8, 0, deviation_of, IN_AVERAGE },
	{ "Max",	9, 2, max_of },
	{ "p99",	9, 3, percentile_of, 99 },
	{ 0 }
};

static const struct column part_columns[] = {
	{ "Samples",	9, 5, count_of },
	{ "Time",	9, 3, time_of },
	{ "EL2",	9, 2, part_of, ACTIVITY_EL2 },
	{ "firmware",	9, 6, part_of, ACTIVITY_FIRMWARE },
	{ "kvm",	9, 0, part_of, ACTIVITY_KVM },
	{ "vmm",	9, 0, part_of, ACTIVITY_VMM },
	{ "preempted",	9, 1, part_of, ACTIVITY_PREEMPTED },
	{ "blocked",	9, 4, part_of, ACTIVITY_BLOCKED },
	{ 0 }
};

/* Groups ---------------------------------------------------------------------------- */

/* A layout says how rows are grouped, and which columns are shown. */
struct layout {
	unsigned int		by;
	const struct table	*vms;
	const struct column	*columns;
	unsigned int		max_rank;
};

static unsigned int what_width(unsigned int by)
{
	return by & BY_DETAIL ? 49 : by & BY_REASON ? 39 : 17;
}

static void print_titles(FILE *file, const struct layout *layout, const char *title)
{
	fprintf(file, "\n%-*s", what_width(layout->by), title);
	if (layout->by & BY_VM)
		fprintf(file, " %5s %7s %-16s", "VM", "PID", "Name");
	if (layout->by & BY_VCPU)
		fprintf(file, " %4s", "vCPU");
	if (layout->by & BY_THREAD)
		fprintf(file, " %-22s", "Thread");
	print_column_titles(file, layout->columns, layout->max_rank);
}

static void print_vm(FILE *file, const struct table *vms, const struct key *key)
{
	const struct vm *vm = key ? table_find_vm(vms, key->vm) : NULL;
	char number[16] = "", pid[16] = "";

	if (key)
		snprintf(number, sizeof(number), is_vcpus(key->kind) ? "%u" : "-", key->vm);
	if (vm && vm->pid)
		snprintf(pid, sizeof(pid), "%d", vm->pid);
	fprintf(file, " %5s %7s %-16.16s", number, pid, vm && vm->name ? vm->name : "");
}

/* Prints the VM, vCPU and thread of a group. The sum of all groups has none. */
static void print_whose(FILE *file, const struct layout *layout, const struct key *key)
{
	char vcpu[16] = "";

	if (layout->by & BY_VM)
		print_vm(file, layout->vms, key);
	if (key && layout->by & BY_VCPU)
		snprintf(vcpu, sizeof(vcpu), is_vcpus(key->kind) ? "%u" : "-", key->vcpu);
	if (layout->by & BY_VCPU)
		fprintf(file, " %4s", vcpu);
	if (layout->by & BY_THREAD)
		fprintf(file, " %-22.22s", key && key->thread ? key->thread : "");
}

static void print_row(FILE *file, const struct layout *layout, const struct line *line)
{
	const struct key *key = &line->row->key;
	const char *detail = key->detail ?: "";
	char what[2 * REASON_SIZE + 16];

	snprintf(what, sizeof(what), "%-9s %s%s%s", group_kind(key->kind, layout->by),
		 reason_text(key), *reason_text(key) && *detail ? " " : "", detail);
	fprintf(file, "%-*.*s", what_width(layout->by), what_width(layout->by), what);
	print_whose(file, layout, key);
	print_columns(file, layout->columns, layout->max_rank, line);
}

/* A layout, with as many columns as a width has room for. */
static struct layout layout_of(const struct column *columns, const struct table *vms,
			       unsigned int by, unsigned int width)
{
	const unsigned int before = what_width(by) + (by & BY_VM ? 31 : 0) +
				    (by & BY_VCPU ? 5 : 0) + (by & BY_THREAD ? 23 : 0);

	return (struct layout) {
		.by = by, .vms = vms, .columns = columns,
		.max_rank = columns_max_rank(columns, before, width),
	};
}

/* Sections -------------------------------------------------------------------------- */

static const char * const titles[NR_SECTIONS] = {
	[SECTION_GUEST]	= "Guests",
	[SECTION_EXIT]	= "Exits of guests",
	[SECTION_HOST]	= "EL2, for the host",
};

static void print_section(FILE *file, const struct layout *layout, const struct table *table,
			  enum row_section section)
{
	struct row sum = { 0 };
	struct line line = {
		.sum = &sum, .nr_runs = table->nr_runs,
	};
	size_t i, nr = 0;

	for (i = 0; i < table->nr; i++) {
		if (section_of(table->row[i]->key.kind) != section)
			continue;
		sum.count += table->row[i]->count;
		sum.total += table->row[i]->total;
		nr++;
	}
	if (!nr)
		return;
	print_titles(file, layout, titles[section]);
	for (i = 0; i < table->nr; i++) {
		line.row = table->row[i];
		if (section_of(line.row->key.kind) == section)
			print_row(file, layout, &line);
	}
	if (nr == 1)
		return;
	line.row = &sum;
	fprintf(file, "%-*s", what_width(layout->by), "total");
	print_whose(file, layout, NULL);
	print_columns(file, layout->columns, layout->max_rank, &line);
}

/**
 * print_sections() - print a table as text
 * @file:	where to
 * @table:	the table, selected and grouped
 * @vms:	the table that has the VMs
 * @by:		what groups tell apart
 * @width:	how many characters a line may have, 0 for all columns
 */
void print_sections(FILE *file, const struct table *table, const struct table *vms,
		    unsigned int by, unsigned int width)
{
	const struct layout layout = layout_of(table->nr_runs ? run_columns : time_columns, vms, by,
					       width);
	enum row_section section;

	for (section = 0; section < NR_SECTIONS; section++)
		print_section(file, &layout, table, section);
}

/**
 * print_parts() - print what vCPUs' threads did while the host handled exits
 * @file:	where to
 * @table:	the table, selected and grouped
 * @vms:	the table that has the VMs
 * @by:		what groups tell apart
 * @width:	how many characters a line may have, 0 for all columns
 */
void print_parts(FILE *file, const struct table *table, const struct table *vms, unsigned int by,
		 unsigned int width)
{
	const struct layout layout = layout_of(part_columns, vms, by, width);
	struct line line = { 0 };
	bool has_titles = false;
	size_t i;

	for (i = 0; i < table->nr; i++) {
		if (table->row[i]->key.kind != KIND_EXIT_HOST)
			continue;
		if (!has_titles)
			print_titles(file, &layout, "Exits to the host");
		has_titles = true;
		line.row = table->row[i];
		print_row(file, &layout, &line);
	}
}
