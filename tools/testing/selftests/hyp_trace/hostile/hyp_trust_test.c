// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of permissions and of untrusted input: pages to which the host has written
 * garbage, bytes that belong to no field, guests and users without permission.
 */

#include <ftw.h>
#include <grp.h>
#include <linux/trace_mmap.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>

#include "../hyp_pages.h"
#include "../tracefs/hyp_fixture.h"
#include "../tracefs/hyp_waiter.h"

/* The shared memory ------------------------------------------------------------ */

#define HEADER		offsetof(struct ext_ring_page, data)
#define META_SIZE	sizeof(struct ext_ring_meta)
#define META_FIELDS	(META_SIZE / sizeof(uint64_t))

static_assert(PAGE_OVERHEAD == EXT_RING_PAGE_OVERHEAD, "see struct ext_ring_page");

static bool page_write(int fd, int cpu, int id, size_t offset, const void *bytes,
		       size_t size)
{
	return pwrite(fd, bytes, size, page_offset(cpu, id) + offset) ==
	       (ssize_t)size;
}

/* Bytes that no field owns ------------------------------------------------------ */

#define UNTOUCHED	0xa5

/* By event type: the bytes of a record that belong to a field. */
struct owned {
	unsigned int	size;
	bool		byte[256];
};

static struct owned owned[65536];

/* Learn the fields from the event's format file, as any tool does. */
static int learn_format(const char *event)
{
	char *text = get(path_of(HYP "events/hyp/%s/format", event)), *at = text;
	struct owned *o = &owned[event_id(event)];
	unsigned int offset, size, i;

	*o = (struct owned) { };
	while ((at = strstr(at, "\toffset:"))) {
		if (sscanf(at, "\toffset:%u;\tsize:%u;", &offset, &size) != 2 ||
		    offset + size > sizeof(o->byte))
			break;
		for (i = offset; i < offset + size; i++)
			o->byte[i] = true;
		o->size = offset + size;
		at++;
	}
	free(text);
	return o->size;
}

/* The number of bytes outside of fields that are not zero; 1 if the size is wrong. */
static int bad_in_record(const uint8_t *record, unsigned int size)
{
	const struct owned *o = &owned[record[0] | record[1] << 8];
	unsigned int i;
	int bad = 0;

	/* A record has only fields, and padding to align the next record. */
	if (!o->size || size < o->size || size >= o->size + 8)
		return 1;
	/* The common fields flags and preempt_count must be 0. */
	for (i = 0; i < size; i++)
		if ((!o->byte[i] || i == 2 || i == 3) && record[i])
			bad++;
	return bad;
}

/* Returns how many bytes of a written page are not as they must be. */
static int bad_in_page(const uint8_t *page, int *events)
{
	const uint8_t *p = page + HEADER, *data_end = p + page_data(), *end;
	uint64_t commit;
	int bad = 0;

	memcpy(&commit, page + 8, 8);
	end = p + commit;
	if (commit > page_data())
		return 1;
	while (p < end) {
		uint32_t head;

		memcpy(&head, p, 4);
		if ((head & 31) == 30) {		/* time extend */
			p += 8;
			continue;
		}
		if (!(head & 31) || (head & 31) > 28)
			return bad + 1;
		bad += bad_in_record(p + 4, (head & 31) * 4);
		p += 4 + (head & 31) * 4;
		++*events;
	}
	for (; p < data_end; p++)
		bad += *p != UNTOUCHED;
	return bad;
}

static bool has_fields(const char *event)
{
	return learn_format(event) > 8;
}

/*
 * EL2's pages are filled with a pattern before. In a record, bytes that belong to no field
 * are zero; outside of records, the pattern remains.
 */
