// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of waiting for events: readers that wait are woken when there are events, without
 * polling; readers that do not wait cost nothing; reading takes one hypercall a page.
 *
 * A missing wake-up shows as a test that does not end.
 */

#include <sys/mman.h>

#include "hyp_fixture.h"
#include "hyp_waiter.h"

TEST_F(hyp, an_event_wakes_whoever_waits)
{
	struct waiter w;
	enum way way;
	int cpu, i;

	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		ASSERT_EQ(0, run_on(cpu));
		for (way = 0; way < WAYS; way++) {
			for (i = 0; i < 3; i++) {
				ASSERT_TRUE(waiter_start(&w, way, cpu))
					TH_LOG("way %d, CPU %d", way, cpu);
				let_a_tick_pass();
				EXPECT_FALSE(is_woken(&w));
				ASSERT_EQ(0, emit(1, 1));
				EXPECT_TRUE(waiter_end(&w))
					TH_LOG("way %d, CPU %d", way, cpu);
			}
		}
	}
}

TEST_F(hyp, each_of_many_waiters_is_woken)
{
	static const enum way ways[] = {
		READ_TEXT, READ_RAW, POLL_RAW, READ_RAW, POLL_RAW,
	};
	struct waiter w[ARRAY_SIZE(ways)];
	int i;

	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (i = 0; i < ARRAY_SIZE(w); i++)
		ASSERT_TRUE(waiter_start(&w[i], ways[i], 0));

	/* Readers that find the event taken by others wait for the next one. */
	for (i = 0; i < ARRAY_SIZE(w); i++) {
		while (!is_woken(&w[i])) {
			ASSERT_EQ(0, emit(1, 1));
			usleep(5000);
		}
	}
	for (i = 0; i < ARRAY_SIZE(w); i++)
		EXPECT_TRUE(waiter_end(&w[i]));
}

/* There is no pause, so that writer and reader interleave in many ways. */
TEST_F(hyp, no_event_comes_between_looking_and_sleeping)
{
	struct pollfd pfd = { .events = POLLIN };
	struct stream stream = stream_from(1);
	int rounds = 3000, cpu, status = 1;
	pid_t pid;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	cpu = self->cpus - 1;
	stream.pid = 0;
	pfd.fd = open(path_of(HYP "per_cpu/cpu%d/trace_pipe_raw", cpu),
		      O_RDONLY | O_NONBLOCK);
	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));

	pid = fork();
	if (!pid) {
		int pipe_fd = open(HYP "write_event", O_WRONLY), i;
		char text[16];

		run_on(cpu);
		for (i = 1; i <= rounds; i++) {
			if (write(pipe_fd, text, sprintf(text, "%d", i)) < 0)
				_exit(1);
			if (!(i % 7))
				usleep(i % 5 * 100);
		}
		_exit(0);
	}

	while (stream.next <= rounds) {
		uint8_t page[page_size()];

		ASSERT_EQ(1, poll(&pfd, 1, TIMEOUT_MS))
			TH_LOG("asleep, event %llu is next",
			       (unsigned long long)stream.next);
		while (read(pfd.fd, page, sizeof(page)) == sizeof(page))
			ASSERT_LT(0, decode_page(page, check_stream, &stream));
	}
	EXPECT_EQ(rounds, stream.count);
	EXPECT_EQ(0, stream.errors);
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	close(pfd.fd);
}

