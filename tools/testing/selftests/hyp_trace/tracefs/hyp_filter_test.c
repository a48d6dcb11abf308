// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of filters: EL2 records what the kernel's own filters would let pass, and nothing
 * is left of the rest; a filter can be exchanged at any time; and what can't be a filter is
 * refused, with the reason in error_log.
 */

#include "hyp_waiter.h"

#define SELFTEST	HYP "events/hyp/selftest/"
#define FIELDS		HYP "events/hyp/selftest_fields/"
#define HOST_FIELDS	FOO "events/hyp_test/host_selftest_fields/"

#define IN_A_FILTER	64	/* comparisons: EXT_FILTER_MAX */
#define IN_ALL		1022	/* HYP_FILTER_PLACES, less the two that are results */

FIXTURE(filter) {
	int cpus;
};

FIXTURE_SETUP(filter)
{
	self->cpus = nr_cpus();
	ASSERT_EQ(0, record_selftest());
}

FIXTURE_TEARDOWN(filter)
{
	put(HYP "events/hyp/filter", "0");
	put(HYP "tracing_on", "0");
	put(HYP "trace", "");
	rmdir(FOO);
}

static bool file_has(const char *path, const char *text)
{
	return count_in(path, text);
}

/* Emit events 0 to 15 on this CPU; returns those that a filter let pass. */
static uint64_t passed(const char *filter)
{
	int err = put(SELFTEST "filter", filter);

	if (err || put(HYP "trace", "") || emit(0, 15))
		return err ?: -1;
	return ids_in(HYP "trace", "selftest");
}

TEST_F(filter, chooses_by_number_and_logic)
{
	EXPECT_EQ(0xffff, passed("0"));
	EXPECT_EQ(1 << 5, passed("id == 5"));
	EXPECT_EQ(0xffdf, passed("id != 5"));
	EXPECT_EQ(0x001f, passed("id < 5"));
	EXPECT_EQ(0x003f, passed("id <= 5"));
	EXPECT_EQ(0xffc0, passed("id > 5"));
	EXPECT_EQ(0xffe0, passed("id >= 5"));
	EXPECT_EQ(0xaaaa, passed("id & 1"));
	EXPECT_EQ(0x5555, passed("!(id & 1)"));
	EXPECT_EQ(0x0c30, passed("id > 3 && id < 6 || id >= 0xa && !(id > 11)"));
	EXPECT_EQ(0, passed("id < 0"));
	EXPECT_EQ(0xffff, passed("id >= 0"));
	EXPECT_TRUE(file_has(SELFTEST "filter", "id >= 0\n"));
	EXPECT_EQ(0xffff, passed("0"));
	EXPECT_TRUE(file_has(SELFTEST "filter", "none\n"));
}

TEST_F(filter, chooses_by_task_and_cpu)
{
	EXPECT_EQ(0xffff, passed(path_of("common_pid == %d", getpid())));
	EXPECT_EQ(0, passed(path_of("common_pid != %d", getpid())));
	EXPECT_EQ(0xffff, passed("common_cpu == 0"));
	EXPECT_EQ(0xffff, passed("CPU < 1"));
	EXPECT_EQ(0, passed("cpu > 0"));
	EXPECT_EQ(0xffff, passed("common_cpu & CPUS{0}"));
	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	ASSERT_EQ(0, run_on(1));
	EXPECT_EQ(0, passed("common_cpu == 0"));
	EXPECT_EQ(0xffff, passed("CPU == 1"));
	EXPECT_EQ(0xffff, passed("common_cpu & CPUS{0-1}"));
	EXPECT_EQ(0xffff, passed("common_cpu != CPUS{0-1}"));
	EXPECT_EQ(1 << 1, passed("id == CPUS{1}"));
}

/* Random filters, as the kernel itself applies them to an event with the same fields ---- */

static const struct field {
	const char	*name;
	bool		is_signed;
} fields[] = {
	{ "unsigned_8" }, { "signed_8", true }, { "unsigned_4" }, { "signed_4", true },
	{ "unsigned_2" }, { "signed_2", true }, { "unsigned_1" }, { "signed_1", true },
};

