/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files for Perfetto. perfetto.proto describes them.
 *
 * Each track is a sequence of packets of its own, as if a thread of its own had written it. So
 * packets need not say of which track they are, and their times are the differences to the packets
 * before.
 */
#ifndef HYPTRACE_PERFETTO_H
#define HYPTRACE_PERFETTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "perfetto.pb-c.h"

/* More arguments than any event has fields */
#define MAX_ARGUMENTS	32

enum argument_kind {
	ARGUMENT_NAME,		/* of a value */
	ARGUMENT_TEXT,
	ARGUMENT_NUMBER,
	ARGUMENT_SIGNED,
	ARGUMENT_ADDRESS,	/* shown in hexadecimal */
};

/**
 * struct argument - an argument of a slice or of an instant
 * @name:	its name, from intern()
 * @kind:	what it is
 * @text:	a name or a text
 * @value:	a number or an address
 */
struct argument {
	const char		*name;
	enum argument_kind	kind;
	const char		*text;
	uint64_t		value;
};

/**
 * struct moment - a slice begins, or something happens
 * @name:	its name, from intern()
 * @argument:	its arguments
 * @nr_arguments: their number
 * @flow:	an arrow goes from here to where the flow of this number ends; 0 if none does
 * @flow_end:	the flow of this number ends here; 0 if none does
 */
struct moment {
	const char		*name;
	const struct argument	*argument;
	size_t			nr_arguments;
	uint64_t		flow, flow_end;
};

/**
 * struct track_kind - what a track is
 * @name:	its name
 * @parent:	the track that it is below, or NULL
 * @rank:	its place among those below @parent
 * @pid:	it is a process with this pid, if it is not 0
 * @counts_bytes: it has numbers of bytes, rather than slices
 */
struct track_kind {
	const char		*name;
	const struct track	*parent;
	int			rank;
	pid_t			pid;
	bool			counts_bytes;
};

struct perfetto *perfetto_new(FILE *file);
void perfetto_add(struct perfetto *perfetto, Perfetto__TracePacket *packet);
void perfetto_clocks(struct perfetto *perfetto, uint64_t boot, uint64_t mono, uint64_t real);
void perfetto_use_mono(struct perfetto *perfetto, int64_t to_boot);
uint64_t perfetto_time(const struct perfetto *perfetto, uint64_t time);
void perfetto_free(struct perfetto *perfetto);
struct track *track_new(struct perfetto *perfetto, const struct track_kind *kind);
void track_rename(struct track *track, const char *name);
uint64_t track_last(const struct track *track);
void track_begin(struct track *track, uint64_t time, const struct moment *moment);
void track_end(struct track *track, uint64_t time);
void track_instant(struct track *track, uint64_t time, const struct moment *moment);
void track_count(struct track *track, uint64_t time, uint64_t value);

#endif /* HYPTRACE_PERFETTO_H */
