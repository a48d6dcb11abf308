// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the files in /sys/kernel/tracing/hyp, as people and tools use them:
 * which files there are, what they accept, and the ways to read the events.
 */

#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "hyp_fixture.h"

#define TRACING	"/sys/kernel/tracing/"
#define OTHER	TRACING "instances/foo/"

/* Layout ---------------------------------------------------------------------- */

/*
 * Files of an ordinary instance or of the root that hyp/ does not have;
 * Documentation/trace/hyp.rst gives the reasons. A name without a directory stands for
 * a file in any directory. The names from "func-no-repeats" on are options of tracers.
 */
static const char * const absent[] = {
	"dyn_ftrace_total_info", "enabled_functions", "set_ftrace_notrace_pid", "set_ftrace_pid",
	"snapshot", "snapshot_raw", "trace_marker_raw", "tracing_max_latency",
	"func-no-repeats", "funcgraph-irqs", "sleep-time",
};

/* hyp/ does not have these either; other kernels may have them in an instance. */
static const char * const absent_too[] = { "inject" };

/* Files that hyp/ has if EL2's functions can be traced, and an ordinary instance may have. */
static const char * const of_functions[] = {
	"available_filter_functions", "func_stack_trace", "max_graph_depth", "set_ftrace_filter",
	"set_ftrace_notrace", "set_graph_function", "set_graph_notrace", "funcgraph-abstime",
	"funcgraph-cpu", "funcgraph-duration", "funcgraph-overhead", "funcgraph-overrun",
	"funcgraph-proc", "funcgraph-retval", "funcgraph-retval-hex", "funcgraph-tail",
};

/* Files of hyp/ that an ordinary instance does not have. */
static const char * const extra[] = {
	"write_event", "write_host_event", "write_fields", "write_smc", "write_hvc", "write_touch",
	"write_cpu_pm", "write_follow", "write_panic", "write_test", "write_destroy",
	"write_null", "ring_pages", "follower",
};

static bool in_list(const char *path, const char * const *list, size_t n)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	while (n--)
		if (!strcmp(name, list[n]))
			return true;
	return false;
}

/* The state of a walk; nftw() passes no pointer to its callback. */
static const char *from_dir, *to_dir;
static char unexpected[4096];
static int looked_at;

static void note(const char *what, const char *path)
{
	size_t len = strlen(unexpected);

	snprintf(unexpected + len, sizeof(unexpected) - len, " %s:%s", what, path);
}

/*
 * Events of other systems are not in hyp/, and its events are not elsewhere; neither are its
 * totals, nor its guests. ftrace's own events are not recorded in hyp/, so they trigger and
 * count nothing.
 */
static bool not_compared(const char *path)
{
	static const char * const of_ftrace[] = { "trigger", "hist", "hist_debug" };

	if (!strncmp(path, "events/ftrace/", 14))
		return in_list(path, of_ftrace, ARRAY_SIZE(of_ftrace));

	return !strncmp(path, "totals/", 7) || !strncmp(path, "guests/", 7) ||
	       (!strncmp(path, "events/", 7) && strchr(path + 7, '/'));
}

static int missing_there(const char *path, const struct stat *st, int type,
			 struct FTW *ftw)
{
	const char *rest = path + strlen(from_dir);

	if (type != FTW_F || not_compared(rest))
		return 0;
	looked_at++;
	if (exists(path_of("%s%s", to_dir, rest)) ||
	    in_list(rest, of_functions, ARRAY_SIZE(of_functions)))
		return 0;
	if (from_dir[strlen(TRACING)] == 'i' ?
	    !in_list(rest, absent, ARRAY_SIZE(absent)) :
	    !in_list(rest, extra, ARRAY_SIZE(extra)))
		note(from_dir, rest);
	return 0;
}

/* Returns the number of files compared; notes files that are missing unexpectedly. */
static int compare(const char *from, const char *to)
{
	from_dir = from;
	to_dir = to;
	looked_at = 0;
	return nftw(from, missing_there, 16, FTW_PHYS) ? -1 : looked_at;
}

