// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that no event is lost uncounted. For each CPU, once nothing is being written,
 *
 *   emitted = read + overrun + dropped + still in the buffer
 *
 * must hold, whatever was done in between. An operation that fails half-way must leave
 * nothing behind.
 */

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "hyp_fail.h"
#include "hyp_fixture.h"

/* The accounts ------------------------------------------------------------------- */

/* The right side of the equation. */
static long long accounted(int cpu)
{
	return stat_of(cpu, "read events:") + stat_of(cpu, "overrun:") +
	       stat_of(cpu, "dropped events:") + stat_of(cpu, "entries:");
}

/*
 * The number of events that EL2 says it has written to its ring since that was emptied. The page
 * with the latest time stamp is the one that EL2 writes; it holds the number of events before it.
 */
static long long el2_written(int cpu)
{
	int fd = pages_open(), id;
	uint64_t ts, latest = 0, first_seq;
	long long written = 0;
	uint8_t page[page_size()];

	for (id = 0; page_read(fd, cpu, id, page); id++) {
		memcpy(&ts, page, 8);
		if (ts < latest)
			continue;
		latest = ts;
		memcpy(&first_seq, page + page_size() - 8, 8);
		written = first_seq + decode_page(page, NULL, NULL);
	}
	written -= pages_first_seq(fd, cpu);
	close(fd);
	return written;
}

/* The number of turns, and of events per CPU in each phase of a turn. */
enum {
	TURNS_ON = 20, ON = 30, TURNS_OFF = 20, OFF = 10,
	TURN = TURNS_ON + ON + TURNS_OFF + OFF,
	TURNS = 100,
};

/* The ids of the selftest events that a CPU has delivered; in shared memory. */
static struct delivered {
	int		type;
	uint64_t	last;
	unsigned long	count, lost;
	unsigned int	errors;
	bool		id[TURNS * TURN + 1];
} *delivered;

static void note_delivered(void *data, const struct event *e)
{
	struct delivered *d = data;
	uint64_t id = payload_u64(e);

	if (e->type != d->type || id <= d->last || id > TURNS * TURN) {
		d->errors++;
		return;
	}
	d->count++;
	d->lost += e->lost;
	d->last = id;
	d->id[id] = true;
}

