/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_SORT_H
#define USER_SORT_H

#include <stdlib.h>

#define sort(base, num, size, cmp, swap)	qsort(base, num, size, cmp)

#endif /* USER_SORT_H */