/* Is there a file of that name, in any directory of an instance? */
static bool is_somewhere_in(const char *dir, const char *event, const char *name)
{
	return exists(path_of("%s%s", dir, name)) ||
	       exists(path_of("%soptions/%s", dir, name)) ||
	       exists(path_of("%sper_cpu/cpu0/%s", dir, name)) ||
	       exists(path_of("%sevents/%s/%s", dir, event, name));
}

/* Notes files for the tracing of functions that are there without it, or not with it. */
static void look_for_functions(void)
{
	bool functions = exists(HYP "available_filter_functions");
	bool has_retval = exists(TRACING "options/funcgraph-retval");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(of_functions); i++) {
		const char *name = of_functions[i];
		bool wanted = functions && (has_retval || !strstr(name, "retval"));

		if (is_somewhere_in(HYP, "hyp/hyp_enter", name) != wanted)
			note(HYP, name);
	}
}

TEST_F(hyp, layout_is_that_of_an_instance_but_for_what_is_absent_on_purpose)
{
	size_t i;

	unexpected[0] = 0;
	ASSERT_EQ(0, mkdir(OTHER, 0700));
	/* The files of the CPUs alone are more than this. */
	EXPECT_LT((int)ARRAY_SIZE(absent) + 5 * self->cpus, compare(OTHER, HYP));
	EXPECT_LT((int)ARRAY_SIZE(extra) + 5 * self->cpus, compare(HYP, OTHER));
	look_for_functions();
	EXPECT_STREQ("", unexpected);

	/* Each name in the list is absent here, and present elsewhere. */
	for (i = 0; i < ARRAY_SIZE(absent); i++) {
		EXPECT_FALSE(is_somewhere_in(HYP, "hyp/hyp_enter", absent[i]))
			TH_LOG("%s", absent[i]);
		EXPECT_TRUE(is_somewhere_in(OTHER, "sched/sched_switch", absent[i]) ||
			    exists(path_of(TRACING "%s", absent[i])))
			TH_LOG("%s", absent[i]);
	}
	for (i = 0; i < ARRAY_SIZE(absent_too); i++)
		EXPECT_FALSE(is_somewhere_in(HYP, "hyp/hyp_enter", absent_too[i]));
	for (i = 0; i < ARRAY_SIZE(extra); i++) {
		EXPECT_TRUE(exists(path_of(HYP "%s", extra[i])));
		EXPECT_FALSE(exists(path_of(OTHER "%s", extra[i])));
	}
	EXPECT_EQ(0, rmdir(OTHER));
}

/* Only with perf events have events a file "id". */
static bool has_perf(void)
{
	return exists(TRACING "events/sched/sched_switch/id");
}

