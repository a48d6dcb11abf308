// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests hypervisor tracing through the public functions of libtracefs and libtraceevent.
 * Their results are compared with what was emitted.
 *
 * Runs with any version of the libraries; functions that came after 1.6 are looked up at
 * run time.
 */

#include <dlfcn.h>
#include <event-parse.h>
#include <kbuffer.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <tracefs.h>

#include "../../kselftest_harness.h"
#include "../hyp_trace.h"

/* Time-outs catch hangs; they leave room for slow machines. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	600	/* seconds */

#define EVENTS	500	/* per CPU */

FIXTURE(libtracefs) {
	struct tracefs_instance	*hyp;
	struct tep_handle	*tep;
	char			dir[256];
	int			cpus;
};

FIXTURE_SETUP(libtracefs)
{
	self->cpus = nr_cpus();
	snprintf(self->dir, sizeof(self->dir), "%s/hyp", tracefs_tracing_dir());
	self->hyp = tracefs_instance_alloc(self->dir, NULL);
	ASSERT_NE(NULL, self->hyp);
	ASSERT_EQ(0, tracefs_trace_off(self->hyp));
	ASSERT_EQ(0, tracefs_event_disable(self->hyp, NULL, NULL));
	ASSERT_EQ(0, tracefs_instance_set_buffer_size(self->hyp, 256, -1));
	ASSERT_LE(0, tracefs_instance_file_clear(self->hyp, "trace"));
	ASSERT_EQ(0, tracefs_event_enable(self->hyp, "hyp", "selftest"));
	self->tep = tracefs_local_events(self->dir);
	ASSERT_NE(NULL, self->tep);
}

FIXTURE_TEARDOWN(libtracefs)
{
	tracefs_trace_off(self->hyp);
	tracefs_instance_file_clear(self->hyp, "trace");
	tep_free(self->tep);
	tracefs_instance_free(self->hyp);
}

