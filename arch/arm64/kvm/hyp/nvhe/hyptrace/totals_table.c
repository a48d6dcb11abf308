// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals of the time at EL2: the rows, and the memory of tables.
 *
 * A vCPU's table is loaded once, in one call, in which its VM can't be torn down; and it stays until
 * EL2 has torn down the VM. So it is there whenever EL2 runs the vCPU, whatever the host does. From
 * then on the host can have it back. (Without protection the memory has been the host's all the
 * time, and EL2 does nothing when a VM is gone.)
 */

#include <nvhe/hyptrace/totals_table.h>
#include <nvhe/hyptrace.h>
#include <nvhe/hyptrace/test.h>

#include <nvhe/pkvm.h>

static_assert(sizeof(struct hyp_totals_own) == HYP_TOTALS_OWN_SIZE);

s64 handle___hyp_totals_enable(u64 enable, u64 reset)
{
	hyp_trace_keep_totals(enable, reset);
	return 0;
}

/**
 * struct table - EL2's own copy of a table, behind the list of shared pages
 * @memory:	the memory that it is in, of a vCPU's table
 * @next:	the next of the tables whose vCPUs are gone
 * @state:	where the table's state is published
 * @rows:	the rows
 */
struct table {
	struct hyp_trace_memory	memory;
	struct table		*next;
	struct hyp_totals_state	*state;
	struct hyp_totals_own	rows[];
};

static_assert(sizeof(struct table) <= HYP_TOTALS_TABLE_SIZE);

static struct table *table_in(const struct hyp_trace_memory *mem)
{
	return hyp_trace_memory_element(mem, mem->nr_pages);
}

static struct table *table_of(const struct hyp_totals_vcpu *vcpu)
{
	return container_of(vcpu->rows, struct table, rows[0]);
}

/* Rows ---------------------------------------------------------------------------- */

/*
 * Have a row begin at 0. A row that has not counted anything has no interval that the fast path
 * will do for: the upper half of a product is less than U64_MAX.
 */
static void row_begin(struct hyp_totals_own *own)
{
	own->low = U64_MAX;
	own->span = 0;
	own->count = 0;
	own->total = 0;
	own->min = U64_MAX;
	own->max = 0;
	memset(own->bucket, 0, sizeof(own->bucket));
}

/* Publish the whole of a row. */
static void row_publish(const struct hyp_totals_own *own)
{
	struct hyp_totals_row *row = own->shared;

	hyp_totals_publish_begin(row, own->count);
	row->total = own->total;
	row->min = own->min;
	row->max = own->max;
	memcpy(row->bucket, own->bucket, sizeof(row->bucket));
	hyp_totals_publish_end(row, own->count);
}

/* The bucket of any interval. */
static u64 bucket_of(u64 ns)
{
	return hyp_totals_bucket(clamp(ns, HYP_TOTALS_BUCKET_LOW - 1, HYP_TOTALS_BUCKET_HIGH));
}

/**
 * hyp_totals_count() - add any interval to a row, and publish the row
 * @own:	the row
 * @ns:		the interval [ns]
 */
void hyp_totals_count(struct hyp_totals_own *own, u64 ns)
{
	u64 low, high;

	own->count++;
	own->total += ns;
	own->min = min(own->min, ns);
	own->max = max(own->max, ns);
	own->bucket[bucket_of(ns)]++;
	row_publish(own);

	low = max(own->min, HYP_TOTALS_BUCKET_LOW);
	high = min(own->max, HYP_TOTALS_BUCKET_HIGH);
	own->low = low <= high ? low : U64_MAX;
	own->span = low <= high ? high - low : 0;
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
	struct hyp_totals_vcpu *own = &vcpu->arch.hyp_totals;
	u32 reset = READ_ONCE(hyp_totals_last_reset);
	int i;

	/* Pairs with the release of load_vcpu(). */
	if (!smp_load_acquire(&own->rows))
		return false;
	if (own->reset == reset)
		return true;

	for (i = 0; i < HYP_TOTALS_VCPU_ROWS; i++) {
		if (!own->rows[i].count)
			continue;

		row_begin(&own->rows[i]);
		row_publish(&own->rows[i]);
	}

	own->reset = reset;
	/* The rows before the state: pairs with the acquire of the host's table_is_of(). */
	smp_store_release(&table_of(own)->state->reset, reset);
	return true;
}