TEST_F(hyp, events_have_what_they_need)
{
	static const char * const files[] = {
		"enable", "filter", "format", "hist", "id", "trigger",
	};
	static const char * const events[] = {
		"host_hcall", "host_mem_abort", "host_smc", "hyp_enter",
		"hyp_exit", "selftest",
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		for (j = 0; j < ARRAY_SIZE(files); j++)
			EXPECT_EQ(exists(path_of(TRACING "events/sched/sched_switch/%s",
						 files[j])),
				  exists(path_of(HYP "events/hyp/%s/%s",
						 events[i], files[j])));
	EXPECT_TRUE(exists(HYP "events/hyp/hyp_enter/format"));
	EXPECT_TRUE(exists(HYP "events/hyp/enable"));
	EXPECT_TRUE(exists(HYP "events/hyp/filter"));
	EXPECT_FALSE(exists(HYP "events/sched"));
	EXPECT_TRUE(exists(TRACING "events/sched"));
}

/*
 * Notes files that are readable by their mode but cannot be read. The kinds of trace_pipe
 * may have nothing to read.
 */
static int unreadable(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	bool is_pipe = strstr(path, "/trace_pipe");
	char buf[4096];
	int fd;

	if (type != FTW_F || !(st->st_mode & 0400))
		return 0;
	looked_at++;
	fd = open(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0 || (read(fd, buf, sizeof(buf)) < 0 && !(is_pipe && errno == EAGAIN)))
		note("can't read", path);
	close(fd);
	return 0;
}

static int count_up(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	looked_at += !strcmp(path + ftw->base, "format");
	return 0;
}

TEST_F(hyp, every_readable_file_can_be_read)
{
	int formats;

	looked_at = 0;
	ASSERT_EQ(0, nftw(HYP "events", count_up, 16, FTW_PHYS));
	formats = looked_at;
	unexpected[0] = 0;
	looked_at = 0;
	EXPECT_EQ(0, nftw(HYP, unreadable, 16, FTW_PHYS));
	EXPECT_STREQ("", unexpected);
	/* Each event has "enable", "id" and "format", each CPU "trace" and "stats". */
	EXPECT_LT(0, formats);
	EXPECT_LT(3 * formats + 2 * self->cpus, looked_at);
}

TEST_F(hyp, other_names_lead_to_it_and_cannot_be_removed)
{
	struct stat hyp, other;
	int i;

	ASSERT_EQ(0, stat(HYP "trace", &hyp));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, stat(TRACING "instances/hyp/trace", &other));
		EXPECT_EQ(hyp.st_ino, other.st_ino);
		ASSERT_EQ(0, stat(TRACING "hypervisor/trace", &other));
		EXPECT_EQ(hyp.st_ino, other.st_ino);

		EXPECT_EQ(-1, rmdir(TRACING "hyp"));
		EXPECT_EQ(-1, rmdir(TRACING "hypervisor"));
		EXPECT_EQ(-1, unlink(TRACING "hypervisor"));
		EXPECT_EQ(-1, rmdir(TRACING "instances/hyp"));
		EXPECT_EQ(-1, unlink(TRACING "instances/hyp"));
		EXPECT_EQ(-1, rename(TRACING "instances/hyp", TRACING "instances/x"));
		EXPECT_EQ(-1, mkdir(TRACING "instances/hyp", 0700));
		EXPECT_EQ(EEXIST, errno);
	}
}

