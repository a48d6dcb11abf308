// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of hypervisor tracing: the driver of EL2 as an external writer. It gives
 * memory to EL2, makes the tracing hypercalls and follows CPU hotplug. The readers are in
 * kernel/trace/.
 */

#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/init.h>
#include <linux/kvm_host.h>
#include <linux/smp.h>
#include <linux/syscore_ops.h>
#include <linux/trace_ext.h>

#include <trace/events/ipi.h>

#include <asm/arch_timer.h>
#include <asm/hyptrace.h>
#include <asm/kvm_host.h>
#include <asm/mmu_context.h>
#include <asm/virt.h>

#include "hyptrace.h"
#include "channel.h"

/* A CPU's rings: for readers of hyp/, and for what is followed. */
enum kind {
	USER,
	FOLLOWER,
	NR_KINDS,
};

/* The memory of a CPU's rings. */
static DEFINE_PER_CPU(struct hyptrace_memory, memory[NR_KINDS]);

/* Keeps a sync from opening a ring that has been closed to be unloaded. */
static DEFINE_MUTEX(sync_lock);

/* True from start to stop. Otherwise all rings of this kind are closed, and need no sync. */
static bool in_use[NR_KINDS];

/* A CPU's ring for readers is open only if the CPU is traced and its task is not ignored. */
static struct cpumask traced_cpus = { CPU_BITS_ALL };
static DEFINE_PER_CPU(bool, ignored);

/* Closed to be unloaded, or because the CPU goes offline; until it is opened again. */
static DEFINE_PER_CPU(bool, closed[NR_KINDS]);

/**
 * struct state - arguments of __hyp_trace_sync(), in a word
 * @ring:	enum hyp_trace_ring_state of each ring
 * @totals:	keep totals
 */
struct state {
	u8	ring[NR_KINDS];
	bool	totals;
} __aligned(4);

/* The state that EL2 was given last for a CPU. */
static DEFINE_PER_CPU(struct state, el2_state);

/* The host's copy of hyp_trace_locked, which it can't read after it is deprivileged. */
static bool locked __ro_after_init = IS_ENABLED(CONFIG_NVHE_EL2_TRACING_LOCKED);

/**
 * hyptrace_if_locked() - explain -EPERM in a message
 * @ret:	an error
 *
 * Return: what to append to the message
 */
const char *hyptrace_if_locked(int ret)
{
	return locked && ret == -EPERM ?
	       ", tracing is locked: boot with kvm-arm.hyp_trace=on" : "";
}

/* Operations -------------------------------------------------------------------- */

/* The number that EL2 knows a ring by. */
static u64 ring_number(enum kind kind, int cpu)
{
	return cpu | (kind == FOLLOWER ? HYP_TRACE_FOLLOWER : 0);
}

static int ring_load(enum kind kind, const struct trace_ext_ring *ring)
{
	struct hyptrace_memory *mem = per_cpu_ptr(&memory[kind], ring->cpu);
	struct arm_smccc_res res;
	int ret;

	*mem = (struct hyptrace_memory) {
		.region_pages	= hyp_trace_region_pages(ring->nr_pages),
		.first		= ring->meta,
		.pages		= (void **)ring->pages,
		.nr_pages	= ring->nr_pages,
	};
	ret = hyptrace_memory_prepare(mem);
	if (ret)
		goto out;

	ret = hyptrace_call_steps(&res, __hyp_trace_load, ring_number(kind, ring->cpu),
				  virt_to_pfn(mem->region), mem->region_pages, ring->nr_slots,
				  ring->nr_pages);
	if (!ret)
		return 0;

	hyptrace_memory_release(mem);
out:
	pr_err_ratelimited("hyp_trace: CPU%d: can't hand over a ring of %u pages: %pe%s\n",
			   ring->cpu, ring->nr_pages, ERR_PTR(ret), hyptrace_if_locked(ret));
	return ret;
}

/* True if a CPU is traced, whatever its current task. */
static bool is_traced(int cpu)
{
	return READ_ONCE(in_use[USER]) && cpumask_test_cpu(cpu, &traced_cpus);
}

