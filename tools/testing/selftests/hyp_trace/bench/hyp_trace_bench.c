// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of hypervisor tracing, and of the host's own tracing, measured in the same way.
 * Under QEMU's -icount shift=0 a nanosecond is an instruction, so times are numbers of
 * instructions, except with many CPUs, for which -icount has no clock.
 *
 * hyp_trace_bench [hw UNIT] SECTION: prints "NAME VALUE" lines; see sections[]. The file targets
 * explains the names. With hw, on real hardware, it counts time, cycles or instructions. What a
 * figure measures is counted, too; there is no figure if the count is less than the figure is
 * divided by.
 */

#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <linux/trace_mmap.h>

#include "../../kselftest.h"
#include "../hyp_pages.h"
#include "hyp_measure.h"

#define HOST		"/sys/kernel/tracing/instances/bench/"
#define PAGES_IN_BATCH	5	/* if pages are timed */
#define PAGES		60	/* to read */

/* A tracer, the hypervisor's or the host's, and the files to make it record an event. */
struct tracer {
	const char	*dir;
	const char	*event;
	int		write;		/* hyp/write_event or hyp/write_host_event */
	int		per_page;	/* events in a page; the host's has 16 bytes more */
};

static struct tracer hyp = { HYP, "events/hyp/selftest/enable" };
static struct tracer host = { HOST, "events/hyp_test/host_selftest/enable" };

static const char *file_of(const struct tracer *t, const char *name)
{
	return path_of("%s%s", t->dir, name);
}

static void emit_events(const struct tracer *t, int count)
{
	emit_events_by(t->write, count);
}

/*
 * Empty the buffer, and emit events 1 to @last, so that a reader can tell that each is there.
 * Each full page has as many events.
 */
static void emit_numbered(const struct tracer *t, int last)
{
	if (emit_evenly(t->write, file_of(t, "trace"), last))
		fail("write_event");
}

static long long stat_in(const struct tracer *t, int cpu, const char *key)
{
	long long value = get_num(path_of("%sper_cpu/cpu%d/stats", t->dir, cpu), key);

	must_be_at_least(key, value, 0);
	return value;
}

/* Events recorded on a CPU since the last reset, read or not. */
static long long recorded_on(const struct tracer *t, int cpu)
{
	return stat_in(t, cpu, "entries:") + stat_in(t, cpu, "\noverrun:") +
	       stat_in(t, cpu, "read events:");
}

static long long recorded(const struct tracer *t)
{
	return recorded_on(t, 0);
}

/* What is measured, and looked at, is CPU 0. */
static void set_up(void)
{
	if (run_on(0))
		fail("sched_setaffinity");
	hyp.write = open(HYP "write_event", O_WRONLY);
	host.write = open(HYP "write_host_event", O_WRONLY);
	if (hyp.write < 0 || host.write < 0)
		fail("write_event");
	hyp.per_page = events_per_page();
	host.per_page = (page_data() + 8) / SELFTEST_SIZE;
	if (mkdir(HOST, 0700) && errno != EEXIST)
		fail(HOST);
	must_put(HOST "buffer_size_kb", "1024");
	must_put(HOST "trace_clock", "boot");
	must_put(HOST "events/enable", "0");
	must_put(HYP "buffer_size_kb", "1024");
	must_put(HYP "events/enable", "0");
	/* A bench that failed may have left these. */
	must_put(HYP "events/hyp/selftest/filter", "0");
	must_put(HYP "current_tracer", "nop");
	put("/sys/kernel/tracing/events/hyp/selftest/trigger", "!hist:keys=common_pid");
	must_put(HYP "tracing_on", "1");
}

static double time_of(const struct tracer *t, int events, int batches,
		      void (*between)(void))
{
	return time_of_batches(t->write, events, batches, between);
}

static double cost_of_call(const struct tracer *t)
{
	return cost_by(t->write);
}

