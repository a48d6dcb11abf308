// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace record: events of host and hypervisor on one timeline, in one trace.dat. A process of
 * its own records (recorder.c), while this one, the front, waits for the user's command or Ctrl-C.
 * The recorder ends when the front closes a pipe, even by being killed.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "choice.h"
#include "command.h"
#include "hyp.h"
#include "instances.h"
#include "measure.h"
#include "recorder.h"
#include "select.h"
#include "settings.h"
#include "subcommands.h"

/*
 * The host's events by default: what report and wakeup need to know of vCPUs' threads, and when a
 * VMM handles an exit.
 */
#define HOST_EVENTS	\
	"sched:sched_switch,sched:sched_waking,kvm:kvm_entry,kvm:kvm_userspace_exit"

/* Of each buffer, by default [KiB for each CPU] */
#define BUFFER_KB	4096

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

/* A number that is more than 0. */
static long positive_option(struct argp_state *state, const char *option, const char *text)
{
	const long number = number_option(state, option, text);

	if (!number)
		argp_error(state, "%s %s: must be more than 0", option, text);
	return number;
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

/* The process that records ---------------------------------------------------------- */

/**
 * struct child - the process that records
 * @pid:	the process, 0 if it has ended
 * @end:	it ends when this is closed
 * @told:	it writes a byte when it records, and another one when it has given all back
 * @status:	its exit status, if it has ended
 * @before:	what was set in hyp/ before
 */
struct child {
	pid_t		pid;
	int		end, told, status;
	struct settings	*before;
};

/* Nothing but the end of the front may end it: what it has taken must be given back. */
static _Noreturn void be_child(const struct recorder *recorder, int front, int until)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ };
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_IGN);
	prctl(PR_SET_NAME, "hyptrace-rec");
	exit(record(recorder, front, until));
}

/* Has the child told something? To be called until it has told all, or has ended. */
static bool child_tells(const struct child *child)
{
	ssize_t size;
	char nothing;

	do {
		size = read(child->told, &nothing, 1);
	} while (size < 0 && errno == EINTR);
	return size == 1;
}

/* It was killed. What it had not given back by then, is given back here. */
static _Noreturn void clean_up(const struct child *child)
{
	if (!child_tells(child)) {
		hyp_lock();
		settings_restore(child->before);
		instances_remove_dead();
	}
	errx(1, "the process that records was killed: there is no recording");
}

static void child_wait(struct child *child)
{
	child->status = command_wait(child->pid);
	child->pid = 0;
	if (child->status > 128)
		clean_up(child);
}

/* Start it, and wait until it records. If it can't, it has said why. */
static struct child child_start(const struct recorder *recorder)
{
	struct child child = { .before = settings_read() };
	int told[2], end[2];

	if (pipe2(told, O_CLOEXEC) || pipe2(end, O_CLOEXEC))
		err(1, "pipe");
	child.end = end[1];
	child.told = told[0];
	child.pid = xfork();
	if (!child.pid) {
		close(told[0]);
		close(end[1]);
		be_child(recorder, told[1], end[0]);
	}
	close(told[1]);
	close(end[0]);
	if (!child_tells(&child))
		child_wait(&child);
	return child;
}

static void child_end(struct child *child)
{
	close(child->end);
	if (child->pid)
		child_wait(child);
}

/* All ------------------------------------------------------------------------------- */

/* Wait for some time; true if the recording should end. */
static bool wait_a_second(pid_t command, double end)
{
	if (command) {
		if (command_ends(command, 1))
			return true;
		command_forward(command);
		return false;
	}
	wait_seconds(end - now_seconds() < 1 ? end - now_seconds() : 1);
	return interrupted || now_seconds() >= end;
}

/* Wait for the command, for some seconds, or for Ctrl-C. A command goes on if nothing records. */
static void wait_for_end(struct measurement *m, struct child *child)
{
	const double end = now_seconds() + (m->seconds ?: 1e9);
	pid_t command = m->argv ? command_start(m->argv) : 0;

	if (!command && !m->seconds)
		fprintf(stderr, "recording until Ctrl-C\n");
	do {
		if (child->pid && command_ends(child->pid, 0))
			child_wait(child);
	} while ((child->pid || command) && !wait_a_second(command, end));
	if (command)
		m->status = command_wait(command);
}

int cmd_record(int argc, char **argv)
{
	static const struct argp_child children[] = { { &measure_argp }, { 0 } };
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
	hyp_open();
	catch_interrupts();
	child = child_start(&arguments.recorder);
	/* The command's output must not get into the recording. */
	if (!strcmp(arguments.recorder.output, "-"))
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (child.pid && interrupted)
		m->status = 128 + interrupted;
	else if (child.pid)
		wait_for_end(m, &child);
	child_end(&child);
	return m->status ?: child.status;
}