/* True if a CPU writes to a ring of a kind, or would if the ring were not closed. */
static bool is_written(enum kind kind, int cpu)
{
	return kind == USER ? is_traced(cpu) : READ_ONCE(in_use[FOLLOWER]);
}

static enum hyp_trace_ring_state wanted_ring(enum kind kind)
{
	if (!is_written(kind, smp_processor_id()) || (kind == USER && this_cpu_read(ignored)))
		return HYP_TRACE_CLOSED;

	return this_cpu_read(closed[kind]) ? HYP_TRACE_SUSPENDED : HYP_TRACE_OPEN;
}

static bool is_idle(struct state state)
{
	return state.ring[USER] == HYP_TRACE_CLOSED &&
	       state.ring[FOLLOWER] == HYP_TRACE_CLOSED && !state.totals;
}

/*
 * EL2 reads the pid of the task that has entered it in CONTEXTIDR_EL1, which task switches write
 * while this is on. What is current on a CPU that begins to trace may not be switched for long,
 * so tell_el2() writes its pid. On a CPU that comes online, the ring is closed until then, or the
 * pid is 0 (hyp_trace_cpu_entry()).
 */
DEFINE_STATIC_KEY_FALSE(hyptrace_key);

/* noinline and __noclone, so that the function tracer shows the calls by this name. */
static noinline __noclone void tell_el2(struct state state)
{
	struct state *told = this_cpu_ptr(&el2_state);
	u64 ring = state.ring[USER], follower = state.ring[FOLLOWER], totals = state.totals;
	struct arm_smccc_res res;

	contextidr_thread_switch(current);

	/*
	 * Pairs with hyptrace_clock_changed(): either it sees el2_state and syncs this
	 * CPU, or this CPU copies the new clock.
	 */
	WRITE_ONCE(*told, state);
	smp_mb();

	/* EL2 is not set up yet, see system_resume(). Have the next sync call it again. */
	if (hyptrace_call(&res, __hyp_trace_sync, ring, totals, follower))
		WRITE_ONCE(told->ring[USER], HYP_TRACE_SUSPENDED);
}

/**
 * hyptrace_sync_this_cpu() - tell EL2 what this CPU shall do, and have it copy the clock
 *
 * EL2 opens or closes this CPU's rings, and begins or ceases to keep totals. Makes no
 * hypercall if the CPU does neither trace nor measure, and goes on like that.
 *
 * Context: interrupts are off.
 */
void hyptrace_sync_this_cpu(void)
{
	struct state wanted = {
		.ring	= {
			[USER]		= wanted_ring(USER),
			[FOLLOWER]	= wanted_ring(FOLLOWER),
		},
		.totals	= hyptotals_wanted(),
	};

	if (!is_idle(wanted) || !is_idle(*this_cpu_ptr(&el2_state)))
		tell_el2(wanted);
}

static void sync_this_cpu(void *unused)
{
	hyptrace_sync_this_cpu();
}

/**
 * hyptrace_sync_all() - hyptrace_sync_this_cpu() on all CPUs
 *
 * Context: may sleep; the caller holds off CPU hotplug.
 */
void hyptrace_sync_all(void)
{
	on_each_cpu(sync_this_cpu, NULL, true);
}

/* These run on each CPU. @kind is an enum kind *. */

static void open_this_cpu(void *kind)
{
	this_cpu_write(closed[*(enum kind *)kind], false);
	hyptrace_sync_this_cpu();
}

static void close_this_cpu(void *kind)
{
	this_cpu_write(closed[*(enum kind *)kind], true);
	hyptrace_sync_this_cpu();
}

static bool ring_is_open(enum kind kind, int cpu)
{
	return READ_ONCE(per_cpu(el2_state, cpu).ring[kind]) != HYP_TRACE_CLOSED;
}

static bool is_open(int cpu, void *kind)
{
	return ring_is_open(*(enum kind *)kind, cpu);
}

/* True if EL2 uses a CPU's clock. */
static bool is_busy(int cpu, void *unused)
{
	return !is_idle(READ_ONCE(per_cpu(el2_state, cpu)));
}