TEST_F(hyp, every_byte_is_a_fields_or_zero_or_untouched)
{
	uint8_t pattern[page_size()], page[page_size()];
	int cpu, id, fd, bad, total = 0;

	memset(pattern, UNTOUCHED, sizeof(pattern));
	ASSERT_TRUE(of_all_events(has_fields));
	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	ASSERT_EQ(0, set_size_kb(1024));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	fd = pages_open();
	ASSERT_LE(0, fd);
	for (cpu = 0; cpu < self->cpus; cpu++) {
		ASSERT_TRUE(page_write(fd, cpu, -1, META_SIZE, pattern,
				       page_size() - META_SIZE));
		for (id = 0; page_read(fd, cpu, id, page); id++)
			ASSERT_TRUE(page_write(fd, cpu, id, HEADER, pattern,
					       page_data()));
		ASSERT_LT(100, id);
	}

	ASSERT_EQ(0, put(HYP "events/hyp/enable", "1"));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		run_on(cpu);
		ASSERT_EQ(0, emit(1, 500));
	}
	run_on(0);
	if (self->cpus > 1) {
		set_online(1, false);
		set_online(1, true);
	}
	ASSERT_LT(0, run_guest(64, NULL));
	ASSERT_EQ(0, put(HYP "events/enable", "0"));

	for (cpu = 0; cpu < self->cpus; cpu++) {
		ASSERT_EQ(0, stat_of(cpu, "overrun:"));
		ASSERT_TRUE(page_read(fd, cpu, -1, page));
		EXPECT_EQ(0, memcmp(page + META_SIZE, pattern,
				    page_size() - META_SIZE));
		for (id = 0; page_read(fd, cpu, id, page); id++) {
			bad = bad_in_page(page, &total);
			EXPECT_EQ(0, bad)
				TH_LOG("CPU %d, page %d", cpu, id);
		}
	}
	EXPECT_LT(500 * 4 * self->cpus, total);
	close(fd);
}

/* Garbage in the pages ----------------------------------------------------------- */

/* Count a message in the kernel's log. */
static int log_count(const char *what)
{
	static char log[1 << 19];
	int n = klogctl(3 /* SYSLOG_ACTION_READ_ALL */, log, sizeof(log) - 1);
	const char *at = log;
	int count = 0;

	if (n < 0)
		return -1;
	log[n] = 0;
	while ((at = strstr(at, what))) {
		count++;
		at++;
	}
	return count;
}

static int corrupt_reports(void)
{
	return log_count("corrupt page");
}

struct nonsense {
	const char	*what;
	size_t		offset;
	uint64_t	value;
	size_t		size;
	bool		reported;
};

/* Values to write into the second page of CPU 0, which is full of selftest events. */
static struct nonsense nonsense(size_t i)
{
	const size_t last_event = HEADER + (events_per_page() - 1) * SELFTEST_SIZE;
	const struct nonsense nonsenses[] = {
		{ "commit beyond the page", 8, page_data() + 1, 8, true },
		{ "commit of 2^63", 8, 1ull << 63, 8, true },
		{ "commit in the middle of an event", 8, 30, 8, true },
		{ "commit that is odd", 8, 21, 8, true },
		{ "commit of 0", 8, 0, 8, false },
		{ "commit of the first event only", 8, 20, 8, false },
		{ "time before the last page's", 0, 1, 8, true },
		{ "time of -1", 0, UINT64_MAX, 8, true },
		{ "time in a year", 0, 366ull * 86400 * 1000000000, 8, true },
		{ "event of no type", HEADER + 20, 29, 4, true },
		{ "event of the type of a time stamp", HEADER + 20, 31, 4, true },
		{ "event that is too short", HEADER + 20, 2, 4, true },
		{ "event that is longer than the page", last_event, 28, 4, true },
		{ "long event without a length", HEADER + 20, 0, 8, true },
		{ "long event with a length of 2^32 - 4",
		  HEADER + 20, 0xfffffffcull << 32, 8, true },
		{ "record of the kernel's own type 1", HEADER + 24, 1, 2, true },
		{ "record of a negative pid", HEADER + 28, 0x80000001, 4, true },
		{ "record of an unknown type", HEADER + 24, 0xffff, 2, true },
		{ "time extends only", HEADER, 30, 4, true },
	};

	return i < ARRAY_SIZE(nonsenses) ? nonsenses[i] : (struct nonsense) { };
}

/* Fill five pages of CPU 0, and write nonsense into one of them. */
static int emit_nonsense(int fd, const struct nonsense *n)
{
	return put(HYP "tracing_on", "1") ?: emit_pages(5) ?:
	       !page_write(fd, 0, page_after(fd, 0, events_per_page()), n->offset, &n->value,
			   n->size);
}

/* The number of events that trace_pipe shows, if they are in order; otherwise -1. */
static int read_text(void)
{
	char *text = get(HYP "trace_pipe");
	bool ordered;
	int count = ids_in_order(text, &ordered);

	free(text);
	return ordered ? count : -1;
}

