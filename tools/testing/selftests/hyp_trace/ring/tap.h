/* SPDX-License-Identifier: GPL-2.0-only */
/* A test program in user space: a table of functions that use CHECK(); prints TAP. */
#ifndef USER_TAP_H
#define USER_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The current test has failed. Only its first message is printed. */
static bool failed;

#define CHECK(cond, fmt, ...) do {					\
	if (!(cond)) {							\
		if (!failed)						\
			printf("# %s:%d: %s: " fmt "\n", __func__,	\
			       __LINE__, #cond, ##__VA_ARGS__);		\
		failed = true;						\
	}								\
} while (0)

struct test {
	const char	*name;
	void		(*run)(void);
};

#define TEST(function) { #function, function }

/* Returns the exit status. */
static inline int run_tests(const char *suite, const struct test *tests, size_t count)
{
	int failures = 0;
	size_t i;

	printf("TAP version 13\n1..%zu\n", count);
	for (i = 0; i < count; i++) {
		failed = false;
		tests[i].run();
		failures += failed;
		printf("%sok %zu %s.%s\n", failed ? "not " : "", i + 1, suite,
		       tests[i].name);
	}
	return !count || failures;
}

#endif /* USER_TAP_H */
