/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the user wants to measure: a command, some seconds, or all since totals are kept.
 */
#ifndef HYPTRACE_MEASURE_H
#define HYPTRACE_MEASURE_H

#include <argp.h>

#include "table.h"

/**
 * struct measurement - what to measure
 * @argv:	the command and its arguments, NULL if there is none
 * @seconds:	how long without a command; 0 for all since totals are kept
 * @status:	after measure(), the command's exit status
 */
struct measurement {
	char	**argv;
	double	seconds;
	int	status;
};

/**
 * struct meter - what has been counted since some time
 * @before:	the totals at that time
 * @start:	that time [s]
 */
struct meter {
	struct table	*before;
	double		start;
};

/* The option -d and the command; the input is the measurement. */
extern const struct argp measure_argp;

struct meter meter_start(void);
struct table *meter_read(struct meter *meter);
void meter_stop(struct meter *meter);
struct table *measure_runs(struct measurement *measurement, size_t nr);
void measure_parts(struct measurement *measurement, double seconds,
		   void (*show)(struct table *table, void *data), void *data);
struct table *measure(struct measurement *measurement);

#endif /* HYPTRACE_MEASURE_H */
