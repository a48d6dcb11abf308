/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A detail says what an exit, or an abort of the host, was for: an address, a function or a system
 * register.
 */
#ifndef HYPTRACE_DETAIL_H
#define HYPTRACE_DETAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "events.h"
#include "map.h"
#include "row.h"

enum detail_kind {
	DETAIL_NONE,
	DETAIL_MMIO,		/* an access to a device */
	DETAIL_MEMORY,		/* one to memory, or it is not known to what */
	DETAIL_CALL,		/* a call of the guest, to KVM or to firmware */
	DETAIL_SYSREG,		/* an access to a system register */
	NR_DETAIL_KINDS
};

extern const char * const detail_names[NR_DETAIL_KINDS];

/**
 * struct detail - what it was for
 * @kind:	what it is
 * @value:	an address (of a guest, an IPA), or the number of a function or register
 * @name:	the function's or register's name, or that of what is at the address, from intern();
 *		NULL if it has none
 * @size:	of the access [bytes], 0 if that is not known
 * @is_write:	it is a write
 */
struct detail {
	enum detail_kind	kind;
	uint64_t		value;
	const char		*name;
	unsigned int		size;
	bool			is_write;
};

/**
 * struct detail_events - the events that tell it
 * @map:	what is where in guests' memory, or NULL
 * @exit_esr:	vcpu_exit
 * @ipa:	vcpu_mem_abort
 * @ipa_esr:	the same
 * @hvc:	guest_hvc
 * @smc:	guest_smc
 * @sysreg:	vcpu_fixup_sysreg
 * @access:	the same
 * @address:	host_mem_abort
 * @abort_esr:	the same
 */
struct detail_events {
	const struct map	*map;
	struct event_field	exit_esr, ipa, ipa_esr, hvc, smc, sysreg, access;
	struct event_field	address, abort_esr;
};

struct detail_events detail_events(struct tep_handle *tep, const struct map *map);
void detail_events_free(struct detail_events *events);
unsigned int detail_class(uint64_t esr);
void detail_learn(const struct detail_events *events, const struct tep_record *record, int type,
		  struct detail *detail);
const char *detail_access(const struct detail *detail);
const char *detail_text(char text[REASON_SIZE], const struct detail *detail);
const char *detail_group(const struct detail *detail);

#endif /* HYPTRACE_DETAIL_H */
