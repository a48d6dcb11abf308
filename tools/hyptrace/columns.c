// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables as text. If there is not enough room for all columns, the least important ones are left
 * out.
 */

#include <inttypes.h>
#include <limits.h>
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
 * reason_text() - a reason for people
 * @key:	what has it
 *
 * Return: the reason, or an empty string if the kind has only one
 */
const char *reason_text(const struct key *key)
{
	return strcmp(key->reason, "-") ? key->reason : "";
}

/* Values ---------------------------------------------------------------------------- */

/**
 * struct line - a line of a table
 * @row:	its row
 * @sum:	the sum of its section's rows
 * @nr_runs:	of how many runs it is the sum, 0 if there was only one
 */
struct line {
	const struct row	*row, *sum;
	size_t			nr_runs;
};

/**
 * struct column - a column of a table
 * @title:	its title
 * @width:	its width
 * @rank:	how important it is; 0 is never left out
 * @print:	makes its text; a sum's row is its own sum
 * @activity:	for print_part()
 */
struct column {
	const char	*title;
	unsigned int	width, rank;
	void		(*print)(char text[TIME_SIZE], const struct column *column,
				 const struct line *line);
	enum activity	activity;
};

static void print_percent(char text[TIME_SIZE], uint64_t part, uint64_t whole)
{
	snprintf(text, TIME_SIZE, "%.2f%%", whole ? 100.0 * part / whole : 0);
}

static void print_count(char text[TIME_SIZE], const struct column *column, const struct line *line)
{
	snprintf(text, TIME_SIZE, "%" PRIu64, line->row->count);
}

static void print_count_part(char text[TIME_SIZE], const struct column *column,
			     const struct line *line)
{
	if (line->row != line->sum)
		print_percent(text, line->row->count, line->sum->count);
}

static void print_time(char text[TIME_SIZE], const struct column *column, const struct line *line)
{
	format_time(text, "", line->row->total);
}

static void print_time_part(char text[TIME_SIZE], const struct column *column,
			    const struct line *line)
{
	if (line->row != line->sum)
		print_percent(text, line->row->total, line->sum->total);
}

static void print_min(char text[TIME_SIZE], const struct column *column, const struct line *line)
{
	if (line->row != line->sum)
		format_time(text, line->row->min_is_bound ? ">" : "", line->row->min);
}

static void print_max(char text[TIME_SIZE], const struct column *column, const struct line *line)
{
	if (line->row != line->sum)
		format_time(text, line->row->max_is_bound ? "<" : "", line->row->max);
}

static void print_average(char text[TIME_SIZE], const struct column *column,
			  const struct line *line)
{
	if (line->row != line->sum)
		format_time(text, "", line->row->total / line->row->count);
}

static void print_p50(char text[TIME_SIZE], const struct column *column, const struct line *line)
{
	if (line->row != line->sum)
		format_time(text, precision_sign(line->row), row_percentile(line->row, 50));
}

static void print_p99(char text[TIME_SIZE], const struct column *column, const struct line *line)
{
	if (line->row != line->sum)
		format_time(text, precision_sign(line->row), row_percentile(line->row, 99));
}

static void print_part(char text[TIME_SIZE], const struct column *column, const struct line *line)
{
	print_percent(text, line->row->part[column->activity], line->row->total);
}

/* A row of several runs shows their average, and how much they differ. */
static void print_mean_count(char text[TIME_SIZE], const struct column *column,
			     const struct line *line)
{
	snprintf(text, TIME_SIZE, "%.1f", (double)line->row->count / line->nr_runs);
}

static void print_mean_time(char text[TIME_SIZE], const struct column *column,
			    const struct line *line)
{
	format_time(text, "", line->row->total / line->nr_runs);
}

static void print_deviation(char text[TIME_SIZE], double deviation, double mean)
{
	if (isnan(deviation))
		strcpy(text, "-");
	else
		snprintf(text, TIME_SIZE, "%.2f%%", mean ? 100 * deviation / mean : 0);
}

static void print_count_deviation(char text[TIME_SIZE], const struct column *column,
				  const struct line *line)
{
	if (line->row->spread)
		print_deviation(text, line->row->spread->count,
				(double)line->row->count / line->nr_runs);
}

static void print_time_deviation(char text[TIME_SIZE], const struct column *column,
				 const struct line *line)
{
	if (line->row->spread)
		print_deviation(text, line->row->spread->total,
				(double)line->row->total / line->nr_runs);
}

static void print_average_deviation(char text[TIME_SIZE], const struct column *column,
				    const struct line *line)
{
	if (line->row->spread)
		print_deviation(text, line->row->spread->average,
				(double)line->row->total / line->row->count);
}

