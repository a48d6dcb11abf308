// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile host: how often EL2 rings, for each of its four reasons, and on which CPU.
 */

#include <asm/hyptrace_ids.h>
#include <linux/kernel_stat.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "hostile.h"

#define TYPE	1234

#define TRIES	5
#define CALLS	3

static unsigned int doorbells_of(int cpu)
{
	return kstat_irqs_cpu(arch_irq_work_irq(), cpu);
}

static unsigned int count_doorbells(void)
{
	unsigned int sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += doorbells_of(cpu);

	return sum;
}

static void do_nothing(struct work_struct *work)
{
}

/* Run a task on each CPU, which handles interrupts that were pending there. */
static void let_interrupts_come(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, schedule_on_each_cpu(do_nothing));
}

/* These run on the CPU whose interrupts are counted. */

static void write_event_idle(void *unused)
{
	hcall_trace_write_event(1);
}

static void write_pages_here(void *unused)
{
	int i;

	for (i = 0; i < EXT_RING_DATA_SIZE / 20 + 1; i++)
		hcall_trace_write_event(i);
}

/**
 * struct bell - a reason to ring
 * @number:	of a CPU's ring that has to be loaded, without the CPU
 * @user:	whether the user's ring is open
 * @follower:	whether the follower's ring is open
 * @prepare:	called before, on the test's CPU
 * @write:	called on the CPU, CALLS times
 * @rings:	interrupts that this causes there
 */
struct bell {
	u64		number;
	u64		user;
	u64		follower;
	int		(*prepare)(int cpu);
	void		(*write)(void *unused);
	unsigned int	rings;
};

/*
 * irq_work uses the interrupt, too, but not all the time: so the minimum of several tries
 * counts.
 */
static void count_rings(struct kunit *test, const struct bell *bell, int cpu,
			unsigned int *here, unsigned int *elsewhere)
{
	unsigned int own, all;
	int i;

	KUNIT_ASSERT_EQ(test, 0, hostile_reset(cpu | bell->number));
	KUNIT_ASSERT_EQ(test, 0, bell->prepare(cpu));
	KUNIT_ASSERT_EQ(test, 0, hostile_sync_follower(cpu, bell->user, 0, bell->follower));
	let_interrupts_come(test);
	own = doorbells_of(cpu);
	all = count_doorbells();

	for (i = 0; i < CALLS; i++) {
		smp_call_function_single(cpu, bell->write, NULL, true);
		let_interrupts_come(test);
	}

	own = doorbells_of(cpu) - own;
	all = count_doorbells() - all;
	*here = min(*here, own);
	*elsewhere = min(*elsewhere, all - own);
	KUNIT_ASSERT_EQ(test, 0, hostile_sync(cpu, HYP_TRACE_CLOSED, 0));
}

static void expect_rings(struct kunit *test, const struct bell *bell, const char *what)
{
	struct hostile_ring *ring = hostile_ring_new(test);
	int cpu, i;

	KUNIT_EXPECT_EQ(test, 0, hcall_trace_event(HYP_EVENT_selftest, TYPE));
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_mode(TRACE_EXT_ON, 1));
	for_each_online_cpu(cpu) {
		unsigned int here = UINT_MAX, elsewhere = UINT_MAX;

		KUNIT_ASSERT_EQ(test, 0, hostile_load_ring(cpu | bell->number, ring));
		for (i = 0; i < TRIES; i++)
			count_rings(test, bell, cpu, &here, &elsewhere);
		KUNIT_EXPECT_EQ_MSG(test, bell->rings, here, "interrupts of CPU %d", cpu);
		KUNIT_EXPECT_EQ_MSG(test, 0, elsewhere, "interrupts not of CPU %d", cpu);
		KUNIT_ASSERT_EQ(test, 0, hostile_unload(cpu | bell->number));
		hostile_describe(ring);
	}
	hostile_quiet(test);
	hostile_expect_intact(test, ring, what);
}

static int set_alarm(int cpu)
{
	return hcall_trace_alarm(cpu, 0);
}

/**
 * hostile_doorbell_alarm() - an alarm rings once, however many events come after it
 * @test:	the test
 */
void hostile_doorbell_alarm(struct kunit *test)
{
	static const struct bell bell = {
		.user		= HYP_TRACE_OPEN,
		.follower	= HYP_TRACE_CLOSED,
		.prepare	= set_alarm,
		.write		= write_pages_here,
		.rings		= 1,
	};

	expect_rings(test, &bell, "alarms");
}

static int follow_cpu(int cpu)
{
	return hcall_trace_follow(HYP_EVENT_selftest, TYPE);
}

/**
 * hostile_doorbell_follower() - what is followed rings once for each return to the host
 * @test:	the test
 */