/* With buffer_percent, a reader is woken neither before it is reached nor much later. */
TEST_F(hyp, a_watermark_is_waited_for)
{
	static const int percents[] = { 25, 50, 100 };
	const int pages = scaled(256) * 1024 / page_data() + 1;
	struct pollfd pfd = { .events = POLLIN };
	int i, before, fd;

	/* The reader page and the page being written do not count. */
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	fd = open(HYP "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	for (i = 0; i < ARRAY_SIZE(percents); i++) {
		ASSERT_EQ(0, put(HYP "trace", ""));
		ASSERT_EQ(0, put_num(HYP "buffer_percent", percents[i]));
		before = (pages * percents[i] / 100 - 2) * events_per_page();

		pfd.fd = fd;
		ASSERT_EQ(0, emit(1, 1));
		EXPECT_EQ(0, poll(&pfd, 1, 0));
		ASSERT_EQ(0, emit(2, before));
		let_a_tick_pass();
		EXPECT_EQ(0, poll(&pfd, 1, 0))
			TH_LOG("too early for %d %%", percents[i]);

		if (!fork()) {
			let_a_tick_pass();
			_exit(emit(before + 1, before + 5 * events_per_page()));
		}
		EXPECT_EQ(1, poll(&pfd, 1, TIMEOUT_MS))
			TH_LOG("never %d %%", percents[i]);
		wait(NULL);
	}
	close(fd);
}

/* Operations on a ring while a reader waits for it. */
static int shut(int cpu)
{
	return set_online(cpu, false) ?:
	       set_online(cpu, true);
}

static int resize(int cpu)
{
	return put_num(path_of(HYP "per_cpu/cpu%d/buffer_size_kb", cpu), scaled(64));
}

static int reset(int cpu)
{
	return put(HYP "trace", "");
}

static int toggle(int cpu)
{
	return put(HYP "tracing_on", "0") ?: put(HYP "tracing_on", "1");
}

TEST_F(hyp, who_waits_is_woken_whatever_happens_to_the_ring)
{
	static int (* const happens[])(int cpu) = { shut, resize, reset, toggle };
	int cpu = self->cpus - 1, i;
	struct waiter w;
	enum way way;

	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	for (i = 0; i < ARRAY_SIZE(happens); i++) {
		if (happens[i] == shut && !cpu)
			continue;
		for (way = 0; way < WAYS; way++) {
			ASSERT_EQ(0, put(HYP "tracing_on", "1"));
			ASSERT_EQ(0, run_on(0));
			ASSERT_EQ(0, put(HYP "trace", ""));
			ASSERT_EQ(0, resize(cpu) ?:
				     set_size_kb(256));
			ASSERT_TRUE(waiter_start(&w, way, cpu));
			ASSERT_EQ(0, happens[i](cpu));
			ASSERT_EQ(0, run_on(cpu));
			let_a_tick_pass();
			ASSERT_EQ(0, emit(1, 1));
			EXPECT_TRUE(waiter_end(&w))
				TH_LOG("%d, way %d", i, way);
		}
	}
}

TEST_F(hyp, who_waits_before_tracing_is_on_is_woken)
{
	struct waiter w;
	enum way way;

	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	for (way = 0; way < WAYS; way++) {
		ASSERT_EQ(0, put(HYP "tracing_on", "0"));
		ASSERT_EQ(0, put(HYP "trace", ""));
		ASSERT_TRUE(waiter_start(&w, way, 0));
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
		let_a_tick_pass();
		ASSERT_EQ(0, emit(1, 1));
		EXPECT_TRUE(waiter_end(&w))
			TH_LOG("way %d", way);
	}
}

/* Have the host trace, in an instance of its own, how it is woken. */
static int watch_the_host(void)
{
	return mkdir(FOO, 0700) ?:
	       put(FOO "events/workqueue/workqueue_queue_work/enable", "1") ?:
	       put(FOO "events/timer/timer_start/enable", "1") ?:
	       put(FOO "events/timer/timer_expire_entry/enable", "1") ?:
	       put(FOO "events/ipi/enable", "1");
}

#define IRQ_WORK	"(IRQ work interrupts)"

/*
 * Events that the host has traced since its buffer was emptied: irq_work interrupts taken
 * on CPU 0, irq_work interrupts raised by the host for any CPU, and works that poll for
 * events.
 */
struct host_saw {
	int	taken, raised, polls;
};

static struct host_saw host_saw(void)
{
	struct host_saw saw = {
		.taken = count_in(FOO "per_cpu/cpu0/trace", "ipi_entry: " IRQ_WORK),
		.raised = count_in(FOO "trace", IRQ_WORK) -
			  count_in(FOO "trace", "ipi_entry: " IRQ_WORK) -
			  count_in(FOO "trace", "ipi_exit: " IRQ_WORK),
		.polls = count_in(FOO "trace", "function=poll_work") +
			 count_in(FOO "trace", "rb_ext"),
	};