#define NR_FIELDS	ARRAY_SIZE(fields)

/* The values that 64 events have; those of signed fields as if unsigned. */
static unsigned long long values[64][NR_FIELDS];

/* Let both record events 0 to 63. */
static int emit_both(void)
{
	int fd = open(HYP "write_fields", O_WRONLY), id, err = 0;
	char text[8];

	if (fd < 0)
		return -errno;
	for (id = 0; id < 64 && !err; id++)
		if (write(fd, text, sprintf(text, "%d", id)) < 0)
			err = -errno;
	close(fd);
	return err;
}

static bool learn_values(void)
{
	char *text, *at;
	int n = 0, id;

	if (emit_both())
		return false;
	text = get(HYP "trace");
	for (at = text; (at = strstr(at, "selftest_fields: id=")); at++) {
		unsigned long long v[NR_FIELDS];

		/* %llu takes a minus, too. */
		if (sscanf(at, "selftest_fields: id=%d %llu %llu %llu %llu %llu %llu %llu %llu",
			   &id, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) != 9)
			break;
		memcpy(values[id % 64], v, sizeof(v));
		n++;
	}
	free(text);
	return n == 64;
}

/* Append a comparison with a value that an event has, or nearly so, or that none has. */
static void some_comparison(char *filter)
{
	static const char * const op[] = { "==", "!=", "<", "<=", ">", ">=", "&" };
	int which = random() % NR_FIELDS;
	unsigned long long value = values[random() % 64][which] + random() % 3 - 1;

	if (random() % 8 == 0)
		value <<= random() % 40;
	filter += strlen(filter);
	if (random() % 12 == 0)
		sprintf(filter, "%s & CPUS{%ld,%ld}", fields[which].name, random() % nr_cpus(),
			random() % nr_cpus());
	else if (random() % 12 == 0)
		sprintf(filter, "common_cpu %s %ld", op[random() % 7], random() % 2);
	else if (fields[which].is_signed)
		sprintf(filter, "%s %s %lld", fields[which].name, op[random() % 7],
			(long long)value);
	else
		sprintf(filter, "%s %s 0x%llx", fields[which].name, op[random() % 7], value);
}

/* Append an expression of up to 2^@depth comparisons. */
static void some_expression(char *filter, int depth)
{
	if (!depth || random() % 4 == 0) {
		some_comparison(filter);
		return;
	}
	strcat(filter, random() % 3 ? "(" : "!(");
	some_expression(filter, depth - 1);
	strcat(filter, random() % 2 ? " && " : " || ");
	some_expression(filter, depth - 1);
	strcat(filter, ")");
}

#define FILTERS	80

TEST_F(filter, random_filters_agree_with_the_kernels_own)
{
	char filter[4096];
	uint64_t mine, theirs;
	int i, recorded = 0;

	srandom(1);
	ASSERT_EQ(0, mkdir(FOO, 0700));
	ASSERT_EQ(0, put(FIELDS "enable", "1"));
	ASSERT_EQ(0, put(HOST_FIELDS "enable", "1"));
	ASSERT_TRUE(learn_values());
	for (i = 0; i < FILTERS; i++) {
		filter[0] = 0;
		some_expression(filter, i % 6);
		ASSERT_EQ(0, put(HOST_FIELDS "filter", filter))
			TH_LOG("%s", filter);
		ASSERT_EQ(0, put(FIELDS "filter", filter))
			TH_LOG("%s", filter);
		ASSERT_EQ(0, put(HYP "trace", ""));
		ASSERT_EQ(0, put(FOO "trace", ""));
		ASSERT_EQ(0, emit_both());
		mine = ids_in(HYP "trace", "selftest_fields");
		theirs = ids_in(FOO "trace", "host_selftest_fields");
		EXPECT_EQ(theirs, mine)
			TH_LOG("%s", filter);
		recorded += __builtin_popcountll(mine);
	}
	EXPECT_LT(FILTERS * 64 / 8, recorded);
	EXPECT_GT(FILTERS * 64 / 8 * 7, recorded);
	ASSERT_EQ(0, put(FIELDS "enable", "0"));
}