TEST_F(hyp, a_nonsensical_page_is_skipped_counted_and_reported_once)
{
	const int per_page = events_per_page(), total = 5 * per_page;
	int fd = pages_open(), reports, count;
	struct nonsense n;
	size_t i;

	for (i = 0; (n = nonsense(i)).what; i++) {
		reports = corrupt_reports();
		ASSERT_LE(0, reports);
		ASSERT_EQ(0, emit_nonsense(fd, &n));

		/* Delivered events are right, others are counted. */
		count = read_text();
		EXPECT_LE(total - per_page, count)
			TH_LOG("%s: only %d of %d events read", n.what, count, total);
		EXPECT_LT(0, stat_of(0, "overrun:"))
			TH_LOG("%s: nothing was lost", n.what);
		EXPECT_EQ(total, count + stat_of(0, "overrun:"))
			TH_LOG("%s: %d read, %lld lost", n.what, count, stat_of(0, "overrun:"));
		EXPECT_EQ(reports + n.reported, corrupt_reports())
			TH_LOG("%s: reported %d times", n.what,
			       corrupt_reports() - reports);

		/* Later events are not affected. */
		ASSERT_EQ(0, emit(total + 1, total + 300));
		EXPECT_EQ(300, read_text())
			TH_LOG("%s: later events are missing", n.what);
	}
	close(fd);
}

/* Read all pages of CPU 0, and do not look at them; returns their number. */
static int read_blindly(void)
{
	int raw = open(HYP "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK), pages = 0;
	uint8_t page[page_size()];

	while (read(raw, page, sizeof(page)) > 0)
		pages++;
	close(raw);
	return pages;
}

/* Who reads pages decodes them himself: he gets what they have, and each event counts once. */
TEST_F(hyp, a_nonsensical_page_that_is_read_raw_harms_nothing)
{
	const int total = 5 * events_per_page();
	int fd = pages_open(), pages;
	struct nonsense n;
	size_t i;

	for (i = 0; (n = nonsense(i)).what; i++) {
		struct stream s = stream_from(total + 1);

		ASSERT_EQ(0, emit_nonsense(fd, &n));
		pages = read_blindly();
		EXPECT_TRUE(pages == 4 || pages == 5)
			TH_LOG("%s: %d pages", n.what, pages);
		EXPECT_EQ(total, stat_of(0, "read events:") + stat_of(0, "overrun:"))
			TH_LOG("%s: %lld read, %lld lost", n.what, stat_of(0, "read events:"),
			       stat_of(0, "overrun:"));

		ASSERT_EQ(0, emit(total + 1, total + 300));
		EXPECT_EQ(300, read_raw(0, check_stream, &s))
			TH_LOG("%s: later events are missing", n.what);
		EXPECT_EQ(0, s.errors);
	}
	close(fd);
}

TEST_F(hyp, a_nonsensical_page_is_skipped_in_text_too)
{
	const int per_page = events_per_page(), total = 5 * per_page;
	const uint64_t commit = page_size();
	bool ordered;
	char *text;
	int fd = pages_open();

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit_pages(5));
	ASSERT_TRUE(page_write(fd, 0, page_after(fd, 0, per_page), 8, &commit, sizeof(commit)));
	text = get(HYP "trace");
	EXPECT_EQ(total - per_page, ids_in_order(text, &ordered));
	EXPECT_TRUE(ordered);
	free(text);
	text = get(HYP "trace_pipe");
	EXPECT_EQ(total - per_page, ids_in_order(text, &ordered));
	EXPECT_TRUE(ordered);
	EXPECT_NE(NULL, strstr(text, path_of("CPU:0 [LOST %d EVENTS]", per_page)));
	free(text);
	close(fd);
}

/* The events of each skipped page are counted. */
TEST_F(hyp, nonsense_in_many_pages_is_reported_once)
{
	int fd = pages_open(), i, reports = corrupt_reports();
	const int per_page = events_per_page();
	struct stream s = stream_from(1);
	const uint64_t commit = page_size();

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit_pages(5));
	for (i = 1; i <= 3; i++)
		ASSERT_TRUE(page_write(fd, 0, page_after(fd, 0, i * per_page),
				       offsetof(struct ext_ring_page, commit), &commit,
				       sizeof(commit)));
	EXPECT_EQ(2 * per_page, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	EXPECT_EQ(3 * per_page, stat_of(0, "overrun:"));
	EXPECT_EQ(reports + 1, corrupt_reports());
	close(fd);
}

