// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of triggers: an event stops recording right behind itself, or starts it with itself,
 * as often as it may; tracing_on says so; and nothing else changes it.
 */

#include "hyp_waiter.h"

#define SELFTEST	HYP "events/hyp/selftest/"
#define TRIGGER		SELFTEST "trigger"

FIXTURE(trigger) {
	int cpus;
};

static void remove_trigger(void)
{
	put(TRIGGER, "!traceoff");
	put(HYP "events/hyp/hyp_enter/trigger", "!traceoff");
	put(HYP "events/hyp/hyp_exit/trigger", "!traceoff");
}

FIXTURE_SETUP(trigger)
{
	self->cpus = nr_cpus();
	remove_trigger();
	ASSERT_EQ(0, record_selftest());
}

FIXTURE_TEARDOWN(trigger)
{
	remove_trigger();
	put(HYP "tracing_on", "0");
	put(HYP "events/enable", "0");
	put(HYP "events/hyp/filter", "0");
	put(HYP "options/overwrite", "1");
	put(HYP "tracing_cpumask", path_of("%x", (1 << self->cpus) - 1));
	put(HYP "trace", "");
	put(FOO "events/enable", "0");
	rmdir(FOO);
}

static int is_on(void)
{
	return get_num(HYP "tracing_on", "");
}

static uint64_t recorded(void)
{
	return ids_in(HYP "trace", "selftest");
}

static bool trigger_is(const char *text)
{
	char *is = get(TRIGGER);
	bool same = !strcmp(is, text);

	if (!same)
		printf("# %s", is);
	free(is);
	return same;
}

#define NO_TRIGGER	"# Available triggers:\n# traceon traceoff stacktrace hist\n"

TEST_F(trigger, traceoff_stops_behind_the_event)
{
	EXPECT_TRUE(trigger_is(NO_TRIGGER));
	ASSERT_EQ(0, put(TRIGGER, "traceoff if id == 5"));
	EXPECT_TRUE(trigger_is("traceoff:unlimited if id == 5\n"));
	ASSERT_EQ(0, emit(0, 4));
	EXPECT_EQ(1, is_on());
	ASSERT_EQ(0, emit(5, 15));
	EXPECT_EQ(0, is_on());
	EXPECT_EQ(0x3f, recorded());
	ASSERT_EQ(0, emit(5, 15));
	EXPECT_EQ(0x3f, recorded());

	/* Turned on again, it stops again; removed, it does not. */
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	EXPECT_EQ(1, is_on());
	ASSERT_EQ(0, emit(8, 9));
	EXPECT_EQ(1, is_on());
	ASSERT_EQ(0, emit(5, 15));
	EXPECT_EQ(0, is_on());
	EXPECT_EQ(0x33f, recorded());
	ASSERT_EQ(0, put(TRIGGER, "!traceoff"));
	EXPECT_TRUE(trigger_is(NO_TRIGGER));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(0, 15));
	EXPECT_EQ(1, is_on());
	EXPECT_EQ(0xffff, recorded());
}

TEST_F(trigger, traceon_starts_with_the_event)
{
	ASSERT_TRUE(be_idle());
	ASSERT_EQ(0, put(TRIGGER, "traceon if id == 5"));
	ASSERT_EQ(0, emit(0, 4));
	EXPECT_EQ(0, is_on());
	EXPECT_EQ(0, recorded());
	ASSERT_EQ(0, emit(5, 15));
	EXPECT_EQ(1, is_on());
	EXPECT_EQ(0xffe0, recorded());
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	EXPECT_EQ(0, is_on());
	ASSERT_EQ(0, emit(16, 20));
	EXPECT_EQ(0xffe0, recorded());
	ASSERT_EQ(0, emit(5, 5));
	EXPECT_EQ(1, is_on());
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	ASSERT_EQ(0, put(TRIGGER, "!traceon"));
	ASSERT_EQ(0, emit(5, 5));
	EXPECT_EQ(0, is_on());
	EXPECT_TRUE(be_idle());
}

