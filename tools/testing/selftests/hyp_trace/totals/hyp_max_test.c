// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of hyp/max: which intervals are the longest, and which events go with them.
 */

#include "../guests/hyp_vm.h"
#include "../tracefs/hyp_fixture.h"
#include "hyp_totals.h"

#define MAX HYP "max/"

/* A line of hyp/max/table, or of hyp/max/events behind its mark. */
struct longest {
	unsigned long	id;
	char		which[16];
	unsigned int	vm, vcpu;
	char		kind[16];
	char		reason[64];
	uint64_t	ns, from, to;
	int		first_cpu, cpu, pid;
	uint64_t	events;
	char		lost[24];
	char		comm[32];
};

struct longests {
	struct longest	row[1024];
	int		n;
	bool		malformed;
};

#define COLUMNS \
	"id\twhich\tvm\tvcpu\tkind\treason\tns\tfrom_ns\tto_ns\tfirst_cpu\tcpu\tpid\tevents\tlost\tcomm"

static bool parse_longest(struct longest *row, const char *line)
{
	return sscanf(line, "%lu %15s %u %u %15s %63s %lu %lu %lu %d %d %d %lu %23s %31[^\n]",
		      &row->id, row->which, &row->vm, &row->vcpu, row->kind, row->reason,
		      &row->ns, &row->from, &row->to, &row->first_cpu, &row->cpu, &row->pid,
		      &row->events, row->lost, row->comm) == 15;
}

static struct longests *longests_read(void)
{
	struct longests *l = calloc(1, sizeof(*l));
	char *text = get(MAX "table"), *save, *line;

	line = strtok_r(text, "\n", &save);
	l->malformed = strcmp(line, COLUMNS);
	while ((line = strtok_r(NULL, "\n", &save)) && l->n < 1024)
		l->malformed |= !parse_longest(&l->row[l->n++], line);
	free(text);
	return l;
}

/* The longest interval of a kind and reason; its ns are 0 if there is none. */
static struct longest longest_of(const char *kind, const char *reason)
{
	struct longests *l = longests_read();
	struct longest found = { };
	int i;

	for (i = 0; i < l->n; i++)
		if (!strcmp(l->row[i].which, "longest") && !strcmp(l->row[i].kind, kind) &&
		    !strcmp(l->row[i].reason, reason))
			found = l->row[i];
	free(l);
	return found;
}

/* Its part of hyp/max/events, without the first line; to be freed. */
static char *events_of(const struct longest *row)
{
	char *text = get(MAX "events"), *found, *end, *events;

	found = strstr(text, path_of("\n# %lu\t", row->id));
	found = found ? strchr(found + 1, '\n') : NULL;
	if (!found) {
		free(text);
		return strdup("");
	}
	end = strstr(found, "\n# ");
	events = strndup(found + 1, end ? end - found : strlen(found + 1));
	free(text);
	return events;
}

/* Is there an event that was recorded at @ns? Events have it in microseconds. */
static bool has_event(const char *events, uint64_t ns, const char *event)
{
	uint64_t us = (ns + 500) / 1000;

	return strstr(events, path_of(" %lu.%06lu: %s\n", us / 1000000, us % 1000000, event));
}

/* Long intervals are not taken, totals are off, and there is nothing of before. */
static bool max_fresh(void)
{
	return totals_fresh() && !put(MAX "reset", "1") && !put(MAX "threshold_us", "0");
}

/* They are, from now on, and what enters and leaves EL2 is recorded. */
static bool max_on(void)
{
	return max_fresh() && !put(HYP "events/hyp/hyp_enter/enable", "1") &&
	       !put(HYP "events/hyp/hyp_exit/enable", "1") && !put(HYP "tracing_on", "1") &&
	       !put(MAX "enable", "1");
}

/* Run a guest until it stores, let this task sleep, and run it again: an exit that long. */
static void long_exit(struct vm *vm, unsigned int us)
{
	vm_run(vm);
	usleep(us);
	vm_run(vm);
}

#define NAP_US	20000
#define NAP_NS	(NAP_US * 1000ULL)

/* An exit without a nap is shorter than this, on any machine. */
#define LONG_NAP_US	500000

/*
 * All other tests have task switches tell EL2 who runs (hold_switches). With several CPUs, QEMU may
 * not see that their code has been patched.
 */
