// SPDX-License-Identifier: GPL-2.0-only
/*
 * The option --by, and the groups that it makes.
 */

#include <string.h>

#include "group.h"

enum {
	OPTION_BY = 0x4000,
};

static const struct argp_option options[] = {
	{ "by", OPTION_BY, "WHAT", 0, "A row for each vm, vcpu, thread, kind, ...", 0 },
	{ 0 }
};

/* A vCPU is one of a VM, and a reason is one of a kind. */
static const struct {
	const char	*name;
	unsigned int	by;
} groups[] = {
	{ "vm", BY_VM },
	{ "vcpu", BY_VM | BY_VCPU },
	{ "thread", BY_THREAD },
	{ "kind", BY_KIND },
	{ "reason", BY_KIND | BY_REASON },
	{ "mmio", BY_MMIO },
	{ "hypercall", BY_CALL },
	{ "sysreg", BY_SYSREG },
};

#define NR_GROUPS (sizeof(groups) / sizeof(groups[0]))

static unsigned int group_of(struct argp_state *state, const char *name)
{
	size_t i;

	for (i = 0; i < NR_GROUPS; i++)
		if (!strcmp(groups[i].name, name))
			return groups[i].by;
	argp_error(state, "--by %s: must be vm, vcpu, thread, kind, reason, mmio, hypercall or sysreg, or several of them with commas",
		   name);
	return 0;
}

static error_t parse(int option, char *argument, struct argp_state *state)
{
	char *list = argument, *name;
	unsigned int *by = state->input;

	if (option != OPTION_BY)
		return ARGP_ERR_UNKNOWN;
	*by = 0;
	while ((name = strsep(&list, ",")))
		*by |= group_of(state, name);
	if (__builtin_popcount(*by & BY_DETAIL) > 1)
		argp_error(state, "--by: only one of mmio, hypercall and sysreg, since none is two of them");
	return 0;
}

const struct argp group_argp = { .options = options, .parser = parse };

/* If kinds are not told apart, the first one of a section is there for all of them. */
static const enum kind first_kind[NR_SECTIONS] = {
	[SECTION_GUEST]	= KIND_GUEST,
	[SECTION_EXIT]	= KIND_EXIT_HOST,
	[SECTION_HOST]	= KIND_HCALL,
};

static const char * const section_names[NR_SECTIONS] = {
	[SECTION_GUEST]	= "guest",
	[SECTION_EXIT]	= "exit",
	[SECTION_HOST]	= "host",
};

/**
 * group_key() - the group that a row is in
 * @key:	the row's key
 * @by:		what groups tell apart
 *
 * Sections are never added up.
 *
 * Return: the group's key
 */
struct key group_key(const struct key *key, unsigned int by)
{
	return (struct key) {
		.vm	= by & BY_VM ? key->vm : 0,
		.vcpu	= by & BY_VCPU ? key->vcpu : 0,
		.thread	= by & BY_THREAD ? key->thread : NULL,
		.kind	= by & BY_KIND ? key->kind : first_kind[section_of(key->kind)],
		.reason	= by & BY_REASON ? key->reason : intern("-"),
		.detail	= by & BY_DETAIL ? key->detail : NULL,
	};
}

/**
 * group_detail() - what is told apart of what exits are for
 * @by:		what groups tell apart
 *
 * Return: the kind, DETAIL_NONE for none
 */
enum detail_kind group_detail(unsigned int by)
{
	switch (by & BY_DETAIL) {
	case BY_MMIO:
		return DETAIL_MMIO;
	case BY_CALL:
		return DETAIL_CALL;
	case BY_SYSREG:
		return DETAIL_SYSREG;
	default:
		return DETAIL_NONE;
	}
}

/**
 * group_kind() - the name of a group's kinds
 * @kind:	the kind of its key
 * @by:		what groups tell apart
 *
 * Return: the name
 */
const char *group_kind(enum kind kind, unsigned int by)
{
	return by & BY_KIND ? kind_names[kind] : section_names[section_of(kind)];
}