/* Time of a call that records nothing [ns]. */
static double cost_without(const struct tracer *t)
{
	long long before = recorded(t);
	double cost;

	cost_of_call(t);	/* warm up */
	cost = cost_of_call(t);
	must_be("events recorded with none enabled", recorded(t) - before, 0);
	return cost;
}

/*
 * Additional time of a call with @events recorded, a set_event line; each call must record
 * @per_call of them. Turning events on and off is recorded as well if the events are those
 * of each hypercall.
 */
static double cost_of(const char *events, int per_call, double without)
{
	const long long before = recorded(&hyp), calls = NR_EVENTS * BATCHES;
	double with;

	must_put(HYP "set_event", events);
	with = cost_of_call(&hyp);
	must_put(HYP "events/enable", "0");
	must_be_at_least(events, recorded(&hyp) - before, per_call * calls);
	return with - without;
}

static double cost_of_host_event(void)
{
	double without = cost_without(&host), with;
	long long before = recorded(&host);

	must_put(file_of(&host, host.event), "1");
	with = cost_of_call(&host);
	must_be("events of the host", recorded(&host) - before, NR_EVENTS * BATCHES);
	must_put(file_of(&host, host.event), "0");
	return with - without;
}

static void bench_cost(void)
{
	double without, enter, both, mine, theirs;

	without = cost_without(&hyp);
	mine = cost_of("hyp:selftest", 1, without);
	enter = cost_of("hyp:hyp_enter", 1, without);
	both = cost_of("hyp:hyp_enter hyp:hyp_exit", 2, without);
	printf("selftest %.1f\n", mine);
	printf("hyp_enter %.1f\n", enter);
	printf("hyp_exit %.1f\n", both - enter);
	printf("host_hcall %.1f\n", cost_of("hyp:host_hcall", 1, without));

	theirs = cost_of_host_event();
	printf("host_event %.1f\n", theirs);
	printf("host_event_ratio %.2f\n", mine / theirs);
}

/* Time of a call [ns] whose event a filter lets pass or not, as @matches says. */
static double cost_with_filter(const char *filter, int matches)
{
	const long long before = recorded(&hyp);
	double cost;

	must_put(HYP "events/hyp/selftest/filter", filter);
	cost = cost_of_call(&hyp);
	must_be(filter, recorded(&hyp) - before, matches ? NR_EVENTS * BATCHES : 0);
	return cost;
}

/* Each event has id 1. A comparison that is true goes on to the next one. */
static void bench_filter(void)
{
	const int more = 10;
	double without, event, one, many;
	char filter[400] = "id != 2";
	int i;

	without = cost_without(&hyp);
	must_put(HYP "set_event", "hyp:selftest");
	event = cost_of_call(&hyp);
	one = cost_with_filter(filter, 1);
	for (i = 0; i < more; i++)
		strcat(filter, " && id != 2");
	many = cost_with_filter(filter, 1);
	printf("filter %.1f\n", one - event);
	printf("filter_more %.1f\n", (many - one) / more);
	printf("filter_no_match %.1f\n", cost_with_filter("id == 2", 0) - without);
	must_put(HYP "events/hyp/selftest/filter", "0");
	must_put(HYP "events/enable", "0");
}

/* Additional time of a call [ns] whose event goes to a histogram, in @dir. */
static double cost_with_hist(const struct tracer *t, const char *dir)
{
	double without = cost_without(t), with;

	must_put(path_of("%strigger", dir), "hist:keys=common_pid");
	with = cost_of_call(t);
	must_be_at_least("events in the histogram", get_num(path_of("%shist", dir), "Hits: "),
			 NR_EVENTS * BATCHES);
	must_put(path_of("%strigger", dir), "!hist:keys=common_pid");
	return with - without;
}

static void bench_follow(void)
{
	printf("follow_hist %.0f\n",
	       cost_with_hist(&hyp, "/sys/kernel/tracing/events/hyp/selftest/"));
	printf("follow_hist_host %.0f\n",
	       cost_with_hist(&host, "/sys/kernel/tracing/events/hyp_test/host_selftest/"));
}

