/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which rows of a table the user wants to see, and in which order.
 */
#ifndef HYPTRACE_SELECT_H
#define HYPTRACE_SELECT_H

#include <argp.h>

#include "group.h"
#include "table.h"

/* What rows are sorted by; the largest comes first, unless the user wants the smallest. */
enum sort_key {
	SORT_TIME,
	SORT_COUNT,
	SORT_MAX,
	SORT_P99,
	NR_SORT_KEYS
};

extern const char * const sort_key_names[NR_SORT_KEYS];

/**
 * struct selection - what the user wants to see
 * @vm:		number of the only VM, -1 for all
 * @vcpu:	index of the only vCPU, -1 for all
 * @pid:	the process of the only VM, or the thread of the only vCPU; 0 for all
 * @kinds:	names of kinds, or beginnings of names, with commas; NULL for all
 * @reason:	pattern of reasons, NULL for all
 * @key:	what rows are sorted by
 * @ascending:	the smallest comes first
 * @by:		what rows tell apart, 0 if the user has not said it
 */
struct selection {
	long		vm, vcpu;
	pid_t		pid;
	const char	*kinds;
	const char	*reason;
	enum sort_key	key;
	bool		ascending;
	unsigned int	by;
};

#define SELECT_ALL ((struct selection) { .vm = -1, .vcpu = -1 })

/* The options for VMs and vCPUs, for kinds, and for the order; the input is the selection. */
extern const struct argp select_argp;
extern const struct argp kind_argp;
extern const struct argp sort_argp;

/* Nothing is said of VMs, vCPUs and processes. */
static inline bool selects_all_vms(const struct selection *selection)
{
	return selection->vm < 0 && selection->vcpu < 0 && !selection->pid;
}

bool is_selected(const struct table *table, const struct selection *selection,
		 const struct key *key);
void selection_check(const struct table *table, const struct selection *selection);
struct table *select_rows(const struct table *table, const struct selection *selection,
			  unsigned int by);
bool is_of_pid(const struct table *table, unsigned int vm, unsigned int vcpu, pid_t pid);
const char *kinds_in_both(const char *list, const char *other);
bool is_vm_selected(const struct vm *vm, const struct selection *selection);
void select_kinds(struct argp_state *state, struct selection *selection, const char *list);
void select_what(struct argp_state *state, struct selection *selection, const char *what);

#endif /* HYPTRACE_SELECT_H */
