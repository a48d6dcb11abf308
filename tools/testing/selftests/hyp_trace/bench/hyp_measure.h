/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures what a write to a file costs, by the clock or by a counter of the CPU.
 */
#ifndef HYP_MEASURE_H
#define HYP_MEASURE_H

#include <sys/syscall.h>
#include <linux/perf_event.h>

#include "../hyp_trace.h"

#define NR_EVENTS	100	/* in a batch */
#define BATCHES		208	/* a multiple of 16 */

static inline void fail(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

static inline void must_put(const char *path, const char *text)
{
	errno = -put(path, text);
	if (errno)
		fail(path);
}

static inline void must_be(const char *what, long long is, long long expected)
{
	if (is != expected) {
		fprintf(stderr, "%s: %s: %lld, not %lld\n",
			program_invocation_short_name, what, is, expected);
		exit(1);
	}
}

static inline void must_be_at_least(const char *what, long long is, long long least)
{
	if (is < least) {
		fprintf(stderr, "%s: %s: %lld, not %lld or more\n",
			program_invocation_short_name, what, is, least);
		exit(1);
	}
}

/*
 * A bench counts nanoseconds, or cycles or instructions of this CPU, those at EL2 included. Real
 * hardware never takes the same time twice, so there what counts is within a part of the least.
 */
static int counter = -1;
static int nearly;	/* that part, as its reciprocal; 0 under -icount */

static inline uint64_t count_now(void)
{
	uint64_t value;

	if (counter < 0)
		return boot_ns();
	if (read(counter, &value, sizeof(value)) != sizeof(value))
		fail("read a counter");
	return value;
}

/* On real hardware: count this, on CPU 0. */
static inline void count_what(const char *what)
{
	struct perf_event_attr attr = {
		.size	= sizeof(attr),
		.type	= PERF_TYPE_HARDWARE,
		.pinned	= 1,
	};
	uint64_t start;

	nearly = 50;
	if (run_on(0))
		fail("CPU 0");
	if (!strcmp(what, "time"))
		return;
	if (!strcmp(what, "cycles"))
		attr.config = PERF_COUNT_HW_CPU_CYCLES;
	else if (!strcmp(what, "instructions"))
		attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	else
		must_be("unit", 0, 1);

	/* CPUs of different kinds have counters of their own. */
	counter = syscall(SYS_perf_event_open, &attr, 0, 0, -1, 0);
	if (counter < 0)
		fail(what);
	start = count_now();
	must_be_at_least(what, count_now() - start, 1);
}

static inline void emit_events_by(int fd, int count)
{
	while (count--)
		if (write(fd, "1", 1) != 1)
			fail("write_event");
}

/*
 * Batches begin at all phases of the counter, which counts 16 ns: three instructions are 3 ns.
 * Otherwise all of them might be rounded the same way.
 */
static inline void shift_phase(int i)
{
	for (i %= 16; i > 0; i--)
		asm volatile("nop");
}

/*
 * Mean time of batches of events, each a write to @fd, that nothing interrupted [ns]: those within
 * 32 ns of the least, as the counter's resolution is 16 ns; on real hardware, within some per cent
 * of it, too.
 */
static inline double time_of_batches(int fd, int events, int batches, void (*between)(void))
{
	uint64_t time[BATCHES], least = UINT64_MAX, sum = 0;
	int i, count = 0;

	for (i = 0; i < batches; i++) {
		uint64_t start;

		if (between)
			between();
		shift_phase(i);
		start = count_now();
		emit_events_by(fd, events);
		time[i] = count_now() - start;
		if (time[i] < least)
			least = time[i];
	}
	for (i = 0; i < batches; i++) {
		if (time[i] <= least + 32 + (nearly ? least / nearly : 0)) {
			sum += time[i];
			count++;
		}
	}
	return (double)sum / count;
}

/* Time of a call [ns], without the time to read the clock. */
static inline double cost_by(int fd)
{
	return (time_of_batches(fd, NR_EVENTS, BATCHES, NULL) -
		time_of_batches(fd, 0, BATCHES, NULL)) / NR_EVENTS;
}

#endif /* HYP_MEASURE_H */
