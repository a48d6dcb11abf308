// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of the longest intervals of totals: takes what EL2 publishes of them, with the events
 * that the buffer of hyp/ has of each (hyp/max).
 *
 * EL2 rings when it has published something, and not again for 10 ms: so a work looks at once, and
 * once more after that time. If EL2 can't ring, the work polls. The selftests have a model of this,
 * model/max.pml.
 *
 * A CPU publishes its own longest; the host keeps the longest of all CPUs since the last reset.
 * Each record is checked, like all that is read from shared memory.
 */

#include <linux/cpu.h>
#include <linux/kref.h>
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/trace_ext_compat.h>
#include <linux/workqueue.h>

#include <asm/hyptrace.h>

#include "totals.h"

/* Room for the text of an interval's events [bytes]. */
#define MAX_TEXT	SZ_64K

/**
 * struct kept_max - an interval that is kept; it does not change
 * @ref:	whoever prints it has a reference
 * @id:		its number
 * @is_longest:	it is the longest of its row, else it was above the threshold
 * @cpu:	the CPU where it has ended
 * @record:	what EL2 has published
 * @comm:	name of the task, or nothing
 * @nr:		number of its events
 * @nr_shown:	of these, those in @text
 * @lost:	events that were not there any more; U64_MAX if their number is not known
 * @text:	its events
 */
struct kept_max {
	struct kref		ref;
	u64			id;
	bool			is_longest;
	int			cpu;
	struct hyp_totals_max	record;
	char			comm[TASK_COMM_LEN];
	u64			nr;
	u64			nr_shown;
	u64			lost;
	char			text[];
};

/**
 * struct found_max - a record that has been copied
 * @record:	the record
 * @place:	where it was
 */
struct found_max {
	struct hyp_totals_max	record;
	u32			place;
};

/*
 * Protects the following. The events of an interval are copied with this lock, so CPU hotplug must
 * not take it, nor who holds cpus_read_lock(): see trace_ext_excerpt().
 */
static DEFINE_MUTEX(max_lock);

/**
 * struct maxima - what is kept
 * @on:		EL2 publishes it
 * @threshold:	[us], 0 if there is none
 * @setting:	number of the present setting
 * @unkept:	intervals that there was no memory for
 * @kept:	the longest by row; then the latest above the threshold, by their ends, first those
 *		that are NULL
 * @found:	room for the records of a CPU, NULL until it is first turned on
 * @rung:	EL2 may have rung since the last look; not protected by the lock
 */
static struct maxima {
	bool		on;
	u32		threshold;
	u32		setting;
	u64		unkept;
	struct kept_max	*kept[HYP_TOTALS_MAX_RECORDS];
	struct found_max *found;
	bool		rung;
} maxima;

struct hyptrace_max_taken hyptrace_max_taken;

static void look_work(struct work_struct *unused);
static DECLARE_DELAYED_WORK(look, look_work);

static void kept_free(struct kref *ref)
{
	kvfree(container_of(ref, struct kept_max, ref));
}

static void kept_put(struct kept_max *kept)
{
	if (kept)
		kref_put(&kept->ref, kept_free);
}

/* Taking ------------------------------------------------------------------------------ */

/* Add the text of the events that a CPU has of an interval. */
static void add_events(struct kept_max *kept, struct trace_ext_excerpt excerpt,
		       struct seq_buf *text)
{
	/* Without a buffer, no event has been recorded. */
	if (trace_ext_excerpt(&hyptrace_writer, &excerpt, text) == -ENOMEM)
		excerpt.lost = U64_MAX;

	kept->nr += excerpt.nr;
	kept->nr_shown += excerpt.nr_shown;
	kept->lost = max(kept->lost, excerpt.lost) == U64_MAX ? U64_MAX :
							      kept->lost + excerpt.lost;
}

/* An interval that began on another CPU has the events of both. */
static void take_events(struct kept_max *kept, struct seq_buf *text)
{
	const struct hyp_totals_max *record = &kept->record;
	struct trace_ext_excerpt excerpt = {
		.cpu		= record->first_cpu,
		.from		= record->began,
		.to		= record->ended,
		.first_seq	= record->first_seq,
		.end_seq	= U64_MAX,
	};

	if (excerpt.cpu != kept->cpu) {
		add_events(kept, excerpt, text);
		excerpt.cpu = kept->cpu;
		excerpt.first_seq = U64_MAX;
	}

	excerpt.end_seq = record->end_seq;
	add_events(kept, excerpt, text);
}