static bool delivered_init(int cpus)
{
	delivered = mmap(NULL, cpus * sizeof(*delivered), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (delivered == MAP_FAILED)
		return false;
	while (cpus--)
		delivered[cpus].type = event_id("selftest");
	return true;
}

/* The kinds of reader. A reader is a process that reads until it is told to end. */
enum kind { RAW, PIPE, TRACE, STATS, NR_KINDS, NOTE = NR_KINDS };

/* In memory that the reader shares with the test. */
struct reader {
	enum kind	kind;
	pid_t		pid;
	unsigned int	passes;		/* over all CPUs, completed */
	bool		failed;
	bool		told_to_end;
};

static bool read_some(enum kind kind, int cpu)
{
	switch (kind) {
	case RAW:
		return read_raw(cpu, NULL, NULL) >= 0;
	case NOTE:
		return read_raw(cpu, note_delivered, &delivered[cpu]) >= 0;
	case PIPE:
		free(get(path_of(HYP "per_cpu/cpu%d/trace_pipe", cpu)));
		return true;
	case TRACE:
		free(get(path_of(HYP "per_cpu/cpu%d/trace", cpu)));
		return true;
	case STATS:
		return stat_of(cpu, "entries:") >= 0;
	}
	return false;
}

static void read_until_told(struct reader *r, int cpus)
{
	int cpu;

	/* The reader must also end if the test fails half-way. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!__atomic_load_n(&r->told_to_end, __ATOMIC_RELAXED)) {
		for (cpu = 0; cpu < cpus; cpu++) {
			if (!read_some(r->kind, cpu)) {
				__atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
				_exit(1);
			}
			usleep(1000);
		}
		__atomic_add_fetch(&r->passes, 1, __ATOMIC_RELEASE);
	}
	_exit(0);
}

static struct reader *reader_start(enum kind kind, int cpus)
{
	struct reader *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	r->kind = kind;
	pid = fork();
	if (!pid)
		read_until_told(r, cpus);
	r->pid = pid;
	return r;
}

static unsigned int passes_of(const struct reader *r)
{
	return __atomic_load_n(&r->passes, __ATOMIC_ACQUIRE);
}

/* Wait until the reader has been to all CPUs since this call; false if it has failed. */
static bool reader_pass(const struct reader *r)
{
	/* The pass in progress, and a whole one. */
	unsigned int begun = passes_of(r);

	while (passes_of(r) - begun < 2) {
		if (__atomic_load_n(&r->failed, __ATOMIC_RELAXED))
			return false;
		usleep(1000);
	}
	return true;
}

static bool reader_stop(struct reader *r)
{
	pid_t pid = r->pid;
	int status;

	__atomic_store_n(&r->told_to_end, true, __ATOMIC_RELAXED);
	if (waitpid(pid, &status, 0) != pid)
		return false;
	munmap(r, sizeof(*r));
	return !status;
}

static bool readers_pass(struct reader **readers, int n)
{
	while (n--)
		if (!reader_pass(readers[n]))
			return false;
	return true;
}

static bool readers_stop(struct reader **readers, int n)
{
	bool ok = true;

	while (n--)
		ok &= reader_stop(readers[n]);
	return ok;
}

/* Readers ------------------------------------------------------------------------ */

static void readers_and_accounts(struct __test_metadata *_metadata, int cpus,
				 const char *overwrite)
{
	const unsigned long rounds = rounds_of(6), events = scaled(1000);
	struct reader *readers[2 * NR_KINDS];
	int cpu, i;

	ASSERT_EQ(0, put(HYP "options/overwrite", overwrite));
	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (i = 0; i < ARRAY_SIZE(readers); i++)
		readers[i] = reader_start(i % NR_KINDS, cpus);
	emitters_start(cpus);
	for (i = 0; i < rounds; i++) {
		/* Each round begins with the unread events of the one before. */
		emitters_allow(cpus, events);
		ASSERT_TRUE(readers_pass(readers, ARRAY_SIZE(readers)));
		ASSERT_TRUE(emitters_wait(cpus));
	}
	EXPECT_TRUE(emitters_stop(cpus));
	EXPECT_TRUE(readers_stop(readers, ARRAY_SIZE(readers)));
	for (cpu = 0; cpu < cpus; cpu++) {
		EXPECT_EQ(rounds * events, emitters[cpu].count);
		EXPECT_EQ(emitters[cpu].count, accounted(cpu))
			TH_LOG("CPU %d", cpu);
		EXPECT_LT(0, stat_of(cpu, "read events:"));
	}
}

TEST_F(hyp, several_readers_of_all_kinds)
{
	readers_and_accounts(_metadata, self->cpus, "1");
}

TEST_F(hyp, several_readers_of_a_buffer_that_keeps_the_oldest)
{
	readers_and_accounts(_metadata, self->cpus, "0");
}

/* Changes while events are emitted --------------------------------------------------- */

TEST_F(hyp, sizes_that_change_while_writing)
{
	const unsigned long rounds = rounds_of(60), events = scaled(200);
	struct reader *reader;
	int cpu, i;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	emitters_start(self->cpus);
	reader = reader_start(RAW, self->cpus);
	for (i = 0; i < rounds; i++) {
		emitters_allow(self->cpus, events);
		ASSERT_EQ(0, set_size_kb(8 + i % 5 * 16));
		ASSERT_EQ(0, put_num(path_of(HYP "per_cpu/cpu%d/buffer_size_kb",
					     i % self->cpus), scaled(8 + i % 3 * 32)));
		ASSERT_TRUE(emitters_wait(self->cpus));
	}
	EXPECT_TRUE(emitters_stop(self->cpus));
	EXPECT_TRUE(reader_stop(reader));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		EXPECT_EQ(rounds * events, emitters[cpu].count);
		EXPECT_EQ(emitters[cpu].count, accounted(cpu))
			TH_LOG("CPU %d: %lld read, %lld overrun, %lld dropped, %lld there",
			       cpu, stat_of(cpu, "read events:"),
			       stat_of(cpu, "overrun:"),
			       stat_of(cpu, "dropped events:"),
			       stat_of(cpu, "entries:"));
	}
}

/* Reset all CPUs, and one more than once, while they emit. */
static bool reset_among_emissions(int cpus, int times)
{
	int i;

	for (i = 0; i < times; i++) {
		emitters_allow(cpus, 100);
		if (put(HYP "trace", "") ||
		    put(path_of(HYP "per_cpu/cpu%d/trace", i % cpus), "") ||
		    !emitters_wait(cpus))
			return false;
	}
	return true;
}

TEST_F(hyp, resets_while_writing)
{
	const unsigned long after = scaled(1000);	/* more than the buffer holds */
	struct reader *reader;
	int cpu, i;

	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	emitters_start(self->cpus);
	for (i = 0; i < rounds_of(6); i++) {
		reader = reader_start(RAW, self->cpus);
		ASSERT_TRUE(reset_among_emissions(self->cpus, 10));
		ASSERT_TRUE(emitters_emit(self->cpus, after));
		ASSERT_TRUE(reader_stop(reader));

		/* At least the events after the last reset must be there, all of them. */
		for (cpu = 0; cpu < self->cpus; cpu++) {
			EXPECT_LE(after, el2_written(cpu));
			EXPECT_EQ(el2_written(cpu), accounted(cpu))
				TH_LOG("CPU %d", cpu);
			EXPECT_EQ(0, stat_of(cpu, "dropped events:"));
		}
	}
	EXPECT_TRUE(emitters_stop(self->cpus));
}

static bool turn_on_and_off(int cpus)
{
	bool ok;

	emitters_allow(cpus, TURNS_ON);
	ok = !put(HYP "tracing_on", "1") && emitters_wait(cpus);
	ok &= emitters_emit(cpus, ON);
	emitters_allow(cpus, TURNS_OFF);
	ok &= !put(HYP "tracing_on", "0") && emitters_wait(cpus);
	return ok && emitters_emit(cpus, OFF);
}

/* The number of ids that must have been delivered but have not. */
static int ids_missing(const bool *turn)
{
	int i, missing = 0;

	for (i = TURNS_ON; i < TURNS_ON + ON; i++)
		missing += !turn[i];
	return missing;
}

static int ids_too_many(const bool *turn)
{
	int i, too_many = 0;

	for (i = TURN - OFF; i < TURN; i++)
		too_many += turn[i];
	return too_many;
}

/* An id is delivered, once and in order, if it was emitted while tracing was on. */
TEST_F(hyp, tracing_that_goes_on_and_off)
{
	const int turns = rounds_of(TURNS);
	struct reader *readers[2];
	int cpu, i;

	/* Room for all events, read or not, so that none is lost. */
	ASSERT_EQ(0, put(HYP "buffer_size_kb", "512"));
	ASSERT_TRUE(delivered_init(self->cpus));
	emitters_start(self->cpus);
	readers[0] = reader_start(NOTE, self->cpus);
	readers[1] = reader_start(TRACE, self->cpus);
	for (i = 0; i < turns; i++)
		ASSERT_TRUE(turn_on_and_off(self->cpus));
	EXPECT_TRUE(emitters_stop(self->cpus));
	EXPECT_TRUE(readers_pass(readers, 2));
	EXPECT_TRUE(readers_stop(readers, 2));

	for (cpu = 0; cpu < self->cpus; cpu++) {
		const struct delivered *d = &delivered[cpu];

		for (i = 0; i < turns; i++) {
			EXPECT_EQ(0, ids_missing(&d->id[1 + i * TURN]))
				TH_LOG("CPU %d, turn %d", cpu, i);
			EXPECT_EQ(0, ids_too_many(&d->id[1 + i * TURN]))
				TH_LOG("CPU %d, turn %d", cpu, i);
		}
		EXPECT_EQ(0, d->errors);
		EXPECT_EQ(0, d->lost);
		EXPECT_EQ(d->count, stat_of(cpu, "read events:"));
		EXPECT_EQ(0, stat_of(cpu, "overrun:"));
		EXPECT_EQ(0, stat_of(cpu, "entries:"));
	}
}

/* With all events enabled; most are lost, and the counts must match EL2's. */
TEST_F(hyp, tracing_that_goes_on_and_off_with_a_buffer_that_is_too_small)
{
	struct reader *readers[2];
	const int turns = rounds_of(40);
	int cpu, fd, i;

	/* EL2's number is of the loaded ring. An open reader keeps the ring loaded. */
	fd = open(HYP "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, put(HYP "events/hyp/enable", "1"));
	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	emitters_start(self->cpus);
	readers[0] = reader_start(RAW, self->cpus);
	readers[1] = reader_start(TRACE, self->cpus);
	for (i = 0; i < turns; i++)
		ASSERT_TRUE(turn_on_and_off(self->cpus));
	EXPECT_TRUE(emitters_stop(self->cpus));
	EXPECT_TRUE(readers_stop(readers, 2));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		EXPECT_LE(turns * ON, el2_written(cpu));
		EXPECT_EQ(el2_written(cpu), accounted(cpu))
			TH_LOG("CPU %d", cpu);
	}
	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	close(fd);
}

/* A CPU goes off and on this often, while the others emit. */
#define STORM	200

/* Sizes change at any time meanwhile. */
static void *resizer_thread(void *arg)
{
	int i;

	for (i = 0; !stopped(); i++) {
		set_size_kb(64 + i % 5 * 8);
		usleep(3000);
	}
	return NULL;
}

TEST_F(hyp, cpus_that_come_and_go)
{
	unsigned long emitted[MAX_CPUS] = { };
	pthread_t resizer;
	int cpu, i;

	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	ASSERT_EQ(0, set_size_kb(64));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	stop = false;
	ASSERT_EQ(0, pthread_create(&resizer, NULL, resizer_thread, NULL));
	for (i = 0; i < rounds_of(STORM); i++) {
		int victim = 1 + i % (self->cpus - 1);

		ASSERT_EQ(0, set_online(victim, false));
		for (cpu = 0; cpu < self->cpus; cpu++) {
			if (cpu == victim)
				continue;
			ASSERT_EQ(0, run_on(cpu));
			ASSERT_EQ(0, emit(1, 5));
			emitted[cpu] += 5;
		}
		ASSERT_EQ(0, set_online(victim, true));
		ASSERT_EQ(0, run_on(victim));
		ASSERT_EQ(0, emit(1, 5));
		emitted[victim] += 5;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(resizer, NULL);
	ASSERT_EQ(0, run_on(0));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		EXPECT_EQ(emitted[cpu], accounted(cpu))
			TH_LOG("CPU %d", cpu);
	}
}

TEST_F(hyp, guests_that_run)
{
	struct reader *reader;
	int cpu, i;

	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "events/hyp/enable", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	reader = reader_start(RAW, self->cpus);
	for (i = 0; i < 4; i++)
		EXPECT_LT(0, run_guest(256, NULL));
	EXPECT_TRUE(reader_stop(reader));
	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		EXPECT_LT(1000, el2_written(cpu));
		EXPECT_EQ(el2_written(cpu), accounted(cpu))
			TH_LOG("CPU %d", cpu);
	}
}

