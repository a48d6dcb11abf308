// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hypertrace: records events of this kernel and its user space in the trace of the hypervisor that
 * this kernel is a guest of. Documentation/virt/kvm/arm/hyp-guest-trace.rst describes the call.
 */

#define pr_fmt(fmt) "hypertrace: " fmt

#include <linux/arm-smccc.h>
#include <linux/build_bug.h>
#include <linux/fs.h>
#include <linux/hypertrace.h>
#include <linux/idr.h>
#include <linux/jump_label.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/panic_notifier.h>
#include <linux/suspend.h>
#include <linux/timekeeping.h>
#include <linux/trace.h>
#include <linux/trace_events.h>
#include <linux/trace_ext_compat.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include <asm/hypervisor.h>
#include <asm/hyptrace_compat.h>

/* The client that makes a call; each open file of /dev/hypertrace has a number of its own. */
#define CLIENT_KERNEL	0

/* The registers x2 to x17. */
union payload {
	u64	args[HYPERTRACE_MAX_ARGS];
	char	text[HYPERTRACE_MAX_TEXT];
};

static DEFINE_STATIC_KEY_FALSE(has_channel);

/* SMCCC's conduit is SMC, where this kernel itself runs at EL2. */
static bool by_smc __ro_after_init;

/* The call -------------------------------------------------------------------------- */

/* Return the call's result. */
static int make_call(u64 kind, u16 client, unsigned int count, u32 id,
		     const union payload *payload)
{
	union {
		struct arm_smccc_1_2_regs	regs;
		u64				x[2 + HYPERTRACE_MAX_ARGS];
	} call = {
		.x = { HYPERTRACE_CALL, hypertrace_descriptor(kind, client, count, id) },
	};

	static_assert(sizeof(call.x) == sizeof(call.regs));
	memcpy(call.x + 2, payload->args, sizeof(payload->args));
	if (by_smc)
		arm_smccc_1_2_smc(&call.regs, &call.regs);
	else
		arm_smccc_1_2_hvc(&call.regs, &call.regs);

	return call.regs.a0;
}

/* Return 0 for a call's result, also if nobody records it; or a negative errno. */
static int errno_of(int result)
{
	switch (result) {
	case HYPERTRACE_DONE:
	case HYPERTRACE_IDLE:
		return 0;
	case HYPERTRACE_LIMITED:
		return -EAGAIN;
	case HYPERTRACE_INVALID:
		return -EINVAL;
	default:
		return -EOPNOTSUPP;
	}
}

/**
 * hypertrace_emit() - record an event
 * @id:		the event
 * @args:	arguments
 * @count:	number of @args, HYPERTRACE_MAX_ARGS at most
 *
 * Context: any.
 * Return: 0 if the event was recorded, or nobody records such events just now; -ENODEV if there is
 * no such hypervisor; -EOPNOTSUPP if it does not allow the call any more; -EAGAIN if this CPU has
 * recorded too many, which the hypervisor counts; -EINVAL if there are too many arguments
 */
int hypertrace_emit(u32 id, const u64 *args, unsigned int count)
{
	union payload payload = { };

	if (!static_branch_unlikely(&has_channel))
		return -ENODEV;
	if (count > HYPERTRACE_MAX_ARGS)
		return -EINVAL;

	memcpy(payload.args, args, count * sizeof(*args));
	return errno_of(make_call(HYPERTRACE_EVENT, CLIENT_KERNEL, count, id, &payload));
}
EXPORT_SYMBOL_GPL(hypertrace_emit);

/* The text is cut where the registers end. */
static int call_with_text(u64 kind, u32 id, const char *text, size_t len)
{
	union payload payload = { };

	if (!static_branch_unlikely(&has_channel))
		return -ENODEV;

	len = min_t(size_t, len, HYPERTRACE_MAX_TEXT);
	memcpy(payload.text, text, len);
	return errno_of(make_call(kind, CLIENT_KERNEL, len, id, &payload));
}

/**
 * hypertrace_mark() - record a text
 * @fmt:	its format, as for printk(); HYPERTRACE_MAX_TEXT bytes are recorded
 *
 * Context: any.
 * Return: as hypertrace_emit()
 */
int hypertrace_mark(const char *fmt, ...)
{
	char text[HYPERTRACE_MAX_TEXT + 1];
	va_list args;
	int len;

	if (!static_branch_unlikely(&has_channel))
		return -ENODEV;

	va_start(args, fmt);
	len = vscnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return call_with_text(HYPERTRACE_MARK, 0, text, len);
}
EXPORT_SYMBOL_GPL(hypertrace_mark);

/**
 * hypertrace_name() - name the events with an id
 * @id:		the id
 * @name:	a name, and those of the arguments, with spaces between them. An argument whose name
 *		ends in ":x" is shown as a hexadecimal number
 *
 * The hypervisor's host keeps the names as long as this machine exists. They are the kernel's: user
 * space can't change them, and names the events that it records itself.
 *
 * Context: any; takes as long as an exit to the host.
 * Return: as hypertrace_emit(); -EAGAIN if the host keeps no more names
 */
