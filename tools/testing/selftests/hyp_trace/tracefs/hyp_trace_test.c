// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of what is recorded at EL2 and how it arrives: order, time, loss, buffers and
 * CPUs, on a booted hypervisor.
 *
 * The name of each test states what it checks. All tests are in one program, as under
 * emulation most of the time would go into starting programs.
 */

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/timex.h>
#include <sys/wait.h>

#include "../hyp_sleep.h"
#include "hyp_fixture.h"

/* A size is rounded up to whole pages of page_data() bytes of events, at least two. */
static long long rounded_kb(long long kb)
{
	long long pages = (kb * 1024 + page_data() - 1) / page_data();

	return (pages < 2 ? 2 : pages) * page_data() / 1024;
}

/* The largest size, of 131072 pages. */
static long long max_kb(void)
{
	return 131072ll * page_data() / 1024;
}

TEST_F(hyp, every_cpu_delivers_exactly_what_it_emitted)
{
	uint64_t before[64], after[64];
	int cpu;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		ASSERT_EQ(0, run_on(cpu));
		before[cpu] = boot_ns();
		ASSERT_EQ(0, emit(1, EVENTS));
		after[cpu] = boot_ns();
	}

	for (cpu = 0; cpu < self->cpus; cpu++) {
		struct stream s = stream_from(1);

		EXPECT_EQ(EVENTS, read_raw(cpu, check_stream, &s));
		EXPECT_EQ(EVENTS, s.count);
		EXPECT_EQ(0, s.errors);
		EXPECT_EQ(0, s.lost);
		EXPECT_LE(before[cpu], s.first_ts);
		EXPECT_GE(after[cpu], s.last_ts);
		EXPECT_EQ(EVENTS, stat_of(cpu, "read events:"));
		EXPECT_EQ(0, stat_of(cpu, "entries:"));
	}
}

TEST_F(hyp, time_agrees_with_boottime_around_each_event)
{
	struct stream s = stream_from(1);
	uint64_t before, after;
	int i;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (i = 1; i <= 300; i++) {
		before = boot_ns();
		ASSERT_EQ(0, emit(i, i));
		after = boot_ns();
		ASSERT_EQ(1, read_raw(0, check_stream, &s));
		EXPECT_LE(before, s.last_ts);
		EXPECT_GE(after, s.last_ts);
	}
	EXPECT_EQ(0, s.errors);
}

/* Returns how many of @n events, 50 ms apart, have a wrong time stamp. */
static int misdated(int n)
{
	struct stream s = stream_from(1);
	uint64_t before, after;
	int i, bad = 0;

	for (i = 1; i <= n; i++) {
		before = boot_ns();
		emit(i, i);
		after = boot_ns();
		if (read_raw(0, check_stream, &s) != 1 ||
		    s.last_ts < before || s.last_ts > after)
			bad++;
		usleep(50000);
	}
	return bad + s.errors;
}

/*
 * A work tells EL2 of a correction, some time after the tick that has found it. Until
 * then EL2's time stamps use the old rate.
 */
static bool is_corrected_soon(void)
{
	int tries = 100;

	while (misdated(5))
		if (!tries--)
			return false;
	return true;
}

TEST_F(hyp, time_follows_what_ntp_does_to_the_clock)
{
	struct timex faster = {
		.modes = ADJ_FREQUENCY,
		.freq = 500 << 16,	/* 500 ppm, the maximum */
	};
	struct timex normal = { .modes = ADJ_FREQUENCY };

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_LE(0, adjtimex(&faster));
	EXPECT_TRUE(is_corrected_soon());
	EXPECT_EQ(0, misdated(30));
	ASSERT_LE(0, adjtimex(&normal));
	EXPECT_TRUE(is_corrected_soon());
	EXPECT_EQ(0, misdated(10));
}

TEST_F(hyp, time_is_right_after_suspend)
{
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	EXPECT_EQ(0, suspend());
	EXPECT_EQ(0, misdated(5));
}

TEST_F(hyp, overflow_reports_exactly_how_many_were_lost)
{
	struct stream s = stream_from(1);

	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, MANY));
	EXPECT_EQ(MANY, stat_of(0, "entries:") + stat_of(0, "overrun:"));
	EXPECT_LT(0, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	EXPECT_LT(0, s.lost);
	EXPECT_EQ(MANY, s.count + s.lost);
	EXPECT_EQ(MANY + 1, s.next);
	EXPECT_EQ(s.lost, stat_of(0, "overrun:"));
	EXPECT_EQ(s.count, stat_of(0, "read events:"));
	EXPECT_EQ(0, stat_of(0, "dropped events:"));
}

/*
 * Read a page of CPU 0. Returns the size of its events, and in @lost the number of events
 * missing before it; -1 if none are missing.
 */