TEST_F(hyp, a_module_cannot_destroy_it)
{
	struct stream s = stream_from(1);
	int i;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(-EBUSY, put(HYP "write_destroy", "1"));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(10, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
}

TEST_F(hyp, no_buffer_is_an_error_as_ever)
{
	EXPECT_EQ(-EINVAL, put(HYP "write_null", "1"));
}

TEST_F(hyp, root_enables_events_and_says_where_they_are_recorded)
{
	char *text;

	EXPECT_TRUE(exists(TRACING "events/hyp/hyp_enter/format"));
	EXPECT_LT(0, event_id("hyp_enter"));
	if (has_perf())
		EXPECT_EQ(event_id("hyp_enter"),
			  get_num(TRACING "events/hyp/hyp_enter/id", ""));

	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	ASSERT_EQ(0, put(TRACING "error_log", ""));
	ASSERT_EQ(0, put(TRACING "events/hyp/selftest/enable", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(10, stat_of(0, "entries:"));

	/* Enabled in both: the event stays enabled until it is disabled in both. */
	ASSERT_EQ(0, put(TRACING "set_event", "hyp:selftest"));
	ASSERT_EQ(0, put(HYP "events/hyp/selftest/enable", "1"));
	ASSERT_EQ(0, put(TRACING "events/hyp/selftest/enable", "0"));
	ASSERT_EQ(0, emit(11, 20));
	EXPECT_EQ(20, stat_of(0, "entries:"));
	ASSERT_EQ(0, put(HYP "events/hyp/enable", "0"));
	ASSERT_EQ(0, emit(21, 30));
	EXPECT_EQ(20, stat_of(0, "entries:"));

	text = get(TRACING "error_log");
	EXPECT_NE(NULL, strstr(text, "Hypervisor events are recorded in hyp/"));
	free(text);
	EXPECT_EQ(-EOPNOTSUPP, put(TRACING "events/hyp/selftest/filter", "id==1"));
}

TEST_F(hyp, all_events_of_the_root_are_the_kernels)
{
	char *text;

	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	ASSERT_EQ(0, put(TRACING "error_log", ""));
	EXPECT_EQ(0, put(TRACING "events/enable", "1"));
	EXPECT_EQ(1, get_num(TRACING "events/enable", ""));
	EXPECT_EQ(0, get_num(TRACING "events/hyp/enable", ""));
	EXPECT_EQ(0, put(TRACING "events/hyp/enable", "1"));
	EXPECT_EQ(1, get_num(TRACING "events/hyp/enable", ""));
	EXPECT_EQ(0, put(TRACING "events/enable", "0"));
	EXPECT_EQ(0, get_num(TRACING "events/enable", ""));
	EXPECT_EQ(0, get_num(TRACING "events/hyp/enable", ""));
	/* The log keeps the last few lines only: which events these are depends on their order. */
	text = get(TRACING "error_log");
	EXPECT_NE(NULL, strstr(text, "Hypervisor events are recorded in hyp/"));
	free(text);
}

/* Does the event's "enable" at the root read plain "0"? */
static bool is_off_at_the_root(const char *event)
{
	char *text = get(path_of(TRACING "events/hyp/%s/enable", event));
	bool off = !strcmp(text, "0\n");

	free(text);
	return off;
}

static bool root_error_log_has(const char *message, const char *command)
{
	char *text = get(TRACING "error_log");
	bool has = strstr(text, message) && strstr(text, command);

	free(text);
	return has;
}

/* Commands that would enable or disable an event: refused, and nothing changes. */
static const struct {
	const char	*file;
	const char	*command;
} soft_enables[] = {
	{ "events/sched/sched_switch/trigger", "enable_event:hyp:selftest" },
	{ "events/sched/sched_switch/trigger", "disable_event:hyp:selftest" },
	{ "events/sched/sched_switch/trigger", "enable_event:hyp:selftest:3" },
	{ "set_ftrace_filter", "schedule:enable_event:hyp:selftest\n" },
	{ "set_ftrace_filter", "schedule:disable_event:hyp:selftest:3\n" },
};

TEST_F(hyp, commands_that_would_enable_an_event_are_refused_and_change_nothing)
{
	size_t i;

	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (i = 0; i < ARRAY_SIZE(soft_enables) * 2; i++) {
		const char *file = path_of(TRACING "%s", soft_enables[i / 2].file);
		const char *command = soft_enables[i / 2].command;

		ASSERT_EQ(0, put(TRACING "error_log", ""));
		EXPECT_EQ(-EOPNOTSUPP, put(file, command))
			TH_LOG("%s", command);
		EXPECT_TRUE(root_error_log_has("No trigger enables a hypervisor event",
					       "Command: selftest\n"));
		EXPECT_TRUE(is_off_at_the_root("selftest"));

		ASSERT_EQ(0, put(HYP "trace", ""));
		ASSERT_EQ(0, put(TRACING "events/hyp/selftest/enable", "1"));
		EXPECT_EQ(1, get_num(TRACING "events/hyp/selftest/enable", ""));
		ASSERT_EQ(0, emit(1, 10));
		EXPECT_EQ(10, stat_of(0, "entries:"));
		ASSERT_EQ(0, put(TRACING "events/hyp/selftest/enable", "0"));
		EXPECT_TRUE(is_off_at_the_root("selftest"));
		ASSERT_EQ(0, emit(1, 10));
		EXPECT_EQ(10, stat_of(0, "entries:"));
	}

	/* The same commands work with the kernel's own events, so their syntax is right. */
	EXPECT_EQ(0, put(TRACING "events/sched/sched_switch/trigger",
			 "enable_event:sched:sched_waking"));
	EXPECT_EQ(0, put(TRACING "events/sched/sched_switch/trigger",
			 "!enable_event:sched:sched_waking"));
	EXPECT_EQ(0, put(TRACING "set_ftrace_filter",
			 "schedule:enable_event:sched:sched_waking\n"));
	EXPECT_EQ(0, put(TRACING "set_ftrace_filter",
			 "!schedule:enable_event:sched:sched_waking\n"));
}

#define HOST_PROBE	"e:hyp_probe sched.sched_switch pid=$next_pid\n"

static bool has_event_probes(void)
{
	return !put(TRACING "dynamic_events", HOST_PROBE) && !put(TRACING "dynamic_events", "");
}

TEST_F(hyp, an_event_probe_is_refused_when_it_is_created)
{
	int i;

	if (!has_event_probes())
		SKIP(return, "there are no event probes");

	ASSERT_EQ(0, put(TRACING "error_log", ""));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(-EOPNOTSUPP, put(TRACING "dynamic_events",
					   "e:hyp_probe hyp.selftest id=$id\n"));
		EXPECT_FALSE(exists(TRACING "events/eprobes/hyp_probe"));
	}
	EXPECT_EQ(-EOPNOTSUPP, put(TRACING "dynamic_events",
				   "e:hyp_probe hyp/selftest id=$id if id == 1\n"));
	EXPECT_TRUE(root_error_log_has("Hypervisor events can't be probed",
				       "Command: hyp.selftest\n"));
	EXPECT_TRUE(is_off_at_the_root("selftest"));

	EXPECT_EQ(0, put(TRACING "dynamic_events", HOST_PROBE));
	EXPECT_TRUE(exists(TRACING "events/eprobes/hyp_probe"));
	EXPECT_EQ(0, put(TRACING "dynamic_events", ""));
}

/* What the files accept ------------------------------------------------------- */

static int enabled(const char *event)
{
	return get_num(path_of(HYP "events/hyp/%s/enable", event), "");
}

TEST_F(hyp, events_can_be_chosen_by_set_event_and_by_directory)
{
	char *text;

	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_enter hyp:hyp_exit"));
	EXPECT_EQ(1, enabled("hyp_enter"));
	EXPECT_EQ(1, enabled("hyp_exit"));
	EXPECT_EQ(0, enabled("selftest"));
	text = get(HYP "set_event");
	EXPECT_NE(NULL, strstr(text, "hyp:hyp_enter\n"));
	EXPECT_NE(NULL, strstr(text, "hyp:hyp_exit\n"));
	EXPECT_EQ(strlen("hyp:hyp_enter\nhyp:hyp_exit\n"), strlen(text));
	free(text);
	ASSERT_EQ(0, put(HYP "set_event", ""));
	EXPECT_EQ(0, enabled("hyp_enter"));
	ASSERT_EQ(0, put(HYP "set_event", "hyp"));
	EXPECT_EQ(1, enabled("hyp_enter"));
	EXPECT_EQ(1, enabled("selftest"));
	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	EXPECT_EQ(0, enabled("selftest"));
	ASSERT_EQ(0, put(HYP "events/hyp/enable", "1"));
	EXPECT_EQ(1, enabled("selftest"));
	EXPECT_EQ(-EINVAL, put(HYP "set_event", "hyp:no_such_event"));
}

TEST_F(hyp, set_event_takes_globs_and_negation)
{
	char *text;

	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_*"));
	EXPECT_EQ(1, enabled("hyp_enter"));
	EXPECT_EQ(1, enabled("hyp_exit"));
	EXPECT_EQ(0, enabled("host_hcall"));
	EXPECT_EQ(0, enabled("selftest"));

	ASSERT_EQ(0, put(HYP "set_event", "hyp:*"));
	EXPECT_EQ(1, enabled("host_smc"));
	EXPECT_EQ(1, enabled("selftest"));

	ASSERT_EQ(0, put(HYP "set_event", "*:selftest host_smc"));
	text = get(HYP "set_event");
	EXPECT_EQ(strlen("hyp:selftest\nhyp:host_smc\n"), strlen(text));
	EXPECT_NE(NULL, strstr(text, "hyp:selftest\n"));
	EXPECT_NE(NULL, strstr(text, "hyp:host_smc\n"));
	free(text);

	ASSERT_EQ(0, put(HYP "events/hyp/enable", "1"));
	ASSERT_EQ(0, system("echo '!hyp:host_*' >> " HYP "set_event"));
	EXPECT_EQ(0, enabled("host_hcall"));
	EXPECT_EQ(0, enabled("host_mem_abort"));
	EXPECT_EQ(1, enabled("hyp_exit"));

	EXPECT_EQ(-EINVAL, put(HYP "set_event", "hyp:no_such_*"));
	EXPECT_EQ(-EINVAL, put(HYP "set_event", "sched:*"));
}

/* With or without hypervisor tracing. */
TEST_F(hyp, set_event_takes_no_globs_for_events_of_the_kernel)
{
	ASSERT_EQ(0, put(TRACING "set_event", "sched:sched_switch"));
	EXPECT_EQ(-EINVAL, append(TRACING "set_event", "sched:sched_w*"));
	EXPECT_EQ(0, put(TRACING "set_event", ""));
}

TEST_F(hyp, cpumask_chooses_the_cpus_that_record)
{
	struct stream s = stream_from(1);
	int cpu;

	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	ASSERT_EQ(0, put(HYP "tracing_cpumask", "2"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		ASSERT_EQ(0, run_on(cpu));
		ASSERT_EQ(0, emit(1, 50));
	}
	EXPECT_EQ(0, stat_of(0, "entries:"));
	EXPECT_EQ(50, read_raw(1, check_stream, &s));
	for (cpu = 2; cpu < self->cpus; cpu++)
		EXPECT_EQ(0, stat_of(cpu, "entries:"));

	/* Changed while tracing: events that were recorded before stay. */
	ASSERT_EQ(0, run_on(1));
	ASSERT_EQ(0, emit(51, 60));
	ASSERT_EQ(0, put(HYP "tracing_cpumask", "1"));
	ASSERT_EQ(0, emit(1, 10));
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(10, stat_of(0, "entries:"));
	EXPECT_EQ(10, read_raw(1, check_stream, &s));
	EXPECT_EQ(0, s.errors);

	/* The mask survives hotplug, resize, and adjustments of the clock. */
	ASSERT_EQ(0, put("/sys/devices/system/cpu/cpu1/online", "0"));
	ASSERT_EQ(0, set_size_kb(64));
	ASSERT_EQ(0, put("/sys/devices/system/cpu/cpu1/online", "1"));
	ASSERT_EQ(0, run_on(1));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(61, 70));
	EXPECT_EQ(0, stat_of(1, "entries:"));
	ASSERT_EQ(0, put(HYP "tracing_cpumask", "3"));
	ASSERT_EQ(0, emit(61, 70));
	EXPECT_EQ(10, read_raw(1, check_stream, &s));
	EXPECT_EQ(0, s.errors);
}

/* Emit events on a CPU from a new task; returns its pid, or -1 if it failed. */
static pid_t emit_as_another(int cpu, int first, int last)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(run_on(cpu) || emit(first, last));
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status ? pid : -1;
}

TEST_F(hyp, set_event_pid_chooses_the_tasks_that_record)
{
	struct stream s = stream_from(1);
	char *text, want[16];

	sprintf(want, "%d", getpid());
	ASSERT_EQ(0, put(HYP "set_event_pid", want));
	EXPECT_EQ(getpid(), get_num(HYP "set_event_pid", ""));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 10));
	ASSERT_LT(0, emit_as_another(0, 1, 5));
	ASSERT_LT(0, emit_as_another(self->cpus - 1, 1, 5));
	ASSERT_EQ(0, run_on(self->cpus - 1));
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, emit(11, 20));
	EXPECT_EQ(20, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);
	if (self->cpus > 1)
		EXPECT_EQ(0, stat_of(self->cpus - 1, "entries:"));

	/* All tasks but this one; its children count as others. */
	ASSERT_EQ(0, put(HYP "set_event_pid", ""));
	ASSERT_EQ(0, put(HYP "set_event_notrace_pid", want));
	ASSERT_EQ(0, emit(1, 10));
	s = stream_from(21);
	s.pid = emit_as_another(0, 21, 30);
	ASSERT_LT(0, s.pid);
	EXPECT_EQ(10, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);

	/* Back to all tasks; takes effect at once. */
	ASSERT_EQ(0, put(HYP "set_event_notrace_pid", ""));
	ASSERT_EQ(0, emit(31, 40));
	s = stream_from(31);
	EXPECT_EQ(10, read_raw(0, check_stream, &s));
	EXPECT_EQ(0, s.errors);

	/* With event-fork, tasks that are forked from then on are traced, too. */
	ASSERT_EQ(0, put(HYP "options/event-fork", "1"));
	ASSERT_EQ(0, put(HYP "set_event_pid", want));
	ASSERT_LT(0, emit_as_another(0, 41, 50));
	EXPECT_EQ(10, stat_of(0, "entries:"));
	ASSERT_EQ(0, put(HYP "options/event-fork", "0"));
	ASSERT_EQ(0, put(HYP "set_event_pid", ""));
	text = get(HYP "set_event_pid");
	EXPECT_STREQ("", text);
	free(text);
}

