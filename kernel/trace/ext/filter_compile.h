/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compiling a filter for an external writer.
 */
#ifndef _KERNEL_TRACE_EXT_FILTER_COMPILE_H
#define _KERNEL_TRACE_EXT_FILTER_COMPILE_H

#include <linux/ext_filter.h>

/* The operators of ftrace's filters for numbers. */
enum ext_filter_op {
	EXT_FILTER_EQ,
	EXT_FILTER_NE,
	EXT_FILTER_LT,
	EXT_FILTER_LE,
	EXT_FILTER_GT,
	EXT_FILTER_GE,
	EXT_FILTER_AND,		/* any bit is in both */
};

/**
 * struct ext_filter_test - a comparison as ftrace parses it
 * @op:		how to compare
 * @value:	the number to compare with, of which the low bytes count
 * @cpus:	a set of CPUs to compare with instead, or NULL
 * @nr_cpus:	the size of that set
 * @offset:	where the field is in the record, or EXT_FILTER_CPU
 * @size:	size of the field: 1, 2, 4 or 8 bytes; that of EXT_FILTER_CPU is 4
 * @is_signed:	the field and the value are signed
 * @next:	the test that follows if this one is false, and if it is true; the number of
 *		tests if the result is "yes", that and 1 if it is "no"
 */
struct ext_filter_test {
	enum ext_filter_op	op;
	u64			value;
	const unsigned long	*cpus;
	unsigned int		nr_cpus;
	u16			offset;
	u8			size;
	bool			is_signed;
	unsigned int		next[2];
};

/* Instead of a field of the record: the CPU that the event is on, an int. */
#define EXT_FILTER_CPU	U16_MAX

int ext_filter_compile(const struct ext_filter_test *tests, unsigned int nr_tests,
		       struct ext_filter_pred *preds);

#endif /* _KERNEL_TRACE_EXT_FILTER_COMPILE_H */