/* nonsensical_meta() needs a prime number of values. */
static const uint64_t bad_values[] = {
	0, 1, 3, 4, 5, 6, 100, 1ull << 44, INT64_MAX, UINT64_MAX - 1, UINT64_MAX,
};

/*
 * Write values into all fields of the meta page, whatever they are. Over all @i and @j, any
 * two fields get any two values.
 */
static void nonsensical_meta(uint64_t *meta, int i, int j)
{
	int field;

	for (field = 0; field < META_FIELDS; field++)
		meta[field] = bad_values[(i + field * j) % ARRAY_SIZE(bad_values)];
}

static bool meta_write(int fd, int cpu, const uint64_t *meta)
{
	return page_write(fd, cpu, -1, 0, meta, META_SIZE);
}

/* Consume with splice(), without waiting; false if a page cannot be decoded. */
static bool read_spliced(int cpu, struct stream *s)
{
	int raw = open(path_of(HYP "per_cpu/cpu%d/trace_pipe_raw", cpu),
		       O_RDONLY | O_NONBLOCK);
	struct pollfd pfd = { .fd = raw, .events = POLLIN };
	uint8_t page[page_size()];
	bool ok = true;
	int pipes[2];

	if (pipe(pipes))
		return false;
	poll(&pfd, 1, 0);
	while (splice(raw, NULL, pipes[1], NULL, sizeof(page), SPLICE_F_NONBLOCK) > 0)
		ok &= read(pipes[0], page, sizeof(page)) == sizeof(page) &&
		      decode_page(page, check_stream, s) >= 0;
	close(pipes[0]);
	close(pipes[1]);
	close(raw);
	return ok;
}

/* The writer's position in the meta page is only a hint. */
TEST_F(hyp, a_nonsensical_meta_page_does_no_harm)
{
	int fd = pages_open(), i, j;
	uint64_t meta[META_FIELDS];
	struct waiter w;

	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	for (i = 0; i < ARRAY_SIZE(bad_values); i++) {
		for (j = 0; j < ARRAY_SIZE(bad_values); j++) {
			struct stream s = stream_from(1);

			nonsensical_meta(meta, i, j);
			ASSERT_EQ(0, put(HYP "trace", ""));
			ASSERT_EQ(0, put(HYP "tracing_on", "1"));
			ASSERT_EQ(0, emit(1, 1000));
			ASSERT_TRUE(meta_write(fd, 0, meta));
			free(get(HYP "trace"));
			free(get(HYP "per_cpu/cpu0/stats"));
			EXPECT_TRUE(read_spliced(0, &s));
			EXPECT_LE(0, read_raw(0, check_stream, &s));

			/* The writer does not read the meta page, and writes it anew. */
			ASSERT_TRUE(waiter_start(&w, POLL_RAW, 0))
				TH_LOG("does not sleep: %d, %d", i, j);
			ASSERT_TRUE(meta_write(fd, 0, meta));
			ASSERT_EQ(0, emit(1001, 2000));
			ASSERT_TRUE(waiter_end(&w))
				TH_LOG("is not woken: %d, %d", i, j);
			EXPECT_LE(0, decode_page(w.buf, check_stream, &s));
			EXPECT_LE(0, read_raw(0, check_stream, &s));
			EXPECT_EQ(0, s.errors);
			EXPECT_EQ(2000, s.count + stat_of(0, "overrun:"))
				TH_LOG("claimed %llx tail %llx: %llu read, %lld lost",
				       (unsigned long long)meta[0],
				       (unsigned long long)meta[1],
				       (unsigned long long)s.count,
				       stat_of(0, "overrun:"));
		}
	}
	close(fd);
}

static uint64_t rung_read(int fd, int cpu)
{
	uint8_t page[page_size()];
	uint64_t rung;

	if (!page_read(fd, cpu, -1, page))
		return 0;
	memcpy(&rung, page + offsetof(struct ext_ring_meta, rung), sizeof(rung));
	return rung;
}