/* Operations that fail half-way ------------------------------------------------------ */

/*
 * A leak of a page at one of the points of failure, each time, exceeds this limit. Less is
 * noise. More is noise, too, unless each of TRIES shows it: a leak would recur.
 */
#define LEAK_KB	scaled(200)
#define TRIES	3

/* Slab objects in use; the notes of what is shared with EL2 have 40 bytes. */
static long long shared_notes(void)
{
	return get_num("/proc/slabinfo", "\nkmalloc-64 ");
}

/* Fail at each point, @rounds times; returns how often turning on failed. */
static int turn_on_failing(struct __test_metadata *_metadata, int rounds)
{
	int fd = open(HYP "tracing_on", O_WRONLY), failures = 0, nth, error;

	while (rounds--) {
		for (nth = 1; write_failing(fd, "1", nth, &error); nth++) {
			failures += !!error;
			if (error) {
				EXPECT_EQ(ENOMEM, error);
				EXPECT_EQ(0, get_num(HYP "tracing_on", ""))
					TH_LOG("failed, and on");
			}
			EXPECT_TRUE(be_idle());
		}
		EXPECT_TRUE(be_idle());
	}
	close(fd);
	return failures;
}

TEST_F(hyp, each_allocation_of_turning_on_can_fail)
{
	long long before, less = LEAK_KB, shared_before, shared_after;
	/*
	 * A leak has to add up to be seen. kmemleak, where memory does not count, finds a single
	 * one.
	 */
	const int rounds = memory_counts() ? 60 / self->cpus : 1;
	int try, failures;

	if (!fault_injection())
		SKIP(return, "needs fault injection");

	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	for (try = 0; try < TRIES && less >= LEAK_KB; try++) {
		before = free_memory();
		shared_before = shared_notes();
		failures = turn_on_failing(_metadata, rounds);
		less = before - free_memory();
		shared_after = shared_notes();
		TH_LOG("%d allocations failed, %lld KiB less, %lld objects more",
		       failures, less, shared_after - shared_before);
		ASSERT_LT(0, shared_before);
		EXPECT_LT(rounds * 4 * self->cpus, failures);
		if (!memory_counts())
			break;
		EXPECT_GT(100, shared_after - shared_before);
	}
	if (memory_counts())
		EXPECT_GT(LEAK_KB, less);

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 100));
	EXPECT_EQ(100, stat_of(0, "entries:"));
}