static int page_after_loss(uint64_t *lost)
{
	int fd = open(HYP "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	uint8_t page[page_size()];
	ssize_t n = read(fd, page, sizeof(page));
	uint64_t commit;

	close(fd);
	memcpy(&commit, page + 8, sizeof(commit));
	if (n != sizeof(page) || !(commit & 1u << 31) || !(commit & 1u << 30))
		return -1;
	commit &= 0x3fffffff;
	memcpy(lost, page + 16 + commit, sizeof(*lost));
	return commit;
}

/* The number of lost events is stored behind the events, however full the page is. */
TEST_F(hyp, the_number_of_lost_events_fits_behind_a_full_page)
{
	/*
	 * If no others come between, the events take 20, 16 and 28 bytes, so that one of these
	 * fills a page to its last bytes. Which page is the oldest depends on their number.
	 */
	static const char * const events[] = {
		"hyp:selftest hyp:hyp_enter", "hyp:selftest",
		"hyp:selftest hyp:host_hcall hyp:host_hcall_done",
	};
	const int full = page_data() - sizeof(uint64_t);
	int i, commit, fullest = 0;
	uint64_t lost;

	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	for (i = 0; i < 20 * ARRAY_SIZE(events) && fullest <= full - 8; i++) {
		ASSERT_EQ(0, put(HYP "set_event", events[i / 20]));
		ASSERT_EQ(0, put(HYP "trace", ""));
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
		ASSERT_EQ(0, emit(1, scaled(1000) + i % 20 * events_per_page() / 2));
		ASSERT_EQ(0, put(HYP "tracing_on", "0"));
		commit = page_after_loss(&lost);
		ASSERT_LT(0, commit);
		EXPECT_EQ(stat_of(0, "overrun:"), lost);
		if (commit > fullest)
			fullest = commit;
	}
	EXPECT_GE(full, fullest);
	EXPECT_LT(full - 8, fullest);
}

TEST_F(hyp, lost_events_are_shown_in_line)
{
	char *text, *lost;

	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, MANY));
	text = get(HYP "trace_pipe");
	lost = strstr(text, "CPU:0 [LOST ");
	ASSERT_NE(NULL, lost);
	EXPECT_EQ(stat_of(0, "overrun:"), atoll(lost + 12));
	EXPECT_NE(NULL, strstr(text, path_of("selftest: id=%d\n", MANY)));
	free(text);
}

TEST_F(hyp, without_overwrite_the_oldest_stay_and_the_rest_is_counted)
{
	struct stream s = stream_from(1);

	ASSERT_EQ(0, put(HYP "options/overwrite", "0"));
	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, MANY));
	EXPECT_LT(0, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	EXPECT_EQ(0, s.lost);
	EXPECT_EQ(MANY, s.count + stat_of(0, "dropped events:"));

	/* After a read there is room again. */
	s.next = 1;
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(10, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
}

TEST_F(hyp, reading_trace_consumes_nothing)
{
	struct stream s = stream_from(1);
	char *once, *twice;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, EVENTS));
	once = get(HYP "trace");
	twice = get(HYP "trace");
	EXPECT_STREQ(once, twice);
	EXPECT_NE(NULL, strstr(once, "selftest: id=1\n"));
	EXPECT_NE(NULL, strstr(once, path_of("selftest: id=%d\n", EVENTS)));
	EXPECT_EQ(EVENTS, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	free(once);
	free(twice);
}

TEST_F(hyp, reading_both_ways_while_writing)
{
	const unsigned long rounds = 40, events = scaled(500);
	struct stream s = stream_from(1);
	bool ordered;
	char *text;
	int i;

	s.pid = 0;
	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	emitters_start(1);
	run_on(self->cpus - 1);
	for (i = 0; i < rounds; i++) {
		/* Read at least once a round, and until all events have been emitted. */
		emitters_allow(1, events);
		do {
			text = get(HYP "trace");
			ids_in_order(text, &ordered);
			EXPECT_TRUE(ordered);
			free(text);
			ASSERT_LE(0, read_raw(0, check_stream, &s));
		} while (!emitters_done(1));
	}
	EXPECT_TRUE(emitters_stop(1));
	EXPECT_LE(0, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	EXPECT_LT(0, s.count);
	EXPECT_EQ(rounds * events, s.count + s.lost);
}

TEST_F(hyp, reset_empties_and_zeroes)
{
	struct stream s = stream_from(1);

	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, MANY));
	ASSERT_EQ(0, put(HYP "trace", ""));
	EXPECT_EQ(0, stat_of(0, "entries:"));
	EXPECT_EQ(0, stat_of(0, "overrun:"));
	EXPECT_EQ(0, stat_of(0, "bytes:"));
	EXPECT_EQ(1, get_num(HYP "tracing_on", ""));
	ASSERT_EQ(0, emit(1, 100));
	EXPECT_EQ(100, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	EXPECT_EQ(0, s.lost);
}

TEST_F(hyp, reset_of_one_cpu_leaves_the_others)
{
	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 100));
	run_on(1);
	ASSERT_EQ(0, emit(1, 100));
	ASSERT_EQ(0, put(HYP "per_cpu/cpu1/trace", ""));
	EXPECT_EQ(100, stat_of(0, "entries:"));
	EXPECT_EQ(0, stat_of(1, "entries:"));
}

