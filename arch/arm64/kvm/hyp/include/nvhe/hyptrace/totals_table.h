/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals of the time at EL2: the rows of a table.
 *
 * Only a table's own CPU uses EL2's copies of the rows, and of a vCPU's table the CPU that runs it.
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_TOTALS_TABLE_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_TOTALS_TABLE_H

#include <linux/bits.h>
#include <linux/compiler.h>

#include <asm/barrier.h>

#include <nvhe/hyptrace/memory.h>
#include <nvhe/hyptrace/totals.h>

/* The intervals for which hyp_totals_bucket() will do [ns]. */
#define HYP_TOTALS_BUCKET_LOW	(BIT_ULL(HYP_TOTALS_BITS(HYP_TOTALS_SHORTEST)) + 1)
#define HYP_TOTALS_BUCKET_HIGH	BIT_ULL(HYP_TOTALS_BITS(HYP_TOTALS_LONGEST))

/*
 * The bucket of an interval from HYP_TOTALS_BUCKET_LOW to HYP_TOTALS_BUCKET_HIGH [ns].
 * HYP_TOTALS_BITS() says which bounds the buckets have. Any other interval has a wrong bucket, but
 * one that there is: two CPUs that run one vCPU may read a row's range while it changes.
 */
static __always_inline u64 hyp_totals_bucket(u64 ns)
{
	return __builtin_clzll(ns - 1) % HYP_TOTALS_BUCKETS;
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

/**
 * struct hyp_totals_table - EL2's own copy of a table, behind the list of shared pages
 * @memory:	the memory that it is in, of a vCPU's table
 * @next:	the next of the tables whose vCPUs are gone
 * @state:	where the table's state is published
 * @rows:	the rows
 */
struct hyp_totals_table {
	struct hyp_trace_memory	memory;
	struct hyp_totals_table	*next;
	struct hyp_totals_state	*state;
	struct hyp_totals_own	rows[];
};

/*
 * Empty a row's range: the next interval takes the slow path, which sets the range. No interval has
 * U64_MAX ns, as it is the upper half of a product.
 */
static inline void hyp_totals_row_renew(struct hyp_totals_own *own)
{
	own->low = U64_MAX;
	own->span = 0;
}

/* The table in memory that is loaded, or is being set up. */
static inline struct hyp_totals_table *hyp_totals_table_in(const struct hyp_trace_memory *mem)
{
	return hyp_trace_memory_element(mem, mem->nr_pages);
}

/* The maxima of a CPU's table, which are behind its rows. */
static inline struct hyp_totals_maxima *
hyp_totals_maxima_in(const struct hyp_trace_memory *mem)
{
	return (void *)&hyp_totals_table_in(mem)->rows[HYP_TOTALS_CPU_ROWS];
}

int hyp_totals_table_load(struct hyp_trace_memory *mem, const struct hyp_totals_shape *shape,
			  u64 pfn);
int hyp_totals_table_unload(struct hyp_trace_cpu *cpu);
void hyp_totals_row_reset(struct hyp_totals_own *own);
void hyp_totals_count(struct hyp_totals_own *own, u64 ns, u64 limit);
bool hyp_totals_vcpu_reset(struct kvm_vcpu *vcpu);

/**
 * struct hyp_totals_interval - an interval that has ended
 * @own:	its row
 * @ns:		what counts of it [ns]
 * @vcpu:	the vCPU, or NULL if it is one of a CPU's rows
 * @began:	counter value
 * @ended:	counter value
 */
struct hyp_totals_interval {
	struct hyp_totals_own	*own;
	u64			ns;
	struct kvm_vcpu		*vcpu;
	u64			began;
	u64			ended;
};

u32 hyp_totals_max_begin(struct hyp_trace_cpu *cpu);
u64 hyp_totals_max_look(struct hyp_trace_cpu *cpu, const struct hyp_totals_interval *interval);

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_TOTALS_TABLE_H */