/* As turn_on_failing(), for a resize to another size and back. */
static int resize_failing(struct __test_metadata *_metadata, int rounds)
{
	int fd = open(HYP "buffer_size_kb", O_WRONLY), failures = 0, nth, error;

	while (rounds--) {
		const int size_kb = rounds & 1 ? 2 * SMALL_KB : SMALL_KB;
		const int other_kb = rounds & 1 ? SMALL_KB : 2 * SMALL_KB;
		char size[16];

		sprintf(size, "%d", scaled(size_kb));
		for (nth = 1; write_failing(fd, size, nth, &error); nth++) {
			long long there = accounted(0);

			if (!error)
				ASSERT_EQ(0, set_size_kb(other_kb));
			failures += !!error;
			EXPECT_TRUE(!error || error == ENOMEM);

			/* Whichever size it has now, the buffer works. */
			EXPECT_EQ(1, get_num(HYP "tracing_on", ""));
			ASSERT_EQ(0, emit(1, 3));
			EXPECT_EQ(there + 3, accounted(0))
				TH_LOG("failure %d, %d rounds to go: events are missing",
				       nth, rounds);
		}
	}
	close(fd);
	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	return failures;
}

static long long size_of(int cpu)
{
	return get_num(path_of(HYP "per_cpu/cpu%d/buffer_size_kb", cpu), "");
}