TEST_F(hyp, resize_takes_effect_and_what_it_loses_is_counted)
{
	struct stream s = stream_from(1);
	int i;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 100));
	ASSERT_EQ(0, set_size_kb(64));
	EXPECT_EQ(rounded_kb(scaled(64)), get_num(HYP "buffer_size_kb", ""));
	EXPECT_EQ(100, stat_of(0, "overrun:"));
	ASSERT_EQ(0, emit(101, 200));
	EXPECT_EQ(100, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	EXPECT_EQ(100, s.lost);

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, set_size_kb(16 + 16 * (i % 5)));
		ASSERT_EQ(0, emit(201 + i, 201 + i));
		ASSERT_EQ(1, read_raw(0, check_stream, &s));
	}
	EXPECT_EQ(0, s.errors);
}

TEST_F(hyp, each_cpu_can_have_its_own_size)
{
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, put(HYP "per_cpu/cpu0/buffer_size_kb", "1024"));
	EXPECT_EQ(rounded_kb(1024),
		  get_num(HYP "per_cpu/cpu0/buffer_size_kb", ""));
	ASSERT_EQ(0, emit(1, MANY));
	EXPECT_EQ(MANY, stat_of(0, "entries:"));
	if (self->cpus > 1) {
		EXPECT_EQ(rounded_kb(scaled(256)),
			  get_num(HYP "per_cpu/cpu1/buffer_size_kb", ""));
	}
}

TEST_F(hyp, a_size_beyond_memory_fails_and_the_old_buffer_works)
{
	struct stream s = stream_from(1);

	if (get_num("/proc/meminfo", "MemTotal:") > 520000ll * self->cpus)
		SKIP(return, "there is more memory than a buffer can have");

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(memory_is_reserved() ? -ENOSPC : -ENOMEM,
		  put(HYP "buffer_size_kb", "520000"));
	EXPECT_EQ(-EINVAL, put_num(HYP "buffer_size_kb", max_kb() + 1));
	EXPECT_EQ(rounded_kb(scaled(256)), get_num(HYP "buffer_size_kb", ""));
	EXPECT_EQ(10, stat_of(0, "entries:"));
	ASSERT_EQ(0, emit(11, 20));
	EXPECT_EQ(20, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
}

/* Nothing is loaded, so each of them alone would fit. */
TEST_F(hyp, sizes_that_do_not_fit_together_are_refused)
{
	long long there = get_num("/proc/meminfo", "MemAvailable:"), most_kb = there * 6 / 10;

	if (most_kb > max_kb())
		most_kb = max_kb();
	if (self->cpus < 2 || memory_is_reserved() || 2 * most_kb <= there)
		SKIP(return, "needs two CPUs, and less memory than two buffers can have");

	ASSERT_TRUE(be_idle());
	ASSERT_EQ(0, set_size_kb(256));
	ASSERT_EQ(0, put_num(HYP "per_cpu/cpu0/buffer_size_kb", most_kb));
	EXPECT_EQ(-ENOMEM, put_num(HYP "per_cpu/cpu1/buffer_size_kb", most_kb));
	EXPECT_EQ(rounded_kb(scaled(256)), get_num(HYP "per_cpu/cpu1/buffer_size_kb", ""));
	EXPECT_EQ(0, put_num(HYP "per_cpu/cpu1/buffer_size_kb", scaled(64)));
	ASSERT_EQ(0, set_size_kb(256));
}

/* Less is noise. More is noise, too, unless each of TRIES shows it. */
#define NOISE_KB	1024
#define TRIES		3

/* Missing memory [KiB]: with a size chosen, in use, with unread events, and idle again. */
struct missing {
	long long	chosen, used, unread, idle;
};

static struct missing missing_memory(struct __test_metadata *_metadata)
{
	long long before;
	struct missing m;

	ASSERT_TRUE(be_idle());
	ASSERT_EQ(0, set_size_kb(256));
	before = free_memory();
	ASSERT_EQ(0, put(HYP "buffer_size_kb", "16384"));
	m.chosen = before - free_memory();
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	m.used = before - free_memory();
	ASSERT_EQ(0, emit(1, 10));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	m.unread = before - free_memory();
	EXPECT_EQ(10, read_raw(0, NULL, NULL));
	ASSERT_TRUE(wait_until_unloaded(nr_cpus()));
	m.idle = before - free_memory();
	TH_LOG("%lld, %lld, %lld, %lld KiB less", m.chosen, m.used, m.unread, m.idle);
	return m;
}

TEST_F(hyp, memory_is_taken_when_used_and_given_back)
{
	const long long size_kb = 16384ll * self->cpus;
	bool as_expected = false;
	int try;

	if (!memory_counts())
		SKIP(return, "freed memory is not free in this kernel");
	if (memory_is_reserved())
		SKIP(return, "memory is reserved, and is never freed");

	for (try = 0; try < TRIES && !as_expected; try++) {
		struct missing m = missing_memory(_metadata);

		as_expected = m.chosen < NOISE_KB && m.used > size_kb &&
			      m.unread > size_kb && m.idle < NOISE_KB;
	}
	EXPECT_TRUE(as_expected);
}

TEST_F(hyp, offline_cpus_stay_readable_and_are_traced_again)
{
	struct stream s = stream_from(1);

	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	run_on(1);
	ASSERT_EQ(0, emit(1, 100));
	run_on(0);
	ASSERT_EQ(0, put("/sys/devices/system/cpu/cpu1/online", "0"));
	EXPECT_EQ(100, stat_of(1, "entries:"));
	EXPECT_EQ(100, read_raw(1, check_stream, &s));
	ASSERT_EQ(0, put("/sys/devices/system/cpu/cpu1/online", "1"));
	run_on(1);
	ASSERT_EQ(0, emit(101, 200));
	EXPECT_EQ(100, read_raw(1, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	EXPECT_EQ(0, s.lost);
}

TEST_F(hyp, a_cpu_that_is_off_can_be_resized_reset_and_unloaded)
{
	struct stream s = stream_from(1);

	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, put("/sys/devices/system/cpu/cpu1/online", "0"));
	EXPECT_EQ(0, put(HYP "per_cpu/cpu1/trace", ""));
	EXPECT_EQ(0, set_size_kb(64));
	EXPECT_EQ(0, put(HYP "tracing_on", "0"));
	EXPECT_TRUE(wait_until_unloaded(self->cpus));
	EXPECT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, put("/sys/devices/system/cpu/cpu1/online", "1"));
	run_on(1);
	ASSERT_EQ(0, emit(1, 100));
	EXPECT_EQ(100, read_raw(1, check_stream, &s));
	EXPECT_EQ(0, s.errors);
}

TEST_F(hyp, per_cpu_pipes_deliver_their_cpu_only)
{
	char *text;
	bool ordered;
	int cpu;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		run_on(cpu);
		ASSERT_EQ(0, emit(1, 10 + cpu));
	}
	for (cpu = 0; cpu < self->cpus; cpu++) {
		text = get(path_of(HYP "per_cpu/cpu%d/trace", cpu));
		EXPECT_EQ(10 + cpu, ids_in_order(text, &ordered));
		EXPECT_TRUE(ordered);
		free(text);
		text = get(path_of(HYP "per_cpu/cpu%d/trace_pipe", cpu));
		EXPECT_EQ(10 + cpu, ids_in_order(text, &ordered));
		EXPECT_NE(NULL, strstr(text, path_of("[%03d]", cpu)));
		free(text);
	}
}

