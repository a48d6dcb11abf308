/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of a guest that KVM maps in blocks, as the host has it in huge pages.
 */
#ifndef HYP_BLOCKS_H
#define HYP_BLOCKS_H

#include <err.h>
#include <stdint.h>
#include <sys/mman.h>

#include "../hyp_trace.h"

/* A block is mapped by an entry that could be a table of pages instead. */
static inline size_t block_size(void)
{
	return page_size() / sizeof(uint64_t) * page_size();
}

/* Map @nr blocks, each in a huge page; munmap() unmaps them. */
static inline char *blocks_map(int nr)
{
	const size_t size = nr * block_size();
	char *memory = mmap(NULL, size + block_size(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before = -(uintptr_t)memory % block_size();
	int i;

	if (memory == MAP_FAILED)
		err(1, "mmap");
	munmap(memory + before + size, block_size() - before);
	if (before)
		munmap(memory, before);
	memory += before;
	/* The kernel does not use huge pages if there are less than 512 MiB of memory. */
	put("/sys/kernel/mm/transparent_hugepage/enabled", "madvise");
	if (madvise(memory, size, MADV_HUGEPAGE))
		err(1, "huge pages");
	for (i = 0; i < nr; i++)
		memory[i * block_size()] = 1;
	return memory;
}

#endif /* HYP_BLOCKS_H */
