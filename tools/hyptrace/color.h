/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Colour for what is missing from an output, and for nothing else.
 */
#ifndef HYPTRACE_COLOR_H
#define HYPTRACE_COLOR_H

#include <argp.h>
#include <stdio.h>

/* The option --color; it has no input. */
extern const struct argp color_argp;

const char *color_begin(FILE *file);
const char *color_end(FILE *file);
void warn_missing(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* HYPTRACE_COLOR_H */
