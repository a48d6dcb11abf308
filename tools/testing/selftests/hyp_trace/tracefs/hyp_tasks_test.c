// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tasks, and of entries to EL2 and exits from it: whose they are, and that they are paired
 * whatever happens meanwhile.
 */

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../hyp_sleep.h"
#include "hyp_fixture.h"

TEST_F(hyp, text_shows_task_cpu_time_and_fields)
{
	char *text;

	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(42, 42));
	usleep(10000);
	text = get(HYP "trace_pipe");
	EXPECT_NE(NULL, strstr(text, path_of("hyp_tasks_test-%d", getpid())))
		TH_LOG("%s", text);
	EXPECT_NE(NULL, strstr(text, "[000]"));
	EXPECT_NE(NULL, strstr(text, ": selftest: id=42\n"));
	free(text);
}

/* A task that is switched in once, and not switched out until it is told to end. */
struct runner {
	int	fd;		/* write_event */
	bool	runs;
	bool	may_emit;
	bool	emitted;
	bool	told;
};

/* Emit an event when that is allowed, and keep running; the alarm ends a task that nobody tells. */
static void run_until_told(struct runner *r)
{
	alarm(TIMEOUT_MS / 1000);
	__atomic_store_n(&r->runs, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&r->may_emit, __ATOMIC_ACQUIRE))
		;
	if (write(r->fd, "7", 1) != 1)
		_exit(1);
	__atomic_store_n(&r->emitted, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&r->told, __ATOMIC_ACQUIRE))
		;
	_exit(0);
}

/* A runner shares this with the test; MAP_FAILED if there is no memory. */
static struct runner *runner_new(void)
{
	struct runner *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (r != MAP_FAILED)
		r->fd = open(HYP "write_event", O_WRONLY);
	return r;
}

static void runner_free(struct runner *r)
{
	close(r->fd);
	munmap(r, sizeof(*r));
}

/*
 * The child runs on CPU 1 as soon as the parent has left it, before anything else: both
 * have the same real-time priority. No switch away from the child happens before the test
 * looks at its name.
 */
static pid_t runner_start(struct runner *r)
{
	struct sched_param first = { .sched_priority = 10 }, any = { };
	pid_t pid;

	if (run_on(1) || sched_setscheduler(0, SCHED_FIFO, &first))
		return -1;
	pid = fork();
	if (!pid)
		run_until_told(r);
	run_on(0);
	sched_setscheduler(0, SCHED_OTHER, &any);
	return pid;
}

/* Wait until a runner says that it has done something; false if it has ended. */
static bool runner_has(const bool *done, pid_t pid)
{
	while (!__atomic_load_n(done, __ATOMIC_ACQUIRE)) {
		if (waitpid(pid, NULL, WNOHANG))
			return false;
		usleep(1000);
	}
	return true;
}

/*
 * ftrace only tries to take the lock when it saves a name, so another CPU that saves one at the
 * same moment may keep it from doing so until the next switch: another task has a name then.
 */
#define NAMED_TRIES	5

TEST_F(hyp, a_task_that_is_never_switched_from_has_a_name)
{
	struct runner *r;
	int status, tries;
	bool named = false;
	char *text;
	pid_t pid;

	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	r = runner_new();
	ASSERT_NE(MAP_FAILED, r);
	r->may_emit = true;
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (tries = 0; tries < NAMED_TRIES && !named; tries++) {
		r->emitted = false;
		r->told = false;
		pid = runner_start(r);
		ASSERT_LT(0, pid);
		EXPECT_TRUE(runner_has(&r->emitted, pid));
		text = get(HYP "per_cpu/cpu1/trace");
		EXPECT_NE(NULL, strstr(text, path_of("-%d", pid)));
		EXPECT_NE(NULL, strstr(text, "selftest: id=7\n"));
		named = strstr(text, path_of("hyp_tasks_test-%d", pid));
		free(text);

		__atomic_store_n(&r->told, true, __ATOMIC_RELEASE);
		EXPECT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
	}
	EXPECT_TRUE(named);
	runner_free(r);
}