static void find_comm(struct kept_max *kept)
{
	struct task_struct *task;

	guard(rcu)();

	task = find_task_by_pid_ns(kept->record.pid, &init_pid_ns);
	if (task)
		get_task_comm(kept->comm, task);
}

/* Fill in an interval that has room for @size bytes of text; returns the bytes in use. */
static size_t kept_fill(struct kept_max *kept, int cpu, const struct hyp_totals_max *record,
			size_t size)
{
	struct seq_buf text;

	kref_init(&kept->ref);
	kept->cpu = cpu;
	kept->record = *record;
	find_comm(kept);
	if (!size) {
		kept->lost = U64_MAX;
		return 0;
	}

	seq_buf_init(&text, kept->text, size - 1);
	take_events(kept, &text);
	return seq_buf_used(&text) + 1;
}

/* Make what is kept of a record; without its events, if there is no memory for more. */
static struct kept_max *kept_new(int cpu, const struct hyp_totals_max *record)
{
	struct kept_max *kept, *fit = NULL;
	size_t used;

	kept = kvzalloc(sizeof(*kept) + MAX_TEXT, GFP_KERNEL);
	if (kept) {
		used = kept_fill(kept, cpu, record, MAX_TEXT);
		fit = kvmemdup(kept, sizeof(*kept) + used, GFP_KERNEL);
		kvfree(kept);
	}
	if (!fit) {
		fit = kvzalloc(sizeof(*fit) + 1, GFP_KERNEL);
		if (fit)
			kept_fill(fit, cpu, record, 0);
	}
	if (fit)
		fit->id = ++hyptrace_max_taken.last_id;
	else
		maxima.unkept++;

	return fit;
}

static void keep_longest(int cpu, const struct hyp_totals_max *record, u32 row)
{
	struct kept_max **slot = &maxima.kept[row], *kept;

	if (*slot && (*slot)->record.ns >= record->ns)
		return;

	kept = kept_new(cpu, record);
	if (!kept)
		return;

	kept->is_longest = true;
	kept_put(*slot);
	*slot = kept;
}

/* The first one goes, and all that have ended before the new one move up. */
static void keep_latest(int cpu, const struct hyp_totals_max *record)
{
	struct kept_max **slot = maxima.kept + HYP_TOTALS_MAX_ROWS, *kept;
	u32 i;

	if (*slot && (*slot)->record.ended > record->ended)
		return;

	kept = kept_new(cpu, record);
	if (!kept)
		return;

	kept_put(*slot);
	for (i = 1; i < HYP_TOTALS_LATEST; i++, slot++) {
		if (slot[1] && slot[1]->record.ended > record->ended)
			break;
		*slot = slot[1];
	}
	*slot = kept;
}

static bool record_makes_sense(const struct hyp_totals_max *record, u32 place)
{
	return record->row < HYP_TOTALS_MAX_ROWS &&
	       (place >= HYP_TOTALS_MAX_ROWS || record->row == place) &&
	       record->began <= record->ended && record->ended <= S64_MAX &&
	       record->ns <= record->ended &&
	       record->first_cpu < nr_cpu_ids && cpu_possible(record->first_cpu);
}

/* Take a record that a CPU has published. */
static void take(int cpu, const struct found_max *found)
{
	const struct hyp_totals_max *record = &found->record;

	if (!record_makes_sense(record, found->place)) {
		hyptrace_max_taken.bad++;
		pr_warn_ratelimited("hyp_trace: CPU%d: a long interval makes no sense: row %u, %llu to %llu\n",
				    cpu, record->row, record->began, record->ended);
		return;
	}
	if (record->reset != hyptrace_max_taken.reset)
		return;

	if (found->place < HYP_TOTALS_MAX_ROWS)
		keep_longest(cpu, record, found->place);
	else
		keep_latest(cpu, record);
}

/* Looking ----------------------------------------------------------------------------- */

static const struct hyp_totals_max *record_at(const struct hyptrace_totals_table *table, u32 place)
{
	const struct hyp_totals_max *records = table->pages[hyp_totals_max_page(place)];

	return &records[place % HYP_TOTALS_MAX_PER_PAGE];
}

/* Copy a record; false if it is being written: EL2 tells of it later. */
static bool max_try(const struct hyp_totals_max *record, struct hyp_totals_max *copy)
{
	/* Pairs with the release of EL2's publish(). */
	u64 done = smp_load_acquire(&record->done);

	memcpy(copy, record, sizeof(*copy));
	/* Pairs with the smp_wmb() of EL2's publish(). */
	smp_rmb();
	return READ_ONCE(record->number) == done && copy->number == done;
}

