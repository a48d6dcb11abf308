/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a trace.dat.
 */
#ifndef HYPTRACE_TRACEDAT_H
#define HYPTRACE_TRACEDAT_H

#include "list.h"
#include "pages.h"

struct tracedat;

struct tracedat *tracedat_new(const struct list *systems);
void tracedat_write(struct tracedat *dat, const struct pages *pages, const char * const *name,
		    int fd, const char *path);

#endif /* HYPTRACE_TRACEDAT_H */