TEST_F(hyp, text_shows_task_cpu_time_and_fields)
{
	char *text;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(42, 42));
	usleep(10000);
	text = get(HYP "trace_pipe");
	EXPECT_NE(NULL, strstr(text, path_of("hyp_trace_test-%d", getpid())))
		TH_LOG("%s", text);
	EXPECT_NE(NULL, strstr(text, "[000]"));
	EXPECT_NE(NULL, strstr(text, ": selftest: id=42\n"));
	free(text);
}

/* A task that is switched in once, and not switched out until it is told to end. */
struct runner {
	int	fd;		/* write_event */
	bool	runs;
	bool	may_emit;
	bool	emitted;
	bool	told;
};

/* Emit an event when that is allowed, and keep running; the alarm ends a task that nobody tells. */
static void run_until_told(struct runner *r)
{
	alarm(TIMEOUT_MS / 1000);
	__atomic_store_n(&r->runs, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&r->may_emit, __ATOMIC_ACQUIRE))
		;
	if (write(r->fd, "7", 1) != 1)
		_exit(1);
	__atomic_store_n(&r->emitted, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&r->told, __ATOMIC_ACQUIRE))
		;
	_exit(0);
}

/* A runner shares this with the test; MAP_FAILED if there is no memory. */
static struct runner *runner_new(void)
{
	struct runner *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (r != MAP_FAILED)
		r->fd = open(HYP "write_event", O_WRONLY);
	return r;
}

static void runner_free(struct runner *r)
{
	close(r->fd);
	munmap(r, sizeof(*r));
}

/*
 * The child runs on CPU 1 as soon as the parent has left it, before anything else: both
 * have the same real-time priority. No switch away from the child happens before the test
 * looks at its name.
 */
static pid_t runner_start(struct runner *r)
{
	struct sched_param first = { .sched_priority = 10 }, any = { };
	pid_t pid;

	if (run_on(1) || sched_setscheduler(0, SCHED_FIFO, &first))
		return -1;
	pid = fork();
	if (!pid)
		run_until_told(r);
	run_on(0);
	sched_setscheduler(0, SCHED_OTHER, &any);
	return pid;
}

/* Wait until a runner says that it has done something; false if it has ended. */
static bool runner_has(const bool *done, pid_t pid)
{
	while (!__atomic_load_n(done, __ATOMIC_ACQUIRE)) {
		if (waitpid(pid, NULL, WNOHANG))
			return false;
		usleep(1000);
	}
	return true;
}

/*
 * ftrace only tries to take the lock when it saves a name, so another CPU that saves one at the
 * same moment may keep it from doing so until the next switch: another task has a name then.
 */
#define NAMED_TRIES	5

