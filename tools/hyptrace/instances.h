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

/**
 * struct dead_recorders - recorders that were killed, and could not give back
 * @digest:	of the settings of hyp/
 * @any:	there are some
 * @have_left_it: one of them has set all that is set in hyp/, and nobody has changed it
 */
struct dead_recorders {
	uint64_t	digest;
	bool		any, have_left_it;
};

void hyp_lock(void);
void instances_remove_dead(void);
struct dead_recorders instances_find_dead(uint64_t digest);
struct tracefs_instance *host_instance(void);
void host_instance_note(struct tracefs_instance *instance, uint64_t digest);
void host_instance_remove(struct tracefs_instance *instance);
struct buffer_stats buffer_stats(struct tracefs_instance *instance);

#endif /* HYPTRACE_INSTANCES_H */