/* Copy what a CPU has published since the last look. Return the number of records. */
static u32 cpu_look(int cpu)
{
	struct hyptrace_totals_table *table = per_cpu_ptr(&hyptrace_totals_table, cpu);
	const struct hyp_totals_state *state;
	struct found_max *found = maxima.found;
	u32 place;
	u64 nr;

	guard(mutex)(&hyptrace_totals_lock);

	if (!table->pages)
		return 0;

	state = table->pages[0];
	/* Pairs with the release of EL2's tell(). */
	nr = smp_load_acquire(&state->nr_max);
	if (nr == table->looked)
		return 0;

	/* EL2 has not told yet of records with larger numbers. */
	for (place = 0; place < HYP_TOTALS_MAX_RECORDS; place++) {
		found->place = place;
		if (max_try(record_at(table, place), &found->record) &&
		    found->record.number > table->looked && found->record.number <= nr)
			found++;
	}

	table->looked = nr;
	return found - maxima.found;
}

/* Take what all CPUs have published since the last look. */
static void cpus_look(void)
{
	u32 i, nr;
	int cpu;

	lockdep_assert_held(&max_lock);

	if (!maxima.found)
		return;

	for_each_possible_cpu(cpu) {
		nr = cpu_look(cpu);
		for (i = 0; i < nr; i++)
			take(cpu, &maxima.found[i]);
	}
}

/* Once EL2 has rung, it does not for this long [jiffies]. */
static unsigned long period(void)
{
	return nsecs_to_jiffies(HYP_TOTALS_MAX_PERIOD) + 1;
}

/* On any CPU: what it does should not lengthen the intervals of the one that has rung. */
static void look_after(unsigned long delay)
{
	mod_delayed_work(TRACE_EXT_UNBOUND_WQ, &look, delay);
}

static void look_work(struct work_struct *unused)
{
	bool rung;

	guard(mutex)(&max_lock);

	rung = xchg(&maxima.rung, false);
	cpus_look();
	/* Whatever it has found: EL2 does not ring for what follows within that time. */
	if ((rung || !hyptrace_el2_rings) && maxima.on)
		look_after(period());
}

/* Take what EL2 has published so far. */
void hyptrace_max_look(void)
{
	guard(mutex)(&max_lock);

	cpus_look();
}

/* EL2 may have published long intervals, and rung. Hard interrupt. */
void hyptrace_max_doorbell(void)
{
	if (!READ_ONCE(maxima.on))
		return;

	WRITE_ONCE(maxima.rung, true);
	look_after(0);
}

/* Settings ---------------------------------------------------------------------------- */

/* Have EL2 heed the present setting on all CPUs. */
static int setting_changed(void)
{
	u64 threshold = maxima.threshold ? (u64)maxima.threshold * NSEC_PER_USEC : U64_MAX;
	int ret;

	guard(cpus_read_lock)();
	guard(mutex)(&hyptrace_totals_lock);

	ret = hcall_totals_max(maxima.on, threshold, ++maxima.setting, hyptrace_max_taken.reset);
	if (!ret && hyptrace_totals_are_on())
		hyptrace_totals_turn(true);

	return ret;
}

/**
 * hyptrace_max_enable() - begin or cease to take long intervals
 * @on:		true to begin; totals are kept then
 *
 * Return: 0, or a negative errno
 */
int hyptrace_max_enable(bool on)
{
	int ret;

	guard(mutex)(&max_lock);

	if (on == maxima.on)
		return 0;

	if (!maxima.found)
		maxima.found = kvcalloc(HYP_TOTALS_MAX_RECORDS, sizeof(*maxima.found), GFP_KERNEL);
	if (!maxima.found)
		return -ENOMEM;

	/* EL2 asks who runs, and rings, as when it records. */
	if (on)
		static_branch_inc(&hyptrace_key);

	WRITE_ONCE(maxima.on, on);
	ret = setting_changed();
	if (ret)
		WRITE_ONCE(maxima.on, false);
	else if (on)
		look_after(period());
	else
		cpus_look();

	if (!maxima.on)
		static_branch_dec(&hyptrace_key);

	return ret;
}

/* Forget what has been kept: the next intervals are the longest. Return 0, or a negative errno. */
int hyptrace_max_reset(u32 unused)
{
	u32 i;

	guard(mutex)(&max_lock);

	for (i = 0; i < HYP_TOTALS_MAX_RECORDS; i++) {
		kept_put(maxima.kept[i]);
		maxima.kept[i] = NULL;
	}
	hyptrace_max_taken.reset++;
	return setting_changed();
}

/* Set above which length [us] each interval is taken; 0 for none. */
int hyptrace_max_set_threshold(u32 us)
{
	guard(mutex)(&max_lock);

	maxima.threshold = us;
	return setting_changed();
}

