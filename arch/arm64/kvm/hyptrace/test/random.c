// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile host: random tracing hypercalls from all CPUs at once, while the host writes
 * random words to the pages that it shares with EL2.
 *
 * Each CPU offers rings of its own, some of them malformed, and makes calls with arguments
 * of which some are invalid. Chance decides which rings EL2 takes. The host must not touch
 * a region that EL2 may own, because that access is fatal to it. So the calls come in
 * rounds: at the end of a round everything is taken back, and must be as before. Guests may run
 * beside them: hostile.sh repeats the tests with one.
 */

#include <asm/hyptrace_ids.h>
#include <linux/arm-smccc.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/kthread.h>
#include <linux/moduleparam.h>
#include <linux/prandom.h>
#include <linux/psci.h>
#include <linux/sched.h>
#include <linux/trace_ext_function.h>

#include "hostile.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "hyp_trace_hostile."

#define CALLS		1000000
#define BATCH		50000	/* calls per test case, which KUnit ends after 5 minutes */
#define ROUND		5000	/* calls of a CPU between two checks */
#define RINGS		32	/* of each CPU, for each round */
#define TABLES		8	/* the same for tables of totals */

static ulong calls = CALLS;
module_param(calls, ulong, 0644);
MODULE_PARM_DESC(calls, "random calls to make");

static ulong seed = 1;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "where to begin with random numbers");

enum call {
	LOAD, UNLOAD, SYNC, MODE, EVENT, FOLLOW, PRED, FILTER, TRIGGER, RUN, SWAP, RESET, HOOK,
	CLOCK, ALARM, DOORBELL, WRITE_EVENT, SHARE, UNSHARE, TOTALS_LOAD, TOTALS_UNLOAD,
	TOTALS_ENABLE, TOTALS_VM, FUNCTIONS, STACKS, MARK, PARK,
	NR_CALLS
};

/* The share of each call in per cent, and the errors that it may return. */
static const struct {
	const char	*name;
	unsigned int	weight;
	int		errors[4];
} kinds[NR_CALLS] = {
	[LOAD]		= { "load", 10, { -EINVAL, -EBUSY, -EPERM } },
	[UNLOAD]	= { "unload", 8, { -EINVAL, -EBUSY, -ENOENT } },
	[SYNC]		= { "sync", 8, { -EINVAL } },
	[MODE]		= { "mode", 4, { -EINVAL } },
	[EVENT]		= { "event", 4, { -EINVAL } },
	[FOLLOW]	= { "follow", 4, { -EINVAL } },
	[PRED]		= { "pred", 4, { -EINVAL, -EBUSY } },
	[FILTER]	= { "filter", 4, { -EINVAL } },
	[TRIGGER]	= { "trigger", 3, { -EINVAL } },
	[RUN]		= { "run", 2, { -EINVAL } },
	[SWAP]		= { "swap", 7, { -EINVAL, -EAGAIN, -ENOENT, -EBUSY } },
	[RESET]		= { "reset", 4, { -EINVAL, -EBUSY, -ENOENT } },
	[HOOK]		= { "hook", 3, { -EINVAL, -ENODEV } },
	[CLOCK]		= { "clock", 3, { -EINVAL } },
	[ALARM]		= { "alarm", 4, { -EINVAL, -EBUSY, -ENOENT, -EOPNOTSUPP } },
	[DOORBELL]	= { "doorbell", 2, { -EINVAL } },
	[WRITE_EVENT]	= { "write_event", 4 },
	[SHARE]		= { "share", 3, { -EPERM } },
	[UNSHARE]	= { "unshare", 3, { -EPERM, -EBUSY } },
	[TOTALS_LOAD]	= { "totals_load", 4, { -EINVAL, -EBUSY, -EPERM } },
	[TOTALS_UNLOAD]	= { "totals_unload", 3, { -EINVAL, -EBUSY, -ENOENT } },
	[TOTALS_ENABLE]	= { "totals_enable", 2, { -EINVAL } },
	[TOTALS_VM]	= { "totals_vm", 1, { -EINVAL } },
	[FUNCTIONS]	= { "functions", 1, { -EINVAL, -ENODEV } },
	[STACKS]	= { "stacks", 1, { -EINVAL } },
	[MARK]		= { "mark", 2, { -EINVAL, -EBADF } },
	[PARK]		= { "park", 2 },
};

