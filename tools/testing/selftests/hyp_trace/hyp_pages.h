/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory that is shared with EL2, as it is: ring_pages, see ext/test.c.
 */
#ifndef HYP_PAGES_H
#define HYP_PAGES_H

#include <stddef.h>

#include "../../../../include/linux/ext_ring.h"
#include "hyp_trace.h"

/* The offset of a page. @id -1 is the meta page, others are data pages. */
static inline off_t page_offset(int cpu, int id)
{
	return ((off_t)cpu << 40) + (off_t)(id + 1) * page_size();
}

static inline int pages_open(void)
{
	return open(HYP "ring_pages", O_RDWR);
}

static inline bool page_read(int fd, int cpu, int id, uint8_t *page)
{
	ssize_t size = page_size();

	return pread(fd, page, size, page_offset(cpu, id)) == size;
}

static inline uint64_t u64_read(int fd, int cpu, int id, size_t offset)
{
	uint64_t value = 0;

	if (pread(fd, &value, sizeof(value), page_offset(cpu, id) + offset) != sizeof(value))
		return UINT64_MAX;
	return value;
}

/* The number of events that EL2 had written when the ring was emptied last. */
static inline uint64_t pages_first_seq(int fd, int cpu)
{
	return u64_read(fd, cpu, -1, offsetof(struct ext_ring_meta, first_seq));
}

/* The id of the page that EL2 has begun after @events events since then; -1 if there is none. */
static inline int page_after(int fd, int cpu, uint64_t events)
{
	uint64_t wanted = pages_first_seq(fd, cpu) + events, first_seq;
	int id;

	for (id = 0; ; id++) {
		first_seq = u64_read(fd, cpu, id, page_size() - sizeof(first_seq));
		if (first_seq == UINT64_MAX)
			return -1;
		if (first_seq == wanted && u64_read(fd, cpu, id, 8))
			return id;
	}
}

#endif /* HYP_PAGES_H */
