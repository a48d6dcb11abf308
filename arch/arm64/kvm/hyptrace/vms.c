// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of the VMs that have numbers: who has a number, for events and totals, and whose VMs
 * they are. vm_lifetime.c gives the numbers.
 */

#include <linux/kvm_host.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>

#include <asm/hyptrace_compat.h>

#include "vms.h"

DEFINE_MUTEX(hyptrace_vms_lock);
LIST_HEAD(hyptrace_vms);		/* by age; readers of events use RCU */

/* The VM with this number, NULL if it is gone. */
struct hyptrace_vm *hyptrace_vm_numbered(u32 number)
{
	struct hyptrace_vm *vm;

	lockdep_assert_held(&hyptrace_vms_lock);

	list_for_each_entry(vm, &hyptrace_vms, list)
		if (vm->kvm && vm->number == number)
			return vm;

	return NULL;
}

/*
 * The VM of an event, by the low 16 bits of its number; the youngest if there are several, or
 * NULL. It may be gone. In RCU's critical section.
 */
struct hyptrace_vm *hyptrace_vm_of_event(u16 number)
{
	struct hyptrace_vm *vm, *found = NULL;

	list_for_each_entry_rcu(vm, &hyptrace_vms, list)
		if ((u16)vm->number == number)
			found = vm;

	return found;
}

static void show_vm(struct seq_file *m, const struct hyptrace_vm *vm)
{
	struct kvm_vcpu *vcpu;
	unsigned long i;

	seq_printf(m, "%u\t%d\t%s\t", vm->number, vm->pid, vm->kvm ? "alive" : "gone");
	if (vm->kvm) {
		kvm_for_each_vcpu(i, vcpu, vm->kvm)
			seq_printf(m, "%s%d", i ? "," : "", HYPTRACE_VCPU_TID(vcpu));
	} else {
		for (i = 0; i < vm->nr_tids; i++)
			seq_printf(m, "%s%d", i ? "," : "", vm->tids[i]);
	}
	seq_putc(m, '\n');
}

/* List the VMs that have numbers. */
int hyptrace_show_vms(struct seq_file *m)
{
	const struct hyptrace_vm *vm;

	guard(mutex)(&hyptrace_vms_lock);

	seq_puts(m, "vm\tpid\tstate\tvcpu_tids\n");
	list_for_each_entry(vm, &hyptrace_vms, list)
		show_vm(m, vm);

	return 0;
}
