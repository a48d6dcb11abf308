// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of hyp/totals: what is counted, and how the files behave. hyp_totals_trace_test.c
 * compares with a trace.
 */

#include <sys/timex.h>

#include "../guests/hyp_vm.h"
#include "../hyp_names.h"
#include "../hyp_sleep.h"
#include "../tracefs/hyp_fixture.h"
#include "hyp_totals.h"

/* Off, and no CPU has a table. */
/*
 * A host that has EL2 measure guests, and gives it no tables. This is first, so that EL2 has
 * not had any since boot.
 */
TEST_F(hyp, guests_run_while_nothing_has_a_table)
{
	struct names hcalls = learn("host_hcall", "id");
	/* The number is a function of the vendor's hypervisor, with 64 bit arguments. */
	const uint64_t enable = 0xc6000000 | value_of_name(&hcalls, "__hyp_totals_enable");

	ASSERT_NE(0xc6000000, enable);
	ASSERT_EQ(0, put(HYP "write_hvc", path_of("%lx 1 1", enable)));
	EXPECT_LT(0, run_guest(8 * self->cpus, NULL));
	ASSERT_EQ(0, put(HYP "write_hvc", path_of("%lx 0 1", enable)));
	EXPECT_EQ(0, count_of_kind("guest", NULL));
}

/* A row that makes sense. */
static bool is_sound(const struct total *row)
{
	return row->count && row->in_buckets == row->count && row->ordered &&
	       row->min <= row->max && row->min * row->count <= row->total &&
	       row->total <= row->max * row->count;
}

TEST_F(hyp, totals_count_each_hypercall_once)
{
	struct totals t;
	struct total row;

	ASSERT_TRUE(totals_on());
	ASSERT_EQ(0, emit(1, 1000));
	ASSERT_EQ(1000, emitted_calls());

	emitters_start(self->cpus);
	ASSERT_TRUE(emitters_emit(self->cpus, 1000));
	ASSERT_TRUE(emitters_stop(self->cpus));

	t = totals_read();
	row = totals_of(&t, 0, 0, "hcall", "__hyp_trace_write_event");
	EXPECT_EQ(1000 * (self->cpus + 1), row.count);
	EXPECT_TRUE(is_sound(&row));
	EXPECT_FALSE(t.malformed);
	totals_free(&t);
	EXPECT_TRUE(totals_fresh());
}

TEST_F(hyp, totals_stay_when_they_are_off_and_go_on_from_there)
{
	ASSERT_TRUE(totals_on());
	ASSERT_EQ(0, emit(1, 100));
	ASSERT_EQ(0, put(TOTALS "enable", "0"));
	ASSERT_EQ(0, emit(1, 100));
	EXPECT_EQ(100, emitted_calls());
	ASSERT_EQ(0, put(TOTALS "enable", "1"));
	ASSERT_EQ(0, put(TOTALS "enable", "1"));
	ASSERT_EQ(0, emit(1, 100));
	EXPECT_EQ(200, emitted_calls());

	ASSERT_EQ(0, put(TOTALS "reset", "1"));
	EXPECT_EQ(1, get_num(TOTALS "enable", ""));
	EXPECT_EQ(0, emitted_calls());
	ASSERT_EQ(0, emit(1, 100));
	EXPECT_EQ(100, emitted_calls());
	EXPECT_TRUE(totals_fresh());
}

/* Compare each row with what it was in the last reading; false if it has shrunk. */
static bool has_grown(const struct totals *now, const struct totals *last)
{
	struct total row;
	size_t i;

	for (i = 0; i < last->n; i++) {
		row = totals_of(now, last->rows[i].vm, last->rows[i].vcpu, last->rows[i].kind,
				last->rows[i].reason);
		if (row.count < last->rows[i].count || row.total < last->rows[i].total ||
		    row.min > last->rows[i].min || row.max < last->rows[i].max)
			return false;
	}
	return true;
}

