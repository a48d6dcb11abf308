// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace log: the hypervisor's events as they come, a line each, for pipes.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "child.h"
#include "choice.h"
#include "color.h"
#include "command.h"
#include "hold.h"
#include "hyp.h"
#include "instances.h"
#include "numbers.h"
#include "subcommands.h"
#include "text.h"

/**
 * struct arguments - what is to be printed
 * @measurement: how long
 * @choice:	the events, NULL for all
 * @buffer_kb:	size of each CPU's buffer [KiB]
 * @force:	take hyp/ even if it is in use
 */
struct arguments {
	struct measurement	measurement;
	struct choice		*choice;
	long			buffer_kb;
	bool			force;
};

static const struct argp_option options[] = {
	{ "event", 'e', "EVENTS|@FILE", 0,
	  "Events: names or patterns with commas, '-' takes away; FILE has one a line", 0 },
	{ "buffer-size", 'b', "KB", 0, "Size of each CPU's buffer [KiB]; default: 4096", 0 },
	{ "force", 'f', NULL, 0, "Take hyp/ although it is in use", 0 },
	{ 0 }
};

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (option) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->measurement;
		return 0;
	case 'e':
		arguments->choice = arguments->choice ?: choice_new();
		choice_add(arguments->choice, argument);
		return 0;
	case 'b':
		arguments->buffer_kb = positive_option(state, "-b", argument);
		return 0;
	case 'f':
		arguments->force = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* The process that prints ----------------------------------------------------------- */

/* Where events come from, -1 before that */
static int pipe_of_events = -1;

/* A tracer can't be set again while a buffer can be read. */
static void give_back(void)
{
	if (hyp_is_taken())
		tracefs_trace_off(hyp_open());
	if (pipe_of_events >= 0)
		close(pipe_of_events);
	pipe_of_events = -1;
	hyp_give_back();
}

/* Events are enabled while tracing is off, so that entries and exits alternate. */
static void set_up(const struct arguments *arguments)
{
	struct list events = choice_to_list(arguments->choice);

	instance_set_size(hyp_open(), arguments->buffer_kb);
	hyp_allocate(arguments->buffer_kb);
	tracefs_trace_off(hyp_open());
	instance_set(hyp_open(), "trace", "");
	/* A reader waits for any event, not until buffers are half full. */
	instance_set(hyp_open(), "buffer_percent", "0");
	instance_add(hyp_open(), "set_event", &events);
	list_free(&events);
	pipe_of_events = tracefs_instance_file_open(hyp_open(), "trace_pipe",
						    O_RDONLY | O_NONBLOCK);
	if (pipe_of_events < 0)
		err(1, HYP_INSTANCE "/trace_pipe");
}

/* Nobody reads any longer, which is no error to tell of. */
static _Noreturn void end_quietly(void)
{
	exit(1);
}

/* Wait until more can be printed. After the end, a reader has a second to take some. */
static bool can_print(int until)
{
	struct pollfd files[] = {
		{ .fd = STDOUT_FILENO, .events = POLLOUT },
		{ .fd = until, .events = POLLIN },
	};

	while (poll(files, 2, -1) < 0)
		;
	return files[0].revents || poll(files, 1, 1000) > 0;
}

/* False if a reader takes no more after the end. A pipe takes PIPE_BUF without blocking. */
static bool print(const char *text, ssize_t size, int until)
{
	ssize_t printed;

	for (; size; text += printed, size -= printed) {
		if (!can_print(until))
			return false;
		printed = write(STDOUT_FILENO, text, size < PIPE_BUF ? size : PIPE_BUF);
		if (printed < 0 && errno == EPIPE)
			end_quietly();
		if (printed < 0)
			err(1, "can't print all");
	}
	return true;
}

/* Print some whole lines. False if there are none, or nobody takes them. */
static bool print_some(int until)
{
	char text[1 << 12];
	const ssize_t size = read(pipe_of_events, text, sizeof(text));

	if (size < 0 && errno != EAGAIN && errno != EINTR)
		err(1, HYP_INSTANCE "/trace_pipe");
	if (size <= 0)
		return false;
	make_lines_printable(text, size);
	return print(text, size, until);
}

static void print_until(int until)
{
	struct pollfd files[] = {
		{ .fd = pipe_of_events, .events = POLLIN },
		{ .fd = until, .events = POLLIN },
		/* Without events, the end of the output would not be seen. */
		{ .fd = STDOUT_FILENO },
	};

	while (poll(files, 3, -1) < 0 || !files[1].revents) {
		if (files[2].revents & (POLLERR | POLLHUP))
			end_quietly();
		print_some(until);
	}
}

/* Print what is left. False if nobody takes it. */
static bool print_rest(int until)
{
	struct pollfd left = { .fd = pipe_of_events, .events = POLLIN };

	while (poll(&left, 1, 0) > 0)
		if (!print_some(until))
			return false;
	return true;
}

static int log_events(const void *data, int front, int until)
{
	const struct arguments *arguments = data;
	uint64_t lost;
	bool is_all;

	atexit(give_back);
	hyp_take(arguments->force);
	set_up(arguments);
	tracefs_trace_on(hyp_open());
	child_tell(front);
	print_until(until);
	tracefs_trace_off(hyp_open());
	is_all = print_rest(until);
	lost = buffer_stats(hyp_open()).lost;
	give_back();
	child_tell(front);
	if (lost)
		warn_missing("%" PRIu64 " events were lost: choose fewer with -e, or larger buffers with -b",
			     lost);
	if (!is_all)
		warn_missing("the last events are not printed: the output takes no more");
	return lost || !is_all ? 3 : 0;
}

/* All ------------------------------------------------------------------------------- */

int cmd_log(int argc, char **argv)
{
	static const struct argp_child children[] = { { &measure_argp }, { &color_argp }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[COMMAND...]",
		.doc = "Print the hypervisor's events as they come: while COMMAND runs, for "
		       "SECONDS, or until Ctrl-C.",
		.children = children,
	};
	struct arguments arguments = { .buffer_kb = BUFFER_KB };
	struct child child;

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments);
	hyp_open();
	catch_interrupts();
	child = child_start(log_events, &arguments);
	child_run(&child, &arguments.measurement);
	return arguments.measurement.status;
}
