// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace report: the tables of hyptrace stat from recorded events, what vCPUs did, and the memory
 * of VMs.
 */

#include <inttypes.h>
#include <stdio.h>

#include "around.h"
#include "color.h"
#include "numbers.h"
#include "print.h"
#include "recording.h"
#include "slowest.h"
#include "source.h"
#include "subcommands.h"
#include "svg.h"
#include "timeline.h"

/* What is shown: the tables, or intervals or events one by one. */
enum show {
	SHOW_TABLES,
	SHOW_INTERVALS,
	SHOW_SLOWEST,
	SHOW_AROUND,
};

struct arguments {
	struct selection	selection;
	struct source		source;
	struct style		style;
	struct output		timeline;
	struct reading		reading;
	struct search		search;
	struct around		around;
	enum show		show;
};

enum {
	OPTION_TIMELINE = 0x3000,
	OPTION_INTERVALS,
	OPTION_SLOWEST,
	OPTION_OVER,
	OPTION_AROUND,
	OPTION_MAP,
	OPTION_EXACT,
};

static const struct argp_option options[] = {
	{ "exact", OPTION_EXACT, NULL, 0, "Keep all times, for percentiles without ~", 0 },
	{ "timeline", OPTION_TIMELINE, "FILE.svg", 0, "Draw what each vCPU did when", 0 },
	{ "intervals", OPTION_INTERVALS, NULL, 0, "Print each interval, as CSV or JSON", 0 },
	{ "slowest", OPTION_SLOWEST, "N", 0, "Print the N slowest intervals", 0 },
	{ "over", OPTION_OVER, "TIME", 0, "Print those that take longer, as 1ms", 0 },
	{ "around", OPTION_AROUND, "S[,N|,TIME]", 0, "Print the events around S seconds", 0 },
	{ "map", OPTION_MAP, "FILE", 0, "Names of devices: the guest's /proc/iomem", 0 },
	{ 0 }
};

/* Each of these shows something else. */
static void show_only(struct argp_state *state, struct arguments *arguments, enum show show)
{
	if (arguments->show != SHOW_TABLES && arguments->show != show)
		argp_error(state, "only one of --intervals, --slowest (--over) and --around");
	arguments->show = show;
}

static void check_tables(struct argp_state *state, const struct arguments *arguments)
{
	const char *problem = style_problem(&arguments->style, arguments->selection.by, true);

	if (problem)
		argp_error(state, "%s", problem);
	if (arguments->selection.reason)
		argp_error(state, "KIND/REASON is for --intervals, --slowest and --over");
}

static void check_others(struct argp_state *state, const struct arguments *arguments)
{
	const struct selection *selection = &arguments->selection;
	const struct source *source = &arguments->source;

	if (source->is_live)
		argp_error(state, "--live reads events once: record them, then use -i");
	if (arguments->style.format == FORMAT_PROMETHEUS)
		argp_error(state, "--prometheus has no intervals");
	if (arguments->style.has_origin)
		argp_error(state, "--origin is for the tables");
	if (arguments->timeline.path || selection->by || selection->key)
		argp_error(state, "--timeline, --by and -k are for the tables");
	if (arguments->show == SHOW_AROUND &&
	    (arguments->style.format != FORMAT_TEXT || source->has_window || selection->kinds ||
	     selection->vm >= 0 || selection->vcpu >= 0 || selection->pid))
		argp_error(state, "--around shows all events of a time, as text: leave out the rest");
}

static void check(struct argp_state *state, struct arguments *arguments)
{
	const struct source *source = &arguments->source;
	struct reading *reading = &arguments->reading;

	if (arguments->show == SHOW_TABLES)
		check_tables(state, arguments);
	else
		check_others(state, arguments);
	reading->has_window = source->has_window;
	reading->from = source->from;
	reading->to = source->to;
	arguments->search.selection = &arguments->selection;
	if (arguments->timeline.path) {
		reading->span = timeline_add;
		reading->data = timeline_new(reading);
	}
	reading->by = arguments->show == SHOW_TABLES ?
		      rows_by(&arguments->style, &arguments->selection) : BY_WHAT;
}