TEST_F(hyp, a_task_that_is_never_switched_from_has_a_name)
{
	struct runner *r;
	int status, tries;
	bool named = false;
	char *text;
	pid_t pid;

	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	r = runner_new();
	ASSERT_NE(MAP_FAILED, r);
	r->may_emit = true;
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (tries = 0; tries < NAMED_TRIES && !named; tries++) {
		r->emitted = false;
		r->told = false;
		pid = runner_start(r);
		ASSERT_LT(0, pid);
		EXPECT_TRUE(runner_has(&r->emitted, pid));
		text = get(HYP "per_cpu/cpu1/trace");
		EXPECT_NE(NULL, strstr(text, path_of("-%d", pid)));
		EXPECT_NE(NULL, strstr(text, "selftest: id=7\n"));
		named = strstr(text, path_of("hyp_trace_test-%d", pid));
		free(text);

		__atomic_store_n(&r->told, true, __ATOMIC_RELEASE);
		EXPECT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
	}
	EXPECT_TRUE(named);
	runner_free(r);
}

/* Task switches tell EL2 the pid while tracing is on, and this task is not switched to then. */
TEST_F(hyp, a_task_that_ran_before_tracing_was_turned_on_has_its_pid)
{
	struct runner *r;
	int status;
	char *text;
	pid_t pid;

	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	r = runner_new();
	ASSERT_NE(MAP_FAILED, r);
	ASSERT_TRUE(be_idle());
	pid = runner_start(r);
	ASSERT_LT(0, pid);
	EXPECT_TRUE(runner_has(&r->runs, pid));
	EXPECT_EQ(0, put(HYP "tracing_on", "1"));
	__atomic_store_n(&r->may_emit, true, __ATOMIC_RELEASE);
	EXPECT_TRUE(runner_has(&r->emitted, pid));

	text = get(HYP "per_cpu/cpu1/trace");
	EXPECT_NE(NULL, strstr(text, path_of("-%d", pid)));
	EXPECT_EQ(1, count_of(text, "selftest: id=7\n"));
	free(text);

	__atomic_store_n(&r->told, true, __ATOMIC_RELEASE);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	runner_free(r);
}

/* Whether hyp_enter and hyp_exit alternate on a CPU. */
struct pairs {
	int	enter, exit;
	bool	inside;
	int	enters, errors;
	int	reasons[16];
	uint64_t last_ts;
	/* The task that runs a guest, and the time in which it does; -1: not checked. */
	int	guest_pid;
	uint64_t guest_from, guest_to;
};

enum { SMC, HVC, SYS, PSCI, HOST_ABORT, GUEST_EXIT, ERET_HOST, ERET_GUEST };

static bool guest_is_wrong(const struct pairs *p, const struct event *e)
{
	return p->guest_pid >= 0 &&
	       (e->pid != p->guest_pid || e->ts < p->guest_from || e->ts > p->guest_to);
}

static void check_pairs(void *data, const struct event *e)
{
	struct pairs *p = data;
	int reason;
	bool enter;

	if (e->ts < p->last_ts || e->lost)
		p->errors++;
	p->last_ts = e->ts;
	if (e->type != p->enter && e->type != p->exit)
		return;
	enter = e->type == p->enter;
	if (enter == p->inside)
		p->errors++;
	p->inside = enter;
	p->enters += enter;
	reason = e->payload[0] & 15;
	p->reasons[reason]++;
	if (reason == GUEST_EXIT || reason == ERET_GUEST)
		p->errors += guest_is_wrong(p, e);
}

static struct pairs pairs_new(void)
{
	return (struct pairs) {
		.enter = event_id("hyp_enter"),
		.exit = event_id("hyp_exit"),
	};
}

TEST_F(hyp, enter_and_exit_are_paired_across_hypercalls_and_hotplug)
{
	int cpu, i;

	ASSERT_EQ(0, put(HYP "buffer_size_kb", "4096"));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, put(HYP "events/hyp/enable", "1"));
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
		if (self->cpus > 1) {
			put("/sys/devices/system/cpu/cpu1/online", "0");
			put("/sys/devices/system/cpu/cpu1/online", "1");
		}
		for (cpu = 0; cpu < self->cpus; cpu++) {
			run_on(cpu);
			ASSERT_EQ(0, emit(1, 100));
		}
		run_on(0);
		ASSERT_EQ(0, put(HYP "tracing_on", "0"));

		for (cpu = 0; cpu < self->cpus; cpu++) {
			struct pairs p = pairs_new();

			EXPECT_LT(200, read_raw(cpu, check_pairs, &p));
			EXPECT_EQ(0, p.errors);
			EXPECT_FALSE(p.inside);
			EXPECT_LE(100, p.reasons[HVC]);
			EXPECT_EQ(p.enters, p.reasons[ERET_HOST] +
					    p.reasons[PSCI] / 2)
				TH_LOG("cpu %d smc %d hvc %d abort %d", cpu,
				       p.reasons[SMC], p.reasons[HVC],
				       p.reasons[HOST_ABORT]);
		}
	}
}

