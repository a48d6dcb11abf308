// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intervals, one by one. The recording has been read before, since only its end tells the processes
 * and threads of VMs; it is read again for the intervals.
 */

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>

#include "slowest.h"
#include "text.h"

/* What a reading is for. */
struct collector {
	const struct recording	*recording;
	const struct search	*search;
	const struct style	*style;
	struct found		*found;		/* a heap, the shortest first */
	size_t			nr;
};

/* A task that has had a CPU, and for how long. */
struct runner {
	pid_t		pid;
	const char	*name;
	uint64_t	ns;
};

/* An interval that was found, and who has had its CPUs meanwhile. */
struct found {
	struct interval	interval;
	struct runner	*runner;
	size_t		nr_runners;
};

static bool is_wanted(const struct collector *collector, const struct interval *interval)
{
	struct selection others = *collector->search->selection;
	const struct table *table = collector->recording->table;

	/* The thread is the interval's own. */
	others.pid = 0;
	return (!collector->search->over || interval->ns > collector->search->over) &&
	       is_selected(table, &others, &interval->key) &&
	       (!collector->search->selection->pid ||
		interval->tid == collector->search->selection->pid ||
		is_selected(table, collector->search->selection, &interval->key));
}

static const char *separator_of(const struct style *style)
{
	return style->separator ?: ",";
}

static void print_one(const struct collector *collector, const struct interval *interval)
{
	const int64_t offset = collector->recording->wall_offset;

	if (collector->style->format == FORMAT_JSON)
		interval_print_json(stdout, interval, offset);
	else
		interval_print_csv(stdout, separator_of(collector->style), interval, offset);
}

/* All ------------------------------------------------------------------------------- */

static void print_if_wanted(const struct recording *recording, const struct interval *interval,
			    void *data)
{
	if (is_wanted(data, interval))
		print_one(data, interval);
}

static void read_again(const struct input *input, const struct reading *reading,
		       struct collector *collector,
		       void (*interval)(const struct recording *recording,
					const struct interval *interval, void *data))
{
	struct reading again = *reading;

	again.is_quiet = true;
	again.interval = interval;
	again.data = collector;
	recording_free(recording_open(input, &again));
}

/**
 * intervals_print() - print intervals, roughly in the order in which they end
 * @input:	the recording
 * @reading:	how it has been read
 * @recording:	what that has given
 * @search:	which ones
 * @style:	as JSON, one a line, or as CSV
 */
void intervals_print(const struct input *input, const struct reading *reading,
		     const struct recording *recording, const struct search *search,
		     const struct style *style)
{
	struct collector collector = {
		.recording = recording, .search = search, .style = style,
	};

	if (style->format != FORMAT_JSON)
		interval_print_csv_header(stdout, separator_of(style));
	read_again(input, reading, &collector, print_if_wanted);
}

/* The slowest ----------------------------------------------------------------------- */

static void swap(struct found *a, struct found *b)
{
	struct found c = *a;

	*a = *b;
	*b = c;
}

