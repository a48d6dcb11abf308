/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The totals that the hypervisor keeps, in hyp/totals.
 */
#ifndef HYPTRACE_TOTALS_H
#define HYPTRACE_TOTALS_H

#include "table.h"

struct table *totals_read(void);
struct table *totals_vms(void);
void totals_name_vms(struct table *table);
bool totals_are_on(void);
void totals_start(void);

#endif /* HYPTRACE_TOTALS_H */
