// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures with the hypervisor's totals.
 */

#include <err.h>
#include <stdlib.h>

#include "command.h"
#include "hyp.h"
#include "measure.h"
#include "print.h"
#include "totals.h"

static const struct argp_option options[] = {
	{ "duration", 'd', "SECONDS", 0,
	  "Without a command: for so long, until Ctrl-C at the latest", 0 },
	{ 0 }
};

/**
 * seconds_option() - the time that is an option's argument, or the end of the program
 * @state:	the parser's state
 * @option:	the option's name
 * @text:	the argument
 *
 * Return: the time [s], more than 0
 */
double seconds_option(struct argp_state *state, const char *option, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0) || seconds > 1e9)
		argp_error(state, "%s %s: must be a number of seconds, more than 0", option, text);
	return seconds;
}

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct measurement *measurement = state->input;

	switch (option) {
	case 'd':
		measurement->seconds = seconds_option(state, "-d", argument);
		return 0;
	case ARGP_KEY_ARG:
		/* The command, whose options are its own. */
		measurement->argv = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (measurement->argv && measurement->seconds)
			argp_error(state, "either -d or a command");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp measure_argp = { .options = options, .parser = parse };

/*
 * If others have turned totals on before, they stay on. Nobody can know if they are still wanted;
 * they are not after a program that was killed together with its keeper.
 */
static struct table *measure_difference(struct measurement *measurement)
{
	struct table *before, *after, *table;
	double seconds;

	catch_interrupts();
	if (totals_are_on())
		warnx("totals are on already, and stay on: echo 0 > %s/totals/enable turns them off",
		      hyp_dir());
	totals_start();
	before = totals_read();
	seconds = now_seconds();
	if (measurement->argv)
		measurement->status = command_run(measurement->argv);
	else
		wait_seconds(measurement->seconds);
	after = totals_read();
	seconds = now_seconds() - seconds;
	if (!totals_are_on())
		warnx("somebody has turned totals off meanwhile: what came after that is missing");
	table = table_difference(after, before);
	if (!table)
		errx(1, "the totals have been reset meanwhile: try again");
	table->seconds = seconds;
	warn_of_lost(table, HYP_INSTANCE "/totals");
	table_free(after);
	table_free(before);
	return table;
}

/**
 * measure() - measure what the user wants
 * @measurement: what to measure; gets the command's exit status
 *
 * If it can't be measured, the program ends with the reason.
 *
 * Return: the table
 */
struct table *measure(struct measurement *measurement)
{
	struct table *table;

	if (measurement->argv || measurement->seconds)
		return measure_difference(measurement);
	table = totals_read();
	if (totals_are_on())
		return table;
	if (!table->nr)
		errx(1, "the hypervisor keeps no totals: say what to measure (a command, or -d SECONDS), or let it keep them from now on: echo 1 > %s/totals/enable",
		     hyp_dir());
	warnx("totals are off: this is what was counted before");
	return table;
}