static void sift_up(struct found *heap, size_t i)
{
	while (i && heap[i].interval.ns < heap[(i - 1) / 2].interval.ns) {
		swap(&heap[i], &heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
}

static void sift_down(struct found *heap, size_t nr)
{
	size_t i = 0, least;

	for (;;) {
		least = 2 * i + 1;
		if (least >= nr)
			return;
		if (least + 1 < nr && heap[least + 1].interval.ns < heap[least].interval.ns)
			least++;
		if (heap[least].interval.ns >= heap[i].interval.ns)
			return;
		swap(&heap[i], &heap[least]);
		i = least;
	}
}

static void keep_if_slow(const struct recording *recording, const struct interval *interval,
			 void *data)
{
	struct collector *collector = data;
	const size_t most = collector->search->nr;

	if (!is_wanted(collector, interval))
		return;
	if (!most || collector->nr < most) {
		collector->found = xrealloc(collector->found, collector->nr + 1,
					    sizeof(*collector->found));
		collector->found[collector->nr] = (struct found) { .interval = *interval };
		sift_up(collector->found, collector->nr++);
	} else if (interval->ns > collector->found[0].interval.ns) {
		collector->found[0] = (struct found) { .interval = *interval };
		sift_down(collector->found, most);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return x->interval.start < y->interval.start ? -1 : x->interval.start > y->interval.start;
}

static int by_length(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->interval.ns != y->interval.ns)
		return x->interval.ns > y->interval.ns ? -1 : 1;
	return by_start(a, b);
}

/* Who had the CPU ------------------------------------------------------------------- */

/* A CPU, whose tasks are followed. */
struct cpu {
	uint64_t		since;		/* its last switch; 0 if that is not known */
	struct found		**open;		/* have begun, and had not ended at that time */
	size_t			nr_open;
};

/* What the host's scheduler did. */
struct switches {
	struct collector	*collector;	/* what it has found is sorted by start */
	size_t			nr_begun;	/* so many of these are, or were, open */
	struct tep_handle	*tep;
	struct event_field	prev_pid;
	struct cpu		*cpu;
	size_t			nr_cpus;
};

static void add_runner(struct found *found, struct tep_handle *tep, pid_t pid, uint64_t ns)
{
	char comm[24], name[40];
	size_t i;

	for (i = 0; i < found->nr_runners; i++) {
		if (found->runner[i].pid == pid) {
			found->runner[i].ns += ns;
			return;
		}
	}
	snprintf(comm, sizeof(comm), "%s", tep_data_comm_from_pid(tep, pid));
	snprintf(name, sizeof(name), "%s-%d", make_printable(comm), pid);
	found->runner = xrealloc(found->runner, i + 1, sizeof(*found->runner));
	found->runner[found->nr_runners++] = (struct runner) {
		.pid = pid, .name = intern(name), .ns = ns,
	};
}

static struct cpu *cpu_of(struct switches *s, int cpu)
{
	s->cpu = xgrow(s->cpu, &s->nr_cpus, cpu + 1, sizeof(*s->cpu));
	return &s->cpu[cpu];
}

static void open_on(struct cpu *cpu, struct found *found)
{
	cpu->open = xrealloc(cpu->open, cpu->nr_open + 1, sizeof(*cpu->open));
	cpu->open[cpu->nr_open++] = found;
}

/* Open the intervals that have begun until @now, on the CPUs on which they begin and end. */
static void open_until(struct switches *s, uint64_t now)
{
	struct found *found = s->collector->found + s->nr_begun;

	for (; s->nr_begun < s->collector->nr && found->interval.start < now; found++) {
		open_on(cpu_of(s, found->interval.cpu), found);
		if (found->interval.first_cpu != found->interval.cpu)
			open_on(cpu_of(s, found->interval.first_cpu), found);
		s->nr_begun++;
	}
}

/* A task has had the CPU for some time. Its own interval is not interrupted by that. */
static void add_stretch(struct switches *s, struct cpu *cpu, pid_t pid, uint64_t from, uint64_t to)
{
	const struct interval *interval;
	uint64_t begin, end;
	size_t i, kept = 0;

	for (i = 0; i < cpu->nr_open; i++) {
		interval = &cpu->open[i]->interval;
		end = interval->start + interval->ns;
		begin = interval->start > from ? interval->start : from;
		if (begin < end && begin < to && pid && interval->tid != pid)
			add_runner(cpu->open[i], s->tep, pid, (end < to ? end : to) - begin);
		if (end > to)
			cpu->open[kept++] = cpu->open[i];
	}
	cpu->nr_open = kept;
}

static int follow_switch(struct tracecmd_input *handle, struct tep_record *record, int cpu,
			 void *data)
{
	struct switches *s = data;
	struct cpu *c;

	/* In a gap, others may have had it. */
	if (record->missed_events)
		cpu_of(s, cpu)->since = 0;
	if (tep_data_type(s->tep, record) != s->prev_pid.type)
		return 0;
	open_until(s, record->ts);
	c = cpu_of(s, cpu);
	if (c->since)
		add_stretch(s, c, field_value(&s->prev_pid, record), c->since, record->ts);
	c->since = record->ts;
	return 0;
}

static void find_runners(const struct input *input, struct collector *collector)
{
	struct tracecmd_input *top = trace_open(input);
	struct switches s = { .collector = collector, .tep = tracecmd_get_tep(top) };
	size_t i;

	s.prev_pid = event_field(s.tep, "sched", "sched_switch", "prev_pid");
	if (s.prev_pid.type >= 0 &&
	    tracecmd_iterate_events_multi(&top, 1, follow_switch, &s) < 0)
		errx(1, "%s: libtracecmd can't read all of it", input->path);
	event_field_free(&s.prev_pid);
	for (i = 0; i < s.nr_cpus; i++)
		free(s.cpu[i].open);
	free(s.cpu);
	tracecmd_close(top);
}

static int by_time(const void *a, const void *b)
{
	const struct runner *x = a, *y = b;

	return x->ns > y->ns ? -1 : x->ns < y->ns;
}

#define MAX_RUNNERS	3

/* How long the thread waited, and who had its CPUs: "blocked 1.20 ms, kworker/0:1-12 300 us" */
static void print_meanwhile(const struct found *found)
{
	const uint64_t blocked = found->interval.part[ACTIVITY_BLOCKED];
	char time[TIME_SIZE];
	size_t i;

	if (blocked)
		printf(" blocked %s", format_time(time, "", blocked));
	sort(found->runner, found->nr_runners, sizeof(*found->runner), by_time);
	for (i = 0; i < found->nr_runners && i < MAX_RUNNERS; i++)
		printf("%s %s %s", i || blocked ? "," : "", found->runner[i].name,
		       format_time(time, "", found->runner[i].ns));
	if (i < found->nr_runners)
		printf(", %zu more", found->nr_runners - i);
}

static void print_line(const struct collector *collector, const struct found *found)
{
	const struct interval *interval = &found->interval;
	const struct key *key = &interval->key;
	char time[TIME_SIZE], start[SECONDS_SIZE], wall[40], guest[24] = "", cpus[16];
	char detail[REASON_SIZE];

	if (is_vcpus(key->kind))
		snprintf(guest, sizeof(guest), "%u/%u", key->vm, key->vcpu);
	snprintf(cpus, sizeof(cpus), interval->first_cpu == interval->cpu ? "%d" : "%d>%d",
		 interval->first_cpu, interval->cpu);
	printf("%19s %-26s %9s %5s %7s %-22.22s %-9s %s%s%s",
	       format_seconds(start, interval->start, 9),
	       wall_text(wall, interval->start, collector->recording->wall_offset),
	       format_time(time, "", interval->ns), cpus, guest, key->thread,
	       kind_names[key->kind], reason_text(key),
	       interval->detail.kind == DETAIL_NONE ? "" : " ",
	       detail_text(detail, &interval->detail));
	if (found->nr_runners || interval->part[ACTIVITY_BLOCKED])
		printf("  |");
	print_meanwhile(found);
	printf("\n");
}

static void print_lines(const struct collector *collector)
{
	size_t i;

	printf("%19s %-26s %9s %5s %7s %-22s %-9s %s\n", "Start", "Wall clock", "Time", "CPU",
	       "VM/vCPU", "Thread", "Kind", "Reason, what for | who had the CPU meanwhile");
	for (i = 0; i < collector->nr; i++)
		print_line(collector, &collector->found[i]);
	if (!collector->nr)
		printf("Nothing of what was asked for has happened.\n");
}

/**
 * slowest_print() - print the slowest intervals
 * @input:	the recording
 * @reading:	how it has been read
 * @recording:	what that has given
 * @search:	which ones; in order of time if all above a time are wanted, else the slowest first
 * @style:	as text, as JSON, one a line, or as CSV
 */
void slowest_print(const struct input *input, const struct reading *reading,
		   const struct recording *recording, const struct search *search,
		   const struct style *style)
{
	struct collector collector = {
		.recording = recording, .search = search, .style = style,
	};
	size_t i;

	read_again(input, reading, &collector, keep_if_slow);
	sort(collector.found, collector.nr, sizeof(*collector.found), by_start);
	if (style->format == FORMAT_TEXT)
		find_runners(input, &collector);
	if (search->nr)
		sort(collector.found, collector.nr, sizeof(*collector.found), by_length);
	if (style->format == FORMAT_TEXT)
		print_lines(&collector);
	if (style->format == FORMAT_CSV)
		interval_print_csv_header(stdout, separator_of(style));
	for (i = 0; i < collector.nr; i++) {
		if (style->format != FORMAT_TEXT)
			print_one(&collector, &collector.found[i].interval);
		free(collector.found[i].runner);
	}
	free(collector.found);
}
