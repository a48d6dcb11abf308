// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals of the time at EL2: the rows, and the memory of tables. What is special about those of
 * vCPUs is in totals_vcpus.c.
 */

#include <nvhe/hyptrace/totals_table.h>
#include <nvhe/hyptrace.h>
#include <nvhe/hyptrace/test.h>

static_assert(sizeof(struct hyp_totals_own) == HYP_TOTALS_OWN_SIZE);
static_assert(sizeof(struct hyp_totals_table) <= HYP_TOTALS_TABLE_SIZE);

/* Rows ---------------------------------------------------------------------------- */

/* Have a row begin at 0. */
static void row_begin(struct hyp_totals_own *own)
{
	hyp_totals_row_renew(own);
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

/**
 * hyp_totals_count() - add any interval to a row, and publish the row
 * @own:	the row
 * @ns:		the interval [ns]
 * @limit:	longer ones have to take the slow path [ns]
 */
void hyp_totals_count(struct hyp_totals_own *own, u64 ns, u64 limit)
{
	u64 low, high, bounded = clamp(ns, HYP_TOTALS_BUCKET_LOW - 1, HYP_TOTALS_BUCKET_HIGH);

	own->count++;
	own->total += ns;
	own->min = min(own->min, ns);
	own->max = max(own->max, ns);
	own->bucket[hyp_totals_bucket(bounded)]++;
	row_publish(own);

	low = max(own->min, HYP_TOTALS_BUCKET_LOW);
	high = min3(own->max, limit, HYP_TOTALS_BUCKET_HIGH);
	own->low = low <= high ? low : U64_MAX;
	own->span = low <= high ? high - low : 0;
}

/* Have a row begin at 0 again, if it has counted anything. */
void hyp_totals_row_reset(struct hyp_totals_own *own)
{
	if (!own->count)
		return;

	row_begin(own);
	row_publish(own);
}

/* Memory -------------------------------------------------------------------------- */

/* Set up as many rows as a step takes pages. The host has passed in what it likes to read. */
static int rows_set_up(struct hyp_trace_memory *mem, u32 nr_rows)
{
	struct hyp_totals_table *table = hyp_totals_table_in(mem);
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

/**
 * hyp_totals_table_load() - do a step of loading a table
 * @mem:	its memory; loaded if this returns 0
 * @shape:	its size
 * @pfn:	first page of the region, untrusted
 *
 * Return: 0 if it is complete, or as hyp_trace_memory_load()
 */
int hyp_totals_table_load(struct hyp_trace_memory *mem, const struct hyp_totals_shape *shape,
			  u64 pfn)
{
	int ret = hyp_trace_memory_load(mem, pfn, shape->region_pages, shape->nr_pages,
					sizeof(void *));

	ret = ret ?: rows_set_up(mem, shape->nr_rows);
	if (!ret) {
		hyp_totals_table_in(mem)->state = hyp_trace_memory_page(mem, 0);
		mem->stage = HYP_TRACE_LOADED;
	}

	return ret;
}

s64 handle___hyp_totals_load(u64 cpu_id, u64 pfn, u64 nr_pages)
{
	const struct hyp_totals_shape shape = hyp_totals_cpu_shape();
	struct hyp_trace_cpu *cpu = hyp_trace_cpu_get(cpu_id);
	int ret;

	if (!cpu || nr_pages != shape.region_pages)
		return -EINVAL;

	guard(hyp_trace_lock)(&cpu->lock);

	ret = hyp_totals_table_load(&cpu->totals_memory, &shape, pfn);
	/*
	 * The CPU may be running a guest, and look whether the table is open: so this leaves
	 * alone what hyp_totals_shut() has set.
	 */
	if (!ret) {
		cpu->draft.cpu = cpu_id;
		cpu->totals.rows = hyp_totals_table_in(&cpu->totals_memory)->rows;
		memset(hyp_totals_maxima_in(&cpu->totals_memory), 0,
		       sizeof(struct hyp_totals_maxima));
	}
	return ret;
}

/* Do a step of unloading a CPU's table; the CPU's lock is held. */
int hyp_totals_table_unload(struct hyp_trace_cpu *cpu)
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

/* On and off ------------------------------------------------------------------------ */

/* Let the fast paths of this CPU, or of one that can't be measuring, find no table. */
void hyp_totals_shut(struct hyp_totals_cpu *totals)
{
	totals->open = false;
	totals->epoch = HYP_TOTALS_CLOSED;
	totals->maxima = NULL;
	/* The fast paths look for rows, and not whether the table is open. */
	totals->guest = NULL;
	memset(totals->hcall, 0, sizeof(totals->hcall));
}

/* Have this CPU, which is locked, measure, if it has a table. */
void hyp_totals_open(struct hyp_trace_cpu *cpu)
{
	u32 measurement = READ_ONCE(hyp_totals_measurement);

	hyp_assert_lock_held(&cpu->lock);

	/* A vCPU that is not measured has epoch 0: so no CPU may have it. */
	if (cpu->totals_memory.stage != HYP_TRACE_LOADED || READ_ONCE(hyp_trace_panicked) ||
	    !measurement) {
		hyp_totals_shut(&cpu->totals);
		return;
	}

	cpu->totals.open = true;
	cpu->totals.guest = NULL;
	cpu->totals.epoch = (u64)measurement << 32 | hyp_totals_max_begin(cpu);
	hyp_totals_settle(&cpu->totals);
}
