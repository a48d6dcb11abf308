/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of intervals: how often something took how long, by VM, vCPU, kind and reason. It
 * comes from hyp/totals (totals.h), from events (recording.h), or from JSON (json.h).
 */
#ifndef HYPTRACE_TABLE_H
#define HYPTRACE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "row.h"

enum vm_state {
	VM_UNKNOWN,
	VM_ALIVE,
	VM_GONE
};

/**
 * struct vm - a VM that the table's rows are about
 * @number:	its number
 * @pid:	of the process that has created it, 0 if that is not known
 * @name:	what that process calls it, from intern(); NULL if that is not known
 * @state:	whether it has been destroyed
 * @tid:	threads of its vCPUs, 0 for a vCPU whose thread is not known
 * @nr_vcpus:	length of @tid
 */
struct vm {
	unsigned int	number;
	pid_t		pid;
	const char	*name;
	enum vm_state	state;
	pid_t		*tid;
	unsigned int	nr_vcpus;
};

/**
 * struct table - a table of intervals
 * @row:	the rows
 * @nr:		their number
 * @slot:	the same rows, each at the slot that its key's hash says, or behind it
 * @nr_slots:	their number
 * @vm:		the VMs
 * @nr_vms:	their number
 * @run:	the runs of which this is the sum
 * @nr_runs:	their number, 0 if it is no sum
 * @seconds:	how long it was measured, 0 if that is not known
 * @until:	of one of several, when it ended since the first one began; else 0 [s]
 * @lost:	events that were lost
 * @has_forgotten: the kernel has forgotten VMs that were gone, since it was measured
 * @has_bounds:	percentiles are bounds, because only the histogram is known
 */
struct table {
	struct row	**row;
	size_t		nr;
	struct row	**slot;
	size_t		nr_slots;
	struct vm	*vm;
	size_t		nr_vms;
	struct table	**run;
	size_t		nr_runs;
	double		seconds, until;
	uint64_t	lost;
	bool		has_forgotten;
	bool		has_bounds;
};

struct table *table_new(void);
void table_free(struct table *table);
struct row *table_find(const struct table *table, const struct key *key);
struct row *table_row(struct table *table, const struct key *key);
struct table *table_difference(const struct table *now, const struct table *before);
struct vm *table_find_vm(const struct table *table, unsigned int number);
struct vm *table_vm(struct table *table, unsigned int number);
void table_add_vms(struct table *table, const struct table *other);
void vm_set_tid(struct vm *vm, unsigned int vcpu, pid_t tid);

#endif /* HYPTRACE_TABLE_H */