/* Task switches tell EL2 the pid while tracing is on, and this task is not switched to then. */
TEST_F(hyp, a_task_that_ran_before_tracing_was_turned_on_has_its_pid)
{
	struct runner *r;
	int status;
	char *text;
	pid_t pid;

	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	r = runner_new();
	ASSERT_NE(MAP_FAILED, r);
	ASSERT_TRUE(be_idle());
	pid = runner_start(r);
	ASSERT_LT(0, pid);
	EXPECT_TRUE(runner_has(&r->runs, pid));
	EXPECT_EQ(0, put(HYP "tracing_on", "1"));
	__atomic_store_n(&r->may_emit, true, __ATOMIC_RELEASE);
	EXPECT_TRUE(runner_has(&r->emitted, pid));

	text = get(HYP "per_cpu/cpu1/trace");
	EXPECT_NE(NULL, strstr(text, path_of("-%d", pid)));
	EXPECT_EQ(1, count_of(text, "selftest: id=7\n"));
	free(text);

	__atomic_store_n(&r->told, true, __ATOMIC_RELEASE);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	runner_free(r);
}

/* Whether hyp_enter and hyp_exit alternate on a CPU. */
struct pairs {
	int	enter, exit;
	bool	inside;
	int	enters, errors;
	int	reasons[16];
	uint64_t last_ts;
	/* The task that runs a guest, and the time in which it does; -1: not checked. */
	int	guest_pid;
	uint64_t guest_from, guest_to;
};

enum { SMC, HVC, SYS, PSCI, HOST_ABORT, GUEST_EXIT, ERET_HOST, ERET_GUEST };

static bool guest_is_wrong(const struct pairs *p, const struct event *e)
{
	return p->guest_pid >= 0 &&
	       (e->pid != p->guest_pid || e->ts < p->guest_from || e->ts > p->guest_to);
}

static void check_pairs(void *data, const struct event *e)
{
	struct pairs *p = data;
	int reason;
	bool enter;

	if (e->ts < p->last_ts || e->lost)
		p->errors++;
	p->last_ts = e->ts;
	if (e->type != p->enter && e->type != p->exit)
		return;
	enter = e->type == p->enter;
	if (enter == p->inside)
		p->errors++;
	p->inside = enter;
	p->enters += enter;
	reason = e->payload[0] & 15;
	p->reasons[reason]++;
	if (reason == GUEST_EXIT || reason == ERET_GUEST)
		p->errors += guest_is_wrong(p, e);
}

static struct pairs pairs_new(void)
{
	return (struct pairs) {
		.enter = event_id("hyp_enter"),
		.exit = event_id("hyp_exit"),
	};
}

TEST_F(hyp, enter_and_exit_are_paired_across_hypercalls_and_hotplug)
{
	int cpu, i;

	ASSERT_EQ(0, put(HYP "buffer_size_kb", "4096"));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, put(HYP "events/hyp/enable", "1"));
		ASSERT_EQ(0, put(HYP "tracing_on", "1"));
		if (self->cpus > 1) {
			set_online(1, false);
			set_online(1, true);
		}
		for (cpu = 0; cpu < self->cpus; cpu++) {
			run_on(cpu);
			ASSERT_EQ(0, emit(1, 100));
		}
		run_on(0);
		ASSERT_EQ(0, put(HYP "tracing_on", "0"));

		for (cpu = 0; cpu < self->cpus; cpu++) {
			struct pairs p = pairs_new();

			EXPECT_LT(200, read_raw(cpu, check_pairs, &p));
			EXPECT_EQ(0, p.errors);
			EXPECT_FALSE(p.inside);
			EXPECT_LE(100, p.reasons[HVC]);
			EXPECT_EQ(p.enters, p.reasons[ERET_HOST] +
					    p.reasons[PSCI] / 2)
				TH_LOG("cpu %d smc %d hvc %d abort %d", cpu,
				       p.reasons[SMC], p.reasons[HVC],
				       p.reasons[HOST_ABORT]);
		}
	}
}

/*
 * Read all events of a CPU. True if nothing was lost, all pairs are complete, and there
 * are at least @hypercalls hypercalls.
 */
