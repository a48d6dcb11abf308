/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals of the time at EL2: the rows of a CPU's table.
 *
 * A key's row is at one of HYP_TOTALS_WINDOW places that its hash gives, so finding it is
 * bounded. Only the table's own CPU uses EL2's copies.
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_TOTALS_TABLE_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_TOTALS_TABLE_H

#include <linux/bits.h>
#include <linux/compiler.h>

#include <asm/barrier.h>

#include <nvhe/hyptrace/totals.h>

#define HYP_TOTALS_WINDOW	16

/* Knuth, The Art of Computer Programming, vol. 3, 6.4: multiplicative hashing. */
#define HYP_TOTALS_HASH		0x61C88647UL

static __always_inline struct hyp_totals_own *
hyp_totals_place(const struct hyp_totals_cpu *totals, u64 i)
{
	return &totals->ordinary[i & totals->mask];
}

/* The number of the ordinary row of a key, before it is reduced to the table's size. */
static __always_inline u64 hyp_totals_hash(u64 key)
{
	return key * HYP_TOTALS_HASH >> 32;
}

/* The row where a key is most likely to be. It may have another key. */
static __always_inline struct hyp_totals_own *
hyp_totals_first(const struct hyp_totals_cpu *totals, u64 key)
{
	return hyp_totals_place(totals, hyp_totals_hash(key));
}

/* The intervals for which hyp_totals_bucket() will do [ns]. */
#define HYP_TOTALS_BUCKET_LOW	(BIT_ULL(HYP_TOTALS_BITS(HYP_TOTALS_BUCKETS - 1)) + 1)
#define HYP_TOTALS_BUCKET_HIGH	BIT_ULL(HYP_TOTALS_BITS(0))

/*
 * The bucket of an interval from HYP_TOTALS_BUCKET_LOW to HYP_TOTALS_BUCKET_HIGH [ns].
 * HYP_TOTALS_BITS() says which bounds the buckets have.
 */
static __always_inline u64 hyp_totals_bucket(u64 ns)
{
	u64 zeros = __builtin_clzll(ns - 1);

	return zeros - (64 - HYP_TOTALS_BITS(0));
}

/* The shared copy of a row is about to be written. */
static __always_inline void hyp_totals_publish_begin(struct hyp_totals_row *row, u64 count)
{
	WRITE_ONCE(row->count, count);
	/* count before the other fields: pairs with the smp_rmb() of the host's row_try(). */
	smp_wmb();
}

/* The shared copy of a row has been written. */
static __always_inline void hyp_totals_publish_end(struct hyp_totals_row *row, u64 count)
{
	/* The other fields before done: pairs with the acquire of the host's row_try(). */
	smp_store_release(&row->done, count);
}

void hyp_totals_count(struct hyp_totals_own *own, u64 ns);
struct hyp_totals_own *hyp_totals_find(struct hyp_totals_cpu *totals, u64 key);

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_TOTALS_TABLE_H */
