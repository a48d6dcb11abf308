// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a VM with a number: it gets the number when it is created, and stays in the list of
 * all VMs for a time when it is gone.
 *
 * A number is not reused until the next boot. Events have only its low 16 bits, so no two living
 * VMs have numbers with the same low 16 bits.
 */

#include <linux/kvm_host.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include <asm/hyptrace_compat.h>

#include "totals.h"
#include "vms.h"

/* VMs that are gone are listed as long as there are not more of them, nor of their rows. */
#define MAX_GONE	1024

/* The youngest of them keep the names of their events, which may still be read. */
#define MAX_GONE_WITH_NAMES	32

static u32 last_number;
static u32 nr_living;
static u32 nr_gone;

static bool number_is_taken(u32 number)
{
	const struct hyptrace_vm *vm;

	if (!(u16)number)
		return true;

	list_for_each_entry(vm, &hyptrace_vms, list)
		if (vm->kvm && (u16)vm->number == (u16)number)
			return true;

	return false;
}

/**
 * hyptrace_vm_init() - give a new VM its number
 * @kvm:	the VM
 *
 * If there is no memory, or if there are more VMs than numbers with different low bits, the VM
 * has number 0 and is not listed.
 */
void hyptrace_vm_init(struct kvm *kvm)
{
	struct hyptrace_vm *vm;

	if (!hyptrace_available)
		return;

	/* Not accounted to the VM's cgroup, because it outlives the VM. */
	vm = kzalloc(sizeof(*vm), GFP_KERNEL);
	if (!vm)
		return;

	guard(mutex)(&hyptrace_vms_lock);

	if (nr_living == U16_MAX) {
		kfree(vm);
		return;
	}

	nr_living++;
	do {
		last_number++;
	} while (number_is_taken(last_number));

	vm->number = last_number;
	vm->pid = task_tgid_nr(current);
	vm->kvm = kvm;
	xa_init(&vm->tables);
	hyptrace_channel_vm_init(vm);
	list_add_tail_rcu(&vm->list, &hyptrace_vms);
	kvm->arch.hyp_trace_vm = vm->number;
}

static void forget_oldest(void)
{
	struct hyptrace_vm *vm;

	list_for_each_entry(vm, &hyptrace_vms, list) {
		if (vm->kvm)
			continue;

		list_del_rcu(&vm->list);
		hyptrace_totals_forget(vm);
		hyptrace_channel_forget_names(vm);
		kfree(vm->tids);
		kfree_rcu(vm, rcu);
		nr_gone--;
		return;
	}
}

static void forget_names(void)
{
	struct hyptrace_vm *vm;
	u32 gone = 0;

	list_for_each_entry_reverse(vm, &hyptrace_vms, list)
		if (!vm->kvm && ++gone > MAX_GONE_WITH_NAMES)
			hyptrace_channel_forget_names(vm);
}

/**
 * hyptrace_vm_gone() - a VM is being destroyed: EL2 has torn it down
 * @kvm:	the VM, with its vCPUs
 */
void hyptrace_vm_gone(struct kvm *kvm)
{
	unsigned long n = atomic_read(&kvm->online_vcpus), i;
	struct kvm_vcpu *vcpu;
	struct hyptrace_vm *vm;

	guard(mutex)(&hyptrace_vms_lock);

	vm = hyptrace_vm_numbered(kvm->arch.hyp_trace_vm);
	if (!vm)
		return;

	hyptrace_channel_vm_gone(vm);
	vm->kvm = NULL;
	nr_living--;
	vm->tids = kcalloc(n, sizeof(*vm->tids), GFP_KERNEL);
	if (vm->tids) {
		kvm_for_each_vcpu(i, vcpu, kvm)
			vm->tids[i] = HYPTRACE_VCPU_TID(vcpu);
		vm->nr_tids = n;
	}

	hyptrace_totals_vm_gone(vm);
	forget_names();
	nr_gone++;
	while (nr_gone > MAX_GONE || (nr_gone > 1 && hyptrace_totals_keeps_many()))
		forget_oldest();
}