/*
 * Interrupt CPU 0, the caller's CPU, while a reader waits and rung has that value: to the
 * host it looks as if EL2 had rung.
 */
static bool pretend_to_ring(int fd, uint64_t rung)
{
	let_a_tick_pass();
	return page_write(fd, 0, -1, offsetof(struct ext_ring_meta, rung), &rung,
			  sizeof(rung)) && others_ring(2);
}

static void alarmed(int sig)
{
}

/* From here on each event, of EL2 or of the host, wakes its waiters. */
static bool begin_to_ring(void)
{
	return !mkdir(FOO, 0700) && !put(FOO "buffer_percent", "0") &&
	       !put(FOO "set_event", "host_selftest") &&
	       !put(HYP "buffer_percent", "0") && !put(HYP "tracing_on", "1");
}

TEST_F(hyp, a_nonsensical_rung_wakes_too_often_and_nothing_else)
{
	uint64_t rung = 0, now;
	int fd = pages_open(), i;
	struct waiter w;

	if (!el2_can_ring())
		SKIP(return, "nobody rings");

	ASSERT_TRUE(begin_to_ring());
	for (i = 0; i < ARRAY_SIZE(bad_values); i++) {
		struct stream s = stream_from(i + 1);

		/* The next test has this value. */
		if (bad_values[i] == rung + 1)
			continue;
		ASSERT_TRUE(waiter_start(&w, POLL_RAW, 0));
		EXPECT_TRUE(pretend_to_ring(fd, bad_values[i]));
		EXPECT_FALSE(is_woken(&w));
		ASSERT_EQ(0, emit(i + 1, i + 1));
		ASSERT_TRUE(waiter_end(&w))
			TH_LOG("rung %llx", (unsigned long long)bad_values[i]);
		EXPECT_EQ(1, decode_page(w.buf, check_stream, &s));
		EXPECT_EQ(0, s.errors);

		/* EL2 continues with its own count, unless a timer was faster. */
		now = rung_read(fd, 0);
		if (now != bad_values[i])
			EXPECT_EQ(++rung, now);
	}
	EXPECT_LT(0, rung);
	close(fd);
	rmdir(FOO);
}

/* Let CPU 0 take EL2's next ring as seen; true if an event then wakes nobody. */
static bool goes_unheard(struct waiter *w, int fd)
{
	return pretend_to_ring(fd, rung_read(fd, 0) + 1) && !emit(1, 1) &&
	       (let_a_tick_pass(), !is_woken(w));
}

TEST_F(hyp, a_rung_that_is_ahead_wakes_too_rarely_and_nothing_else)
{
	const struct sigaction action = { .sa_handler = alarmed };
	struct stream s = stream_from(1);
	int fd = pages_open(), tries = 100;
	struct waiter w;

	if (!el2_can_ring())
		SKIP(return, "nobody rings");

	ASSERT_TRUE(begin_to_ring());
	ASSERT_TRUE(waiter_start(&w, READ_RAW, 0));
	/* The event does wake the waiter if no alarm had been set yet; try again then. */
	while (!goes_unheard(&w, fd)) {
		ASSERT_LT(0, tries--);
		ASSERT_TRUE(waiter_end(&w));
		ASSERT_EQ(0, put(HYP "trace", ""));
		ASSERT_TRUE(waiter_start(&w, READ_RAW, 0));
	}

	/* A wait can be interrupted, and then finds the events. */
	sigaction(SIGALRM, &action, NULL);
	pthread_kill(w.thread, SIGALRM);
	EXPECT_TRUE(waiter_end(&w));
	EXPECT_EQ(1, decode_page(w.buf, check_stream, &s));
	EXPECT_EQ(0, s.errors);

	/* Later events are not affected. */
	ASSERT_EQ(0, put(HYP "trace", ""));
	ASSERT_TRUE(waiter_start(&w, READ_RAW, 0));
	ASSERT_EQ(0, emit(1, 1));
	EXPECT_TRUE(waiter_end(&w));
	close(fd);
	rmdir(FOO);
}

/* All of that at once -------------------------------------------------------------- */

#define STORM_SECONDS	10
/* A storm that has not ended by then never will, even on a slow machine. */
#define STORM_GIVE_UP	300

/* One step of a storm; true if it has done something. */
typedef bool (*storm_fn)(int cpus, unsigned int *seed);

