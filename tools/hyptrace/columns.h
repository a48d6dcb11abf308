/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables as text.
 */
#ifndef HYPTRACE_COLUMNS_H
#define HYPTRACE_COLUMNS_H

#include <stdint.h>
#include <stdio.h>

#include "table.h"

#define TIME_SIZE	16

enum unit {
	UNIT_NONE,		/* there is no value */
	UNIT_COUNT,
	UNIT_PERCENT,
	UNIT_TIME,
};

/**
 * struct value - a value in a table
 * @unit:	its unit
 * @decimals:	how many decimals it has, if it is no time
 * @sign:	what comes before a time: "<" or ">" for a bound, or ""
 * @number:	the number; that of a time is in ns; NAN if it is not known
 */
struct value {
	enum unit	unit;
	int		decimals;
	const char	*sign;
	double		number;
};

/* The columns with the highest rank are left out first; those with 0 never are. */
#define MAX_RANK	8

/**
 * struct column - a column of a table
 * @title:	its title
 * @width:	its width
 * @rank:	how important it is: 0 is the most
 * @value:	its value in a line
 * @argument:	for @value
 */
struct column {
	const char	*title;
	unsigned int	width, rank;
	struct value	(*value)(const void *line, int argument);
	int		argument;
};

void print_column_titles(FILE *file, const struct column *columns, unsigned int max_rank);
void print_columns(FILE *file, const struct column *columns, unsigned int max_rank,
		   const void *line);
unsigned int columns_max_rank(const struct column *columns, unsigned int before,
			      unsigned int width);

#define SECONDS_SIZE	32

const char *format_time(char text[TIME_SIZE], const char *sign, double ns);
const char *format_seconds(char text[SECONDS_SIZE], uint64_t ns, unsigned int decimals);
const char *reason_text(const struct key *key);
void print_sections(FILE *file, const struct table *table, const struct table *vms,
		    unsigned int by, unsigned int width);
void print_parts(FILE *file, const struct table *table, const struct table *vms, unsigned int by,
		 unsigned int width);

#endif /* HYPTRACE_COLUMNS_H */
