// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of triggers that this kernel executes: histograms, synthetic events and others act on
 * each event once, with its own values, whatever is recorded in hyp/ and whoever reads that.
 */

#include <sys/resource.h>

#include "hyp_follow.h"
#include "../guests/hyp_vm.h"

#define OWN_EVENT	HYP "events/hyp/selftest/"
#define ROOT_EVENT	ROOT "events/hyp/selftest/"
#define HOST_EVENT	ROOT "events/hyp_test/host_selftest/"
#define GAP		ROOT "events/synthetic/hyp_gap/"
#define WAKING		ROOT "events/sched/sched_waking/"
#define ENTER		ROOT "events/hyp/vcpu_enter/"

/* Where the triggers of an event are. */
static const char * const files[] = { OWN_EVENT, ROOT_EVENT };

FIXTURE(hist) {
	int cpus;
};

/* Remove all triggers of an event's file; those with references to variables first. */
static void remove_triggers(const char *event)
{
	const char *file = path_of("%strigger", event);
	char *text, *line, *end;
	int pass;

	for (pass = 0; pass < 2; pass++) {
		text = get(file);
		for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
			end = strstr(line, " [");
			if (end)
				*end = 0;
			if (*line != '#')
				append(file, path_of("!%s", line));
		}
		free(text);
	}
}

static bool remove_all_of(const char *event)
{
	remove_triggers(path_of(ROOT "events/hyp/%s/", event));
	remove_triggers(path_of(HYP "events/hyp/%s/", event));
	return true;
}

static void clean_up(int cpus)
{
	int cpu;

	for (cpu = 1; cpu < cpus; cpu++)
		set_online(cpu, true);
	remove_triggers(GAP);
	remove_triggers(HOST_EVENT);
	remove_all_of("hyp_puts");
	of_all_events(remove_all_of);
	remove_triggers(WAKING);
	put(ROOT "synthetic_events", "!hyp_gap u64 ns; u64 id");
	put(ROOT "tracing_on", "1");
	put(ROOT "events/enable", "0");
	put(ROOT "snapshot", "0");
	put(ROOT "trace", "");
	put(HYP "tracing_on", "0");
	put(HYP "events/enable", "0");
	put(HYP "events/hyp/filter", "0");
	put(HYP "trace", "");
}

FIXTURE_SETUP(hist)
{
	self->cpus = nr_cpus();
	if (!exists(ROOT "events/sched/sched_switch/hist"))
		SKIP(return, "this kernel has no histograms");
	clean_up(self->cpus);
	ASSERT_EQ(0, run_on(0));
}

FIXTURE_TEARDOWN(hist)
{
	clean_up(self->cpus);
}

static int hits(const char *event)
{
	return get_num(path_of("%shist", event), "Hits: ");
}

static bool hist_has(const char *event, const char *what)
{
	char *text = get(path_of("%shist", event));
	bool has = strstr(text, what);

	if (!has)
		printf("# no \"%s\" in:\n%s", what, text);
	free(text);
	return has;
}

/* Counting ------------------------------------------------------------------------ */

TEST_F(hist, counts_each_event_once)
{
	int i, id, cpu;

	EXPECT_TRUE(is_quiet());
	for (i = 0; i < ARRAY_SIZE(files); i++)
		ASSERT_EQ(0, put(path_of("%strigger", files[i]), "hist:keys=id"));

	/*
	 * Where the host polls, all CPUs deliver at once. If two insert a key at the same time,
	 * tracing_map may drop an event of one.
	 */
	for (cpu = 0; cpu < self->cpus; cpu++) {
		ASSERT_EQ(0, run_on(cpu));
		ASSERT_EQ(0, emit(1, 100));
		flush();
	}
	ASSERT_EQ(0, run_on(0));
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		EXPECT_EQ(100 * self->cpus, hits(files[i]));
		EXPECT_EQ(100, get_num(path_of("%shist", files[i]), "Entries: "));
		for (id = 1; id <= 100; id++)
			EXPECT_TRUE(hist_has(files[i],
					     path_of("{ id: %10d } hitcount: %10d\n", id,
						     self->cpus)));
	}
	EXPECT_FALSE(is_quiet());

	/* Without the last one that follows it, nothing is left. */
	ASSERT_EQ(0, put(ROOT_EVENT "trigger", "!hist:keys=id"));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(100 * self->cpus + 10, hits(OWN_EVENT));
	ASSERT_EQ(0, put(OWN_EVENT "trigger", "!hist:keys=id"));
	EXPECT_TRUE(is_quiet());
}

