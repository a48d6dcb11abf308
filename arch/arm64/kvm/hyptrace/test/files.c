// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files in hyp/ for the tests in tools/testing/selftests/hyp_trace, in addition to those of
 * each external writer's instance (kernel/trace/ext/test.c). A write to:
 *
 *   write_event	makes EL2 record an event
 *   write_host_event	makes the host record such an event, in ordinary instances
 *   write_smc		makes the host call firmware: function and arguments, in hexadecimal
 *   write_hvc		makes the host make a hypercall: as write_smc
 *   write_vcpu	makes the host run the vCPU that a CPU runs, on this CPU, too: the CPU
 *   write_touch	makes the host read from a device: physical address in hexadecimal
 *   write_panic	makes EL2 record as many events as it is told, and panic
 *   write_cpu_pm	runs the CPU_PM notifiers, as if the CPU slept and woke up
 *   write_fields	makes both record the event with fields of all sizes
 *   write_follow	makes EL2 write selftest_fields to the follower's rings as another type
 *   write_test		makes EL2 run a test: enum hyp_trace_test_action and a number
 *   write_hold		holds (1), or lets go (0), what each task switch does for tracing and perf
 *
 * On the command line:
 *
 *   hyp_trace_no_doorbell	EL2 finds no interrupt to raise, as where each CPU has interrupts of
 *				its own (GICv5)
 *
 * The files give a user no more than a compromised kernel could do without them.
 */

#include <linux/arm-smccc.h>
#include <linux/cpu_pm.h>
#include <linux/fs.h>
#include <linux/io.h>
#include <linux/kvm_host.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include <trace/events/sched.h>

#include <asm/hyptrace.h>
#include <asm/hyptrace_ids.h>
#include <asm/sysreg.h>

#include "../hyptrace.h"

#define CREATE_TRACE_POINTS
#include "event.h"

static bool no_doorbell __initdata;

static int __init set_no_doorbell(char *arg)
{
	no_doorbell = true;
	return 0;
}
early_param("hyp_trace_no_doorbell", set_no_doorbell);

/**
 * hyptrace_test_doorbell() - look up the doorbell's interrupt, or fail
 * @irq:	the interrupt
 *
 * Return: @irq, or 0, which is none
 */
int __init hyptrace_test_doorbell(int irq)
{
	return no_doorbell ? 0 : irq;
}

static ssize_t write_event_write(struct file *filp, const char __user *ubuf,
				 size_t cnt, loff_t *ppos)
{
	u64 id;
	int ret;

	ret = kstrtou64_from_user(ubuf, cnt, 10, &id);
	if (ret)
		return ret;

	hcall_trace_write_event(id);
	return cnt;
}

static const struct file_operations write_event_fops = {
	.open	= simple_open,
	.write	= write_event_write,
};

static ssize_t write_panic_write(struct file *filp, const char __user *ubuf,
				 size_t cnt, loff_t *ppos)
{
	u32 events;
	int ret;

	ret = kstrtou32_from_user(ubuf, cnt, 10, &events);
	if (ret)
		return ret;

	return hcall_trace_test(HYP_TRACE_TEST_PANIC, events) ?: cnt;
}

static const struct file_operations write_panic_fops = {
	.open	= simple_open,
	.write	= write_panic_write,
};

static ssize_t write_host_event_write(struct file *filp, const char __user *ubuf,
				      size_t cnt, loff_t *ppos)
{
	u64 id;
	int ret;

	ret = kstrtou64_from_user(ubuf, cnt, 10, &id);
	if (ret)
		return ret;

	trace_host_selftest(id);
	return cnt;
}

static const struct file_operations write_host_event_fops = {
	.open	= simple_open,
	.write	= write_host_event_write,
};

static ssize_t write_fields_write(struct file *filp, const char __user *ubuf,
				  size_t cnt, loff_t *ppos)
{
	u64 id;
	int ret;

	ret = kstrtou64_from_user(ubuf, cnt, 10, &id);
	if (ret)
		return ret;

	trace_host_selftest_fields(id);
	return hcall_trace_test(HYP_TRACE_TEST_FIELDS, id) ?: cnt;
}

static const struct file_operations write_fields_fops = {
	.open	= simple_open,
	.write	= write_fields_write,
};

#define TEXT_SIZE	80

/* Copy the user's input to @text, as a string. */
static int text_from_user(char text[TEXT_SIZE], const char __user *ubuf, size_t cnt)
{
	if (cnt >= TEXT_SIZE)
		return -E2BIG;
	if (copy_from_user(text, ubuf, cnt))
		return -EFAULT;

	text[cnt] = 0;
	return 0;
}