TEST_F(hyp, totals_are_consistent_while_they_change)
{
	long long bad = bad_totals();
	struct totals t, last = { };
	int readings = 0;
	size_t i;

	ASSERT_TRUE(totals_on());
	emitters_start(self->cpus);
	emitters_allow(self->cpus, 20000);
	do {
		t = totals_read();
		EXPECT_FALSE(t.malformed);
		for (i = 0; i < t.n; i++)
			EXPECT_TRUE(is_sound(&t.rows[i]))
				TH_LOG("%s %s: count %lu, in buckets %lu", t.rows[i].kind,
				       t.rows[i].reason, t.rows[i].count, t.rows[i].in_buckets);
		EXPECT_TRUE(has_grown(&t, &last));
		totals_free(&last);
		last = t;
		readings++;
	} while (!emitters_done(self->cpus));
	ASSERT_TRUE(emitters_stop(self->cpus));
	totals_free(&last);

	EXPECT_LT(1, readings);
	EXPECT_EQ(20000 * self->cpus, emitted_calls());
	EXPECT_EQ(bad, bad_totals());
	EXPECT_TRUE(totals_fresh());
}

/* Rings come and go, and tracing goes on and off, while totals are kept. */
TEST_F(hyp, totals_do_not_depend_on_tracing)
{
	int i;

	ASSERT_TRUE(totals_on());
	emitters_start(self->cpus);
	emitters_allow(self->cpus, 20000);
	for (i = 0; i < 20 || !emitters_done(self->cpus); i++) {
		ASSERT_EQ(0, put_num(HYP "tracing_on", i % 2));
		ASSERT_EQ(0, set_size_kb(i % 3 ? 64 : 256));
	}
	ASSERT_TRUE(emitters_stop(self->cpus));
	EXPECT_EQ(20000 * self->cpus, emitted_calls());
	ASSERT_TRUE(be_idle());
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(20000 * self->cpus + 10, emitted_calls());
	EXPECT_TRUE(totals_fresh());
}

/* Emit 10 events on CPU 1, and go back to CPU 0; 0 or -errno. */
static int emit_on_cpu_1(void)
{
	int ret = run_on(1) ? -errno : emit(1, 10);

	return run_on(0) ? -errno : ret;
}

