// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of what is recorded and shown: events, CPUs and tasks can be chosen, and options set, as in
 * any instance.
 */

#include <sys/wait.h>

#include "hyp_fixture.h"

/* Only with perf events have events a file "id". */
static bool has_perf(void)
{
	return exists(ROOT "events/sched/sched_switch/id");
}

TEST_F(hyp, root_enables_events_and_says_where_they_are_recorded)
{
	char *text;

	EXPECT_TRUE(exists(ROOT "events/hyp/hyp_enter/format"));
	EXPECT_LT(0, event_id("hyp_enter"));
	if (has_perf())
		EXPECT_EQ(event_id("hyp_enter"),
			  get_num(ROOT "events/hyp/hyp_enter/id", ""));

	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	ASSERT_EQ(0, put(ROOT "error_log", ""));
	ASSERT_EQ(0, put(ROOT "events/hyp/selftest/enable", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(10, stat_of(0, "entries:"));

	/* Enabled in both: the event stays enabled until it is disabled in both. */
	ASSERT_EQ(0, put(ROOT "set_event", "hyp:selftest"));
	ASSERT_EQ(0, put(HYP "events/hyp/selftest/enable", "1"));
	ASSERT_EQ(0, put(ROOT "events/hyp/selftest/enable", "0"));
	ASSERT_EQ(0, emit(11, 20));
	EXPECT_EQ(20, stat_of(0, "entries:"));
	ASSERT_EQ(0, put(HYP "events/hyp/enable", "0"));
	ASSERT_EQ(0, emit(21, 30));
	EXPECT_EQ(20, stat_of(0, "entries:"));

	text = get(ROOT "error_log");
	EXPECT_NE(NULL, strstr(text, "Hypervisor events are recorded in hyp/"));
	free(text);
	EXPECT_EQ(-EOPNOTSUPP, put(ROOT "events/hyp/selftest/filter", "id==1"));
}

TEST_F(hyp, all_events_of_the_root_are_the_kernels)
{
	char *text;

	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	ASSERT_EQ(0, put(ROOT "error_log", ""));
	EXPECT_EQ(0, put(ROOT "events/enable", "1"));
	EXPECT_EQ(1, get_num(ROOT "events/enable", ""));
	EXPECT_EQ(0, get_num(ROOT "events/hyp/enable", ""));
	EXPECT_EQ(0, put(ROOT "events/hyp/enable", "1"));
	EXPECT_EQ(1, get_num(ROOT "events/hyp/enable", ""));
	EXPECT_EQ(0, put(ROOT "events/enable", "0"));
	EXPECT_EQ(0, get_num(ROOT "events/enable", ""));
	EXPECT_EQ(0, get_num(ROOT "events/hyp/enable", ""));
	/* The log keeps the last few lines only: which events these are depends on their order. */
	text = get(ROOT "error_log");
	EXPECT_NE(NULL, strstr(text, "Hypervisor events are recorded in hyp/"));
	free(text);
}

/* Does the event's "enable" at the root read plain "0"? */
static bool is_off_at_the_root(const char *event)
{
	char *text = get(path_of(ROOT "events/hyp/%s/enable", event));
	bool off = !strcmp(text, "0\n");

	free(text);
	return off;
}

static bool root_error_log_has(const char *message, const char *command)
{
	char *text = get(ROOT "error_log");
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
		const char *file = path_of(ROOT "%s", soft_enables[i / 2].file);
		const char *command = soft_enables[i / 2].command;

		ASSERT_EQ(0, put(ROOT "error_log", ""));
		EXPECT_EQ(-EOPNOTSUPP, put(file, command))
			TH_LOG("%s", command);
		EXPECT_TRUE(root_error_log_has("No trigger enables a hypervisor event",
					       "Command: selftest\n"));
		EXPECT_TRUE(is_off_at_the_root("selftest"));

		ASSERT_EQ(0, put(HYP "trace", ""));
		ASSERT_EQ(0, put(ROOT "events/hyp/selftest/enable", "1"));
		EXPECT_EQ(1, get_num(ROOT "events/hyp/selftest/enable", ""));
		ASSERT_EQ(0, emit(1, 10));
		EXPECT_EQ(10, stat_of(0, "entries:"));
		ASSERT_EQ(0, put(ROOT "events/hyp/selftest/enable", "0"));
		EXPECT_TRUE(is_off_at_the_root("selftest"));
		ASSERT_EQ(0, emit(1, 10));
		EXPECT_EQ(10, stat_of(0, "entries:"));
	}

	/* The same commands work with the kernel's own events, so their syntax is right. */
	EXPECT_EQ(0, put(ROOT "events/sched/sched_switch/trigger",
			 "enable_event:sched:sched_waking"));
	EXPECT_EQ(0, put(ROOT "events/sched/sched_switch/trigger",
			 "!enable_event:sched:sched_waking"));
	EXPECT_EQ(0, put(ROOT "set_ftrace_filter",
			 "schedule:enable_event:sched:sched_waking\n"));
	EXPECT_EQ(0, put(ROOT "set_ftrace_filter",
			 "!schedule:enable_event:sched:sched_waking\n"));
}

#define HOST_PROBE	"e:hyp_probe sched.sched_switch pid=$next_pid\n"

static bool has_event_probes(void)
{
	return !put(ROOT "dynamic_events", HOST_PROBE) && !put(ROOT "dynamic_events", "");
}

TEST_F(hyp, an_event_probe_is_refused_when_it_is_created)
{
	int i;

	if (!has_event_probes())
		SKIP(return, "there are no event probes");

	ASSERT_EQ(0, put(ROOT "error_log", ""));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(-EOPNOTSUPP, put(ROOT "dynamic_events",
					   "e:hyp_probe hyp.selftest id=$id\n"));
		EXPECT_FALSE(exists(ROOT "events/eprobes/hyp_probe"));
	}
	EXPECT_EQ(-EOPNOTSUPP, put(ROOT "dynamic_events",
				   "e:hyp_probe hyp/selftest id=$id if id == 1\n"));
	EXPECT_TRUE(root_error_log_has("Hypervisor events can't be probed",
				       "Command: hyp.selftest\n"));
	EXPECT_TRUE(is_off_at_the_root("selftest"));

	EXPECT_EQ(0, put(ROOT "dynamic_events", HOST_PROBE));
	EXPECT_TRUE(exists(ROOT "events/eprobes/hyp_probe"));
	EXPECT_EQ(0, put(ROOT "dynamic_events", ""));
}

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
	ASSERT_EQ(0, put(ROOT "set_event", "sched:sched_switch"));
	EXPECT_EQ(-EINVAL, append(ROOT "set_event", "sched:sched_w*"));
	EXPECT_EQ(0, put(ROOT "set_event", ""));
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
	ASSERT_EQ(0, set_online(1, false));
	ASSERT_EQ(0, set_size_kb(64));
	ASSERT_EQ(0, set_online(1, true));
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
			ASSERT_EQ(0, set_online(1, false));
			ASSERT_EQ(0, set_size_kb(i & 1 ? 256 : 64));
			ASSERT_EQ(0, set_online(1, true));
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

TEST_HARNESS_MAIN
