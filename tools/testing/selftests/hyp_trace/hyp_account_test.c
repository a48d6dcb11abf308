// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that nothing is lost uncounted: for each CPU, once nothing is being written,
 *
 *   emitted = read + overrun + dropped + still in the buffer
 *
 * whatever was done meanwhile; and that what fails half-way leaves nothing behind.
 */

#include <signal.h>

#include "hyp_fixture.h"

/* The accounts ------------------------------------------------------------------- */

/* The right side of the equation. */
static long long accounted(int cpu)
{
	return stat_of(cpu, "read events:") + stat_of(cpu, "overrun:") +
	       stat_of(cpu, "dropped events:") + stat_of(cpu, "entries:");
}

/*
 * What EL2 itself says that it has written to its ring: the page with the latest
 * time is the one that it is at, and says how many events came before it.
 */
static long long el2_written(int cpu)
{
	int fd = pages_open(), id;
	uint64_t ts, latest = 0, first_seq;
	long long written = 0;
	uint8_t page[PAGE];

	for (id = 0; page_read(fd, cpu, id, page); id++) {
		memcpy(&ts, page, 8);
		if (ts < latest)
			continue;
		latest = ts;
		memcpy(&first_seq, page + PAGE - 8, 8);
		written = first_seq + decode_page(page, NULL, NULL);
	}
	close(fd);
	return written;
}

/* A reader, in a process of its own, until it is killed between two readings. */
enum reader { RAW, PIPE, TRACE, STATS, NR_READERS };

static bool told_to_end;

static void on_term(int sig)
{
	__atomic_store_n(&told_to_end, true, __ATOMIC_RELAXED);
}

static pid_t reader_start(enum reader reader, int cpus)
{
	const struct sigaction action = { .sa_handler = on_term };
	pid_t pid = fork();
	int cpu;

	if (pid)
		return pid;

	sigaction(SIGTERM, &action, NULL);
	for (cpu = 0; !__atomic_load_n(&told_to_end, __ATOMIC_RELAXED);
	     cpu = (cpu + 1) % cpus) {
		if (reader == RAW && read_raw(cpu, NULL, NULL) < 0)
			_exit(1);
		if (reader == PIPE)
			free(get(path_of(HYP "per_cpu/cpu%d/trace_pipe", cpu)));
		if (reader == TRACE)
			free(get(path_of(HYP "per_cpu/cpu%d/trace", cpu)));
		if (reader == STATS)
			stat_of(cpu, "entries:");
		usleep(2000);
	}
	_exit(0);
}

static bool reader_stop(pid_t pid)
{
	int status;

	kill(pid, SIGTERM);
	return waitpid(pid, &status, 0) == pid && !status;
}

/* Readers ------------------------------------------------------------------------ */