/*
 * Read all events of a CPU. True if nothing was lost, all pairs are complete, and there
 * are at least @hypercalls hypercalls.
 */
static bool is_paired(int cpu, int hypercalls)
{
	struct pairs p = pairs_new();

	return read_raw(cpu, check_pairs, &p) >= 0 && !p.errors && !p.inside &&
	       p.reasons[HVC] >= hypercalls && !stat_of(cpu, "overrun:") &&
	       !stat_of(cpu, "dropped events:");
}

/* Emissions during each change, and between changes. */
#define AMONG	50

/* Change something while CPU 0 emits; 0 or an error. */
static int among_emissions(int (*change)(int arg), int arg)
{
	int ret;

	emitters_allow(1, AMONG);
	ret = change(arg);
	return emitters_wait(1) ? ret : -EIO;
}

static int nothing(int arg)
{
	return 0;
}

static int turn(int on)
{
	return put_num(HYP "tracing_on", on);
}

TEST_F(hyp, enter_and_exit_stay_paired_while_tracing_goes_on_and_off)
{
	const int rounds = 100;
	int cpu, i;

	ASSERT_EQ(0, put(HYP "buffer_size_kb", "16384"));
	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_e* hyp:host_*"));
	emitters_start(1);
	run_on(self->cpus - 1);
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, among_emissions(turn, 1));
		ASSERT_EQ(0, among_emissions(nothing, 0));
		ASSERT_EQ(0, among_emissions(turn, 0));
	}
	EXPECT_TRUE(emitters_stop(1));

	for (cpu = 0; cpu < self->cpus; cpu++)
		EXPECT_TRUE(is_paired(cpu, cpu ? 0 : rounds * AMONG));
}

/* Choose CPUs by mask, and the calling task, which is not the one that emits. */
static int choose(int cpus)
{
	return put(HYP "tracing_cpumask", path_of("%x", cpus)) ?:
	       put_num(HYP "set_event_pid", getpid());
}

static int choose_all(int cpus)
{
	return put(HYP "tracing_cpumask", path_of("%x", cpus)) ?:
	       put(HYP "set_event_pid", "");
}

TEST_F(hyp, enter_and_exit_stay_paired_while_cpus_and_tasks_are_chosen)
{
	const int all = (1 << self->cpus) - 1, rounds = 50;
	int cpu, i;

	ASSERT_EQ(0, put(HYP "buffer_size_kb", "16384"));
	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_e* hyp:host_*"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	emitters_start(1);
	run_on(self->cpus - 1);
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, among_emissions(choose, i & all));
		ASSERT_EQ(0, among_emissions(choose_all, all));
		ASSERT_EQ(0, among_emissions(nothing, 0));
	}
	EXPECT_TRUE(emitters_stop(1));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));

	for (cpu = 0; cpu < self->cpus; cpu++) {
		EXPECT_LT(0, stat_of(cpu, "entries:"));
		EXPECT_TRUE(is_paired(cpu, cpu ? 0 : rounds * AMONG));
	}
}

/* In nVHE mode, KVM disables EL2 on a CPU that goes into a deep idle state. */
TEST_F(hyp, a_cpu_that_has_slept_is_traced_as_before)
{
	struct pairs p = pairs_new();
	int i;

	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_e* hyp:host_hcall"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, put(HYP "write_cpu_pm", "1"));
		ASSERT_EQ(0, emit(1, 10));
	}
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));

	EXPECT_LT(0, read_raw(0, check_pairs, &p));
	EXPECT_EQ(0, p.errors);
	EXPECT_LE(100, p.reasons[HVC]);
}

TEST_F(hyp, a_machine_that_has_hibernated_is_traced_as_before)
{
	int cpu;

	ASSERT_EQ(0, put(HYP "buffer_size_kb", "4096"));
	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_e* hyp:host_hcall"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, hibernate());
	ASSERT_EQ(0, put(HYP "trace", ""));

	/* Emit before the guest runs: its first run would set EL2's vectors up anyway. */
	ASSERT_EQ(0, emit(1, 100));
	ASSERT_LT(0, run_guest(8, NULL));
	run_on(0);
	ASSERT_EQ(0, emit(1, 100));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));

	for (cpu = 0; cpu < self->cpus; cpu++) {
		struct pairs p = pairs_new();

		/* The guest's task is not checked here. */
		p.guest_pid = -1;
		EXPECT_LE(0, read_raw(cpu, check_pairs, &p));
		EXPECT_EQ(0, p.errors);
		EXPECT_FALSE(p.inside);
		if (!cpu) {
			EXPECT_LE(200, p.reasons[HVC]);
			EXPECT_LT(0, p.reasons[GUEST_EXIT]);
		}
	}
}

/*
 * A sleep is measured by the counter's own rate, whatever correction NTP applied before.
 * Here the correction is ten per cent, so that a second of sleep shows as much error as a
 * week with the usual corrections.
 */
