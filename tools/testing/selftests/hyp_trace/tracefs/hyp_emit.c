// SPDX-License-Identifier: GPL-2.0-only
/*
 * Emits "selftest" events for tests that are shell scripts: ids FIRST to LAST on
 * each CPU, or on CPU only.
 *
 * usage: hyp_emit FIRST LAST [CPU]
 */

#include <err.h>

#include "../hyp_trace.h"

int main(int argc, char **argv)
{
	int cpu, only = argc == 4 ? atoi(argv[3]) : -1, ret;

	if (argc < 3)
		errx(2, "usage: hyp_emit FIRST LAST [CPU]");

	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		if (only >= 0 && only != cpu)
			continue;
		if (run_on(cpu))
			continue;	/* off */
		ret = emit(strtoul(argv[1], NULL, 0), strtoul(argv[2], NULL, 0));
		if (ret)
			errx(1, "write_event: %s", strerror(-ret));
	}
	return 0;
}