/* Events that are not recorded ----------------------------------------------------------- */

TEST_F(filter, what_does_not_match_leaves_nothing)
{
	struct stream s = stream_from(1);
	long long bytes;

	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, put(SELFTEST "filter", "id <= 20"));
	ASSERT_EQ(0, emit(1, 10));
	bytes = stat_of(0, "bytes:");
	ASSERT_EQ(0, emit(1000, 1000 + scaled(MANY)));
	EXPECT_EQ(bytes, stat_of(0, "bytes:"));
	EXPECT_EQ(10, stat_of(0, "entries:"));
	EXPECT_EQ(0, stat_of(0, "\noverrun:"));
	EXPECT_EQ(0, stat_of(0, "dropped events:"));
	ASSERT_EQ(0, emit(11, 20));
	EXPECT_EQ(20, read_raw(0, check_stream, &s));
	EXPECT_EQ(20, s.count);
	EXPECT_EQ(0, s.lost);
	EXPECT_EQ(0, s.errors);

	/* As many that match do leave something. */
	ASSERT_EQ(0, put(SELFTEST "filter", "id > 20"));
	ASSERT_EQ(0, emit(1000, 1000 + scaled(MANY)));
	EXPECT_LT(0, stat_of(0, "\noverrun:"));
}

TEST_F(filter, what_does_not_match_wakes_nobody)
{
	struct waiter w;

	ASSERT_EQ(0, put(HYP "buffer_percent", "0"));
	ASSERT_EQ(0, put(SELFTEST "filter", "id == 7"));
	ASSERT_TRUE(waiter_start(&w, POLL_RAW, 0));
	let_a_tick_pass();
	ASSERT_EQ(0, emit(100, 500));
	let_a_tick_pass();
	EXPECT_FALSE(is_woken(&w));
	ASSERT_EQ(0, emit(7, 7));
	EXPECT_TRUE(waiter_end(&w));
	ASSERT_EQ(0, put(HYP "buffer_percent", "50"));
}

/* hyp_exit belongs to a hyp_enter that was recorded. */
TEST_F(filter, a_pair_is_recorded_or_not)
{
	char *text;

	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_enter hyp:hyp_exit hyp:selftest"));
	ASSERT_EQ(0, put(HYP "events/hyp/hyp_enter/filter", "common_cpu == 1000"));
	ASSERT_EQ(0, put(HYP "trace", ""));
	ASSERT_EQ(0, emit(1, 10));
	ASSERT_EQ(0, put(HYP "events/hyp/hyp_enter/filter",
			 path_of("common_pid == %d", getpid())));
	ASSERT_EQ(0, emit(11, 20));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	text = get(HYP "trace");
	EXPECT_EQ(20, count_of(text, "selftest: "));
	EXPECT_LE(10, count_of(text, "hyp_enter: "));
	EXPECT_EQ(count_of(text, "hyp_enter: "), count_of(text, "hyp_exit: "));
	ASSERT_NE(NULL, strstr(text, "hyp_enter: "));
	EXPECT_EQ(NULL, strstr(strstr(text, "hyp_enter: "), "id=10\n"));
	free(text);
}

/* Exchange ---------------------------------------------------------------------------------- */

/* Both let pass ids whose low ten bits are 1 to 0x7f; parts of both together would not. */
static const char * const either[] = {
	"id & 0x3ff && !(id & 0x380) || id == 0x3ff0000",
	"!(!(id & 0x3ff) || id & 0x200 || id & 0x180) && id < 0x7fffffff",
};

static struct {
	uint64_t	always;		/* ids that every filter lets pass */
	uint64_t	wrong;		/* that none does */
	uint64_t	last;
} seen;

static void look(void *data, const struct event *e)
{
	uint64_t id = payload_u64(e), low = id & 0x3ff;

	seen.always += low && low < 0x80;
	seen.wrong += !low || low >= 0x80 || id <= seen.last || e->lost;
	seen.last = id;
}