int hyptrace_max_show_enable(struct seq_file *m)
{
	seq_printf(m, "%d\n", READ_ONCE(maxima.on));
	return 0;
}

int hyptrace_max_show_threshold(struct seq_file *m)
{
	seq_printf(m, "%u\n", READ_ONCE(maxima.threshold));
	return 0;
}

/* Printing ---------------------------------------------------------------------------- */

/* Print what is not in the list, and should be. */
int hyptrace_max_show_stats(struct seq_file *m)
{
	const struct hyptrace_totals_table *table;
	const struct hyp_totals_state *state;
	u64 spared = 0;
	int cpu;

	guard(mutex)(&max_lock);

	scoped_guard(mutex, &hyptrace_totals_lock) {
		for_each_possible_cpu(cpu) {
			table = per_cpu_ptr(&hyptrace_totals_table, cpu);
			state = table->pages ? table->pages[0] : NULL;
			spared += state ? READ_ONCE(state->nr_spared) : 0;
		}
	}

	seq_printf(m, "spared: %llu\n", spared);
	seq_printf(m, "unkept: %llu\n", maxima.unkept);
	seq_printf(m, "bad: %llu\n", hyptrace_max_taken.bad);
	return 0;
}

/**
 * struct hyptrace_max_list - what was kept when a file was opened
 * @nr:		number of @kept
 * @kept:	as in struct maxima, those that are not NULL
 */
struct hyptrace_max_list {
	u32		nr;
	struct kept_max	*kept[HYP_TOTALS_MAX_RECORDS];
};

/**
 * hyptrace_max_list() - get what has been kept
 *
 * Return: the list, for hyptrace_max_list_free(); NULL if there is no memory
 */
struct hyptrace_max_list *hyptrace_max_list(void)
{
	struct hyptrace_max_list *list = kvzalloc(sizeof(*list), GFP_KERNEL);
	u32 i;

	if (!list)
		return NULL;

	guard(mutex)(&max_lock);

	cpus_look();
	for (i = 0; i < HYP_TOTALS_MAX_RECORDS; i++) {
		if (!maxima.kept[i])
			continue;
		kref_get(&maxima.kept[i]->ref);
		list->kept[list->nr++] = maxima.kept[i];
	}
	return list;
}

void hyptrace_max_list_free(struct hyptrace_max_list *list)
{
	u32 i;

	for (i = 0; i < list->nr; i++)
		kept_put(list->kept[i]);
	kvfree(list);
}

u32 hyptrace_max_list_size(const struct hyptrace_max_list *list)
{
	return list->nr;
}

/* Print the names of the columns, or an interval of a list in a line. */
int hyptrace_max_show(struct seq_file *m, void *v)
{
	const struct hyptrace_max_list *list = m->private;
	const struct hyp_totals_max *record;
	const struct kept_max *kept;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "id\twhich\tvm\tvcpu\tkind\treason\tns\tfrom_ns\tto_ns\t");
		seq_puts(m, "first_cpu\tcpu\tpid\tevents\tlost\tcomm\n");
		return 0;
	}

	kept = list->kept[*(loff_t *)v - 1];
	record = &kept->record;
	seq_printf(m, "%llu\t%s\t%u\t%u\t", kept->id, kept->is_longest ? "longest" : "above",
		   record->vm, record->vcpu);
	hyptrace_totals_show_meaning(m, record->row);
	seq_printf(m, "\t%llu\t%llu\t%llu\t%u\t%d\t%u\t%llu\t", record->ns, record->began,
		   record->ended, record->first_cpu, kept->cpu, record->pid, kept->nr);
	if (kept->lost == U64_MAX)
		seq_putc(m, '?');
	else
		seq_printf(m, "%llu", kept->lost);
	seq_putc(m, '\t');
	seq_escape(m, kept->comm[0] ? kept->comm : "-", "\t\n\\");
	seq_putc(m, '\n');
	return 0;
}

/* The same, behind a mark, and then the interval's events. */
int hyptrace_max_show_events(struct seq_file *m, void *v)
{
	const struct hyptrace_max_list *list = m->private;
	const struct kept_max *kept;

	seq_puts(m, "# ");
	hyptrace_max_show(m, v);
	if (v == SEQ_START_TOKEN)
		return 0;

	kept = list->kept[*(loff_t *)v - 1];
	seq_puts(m, kept->text);
	if (kept->nr > kept->nr_shown)
		seq_printf(m, "# %llu more events are not shown\n", kept->nr - kept->nr_shown);
	return 0;
}