/* True if a CPU's ring is open or should be. */
static bool is_concerned(int cpu, void *kind)
{
	return is_open(cpu, kind) || is_written(*(enum kind *)kind, cpu);
}

static void hyptrace_ignore(bool ignore)
{
	if (ignore == this_cpu_read(ignored))
		return;

	this_cpu_write(ignored, ignore);

	/* A ring that is being unloaded stays closed until the sync that follows. */
	if (!this_cpu_read(closed[USER]))
		hyptrace_sync_this_cpu();
}

/*
 * Without protection, KVM removes EL2 from a CPU that goes to sleep and sets it up again
 * afterwards, with the ordinary vectors.
 */
static int cpu_pm_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	if ((action == CPU_PM_EXIT || action == CPU_PM_ENTER_FAILED) &&
	    (!this_cpu_read(closed[USER]) || !this_cpu_read(closed[FOLLOWER]) ||
	     hyptotals_wanted()))
		hyptrace_sync_this_cpu();

	return NOTIFY_OK;
}

static struct notifier_block cpu_pm_nb = {
	.notifier_call	= cpu_pm_notify,
	.priority	= -1,		/* after KVM's */
};

/*
 * After hibernation or system suspend, KVM sets EL2 up later than the CPU_PM notifiers
 * run, and perhaps later than timekeeping resumes. This runs after all of them, and makes
 * the calls that they could not make.
 */
static void system_resume(void)
{
	hyptrace_clock_resume();
	hyptotals_resume();
	hyptrace_sync_this_cpu();
}

#ifdef HAVE_STRUCT_SYSCORE
static void syscore_resumes(void *unused)
{
	system_resume();
}

static const struct syscore_ops hyptrace_syscore_ops = {
	.resume = syscore_resumes,
};

static struct syscore hyptrace_syscore = {
	.ops = &hyptrace_syscore_ops,
};

static void __init follow_resume(void)
{
	register_syscore(&hyptrace_syscore);
}
#else
static struct syscore_ops hyptrace_syscore_ops = {
	.resume = system_resume,
};

static void __init follow_resume(void)
{
	register_syscore_ops(&hyptrace_syscore_ops);
}
#endif

/*
 * Have a CPU close its ring. An offline CPU's ring is already closed (nVHE), or EL2 knows
 * that the CPU is parked (pKVM). The ring of a CPU that is not traced is closed.
 */
static void ring_close(enum kind kind, int cpu)
{
	lockdep_assert_held(&sync_lock);

	if (cpu_online(cpu) && is_concerned(cpu, &kind))
		smp_call_function_single(cpu, close_this_cpu, &kind, true);
}

static int ring_unload(enum kind kind, const struct trace_ext_ring *ring, u64 *seq,
		       u64 *dropped)
{
	struct arm_smccc_res res;
	int ret;

	guard(mutex)(&sync_lock);

	ring_close(kind, ring->cpu);
	ret = hyptrace_call_steps(&res, __hyp_trace_unload, ring_number(kind, ring->cpu));
	if (ret) {
		pr_err_ratelimited("hyp_trace: CPU%d: EL2 does not give back the ring, %u pages are lost: %pe\n",
				   ring->cpu, ring->nr_pages, ERR_PTR(ret));
		return ret;
	}

	*seq = res.a2;
	*dropped = res.a3;
	hyptrace_memory_release(per_cpu_ptr(&memory[kind], ring->cpu));
	return 0;
}

/**
 * hyptrace_clock_changed() - have all CPUs copy the clock that EL2 was given
 *
 * A CPU that neither traces nor measures copies it when it begins to.
 *
 * Context: may sleep; the caller holds off CPU hotplug.
 */
void hyptrace_clock_changed(void)
{
	/* Pairs with tell_el2(). */
	smp_mb();
	on_each_cpu_cond(is_busy, sync_this_cpu, NULL, true);
}

static void rings_sync(enum kind kind, int cpu)
{
	guard(mutex)(&sync_lock);

	if (cpu == -1)
		on_each_cpu_cond(is_concerned, open_this_cpu, &kind, true);
	else if (is_concerned(cpu, &kind))
		smp_call_function_single(cpu, open_this_cpu, &kind, true);
}