	return saw;
}

/* Has CPU 0 taken an irq_work interrupt before the host had raised one? */
static bool rung_from_outside(void)
{
	char *text = get(FOO "per_cpu/cpu0/trace");
	const char *first = strstr(text, IRQ_WORK);
	const size_t len = strlen("ipi_entry: ");
	bool rung = first && !strncmp(first - len, "ipi_entry: ", len);

	free(text);
	return rung;
}

/* The length of a tick, which is the resolution of the coarse clocks. */
static uint64_t tick_ns(void)
{
	struct timespec ts;

	clock_getres(CLOCK_MONOTONIC_COARSE, &ts);
	return ts.tv_nsec;
}

#define TIMER_START	\
	"timer_start: timer=%23s function=%*s expires=%ld [timeout=%ld] bucket_expiry=%ld"

/* If a line of a trace sets @timer, the ticks until it expires; else 0. */
static long ticks_until(const char *line, const char *timer)
{
	const char *at = strstr(line, "timer_start: ");
	long expires, timeout, bucket;
	char set[24];

	if (!at || sscanf(at, TIMER_START, set, &expires, &timeout, &bucket) != 4 ||
	    strcmp(set, timer))
		return 0;
	return bucket - (expires - timeout);
}

/* The longest delay, in ticks, before a CPU's polling work. */
static long poll_ticks(int cpu)
{
	char *text = get(path_of(FOO "per_cpu/cpu%d/trace", cpu)), *line, *at;
	char expired[24] = "", polls[24] = "none";
	long ticks, most = 0;

	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		/* The polling work is queued by the timer that has expired just before. */
		at = strstr(line, "timer_expire_entry: ");
		if (at)
			sscanf(at, "timer_expire_entry: timer=%23s", expired);
		if (strstr(line, "function=poll_work"))
			memcpy(polls, expired, sizeof(polls));
		ticks = ticks_until(line, polls);
		most = ticks > most ? ticks : most;
	}
	free(text);
	return most;
}

/*
 * Other activity of the kernel pauses at times. Then there must be neither an interrupt
 * nor a work while EL2 records.
 */
TEST_F(hyp, without_a_reader_there_is_nothing_to_wake)
{
	struct host_saw saw;
	int tries = 20;

	ASSERT_EQ(0, watch_the_host());
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	do {
		ASSERT_EQ(0, put(FOO "trace", ""));
		ASSERT_EQ(0, emit(1, MANY));
		let_a_tick_pass();
		saw = host_saw();
	} while ((saw.raised || saw.taken || saw.polls) && tries--);
	EXPECT_EQ(0, saw.raised);
	EXPECT_EQ(0, saw.taken);
	EXPECT_EQ(0, saw.polls);
	rmdir(FOO);
}

/* With a reader there is an interrupt, seen clearly if the host itself is quiet. */
TEST_F(hyp, a_reader_is_woken_by_an_interrupt_from_outside)
{
	bool rung = false;
	struct waiter w;
	int tries;

	if (!el2_can_ring())
		SKIP(return, "nobody rings");

	ASSERT_EQ(0, watch_the_host());
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (tries = 20; !rung && tries; tries--) {
		ASSERT_TRUE(waiter_start(&w, READ_TEXT, 0));
		let_a_tick_pass();
		ASSERT_EQ(0, put(FOO "trace", ""));
		ASSERT_EQ(0, emit(1, 1));
		EXPECT_TRUE(waiter_end(&w));
		EXPECT_EQ(0, host_saw().polls);
		rung = rung_from_outside();
	}
	EXPECT_TRUE(rung);
	rmdir(FOO);
}

