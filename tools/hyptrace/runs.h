/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measurements of the same command, again and again.
 */
#ifndef HYPTRACE_RUNS_H
#define HYPTRACE_RUNS_H

#include "table.h"

/**
 * struct spread - standard deviations between runs, NAN if there was one only
 * @count:	of a row's number of intervals
 * @total:	of their sum [ns]
 * @average:	of their average, among the runs that have any [ns]
 */
struct spread {
	double	count, total, average;
};

struct table *runs_sum(struct table **runs, size_t nr);
void runs_spread(struct table *sum, struct table * const *runs);
double runs_seconds_spread(const struct table *sum);

#endif /* HYPTRACE_RUNS_H */
