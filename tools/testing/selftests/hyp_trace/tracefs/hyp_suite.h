/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common parts of the test programs that use kselftest's harness: time-outs, sizes, events to
 * emit, and how what is read is checked.
 */
#ifndef HYP_SUITE_H
#define HYP_SUITE_H

#include <pthread.h>
#include <sys/wait.h>

#include "../../kselftest_harness.h"
#include "../hyp_pages.h"

/*
 * Time-outs catch hangs. The slowest test takes less than a tenth of this on a machine
 * of two cores that emulates four CPUs, so there is room for slower machines.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	600	/* seconds */
#define TIMEOUT_MS		100000	/* for one step, so that the test can name it */

#define MANY		20000	/* more than the smallest buffer holds, four pages of any size */
#define MAX_CPUS	64

/* An ordinary instance, which a test may create. */
#define FOO		ROOT "instances/foo/"

/*
 * Events per CPU, if none may be lost: ten pages with pages of 4 KiB. With larger ones
 * they are more than three pages, but not so many that the tests take long.
 */
static inline int some_events(void)
{
	int events = scaled(2000);

	return events < 10000 ? events : 10000;
}

#define EVENTS		some_events()

/* Size of the smallest buffer, with a page that is written, one that is read, one between. */
#define SMALL_KB	8

/* The selftest events of one CPU, whose order is checked as they arrive. */
struct stream {
	int		type;
	uint64_t	next;		/* id expected */
	uint64_t	last_ts;
	uint64_t	first_ts;
	uint64_t	count;
	uint64_t	lost;
	unsigned int	errors;
	int		pid;
};

static inline void check_stream(void *data, const struct event *e)
{
	struct stream *s = data;
	uint64_t id;

	if (e->ts < s->last_ts)
		s->errors++;
	s->last_ts = e->ts;
	s->lost += e->lost;
	if (e->type != s->type)
		return;

	id = payload_u64(e);
	if (e->size != 8 || id != s->next + e->lost ||
	    (s->pid && e->pid != s->pid))
		s->errors++;
	if (!s->count++)
		s->first_ts = e->ts;
	s->next = id + 1;
}

static inline struct stream stream_from(uint64_t first)
{
	return (struct stream) {
		.type = event_id("selftest"),
		.next = first,
		.pid = getpid(),
	};
}

/* Emitters, one on each of the first CPUs. */
static struct emitter {
	pthread_t	thread;
	int		cpu;
	unsigned long	count;
	unsigned long	allowed;
	int		error;
} emitters[MAX_CPUS];

static bool stop;

static inline bool stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

#define EMITTED_AT_ONCE	10

static inline bool has_emitted(const struct emitter *e)
{
	return __atomic_load_n(&e->count, __ATOMIC_ACQUIRE) >=
	       __atomic_load_n(&e->allowed, __ATOMIC_ACQUIRE);
}

static inline void *emitter_thread(void *arg)
{
	struct emitter *e = arg;
	unsigned long last;
	int error;

	run_on(e->cpu);
	while (!stopped() && !e->error) {
		if (has_emitted(e)) {
			usleep(100);
			continue;
		}
		last = e->count + EMITTED_AT_ONCE;
		error = emit(e->count + 1, last);
		__atomic_store_n(&e->error, error, __ATOMIC_RELAXED);
		__atomic_store_n(&e->count, last, __ATOMIC_RELEASE);
	}
	return NULL;
}

/*
 * An emitter emits as many events as emitters_allow() allows, EMITTED_AT_ONCE at a time.
 * The number of events then depends neither on the speed of the machine nor on the
 * duration of the test, and a reader that reads until nothing is left comes to an end.
 */
static inline void emitters_start(int cpus)
{
	int cpu;

	stop = false;
	for (cpu = 0; cpu < cpus; cpu++) {
		emitters[cpu] = (struct emitter) { .cpu = cpu };
		pthread_create(&emitters[cpu].thread, NULL, emitter_thread,
			       &emitters[cpu]);
	}
}

/* Allow @more events. Returns at once: what the caller does next happens among them. */
static inline void emitters_allow(int cpus, unsigned long more)
{
	int cpu;

	for (cpu = 0; cpu < cpus; cpu++)
		__atomic_add_fetch(&emitters[cpu].allowed, more, __ATOMIC_RELEASE);
}

/* Have the emitters emitted all that they may? */
static inline bool emitters_done(int cpus)
{
	while (cpus--)
		if (!has_emitted(&emitters[cpus]))
			return false;
	return true;
}

/* Wait until the emitters are done; false if one failed. */
static inline bool emitters_wait(int cpus)
{
	int cpu;

	for (cpu = 0; cpu < cpus; cpu++) {
		while (!has_emitted(&emitters[cpu])) {
			if (__atomic_load_n(&emitters[cpu].error, __ATOMIC_RELAXED))
				return false;
			usleep(100);
		}
	}
	return true;
}

