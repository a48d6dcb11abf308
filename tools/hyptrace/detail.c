// SPDX-License-Identifier: GPL-2.0-only
/*
 * Learns from events what exits were for.
 */

#include <inttypes.h>
#include <stdio.h>

#include "detail.h"
#include "hyp.h"

const char * const detail_names[NR_DETAIL_KINDS] = {
	[DETAIL_NONE]	= "",
	[DETAIL_MMIO]	= "mmio",
	[DETAIL_MEMORY]	= "memory",
	[DETAIL_CALL]	= "call",
	[DETAIL_SYSREG]	= "sysreg",
};

/**
 * detail_events() - find the events that tell what exits were for
 * @tep:	the events
 * @map:	what is where in guests' memory, or NULL; it must stay
 *
 * Return: the events, for detail_events_free()
 */
struct detail_events detail_events(struct tep_handle *tep, const struct map *map)
{
	return (struct detail_events) {
		.map		= map,
		.exit_esr	= event_field(tep, HYP_INSTANCE, "vcpu_exit", "esr"),
		.ipa		= event_field(tep, HYP_INSTANCE, "vcpu_mem_abort", "ipa"),
		.ipa_esr	= event_field(tep, HYP_INSTANCE, "vcpu_mem_abort", "esr"),
		.hvc		= event_field(tep, HYP_INSTANCE, "guest_hvc", "func_id"),
		.smc		= event_field(tep, HYP_INSTANCE, "guest_smc", "func_id"),
		.sysreg		= event_field(tep, HYP_INSTANCE, "vcpu_fixup_sysreg", "sysreg"),
		.access		= event_field(tep, HYP_INSTANCE, "vcpu_fixup_sysreg", "write"),
		.address	= event_field(tep, HYP_INSTANCE, "host_mem_abort", "addr"),
		.abort_esr	= event_field(tep, HYP_INSTANCE, "host_mem_abort", "esr"),
	};
}

/**
 * detail_events_free() - free what detail_events() has allocated
 * @events:	the events
 */
void detail_events_free(struct detail_events *events)
{
	/* Only these have names. */
	event_field_free(&events->hvc);
	event_field_free(&events->smc);
	event_field_free(&events->sysreg);
	event_field_free(&events->access);
}

/* ESR_EL2.EC: Arm ARM, "ESR_EL2, Exception Syndrome Register (EL2)" */
enum {
	CLASS_SYS64	= 0x18,
	CLASS_DABT_LOW	= 0x24,
};

/**
 * detail_class() - the class of an exception
 * @esr:	ESR_EL2
 *
 * Return: the class
 */
unsigned int detail_class(uint64_t esr)
{
	return esr >> 26 & 0x3f;
}

/* Arm ARM, "ISS encoding for an exception from a Data Abort": ISV, SAS and WnR */
static struct detail of_abort(const struct detail_events *events, uint64_t address, uint64_t esr)
{
	const bool is_data = detail_class(esr) == CLASS_DABT_LOW;

	return (struct detail) {
		.kind = DETAIL_MEMORY, .value = address, .name = map_name(events->map, address),
		.size = is_data && esr >> 24 & 1 ? 1 << (esr >> 22 & 3) : 0,
		.is_write = is_data && esr >> 6 & 1,
	};
}

static struct detail of_sysreg(const struct detail_events *events, uint64_t number, bool is_write)
{
	return (struct detail) {
		.kind = DETAIL_SYSREG, .value = number,
		.name = value_name(&events->sysreg, number), .is_write = is_write,
	};
}

/*
 * Arm ARM, "ISS encoding for an exception from MSR, MRS, or System instruction execution in AArch64
 * state"; the register's number is the kernel's (sys_reg()).
 */
static struct detail of_trap(const struct detail_events *events, uint64_t esr)
{
	const uint64_t op0 = esr >> 20 & 3, op1 = esr >> 14 & 7, op2 = esr >> 17 & 7;
	const uint64_t crn = esr >> 10 & 15, crm = esr >> 1 & 15;
	const uint64_t number = op0 << 19 | op1 << 16 | crn << 12 | crm << 8 | op2 << 5;

	return of_sysreg(events, number, !(esr & 1));
}

static struct detail of_call(const struct event_field *function, const struct tep_record *record)
{
	const uint64_t number = field_value(function, record);

	return (struct detail) {
		.kind = DETAIL_CALL, .value = number, .name = value_name(function, number),
	};
}

/**
 * detail_learn() - learn from an event what an exit or abort was for
 * @events:	the events that tell it
 * @record:	an event of the vCPU that has exited, or of the CPU
 * @type:	its type
 * @detail:	gets it, if the event tells it; the last event of an exit tells it best
 */
void detail_learn(const struct detail_events *events, const struct tep_record *record, int type,
		  struct detail *detail)
{
	uint64_t esr;

	if (type == events->exit_esr.type) {
		esr = field_value(&events->exit_esr, record);
		if (detail_class(esr) == CLASS_SYS64)
			*detail = of_trap(events, esr);
	} else if (type == events->ipa.type) {
		*detail = of_abort(events, field_value(&events->ipa, record),
				   field_value(&events->ipa_esr, record));
	} else if (type == events->address.type) {
		*detail = of_abort(events, field_value(&events->address, record),
				   field_value(&events->abort_esr, record));
	} else if (type == events->hvc.type) {
		*detail = of_call(&events->hvc, record);
	} else if (type == events->smc.type) {
		*detail = of_call(&events->smc, record);
	} else if (type == events->sysreg.type) {
		*detail = of_sysreg(events, field_value(&events->sysreg, record),
				    field_value(&events->access, record) == 1);
	}
}

/**
 * detail_access() - whether it reads or writes
 * @detail:	what it was for
 *
 * Return: "read", "write", or an empty text if it is no access
 */
const char *detail_access(const struct detail *detail)
{
	if (detail->kind == DETAIL_NONE || detail->kind == DETAIL_CALL)
		return "";
	return detail->is_write ? "write" : "read";
}

/**
 * detail_text() - what it was for, for people
 * @text:	where it goes
 * @detail:	what it was for
 *
 * Return: @text, as "0x9000018 read 4 pl011", "CNTPCT_EL0 read", "PSCI_VERSION"
 */
const char *detail_text(char text[REASON_SIZE], const struct detail *detail)
{
	const bool is_at = detail->kind == DETAIL_MMIO || detail->kind == DETAIL_MEMORY;
	char number[24], size[16] = "";

	text[0] = '\0';
	if (detail->kind == DETAIL_NONE)
		return text;
	snprintf(number, sizeof(number), "%#" PRIx64, detail->value);
	if (detail->size)
		snprintf(size, sizeof(size), " %u", detail->size);
	snprintf(text, REASON_SIZE, "%s%s%s%s%s%s", is_at || !detail->name ? number : detail->name,
		 *detail_access(detail) ? " " : "", detail_access(detail), size,
		 is_at && detail->name ? " " : "", is_at && detail->name ? detail->name : "");
	return text;
}

/**
 * detail_group() - what it has in common with others
 * @detail:	what it was for
 *
 * Addresses are told apart by pages of 4 KiB: a device has one or more of them.
 *
 * Return: a text from intern(), NULL if it is not known
 */
const char *detail_group(const struct detail *detail)
{
	struct detail group = *detail;
	char text[REASON_SIZE];

	if (detail->kind == DETAIL_NONE)
		return NULL;
	if (detail->kind == DETAIL_MMIO || detail->kind == DETAIL_MEMORY)
		group.value &= ~0xfffULL;
	return intern(detail_text(text, &group));
}
