/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host's memory: pages that go to EL2 and come back, after which the host's access to them is
 * an abort.
 */
#ifndef HYP_MEMORY_H
#define HYP_MEMORY_H

#include "../guests/hyp_blocks.h"
#include "../guests/hyp_vm.h"

/* The page frame number of a page. */
static inline uint64_t pfn_of(const void *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry;

	if (pread(fd, &entry, sizeof(entry), (uintptr_t)page / getpagesize() * 8) !=
	    sizeof(entry))
		err(1, "pagemap");
	close(fd);
	return entry & ((1ull << 55) - 1);
}

/* Memory that has pages. */
static inline char *populated(size_t size)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED)
		err(1, "mmap");
	return memory;
}

/*
 * Pass a page of the host to the secure world, to EL2, and back; then the host writes to it
 * or reads from it. Repeat that for pages in @size bytes that are @stride apart.
 */
static inline void pass_around_each(size_t size, size_t stride)
{
	char *memory = populated(size);
	size_t at;

	for (at = 0; at < size; at += stride) {
		write_test(HYP_TRACE_TEST_MEMORY, pfn_of(memory + at) << 8 | 1);
		if (at / stride % 2)
			__atomic_load_n(memory + at, __ATOMIC_RELAXED);
		else
			__atomic_store_n(memory + at, 1, __ATOMIC_RELAXED);
	}
	munmap(memory, size);
}

#define AFAR_SIZE	(192ul << 20)

/* Pass pages of different blocks of the host's stage 2. */
static inline void pass_around_afar(void)
{
	const size_t size = 16 * block_size();

	pass_around_each(size < AFAR_SIZE ? size : AFAR_SIZE, block_size());
}

#endif /* HYP_MEMORY_H */