TEST_F(hist, knows_nothing_of_the_ring)
{
	ASSERT_EQ(0, record_selftest());
	ASSERT_EQ(0, put(OWN_EVENT "filter", "id == 3"));
	ASSERT_EQ(0, put(OWN_EVENT "trigger", "traceoff if id == 7"));
	ASSERT_EQ(0, append(OWN_EVENT "trigger", "hist:keys=id"));
	ASSERT_EQ(0, put(ROOT_EVENT "trigger", "hist:keys=id"));
	ASSERT_EQ(0, emit(0, 9));
	EXPECT_EQ(10, hits(OWN_EVENT));
	EXPECT_EQ(10, hits(ROOT_EVENT));
	EXPECT_EQ(1 << 3, ids_in(HYP "trace", "selftest"));
	EXPECT_EQ(0, get_num(HYP "tracing_on", ""));

	/* EL2 has stopped the ring, once; this kernel has not done it again. */
	ASSERT_EQ(0, append(OWN_EVENT "trigger", "!traceoff"));
	ASSERT_EQ(0, append(OWN_EVENT "trigger", "traceoff:1 if id == 7"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(7, 7));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(0, 9));
	EXPECT_EQ(1, get_num(HYP "tracing_on", ""));
	EXPECT_EQ(21, hits(ROOT_EVENT));

	/* No CPU is traced, and nothing is on. */
	ASSERT_EQ(0, put(HYP "tracing_cpumask", "0"));
	ASSERT_EQ(0, emit(0, 9));
	ASSERT_EQ(0, put(HYP "tracing_cpumask", path_of("%x", (1 << self->cpus) - 1)));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	ASSERT_EQ(0, emit(0, 9));
	EXPECT_EQ(41, hits(OWN_EVENT));
	EXPECT_EQ(41, hits(ROOT_EVENT));
}

/*
 * To add a trigger that EL2 executes causes the event, which is followed. If this kernel
 * executed it, too, it would warn: it can't turn tracing off in an interrupt.
 */
TEST_F(hist, leaves_to_el2_what_el2_does)
{
	const char *file = HYP "events/hyp/host_hcall/trigger";
	int i;

	ASSERT_EQ(0, append(file, "hist:keys=id"));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
		ASSERT_EQ(0, append(file, "traceoff"));
		ASSERT_EQ(0, emit(1, 1));
		EXPECT_EQ(0, get_num(HYP "tracing_on", ""));
		ASSERT_EQ(0, append(file, "!traceoff"));
	}
	EXPECT_LT(20, hits(HYP "events/hyp/host_hcall/"));
}

TEST_F(hist, has_all_keys_and_values)
{
	/* The last one is about what the interrupt has found. */
	static const struct {
		const char *trigger, *line;
	} cases[] = {
		{ "hist:keys=id.buckets=10", "{ id: ~ 10-19 } hitcount:         10\n" },
		{ "hist:keys=id.log2", "{ id: ~ 2^4  } hitcount:          8\n" },
		{ "hist:keys=id.hex if id == 17", "{ id: 11 } hitcount:          1\n" },
		{ "hist:keys=common_cpu:vals=id", "hitcount:         30  id:        465\n" },
		{ "hist:keys=common_cpu if CPU == 0", "hitcount:         30\n" },
		{ "hist:keys=id if id & 1 && id > 20", "Hits: 5\n" },
		{ "hist:keys=common_pid.execname", "{ common_pid: hyp_hist_test" },
		{ "hist:keys=common_stacktrace", "ksys_write+" },
	};
	int nr = ARRAY_SIZE(cases), i;

	if (!el2_can_ring())
		nr--;
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, put(ROOT_EVENT "trigger", cases[i].trigger))
			TH_LOG("%s", cases[i].trigger);
		ASSERT_EQ(0, emit(1, 30));
		EXPECT_TRUE(hist_has(ROOT_EVENT, cases[i].line))
			TH_LOG("%s", cases[i].trigger);
		EXPECT_EQ(0, followed("lost: "));
		remove_triggers(ROOT_EVENT);
	}

	/* The task is the one that EL2 has recorded. */
	ASSERT_EQ(0, put(ROOT_EVENT "trigger", "hist:keys=common_pid"));
	ASSERT_EQ(0, emit(1, 30));
	EXPECT_TRUE(hist_has(ROOT_EVENT, path_of("{ common_pid: %10d } hitcount:         30\n",
						 getpid())));
}

