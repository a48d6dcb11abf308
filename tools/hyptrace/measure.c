// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures with the hypervisor's totals.
 */

#include <err.h>
#include <math.h>
#include <stdlib.h>

#include "color.h"
#include "command.h"
#include "hyp.h"
#include "measure.h"
#include "numbers.h"
#include "print.h"
#include "runs.h"
#include "totals.h"

static const struct argp_option options[] = {
	{ "duration", 'd', "SECONDS", 0,
	  "Without a command: for so long, until Ctrl-C at the latest", 0 },
	{ 0 }
};

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

/**
 * meter_start() - begin to measure
 *
 * The hypervisor keeps totals from now on. If it can't, the program ends with the reason.
 *
 * Return: the meter, for meter_stop()
 */
struct meter meter_start(void)
{
	struct meter meter;

	totals_start();
	meter.before = totals_read();
	meter.start = now_seconds();
	return meter;
}

/**
 * meter_read() - what has been counted since the last time
 * @meter:	the meter
 *
 * Return: the table; NULL if the totals have been reset meanwhile
 */
struct table *meter_read(struct meter *meter)
{
	struct table *now = totals_read(), *table = table_difference(now, meter->before);
	const double end = now_seconds();

	if (table)
		table->seconds = end - meter->start;
	table_free(meter->before);
	meter->before = now;
	meter->start = end;
	return table;
}

/**
 * meter_stop() - measure no more
 * @meter:	the meter
 */
void meter_stop(struct meter *meter)
{
	table_free(meter->before);
}

/*
 * If others have turned totals on before, they stay on. Nobody can know if they are still wanted;
 * they are not after a program that was killed together with its keeper.
 */
static struct meter begin(void)
{
	catch_interrupts();
	if (totals_are_on())
		warnx("totals are on already, and stay on: echo 0 > %s/totals/enable turns them off",
		      hyp_dir());
	return meter_start();
}

static void warn_if_off(void)
{
	if (!totals_are_on())
		warn_missing("somebody has turned totals off meanwhile: what came after that is missing");
}

static struct table *read_or_end(struct meter *meter)
{
	struct table *table = meter_read(meter);

	if (!table)
		errx(1, "the totals have been reset meanwhile: try again");
	warn_of_lost(table, HYP_INSTANCE "/totals");
	return table;
}

static struct table *measure_difference(struct measurement *measurement)
{
	struct meter meter = begin();
	struct table *table;

	if (measurement->argv)
		measurement->status = command_run(measurement->argv);
	else
		wait_seconds(measurement->seconds);
	warn_if_off();
	table = read_or_end(&meter);
	meter_stop(&meter);
	return table;
}

/* The status if a command can't be run */
#define NOT_RUN	127

/**
 * measure_runs() - measure the command several times
 * @measurement: what to measure; gets the exit status of the first run that has failed
 * @nr:		how many times; a signal ends it
 *
 * If it can't be measured, the program ends with the reason.
 *
 * Return: the runs' sum
 */
struct table *measure_runs(struct measurement *measurement, size_t nr)
{
	struct table **runs = xrealloc(NULL, nr, sizeof(struct table *));
	struct meter meter = begin();
	size_t i = 0;
	int status;

	do {
		status = command_run(measurement->argv);
		measurement->status = measurement->status ?: status;
		warn_if_off();
		runs[i] = read_or_end(&meter);
		/* A run that was interrupted is no whole one. */
		if (interrupted && i)
			table_free(runs[i]);
		else
			i++;
	} while (i < nr && !interrupted && status != NOT_RUN);
	meter_stop(&meter);
	return runs_sum(runs, i);
}

/* Wait until a part ends: false if all does, by the command's end, the time's, or a signal. */
static bool wait_part(const struct measurement *measurement, pid_t command, double until)
{
	const double left = until - now_seconds();

	if (!command) {
		wait_seconds(left);
		return !interrupted;
	}
	if (command_ends(command, left > 0 ? left : 0))
		return false;
	command_forward(command);
	return true;
}

/**
 * measure_parts() - measure part after part, until the command or the time ends
 * @measurement: what to measure; gets the command's exit status
 * @seconds:	length of a part
 * @show:	gets the table of each part
 * @data:	for @show
 *
 * Without a command and a time, a signal ends it. If it can't be measured, the program ends with
 * the reason.
 */
void measure_parts(struct measurement *measurement, double seconds,
		   void (*show)(struct table *table, void *data), void *data)
{
	struct meter meter = begin();
	const double start = meter.start;
	const double end = measurement->seconds ? start + measurement->seconds : INFINITY;
	double next = start + seconds;
	struct table *table;
	pid_t command = 0;
	bool goes_on;

	if (measurement->argv && !interrupted)
		command = command_start(measurement->argv);
	do {
		goes_on = wait_part(measurement, command, fmin(next, end)) && now_seconds() < end;
		if (goes_on && now_seconds() < next)
			continue;
		/* If a part takes longer, the next ones come when they should have. */
		next += seconds * (1 + floor(fmax(now_seconds() - next, 0) / seconds));
		warn_if_off();
		table = read_or_end(&meter);
		table->until = meter.start - start;
		show(table, data);
		table_free(table);
	} while (goes_on);
	if (command)
		measurement->status = command_wait(command);
	else if (measurement->argv)
		measurement->status = 128 + interrupted;
	meter_stop(&meter);
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