TEST_F(trigger, an_event_that_is_not_enabled_is_one)
{
	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_printk"));
	ASSERT_EQ(0, put(TRIGGER, "traceoff if id == 5"));
	EXPECT_EQ(0, get_num(SELFTEST "enable", ""));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(0, is_on());
	EXPECT_EQ(4, count_in(HYP "trace", "hyp_printk: "));
	EXPECT_EQ(0, recorded());
	ASSERT_EQ(0, put(TRIGGER, "!traceoff"));

	ASSERT_EQ(0, put(TRIGGER, "traceon if id == 5"));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(1, is_on());
	EXPECT_EQ(10, count_in(HYP "trace", "hyp_printk: "));
	EXPECT_EQ(0, recorded());
}

TEST_F(trigger, acts_as_often_as_it_may)
{
	int i;

	ASSERT_EQ(0, put(TRIGGER, "traceoff:3 if id > 4 && common_cpu == 0"));
	for (i = 3; i > 0; i--) {
		EXPECT_TRUE(trigger_is(path_of("traceoff:count=%d if id > 4 && common_cpu == 0\n",
					       i)));
		/* Events behind it find that it is done, and do not count. */
		ASSERT_EQ(0, emit(0, 15));
		EXPECT_EQ(0, is_on());
		EXPECT_EQ(0x3f, recorded());
		ASSERT_EQ(0, put(HYP "trace", ""));
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	}
	EXPECT_TRUE(trigger_is("traceoff:count=0 if id > 4 && common_cpu == 0\n"));
	ASSERT_EQ(0, emit(0, 15));
	EXPECT_EQ(1, is_on());
	EXPECT_EQ(0xffff, recorded());
}

/* The filter of an event and that of its trigger are two. */
TEST_F(trigger, and_a_filter_do_not_mix)
{
	ASSERT_EQ(0, put(SELFTEST "filter", "id & 1"));
	ASSERT_EQ(0, put(TRIGGER, "traceoff if id == 6"));
	ASSERT_EQ(0, emit(0, 15));
	EXPECT_EQ(0, is_on());
	EXPECT_EQ(0x2a, recorded());
	ASSERT_EQ(0, put(SELFTEST "filter", "0"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(0, 15));
	EXPECT_EQ(0x7f, recorded());
}

TEST_F(trigger, ends_pairs_that_have_begun)
{
	char *text, *end;

	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_enter hyp:hyp_exit hyp:selftest"));
	ASSERT_EQ(0, put(HYP "trace", ""));
	ASSERT_EQ(0, put(TRIGGER, "traceoff if id == 5"));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(0, is_on());
	text = get(HYP "trace");
	EXPECT_LE(5, count_of(text, "hyp_enter: "));
	EXPECT_EQ(count_of(text, "hyp_enter: "), count_of(text, "hyp_exit: "));
	free(text);

	/* The only line of this CPU behind it is the end of the call that has stopped it. */
	text = get(HYP "per_cpu/cpu0/trace");
	end = strstr(text, "id=5\n");
	ASSERT_NE(NULL, end);
	EXPECT_EQ(1, count_of(end, "hyp_exit: reason=eret_host\n"));
	EXPECT_EQ(2, count_of(end, "\n"));
	free(text);
}

/* hyp_exit is an event like others, although it is recorded only as the end of a pair. */
TEST_F(trigger, hyp_exit_starts_recording)
{
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_enter hyp:hyp_exit"));
	ASSERT_EQ(0, put(HYP "trace", ""));
	ASSERT_EQ(0, put(HYP "events/hyp/hyp_exit/trigger",
			 path_of("traceon if common_pid == %d", getpid())));
	ASSERT_EQ(0, emit(1, 3));
	EXPECT_EQ(1, is_on());
	ASSERT_EQ(0, put(HYP "events/hyp/hyp_exit/trigger", "!traceon"));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	EXPECT_LT(0, count_in(HYP "trace", "hyp_enter: "));
	EXPECT_EQ(count_in(HYP "trace", "hyp_enter: "), count_in(HYP "trace", "hyp_exit: "));
}

TEST_F(trigger, stays_stopped_whatever_else_changes)
{
	ASSERT_EQ(0, put(TRIGGER, "traceoff if id == 5"));
	ASSERT_EQ(0, emit(0, 5));
	/* Nobody has read tracing_on yet. */
	ASSERT_EQ(0, put(HYP "options/overwrite", "0"));
	ASSERT_EQ(0, put(HYP "events/hyp/hyp_printk/enable", "1"));
	ASSERT_EQ(0, put(SELFTEST "filter", "id > 0"));
	ASSERT_EQ(0, put(HYP "tracing_cpumask", path_of("%x", (1 << self->cpus) - 1)));
	ASSERT_EQ(0, emit(6, 15));
	EXPECT_EQ(0x3f, recorded());
	EXPECT_EQ(0, count_in(HYP "trace", "hyp_printk: "));
	EXPECT_EQ(0, is_on());
	ASSERT_EQ(0, set_size_kb(64));
	ASSERT_EQ(0, emit(6, 15));
	EXPECT_EQ(0, recorded());
	EXPECT_EQ(0, is_on());
	if (self->cpus > 1) {
		ASSERT_EQ(0, set_online(1, false));
		ASSERT_EQ(0, set_online(1, true));
		ASSERT_EQ(0, run_on(1));
		ASSERT_EQ(0, emit(6, 15));
		EXPECT_EQ(0, recorded());
	}
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(6, 15));
	EXPECT_EQ(0xffc0, recorded());
	ASSERT_EQ(0, put(HYP "events/hyp/hyp_printk/enable", "0"));
}