#define TREES		1000
#define TREE_FUNCTIONS	11

/* Time of a function of a tree that is called [ns]; each leaves @events in the buffer. */
static double time_of_function(const char *tracer, int events)
{
	long long before;
	uint64_t start, time, least = UINT64_MAX;
	int i;

	must_put(HYP "current_tracer", tracer);
	for (i = 0; i < BATCHES; i++) {
		before = recorded(&hyp);
		start = count_now();
		must_be("call of a tree", write_test(HYP_TRACE_TEST_TREE, TREES), 0);
		time = count_now() - start;
		must_be(tracer, recorded(&hyp) - before, events * TREE_FUNCTIONS * TREES);
		if (time < least)
			least = time;
	}
	return (double)least / (TREES * TREE_FUNCTIONS);
}

static void bench_functions(void)
{
	double nop;

	must_put(HYP "set_ftrace_filter", "hyp_test_*");
	nop = time_of_function("nop", 0);
	printf("function %.1f\n", time_of_function("function", 1) - nop);
	printf("function_graph %.1f\n", time_of_function("function_graph", 2) - nop);
	must_put(HYP "current_tracer", "nop");
}

static double bytes_per_event(const char *event)
{
	long long entries, bytes;

	must_put(HYP "trace", "");
	must_put(HYP "set_event", event);
	emit_events(&hyp, 100);
	must_put(HYP "events/enable", "0");
	entries = stat_in(&hyp, 0, "entries:");
	bytes = stat_in(&hyp, 0, "bytes:");
	must_be_at_least(event, entries, 100);
	must_be("events of whose size nothing is known", stat_in(&hyp, 0, "overrun:"), 0);
	return (double)bytes / entries;
}

static void bench_size(void)
{
	printf("selftest_bytes %.1f\n", bytes_per_event("hyp:selftest"));
	printf("hyp_enter_bytes %.1f\n", bytes_per_event("hyp:hyp_enter"));
}

/* Looking at events ------------------------------------------------------------ */

static uint8_t buffer[MAX_PAGE];

/* The events seen so far; they are numbered from 1. */
static struct {
	uint64_t	next;
	long long	events;
	long long	wrong;		/* neither the next one nor after a reported gap */
} seen;

static void look_at(void *data, const struct event *e)
{
	uint64_t id = payload_u64(e);

	if (id != seen.next + e->lost)
		seen.wrong++;
	seen.next = id + 1;
}

/* Look at each event of a page, whichever way it was read. */
static void look_at_page(const uint8_t *page)
{
	int count = decode_page(page, look_at, NULL);

	if (count < 0)
		seen.wrong++;
	else
		seen.events += count;
}

static void see_nothing_yet(void)
{
	memset(&seen, 0, sizeof(seen));
	seen.next = 1;
}

/* Exactly events 1 to @last must have been seen. */
static void must_have_seen(long long last)
{
	must_be("events seen", seen.events, last);
	must_be("events out of order", seen.wrong, 0);
	must_be("number of the last event seen", seen.next - 1, last);
}

static int open_raw(const struct tracer *t, int flags)
{
	int fd = open(file_of(t, "per_cpu/cpu0/trace_pipe_raw"), O_RDONLY | flags);

	if (fd < 0)
		fail("trace_pipe_raw");
	return fd;
}

/* A full page ------------------------------------------------------------------ */

/* A reader that consumes what a batch has written. */
static int raw_fd, batches_read;

static void read_all(void)
{
	int count, events = 0;

	while (read(raw_fd, buffer, page_size()) == page_size()) {
		count = decode_page(buffer, NULL, NULL);
		must_be_at_least("events in a page", count, 1);
		events += count;
	}
	if (batches_read++)
		must_be("events of a batch that were read", events,
			PAGES_IN_BATCH * events_per_page());
}

