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
#define MAX_KINDS	32	/* kinds of calls */

static ulong calls = CALLS;
module_param(calls, ulong, 0644);
MODULE_PARM_DESC(calls, "random calls to make");

static ulong seed = 1;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "where to begin with random numbers");

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
 * @wrong_kind:	the kind of the call that returned @wrong
 */
struct attacker {
	struct task_struct	*task;
	struct completion	done;
	struct rnd_state	rnd;
	struct hostile_ring	*ring[RINGS];
	int			used;
	struct hostile_table	*table[TABLES];
	int			tables_used;
	unsigned long		count[MAX_KINDS];
	unsigned long		good[MAX_KINDS];
	int			wrong;
	unsigned int		wrong_kind;
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
 * Calls with random arguments, from the table of hypercalls. Of those that have a maximum, some are
 * larger. The calls below them have arguments that mean something more often.
 */

#define ANY		U64_MAX
#define RANDOM_ARG(max, argument)					\
	((max) == ANY ? random_u64(a) : any_u64(a, (u64)(max) + 2))

#define RANDOM_CALL(name, result, enables, ...)				\
static int __maybe_unused any_##name(struct attacker *a)		\
{									\
	return hcall_##name(HYP_EACH(RANDOM_ARG, HYP_COMMA, __VA_ARGS__)); \
}

#define NOT_HERE(...)

HYP_ALL_HCALLS(RANDOM_CALL, NOT_HERE)

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
	u64 region_pages = HOSTILE_TABLE_REGION;
	struct hostile_table *table;

	if (a->tables_used == TABLES || one_in(a, 2))
		return hostile_totals_load(some_cpu(a),
					   hostile_bad_pfn(any_u64(a, hostile_nr_bad_pfns())),
					   region_pages);

	table = a->table[a->tables_used++];
	if (one_in(a, 4))
		table->region[prandom_u32_state(&a->rnd) % HOSTILE_TABLE_PAGES] = some_pfn(a);
	if (one_in(a, 8))
		region_pages = any_u64(a, 2 * HOSTILE_TABLE_REGION);

	return hostile_totals_load(some_cpu(a), virt_to_pfn(table->region), region_pages);
}

/* The first handle of a VM, which is no constant of a header. */
#define FIRST_HANDLE	0x1000

/*
 * A table that EL2 must refuse: if there is such a vCPU, it would keep the table until the VM is
 * gone. Without protection, EL2 believes the host where a vCPU is.
 */
static int random_totals_load_vcpu(struct attacker *a)
{
	u64 pages = hyp_totals_vcpu_shape().region_pages;
	u64 pfn = hostile_bad_pfn(any_u64(a, hostile_nr_bad_pfns()));

	if (!is_protected_kvm_enabled() || one_in(a, 8))
		pages++;

	return hcall_totals_load_vcpu(FIRST_HANDLE + any_u64(a, 4), any_u64(a, 4), pfn, pages);
}

/* The places are few, so that all CPUs use the same ones. */
static int random_pred(struct attacker *a)
{
	u64 place = any_u64(a, 16), offset = any_u64(a, 80);
	u64 rest = offset | any_u64(a, 20) << 16 | any_u64(a, 20) << 32;

	return hcall_trace_pred(place, random_u64(a), random_u64(a), random_u64(a), rest);
}

/* Rings are rare, so some marks are preceded by all that they need. */
static int random_mark(struct attacker *a)
{
	if (one_in(a, 8) && a->used < RINGS) {
		hostile_load_ring(smp_processor_id(), a->ring[a->used++]);
		hcall_trace_mode(TRACE_EXT_ON, 1);
		hcall_trace_run(1);
		hostile_sync(smp_processor_id(), HYP_TRACE_OPEN, 0);
	}

	return hostile_mark(any_u64(a, TRACE_EXT_MARK_MAX + 2));
}

static int random_unload(struct attacker *a)
{
	return hostile_unload(some_number(a));
}

static int random_totals_unload(struct attacker *a)
{
	return hostile_totals_unload(some_cpu(a));
}

static int random_filter(struct attacker *a)
{
	return hcall_trace_filter(any_u64(a, HYP_NR_EVENTS + 1), any_u64(a, HYP_FILTER_USES + 1),
				  any_u64(a, 16), any_u64(a, 8));
}

static int random_trigger(struct attacker *a)
{
	return hcall_trace_trigger(any_u64(a, HYP_NR_EVENTS + 1), any_u64(a, HYP_FILTER_USES + 1),
				   any_u64(a, 5), any_u64(a, 100) - 1);
}

static int random_swap(struct attacker *a)
{
	return min(hostile_swap_for(some_number(a), any_u64(a, HOSTILE_PAGES)), 0);
}

static int random_reset(struct attacker *a)
{
	return hostile_reset(some_number(a));
}

static int random_hook(struct attacker *a)
{
	return hcall_trace_hook(any_u64(a, 260), any_u64(a, TRACE_EXT_NR_HOOKS + 1));
}

static int random_alarm(struct attacker *a)
{
	return hcall_trace_alarm(some_cpu(a), any_u64(a, 4));
}

static int random_doorbell(struct attacker *a)
{
	return hcall_trace_doorbell(one_in(a, 2) ? hostile_sgi() :
				    max_t(u64, random_u64(a), HOSTILE_NR_SGIS));
}