static bool storm_garbage(int cpus, unsigned int *seed)
{
	const uint64_t words[] = {
		0, 1, 20, 30, page_data(), page_data() + 1, 1ull << 31, 1ull << 63, UINT64_MAX,
	};
	uint64_t bytes[8];
	int fd = pages_open();
	size_t i, offset;
	bool done;

	for (i = 0; i < ARRAY_SIZE(bytes); i++)
		bytes[i] = rand_r(seed) % 2 ? words[rand_r(seed) % ARRAY_SIZE(words)] :
			   (uint64_t)rand_r(seed) << 33 ^ rand_r(seed);
	offset = rand_r(seed) % 3 ? 0 : rand_r(seed) % (page_size() - sizeof(bytes));
	done = page_write(fd, rand_r(seed) % cpus, rand_r(seed) % 5 - 1, offset, bytes,
			  1 + rand_r(seed) % sizeof(bytes));
	close(fd);
	return done;
}

static bool storm_emit(int cpus, unsigned int *seed)
{
	run_on(rand_r(seed) % cpus);
	return !emit(1, 100);
}

static bool has_event(char *text)
{
	bool has = strstr(text, "selftest: id=");

	free(text);
	return has;
}

static bool storm_trace(int cpus, unsigned int *seed)
{
	return has_event(get(HYP "trace"));
}

static bool storm_pipe(int cpus, unsigned int *seed)
{
	return has_event(get(HYP "trace_pipe"));
}

static bool storm_raw(int cpus, unsigned int *seed)
{
	return read_raw(rand_r(seed) % cpus, NULL, NULL) > 0;
}

static bool storm_stats(int cpus, unsigned int *seed)
{
	return stat_of(rand_r(seed) % cpus, "entries:") > 0;
}

/* Splice with blocking, after a poll; it must return, woken or not. */
static bool storm_splice(int cpus, unsigned int *seed)
{
	int fd = open(path_of(HYP "per_cpu/cpu%d/trace_pipe_raw",
			      rand_r(seed) % cpus), O_RDONLY);
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	bool done = false;
	int pipes[2];

	if (pipe(pipes))
		_exit(1);
	if (poll(&pfd, 1, 20) > 0) {
		alarm(1);
		done = splice(fd, NULL, pipes[1], NULL, 4 * page_size(), 0) > 0;
		alarm(0);
	}
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
	return done;
}

static bool storm_map(int cpus, unsigned int *seed)
{
	int fd = open(path_of(HYP "per_cpu/cpu%d/trace_pipe_raw",
			      rand_r(seed) % cpus), O_RDONLY | O_NONBLOCK);
	void *meta = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, 0);
	bool done = false;
	int i;

	for (i = 0; i < 20 && meta != MAP_FAILED; i++)
		done |= !ioctl(fd, TRACE_MMAP_IOCTL_GET_READER);
	if (meta != MAP_FAILED)
		munmap(meta, page_size());
	close(fd);
	return done;
}

/* Control operations; a resize fails while the buffer is mapped. */
static bool storm_control(int cpus, unsigned int *seed)
{
	bool done = !put(HYP "tracing_on", rand_r(seed) % 4 ? "1" : "0");

	if (rand_r(seed) % 4 == 0)
		done &= !put(HYP "trace", "");
	if (rand_r(seed) % 4 == 0)
		done &= !set_size_kb(rand_r(seed) % 2 ? SMALL_KB : 2 * SMALL_KB);
	usleep(20000);
	return done;
}

static const struct {
	const char	*name;
	storm_fn	fn;
} storms[] = {
	{ "writing garbage", storm_garbage }, { "emitting", storm_emit },
	{ "reading trace", storm_trace }, { "reading trace_pipe", storm_pipe },
	{ "reading trace_pipe_raw", storm_raw }, { "reading stats", storm_stats },
	{ "splicing", storm_splice }, { "mapping", storm_map },
	{ "turning on and off", storm_control },
};

/* How often each storm has done something; in shared memory. */
static unsigned int *storms_done;

static bool all_storms_done(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(storms); i++)
		if (!__atomic_load_n(&storms_done[i], __ATOMIC_RELAXED))
			return false;
	return true;
}

