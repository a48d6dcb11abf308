/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How tables are shown.
 */
#ifndef HYPTRACE_PRINT_H
#define HYPTRACE_PRINT_H

#include <argp.h>
#include <stdio.h>

#include "columns.h"
#include "recording.h"
#include "select.h"

enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_CSV,
	FORMAT_PROMETHEUS,
};

/* Options for that; the input is the enum. */
extern const struct argp format_argp;

void print_table(FILE *file, enum format format, const struct table *table,
		 const struct selection *selection, const struct recording *recording);
void print_json(FILE *file, const struct table *table, const struct selection *selection,
		const struct table *all, const struct recording *recording);
struct table *read_json(const struct input *input);
void warn_of_lost(const struct table *table, const char *from);

#endif /* HYPTRACE_PRINT_H */
