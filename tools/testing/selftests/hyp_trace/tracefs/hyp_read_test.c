// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the ways to read the events, as people and tools use them; and of fixes for all
 * instances.
 */

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "hyp_fixture.h"

TEST_F(hyp, clearing_keeps_what_is_not_cleared)
{
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, put(HYP "buffer_percent", "25"));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(10, stat_of(0, "entries:"));
	ASSERT_EQ(0, put(HYP "trace", "0"));
	EXPECT_EQ(25, get_num(HYP "buffer_percent", ""));
	EXPECT_EQ(1, get_num(HYP "tracing_on", ""));
	EXPECT_EQ(0, stat_of(0, "entries:"));
	ASSERT_EQ(0, put(HYP "buffer_percent", "50"));
}

TEST_F(hyp, free_buffer_stops_tracing_and_makes_it_small)
{
	int fd;

	ASSERT_EQ(0, put(HYP "options/disable_on_free", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	fd = open(HYP "free_buffer", O_WRONLY);
	ASSERT_LE(0, fd);
	EXPECT_EQ(1, get_num(HYP "tracing_on", ""));
	close(fd);
	EXPECT_EQ(0, get_num(HYP "tracing_on", ""));
	EXPECT_GE(scaled(SMALL_KB), get_num(HYP "buffer_size_kb", ""));
	EXPECT_LT(0, get_num(HYP "buffer_size_kb", ""));
}

/* Read trace_pipe until it is empty, with a buffer of @size bytes. */
static char *read_pipe(size_t size)
{
	int fd = open(HYP "trace_pipe", O_RDONLY | O_NONBLOCK);
	char *text = calloc(1, 1 << 20);
	size_t len = 0;
	ssize_t n;

	while (len + size < 1 << 20 && (n = read(fd, text + len, size)) > 0)
		len += n;
	close(fd);
	return text;
}

TEST_F(hyp, buffers_of_any_size_give_the_same)
{
	static const size_t sizes[] = { 1, 7, 100, 4096, 1 << 19 };
	bool ordered;
	char *text;
	size_t i;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		ASSERT_EQ(0, emit(1, 300));
		text = read_pipe(sizes[i]);
		EXPECT_EQ(300, ids_in_order(text, &ordered))
			TH_LOG("with %zu bytes", sizes[i]);
		EXPECT_TRUE(ordered);
		free(text);
	}
}

/* How often each id has been read; in memory that processes share. */
static int *seen;

static void count_id(unsigned long id)
{
	__atomic_fetch_add(&seen[id % (EVENTS + 1)], 1, __ATOMIC_RELAXED);
}

static void count_event(void *type, const struct event *e)
{
	if (e->type == *(int *)type)
		count_id(payload_u64(e));
}

static void count_text(const char *text)
{
	while ((text = strstr(text, "selftest: id=")))
		count_id(strtoul(text += 13, NULL, 10));
}

/* trace_pipe has one reader at a time, trace_pipe_raw any number. */
TEST_F(hyp, several_readers_get_each_event_once)
{
	int i, status, type = event_id("selftest");

	seen = mmap(NULL, (EVENTS + 1) * sizeof(*seen), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, seen);
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, EVENTS));
	for (i = 0; i < 3; i++)
		if (!fork())
			_exit(read_raw(0, count_event, &type) < 0);
	count_text(read_pipe(100));
	for (i = 0; wait(&status) > 0; i++)
		EXPECT_EQ(0, status);
	EXPECT_EQ(3, i);
	for (i = 1; i <= EVENTS; i++)
		EXPECT_EQ(1, seen[i])
			TH_LOG("event %d", i);
}

/* A child that sleeps in a read of trace_pipe, the only place where it can sleep. */
static pid_t blocked_reader(void)
{
	pid_t pid = fork();

	if (!pid) {
		int fd = open(HYP "trace_pipe", O_RDONLY);
		char buf[4096];

		while (read(fd, buf, sizeof(buf)) > 0)
			;
		_exit(0);
	}
	while (!is_sleeping(pid) && !waitpid(pid, NULL, WNOHANG))
		usleep(1000);
	return pid;
}

TEST_F(hyp, a_blocked_reader_can_be_interrupted_and_killed)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGKILL };
	bool ordered;
	size_t i;
	char *text;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		pid_t pid = blocked_reader();
		int status;

		ASSERT_EQ(0, kill(pid, signals[i]));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		EXPECT_EQ(signals[i], WTERMSIG(status));

		/* The next reader works. */
		ASSERT_EQ(0, emit(1, 20));
		text = read_pipe(4096);
		EXPECT_EQ(20, ids_in_order(text, &ordered));
		free(text);
	}
}

/* The output of a shell command; the caller frees it. */
static char *output_of(const char *command)
{
	char *text = calloc(1, 65536);
	FILE *from = popen(command, "r");

	if (from) {
		fread(text, 1, 65535, from);
		pclose(from);
	}
	return text;
}