static void hyptrace_set_cpus(const struct cpumask *cpus)
{
	static struct cpumask concerned;
	enum kind kind = USER;

	guard(mutex)(&sync_lock);

	/* A CPU that is opening its ring right now may have read the old mask. */
	cpumask_or(&concerned, &traced_cpus, cpus);
	cpumask_copy(&traced_cpus, cpus);
	if (READ_ONCE(in_use[USER]))
		on_each_cpu_mask(&concerned, open_this_cpu, &kind, true);
}

static int rings_start(enum kind kind)
{
	int ret = hyptrace_clock_start();

	if (ret)
		return ret;

	static_branch_inc_cpuslocked(&hyptrace_key);
	WRITE_ONCE(in_use[kind], true);
	return 0;
}

/* Offline CPUs close their rings in cpu_online_cb(). */
static void rings_stop(enum kind kind)
{
	WRITE_ONCE(in_use[kind], false);
	/* sync_this_cpu() ignores its argument. */
	on_each_cpu_cond(is_open, sync_this_cpu, &kind, true);
	static_branch_dec_cpuslocked(&hyptrace_key);
	hyptrace_clock_stop();
}

/**
 * hyptrace_end_guest_runs() - have EL2 look anew what it is to trace of guests
 *
 * EL2 looks when the host has it run a vCPU (hyp_trace_guest_begin()). An interrupt ends that
 * run. A CPU that is not traced is left alone; when it is, a sync interrupts it.
 *
 * Context: any, after a hypercall that has changed what is traced. That ends with a full barrier,
 * which pairs with the one in kvm_arch_vcpu_ioctl_run(): either the CPU's vCPU is seen here, or
 * EL2 sees the change when it runs the vCPU.
 */
void hyptrace_end_guest_runs(void)
{
	struct kvm_vcpu * __percpu *running = kvm_get_running_vcpus();
	int cpu;

	for_each_online_cpu(cpu) {
		if (is_busy(cpu, NULL) && READ_ONCE(*per_cpu_ptr(running, cpu)))
			smp_send_reschedule(cpu);
	}
}

static void hyptrace_set_mode(enum trace_ext_mode mode, bool overwrite)
{
	static const enum hyp_trace_mode hyp_mode[] = {
		[TRACE_EXT_OFF]		= HYP_TRACE_OFF,
		[TRACE_EXT_DRAIN]	= HYP_TRACE_DRAIN,
		[TRACE_EXT_ON]		= HYP_TRACE_ON,
	};
	struct arm_smccc_res res;

	hyptrace_call(&res, __hyp_trace_mode, hyp_mode[mode], overwrite);
	if (mode == TRACE_EXT_ON)
		hyptrace_end_guest_runs();
}

static int ring_swap_page(enum kind kind, int cpu, u32 spare, struct ext_ring_swap *swap)
{
	struct arm_smccc_res res;
	int ret = hyptrace_call(&res, __hyp_trace_swap, ring_number(kind, cpu), spare);

	if (ret < 0)
		return ret;

	swap->id = lower_32_bits(res.a1);
	swap->events = upper_32_bits(res.a1);
	swap->pos = res.a2;
	swap->first_seq = res.a3;
	return 0;
}

struct reset {
	int	cpu;
	int	ret;
	u64	seq;
};

static void reset_cpu(void *data)
{
	struct reset *reset = data;
	struct arm_smccc_res res;

	reset->ret = hyptrace_call(&res, __hyp_trace_reset, reset->cpu);
	reset->seq = reset->ret ? 0 : res.a2;
}

static int hyptrace_reset(int cpu, u64 *seq)
{
	struct reset reset = { .cpu = cpu, .ret = -EBUSY };

	/* Don't interrupt a CPU whose ring is closed. EL2 refuses if it is open by now. */
	if (!ring_is_open(USER, cpu) || !cpu_online(cpu))
		reset_cpu(&reset);
	if (reset.ret == -EBUSY && cpu_online(cpu))
		smp_call_function_single(cpu, reset_cpu, &reset, true);

	if (reset.ret)
		pr_err_ratelimited("hyp_trace: CPU%d: EL2 does not reset the ring: %pe\n",
				   cpu, ERR_PTR(reset.ret));

	*seq = reset.seq;
	return reset.ret;
}