/* If one CPU can have the new size and the other one can't, their files say so. */
TEST_F(hyp, a_resize_that_fails_half_way_shows_the_sizes_that_there_are)
{
	int fd = open(HYP "buffer_size_kb", O_WRONLY), nth, error, half = 0;
	char size[16];

	if (!fault_injection() || self->cpus < 2)
		SKIP(return, "needs fault injection and two CPUs");

	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	sprintf(size, "%d", scaled(2 * SMALL_KB));
	for (nth = 1; write_failing(fd, size, nth, &error); nth++) {
		half += error && size_of(0) != size_of(1);
		ASSERT_EQ(0, set_size_kb(SMALL_KB));
	}
	close(fd);
	EXPECT_LT(0, half);
}

TEST_F(hyp, each_allocation_of_a_resize_can_fail)
{
	long long before, less = LEAK_KB;
	const int rounds = memory_counts() ? 6 : 2;
	int try, failures, cpu;

	if (!fault_injection())
		SKIP(return, "needs fault injection");

	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (try = 0; try < TRIES && less >= LEAK_KB; try++) {
		before = free_memory();
		failures = resize_failing(_metadata, rounds);
		less = before - free_memory();
		TH_LOG("%d allocations failed, %lld KiB less", failures, less);
		EXPECT_LT(rounds * 5 * self->cpus, failures);
		if (!memory_counts())
			break;
	}
	if (memory_counts())
		EXPECT_GT(LEAK_KB, less);

	for (cpu = 0; cpu < self->cpus; cpu++) {
		ASSERT_EQ(0, run_on(cpu));
		ASSERT_EQ(0, put(HYP "trace", ""));
		ASSERT_EQ(0, emit(1, 100));
		EXPECT_EQ(100, stat_of(cpu, "entries:"));
	}
}

/* Open each file that readers open, with each allocation failing; returns the failures. */
static int open_failing(struct __test_metadata *_metadata)
{
	static const char * const files[] = {
		"trace", "trace_pipe", "per_cpu/cpu0/trace_pipe",
		"per_cpu/cpu0/trace_pipe_raw", "per_cpu/cpu0/trace", "set_event",
	};
	int fd, nth, failures = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		for (nth = 1; nth < 200; nth++) {
			put_num("/proc/thread-self/fail-nth", nth);
			fd = open(path_of(HYP "%s", files[i]), O_RDONLY);
			failures += fd < 0;
			if (fd >= 0)
				close(fd);
			if (get_num("/proc/thread-self/fail-nth", ""))
				break;
		}
		put("/proc/thread-self/fail-nth", "0");
	}
	EXPECT_LT(ARRAY_SIZE(files), failures);
	return failures;
}

/* A reader that could not be opened holds no memory. */
TEST_F(hyp, each_allocation_of_opening_a_reader_can_fail)
{
	long long before, less = LEAK_KB;
	int try, failures;

	if (!fault_injection())
		SKIP(return, "needs fault injection");

	ASSERT_EQ(0, put(HYP "buffer_size_kb", "4096"));
	for (try = 0; try < TRIES && less >= LEAK_KB; try++) {
		ASSERT_TRUE(be_idle());
		before = free_memory();
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
		ASSERT_EQ(0, emit(1, 10));
		failures = open_failing(_metadata);
		EXPECT_EQ(10, stat_of(0, "entries:"));
		ASSERT_TRUE(be_idle());
		less = before - free_memory();
		TH_LOG("%d failures, %lld KiB less", failures, less);
		if (!memory_counts())
			break;
	}
	if (memory_counts())
		EXPECT_GT(LEAK_KB, less);
}

TEST_HARNESS_MAIN