static const struct column time_columns[] = {
	{ "Samples",	9, 0, print_count },
	{ "Samples%",	8, 5, print_count_part },
	{ "Time",	9, 1, print_time },
	{ "Time%",	7, 3, print_time_part },
	{ "Min",	9, 7, print_min },
	{ "Max",	9, 4, print_max },
	{ "Avg",	9, 2, print_average },
	{ "p50",	9, 8, print_p50 },
	{ "p99",	9, 6, print_p99 },
	{ 0 }
};

static const struct column run_columns[] = {
	{ "Samples",	9, 0, print_mean_count },
	{ "+-",		8, 0, print_count_deviation },
	{ "Time",	9, 1, print_mean_time },
	{ "+-",		8, 1, print_time_deviation },
	{ "Time%",	7, 4, print_time_part },
	{ "Avg",	9, 0, print_average },
	{ "+-",		8, 0, print_average_deviation },
	{ "Max",	9, 2, print_max },
	{ "p99",	9, 3, print_p99 },
	{ 0 }
};

static const struct column part_columns[] = {
	{ "Samples",	9, 5, print_count },
	{ "Time",	9, 3, print_time },
	{ "EL2",	9, 2, print_part, ACTIVITY_EL2 },
	{ "firmware",	9, 6, print_part, ACTIVITY_FIRMWARE },
	{ "kvm",	9, 0, print_part, ACTIVITY_KVM },
	{ "vmm",	9, 0, print_part, ACTIVITY_VMM },
	{ "preempted",	9, 1, print_part, ACTIVITY_PREEMPTED },
	{ "blocked",	9, 4, print_part, ACTIVITY_BLOCKED },
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
	const struct column *column;

	fprintf(file, "\n%-*s", what_width(layout->by), title);
	if (layout->by & BY_VM)
		fprintf(file, " %5s %7s %-16s", "VM", "PID", "Name");
	if (layout->by & BY_VCPU)
		fprintf(file, " %4s", "vCPU");
	if (layout->by & BY_THREAD)
		fprintf(file, " %-22s", "Thread");
	for (column = layout->columns; column->title; column++)
		if (column->rank <= layout->max_rank)
			fprintf(file, " %*s", column->width, column->title);
	fprintf(file, "\n");
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

static void print_values(FILE *file, const struct layout *layout, const struct line *line)
{
	const struct column *column;
	unsigned int width = 0;
	char text[TIME_SIZE];

	for (column = layout->columns; column->title; column++) {
		if (column->rank > layout->max_rank)
			continue;
		text[0] = '\0';
		column->print(text, column, line);
		width += 1 + column->width;
		if (!*text)
			continue;
		fprintf(file, "%*s", width, text);
		width = 0;
	}
	fprintf(file, "\n");
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
	print_values(file, layout, line);
}

/* How important must a column be for the table to be no wider than this? */
static unsigned int max_rank(const struct layout *layout, unsigned int width)
{
	const struct column *column;
	unsigned int rank, needed;

	for (rank = 8; rank; rank--) {
		needed = what_width(layout->by) + (layout->by & BY_VM ? 31 : 0) +
			 (layout->by & BY_VCPU ? 5 : 0) + (layout->by & BY_THREAD ? 23 : 0);
		for (column = layout->columns; column->title; column++)
			needed += column->rank <= rank ? column->width + 1 : 0;
		if (needed <= width)
			break;
	}
	return rank;
}

/* Sections -------------------------------------------------------------------------- */

/* The parts of a table. The times of a part's rows add up to a whole. */
enum section {
	SECTION_GUEST,
	SECTION_EXIT,
	SECTION_HOST,
	NR_SECTIONS
};

static const char * const titles[NR_SECTIONS] = {
	[SECTION_GUEST]	= "Guests",
	[SECTION_EXIT]	= "Exits of guests",
	[SECTION_HOST]	= "EL2, for the host",
};

static enum section section_of(enum kind kind)
{
	if (kind == KIND_GUEST)
		return SECTION_GUEST;
	return is_vcpus(kind) ? SECTION_EXIT : SECTION_HOST;
}

static void print_section(FILE *file, const struct layout *layout, const struct table *table,
			  enum section section)
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
	print_values(file, layout, &line);
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
	struct layout layout = { .by = by, .vms = vms, .columns = time_columns };
	enum section section;

	if (table->nr_runs)
		layout.columns = run_columns;
	layout.max_rank = max_rank(&layout, width ?: UINT_MAX);
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
	struct layout layout = { .by = by, .vms = vms, .columns = part_columns };
	struct line line = { 0 };
	bool has_titles = false;
	size_t i;

	layout.max_rank = max_rank(&layout, width ?: UINT_MAX);
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
