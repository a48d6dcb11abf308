/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages with a reference count, which is in front of each.
 */
#ifndef USER_LINUX_MM_H
#define USER_LINUX_MM_H

#include <stdlib.h>
#include <string.h>

#include <linux/ext_ring.h>

struct page {
	int	refs;
	char	pad[60];	/* keeps pages aligned */
};

#define virt_to_page(address)	((struct page *)(address) - 1)
#define get_page(page)		((void)__atomic_add_fetch(&(page)->refs, 1, __ATOMIC_RELAXED))
/* The order comes from the cmpxchg that follows: sanitizers do not see that. */
#define page_ref_count(page)	__atomic_load_n(&(page)->refs, __ATOMIC_ACQUIRE)

#define copy_page(to, from)	memcpy(to, from, EXT_RING_PAGE_SIZE)

/* A page with one reference, filled with nonsense. */
static inline void *page_new(void)
{
	struct page *page = malloc(sizeof(*page) + EXT_RING_PAGE_SIZE);

	page->refs = 1;
	return memset(page + 1, 0xa5, EXT_RING_PAGE_SIZE);
}

static inline void free_page(unsigned long address)
{
	if (address && !__atomic_sub_fetch(&virt_to_page(address)->refs, 1, __ATOMIC_ACQ_REL))
		free(virt_to_page(address));
}

#endif /* USER_LINUX_MM_H */
