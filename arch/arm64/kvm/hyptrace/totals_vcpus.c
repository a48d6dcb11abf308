// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of the totals of the time at EL2: the tables of vCPUs.
 *
 * A vCPU's thread gives EL2 the vCPU's table before it runs the vCPU, when totals are kept. So the
 * memory is charged to the VM. EL2 keeps it until the VM is gone: when it has torn down the VM with
 * protection, without it at once. The rows that have counted anything are kept as long as the VM is
 * listed.
 */

#include <linux/kvm_host.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include <asm/hyptrace.h>
#include <asm/virt.h>

#include "totals.h"
#include "vms.h"

/* With protection, the tables that EL2 has, by the first page of their regions. */
static DEFINE_XARRAY(with_el2);

/* vCPUs that have run unmeasured, or whose rows could not be kept, since the machine has started. */
static u64 nr_unmeasured;

static int table_hand_over(struct hyptrace_vcpu_table *table, struct kvm_vcpu *vcpu)
{
	struct hyptrace_memory *mem = &table->table.mem;
	bool protection = is_protected_kvm_enabled();
	unsigned long pfn = virt_to_pfn(mem->region);
	int ret;

	if (protection) {
		ret = xa_err(xa_store(&with_el2, pfn, table, GFP_KERNEL_ACCOUNT));
		if (ret)
			return ret;
	}

	ret = hcall_steps(hcall_totals_load_vcpu(vcpu->kvm->arch.pkvm.handle,
						 protection ? vcpu->vcpu_idx : (u64)vcpu,
						 pfn, mem->region_pages));
	if (ret && protection)
		xa_erase(&with_el2, pfn);
	table->with_el2 = !ret && protection;
	return ret;
}

static int table_load(struct hyptrace_vm *vm, struct kvm_vcpu *vcpu)
{
	struct hyptrace_vcpu_table *table = kzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!table)
		return -ENOMEM;

	table->vcpu = vcpu->vcpu_idx;
	ret = hyptrace_totals_table_init(&table->table, HYP_TOTALS_VCPU_ROWS, NUMA_NO_NODE,
					 GFP_KERNEL_ACCOUNT);
	if (ret)
		goto out_free;

	/* What EL2 has must not be lost for want of memory. */
	ret = xa_insert(&vm->tables, table->vcpu, table, GFP_KERNEL_ACCOUNT);
	if (ret)
		goto out_table;

	ret = table_hand_over(table, vcpu);
	if (!ret)
		return 0;

	xa_erase(&vm->tables, table->vcpu);
out_table:
	hyptrace_totals_table_free(&table->table);
out_free:
	kfree(table);
	return ret;
}

static void vcpu_measure(struct kvm_vcpu *vcpu)
{
	struct hyptrace_vm *vm;
	int ret = -ENOENT;

	guard(mutex)(&hyptrace_vms_lock);

	vm = hyptrace_vm_numbered(vcpu->kvm->arch.hyp_trace_vm);
	if (vm && xa_load(&vm->tables, vcpu->vcpu_idx))
		return;
	if (vm)
		ret = table_load(vm, vcpu);
	if (!ret)
		return;

	nr_unmeasured++;
	pr_err_ratelimited("hyp_trace: vCPU %d of VM %u is not measured: %pe%s\n", vcpu->vcpu_idx,
			   vcpu->kvm->arch.hyp_trace_vm, ERR_PTR(ret), hyptrace_if_locked(ret));
}

/* The slow part of hyptrace_vcpu_run(): once after each reset. */
void __hyptrace_vcpu_run(struct kvm_vcpu *vcpu)
{
	u32 resets = hyptrace_totals_resets();

	if (likely(vcpu->arch.hyp_totals.tried == resets))
		return;

	vcpu->arch.hyp_totals.tried = resets;
	vcpu_measure(vcpu);
}

/* Take back what EL2 has of any VM that it has torn down. */
static void tables_unload(void)
{
	struct hyptrace_vcpu_table *table;
	struct arm_smccc_res res;

	while (!hcall_steps(hcall_totals_unload(&res, HYP_TOTALS_GONE))) {
		table = xa_erase(&with_el2, res.a2);
		if (!WARN_ON_ONCE(!table))
			table->with_el2 = false;
	}
}

/**
 * hyptrace_totals_vm_gone() - a VM is gone: keep its rows, and free its tables
 * @vm:		the VM
 *
 * Context: hyptrace_vms_lock is held.
 */
void hyptrace_totals_vm_gone(struct hyptrace_vm *vm)
{
	struct hyptrace_vcpu_table *table;
	unsigned long i;

	if (xa_empty(&vm->tables))
		return;

	vm->totals = hyptrace_totals_snapshot_of(vm);
	tables_unload();
	xa_for_each(&vm->tables, i, table) {
		xa_erase(&vm->tables, i);
		if (!vm->totals)
			nr_unmeasured++;
		if (table->with_el2) {
			pr_err_ratelimited("hyp_trace: EL2 does not give back the totals of vCPU %u of VM %u\n",
					   table->vcpu, vm->number);
			continue;
		}
		hyptrace_totals_table_free(&table->table);
		kfree(table);
	}
}

/* A VM that is gone is listed no longer. */
void hyptrace_totals_forget(struct hyptrace_vm *vm)
{
	kvfree(vm->totals);
	vm->totals = NULL;
}

/**
 * hyptrace_totals_show_stats() - print what the totals lack
 * @m:		the file
 *
 * Return: 0
 */
int hyptrace_totals_show_stats(struct seq_file *m)
{
	guard(mutex)(&hyptrace_vms_lock);

	seq_printf(m, "unmeasured: %llu\n", nr_unmeasured);
	seq_printf(m, "bad: %llu\n", hyptrace_totals_bad());
	return 0;
}