TEST_F(hyp, time_is_right_after_a_sleep_with_a_clock_that_is_corrected)
{
	struct timex faster = { .modes = ADJ_TICK, .tick = 11000 };
	struct timex normal = { .modes = ADJ_TICK, .tick = 10000 };
	uint64_t before[MAX_CPUS], after[MAX_CPUS];
	int cpu;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_LE(0, adjtimex(&faster));
	EXPECT_TRUE(is_corrected_soon());

	/* EL2's time stamps must not be ahead while the machine wakes up, either. */
	ASSERT_EQ(0, put(HYP "set_event", "hyp:selftest hyp:hyp_e* hyp:psci_*"));
	EXPECT_EQ(0, hibernate());
	for (cpu = 0; cpu < self->cpus; cpu++) {
		EXPECT_EQ(0, run_on(cpu));
		before[cpu] = boot_ns();
		EXPECT_EQ(0, emit(1, 1));
		after[cpu] = boot_ns();
	}
	EXPECT_LE(0, adjtimex(&normal));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));

	for (cpu = 0; cpu < self->cpus; cpu++) {
		struct stream s = stream_from(1);

		EXPECT_LE(1, read_raw(cpu, check_stream, &s));
		EXPECT_EQ(1, s.count);
		EXPECT_EQ(0, s.errors);
		EXPECT_LE(before[cpu], s.first_ts) TH_LOG("CPU %d", cpu);
		EXPECT_GE(after[cpu], s.first_ts) TH_LOG("CPU %d", cpu);
	}
}

/* Gives equal numbers on 1, 2, 4 or 8 CPUs: hyp_guest changes its CPU after 8 exits. */
#define GUEST_EXITS	384

TEST_F(hyp, guests_are_paired_dated_and_attributed_to_the_host_task)
{
	uint64_t before, after;
	int cpu, exits = 0;
	pid_t pid;

	ASSERT_EQ(0, put(HYP "buffer_size_kb", "16384"));
	ASSERT_EQ(0, put(HYP "events/hyp/enable", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	before = boot_ns();
	pid = run_guest(GUEST_EXITS, NULL);
	ASSERT_LT(0, pid);
	after = boot_ns();
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));

	for (cpu = 0; cpu < self->cpus; cpu++) {
		struct pairs p = pairs_new();

		p.guest_pid = pid;
		p.guest_from = before;
		p.guest_to = after;
		EXPECT_LE(0, read_raw(cpu, check_pairs, &p));
		EXPECT_EQ(0, p.errors);
		EXPECT_FALSE(p.inside);
		EXPECT_EQ(p.reasons[GUEST_EXIT], p.reasons[ERET_GUEST]);
		EXPECT_LE(GUEST_EXITS / self->cpus, p.reasons[GUEST_EXIT]);
		exits += p.reasons[GUEST_EXIT];
	}
	EXPECT_LE(GUEST_EXITS, exits);
}

/* How often a vCPU was loaded and put without having been entered. */
static int count_refused(const char *trace)
{
	bool entered = true;
	int refused = 0;
	const char *at;

	for (at = trace; (at = strstr(at, ": vcpu_")); at += strlen(": vcpu_")) {
		if (!strncmp(at, ": vcpu_load: ", strlen(": vcpu_load: ")))
			entered = false;
		else if (!strncmp(at, ": vcpu_enter: ", strlen(": vcpu_enter: ")))
			entered = true;
		else if (!strncmp(at, ": vcpu_put: ", strlen(": vcpu_put: ")))
			refused += !entered;
	}
	return refused;
}

#define REFUSED		20

/* If an interrupt is pending, the guest is not entered: that is no run of a guest. */
TEST_F(hyp, an_entry_that_is_refused_is_none)
{
	int enters, exits, lefts;
	char *text;

	if (!el2_can_ring())
		SKIP(return, "EL2 can't raise an interrupt");

	ASSERT_EQ(0, put(HYP "set_event", "hyp:vcpu_enter hyp:vcpu_exit hyp:hyp_exit"));
	ASSERT_EQ(0, put(HYP "events/hyp/vcpu_load/enable", "1"));
	ASSERT_EQ(0, put(HYP "events/hyp/vcpu_put/enable", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_REFUSE, REFUSED));
	ASSERT_LT(0, run_guest(2 * REFUSED, NULL));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	text = get(HYP "trace");
	/* EL2 lets interrupts come; the machine may have some, too. */
	EXPECT_LE(REFUSED, count_refused(text));
	enters = count_of(text, ": vcpu_enter: ");
	exits = count_of(text, ": vcpu_exit: ");
	lefts = count_of(text, ": hyp_exit: reason=eret_guest");
	EXPECT_LE(2 * REFUSED, enters);
	EXPECT_EQ(enters, exits);
	EXPECT_EQ(enters, lefts);
	free(text);
}