TEST_F(hyp, max_alone_has_the_task)
{
	struct longest row;
	struct vm vm;
	pid_t pid;

	if (self->cpus > 1)
		SKIP(return, "needs a machine with one CPU");

	ASSERT_TRUE(be_idle());
	ASSERT_EQ(0, put(HYP "write_hold", "0"));
	ASSERT_TRUE(max_fresh());
	ASSERT_EQ(0, put(MAX "enable", "1"));
	pid = fork();
	if (!pid) {
		vm = vm_create(use_fp, sizeof(use_fp));
		long_exit(&vm, NAP_US);
		vm_destroy(&vm);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));

	row = longest_of("exit_host", "DABT_LOW");
	EXPECT_LE(NAP_NS, row.ns);
	EXPECT_EQ(pid, row.pid);
	EXPECT_TRUE(max_fresh());
	EXPECT_EQ(0, put(HYP "write_hold", "1"));
}

TEST_F(hyp, max_has_the_longest_of_each_reason)
{
	struct vm vm = vm_create(use_fp, sizeof(use_fp));
	struct longest row;
	struct totals t;
	int i, compared = 0;

	/* Both have begun at the same time: totals while they are off, and they begin with max. */
	ASSERT_TRUE(max_fresh());
	ASSERT_EQ(0, put(MAX "enable", "1"));
	EXPECT_EQ(1, get_num(TOTALS "enable", ""));
	for (i = 0; i < 100; i++)
		vm_run(&vm);
	long_exit(&vm, NAP_US);
	vm_destroy(&vm);

	t = totals_read();
	for (i = 0; i < (int)t.n; i++) {
		if (!t.rows[i].vm)
			continue;
		row = longest_of(t.rows[i].kind, t.rows[i].reason);
		EXPECT_EQ(t.rows[i].max, row.ns)
			TH_LOG("%s %s", t.rows[i].kind, t.rows[i].reason);
		EXPECT_EQ(t.rows[i].vm, row.vm);
		EXPECT_EQ(getpid(), row.pid);
		EXPECT_EQ(0, strcmp("hyp_max_test", row.comm));
		/* These three were rounded, each on its own. */
		EXPECT_GE(1, llabs((long long)(row.ns - (row.to - row.from))));
		compared++;
	}
	totals_free(&t);
	/* The guest's runs, its use of the FPU, its stores, and perhaps interrupts. */
	EXPECT_LE(3, compared);
	EXPECT_LE(NAP_NS, longest_of("exit_host", "DABT_LOW").ns);
	EXPECT_TRUE(max_fresh());
}

TEST_F(hyp, max_has_the_events_of_the_longest)
{
	struct vm vm = vm_create(store, sizeof(store));
	struct longest row;
	char *events;

	ASSERT_TRUE(max_on());
	ASSERT_EQ(0, run_on(0));
	long_exit(&vm, NAP_US);
	row = longest_of("exit_host", "DABT_LOW");
	EXPECT_LE(NAP_NS, row.ns);
	EXPECT_EQ(0, row.first_cpu);
	EXPECT_EQ(0, row.cpu);
	EXPECT_EQ(0, strcmp("0", row.lost));

	events = events_of(&row);
	EXPECT_EQ(row.events, count_of(events, "\n"));
	/* The first one is the end of the guest's run, the last one the beginning of the next. */
	EXPECT_TRUE(has_event(events, row.from, "hyp_enter: reason=guest_exit"));
	EXPECT_TRUE(has_event(events, row.to, "hyp_exit: reason=eret_guest"));
	EXPECT_EQ(1, count_of(events, "reason=guest_exit"));
	EXPECT_EQ(1, count_of(events, "reason=eret_guest"));
	free(events);
	vm_destroy(&vm);
	EXPECT_TRUE(max_fresh());
}

TEST_F(hyp, max_has_the_events_of_both_cpus)
{
	struct vm vm = vm_create(store, sizeof(store));
	struct longest row;
	char *events;

	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	ASSERT_TRUE(max_on());
	ASSERT_EQ(0, run_on(0));
	/* Not one that has to wait for the guest's memory. */
	vm_run(&vm);
	vm_run(&vm);
	ASSERT_EQ(0, put(MAX "reset", "1"));
	usleep(NAP_US);
	ASSERT_EQ(0, run_on(1));
	vm_run(&vm);
	ASSERT_EQ(0, run_on(0));

	row = longest_of("exit_host", "DABT_LOW");
	EXPECT_EQ(0, row.first_cpu);
	EXPECT_EQ(1, row.cpu);
	events = events_of(&row);
	EXPECT_EQ(row.events, count_of(events, "\n"));
	EXPECT_EQ(1, count_of(events, " [000] ") > 0);
	EXPECT_EQ(1, count_of(events, " [001] ") > 0);
	EXPECT_EQ(1, count_of(events, "reason=guest_exit"));
	EXPECT_EQ(1, count_of(events, "reason=eret_guest"));
	free(events);
	vm_destroy(&vm);
	EXPECT_TRUE(max_fresh());
}