void hostile_doorbell_follower(struct kunit *test)
{
	static const struct bell bell = {
		.number		= HYP_TRACE_FOLLOWER,
		.user		= HYP_TRACE_CLOSED,
		.follower	= HYP_TRACE_OPEN,
		.prepare	= follow_cpu,
		.write		= write_event_idle,
		.rings		= CALLS,
	};

	expect_rings(test, &bell, "followed events");
}

/* Each call to EL2 starts recording, and each event stops it. */
static int set_triggers(int cpu)
{
	return hostile_trigger(HYP_EVENT_hyp_enter, TRACE_EXT_START, -1) ?:
	       hostile_trigger(HYP_EVENT_selftest, TRACE_EXT_STOP, -1) ?:
	       hcall_trace_run(1);
}

/* The host learns by the first call that recording is on, and EL2 stops it in the second one. */
static void ask_and_write_here(void *unused)
{
	hcall_trace_run(1);
	hcall_trace_write_event(1);
}

/**
 * hostile_doorbell_trigger() - triggers ring once until the host has asked what they have done
 * @test:	the test
 */
void hostile_doorbell_trigger(struct kunit *test)
{
	static const struct bell unasked = {
		.user		= HYP_TRACE_OPEN,
		.follower	= HYP_TRACE_CLOSED,
		.prepare	= set_triggers,
		.write		= write_event_idle,
		.rings		= 1,
	};
	struct bell asked = unasked;

	asked.write = ask_and_write_here;
	asked.rings = CALLS;
	expect_rings(test, &unasked, "triggers, and the host does not ask");
	expect_rings(test, &asked, "triggers, and the host asks");
}

/*
 * A clock by which 10 ms take five seconds: half a microsecond is a nanosecond, which no hypercall
 * is shorter than in an emulator.
 */
static int slow_clock(void)
{
	u64 cycles = max(read_sysreg(cntfrq_el0) / 2000000, 1);

	return hcall_trace_clock(U64_MAX / cycles, 0, NSEC_PER_SEC);
}

/* Have a CPU publish each interval, and count how often it rings for CALLS of them. */
static void count_rings_of_max(struct kunit *test, struct hostile_table *table, int cpu,
			       unsigned int *first, unsigned int *here, unsigned int *elsewhere)
{
	unsigned int own, all;
	int i;

	hostile_table_describe(table);
	KUNIT_ASSERT_EQ(test, 0, hostile_totals_load_table(cpu, table));
	KUNIT_ASSERT_EQ(test, 0, hostile_sync(cpu, HYP_TRACE_CLOSED, 1));
	let_interrupts_come(test);
	own = doorbells_of(cpu);
	all = count_doorbells();

	/* Nothing has been published before the setting is heeded, and that does not ring. */
	KUNIT_ASSERT_EQ(test, 0, hcall_totals_max(1, 0, 7, 7));
	KUNIT_ASSERT_EQ(test, 0, hostile_sync(cpu, HYP_TRACE_CLOSED, 1));
	/* The first one rings at once, and not with the call after it. */
	for (i = 0; i < CALLS; i++) {
		smp_call_function_single(cpu, write_event_idle, NULL, true);
		let_interrupts_come(test);
		if (!i)
			*first = min(*first, doorbells_of(cpu) - own);
	}

	own = doorbells_of(cpu) - own;
	all = count_doorbells() - all;
	*here = min(*here, own);
	*elsewhere = min(*elsewhere, all - own);
	KUNIT_ASSERT_EQ(test, 0, hcall_totals_max(0, 0, 8, 7));
	KUNIT_ASSERT_EQ(test, 0, hostile_sync(cpu, HYP_TRACE_CLOSED, 0));
	KUNIT_ASSERT_EQ(test, 0, hostile_totals_unload(cpu));
}

/**
 * hostile_doorbell_max() - long intervals ring once in 10 ms, however many there are
 * @test:	the test
 */
void hostile_doorbell_max(struct kunit *test)
{
	struct hostile_table *table = hostile_table_new(test);
	int cpu, i;

	KUNIT_ASSERT_EQ(test, 0, slow_clock());
	KUNIT_EXPECT_EQ(test, 0, hcall_totals_enable(1, 1));
	for_each_online_cpu(cpu) {
		unsigned int first = UINT_MAX, here = UINT_MAX, elsewhere = UINT_MAX;

		for (i = 0; i < TRIES; i++)
			count_rings_of_max(test, table, cpu, &first, &here, &elsewhere);
		KUNIT_EXPECT_EQ_MSG(test, 1, first, "interrupts of CPU %d, by one call", cpu);
		KUNIT_EXPECT_EQ_MSG(test, 1, here, "interrupts of CPU %d", cpu);
		KUNIT_EXPECT_EQ_MSG(test, 0, elsewhere, "interrupts not of CPU %d", cpu);
	}
	hostile_quiet(test);
	hostile_table_expect_intact(test, table, "long intervals");
}
