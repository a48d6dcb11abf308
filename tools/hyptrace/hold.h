/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program that uses hyp/ takes it, sets it up, and gives it back as it was.
 */
#ifndef HYPTRACE_HOLD_H
#define HYPTRACE_HOLD_H

#include <stdbool.h>

#include "hyp.h"
#include "list.h"

/* The size of each CPU's buffers by default [KiB] */
#define BUFFER_KB	4096

void hyp_take(bool force);
bool hyp_is_taken(void);
void hyp_give_back(void);
void hyp_allocate(long kb);
void instance_set(struct tracefs_instance *instance, const char *file, const char *value);
void instance_add(struct tracefs_instance *instance, const char *file, const struct list *list);
void instance_set_size(struct tracefs_instance *instance, long kb);

#endif /* HYPTRACE_HOLD_H */