/* The additional cost of a page, in a batch that fills several. */
static double cost_of_page(double event, void (*between)(void))
{
	long long before = recorded(&hyp);
	const int events = PAGES_IN_BATCH * events_per_page();
	double with, without;

	with = time_of(&hyp, events, BATCHES, between);
	must_be("events in pages", recorded(&hyp) - before, BATCHES * events);
	without = time_of(&hyp, 0, BATCHES, NULL);
	return (with - without - events * event) / PAGES_IN_BATCH;
}

static void bench_page(void)
{
	double event;

	must_put(HYP "set_event", "hyp:selftest");
	raw_fd = open_raw(&hyp, O_NONBLOCK);
	emit_events(&hyp, 300 * events_per_page());
	must_be_at_least("events overwritten", stat_in(&hyp, 0, "overrun:"), events_per_page());
	event = cost_of_call(&hyp);
	printf("page %.1f\n", cost_of_page(event, NULL));
	must_be("events read, with no reader", stat_in(&hyp, 0, "read events:"), 0);
	printf("page_with_reader %.1f\n", cost_of_page(event, read_all));
	must_be("batches read", batches_read, BATCHES);
	close(raw_fd);
}

/* Reading --------------------------------------------------------------------- */

/* The ways to read up to PAGES pages; each returns the number of pages. */
static int read_pages(int fd)
{
	int pages = 0;

	while (pages < PAGES && read(fd, buffer, page_size()) == page_size()) {
		look_at_page(buffer);
		pages++;
	}
	return pages;
}

/* Pages are spliced to a pipe, and from there to /dev/null. */
static int ends[2], null;

static void send_on(int pages)
{
	const ssize_t size = pages * page_size();

	if (splice(ends[0], NULL, null, NULL, size, 0) != size)
		fail("splice to /dev/null");
}

static void look_at_piped(int pages)
{
	while (pages--) {
		if (read(ends[0], buffer, page_size()) != page_size())
			fail("read of a pipe");
		look_at_page(buffer);
	}
}

static int splice_pages_to(int fd, void (*sink)(int pages))
{
	const int at_once = 8;
	int pages = 0, n;

	while (pages < PAGES) {
		n = PAGES - pages < at_once ? PAGES - pages : at_once;
		n = splice(fd, NULL, ends[1], NULL, n * page_size(), SPLICE_F_NONBLOCK);
		if (n <= 0)
			break;
		sink(n / page_size());
		pages += n / page_size();
	}
	return pages;
}

static int splice_pages(int fd)
{
	return splice_pages_to(fd, send_on);
}

static int splice_and_look(int fd)
{
	return splice_pages_to(fd, look_at_piped);
}

static struct trace_buffer_meta *meta;
static const uint8_t *mapped;
static size_t mapped_size;

static void map(int fd)
{
	meta = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, 0);
	if (meta == MAP_FAILED)
		fail("mmap");
	mapped_size = (size_t)meta->nr_subbufs * page_size();
	mapped = mmap(NULL, mapped_size, PROT_READ, MAP_SHARED, fd, meta->meta_page_size);
	if (mapped == MAP_FAILED)
		fail("mmap of pages");
}

static void unmap(void)
{
	munmap((void *)mapped, mapped_size);
	munmap(meta, page_size());
}

static int mmap_pages(int fd)
{
	unsigned long read;
	int pages = 0;

	while (pages < PAGES) {
		read = meta->read;
		if (ioctl(fd, TRACE_MMAP_IOCTL_GET_READER))
			fail("TRACE_MMAP_IOCTL_GET_READER");
		if (meta->read == read)
			break;
		look_at_page(mapped + meta->reader.id * page_size());
		pages++;
	}
	return pages;
}

enum { READ, SPLICE, MMAP };

