// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of pages of the ring that readers have: in a pipe, or from read(). Whatever happens to
 * the ring meanwhile, they stay as they are, and come back. And of what is spliced, pages and text;
 * text in ordinary instances, too (patches/0004).
 */

#include <fcntl.h>

#include "hyp_fail.h"
#include "hyp_fixture.h"

/* The pages that a pipe holds; the ring has as many spares, and the reader page. */
#define PIPE_PAGES	16

/* Pages of CPU 0 in a pipe. */
struct piped {
	int	raw;
	int	ends[2];
};

static bool piped_open(struct piped *p, int pages)
{
	p->raw = open(HYP "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	return p->raw >= 0 && !pipe(p->ends) &&
	       fcntl(p->ends[1], F_SETPIPE_SZ, pages * page_size()) == pages * page_size();
}

static void piped_close(struct piped *p)
{
	close(p->ends[0]);
	close(p->ends[1]);
	close(p->raw);
}

/* Move up to @pages pages into the pipe; returns their number. */
static int piped_fill(const struct piped *p, int pages)
{
	ssize_t moved = splice(p->raw, NULL, p->ends[1], NULL, (size_t)pages * page_size(),
			       SPLICE_F_NONBLOCK);

	return moved < 0 ? moved : moved / page_size();
}

/* Decode @pages pages that are in the pipe; returns the number of their events, or -1. */
static int piped_read(int end, int pages, struct stream *s)
{
	uint8_t page[page_size()];
	int events = 0;

	while (pages--) {
		if (read(end, page, sizeof(page)) != sizeof(page))
			return -1;
		events += decode_page(page, check_stream, s);
	}
	return events;
}

/* Reserved memory has no spares, so readers get copies. */
static bool is_reserved(void)
{
	return count_in("/proc/cmdline", "kvm-arm.hyp_trace_mem=");
}

/* Does the page have what write_to_page() has written to the ring's? */
static bool is_the_rings(const uint8_t *page)
{
	return !memcmp(page + page_size() / 2, "written by the test", 19);
}

/* Write to the page of the ring that begins after @events events. */
static int write_to_page(int events)
{
	int fd = pages_open(), id = page_after(fd, 0, events);
	off_t at = page_offset(0, id) + page_size() / 2;

	if (pwrite(fd, "written by the test", 19, at) != 19)
		id = -1;
	close(fd);
	return id;
}

TEST_F(hyp, readers_get_the_rings_own_pages)
{
	const int per_page = events_per_page();
	uint8_t page[page_size()];
	struct piped p;

	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 3 * per_page));
	ASSERT_TRUE(piped_open(&p, PIPE_PAGES));
	ASSERT_EQ(1, piped_fill(&p, 1));
	ASSERT_LE(0, write_to_page(0));
	ASSERT_EQ(sizeof(page), read(p.ends[0], page, sizeof(page)));
	EXPECT_EQ(!is_reserved(), is_the_rings(page));
	piped_close(&p);
}

static int go_around(void)
{
	return emit(1, 200 * events_per_page());
}

/* Another reader takes what the pipe has no room for, so that all spares come into the ring. */
static int be_read(void)
{
	int round, events = 50 * events_per_page(), read = 0;

	for (round = 0; round < 10; round++) {
		if (emit(1, events))
			return -1;
		read += read_raw(0, NULL, NULL);
	}
	return read < 5 * events ? -1 : 0;
}

static int be_reset(void)
{
	return put(HYP "trace", "") ?: go_around();
}

static int be_resized(void)
{
	return set_size_kb(64) ?: go_around() ?: set_size_kb(256) ?: go_around();
}

/* The page allocator has the ring's other pages, and may give them to anybody. */
static int be_unloaded(void)
{
	uint8_t *memory;
	int ret;

	if (!be_idle())
		return -1;
	memory = malloc(32 << 20);
	memset(memory, 0x5a, 32 << 20);
	ret = put(HYP "tracing_on", "1") ?: go_around();
	free(memory);
	return ret;
}

static int go_offline(void)
{
	return set_online(1, false) ?: go_around() ?: set_online(1, true);
}

static const struct {
	const char	*what;
	int		(*happens)(void);
	bool		closes;		/* all files of the ring must be closed */
	int		cpus;
} events_of_a_ring[] = {
	{ "the writer goes around", go_around },
	{ "another reader reads", be_read },
	{ "a reset", be_reset },
	{ "a change of size", be_resized },
	{ "an unload", be_unloaded, true },
	{ "CPU hotplug", go_offline, false, 2 },
};

