/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory, texts, trees and sorting.
 */
#ifndef HYPTRACE_BASICS_H
#define HYPTRACE_BASICS_H

#include <stddef.h>

void *xrealloc(void *memory, size_t number, size_t size);
void *xzalloc(size_t size);
void *xgrow(void *array, size_t *number, size_t least, size_t size);
char *xstrdup(const char *text);
const char *intern(const char *text);
void *tree_get(void **tree, const void *key, size_t size,
	       int (*compare)(const void *a, const void *b));
void sort(void *array, size_t number, size_t size, int (*compare)(const void *a, const void *b));

#endif /* HYPTRACE_BASICS_H */
