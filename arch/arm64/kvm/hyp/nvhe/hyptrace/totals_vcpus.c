// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals of the time at EL2: the tables of vCPUs.
 *
 * A vCPU's table is loaded once, in one call, in which its VM can't be torn down; and it stays
 * until EL2 has torn down the VM. So it is there whenever EL2 runs the vCPU, whatever the host
 * does. From then on the host can have it back. (Without protection the memory has been the host's
 * all the time, and EL2 does nothing when a VM is gone.)
 */

#include <nvhe/hyptrace/totals_table.h>
#include <nvhe/hyptrace.h>

#include <nvhe/pkvm.h>

/**
 * struct vcpu_tables - the tables of vCPUs
 * @lock:	protects this, and that a vCPU gets a table
 * @gone:	tables of vCPUs that are gone
 * @unloading:	memory of such a table, which is being given back
 */
static struct vcpu_tables {
	hyp_spinlock_t		lock;
	struct hyp_totals_table	*gone;
	struct hyp_trace_memory	unloading;
} tables;

static struct hyp_totals_table *table_of(const struct hyp_totals_vcpu *vcpu)
{
	return container_of(vcpu->rows, struct hyp_totals_table, rows[0]);
}

/**
 * hyp_totals_vcpu_reset() - have a vCPU's rows begin at 0, unless they have since the last reset
 * @vcpu:	the vCPU, which is about to run
 *
 * These are few enough to do it at once.
 *
 * Return: false if the vCPU has no rows
 */
bool hyp_totals_vcpu_reset(struct kvm_vcpu *vcpu)
{
	struct hyp_totals_vcpu *of_vcpu = &vcpu->arch.hyp_totals;
	u32 reset = READ_ONCE(hyp_totals_last_reset);
	int i;

	/* Pairs with the release of load_vcpu(). */
	if (!smp_load_acquire(&of_vcpu->rows))
		return false;
	if (of_vcpu->reset == reset)
		return true;

	for (i = 0; i < HYP_TOTALS_VCPU_ROWS; i++)
		hyp_totals_row_reset(&of_vcpu->rows[i]);

	of_vcpu->reset = reset;
	/* The rows before the state: pairs with the acquire of the host's table_is_of(). */
	smp_store_release(&table_of(of_vcpu)->state->reset, reset);
	return true;
}

/*
 * Hold a vCPU, so that its VM is not torn down. With protection, @vm is its handle and @id the
 * vCPU's number; without, @id is the address of the host's struct kvm_vcpu. NULL if there is none.
 */
static struct kvm_vcpu *hold_vcpu(u64 vm, u64 id)
{
	struct pkvm_hyp_vcpu *hyp_vcpu;

	if (!is_protected_kvm_enabled())
		return kern_hyp_va((struct kvm_vcpu *)id);
	if (vm != (pkvm_handle_t)vm || id != (u32)id)
		return NULL;

	hyp_vcpu = HYPTRACE_HYP_VCPU_GET(vm, id);
	return hyp_vcpu ? &hyp_vcpu->vcpu : NULL;
}

static void release_vcpu(struct kvm_vcpu *vcpu)
{
	if (is_protected_kvm_enabled())
		HYPTRACE_HYP_VCPU_PUT(container_of(vcpu, struct pkvm_hyp_vcpu, vcpu));
}

/*
 * Load a vCPU's table, all of it: EL2 would panic if the host could have a VM torn down that is
 * held between two calls. These are few pages, fewer than a step of a ring has.
 */
static int load_vcpu(struct kvm_vcpu *vcpu, u64 pfn)
{
	const struct hyp_totals_shape shape = hyp_totals_vcpu_shape();
	struct hyp_totals_vcpu *of_vcpu = &vcpu->arch.hyp_totals;
	struct hyp_trace_memory mem = { };
	struct hyp_totals_table *table;
	int ret;

	if (of_vcpu->rows)
		return -EBUSY;

	do {
		ret = hyp_totals_table_load(&mem, &shape, pfn);
	} while (ret == -EINPROGRESS);
	if (ret)
		return ret;

	table = hyp_totals_table_in(&mem);
	table->memory = mem;
	/* The table before the pointer: pairs with hyp_totals_vcpu_reset(). */
	smp_store_release(&of_vcpu->rows, table->rows);
	return 0;
}

s64 handle___hyp_totals_load_vcpu(u64 vm, u64 id, u64 pfn, u64 nr_pages)
{
	struct kvm_vcpu *vcpu;
	int ret;

	if (nr_pages != hyp_totals_vcpu_shape().region_pages)
		return -EINVAL;

	vcpu = hold_vcpu(vm, id);
	if (!vcpu)
		return -ENOENT;

	scoped_guard(hyp_trace_lock, &tables.lock)
		ret = load_vcpu(vcpu, pfn);
	release_vcpu(vcpu);

	return ret;
}

/* EL2 is tearing down a VM; this is its copy of a vCPU, which can't run any more. */
void hyp_totals_vcpu_gone(struct kvm_vcpu *vcpu)
{
	struct hyp_totals_table *table;

	if (!vcpu->arch.hyp_totals.rows)
		return;

	table = table_of(&vcpu->arch.hyp_totals);
	guard(hyp_trace_lock)(&tables.lock);
	table->next = tables.gone;
	tables.gone = table;
}

/* Do a step of giving back the memory of any table whose vCPU is gone. */
static int gone_unload(u64 *pfn)
{
	if (tables.unloading.stage == HYP_TRACE_NO_MEMORY) {
		if (!tables.gone)
			return -ENOENT;

		tables.unloading = tables.gone->memory;
		tables.gone = tables.gone->next;
	}

	*pfn = tables.unloading.region_pfn;
	return hyp_trace_memory_unload(&tables.unloading);
}

s64 handle___hyp_totals_unload(u64 *more, u64 cpu_id)
{
	struct hyp_trace_cpu *cpu;

	if (cpu_id == HYP_TOTALS_GONE) {
		guard(hyp_trace_lock)(&tables.lock);
		return gone_unload(more);
	}

	cpu = hyp_trace_cpu_get(cpu_id);
	if (!cpu)
		return -EINVAL;

	guard(hyp_trace_lock)(&cpu->lock);

	more[0] = cpu->totals_memory.region_pfn;
	return hyp_totals_table_unload(cpu);
}
