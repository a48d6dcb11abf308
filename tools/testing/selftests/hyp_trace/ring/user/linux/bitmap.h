/* SPDX-License-Identifier: GPL-2.0-only */
#include "../kernel.h"

static inline unsigned int next_bit(const unsigned long *bits, unsigned int size,
				    unsigned int from, bool set)
{
	while (from < size && (bits[from / 64] >> from % 64 & 1) != set)
		from++;
	return from;
}

#define for_each_set_bitrange(from, to, bits, size)			\
	for (from = 0;							\
	     from = next_bit(bits, size, from, true),			\
	     to = next_bit(bits, size, from, false), from < (size);	\
	     from = to)
