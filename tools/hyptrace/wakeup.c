// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace wakeup: from the waking of a vCPU's thread until the guest runs.
 */

#include <err.h>
#include <inttypes.h>
#include <stdio.h>

#include "color.h"
#include "print.h"
#include "recording.h"
#include "subcommands.h"

struct arguments {
	struct selection	selection;
	struct input		input;
};

static const struct argp_option options[] = {
	{ "input", 'i', "FILE", 0,
	  "Read FILE instead of trace.dat", 0 },
	{ 0 }
};

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (option) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->selection;
		return 0;
	case 'i':
		arguments->input.path = argument;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void print_wakeups(const struct vcpu *v)
{
	char text[5][TIME_SIZE], slowest[SECONDS_SIZE], name[32];
	const struct row *row = &v->wakeup;

	snprintf(name, sizeof(name), "%s-%d", v->comm, v->tid);
	printf("%5u %5u %-24s %9" PRIu64 " %9s %9s %9s %9s %9s %16s\n",
	       v->vm, v->index, name, row->count, format_time(text[0], "", row->min),
	       format_time(text[1], "", row->total / row->count),
	       format_time(text[2], precision_sign(row), row_percentile(row, 50)),
	       format_time(text[3], precision_sign(row), row_percentile(row, 99)),
	       format_time(text[4], "", row->max), format_seconds(slowest, v->slowest, 6));
}

int cmd_wakeup(int argc, char **argv)
{
	static const struct argp_child children[] = { { &select_argp }, { &color_argp }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Show how long each vCPU takes from the waking of its thread until the guest "
		       "runs, from a recording with sched_waking.\v"
		       "The time at which the longest wait ended is the recording's, in seconds. An "
		       "interrupt for a vCPU that runs wakes nobody, and is not shown.",
		.children = children,
	};
	struct arguments arguments = { .selection = SELECT_ALL, .input.path = "trace.dat" };
	struct recording *recording;
	const struct vcpu *v;
	size_t shown = 0, i;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	read_in_child(&arguments.input, 1, NULL);
	recording = recording_open(&arguments.input, &(struct reading) { .by = BY_WHAT });
	if (!recording->has_waking || !recording->has_sched)
		errx(1, "%s: has no sched_waking and sched_switch: record with hyptrace record -H sched",
		     arguments.input.path);
	selection_check(recording->table, &arguments.selection);
	for (i = 0; i < recording->nr_vcpus; i++) {
		v = recording->vcpu[i];
		if (!v->wakeup.count || !is_selected_vcpu(recording, v, &arguments.selection))
			continue;
		if (!shown++)
			printf("%5s %5s %-24s %9s %9s %9s %9s %9s %9s %16s\n", "VM", "vCPU", "Thread",
			       "Wake-ups", "Min", "Avg", "p50", "p99", "Max", "which ended at");
		print_wakeups(v);
	}
	if (!shown)
		printf("No vCPU that was asked for has been woken.\n");
	recording_free(recording);
	return 0;
}