/* Call firmware or EL2, with a function and up to three arguments, all in hexadecimal. */
static ssize_t write_call(const char __user *ubuf, size_t cnt, bool smc)
{
	unsigned long fn, arg[3] = { };
	struct arm_smccc_res res;
	char text[TEXT_SIZE];
	int ret;

	ret = text_from_user(text, ubuf, cnt);
	if (ret)
		return ret;
	if (sscanf(text, "%lx %lx %lx %lx", &fn, &arg[0], &arg[1], &arg[2]) < 1)
		return -EINVAL;

	if (smc)
		arm_smccc_1_1_smc(fn, arg[0], arg[1], arg[2], &res);
	else
		arm_smccc_1_1_hvc(fn, arg[0], arg[1], arg[2], &res);
	return cnt;
}

static ssize_t write_smc_write(struct file *filp, const char __user *ubuf,
			       size_t cnt, loff_t *ppos)
{
	return write_call(ubuf, cnt, true);
}

static const struct file_operations write_smc_fops = {
	.open	= simple_open,
	.write	= write_smc_write,
};

static ssize_t write_hvc_write(struct file *filp, const char __user *ubuf,
			       size_t cnt, loff_t *ppos)
{
	return write_call(ubuf, cnt, false);
}

static const struct file_operations write_hvc_fops = {
	.open	= simple_open,
	.write	= write_hvc_write,
};

static ssize_t write_vcpu_write(struct file *filp, const char __user *ubuf, size_t cnt,
				loff_t *ppos)
{
	struct arm_smccc_res res;
	struct kvm_vcpu *vcpu;
	unsigned long flags;
	unsigned int cpu;
	int ret;

	ret = kstrtouint_from_user(ubuf, cnt, 0, &cpu);
	if (ret)
		return ret;
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;

	vcpu = READ_ONCE(*per_cpu_ptr(kvm_get_running_vcpus(), cpu));
	if (!vcpu)
		return -ENOENT;

	local_irq_save(flags);
	ret = hyptrace_call(&res, __kvm_vcpu_run, vcpu);
	local_irq_restore(flags);
	return ret < 0 ? ret : cnt;
}

static const struct file_operations write_vcpu_fops = {
	.open	= simple_open,
	.write	= write_vcpu_write,
};

static ssize_t write_touch_write(struct file *filp, const char __user *ubuf,
				 size_t cnt, loff_t *ppos)
{
	void __iomem *device;
	u64 addr;
	int ret;

	ret = kstrtou64_from_user(ubuf, cnt, 16, &addr);
	if (ret)
		return ret;

	device = ioremap(addr, sizeof(u32));
	if (!device)
		return -ENOMEM;

	readl(device);
	iounmap(device);
	return cnt;
}

static const struct file_operations write_touch_fops = {
	.open	= simple_open,
	.write	= write_touch_write,
};

static ssize_t write_cpu_pm_write(struct file *filp, const char __user *ubuf,
				  size_t cnt, loff_t *ppos)
{
	unsigned long flags;
	int ret;

	local_irq_save(flags);
	ret = cpu_pm_enter();
	if (!ret)
		ret = cpu_pm_exit();
	local_irq_restore(flags);
	return ret ?: cnt;
}

static const struct file_operations write_cpu_pm_fops = {
	.open	= simple_open,
	.write	= write_cpu_pm_write,
};

static ssize_t write_follow_write(struct file *filp, const char __user *ubuf,
				  size_t cnt, loff_t *ppos)
{
	u16 type;
	int ret;

	ret = kstrtou16_from_user(ubuf, cnt, 10, &type);
	if (ret)
		return ret;

	return hcall_trace_follow(HYP_EVENT_selftest_fields, type) ?: cnt;
}

static const struct file_operations write_follow_fops = {
	.open	= simple_open,
	.write	= write_follow_write,
};

static ssize_t write_test_write(struct file *filp, const char __user *ubuf,
				size_t cnt, loff_t *ppos)
{
	char text[TEXT_SIZE];
	u64 action, arg;
	int ret;

	ret = text_from_user(text, ubuf, cnt);
	if (ret)
		return ret;
	if (sscanf(text, "%llu %llu", &action, &arg) != 2)
		return -EINVAL;

	ret = hcall_trace_test(action, arg);
	return ret ?: cnt;
}

static const struct file_operations write_test_fops = {
	.open	= simple_open,
	.write	= write_test_write,
};

