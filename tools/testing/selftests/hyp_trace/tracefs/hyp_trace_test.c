// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of what is recorded at EL2 and how it arrives: order, loss, buffers and CPUs, on a booted
 * hypervisor.
 *
 * The name of each test states what it checks. There are many in a program, as under emulation
 * most of the time would go into starting programs.
 */

#include <poll.h>
#include <sys/wait.h>

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
	const unsigned long rounds = rounds_of(40), events = scaled(500);
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

/* Allocations that take only free memory fail where memory is full of files. */
TEST_F(hyp, memory_is_waited_for)
{
	char *text, *line, *save;
	int waited = 0;

	if (memory_is_reserved())
		SKIP(return, "no memory is taken");

	ASSERT_TRUE(be_idle());
	ASSERT_EQ(0, put(ROOT "trace", ""));
	ASSERT_EQ(0, put(ROOT "events/kmem/mm_page_alloc/filter",
			 path_of("common_pid == %d", getpid())));
	ASSERT_EQ(0, put(ROOT "events/kmem/mm_page_alloc/enable", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, put(ROOT "events/kmem/mm_page_alloc/enable", "0"));
	ASSERT_EQ(0, put(ROOT "events/kmem/mm_page_alloc/filter", "0"));

	text = get(ROOT "trace");
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strstr(line, "__GFP_RETRY_MAYFAIL"))
			continue;
		EXPECT_NE(NULL, strstr(line, "GFP_KERNEL"))
			TH_LOG("%s", line);
		waited++;
	}
	free(text);
	EXPECT_LE(2, waited);
	ASSERT_EQ(0, put(ROOT "trace", ""));
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
	ASSERT_EQ(0, set_online(1, false));
	EXPECT_EQ(100, stat_of(1, "entries:"));
	EXPECT_EQ(100, read_raw(1, check_stream, &s));
	ASSERT_EQ(0, set_online(1, true));
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
	ASSERT_EQ(0, set_online(1, false));
	EXPECT_EQ(0, put(HYP "per_cpu/cpu1/trace", ""));
	EXPECT_EQ(0, set_size_kb(64));
	EXPECT_EQ(0, put(HYP "tracing_on", "0"));
	EXPECT_TRUE(wait_until_unloaded(self->cpus));
	EXPECT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, set_online(1, true));
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
		{ "options/trace_printk_dest", "1" }, { "trace_options", "copy_trace_marker" },
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

TEST_HARNESS_MAIN
