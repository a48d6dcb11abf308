// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of the totals of the time at EL2: the tables of vCPUs.
 *
 * A vCPU's thread gives EL2 the vCPU's table before it runs the vCPU, when totals are kept. So the
 * memory is charged to the VM. With protection, EL2 gives it back once it has torn down the VM;
 * without, the host frees it then. The rows that have counted anything are kept as long as the VM
 * is listed.
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

/* vCPUs that have run unmeasured, or whose rows could not be kept, since boot. */
static u64 nr_unmeasured;

/* Rows kept of VMs that are gone. Above MAX_KEPT, some 32 MiB, the oldest VM is forgotten. */
static size_t nr_kept;

#define MAX_KEPT	100000

static int table_hand_over(struct hyptrace_vcpu_table *table, struct kvm_vcpu *vcpu)
{
	struct hyptrace_memory *mem = &table->table.mem;
	bool protection = is_protected_kvm_enabled();
	unsigned long pfn = virt_to_pfn(mem->region);
	int ret;

	if (protection) {
		ret = xa_err(xa_store(&with_el2, pfn, table, GFP_KERNEL));
		if (ret)
			return ret;
	}

	ret = hcall_totals_load_vcpu(vcpu->kvm->arch.pkvm.handle,
				     protection ? vcpu->vcpu_idx : (u64)vcpu, pfn,
				     mem->region_pages);
	if (ret && protection)
		xa_erase(&with_el2, pfn);
	table->with_el2 = !ret && protection;
	return ret;
}

static struct hyptrace_vcpu_table *table_new(u32 vcpu)
{
	struct hyptrace_vcpu_table *table __free(kfree) =
		kzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);

	if (!table || hyptrace_totals_table_init(&table->table, hyp_totals_vcpu_shape(),
						 NUMA_NO_NODE, GFP_KERNEL_ACCOUNT))
		return NULL;

	table->vcpu = vcpu;
	return_ptr(table);
}

static void table_free(struct hyptrace_vcpu_table *table)
{
	hyptrace_totals_table_free(&table->table);
	kfree(table);
}

static int table_load(struct hyptrace_vm *vm, struct kvm_vcpu *vcpu,
		      struct hyptrace_vcpu_table *table)
{
	int ret;

	/* Memory for this must be there before EL2 owns the table. */
	ret = xa_insert(&vm->tables, table->vcpu, table, GFP_KERNEL);
	if (ret)
		return ret;

	ret = table_hand_over(table, vcpu);
	if (ret)
		xa_erase(&vm->tables, table->vcpu);

	return ret;
}

static bool vcpu_has_table(struct kvm_vcpu *vcpu)
{
	struct hyptrace_vm *vm;

	guard(mutex)(&hyptrace_vms_lock);

	vm = hyptrace_vm_numbered(vcpu->kvm->arch.hyp_trace_vm);
	return vm && xa_load(&vm->tables, vcpu->vcpu_idx);
}

/* Only the vCPU's own thread gives it a table. It may wait for memory, but not with the lock. */
static void vcpu_measure(struct kvm_vcpu *vcpu)
{
	struct hyptrace_vcpu_table *table;
	struct hyptrace_vm *vm;
	int ret = -ENOMEM;

	if (vcpu_has_table(vcpu))
		return;

	table = table_new(vcpu->vcpu_idx);

	guard(mutex)(&hyptrace_vms_lock);

	if (table) {
		vm = hyptrace_vm_numbered(vcpu->kvm->arch.hyp_trace_vm);
		ret = vm ? table_load(vm, vcpu, table) : -ENOENT;
	}
	if (!ret)
		return;

	if (table)
		table_free(table);
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
	if (!hyptrace_hides(vcpu))
		vcpu_measure(vcpu);
}

/* Take back what EL2 has of any VM that it has torn down. */
static void tables_unload(void)
{
	struct hyptrace_vcpu_table *table;
	struct arm_smccc_res res;

	while (!hcall_steps(hcall_totals_unload(&res, HYP_TOTALS_GONE))) {
		table = xa_erase(&with_el2, res.a2);
		if (WARN_ON_ONCE(!table))
			continue;
		table->with_el2 = false;
		if (table->is_gone)
			table_free(table);
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
	if (vm->totals)
		nr_kept += hyptrace_totals_snapshot_rows(vm->totals);
	tables_unload();
	xa_for_each(&vm->tables, i, table) {
		xa_erase(&vm->tables, i);
		if (!vm->totals)
			nr_unmeasured++;
		if (table->with_el2) {
			pr_err_ratelimited("hyp_trace: EL2 does not give back the totals of vCPU %u of VM %u\n",
					   table->vcpu, vm->number);
			table->is_gone = true;
			continue;
		}
		table_free(table);
	}
}

/* The rows of a VM that is gone are not needed any more. */
void hyptrace_totals_forget(struct hyptrace_vm *vm)
{
	if (vm->totals)
		nr_kept -= hyptrace_totals_snapshot_rows(vm->totals);
	kvfree(vm->totals);
	vm->totals = NULL;
}

/* Nor are those of any VM: all rows begin at 0. */
void hyptrace_totals_forget_all(void)
{
	struct hyptrace_vm *vm;

	guard(mutex)(&hyptrace_vms_lock);

	list_for_each_entry(vm, &hyptrace_vms, list)
		hyptrace_totals_forget(vm);
}

/* Are more rows kept of VMs that are gone than there should be? */
bool hyptrace_totals_keeps_many(void)
{
	return nr_kept > MAX_KEPT;
}

/* Print what the totals lack. */
int hyptrace_totals_show_stats(struct seq_file *m)
{
	guard(mutex)(&hyptrace_vms_lock);

	seq_printf(m, "unmeasured: %llu\n", nr_unmeasured);
	seq_printf(m, "bad: %llu\n", hyptrace_totals_bad());
	return 0;
}
