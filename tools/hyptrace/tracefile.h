/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace.dat has more than libtracecmd tells: the size of a page, its clocks, and whether its
 * times are changed when they are read. It can also be copied, so that its times are changed.
 */
#ifndef HYPTRACE_TRACEFILE_H
#define HYPTRACE_TRACEFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "clockmap.h"
#include "input.h"
#include "output.h"

/**
 * struct buffer - a buffer in a trace.dat
 * @name:	its name, empty for the top one
 * @clock:	the clock of its events
 */
struct buffer {
	char	*name, *clock;
};

/**
 * struct tracefile - a trace.dat
 * @path:	its name
 * @file:	the file
 * @version:	its format's version
 * @big_endian:	its byte order
 * @page_size:	of the machine that was traced [bytes]; the following is known from version 7 on
 * @changes:	the name of an option that changes the times of events when they are read, or NULL
 * @buffer:	its buffers
 * @nr_buffers:	their number
 * @link:	offset of the place where the next section of options can be linked
 * @title:	what a section of options has as its title
 */
struct tracefile {
	const char	*path;
	FILE		*file;
	unsigned int	version;
	bool		big_endian;
	uint32_t	page_size;
	const char	*changes;
	struct buffer	*buffer;
	size_t		nr_buffers;
	uint64_t	link;
	uint32_t	title;
};

unsigned int tracefile_page_size(const struct input *input);
struct tracefile *tracefile_open(const struct input *input);
void tracefile_close(struct tracefile *file);
void tracefile_shift(struct tracefile *file, struct output *output, uint64_t peer,
		     const struct clock_pair *pair, uint32_t nr, uint32_t cpus);

#endif /* HYPTRACE_TRACEFILE_H */
