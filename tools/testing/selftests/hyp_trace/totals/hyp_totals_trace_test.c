// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares hyp/totals with a trace that is recorded at the same time: each interval is
 * measured a second time, from the time stamps of events.
 */

#include "../events/hyp_memory.h"
#include "../guests/hyp_vm.h"
#include "../hyp_names.h"
#include "../tracefs/hyp_fixture.h"
#include "hyp_totals.h"

/* The trace ------------------------------------------------------------------------- */

static struct names enter, leave, hcalls, smcs, aborts, exits;

/* The part of an event that is used. */
struct seen {
	uint64_t	ts;
	uint64_t	value;
	uint32_t	order;		/* on its CPU */
	uint16_t	type;
	uint16_t	cpu;
	pid_t		pid;
};

static struct seen *seen;
static size_t nr_seen, size_seen;
static int reading_cpu;
static bool any_lost;

static void note(void *data, const struct event *e)
{
	static const struct names * const known[] = {
		&enter, &leave, &hcalls, &smcs, &aborts, &exits,
	};
	int i;

	any_lost |= e->lost;
	for (i = 0; i < 6 && e->type != known[i]->type; i++)
		;
	if (i == 6)
		return;
	if (nr_seen == size_seen) {
		size_seen = size_seen ? 2 * size_seen : 4096;
		seen = realloc(seen, size_seen * sizeof(*seen));
	}
	seen[nr_seen] = (struct seen) {
		.ts = e->ts, .value = value_of(known[i], e), .order = nr_seen,
		.type = e->type, .cpu = reading_cpu, .pid = e->pid,
	};
	nr_seen++;
}

static int by_time(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Intervals ------------------------------------------------------------------------- */

#define MAX_LINES	200
#define REASON_SIZE	64

/* A row of the totals, as the trace has it. */
static struct line {
	pid_t		pid;		/* of the VMM, 0 for the host's */
	char		kind[16];
	char		reason[REASON_SIZE];
	uint64_t	count, total, min, max;
} lines[MAX_LINES];
static int nr_lines;

static void add(pid_t pid, const char *kind, const char *reason, uint64_t ns)
{
	struct line *l = lines;

	while (l < lines + nr_lines &&
	       (l->pid != pid || strcmp(l->kind, kind) || strcmp(l->reason, reason)))
		l++;
	if (l == lines + nr_lines) {
		if (nr_lines == MAX_LINES)
			return;
		nr_lines++;
		*l = (struct line) { .pid = pid, .min = UINT64_MAX };
		snprintf(l->kind, sizeof(l->kind), "%s", kind);
		snprintf(l->reason, sizeof(l->reason), "%s", reason);
	}
	l->count++;
	l->total += ns;
	l->min = ns < l->min ? ns : l->min;
	l->max = ns > l->max ? ns : l->max;
}

/* A CPU, between hyp_enter from the host and hyp_exit to it. */
static struct cpu {
	bool		inside, in_firmware;
	const char	*kind;
	char		reason[REASON_SIZE];
	uint64_t	entered, left, away;
	bool		guest_has_run;
} cpus[MAX_CPUS];

/* A vCPU: each VMM here has one, so its pid says which. */
#define MAX_VCPUS	64

static struct vcpu {
	pid_t		pid;
	uint64_t	first, stopped;
	char		reason[REASON_SIZE];
} vcpus[MAX_VCPUS];

static struct vcpu *vcpu_of(pid_t pid)
{
	struct vcpu *v = vcpus;

	while (v->pid && v->pid != pid)
		v++;
	v->pid = pid;
	return v;
}

static void entered(struct cpu *c, const struct seen *e)
{
	const char *reason = name_of_value(&enter, e->value);
	struct vcpu *v;

	if (!strcmp(reason, "guest_exit")) {
		v = vcpu_of(e->pid);
		c->away += e->ts - c->left;
		c->guest_has_run = true;
		add(e->pid, "guest", "-", e->ts - c->left);
		v->stopped = e->ts;
	} else if (!strcmp(reason, "psci")) {
		c->away += e->ts - c->left;
		c->kind = "psci";
	} else if (c->in_firmware) {
		c->away += e->ts - c->left;
		add(0, "firmware", c->reason, e->ts - c->left);
		c->in_firmware = false;
	} else {
		*c = (struct cpu) { .inside = true, .entered = e->ts };
		c->kind = !strcmp(reason, "hvc") ? "hcall" :
			  !strcmp(reason, "smc") ? "smc" : "abort";
	}
}

static void left(struct cpu *c, const struct seen *e)
{
	const char *reason = name_of_value(&leave, e->value);
	struct vcpu *v;

	if (!strcmp(reason, "eret_host")) {
		/* A PSCI call that did not return has no host_smc. */
		if (c->inside && *c->reason)
			add(0, c->kind, c->reason, e->ts - c->entered - c->away);
		c->inside = false;
		return;
	}
	c->left = e->ts;
	c->in_firmware = !strcmp(reason, "smc");
	if (strcmp(reason, "eret_guest"))
		return;
	v = vcpu_of(e->pid);
	if (v->stopped)
		add(e->pid, c->guest_has_run ? "exit_el2" : "exit_host", v->reason,
		    e->ts - v->stopped);
	else
		v->first = e->ts;
}

static void set_reason(char reason[REASON_SIZE], const char *name)
{
	snprintf(reason, REASON_SIZE, "%s", name);
}

/* Functions that have no name are counted together. */
static const char *name_of_function(uint64_t id)
{
	const char *name = name_of_value(&smcs, id);

	return strncmp(name, "0x", 2) ? name : "unknown";
}

static void follow(const struct seen *e)
{
	struct cpu *c = &cpus[e->cpu];

	if (e->type == enter.type)
		entered(c, e);
	else if (e->type == leave.type)
		left(c, e);
	else if (e->type == exits.type)
		set_reason(vcpu_of(e->pid)->reason, name_of_value(&exits, e->value));
	else if (e->type == hcalls.type)
		set_reason(c->reason, name_of_value(&hcalls, e->value));
	else if (e->type == smcs.type)
		set_reason(c->reason, name_of_function(e->value));
	else
		set_reason(c->reason, name_of_value(&exits, e->value >> 26 & 0x3f));
}

/* Evaluate what was recorded; false if there is not all of it. */
static bool evaluate(int nr_cpus)
{
	size_t i;

	for (reading_cpu = 0; reading_cpu < nr_cpus; reading_cpu++)
		if (read_raw(reading_cpu, note, NULL) < 0 ||
		    stat_of(reading_cpu, "overrun:") ||
		    stat_of(reading_cpu, "dropped events:"))
			return false;
	qsort(seen, nr_seen, sizeof(*seen), by_time);
	for (i = 0; i < nr_seen; i++)
		follow(&seen[i]);
	return !any_lost;
}

/* The load -------------------------------------------------------------------------- */

#define RUNS		300

/* Run a guest in a process of its own, on one CPU after the other; returns its pid. */
static pid_t begin(const uint32_t *code, size_t size)
{
	pid_t pid = fork();
	struct vm vm;
	int i;

	if (pid)
		return pid;

	vm = vm_create(code, size);
	for (i = 0; i < RUNS; i++) {
		/* This has no effect if that CPU is off. */
		if (i % 10 == 0)
			run_on(i / 10 % nr_cpus());
		vm_run(&vm);
	}
	vm_destroy(&vm);
	_exit(0);
}

static bool ends_well(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && !status;
}

/* The hypercalls that turn the two measurements on and off are not in both. */
static bool is_compared(const char *reason)
{
	return strncmp(reason, "__hyp_t", 7) || !strcmp(reason, "__hyp_trace_write_event");
}

static bool is_near(uint64_t a, uint64_t b, uint64_t tolerance)
{
	return a > b ? a - b <= tolerance : b - a <= tolerance;
}

/*
 * Two time stamps of the trace are each rounded to nanoseconds, and its clock may have been
 * corrected in between; an interval of the totals is rounded once.
 */
#define TOLERANCE_NS	2
#define CORRECTIONS_NS	5000

FIXTURE_VARIANT(hyp) {
	bool	hotplug;
};

static void be_hotplugged(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		set_online(1, false);
		set_online(1, true);
	}
}