/* Most of these events are delivered late, by a kernel thread. */
TEST_F(hist, names_the_task_that_caused_an_event)
{
	long long end = followed("delivered: ") + 999;

	ASSERT_EQ(0, put(ROOT_EVENT "trigger", "hist:keys=common_pid.execname,id.buckets=100"));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_EMIT, 999));
	EXPECT_TRUE(wait_until_delivered(end));
	EXPECT_EQ(999, hits(ROOT_EVENT));
	EXPECT_EQ(10, count_in(ROOT_EVENT "hist", "{ common_pid: hyp_hist_test "));
	EXPECT_EQ(10, count_in(ROOT_EVENT "hist", "{ common_pid: "));
}

TEST_F(hist, filters_by_the_task_that_caused_an_event)
{
	long long end = followed("delivered: ");

	ASSERT_EQ(0, put(ROOT_EVENT "trigger", "hist:keys=id if comm == \"hyp_hist_test\""));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_EMIT, 999));
	EXPECT_TRUE(wait_until_delivered(end + 999));
	EXPECT_EQ(999, hits(ROOT_EVENT));
	remove_triggers(ROOT_EVENT);
	ASSERT_EQ(0, put(ROOT_EVENT "trigger", "hist:keys=id if comm != \"hyp_hist_test\""));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_EMIT, 999));
	EXPECT_TRUE(wait_until_delivered(end + 2 * 999));
	EXPECT_EQ(0, hits(ROOT_EVENT));
}

/* Time ---------------------------------------------------------------------------- */

struct times {
	int		first, second;		/* types */
	uint64_t	began;
	uint64_t	gap[16];
	int		nr;
};

static void note_time(void *data, const struct event *e)
{
	struct times *t = data;

	if (e->type == t->first)
		t->began = e->ts;
	else if (e->type == t->second && t->nr < ARRAY_SIZE(t->gap))
		t->gap[t->nr++] = e->ts - t->began;
}

#define GAP_FIELDS	"hyp_gap u64 ns; u64 id"
#define GAP_BEGIN	"hist:keys=common_pid:ts0=common_timestamp,id0=id"
#define GAP_TRIGGER	"hist:keys=common_pid:ns=common_timestamp-$ts0,id1=$id0:" GAP_ACTION
#define GAP_ACTION	"onmatch(hyp.selftest).trace(hyp_gap,$ns,$id1)"

/* Between two events that each hypercall records; the ring shows how long that took. */
TEST_F(hist, measures_with_the_events_own_times)
{
	struct times t = { .first = event_id("selftest"), .second = event_id("hyp_puts") };
	char *text;
	int i;

	ASSERT_EQ(0, put(ROOT "synthetic_events", GAP_FIELDS));
	ASSERT_EQ(0, put(ROOT_EVENT "trigger", GAP_BEGIN));
	ASSERT_EQ(0, put(ROOT "events/hyp/hyp_puts/trigger", GAP_TRIGGER));
	ASSERT_EQ(0, put(GAP "enable", "1"));
	ASSERT_EQ(0, put(HYP "set_event", "hyp:selftest hyp:hyp_puts"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, ARRAY_SIZE(t.gap)));
	EXPECT_EQ(2 * ARRAY_SIZE(t.gap), read_raw(0, note_time, &t));
	ASSERT_EQ(ARRAY_SIZE(t.gap), t.nr);
	flush();

	text = get(ROOT "trace");
	for (i = 0; i < t.nr; i++) {
		EXPECT_LT(0, t.gap[i]);
		EXPECT_EQ(1, count_of(text, path_of("hyp_gap: ns=%llu id=%d\n", t.gap[i], i + 1)))
			TH_LOG("%s", text);
	}
	free(text);

	/* The clock is that of the events, and there is no other. */
	EXPECT_TRUE(count_in(ROOT "trace_clock", "[boot]"));
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		const char *file = path_of("%strigger", files[i]);

		ASSERT_EQ(0, append(file, "hist:keys=id:ts=common_timestamp"));
		EXPECT_LE(1, count_in(file, ":clock=boot"));
		EXPECT_EQ(-EINVAL, append(file, "hist:keys=id:t=common_timestamp:clock=local"));
	}
}

