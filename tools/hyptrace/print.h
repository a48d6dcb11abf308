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

/**
 * struct style - how tables are printed
 * @format:	the format
 * @separator:	what is between the fields of CSV, NULL for commas
 * @has_origin:	CSV begins with a comment on where and when it was measured
 * @is_series:	several tables follow each other
 * @has_header:	the header has been printed, which is the same for all of them
 * @command:	the command that was measured, NULL if there was none
 */
struct style {
	enum format	format;
	const char	*separator;
	bool		has_origin, is_series, has_header;
	char		**command;
};

/* Options for that; the input is a struct style. */
extern const struct argp format_argp, prometheus_argp;

const char *style_problem(const struct style *style, unsigned int by, bool is_recorded);
unsigned int rows_by(const struct style *style, const struct selection *selection);
void print_table(FILE *file, struct style *style, const struct table *table,
		 const struct selection *selection, const struct recording *recording);
void print_json(FILE *file, const struct style *style, const struct table *table,
		const struct selection *selection, const struct table *all,
		const struct recording *recording);
struct table *read_json(const struct input *input);
void warn_of_lost(const struct table *table, const char *from);

#endif /* HYPTRACE_PRINT_H */