/* Reading ends when tracing is off and all has been read, as in any instance. */
TEST_F(trigger, traceoff_ends_reading)
{
	char text[4096] = "";
	int fd = open(HYP "trace_pipe", O_RDONLY);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, put(TRIGGER, "traceoff if id == 5"));
	ASSERT_EQ(0, emit(1, 5));
	ASSERT_LT(0, read(fd, text, sizeof(text) - 1));
	EXPECT_EQ(5, count_of(text, "selftest: "));
	EXPECT_EQ(0, is_on());
	/* With tracing_on wrong, this does not return. */
	EXPECT_EQ(0, read(fd, text, sizeof(text) - 1));
	close(fd);
}

/* If only the user can start tracing again, it costs nothing, as after a write to tracing_on. */
TEST_F(trigger, traceoff_lets_go_of_the_rings)
{
	ASSERT_EQ(0, put(TRIGGER, "traceoff if id == 5"));
	ASSERT_EQ(0, emit(1, 5));
	EXPECT_EQ(0, is_on());
	EXPECT_EQ(0x3e, recorded());
	ASSERT_EQ(0, put(HYP "trace", ""));
	EXPECT_TRUE(wait_until_unloaded(self->cpus));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(6, 9));
	EXPECT_EQ(0x3c0, recorded());
}

/* The same is true if another trigger has started it, and is gone before anybody has asked. */
TEST_F(trigger, traceoff_lets_go_of_what_another_one_has_started)
{
	ASSERT_TRUE(be_idle());
	ASSERT_EQ(0, put(TRIGGER, "traceoff if id == 5"));
	ASSERT_EQ(0, put(HYP "events/hyp/vcpu_load/trigger", "traceon"));
	ASSERT_LT(0, run_guest(1, NULL));
	ASSERT_EQ(0, put(HYP "events/hyp/vcpu_load/trigger", "!traceon"));
	ASSERT_EQ(0, emit(1, 5));
	EXPECT_EQ(0, is_on());
	EXPECT_EQ(0x3e, recorded());
	ASSERT_EQ(0, put(HYP "trace", ""));
	EXPECT_TRUE(wait_until_unloaded(self->cpus));
}