TEST_F(hyp, set_event_pid_stays_through_hotplug_and_unload)
{
	const int cpu = self->cpus > 1;
	struct stream s = stream_from(1);
	char want[16];
	int i;

	sprintf(want, "%d", getpid());
	ASSERT_EQ(0, put(HYP "set_event_pid", want));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
		if (self->cpus > 1) {
			ASSERT_EQ(0, put("/sys/devices/system/cpu/cpu1/online", "0"));
			ASSERT_EQ(0, set_size_kb(i & 1 ? 256 : 64));
			ASSERT_EQ(0, put("/sys/devices/system/cpu/cpu1/online", "1"));
			ASSERT_EQ(0, run_on(1));
		}
		ASSERT_LT(0, emit_as_another(cpu, 1, 5));
		s = stream_from(1);
		ASSERT_EQ(0, emit(1, 20));
		EXPECT_EQ(20, read_raw(cpu, check_stream, &s));
		EXPECT_EQ(0, s.errors);
		ASSERT_EQ(0, run_on(0));
		ASSERT_TRUE(be_idle());
	}
	ASSERT_EQ(0, put(HYP "set_event_pid", ""));
}

/* Read "trace" once with an option set; the caller frees the text. */
static char *trace_with(const char *option, const char *value)
{
	char *text, old[8];

	sprintf(old, "%lld", get_num(path_of(HYP "options/%s", option), ""));
	if (put(path_of(HYP "options/%s", option), value))
		return strdup("option can't be set");
	text = get(HYP "trace");
	put(path_of(HYP "options/%s", option), old);
	return text;
}

