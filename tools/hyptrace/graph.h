/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of the hypervisor's functions in a recording, made by the tracer function_graph.
 */
#ifndef HYPTRACE_GRAPH_H
#define HYPTRACE_GRAPH_H

#include <event-parse.h>
#include <stdbool.h>
#include <stdint.h>

#include "input.h"

/* As many are open on a CPU at most: a stay, ftrace's limit (FTRACE_RETFUNC_DEPTH), and a guest. */
#define MAX_FRAMES	(1 + 50 + 1)

/* A CPU is in one of these. */
enum frame {
	FRAME_STAY,		/* the hypervisor, from the first event there to the last */
	FRAME_FUNCTION,		/* a function */
	FRAME_AWAY,		/* [guest] or [firmware] */
};

/**
 * struct graph_user - who wants to know of calls
 * @has_stays:	stays in the hypervisor are told, too, as if they called the functions
 * @data:	passed on
 * @open:	a function is called, on a CPU, at a time [ns]. Its name is from intern(); a stay
 *		has none
 * @close:	the last function that was called on a CPU, and has not returned, returns
 *
 * Each function that is called returns, if not before then where the recording of its CPU ends or
 * has a gap. No more than MAX_FRAMES are open at a time. Times on a CPU do not go back.
 */
struct graph_user {
	bool	has_stays;
	void	*data;
	void	(*open)(void *data, int cpu, enum frame frame, const char *function, uint64_t ts);
	void	(*close)(void *data, int cpu, uint64_t ts);
};

struct graph *graph_new(struct tep_handle *tep, const struct graph_user *user);
void graph_event(struct graph *graph, const struct tep_record *record, int type);
void graph_free(struct graph *graph);
void graph_read(const struct input *input, const struct graph_user *user);

#endif /* HYPTRACE_GRAPH_H */