static int hyptrace_enable(unsigned int event, u16 type)
{
	struct arm_smccc_res res;
	int ret = hyptrace_call(&res, __hyp_trace_event, event, type);

	if (ret)
		pr_err_ratelimited("hyp_trace: can't enable event number %u: %pe%s\n",
				   event, ERR_PTR(ret), hyptrace_if_locked(ret));
	else if (type)
		hyptrace_end_guest_runs();

	return ret;
}

static int hyptrace_set_alarm(int cpu, u64 pos)
{
	struct arm_smccc_res res;

	return hyptrace_call(&res, __hyp_trace_alarm, cpu, pos);
}

/* The operations on both kinds of rings. */
#define RING_OPS(name, kind)						\
static int name##_start(void)						\
{									\
	return rings_start(kind);					\
}									\
									\
static void name##_stop(void)						\
{									\
	rings_stop(kind);						\
}									\
									\
static int name##_load(const struct trace_ext_ring *ring)		\
{									\
	return ring_load(kind, ring);					\
}									\
									\
static int name##_unload(const struct trace_ext_ring *ring, u64 *seq, u64 *dropped) \
{									\
	return ring_unload(kind, ring, seq, dropped);			\
}									\
									\
static void name##_sync(int cpu)					\
{									\
	rings_sync(kind, cpu);						\
}									\
									\
static bool name##_is_open(int cpu)					\
{									\
	return ring_is_open(kind, cpu);					\
}									\
									\
static int name##_swap_page(int cpu, u32 spare, struct ext_ring_swap *swap) \
{									\
	return ring_swap_page(kind, cpu, spare, swap);			\
}

RING_OPS(hyptrace, USER)
RING_OPS(follower, FOLLOWER)

static int hyptrace_set_stacks(bool on)
{
	struct arm_smccc_res res;
	int ret = hyptrace_call(&res, __hyp_trace_stacks, on, (u64)__hyp_text_start);

	if (ret)
		pr_err_ratelimited("hyp_trace: can't record stacks: %pe%s\n", ERR_PTR(ret),
				   hyptrace_if_locked(ret));

	return ret;
}

static int follower_enable(unsigned int event, u16 type)
{
	struct arm_smccc_res res;
	int ret = hyptrace_call(&res, __hyp_trace_follow, event, type);

	if (ret)
		pr_err_ratelimited("hyp_trace: can't follow event number %u: %pe%s\n",
				   event, ERR_PTR(ret), hyptrace_if_locked(ret));
	else if (type)
		hyptrace_end_guest_runs();

	return ret;
}

static const struct trace_ext_ops follower_ops = {
	.start		= follower_start,
	.stop		= follower_stop,
	.load		= follower_load,
	.unload		= follower_unload,
	.sync		= follower_sync,
	.is_open	= follower_is_open,
	.swap_page	= follower_swap_page,
	.enable		= follower_enable,
};

static struct trace_ext_ops hyptrace_ops __ro_after_init = {
	.start		= hyptrace_start,
	.stop		= hyptrace_stop,
	.load		= hyptrace_load,
	.unload		= hyptrace_unload,
	.sync		= hyptrace_sync,
	.is_open	= hyptrace_is_open,
	.set_cpus	= hyptrace_set_cpus,
	.ignore		= hyptrace_ignore,
	.set_mode	= hyptrace_set_mode,
	.swap_page	= hyptrace_swap_page,
	.reset		= hyptrace_reset,
	.enable		= hyptrace_enable,
	.set_filter	= hyptrace_set_filter,
	.set_trigger	= hyptrace_set_trigger,
	.del_trigger	= hyptrace_del_trigger,
	.trigger_left	= hyptrace_trigger_left,
	.set_stacks	= hyptrace_set_stacks,
	.mark		= hyptrace_mark,
	.set_running	= hyptrace_set_running,
	.is_running	= hyptrace_is_running,
};

static void created(struct dentry *dir)
{
	hyptotals_files_init(dir);
	hyptrace_channel_files_init(dir);
	hyptrace_test_init(dir);
}

