/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of texts.
 */
#ifndef HYPTRACE_LIST_H
#define HYPTRACE_LIST_H

#include <stddef.h>

/* Texts, with a NULL after the last one. */
struct list {
	char	**text;
	size_t	nr;
};

void list_add(struct list *list, const char *text);
void list_add_once(struct list *list, const char *text);
void list_free(struct list *list);

#endif /* HYPTRACE_LIST_H */
