// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follows what is mapped for VMs, and what splits blocks.
 *
 * EL2 never splits a block: the host takes it back, and then shares pages of it. What KVM does so
 * for one access of the guest, it does because it wants pages now, as while writes are logged
 * (Linux: arch/arm64/kvm/pkvm.c, pkvm_pgtable_stage2_map()).
 */

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "hyp.h"
#include "memory.h"
#include "table.h"
#include "text.h"

const char * const split_cause_names[NR_SPLIT_CAUSES] = {
	[SPLIT_USED]	= "KVM wants pages, as when it logs writes",
	[SPLIT_TAKEN]	= "taken back by the host",
};

/**
 * struct range - a part of a VM's memory; those in one tree do not overlap
 * @vm:		the VM
 * @ipa:	its first byte
 * @end:	its last byte
 * @nr_pages:	its size [pages]
 * @tid:	the thread that has taken it back
 * @fault:	the number of the fault for which the thread has done that, 0 if there was none
 * @split:	what it counts in, once a part of it has been mapped
 */
struct range {
	unsigned int	vm;
	uint64_t	ipa, end, nr_pages;
	pid_t		tid;
	uint64_t	fault;
	struct split	*split;
};

/**
 * struct fault - an access of a vCPU, which waits for the host
 * @tid:	the vCPU's thread, which handles it
 * @vm:		the VM
 * @number:	number of the fault, 0 if the vCPU waits no longer
 */
struct fault {
	pid_t		tid;
	unsigned int	vm;
	uint64_t	number;
};

enum {
	EVENT_SHARE,
	EVENT_UNSHARE,
	EVENT_DONATE,
	EVENT_RECLAIM,
	EVENT_FORCE_RECLAIM,
	EVENT_PROTECT,
	EVENT_RELAX,
	EVENT_YOUNG,
	EVENT_ABORT,
	NR_EVENTS
};

static const char * const event_names[NR_EVENTS] = {
	[EVENT_SHARE]	= "mem_host_share_guest",
	[EVENT_UNSHARE]	= "mem_host_unshare_guest",
	/* To a protected guest, and from it, a page at a time (since Linux 7.3). */
	[EVENT_DONATE]	= "mem_host_donate_guest",
	[EVENT_RECLAIM]	= "mem_host_reclaim_guest",
	[EVENT_FORCE_RECLAIM] = "mem_host_force_reclaim_guest",
	[EVENT_PROTECT]	= "s2_guest_wrprotect",
	[EVENT_RELAX]	= "s2_guest_relax",
	[EVENT_YOUNG]	= "s2_guest_young",
	[EVENT_ABORT]	= "vcpu_mem_abort",
};

/* Fields of an event; not all events have all of them. */
struct memory_fields {
	struct event_field	vm, ipa, pfn, nr_pages, ret, kind;
};

/**
 * struct memory_follower - what is known between two events
 * @tep:	the events
 * @page_size:	the size of a page [bytes], 0 if it is not known
 * @field:	fields, by event
 * @enter:	the type of vcpu_enter, -1 if it is not known
 * @mapped:	ranges that are mapped
 * @taken:	blocks that the host has taken back
 * @parts:	pages of @taken that have been mapped, and are counted
 * @faults:	the last fault of each thread
 * @nr_faults:	number of faults; those up to @lost don't count, as events after them are missing
 * @lost:	see @nr_faults
 * @vms:	struct vm_memory
 * @splits:	struct split
 * @changed:	the VM whose memory the last event has changed, NULL if none
 *
 * Pointers are trees, for tsearch().
 */
struct memory_follower {
	struct tep_handle	*tep;
	uint64_t		page_size;
	struct memory_fields	field[NR_EVENTS];
	int			enter;
	void			*mapped, *taken, *parts;
	void			*faults;
	uint64_t		nr_faults, lost;
	void			*vms, *splits;
	struct vm_memory	*changed;
};

/* Trees ----------------------------------------------------------------------------- */

/* Ranges that overlap are equal: a search finds any of them. */
static int by_ipa(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->vm != y->vm)
		return x->vm < y->vm ? -1 : 1;
	return x->end < y->ipa ? -1 : x->ipa > y->end;
}

static struct range *range_find(void *const *tree, const struct range *key)
{
	struct range **found = tfind(key, tree, by_ipa);