TEST_F(hyp, where_el2_cannot_ring_a_work_looks_every_10_ms)
{
	const long in_10_ms = 10 * 1000000 / tick_ns();
	long ticks = 0, n;
	struct waiter w;
	int cpu, tries;

	if (el2_can_ring())
		SKIP(return, "EL2 rings");

	ASSERT_EQ(0, watch_the_host());
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_TRUE(waiter_start(&w, READ_TEXT, 0));
	for (tries = TIMEOUT_MS / 20; host_saw().polls < 10 && tries; tries--)
		let_a_tick_pass();
	ASSERT_EQ(0, emit(1, 1));
	EXPECT_TRUE(waiter_end(&w));
	EXPECT_LE(10, host_saw().polls);
	for (cpu = 0; cpu < self->cpus; cpu++) {
		n = poll_ticks(cpu);
		ticks = n > ticks ? n : ticks;
	}
	EXPECT_LT(0, ticks);
	EXPECT_GE(in_10_ms < 2 ? 2 : in_10_ms, ticks);
	rmdir(FOO);
}

/* Have the host trace the functions that the interrupt runs for the hypervisor. */
static int watch_doorbell(void)
{
	return put("/sys/kernel/tracing/set_graph_function", "hyptrace_handle_doorbell") ?:
	       put("/sys/kernel/tracing/current_tracer", "function_graph");
}

/* Changing the tracer also empties the trace. */
static int unwatch_doorbell(void)
{
	return put("/sys/kernel/tracing/current_tracer", "nop") ?:
	       put("/sys/kernel/tracing/set_graph_function", "");
}

static int watched(const char *function)
{
	return count_in("/sys/kernel/tracing/trace", function);
}

/* Other users of irq_work must not wait for a lock that the hypervisor's readers take. */
TEST_F(hyp, a_doorbell_of_others_takes_no_lock_while_nobody_waits)
{
	struct waiter w;
	int locked = 0, i;

	if (!el2_can_ring())
		SKIP(return, "nobody rings");

	ASSERT_EQ(0, mkdir(FOO, 0700));
	ASSERT_EQ(0, put(FOO "buffer_percent", "0"));
	ASSERT_EQ(0, put(FOO "set_event", "host_selftest"));
	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	let_a_tick_pass();

	ASSERT_EQ(0, watch_doorbell());
	EXPECT_TRUE(others_ring(20));
	EXPECT_LE(20, watched("hyptrace_handle_doorbell"));
	EXPECT_EQ(0, watched("spin_lock"));
	ASSERT_EQ(0, unwatch_doorbell());

	/*
	 * The lock is seen if there is a waiter. A waiter that happens to be looking at that
	 * moment finds the event by itself.
	 */
	for (i = 0; i < 10 && !locked; i++) {
		ASSERT_TRUE(waiter_start(&w, READ_TEXT, 0));
		let_a_tick_pass();
		ASSERT_EQ(0, watch_doorbell());
		ASSERT_EQ(0, emit(i + 1, i + 1));
		EXPECT_TRUE(waiter_end(&w));
		locked = watched("spin_lock");
		ASSERT_EQ(0, unwatch_doorbell());
	}
	EXPECT_LT(0, locked);
	rmdir(FOO);
}

/* Hypercalls of this name that EL2 has recorded since the buffer was emptied. */
static int hypercalls(const char *name)
{
	put(HYP "events/hyp/host_hcall/enable", "0");
	return count_in(HYP "trace", name);
}

