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
#include <linux/smp.h>
#include <linux/syscore_ops.h>
#include <linux/trace_ext.h>

#include <asm/arch_timer.h>
#include <asm/hyptrace.h>
#include <asm/hyptrace_compat.h>
#include <asm/kvm_host.h>
#include <asm/virt.h>

#include "hyptrace.h"
#include "channel.h"

/* The memory of a CPU's rings. */
static DEFINE_PER_CPU(struct hyptrace_memory, memory[NR_RINGS]);

/* Operations -------------------------------------------------------------------- */

/* EL2 has two writers, and a ring of each on a CPU: that of hyp/, and its follower. */
static enum hyptrace_ring kind_of(const struct trace_ext_writer *writer)
{
	return writer == &hyptrace_writer ? USER_RING : FOLLOWER_RING;
}

/* The number that EL2 knows a ring by. */
static u64 ring_number(enum hyptrace_ring kind, int cpu)
{
	return cpu | (kind == FOLLOWER_RING ? HYP_TRACE_FOLLOWER : 0);
}

static int hyptrace_load(struct trace_ext_writer *writer, const struct trace_ext_ring *ring)
{
	enum hyptrace_ring kind = kind_of(writer);
	struct hyptrace_memory *mem = per_cpu_ptr(&memory[kind], ring->cpu);
	int ret;

	*mem = (struct hyptrace_memory) {
		.region_pages	= hyp_trace_region_pages(ring->nr_pages),
		.first		= ring->meta,
		.pages		= (void **)ring->pages,
		.nr_pages	= ring->nr_pages,
	};
	ret = hyptrace_memory_prepare(mem, GFP_KERNEL);
	if (ret)
		goto out;

	ret = hcall_steps(hcall_trace_load(ring_number(kind, ring->cpu), virt_to_pfn(mem->region),
					   mem->region_pages, ring->nr_slots, ring->nr_pages));
	if (!ret)
		return 0;

	hyptrace_memory_release(mem);
out:
	pr_err_ratelimited("hyp_trace: CPU%d: can't hand over a ring of %u pages: %pe%s\n",
			   ring->cpu, ring->nr_pages, ERR_PTR(ret), hyptrace_if_locked(ret));
	return ret;
}

/*
 * Without protection, KVM removes EL2 from a CPU that goes to sleep and sets it up again
 * afterwards, with the ordinary vectors.
 */
static int cpu_pm_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	if (action == CPU_PM_EXIT || action == CPU_PM_ENTER_FAILED)
		hyptrace_sync_after_sleep();

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
	hyptrace_totals_resume();
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