/* All events that a CPU has recorded, whether they are still there or not. */
static long long recorded(int cpu)
{
	return stat_of(cpu, "entries: ") + stat_of(cpu, "overrun: ") +
	       stat_of(cpu, "read events: ");
}

TEST_F(hyp, max_counts_events_that_were_overwritten)
{
	/* A ring of 64 KiB has 17 pages, or fewer that are larger. */
	const int events = 64 * events_per_page();
	struct vm vm = vm_create(store, sizeof(store));
	long long before, after, lost;
	struct longest row;

	ASSERT_EQ(0, set_size_kb(64));
	ASSERT_TRUE(max_on());
	ASSERT_EQ(0, run_on(0));
	before = recorded(0);
	vm_run(&vm);
	ASSERT_EQ(0, emit(1, events));
	vm_run(&vm);
	row = longest_of("exit_host", "DABT_LOW");
	after = recorded(0);

	lost = atoll(row.lost);
	EXPECT_LT(0, lost);
	EXPECT_LT(0, row.events);
	EXPECT_LE(events, lost + row.events);
	EXPECT_GE(after - before, lost + row.events);
	vm_destroy(&vm);
	EXPECT_TRUE(max_fresh());
}

/* Without events there is nothing to go with an interval; and nothing is lost. */
TEST_F(hyp, max_without_events)
{
	struct vm vm = vm_create(store, sizeof(store));
	struct longest row;

	ASSERT_TRUE(max_fresh());
	ASSERT_EQ(0, put(MAX "enable", "1"));
	ASSERT_EQ(0, run_on(self->cpus - 1));
	long_exit(&vm, NAP_US);
	ASSERT_EQ(0, run_on(0));
	row = longest_of("exit_host", "DABT_LOW");
	EXPECT_LE(NAP_NS, row.ns);
	EXPECT_EQ(self->cpus - 1, row.first_cpu);
	EXPECT_EQ(self->cpus - 1, row.cpu);
	EXPECT_EQ(0, row.events);
	EXPECT_EQ(0, strcmp("0", row.lost));
	vm_destroy(&vm);
	EXPECT_TRUE(max_fresh());
}

/* After a reset, what is shorter than before is the longest. */
TEST_F(hyp, max_begins_anew_when_it_is_reset)
{
	struct vm vm = vm_create(store, sizeof(store));
	struct longest before, after;

	ASSERT_TRUE(max_on());
	long_exit(&vm, LONG_NAP_US);
	before = longest_of("exit_host", "DABT_LOW");
	EXPECT_LE(LONG_NAP_US * 1000ULL, before.ns);

	ASSERT_EQ(0, put(MAX "reset", "1"));
	EXPECT_EQ(0, longest_of("exit_host", "DABT_LOW").ns);
	vm_run(&vm);
	ASSERT_EQ(0, put(MAX "reset", "1"));
	long_exit(&vm, 0);
	after = longest_of("exit_host", "DABT_LOW");
	EXPECT_LT(0, after.ns);
	EXPECT_GT(before.ns, after.ns);
	EXPECT_LT(before.to, after.from);
	vm_destroy(&vm);
	EXPECT_TRUE(max_fresh());
}

/* It is kept when it is turned off, when totals are reset, and when its VM is gone. */
TEST_F(hyp, max_stays_until_it_is_reset)
{
	struct vm vm = vm_create(store, sizeof(store));
	struct longest row;

	ASSERT_TRUE(max_on());
	long_exit(&vm, LONG_NAP_US);
	vm_destroy(&vm);
	row = longest_of("exit_host", "DABT_LOW");
	ASSERT_LE(LONG_NAP_US * 1000ULL, row.ns);

	ASSERT_EQ(0, put(TOTALS "reset", "1"));
	EXPECT_EQ(row.id, longest_of("exit_host", "DABT_LOW").id);
	ASSERT_EQ(0, put(MAX "enable", "0"));
	EXPECT_EQ(1, get_num(TOTALS "enable", ""));
	EXPECT_EQ(row.id, longest_of("exit_host", "DABT_LOW").id);
	ASSERT_EQ(0, put(MAX "enable", "1"));
	ASSERT_EQ(0, put(TOTALS "enable", "0"));
	EXPECT_EQ(0, get_num(MAX "enable", ""));
	EXPECT_EQ(row.id, longest_of("exit_host", "DABT_LOW").id);

	/* A shorter one does not replace it. */
	vm = vm_create(store, sizeof(store));
	ASSERT_EQ(0, put(MAX "enable", "1"));
	long_exit(&vm, 0);
	vm_destroy(&vm);
	EXPECT_EQ(row.id, longest_of("exit_host", "DABT_LOW").id);
	EXPECT_TRUE(max_fresh());
	EXPECT_EQ(0, longest_of("exit_host", "DABT_LOW").ns);
}

