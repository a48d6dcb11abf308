// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals of the time at EL2: the table's memory, and rows that are new.
 */

#include <nvhe/hyptrace/totals_table.h>
#include <nvhe/hyptrace.h>
#include <nvhe/hyptrace/test.h>

#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/log2.h>

static_assert(sizeof(struct hyp_totals_own) == HYP_TOTALS_OWN_SIZE);

/* VMs ----------------------------------------------------------------------------- */

/* A VM's number, modulo this. The host reuses none that a living VM has. */
#define NR_VMS	BIT(16)

/* VMs that are gone. A row of such a VM may be replaced. */
static DECLARE_BITMAP(vms_gone, NR_VMS);
static hyp_spinlock_t vms_lock;

s64 handle___hyp_totals_vm(u64 vm, u64 gone)
{
	hyp_spin_lock(&vms_lock);
	__assign_bit(vm % NR_VMS, vms_gone, gone);
	hyp_spin_unlock(&vms_lock);

	return 0;
}

s64 handle___hyp_totals_enable(u64 enable)
{
	hyp_trace_keep_totals(enable);
	return 0;
}

/* Rows ---------------------------------------------------------------------------- */

static bool row_is_gone(const struct hyp_totals_own *own)
{
	enum hyp_totals_kind kind = FIELD_GET(HYP_TOTALS_KEY_KIND, own->key);

	return hyp_totals_is_guests(kind) &&
	       test_bit(FIELD_GET(HYP_TOTALS_KEY_UPPER, own->key) % NR_VMS, vms_gone);
}

/*
 * A row that has not counted anything has no interval that the fast path will do for: the
 * upper half of a product is less than U64_MAX.
 */
static struct hyp_totals_own row_new(u64 key, struct hyp_totals_row *shared)
{
	return (struct hyp_totals_own) {
		.key	= key,
		.low	= U64_MAX,
		.min	= U64_MAX,
		.shared	= shared,
	};
}

/* Publish the whole of a row. */
static void row_publish(const struct hyp_totals_own *own)
{
	struct hyp_totals_row *row = own->shared;

	hyp_totals_publish_begin(row, own->count);
	row->key = own->key;
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
	u64 high;

	own->count++;
	own->total += ns;
	own->min = min(own->min, ns);
	own->max = max(own->max, ns);
	own->bucket[bucket_of(ns)]++;
	row_publish(own);

	own->low = max(own->min, HYP_TOTALS_BUCKET_LOW);
	high = min(own->max, HYP_TOTALS_BUCKET_HIGH);
	own->span = high - own->low;
	if (own->low > high) {
		own->low = U64_MAX;
		own->span = 0;
	}
}

/* Use a row for another key. It is published now: a reader must not see the old one's numbers. */
static void row_begin(struct hyp_totals_own *own, u64 key)
{
	*own = row_new(key, own->shared);
	row_publish(own);
}

/* The row "other" of a key's kind. Without protection, the key has been in the host's memory. */
static struct hyp_totals_own *row_other(struct hyp_totals_cpu *totals, u64 key)
{
	enum hyp_totals_kind kind = FIELD_GET(HYP_TOTALS_KEY_KIND, key);

	return &totals->other[kind && kind < HYP_TOTALS_KINDS ? kind : HYP_TOTALS_GUEST];
}

/* Add a row to "other", because its place is needed. */
static void row_retire(struct hyp_totals_cpu *totals, const struct hyp_totals_own *own)
{
	struct hyp_totals_own *other = row_other(totals, own->key);
	int i;

	other->count += own->count;
	other->total += own->total;
	other->min = min(other->min, own->min);
	other->max = max(other->max, own->max);
	for (i = 0; i < HYP_TOTALS_BUCKETS; i++)
		other->bucket[i] += own->bucket[i];
	/* The fast path takes less than it could, until the next interval outside of its range. */
	row_publish(other);

	totals->guest_key = 0;
	WRITE_ONCE(totals->state->replaced, ++totals->replaced);
}

/**
 * hyp_totals_find() - find or make the row of a key
 * @totals:	this CPU's table
 * @key:	the key
 *
 * A row is never emptied, so the key can't be behind an empty row. If all rows are in use,
 * one of a VM that is gone gives way.
 *
 * Return: the row, or the kind's row "other" if there is no room
 */
struct hyp_totals_own *hyp_totals_find(struct hyp_totals_cpu *totals, u64 key)
{
	struct hyp_totals_own *own, *gone = NULL;
	u64 i, first = hyp_totals_hash(key);