/* A storm goes on, on a slow machine, until each of them has done something. */
static bool storm_is_over(uint64_t start)
{
	uint64_t s = (boot_ns() - start) / 1000000000;

	return s >= STORM_GIVE_UP || (s >= STORM_SECONDS && all_storms_done());
}

/* Run a storm in a process of its own. */
static pid_t storm_start(int storm, int cpus)
{
	const struct sigaction action = { .sa_handler = alarmed };
	unsigned int seed = storm + 1;
	uint64_t start = boot_ns();
	pid_t pid = fork();

	if (pid)
		return pid;
	sigaction(SIGALRM, &action, NULL);
	while (!storm_is_over(start))
		if (storms[storm].fn(cpus, &seed))
			__atomic_add_fetch(&storms_done[storm], 1, __ATOMIC_RELAXED);
	_exit(0);
}

/* Wait for the end of a storm; false if it hangs or fails. */
static bool storm_ended(pid_t pid, uint64_t start)
{
	int status;

	do {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return !status;
		usleep(100000);
	} while (boot_ns() - start < 2 * STORM_GIVE_UP * 1000000000ull);
	kill(pid, SIGKILL);
	return false;
}

TEST_F_TIMEOUT(hyp, garbage_while_reading_in_all_ways_hangs_and_harms_nothing, 900)
{
	uint64_t start = boot_ns();
	pid_t pids[ARRAY_SIZE(storms)];
	struct stream s;
	int cpu;
	size_t i;

	storms_done = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)storms_done);
	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (i = 0; i < ARRAY_SIZE(storms); i++)
		pids[i] = storm_start(i, self->cpus);
	for (i = 0; i < ARRAY_SIZE(storms); i++) {
		EXPECT_TRUE(storm_ended(pids[i], start))
			TH_LOG("%s does not end", storms[i].name);
		EXPECT_LT(0, storms_done[i])
			TH_LOG("%s has done nothing", storms[i].name);
	}

	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	ASSERT_EQ(0, set_size_kb(256));
	ASSERT_EQ(0, put(HYP "trace", ""));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		run_on(cpu);
		s = stream_from(1);
		ASSERT_EQ(0, emit(1, EVENTS));
		EXPECT_EQ(EVENTS, read_raw(cpu, check_stream, &s));
		EXPECT_EQ(0, s.errors);
	}
}

/* Writing to the files ------------------------------------------------------------ */

static unsigned int files_written;

/* Write meaningless text to a file, and ignore its answer. */
static int write_nonsense(const char *path, const struct stat *st, int type,
			  struct FTW *ftw)
{
	static char long_text[2 * MAX_PAGE];
	const struct {
		const char	*text;
		size_t		size;
	} texts[] = {
		{ "", 0 }, { "\n", 1 }, { " ", 1 }, { "\0", 1 }, { "\0\0\n", 3 },
		{ "-", 1 }, { "%s%n", 4 }, { "!", 1 }, { "*:", 2 }, { ":mod:", 5 },
		{ "\"", 1 }, { "(((", 3 }, { "\xff\xfe", 2 },
		{ long_text, 1023 }, { long_text, page_size() },
		{ long_text, 2 * page_size() },
	};
	size_t i;
	int fd;

	/* These files do what they are told, whatever is written. */
	if (type != FTW_F || !(st->st_mode & 0222) ||
	    strstr(path, "ring_pages") || strstr(path, "free_buffer"))
		return 0;

	memset(long_text, 'A', sizeof(long_text));
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		fd = open(path, O_WRONLY);
		if (fd < 0)
			continue;
		write(fd, texts[i].text, texts[i].size);
		/* Also write at a large offset. */
		pwrite(fd, texts[i].text, texts[i].size, 1ull << 40);
		close(fd);
		files_written++;
	}
	return 0;
}

TEST_F(hyp, nonsense_in_any_file_does_no_harm)
{
	struct stream s = stream_from(1);

	files_written = 0;
	nftw(HYP, write_nonsense, 16, FTW_PHYS);
	EXPECT_LT(500, files_written);

	/* Some files accept an empty text, and act on it; restore the state. */
	hyp_setup(_metadata, self, variant);
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 100));
	EXPECT_EQ(100, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
}

/* Permissions -------------------------------------------------------------------- */

#define TRACING		"/sys/kernel/tracing"
#define USER		1000	/* and group; neither is root's */