/**
 * struct attacker - state of one CPU
 * @task:	its thread
 * @done:	its thread has made its calls
 * @rnd:	its random number generator
 * @ring:	rings that it can offer
 * @used:	number of rings that it has offered in this round
 * @table:	tables that it can offer
 * @tables_used: number of tables that it has offered in this round
 * @count:	calls made, by kind
 * @good:	calls that succeeded, by kind
 * @wrong:	a result that is not allowed, or 0
 * @wrong_call:	the call that returned @wrong
 */
struct attacker {
	struct task_struct	*task;
	struct completion	done;
	struct rnd_state	rnd;
	struct hostile_ring	*ring[RINGS];
	int			used;
	struct hostile_table	*table[TABLES];
	int			tables_used;
	unsigned long		count[NR_CALLS];
	unsigned long		good[NR_CALLS];
	int			wrong;
	enum call		wrong_call;
};

/* True once in @n times. */
static bool one_in(struct attacker *a, u32 n)
{
	return !(prandom_u32_state(&a->rnd) % n);
}

static u64 random_u64(struct attacker *a)
{
	u64 value = (u64)prandom_u32_state(&a->rnd) << 32 |
		    prandom_u32_state(&a->rnd);

	return value >> prandom_u32_state(&a->rnd) % 64;
}

/* Mostly a small number, so that many calls get past the checks of arguments. */
static u64 any_u64(struct attacker *a, u64 limit)
{
	return one_in(a, 12) ? random_u64(a) : prandom_u32_state(&a->rnd) % limit;
}

static u64 some_cpu(struct attacker *a)
{
	return one_in(a, 12) ?
	       hostile_bad_cpu(any_u64(a, hostile_nr_bad_cpus() + 1)) :
	       prandom_u32_state(&a->rnd) % nr_cpu_ids;
}

/* Either ring of a CPU. */
static u64 some_number(struct attacker *a)
{
	return some_cpu(a) | (one_in(a, 2) ? HYP_TRACE_FOLLOWER : 0);
}

static struct hostile_ring *some_ring(struct attacker *a)
{
	return a->ring[prandom_u32_state(&a->rnd) % RINGS];
}

static void *some_page(struct attacker *a)
{
	return some_ring(a)->page[prandom_u32_state(&a->rnd) % HOSTILE_PAGES];
}

static u64 some_pfn(struct attacker *a)
{
	switch (prandom_u32_state(&a->rnd) % 4) {
	case 0:
		return virt_to_pfn(some_page(a));
	case 1:
		return virt_to_pfn(some_ring(a)->region);
	default:
		return hostile_bad_pfn(prandom_u32_state(&a->rnd) %
				       (hostile_nr_bad_pfns() + 1));
	}
}

/*
 * Offer a ring that EL2 has not been offered in this round, one in four with a wrong page
 * in its list; or offer a page that is not the host's.
 */
static int random_load(struct attacker *a)
{
	struct hostile_ring *ring;
	u64 region_pages = 1, nr_slots = HOSTILE_SLOTS, nr_spares = HOSTILE_SPARES;

	if (a->used == RINGS || one_in(a, 2))
		return hostile_load(some_number(a),
				    hostile_bad_pfn(any_u64(a, hostile_nr_bad_pfns())),
				    1, HOSTILE_SLOTS);

	ring = a->ring[a->used++];
	if (one_in(a, 4))
		ring->region[prandom_u32_state(&a->rnd) % HOSTILE_PAGES] =
			some_pfn(a);
	if (one_in(a, 8))
		region_pages = any_u64(a, 4);
	if (one_in(a, 8))
		nr_slots = any_u64(a, 8);
	if (one_in(a, 8))
		nr_spares = any_u64(a, 4) - 1;

	return hostile_load_with(some_number(a), virt_to_pfn(ring->region), region_pages,
				 nr_slots, nr_spares);
}