static int random_share(struct attacker *a)
{
	return hostile_share(some_page(a));
}

static int random_unshare(struct attacker *a)
{
	return hostile_unshare(some_page(a));
}

/* EL2 passes this call on to firmware, and takes the CPU for parked meanwhile. */
static int park_cpu(struct attacker *a)
{
	struct arm_smccc_res res;

	arm_smccc_smc(PSCI_0_2_FN_PSCI_VERSION, 0, 0, 0, 0, 0, 0, 0, &res);
	return res.a0 == PSCI_RET_NOT_SUPPORTED ? -EOPNOTSUPP : 0;
}

/* The share of each call in per cent, and the errors that it may return. */
static const struct {
	const char	*name;
	unsigned int	weight;
	int		(*call)(struct attacker *a);
	int		errors[4];
} kinds[] = {
	{ "load", 10, random_load, { -EINVAL, -EBUSY, -EPERM } },
	{ "unload", 8, random_unload, { -EINVAL, -EBUSY, -ENOENT } },
	{ "sync", 8, any_trace_sync, { -EINVAL } },
	{ "mode", 4, any_trace_mode, { -EINVAL } },
	{ "event", 4, any_trace_event, { -EINVAL } },
	{ "follow", 4, any_trace_follow, { -EINVAL } },
	{ "pred", 4, random_pred, { -EINVAL, -EBUSY } },
	{ "filter", 4, random_filter, { -EINVAL } },
	{ "trigger", 3, random_trigger, { -EINVAL } },
	{ "run", 2, any_trace_run, { -EINVAL } },
	{ "swap", 7, random_swap, { -EINVAL, -EAGAIN, -ENOENT, -EBUSY } },
	{ "reset", 4, random_reset, { -EINVAL, -EBUSY, -ENOENT } },
	{ "hook", 3, random_hook, { -EINVAL, -ENODEV } },
	{ "clock", 3, any_trace_clock, { -EINVAL } },
	{ "alarm", 4, random_alarm, { -EINVAL, -EBUSY, -ENOENT, -EOPNOTSUPP } },
	{ "doorbell", 2, random_doorbell, { -EINVAL } },
	{ "write_event", 4, any_trace_write_event },
	{ "share", 3, random_share, { -EPERM } },
	{ "unshare", 3, random_unshare, { -EPERM, -EBUSY } },
	{ "totals_load", 4, random_totals_load, { -EINVAL, -EBUSY, -EPERM } },
	{ "totals_unload", 3, random_totals_unload, { -EINVAL, -EBUSY, -ENOENT } },
	{ "totals_enable", 1, any_totals_enable, { -EINVAL } },
	{ "totals_max", 1, any_totals_max, { -EINVAL } },
	{ "totals_load_vcpu", 1, random_totals_load_vcpu, { -EINVAL, -ENOENT, -EBUSY, -EPERM } },
	{ "functions", 1, any_trace_functions, { -EINVAL, -ENODEV } },
	{ "stacks", 1, any_trace_stacks, { -EINVAL } },
	{ "mark", 2, random_mark, { -EINVAL, -EBADF } },
	{ "park", 2, park_cpu },
};

static_assert(ARRAY_SIZE(kinds) <= MAX_KINDS);

static unsigned int some_kind(struct attacker *a)
{
	int dice = prandom_u32_state(&a->rnd) % 100;
	unsigned int kind = 0;

	while ((dice -= kinds[kind].weight) >= 0)
		kind++;

	return kind;
}

static bool is_allowed(unsigned int kind, int ret)
{
	int i;

	for (i = 0; ret && i < ARRAY_SIZE(kinds[kind].errors); i++) {
		if (kinds[kind].errors[i] == ret)
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
		unsigned int kind = some_kind(a);

		if (one_in(a, 4))
			scribble_page(a);
		ret = kinds[kind].call(a);
		a->count[kind]++;
		a->good[kind] += !ret;
		if (!is_allowed(kind, ret)) {
			a->wrong = ret;
			a->wrong_kind = kind;
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
				    kinds[a->wrong_kind].name, a->wrong, seed);
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

/*
 * The batch of calls after @prev, a number, as a parameter of the test; NULL after the last. @desc
 * is filled in with its description.
 */
const void *hostile_next_batch(HYPTRACE_GEN_PARAMS(prev, desc))
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
	KUNIT_ASSERT_EQ(test, 0, hcall_trace_test(HYP_TRACE_TEST_STEP, 1));

	while (done < todo) {
		one_round(test, attackers, round_seed);
		hostile_expect_intact(test, attackers[0].ring[done % RINGS],
				      "random calls");
		done += ROUND * num_online_cpus();
		round_seed += nr_cpu_ids;
	}

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		unsigned long count = 0, good = 0;

		for_each_online_cpu(cpu) {
			count += attackers[cpu].count[kind];
			good += attackers[cpu].good[kind];
		}
		kunit_info(test, "%s: %lu calls, %lu succeeded",
			   kinds[kind].name, count, good);
		if (kinds[kind].call == random_totals_load_vcpu)
			KUNIT_EXPECT_EQ_MSG(test, good, 0, "EL2 has taken %lu bad tables", good);
		else
			KUNIT_EXPECT_GT_MSG(test, good, 0,
					    "no %s succeeded: not much of a test",
					    kinds[kind].name);
	}
}
