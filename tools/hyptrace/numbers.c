// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers, times and durations that are the arguments of options. Another argument ends the program
 * with what is allowed.
 */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

/**
 * number_option() - the number that is an option's argument, or the end of the program
 * @state:	the parser's state
 * @option:	the option's name
 * @text:	the argument
 *
 * Return: the number, from 0 to INT_MAX
 */
long number_option(struct argp_state *state, const char *option, const char *text)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (errno || end == text || *end || number < 0 || number > INT_MAX)
		argp_error(state, "%s %s: must be a number from 0 to %d", option, text,
			   INT_MAX);
	return number;
}

/**
 * positive_option() - a number that is more than 0
 * @state:	the parser's state
 * @option:	the option's name
 * @text:	the argument
 *
 * Return: the number, from 1 to INT_MAX; for others the program ends
 */
long positive_option(struct argp_state *state, const char *option, const char *text)
{
	const long number = number_option(state, option, text);

	if (!number)
		argp_error(state, "%s %s: must be more than 0", option, text);
	return number;
}

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

/* "200", "200.5", "200.000503123": exact to the nanosecond, which a double is not */
static const char *parse_time(const char *text, uint64_t *ns)
{
	uint64_t unit = 1000000000;
	char *end;

	errno = 0;
	if (__builtin_mul_overflow(strtoull(text, &end, 10), unit, ns))
		return NULL;
	if (errno || end == text || *text == '-')
		return NULL;
	if (*end != '.')
		return end;
	for (end++; *end >= '0' && *end <= '9'; end++) {
		unit /= 10;
		*ns += unit * (*end - '0');
	}
	return end;
}

/**
 * time_option() - the time that is an option's argument, or the end of the program
 * @state:	the parser's state
 * @option:	the option's name
 * @text:	the argument: seconds
 *
 * Return: the time [ns]
 */
uint64_t time_option(struct argp_state *state, const char *option, const char *text)
{
	const char *end;
	uint64_t ns;

	end = parse_time(text, &ns);
	if (!end || *end)
		argp_error(state, "%s %s: must be a time of the recording in seconds, such as 200.000503",
			   option, text);
	return ns;
}

/* The length of a unit [ns], 0 if there is no such unit */
static double unit_of(const char *name)
{
	if (!strcmp(name, "ns"))
		return 1;
	if (!strcmp(name, "us"))
		return 1e3;
	if (!strcmp(name, "ms"))
		return 1e6;
	return strcmp(name, "s") ? 0 : 1e9;
}

/**
 * duration_option() - the duration that is an option's argument, or the end of the program
 * @state:	the parser's state
 * @option:	the option's name
 * @text:	the argument: a number and a unit
 *
 * Return: the duration [ns]
 */
uint64_t duration_option(struct argp_state *state, const char *option, const char *text)
{
	char *end;
	const double number = strtod(text, &end), ns = number * unit_of(end);

	if (end == text || !unit_of(end) || !(number >= 0) || ns > 1e18)
		argp_error(state, "%s %s: must be a time with a unit, such as 1ms (ns, us, ms, s)",
			   option, text);
	return ns;
}
