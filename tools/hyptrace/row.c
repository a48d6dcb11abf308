// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows of tables: intervals that have something in common.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "row.h"
#include "runs.h"

const char * const kind_names[NR_KINDS] = {
	[KIND_GUEST]		= "guest",
	[KIND_EXIT_HOST]	= "exit_host",
	[KIND_EXIT_EL2]		= "exit_el2",
	[KIND_HCALL]		= "hcall",
	[KIND_SMC]		= "smc",
	[KIND_PSCI]		= "psci",
	[KIND_FIRMWARE]		= "firmware",
	[KIND_ABORT]		= "abort",
};

const char * const activity_names[NR_ACTIVITIES] = {
	[ACTIVITY_GUEST]	= "guest",
	[ACTIVITY_EL2]		= "EL2",
	[ACTIVITY_FIRMWARE]	= "firmware",
	[ACTIVITY_KVM]		= "kvm",
	[ACTIVITY_VMM]		= "vmm",
	[ACTIVITY_PREEMPTED]	= "preempted",
	[ACTIVITY_BLOCKED]	= "blocked",
};

/**
 * kind_of() - the kind that has a name
 * @name:	the name
 *
 * Return: the kind, NR_KINDS if there is none
 */
enum kind kind_of(const char *name)
{
	enum kind kind = 0;

	while (kind < NR_KINDS && strcmp(kind_names[kind], name))
		kind++;
	return kind;
}

static int bucket_of(uint64_t ns)
{
	int bits = ns <= 1 ? 0 : 64 - __builtin_clzll(ns - 1);

	if (bits < FIRST_BUCKET)
		return FIRST_BUCKET;
	return bits > LAST_BOUND ? INF_BUCKET : bits;
}

/**
 * bucket_of_bound() - the bucket that has a bound
 * @bound:	the bound [ns], or "inf"
 *
 * Return: the bucket, -1 if none has this bound
 */
int bucket_of_bound(const char *bound)
{
	unsigned long long ns;
	char *end;
	int i;

	if (!strcmp(bound, "inf"))
		return INF_BUCKET;
	ns = strtoull(bound, &end, 10);
	for (i = FIRST_BUCKET; i <= LAST_BOUND; i++)
		if (!*end && ns == 1ULL << i)
			return i;
	return -1;
}

/*
 * A finer histogram for percentiles. Each power of two has 64 buckets of the same width, so the
 * middle of a bucket is not more than 0.8 % from what is in it.
 */
#define FINE_BITS	6
#define NR_FINE		64	/* 2^FINE_BITS */
#define NR_POWERS	64

struct fine {
	uint32_t	*bucket[NR_POWERS];	/* NULL if all of them are empty */
};

static uint32_t *fine_bucket(struct fine *fine, uint64_t ns)
{
	const unsigned int power = 63 - __builtin_clzll(ns | 1);
	const unsigned int shift = power > FINE_BITS ? power - FINE_BITS : 0;

	if (!fine->bucket[power])
		fine->bucket[power] = xzalloc(NR_FINE * sizeof(uint32_t));
	return &fine->bucket[power][ns >> shift & (NR_FINE - 1)];
}

/* The middle of a bucket. Below 128 ns, each has one number of nanoseconds. */
static uint64_t fine_value(unsigned int power, unsigned int i)
{
	const unsigned int shift = power > FINE_BITS ? power - FINE_BITS : 0;

	if (power < FINE_BITS)
		return i;
	return ((uint64_t)(NR_FINE | i) << shift) + ((1ULL << shift) - 1) / 2;
}

static uint64_t fine_percentile(const struct fine *fine, uint64_t rank)
{
	unsigned int power, i;
	uint64_t sum = 0;

	for (power = 0; power < NR_POWERS; power++) {
		for (i = 0; fine->bucket[power] && i < NR_FINE; i++) {
			sum += fine->bucket[power][i];
			if (sum >= rank)
				return fine_value(power, i);
		}
	}
	return UINT64_MAX;
}

static void fine_free(struct fine *fine)
{
	unsigned int power;

	for (power = 0; fine && power < NR_POWERS; power++)
		free(fine->bucket[power]);
	free(fine);
}

/* Rows with so many intervals or fewer keep each of them; more memory is not worth it. */
#define MAX_KEPT	64

static bool keeps_all;

/**
 * rows_keep_all() - let all rows keep each interval from now on
 */
void rows_keep_all(void)
{
	keeps_all = true;
}

static void refine(struct row *row)
{
	uint64_t i;

	row->fine = xzalloc(sizeof(*row->fine));
	for (i = 0; i < row->count; i++)
		++*fine_bucket(row->fine, row->times[i]);
	free(row->times);
	row->times = NULL;
	row->size = 0;
}

static void keep(struct row *row, uint64_t ns)
{
	if (!row->fine && row->count == MAX_KEPT && !keeps_all)
		refine(row);
	if (row->fine) {
		++*fine_bucket(row->fine, ns);
		return;
	}
	if (row->count == row->size) {
		row->size = row->size ? 2 * row->size : 8;
		row->times = xrealloc(row->times, row->size, sizeof(*row->times));
	}
	row->times[row->count] = ns;
}