static const struct way {
	const char	*name;
	int		(*read_some)(int fd);
	int		(*and_look)(int fd);	/* first round, not timed */
} ways[] = {
	[READ]		= { "read", read_pages, read_pages },
	[SPLICE]	= { "splice", splice_pages, splice_and_look },
	[MMAP]		= { "mmap", mmap_pages, mmap_pages },
};

/* Time of reading PAGES full pages, once [ns]. */
static uint64_t time_once(const struct tracer *t, int fd, int (*read_some)(int fd))
{
	const int events = PAGES * t->per_page;
	uint64_t time;
	int pages;

	emit_numbered(t, events + 2 * t->per_page);
	see_nothing_yet();
	time = count_now();
	pages = read_some(fd);
	time = count_now() - time;
	must_be("pages read", pages, PAGES);
	must_be("events read", stat_in(t, 0, "read events:"), events);
	if (read_some != splice_pages)
		must_have_seen(events);
	return time;
}

/* Time to read a page in a certain way, the least of several times [ns]. */
static double time_to_read(const struct tracer *t, const struct way *way)
{
	uint64_t least = UINT64_MAX, time;
	int fd = open_raw(t, O_NONBLOCK), i;

	if (way->read_some == mmap_pages)
		map(fd);
	time_once(t, fd, way->and_look);
	for (i = 0; i < 10; i++) {
		time = time_once(t, fd, way->read_some);
		if (time < least)
			least = time;
	}
	if (way->read_some == mmap_pages)
		unmap();
	close(fd);
	return (double)least / PAGES;
}

/* Time to look at a page's events, which is a part of that [ns]. */
static double time_to_look(void)
{
	uint64_t least = UINT64_MAX, time;
	int fd = open_raw(&hyp, O_NONBLOCK), i, page;

	time_once(&hyp, fd, read_pages);
	close(fd);
	for (i = 0; i < 10; i++) {
		see_nothing_yet();
		time = count_now();
		for (page = 0; page < PAGES; page++)
			look_at_page(buffer);
		time = count_now() - time;
		must_be("events looked at", seen.events, PAGES * events_per_page());
		if (time < least)
			least = time;
	}
	return (double)least / PAGES;
}

#define TEXT_EVENTS	4000

/* Time to read an event as text, the least of several times [ns]. */
static double time_of_text(const struct tracer *t)
{
	uint64_t least = UINT64_MAX, time;
	int i, fd;

	for (i = 0; i < 5; i++) {
		emit_numbered(t, TEXT_EVENTS);
		fd = open(file_of(t, "per_cpu/cpu0/trace_pipe"), O_RDONLY | O_NONBLOCK);
		if (fd < 0)
			fail("trace_pipe");
		time = count_now();
		while (read(fd, buffer, page_size()) > 0)
			;
		time = count_now() - time;
		close(fd);
		must_be("events read", stat_in(t, 0, "read events:"), TEXT_EVENTS);
		if (time < least)
			least = time;
	}
	return (double)least / TEXT_EVENTS;
}

static void bench_text(void)
{
	double mine = time_of_text(&hyp), theirs = time_of_text(&host);

	printf("text_event %.0f\n", mine);
	printf("text_event_host %.0f\n", theirs);
	printf("text_event_ratio %.2f\n", mine / theirs);
}

static void bench_reading(void)
{
	double mine[ARRAY_SIZE(ways)], theirs[ARRAY_SIZE(ways)], look;
	int i;

	null = open("/dev/null", O_WRONLY);
	if (null < 0 || pipe(ends))
		fail("where to splice to");
	must_put(file_of(&hyp, hyp.event), "1");
	must_put(file_of(&host, host.event), "1");
	must_put(HYP "buffer_percent", "0");
	must_put(HOST "buffer_percent", "0");
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		mine[i] = time_to_read(&hyp, &ways[i]);
		theirs[i] = time_to_read(&host, &ways[i]);
		printf("%s_page %.0f\n", ways[i].name, mine[i]);
		printf("%s_page_host %.0f\n", ways[i].name, theirs[i]);
		printf("%s_rate_ratio %.2f\n", ways[i].name, theirs[i] / mine[i]);
	}
	look = time_to_look();
	printf("look_at_page %.0f\n", look);
	printf("read_unseen %.0f\n", mine[READ] - look);
	printf("read_unseen_host %.0f\n", theirs[READ] - look);
	printf("mmap_unseen %.0f\n", mine[MMAP] - look);
	bench_text();
}

