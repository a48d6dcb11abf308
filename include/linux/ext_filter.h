/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ext_filter - a filter that an external writer applies to an event before it records it
 *
 * A filter is a program of comparisons, which this kernel compiles from what a user writes
 * (kernel/trace/ext/filter_compile.c) and which the writer executes. Each comparison goes to a
 * later one or to a result, so a program always ends.
 *
 * There is one kind of comparison: "is a field's value in this range?". The order of signed
 * and unsigned numbers, equality and bits are all expressed by it, so that the writer does
 * not have to tell them apart.
 *
 * This is plain C: tools/testing/selftests/hyp_trace/ring/filter_test.c builds it in user
 * space.
 */
#ifndef _LINUX_EXT_FILTER_H
#define _LINUX_EXT_FILTER_H

#include <linux/compiler.h>
#include <linux/stddef.h>
#include <linux/types.h>

/* Maximum number of comparisons in a filter. */
#define EXT_FILTER_MAX		64

/**
 * struct ext_filter_data - what a filter looks at
 * @cpu:	the CPU that the event is on
 * @record:	the event's record. It is in the writer's own memory, and 8 bytes more than
 *		the record can be read
 */
struct ext_filter_data {
	__u64	cpu;
	__u8	record[];
};

/* Places of comparisons that are results instead. */
enum {
	EXT_FILTER_NO,
	EXT_FILTER_YES,
	EXT_FILTER_FIRST,	/* the first place that a comparison can have */
};

/**
 * struct ext_filter_pred - a comparison
 * @next:	the place of the next comparison, or a result: if the value is out of the
 *		range, and if it is in it
 * @offset:	where the field is, from the start of struct ext_filter_data
 * @lo:		the least value of the range
 * @width:	the highest value of the range, less @lo
 * @mask:	the bits that count. A field of n bytes has the low 8n bits or fewer
 *
 * The value is in the range if ((value - lo) & mask) <= width. Both the subtraction and the
 * mask are modulo the field's size, so a range may wrap: signed numbers begin in the middle.
 */
struct ext_filter_pred {
	__u16	next[2];
	__u16	offset;
	__u64	lo;
	__u64	width;
	__u64	mask;
};

/* The end of a comparison's field, from the start of struct ext_filter_data [bytes]. */
static inline unsigned int ext_filter_reach(const struct ext_filter_pred *pred)
{
	return pred->offset + (pred->mask ? 8 - __builtin_clzll(pred->mask) / 8 : 0);
}

/**
 * ext_filter_pred_is_valid() - check a comparison that is not trusted
 * @pred:	the comparison
 * @place:	its place
 * @end:	the first place that no comparison has
 * @size:	size of the data, with the record [bytes]
 *
 * If all comparisons at places below @end are valid, ext_filter_match() ends, stays below
 * @end, reads nothing but the data and the 8 bytes behind, and its result depends on the data
 * only. While some of them are being replaced by others that are valid, all of this still
 * holds, because it holds for each member by itself; except that the result may depend on the
 * 8 bytes behind. A writer that does not trust this kernel must keep no secret there.
 *
 * Return: true if it is valid
 */
static inline bool ext_filter_pred_is_valid(const struct ext_filter_pred *pred,
					    unsigned int place, unsigned int end,
					    unsigned int size)
{
	int i;

	for (i = 0; i < 2; i++)
		if (pred->next[i] >= EXT_FILTER_FIRST &&
		    (pred->next[i] <= place || pred->next[i] >= end))
			return false;

	return ext_filter_reach(pred) <= size;
}

/* Read 8 bytes wherever they are. */
struct ext_filter_word {
	__u64	value;
} __packed;

/**
 * ext_filter_match() - apply a filter
 * @preds:	comparisons, by place; each one is valid
 * @place:	the place of the filter's first one
 * @data:	what it is applied to
 *
 * Return: true if the event is to be recorded
 */
static __always_inline bool ext_filter_match(const struct ext_filter_pred *preds,
					     unsigned long place,
					     const struct ext_filter_data *data)
{
	const struct ext_filter_word *word;
	const struct ext_filter_pred *pred;
	bool in_range;

	do {
		pred = &preds[place];
		word = (const void *)data + pred->offset;
		in_range = ((word->value - pred->lo) & pred->mask) <= pred->width;
		place = pred->next[in_range];
		/*
		 * The comparison may be replaced now, and must not be read again. (READ_ONCE()
		 * of a u16 costs an instruction more.)
		 */
		OPTIMIZER_HIDE_VAR(place);
	} while (unlikely(place >= EXT_FILTER_FIRST));

	return place;
}

#endif /* _LINUX_EXT_FILTER_H */
