/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Intervals that the user has asked for, one by one: all, the slowest, or those above a time.
 */
#ifndef HYPTRACE_SLOWEST_H
#define HYPTRACE_SLOWEST_H

#include "print.h"

/**
 * struct search - which intervals are wanted
 * @selection:	of which vCPUs, kinds and reasons
 * @nr:		how many, the slowest ones; 0 for all
 * @over:	only those that are longer [ns]
 */
struct search {
	const struct selection	*selection;
	size_t			nr;
	uint64_t		over;
};

void intervals_print(const struct input *input, const struct reading *reading,
		     const struct recording *recording, const struct search *search,
		     const struct style *style);
void slowest_print(const struct input *input, const struct reading *reading,
		   const struct recording *recording, const struct search *search,
		   const struct style *style);

#endif /* HYPTRACE_SLOWEST_H */
