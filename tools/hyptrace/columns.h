/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables as text.
 */
#ifndef HYPTRACE_COLUMNS_H
#define HYPTRACE_COLUMNS_H

#include <stdint.h>
#include <stdio.h>

#include "table.h"

#define TIME_SIZE	16

const char *format_time(char text[TIME_SIZE], const char *sign, uint64_t ns);
const char *reason_text(const struct key *key);
void print_sections(FILE *file, const struct table *table, const struct table *vms,
		    unsigned int by, unsigned int width);
void print_parts(FILE *file, const struct table *table, const struct table *vms, unsigned int by,
		 unsigned int width);

#endif /* HYPTRACE_COLUMNS_H */
