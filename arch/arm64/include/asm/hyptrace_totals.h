/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals of the time at EL2: the layout that host and EL2 share.
 *
 * Each CPU has a table, which counts what EL2 does for the host, and each vCPU has one, which
 * counts what happens to the guest, on whatever CPU it runs. Which row counts what is fixed: see
 * asm/hyptrace_totals_rows.h.
 *
 * EL2 accumulates the rows in memory that only EL2 has, and publishes each row that changes to
 * shared pages, which EL2 writes and never reads. Place 0 of the shared pages holds struct
 * hyp_totals_state, and place 1 + i holds row i.
 */
#ifndef __ASM_HYPTRACE_TOTALS_H__
#define __ASM_HYPTRACE_TOTALS_H__

#include <linux/bits.h>
#include <linux/jump_label.h>
#include <linux/math.h>
#include <linux/types.h>

#include <asm/page-def.h>

/*
 * The histogram: bucket i has the intervals up to 2^HYP_TOTALS_BITS(i) ns that no bucket with fewer
 * bits has. HYP_TOTALS_LONGEST has all that are too long for the others, which go up to 34 s, and
 * HYP_TOTALS_SHORTEST has all up to 32 ns, less than which can hardly be measured.
 *
 * The order is that of a count of leading zeros, modulo 32: so any interval has a bucket, whatever
 * EL2 believes of it.
 */
#define HYP_TOTALS_BUCKETS	32
#define HYP_TOTALS_BITS(i)	(36 - ((i) + 4) % HYP_TOTALS_BUCKETS)
#define HYP_TOTALS_LONGEST	28
#define HYP_TOTALS_SHORTEST	27

/**
 * struct hyp_totals_row - a row as EL2 publishes it
 * @done:	@count, written after all other fields have been
 * @count:	number of intervals, written before all other fields are
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
	u64	total;
	u64	min;
	u64	max;
	u64	bucket[HYP_TOTALS_BUCKETS];
};

/**
 * struct hyp_totals_state - state of a table
 * @reset:	of a vCPU's table: number of the reset after which the rows have begun at 0
 * @nr_max:	of a CPU's table: number of long intervals that have been published
 * @nr_spared:	of a CPU's table: intervals above the threshold that have not, as another one had
 *		been shortly before
 */
struct hyp_totals_state {
	u64	reset;
	u64	nr_max;
	u64	nr_spared;
};

/* Size of EL2's own copy of a row, and of what EL2 keeps of a table besides [bytes]. */
#define HYP_TOTALS_OWN_SIZE	312
#define HYP_TOTALS_TABLE_SIZE	64

#define HYP_TOTALS_PER_PAGE	(PAGE_SIZE / sizeof(struct hyp_totals_row))

/* Shared pages of a table's rows. */
static inline u32 hyp_totals_pages(u32 nr_rows)
{
	return DIV_ROUND_UP(1 + nr_rows, HYP_TOTALS_PER_PAGE);
}

/**
 * struct hyp_totals_shape - size of a table
 * @nr_rows:	its rows
 * @nr_pages:	its shared pages
 * @region_pages: pages to donate for it
 */
struct hyp_totals_shape {
	u32	nr_rows;
	u32	nr_pages;
	u32	region_pages;
};

/**
 * hyp_totals_shape() - get the size of a table
 * @nr_rows:	its rows
 * @more_pages:	shared pages behind those of the rows
 * @more_own:	what EL2 keeps besides the rows [bytes]
 *
 * In the region, the list of the shared pages comes first, and EL2's own copy of the table follows.
 *
 * Return: the size
 */
static inline struct hyp_totals_shape hyp_totals_shape(u32 nr_rows, u32 more_pages,
						       size_t more_own)
{
	u32 nr_pages = hyp_totals_pages(nr_rows) + more_pages;
	size_t own = HYP_TOTALS_TABLE_SIZE + nr_rows * HYP_TOTALS_OWN_SIZE + more_own;

	return (struct hyp_totals_shape) {
		.nr_rows	= nr_rows,
		.nr_pages	= nr_pages,
		.region_pages	= DIV_ROUND_UP(nr_pages * sizeof(u64) + own, PAGE_SIZE),
	};
}

struct hyp_totals_own;

/**
 * struct hyp_totals_mark - which event was the next one at some time
 * @at:		counter value
 * @ns:		what the boot clock was then: since then it may have been corrected [ns]
 * @seq:	the event's sequence number
 * @cpu:	of that CPU
 */
struct hyp_totals_mark {
	u64	at;
	u64	ns;
	u64	seq;
	u32	cpu;
};

/**
 * struct hyp_totals_vcpu - when and why a vCPU has stopped, and where that is counted
 * @rows:	EL2's rows of the vCPU, NULL if it has none
 * @stopped:	counter value
 * @mark:	set at @stopped, if events were recorded and long intervals were wanted; else it is
 *		of an earlier time
 * @epoch:	the measurement that @reason and @stopped belong to, in its upper half, and the
 *		setting that the ranges of @rows belong to; 0 if to none
 * @reset:	the reset after which @rows have begun at 0
 * @reason:	exception class or enum hyp_exit
 * @tried:	the host's: the reset after which it has last tried to give EL2 a table
 *
 * With protection, EL2 uses its own copy of the vCPU. Without, it uses the host's, and with it
 * @rows: a pointer that the host can write, as all of a vCPU that is not protected.
 */
struct hyp_totals_vcpu {
	struct hyp_totals_own	*rows;
	u64			stopped;
	struct hyp_totals_mark	mark;
	u64			epoch;
	u32			reset;
	u8			reason;
	u32			tried;
};

struct kvm;
struct kvm_vcpu;

#ifdef CONFIG_KVM_HYPTRACE
DECLARE_STATIC_KEY_FALSE(hyptrace_totals_key);

void hyptrace_vm_init(struct kvm *kvm);
void hyptrace_vm_gone(struct kvm *kvm);
void __hyptrace_vcpu_run(struct kvm_vcpu *vcpu);

/**
 * hyptrace_vcpu_run() - a vCPU is about to be run: have it measured, if totals are kept
 * @vcpu:	the vCPU
 *
 * Context: the vCPU's thread; may sleep.
 */
static inline void hyptrace_vcpu_run(struct kvm_vcpu *vcpu)
{
	if (static_branch_unlikely(&hyptrace_totals_key))
		__hyptrace_vcpu_run(vcpu);
}
#else
static inline void hyptrace_vm_init(struct kvm *kvm) { }
static inline void hyptrace_vm_gone(struct kvm *kvm) { }
static inline void hyptrace_vcpu_run(struct kvm_vcpu *vcpu) { }
#endif

#endif /* __ASM_HYPTRACE_TOTALS_H__ */