TEST_F(filter, is_exchanged_while_it_is_used)
{
	const int batch = 5 * 0x400;	/* a multiple of EMITTED_AT_ONCE, too */
	const int exchanges = 20;
	int cpu, round, rounds = 0;

	ASSERT_EQ(0, set_size_kb(1024));
	ASSERT_EQ(0, put(SELFTEST "filter", either[0]));
	emitters_start(self->cpus);
	for (round = 0; round < exchanges; round++) {
		/* Never let them end before the last exchange. */
		if (emitters_done(self->cpus)) {
			emitters_allow(self->cpus, batch);
			rounds++;
		}
		ASSERT_EQ(0, put(SELFTEST "filter", either[(round + 1) % 2]));
	}
	EXPECT_TRUE(emitters_wait(self->cpus));
	EXPECT_TRUE(emitters_stop(self->cpus));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		memset(&seen, 0, sizeof(seen));
		EXPECT_LT(0, read_raw(cpu, look, NULL));
		EXPECT_EQ(rounds * batch / 0x400 * 0x7f, seen.always);
		EXPECT_EQ(0, seen.wrong);
	}
}

TEST_F(filter, stays_when_all_else_changes)
{
	ASSERT_EQ(0, put(SELFTEST "filter", "id == 5"));
	ASSERT_TRUE(be_idle());
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(1 << 5, ids_in(HYP "trace", "selftest"));
	ASSERT_EQ(0, set_size_kb(64));
	ASSERT_EQ(0, put(SELFTEST "enable", "0"));
	ASSERT_EQ(0, put(SELFTEST "enable", "1"));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(1 << 5, ids_in(HYP "trace", "selftest"));
	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	ASSERT_EQ(0, set_online(1, false));
	ASSERT_EQ(0, put(SELFTEST "filter", "id == 6"));
	ASSERT_EQ(0, set_online(1, true));
	ASSERT_EQ(0, run_on(1));
	ASSERT_EQ(0, put(HYP "trace", ""));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(1 << 6, ids_in(HYP "trace", "selftest"));
}

/* All events, and what is refused ----------------------------------------------------------- */

TEST_F(filter, of_the_system_is_that_of_all_events_that_have_the_field)
{
	ASSERT_EQ(0, put(HYP "events/hyp/filter", "id == 3"));
	EXPECT_TRUE(file_has(SELFTEST "filter", "id == 3\n"));
	EXPECT_TRUE(file_has(HYP "events/hyp/host_hcall/filter", "id == 3\n"));
	EXPECT_TRUE(file_has(HYP "events/hyp/hyp_enter/filter", "parse_error"));
	ASSERT_EQ(0, emit(0, 15));
	EXPECT_EQ(1 << 3, ids_in(HYP "trace", "selftest"));
	ASSERT_EQ(0, put(HYP "events/hyp/filter", "common_cpu == 0"));
	EXPECT_TRUE(file_has(HYP "events/hyp/hyp_enter/filter", "common_cpu == 0\n"));
	ASSERT_EQ(0, put(HYP "events/hyp/filter", "0"));
	EXPECT_TRUE(file_has(HYP "events/hyp/hyp_enter/filter", "none\n"));
	ASSERT_EQ(0, emit(0, 15));
	EXPECT_EQ(0xffff, ids_in(HYP "trace", "selftest"));
}

static const struct {
	const char	*filter;
	const char	*why;
} refused[] = {
	{ "comm == \"init\"", "compares numbers only" },
	{ "comm ~ \"init*\"", "compares numbers only" },
	{ "id == 1 || comm != \"init\"", "compares numbers only" },
	{ "id.function == schedule", "compares numbers only" },
	{ "stacktrace == 1", "fields of 1, 2, 4 or 8 bytes" },
	{ "id == nonsense", "Invalid value" },
	{ "id =! 1", "Invalid operator" },
	{ "no_such_field == 1", "Field not found" },
};