static bool in_strings(char **list, const char *name)
{
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

TEST_F(libtracefs, instance_is_found)
{
	struct tracefs_instance *by_name;
	char **all = tracefs_instances(NULL);

	EXPECT_TRUE(in_strings(all, "hyp"));
	tracefs_list_free(all);
	EXPECT_TRUE(tracefs_instance_exists("hyp"));

	/* The instance exists, so it is not created, and destroying it fails. */
	by_name = tracefs_instance_create("hyp");
	ASSERT_NE(NULL, by_name);
	EXPECT_FALSE(tracefs_instance_is_new(by_name));
	EXPECT_NE(0, tracefs_instance_destroy(by_name));
	EXPECT_EQ(0, tracefs_trace_is_on(by_name));
	tracefs_instance_free(by_name);
}

TEST_F(libtracefs, tracing_goes_on_and_off)
{
	EXPECT_EQ(0, tracefs_trace_is_on(self->hyp));
	EXPECT_EQ(0, tracefs_trace_on(self->hyp));
	EXPECT_EQ(1, tracefs_trace_is_on(self->hyp));
	EXPECT_EQ(0, tracefs_trace_off(self->hyp));
	EXPECT_EQ(0, tracefs_trace_is_on(self->hyp));
}

TEST_F(libtracefs, buffer_size_clock_and_files)
{
	char *text;

	EXPECT_EQ(0, tracefs_instance_set_buffer_size(self->hyp, 1024, -1));
	EXPECT_LE(1024, tracefs_instance_get_buffer_size(self->hyp, 0));
	EXPECT_LE(1024 * self->cpus,
		  tracefs_instance_get_buffer_size(self->hyp, -1));
	EXPECT_EQ(0, tracefs_instance_set_buffer_size(self->hyp, 512, 0));
	EXPECT_GT(1024, tracefs_instance_get_buffer_size(self->hyp, 0));

	text = tracefs_get_clock(self->hyp);
	EXPECT_STREQ("boot", text);
	free(text);

	text = tracefs_instance_get_affinity(self->hyp);
	EXPECT_NE(NULL, text);
	free(text);
	EXPECT_LT(0, tracefs_instance_set_affinity(self->hyp, "0"));
	text = tracefs_instance_get_affinity(self->hyp);
	EXPECT_STREQ("0", text);
	free(text);
	EXPECT_LT(0, tracefs_instance_set_affinity(self->hyp, NULL));
}

TEST_F(libtracefs, events_are_listed_enabled_and_disabled)
{
	char **systems = tracefs_event_systems(self->dir);
	char **events = tracefs_system_events(self->dir, "hyp");

	EXPECT_TRUE(in_strings(systems, "hyp"));
	EXPECT_TRUE(in_strings(events, "hyp_enter"));
	EXPECT_TRUE(in_strings(events, "selftest"));
	tracefs_list_free(systems);
	tracefs_list_free(events);

	EXPECT_EQ(0, tracefs_event_enable(self->hyp, "hyp", "hyp_enter"));
	EXPECT_EQ(TRACEFS_ALL_ENABLED,
		  tracefs_event_is_enabled(self->hyp, "hyp", "hyp_enter"));
	EXPECT_EQ(0, tracefs_event_disable(self->hyp, "hyp", "hyp_enter"));
	EXPECT_EQ(TRACEFS_ALL_DISABLED,
		  tracefs_event_is_enabled(self->hyp, "hyp", "hyp_enter"));
	EXPECT_EQ(0, tracefs_event_enable(self->hyp, "hyp", ".*"));
	EXPECT_EQ(TRACEFS_ALL_ENABLED,
		  tracefs_event_is_enabled(self->hyp, "hyp", NULL));
	EXPECT_EQ(0, tracefs_event_disable(self->hyp, "hyp", NULL));
	EXPECT_NE(0, tracefs_event_enable(self->hyp, "hyp", "no_such_event"));
}

TEST_F(libtracefs, options_can_be_set)
{
	EXPECT_TRUE(tracefs_option_is_supported(self->hyp,
						TRACEFS_OPTION_OVERWRITE));
	EXPECT_EQ(0, tracefs_option_disable(self->hyp, TRACEFS_OPTION_OVERWRITE));
	EXPECT_FALSE(tracefs_option_is_enabled(self->hyp,
					       TRACEFS_OPTION_OVERWRITE));
	EXPECT_EQ(0, tracefs_option_enable(self->hyp, TRACEFS_OPTION_OVERWRITE));
	EXPECT_TRUE(tracefs_option_is_enabled(self->hyp,
					      TRACEFS_OPTION_OVERWRITE));
}

/* The last id and time of each CPU; the next event must follow them. */
struct expected {
	struct tep_handle	*tep;
	unsigned long long	id[64];
	unsigned long long	ts[64];
	int			pid;
	int			count;
	int			errors;
};

static void check(struct expected *x, struct tep_record *record, int cpu)
{
	struct tep_event *event = tep_find_event_by_record(x->tep, record);
	unsigned long long id;

	if (!event || strcmp(event->name, "selftest")) {
		x->errors++;
		return;
	}
	if (tep_get_field_val(NULL, event, "id", record, &id, 0) ||
	    id != x->id[cpu] + 1 || record->ts < x->ts[cpu] ||
	    tep_data_pid(x->tep, record) != x->pid)
		x->errors++;
	x->id[cpu] = id;
	x->ts[cpu] = record->ts;
	x->count++;
}

static int check_raw(struct tep_event *event, struct tep_record *record, int cpu,
		     void *context)
{
	check(context, record, cpu);
	return 0;
}

static int emit_on_all(int cpus)
{
	int cpu, ret = 0;

	for (cpu = 0; cpu < cpus && !ret; cpu++) {
		run_on(cpu);
		ret = emit(1, EVENTS);
	}
	return ret;
}

TEST_F(libtracefs, iterating_gives_each_event_of_each_cpu)
{
	struct expected x = { .tep = self->tep, .pid = getpid() };

	ASSERT_EQ(0, tracefs_trace_on(self->hyp));
	ASSERT_EQ(0, emit_on_all(self->cpus));
	EXPECT_EQ(0, tracefs_iterate_raw_events(self->tep, self->hyp, NULL, 0,
						check_raw, &x));
	EXPECT_EQ(0, x.errors);
	EXPECT_EQ(EVENTS * self->cpus, x.count);
}

TEST_F(libtracefs, statistics_add_up)
{
	char *text, *at;

	ASSERT_EQ(0, tracefs_trace_on(self->hyp));
	run_on(0);
	ASSERT_EQ(0, emit(1, 100));
	text = tracefs_instance_file_read(self->hyp, "per_cpu/cpu0/stats", NULL);
	ASSERT_NE(NULL, text);
	at = strstr(text, "entries: ");
	ASSERT_NE(NULL, at);
	EXPECT_EQ(100, atoi(at + 9));
	free(text);
}

static void check_page(struct tep_handle *tep, struct kbuffer *kbuf, void *page,
		       int cpu, struct expected *x)
{
	struct tep_record record = { .cpu = cpu };

	kbuffer_load_subbuffer(kbuf, page);
	for (record.data = kbuffer_read_event(kbuf, &record.ts); record.data;
	     record.data = kbuffer_next_event(kbuf, &record.ts)) {
		record.size = kbuffer_event_size(kbuf);
		check(x, &record, cpu);
	}
}

/* Read and check all events of CPU 0. */
static void check_cpu(struct tep_handle *tep, struct tracefs_cpu *cpu,
		      struct expected *x)
{
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_8,
					     KBUFFER_ENDIAN_LITTLE);
	char page[page_size()];

	while (tracefs_cpu_read(cpu, page, true) > 0)
		check_page(tep, kbuf, page, 0, x);
	kbuffer_free(kbuf);
}