/*
 * Run a command until it has printed that many lines and waits for more; then kill it.
 * It prints to a file, as a pipe could not be read while the command waits in splice().
 */
static char *lines_of(const char *command, int lines)
{
	int fd = memfd_create("lines", 0), tries = TIMEOUT_MS / 10;
	char *text = calloc(1, 65536);
	pid_t pid = fork();

	if (!pid) {
		dup2(fd, STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	do {
		usleep(10000);
		pread(fd, text, 65535, 0);
	} while (count_of(text, "\n") < lines && tries--);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
	return text;
}

TEST_F(hyp, shell_commands_do_what_they_do_with_any_file)
{
	bool ordered;
	char *text;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 5));
	text = output_of("head -n 1 " HYP "trace_pipe");
	EXPECT_EQ(1, ids_in_order(text, &ordered));
	free(text);

	ASSERT_EQ(0, put(HYP "trace", ""));
	ASSERT_EQ(0, emit(1, 5));
	text = output_of("grep -c selftest " HYP "trace");
	EXPECT_STREQ("5\n", text);
	free(text);

	text = lines_of("exec dd bs=1 if=" HYP "trace_pipe 2>/dev/null", 5);
	EXPECT_EQ(5, ids_in_order(text, &ordered));
	EXPECT_TRUE(ordered);
	EXPECT_EQ(0, stat_of(0, "entries:"));
	free(text);

	ASSERT_EQ(0, emit(1, 5));
	text = lines_of("exec cat " HYP "per_cpu/cpu0/trace_pipe", 5);
	EXPECT_EQ(5, ids_in_order(text, &ordered));
	EXPECT_TRUE(ordered);
	EXPECT_EQ(0, stat_of(0, "entries:"));
	free(text);
}

TEST_F(hyp, poll_waits_for_as_much_as_buffer_percent_says)
{
	struct pollfd pfd = { .events = POLLIN };
	int events = get_num(HYP "per_cpu/cpu0/buffer_size_kb", "") * 1024 / SELFTEST_SIZE;

	pfd.fd = open(HYP "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, pfd.fd);
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));

	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	EXPECT_EQ(0, poll(&pfd, 1, 50));
	ASSERT_EQ(0, emit(1, 1));
	EXPECT_EQ(1, poll(&pfd, 1, TIMEOUT_MS));

	ASSERT_EQ(0, put(HYP "buffer_percent", "50"));
	ASSERT_EQ(0, emit(2, events * 4 / 10));
	EXPECT_EQ(0, poll(&pfd, 1, 50));
	ASSERT_EQ(0, emit(2, events * 6 / 10));
	EXPECT_EQ(1, poll(&pfd, 1, TIMEOUT_MS));
	close(pfd.fd);
}

TEST_F(hyp, ordinary_sizes_that_overflow_are_refused)
{
	long long before;

	ASSERT_EQ(0, mkdir(FOO, 0700));
	before = get_num(FOO "buffer_size_kb", "");
	EXPECT_EQ(-ERANGE, put(FOO "buffer_size_kb", "18014398509481985"));
	EXPECT_EQ(before, get_num(FOO "buffer_size_kb", ""));
	EXPECT_EQ(0, put(FOO "buffer_size_kb", "64"));
	before = get_num(FOO "buffer_subbuf_size_kb", "");
	EXPECT_EQ(-EINVAL, put(FOO "buffer_subbuf_size_kb", "18014398509481988"));
	EXPECT_EQ(-EINVAL, put(FOO "buffer_subbuf_size_kb", "17179869188"));
	EXPECT_EQ(before, get_num(FOO "buffer_subbuf_size_kb", ""));
	EXPECT_EQ(0, rmdir(FOO));
}

/* Fixes for all instances: patches/0001 and 0003 ----------------------------- */

static void *map_first_page(int fd)
{
	return mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, 0);
}

/* There is no snapshot while a mapping exists; a wrong count also causes a warning. */
TEST_F(hyp, ordinary_mappings_are_counted_when_one_is_moved)
{
	void *first, *second, *place = (void *)0x7000000000;
	const size_t size = page_size();
	int fd;

	ASSERT_EQ(0, mkdir(FOO, 0700));
	fd = open(FOO "per_cpu/cpu0/trace_pipe_raw", O_RDONLY);
	first = map_first_page(fd);
	second = map_first_page(fd);
	ASSERT_NE(MAP_FAILED, first);
	ASSERT_NE(MAP_FAILED, second);
	EXPECT_EQ(place, mremap(first, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place));
	EXPECT_EQ(-EBUSY, put(FOO "snapshot", "1"));
	EXPECT_EQ(0, munmap(place, size));
	EXPECT_EQ(-EBUSY, put(FOO "snapshot", "1"));
	EXPECT_EQ(0, munmap(second, size));
	EXPECT_EQ(0, put(FOO "snapshot", "1"));
	close(fd);
	EXPECT_EQ(0, rmdir(FOO));
}

TEST_HARNESS_MAIN