TEST_F(hyp, reading_takes_a_hypercall_a_page_and_none_for_nothing)
{
	const int pages = 30;
	uint8_t page[page_size()];
	int fd, i, got = 0;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	fd = open(HYP "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	ASSERT_EQ(0, emit(1, pages * events_per_page()));
	ASSERT_EQ(0, put(HYP "events/hyp/selftest/enable", "0"));
	ASSERT_EQ(0, put(HYP "events/hyp/host_hcall/enable", "1"));
	for (i = 0; i < pages; i++)
		got += read(fd, page, sizeof(page)) == sizeof(page);
	EXPECT_EQ(pages, got);
	EXPECT_EQ(pages, hypercalls("__hyp_trace_swap"));

	/* Reads of an empty buffer. */
	ASSERT_EQ(0, put(HYP "trace", ""));
	while (read(fd, page, sizeof(page)) == sizeof(page))
		;
	ASSERT_EQ(0, put(HYP "events/hyp/host_hcall/enable", "1"));
	while (read(fd, page, sizeof(page)) == sizeof(page))
		;
	for (i = 0; i < 100; i++)
		EXPECT_EQ(-1, read(fd, page, sizeof(page)));
	ASSERT_EQ(0, emit(1, 3));
	EXPECT_EQ(3, hypercalls("__hyp_trace_write_event"));
	EXPECT_EQ(0, hypercalls("__hyp_trace_swap"));
	EXPECT_EQ(0, hypercalls("__hyp_trace_alarm"));
	close(fd);
}

TEST_F(hyp, reading_without_consuming_takes_no_hypercall)
{
	const int events = 10 * events_per_page();
	char *text;
	int count;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, events));
	ASSERT_EQ(0, put(HYP "events/hyp/host_hcall/enable", "1"));
	text = get(HYP "trace");
	count = count_of(text, "selftest: id=");
	free(text);
	EXPECT_EQ(events, count);
	ASSERT_EQ(0, emit(1, 3));
	EXPECT_EQ(3, hypercalls("__hyp_trace_write_event"));
	EXPECT_EQ(1, hypercalls("__hyp_trace_swap"))
		TH_LOG("one, by those who look whether it is empty");
}

/* Waiting enters EL2, which is an event. That event must not wake the waiter. */
TEST_F(hyp, a_waiter_does_not_wake_itself)
{
	uint64_t start, elapsed;
	char buf[4096];
	int fd, alarms = 0;
	ssize_t n;

	ASSERT_EQ(0, put(HYP "events/hyp/enable", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	fd = open(HYP "trace_pipe", O_RDONLY | O_NONBLOCK);
	start = boot_ns();
	do {
		struct pollfd pfd = { .fd = fd, .events = POLLIN };

		poll(&pfd, 1, 100);
		while ((n = read(fd, buf, sizeof(buf) - 1)) > 0) {
			buf[n] = 0;
			alarms += count_of(buf, "host_hcall: __hyp_trace_alarm");
		}
		elapsed = boot_ns() - start;
	} while (elapsed < 1000000000);
	close(fd);
	TH_LOG("%d alarms in %d ms", alarms, (int)(elapsed / 1000000));
	/* At most one alarm a tick, on each CPU. */
	EXPECT_GE((elapsed / tick_ns() + 2) * self->cpus, alarms);
	/* There are alarms only if EL2 can ring. */
	EXPECT_EQ(el2_can_ring(), alarms > 0);
}

/* With hyp_exit enabled, each alarm goes off at once: its own hypercall is an event. */
TEST_F(hyp, a_waiter_that_wakes_itself_is_woken_by_others_too)
{
	int i, fd;

	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	ASSERT_EQ(0, put(HYP "events/hyp/hyp_exit/enable", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	fd = open(HYP "trace_pipe", O_RDONLY | O_NONBLOCK);
	for (i = 0; i < 50; i++) {
		struct pollfd pfd = { .fd = fd, .events = POLLIN };
		char buf[4096];

		ASSERT_EQ(0, emit(1, 1));
		ASSERT_EQ(1, poll(&pfd, 1, TIMEOUT_MS));
		while (read(fd, buf, sizeof(buf)) > 0)
			;
		usleep(i % 3 * 3000);
	}
	close(fd);
}

/* The reader maps the buffer and never reads; it is woken at the watermark. */
TEST_F(hyp, a_mapped_reader_is_told_of_a_watermark_before_it_has_read)
{
	struct pollfd pfd = { .events = POLLIN };
	void *page;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	pfd.fd = open(HYP "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	page = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, pfd.fd, 0);
	if (page == MAP_FAILED)
		SKIP(return, "can't map");
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	ASSERT_EQ(0, emit(1, scaled(MANY)));
	EXPECT_EQ(1, poll(&pfd, 1, TIMEOUT_MS));
	munmap(page, page_size());
	close(pfd.fd);
}

TEST_HARNESS_MAIN
