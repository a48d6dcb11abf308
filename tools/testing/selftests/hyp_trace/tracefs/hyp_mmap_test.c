// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of trace_pipe_raw mapped into user space: the pages that EL2 writes are read
 * in place. The interface is that of linux/trace_mmap.h.
 */

#include <linux/trace_mmap.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "hyp_fail.h"
#include "hyp_fixture.h"

/* A mapping of a CPU's ring, and how far its reader page has been read. */
struct map {
	int				fd;
	size_t				size;
	struct trace_buffer_meta	*meta;
	const uint8_t			*pages;
	uint32_t			id;
	uint64_t			commit;
};

static int raw_open(int cpu)
{
	return open(path_of(HYP "per_cpu/cpu%d/trace_pipe_raw", cpu),
		    O_RDONLY | O_NONBLOCK);
}

static bool map_open(struct map *m, int cpu)
{
	void *where;

	m->fd = raw_open(cpu);
	m->meta = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, m->fd, 0);
	if (m->meta == MAP_FAILED)
		return false;
	m->size = (size_t)m->meta->nr_subbufs * m->meta->subbuf_size;
	where = mmap(NULL, m->size, PROT_READ, MAP_SHARED, m->fd,
		     m->meta->meta_page_size);
	if (where == MAP_FAILED)
		return false;
	m->pages = where;
	m->id = m->meta->reader.id;
	m->commit = m->meta->reader.read;
	return true;
}

static void map_close(struct map *m)
{
	munmap((void *)m->pages, m->size);
	munmap(m->meta, m->meta->meta_page_size);
	close(m->fd);
}

/*
 * Pass on the events after the first @skip ones in a copy of a page. The first ones are
 * decoded, too, as the time stamps of later ones depend on them.
 */
struct behind {
	uint64_t	skip;
	event_fn	fn;
	void		*data;
	int		count;
};

static void only_behind(void *data, const struct event *e)
{
	struct behind *b = data;
	struct event copy = *e;

	if (b->skip) {
		b->skip--;
		return;
	}
	b->count++;
	b->fn(b->data, &copy);
}

/* Read all unread events; returns their number, or -1. */
static int map_read(struct map *m, event_fn fn, void *data)
{
	uint8_t page[page_size()];
	int total = 0;

	while (1) {
		struct behind b = { .fn = fn, .data = data };
		uint64_t commit;
		int count;

		if (ioctl(m->fd, TRACE_MMAP_IOCTL_GET_READER))
			return -1;
		if (m->meta->reader.id >= m->meta->nr_subbufs)
			return -1;
		if (m->meta->reader.id != m->id)
			m->commit = 0;
		m->id = m->meta->reader.id;

		memcpy(page, m->pages + m->id * (size_t)m->meta->subbuf_size,
		       sizeof(page));
		memcpy(&commit, page + 8, 8);
		if ((commit & 0x3fffffff) == m->commit)
			return total;

		/* Count the events that have been read before. */
		memcpy(page + 8, &m->commit, 8);
		b.skip = decode_page(page, NULL, NULL);
		memcpy(page + 8, &commit, 8);
		m->commit = commit & 0x3fffffff;
		count = decode_page(page, only_behind, &b);
		if (count < 0)
			return -1;
		total += b.count;
	}
}

TEST_F(hyp, mapped_pages_hold_exactly_what_was_emitted)
{
	int cpu;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		struct stream s = stream_from(1);
		struct map m;

		ASSERT_EQ(0, run_on(cpu));
		ASSERT_EQ(0, emit(1, EVENTS));
		ASSERT_TRUE(map_open(&m, cpu));
		EXPECT_EQ(sizeof(*m.meta), m.meta->meta_struct_len);
		EXPECT_EQ(EVENTS, m.meta->entries);
		EXPECT_EQ(EVENTS, map_read(&m, check_stream, &s));
		EXPECT_EQ(0, s.errors);
		EXPECT_EQ(0, m.meta->entries);
		EXPECT_EQ(EVENTS, m.meta->read);
		EXPECT_EQ(EVENTS, stat_of(cpu, "read events:"));
		map_close(&m);
	}
}