/* To read a histogram delivers all, also what its own events come of. */
TEST_F(hist, of_synthetic_events_is_complete)
{
	int i;

	ASSERT_EQ(0, put(ROOT "synthetic_events", GAP_FIELDS));
	ASSERT_EQ(0, put(ROOT_EVENT "trigger", GAP_BEGIN));
	ASSERT_EQ(0, append(ROOT_EVENT "trigger", GAP_TRIGGER));
	ASSERT_EQ(0, put(GAP "trigger", "hist:keys=common_pid"));
	for (i = 1; i <= 5; i++) {
		ASSERT_EQ(0, write_test(HYP_TRACE_TEST_EMIT, 999));
		EXPECT_EQ(999 * i, hits(GAP));
	}
}

/* Nothing is recorded then, and the kernel's event waits in a buffer with another clock. */
TEST_F(hist, measures_until_an_event_of_the_kernel)
{
	static const char * const on[] = { "1", "0" };
	uint64_t begin;
	int i;

	ASSERT_EQ(0, put(ROOT "synthetic_events", GAP_FIELDS));
	for (i = 0; i < ARRAY_SIZE(on); i++) {
		ASSERT_EQ(0, put(ROOT "tracing_on", on[i]));
		ASSERT_EQ(0, put(ROOT_EVENT "trigger", GAP_BEGIN));
		ASSERT_EQ(0, put(HOST_EVENT "trigger", GAP_TRIGGER ":clock=boot"));
		ASSERT_EQ(0, put(GAP "trigger", "hist:keys=id:vals=ns"));
		begin = boot_ns();
		ASSERT_EQ(0, emit(7, 7));
		flush();
		ASSERT_EQ(0, put_num(HYP "write_host_event", 1));
		begin = boot_ns() - begin;
		EXPECT_TRUE(hist_has(GAP, "{ id:          7 } hitcount:          1  ns: "));
		EXPECT_GT(begin, get_num(GAP "hist", "  ns: "))
			TH_LOG("tracing_on %s", on[i]);
		EXPECT_LT(0, get_num(GAP "hist", "  ns: "))
			TH_LOG("tracing_on %s", on[i]);
		remove_triggers(GAP);
		remove_triggers(HOST_EVENT);
		remove_triggers(ROOT_EVENT);
	}
}

#define WAIT_TRIGGER	"hist:keys=common_pid:ns=common_timestamp-$ts0,pc1=pc:"
#define WAIT_ACTIONS	"onmatch(sched.sched_waking).trace(hyp_gap,$ns,$pc1):onmax($ns).save(vm,vcpu)"

static long voluntary_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/*
 * Sleep until woken. Since Linux 7.3, who begins to sleep when the time is over goes on, and nobody
 * wakes him: that is no nap.
 */
static void nap(int us)
{
	const long before = voluntary_switches();

	do {
		usleep(us);
	} while (voluntary_switches() == before);
}

/* A thread naps before each run of its vCPU. As the recipe in hyp-catching.rst. */
TEST_F(hist, measures_from_waking_a_vcpu_until_it_runs)
{
	struct vm vm = vm_create_vcpu(store, sizeof(store), 1, 0);
	const int naps = 20, nap_us = 1000;
	long long rest, longest = 0, max;
	int i;

	ASSERT_EQ(0, put(ROOT "synthetic_events", GAP_FIELDS));
	ASSERT_EQ(0, put(WAKING "trigger", "hist:keys=pid:ts0=common_timestamp:clock=boot"));
	ASSERT_EQ(0, put(ENTER "trigger", WAIT_TRIGGER WAIT_ACTIONS));
	ASSERT_EQ(0, put(GAP "trigger", "hist:keys=id:vals=ns"));
	for (i = 0; i < naps; i++) {
		rest = -(long long)boot_ns() - nap_us * 1000;
		nap(nap_us);
		vm_run(&vm);
		rest += boot_ns();
		longest = rest > longest ? rest : longest;
		/* Where EL2 can't interrupt, the next waking would be earlier. */
		flush();
	}
	/* A thread that waits for a lock within a run is woken, too. */
	EXPECT_LE(naps, hits(GAP));
	EXPECT_GE(2 * naps, hits(GAP));
	max = get_num(ENTER "hist", "\tmax: ");
	EXPECT_LT(0, max);
	EXPECT_GE(longest, max);
	EXPECT_EQ(1, get_num(ENTER "hist", "  vcpu: "));
	vm_destroy(&vm);
}

