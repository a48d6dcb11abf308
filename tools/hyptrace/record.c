// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace record: events of host and hypervisor on one timeline, in one trace.dat. A process of
 * its own records (recorder.c), while this one waits for the user's command or Ctrl-C.
 */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "choice.h"
#include "color.h"
#include "command.h"
#include "hold.h"
#include "hyp.h"
#include "measure.h"
#include "numbers.h"
#include "recorder.h"
#include "subcommands.h"

/*
 * The host's events by default: what report and wakeup need to know of vCPUs' threads, and when a
 * VMM handles an exit.
 */
#define HOST_EVENTS	\
	"sched:sched_switch,sched:sched_waking,kvm:kvm_entry,kvm:kvm_userspace_exit"

struct arguments {
	struct measurement	measurement;
	struct choice		*choice;
	struct recorder		recorder;
};

enum {
	OPTION_GRAPH = 0x3000,
	OPTION_MAX_SIZE,
	OPTION_VM,
	OPTION_FORCE,
	OPTION_ALLOW_LOST,
};

static const struct argp_option options[] = {
	{ "event", 'e', "EVENTS|@FILE", 0,
	  "The hypervisor's events: names or patterns with commas, '-' takes away; FILE has one "
	  "a line", 0 },
	{ "graph", OPTION_GRAPH, "FUNCTIONS", OPTION_ARG_OPTIONAL,
	  "Calls of the hypervisor's functions, or what FUNCTIONS call", 0 },
	{ "buffer-size", 'b', "KB", 0, "Size of each CPU's buffers [KiB]; default: 4096", 0 },
	{ "host", 'H', "LIST", 0, "The host's systems or events, with commas, or none", 0 },
	{ "output", 'o', "FILE", 0, "Record into FILE, or - , instead of trace.dat", 0 },
	{ "max-size", OPTION_MAX_SIZE, "MB", 0, "End when the recording has this size [MiB]", 0 },
	{ "vm", OPTION_VM, "VM", 0, "Only the VM with this number", 0 },
	{ "pid", 'p', "PID", 0, "Only this process or thread", 0 },
	{ "force", OPTION_FORCE, NULL, 0, "Take hyp/ although it is in use", 0 },
	{ "allow-lost", OPTION_ALLOW_LOST, NULL, 0,
	  "End well even if the recording is incomplete", 0 },
	{ 0 }
};

static void add_choice(struct arguments *arguments, const char *events)
{
	if (!arguments->choice)
		arguments->choice = choice_new();
	choice_add(arguments->choice, events);
	arguments->recorder.choice = arguments->choice;
}

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct recorder *recorder = &arguments->recorder;

	switch (option) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->measurement;
		return 0;
	case 'e':
		add_choice(arguments, argument);
		return 0;
	case OPTION_GRAPH:
		recorder->graph = argument ?: "";
		return 0;
	case 'b':
		recorder->buffer_kb = positive_option(state, "-b", argument);
		return 0;
	case 'H':
		recorder->host = strcmp(argument, "none") ? argument : NULL;
		return 0;
	case 'o':
		recorder->output = argument;
		return 0;
	case OPTION_MAX_SIZE:
		recorder->max_size = positive_option(state, "--max-size", argument) << 20;
		return 0;
	case OPTION_VM:
		recorder->vm = positive_option(state, "--vm", argument);
		return 0;
	case 'p':
		recorder->pid = positive_option(state, "-p", argument);
		return 0;
	case OPTION_FORCE:
		recorder->force = true;
		return 0;
	case OPTION_ALLOW_LOST:
		recorder->allow_lost = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (recorder->vm && recorder->pid)
			argp_error(state, "either --vm or -p");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int cmd_record(int argc, char **argv)
{
	static const struct argp_child children[] = { { &measure_argp }, { &color_argp }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[COMMAND...]",
		.doc = "Record events of host and hypervisor into a trace.dat: while COMMAND "
		       "runs, for SECONDS, or until Ctrl-C.\v"
		       "'hyptrace report' and 'trace-cmd report' show it, and KernelShark.",
		.children = children,
	};
	struct arguments arguments = {
		.recorder = {
			.host = HOST_EVENTS, .output = "trace.dat", .buffer_kb = BUFFER_KB,
			.max_size = UINT64_MAX,
		},
	};
	struct measurement *m = &arguments.measurement;
	struct child child;

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments);
	arguments.recorder.command = m->argv;
	hyp_open();
	catch_interrupts();
	child = child_start(record, &arguments.recorder);
	/* The command's output must not get into the recording. */
	if (!strcmp(arguments.recorder.output, "-"))
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (child.pid && !m->argv && !m->seconds && !interrupted)
		fprintf(stderr, "recording until Ctrl-C\n");
	child_run(&child, m);
	return m->status;
}