static struct trace_ext_writer follower = {
	.name		= "hyp",
	.label		= "hyp_trace",
	.ops		= &follower_ops,
};

struct trace_ext_writer hyptrace_writer = {
	.name		= "hyp",
	.alias		= "hypervisor",		/* Perfetto knows this name, too. */
	.link		= "../hyp",
	.systems	= "hyp,ftrace",
	.label		= "hyp_trace",
	.location	= "hyp event",
	.errors		= {
		[TRACE_EXT_ERR_FILTER] =
			"Hypervisor events are filtered in hyp/events/hyp/; write 0 for no filter",
		[TRACE_EXT_ERR_OPERAND] =
			"A hypervisor event's filter compares numbers only: no strings, no comm, no functions",
		[TRACE_EXT_ERR_SIZE] =
			"A hypervisor event's filter compares fields of 1, 2, 4 or 8 bytes only",
		[TRACE_EXT_ERR_LENGTH] =
			"A hypervisor event's filter may have 64 comparisons",
		[TRACE_EXT_ERR_ROOM] =
			"The filters of all hypervisor events together may have 1022 comparisons",
		[TRACE_EXT_ERR_ELSEWHERE] =
			"Hypervisor events are recorded in hyp/, not here",
		[TRACE_EXT_ERR_TRIGGER] =
			"No trigger enables a hypervisor event, and none of its own is set while booting",
		[TRACE_EXT_ERR_COMMAND] =
			"In hyp/ the triggers are traceoff, traceon, stacktrace and hist; others are at the root, in events/hyp/",
		[TRACE_EXT_ERR_PROBE] =
			"Hypervisor events can't be probed",
		[TRACE_EXT_ERR_FUNCTION] =
			"No function of the hypervisor has that name: see hyp/available_filter_functions",
	},
	.ops		= &hyptrace_ops,
	.follower	= &follower,
#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
	.functions	= &hyptrace_functions,
#endif
	.dump_events	= 500,			/* A serial console is slow. */
	.clean		= hyptrace_mem_clean,
	.created	= created,
};

/* Init ---------------------------------------------------------------------------- */

/*
 * In protected mode, EL2 sees a CPU's PSCI calls. In nVHE mode it doesn't, and it is
 * removed from the CPU soon after this, so close the ring now.
 */
static int cpu_offline_cb(unsigned int cpu)
{
	guard(irqsave)();

	if (!is_protected_kvm_enabled()) {
		hyptotals_offline();
		this_cpu_write(closed[FOLLOWER], true);
		this_cpu_write(closed[USER], true);
		hyptrace_sync_this_cpu();
	}

	return 0;
}

/*
 * If tracing has been turned off while the CPU was offline, its ring may be open; and the same
 * for totals.
 */
static int cpu_online_cb(unsigned int cpu)
{
	int ret = trace_ext_cpu_online(&hyptrace_writer, cpu);

	hyptotals_online(cpu);

	guard(irqsave)();

	/* If tracing is in use, it has synced this CPU if the CPU is traced. */
	if (!READ_ONCE(in_use[USER]) || !READ_ONCE(in_use[FOLLOWER]) || hyptotals_wanted() ||
	    this_cpu_ptr(&el2_state)->totals)
		hyptrace_sync_this_cpu();

	return ret;
}

static int cpu_dead_cb(unsigned int cpu)
{
	return trace_ext_cpu_dead(&hyptrace_writer, cpu);
}

static bool __init counter_has_erratum(int cpu)
{
#if IS_ENABLED(CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND)
	const struct arch_timer_erratum_workaround *wa =
		per_cpu(timer_unstable_counter_workaround, cpu);

	return wa && wa->read_cntpct_el0;
#else
	return false;
#endif
}