/* Other triggers at the root ------------------------------------------------------ */

/* Do all stack traces in a text have flags of an interrupt, or at least possible ones? */
static bool stacks_have_flags(const char *text, bool interrupt)
{
	const char *at = text, *flags;

	while ((at = strstr(at, ": <stack trace>"))) {
		for (flags = at; *flags != ']'; flags--)
			;
		/* "] d.h.. ": interrupts are off, the context, the depth of who delivers. */
		if (flags[2] != 'd' || (interrupt && flags[4] != 'h') ||
		    !strchr(interrupt ? "." : ".12", flags[5]) || flags[6] != '.')
			return false;
		at++;
	}
	return true;
}

TEST_F(hist, other_triggers_act_on_the_kernel)
{
	char *text;

	ASSERT_EQ(0, put(ROOT_EVENT "trigger", "enable_event:sched:sched_waking if id == 5"));
	ASSERT_EQ(0, emit(1, 4));
	EXPECT_EQ(1, count_in(ROOT "events/sched/sched_waking/enable", "0*"));
	ASSERT_EQ(0, emit(5, 5));
	flush();
	EXPECT_EQ(1, count_in(ROOT "events/sched/sched_waking/enable", "1*"));
	remove_triggers(ROOT_EVENT);

	ASSERT_EQ(0, put(ROOT_EVENT "trigger", "traceoff if id == 5"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 4));
	EXPECT_EQ(1, get_num(ROOT "tracing_on", ""));
	ASSERT_EQ(0, emit(5, 5));
	flush();
	EXPECT_EQ(0, get_num(ROOT "tracing_on", ""));
	EXPECT_EQ(1, get_num(HYP "tracing_on", ""));
	remove_triggers(ROOT_EVENT);
	ASSERT_EQ(0, put(ROOT "tracing_on", "1"));
	ASSERT_EQ(0, put(ROOT "trace", ""));

	ASSERT_EQ(0, put(ROOT_EVENT "trigger", "stacktrace:3"));
	ASSERT_EQ(0, emit(1, 5));
	flush();
	EXPECT_EQ(3, count_in(ROOT "trace", "<stack trace>"));
	text = get(ROOT "trace");
	EXPECT_TRUE(stacks_have_flags(text, el2_can_ring()))
		TH_LOG("%s", text);
	/* This is where the interrupt has come, and nothing of how the event was delivered. */
	if (el2_can_ring())
		EXPECT_EQ(3, count_of(text, " => ksys_write\n"));
	EXPECT_EQ(0, count_of(text, " => deliver"));
	free(text);
	remove_triggers(ROOT_EVENT);

	if (exists(ROOT "snapshot")) {
		ASSERT_EQ(0, put(ROOT_EVENT "trigger", "snapshot:1"));
		EXPECT_EQ(1, count_in(ROOT "snapshot", "is allocated"));
		ASSERT_EQ(0, emit(1, 5));
		flush();
		EXPECT_EQ(3, count_in(ROOT "snapshot", "<stack trace>"));
	}
}

/* CPUs ---------------------------------------------------------------------------- */

TEST_F(hist, counts_on_cpus_that_come_and_go)
{
	int i;

	if (self->cpus < 2)
		SKIP(return, "one CPU only");

	/* One that was not there at first, and one that goes. */
	ASSERT_EQ(0, set_online(1, false));
	ASSERT_EQ(0, put(ROOT_EVENT "trigger", "hist:keys=common_cpu"));
	for (i = 1; i <= 5; i++) {
		ASSERT_EQ(0, emit(1, 10));
		ASSERT_EQ(0, set_online(1, true));
		ASSERT_EQ(0, run_on(1));
		ASSERT_EQ(0, emit(1, 10));
		ASSERT_EQ(0, run_on(0));
		/* This delivers all. What is left would be another CPU's, when CPU 1 is gone. */
		EXPECT_EQ(20 * i, hits(ROOT_EVENT));
		ASSERT_EQ(0, set_online(1, false));
		EXPECT_EQ(20 * i, hits(ROOT_EVENT));
	}
	EXPECT_TRUE(hist_has(ROOT_EVENT, "{ common_cpu:          1 } hitcount:         50\n"));
	EXPECT_TRUE(hist_has(ROOT_EVENT, "{ common_cpu:          0 } hitcount:         50\n"));
}

