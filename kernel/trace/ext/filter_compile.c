// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiling a filter for an external writer: from ftrace's comparisons, which know about
 * operators, sizes and signs, to comparisons with a range.
 *
 * The result of a filter is the one that ftrace's own filter_match_preds() has for the same
 * record, also where that may surprise: a number that does not fit into a field is truncated.
 */

#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include "filter_compile.h"

/* With a mask and a @lo of 0, the result is always "in the range". */
static void set_range(struct ext_filter_pred *pred, u64 lo, u64 width, u64 mask)
{
	pred->lo = lo;
	pred->width = width;
	pred->mask = mask;
}

/* The bits of a field. */
static u64 mask_of(const struct ext_filter_test *test)
{
	return U64_MAX >> (64 - 8 * test->size);
}

/*
 * "Less than" and "less or equal" have a range from the least number of the field's type;
 * the other two orders are their opposites. Return true if the test is true out of the range.
 */
static bool set_order(struct ext_filter_pred *pred, const struct ext_filter_test *test)
{
	bool excluded = test->op == EXT_FILTER_LT || test->op == EXT_FILTER_GE;
	bool opposite = test->op == EXT_FILTER_GT || test->op == EXT_FILTER_GE;
	u64 mask = mask_of(test), least = test->is_signed ? (mask >> 1) + 1 : 0;
	u64 width = (test->value - least) & mask;

	if (excluded && !width) {
		/* Nothing is less than the least number. */
		set_range(pred, 0, 0, 0);
		return !opposite;
	}

	set_range(pred, least, width - excluded, mask);
	return opposite;
}

/* Compare with a number. Return true if the test is true out of the range. */
static bool set_number(struct ext_filter_pred *pred, const struct ext_filter_test *test)
{
	u64 mask = mask_of(test);

	switch (test->op) {
	case EXT_FILTER_EQ:
	case EXT_FILTER_NE:
		set_range(pred, test->value, 0, mask);
		return test->op == EXT_FILTER_NE;
	case EXT_FILTER_AND:
		/* ftrace has it always false for a CPU. */
		set_range(pred, 0, 0, test->offset == EXT_FILTER_CPU ? 0 : test->value & mask);
		return true;
	default:
		return set_order(pred, test);
	}
}

/* Numbers below this may be CPUs, and the field may have them. */
static unsigned int nr_cpus_of(const struct ext_filter_test *test)
{
	return min(test->nr_cpus - 1ULL, mask_of(test)) + 1;
}

/* The number of comparisons that a test needs. */
static unsigned int nr_preds(const struct ext_filter_test *test)
{
	unsigned int from, to, runs = 0;

	if (!test->cpus || test->op != EXT_FILTER_AND)
		return 1;

	for_each_set_bitrange(from, to, test->cpus, nr_cpus_of(test))
		runs++;

	return max(runs, 1u);
}

/*
 * Compare with a set of several CPUs, which has a comparison for each range of CPUs in it. A
 * single number is never equal to the set. ftrace takes a field for an unsigned int here, and
 * a number that is no CPU is neither in the set nor different from it.
 */
static void emit_cpus(struct ext_filter_pred *preds, unsigned int place,
		      const struct ext_filter_test *test, u16 if_false, u16 if_true)
{
	u64 mask = mask_of(test) & U32_MAX;
	unsigned int from, to, i = 0;

	/* The result if there is no range. */
	set_range(preds, 0, 0, 0);
	preds->next[0] = if_false;
	preds->next[1] = if_false;

	if (test->op == EXT_FILTER_NE) {
		set_range(preds, 0, nr_cpus_of(test) - 1, mask);
		preds->next[1] = if_true;
	} else if (test->op == EXT_FILTER_AND) {
		for_each_set_bitrange(from, to, test->cpus, nr_cpus_of(test)) {
			set_range(&preds[i], from, to - 1 - from, mask);
			preds[i].next[0] = place + i + 1;
			preds[i].next[1] = if_true;
			i++;
		}
		if (i)
			preds[i - 1].next[0] = if_false;
	}
}

static void emit_test(struct ext_filter_pred *preds, unsigned int place,
		      const struct ext_filter_test *test, u16 if_false, u16 if_true)
{
	bool opposite;
	unsigned int i;

	if (test->cpus) {
		emit_cpus(preds, place, test, if_false, if_true);
	} else {
		opposite = set_number(preds, test);
		preds->next[opposite] = if_false;
		preds->next[!opposite] = if_true;
	}

	for (i = 0; i < nr_preds(test); i++)
		preds[i].offset = test->offset == EXT_FILTER_CPU ?
				  offsetof(struct ext_filter_data, cpu) :
				  offsetof(struct ext_filter_data, record) + test->offset;
}

/**
 * ext_filter_compile() - compile a filter
 * @tests:	the filter, as ftrace parses it; @next of each leads to a later one
 * @nr_tests:	number of tests, at least one
 * @preds:	room for EXT_FILTER_MAX comparisons; they are to be put at the places from
 *		EXT_FILTER_FIRST
 *
 * Return: number of comparisons, or -E2BIG if it would be more than EXT_FILTER_MAX
 */
int ext_filter_compile(const struct ext_filter_test *tests, unsigned int nr_tests,
		       struct ext_filter_pred *preds)
{
	u16 place[EXT_FILTER_MAX + 2];
	unsigned int i, end = EXT_FILTER_FIRST;

	if (nr_tests > EXT_FILTER_MAX)
		return -E2BIG;

	for (i = 0; i < nr_tests; i++) {
		place[i] = end;
		end += nr_preds(&tests[i]);
		if (end > EXT_FILTER_FIRST + EXT_FILTER_MAX)
			return -E2BIG;
	}
	place[nr_tests] = EXT_FILTER_YES;
	place[nr_tests + 1] = EXT_FILTER_NO;

	for (i = 0; i < nr_tests; i++)
		emit_test(&preds[place[i] - EXT_FILTER_FIRST], place[i], &tests[i],
			  place[tests[i].next[0]], place[tests[i].next[1]]);

	return end - EXT_FILTER_FIRST;
}
