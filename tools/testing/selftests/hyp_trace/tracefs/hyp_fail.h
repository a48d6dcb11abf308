/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Have the kernel's allocations fail.
 */
#ifndef HYP_FAIL_H
#define HYP_FAIL_H

#include "../../kselftest.h"
#include "../hyp_trace.h"

#define DEBUG	"/sys/kernel/debug/"

/* Write to an open file, with the @nth allocation failing; true if one failed. */
static inline bool write_failing(int fd, const char *text, int nth, int *error)
{
	int fail = open("/proc/thread-self/fail-nth", O_RDWR), left;
	char number[16];
	bool injected;

	*error = 0;
	if (pwrite(fail, number, sprintf(number, "%d", nth), 0) < 0)
		return false;
	if (pwrite(fd, text, strlen(text), 0) < 0)
		*error = errno;
	memset(number, 0, sizeof(number));
	pread(fail, number, sizeof(number) - 1, 0);
	left = atoi(number);
	injected = !left;
	pwrite(fail, "0", 1, 0);
	close(fail);
	return injected;
}

/* Let each allocation be one that can fail, without a report. */
static inline bool fault_injection(void)
{
	static const char * const kinds[] = { "failslab", "fail_page_alloc" };
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (put(path_of(DEBUG "%s/ignore-gfp-wait", kinds[i]), "N") ||
		    put(path_of(DEBUG "%s/verbose", kinds[i]), "0"))
			return false;
	}
	return !put(DEBUG "fail_page_alloc/ignore-gfp-highmem", "N") &&
	       !put(DEBUG "fail_page_alloc/min-order", "0");
}

#endif /* HYP_FAIL_H */