int hypertrace_name(u32 id, const char *name)
{
	return call_with_text(HYPERTRACE_NAME, id, name, strlen(name));
}
EXPORT_SYMBOL_GPL(hypertrace_name);

/* Clocks ---------------------------------------------------------------------------- */

/* Get the clocks at one value of the counter, and that; false if they have another counter. */
static bool get_clocks(u64 clocks[HYPERTRACE_CLOCK_ARGS])
{
	struct system_time_snapshot snap, again;
	ktime_t real, boot;

	/* When the time is set, and after a suspend, there are other offsets. */
	do {
		HYPERTRACE_GET_SNAPSHOT(&snap);
		real = ktime_mono_to_any(0, TK_OFFS_REAL);
		boot = ktime_mono_to_any(0, TK_OFFS_BOOT);
		HYPERTRACE_GET_SNAPSHOT(&again);
	} while (snap.clock_was_set_seq != again.clock_was_set_seq);

	clocks[1] = HYPERTRACE_REAL(&snap) - real;
	clocks[0] = clocks[1] + boot;
	clocks[2] = snap.cycles;
	return snap.cs_id == CSID_ARM_ARCH_COUNTER;
}

/* Return true if they were recorded. */
static bool emit_clocks(void)
{
	union payload payload = { };

	return get_clocks(payload.args) &&
	       make_call(HYPERTRACE_CLOCK, CLIENT_KERNEL, HYPERTRACE_CLOCK_ARGS, 0,
			 &payload) == HYPERTRACE_DONE;
}

static void clocks_work(struct work_struct *work);

/* An idle CPU is not woken for it. */
static DECLARE_DEFERRABLE_WORK(clocks, clocks_work);

/* While nobody records them, they are told twice as rarely each time, down to this. */
#define LONGEST_PAUSE	(16 * HZ)

static unsigned long clocks_pause = HZ;

static void clocks_work(struct work_struct *work)
{
	WRITE_ONCE(clocks_pause, emit_clocks() ? HZ : min(2 * clocks_pause, LONGEST_PAUSE));
	schedule_delayed_work(&clocks, clocks_pause);
}

/* Something has been recorded, so they may be, too: tell them now. */
static void clocks_again(void)
{
	if (READ_ONCE(clocks_pause) < LONGEST_PAUSE)
		return;

	WRITE_ONCE(clocks_pause, HZ);
	mod_delayed_work(TRACE_EXT_PERCPU_WQ, &clocks, 0);
}

static int hypertrace_pm_notify(struct notifier_block *nb, unsigned long event, void *unused)
{
	if (event == PM_POST_SUSPEND || event == PM_POST_HIBERNATION)
		emit_clocks();

	return NOTIFY_OK;
}

static struct notifier_block pm_nb = {
	.notifier_call	= hypertrace_pm_notify,
};

/* Markers --------------------------------------------------------------------------- */

/* ftrace:print, as events/ftrace/print/format has it. */
struct print_record {
	struct trace_entry	ent;
	unsigned long		ip;
	char			buf[];
};

/* Something has been written to a trace_marker. Nothing else is exported with that flag. */
static void export_marker(struct trace_export *export, const void *entry, unsigned int size)
{
	const struct print_record *record = entry;
	size_t len = strnlen(record->buf, size - sizeof(*record));

	while (len && record->buf[len - 1] == '\n')
		len--;
	call_with_text(HYPERTRACE_MARK, 0, record->buf, len);
}

static struct trace_export marker_export = {
	.write	= export_marker,
	.flags	= TRACE_EXPORT_MARKER,
};

/* The parameter; it has no effect before the channel is found. Protected by kernel_param_lock(). */
static bool exports_markers;
static bool can_export;

static int export_markers(bool on)
{
	return on ? register_ftrace_export(&marker_export) :
		    unregister_ftrace_export(&marker_export);
}

static int export_markers_set(const char *value, const struct kernel_param *kp)
{
	bool on;
	int ret = kstrtobool(value, &on);

	if (ret || on == exports_markers)
		return ret;

	if (can_export)
		ret = export_markers(on);
	if (!ret)
		exports_markers = on;

	return ret;
}

/* The channel is there, or will be gone. */
static void markers_ready(bool ready)
{
	kernel_param_lock(THIS_MODULE);
	can_export = ready;
	if (exports_markers && export_markers(ready))
		pr_warn("can't export markers\n");
	kernel_param_unlock(THIS_MODULE);
}

static const struct kernel_param_ops export_markers_ops = {
	.set	= export_markers_set,
	.get	= param_get_bool,
};