/* As for the kernel's own events, a filter that is refused takes the old one with it. */
TEST_F(filter, that_compares_no_number_is_refused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		ASSERT_EQ(0, put(HYP "error_log", ""));
		ASSERT_EQ(1 << 4, passed("id == 4"));
		EXPECT_EQ(-EINVAL, (int)passed(refused[i].filter))
			TH_LOG("%s", refused[i].filter);
		EXPECT_TRUE(file_has(HYP "error_log", refused[i].why))
			TH_LOG("%s", refused[i].filter);
		EXPECT_TRUE(file_has(HYP "error_log", path_of("Command: %s\n", refused[i].filter)));
		EXPECT_TRUE(file_has(SELFTEST "filter", "parse_error"));
		ASSERT_EQ(0, put(HYP "trace", ""));
		ASSERT_EQ(0, emit(0, 15));
		EXPECT_EQ(0xffff, ids_in(HYP "trace", "selftest"));
	}
}

/* @n comparisons, all of which are false here, by a field that all events have. */
static const char *of_length(int n)
{
	static char filter[32 * (IN_A_FILTER + 2)];
	int at = sprintf(filter, "common_pid == 0");

	while (--n)
		at += sprintf(filter + at, " || common_pid == %d", -n);
	return filter;
}

TEST_F(filter, has_a_limit)
{
	ASSERT_EQ(0, passed(of_length(IN_A_FILTER)));
	ASSERT_EQ(-EINVAL, (int)passed(of_length(IN_A_FILTER + 1)));
	EXPECT_TRUE(file_has(HYP "error_log", "may have 64 comparisons"));
}

static char *others[64];
static int nr_others;

static bool note_other(const char *event)
{
	if (strcmp(event, "selftest") && nr_others < ARRAY_SIZE(others))
		others[nr_others++] = strdup(event);
	return true;
}

static int set_filter_of(const char *event, const char *filter)
{
	return put(path_of(HYP "events/hyp/%s/filter", event), filter);
}

TEST_F(filter, places_are_limited_and_come_back)
{
	int i;

	nr_others = 0;
	of_all_events(note_other);
	ASSERT_LT(IN_ALL / IN_A_FILTER + 1, nr_others);

	/* More than there is place for, one after the other. */
	for (i = 0; i < 2 * IN_ALL / IN_A_FILTER; i++)
		ASSERT_EQ(0, put(SELFTEST "filter", of_length(IN_A_FILTER)));
	ASSERT_EQ(0, put(SELFTEST "filter", "0"));

	/* All that there is place for. */
	for (i = 0; i < IN_ALL / IN_A_FILTER; i++)
		ASSERT_EQ(0, set_filter_of(others[i], of_length(IN_A_FILTER)))
			TH_LOG("filter %d", i);
	EXPECT_EQ(-ENOSPC, put(SELFTEST "filter", of_length(IN_A_FILTER)));
	EXPECT_TRUE(file_has(HYP "error_log", "together may have 1022 comparisons"));
	EXPECT_EQ(0, put(SELFTEST "filter", of_length(IN_ALL % IN_A_FILTER)));
	EXPECT_EQ(-ENOSPC, set_filter_of(others[i], of_length(1)));
	EXPECT_EQ(0, set_filter_of(others[0], "0"));
	EXPECT_EQ(0, set_filter_of(others[i], of_length(1)));
}

TEST_F(filter, of_another_instance_is_refused)
{
	EXPECT_EQ(-EOPNOTSUPP, put("/sys/kernel/tracing/events/hyp/selftest/filter", "id == 1"));
	EXPECT_EQ(-EOPNOTSUPP, put("/sys/kernel/tracing/events/hyp/filter", "id == 1"));
	EXPECT_TRUE(file_has("/sys/kernel/tracing/error_log", "are filtered in hyp/"));
	EXPECT_EQ(0, put("/sys/kernel/tracing/events/hyp/filter", "0"));
	EXPECT_EQ(0xffff, passed("0"));
}

TEST_HARNESS_MAIN
