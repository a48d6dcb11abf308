/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals of the time at EL2: the layout that host and EL2 share.
 *
 * Each CPU has a table. EL2 accumulates its rows in memory that only EL2 has, and publishes
 * each row that changes to shared pages, which EL2 writes and never reads.
 *
 * Place 0 of the shared pages holds struct hyp_totals_state. Place k, for each kind k, holds
 * that kind's row "other", which counts what has no row of its own. The ordinary rows follow.
 */
#ifndef __ASM_HYPTRACE_TOTALS_H__
#define __ASM_HYPTRACE_TOTALS_H__

#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/types.h>

#include <asm/page-def.h>

/**
 * enum hyp_totals_kind - what is measured
 * @HYP_TOTALS_HCALL:	a hypercall; the reason is its number, or HYP_TOTALS_NO_HCALL
 * @HYP_TOTALS_SMC:	an SMC; the reason is the function's number
 * @HYP_TOTALS_ABORT:	an abort at the host's stage 2; the reason is the exception class
 * @HYP_TOTALS_PSCI:	an SMC that calls PSCI firmware and returns; the reason is as for SMC
 * @HYP_TOTALS_EXIT_EL2: a guest's exit that EL2 handles, until the guest runs again; the
 *			reason is the exception class or enum hyp_exit
 * @HYP_TOTALS_EXIT_HOST: a guest's exit that the host handles, until that vCPU runs again
 * @HYP_TOTALS_GUEST:	a guest runs; the reason is 0
 * @HYP_TOTALS_KINDS:	number of kinds, with 0, which is none
 *
 * The first four are the host's. They measure the time at EL2, from an exception of the host
 * until the host goes on, less the time that a guest ran. Firmware's time counts for SMC,
 * but not for PSCI, where a CPU may sleep.
 *
 * The others are a vCPU's, and follow each other without a gap.
 */
enum hyp_totals_kind {
	HYP_TOTALS_HCALL = 1,
	HYP_TOTALS_SMC,
	HYP_TOTALS_ABORT,
	HYP_TOTALS_PSCI,
	HYP_TOTALS_EXIT_EL2,
	HYP_TOTALS_EXIT_HOST,
	HYP_TOTALS_GUEST,
	HYP_TOTALS_KINDS
};

/*
 * A row's key.
 *
 * bits	 7:0	kind
 * bits 15:8	reason of an exit
 * bits 31:16	vCPU of a guest's kinds
 * bits 63:32	VM of a guest's kinds; reason of the host's kinds
 */
#define HYP_TOTALS_KEY_KIND	GENMASK_ULL(7, 0)
#define HYP_TOTALS_KEY_EXIT	GENMASK_ULL(15, 8)
#define HYP_TOTALS_KEY_VCPU	GENMASK_ULL(31, 16)
#define HYP_TOTALS_KEY_UPPER	GENMASK_ULL(63, 32)

/* A kind's row for what has no row of its own. No VM has that many vCPUs. */
#define HYP_TOTALS_OTHER(kind)	((kind) | HYP_TOTALS_KEY_VCPU)

/* The reason of a hypercall that does not exist. */
#define HYP_TOTALS_NO_HCALL	U32_MAX

static inline bool hyp_totals_is_guests(enum hyp_totals_kind kind)
{
	return kind >= HYP_TOTALS_EXIT_EL2;
}

/*
 * The histogram: bucket i has the intervals up to 2^HYP_TOTALS_BITS(i) ns that no higher bucket
 * has. Bucket 0 has all that are too long for the others. The last one has all up to 32 ns,
 * less than which can hardly be measured; bucket 1 has those up to 34 s. This order, with the
 * longest first, is that of a count of leading zeros.
 */
#define HYP_TOTALS_BUCKETS	32
#define HYP_TOTALS_BITS(i)	(36 - (i))

/**
 * struct hyp_totals_row - a row as EL2 publishes it
 * @done:	@count, written after all other fields have been
 * @count:	number of intervals, written before all other fields are
 * @key:	what the row is about, 0 if it is not used
 * @total:	sum of the intervals [ns]
 * @min:	shortest interval [ns]
 * @max:	longest interval [ns]
 * @bucket:	number of intervals by length
 *
 * @count and @done are the row's sequence count: while they differ, the row is being written.
 */
struct hyp_totals_row {
	u64	done;
	u64	count;
	u64	key;
	u64	total;
	u64	min;
	u64	max;
	u64	bucket[HYP_TOTALS_BUCKETS];
};

/**
 * struct hyp_totals_state - state of a CPU's table
 * @used:	ordinary rows that are used
 * @replaced:	rows of VMs that are gone, which have been added to "other" because their
 *		place was needed
 */
struct hyp_totals_state {
	u64	used;
	u64	replaced;
};

#define HYP_TOTALS_MIN_ROWS	16
#define HYP_TOTALS_MAX_ROWS	4096

/* Size of EL2's own copy of a row [bytes]. */
#define HYP_TOTALS_OWN_SIZE	320

#define HYP_TOTALS_PER_PAGE	(PAGE_SIZE / sizeof(struct hyp_totals_row))

/**
 * hyp_totals_places() - places in a table
 * @nr_rows:	ordinary rows: a power of 2, HYP_TOTALS_MIN_ROWS to HYP_TOTALS_MAX_ROWS
 *
 * Return: number of places
 */
static inline u32 hyp_totals_places(u32 nr_rows)
{
	return HYP_TOTALS_KINDS + nr_rows;
}

/**
 * hyp_totals_pages() - shared pages of a table
 * @nr_rows:	as for hyp_totals_places()
 *
 * Return: number of pages
 */
static inline u32 hyp_totals_pages(u32 nr_rows)
{
	return DIV_ROUND_UP(hyp_totals_places(nr_rows), HYP_TOTALS_PER_PAGE);
}

/**
 * hyp_totals_region_pages() - size of the region of a table
 * @nr_rows:	as for hyp_totals_places()
 *
 * The list of the shared pages comes first, EL2's own rows follow.
 *
 * Return: pages to donate
 */
static inline u32 hyp_totals_region_pages(u32 nr_rows)
{
	return DIV_ROUND_UP(hyp_totals_pages(nr_rows) * sizeof(u64) +
			    hyp_totals_places(nr_rows) * HYP_TOTALS_OWN_SIZE,
			    PAGE_SIZE);
}

/**
 * struct hyp_totals_vcpu - when and why a vCPU has stopped
 * @key:	VM, vCPU and reason
 * @stopped:	counter value
 * @epoch:	the measurement that @key and @stopped belong to, 0 if to none
 */
struct hyp_totals_vcpu {
	u64	key;
	u64	stopped;
	u32	epoch;
};

struct kvm;

#ifdef CONFIG_KVM_HYPTRACE
void hyptrace_vm_init(struct kvm *kvm);
void hyptrace_vm_gone(struct kvm *kvm);
#else
static inline void hyptrace_vm_init(struct kvm *kvm) { }
static inline void hyptrace_vm_gone(struct kvm *kvm) { }
#endif

#endif /* __ASM_HYPTRACE_TOTALS_H__ */