/* Tracing is off, although the rings stay open for another trigger. */
TEST_F(trigger, traceoff_ends_reading_while_it_may_start_again)
{
	char text[4096] = "";
	int fd = open(HYP "trace_pipe", O_RDONLY);
	pid_t reader;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, put(TRIGGER, "traceoff if id == 5"));
	ASSERT_EQ(0, put(HYP "events/hyp/vcpu_load/trigger", "traceon"));
	ASSERT_EQ(0, emit(1, 1));
	ASSERT_LT(0, read(fd, text, sizeof(text) - 1));
	reader = fork();
	if (!reader) {
		while (read(fd, text, sizeof(text) - 1) > 0)
			;
		_exit(0);
	}
	ASSERT_LT(0, reader);
	ASSERT_EQ(0, emit(2, 5));
	EXPECT_EQ(0, is_on());
	/* With tracing_on wrong, this does not return. */
	EXPECT_EQ(reader, waitpid(reader, NULL, 0));
	close(fd);
	ASSERT_EQ(0, put(HYP "events/hyp/vcpu_load/trigger", "!traceon"));
}

#define WORKS	FOO "events/workqueue/workqueue_execute_start/enable"

/* The host need not look: EL2 rings. */
TEST_F(trigger, traceoff_rings)
{
	if (!el2_can_ring())
		SKIP(return, "nobody rings");

	ASSERT_EQ(0, mkdir(FOO, 0700));
	ASSERT_EQ(0, put(WORKS, "1"));
	ASSERT_EQ(0, put(TRIGGER, "traceoff if id == 5"));
	ASSERT_EQ(0, emit(1, 4));
	EXPECT_EQ(0, count_in(FOO "trace", "turned_work"));
	ASSERT_EQ(0, emit(5, 5));
	/* If it does not ring, this does not end. */
	while (!count_in(FOO "trace", "turned_work"))
		usleep(1000);
	EXPECT_EQ(0, is_on());
}

/* Pairs of triggers that stop and start again and again --------------------------------------- */

#define HAS_TRIGGER	HYP "events/hyp/%s/trigger"

/* Recording begins at one event, and ends at another one; or not any more. */
static int set_pair(const char *remove, const char *on, const char *off)
{
	char text[16];

	snprintf(text, sizeof(text), "%straceon", remove);
	if (put(path_of(HAS_TRIGGER, on), text))
		return -1;
	snprintf(text, sizeof(text), "%straceoff", remove);
	return put(path_of(HAS_TRIGGER, off), text);
}

static int lines_of(const char *event)
{
	return count_in(HYP "trace", path_of("%s: ", event));
}

/* All that a run of a vCPU consists of. */
static const char * const of_a_run[] = {
	"hyp_enter", "hyp_exit", "host_hcall", "host_hcall_done", "vcpu_load", "vcpu_enter",
	"vcpu_exit", "vcpu_mem_abort", "vcpu_put",
};

#define NR_OF_A_RUN	(sizeof(of_a_run) / sizeof(*of_a_run))
#define GUEST_EXITS	4

/* EL2 does not ring on the way to a guest, which would not execute an instruction. */
TEST_F_TIMEOUT(trigger, a_guest_goes_on_under_every_pair, 300)
{
	unsigned int on, off, recorded;

	for (on = 0; on < NR_OF_A_RUN; on++) {
		recorded = 0;
		ASSERT_EQ(0, put(path_of(HYP "events/hyp/%s/enable", of_a_run[on]), "1"));
		for (off = 0; off < NR_OF_A_RUN; off++) {
			if (on == off)
				continue;
			ASSERT_EQ(0, put(HYP "trace", ""));
			ASSERT_EQ(0, set_pair("", of_a_run[on], of_a_run[off]));
			EXPECT_LT(0, run_guest(GUEST_EXITS, NULL))
				TH_LOG("from %s to %s", of_a_run[on], of_a_run[off]);
			ASSERT_EQ(0, set_pair("!", of_a_run[on], of_a_run[off]));
			recorded += lines_of(of_a_run[on]) >= GUEST_EXITS;
		}
		EXPECT_EQ(NR_OF_A_RUN - 1, recorded) TH_LOG("from %s", of_a_run[on]);
		ASSERT_EQ(0, put(path_of(HYP "events/hyp/%s/enable", of_a_run[on]), "0"));
	}
}

