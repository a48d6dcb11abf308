/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Intervals, one by one, as events tell them. What is made of recordings is made from them: tables,
 * the slowest ones, and whatever the user makes of all of them.
 */
#ifndef HYPTRACE_INTERVAL_H
#define HYPTRACE_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "detail.h"
#include "table.h"

/**
 * struct interval - an interval
 * @key:	what it has in common with others
 * @tid:	the thread
 * @start:	when it began, by the recording's clock [ns]
 * @ns:		how long it took [ns]
 * @first_cpu:	where it began
 * @cpu:	where it ended
 * @part:	of an exit that the host has handled, what the thread did meanwhile [ns]
 * @detail:	what it was for
 */
struct interval {
	struct key	key;
	pid_t		tid;
	uint64_t	start, ns;
	int		first_cpu, cpu;
	uint64_t	part[NR_ACTIVITIES];
	struct detail	detail;
};

const char *wall_text(char text[40], uint64_t time, int64_t offset);
void interval_print_csv_header(FILE *file, const char *separator);
void interval_print_csv(FILE *file, const char *separator, const struct interval *interval,
			int64_t wall_offset);
void interval_print_json(FILE *file, const struct interval *interval, int64_t wall_offset);

#endif /* HYPTRACE_INTERVAL_H */
