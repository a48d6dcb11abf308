/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include <linux/ext_ring.h>

#define copy_page(to, from)	memcpy(to, from, EXT_RING_PAGE_SIZE)
