/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of VMs, as far as events have told of it: with protected KVM, EL2 maps it.
 */
#ifndef HYPTRACE_MEMORY_H
#define HYPTRACE_MEMORY_H

#include <event-parse.h>
#include <stdint.h>
#include <sys/types.h>

/* Why pages are mapped where a block was. */
enum split_cause {
	SPLIT_USED,		/* for an access of the guest, KVM has put them in its place */
	SPLIT_TAKEN,		/* the host has taken the block back before */
	NR_SPLIT_CAUSES
};

extern const char * const split_cause_names[NR_SPLIT_CAUSES];

/**
 * struct split - blocks of one VM that one thread has taken back, and that were split for one cause
 * @vm:		the VM
 * @cause:	the cause
 * @tid:	the thread
 * @comm:	the thread's name
 * @blocks:	number of blocks
 * @pages:	number of pages that have been mapped in their places; each counts once
 */
struct split {
	unsigned int		vm;
	enum split_cause	cause;
	pid_t			tid;
	char			comm[20];
	uint64_t		blocks, pages;
};

/**
 * struct mapped - how much is mapped
 * @bytes:	memory
 * @blocks:	number of blocks, each of which is more than a page
 * @pages:	number of pages that are not in blocks
 */
struct mapped {
	uint64_t	bytes, blocks, pages;
};

/**
 * struct vm_memory - a VM's memory
 * @vm:		the VM's number
 * @now:	what is mapped at the end
 * @most:	what was mapped when @bytes was largest
 * @shares:	how often the host has shared a block or a page with the guest, or donated one
 * @unshares:	how often the host has taken one back
 * @faults:	how often the guest had to wait until the host had mapped memory, had permitted an
 *		access, or had set an access flag
 */
struct vm_memory {
	unsigned int	vm;
	struct mapped	now, most;
	uint64_t	shares, unshares, faults;
};

/**
 * struct memory - the memory of VMs
 * @vm:		the VMs, by number
 * @nr_vms:	number of elements in @vm
 * @split:	blocks that were split; what has most blocks comes first
 * @nr_splits:	number of elements in @split
 */
struct memory {
	struct vm_memory	*vm;
	size_t			nr_vms;
	struct split		*split;
	size_t			nr_splits;
};

struct memory_follower;

struct memory_follower *memory_begin(struct tep_handle *tep, uint64_t page_size);
void memory_lost(struct memory_follower *follower);
const struct vm_memory *memory_event(struct memory_follower *follower, int type, pid_t tid,
				     const struct tep_record *record);
struct memory memory_finish(struct memory_follower *follower);
void memory_free(struct memory *memory);

#endif /* HYPTRACE_MEMORY_H */
