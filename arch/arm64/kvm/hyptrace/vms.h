/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Host side of hypervisor tracing: the VMs that have numbers.
 */
#ifndef __ARM64_KVM_HYPTRACE_VMS_H
#define __ARM64_KVM_HYPTRACE_VMS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct dentry;
struct hyptrace_totals_snapshot;
struct kvm;
struct seq_file;

/**
 * struct hyptrace_vm - a VM that has a number
 * @list:	in the list of all VMs, by age
 * @rcu:	frees it
 * @number:	its number
 * @pid:	of the process that has created it
 * @kvm:	the VM, NULL if it is gone
 * @nr_tids:	number of @tids
 * @tids:	of its vCPUs' threads, if it is gone; 0 for a vCPU that has not run
 * @tables:	of its vCPUs' totals, struct hyptrace_vcpu_table, by the vCPU's number
 * @totals:	its vCPUs' totals, if it is gone; or NULL
 * @dir:	its directory in hyp/guests, or NULL
 * @names:	of its events, struct hyptrace_name; they are read in RCU's critical sections
 * @nr_names:	their number
 *
 * hyptrace_vms_lock protects all but @number, which does not change.
 */
struct hyptrace_vm {
	struct list_head	list;
	struct rcu_head		rcu;
	u32			number;
	pid_t			pid;
	struct kvm		*kvm;
	u32			nr_tids;
	pid_t			*tids;
	struct xarray		tables;
	struct hyptrace_totals_snapshot *totals;
#ifdef CONFIG_KVM_HYPTRACE_GUESTS
	struct dentry		*dir;
	struct list_head	names;
	unsigned int		nr_names;
#endif
};

extern struct mutex hyptrace_vms_lock;
extern struct list_head hyptrace_vms;

struct hyptrace_vm *hyptrace_vm_numbered(u32 number);
struct hyptrace_vm *hyptrace_vm_of_event(u16 number);
int hyptrace_show_vms(struct seq_file *m);

#ifdef CONFIG_KVM_HYPTRACE_GUESTS
void hyptrace_channel_vm_init(struct hyptrace_vm *vm);
void hyptrace_channel_vm_gone(struct hyptrace_vm *vm);
void hyptrace_channel_forget_names(struct hyptrace_vm *vm);
#else
static inline void hyptrace_channel_vm_init(struct hyptrace_vm *vm) { }
static inline void hyptrace_channel_vm_gone(struct hyptrace_vm *vm) { }
static inline void hyptrace_channel_forget_names(struct hyptrace_vm *vm) { }
#endif

#endif /* __ARM64_KVM_HYPTRACE_VMS_H */
