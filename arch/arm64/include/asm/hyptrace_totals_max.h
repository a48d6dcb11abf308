/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The longest intervals of totals: the layout that host and EL2 share.
 *
 * While the host wants to know them, each CPU has a record of the longest interval of each row that
 * has ended on this CPU, and of the latest intervals above a threshold. In a CPU's table, the
 * shared pages of these records follow those of the rows. EL2 writes them and never reads them.
 */
#ifndef __ASM_HYPTRACE_TOTALS_MAX_H
#define __ASM_HYPTRACE_TOTALS_MAX_H

#include <linux/types.h>

#include <asm/hyptrace_totals_rows.h>

/**
 * struct hyp_totals_max - a long interval
 * @done:	@number, written after all other fields have been
 * @number:	counts the records that the CPU has published; written before all other fields are
 * @reset:	number of the reset since which it is the longest, see __hyp_totals_max()
 * @ns:		its length: of the time from @began to @ended, what counts [ns]
 * @began:	boot clock [ns]
 * @ended:	boot clock [ns]
 * @first_seq:	sequence number that the next event of CPU @first_cpu had when it began, or
 *		HYP_TOTALS_NO_SEQ if that is not known
 * @end_seq:	the same of this CPU when it ended
 * @row:	a CPU's row, or HYP_TOTALS_CPU_ROWS + a vCPU's row
 * @first_cpu:	the CPU where it has begun; if @first_seq is not known, this CPU
 * @pid:	the host's task that has entered EL2
 * @vm:		number of the vCPU's VM; of a CPU's row 0
 * @vcpu:	the vCPU's number; of a CPU's row 0
 *
 * @number and @done are the record's sequence count: while they differ, it is being written.
 */
struct hyp_totals_max {
	u64	done;
	u64	number;
	u64	reset;
	u64	ns;
	u64	began;
	u64	ended;
	u64	first_seq;
	u64	end_seq;
	u32	row;
	u32	first_cpu;
	u32	pid;
	u32	vm;
	u32	vcpu;
};

#define HYP_TOTALS_NO_SEQ	U64_MAX

/* Records: the longest of each row, then the latest above the threshold. */
#define HYP_TOTALS_MAX_ROWS	((u32)HYP_TOTALS_CPU_ROWS + (u32)HYP_TOTALS_VCPU_ROWS)
#define HYP_TOTALS_LATEST	16
#define HYP_TOTALS_MAX_RECORDS	(HYP_TOTALS_MAX_ROWS + HYP_TOTALS_LATEST)

#define HYP_TOTALS_MAX_PER_PAGE	(PAGE_SIZE / sizeof(struct hyp_totals_max))
#define HYP_TOTALS_MAX_PAGES	DIV_ROUND_UP(HYP_TOTALS_MAX_RECORDS, HYP_TOTALS_MAX_PER_PAGE)

/* The shared page that has the record at a place; it is number @place % HYP_TOTALS_MAX_PER_PAGE. */
static inline u32 hyp_totals_max_page(u32 place)
{
	return hyp_totals_pages(HYP_TOTALS_CPU_ROWS) + place / HYP_TOTALS_MAX_PER_PAGE;
}

/* A CPU rings at most once in that time for them, and records as many above the threshold [ns]. */
#define HYP_TOTALS_MAX_PERIOD	(10 * 1000 * 1000)

/* Size of what EL2 keeps of them on its own [bytes]. */
#define HYP_TOTALS_MAX_OWN_SIZE	(64 + HYP_TOTALS_MAX_ROWS * sizeof(u64))

/* The size of a CPU's table, with the records of long intervals. */
static inline struct hyp_totals_shape hyp_totals_cpu_shape(void)
{
	return hyp_totals_shape(HYP_TOTALS_CPU_ROWS, HYP_TOTALS_MAX_PAGES,
				HYP_TOTALS_MAX_OWN_SIZE);
}

/* The size of a vCPU's table. */
static inline struct hyp_totals_shape hyp_totals_vcpu_shape(void)
{
	return hyp_totals_shape(HYP_TOTALS_VCPU_ROWS, 0, 0);
}

#endif /* __ASM_HYPTRACE_TOTALS_MAX_H */
