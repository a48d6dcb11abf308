// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an event costs: the time of a hypercall that emits it, with the event
 * enabled and disabled. To be run with one CPU under QEMU's -icount shift=0,
 * where a nanosecond is an instruction.
 *
 * Prints "NAME VALUE" lines.
 */

#include "hyp_trace.h"

#define BATCHES	200
#define CALLS	100

/* Least time of a batch, so that no timer interrupt is in it [ns per call]. */
static double cost_of_call(void)
{
	uint64_t least = UINT64_MAX, start, time;
	int fd = open(HYP "write_event", O_WRONLY), i, j;

	for (i = 0; i < BATCHES; i++) {
		start = boot_ns();
		for (j = 0; j < CALLS; j++)
			if (write(fd, "1", 1) != 1)
				exit(1);
		time = boot_ns() - start;
		if (time < least)
			least = time;
	}
	close(fd);
	return (double)least / CALLS;
}

/* Cost of one event of those that a call emits with @events enabled. */
static double cost_of(const char *events, int per_call, double without)
{
	double with;

	put(HYP "set_event", events);
	with = cost_of_call();
	put(HYP "events/enable", "0");
	return (with - without) / per_call;
}

int main(void)
{
	double without;

	put(HYP "buffer_size_kb", "1024");
	put(HYP "events/enable", "0");
	if (put(HYP "tracing_on", "1")) {
		fprintf(stderr, "tracing can't be turned on\n");
		return 1;
	}
	cost_of_call();		/* warm up */
	without = cost_of_call();
	printf("hypercall_and_syscall %.1f\n", without);
	printf("selftest %.1f\n", cost_of("hyp:selftest", 1, without));
	printf("hyp_enter_hyp_exit %.1f\n",
	       cost_of("hyp:hyp_enter hyp:hyp_exit", 2, without));
	printf("host_hcall %.1f\n", cost_of("hyp:host_hcall", 1, without));
	return 0;
}
