// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of hyp/trace_marker: what users write is among the hypervisor's events, in the record that
 * ftrace's own trace_marker has.
 */

#include "hyp_suite.h"

#define MARKER	HYP "trace_marker"
#define MAX	112

static int print_type, ip_offset, text_offset;

/* What was recorded. */
static struct recorded {
	int		marks, events, errors;
	uint64_t	ip, ts;
	char		text[256];	/* of the last mark, with what follows it */
	unsigned int	size;
	char		order[64];	/* a letter for each record */
} rec;

static void take(void *data, const struct event *e)
{
	size_t n = strlen(rec.order);

	if (n + 1 < sizeof(rec.order))
		rec.order[n] = e->type == print_type ? 'm' : 'e';
	if (e->ts < rec.ts)
		rec.errors++;
	rec.ts = e->ts;
	if (e->type != print_type) {
		rec.events++;
		return;
	}
	rec.marks++;
	memcpy(&rec.ip, e->payload + ip_offset, sizeof(rec.ip));
	rec.size = e->size - text_offset;
	if (rec.size > sizeof(rec.text) || e->payload[e->size - 1])
		rec.errors++;
	else
		memcpy(rec.text, e->payload + text_offset, rec.size);
}

static void read_cpu0(void)
{
	memset(&rec, 0, sizeof(rec));
	rec.errors += read_raw(0, take, NULL) < 0;
}

static ssize_t mark(const char *text, size_t len)
{
	int fd = open(MARKER, O_WRONLY);
	ssize_t ret = write(fd, text, len);

	ret = ret < 0 ? -errno : ret;
	close(fd);
	return ret;
}

static ssize_t say(const char *text)
{
	return mark(text, strlen(text));
}

FIXTURE(marker) {
};

static void clean_up(void)
{
	put(HYP "tracing_on", "0");
	put(HYP "events/enable", "0");
	put(HYP "events/hyp/selftest/trigger", "!traceoff");
	put(HYP "options/markers", "1");
	put(HYP "options/overwrite", "1");
	put(HYP "trace", "");
	set_size_kb(256);
}