TEST_F(hyp, hypercalls_are_shown_by_name)
{
	char *text;

	ASSERT_EQ(0, put(HYP "events/hyp/host_hcall/enable", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(7, 7));
	text = get(HYP "trace_pipe");
	EXPECT_NE(NULL, strstr(text, "host_hcall: __hyp_trace_write_event id="));
	free(text);
}

TEST_F(hyp, a_blocked_reader_is_woken_by_an_event)
{
	struct pollfd pfd = { .events = POLLIN };
	char buf[4096];
	ssize_t n;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	pfd.fd = open(HYP "trace_pipe", O_RDONLY);
	ASSERT_LE(0, pfd.fd);
	EXPECT_EQ(0, poll(&pfd, 1, 50));

	if (!fork()) {
		usleep(50000);
		emit(5, 5);
		_exit(0);
	}
	EXPECT_EQ(1, poll(&pfd, 1, TIMEOUT_MS));
	n = read(pfd.fd, buf, sizeof(buf) - 1);
	ASSERT_LT(0, n);
	buf[n] = 0;
	EXPECT_NE(NULL, strstr(buf, "selftest: id=5"));

	if (!fork()) {
		usleep(50000);
		emit(6, 6);
		_exit(0);
	}
	n = read(pfd.fd, buf, sizeof(buf) - 1);
	ASSERT_LT(0, n);
	buf[n] = 0;
	EXPECT_NE(NULL, strstr(buf, "selftest: id=6"));
	close(pfd.fd);
	while (wait(NULL) > 0)
		;
}

TEST_F(hyp, nonblocking_reads_of_nothing_say_so)
{
	char buf[4096];
	int fd;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	fd = open(HYP "trace_pipe", O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, read(fd, buf, sizeof(buf)));
	EXPECT_EQ(EAGAIN, errno);
	close(fd);
	fd = open(HYP "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, read(fd, buf, sizeof(buf)));
	EXPECT_EQ(EAGAIN, errno);
	close(fd);
}

TEST_F(hyp, turning_off_and_on_keeps_what_was_recorded)
{
	struct stream s = stream_from(1);
	int i;

	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
		ASSERT_EQ(0, emit(1 + i, 1 + i));
		ASSERT_EQ(0, put(HYP "tracing_on", "0"));
		ASSERT_EQ(0, emit(999, 999));
	}
	EXPECT_EQ(10, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
}

TEST_F(hyp, clock_is_boot_and_nothing_else)
{
	char *text = get(HYP "trace_clock");

	EXPECT_STREQ("[boot]\n", text);
	free(text);
	EXPECT_EQ(0, put(HYP "trace_clock", "boot"));
	EXPECT_EQ(-EINVAL, put(HYP "trace_clock", "local"));
	EXPECT_EQ(-EINVAL, put(HYP "trace_clock", "nonsense"));
}

TEST_F(hyp, nonsense_is_refused_and_changes_nothing)
{
	static const struct {
		const char *file, *text;
	} bad[] = {
		{ "tracing_on", "-1" }, { "tracing_on", "on" },
		{ "tracing_on", "99999999999999999999" },
		{ "buffer_size_kb", "0" }, { "buffer_size_kb", "-1" },
		{ "buffer_size_kb", "big" },
		{ "buffer_size_kb", "18014398509481984" },
		{ "buffer_size_kb", "18014398509481983" },
		{ "buffer_size_kb", "99999999999999999999" },
		{ "per_cpu/cpu0/buffer_size_kb", "0" },
		{ "buffer_percent", "101" }, { "buffer_percent", "-1" },
		{ "current_tracer", "blk" },
		{ "events/enable", "2" }, { "events/hyp/hyp_enter/enable", "x" },
		{ "write_event", "-1" }, { "write_event", "text" },
		{ "write_event", "99999999999999999999" },
		{ "trace_options", "no_such_option" },
		{ "options/trace_printk_dest", "1" },
	};
	const long subbuf_kb = page_size() / 1024;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		int ret = put(path_of(HYP "%s", bad[i].file), bad[i].text);

		EXPECT_TRUE(ret == -EINVAL || ret == -ERANGE)
			TH_LOG("%s <- %s: %d", bad[i].file, bad[i].text, ret);
	}
	EXPECT_EQ(0, get_num(HYP "tracing_on", ""));
	EXPECT_EQ(rounded_kb(scaled(256)), get_num(HYP "buffer_size_kb", ""));
	EXPECT_EQ(-EINVAL, put_num(HYP "buffer_subbuf_size_kb", 2 * subbuf_kb));
	EXPECT_EQ(subbuf_kb, get_num(HYP "buffer_subbuf_size_kb", ""));
	EXPECT_EQ(1, get_num(HYP "events/hyp/selftest/enable", ""));
	EXPECT_EQ(0, put_num(HYP "buffer_subbuf_size_kb", subbuf_kb));
	EXPECT_EQ(0, put(HYP "current_tracer", "nop"));
}

TEST_F(hyp, events_may_be_far_apart)
{
	struct stream s = stream_from(1);
	uint64_t before, after;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	before = boot_ns();
	ASSERT_EQ(0, emit(1, 1));
	usleep(300000);		/* more than 2^27 ns: needs a time extend */
	ASSERT_EQ(0, emit(2, 3));
	after = boot_ns();
	EXPECT_EQ(3, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	EXPECT_LE(300000000, s.last_ts - s.first_ts);
	EXPECT_LE(before, s.first_ts);
	EXPECT_GE(after, s.last_ts);
}

TEST_HARNESS_MAIN