/*
 * While tracing is on, a task switch writes the task's pid for EL2, and a probe of sched_switch
 * keeps names. A static key of each is patched when tracing goes on or off. QEMU discards what it
 * has translated before it writes to memory, not after: if another CPU translates the code in
 * between, QEMU goes on with the old code until the next change. Of 42,000 changes of a key that
 * another CPU executed all the time, QEMU 7.2 did not see 340, and 10.0 not 220. So tests have the
 * code patched once, and see whether that has worked.
 */
static DEFINE_MUTEX(hold_mutex);
static bool is_held;
static DEFINE_PER_CPU(bool, switch_probed);

static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	this_cpu_write(switch_probed, true);
}

#ifdef CONFIG_PERF_EVENTS
/*
 * perf has task switches patched for the first perf event of a task, and back a second after the
 * last one. If QEMU does not see that, a task's events stay on the CPU that it has left, and perf
 * dereferences NULL on the next one. An event of a CPU that records task switches has them
 * patched, too.
 */
static struct perf_event *held_event;

static int hold_perf(void)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_DUMMY,
		.size		= sizeof(attr),
		.context_switch	= 1,
	};

	held_event = perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL);
	return PTR_ERR_OR_ZERO(held_event);
}

static void let_perf_go(void)
{
	perf_event_release_kernel(held_event);
}
#else
static int hold_perf(void)
{
	return 0;
}

static void let_perf_go(void)
{
}
#endif

static int hold_switches(void)
{
	int ret = hold_perf();

	if (ret)
		return ret;

	ret = register_trace_sched_switch(probe_switch, NULL);
	if (ret)
		let_perf_go();
	else
		static_branch_inc(&hyptrace_key);
	return ret;
}

static void let_switches_go(void)
{
	static_branch_dec(&hyptrace_key);
	unregister_trace_sched_switch(probe_switch, NULL);
	let_perf_go();
}

/* Go to each CPU, and see there what the switch to this task has done. */
static bool switches_are_seen(void)
{
	bool seen = true;
	int cpu;

	for_each_online_cpu(cpu) {
		per_cpu(switch_probed, cpu) = false;
		set_cpus_allowed_ptr(current, cpumask_of(cpu));
		schedule_timeout_uninterruptible(1);
		seen &= per_cpu(switch_probed, cpu) &&
			read_sysreg(contextidr_el1) == task_pid_nr(current);
	}

	set_cpus_allowed_ptr(current, cpu_possible_mask);
	return seen;
}

static ssize_t write_hold_write(struct file *filp, const char __user *ubuf,
				size_t cnt, loff_t *ppos)
{
	bool hold;
	int ret;

	ret = kstrtobool_from_user(ubuf, cnt, &hold);
	if (ret)
		return ret;

	guard(mutex)(&hold_mutex);

	if (is_held && !hold)
		let_switches_go();
	else if (hold && !is_held)
		ret = hold_switches();
	if (ret)
		return ret;

	is_held = hold;
	return !hold || switches_are_seen() ? cnt : -EAGAIN;
}

static const struct file_operations write_hold_fops = {
	.open	= simple_open,
	.write	= write_hold_write,
};

/**
 * hyptrace_test_init() - create the files for tests
 * @dir:	the instance's directory
 */
void hyptrace_test_init(struct dentry *dir)
{
	tracefs_create_file("write_event", 0200, dir, NULL, &write_event_fops);
	tracefs_create_file("write_host_event", 0200, dir, NULL, &write_host_event_fops);
	tracefs_create_file("write_fields", 0200, dir, NULL, &write_fields_fops);
	tracefs_create_file("write_smc", 0200, dir, NULL, &write_smc_fops);
	tracefs_create_file("write_hvc", 0200, dir, NULL, &write_hvc_fops);
	tracefs_create_file("write_vcpu", 0200, dir, NULL, &write_vcpu_fops);
	tracefs_create_file("write_touch", 0200, dir, NULL, &write_touch_fops);
	tracefs_create_file("write_panic", 0200, dir, NULL, &write_panic_fops);
	tracefs_create_file("write_cpu_pm", 0200, dir, NULL, &write_cpu_pm_fops);
	tracefs_create_file("write_follow", 0200, dir, NULL, &write_follow_fops);
	tracefs_create_file("write_test", 0200, dir, NULL, &write_test_fops);
	tracefs_create_file("write_hold", 0200, dir, NULL, &write_hold_fops);

	/*
	 * Otherwise KVM has the scheduler patched for the first VM, and back after the last one.
	 * QEMU 7.2 may go on with the old code if it translates that while another CPU patches it:
	 * of 1300 VMs, the vCPUs of one ran without their state once they had been preempted, in
	 * the unpatched kernel, too.
	 */
	preempt_notifier_inc();
}