TEST_F(hyp, options_show_events_as_in_any_instance)
{
	char *text, want[64], bytes[4096];
	int fd, pid = getpid();
	ssize_t n;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(77, 77));
	text = get(HYP "trace");
	EXPECT_EQ(text, strstr(text, "# tracer: nop\n"));
	EXPECT_NE(NULL, strstr(text, "# entries-in-buffer/entries-written: 1/1 "));
	sprintf(want, "-%d ", getpid());
	EXPECT_NE(NULL, strstr(text, want));
	EXPECT_NE(NULL, strstr(text, "[000]"));
	EXPECT_NE(NULL, strstr(text, ": selftest: id=77\n"));
	EXPECT_NE(NULL, strstr(text, "....."));
	EXPECT_EQ(NULL, strstr(text, "TGID"));
	free(text);

	text = trace_with("context-info", "0");
	EXPECT_EQ(NULL, strstr(text, "[000]"));
	EXPECT_NE(NULL, strstr(text, "selftest: id=77\n"));
	free(text);

	text = trace_with("fields", "1");
	EXPECT_NE(NULL, strstr(text, "selftest: id=0x4d (77)"));
	free(text);

	text = trace_with("raw", "1");
	EXPECT_EQ(NULL, strstr(text, "option can't be set"));
	EXPECT_EQ(NULL, strstr(text, "[000]"));
	sprintf(want, "%d 0 ", getpid());
	EXPECT_NE(NULL, strstr(text, want));
	free(text);

	text = trace_with("hex", "1");
	sprintf(want, "%08x", getpid());
	EXPECT_NE(NULL, strstr(text, want))
		TH_LOG("%s", text);
	free(text);

	ASSERT_EQ(0, put(HYP "options/bin", "1"));
	fd = open(HYP "trace", O_RDONLY);
	n = read(fd, bytes, sizeof(bytes));
	close(fd);
	ASSERT_EQ(0, put(HYP "options/bin", "0"));
	ASSERT_LT(0, n);
	EXPECT_NE(NULL, memmem(bytes, n, &pid, sizeof(pid)));

	text = trace_with("verbose", "1");
	EXPECT_NE(NULL, strstr(text, "selftest"));
	free(text);

	text = trace_with("irq-info", "0");
	EXPECT_EQ(NULL, strstr(text, "....."));
	EXPECT_NE(NULL, strstr(text, ": selftest: id=77\n"));
	free(text);

	text = trace_with("record-tgid", "1");
	EXPECT_NE(NULL, strstr(text, "TGID"));
	EXPECT_NE(NULL, strstr(text, "selftest: id=77\n"));
	free(text);
}

