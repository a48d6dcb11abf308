// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sum of several runs, and how much they differ.
 */

#include <math.h>
#include <stdlib.h>

#include "runs.h"

/* Values, one after another. The method is Welford's, which needs no second pass. */
struct values {
	size_t	nr;
	double	mean, squares;
};

static void add(struct values *values, double value)
{
	const double delta = value - values->mean;

	values->nr++;
	values->mean += delta / values->nr;
	values->squares += delta * (value - values->mean);
}

static double deviation(const struct values *values)
{
	return values->nr > 1 ? sqrt(values->squares / (values->nr - 1)) : NAN;
}

/**
 * runs_sum() - add up runs
 * @runs:	their tables; they become the sum's, and are freed with it
 * @nr:		their number, at least 1
 *
 * Return: the sum; its seconds are the runs' average
 */
struct table *runs_sum(struct table **runs, size_t nr)
{
	struct table *sum = table_new();
	const struct row *row;
	size_t i, n;

	sum->run = runs;
	sum->nr_runs = nr;
	sum->has_bounds = runs[0]->has_bounds;
	for (i = 0; i < nr; i++) {
		for (n = 0; n < runs[i]->nr; n++) {
			row = runs[i]->row[n];
			row_merge(table_row(sum, &row->key), row);
		}
		table_add_vms(sum, runs[i]);
		sum->seconds += runs[i]->seconds / nr;
		sum->has_forgotten |= runs[i]->has_forgotten;
	}
	return sum;
}

/**
 * runs_spread() - compute how much runs differ
 * @sum:	their sum, with as many of them as it says
 * @runs:	the runs, in the same groups
 */
void runs_spread(struct table *sum, struct table * const *runs)
{
	struct values count, total, average;
	const struct row *row;
	struct spread *spread;
	size_t i, n;

	for (i = 0; i < sum->nr; i++) {
		count = (struct values) { 0 };
		total = count;
		average = count;
		for (n = 0; n < sum->nr_runs; n++) {
			row = table_find(runs[n], &sum->row[i]->key);
			add(&count, row ? row->count : 0);
			add(&total, row ? row->total : 0);
			if (row)
				add(&average, (double)row->total / row->count);
		}
		spread = xzalloc(sizeof(*spread));
		*spread = (struct spread) {
			deviation(&count), deviation(&total), deviation(&average)
		};
		sum->row[i]->spread = spread;
	}
}

/**
 * runs_seconds_spread() - how much the runs' times differ
 * @sum:	their sum
 *
 * Return: the standard deviation [s]
 */
double runs_seconds_spread(const struct table *sum)
{
	struct values seconds = { 0 };
	size_t i;

	for (i = 0; i < sum->nr_runs; i++)
		add(&seconds, sum->run[i]->seconds);
	return deviation(&seconds);
}
