/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which of the hypervisor's events the user wants to record.
 */
#ifndef HYPTRACE_CHOICE_H
#define HYPTRACE_CHOICE_H

#include "list.h"

struct choice;

struct choice *choice_new(void);
void choice_add(struct choice *choice, const char *events);
struct list choice_to_list(const struct choice *choice);

#endif /* HYPTRACE_CHOICE_H */