static bool is_paired(int cpu, int hypercalls)
{
	struct pairs p = pairs_new();

	return read_raw(cpu, check_pairs, &p) >= 0 && !p.errors && !p.inside &&
	       p.reasons[HVC] >= hypercalls && !stat_of(cpu, "overrun:") &&
	       !stat_of(cpu, "dropped events:");
}

/* Emissions during each change, and between changes. */
#define AMONG	50

/* Change something while CPU 0 emits; 0 or an error. */
static int among_emissions(int (*change)(int arg), int arg)
{
	int ret;

	emitters_allow(1, AMONG);
	ret = change(arg);
	return emitters_wait(1) ? ret : -EIO;
}

static int nothing(int arg)
{
	return 0;
}

static int turn(int on)
{
	return put_num(HYP "tracing_on", on);
}

TEST_F(hyp, enter_and_exit_stay_paired_while_tracing_goes_on_and_off)
{
	const int rounds = rounds_of(100);
	int cpu, i;

	ASSERT_EQ(0, put(HYP "buffer_size_kb", "16384"));
	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_e* hyp:host_*"));
	emitters_start(1);
	run_on(self->cpus - 1);
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, among_emissions(turn, 1));
		ASSERT_EQ(0, among_emissions(nothing, 0));
		ASSERT_EQ(0, among_emissions(turn, 0));
	}
	EXPECT_TRUE(emitters_stop(1));

	for (cpu = 0; cpu < self->cpus; cpu++)
		EXPECT_TRUE(is_paired(cpu, cpu ? 0 : rounds * AMONG));
}

/* Choose CPUs by mask, and the calling task, which is not the one that emits. */
static int choose(int cpus)
{
	return put(HYP "tracing_cpumask", path_of("%x", cpus)) ?:
	       put_num(HYP "set_event_pid", getpid());
}

static int choose_all(int cpus)
{
	return put(HYP "tracing_cpumask", path_of("%x", cpus)) ?:
	       put(HYP "set_event_pid", "");
}

TEST_F(hyp, enter_and_exit_stay_paired_while_cpus_and_tasks_are_chosen)
{
	const int all = (1 << self->cpus) - 1, rounds = rounds_of(50);
	int cpu, i;

	ASSERT_EQ(0, put(HYP "buffer_size_kb", "16384"));
	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_e* hyp:host_*"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	emitters_start(1);
	run_on(self->cpus - 1);
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, among_emissions(choose, i & all));
		ASSERT_EQ(0, among_emissions(choose_all, all));
		ASSERT_EQ(0, among_emissions(nothing, 0));
	}
	EXPECT_TRUE(emitters_stop(1));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));

	for (cpu = 0; cpu < self->cpus; cpu++) {
		EXPECT_LT(0, stat_of(cpu, "entries:"));
		EXPECT_TRUE(is_paired(cpu, cpu ? 0 : rounds * AMONG));
	}
}

/* In nVHE mode, KVM disables EL2 on a CPU that goes into a deep idle state. */
TEST_F(hyp, a_cpu_that_has_slept_is_traced_as_before)
{
	struct pairs p = pairs_new();
	int i;

	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_e* hyp:host_hcall"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, put(HYP "write_cpu_pm", "1"));
		ASSERT_EQ(0, emit(1, 10));
	}
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));

	EXPECT_LT(0, read_raw(0, check_pairs, &p));
	EXPECT_EQ(0, p.errors);
	EXPECT_LE(100, p.reasons[HVC]);
}