static void readers_and_accounts(struct __test_metadata *_metadata, int cpus,
				 const char *overwrite)
{
	pid_t pids[2 * NR_READERS];
	int cpu, i;

	ASSERT_EQ(0, put(HYP "options/overwrite", overwrite));
	ASSERT_EQ(0, put(HYP "buffer_size_kb", SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	emitters_start(cpus);
	for (i = 0; i < 2 * NR_READERS; i++)
		pids[i] = reader_start(i % NR_READERS, cpus);
	sleep(3);
	EXPECT_TRUE(emitters_stop(cpus));
	for (i = 0; i < 2 * NR_READERS; i++)
		EXPECT_TRUE(reader_stop(pids[i]));
	for (cpu = 0; cpu < cpus; cpu++) {
		EXPECT_LT(100, emitters[cpu].count);
		EXPECT_EQ(emitters[cpu].count, accounted(cpu))
			TH_LOG("CPU %d", cpu);
		EXPECT_LT(0, stat_of(cpu, "read events:"));
	}
}

TEST_F_TIMEOUT(hyp, several_readers_of_all_kinds, 120)
{
	readers_and_accounts(_metadata, self->cpus, "1");
}

TEST_F_TIMEOUT(hyp, several_readers_of_a_buffer_that_keeps_the_oldest, 120)
{
	readers_and_accounts(_metadata, self->cpus, "0");
}

/* Things that happen meanwhile ------------------------------------------------------ */

TEST_F_TIMEOUT(hyp, sizes_that_change_while_writing, 120)
{
	pid_t reader;
	int cpu, i;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	emitters_start(self->cpus);
	reader = reader_start(RAW, self->cpus);
	for (i = 0; i < 60; i++) {
		ASSERT_EQ(0, put_num(HYP "buffer_size_kb", 8 + i % 5 * 16));
		ASSERT_EQ(0, put_num(path_of(HYP "per_cpu/cpu%d/buffer_size_kb",
					     i % self->cpus), 8 + i % 3 * 32));
	}
	EXPECT_TRUE(emitters_stop(self->cpus));
	EXPECT_TRUE(reader_stop(reader));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		EXPECT_EQ(emitters[cpu].count, accounted(cpu))
			TH_LOG("CPU %d: %lld read, %lld overrun, %lld dropped, %lld there",
			       cpu, stat_of(cpu, "read events:"),
			       stat_of(cpu, "overrun:"),
			       stat_of(cpu, "dropped events:"),
			       stat_of(cpu, "entries:"));
	}
}

TEST_F_TIMEOUT(hyp, resets_while_writing, 120)
{
	pid_t reader;
	int cpu, i;

	ASSERT_EQ(0, put(HYP "buffer_size_kb", SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	emitters_start(self->cpus);
	reader = reader_start(RAW, self->cpus);
	for (i = 0; i < 60; i++) {
		ASSERT_EQ(0, put(HYP "trace", ""));
		ASSERT_EQ(0, put(path_of(HYP "per_cpu/cpu%d/trace",
					 i % self->cpus), ""));
		usleep(5000);
	}
	EXPECT_TRUE(emitters_stop(self->cpus));
	EXPECT_TRUE(reader_stop(reader));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		EXPECT_EQ(el2_written(cpu), accounted(cpu))
			TH_LOG("CPU %d", cpu);
		EXPECT_EQ(0, stat_of(cpu, "dropped events:"));
	}
}

TEST_F_TIMEOUT(hyp, tracing_that_goes_on_and_off, 120)
{
	pid_t readers[2];
	int cpu, i;

	ASSERT_EQ(0, put(HYP "events/hyp/enable", "1"));
	ASSERT_EQ(0, put(HYP "buffer_size_kb", "64"));
	emitters_start(self->cpus);
	readers[0] = reader_start(RAW, self->cpus);
	readers[1] = reader_start(TRACE, self->cpus);
	for (i = 0; i < 200; i++)
		ASSERT_EQ(0, put(HYP "tracing_on", i & 1 ? "0" : "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	EXPECT_TRUE(emitters_stop(self->cpus));
	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	EXPECT_TRUE(reader_stop(readers[0]));
	EXPECT_TRUE(reader_stop(readers[1]));

	/* EL2's number is of the ring that is loaded: of this one, then. */
	ASSERT_EQ(0, put(HYP "trace", ""));
	ASSERT_EQ(0, put(HYP "events/hyp/enable", "1"));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, emit(1, 10));
		ASSERT_EQ(0, put(HYP "tracing_on", "0"));
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	}
	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		EXPECT_EQ(el2_written(cpu), accounted(cpu))
			TH_LOG("CPU %d", cpu);
	}
}

/* Hundreds of times off and on, with events on all CPUs that are there. */
#define STORM	200

/* Sizes change meanwhile, whenever it happens. */
static void *resizer_thread(void *arg)
{
	int i;

	for (i = 0; !stopped(); i++) {
		put_num(HYP "buffer_size_kb", 64 + i % 5 * 8);
		usleep(3000);
	}
	return NULL;
}

TEST_F_TIMEOUT(hyp, cpus_that_come_and_go, 300)
{
	unsigned long emitted[MAX_CPUS] = { };
	pthread_t resizer;
	int cpu, i;

	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	ASSERT_EQ(0, put(HYP "buffer_size_kb", "64"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	stop = false;
	ASSERT_EQ(0, pthread_create(&resizer, NULL, resizer_thread, NULL));
	for (i = 0; i < STORM; i++) {
		int victim = 1 + i % (self->cpus - 1);
		const char *online =
			path_of("/sys/devices/system/cpu/cpu%d/online", victim);

		ASSERT_EQ(0, put(online, "0"));
		for (cpu = 0; cpu < self->cpus; cpu++) {
			if (cpu == victim)
				continue;
			ASSERT_EQ(0, run_on(cpu));
			ASSERT_EQ(0, emit(1, 5));
			emitted[cpu] += 5;
		}
		ASSERT_EQ(0, put(online, "1"));
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

TEST_F_TIMEOUT(hyp, guests_that_run, 120)
{
	pid_t reader;
	int cpu, i;

	ASSERT_EQ(0, put(HYP "buffer_size_kb", SMALL_KB));
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

/* What fails half-way ---------------------------------------------------------------- */

#define DEBUG	"/sys/kernel/debug/"
/*
 * A page each time at one of the points; what is less is noise. So is what is more, if
 * it is not less again when all is done once more: a leak would be there each time.
 */
#define LEAK_KB	200
#define TRIES	3

/* Write to an open file, with the nth allocation failing; whether one did. */
static bool write_failing(int fd, const char *text, int nth, int *error)
{
	int fail = open("/proc/thread-self/fail-nth", O_RDWR), left;
	char number[16];
	bool injected;

	*error = 0;
	if (pwrite(fail, number, sprintf(number, "%d", nth), 0) < 0)
		return false;
	if (pwrite(fd, text, strlen(text), 0) < 0)
		*error = errno;
	memset(number, 0, sizeof(number));
	pread(fail, number, sizeof(number) - 1, 0);
	left = atoi(number);
	injected = !left;
	pwrite(fail, "0", 1, 0);
	close(fail);
	return injected;
}

/* Have all allocations be ones that can fail, without a report of each. */
static bool fault_injection(void)
{
	static const char * const kinds[] = { "failslab", "fail_page_alloc" };
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (put(path_of(DEBUG "%s/ignore-gfp-wait", kinds[i]), "N") ||
		    put(path_of(DEBUG "%s/verbose", kinds[i]), "0"))
			return false;
	}
	return !put(DEBUG "fail_page_alloc/ignore-gfp-highmem", "N") &&
	       !put(DEBUG "fail_page_alloc/min-order", "0");
}

/* Free memory, without what is only kept because there is plenty. */
static long long free_memory(void)
{
	put("/proc/sys/vm/drop_caches", "3");
	usleep(200000);
	return free_kb();
}

/* Objects in use, of those that note what is shared with EL2, of 40 bytes. */
static long long shared_notes(void)
{
	return get_num("/proc/slabinfo", "\nkmalloc-64 ");
}

/* Has EL2 given the CPU's ring back? */
static bool unloaded(int cpu)
{
	int fd = pages_open();
	uint8_t meta[PAGE];
	bool gone = !page_read(fd, cpu, -1, meta);

	close(fd);
	return gone;
}

/* Off and empty, so that the memory goes back; wait for that, if it does. */
static void be_idle(void)
{
	int cpu, tries = 1000;

	put(HYP "tracing_on", "0");
	put(HYP "trace", "");
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		while (!unloaded(cpu) && tries--)
			usleep(10000);
}

/* Fail at each point @rounds times; returns how often that made turning on fail. */
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
			be_idle();
		}
		be_idle();
	}
	close(fd);
	return failures;
}

TEST_F_TIMEOUT(hyp, each_allocation_of_turning_on_can_fail, 600)
{
	long long before, less = LEAK_KB, shared_before, shared_after;
	const int rounds = 60 / self->cpus;
	int try, failures;

	if (!fault_injection())
		SKIP(return, "needs fault injection");

	ASSERT_EQ(0, put(HYP "buffer_size_kb", SMALL_KB));
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

/* As turn_on_failing(), for a resize and one back. */
static int resize_failing(struct __test_metadata *_metadata, int rounds)
{
	int fd = open(HYP "buffer_size_kb", O_WRONLY), failures = 0, nth, error;

	while (rounds--) {
		const char *size = rounds & 1 ? "16" : "8";
		const char *other = rounds & 1 ? "8" : "16";

		for (nth = 1; write_failing(fd, size, nth, &error); nth++) {
			long long there = accounted(0);

			if (!error)
				ASSERT_EQ(0, put(HYP "buffer_size_kb", other));
			failures += !!error;
			EXPECT_TRUE(!error || error == ENOMEM);

			/* Whichever it has now, it is a buffer. */
			EXPECT_EQ(1, get_num(HYP "tracing_on", ""));
			ASSERT_EQ(0, emit(1, 3));
			EXPECT_EQ(there + 3, accounted(0))
				TH_LOG("failure %d, %d rounds to go: events are missing",
				       nth, rounds);
		}
	}
	close(fd);
	ASSERT_EQ(0, put(HYP "buffer_size_kb", SMALL_KB));
	return failures;
}

TEST_F_TIMEOUT(hyp, each_allocation_of_a_resize_can_fail, 600)
{
	long long before, less = LEAK_KB;
	int try, failures, cpu;

	if (!fault_injection())
		SKIP(return, "needs fault injection");

	ASSERT_EQ(0, put(HYP "buffer_size_kb", SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (try = 0; try < TRIES && less >= LEAK_KB; try++) {
		before = free_memory();
		failures = resize_failing(_metadata, 6);
		less = before - free_memory();
		TH_LOG("%d allocations failed, %lld KiB less", failures, less);
		EXPECT_LT(30 * self->cpus, failures);
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

/* A reader that could not be opened holds nothing: the memory goes back. */
TEST_F_TIMEOUT(hyp, each_allocation_of_opening_a_reader_can_fail, 120)
{
	static const char * const files[] = {
		"trace", "trace_pipe", "per_cpu/cpu0/trace_pipe",
		"per_cpu/cpu0/trace_pipe_raw", "per_cpu/cpu0/trace", "set_event",
	};
	long long before, after;
	int fd, nth, failures = 0;
	size_t i;

	if (!fault_injection())
		SKIP(return, "needs fault injection");

	ASSERT_EQ(0, put(HYP "buffer_size_kb", "4096"));
	be_idle();
	before = free_memory();
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 10));
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
	EXPECT_EQ(10, stat_of(0, "entries:"));
	be_idle();
	after = free_memory();
	TH_LOG("%d failures, %lld KiB less", failures, before - after);
	if (memory_counts())
		EXPECT_GT(LEAK_KB, before - after);
}

TEST_HARNESS_MAIN
