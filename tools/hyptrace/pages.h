/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes the pages of instances' buffers while events are recorded.
 */
#ifndef HYPTRACE_PAGES_H
#define HYPTRACE_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <tracefs.h>

/**
 * struct cpu_pages - the pages of a CPU
 * @cpu:	the CPU
 * @file:	a file without a name that has them
 * @size:	of the file [bytes]
 */
struct cpu_pages {
	int	cpu, file;
	off_t	size;
};

/**
 * struct page_counts - what is in pages
 * @events:	events
 * @lost:	events that were lost before a page, as the pages say
 * @last:	the time of the last event [ns], 0 if there is none
 */
struct page_counts {
	uint64_t	events, lost, last;
};

struct pages;

struct pages *pages_new(const char *dir);
size_t pages_add(struct pages *pages, struct tracefs_instance *instance);
void pages_start(struct pages *pages, uint64_t max_size);
int pages_end(const struct pages *pages);
uint64_t pages_size(const struct pages *pages);
bool pages_are_full(const struct pages *pages);
void pages_stop(struct pages *pages);
void pages_close(struct pages *pages);
void pages_check(const struct pages *pages);
size_t pages_cpus(const struct pages *pages);
struct cpu_pages pages_of(const struct pages *pages, size_t buffer, size_t index);
struct page_counts pages_count(const struct pages *pages, size_t buffer);

#endif /* HYPTRACE_PAGES_H */