/* The host's own question what triggers have done must not be a reason to ring. */
TEST_F(trigger, an_idle_cpu_stays_idle)
{
	long rung, rung_before;
	int tries = 50;

	if (!el2_can_ring())
		SKIP(return, "nobody rings");

	ASSERT_EQ(0, put(HYP "events/hyp/hyp_enter/enable", "1"));
	ASSERT_EQ(0, set_pair("", "hyp_enter", "hyp_exit"));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_LE(10, count_in(HYP "trace", "hyp_enter: "));
	/* While the host runs, recording is off, whoever asks. */
	EXPECT_EQ(0, is_on());
	EXPECT_EQ(0, is_on());

	/* If it does not end, no time is without an interrupt. The host's own are rare. */
	do {
		rung_before = irq_works();
		usleep(100000);
		rung = irq_works();
	} while (rung != rung_before && --tries);
	EXPECT_EQ(rung_before, rung);
	ASSERT_EQ(0, set_pair("!", "hyp_enter", "hyp_exit"));
}

/* With all CPUs writing -------------------------------------------------------------------- */

#define EACH		40	/* events of each CPU in a round */

static struct {
	uint64_t	first;
	uint64_t	last;
	uint64_t	count;
	bool		gap;
} seen;

static void look(void *data, const struct event *e)
{
	uint64_t id = payload_u64(e);

	if (!seen.count++)
		seen.first = id;
	else if (id != seen.last + 1)
		seen.gap = true;
	seen.last = id;
}

/* CPU 0 stops all at each id that is a multiple of 32. */
TEST_F(trigger, is_exact_while_all_cpus_write)
{
	const int rounds = self->cpus == 4 && !is_short() ? 1000 : 50;
	uint64_t start, stop_at;
	int round, cpu, others = 0;

	ASSERT_EQ(0, put(TRIGGER, "traceoff if common_cpu == 0 && !(id & 0x1f)"));
	emitters_start(self->cpus);
	for (round = 0; round < rounds; round++) {
		start = (uint64_t)round * 2 * EACH + 1;
		stop_at = (start + 31) / 32 * 32;
		ASSERT_TRUE(emitters_emit(self->cpus, EACH));
		ASSERT_TRUE(emitters_emit(self->cpus, EACH));
		ASSERT_EQ(0, is_on());
		for (cpu = 0; cpu < self->cpus; cpu++) {
			memset(&seen, 0, sizeof(seen));
			ASSERT_LE(0, read_raw(cpu, look, NULL));
			/* From the start, without a gap, and no more than the first part. */
			EXPECT_FALSE(seen.gap);
			if (seen.count) {
				EXPECT_EQ(start, seen.first);
				EXPECT_GE(start + EACH - 1, seen.last);
			}
			EXPECT_TRUE(cpu || seen.last == stop_at);
			others += cpu ? seen.count : 0;
		}
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	}
	EXPECT_TRUE(emitters_stop(self->cpus));
	EXPECT_LE(self->cpus - 1, others);
}

