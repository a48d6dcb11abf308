/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Have the kernel's allocations fail.
 */
#ifndef HYP_FAIL_H
#define HYP_FAIL_H

#include "../../kselftest.h"
#include "../hyp_trace.h"

#define DEBUG	"/sys/kernel/debug/"

/* Let the @nth allocation of this thread from now on fail; returns a file for fail_end(), or -1. */
static inline int fail_begin(int nth)
{
	int fail = open("/proc/thread-self/fail-nth", O_RDWR);
	char number[16];

	if (pwrite(fail, number, sprintf(number, "%d", nth), 0) < 0) {
		close(fail);
		return -1;
	}
	return fail;
}

/* Let allocations succeed again; true if one has failed. */
static inline bool fail_end(int fail)
{
	char left[16] = "";

	pread(fail, left, sizeof(left) - 1, 0);
	pwrite(fail, "0", 1, 0);
	close(fail);
	return !atoi(left);
}

/* Write to an open file, with the @nth allocation failing; true if one failed. */
static inline bool write_failing(int fd, const char *text, int nth, int *error)
{
	int fail = fail_begin(nth);

	*error = 0;
	if (fail < 0)
		return false;
	if (pwrite(fd, text, strlen(text), 0) < 0)
		*error = errno;
	return fail_end(fail);
}

/* Read from an open file, with the first allocation failing. */
static inline ssize_t read_failing(int fd, void *to, size_t size, int *error)
{
	int fail = fail_begin(1);
	ssize_t ret;

	*error = 0;
	if (fail < 0)
		return -1;
	ret = read(fd, to, size);
	if (ret < 0)
		*error = errno;
	fail_end(fail);
	return ret;
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