/* Overload ------------------------------------------------------------------------ */

/* Each call records more than an interrupt delivers; the last ones more than a ring holds. */
TEST_F(hist, counts_what_is_lost)
{
	long long delivered = followed("delivered: "), late = followed("late: ");
	long long lost = followed("lost: ");

	ASSERT_EQ(0, put(ROOT_EVENT "trigger", "hist:keys=common_pid"));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_EMIT, 1000));
	EXPECT_EQ(1000, hits(ROOT_EVENT));
	EXPECT_EQ(delivered + 1000, followed("delivered: "));
	if (el2_can_ring())
		EXPECT_LT(late, followed("late: "));
	EXPECT_EQ(lost, followed("lost: "));

	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_EMIT, scaled(20000) > 65536 ? 65536 :
						     scaled(20000)));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_LT(1010, hits(ROOT_EVENT));
	EXPECT_EQ(delivered + hits(ROOT_EVENT), followed("delivered: "));
	EXPECT_EQ((scaled(20000) > 65536 ? 65536 : scaled(20000)) + 1010,
		  followed("delivered: ") - delivered + followed("lost: ") - lost);
	EXPECT_LT(lost, followed("lost: "));
}

/* A call that empties the follower's ring, if it were followed, would cause the next one. */
TEST_F(hist, does_not_follow_its_own_calls)
{
	long long before, after;

	ASSERT_EQ(0, put(HYP "set_event", "hyp:host_hcall"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, put(ROOT_EVENT "trigger", "hist:keys=common_pid"));
	ASSERT_EQ(0, put(ROOT "events/hyp/host_hcall/trigger", "hist:keys=id"));
	ASSERT_EQ(0, put(ROOT "events/hyp/hyp_exit/trigger", "hist:keys=reason"));
	ASSERT_EQ(0, emit(1, 2 * events_per_page()));
	flush();
	before = followed("delivered: ");
	flush();
	after = followed("delivered: ");
	/* With protection, this process may have caused some others. */
	EXPECT_GE(before + 20, after);
	EXPECT_EQ(2 * events_per_page(), hits(ROOT_EVENT));
	/* These calls were made, and the ring has them. */
	EXPECT_LE(2, count_in(HYP "trace", "host_hcall: __hyp_trace_swap "));
	EXPECT_GT(2 * events_per_page() + 20, hits(ROOT "events/hyp/host_hcall/"));
}

/* Faulty writers ------------------------------------------------------------------ */

/* The last type that is ftrace's own (enum trace_type). */
#define LAST_OWN_TYPE	20

/* The user's ring may have some of these, and an event has the others. */
TEST_F(hist, what_is_no_event_is_lost)
{
	const char *event = ROOT "events/hyp/selftest_fields/";
	long long lost = followed("lost: ");
	int type, i;

	ASSERT_EQ(0, put(path_of("%strigger", event), "hist:keys=common_pid"));
	ASSERT_EQ(0, put_num(HYP "write_fields", 0));
	EXPECT_EQ(1, hits(event));

	for (type = 1; type <= LAST_OWN_TYPE; type++) {
		ASSERT_EQ(0, put_num(HYP "write_follow", type));
		ASSERT_EQ(0, put_num(HYP "write_fields", 0));
		EXPECT_EQ(1, hits(event))
			TH_LOG("type %d", type);
	}

	/* The next page is as good as ever. */
	ASSERT_EQ(0, put_num(HYP "write_follow", event_id("selftest_fields")));
	for (i = 0; i < events_per_page(); i++)
		ASSERT_EQ(0, put_num(HYP "write_fields", 0));
	EXPECT_LT(1, hits(event));
	EXPECT_LE(lost + LAST_OWN_TYPE, followed("lost: "));
}

/* Guests -------------------------------------------------------------------------- */

static bool follow(const char *event)
{
	return !put(path_of(ROOT "events/hyp/%s/trigger", event), "hist:keys=common_pid");
}

TEST_F(hist, a_guest_runs_while_all_is_followed)
{
	const char *exits = ROOT "events/hyp/vcpu_exit/";
	long long in_ring;
	pid_t pid;

	ASSERT_TRUE(of_all_events(follow));
	ASSERT_EQ(0, put(HYP "set_event", "hyp:vcpu_exit"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	pid = run_guest(1000, NULL);
	ASSERT_LT(0, pid);
	in_ring = count_in(HYP "trace", "vcpu_exit: ");
	EXPECT_LT(1000, in_ring);
	EXPECT_EQ(in_ring, hits(exits));
	EXPECT_TRUE(hist_has(exits, path_of("{ common_pid: %10d } hitcount: %10lld\n", pid,
					    in_ring)));
}

/* Storms -------------------------------------------------------------------------- */

/* A change waits for grace periods, which take long on a kernel that debugs RCU. */
static void *toggle_hist(void *unused)
{
	int i;

	for (i = 0; i < rounds_of(50); i++) {
		put(OWN_EVENT "trigger", "hist:keys=id");
		put(ROOT "events/hyp/hyp_enter/trigger", "hist:keys=reason");
		put(OWN_EVENT "trigger", "!hist:keys=id");
		put(ROOT "events/hyp/hyp_enter/trigger", "!hist:keys=reason");
	}
	return NULL;
}

static void *toggle_others(void *data)
{
	int cpus = *(int *)data, i;

	for (i = 0; i < rounds_of(20); i++) {
		if (cpus > 1)
			set_online(cpus - 1, i % 2);
		set_size_kb(i % 2 ? 64 : 256);
		put(HYP "tracing_on", i % 3 ? "1" : "0");
	}
	if (cpus > 1)
		set_online(cpus - 1, true);
	return NULL;
}

TEST_F(hist, comes_and_goes_among_everything_else)
{
	int emitting = self->cpus > 1 ? self->cpus - 1 : 1, i;
	pthread_t thread[2];

	ASSERT_EQ(0, record_selftest());
	ASSERT_EQ(0, put(ROOT_EVENT "trigger", "hist:keys=common_pid"));
	emitters_start(emitting);
	emitters_allow(emitting, 2000);
	ASSERT_EQ(0, pthread_create(&thread[0], NULL, toggle_hist, NULL));
	ASSERT_EQ(0, pthread_create(&thread[1], NULL, toggle_others, &self->cpus));
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	EXPECT_TRUE(emitters_wait(emitting));
	EXPECT_TRUE(emitters_stop(emitting));

	EXPECT_EQ(2000 * emitting, hits(ROOT_EVENT));
	remove_triggers(ROOT_EVENT);
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	EXPECT_TRUE(be_idle());
	EXPECT_TRUE(is_quiet());
}

/* Other things take and give memory meanwhile: one try of some must be undisturbed. */
#define TRIES	10

TEST_F(hist, gives_back_its_memory)
{
	/* The rings of all CPUs have 128 KiB each, and some pages more. */
	const long long rings_kb = self->cpus * 128;
	long long before = 0, after;
	bool given_back = false;
	int i;

	if (!memory_counts())
		SKIP(return, "this kernel keeps memory that was freed");

	/* The first time allocates what stays. */
	for (i = 0; i < TRIES && !(given_back && i > 1); i++) {
		ASSERT_EQ(0, put(ROOT_EVENT "trigger", "hist:keys=id:size=128"));
		ASSERT_EQ(0, emit_on_all(self->cpus, 1, 10));
		after = free_memory();
		remove_triggers(ROOT_EVENT);
		before = free_memory();
		given_back = before >= after + rings_kb;
	}
	EXPECT_TRUE(given_back);
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, put(ROOT_EVENT "trigger", "hist:keys=id:size=128"));
		remove_triggers(ROOT_EVENT);
	}
	/* A ring that is kept each time would be 50 of them. */
	EXPECT_LE(before - rings_kb - 16 * page_size() / 1024, free_memory());
}

TEST_HARNESS_MAIN