	return found ? *found : NULL;
}

static struct range *range_add(void **tree, const struct range *range)
{
	return tree_get(tree, range, sizeof(*range), by_ipa);
}

static void range_remove(void **tree, struct range *range)
{
	tdelete(range, tree, by_ipa);
	free(range);
}

static int by_vm(const void *a, const void *b)
{
	const struct vm_memory *x = a, *y = b;

	return x->vm < y->vm ? -1 : x->vm > y->vm;
}

static struct vm_memory *vm_of(struct memory_follower *f, unsigned int vm)
{
	return tree_get(&f->vms, &(struct vm_memory) { .vm = vm }, sizeof(struct vm_memory), by_vm);
}

static int by_cause(const void *a, const void *b)
{
	const struct split *x = a, *y = b;

	if (x->vm != y->vm)
		return x->vm < y->vm ? -1 : 1;
	if (x->cause != y->cause)
		return x->cause < y->cause ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static struct split *split_of(struct memory_follower *f, const struct range *block,
			      enum split_cause cause)
{
	const struct split key = { .vm = block->vm, .cause = cause, .tid = block->tid };

	return tree_get(&f->splits, &key, sizeof(key), by_cause);
}

static int by_tid(const void *a, const void *b)
{
	const struct fault *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static struct fault *fault_of(struct memory_follower *f, pid_t tid)
{
	return tree_get(&f->faults, &(struct fault) { .tid = tid }, sizeof(struct fault), by_tid);
}

/* Mapped memory --------------------------------------------------------------------- */

static void account(struct memory_follower *f, struct vm_memory *vm, const struct range *range,
		    int sign)
{
	vm->now.bytes += sign * (range->nr_pages * f->page_size);
	if (range->nr_pages > 1)
		vm->now.blocks += sign;
	else
		vm->now.pages += sign;
	if (vm->now.bytes > vm->most.bytes)
		vm->most = vm->now;
	f->changed = vm;
}

/* More than one range is there only if events were lost. */
static void unmap(struct memory_follower *f, struct vm_memory *vm, const struct range *range)
{
	struct range *mapped;

	while ((mapped = range_find(&f->mapped, range))) {
		account(f, vm, mapped, -1);
		range_remove(&f->mapped, mapped);
	}
}

static void map(struct memory_follower *f, struct vm_memory *vm, const struct range *range)
{
	unmap(f, vm, range);
	account(f, vm, range, 1);
	range_add(&f->mapped, range);
}

/* Faults ---------------------------------------------------------------------------- */

static void fault_begins(struct memory_follower *f, struct fault *fault, unsigned int vm)
{
	fault->vm = vm;
	fault->number = ++f->nr_faults;
}

/* The fault of a VM that a thread has to handle; 0 if there is none. */
static uint64_t open_fault(const struct memory_follower *f, const struct fault *fault,
			   unsigned int vm)
{
	return fault->number > f->lost && fault->vm == vm ? fault->number : 0;
}

/* The host has done what the fault has waited for. */
static void fault_handled(struct memory_follower *f, struct vm_memory *vm, struct fault *fault)
{
	if (!open_fault(f, fault, vm->vm))
		return;
	vm->faults++;
	fault->number = 0;
}

/* Blocks ---------------------------------------------------------------------------- */

static void forget_block(struct memory_follower *f, struct range *block)
{
	struct range *part;

	while ((part = range_find(&f->parts, block)))
		range_remove(&f->parts, part);
	range_remove(&f->taken, block);
}

/* A part of a block that was taken back is mapped. */
static void count_part(struct memory_follower *f, struct range *block, const struct fault *fault,
		       const struct range *part)
{
	if (!block->split) {
		block->split = split_of(f, block, block->fault &&
					block->fault == open_fault(f, fault, block->vm) ?
					SPLIT_USED : SPLIT_TAKEN);
		block->split->blocks++;
	}
	if (range_find(&f->parts, part))
		return;
	range_add(&f->parts, part);
	block->split->pages += part->nr_pages;
}

static void note_split(struct memory_follower *f, const struct fault *fault,
		       const struct range *range)
{
	struct range *block;

	while ((block = range_find(&f->taken, range))) {
		if (block->ipa <= range->ipa && block->end >= range->end &&
		    block->nr_pages > range->nr_pages) {
			count_part(f, block, fault, range);
			return;
		}
		forget_block(f, block);
	}
}

/* Events ---------------------------------------------------------------------------- */

static void shared(struct memory_follower *f, struct fault *fault, const struct range *range)
{
	struct vm_memory *vm = vm_of(f, range->vm);

	note_split(f, fault, range);
	map(f, vm, range);
	vm->shares++;
	fault_handled(f, vm, fault);
}

static void unshared(struct memory_follower *f, const struct fault *fault, struct range *range)
{
	struct vm_memory *vm = vm_of(f, range->vm);
	struct range *block;

	unmap(f, vm, range);
	vm->unshares++;
	if (range->nr_pages == 1)
		return;
	while ((block = range_find(&f->taken, range)))
		forget_block(f, block);
	range->tid = fault->tid;
	range->fault = open_fault(f, fault, range->vm);
	range_add(&f->taken, range);
}

/*
 * The host protects only memory that is mapped. If no event has told of that memory, it was mapped
 * before the recording began.
 */
static void protected(struct memory_follower *f, const struct range *range)
{
	const struct range *mapped = range_find(&f->mapped, range);

	if (!mapped || mapped->nr_pages != range->nr_pages)
		map(f, vm_of(f, range->vm), range);
}

/* The host sets the access flag: the guest waits for that, as for memory. */
static bool sets_flag(const struct memory_fields *fields, const struct tep_record *record)
{
	const char *kind = value_name(&fields->kind, field_value(&fields->kind, record));

	return kind && !strcmp(kind, "set");
}

/* Get the range that an event is about. False if a damaged file gives it none that is valid. */
static bool range_of(const struct memory_follower *f, const struct memory_fields *fields,
		     const struct tep_record *record, struct range *range)
{
	/* vm has 16 bits, nr_pages has 32. */
	*range = (struct range) {
		.vm = (uint16_t)field_value(&fields->vm, record),
		.ipa = field_value(&fields->ipa, record),
		.nr_pages = fields->nr_pages.field ?
			    (uint32_t)field_value(&fields->nr_pages, record) : 1,
	};
	return f->page_size && range->nr_pages &&
	       !__builtin_add_overflow(range->ipa, range->nr_pages * f->page_size - 1,
				       &range->end);
}

static void memory_changes(struct memory_follower *f, int event, pid_t tid,
			   const struct tep_record *record)
{
	const struct memory_fields *fields = &f->field[event];
	struct fault *fault = fault_of(f, tid);
	struct range range;

	if (field_value(&fields->ret, record) || !range_of(f, fields, record, &range))
		return;
	switch (event) {
	case EVENT_SHARE:
	case EVENT_DONATE:
		shared(f, fault, &range);
		break;
	case EVENT_RECLAIM:
	case EVENT_FORCE_RECLAIM:
		/* The guest may have had no page there. */
		if (field_value(&fields->pfn, record))
			unshared(f, fault, &range);
		break;
	case EVENT_UNSHARE:
		unshared(f, fault, &range);
		break;
	case EVENT_PROTECT:
		protected(f, &range);
		break;
	case EVENT_RELAX:
		fault_handled(f, vm_of(f, range.vm), fault);
		break;
	case EVENT_YOUNG:
		if (sets_flag(fields, record))
			fault_handled(f, vm_of(f, range.vm), fault);
		break;
	case EVENT_ABORT:
		fault_begins(f, fault, range.vm);
	}
}

/**
 * memory_event() - an event has happened
 * @follower:	from memory_begin()
 * @type:	its type
 * @tid:	the thread for which EL2 was entered
 * @record:	the event
 *
 * Return: the memory of the VM of which more or less is mapped now, else NULL
 */
const struct vm_memory *memory_event(struct memory_follower *follower, int type, pid_t tid,
				     const struct tep_record *record)
{
	int event;

	follower->changed = NULL;
	/* A fault that the host did not handle was an access of a device, or comes again. */
	if (type == follower->enter && follower->nr_faults)
		fault_of(follower, tid)->number = 0;
	for (event = 0; event < NR_EVENTS; event++)
		if (type == follower->field[event].ipa.type)
			memory_changes(follower, event, tid, record);
	return follower->changed;
}

/**
 * memory_lost() - events are missing here
 * @follower:	from memory_begin()
 *
 * Events after that are not taken for the handling of an earlier fault.
 */
void memory_lost(struct memory_follower *follower)
{
	follower->lost = follower->nr_faults;
}

/* Begin and end --------------------------------------------------------------------- */

static struct memory_fields fields_of(struct tep_handle *tep, const char *event)
{
	return (struct memory_fields) {
		.vm = event_field(tep, HYP_INSTANCE, event, "vm"),
		.ipa = event_field(tep, HYP_INSTANCE, event, "ipa"),
		.pfn = event_field(tep, HYP_INSTANCE, event, "pfn"),
		.nr_pages = event_field(tep, HYP_INSTANCE, event, "nr_pages"),
		.ret = event_field(tep, HYP_INSTANCE, event, "ret"),
		.kind = event_field(tep, HYP_INSTANCE, event, "kind"),
	};
}

static void fields_free(struct memory_fields *fields)
{
	event_field_free(&fields->vm);
	event_field_free(&fields->ipa);
	event_field_free(&fields->pfn);
	event_field_free(&fields->nr_pages);
	event_field_free(&fields->ret);
	event_field_free(&fields->kind);
}

/**
 * memory_begin() - begin to follow what is mapped for VMs
 * @tep:	the events
 * @page_size:	the size of a page on the machine that is traced [bytes]. If it is 0, which means
 *		that it is not known, nothing is followed
 *
 * Return: what follows it, for memory_event(), and then memory_finish()
 */
struct memory_follower *memory_begin(struct tep_handle *tep, uint64_t page_size)
{
	struct memory_follower *follower = xzalloc(sizeof(*follower));
	struct event_field entered = event_field(tep, HYP_INSTANCE, "vcpu_enter", "vcpu");
	int event;

	follower->tep = tep;
	follower->page_size = page_size;
	for (event = 0; event < NR_EVENTS; event++)
		follower->field[event] = fields_of(tep, event_names[event]);
	follower->enter = entered.type;
	event_field_free(&entered);
	return follower;
}

/* twalk_r() calls this thrice for a node that is no leaf; postorder is the call in its order. */
static void add_vm(const void *node, VISIT visit, void *data)
{
	struct memory *memory = data;

	if (visit != postorder && visit != leaf)
		return;
	memory->vm = xrealloc(memory->vm, memory->nr_vms + 1, sizeof(*memory->vm));
	memory->vm[memory->nr_vms++] = **(struct vm_memory *const *)node;
}

static void add_split(const void *node, VISIT visit, void *data)
{
	struct memory *memory = data;

	if (visit != postorder && visit != leaf)
		return;
	memory->split = xrealloc(memory->split, memory->nr_splits + 1, sizeof(*memory->split));
	memory->split[memory->nr_splits++] = **(struct split *const *)node;
}

static int by_blocks(const void *a, const void *b)
{
	const struct split *x = a, *y = b;

	if (x->blocks != y->blocks)
		return x->blocks > y->blocks ? -1 : 1;
	return by_cause(a, b);
}

/**
 * memory_finish() - there are no more events
 * @follower:	from memory_begin(); it is freed
 *
 * Return: the memory of VMs, for memory_free()
 */
struct memory memory_finish(struct memory_follower *follower)
{
	struct memory memory = { 0 };
	struct split *split;
	int event;

	twalk_r(follower->vms, add_vm, &memory);
	twalk_r(follower->splits, add_split, &memory);
	sort(memory.split, memory.nr_splits, sizeof(*memory.split), by_blocks);
	for (split = memory.split; split < memory.split + memory.nr_splits; split++) {
		snprintf(split->comm, sizeof(split->comm), "%s",
			 tep_data_comm_from_pid(follower->tep, split->tid));
		make_printable(split->comm);
	}
	for (event = 0; event < NR_EVENTS; event++)
		fields_free(&follower->field[event]);
	tdestroy(follower->mapped, free);
	tdestroy(follower->taken, free);
	tdestroy(follower->parts, free);
	tdestroy(follower->faults, free);
	tdestroy(follower->vms, free);
	tdestroy(follower->splits, free);
	free(follower);
	return memory;
}

/**
 * memory_free() - free what memory_finish() has returned
 * @memory:	that
 */
void memory_free(struct memory *memory)
{
	free(memory->vm);
	free(memory->split);
}
