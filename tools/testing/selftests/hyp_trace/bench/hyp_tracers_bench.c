// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures what two tracers of the hypervisor cost, in the same way: ours, and the one that Linux
 * has itself since 7.3.
 *
 * hyp_tracers_bench NAME: prints "NAME_WHAT VALUE" lines, for the tracer "ours" or "linux". Under
 * QEMU's -icount shift=0 a nanosecond is an instruction.
 */

#include <pthread.h>

#include "hyp_measure.h"

#define TEXTS		500	/* events that are read as text */
#define WAKE_UPS	9

/* A tracer, and what its files are called. */
static const struct tracer {
	const char	*name;
	const char	*dir;
	const char	*system;
} tracers[] = {
	{ "ours", ROOT "hyp/", "hyp" },
	{ "linux", ROOT "remotes/hypervisor/", "hypervisor" },
}, *tracer;

static int write_event;

static const char *file(const char *name)
{
	return path_of("%s%s", tracer->dir, name);
}

static void enable_event(const char *event, const char *on)
{
	must_put(path_of("%sevents/%s/%s/enable", tracer->dir, tracer->system, event), on);
}

static void print(const char *what, double value)
{
	printf("%s_%s %.1f\n", tracer->name, what, value);
}

/* The events of a kind that the trace has. */
static int events_in_trace(const char *event)
{
	char *text = get(file("trace"));
	int count = count_of(text, event);

	free(text);
	return count;
}

static double cost_now(void)
{
	cost_by(write_event);	/* warm up */
	return cost_by(write_event);
}

/* Returns the cost of a call that records each of these events; the array ends with NULL. */
static double cost_with(const char *const events[])
{
	const char *const *event;
	double cost;

	for (event = events; *event; event++)
		enable_event(*event, "1");
	cost = cost_now();
	for (event = events; *event; event++) {
		must_be_at_least(*event, events_in_trace(*event), NR_EVENTS);
		enable_event(*event, "0");
	}
	return cost;
}

static void bench_events(void)
{
	static const char *const selftest[] = { "selftest", NULL };
	static const char *const enter_exit[] = { "hyp_enter", "hyp_exit", NULL };
	double off, nothing;

	must_put(file("tracing_on"), "0");
	off = cost_now();
	print("call_off", off);

	must_put(file("tracing_on"), "1");
	nothing = cost_now();
	print("call_on", nothing - off);
	print("event", cost_with(selftest) - nothing);
	print("enter_exit", cost_with(enter_exit) - nothing);
	must_put(file("trace"), "0");
}

/* Read events as text once; returns the number of lines. */
static int read_some(int fd)
{
	char text[4096];
	ssize_t n = read(fd, text, sizeof(text)), i;
	int lines = 0;

	if (n <= 0)
		fail("trace_pipe");
	for (i = 0; i < n; i++)
		lines += text[i] == '\n';
	return lines;
}

/* Time events that are there already. The first read may have to wait, so it does not count. */
static void bench_text(void)
{
	int fd = open(file("trace_pipe"), O_RDONLY), first, lines;
	uint64_t begun;

	if (fd < 0)
		fail("trace_pipe");
	enable_event("selftest", "1");
	emit_events_by(write_event, TEXTS);
	first = read_some(fd);
	must_be_at_least("lines that are left", TEXTS - first, TEXTS / 2);
	begun = boot_ns();
	for (lines = first; lines < TEXTS;)
		lines += read_some(fd);
	print("text", (double)(boot_ns() - begun) / (lines - first));
	enable_event("selftest", "0");
	close(fd);
}

static int woken_fd;

static void *wait_for_line(void *arg)
{
	read_some(woken_fd);
	*(uint64_t *)arg = boot_ns();
	return NULL;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* From an event to the return of who waits for it, the median [us]. */
static void bench_wake_up(void)
{
	double samples[WAKE_UPS];
	uint64_t woken, begun;
	pthread_t thread;
	int i;

	woken_fd = open(file("trace_pipe"), O_RDONLY);
	if (woken_fd < 0)
		fail("trace_pipe");
	enable_event("selftest", "1");
	for (i = 0; i < WAKE_UPS; i++) {
		if (pthread_create(&thread, NULL, wait_for_line, &woken))
			fail("a thread");
		/* It polls or sleeps; which, and when it looks next, is another one each time. */
		usleep(200000 + i * 7001);
		begun = boot_ns();
		emit_events_by(write_event, 1);
		pthread_join(thread, NULL);
		samples[i] = (woken - begun) / 1000.0;
	}
	enable_event("selftest", "0");
	close(woken_fd);
	qsort(samples, WAKE_UPS, sizeof(*samples), by_value);
	print("wake_up", samples[WAKE_UPS / 2]);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 0; i < sizeof(tracers) / sizeof(*tracers) && argc == 2; i++)
		if (!strcmp(argv[1], tracers[i].name))
			tracer = &tracers[i];
	if (!tracer) {
		fprintf(stderr, "usage: hyp_tracers_bench ours|linux\n");
		return 2;
	}

	write_event = open(file("write_event"), O_WRONLY);
	if (write_event < 0)
		fail("write_event");
	if (run_on(0))
		fail("sched_setaffinity");
	must_put(file("buffer_size_kb"), "1024");
	bench_events();
	bench_text();
	bench_wake_up();
	return 0;
}