static void run_load(struct __test_metadata *_metadata, int cpus, bool hotplug)
{
	const int calls = is_protected() ? 50 : 0;
	pid_t guest[4];
	int i;

	emitters_start(cpus);
	emitters_allow(cpus, 1000);
	for (i = 0; i < 4; i++)
		guest[i] = i % 2 ? begin(use_fp, sizeof(use_fp)) : begin(store, sizeof(store));
	for (i = 0; i < calls; i++) {
		ASSERT_EQ(0, put(HYP "write_smc", "c3001234"));
		ASSERT_EQ(0, put(HYP "write_smc", "84000000"));
	}
	if (is_protected())
		pass_around_afar();
	if (hotplug)
		be_hotplugged();
	for (i = 0; i < 4; i++)
		EXPECT_TRUE(ends_well(guest[i]));
	EXPECT_TRUE(emitters_wait(cpus));
	EXPECT_TRUE(emitters_stop(cpus));
}

/* Each line of the trace must be a row of the totals, and hold what has been added since @base. */
static void compare(struct __test_metadata *_metadata, const struct totals *t,
		    const struct totals *base)
{
	struct total row, before;
	struct line *l;

	for (l = lines; l < lines + nr_lines; l++) {
		if (!is_compared(l->reason))
			continue;
		row = totals_of(t, l->pid ? vm_of(l->pid) : 0, 0, l->kind, l->reason);
		before = totals_of(base, row.vm, 0, l->kind, l->reason);
		row.count -= before.count;
		row.total -= before.total;
		/* The host may touch memory before the trace begins, and after it ends. */
		if (!strcmp(l->kind, "abort")) {
			EXPECT_LE(l->count, row.count);
			continue;
		}
		EXPECT_EQ(l->count, row.count)
			TH_LOG("%s %s of %d", l->kind, l->reason, l->pid);
		EXPECT_TRUE(is_near(l->total, row.total,
				    TOLERANCE_NS * l->count + CORRECTIONS_NS))
			TH_LOG("%s %s of %d: %lu ns in all, in the trace %lu", l->kind, l->reason,
			       l->pid, row.total, l->total);
		if (before.count)
			continue;
		EXPECT_TRUE(is_near(l->min, row.min, CORRECTIONS_NS));
		EXPECT_TRUE(is_near(l->max, row.max, CORRECTIONS_NS));
	}
}

