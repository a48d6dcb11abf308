/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps the time of a guest to the time of its host, by pairs of times that the guest has told.
 */
#ifndef HYPTRACE_CLOCKMAP_H
#define HYPTRACE_CLOCKMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two times of the same moment, or two durations of the same time [ns]. */
struct clock_pair {
	uint64_t	guest, host;
};

/**
 * struct clockmap - a map from the guest's time to the host's
 * @pair:	the pairs that are used: both times grow
 * @nr:		their number, 0 before clockmap_choose()
 * @before:	how much time goes by on both clocks, before the first pair
 * @behind:	the same behind the last one
 * @given:	number of pairs that were added
 * @runs:	number of runs: in each, the guest's clock goes on, and at a start it begins anew
 * @run:	the run that @pair is of, from 1
 * @in_others:	number of pairs of other runs
 * @alike:	number of other runs that would cover the recording as well
 */
struct clockmap {
	struct clock_pair	*pair;
	size_t			nr, given;
	struct clock_pair	before, behind;
	unsigned int		runs, run;
	size_t			in_others;
	unsigned int		alike;
};

/**
 * struct clock_offset - the constant that comes closest to a map
 * @ns:		the constant, which is added to the guest's time
 * @error:	how far the sum is from the host's time, at most [ns]
 */
struct clock_offset {
	int64_t		ns;
	uint64_t	error;
};

void clockmap_add(struct clockmap *map, uint64_t guest, uint64_t host);
bool clockmap_choose(struct clockmap *map, uint64_t first, uint64_t last, unsigned int wanted);
uint64_t clockmap_host(const struct clockmap *map, uint64_t guest);
struct clock_offset clockmap_offset(const struct clockmap *map, uint64_t first, uint64_t last);

#endif /* HYPTRACE_CLOCKMAP_H */