/**
 * row_add_interval() - add an interval to a row
 * @row:	the row
 * @ns:		its length [ns]
 *
 * After the last one, row_finish() must be called.
 */
void row_add_interval(struct row *row, uint64_t ns)
{
	keep(row, ns);
	row->min = !row->count || ns < row->min ? ns : row->min;
	row->max = ns > row->max ? ns : row->max;
	row->count++;
	row->total += ns;
	row->squares += (double)ns * ns;
	row->bucket[bucket_of(ns)]++;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/**
 * row_finish() - all intervals have been added
 * @row:	the row
 */
void row_finish(struct row *row)
{
	if (row->times)
		sort(row->times, row->count, sizeof(*row->times), by_value);
}

/**
 * row_clear() - free what a row has, and make it empty
 * @row:	the row
 */
void row_clear(struct row *row)
{
	free(row->times);
	fine_free(row->fine);
	free(row->spread);
	*row = (struct row) { .key = row->key };
}

static void merge_extremes(struct row *row, const struct row *other)
{
	if (!row->count || other->min < row->min) {
		row->min = other->min;
		row->min_is_bound = other->min_is_bound;
	}
	if (other->max > row->max) {
		row->max = other->max;
		row->max_is_bound = other->max_is_bound;
	}
}

static void merge_fine(struct row *row, const struct row *other)
{
	unsigned int power, i;
	uint64_t n;

	if (!row->fine)
		refine(row);
	for (n = 0; other->times && n < other->count; n++)
		++*fine_bucket(row->fine, other->times[n]);
	for (power = 0; other->fine && power < NR_POWERS; power++)
		for (i = 0; other->fine->bucket[power] && i < NR_FINE; i++)
			if (other->fine->bucket[power][i])
				*fine_bucket(row->fine, fine_value(power, i)) +=
					other->fine->bucket[power][i];
}

/* Either it is known of all rows of a table, or of none. */
static void merge_times(struct row *row, const struct row *other)
{
	if (!other->times && !other->fine)
		return;
	if (row->fine || other->fine || (row->count + other->count > MAX_KEPT && !keeps_all)) {
		merge_fine(row, other);
		return;
	}
	row->size = row->count + other->count;
	row->times = xrealloc(row->times, row->size, sizeof(*row->times));
	memcpy(row->times + row->count, other->times, other->count * sizeof(*other->times));
}

/**
 * row_merge() - add all intervals of another row
 * @row:	the row; row_finish() must be called after the last one
 * @other:	the other one
 */
void row_merge(struct row *row, const struct row *other)
{
	int i;

	if (!other->count)
		return;
	merge_extremes(row, other);
	merge_times(row, other);
	/* Nobody has counted so far, but a damaged file may; and a row's count must not be 0. */
	if (__builtin_add_overflow(row->count, other->count, &row->count))
		row->count = UINT64_MAX;
	row->total += other->total;
	row->squares += other->squares;
	for (i = 0; i < NR_BUCKETS; i++)
		row->bucket[i] += other->bucket[i];
	for (i = 0; i < NR_ACTIVITIES; i++)
		row->part[i] += other->part[i];
}

/**
 * row_deviation() - how much intervals differ
 * @row:	the row
 *
 * Return: their standard deviation [ns]; of several runs, that of the runs' averages; NAN if
 *	   neither is known
 */
double row_deviation(const struct row *row)
{
	const double mean = (double)row->total / row->count;
	double variance;

	if (row->spread)
		return row->spread->average;
	if (!row->squares || row->count < 2)
		return NAN;
	variance = (row->squares - mean * row->total) / (row->count - 1);
	return variance > 0 ? sqrt(variance) : 0;
}

/**
 * row_precision() - what the percentiles of a row are
 * @row:	the row
 *
 * Return: how precise they are
 */
enum precision row_precision(const struct row *row)
{
	if (row->times)
		return PRECISE;
	return row->fine ? PRECISE_TO_PERCENT : UPPER_BOUND;
}

/**
 * precision_sign() - how that is shown
 * @row:	the row
 *
 * Return: what comes before a percentile
 */
const char *precision_sign(const struct row *row)
{
	static const char * const signs[] = {
		[PRECISE] = "", [PRECISE_TO_PERCENT] = "~", [UPPER_BOUND] = "<",
	};

	return signs[row_precision(row)];
}

/**
 * row_percentile() - the time that a part of the intervals does not exceed
 * @row:	the row
 * @percent:	how many of them [percent]
 *
 * Return: the time [ns], as precise as row_precision() says
 */
uint64_t row_percentile(const struct row *row, unsigned int percent)
{
	uint64_t rank = (row->count * percent + 99) / 100, sum = 0;
	int i;

	if (!row->count)
		return 0;
	if (row->times)
		return row->times[rank - 1];
	if (row->fine) {
		sum = fine_percentile(row->fine, rank);
		sum = sum < row->min ? row->min : sum;
		return sum > row->max ? row->max : sum;
	}
	for (i = 0; i <= LAST_BOUND; i++) {
		sum += row->bucket[i];
		if (sum >= rank)
			return 1ULL << i < row->max ? 1ULL << i : row->max;
	}
	return row->max;
}