/* Each row of the totals must be in the trace. */
static void compare_back(struct __test_metadata *_metadata, const struct totals *t,
			 const struct totals *base)
{
	const struct total *row;
	struct line *l;
	size_t i;

	for (i = 0; i < t->n; i++) {
		row = &t->rows[i];
		if (!is_compared(row->reason) || !strcmp(row->kind, "abort") ||
		    totals_of(base, row->vm, 0, row->kind, row->reason).count == row->count)
			continue;
		for (l = lines; l < lines + nr_lines; l++)
			if (!strcmp(l->kind, row->kind) && !strcmp(l->reason, row->reason) &&
			    row->vm == (l->pid ? vm_of(l->pid) : 0))
				break;
		EXPECT_LT(l, lines + nr_lines)
			TH_LOG("%s %s of VM %u: not in the trace", row->kind, row->reason, row->vm);
	}
}

/* The time from a vCPU's first entry to its last exit is the sum of all that it did. */
static void compare_wall(struct __test_metadata *_metadata, const struct totals *t)
{
	uint64_t sum, count;
	struct vcpu *v;
	size_t i;

	for (v = vcpus; v->pid; v++) {
		for (sum = count = i = 0; i < t->n; i++) {
			if (t->rows[i].vm != vm_of(v->pid))
				continue;
			sum += t->rows[i].total;
			count += t->rows[i].count;
		}
		EXPECT_LT(100, count);
		EXPECT_TRUE(is_near(sum, v->stopped - v->first,
				    TOLERANCE_NS * count + CORRECTIONS_NS))
			TH_LOG("%lu ns in all, from first entry to last exit %lu ns", sum,
			       v->stopped - v->first);
	}
	EXPECT_EQ(4, v - vcpus);
}

static uint64_t counted(const char *kind)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < nr_lines; i++)
		if (!strcmp(lines[i].kind, kind))
			sum += lines[i].count;
	return sum;
}

FIXTURE_VARIANT_ADD(hyp, all_cpus_online) {
	.hotplug = false,
};

FIXTURE_VARIANT_ADD(hyp, cpus_come_and_go) {
	.hotplug = true,
};

TEST_F(hyp, totals_equal_a_trace)
{
	struct totals base, t;

	if (variant->hotplug && self->cpus < 2)
		SKIP(return, "needs two CPUs");

	enter = learn("hyp_enter", "reason");
	leave = learn("hyp_exit", "reason");
	hcalls = learn("host_hcall", "id");
	smcs = learn("host_smc", "id");
	aborts = learn("host_mem_abort", "esr");
	exits = learn("vcpu_exit", "reason");
	ASSERT_EQ(0, put(TOTALS "enable", "0"));
	ASSERT_EQ(0, put(TOTALS "reset", "1"));

	ASSERT_EQ(0, set_size_kb(4096));
	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_* hyp:host_hcall hyp:host_smc"));
	ASSERT_EQ(0, put(HYP "events/hyp/host_mem_abort/enable", "1"));
	ASSERT_EQ(0, put(HYP "events/hyp/vcpu_exit/enable", "1"));
	ASSERT_EQ(0, put(TOTALS "enable", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	/* Both have begun by now, and the trace begins anew. */
	base = totals_read();
	ASSERT_EQ(0, put(HYP "trace", ""));
	run_load(_metadata, self->cpus, variant->hotplug);
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	t = totals_read();
	ASSERT_EQ(0, put(TOTALS "enable", "0"));
	ASSERT_TRUE(evaluate(self->cpus));

	compare(_metadata, &t, &base);
	compare_back(_metadata, &t, &base);
	compare_wall(_metadata, &t);

	/* Each kind was there to be compared. */
	EXPECT_LE(1000 * self->cpus, counted("hcall"));
	EXPECT_LE(4 * RUNS, counted("guest"));
	EXPECT_LE(4 * (RUNS - 1), counted("exit_host"));
	EXPECT_LE(RUNS, counted("exit_el2"));
	if (is_protected()) {
		EXPECT_LE(50, counted("smc"));
		EXPECT_LE(50, counted("psci"));
		EXPECT_LE(50, counted("firmware"));
		EXPECT_LE(1, counted("abort"));
	}
	totals_free(&t);
	totals_free(&base);
	ASSERT_EQ(0, put(TOTALS "reset", "1"));
}

TEST_HARNESS_MAIN
