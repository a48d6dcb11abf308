/* SPDX-License-Identifier: GPL-2.0-only */
/* Times the writers in this directory: on one CPU, the best of several rounds. */
#ifndef BENCH_H
#define BENCH_H

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_EVENTS	2000000
#define BENCH_ROUNDS	15

static inline uint64_t bench_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* Print as @name the time of an event [ns]; @write writes one, given its number. */
static inline void bench(const char *name, void (*write)(uint64_t id))
{
	uint64_t least = UINT64_MAX, time, id;
	cpu_set_t set;
	int round;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (round = 0; round < BENCH_ROUNDS; round++) {
		time = bench_clock();
		for (id = 0; id < BENCH_EVENTS; id++)
			write(id);
		time = bench_clock() - time;
		if (time < least)
			least = time;
	}
	printf("%s %.2f\n", name, (double)least / BENCH_EVENTS);
	fflush(stdout);
}

#endif /* BENCH_H */