/* Open a file as a user other than root; returns an errno, or 0. */
static int open_as_user(const char *path, int flags)
{
	int fd, ret;

	if (setgroups(0, NULL) || setegid(USER) || seteuid(USER))
		return -1;
	fd = open(path, flags | O_NONBLOCK);
	ret = fd < 0 ? errno : 0;
	close(fd);
	return seteuid(0) || setegid(0) ? -1 : ret;
}

/* As open_as_user(), for the file alone: the modes of its directories do not matter. */
static int open_itself_as_user(const char *path, int flags)
{
	int fd = open(path, O_PATH), ret;

	if (fd < 0)
		return -1;
	ret = open_as_user(path_of("/proc/self/fd/%d", fd), flags);
	close(fd);
	return ret;
}

static int files_seen;
static char accessible[4096];	/* files that should not be */

/* ftrace makes these 0755 in all instances: the names of events are no secret. */
static bool is_events_directory(const char *path, int type)
{
	return type == FTW_D && strstr(path, "/events");
}

static bool is_accessible(const char *path, const struct stat *st, int type)
{
	if (is_events_directory(path, type))
		return st->st_mode & 0002;
	return st->st_mode & 0007 || st->st_uid || st->st_gid ||
	       open_itself_as_user(path, O_RDONLY) != EACCES ||
	       (type == FTW_F && open_itself_as_user(path, O_WRONLY) != EACCES);
}

static int note_accessible(const char *path, const struct stat *st, int type,
			   struct FTW *ftw)
{
	size_t len = strlen(accessible);

	if (type == FTW_SL)
		return 0;
	files_seen++;
	if (is_accessible(path, st, type))
		snprintf(accessible + len, sizeof(accessible) - len, " %s", path);
	return 0;
}

/* Each file's own mode must be right, without the modes of its directories. */
TEST_F(hyp, only_root_has_access)
{
	files_seen = 0;
	accessible[0] = 0;
	ASSERT_EQ(0, nftw(HYP, note_accessible, 16, FTW_PHYS));
	ASSERT_EQ(0, nftw(TRACING "/events/hyp", note_accessible, 16, FTW_PHYS));
	EXPECT_STREQ("", accessible);
	EXPECT_LT(500, files_seen);

	/* Wrong modes would have been noticed. */
	ASSERT_EQ(0, chmod(HYP "trace", 0644));
	EXPECT_EQ(0, open_itself_as_user(HYP "trace", O_RDONLY));
	EXPECT_EQ(EACCES, open_itself_as_user(HYP "trace", O_WRONLY));
	ASSERT_EQ(0, chmod(HYP "trace", 0640));
	ASSERT_EQ(0, chmod(HYP "per_cpu", 0755));
	EXPECT_EQ(0, open_itself_as_user(HYP "per_cpu", O_RDONLY));
	ASSERT_EQ(0, chmod(HYP "per_cpu", 0750));
}

/* tracefs' root admits only root, on some kernels by default. If not, hyp/ must refuse others. */
TEST_F(hyp, only_root_gets_there)
{
	ASSERT_EQ(0, chmod(TRACING, 0700));
	EXPECT_EQ(EACCES, open_as_user(TRACING, O_RDONLY));
	ASSERT_EQ(0, chmod(TRACING, 0755));
	EXPECT_EQ(0, open_as_user(TRACING, O_RDONLY));
	EXPECT_EQ(ENOENT, open_as_user(TRACING "/none", O_RDONLY));
	EXPECT_EQ(EACCES, open_as_user(HYP, O_RDONLY));
	EXPECT_EQ(EACCES, open_as_user(TRACING "/hypervisor/trace", O_RDONLY));
	/* A directory that cannot be searched does not tell which files exist. */
	EXPECT_EQ(EACCES, open_as_user(HYP "none", O_RDONLY));
	ASSERT_EQ(0, chmod(TRACING, 0700));
}

/* The tracing hypercalls have numbers below 64 in the vendor's range. */
TEST_F(hyp, to_a_guest_all_of_this_is_unknown)
{
	struct stream s = stream_from(1);

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 100));
	EXPECT_LT(0, run_guest(64, "0xc6000000"));
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, emit(101, 200));
	EXPECT_EQ(200, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
}

TEST_HARNESS_MAIN