static int hyptrace_unload(struct trace_ext_writer *writer, const struct trace_ext_ring *ring,
			   u64 *seq, u64 *dropped)
{
	enum hyptrace_ring kind = kind_of(writer);
	struct arm_smccc_res res;
	int ret;

	guard(mutex)(&hyptrace_sync_lock);

	hyptrace_ring_close(kind, ring->cpu);
	ret = hcall_steps(hcall_trace_unload(&res, ring_number(kind, ring->cpu)));
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

static int hyptrace_start(struct trace_ext_writer *writer)
{
	int ret = hyptrace_clock_start();

	if (ret)
		return ret;

	static_branch_inc_cpuslocked(&hyptrace_key);
	hyptrace_rings_use(kind_of(writer), true);
	return 0;
}

static void hyptrace_stop(struct trace_ext_writer *writer)
{
	hyptrace_rings_use(kind_of(writer), false);
	static_branch_dec_cpuslocked(&hyptrace_key);
	hyptrace_clock_stop();
}

static void hyptrace_sync(struct trace_ext_writer *writer, int cpu)
{
	hyptrace_rings_sync(kind_of(writer), cpu);
}

static bool hyptrace_is_open(struct trace_ext_writer *writer, int cpu)
{
	return hyptrace_ring_is_open(kind_of(writer), cpu);
}

static void hyptrace_set_mode(struct trace_ext_writer *writer, enum trace_ext_mode mode,
			      bool overwrite)
{
	hcall_trace_mode(mode, overwrite);
	if (mode == TRACE_EXT_ON)
		hyptrace_end_guest_runs();
}

static int hyptrace_swap_page(struct trace_ext_writer *writer, int cpu, u32 spare,
			      struct ext_ring_swap *swap)
{
	u64 ring = ring_number(kind_of(writer), cpu);
	struct arm_smccc_res res;
	int ret = hcall_trace_swap(&res, ring, spare);

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

	reset->ret = hcall_trace_reset(&res, reset->cpu);
	reset->seq = reset->ret ? 0 : res.a2;
}

static int hyptrace_reset(struct trace_ext_writer *writer, int cpu, u64 *seq)
{
	struct reset reset = { .cpu = cpu, .ret = -EBUSY };

	/* Don't interrupt a CPU whose ring is closed. EL2 refuses if it is open by now. */
	if (!hyptrace_ring_is_open(USER_RING, cpu) || !cpu_online(cpu))
		reset_cpu(&reset);
	if (reset.ret == -EBUSY && cpu_online(cpu))
		smp_call_function_single(cpu, reset_cpu, &reset, true);

	if (reset.ret)
		pr_err_ratelimited("hyp_trace: CPU%d: EL2 does not reset the ring: %pe\n",
				   cpu, ERR_PTR(reset.ret));

	*seq = reset.seq;
	return reset.ret;
}

static int hyptrace_enable(struct trace_ext_writer *writer, unsigned int event, u16 type)
{
	bool follow = kind_of(writer) == FOLLOWER_RING;
	int ret = follow ? hcall_trace_follow(event, type) : hcall_trace_event(event, type);

	if (ret)
		pr_err_ratelimited("hyp_trace: can't %s event number %u: %pe%s\n",
				   follow ? "follow" : "enable", event, ERR_PTR(ret),
				   hyptrace_if_locked(ret));
	else if (type)
		hyptrace_end_guest_runs();

	return ret;
}

static int hyptrace_set_alarm(struct trace_ext_writer *writer, int cpu, u64 pos)
{
	return hcall_trace_alarm(cpu, pos);
}

static int hyptrace_set_stacks(struct trace_ext_writer *writer, bool on)
{
	int ret = hcall_trace_stacks(on, (u64)__hyp_text_start);

	if (ret)
		pr_err_ratelimited("hyp_trace: can't record stacks: %pe%s\n", ERR_PTR(ret),
				   hyptrace_if_locked(ret));

	return ret;
}

static const struct trace_ext_ops follower_ops = {
	.start		= hyptrace_start,
	.stop		= hyptrace_stop,
	.load		= hyptrace_load,
	.unload		= hyptrace_unload,
	.sync		= hyptrace_sync,
	.is_open	= hyptrace_is_open,
	.swap_page	= hyptrace_swap_page,
	.enable		= hyptrace_enable,
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

static void hyptrace_created(struct dentry *dir)
{
	hyptrace_totals_files_init(dir);
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
		TRACE_EXT_ERRORS("Hypervisor events", "hyp/"),
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
		[TRACE_EXT_ERR_TRIGGER] =
			"No trigger enables a hypervisor event, and none of its own is set while booting",
		[TRACE_EXT_ERR_COMMAND] =
			"In hyp/ the triggers are traceoff, traceon, stacktrace and hist; others are at the root, in events/hyp/",
		[TRACE_EXT_ERR_FUNCTION] =
			"No function of the hypervisor has that name: see hyp/available_filter_functions",
	},
	.ops		= &hyptrace_ops,
	.follower	= &follower,
#ifdef CONFIG_KVM_HYPTRACE_FUNCTIONS
	.functions	= &hyptrace_functions,
#endif
	.dump_events	= 500,			/* A serial console is slow. */
	.clean		= hyptrace_last_boot_clean,
	.created	= hyptrace_created,
};

/* Init ---------------------------------------------------------------------------- */

/*
 * In protected mode, EL2 sees a CPU's PSCI calls. In nVHE mode it doesn't, and it is
 * removed from the CPU soon after this, so close the ring now.
 */
static int cpu_offline_cb(unsigned int cpu)
{
	guard(irqsave)();

	if (!is_protected_kvm_enabled())
		hyptrace_sync_offline();

	return 0;
}

static int hyptrace_cpu_online(unsigned int cpu)
{
	int ret = trace_ext_cpu_online(&hyptrace_writer, cpu);

	hyptrace_totals_online(cpu);

	guard(irqsave)();

	hyptrace_sync_online();

	return ret;
}

static int hyptrace_cpu_dead(unsigned int cpu)
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
static const char * __init why_unavailable(void)
{
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
	if (hcall_trace_mode(TRACE_EXT_OFF, 1))
		return "EL2 is set up only while a VM runs; boot with kvm.enable_virt_at_load=1";

	return NULL;
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
 * Runs after KVM, which a device_initcall() initialises. Protected KVM takes the host's memory and
 * privileges in finalize_pkvm(), which is a device_initcall_sync().
 */
static int __init hyptrace_init(void)
{
	const char *why = why_unavailable();
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
					NULL, hyptrace_cpu_dead);
	if (ret < 0)
		return ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					"arm64/hyp_trace:online",
					hyptrace_cpu_online, cpu_offline_cb);
	if (ret < 0)
		return ret;

	hyptrace_available = true;
	/* EL2 must know where its text is before a trigger asks for a stack. */
	hyptrace_set_stacks(&hyptrace_writer, false);
	hyptrace_events_init();
	hyptrace_last_boot_init();
	trace_ext_register(&hyptrace_writer);
	hyptrace_last_boot_show();
	return 0;
}
hyptrace_initcall(hyptrace_init);

/* Runs after timekeeping has registered its own. */
static int __init follow_resume_init(void)
{
	if (hyptrace_available && !is_protected_kvm_enabled()) {
		follow_resume();
		hyptrace_totals_init();
	}

	return 0;
}
late_initcall(follow_resume_init);