/* All CPUs may stop it, and one of them does. */
TEST_F(trigger, counts_once_if_all_cpus_act)
{
	const int rounds = rounds_of(50);
	int round;

	ASSERT_EQ(0, put(TRIGGER, path_of("traceoff:%d if !(id & 7)", rounds)));
	emitters_start(self->cpus);
	for (round = rounds; round > 0; round--) {
		ASSERT_TRUE(trigger_is(path_of("traceoff:count=%d if !(id & 7)\n", round)));
		ASSERT_TRUE(emitters_emit(self->cpus, EACH));
		ASSERT_EQ(0, is_on());
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	}
	ASSERT_TRUE(emitters_emit(self->cpus, EACH));
	EXPECT_EQ(1, is_on());
	EXPECT_TRUE(emitters_stop(self->cpus));
}

/* A trigger that is removed does nothing any more, and tracing_on is true. */
TEST_F(trigger, comes_and_goes_while_all_cpus_write)
{
	static const char * const add[] = { "traceoff", "traceon", "traceoff if id == 0xffffffff" };
	int round;

	emitters_start(self->cpus);
	for (round = 0; round < rounds_of(60); round++) {
		const char *what = add[round % 3];
		int before = is_on(), after;

		emitters_allow(self->cpus, EACH);
		ASSERT_EQ(0, put(TRIGGER, what));
		ASSERT_EQ(0, put(TRIGGER, round % 3 == 1 ? "!traceon" : "!traceoff"));
		ASSERT_TRUE(emitters_wait(self->cpus));
		after = is_on();
		EXPECT_TRUE(round % 3 != 2 || before == after);
		ASSERT_EQ(0, put(HYP "trace", ""));
		ASSERT_EQ(0, emit(0, 15));
		EXPECT_EQ(after ? 0xffff : 0, recorded())
			TH_LOG("%s", what);
	}
	EXPECT_TRUE(emitters_stop(self->cpus));
}

/* A CPU that is not traced neither records nor acts. */
TEST_F(trigger, does_nothing_on_a_cpu_that_is_not_traced)
{
	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	ASSERT_EQ(0, put(HYP "tracing_cpumask", "1"));
	ASSERT_EQ(0, put(TRIGGER, "traceoff if id == 5"));
	ASSERT_EQ(0, run_on(1));
	ASSERT_EQ(0, emit(0, 15));
	EXPECT_EQ(1, is_on());
	EXPECT_EQ(0, recorded());
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, emit(0, 15));
	EXPECT_EQ(0, is_on());
	EXPECT_EQ(0x3f, recorded());
}

/* Refusals ------------------------------------------------------------------------------------- */

TEST_F(trigger, that_el2_can_not_execute_is_refused)
{
	static const char * const commands[] = {
		"snapshot", "enable_event:hyp:hyp_enter",
		"disable_event:sched:sched_switch", "nonsense",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		ASSERT_EQ(0, put(HYP "error_log", ""));
		EXPECT_EQ(-EOPNOTSUPP, put(TRIGGER, commands[i]))
			TH_LOG("%s", commands[i]);
		EXPECT_EQ(1, count_in(HYP "error_log",
				      "are traceoff, traceon, stacktrace and hist"));
		EXPECT_TRUE(trigger_is(NO_TRIGGER));
	}
	EXPECT_EQ(-EINVAL, put(TRIGGER, "traceoff if comm == \"x\""));
	EXPECT_EQ(1, count_in(HYP "error_log", "compares numbers only"));
	EXPECT_EQ(-EINVAL, put(TRIGGER, "traceoff:x"));
	EXPECT_EQ(-EINVAL, put(TRIGGER, "traceoff if no_such_field == 1"));
	EXPECT_TRUE(trigger_is(NO_TRIGGER));
	ASSERT_EQ(0, put(TRIGGER, "traceoff"));
	EXPECT_EQ(-EEXIST, put(TRIGGER, "traceon"));
	EXPECT_EQ(-EEXIST, put(TRIGGER, "traceoff:3"));
	EXPECT_TRUE(trigger_is("traceoff:unlimited\n"));
	EXPECT_EQ(1, is_on());
	ASSERT_EQ(0, emit(1, 1));
	EXPECT_EQ(0, is_on());
}

TEST_HARNESS_MAIN