FIXTURE_SETUP(marker)
{
	clean_up();
	print_type = get_num(HYP "events/ftrace/print/format", "ID:");
	ip_offset = get_num(HYP "events/ftrace/print/format", " ip;\toffset:") - 8;
	text_offset = get_num(HYP "events/ftrace/print/format", " buf[];\toffset:") - 8;
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, put(HYP "events/hyp/selftest/enable", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
}

FIXTURE_TEARDOWN(marker)
{
	clean_up();
}

TEST_F(marker, each_length)
{
	char text[2 * MAX], want[2 * MAX];
	size_t len, cut, i;

	for (len = 1; len < sizeof(text); len++) {
		for (i = 0; i < len; i++)
			text[i] = 'a' + (len + i) % 26;
		cut = len < MAX ? len : MAX;
		memcpy(want, text, cut);
		memcpy(want + cut, "\n", 2);
		/* Of a long text clients write the rest. */
		ASSERT_EQ(cut, mark(text, len));
		read_cpu0();
		ASSERT_EQ(0, rec.errors);
		ASSERT_EQ(1, rec.marks);
		EXPECT_STREQ(want, rec.text);
		/* Nothing but zeros is behind it. */
		for (i = strlen(want); i < rec.size; i++)
			ASSERT_EQ(0, rec.text[i]);
	}
}

TEST_F(marker, a_line_feed_is_there_once)
{
	EXPECT_EQ(4, say("one\n"));
	read_cpu0();
	EXPECT_STREQ("one\n", rec.text);
	EXPECT_EQ(1, say("\n"));
	read_cpu0();
	EXPECT_EQ(0, rec.errors);
	EXPECT_EQ(1, rec.marks);
	EXPECT_EQ(-EINVAL, say(""));
}

/* A client that writes all of its text makes as many marks as it needs, none of a line feed. */
TEST_F(marker, a_long_text_is_several_marks)
{
	char text[2 * MAX + 2];

	memset(text, 'x', sizeof(text));
	text[2 * MAX] = '\n';
	ASSERT_EQ(MAX, mark(text, 2 * MAX + 1));
	ASSERT_EQ(MAX + 1, mark(text + MAX, MAX + 1));
	read_cpu0();
	EXPECT_EQ(0, rec.errors);
	EXPECT_EQ(2, rec.marks);

	text[2 * MAX + 1] = '\0';
	ASSERT_EQ(0, put(MARKER, text));
	read_cpu0();
	EXPECT_EQ(0, rec.errors);
	EXPECT_EQ(2, rec.marks);
}

TEST_F(marker, it_is_in_order_with_events)
{
	ASSERT_LT(0, say("a"));
	ASSERT_EQ(0, emit(1, 2));
	ASSERT_LT(0, say("b"));
	ASSERT_LT(0, say("c"));
	ASSERT_EQ(0, emit(3, 3));
	read_cpu0();
	EXPECT_EQ(0, rec.errors);
	EXPECT_STREQ("meemme", rec.order);
}

/* The text is that of an ordinary instance, but for the place that it comes from. */
TEST_F(marker, text)
{
	char *trace;

	ASSERT_LT(0, say("hello, world"));
	trace = get(HYP "trace");
	EXPECT_NE(NULL, strstr(trace, ": mark_write: hello, world\n"));
	free(trace);
}

TEST_F(marker, nothing_is_recorded)
{
	ASSERT_LT(0, say("a"));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	EXPECT_EQ(-EBADF, say("b"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, put(HYP "options/markers", "0"));
	EXPECT_EQ(-EINVAL, say("c"));
	ASSERT_EQ(0, put(HYP "options/markers", "1"));
	ASSERT_LT(0, say("d"));
	read_cpu0();
	EXPECT_EQ(2, rec.marks);
	EXPECT_STREQ("d\n", rec.text);

	/* A trigger has stopped recording. */
	ASSERT_EQ(0, put(HYP "events/hyp/selftest/trigger", "traceoff"));
	ASSERT_EQ(0, emit(1, 1));
	EXPECT_EQ(-EBADF, say("e"));
}

TEST_F(marker, a_full_ring_in_no_overwrite_mode)
{
	const int most = scaled(2000);
	int n, ret = 0;

	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "options/overwrite", "0"));
	for (n = 0; n < most && ret >= 0; n++)
		ret = say("some text that takes some room in the ring, until there is none");
	EXPECT_EQ(-EBADF, ret);
	EXPECT_LT(50, n);
	EXPECT_LT(0, stat_of(0, "dropped events:"));
}

/* ring_pages lets this test write what a hostile EL2 could: a text without an end. */
TEST_F(marker, a_text_without_an_end_is_refused)
{
	uint8_t page[page_size()];
	int fd = pages_open(), id, found = 0;
	uint8_t *at;

	ASSERT_LE(0, fd);
	ASSERT_LT(0, say("the end of this is taken away"));
	for (id = 0; id < 70 && !found; id++) {
		if (!page_read(fd, 0, id, page))
			break;
		at = memmem(page, sizeof(page), "taken away\n", 11);
		if (!at)
			continue;
		found = 1;
		memset(at + 11, 'x', 8);
		ASSERT_EQ(sizeof(page), pwrite(fd, page, sizeof(page), page_offset(0, id)));
	}
	close(fd);
	ASSERT_EQ(1, found);
	read_cpu0();
	EXPECT_EQ(0, rec.marks);

	/* The next page is read again, and what was on this one is counted. */
	ASSERT_EQ(0, emit(1, events_per_page()));
	ASSERT_LT(0, say("again"));
	read_cpu0();
	EXPECT_EQ(1, rec.marks);
	EXPECT_STREQ("again\n", rec.text);
	EXPECT_LT(0, stat_of(0, "overrun:"));
}

TEST_HARNESS_MAIN
