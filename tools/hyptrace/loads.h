/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each VM costs: a row for each, and one for the host.
 */
#ifndef HYPTRACE_LOADS_H
#define HYPTRACE_LOADS_H

#include "columns.h"
#include "select.h"
#include "table.h"

/* The columns, and what VMs are sorted by. */
enum load_key {
	LOAD_GUEST,
	LOAD_EXITS,
	LOAD_EL2,
	LOAD_HOST,
	LOAD_AVERAGE,
	LOAD_P99,
	LOAD_MAX,
	NR_LOAD_KEYS
};

extern const struct column load_columns[NR_LOAD_KEYS + 1];

/**
 * struct load - what a VM costs
 * @vm:		its number, 0 for the host
 * @info:	whose it is, NULL for the host and if that is not known
 * @events:	its exits; for the host, its hypercalls, SMCs, ... and aborts
 * @seconds:	in what time [s]
 * @guest:	the guest ran [ns]
 * @el2:	EL2 handled exits, or did what the host wanted [ns]
 * @host:	the host handled exits, or waited meanwhile [ns]
 * @value:	what it is sorted by
 */
struct load {
	unsigned int	vm;
	const struct vm	*info;
	struct row	events;
	double		seconds;
	uint64_t	guest, el2, host;
	double		value;
};

/**
 * struct loads - what VMs cost, in an order
 * @load:	the VMs and the host
 * @nr:		their number
 */
struct loads {
	struct load	*load;
	size_t		nr;
};

struct loads loads_of(const struct table *table, const struct selection *selection,
		      enum load_key key, bool ascending);
void loads_print_titles(FILE *file, unsigned int width);
void loads_print(FILE *file, const struct load *load, unsigned int width);

#endif /* HYPTRACE_LOADS_H */