/* As random_load(), for a table. */
static int random_totals_load(struct attacker *a)
{
	struct hostile_table *table;
	u64 nr_rows = HYP_TOTALS_MIN_ROWS;

	if (a->tables_used == TABLES || one_in(a, 2))
		return hostile_totals_load(some_cpu(a),
					   hostile_bad_pfn(any_u64(a, hostile_nr_bad_pfns())),
					   HOSTILE_TABLE_REGION, nr_rows);

	table = a->table[a->tables_used++];
	if (one_in(a, 4))
		table->region[prandom_u32_state(&a->rnd) % HOSTILE_TABLE_PAGES] = some_pfn(a);
	if (one_in(a, 8))
		nr_rows = any_u64(a, 32);

	return hostile_totals_load(some_cpu(a), virt_to_pfn(table->region),
				   HOSTILE_TABLE_REGION, nr_rows);
}

/* The places are few, so that all CPUs use the same ones. */
static int random_pred(struct attacker *a)
{
	u64 place = any_u64(a, 16), offset = any_u64(a, 80);
	u64 rest = offset | any_u64(a, 20) << 16 | any_u64(a, 20) << 32;

	return hostile_pred_range(place, random_u64(a), random_u64(a), random_u64(a), rest);
}

/* Rings are rare, so some marks are preceded by all that they need. */
static int random_mark(struct attacker *a)
{
	if (one_in(a, 8) && a->used < RINGS) {
		hostile_load_ring(smp_processor_id(), a->ring[a->used++]);
		hostile_mode(TRACE_EXT_ON, 1);
		hostile_run(1);
		hostile_sync(smp_processor_id(), HYP_TRACE_OPEN, 0);
	}

	return hostile_mark(any_u64(a, TRACE_EXT_MARK_MAX + 2));
}

/* EL2 passes this call on to firmware, and takes the CPU for parked meanwhile. */
static int park_cpu(void)
{
	struct arm_smccc_res res;

	arm_smccc_smc(PSCI_0_2_FN_PSCI_VERSION, 0, 0, 0, 0, 0, 0, 0, &res);
	return res.a0 == PSCI_RET_NOT_SUPPORTED ? -EOPNOTSUPP : 0;
}

static int random_call(struct attacker *a, enum call call)
{
	switch (call) {
	case LOAD:
		return random_load(a);
	case UNLOAD:
		return hostile_unload(some_number(a));
	case SYNC:
		return hostile_sync_follower(smp_processor_id(), any_u64(a, 4), any_u64(a, 2),
					     any_u64(a, 4));
	case MODE:
		return hostile_mode(any_u64(a, TRACE_EXT_ON + 2), any_u64(a, 3));
	case EVENT:
		return hostile_event(any_u64(a, HYP_NR_EVENTS + 1),
				     any_u64(a, 0x10000));
	case FOLLOW:
		return hostile_follow(any_u64(a, HYP_NR_EVENTS + 1), any_u64(a, 0x10000));
	case PRED:
		return random_pred(a);
	case FILTER:
		return hostile_filter_for(any_u64(a, HYP_NR_EVENTS + 1),
					  any_u64(a, HYP_FILTER_USES + 1),
					  any_u64(a, 16), any_u64(a, 8));
	case TRIGGER:
		return hostile_trigger_for(any_u64(a, HYP_NR_EVENTS + 1),
					   any_u64(a, HYP_FILTER_USES + 1), any_u64(a, 5),
					   any_u64(a, 100) - 1);
	case RUN:
		return hostile_run(any_u64(a, 3));
	case SWAP:
		return min(hostile_swap_for(some_number(a), any_u64(a, HOSTILE_PAGES)), 0);
	case RESET:
		return hostile_reset(some_number(a));
	case HOOK:
		return hostile_hook(any_u64(a, 260), any_u64(a, TRACE_EXT_NR_HOOKS + 1));
	case CLOCK:
		return hostile_clock(random_u64(a), any_u64(a, 65), random_u64(a));
	case ALARM:
		return hostile_alarm(some_cpu(a), any_u64(a, 4));
	case DOORBELL:
		return hostile_doorbell(one_in(a, 2) ? hostile_sgi() :
				max_t(u64, random_u64(a), HOSTILE_NR_SGIS));
	case WRITE_EVENT:
		return hostile_write_event(random_u64(a));
	case SHARE:
		return hostile_share(some_page(a));
	case UNSHARE:
		return hostile_unshare(some_page(a));
	case TOTALS_LOAD:
		return random_totals_load(a);
	case TOTALS_UNLOAD:
		return hostile_totals_unload(some_cpu(a));
	case TOTALS_ENABLE:
		return hostile_totals_enable(any_u64(a, 3));
	case TOTALS_VM:
		return hostile_totals_vm(any_u64(a, 4), any_u64(a, 3));
	case FUNCTIONS:
		return hostile_functions(any_u64(a, 2), random_u64(a),
					 any_u64(a, FTRACE_RETFUNC_DEPTH + 2), any_u64(a, 2));
	case STACKS:
		return hostile_stacks(any_u64(a, 2), random_u64(a));
	case MARK:
		return random_mark(a);
	case PARK:
		return park_cpu();
	case NR_CALLS:
		break;
	}

	return 0;
}

