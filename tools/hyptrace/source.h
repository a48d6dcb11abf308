/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where recorded events are taken from: a file, or the hypervisor's buffers.
 */
#ifndef HYPTRACE_SOURCE_H
#define HYPTRACE_SOURCE_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "input.h"
#include "output.h"
#include "recording.h"

/**
 * struct source - where recorded events are taken from
 * @input:	the file
 * @map:	a map of the guest's memory, see map_read(); without a name if there is none
 * @is_live:	what the hypervisor's buffers hold now, in place of a file
 * @has_window:	only the time from @from to @to is wanted
 * @from:	see @has_window [ns]; 0 if only the end was given
 * @to:		the same; UINT64_MAX if only the beginning was given, or nothing
 */
struct source {
	struct input	input, map;
	bool		is_live, has_window;
	uint64_t	from, to;
};

/* Options for that; the input is a struct source. */
extern const struct argp source_argp;

void source_open(struct source *source, struct output *output);
struct recording *source_read(const struct source *source, const struct reading *reading);

#endif /* HYPTRACE_SOURCE_H */