module_param_cb(export_markers, &export_markers_ops, &exports_markers, 0644);
MODULE_PARM_DESC(export_markers,
		 "Record in the hypervisor's trace what is written to trace_marker (default: no)");

/* Last words ------------------------------------------------------------------------ */

static int panic_notify(struct notifier_block *nb, unsigned long event, void *message)
{
	hypertrace_mark("panic: %s", (char *)message);
	return NOTIFY_OK;
}

static struct notifier_block panic_nb = {
	.notifier_call	= panic_notify,
};

/* /dev/hypertrace ------------------------------------------------------------------- */

static DEFINE_IDA(clients);

static int device_open(struct inode *inode, struct file *filp)
{
	int client = ida_alloc_range(&clients, CLIENT_KERNEL + 1, U16_MAX, GFP_KERNEL);

	if (client < 0)
		return client;

	filp->private_data = (void *)(unsigned long)client;
	return stream_open(inode, filp);
}

static int device_release(struct inode *inode, struct file *filp)
{
	ida_free(&clients, (unsigned long)filp->private_data);
	return 0;
}

/* How many arguments or characters @len bytes are; -EINVAL if they can't be recorded. */
static int count_of(const struct hypertrace_write *head, size_t len)
{
	if (head->reserved)
		return -EINVAL;

	switch (head->kind) {
	case HYPERTRACE_EVENT:
		return len % sizeof(u64) || len > HYPERTRACE_MAX_ARGS * sizeof(u64) ?
		       -EINVAL : len / sizeof(u64);
	case HYPERTRACE_MARK:
	case HYPERTRACE_NAME:
		return len > HYPERTRACE_MAX_TEXT ? -EINVAL : len;
	default:
		return -EINVAL;
	}
}

static ssize_t device_write(struct file *filp, const char __user *ubuf, size_t size, loff_t *pos)
{
	u16 client = (unsigned long)filp->private_data;
	struct {
		struct hypertrace_write	head;
		union payload		payload;
	} request = { };
	int count, result;

	if (size < sizeof(request.head) || size > sizeof(request))
		return -EINVAL;
	if (copy_from_user(&request, ubuf, size))
		return -EFAULT;

	count = count_of(&request.head, size - sizeof(request.head));
	if (count < 0)
		return count;

	result = make_call(request.head.kind, client, count, request.head.id, &request.payload);
	if (result == HYPERTRACE_DONE && request.head.kind != HYPERTRACE_NAME)
		clocks_again();

	return errno_of(result) ?: size;
}

static long device_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct hypertrace_info info = {
		.version	= HYPERTRACE_VERSION,
		.client		= (unsigned long)filp->private_data,
		.max_args	= HYPERTRACE_MAX_ARGS,
		.max_text	= HYPERTRACE_MAX_TEXT,
	};

	if (cmd != HYPERTRACE_GET_INFO)
		return -ENOTTY;

	return copy_to_user((void __user *)arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static const struct file_operations device_fops = {
	.owner		= THIS_MODULE,
	.open		= device_open,
	.write		= device_write,
	.unlocked_ioctl	= device_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.release	= device_release,
};

static struct miscdevice device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "hypertrace",
	.fops	= &device_fops,
	.mode	= 0600,
};

/* Init ------------------------------------------------------------------------------ */

/* The host may have given its permission after the kernel has looked at KVM's services. */
static bool __init has_permission(void)
{
	struct arm_smccc_res res;

	if (!kvm_arm_hyp_service_available(ARM_SMCCC_KVM_FUNC_FEATURES))
		return false;

	arm_smccc_1_1_invoke(ARM_SMCCC_VENDOR_HYP_KVM_FEATURES_FUNC_ID, &res);
	static_assert(HYPERTRACE_FEATURE / 32 == 3);
	return res.a3 & BIT(HYPERTRACE_FEATURE % 32);
}

static int __init hypertrace_init(void)
{
	int ret;

	if (!has_permission())
		return -ENODEV;

	by_smc = arm_smccc_1_1_get_conduit() == SMCCC_CONDUIT_SMC;
	ret = misc_register(&device);
	if (ret)
		return ret;

	static_branch_enable(&has_channel);
	atomic_notifier_chain_register(&panic_notifier_list, &panic_nb);
	register_pm_notifier(&pm_nb);
	markers_ready(true);
	clocks_work(NULL);
	pr_info("the hypervisor records events of this machine\n");
	return 0;
}
module_init(hypertrace_init);

static void __exit hypertrace_exit(void)
{
	markers_ready(false);
	unregister_pm_notifier(&pm_nb);
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_nb);
	static_branch_disable(&has_channel);
	cancel_delayed_work_sync(&clocks);
	misc_deregister(&device);
	ida_destroy(&clients);
}
module_exit(hypertrace_exit);

MODULE_DESCRIPTION("Events of a guest in the trace of its hypervisor");
MODULE_LICENSE("GPL");