/* A pipe has more room than there are spares: the other pages are copies. */
TEST_F(hyp, what_is_in_a_pipe_stays_as_it_is)
{
	const int per_page = events_per_page(), pages = 2 * PIPE_PAGES;
	struct stream s;
	struct piped p;
	int i, got;

	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	for (i = 0; i < ARRAY_SIZE(events_of_a_ring); i++) {
		if (self->cpus < events_of_a_ring[i].cpus)
			continue;

		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
		ASSERT_EQ(0, emit_pages(40));
		ASSERT_TRUE(piped_open(&p, pages));
		for (got = 0; got < pages; got += PIPE_PAGES)
			ASSERT_EQ(PIPE_PAGES, piped_fill(&p, PIPE_PAGES));
		if (events_of_a_ring[i].closes)
			close(p.raw);

		ASSERT_EQ(0, events_of_a_ring[i].happens())
			TH_LOG("%s", events_of_a_ring[i].what);
		s = stream_from(1);
		EXPECT_EQ(pages * per_page, piped_read(p.ends[0], pages, &s))
			TH_LOG("after %s", events_of_a_ring[i].what);
		EXPECT_EQ(0, s.errors)
			TH_LOG("after %s", events_of_a_ring[i].what);
		piped_close(&p);
	}
	ASSERT_EQ(0, put(HYP "buffer_percent", "50"));
}

/* The old ring is used again, but for the pages that the pipe has. */
TEST_F(hyp, what_is_in_a_pipe_survives_a_resize_that_fails)
{
	const int per_page = events_per_page();
	int fd = open(HYP "per_cpu/cpu0/buffer_size_kb", O_WRONLY), nth, error, failures = 0;
	char size[16];
	bool injected;

	if (!fault_injection())
		SKIP(return, "needs fault injection");

	sprintf(size, "%d", scaled(SMALL_KB));
	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	for (nth = 1, injected = true; injected; nth++) {
		struct stream s = stream_from(1);
		struct piped p;

		ASSERT_EQ(0, set_size_kb(256));
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
		ASSERT_EQ(0, emit_pages(20));
		ASSERT_TRUE(piped_open(&p, PIPE_PAGES));
		ASSERT_EQ(PIPE_PAGES, piped_fill(&p, PIPE_PAGES));
		injected = write_failing(fd, size, nth, &error);
		failures += !!error;
		ASSERT_EQ(0, go_around());
		EXPECT_EQ(PIPE_PAGES * per_page, piped_read(p.ends[0], PIPE_PAGES, &s))
			TH_LOG("allocation %d", nth);
		EXPECT_EQ(0, s.errors)
			TH_LOG("allocation %d", nth);
		EXPECT_LT(0, read_raw(0, NULL, NULL))
			TH_LOG("allocation %d", nth);
		piped_close(&p);
	}
	/* Allocations of the new ring's pages fail; and others, when the old ring is unloaded. */
	EXPECT_LT(8, failures);
	close(fd);
	ASSERT_EQ(0, put(HYP "buffer_percent", "50"));
}

/*
 * A reader has a page of the ring, pipes have all others that are not in it, and there is no memory
 * for a copy. That is an error, and not the end of the trace.
 */