/* Memory -------------------------------------------------------------------------- */

/* Set up as many rows as a step takes pages. The host has passed in what it likes to read. */
static int rows_set_up(struct hyp_trace_memory *mem, u32 nr_rows)
{
	struct table *table = table_in(mem);
	u32 end = min(mem->set_up + hyp_trace_step_pages(), nr_rows), i, place;
	struct hyp_totals_row *shared;

	for (i = mem->set_up; i < end; i++) {
		place = 1 + i;
		shared = hyp_trace_memory_page(mem, place / HYP_TOTALS_PER_PAGE);
		row_begin(&table->rows[i]);
		table->rows[i].shared = &shared[place % HYP_TOTALS_PER_PAGE];
		row_publish(&table->rows[i]);
	}

	mem->set_up = end;
	return end == nr_rows ? 0 : -EINPROGRESS;
}

/* Do a step of loading a table. 0 if it is complete; then @mem is loaded. */
static int table_load(struct hyp_trace_memory *mem, u64 pfn, u32 nr_rows)
{
	int ret = hyp_trace_memory_load(mem, pfn, hyp_totals_region_pages(nr_rows),
					hyp_totals_pages(nr_rows), sizeof(void *));

	ret = ret ?: rows_set_up(mem, nr_rows);
	if (!ret) {
		table_in(mem)->state = hyp_trace_memory_page(mem, 0);
		mem->stage = HYP_TRACE_LOADED;
	}

	return ret;
}

s64 handle___hyp_totals_load(u64 cpu_id, u64 pfn, u64 nr_pages)
{
	struct hyp_trace_cpu *cpu = hyp_trace_cpu_get(cpu_id);
	int ret;

	if (!cpu || nr_pages != hyp_totals_region_pages(HYP_TOTALS_CPU_ROWS))
		return -EINVAL;

	hyp_spin_lock(&cpu->lock);
	ret = table_load(&cpu->totals_memory, pfn, HYP_TOTALS_CPU_ROWS);
	/*
	 * The CPU may be running a guest, and look whether the table is open: so this leaves
	 * alone what hyp_totals_shut() has set.
	 */
	if (!ret)
		cpu->totals.rows = table_in(&cpu->totals_memory)->rows;
	hyp_spin_unlock(&cpu->lock);

	return ret;
}

static int table_unload(struct hyp_trace_cpu *cpu)
{
	switch (cpu->totals_memory.stage) {
	case HYP_TRACE_NO_MEMORY:
		return -ENOENT;
	case HYP_TRACE_LOADING:
		return -EBUSY;
	case HYP_TRACE_LOADED:
		/* Only its own CPU uses the table. */
		if (cpu->totals.open && !hyp_trace_cpu_is_away(cpu))
			return -EBUSY;
		hyp_totals_shut(&cpu->totals);
		break;
	case HYP_TRACE_UNLOADING:
		break;
	}

	return hyp_trace_memory_unload(&cpu->totals_memory);
}

/* vCPUs --------------------------------------------------------------------------- */

/**
 * struct vcpus - the tables of vCPUs
 * @lock:	protects this, and that a vCPU gets a table
 * @gone:	tables of vCPUs that are gone
 * @unloading:	memory of such a table, which is being given back
 */
static struct {
	hyp_spinlock_t		lock;
	struct table		*gone;
	struct hyp_trace_memory	unloading;
} vcpus;

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
 * Load a vCPU's table, all of it: EL2 would panic if the host could have a VM torn down that is held
 * between two calls. These are few pages, fewer than a step of a ring has.
 */