/* Calls of EL2 to swap pages, and other calls, as EL2 has recorded them. */
static void bench_hypercalls(void)
{
	int fd = open_raw(&hyp, O_NONBLOCK), swaps, pages;
	char *text;

	must_put(HYP "set_event", "hyp:selftest");
	emit_numbered(&hyp, PAGES * events_per_page());
	must_put(HYP "set_event", "hyp:host_hcall");
	see_nothing_yet();
	pages = read_pages(fd);
	emit_events(&hyp, NR_EVENTS);
	must_put(HYP "events/enable", "0");
	must_be("pages read", pages, PAGES);
	must_have_seen(PAGES * events_per_page());
	text = get(HYP "trace");
	swaps = count_of(text, "__hyp_trace_swap");
	must_be("hypercalls recorded that were made",
		count_of(text, "__hyp_trace_write_event"), NR_EVENTS);
	free(text);
	close(fd);
	printf("swaps_per_page %.2f\n", (double)swaps / pages);
}

/* Latency ---------------------------------------------------------------------- */

static uint64_t woken_at;
static int latency_fd;
static pid_t waiter;

static void *wait_for_event(void *arg)
{
	struct sched_param param = { .sched_priority = 10 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		fail("sched_setscheduler");
	__atomic_store_n(&waiter, gettid(), __ATOMIC_RELEASE);
	if (read(latency_fd, buffer, page_size()) != page_size())
		fail("read");
	woken_at = boot_ns();
	return NULL;
}

/*
 * Wait until the waiter sleeps in read(), the only place where it can, and until EL2 has
 * its alarm. That takes until the next tick if an alarm was already set in this tick.
 */
static void wait_for_waiter(void)
{
	pid_t tid;

	do {
		usleep(1000);
		tid = __atomic_load_n(&waiter, __ATOMIC_ACQUIRE);
	} while (!tid || !is_sleeping(tid));
	usleep(30000);
}

static void must_start(pthread_t *thread, void *(*fn)(void *arg), void *arg)
{
	errno = pthread_create(thread, NULL, fn, arg);
	if (errno)
		fail("pthread_create");
}

static void first_ts(void *data, const struct event *e)
{
	uint64_t *ts = data;

	if (!*ts)
		*ts = e->ts;
}

/* Time from an event to the return of the reader that waits for it [us]. */
static double latency_once(const struct tracer *t)
{
	long long before = recorded(t);
	pthread_t thread;
	uint64_t ts = 0;

	waiter = 0;
	must_start(&thread, wait_for_event, NULL);
	wait_for_waiter();
	emit_events(t, 1);
	must_be("events that a reader waits for", recorded(t) - before, 1);
	pthread_join(thread, NULL);
	must_be("events that a reader was woken for", decode_page(buffer, first_ts, &ts), 1);
	must_be_at_least("time from an event to its reader", woken_at - ts, 1);
	return (woken_at - ts) / 1000.0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The median of several latencies. */
static double latency_of(const struct tracer *t)
{
	double samples[21];
	int i;

	must_put(file_of(t, t->event), "1");
	must_put(file_of(t, "trace"), "");
	latency_fd = open_raw(t, 0);
	for (i = 0; i < 21; i++)
		samples[i] = latency_once(t);
	close(latency_fd);
	must_put(file_of(t, t->event), "0");
	qsort(samples, 21, sizeof(*samples), by_value);
	return samples[10];
}

static void bench_latency(void)
{
	double mine = latency_of(&hyp), theirs = latency_of(&host);

	printf("latency %.1f\n", mine);
	printf("latency_host %.1f\n", theirs);
	printf("latency_ratio %.2f\n", mine / theirs);
}

/* Turning on ------------------------------------------------------------------- */

static void bench_start(void)
{
	long long before = recorded(&hyp);
	uint64_t time;

	must_put(file_of(&hyp, hyp.event), "1");
	emit_events(&hyp, 10 * events_per_page());
	must_put(HYP "tracing_on", "0");
	emit_events(&hyp, 1);
	must_be("events up to turning off", recorded(&hyp) - before, 10 * events_per_page());
	before = recorded(&hyp);
	time = boot_ns();
	must_put(HYP "tracing_on", "1");
	emit_events(&hyp, 1);
	time = boot_ns() - time;
	must_be("events once tracing is on", recorded(&hyp) - before, 1);
	printf("on_to_event %.1f\n", time / 1000.0);
}

/* Wait until ring_pages is empty: EL2 has given the ring back then. */
static void wait_for_unload(void)
{
	int fd = pages_open();

	if (fd < 0)
		fail(HYP "ring_pages");
	while (page_read(fd, 0, -1, buffer))
		usleep(10000);
	close(fd);
}

#define PIPE_BUFFERS	16	/* PIPE_DEF_BUFFERS of the kernel's pipe_fs_i.h */

/* EL2 must have exactly that many pages, and use them. */
static void must_be_loaded(int pages)
{
	int fd = pages_open();

	must_be("the last page is there", page_read(fd, 0, pages - 1, buffer), true);
	must_be("there is a page too many", page_read(fd, 0, pages, buffer), false);
	close(fd);
	emit_events(&hyp, 1);
	must_be("events in a new buffer", recorded(&hyp), 1);
}

static void bench_load(void)
{
	static const int mbs[] = { 1, 4, 16, 64 };
	double per_page = 0;
	uint64_t time;
	int i, pages;

	must_put(file_of(&hyp, hyp.event), "1");
	for (i = 0; i < ARRAY_SIZE(mbs); i++) {
		must_put(HYP "tracing_on", "0");
		must_put(HYP "trace", "");
		wait_for_unload();
		must_put(HYP "buffer_size_kb", path_of("%d", mbs[i] * 1024));
		time = boot_ns();
		must_put(HYP "tracing_on", "1");
		time = boot_ns() - time;
		/* Room for the data, and the spares: the reader page, and what fits into a pipe. */
		pages = ((mbs[i] << 20) + page_data() - 1) / page_data() + 1 + PIPE_BUFFERS;
		must_be_loaded(pages);
		printf("load_%d %.2f\n", mbs[i], time / 1e6);
		per_page = (double)time / pages;
	}
	printf("load_page %.0f\n", per_page);
}

/* Many CPUs -------------------------------------------------------------------- */

#define SCALE_ROUNDS	30
#define MAX_CPUS	64

static pthread_barrier_t start;

/* The work of a round; the others are compared with the first. */
static enum scale { CALLING, RECORDING, READING, NR_SCALES } doing;

/*
 * The state of a CPU. Each has a file of its own to write to, as writers to the same open
 * file take turns.
 */
struct load {
	pthread_t	thread;
	int		cpu;
	int		write;
	int		raw;
	uint64_t	begin;
	uint64_t	end;
	uint8_t		page[MAX_PAGE];
};

/* Consume a round's events. This CPU has recorded them, so all of them must be there. */
static void read_round(struct load *load)
{
	int count, events = 0;

	while (read(load->raw, load->page, page_size()) == page_size()) {
		count = decode_page(load->page, NULL, NULL);
		must_be_at_least("events in a page", count, 1);
		events += count;
	}
	must_be("events of a round that were read", events, events_per_page());
}

static void *load_cpu(void *arg)
{
	struct load *load = arg;
	int i;

	if (run_on(load->cpu))
		fail("sched_setaffinity");
	pthread_barrier_wait(&start);
	load->begin = boot_ns();
	for (i = 0; i < SCALE_ROUNDS; i++) {
		emit_events_by(load->write, events_per_page());
		if (doing == READING)
			read_round(load);
	}
	load->end = boot_ns();
	return NULL;
}

static void load_open(struct load *load, int cpu)
{
	load->cpu = cpu;
	load->write = open(HYP "write_event", O_WRONLY);
	load->raw = open(path_of(HYP "per_cpu/cpu%d/trace_pipe_raw", cpu),
			 O_RDONLY | O_NONBLOCK);
	if (load->write < 0 || load->raw < 0)
		fail("write_event, trace_pipe_raw");
}

/* Check that the CPU has recorded its events, and read them if it had to. */
static void load_close(struct load *load)
{
	const long long events = doing == CALLING ? 0 : SCALE_ROUNDS * events_per_page();

	close(load->raw);
	close(load->write);
	must_be("events of a CPU", recorded_on(&hyp, load->cpu), events);
	must_be("events of a CPU that were read", stat_in(&hyp, load->cpu, "read events:"),
		doing == READING ? events : 0);
}

/* Time from the beginning of the first CPU to the end of the last one. */
static double cost_once(int cpus, enum scale what)
{
	static struct load loads[MAX_CPUS];
	uint64_t begin = UINT64_MAX, end = 0;
	int cpu;

	doing = what;
	must_put(file_of(&hyp, hyp.event), what == CALLING ? "0" : "1");
	must_put(HYP "trace", "");
	pthread_barrier_init(&start, NULL, cpus);
	for (cpu = 0; cpu < cpus; cpu++) {
		load_open(&loads[cpu], cpu);
		must_start(&loads[cpu].thread, load_cpu, &loads[cpu]);
	}
	for (cpu = 0; cpu < cpus; cpu++) {
		pthread_join(loads[cpu].thread, NULL);
		load_close(&loads[cpu]);
		if (loads[cpu].begin < begin)
			begin = loads[cpu].begin;
		if (loads[cpu].end > end)
			end = loads[cpu].end;
	}
	return end - begin;
}

/*
 * Takes the least of several times, in turns, as the load of the emulating machine
 * changes.
 */
static void bench_scale(void)
{
	double least[NR_SCALES] = { 1e12, 1e12, 1e12 }, cost;
	int cpus = nr_cpus(), i;
	enum scale what;

	must_put(HYP "buffer_percent", "0");
	for (i = 0; i < 12; i++) {
		for (what = CALLING; what < NR_SCALES; what++) {
			cost = cost_once(cpus, what);
			if (cost < least[what])
				least[what] = cost;
		}
	}
	printf("scale_%d %.2f\n", cpus, least[RECORDING] / least[CALLING]);
	printf("scale_read_%d %.2f\n", cpus, least[READING] / least[CALLING]);
}

static const struct {
	const char	*name;
	void		(*run)(void);
} sections[] = {
	{ "cost", bench_cost },
	{ "filter", bench_filter },
	{ "follow", bench_follow },
	{ "functions", bench_functions },
	{ "size", bench_size },
	{ "page", bench_page },
	{ "reading", bench_reading },
	{ "hypercalls", bench_hypercalls },
	{ "latency", bench_latency },
	{ "start", bench_start },
	{ "load", bench_load },
	{ "scale", bench_scale },
};

int main(int argc, char **argv)
{
	const bool hw = argc == 4 && !strcmp(argv[1], "hw");
	int i;

	for (i = 0; (argc == 2 || hw) && i < ARRAY_SIZE(sections); i++) {
		if (strcmp(argv[argc - 1], sections[i].name))
			continue;
		if (hw)
			count_what(argv[2]);
		set_up();
		sections[i].run();
		return 0;
	}
	fprintf(stderr, "usage: hyp_trace_bench [hw time|cycles|instructions] SECTION\n");
	return 2;
}