TEST_F(hyp, a_page_that_is_being_written_can_be_followed)
{
	struct stream s = stream_from(1);
	struct map m;
	int i;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_TRUE(map_open(&m, 0));
	for (i = 1; i <= 1000; i++) {
		ASSERT_EQ(0, emit(i, i));
		ASSERT_EQ(1, map_read(&m, check_stream, &s));
	}
	EXPECT_EQ(0, s.errors);
	map_close(&m);
}

TEST_F(hyp, it_can_be_mapped_before_tracing_is_on)
{
	struct stream s = stream_from(1);
	struct map m;

	ASSERT_TRUE(map_open(&m, 0));
	EXPECT_EQ(0, map_read(&m, check_stream, &s));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 500));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	/* The mapping keeps the ring loaded though tracing is off and all is read. */
	EXPECT_EQ(500, map_read(&m, check_stream, &s));
	usleep(100000);
	EXPECT_EQ(0, map_read(&m, check_stream, &s));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(501, 600));
	EXPECT_EQ(100, map_read(&m, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	map_close(&m);
}

TEST_F(hyp, lost_events_are_told_exactly)
{
	struct stream s = stream_from(1);
	struct map m;

	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_TRUE(map_open(&m, 0));
	ASSERT_EQ(0, emit(1, 10));
	ASSERT_EQ(10, map_read(&m, check_stream, &s));
	ASSERT_EQ(0, emit(11, MANY));
	/* The rest of the reader page is read first, then the first page after the gap. */
	EXPECT_LT(0, map_read(&m, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	EXPECT_EQ(MANY, s.count + s.lost);
	EXPECT_EQ(m.meta->overrun, s.lost);
	map_close(&m);
}

TEST_F(hyp, the_page_stays_until_it_is_asked_for)
{
	/* Half a page, and all of a small buffer. */
	const int few = scaled(100), more = scaled(1000);
	struct pollfd pfd = { .events = POLLIN };
	struct stream s = stream_from(1);
	uint32_t id;
	struct map m;
	int i;

	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_TRUE(map_open(&m, 0));
	ASSERT_EQ(0, emit(1, few));
	ASSERT_EQ(few, map_read(&m, check_stream, &s));
	id = m.meta->reader.id;

	/* poll() and reading the statistics do not change the reader page. */
	ASSERT_EQ(0, emit(few + 1, more));
	pfd.fd = m.fd;
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(1, poll(&pfd, 1, TIMEOUT_MS));
		EXPECT_LT(0, stat_of(0, "entries:"));
		usleep(20000);
	}
	ASSERT_EQ(0, emit(more + 1, MANY));
	EXPECT_EQ(id, m.meta->reader.id);
	EXPECT_LT(0, map_read(&m, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	EXPECT_EQ(MANY, s.count + s.lost);
	map_close(&m);
}

/* The ring that is mapped is loaded, and those of other CPUs can't be, for lack of memory. */
TEST_F(hyp, tracing_that_cannot_be_turned_on_leaves_it)
{
	int fd = open(HYP "tracing_on", O_WRONLY), nth, error, failures = 0;
	bool injected;
	struct map m;

	if (memory_is_reserved())
		SKIP(return, "memory is reserved, so there is always enough");
	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");
	if (!fault_injection())
		SKIP(return, "needs fault injection");

	/* There is an allocation for each page. */
	ASSERT_EQ(0, set_size_kb(4 * SMALL_KB));
	for (nth = 1, injected = true; injected; nth++) {
		struct stream s = stream_from(1);

		ASSERT_TRUE(map_open(&m, 0));
		injected = write_failing(fd, "1", nth, &error);
		failures += error == ENOMEM;
		EXPECT_EQ(!error, get_num(HYP "tracing_on", ""))
			TH_LOG("allocation %d: error %d", nth, error);
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
		ASSERT_EQ(0, emit(1, 500));
		EXPECT_EQ(500, map_read(&m, check_stream, &s))
			TH_LOG("allocation %d", nth);
		EXPECT_EQ(0, s.errors);
		map_close(&m);
		ASSERT_TRUE(be_idle());
	}
	close(fd);
	/* Allocations of a ring's pages fail. */
	EXPECT_LT(8, failures);
}

TEST_F(hyp, a_reset_empties_it)
{
	struct stream s = stream_from(1);
	uint64_t commit;
	struct map m;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_TRUE(map_open(&m, 0));
	ASSERT_EQ(0, emit(1, 1000));
	ASSERT_EQ(1000, map_read(&m, check_stream, &s));
	ASSERT_EQ(0, emit(1001, 2000));
	ASSERT_EQ(0, put(HYP "trace", ""));
	ASSERT_LT(m.meta->reader.id, m.meta->nr_subbufs);
	memcpy(&commit, m.pages + (size_t)m.meta->reader.id * page_size() + 8, sizeof(commit));
	EXPECT_EQ(0, commit);
	EXPECT_EQ(0, m.meta->reader.read);
	EXPECT_EQ(0, m.meta->entries);
	m.id = UINT32_MAX;
	EXPECT_EQ(0, map_read(&m, check_stream, &s));
	ASSERT_EQ(0, emit(1, 1000));
	s = stream_from(1);
	EXPECT_EQ(1000, map_read(&m, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	map_close(&m);
}

/* Emits 1..@arg on CPU 0. */
static void *emit_many(void *arg)
{
	run_on(0);
	emit(1, (unsigned long)arg);
	return NULL;
}

TEST_F(hyp, reading_while_writing_gets_each_event_once)
{
	struct stream s = stream_from(1);
	pthread_t thread;
	struct map m;

	s.pid = 0;
	ASSERT_EQ(0, set_size_kb(64));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_TRUE(map_open(&m, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, emit_many, (void *)MANY));
	run_on(self->cpus - 1);
	/* The last events stay, however many are lost before. */
	while (s.next <= MANY)
		ASSERT_LE(0, map_read(&m, check_stream, &s));
	pthread_join(thread, NULL);
	ASSERT_LE(0, map_read(&m, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	EXPECT_EQ(MANY + 1, s.next);
	map_close(&m);
}

TEST_F(hyp, mapped_memory_cannot_be_written_or_grown)
{
	const size_t page = page_size();
	void *where;
	struct map m;
	int fd;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_TRUE(map_open(&m, 0));
	EXPECT_EQ(-1, mprotect(m.meta, page, PROT_READ | PROT_WRITE));
	EXPECT_EQ(-1, mprotect((void *)m.pages, m.size, PROT_READ | PROT_WRITE));
	EXPECT_EQ(-1, mprotect((void *)m.pages, m.size, PROT_READ | PROT_EXEC));
	EXPECT_EQ(MAP_FAILED, mremap((void *)m.pages, m.size, m.size * 2,
				     MREMAP_MAYMOVE));
	EXPECT_EQ(-1, munmap((void *)m.pages, page));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, m.size + page, PROT_READ, MAP_SHARED,
				   m.fd, page));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, page, PROT_READ, MAP_SHARED, m.fd,
				   m.size + page));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, page, PROT_READ, MAP_PRIVATE, m.fd, 0));

	fd = open(path_of(HYP "per_cpu/cpu0/trace_pipe_raw"), O_RDWR);
	if (fd >= 0) {
		where = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		EXPECT_EQ(MAP_FAILED, where);
		close(fd);
	}

	/* A mapping that was moved as a whole still works. */
	where = mremap((void *)m.pages, m.size, m.size,
		       MREMAP_MAYMOVE | MREMAP_FIXED, (void *)0x7000000000);
	EXPECT_EQ((void *)0x7000000000, where);
	m.pages = where;
	ASSERT_EQ(0, emit(1, 100));
	struct stream s = stream_from(1);

	EXPECT_EQ(100, map_read(&m, check_stream, &s));
	map_close(&m);
}

TEST_F(hyp, size_is_fixed_while_mapped)
{
	long long before;
	struct map m;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	before = get_num(HYP "buffer_size_kb", "");
	ASSERT_TRUE(map_open(&m, 0));
	EXPECT_EQ(-EBUSY, set_size_kb(64));
	EXPECT_EQ(-EBUSY, put(HYP "per_cpu/cpu0/buffer_size_kb", "64"));
	EXPECT_EQ(before, get_num(HYP "buffer_size_kb", ""));
	map_close(&m);
	EXPECT_EQ(0, set_size_kb(64));
}

TEST_F(hyp, without_a_mapping_there_is_no_reader_to_get)
{
	int fd;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	fd = raw_open(0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, ioctl(fd, TRACE_MMAP_IOCTL_GET_READER));
	EXPECT_EQ(ENODEV, errno);
	close(fd);
}

static void ignore_event(void *data, const struct event *e)
{
}

TEST_F(hyp, a_killed_reader_leaves_nothing_behind)
{
	int i, status;
	struct map m;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (i = 0; i < 5; i++) {
		int pipes[2];
		pid_t pid;
		char c;

		ASSERT_EQ(0, pipe(pipes));
		pid = fork();
		if (!pid) {
			if (!map_open(&m, 0) || write(pipes[1], "x", 1) != 1)
				_exit(1);
			while (map_read(&m, ignore_event, NULL) >= 0)
				;
			_exit(1);
		}
		ASSERT_EQ(1, read(pipes[0], &c, 1));
		ASSERT_EQ(0, emit(1, EVENTS));
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		EXPECT_EQ(SIGKILL, WTERMSIG(status));
		close(pipes[0]);
		close(pipes[1]);
		/* A resize shows that the mapping is gone. */
		EXPECT_EQ(0, set_size_kb(64 + 64 * (i & 1)));
	}
}

static unsigned long resets;
static bool reset_failed;

static void *resetter_thread(void *unused)
{
	while (!stopped()) {
		if (put(HYP "trace", ""))
			reset_failed = true;
		__atomic_add_fetch(&resets, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static unsigned long resets_so_far(void)
{
	return __atomic_load_n(&resets, __ATOMIC_ACQUIRE);
}

/* Events are lost before the reader page, so that the meta page has a loss to tell. */
TEST_F(hyp, a_ring_can_be_reset_while_it_is_read)
{
	const int lossy = scaled(1500) < MANY ? scaled(1500) : MANY;
	pthread_t resetter;
	struct map m;
	int i;

	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_TRUE(map_open(&m, 0));
	stop = false;
	ASSERT_EQ(0, pthread_create(&resetter, NULL, resetter_thread, NULL));
	for (i = 0; i < rounds_of(60); i++) {
		unsigned long before = resets_so_far();

		ASSERT_EQ(0, emit(1, lossy));
		EXPECT_EQ(0, ioctl(m.fd, TRACE_MMAP_IOCTL_GET_READER));
		EXPECT_EQ(0, ioctl(m.fd, TRACE_MMAP_IOCTL_GET_READER));
		/* Wait for at least one reset each time. */
		while (resets_so_far() == before)
			usleep(100);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(resetter, NULL);
	EXPECT_FALSE(reset_failed);
	ASSERT_EQ(0, put(HYP "trace", ""));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(0, ioctl(m.fd, TRACE_MMAP_IOCTL_GET_READER));
	EXPECT_EQ(10, m.meta->read);
	map_close(&m);
}

TEST_HARNESS_MAIN
