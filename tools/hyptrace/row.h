/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A row of a table: how often something took how long.
 */
#ifndef HYPTRACE_ROW_H
#define HYPTRACE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basics.h"

/* A kind says what is measured: Documentation/trace/hyp-totals.rst. A vCPU's kinds are first. */
enum kind {
	KIND_GUEST,
	KIND_EXIT_HOST,
	KIND_EXIT_EL2,
	KIND_HCALL,
	KIND_SMC,
	KIND_PSCI,
	KIND_FIRMWARE,
	KIND_ABORT,
	NR_KINDS
};

extern const char * const kind_names[NR_KINDS];

static inline bool is_vcpus(enum kind kind)
{
	return kind <= KIND_EXIT_EL2;
}

/* The parts of a table. The times of a part add up to a whole; those of two parts do not. */
enum row_section {
	SECTION_GUEST,
	SECTION_EXIT,
	SECTION_HOST,
	NR_SECTIONS
};

static inline enum row_section section_of(enum kind kind)
{
	if (kind == KIND_GUEST)
		return SECTION_GUEST;
	return is_vcpus(kind) ? SECTION_EXIT : SECTION_HOST;
}

/* A vCPU's thread does one of these at a time. */
enum activity {
	ACTIVITY_GUEST,		/* the guest runs */
	ACTIVITY_EL2,		/* at EL2, for the guest or for the host */
	ACTIVITY_FIRMWARE,	/* firmware that EL2 has called */
	ACTIVITY_KVM,		/* the host's kernel runs the thread: it handles an exit */
	ACTIVITY_VMM,		/* the VMM does */
	ACTIVITY_PREEMPTED,	/* the thread could run, and something else does */
	ACTIVITY_BLOCKED,	/* the thread waits */
	NR_ACTIVITIES
};

extern const char * const activity_names[NR_ACTIVITIES];

/*
 * Bucket i of a histogram has the intervals up to 2^i ns that no lower bucket has; the last
 * bucket has what is longer than all bounds. The bounds are those of hyp/totals.
 */
enum {
	FIRST_BUCKET	= 5,
	LAST_BOUND	= 35,
	INF_BUCKET,
	NR_BUCKETS
};

#define REASON_SIZE	64

/**
 * struct key - what intervals have in common
 * @vm:		number of the VM, 0 for the host's kinds and if VMs are added up
 * @vcpu:	index of the vCPU, 0 for the host's kinds and if vCPUs are added up
 * @detail:	what it was for, as "0x9000000 read 4"; NULL if that is not known or added up
 * @thread:	the thread, as "qemu-123"; NULL if that is not known or added up
 * @kind:	what was measured
 * @reason:	name of the hypercall, the exit...
 *
 * Texts are from intern().
 */
struct key {
	unsigned int	vm, vcpu;
	enum kind	kind;
	const char	*reason, *detail, *thread;
};

/**
 * struct row - intervals with the same key
 * @key:	their key
 * @count:	number of intervals
 * @total:	their sum [ns]
 * @min:	the shortest [ns]
 * @max:	the longest [ns]
 * @min_is_bound: the shortest is not known; it is not shorter than @min
 * @max_is_bound: the longest is not known; it is not longer than @max
 * @bucket:	histogram
 * @spread:	how much this differs between runs; NULL if there was only one
 * @part:	what the vCPU's thread did in that time [ns], if a recording tells it
 * @squares:	sum of the intervals' squares [ns^2], 0 if only the histogram is known
 * @times:	each interval [ns], @count of them, sorted; NULL if they are not kept
 * @size:	allocated length of @times
 * @fine:	a finer histogram, for percentiles, of those that are not kept; NULL if only @bucket
 *		is known
 */
struct row {
	struct key	key;
	uint64_t	count, total, min, max;
	bool		min_is_bound, max_is_bound;
	uint64_t	bucket[NR_BUCKETS];
	struct spread	*spread;
	uint64_t	part[NR_ACTIVITIES];
	double		squares;
	uint64_t	*times;
	size_t		size;
	struct fine	*fine;
};

/* A percentile may not be one of the intervals. */
enum precision {
	PRECISE,		/* one of the intervals */
	PRECISE_TO_PERCENT,	/* not more than 1 % from one */
	UPPER_BOUND,
};

enum kind kind_of(const char *name);
int bucket_of_bound(const char *bound);
void row_add_interval(struct row *row, uint64_t ns);
void row_merge(struct row *row, const struct row *other);
void row_finish(struct row *row);
void row_clear(struct row *row);
void rows_keep_all(void);
enum precision row_precision(const struct row *row);
const char *precision_sign(const struct row *row);
double row_deviation(const struct row *row);
uint64_t row_percentile(const struct row *row, unsigned int percent);

#endif /* HYPTRACE_ROW_H */