TEST_F(hyp, annotate_says_where_a_cpu_begins)
{
	bool ordered;
	char *text;

	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 1));
	ASSERT_EQ(0, run_on(1));
	ASSERT_EQ(0, emit(2, 2));
	/* This is annotated only after losses, as CPUs then begin at different times. */
	ASSERT_EQ(0, set_size_kb(SMALL_KB));
	ASSERT_EQ(0, emit(1, MANY));
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, emit(1, MANY));
	text = get(HYP "trace");
	EXPECT_NE(NULL, strstr(text, "buffer started ####"));
	free(text);
	text = trace_with("annotate", "0");
	EXPECT_EQ(NULL, strstr(text, "buffer started ####"));
	EXPECT_LT(0, ids_in_order(text, &ordered));
	free(text);
}

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

/* Ways to read ------------------------------------------------------------------ */

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
	char *text = calloc(1, 1 << 21);
	int pipes[2], fd, error;
	size_t len = 0;
	ssize_t n;

	if (pipe(pipes))
		return text;
	fd = open(trace_pipe, O_RDONLY | O_NONBLOCK);
	while ((n = splice(fd, NULL, pipes[1], NULL, at_once, SPLICE_F_NONBLOCK)) > 0) {
		n = read(pipes[0], text + len, n);
		if (n <= 0)
			break;
		len += n;
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

/* Fixes for all instances: patches/6.12/0001 to 0004 --------------------------- */

TEST_F(hyp, ordinary_text_can_be_spliced)
{
	bool ordered;
	int i;

	ASSERT_EQ(0, mkdir(OTHER, 0700));
	ASSERT_EQ(0, put(OTHER "events/hyp_test/host_selftest/enable", "1"));
	for (i = 1; i <= EVENTS; i++)
		ASSERT_EQ(0, put_num(HYP "write_host_event", i));
	EXPECT_EQ(EVENTS, splice_text(OTHER "trace_pipe", &ordered));
	EXPECT_TRUE(ordered);
	EXPECT_EQ(0, rmdir(OTHER));
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

TEST_F(hyp, ordinary_size_that_overflows_is_refused)
{
	long long before;

	ASSERT_EQ(0, mkdir(OTHER, 0700));
	before = get_num(OTHER "buffer_size_kb", "");
	EXPECT_EQ(-ERANGE, put(OTHER "buffer_size_kb", "18014398509481985"));
	EXPECT_EQ(before, get_num(OTHER "buffer_size_kb", ""));
	EXPECT_EQ(0, put(OTHER "buffer_size_kb", "64"));
	EXPECT_EQ(0, rmdir(OTHER));
}

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

	ASSERT_EQ(0, mkdir(OTHER, 0700));
	fd = open(OTHER "per_cpu/cpu0/trace_pipe_raw", O_RDONLY);
	first = map_first_page(fd);
	second = map_first_page(fd);
	ASSERT_NE(MAP_FAILED, first);
	ASSERT_NE(MAP_FAILED, second);
	EXPECT_EQ(place, mremap(first, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place));
	EXPECT_EQ(-EBUSY, put(OTHER "snapshot", "1"));
	EXPECT_EQ(0, munmap(place, size));
	EXPECT_EQ(-EBUSY, put(OTHER "snapshot", "1"));
	EXPECT_EQ(0, munmap(second, size));
	EXPECT_EQ(0, put(OTHER "snapshot", "1"));
	close(fd);
	EXPECT_EQ(0, rmdir(OTHER));
}

TEST_HARNESS_MAIN
