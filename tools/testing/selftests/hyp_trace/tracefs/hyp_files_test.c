// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the files in /sys/kernel/tracing/hyp: which there are, and what they lead to.
 */

#include <ftw.h>
#include <sys/wait.h>

#include "hyp_fixture.h"

/*
 * Files of an ordinary instance or of the root that hyp/ does not have;
 * Documentation/trace/hyp-files.rst gives the reasons. A name without a directory stands for
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
	"write_event", "write_host_event", "write_fields", "write_smc", "write_hvc", "write_vcpu",
	"write_touch", "write_cpu_pm", "write_follow", "write_hold", "write_panic", "write_test",
	"write_destroy", "write_null", "ring_pages", "follower",
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

	return !strncmp(path, "totals/", 7) || !strncmp(path, "max/", 4) ||
	       !strncmp(path, "guests/", 7) ||
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
	if (from_dir[strlen(ROOT)] == 'i' ?
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
	bool has_retval = exists(ROOT "options/funcgraph-retval");
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
	ASSERT_EQ(0, mkdir(FOO, 0700));
	/* The files of the CPUs alone are more than this. */
	EXPECT_LT((int)ARRAY_SIZE(absent) + 5 * self->cpus, compare(FOO, HYP));
	EXPECT_LT((int)ARRAY_SIZE(extra) + 5 * self->cpus, compare(HYP, FOO));
	look_for_functions();
	EXPECT_STREQ("", unexpected);

	/* Each name in the list is absent here, and present elsewhere. */
	for (i = 0; i < ARRAY_SIZE(absent); i++) {
		EXPECT_FALSE(is_somewhere_in(HYP, "hyp/hyp_enter", absent[i]))
			TH_LOG("%s", absent[i]);
		EXPECT_TRUE(is_somewhere_in(FOO, "sched/sched_switch", absent[i]) ||
			    exists(path_of(ROOT "%s", absent[i])))
			TH_LOG("%s", absent[i]);
	}
	for (i = 0; i < ARRAY_SIZE(absent_too); i++)
		EXPECT_FALSE(is_somewhere_in(HYP, "hyp/hyp_enter", absent_too[i]));
	for (i = 0; i < ARRAY_SIZE(extra); i++) {
		EXPECT_TRUE(exists(path_of(HYP "%s", extra[i])));
		EXPECT_FALSE(exists(path_of(FOO "%s", extra[i])));
	}
	EXPECT_EQ(0, rmdir(FOO));
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
			EXPECT_EQ(exists(path_of(ROOT "events/sched/sched_switch/%s",
						 files[j])),
				  exists(path_of(HYP "events/hyp/%s/%s",
						 events[i], files[j])));
	EXPECT_TRUE(exists(HYP "events/hyp/hyp_enter/format"));
	EXPECT_TRUE(exists(HYP "events/hyp/enable"));
	EXPECT_TRUE(exists(HYP "events/hyp/filter"));
	EXPECT_FALSE(exists(HYP "events/sched"));
	EXPECT_TRUE(exists(ROOT "events/sched"));
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
		ASSERT_EQ(0, stat(ROOT "instances/hyp/trace", &other));
		EXPECT_EQ(hyp.st_ino, other.st_ino);
		ASSERT_EQ(0, stat(ROOT "hypervisor/trace", &other));
		EXPECT_EQ(hyp.st_ino, other.st_ino);

		EXPECT_EQ(-1, rmdir(ROOT "hyp"));
		EXPECT_EQ(-1, rmdir(ROOT "hypervisor"));
		EXPECT_EQ(-1, unlink(ROOT "hypervisor"));
		EXPECT_EQ(-1, rmdir(ROOT "instances/hyp"));
		EXPECT_EQ(-1, unlink(ROOT "instances/hyp"));
		EXPECT_EQ(-1, rename(ROOT "instances/hyp", ROOT "instances/x"));
		EXPECT_EQ(-1, mkdir(ROOT "instances/hyp", 0700));
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

TEST_HARNESS_MAIN
