/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The instances of ftrace that a recorder has for itself.
 */
#ifndef HYPTRACE_INSTANCES_H
#define HYPTRACE_INSTANCES_H

#include <stdbool.h>
#include <stdint.h>
#include <tracefs.h>

/**
 * struct buffer_stats - what the kernel counts of an instance
 * @recorded:	events that can be read, or were
 * @lost:	events that can't
 */
struct buffer_stats {
	uint64_t	recorded, lost;
};

void hyp_lock(void);
bool instances_remove_dead(void);
struct tracefs_instance *host_instance(void);
void host_instance_remove(struct tracefs_instance *instance);
struct buffer_stats buffer_stats(struct tracefs_instance *instance);

#endif /* HYPTRACE_INSTANCES_H */