TEST_F(libtracefs, a_cpu_can_be_selected_and_read)
{
	struct expected x = { .tep = self->tep, .pid = getpid() };
	struct tracefs_cpu *cpu = tracefs_cpu_open(self->hyp, 0, true);
	struct timeval short_time = { .tv_usec = 50000 };
	struct timeval long_time = { .tv_sec = 300 };
	fd_set set;
	int fd;

	ASSERT_NE(NULL, cpu);
	EXPECT_EQ((int)page_size(), tracefs_cpu_read_size(cpu));
	ASSERT_LE(0, tracefs_instance_file_write(self->hyp, "buffer_percent", "0"));
	ASSERT_EQ(0, tracefs_trace_on(self->hyp));

	/* Open a second descriptor to select() on; the first is private to the library. */
	fd = tracefs_instance_file_open(self->hyp,
					"per_cpu/cpu0/trace_pipe_raw", O_RDONLY);
	ASSERT_LE(0, fd);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	EXPECT_EQ(0, select(fd + 1, &set, NULL, NULL, &short_time));

	run_on(0);
	ASSERT_EQ(0, emit(1, EVENTS));
	FD_SET(fd, &set);
	EXPECT_EQ(1, select(fd + 1, &set, NULL, NULL, &long_time));
	check_cpu(self->tep, cpu, &x);
	EXPECT_EQ(0, x.errors);
	EXPECT_EQ(EVENTS, x.count);
	close(fd);
	tracefs_cpu_close(cpu);
	tracefs_instance_file_write(self->hyp, "buffer_percent", "50");
}

typedef struct tracefs_cpu *(*open_fn)(struct tracefs_instance *instance, int cpu,
				       bool nonblock);
typedef bool (*test_fn)(struct tracefs_cpu *cpu);

TEST_F(libtracefs, a_mapped_cpu_gives_the_same)
{
	struct expected x = { .tep = self->tep, .pid = getpid() };
	open_fn open_mapped = dlsym(RTLD_DEFAULT, "tracefs_cpu_open_mapped");
	test_fn is_mapped = dlsym(RTLD_DEFAULT, "tracefs_cpu_is_mapped");
	struct tracefs_cpu *cpu;

	if (!open_mapped || !is_mapped)
		SKIP(return, "this libtracefs can't map");

	ASSERT_EQ(0, tracefs_trace_on(self->hyp));
	run_on(0);
	ASSERT_EQ(0, emit(1, EVENTS));
	cpu = open_mapped(self->hyp, 0, true);
	ASSERT_NE(NULL, cpu);
	EXPECT_TRUE(is_mapped(cpu));
	check_cpu(self->tep, cpu, &x);
	EXPECT_EQ(0, x.errors);
	EXPECT_EQ(EVENTS, x.count);
	tracefs_cpu_close(cpu);
}