/* What is shown in place of the tables. */
static error_t parse_show(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (option) {
	case OPTION_INTERVALS:
		show_only(state, arguments, SHOW_INTERVALS);
		return 0;
	case OPTION_SLOWEST:
		show_only(state, arguments, SHOW_SLOWEST);
		arguments->search.nr = positive_option(state, "--slowest", argument);
		return 0;
	case OPTION_OVER:
		show_only(state, arguments, SHOW_SLOWEST);
		arguments->search.over = duration_option(state, "--over", argument);
		return 0;
	case OPTION_AROUND:
		show_only(state, arguments, SHOW_AROUND);
		around_option(state, &arguments->around, argument);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (option) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->selection;
		state->child_inputs[1] = &arguments->selection;
		state->child_inputs[2] = &arguments->selection;
		state->child_inputs[3] = &arguments->style;
		state->child_inputs[4] = &arguments->selection.by;
		state->child_inputs[5] = &arguments->style;
		state->child_inputs[6] = &arguments->source;
		return 0;
	case OPTION_TIMELINE:
		svg_option(state, "--timeline", argument);
		arguments->timeline.path = argument;
		return 0;
	case OPTION_EXACT:
		rows_keep_all();
		return 0;
	case OPTION_MAP:
		arguments->source.map.path = argument;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num)
			return ARGP_ERR_UNKNOWN;
		select_what(state, &arguments->selection, argument);
		return 0;
	case ARGP_KEY_END:
		check(state, arguments);
		return 0;
	}
	return parse_show(option, argument, state);
}

/* vCPUs ----------------------------------------------------------------------------- */

static void print_vcpu(const struct vcpu *v)
{
	const uint64_t wall = v->last - v->first;
	char name[32], time[TIME_SIZE];
	enum activity activity;

	snprintf(name, sizeof(name), "%s-%d", v->comm, v->tid);
	printf("%5u %5u %-24s %9s", v->vm, v->index, name, format_time(time, "", wall));
	for (activity = 0; activity < NR_ACTIVITIES; activity++)
		printf(" %9.2f%%", wall ? 100.0 * v->time[activity] / wall : 0);
	printf("\n");
}

/* The parts of a vCPU's time, from its first entry to its last exit. */
static void print_vcpus(const struct recording *recording, const struct selection *selection)
{
	bool has_header = false;
	enum activity activity;
	size_t i;

	for (i = 0; i < recording->nr_vcpus; i++) {
		if (!is_selected_vcpu(recording, recording->vcpu[i], selection))
			continue;
		if (!has_header) {
			printf("\n%5s %5s %-24s %9s", "VM", "vCPU", "Thread", "Time");
			for (activity = 0; activity < NR_ACTIVITIES; activity++)
				printf(" %10s", activity_names[activity]);
			printf("\n");
		}
		has_header = true;
		print_vcpu(recording->vcpu[i]);
	}
	if (has_header && !recording->has_sched)
		printf("Without sched_switch, kvm includes the time when the thread did not run.\n");
	if (has_header && !recording->has_kvm)
		printf("Without kvm_entry and kvm_userspace_exit, kvm includes the VMM's time.\n");
}

/* Memory of VMs --------------------------------------------------------------------- */

static const char *format_bytes(char text[TIME_SIZE], uint64_t bytes)
{
	static const char * const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double size = bytes / 1024.0;
	unsigned int unit = 0;

	for (; size >= 1024 && unit < 3; unit++)
		size /= 1024;
	snprintf(text, TIME_SIZE, "%.*f %s", unit ? 1 : 0, size, units[unit]);
	return text;
}

