/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Host side of the totals of the time at EL2: declarations that its files share.
 */
#ifndef __ARM64_KVM_HYPTOTALS_HOST_H
#define __ARM64_KVM_HYPTOTALS_HOST_H

#include <linux/mutex.h>
#include <linux/seq_file.h>

#include <asm/hyptrace_totals_max.h>

#include "hyptrace.h"

struct hyptrace_vm;

/**
 * struct hyptrace_totals_table - a table of a CPU or a vCPU
 * @mem:	its memory
 * @pages:	all shared pages, NULL if there is no table
 * @shape:	its size
 * @looked:	of a CPU's table: long intervals up to this number have been taken
 */
struct hyptrace_totals_table {
	struct hyptrace_memory	mem;
	void			**pages;
	struct hyp_totals_shape	shape;
	u64			looked;
};

DECLARE_PER_CPU(struct hyptrace_totals_table, hyptrace_totals_table);

int hyptrace_totals_table_init(struct hyptrace_totals_table *table,
			       struct hyp_totals_shape shape, int node, gfp_t gfp);
void hyptrace_totals_table_free(struct hyptrace_totals_table *table);

/*
 * Protects the CPUs' tables, and whether totals are kept. Taken after the lock of CPU hotplug, and
 * before hyptrace_vms_lock, which protects the vCPUs' tables.
 */
extern struct mutex hyptrace_totals_lock;

int hyptrace_totals_enable(bool enable);
int hyptrace_totals_reset(void);
u32 hyptrace_totals_resets(void);

/**
 * struct hyptrace_vcpu_table - what there is of a vCPU's totals
 * @vcpu:	its number
 * @table:	its table
 * @with_el2:	EL2 owns the table; with protection only
 * @is_gone:	the vCPU is gone, and EL2 had the table still
 */
struct hyptrace_vcpu_table {
	u32				vcpu;
	struct hyptrace_totals_table	table;
	bool				with_el2;
	bool				is_gone;
};

void hyptrace_totals_vm_gone(struct hyptrace_vm *vm);
void hyptrace_totals_forget(struct hyptrace_vm *vm);
void hyptrace_totals_forget_all(void);
bool hyptrace_totals_keeps_many(void);
int hyptrace_totals_show_stats(struct seq_file *m);

struct hyptrace_totals_snapshot;

struct hyptrace_totals_snapshot *hyptrace_totals_snapshot(void);
struct hyptrace_totals_snapshot *hyptrace_totals_snapshot_of(struct hyptrace_vm *vm);
size_t hyptrace_totals_snapshot_rows(const struct hyptrace_totals_snapshot *snapshot);
u64 hyptrace_totals_bad(void);
int hyptrace_totals_show(struct seq_file *m, void *v);
void hyptrace_totals_show_meaning(struct seq_file *m, u32 row);

/*
 * This counts long intervals: the last one's id, records that made no sense, and resets; records of
 * another reset are ignored.
 */
extern struct hyptrace_max_taken {
	u64	last_id;
	u64	bad;
	u32	reset;
} hyptrace_max_taken;

struct hyptrace_max_list;

struct hyptrace_max_list *hyptrace_max_list(void);
void hyptrace_max_list_free(struct hyptrace_max_list *list);
u32 hyptrace_max_list_size(const struct hyptrace_max_list *list);
int hyptrace_max_show(struct seq_file *m, void *v);
int hyptrace_max_show_events(struct seq_file *m, void *v);
int hyptrace_max_enable(bool on);
int hyptrace_max_reset(u32 unused);
int hyptrace_max_set_threshold(u32 us);
void hyptrace_max_look(void);
int hyptrace_max_show_enable(struct seq_file *m);
int hyptrace_max_show_threshold(struct seq_file *m);
int hyptrace_max_show_stats(struct seq_file *m);

#endif /* __ARM64_KVM_HYPTOTALS_HOST_H */