static int load_vcpu(struct kvm_vcpu *vcpu, u64 pfn)
{
	struct hyp_totals_vcpu *own = &vcpu->arch.hyp_totals;
	struct hyp_trace_memory mem = { };
	struct table *table;
	int ret;

	if (own->rows)
		return -EBUSY;

	do {
		ret = table_load(&mem, pfn, HYP_TOTALS_VCPU_ROWS);
	} while (ret == -EINPROGRESS);
	if (ret)
		return ret;

	table = table_in(&mem);
	table->memory = mem;
	/* The table before the pointer: pairs with hyp_totals_vcpu_reset(). */
	smp_store_release(&own->rows, table->rows);
	return 0;
}

s64 handle___hyp_totals_load_vcpu(u64 vm, u64 id, u64 pfn, u64 nr_pages)
{
	struct kvm_vcpu *vcpu;
	int ret;

	if (nr_pages != hyp_totals_region_pages(HYP_TOTALS_VCPU_ROWS))
		return -EINVAL;

	vcpu = hold_vcpu(vm, id);
	if (!vcpu)
		return -ENOENT;

	hyp_spin_lock(&vcpus.lock);
	ret = load_vcpu(vcpu, pfn);
	hyp_spin_unlock(&vcpus.lock);
	release_vcpu(vcpu);

	return ret;
}

/**
 * hyp_totals_vcpu_gone() - EL2 is tearing down a VM
 * @vcpu:	EL2's copy of its vCPU, which can't run any more
 */
void hyp_totals_vcpu_gone(struct kvm_vcpu *vcpu)
{
	struct table *table;

	if (!vcpu->arch.hyp_totals.rows)
		return;

	table = table_of(&vcpu->arch.hyp_totals);
	hyp_spin_lock(&vcpus.lock);
	table->next = vcpus.gone;
	vcpus.gone = table;
	hyp_spin_unlock(&vcpus.lock);
}

/* Do a step of giving back the memory of any table whose vCPU is gone. */
static int gone_unload(u64 *pfn)
{
	if (vcpus.unloading.stage == HYP_TRACE_NO_MEMORY) {
		if (!vcpus.gone)
			return -ENOENT;

		vcpus.unloading = vcpus.gone->memory;
		vcpus.gone = vcpus.gone->next;
	}

	*pfn = vcpus.unloading.region_pfn;
	return hyp_trace_memory_unload(&vcpus.unloading);
}

s64 handle___hyp_totals_unload(u64 *more, u64 cpu_id)
{
	struct hyp_trace_cpu *cpu;
	int ret;

	if (cpu_id == HYP_TOTALS_GONE) {
		hyp_spin_lock(&vcpus.lock);
		ret = gone_unload(more);
		hyp_spin_unlock(&vcpus.lock);
		return ret;
	}

	cpu = hyp_trace_cpu_get(cpu_id);
	if (!cpu)
		return -EINVAL;

	hyp_spin_lock(&cpu->lock);
	more[0] = cpu->totals_memory.region_pfn;
	ret = table_unload(cpu);
	hyp_spin_unlock(&cpu->lock);

	return ret;
}

/* On and off ------------------------------------------------------------------------ */

/* Let the fast paths of this CPU, or of one that can't be measuring, find no table. */
void hyp_totals_shut(struct hyp_totals_cpu *totals)
{
	totals->open = false;
	totals->epoch = HYP_TOTALS_CLOSED;
	/* The fast paths look for rows, and not whether the table is open. */
	totals->guest = NULL;
	memset(totals->hcall, 0, sizeof(totals->hcall));
}

/**
 * hyp_totals_open() - have a CPU measure, if it has a table
 * @cpu:	this CPU, locked
 */
void hyp_totals_open(struct hyp_trace_cpu *cpu)
{
	hyp_assert_lock_held(&cpu->lock);

	/* A vCPU's epoch is 0 if it is not measured: no table is open before the first measurement. */
	if (cpu->totals_memory.stage != HYP_TRACE_LOADED || READ_ONCE(hyp_trace_panicked) ||
	    !hyp_totals_epoch) {
		hyp_totals_shut(&cpu->totals);
		return;
	}

	cpu->totals.open = true;
	cpu->totals.guest = NULL;
	cpu->totals.epoch = hyp_totals_epoch;
	hyp_totals_settle(&cpu->totals);
}