static void print_mapped(const struct recording *recording, const struct selection *selection)
{
	const struct memory *memory = &recording->memory;
	const struct vm_memory *vm;
	char most[TIME_SIZE], end[TIME_SIZE];
	bool has_header = false;

	for (vm = memory->vm; vm < memory->vm + memory->nr_vms; vm++) {
		if (!is_vm_selected(table_find_vm(recording->table, vm->vm), selection))
			continue;
		if (!has_header)
			printf("\n%5s %12s %9s %9s %12s %9s %9s %9s\n", "VM", "Mapped", "in blocks",
			       "in pages", "At the end", "Shared", "Unshared", "Faults");
		has_header = true;
		printf("%5u %12s %9" PRIu64 " %9" PRIu64 " %12s %9" PRIu64 " %9" PRIu64 " %9" PRIu64
		       "\n", vm->vm, format_bytes(most, vm->most.bytes), vm->most.blocks,
		       vm->most.pages, format_bytes(end, vm->now.bytes), vm->shares, vm->unshares,
		       vm->faults);
	}
}

static void print_splits(const struct recording *recording, const struct selection *selection)
{
	const struct memory *memory = &recording->memory;
	const struct split *split;
	bool has_header = false;
	char name[32];

	for (split = memory->split; split < memory->split + memory->nr_splits; split++) {
		if (!is_vm_selected(table_find_vm(recording->table, split->vm), selection))
			continue;
		if (!has_header)
			printf("\n%5s %12s %9s %-24s %s\n", "VM", "Split blocks", "to pages",
			       "Taken back by", "Cause");
		has_header = true;
		snprintf(name, sizeof(name), "%s-%d", split->comm, split->tid);
		printf("%5u %12" PRIu64 " %9" PRIu64 " %-24s %s\n", split->vm, split->blocks,
		       split->pages, name, split_cause_names[split->cause]);
	}
}

/* All ------------------------------------------------------------------------------- */

static void print_tables(struct arguments *arguments, const struct recording *recording)
{
	print_table(stdout, &arguments->style, recording->table, &arguments->selection, recording);
	/* The rest is of all of the recording. */
	if (arguments->style.format == FORMAT_TEXT && !recording->is_part) {
		print_vcpus(recording, &arguments->selection);
		print_mapped(recording, &arguments->selection);
		print_splits(recording, &arguments->selection);
	}
	if (arguments->timeline.path)
		timeline_draw(arguments->reading.data, recording, &arguments->selection,
			      &arguments->timeline);
}

static void show(struct arguments *arguments, const struct recording *recording)
{
	/* Intervals have threads of their own, also those that no vCPU has. */
	if (!arguments->selection.pid || arguments->show == SHOW_TABLES)
		selection_check(recording->table, &arguments->selection);
	if (arguments->show == SHOW_INTERVALS)
		intervals_print(&arguments->source.input, &arguments->reading, recording,
				&arguments->search, &arguments->style);
	else if (arguments->show == SHOW_SLOWEST)
		slowest_print(&arguments->source.input, &arguments->reading, recording,
			      &arguments->search, &arguments->style);
	else
		print_tables(arguments, recording);
}

int cmd_report(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &select_argp }, { &kind_argp }, { &sort_argp }, { &format_argp },
		{ &group_argp }, { &prometheus_argp }, { &source_argp }, { &color_argp }, { 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[KIND[/REASON]]",
		.doc = "Show from recorded events what the hypervisor and vCPUs did, and how long.",
		.children = children,
	};
	struct arguments arguments = { .selection = SELECT_ALL };
	struct recording *recording;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	source_open(&arguments.source, &arguments.timeline);
	if (arguments.source.map.path)
		arguments.reading.map = map_read(&arguments.source.map);
	if (arguments.show == SHOW_AROUND) {
		around_print(&arguments.source.input, &arguments.around);
		return 0;
	}
	recording = source_read(&arguments.source, &arguments.reading);
	show(&arguments, recording);
	recording_free(recording);
	map_free(arguments.reading.map);
	return 0;
}
