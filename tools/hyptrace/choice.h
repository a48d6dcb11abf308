/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which of the hypervisor's events the user wants to record.
 */
#ifndef HYPTRACE_CHOICE_H
#define HYPTRACE_CHOICE_H

#include <stddef.h>

/* Texts, with a NULL after the last one. */
struct list {
	char	**text;
	size_t	nr;
};

void list_add(struct list *list, const char *text);

struct choice;

struct choice *choice_new(void);
void choice_add(struct choice *choice, const char *events);
void choice_to_arguments(const struct choice *choice, struct list *argv);

#endif /* HYPTRACE_CHOICE_H */