TEST_F(hyp, a_machine_that_has_hibernated_is_traced_as_before)
{
	int cpu;

	SKIP_IF_IT_NEVER_WAKES_UP();
	ASSERT_EQ(0, put(HYP "buffer_size_kb", "4096"));
	ASSERT_EQ(0, put(HYP "set_event", "hyp:hyp_e* hyp:host_hcall"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, hibernate());
	ASSERT_EQ(0, put(HYP "trace", ""));

	/* Emit before the guest runs: its first run would set EL2's vectors up anyway. */
	ASSERT_EQ(0, emit(1, 100));
	ASSERT_LT(0, run_guest(8, NULL));
	run_on(0);
	ASSERT_EQ(0, emit(1, 100));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));

	for (cpu = 0; cpu < self->cpus; cpu++) {
		struct pairs p = pairs_new();

		/* The guest's task is not checked here. */
		p.guest_pid = -1;
		EXPECT_LE(0, read_raw(cpu, check_pairs, &p));
		EXPECT_EQ(0, p.errors);
		EXPECT_FALSE(p.inside);
		if (!cpu) {
			EXPECT_LE(200, p.reasons[HVC]);
			EXPECT_LT(0, p.reasons[GUEST_EXIT]);
		}
	}
}

/* Gives equal numbers on 1, 2, 4 or 8 CPUs: hyp_guest changes its CPU after 8 exits. */
#define GUEST_EXITS	384

TEST_F(hyp, guests_are_paired_dated_and_attributed_to_the_host_task)
{
	uint64_t before, after;
	int cpu, exits = 0;
	pid_t pid;

	ASSERT_EQ(0, put(HYP "buffer_size_kb", "16384"));
	ASSERT_EQ(0, put(HYP "events/hyp/enable", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	before = boot_ns();
	pid = run_guest(GUEST_EXITS, NULL);
	ASSERT_LT(0, pid);
	after = boot_ns();
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));

	for (cpu = 0; cpu < self->cpus; cpu++) {
		struct pairs p = pairs_new();

		p.guest_pid = pid;
		p.guest_from = before;
		p.guest_to = after;
		EXPECT_LE(0, read_raw(cpu, check_pairs, &p));
		EXPECT_EQ(0, p.errors);
		EXPECT_FALSE(p.inside);
		EXPECT_EQ(p.reasons[GUEST_EXIT], p.reasons[ERET_GUEST]);
		EXPECT_LE(GUEST_EXITS / self->cpus, p.reasons[GUEST_EXIT]);
		exits += p.reasons[GUEST_EXIT];
	}
	EXPECT_LE(GUEST_EXITS, exits);
}

/* How often a vCPU was loaded and put without having been entered. */
static int count_refused(const char *trace)
{
	bool entered = true;
	int refused = 0;
	const char *at;

	for (at = trace; (at = strstr(at, ": vcpu_")); at += strlen(": vcpu_")) {
		if (!strncmp(at, ": vcpu_load: ", strlen(": vcpu_load: ")))
			entered = false;
		else if (!strncmp(at, ": vcpu_enter: ", strlen(": vcpu_enter: ")))
			entered = true;
		else if (!strncmp(at, ": vcpu_put: ", strlen(": vcpu_put: ")))
			refused += !entered;
	}
	return refused;
}

#define REFUSED		20

/* If an interrupt is pending, the guest is not entered: that is no run of a guest. */
TEST_F(hyp, an_entry_that_is_refused_is_none)
{
	int enters, exits, lefts;
	char *text;

	if (!el2_can_ring())
		SKIP(return, "EL2 can't raise an interrupt");

	ASSERT_EQ(0, put(HYP "set_event", "hyp:vcpu_enter hyp:vcpu_exit hyp:hyp_exit"));
	ASSERT_EQ(0, put(HYP "events/hyp/vcpu_load/enable", "1"));
	ASSERT_EQ(0, put(HYP "events/hyp/vcpu_put/enable", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, write_test(HYP_TRACE_TEST_REFUSE, REFUSED));
	ASSERT_LT(0, run_guest(2 * REFUSED, NULL));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	text = get(HYP "trace");
	/* EL2 lets interrupts come; the machine may have some, too. */
	EXPECT_LE(REFUSED, count_refused(text));
	enters = count_of(text, ": vcpu_enter: ");
	exits = count_of(text, ": vcpu_exit: ");
	lefts = count_of(text, ": hyp_exit: reason=eret_guest");
	EXPECT_LE(2 * REFUSED, enters);
	EXPECT_EQ(enters, exits);
	EXPECT_EQ(enters, lefts);
	free(text);
}

TEST_HARNESS_MAIN