static enum call some_call(struct attacker *a)
{
	int dice = prandom_u32_state(&a->rnd) % 100;
	enum call call = LOAD;

	while ((dice -= kinds[call].weight) >= 0)
		call++;

	return call;
}

static bool is_allowed(enum call call, int ret)
{
	int i;

	for (i = 0; ret && i < ARRAY_SIZE(kinds[call].errors); i++) {
		if (kinds[call].errors[i] == ret)
			return true;
	}

	return !ret;
}

/* Write a random word to a shared page. */
static void scribble_page(struct attacker *a)
{
	struct hostile_table *table = a->table[prandom_u32_state(&a->rnd) % TABLES];
	u64 *words = one_in(a, 4) ? table->page[0] : some_page(a);

	WRITE_ONCE(words[any_u64(a, 4) % (PAGE_SIZE / sizeof(*words))],
		   random_u64(a));
}

static int attack_el2(void *data)
{
	struct attacker *a = data;
	int i, ret;

	for (i = 0; i < ROUND && !a->wrong; i++) {
		enum call call = some_call(a);

		if (one_in(a, 4))
			scribble_page(a);
		ret = random_call(a, call);
		a->count[call]++;
		a->good[call] += !ret;
		if (!is_allowed(call, ret)) {
			a->wrong = ret;
			a->wrong_call = call;
		}
		cond_resched();
	}

	complete(&a->done);
	/* Wait for kthread_stop(), as a thread that has ended can't be stopped. */
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* Unload all rings and tables. */
static void take_back(struct kunit *test)
{
	int cpu, ret;

	hostile_quiet(test);
	for_each_possible_cpu(cpu) {
		ret = hostile_unload(cpu);
		KUNIT_ASSERT_TRUE_MSG(test, !ret || ret == -ENOENT,
				      "CPU%d's ring can't be unloaded: %d", cpu,
				      ret);
		ret = hostile_unload(cpu | HYP_TRACE_FOLLOWER);
		KUNIT_ASSERT_TRUE_MSG(test, !ret || ret == -ENOENT,
				      "CPU%d's follower's ring can't be unloaded: %d", cpu, ret);
		ret = hostile_totals_unload(cpu);
		KUNIT_ASSERT_TRUE_MSG(test, !ret || ret == -ENOENT,
				      "CPU%d's table can't be unloaded: %d", cpu, ret);
	}
}

/* Share all pages, whether they were shared or not. A pinned page can't be unshared. */
static void make_shared(struct kunit *test, void **pages, int n)
{
	int i, ret;

	for (i = 0; i < n; i++) {
		ret = hostile_unshare(pages[i]);
		KUNIT_ASSERT_TRUE_MSG(test, !ret || ret == -EPERM,
				      "a page is still pinned: %d", ret);
		KUNIT_ASSERT_EQ(test, 0, hostile_share(pages[i]));
	}
}

static void restore_el2(struct kunit *test, struct attacker *a)
{
	int i;

	for (i = 0; i < RINGS; i++) {
		make_shared(test, a->ring[i]->page, HOSTILE_PAGES);
		hostile_describe(a->ring[i]);
	}
	for (i = 0; i < TABLES; i++) {
		make_shared(test, a->table[i]->page, HOSTILE_TABLE_PAGES);
		hostile_table_describe(a->table[i]);
	}
}

/* The last CPU is off in every second round: EL2 takes rings for it, and gives them back. */
static bool is_off(int cpu, u64 seed)
{
	return cpu && cpu == nr_cpu_ids - 1 && seed / nr_cpu_ids % 2;
}

static void one_round(struct kunit *test, struct attacker *attackers, u64 seed)
{
	int cpu, last = nr_cpu_ids - 1;
	struct attacker *a;

	if (is_off(last, seed))
		KUNIT_ASSERT_EQ(test, 0, remove_cpu(last));
	for_each_online_cpu(cpu) {
		a = &attackers[cpu];
		prandom_seed_state(&a->rnd, seed + cpu);
		a->used = 0;
		a->tables_used = 0;
		init_completion(&a->done);
		a->task = kthread_run_on_cpu(attack_el2, a, cpu, "hostile/%u");
		KUNIT_ASSERT_FALSE(test, IS_ERR(a->task));
	}
	/* A thread that is stopped before it runs does nothing. */
	for_each_online_cpu(cpu) {
		wait_for_completion(&attackers[cpu].done);
		kthread_stop(attackers[cpu].task);
	}
	if (is_off(last, seed))
		KUNIT_ASSERT_EQ(test, 0, add_cpu(last));

	take_back(test);
	for_each_online_cpu(cpu) {
		a = &attackers[cpu];
		KUNIT_ASSERT_EQ_MSG(test, 0, a->wrong, "%s returned %d, seed %llu",
				    kinds[a->wrong_call].name, a->wrong, seed);
		restore_el2(test, a);
	}
}

static struct attacker *attackers_new(struct kunit *test)
{
	struct attacker *attackers =
		kunit_kcalloc(test, nr_cpu_ids, sizeof(*attackers), GFP_KERNEL);
	int cpu, i;

	KUNIT_ASSERT_NOT_NULL(test, attackers);
	for_each_online_cpu(cpu) {
		for (i = 0; i < RINGS; i++)
			attackers[cpu].ring[i] = hostile_ring_new(test);
		for (i = 0; i < TABLES; i++)
			attackers[cpu].table[i] = hostile_table_new(test);
	}

	return attackers;
}

/**
 * hostile_next_batch() - generate the parameter of hostile_random_calls()
 * @prev:	the previous batch, counted from 1, or NULL
 * @desc:	filled in with the name of the next batch
 *
 * Return: the number of the next batch, NULL after the last
 */
const void *hostile_next_batch(const void *prev, char *desc)
{
	unsigned long batch = (unsigned long)prev + 1;

	if (batch > DIV_ROUND_UP(calls, BATCH))
		return NULL;

	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "up to call %lu, seed %lu",
		 min(batch * BATCH, calls), seed);
	return (void *)batch;
}

