// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where recorded events are taken from: a file, or the hypervisor's buffers.
 */

#include "numbers.h"
#include "source.h"

enum {
	OPTION_LIVE = 0x7000,
	OPTION_FROM,
	OPTION_TO,
};

static const struct argp_option options[] = {
	{ "input", 'i', "FILE", 0, "Read FILE instead of trace.dat", 0 },
	{ "live", OPTION_LIVE, NULL, 0, "Take the events that hyp/ holds now", 0 },
	{ "from", OPTION_FROM, "S", 0, "Only what is from S, or until S seconds", 0 },
	{ "to", OPTION_TO, "S", OPTION_ALIAS },
	{ 0 }
};

static void check(struct argp_state *state, const struct source *source)
{
	if (source->is_live && source->input.path)
		argp_error(state, "either -i or --live");
	if (source->from > source->to)
		argp_error(state, "--from is behind --to");
}

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct source *source = state->input;

	switch (option) {
	case ARGP_KEY_INIT:
		source->to = UINT64_MAX;
		return 0;
	case 'i':
		source->input.path = argument;
		return 0;
	case OPTION_LIVE:
		source->is_live = true;
		return 0;
	case OPTION_FROM:
		source->has_window = true;
		source->from = time_option(state, "--from", argument);
		return 0;
	case OPTION_TO:
		source->has_window = true;
		source->to = time_option(state, "--to", argument);
		return 0;
	case ARGP_KEY_END:
		check(state, source);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp source_argp = { .options = options, .parser = parse };

/**
 * source_open() - get ready to read
 * @source:	where events are taken from
 * @output:	the file that is written; it is opened before
 *
 * Files are read by a child of this process, see read_in_child(): only the child returns. If one
 * or @output can't be opened, the program ends with the reason.
 */
void source_open(struct source *source, struct output *output)
{
	struct input files[2];

	if (source->is_live) {
		if (source->map.path)
			input_open(&source->map);
		output_open(output);
		return;
	}
	source->input.path = source->input.path ?: "trace.dat";
	files[0] = source->input;
	files[1] = source->map;
	read_in_child(files, source->map.path ? 2 : 1, output);
	source->input = files[0];
	source->map = files[1];
}

/**
 * source_read() - read all
 * @source:	where events are taken from, after source_open()
 * @reading:	what is wanted of them
 *
 * If they can't be read, the program ends with the reason.
 *
 * Return: the recording, for recording_free()
 */
struct recording *source_read(const struct source *source, const struct reading *reading)
{
	return source->is_live ? recording_live(reading) : recording_open(&source->input, reading);
}
