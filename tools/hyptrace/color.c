// SPDX-License-Identifier: GPL-2.0-only
/*
 * Colour for what is missing from an output, and for nothing else: it is easily overlooked.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "color.h"

static enum {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
} wanted;

enum {
	OPTION_COLOR = 0x6000,
};

static const struct argp_option options[] = {
	{ "color", OPTION_COLOR, "WHEN", OPTION_ARG_OPTIONAL,
	  "Red for what is missing: always, never or auto" },
	{ 0 }
};

static error_t parse(int option, char *argument, struct argp_state *state)
{
	if (option != OPTION_COLOR)
		return ARGP_ERR_UNKNOWN;
	if (!argument || !strcmp(argument, "always"))
		wanted = COLOR_ALWAYS;
	else if (!strcmp(argument, "never"))
		wanted = COLOR_NEVER;
	else if (!strcmp(argument, "auto"))
		wanted = COLOR_AUTO;
	else
		argp_error(state, "--color=%s: must be always, never or auto", argument);
	return 0;
}

const struct argp color_argp = { .options = options, .parser = parse };

/* NO_COLOR counts if it is not empty (https://no-color.org). */
static bool is_wanted(FILE *file)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (wanted != COLOR_AUTO)
		return wanted == COLOR_ALWAYS;
	return isatty(fileno(file)) && (!no_color || !*no_color) &&
	       terminal && strcmp(terminal, "dumb");
}

/**
 * color_begin() - what to print before a text about what is missing
 * @file:	where it is printed
 *
 * Return: bold and red for a terminal (ECMA-48, SGR), or nothing
 */
const char *color_begin(FILE *file)
{
	return is_wanted(file) ? "\033[1;31m" : "";
}

/**
 * color_end() - what to print behind that text
 * @file:	where it is printed
 *
 * Return: what ends bold and red, or nothing
 */
const char *color_end(FILE *file)
{
	return is_wanted(file) ? "\033[m" : "";
}

/**
 * warn_missing() - warnx() for what is lost or incomplete
 * @format:	the text, as printf() knows it
 */
void warn_missing(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: %s", program_invocation_short_name, color_begin(stderr));
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "%s\n", color_end(stderr));
}
