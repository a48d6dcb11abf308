/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flame graph, and the tree that it shows.
 */
#ifndef HYPTRACE_FLAME_SVG_H
#define HYPTRACE_FLAME_SVG_H

#include <stdint.h>

#include "output.h"

/**
 * struct node - a function, called by a chain of others
 * @name:	the function's name
 * @caller:	who has called it, NULL for the root
 * @called:	the first one that it has called
 * @next:	the next one that @caller has called
 * @self:	time in the function itself [ns]
 */
struct node {
	char		*name;
	struct node	*caller, *called, *next;
	uint64_t	self;
};

void flame_draw(const struct node *root, struct output *output);

#endif /* HYPTRACE_FLAME_SVG_H */