TEST_F(libtracefs, trace_pipe_can_be_streamed)
{
	char text[1 << 16], *at;
	int pipes[2], id = 0;
	ssize_t n, len = 0;

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, tracefs_trace_on(self->hyp));
	run_on(0);
	ASSERT_EQ(0, emit(1, 100));
	tracefs_trace_pipe_stream(pipes[1], self->hyp, O_NONBLOCK);
	close(pipes[1]);
	while ((n = read(pipes[0], text + len, sizeof(text) - 1 - len)) > 0)
		len += n;
	text[len] = 0;
	close(pipes[0]);
	for (at = text; (at = strstr(at, "selftest: id=")); at++)
		EXPECT_EQ(++id, atoi(at + 13));
	EXPECT_EQ(100, id);
}

TEST_F(libtracefs, filters_are_applied)
{
	struct tep_event *event = tep_find_event_by_name(self->tep, "hyp",
							 "selftest");

	ASSERT_NE(NULL, event);
	ASSERT_EQ(0, tracefs_trace_on(self->hyp));
	EXPECT_LE(0, tracefs_event_filter_apply(self->hyp, event, "id == 1 || id > 0xd"));
	ASSERT_EQ(0, emit(0, 15));
	EXPECT_EQ(0xc002, ids_in(HYP "trace", "selftest"));
	EXPECT_GT(0, tracefs_event_filter_apply(self->hyp, event, "comm == \"x\""));
	EXPECT_LE(0, tracefs_event_filter_clear(self->hyp, event));
	ASSERT_EQ(0, emit(0, 15));
	EXPECT_EQ(0xffff, ids_in(HYP "trace", "selftest"));
}

/* In hyp/, and at the root, where the kernel's own histograms are. */
TEST_F(libtracefs, histograms_count_events)
{
	struct tracefs_instance *instances[] = { self->hyp, NULL };
	struct tracefs_hist *hist;
	char *text;
	int i;

	for (i = 0; i < ARRAY_SIZE(instances); i++) {
		hist = tracefs_hist_alloc(self->tep, "hyp", "selftest", "common_pid",
					  TRACEFS_HIST_KEY_NORMAL);
		ASSERT_NE(NULL, hist);
		EXPECT_EQ(0, tracefs_hist_add_value(hist, "id"));
		ASSERT_EQ(0, tracefs_hist_start(instances[i], hist));
		ASSERT_EQ(0, emit(1, 100));
		text = tracefs_event_file_read(instances[i], "hyp", "selftest", "hist", NULL);
		ASSERT_NE(NULL, text);
		EXPECT_EQ(1, count_of(text, path_of("{ common_pid: %10d }", getpid())));
		EXPECT_EQ(1, count_of(text, " hitcount:        100  id:       5050\n"))
			TH_LOG("%s", text);
		free(text);
		EXPECT_EQ(0, tracefs_hist_destroy(instances[i], hist));
		tracefs_hist_free(hist);
	}
}

#define SELECT	"SELECT start.id, (end.TIMESTAMP - start.TIMESTAMP) AS ns "
#define FROM	"FROM selftest AS start JOIN hyp_puts AS end " ON
#define ON	"ON start.common_pid = end.common_pid"

TEST_F(libtracefs, sql_measures_between_events)
{
	struct tracefs_synth *synth = tracefs_sql(self->tep, "hyp_sql", SELECT FROM, NULL);
	char *text;

	ASSERT_NE(NULL, synth);
	ASSERT_EQ(0, tracefs_synth_create(synth));
	ASSERT_EQ(0, tracefs_event_enable(NULL, "synthetic", "hyp_sql"));
	ASSERT_EQ(0, emit(1, 100));
	text = tracefs_instance_file_read(NULL, "trace", NULL);
	ASSERT_NE(NULL, text);
	EXPECT_EQ(100, count_of(text, " hyp_sql: "));
	EXPECT_EQ(1, count_of(text, "id=100 ns="))
		TH_LOG("%s", text);
	free(text);
	EXPECT_EQ(0, tracefs_event_disable(NULL, "synthetic", "hyp_sql"));
	EXPECT_EQ(0, tracefs_synth_destroy(synth));
	tracefs_synth_free(synth);
}

TEST_HARNESS_MAIN
