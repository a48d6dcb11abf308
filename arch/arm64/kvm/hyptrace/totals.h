/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Host side of the totals of the time at EL2: declarations that its files share.
 */
#ifndef __ARM64_KVM_HYPTOTALS_HOST_H
#define __ARM64_KVM_HYPTOTALS_HOST_H

#include <linux/cleanup.h>
#include <linux/mutex.h>

#include <asm/hyptrace_totals.h>

#include "hyptrace.h"

struct seq_file;

/**
 * struct hyptrace_totals_table - a CPU's table
 * @mem:	its memory
 * @pages:	all shared pages, NULL if there is no table
 * @nr_rows:	its ordinary rows
 * @bad:	rows that made no sense when they were read
 */
struct hyptrace_totals_table {
	struct hyptrace_memory	mem;
	void			**pages;
	u32			nr_rows;
	u64			bad;
};

DECLARE_PER_CPU(struct hyptrace_totals_table, hyptrace_totals_table);

/* Protects the tables, and the settings. Taken after the lock of CPU hotplug. */
extern struct mutex hyptrace_totals_lock;

int hyptrace_totals_enable(bool enable);
u32 hyptrace_totals_rows(void);
int hyptrace_totals_set_rows(u32 nr_rows);
int hyptrace_totals_reset(void);

void *hyptrace_totals_snapshot(void);
size_t hyptrace_totals_snapshot_rows(const void *snapshot);
void hyptrace_totals_show_header(struct seq_file *m);
void hyptrace_totals_show_row(struct seq_file *m, const void *snapshot, size_t i);
int hyptrace_totals_show_cpus(struct seq_file *m);

#endif /* __ARM64_KVM_HYPTOTALS_HOST_H */
