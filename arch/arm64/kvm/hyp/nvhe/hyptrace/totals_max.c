// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals of the time at EL2: the longest intervals, see asm/hyptrace_totals_max.h.
 *
 * The fast path counts an interval only if it is in its row's range. A row's range ends at the
 * smaller of two: the longest interval that this CPU has published for that kind and reason, of
 * whatever vCPU, and the threshold. So whatever has to be published comes here, and nothing else
 * costs anything.
 *
 * A vCPU takes its ranges along to another CPU. That is safe: a range never ends beyond the longest
 * of all CPUs, so an interval that is longer than all of them is out of any range. When the host
 * changes the setting, all ranges are made anew: a CPU's when it syncs, a vCPU's when it next runs
 * on a CPU that has.
 */

#include <nvhe/hyptrace.h>
#include <nvhe/hyptrace/totals_table.h>
#include <nvhe/hyptrace/fields.h>

static_assert(sizeof(struct hyp_totals_maxima) <= HYP_TOTALS_MAX_OWN_SIZE);

/* The host's setting: @number is another one whenever the others have changed. */
static struct {
	bool	enable;
	u64	threshold;
	u32	reset;
	u32	number;
} setting;

s64 handle___hyp_totals_max(u64 enable, u64 threshold, u64 number, u64 reset)
{
	WRITE_ONCE(setting.enable, enable);
	WRITE_ONCE(setting.threshold, threshold);
	WRITE_ONCE(setting.reset, reset);
	/* The others before the number: pairs with hyp_totals_max_begin(). */
	smp_store_release(&setting.number, number);
	return 0;
}

/* Have this CPU, whose table is open, heed the host's setting. Return the setting's number. */
u32 hyp_totals_max_begin(struct hyp_trace_cpu *cpu)
{
	struct hyp_totals_maxima *maxima = hyp_totals_maxima_in(&cpu->totals_memory);
	/* Pairs with handle___hyp_totals_max(). */
	u32 number = smp_load_acquire(&setting.number), i;
	u32 reset = READ_ONCE(setting.reset);

	if (maxima->reset != reset)
		memset(maxima->longest, 0, sizeof(maxima->longest));
	maxima->reset = reset;

	if (maxima->setting != number) {
		maxima->setting = number;
		maxima->threshold = READ_ONCE(setting.threshold);
		for (i = 0; i < HYP_TOTALS_CPU_ROWS; i++)
			hyp_totals_row_renew(&cpu->totals.rows[i]);
	}

	cpu->totals.maxima = READ_ONCE(setting.enable) ? maxima : NULL;
	return number;
}

/* The number of an interval's row: CPUs' rows come first. */
static u32 row_of(const struct hyp_trace_cpu *cpu, const struct hyp_totals_interval *interval)
{
	if (!interval->vcpu)
		return interval->own - cpu->totals.rows;

	return HYP_TOTALS_CPU_ROWS + (interval->own - interval->vcpu->arch.hyp_totals.rows);
}

/* A place among the records, which follow the shared pages of the rows. */
static struct hyp_totals_max *record_at(const struct hyp_trace_cpu *cpu, u32 place)
{
	struct hyp_totals_max *records = hyp_trace_memory_page(&cpu->totals_memory,
							       hyp_totals_max_page(place));

	return &records[place % HYP_TOTALS_MAX_PER_PAGE];
}

/* Get the mark of the beginning of an interval; if there is none, only its time and this CPU. */
static struct hyp_totals_mark mark_of(const struct hyp_trace_cpu *cpu,
				      const struct hyp_totals_interval *interval)
{
	struct hyp_totals_mark mark = interval->vcpu ? interval->vcpu->arch.hyp_totals.mark :
						       cpu->totals.mark;

	if (mark.at == interval->began)
		return mark;

	return (struct hyp_totals_mark) {
		.ns	= hyp_clock_at(&cpu->clock, interval->began),
		.seq	= HYP_TOTALS_NO_SEQ,
		.cpu	= cpu->draft.cpu,
	};
}

