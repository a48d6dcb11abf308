/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events around a time.
 */
#ifndef HYPTRACE_AROUND_H
#define HYPTRACE_AROUND_H

#include <argp.h>
#include <stdint.h>

#include "input.h"

/**
 * struct around - which events
 * @time:	a time by the recording's clock [ns]
 * @events:	how many before it, and from it on; 0 if @ns says it
 * @ns:		or how long before and after [ns]
 */
struct around {
	uint64_t	time;
	size_t		events;
	uint64_t	ns;
};

void around_option(struct argp_state *state, struct around *around, const char *text);
void around_print(const struct input *input, const struct around *around);

#endif /* HYPTRACE_AROUND_H */
