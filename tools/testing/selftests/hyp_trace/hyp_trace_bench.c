// SPDX-License-Identifier: GPL-2.0-only
/*
 * What hypervisor tracing costs, and beside it what the host's own costs, measured in
 * the same way. Under QEMU's -icount shift=0 a nanosecond is an instruction: that is
 * what the times below are, but for those of many CPUs, for which it has no clock.
 *
 * hyp_trace_bench SECTION: prints "NAME VALUE" lines; see sections[]. The names are
 * explained in bench.
 */

#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <linux/trace_mmap.h>

#include "../kselftest.h"
#include "hyp_trace.h"

#define HOST		"/sys/kernel/tracing/instances/bench/"
#define PER_PAGE	203	/* selftest events in a page: 4072 bytes of 20 */
#define NR_EVENTS	100	/* in a batch */
#define BATCHES		200
#define PAGES		60	/* to read */

static void fail(const char *what)
{
	fprintf(stderr, "hyp_trace_bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void must_put(const char *path, const char *text)
{
	if (put(path, text))
		fail(path);
}

/* A tracer, ours or the host's, and how to have it record an event. */
struct tracer {
	const char	*dir;
	const char	*event;
	int		write;		/* hyp/write_event or hyp/write_host_event */
};

static struct tracer hyp = { HYP, "events/hyp/selftest/enable" };
static struct tracer host = { HOST, "events/hyp_test/host_selftest/enable" };

static const char *file_of(const struct tracer *t, const char *name)
{
	return path_of("%s%s", t->dir, name);
}

static void emit_events(const struct tracer *t, int count)
{
	while (count--)
		if (write(t->write, "1", 1) != 1)
			fail("write_event");
}

/* Where to splice to: a pipe, and from there into nothing. */
static int ends[2], null;

static void set_up(void)
{
	hyp.write = open(HYP "write_event", O_WRONLY);
	host.write = open(HYP "write_host_event", O_WRONLY);
	if (hyp.write < 0 || host.write < 0)
		fail("write_event");
	null = open("/dev/null", O_WRONLY);
	if (pipe(ends))
		fail("pipe");
	if (mkdir(HOST, 0700) && errno != EEXIST)
		fail(HOST);
	must_put(HOST "buffer_size_kb", "1024");
	must_put(HOST "trace_clock", "boot");
	must_put(HYP "buffer_size_kb", "1024");
	must_put(HYP "events/enable", "0");
	must_put(HYP "tracing_on", "1");
}

/*
 * Mean time of batches that nothing interrupted [ns]: those that took the least, but
 * for what the counter can't resolve, which is 16 ns.
 */
static double time_of(const struct tracer *t, int events, int batches,
		      void (*between)(void))
{
	uint64_t time[BATCHES], least = UINT64_MAX, sum = 0;
	int i, count = 0;

	for (i = 0; i < batches; i++) {
		uint64_t start;

		if (between)
			between();
		start = boot_ns();
		emit_events(t, events);
		time[i] = boot_ns() - start;
		if (time[i] < least)
			least = time[i];
	}
	for (i = 0; i < batches; i++) {
		if (time[i] <= least + 32) {
			sum += time[i];
			count++;
		}
	}
	return (double)sum / count;
}

/* Time of a call [ns], without that of looking at the clock. */
static double cost_of_call(const struct tracer *t)
{
	return (time_of(t, NR_EVENTS, BATCHES, NULL) -
		time_of(t, 0, BATCHES, NULL)) / NR_EVENTS;
}

/* What a call takes more with @events recorded, a set_event line. */
static double cost_of(const char *events, double without)
{
	double with;

	must_put(HYP "set_event", events);
	with = cost_of_call(&hyp);
	must_put(HYP "events/enable", "0");
	return with - without;
}

static void bench_cost(void)
{
	double without, enter, both, mine, theirs;

	cost_of_call(&hyp);	/* warm up */
	without = cost_of_call(&hyp);
	mine = cost_of("hyp:selftest", without);
	enter = cost_of("hyp:hyp_enter", without);
	both = cost_of("hyp:hyp_enter hyp:hyp_exit", without);
	printf("selftest %.1f\n", mine);
	printf("hyp_enter %.1f\n", enter);
	printf("hyp_exit %.1f\n", both - enter);
	printf("host_hcall %.1f\n", cost_of("hyp:host_hcall", without));

	cost_of_call(&host);
	without = cost_of_call(&host);
	must_put(file_of(&host, host.event), "1");
	theirs = cost_of_call(&host) - without;
	printf("host_event %.1f\n", theirs);
	printf("host_event_ratio %.2f\n", mine / theirs);
}

static double bytes_per_event(const char *event)
{
	long long entries, bytes;

	must_put(HYP "trace", "");
	must_put(HYP "set_event", event);
	emit_events(&hyp, 100);
	must_put(HYP "events/enable", "0");
	entries = stat_of(0, "entries:");
	bytes = stat_of(0, "bytes:");
	return (double)bytes / entries;
}

static void bench_size(void)
{
	printf("selftest_bytes %.1f\n", bytes_per_event("hyp:selftest"));
	printf("hyp_enter_bytes %.1f\n", bytes_per_event("hyp:hyp_enter"));
}

/* A reader that takes away what a batch has written. */
static int raw_fd;
static uint8_t buffer[4096];

static void read_all(void)
{
	while (read(raw_fd, buffer, sizeof(buffer)) == sizeof(buffer))
		;
}

/* What a page more costs, in a batch that fills several. */
static double cost_of_page(double event, void (*between)(void))
{
	const int pages = 5;

	return (time_of(&hyp, pages * PER_PAGE, BATCHES, between) -
		time_of(&hyp, 0, BATCHES, between) - pages * PER_PAGE * event) / pages;
}

static void bench_page(void)
{
	double event;

	must_put(HYP "set_event", "hyp:selftest");
	raw_fd = open(HYP "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	emit_events(&hyp, 300 * PER_PAGE);
	event = cost_of_call(&hyp);
	printf("page %.1f\n", cost_of_page(event, NULL));
	read_all();
	printf("page_with_reader %.1f\n", cost_of_page(event, read_all));
	close(raw_fd);
}

/* Reading --------------------------------------------------------------------- */

static int open_raw(const struct tracer *t)
{
	int fd = open(file_of(t, "per_cpu/cpu0/trace_pipe_raw"), O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		fail("trace_pipe_raw");
	return fd;
}

/* Ways to read up to PAGES pages, and how many there were. */
static int read_pages(int fd)
{
	int pages = 0;

	while (pages < PAGES && read(fd, buffer, sizeof(buffer)) == sizeof(buffer))
		pages++;
	return pages;
}

static int splice_pages(int fd)
{
	int pages = 0;
	ssize_t n;

	while (pages < PAGES &&
	       (n = splice(fd, NULL, ends[1], NULL, 8 * PAGE, SPLICE_F_NONBLOCK)) > 0) {
		pages += n / PAGE;
		if (splice(ends[0], NULL, null, NULL, n, 0) != n)
			fail("splice");
	}
	return pages;
}

static struct trace_buffer_meta *meta;

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
		pages++;
	}
	return pages;
}

/* Time to read a page in a certain way, the least of several [ns]. */
static double time_to_read(const struct tracer *t, int (*read_some)(int fd))
{
	double least = 1e12;
	int fd = open_raw(t), i, pages;
	uint64_t time;

	if (read_some == mmap_pages) {
		meta = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
		if (meta == MAP_FAILED)
			fail("mmap");
	}
	for (i = 0; i < 10; i++) {
		must_put(file_of(t, "trace"), "");
		emit_events(t, (PAGES + 2) * PER_PAGE);
		time = boot_ns();
		pages = read_some(fd);
		time = boot_ns() - time;
		if (pages < PAGES - 1)
			fail("nothing to read");
		if ((double)time / pages < least)
			least = (double)time / pages;
	}
	if (read_some == mmap_pages)
		munmap(meta, PAGE);
	close(fd);
	return least;
}

static void bench_reading(void)
{
	static const struct {
		const char	*name;
		int		(*read_some)(int fd);
	} ways[] = {
		{ "read", read_pages },
		{ "splice", splice_pages },
		{ "mmap", mmap_pages },
	};
	int i;

	must_put(file_of(&hyp, hyp.event), "1");
	must_put(file_of(&host, host.event), "1");
	must_put(HYP "buffer_percent", "0");
	must_put(HOST "buffer_percent", "0");
	for (i = 0; i < 3; i++) {
		double mine = time_to_read(&hyp, ways[i].read_some);
		double theirs = time_to_read(&host, ways[i].read_some);

		printf("%s_page %.0f\n", ways[i].name, mine);
		printf("%s_page_host %.0f\n", ways[i].name, theirs);
		printf("%s_rate_ratio %.2f\n", ways[i].name, theirs / mine);
	}
}

/* Swaps that EL2 was called for, as it has recorded them itself. */
static void bench_hypercalls(void)
{
	char *text, *at;
	int fd, calls = 0, pages;

	must_put(HYP "set_event", "hyp:selftest");
	fd = open_raw(&hyp);
	must_put(HYP "trace", "");
	emit_events(&hyp, PAGES * PER_PAGE);
	must_put(HYP "set_event", "hyp:host_hcall");
	pages = read_pages(fd);
	must_put(HYP "events/enable", "0");
	text = get(HYP "trace");
	for (at = text; (at = strstr(at, "__hyp_trace_swap")); at++)
		calls++;
	free(text);
	close(fd);
	printf("swaps_per_page %.2f\n", (double)calls / pages);
}

/* Latency ---------------------------------------------------------------------- */

static uint64_t woken_at;
static int latency_fd;

static void *wait_for_event(void *arg)
{
	struct sched_param param = { .sched_priority = 10 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		fail("sched_setscheduler");
	if (read(latency_fd, buffer, sizeof(buffer)) != sizeof(buffer))
		fail("read");
	woken_at = boot_ns();
	return NULL;
}

static void first_ts(void *data, const struct event *e)
{
	uint64_t *ts = data;

	if (!*ts)
		*ts = e->ts;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Median of the times from an event to the return of whoever waited for it [us]. */
static double latency_of(const struct tracer *t)
{
	double samples[21];
	pthread_t thread;
	uint64_t ts;
	int i;

	must_put(file_of(t, t->event), "1");
	must_put(file_of(t, "trace"), "");
	latency_fd = open(file_of(t, "per_cpu/cpu0/trace_pipe_raw"), O_RDONLY);
	for (i = 0; i < 21; i++) {
		ts = 0;
		pthread_create(&thread, NULL, wait_for_event, NULL);
		usleep(30000);
		emit_events(t, 1);
		pthread_join(thread, NULL);
		decode_page(buffer, first_ts, &ts);
		samples[i] = (woken_at - ts) / 1000.0;
	}
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
	uint64_t time;

	must_put(file_of(&hyp, hyp.event), "1");
	emit_events(&hyp, 10 * PER_PAGE);
	must_put(HYP "tracing_on", "0");
	time = boot_ns();
	must_put(HYP "tracing_on", "1");
	emit_events(&hyp, 1);
	printf("on_to_event %.1f\n", (boot_ns() - time) / 1000.0);
}

/* ring_pages has nothing once EL2 has given the ring back. */
static void wait_for_unload(void)
{
	int fd = pages_open();

	while (page_read(fd, 0, -1, buffer))
		usleep(10000);
	close(fd);
}

static void bench_load(void)
{
	static const int mbs[] = { 1, 4, 16, 64 };
	double per_page = 0;
	uint64_t time;
	int i;

	for (i = 0; i < 4; i++) {
		must_put(HYP "tracing_on", "0");
		must_put(HYP "trace", "");
		wait_for_unload();
		must_put(HYP "buffer_size_kb", path_of("%d", mbs[i] * 1024));
		time = boot_ns();
		must_put(HYP "tracing_on", "1");
		time = boot_ns() - time;
		printf("load_%d %.2f\n", mbs[i], time / 1e6);
		per_page = time / (mbs[i] * 256.0);
	}
	printf("load_page %.0f\n", per_page);
}

/* Many CPUs -------------------------------------------------------------------- */

#define SCALE_EVENTS	6000

static pthread_barrier_t start;
static bool reading;

static void *load_cpu(void *arg)
{
	int cpu = (long)arg, fd, i;
	char raw_path[128];

	sprintf(raw_path, HYP "per_cpu/cpu%d/trace_pipe_raw", cpu);
	run_on(cpu);
	fd = open(raw_path, O_RDONLY | O_NONBLOCK);
	pthread_barrier_wait(&start);
	for (i = 0; i < SCALE_EVENTS; i += PER_PAGE) {
		emit_events(&hyp, PER_PAGE);
		if (reading)
			splice_pages(fd);
	}
	pthread_barrier_wait(&start);
	close(fd);
	return NULL;
}

/* Time until each CPU has made its calls. */
static double cost_once(int cpus)
{
	pthread_t threads[64];
	uint64_t time;
	long cpu;

	must_put(HYP "trace", "");
	pthread_barrier_init(&start, NULL, cpus + 1);
	for (cpu = 0; cpu < cpus; cpu++)
		pthread_create(&threads[cpu], NULL, load_cpu, (void *)cpu);
	pthread_barrier_wait(&start);
	time = boot_ns();
	pthread_barrier_wait(&start);
	time = boot_ns() - time;
	for (cpu = 0; cpu < cpus; cpu++)
		pthread_join(threads[cpu], NULL);
	return time;
}

/* The least of several: the machine that emulates us does other things as well. */
static double cost_on(int cpus)
{
	double least = 1e12, cost;
	int i;

	for (i = 0; i < 9; i++) {
		cost = cost_once(cpus);
		if (cost < least)
			least = cost;
	}
	return least;
}

static void bench_scale(void)
{
	int cpus = nr_cpus();
	double off, on;

	must_put(HYP "buffer_percent", "0");
	off = cost_on(cpus);
	must_put(file_of(&hyp, hyp.event), "1");
	on = cost_on(cpus);
	reading = true;
	printf("scale_%d %.2f\n", cpus, on / off);
	printf("scale_read_%d %.2f\n", cpus, cost_on(cpus) / off);
}

static const struct {
	const char	*name;
	void		(*run)(void);
} sections[] = {
	{ "cost", bench_cost },
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
	int i;

	set_up();
	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		if (argc == 2 && !strcmp(argv[1], sections[i].name)) {
			sections[i].run();
			return 0;
		}
	}
	fprintf(stderr, "usage: hyp_trace_bench SECTION\n");
	return 2;
}