TEST_F(hyp, a_read_without_memory_fails)
{
	const int per_page = events_per_page(), pages = 2 * PIPE_PAGES;
	uint8_t page[page_size()];
	struct stream s = stream_from(1);
	int raw, got, error;
	struct piped p;

	if (is_reserved())
		SKIP(return, "readers get copies");
	if (!fault_injection())
		SKIP(return, "needs fault injection");

	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit_pages(40));
	raw = open(HYP "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	ASSERT_EQ(sizeof(page), read(raw, page, sizeof(page)));
	EXPECT_EQ(per_page, decode_page(page, check_stream, &s));
	ASSERT_TRUE(piped_open(&p, pages));
	for (got = 0; got < pages; got += PIPE_PAGES)
		ASSERT_EQ(PIPE_PAGES, piped_fill(&p, PIPE_PAGES));

	EXPECT_EQ(-1, read_failing(raw, page, sizeof(page), &error));
	EXPECT_EQ(ENOMEM, error);
	EXPECT_EQ(pages * per_page, piped_read(p.ends[0], pages, &s));
	ASSERT_EQ(sizeof(page), read(raw, page, sizeof(page)));
	EXPECT_EQ(per_page, decode_page(page, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	close(raw);
	piped_close(&p);
	ASSERT_EQ(0, put(HYP "buffer_percent", "50"));
}

/* Two pipes have the same pages: they come back when both have been read. */
TEST_F(hyp, pages_that_two_pipes_have)
{
	const int per_page = events_per_page();
	struct stream s = stream_from(1), again = stream_from(1);
	struct piped p, other;

	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit_pages(20));
	ASSERT_TRUE(piped_open(&p, PIPE_PAGES));
	ASSERT_TRUE(piped_open(&other, PIPE_PAGES));
	ASSERT_EQ(PIPE_PAGES, piped_fill(&p, PIPE_PAGES));
	ASSERT_EQ(PIPE_PAGES * page_size(),
		  tee(p.ends[0], other.ends[1], PIPE_PAGES * page_size(), 0));
	EXPECT_EQ(PIPE_PAGES * per_page, piped_read(p.ends[0], PIPE_PAGES, &s));
	ASSERT_EQ(0, go_around());
	ASSERT_LT(0, read_raw(0, NULL, NULL));
	EXPECT_EQ(PIPE_PAGES * per_page, piped_read(other.ends[0], PIPE_PAGES, &again));
	EXPECT_EQ(0, s.errors + again.errors);
	piped_close(&p);
	piped_close(&other);
}

/* Pages that come back while there is a ring, or when it is gone, are not lost. */
TEST_F(hyp, pages_of_pipes_do_not_leak)
{
	const int rounds = rounds_of(100), per_page = events_per_page();
	long long before = 0, after;
	struct piped p;
	int i;

	if (!memory_counts())
		SKIP(return, "this kernel can't tell what memory is free");

	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	for (i = 0; i < 2 * rounds; i++) {
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
		ASSERT_EQ(0, emit(1, 20 * per_page));
		ASSERT_TRUE(piped_open(&p, PIPE_PAGES));
		ASSERT_EQ(PIPE_PAGES, piped_fill(&p, PIPE_PAGES));
		close(p.raw);
		ASSERT_TRUE(i % 2 || be_idle());
		piped_close(&p);
		ASSERT_TRUE(be_idle());
		if (i == rounds)
			before = free_memory();
	}
	after = free_memory();
	/* All pages of these rounds would be far more. */
	EXPECT_GT((long long)(rounds * PIPE_PAGES * page_size() / 1024 / 4), before - after)
		TH_LOG("%lld KiB free, then %lld", before, after);
}

/* Splicing: pages, and text ------------------------------------------------------ */

/* Splice pages of CPU 0 into a pipe, and decode what comes out of it. */
static int splice_raw(event_fn fn, void *data)
{
	int fd = open(HYP "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	const ssize_t size = page_size();
	int pipes[2], count = 0;
	uint8_t page[size];

	if (pipe(pipes))
		return -1;
	while (splice(fd, NULL, pipes[1], NULL, size, SPLICE_F_NONBLOCK) == size &&
	       read(pipes[0], page, size) == size)
		count += decode_page(page, fn, data);
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
	return count;
}

/* As in ftrace generally, splice moves full pages; read takes the rest. */
TEST_F(hyp, splice_gives_full_pages_and_read_the_rest)
{
	struct stream s = stream_from(1);
	int spliced;

	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, EVENTS));
	spliced = splice_raw(check_stream, &s);
	EXPECT_LT(EVENTS - events_per_page(), spliced);
	EXPECT_EQ(EVENTS - spliced, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	EXPECT_EQ(EVENTS, stat_of(0, "read events:"));
	ASSERT_EQ(0, put(HYP "buffer_percent", "50"));
}

/* All text of a trace_pipe, spliced @at_once bytes at a time; the caller frees it. */
static char *spliced(const char *trace_pipe, size_t at_once)
{
	char *text = calloc(1, 1);
	int pipes[2], fd, error;
	size_t len = 0;
	ssize_t n;

	if (pipe(pipes))
		return text;
	fd = open(trace_pipe, O_RDONLY | O_NONBLOCK);
	while ((n = splice(fd, NULL, pipes[1], NULL, at_once, SPLICE_F_NONBLOCK)) > 0) {
		text = realloc(text, len + n + 1);
		n = read(pipes[0], text + len, n);
		if (n <= 0)
			break;
		len += n;
		text[len] = 0;
	}
	error = n < 0 ? errno : 0;
	close(fd);
	close(pipes[0]);
	close(pipes[1]);
	/* This is how the text ends. */
	if (error != EAGAIN)
		*text = 0;
	return text;
}

/* Splice all text of a trace_pipe; returns the number of events; are they in order? */
static int splice_text(const char *trace_pipe, bool *ordered)
{
	char *text = spliced(trace_pipe, 8192);
	int count = ids_in_order(text, ordered);

	free(text);
	return count;
}

TEST_F(hyp, text_can_be_spliced)
{
	bool ordered;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, EVENTS));
	EXPECT_EQ(EVENTS, splice_text(HYP "trace_pipe", &ordered));
	EXPECT_TRUE(ordered);
}