/* How many intervals above the threshold are kept; false if one of them is not. */
static bool above(int *n, uint64_t *last, uint64_t ns)
{
	struct longests *l = longests_read();
	bool right = !l->malformed;
	int i;

	*n = 0;
	for (i = 0; i < l->n; i++) {
		if (strcmp(l->row[i].which, "above"))
			continue;
		right &= l->row[i].ns > ns && l->row[i].from > *last;
		*last = l->row[i].from;
		++*n;
	}
	free(l);
	return right;
}

/* Each has ended more than 10 ms after the one before: so none is spared. */
TEST_F(hyp, max_takes_the_latest_above_the_threshold)
{
	struct vm vm = vm_create(store, sizeof(store));
	uint64_t last = 0;
	int i, n;

	ASSERT_TRUE(max_on());
	ASSERT_EQ(0, run_on(0));
	for (i = 0; i < 3; i++)
		long_exit(&vm, NAP_US);
	EXPECT_TRUE(above(&n, &last, 0));
	EXPECT_EQ(0, n);

	ASSERT_EQ(0, put_num(MAX "threshold_us", NAP_US));
	EXPECT_EQ(NAP_US, get_num(MAX "threshold_us", ""));
	for (i = 0; i < 5; i++)
		long_exit(&vm, NAP_US);
	EXPECT_TRUE(above(&n, &last, NAP_NS));
	EXPECT_LE(5, n);
	EXPECT_GE(16, n);

	for (i = 0; i < 16; i++)
		long_exit(&vm, NAP_US);
	EXPECT_TRUE(above(&n, &last, NAP_NS));
	EXPECT_EQ(16, n);
	vm_destroy(&vm);
	EXPECT_TRUE(max_fresh());
}

/* Above a threshold that all exceed, but for one in 10 ms all are spared, and counted. */
TEST_F(hyp, max_is_spared_and_counts_it)
{
	struct vm vm = vm_create(store, sizeof(store));
	long long spared;
	int i;

	ASSERT_TRUE(max_on());
	ASSERT_EQ(0, put(MAX "threshold_us", "1"));
	spared = get_num(MAX "stats", "spared: ");
	for (i = 0; i < 1000; i++)
		vm_run(&vm);
	EXPECT_LT(spared, get_num(MAX "stats", "spared: "));
	EXPECT_EQ(0, get_num(MAX "stats", "bad: "));
	vm_destroy(&vm);
	EXPECT_TRUE(max_fresh());
}

TEST_F(hyp, max_survives_cpus_that_come_and_go)
{
	struct vm vm = vm_create(store, sizeof(store));
	struct longest row;

	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	ASSERT_TRUE(max_on());
	ASSERT_EQ(0, run_on(1));
	long_exit(&vm, NAP_US);
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, set_online(1, false));
	row = longest_of("exit_host", "DABT_LOW");
	EXPECT_LE(NAP_NS, row.ns);
	EXPECT_EQ(1, row.cpu);

	/* It comes back after a reset, and heeds that. */
	ASSERT_EQ(0, put(MAX "reset", "1"));
	ASSERT_EQ(0, set_online(1, true));
	ASSERT_EQ(0, run_on(1));
	long_exit(&vm, NAP_US / 2);
	ASSERT_EQ(0, run_on(0));
	row = longest_of("exit_host", "DABT_LOW");
	EXPECT_LE(NAP_NS / 2, row.ns);
	EXPECT_EQ(1, row.cpu);
	vm_destroy(&vm);
	EXPECT_TRUE(max_fresh());
}

TEST_F(hyp, nonsense_in_max_is_refused)
{
	ASSERT_TRUE(max_fresh());
	EXPECT_EQ(-EINVAL, put(MAX "enable", "2"));
	EXPECT_EQ(-EINVAL, put(MAX "enable", "on"));
	EXPECT_EQ(-ERANGE, put(MAX "threshold_us", "4294967296"));
	EXPECT_EQ(-EINVAL, put(MAX "threshold_us", "-1"));
	EXPECT_EQ(0, get_num(MAX "enable", ""));
	EXPECT_EQ(0, get_num(TOTALS "enable", ""));
}

TEST_HARNESS_MAIN