/**
 * hostile_random_calls() - make random calls from all CPUs, and check the results
 * @test:	the test, whose parameter is the number of the batch
 */
void hostile_random_calls(struct kunit *test)
{
	unsigned long batch = (unsigned long)test->param_value;
	unsigned long todo = min(calls - (batch - 1) * BATCH, BATCH), done = 0;
	struct attacker *attackers = attackers_new(test);
	u64 round_seed = seed + batch * BATCH;
	int cpu, kind;

	/* One page a step, so that calls find rings that are partly loaded. */
	KUNIT_ASSERT_EQ(test, 0, hostile_test(HYP_TRACE_TEST_STEP, 1));

	while (done < todo) {
		one_round(test, attackers, round_seed);
		hostile_expect_intact(test, attackers[0].ring[done % RINGS],
				      "random calls");
		done += ROUND * num_online_cpus();
		round_seed += nr_cpu_ids;
	}

	for (kind = 0; kind < NR_CALLS; kind++) {
		unsigned long count = 0, good = 0;

		for_each_online_cpu(cpu) {
			count += attackers[cpu].count[kind];
			good += attackers[cpu].good[kind];
		}
		kunit_info(test, "%s: %lu calls, %lu succeeded",
			   kinds[kind].name, count, good);
		KUNIT_EXPECT_GT_MSG(test, good, 0, "no %s succeeded: not much of a test",
				    kinds[kind].name);
	}
}