TEST_F(hyp, totals_survive_a_cpu_that_sleeps_or_goes_offline)
{
	ASSERT_TRUE(totals_on());
	ASSERT_EQ(0, emit(1, 10));
	ASSERT_EQ(0, put(HYP "write_cpu_pm", "1"));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(20, emitted_calls());
	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	ASSERT_EQ(0, emit_on_cpu_1());
	ASSERT_EQ(0, set_online(1, false));
	EXPECT_EQ(30, emitted_calls());
	ASSERT_EQ(0, set_online(1, true));
	ASSERT_EQ(0, emit_on_cpu_1());
	EXPECT_EQ(40, emitted_calls());

	/* Totals go off, and on, while it is offline. */
	ASSERT_EQ(0, set_online(1, false));
	ASSERT_EQ(0, put(TOTALS "enable", "0"));
	ASSERT_EQ(0, set_online(1, true));
	ASSERT_EQ(0, emit_on_cpu_1());
	EXPECT_EQ(40, emitted_calls());
	ASSERT_EQ(0, set_online(1, false));
	ASSERT_EQ(0, put(TOTALS "reset", "1"));
	ASSERT_EQ(0, put(TOTALS "enable", "1"));
	ASSERT_EQ(0, set_online(1, true));
	ASSERT_EQ(0, emit_on_cpu_1());
	EXPECT_EQ(10, emitted_calls());

	/* Totals go off while it is offline, and tracing is on for another CPU. */
	ASSERT_EQ(0, put(HYP "tracing_cpumask", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, set_online(1, false));
	ASSERT_EQ(0, put(TOTALS "enable", "0"));
	ASSERT_EQ(0, set_online(1, true));
	ASSERT_EQ(0, emit_on_cpu_1());
	EXPECT_EQ(10, emitted_calls());
	ASSERT_EQ(0, put(TOTALS "reset", "1"));
	ASSERT_EQ(0, put(TOTALS "enable", "1"));

	/* The table of a CPU that is offline can be taken away. */
	ASSERT_EQ(0, set_online(1, false));
	EXPECT_TRUE(totals_fresh());
	ASSERT_EQ(0, set_online(1, true));
}

/* Of the guest that these tests run: accesses to its VMM's device. */
static struct total totals_of_stores(void)
{
	struct totals t = totals_read();
	struct total row = totals_of(&t, vm_of(getpid()), 0, "exit_host", "DABT_LOW");

	totals_free(&t);
	return row;
}

#define STORES	3

/* Run a guest before and after the machine sleeps; returns how that has ended. */
static int run_around(int (*sleep)(void))
{
	struct vm vm = vm_create(use_fp, sizeof(use_fp));
	int i, ret;

	for (i = 0; i < STORES; i++)
		vm_run(&vm);
	ret = sleep();
	for (i = 0; i < STORES; i++)
		vm_run(&vm);
	vm_destroy(&vm);
	return ret;
}

static int stay_awake(void)
{
	return 0;
}

/*
 * Each exit is measured until the guest runs again, also over a sleep, but for the last one.
 * After hibernation the counter has begun anew, so what spans it can't be measured. (With
 * protection, no machine can hibernate in earnest: the image would lack EL2's memory.)
 */
TEST_F(hyp, totals_are_right_after_a_sleep)
{
	SKIP_IF_IT_NEVER_WAKES_UP();
	ASSERT_TRUE(totals_on());
	ASSERT_EQ(0, run_around(stay_awake));
	EXPECT_EQ(2 * STORES - 1, totals_of_stores().count);

	ASSERT_TRUE(totals_on());
	ASSERT_EQ(0, run_around(suspend));
	EXPECT_EQ(2 * STORES - 1, totals_of_stores().count);
	EXPECT_LT(1000000000, totals_of_stores().max);

	ASSERT_TRUE(totals_on());
	ASSERT_EQ(0, run_around(hibernate));
	EXPECT_EQ(2 * STORES - (is_protected() ? 1 : 2), totals_of_stores().count);

	/* It goes on with the next exits. */
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(10, emitted_calls());
	EXPECT_TRUE(totals_fresh());
}

#define NAP_US	20000

/* Does an exit, during which this task waits, take as long as the task sees? */
static bool measures_right(const struct vm *vm)
{
	uint64_t start, before, after, end, ns;

	start = boot_ns();
	vm_run(vm);
	before = boot_ns();
	ns = totals_of_stores().total;
	usleep(NAP_US);
	after = boot_ns();
	vm_run(vm);
	end = boot_ns();
	ns = totals_of_stores().total - ns;
	return ns >= after - before && ns <= end - start;
}

/* EL2 is told of a correction some time after the tick that has found it. */
static bool measures_right_soon(const struct vm *vm)
{
	int tries = 100;

	while (!measures_right(vm))
		if (!tries--)
			return false;
	return true;
}

/* The correction is ten per cent, more than the time that the task needs for itself. */
TEST_F(hyp, totals_follow_what_ntp_does_to_the_clock)
{
	struct timex faster = { .modes = ADJ_TICK, .tick = 11000 };
	struct timex normal = { .modes = ADJ_TICK, .tick = 10000 };
	struct vm vm = vm_create(use_fp, sizeof(use_fp));

	ASSERT_TRUE(totals_on());
	EXPECT_TRUE(measures_right_soon(&vm));
	ASSERT_LE(0, adjtimex(&faster));
	EXPECT_TRUE(measures_right_soon(&vm));
	EXPECT_TRUE(measures_right_soon(&vm));
	ASSERT_LE(0, adjtimex(&normal));
	EXPECT_TRUE(measures_right_soon(&vm));
	vm_destroy(&vm);
	EXPECT_TRUE(totals_fresh());
}

TEST_F(hyp, totals_of_smcs_and_psci_are_by_function)
{
	int i;

	if (!is_protected())
		SKIP(return, "SMCs do not trap");

	ASSERT_TRUE(totals_on());
	for (i = 0; i < 7; i++) {
		ASSERT_EQ(0, put(HYP "write_smc", "c3001234"));
		ASSERT_EQ(0, put(HYP "write_smc", path_of("c300%04x", i)));
		ASSERT_EQ(0, put(HYP "write_smc", "80000000"));
		ASSERT_EQ(0, put(HYP "write_smc", "84000000"));
		/* FFA_VERSION, 1.0: EL2 asks firmware for its ID, and does not get one. */
		ASSERT_EQ(0, put(HYP "write_smc", "84000063 10000"));
	}
	EXPECT_EQ(7, count_of_kind("smc", "SMCCC_VERSION"));
	EXPECT_EQ(14, count_of_kind("smc", "unknown"));
	EXPECT_EQ(7, count_of_kind("psci", "PSCI_VERSION"));
	EXPECT_EQ(0, count_of_kind("smc", "PSCI_VERSION"));
	/* EL2 passes all but PSCI on. */
	EXPECT_EQ(7, count_of_kind("firmware", "SMCCC_VERSION"));
	EXPECT_EQ(14, count_of_kind("firmware", "unknown"));
	EXPECT_EQ(0, count_of_kind("firmware", "PSCI_VERSION"));
	EXPECT_EQ(7, count_of_kind("smc", "FFA_VERSION"));
	EXPECT_EQ(7, count_of_kind("firmware", "FFA_ID_GET"));
	EXPECT_EQ(0, count_of_kind("firmware", "FFA_VERSION"));
	EXPECT_TRUE(totals_fresh());
}

TEST_F(hyp, vms_are_listed_with_their_tasks)
{
	unsigned int last = 0;
	pid_t vmm;
	char *text;
	int i;

	for (i = 0; i < 3; i++) {
		vmm = run_guest(1, NULL);
		ASSERT_LT(0, vmm);
		EXPECT_LT(last, vm_of(vmm));
		last = vm_of(vmm);
		text = get(TOTALS "vms");
		EXPECT_NE(NULL, strstr(text, path_of("\n%u\t%d\tgone\t%d\n", last, vmm, vmm)));
		free(text);
	}
}

TEST_F(hyp, vms_that_live_are_told_apart)
{
	struct vm vm[2];
	char *text;
	int i;

	for (i = 0; i < 2; i++)
		vm[i] = vm_create_vcpu(store, sizeof(store), i, 0);
	vm_run(&vm[1]);
	text = get(TOTALS "vms");
	/* The first VM has one vCPU, the second one two; only the last one has run. */
	EXPECT_NE(NULL, strstr(text, path_of("\t%d\talive\t0\n", getpid())));
	EXPECT_NE(NULL, strstr(text, path_of("\t%d\talive\t0,%d\n", getpid(), getpid())));
	free(text);
	for (i = 0; i < 2; i++)
		vm_destroy(&vm[i]);
	EXPECT_EQ(0, count_in(TOTALS "vms", "alive"));
}

TEST_F(hyp, nonsense_in_totals_is_refused)
{
	ASSERT_TRUE(totals_fresh());
	EXPECT_EQ(-EINVAL, put(TOTALS "enable", "2"));
	EXPECT_EQ(-EINVAL, put(TOTALS "enable", "on"));
	EXPECT_EQ(0, get_num(TOTALS "enable", ""));
}

TEST_F(hyp, memory_of_totals_goes_back)
{
	const long long pages_kb = 24 * page_size() / 1024;
	long long before, kept, after;
	int i;

	if (!memory_counts())
		SKIP(return, "freed memory does not count as free at once");

	ASSERT_TRUE(totals_on());
	ASSERT_TRUE(totals_fresh());
	before = free_memory();
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, put(TOTALS "enable", "1"));
		ASSERT_TRUE(totals_fresh());
	}
	ASSERT_EQ(0, put(TOTALS "enable", "1"));
	kept = free_memory();
	ASSERT_TRUE(totals_fresh());
	after = free_memory();
	/* A table has some 190 KiB. Others take and return memory meanwhile, a page at least. */
	EXPECT_LT(100 * self->cpus, after - kept);
	EXPECT_GT(pages_kb > 512 ? pages_kb : 512, before - after);
}

TEST_HARNESS_MAIN