	for (i = first; i < first + HYP_TOTALS_WINDOW; i++) {
		own = hyp_totals_place(totals, i);
		if (own->key == key)
			return own;

		if (!own->key) {
			WRITE_ONCE(totals->state->used, ++totals->used);
			row_begin(own, key);
			return own;
		}

		if (!gone && row_is_gone(own))
			gone = own;
	}

	if (!gone)
		return row_other(totals, key);

	row_retire(totals, gone);
	row_begin(gone, key);
	return gone;
}

/* Memory -------------------------------------------------------------------------- */

/* EL2's own rows, behind the list. */
static struct hyp_totals_own *table_rows(const struct hyp_trace_memory *mem)
{
	return hyp_trace_memory_element(mem, mem->nr_pages);
}

/* Set up as many rows as a step takes pages. The host has passed in what it likes to read. */
static int rows_set_up(struct hyp_trace_memory *mem, u32 nr_rows)
{
	struct hyp_totals_own *rows = table_rows(mem);
	u32 end = min(mem->set_up + hyp_trace_step_pages(), hyp_totals_places(nr_rows)), i;
	struct hyp_totals_row *shared;

	for (i = mem->set_up; i < end; i++) {
		shared = hyp_trace_memory_page(mem, i / HYP_TOTALS_PER_PAGE);
		rows[i] = row_new(i < HYP_TOTALS_KINDS ? HYP_TOTALS_OTHER(i) : 0,
				  &shared[i % HYP_TOTALS_PER_PAGE]);
		if (i && i < HYP_TOTALS_KINDS)
			row_publish(&rows[i]);
	}

	mem->set_up = end;
	return end == hyp_totals_places(nr_rows) ? 0 : -EINPROGRESS;
}

/* Steps of their own, once all memory has been taken. */
static int table_set_up(struct hyp_trace_cpu *cpu, u32 nr_rows)
{
	struct hyp_trace_memory *mem = &cpu->totals_memory;
	struct hyp_totals_own *rows = table_rows(mem);
	int ret = rows_set_up(mem, nr_rows);

	if (ret)
		return ret;

	/*
	 * The CPU may be running a guest, and look whether the table is open: so this leaves
	 * alone what hyp_totals_shut() has set.
	 */
	cpu->totals.ordinary = rows + HYP_TOTALS_KINDS;
	cpu->totals.mask = nr_rows - 1;
	cpu->totals.other = rows;
	cpu->totals.state = hyp_trace_memory_page(mem, 0);
	cpu->totals.used = 0;
	cpu->totals.replaced = 0;
	mem->stage = HYP_TRACE_LOADED;
	return 0;
}

s64 handle___hyp_totals_load(u64 cpu_id, u64 pfn, u64 nr_pages, u64 nr_rows)
{
	struct hyp_trace_cpu *cpu = hyp_trace_cpu_get(cpu_id);
	int ret;

	if (!cpu || nr_rows < HYP_TOTALS_MIN_ROWS || !is_power_of_2(nr_rows) ||
	    nr_pages != hyp_totals_region_pages(nr_rows))
		return -EINVAL;

	hyp_spin_lock(&cpu->lock);
	ret = hyp_trace_memory_load(&cpu->totals_memory, pfn, nr_pages,
				    hyp_totals_pages(nr_rows), sizeof(void *));
	if (!ret)
		ret = table_set_up(cpu, nr_rows);
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

s64 handle___hyp_totals_unload(u64 cpu_id)
{
	struct hyp_trace_cpu *cpu = hyp_trace_cpu_get(cpu_id);
	int ret;

	if (!cpu)
		return -EINVAL;

	hyp_spin_lock(&cpu->lock);
	ret = table_unload(cpu);
	hyp_spin_unlock(&cpu->lock);

	return ret;
}

/* Let the fast paths of this CPU, or of one that can't be measuring, find no table. */
void hyp_totals_shut(struct hyp_totals_cpu *totals)
{
	totals->open = false;
	totals->epoch = HYP_TOTALS_CLOSED;
	/* The fast paths look for rows, and not whether the table is open. */
	totals->guest_key = 0;
	memset(totals->hcall, 0, sizeof(totals->hcall));
}

/**
 * hyp_totals_open() - have a CPU measure, if it has a table
 * @cpu:	this CPU, locked
 */
void hyp_totals_open(struct hyp_trace_cpu *cpu)
{
	hyp_assert_lock_held(&cpu->lock);

	if (cpu->totals_memory.stage != HYP_TRACE_LOADED || READ_ONCE(hyp_trace_panicked)) {
		hyp_totals_shut(&cpu->totals);
		return;
	}

	cpu->totals.open = true;
	cpu->totals.epoch = hyp_totals_epoch;
	hyp_totals_settle(&cpu->totals);
}
