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
 * struct hyptotals_table - a CPU's table
 * @mem:	its memory
 * @pages:	all shared pages, NULL if there is no table
 * @nr_rows:	its ordinary rows
 * @bad:	rows that made no sense when they were read
 */
struct hyptotals_table {
	struct hyptrace_memory	mem;
	void			**pages;
	u32			nr_rows;
	u64			bad;
};

DECLARE_PER_CPU(struct hyptotals_table, hyptotals_table);

/* Protects the tables, and the settings. Taken after the lock of CPU hotplug. */
extern struct mutex hyptotals_lock;

int hyptotals_enable(bool enable);
u32 hyptotals_rows(void);
int hyptotals_set_rows(u32 nr_rows);
int hyptotals_reset(void);

void *hyptotals_snapshot(void);
size_t hyptotals_snapshot_rows(const void *snapshot);
void hyptotals_show_header(struct seq_file *m);
void hyptotals_show_row(struct seq_file *m, const void *snapshot, size_t i);
int hyptotals_show_cpus(struct seq_file *m);

#endif /* __ARM64_KVM_HYPTOTALS_HOST_H */
