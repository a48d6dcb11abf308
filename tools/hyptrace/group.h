/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups of rows: what is not told apart is added up.
 */
#ifndef HYPTRACE_GROUP_H
#define HYPTRACE_GROUP_H

#include <argp.h>

#include "detail.h"
#include "table.h"

/* Groups can tell these apart. */
enum group_by {
	BY_VM		= 1 << 0,
	BY_VCPU		= 1 << 1,
	BY_THREAD	= 1 << 2,
	BY_KIND		= 1 << 3,
	BY_REASON	= 1 << 4,
	/* These tell apart what exits were for. Only one of them can be set. */
	BY_MMIO		= 1 << 5,
	BY_CALL		= 1 << 6,
	BY_SYSREG	= 1 << 7,
};

#define BY_DETAIL	(BY_MMIO | BY_CALL | BY_SYSREG)

/* For people, and for programs. */
#define BY_WHAT		(BY_KIND | BY_REASON)
#define BY_WHOSE	(BY_VM | BY_VCPU)

/* The option --by; the input is an unsigned int, which gets the bits. */
extern const struct argp group_argp;

struct key group_key(const struct key *key, unsigned int by);
enum detail_kind group_detail(unsigned int by);
const char *group_kind(enum kind kind, unsigned int by);

#endif /* HYPTRACE_GROUP_H */
