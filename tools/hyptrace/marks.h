/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks in a recording: what a reader wants to know later, and no event tells.
 */
#ifndef HYPTRACE_MARKS_H
#define HYPTRACE_MARKS_H

#include <tracefs.h>

void mark_clocks(struct tracefs_instance *instance, const char *when);
void mark_origin(struct tracefs_instance *instance, char **command);
void mark_vms(struct tracefs_instance *instance);

#endif /* HYPTRACE_MARKS_H */