/* Let the emitters emit @more events, and wait; false if one failed. */
static inline bool emitters_emit(int cpus, unsigned long more)
{
	emitters_allow(cpus, more);
	return emitters_wait(cpus);
}

/* Stop the emitters; false if one failed to emit. */
static inline bool emitters_stop(int cpus)
{
	bool ok = true;
	int cpu;

	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (cpu = 0; cpu < cpus; cpu++) {
		pthread_join(emitters[cpu].thread, NULL);
		ok &= !emitters[cpu].error;
	}
	return ok;
}

/*
 * Free memory, including the page allocator's per-CPU lists: MemFree does not count
 * these, and they can be as large as a leak that a test looks for.
 */
static inline long long free_kb(void)
{
	char *text = get("/proc/zoneinfo"), *line = strtok(text, "\n");
	long long pages = 0, n;

	for (; line; line = strtok(NULL, "\n"))
		if (sscanf(line, " nr_free_pages %lld", &n) == 1 ||
		    sscanf(line, " count: %lld", &n) == 1)
			pages += n;
	free(text);
	return pages * (page_size() / 1024);
}

/*
 * Does freed memory show up as free? KASAN delays that, and kmemleak allocates notes of
 * its own; the debug kernel has both.
 */
static inline bool memory_counts(void)
{
	return !exists("/sys/kernel/debug/kmemleak");
}

/* Free memory, with the page cache dropped. */
static inline long long free_memory(void)
{
	put("/proc/sys/vm/drop_caches", "3");
	usleep(200000);
	return free_kb();
}

/*
 * Wait until EL2 has given back all rings; false if that times out. It happens some time
 * after nobody can need the rings any more.
 */
static inline bool wait_until_unloaded(int cpus)
{
	int fd = pages_open(), i, cpu, loaded = 1;
	uint8_t page[page_size()];
	char *cpus_traced;

	for (i = 0; i < TIMEOUT_MS / 20 && loaded; i++) {
		for (loaded = 0, cpu = 0; cpu < cpus; cpu++)
			loaded += page_read(fd, cpu, -1, page);
		if (loaded)
			usleep(20000);
	}
	close(fd);

	/*
	 * The rings are gone before the CPUs have been told. Both happen under a lock that
	 * this write takes, so it waits for them.
	 */
	cpus_traced = get(HYP "tracing_cpumask");
	loaded |= put(HYP "tracing_cpumask", cpus_traced);
	free(cpus_traced);
	return !loaded;
}

/* Is this a boot where long tests have fewer rounds, as another boot has all? */
static inline bool is_short(void)
{
	return getenv("HYP_TEST_SHORT");
}

/*
 * So many rounds of a long test, or fewer in a short boot: two at least, as a round may go wrong
 * for what the one before has left.
 */
static inline int rounds_of(int rounds)
{
	int fewer = rounds / 4;

	if (!is_short())
		return rounds;
	return fewer < 2 ? 2 : fewer;
}

/* Set the size of all CPUs' buffers: @kb with pages of 4 KiB, else as many pages. */
static inline int set_size_kb(int kb)
{
	return put_num(HYP "buffer_size_kb", scaled(kb));
}

/* Turn tracing off and empty the buffer, so that the memory goes back; wait for that. */
static inline bool be_idle(void)
{
	return !put(HYP "tracing_on", "0") && !put(HYP "trace", "") &&
	       wait_until_unloaded(nr_cpus());
}

static inline int count_in(const char *file, const char *what)
{
	char *text = get(file);
	int count = count_of(text, what);

	free(text);
	return count;
}

/* Count the ids in a text; are they increasing? */
static inline int ids_in_order(const char *text, bool *ordered)
{
	unsigned long last = 0, id;
	int count = 0;

	*ordered = true;
	while ((text = strstr(text, "selftest: id="))) {
		text += 13;
		id = strtoul(text, NULL, 10);
		if (id <= last)
			*ordered = false;
		last = id;
		count++;
	}
	return count;
}

/* Run a guest, see guests/hyp_guest.c; returns its pid, or -1 if it failed. */
static inline pid_t run_guest(int exits, const char *hypercall)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execl("/tests/hyp_guest", "hyp_guest", path_of("%d", exits),
		      hypercall, NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid && !status ? pid : -1;
}

/* Record selftest, without a filter, into an empty buffer; 0 or the error of a write. */
static inline int record_selftest(void)
{
	return put(HYP "tracing_on", "0") ?:
	       put(HYP "events/enable", "0") ?:
	       put(HYP "events/hyp/filter", "0") ?:
	       put(HYP "error_log", "") ?:
	       put(HYP "options/overwrite", "1") ?:
	       set_size_kb(256) ?:
	       put(HYP "trace", "") ?:
	       put(HYP "events/hyp/selftest/enable", "1") ?:
	       put(HYP "tracing_on", "1") ?:
	       run_on(0);
}

#endif /* HYP_SUITE_H */
