/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of the hypervisor's functions in a recording, made by the tracer function_graph.
 */
#ifndef HYPTRACE_GRAPH_H
#define HYPTRACE_GRAPH_H

#include <stdint.h>

#include "input.h"

/**
 * struct graph_user - who wants to know of calls
 * @data:	passed on
 * @open:	a function is called, on a CPU, at a time [ns]. Its name is there until @open
 *		returns
 * @close:	the last function that was called on a CPU, and has not returned, returns
 *
 * Each function that is called returns, if not before then where the recording of its CPU ends or
 * has a gap. One CPU comes after the other; times on a CPU do not go back.
 */
struct graph_user {
	void	*data;
	void	(*open)(void *data, int cpu, const char *function, uint64_t ts);
	void	(*close)(void *data, int cpu, uint64_t ts);
};

void graph_read(const struct input *input, const struct graph_user *user);

#endif /* HYPTRACE_GRAPH_H */
