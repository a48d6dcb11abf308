/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols of EL2's functions.
 */
#ifndef HYP_SYMBOLS_H
#define HYP_SYMBOLS_H

#include "../hyp_trace.h"

#define PREFIX		"__kvm_nvhe_"
#define MAX_FUNCTIONS	8192

static struct symbol {
	uint64_t	address;
	char		name[128];
} symbols[MAX_FUNCTIONS];

static int nr_symbols;

static inline void read_symbols(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char name[128], line[512];
	uint64_t address;

	nr_symbols = 0;
	while (f && fgets(line, sizeof(line), f) && nr_symbols < MAX_FUNCTIONS) {
		if (sscanf(line, "%lx %*1[tT] " PREFIX "%127s", &address, name) != 2)
			continue;
		symbols[nr_symbols].address = address;
		snprintf(symbols[nr_symbols++].name, sizeof(name), "%s", name);
	}
	if (f)
		fclose(f);
}

/* The last symbol that is not behind an address; NULL if there is none. They are in order. */
static inline const struct symbol *symbol_of(uint64_t address)
{
	int low = 0, high = nr_symbols, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &symbols[low - 1] : NULL;
}

#endif /* HYP_SYMBOLS_H */