/* Do calls of functions that are spliced have all that the file "trace" of CPU 0 has? */
static bool graph_is_spliced(const char *dir, size_t at_once)
{
	static const char * const parts[] = { "{\n", "}", "();" };
	char *text = get(path_of("%sper_cpu/cpu0/trace", dir));
	char *other = spliced(path_of("%sper_cpu/cpu0/trace_pipe", dir), at_once);
	bool same = true;
	int i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		int count = count_of(text, parts[i]), spliced = count_of(other, parts[i]);

		/* More than fits into two pages of any size. */
		if (count < scaled(200) || count != spliced) {
			printf("# %zu bytes at once: %d of %d \"%s\"\n", at_once, spliced, count,
			       parts[i]);
			same = false;
		}
	}
	free(text);
	free(other);
	return same;
}

/* The tracer looks ahead: it has consumed a line that it has to print once more. */
static const size_t at_once[] = { 65536, 8192, 5000 };

TEST_F(hyp, text_of_calls_can_be_spliced)
{
	int i;

	if (put(HYP "current_tracer", "function_graph"))
		SKIP(return, "this kernel does not trace EL2's functions");
	for (i = 0; i < ARRAY_SIZE(at_once); i++) {
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
		ASSERT_EQ(0, write_test(HYP_TRACE_TEST_TREE, scaled(200)));
		ASSERT_EQ(0, put(HYP "tracing_on", "0"));
		EXPECT_TRUE(graph_is_spliced(HYP, at_once[i]));
		ASSERT_EQ(0, put(HYP "trace", ""));
	}
	ASSERT_EQ(0, put(HYP "current_tracer", "nop"));
}

TEST_F(hyp, ordinary_text_can_be_spliced)
{
	bool ordered;
	int i;

	ASSERT_EQ(0, mkdir(FOO, 0700));
	ASSERT_EQ(0, put(FOO "events/hyp_test/host_selftest/enable", "1"));
	for (i = 1; i <= EVENTS; i++)
		ASSERT_EQ(0, put_num(HYP "write_host_event", i));
	EXPECT_EQ(EVENTS, splice_text(FOO "trace_pipe", &ordered));
	EXPECT_TRUE(ordered);
	EXPECT_EQ(0, rmdir(FOO));
}

TEST_F(hyp, ordinary_text_of_calls_can_be_spliced)
{
	int i, round;

	if (!count_in(ROOT "available_tracers", "function_graph"))
		SKIP(return, "this kernel does not trace its functions");
	ASSERT_EQ(0, put(ROOT "tracing_on", "0"));
	ASSERT_EQ(0, put(ROOT "set_graph_function", "ksys_read"));
	ASSERT_EQ(0, put(ROOT "current_tracer", "function_graph"));
	for (i = 0; i < ARRAY_SIZE(at_once); i++) {
		ASSERT_EQ(0, put(ROOT "trace", ""));
		ASSERT_EQ(0, put(ROOT "tracing_on", "1"));
		for (round = 0; round < scaled(5); round++)
			free(get("/proc/self/status"));
		ASSERT_EQ(0, put(ROOT "tracing_on", "0"));
		EXPECT_TRUE(graph_is_spliced(ROOT, at_once[i]));
	}
	ASSERT_EQ(0, put(ROOT "current_tracer", "nop"));
	ASSERT_EQ(0, put(ROOT "set_graph_function", ""));
	ASSERT_EQ(0, put(ROOT "tracing_on", "1"));
}

TEST_HARNESS_MAIN