static void publish(struct hyp_trace_cpu *cpu, const struct hyp_totals_interval *interval, u32 row,
		    u32 place)
{
	u64 ended = hyp_clock_at(&cpu->clock, interval->ended);
	struct hyp_totals_mark mark = mark_of(cpu, interval);
	struct hyp_totals_max *record = record_at(cpu, place);
	struct hyp_totals_maxima *maxima = cpu->totals.maxima;
	union hyp_guest guest = { interval->vcpu };

	maxima->number++;
	WRITE_ONCE(record->number, maxima->number);
	/* The number before the other fields: pairs with the smp_rmb() of the host's max_try(). */
	smp_wmb();
	record->reset = maxima->reset;
	record->ns = interval->ns;
	record->began = min(mark.ns, ended);
	record->ended = ended;
	record->first_seq = mark.seq;
	record->end_seq = cpu->user.ring.seq;
	record->row = row;
	record->first_cpu = mark.cpu;
	record->pid = cpu->pid;
	record->vm = interval->vcpu ? hyp_vm(guest) : 0;
	record->vcpu = interval->vcpu ? hyp_vcpu(guest) : 0;
	/* The other fields before done: pairs with the acquire of the host's max_try(). */
	smp_store_release(&record->done, maxima->number);
}

/* Publish an interval above the threshold, unless another one has been a moment ago. */
static void publish_latest(struct hyp_trace_cpu *cpu, const struct hyp_totals_interval *interval,
			   u32 row, u64 now)
{
	struct hyp_totals_maxima *maxima = cpu->totals.maxima;

	if (maxima->nr_latest && now - maxima->last < HYP_TOTALS_MAX_PERIOD) {
		maxima->nr_spared++;
		return;
	}

	maxima->last = now;
	publish(cpu, interval, row, HYP_TOTALS_MAX_ROWS + maxima->nr_latest++ % HYP_TOTALS_LATEST);
}

/*
 * Tell the host what has been published, and have EL2 ring: the events that go with it may be
 * overwritten soon. If it has rung a moment ago, the host looks again after as long.
 */
static void tell(struct hyp_trace_cpu *cpu, u64 now)
{
	struct hyp_totals_state *state = hyp_totals_table_in(&cpu->totals_memory)->state;
	struct hyp_totals_maxima *maxima = cpu->totals.maxima;

	WRITE_ONCE(state->nr_spared, maxima->nr_spared);
	/* The records before their number: pairs with the host's cpu_look(). */
	smp_store_release(&state->nr_max, maxima->number);

	if (!maxima->rung || now - maxima->rung >= HYP_TOTALS_MAX_PERIOD) {
		maxima->rung = now;
		cpu->leave |= HYP_LEAVE_RING;
	}
}

/**
 * hyp_totals_max_look() - an interval is out of its row's range: publish it if it is a long one
 * @cpu:	this CPU, which has maxima
 * @interval:	the interval
 *
 * Return: where the row's range has to end [ns]
 */
u64 hyp_totals_max_look(struct hyp_trace_cpu *cpu, const struct hyp_totals_interval *interval)
{
	struct hyp_totals_maxima *maxima = cpu->totals.maxima;
	u64 now = hyp_clock_at(&cpu->clock, interval->ended), *longest;
	u32 row = row_of(cpu, interval);

	/* Without protection, the host can have replaced the vCPU's pointer to its rows. */
	if (row >= HYP_TOTALS_MAX_ROWS)
		return U64_MAX;

	longest = &maxima->longest[row];
	if (interval->ns > *longest) {
		*longest = interval->ns;
		publish(cpu, interval, row, row);
		tell(cpu, now);
	}
	if (interval->ns > maxima->threshold) {
		publish_latest(cpu, interval, row, now);
		tell(cpu, now);
	}

	return min(*longest, maxima->threshold);
}