/* The reason why tracing is not available, or NULL. */
static const char * __init unavailable(void)
{
	struct arm_smccc_res res;
	int cpu;

	if (is_kernel_in_hyp_mode())
		return "the kernel itself runs at EL2 (VHE); boot with kvm-arm.mode=nvhe";
	if (!is_kvm_arm_initialised())
		return "KVM is not available";

	for_each_online_cpu(cpu) {
		if (counter_has_erratum(cpu))
			return "the counter has an erratum that EL2 does not work around";
	}

	/* EL2 reads the physical counter, timekeeping the virtual one. They must agree. */
	if (abs_diff(__arch_counter_get_cntpct(), __arch_counter_get_cntvct()) >
	    arch_timer_get_cntfrq())
		return "virtual and physical counter differ";

	/* EL2 must be set up although there is no VM yet. */
	if (hyptrace_call(&res, __hyp_trace_mode, HYP_TRACE_OFF, 1))
		return "EL2 is set up only while a VM runs; boot with kvm.enable_virt_at_load=1";

	return NULL;
}

/* This early the host may still write to EL2's variables. */
static int __init lock_or_not(char *arg)
{
	bool on;

	if (kstrtobool(arg, &on))
		return -EINVAL;

	locked = !on;
	kvm_nvhe_sym(hyp_trace_locked) = locked;
	return 0;
}
early_param("kvm-arm.hyp_trace", lock_or_not);

bool hyptrace_el2_dead;

#ifdef CONFIG_NVHE_EL2_TRACING_KUNIT_TEST
void (*hyptrace_after_panic)(void);

static void test_after_panic(void)
{
	if (hyptrace_after_panic)
		hyptrace_after_panic();
}
#else
static void test_after_panic(void) { }
#endif

/**
 * hyptrace_el2_panicked() - EL2 has panicked: dump its last events, and never call it again
 *
 * Context: before panic(), on the CPU on which EL2 has panicked.
 */
void hyptrace_el2_panicked(void)
{
	test_after_panic();
	WRITE_ONCE(hyptrace_el2_dead, true);
	trace_ext_died(&hyptrace_writer);
}

/* The number of events that a dump in a crash shows. */
static int __init set_dump_events(char *arg)
{
	return arg ? kstrtouint(arg, 0, &hyptrace_writer.dump_events) : -EINVAL;
}
early_param("kvm-arm.hyp_trace_dump", set_dump_events);

/* The size of a CPU's ring, before anybody writes to buffer_size_kb. */
static int __init set_buf_size(char *arg)
{
	unsigned long size = arg ? memparse(arg, &arg) : 0;

	if (!size || *arg)
		return -EINVAL;

	hyptrace_writer.size = size;
	return 0;
}
early_param("kvm-arm.hyp_trace_buf_size", set_buf_size);

bool hyptrace_available __ro_after_init;

/*
 * Runs after KVM, which a device_initcall() initialises, and before protected KVM takes the
 * host's memory and privileges, in finalize_pkvm(). A trace from boot on shows how it does.
 */
static int __init hyptrace_init(void)
{
	const char *why = unavailable();
	int ret;

	if (why) {
		pr_info("hyp_trace: not available: %s\n", why);
		return 0;
	}

	if (!hyptrace_doorbell_init())
		hyptrace_ops.set_alarm = hyptrace_set_alarm;
	else
		pr_info("hyp_trace: EL2 can't interrupt without a GICv3 (or a GICv2 without protection), so waiting readers poll about every 10 ms\n");

	if (!is_protected_kvm_enabled())
		cpu_pm_register_notifier(&cpu_pm_nb);

	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN,
					"arm64/hyp_trace:dead",
					NULL, cpu_dead_cb);
	if (ret < 0)
		return ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					"arm64/hyp_trace:online",
					cpu_online_cb, cpu_offline_cb);
	if (ret < 0)
		return ret;

	hyptrace_available = true;
	/* EL2 must know where its text is before a trigger asks for a stack. */
	hyptrace_set_stacks(false);
	hyptrace_events_init();
	hyptrace_mem_init();
	trace_ext_register(&hyptrace_writer);
	hyptrace_mem_show();
	return 0;
}
device_initcall(hyptrace_init);

/* Runs after timekeeping has registered its own. */
static int __init follow_resume_init(void)
{
	if (hyptrace_available && !is_protected_kvm_enabled()) {
		follow_resume();
		hyptotals_init();
	}

	return 0;
}
late_initcall(follow_resume_init);
