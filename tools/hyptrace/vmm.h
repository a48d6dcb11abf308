/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The processes that have VMs: their names for them, and their threads.
 */
#ifndef HYPTRACE_VMM_H
#define HYPTRACE_VMM_H

#include <sys/types.h>

#include "list.h"

char *vmm_name(pid_t pid);
struct list vmm_threads(pid_t pid);

#endif /* HYPTRACE_VMM_H */
