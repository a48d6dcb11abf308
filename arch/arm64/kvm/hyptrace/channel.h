/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Host side of hypervisor tracing: what guests record themselves.
 */
#ifndef __ARM64_KVM_HYPTRACE_CHANNEL_H
#define __ARM64_KVM_HYPTRACE_CHANNEL_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/trace_events.h>

struct dentry;

/**
 * struct hyptrace_name - the name of a VM's events with an id
 * @list:	in struct hyptrace_vm
 * @rcu:	frees it
 * @id:		the id
 * @shared:	of all clients but 0, which has names of its own
 * @text:	the name, and those of its arguments, with spaces between them. An argument whose
 *		name ends in ":x" is printed as a hexadecimal number
 */
struct hyptrace_name {
	struct list_head	list;
	struct rcu_head		rcu;
	u32			id;
	bool			shared;
	char			text[];
};

/**
 * struct hyptrace_guest_record - records of guest_trace_1 to guest_trace_16
 * @ent:	type, pid
 * @vm:		low bits of the VM's number
 * @vcpu:	number of the vCPU
 * @client:	who in the guest has made the call
 * @count:	number of arguments
 * @lost:	events of the vCPU that were not recorded before
 * @id:		the event
 * @args:	the arguments
 */
struct hyptrace_guest_record {
	struct trace_entry	ent;
	u16			vm;
	u16			vcpu;
	u16			client;
	u16			count;
	u32			lost;
	u32			id;
	u64			args[];
};

#ifdef CONFIG_KVM_HYPTRACE_GUESTS
void hyptrace_channel_files_init(struct dentry *dir);
void hyptrace_channel_print_init(struct trace_event_call *call);
#else
static inline void hyptrace_channel_files_init(struct dentry *dir) { }
#endif

#endif /* __ARM64_KVM_HYPTRACE_CHANNEL_H */
