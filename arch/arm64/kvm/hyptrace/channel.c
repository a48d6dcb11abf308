// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of hypervisor tracing: which VMs may record events themselves, and how they name them
 * (linux/hypertrace.h). EL2 records the events.
 *
 * The files of hyp/guests:
 *
 *   default	1 if new VMs may record events
 *   limit	how many a vCPU of a new VM may record in a second; 0 for no limit
 *   PID-FD/	a VM, by the thread that has created it and its file descriptor there:
 *     vm	its number, as events have it
 *     enable	1 if it may record events
 *     limit	as above
 *     lost	how many of its events were not recorded because of the limit
 *     names	what it calls its events
 */

#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/kvm_host.h>
#include <linux/rculist.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/tracefs.h>

#include <asm/arch_timer.h>
#include <asm/kvm_emulate.h>
#include <asm/hyptrace_channel.h>

#include <kvm/arm_hypercalls.h>

#include <uapi/linux/hypertrace.h>

#include "hyptrace.h"
#include "channel.h"
#include "vms.h"

#define DEFAULT_LIMIT	10000

#define MAX_NAMES	256

static_assert(HYPERTRACE_CALL == ARM_SMCCC_CALL_VAL(ARM_SMCCC_FAST_CALL, ARM_SMCCC_SMC_64,
						    ARM_SMCCC_OWNER_VENDOR_HYP,
						    HYPERTRACE_FEATURE));
static_assert(HYPERTRACE_INVALID == SMCCC_RET_INVALID_PARAMETER);
static_assert(HYPERTRACE_UNSUPPORTED == SMCCC_RET_NOT_SUPPORTED);
/* KVM's FEATURES has it in its fourth word. */
static_assert(HYPERTRACE_FEATURE / 32 == 3);

/* The settings of new VMs; protected by hyptrace_vms_lock. */
static struct hyp_channel_vm for_new_vms = {
	.limit	= DEFAULT_LIMIT,
};

/* hyp/guests */
static struct dentry *guests_dir;

/* Permission ----------------------------------------------------------------------- */

/**
 * hyptrace_channel_may() - check whether a VM may make the call, if its VMM does not filter it
 * @vcpu:	a vCPU of the VM
 * @func_id:	any SMCCC function
 *
 * Return: true if that function is the call, and the VM may make it
 */
bool hyptrace_channel_may(const struct kvm_vcpu *vcpu, u32 func_id)
{
	const struct kvm *kvm = vcpu->kvm;

	return func_id == HYPERTRACE_CALL && READ_ONCE(kvm->arch.hyp_channel.open) &&
	       kvm->arch.smccc_feat.vendor_hyp_bmap & BIT(KVM_REG_ARM_VENDOR_HYP_BIT_FUNC_FEAT) &&
	       !vcpu_has_feature(vcpu, KVM_ARM_VCPU_EL1_32BIT);
}

/* An event's part of a second, as EL2 is told it: struct hyp_channel_vcpu. */
static u64 interval_of(struct kvm_vcpu *vcpu)
{
	u32 limit = READ_ONCE(vcpu->kvm->arch.hyp_channel.limit);

	if (!kvm_smccc_handles(vcpu, HYPERTRACE_CALL))
		return 0;

	return limit ? DIV_ROUND_UP_ULL(arch_timer_get_cntfrq(), limit) : HYP_CHANNEL_NO_LIMIT;
}

/* Have EL2 heed what a VM may do. With protection it copies that when a vCPU is run. */
static void tell_el2_permission(struct kvm *kvm)
{
	struct kvm_vcpu *vcpu;
	unsigned long i;

	lockdep_assert_held(&hyptrace_vms_lock);
	guard(mutex)(&kvm->arch.config_lock);

	/* Until then the VMM may change its filter; hyptrace_channel_vcpu_init() looks at it. */
	if (!kvm_vm_has_ran_once(kvm))
		return;

	kvm_for_each_vcpu(i, vcpu, kvm)
		WRITE_ONCE(vcpu->arch.hyp_channel.interval, interval_of(vcpu));
	kvm_make_all_cpus_request(kvm, KVM_REQ_OUTSIDE_GUEST_MODE);
}

/**
 * hyptrace_channel_vcpu_init() - a vCPU is about to run for the first time
 * @vcpu:	the vCPU
 *
 * The VMM can no longer change the VM's filter.
 */
void hyptrace_channel_vcpu_init(struct kvm_vcpu *vcpu)
{
	guard(mutex)(&hyptrace_vms_lock);

	WRITE_ONCE(vcpu->arch.hyp_channel.interval, interval_of(vcpu));
}

/**
 * hyptrace_channel_features() - add to what KVM's function FEATURES returns
 * @vcpu:	the vCPU that calls it
 * @word:	the fourth word
 */
void hyptrace_channel_features(struct kvm_vcpu *vcpu, u64 *word)
{
	if (kvm_smccc_handles(vcpu, HYPERTRACE_CALL))
		*word |= BIT(HYPERTRACE_FEATURE % 32);
}

/* Names ---------------------------------------------------------------------------- */

/*
 * The text of a call, of which nothing controls a terminal. It is not accounted to the VM's cgroup,
 * because it outlives the VM.
 */
static struct hyptrace_name *name_of_call(struct kvm_vcpu *vcpu, u64 desc, size_t len)
{
	struct hyptrace_name *name = kmalloc(struct_size(name, text, len + 1), GFP_KERNEL);
	size_t i;

	if (!name)
		return NULL;

	name->id = desc;
	name->shared = hypertrace_client(desc);
	for (i = 0; i < len; i++) {
		char c = vcpu_get_reg(vcpu, 2 + i / 8) >> i % 8 * 8;

		name->text[i] = isascii(c) && isprint(c) ? c : '?';
	}
	name->text[len] = '\0';
	return name;
}

/* The name that a new one replaces, or NULL. */
static struct hyptrace_name *old_name(struct hyptrace_vm *vm, const struct hyptrace_name *name)
{
	struct hyptrace_name *old;

	list_for_each_entry(old, &vm->names, list)
		if (old->id == name->id && old->shared == name->shared)
			return old;

	return NULL;
}

/* Add a name to a VM's, or replace one. */
static s64 name_event(struct kvm_vcpu *vcpu, u64 desc)
{
	struct hyptrace_name *name __free(kfree) = NULL, *old;
	size_t len = hypertrace_count(desc);
	struct hyptrace_vm *vm;

	if (!len || len > HYPERTRACE_MAX_TEXT)
		return HYPERTRACE_INVALID;

	name = name_of_call(vcpu, desc, len);

	guard(mutex)(&hyptrace_vms_lock);

	vm = hyptrace_vm_numbered(vcpu->kvm->arch.hyp_trace_vm);
	if (!vm || !name)
		return HYPERTRACE_LIMITED;

	old = old_name(vm, name);
	if (old && !strcmp(old->text, name->text))
		return HYPERTRACE_DONE;

	if (old) {
		list_replace_rcu(&old->list, &no_free_ptr(name)->list);
		kfree_rcu(old, rcu);
		return HYPERTRACE_DONE;
	}

	if (vm->nr_names == MAX_NAMES)
		return HYPERTRACE_LIMITED;

	list_add_tail_rcu(&no_free_ptr(name)->list, &vm->names);
	vm->nr_names++;
	return HYPERTRACE_DONE;
}

/**
 * hyptrace_channel_call() - a guest has made a call that EL2 leaves to the host
 * @vcpu:	its vCPU
 *
 * Return: the call's result
 */
u64 hyptrace_channel_call(struct kvm_vcpu *vcpu)
{
	u64 desc = smccc_get_arg1(vcpu);

	/* SMCCC reserves other immediates; KVM has refused them by SMC. */
	if (kvm_vcpu_hvc_get_imm(vcpu))
		return HYPERTRACE_UNSUPPORTED;

	/* Otherwise EL2 does not know yet that the VM may make the call. */
	return hypertrace_kind(desc) == HYPERTRACE_NAME ? name_event(vcpu, desc) : HYPERTRACE_IDLE;
}

/* Files ---------------------------------------------------------------------------- */

/* The VM is NULL for a file of hyp/guests itself. A vCPU may be looking at a VM's. */
static struct hyp_channel_vm *settings_of(const struct hyptrace_vm *vm)
{
	return vm ? &vm->kvm->arch.hyp_channel : &for_new_vms;
}

static void channel_enable_show(struct seq_file *m, const struct hyptrace_vm *vm)
{
	seq_printf(m, "%d\n", settings_of(vm)->open);
}

static int channel_enable_set(struct hyptrace_vm *vm, u32 value)
{
	if (value > 1)
		return -EINVAL;

	WRITE_ONCE(settings_of(vm)->open, value);
	if (vm)
		tell_el2_permission(vm->kvm);
	return 0;
}

static void limit_show(struct seq_file *m, const struct hyptrace_vm *vm)
{
	seq_printf(m, "%u\n", settings_of(vm)->limit);
}

static int limit_set(struct hyptrace_vm *vm, u32 value)
{
	WRITE_ONCE(settings_of(vm)->limit, value);
	if (vm)
		tell_el2_permission(vm->kvm);
	return 0;
}

static void vm_show(struct seq_file *m, const struct hyptrace_vm *vm)
{
	seq_printf(m, "%u\n", vm->number);
}

static void lost_show(struct seq_file *m, const struct hyptrace_vm *vm)
{
	struct kvm_vcpu *vcpu;
	unsigned long i;
	u64 lost = 0;

	kvm_for_each_vcpu(i, vcpu, vm->kvm)
		lost += READ_ONCE(vcpu->arch.hyp_channel.limited);
	seq_printf(m, "%llu\n", lost);
}

static void names_show(struct seq_file *m, const struct hyptrace_vm *vm)
{
	struct hyptrace_name *name;

	list_for_each_entry(name, &vm->names, list)
		seq_printf(m, "%s %u %s\n", name->shared ? "*" : "0", name->id, name->text);
}

/**
 * struct file_kind - a file of hyp/guests, or of a VM in it
 * @name:	its name
 * @show:	prints it
 * @set:	what writing a number does, NULL if it can't be written
 */
struct file_kind {
	const char	*name;
	void		(*show)(struct seq_file *m, const struct hyptrace_vm *vm);
	int		(*set)(struct hyptrace_vm *vm, u32 value);
};

static const struct file_kind file_kinds[] = {
	{ "default",	channel_enable_show,	channel_enable_set },
	{ "limit",	limit_show,		limit_set },
};

static const struct file_kind vm_file_kinds[] = {
	{ "vm",		vm_show,		NULL },
	{ "enable",	channel_enable_show,	channel_enable_set },
	{ "limit",	limit_show,		limit_set },
	{ "lost",	lost_show,		NULL },
	{ "names",	names_show,		NULL },
};

/*
 * A file may be open when its VM is gone, so it has the VM's number; and below that its place in
 * the table.
 */
#define FILE_PLACE_BITS	4

static_assert(ARRAY_SIZE(vm_file_kinds) <= BIT(FILE_PLACE_BITS));

static void *file_data(u32 number, unsigned int place)
{
	return (void *)((u64)number << FILE_PLACE_BITS | place);
}

/* Find out what a file is for. Return -ENODEV if the VM is gone. */
static int file_find(const void *data, const struct file_kind **kind, struct hyptrace_vm **vm)
{
	unsigned int place = (u64)data & (BIT(FILE_PLACE_BITS) - 1);
	u32 number = (u64)data >> FILE_PLACE_BITS;

	*kind = (number ? vm_file_kinds : file_kinds) + place;
	*vm = number ? hyptrace_vm_numbered(number) : NULL;
	return number && !*vm ? -ENODEV : 0;
}

static int channel_file_show(struct seq_file *m, void *v)
{
	const struct file_kind *kind;
	struct hyptrace_vm *vm;
	int ret;

	guard(mutex)(&hyptrace_vms_lock);

	ret = file_find(m->private, &kind, &vm);
	if (!ret)
		kind->show(m, vm);

	return ret;
}

static int channel_file_open(struct inode *inode, struct file *filp)
{
	int ret = security_locked_down(LOCKDOWN_TRACEFS);

	return ret ?: single_open(filp, channel_file_show, inode->i_private);
}

static ssize_t channel_file_write(struct file *filp, const char __user *ubuf, size_t cnt,
				  loff_t *ppos)
{
	const struct file_kind *kind;
	struct hyptrace_vm *vm;
	u32 value;
	int ret;

	ret = kstrtou32_from_user(ubuf, cnt, 0, &value);
	if (ret)
		return ret;

	guard(mutex)(&hyptrace_vms_lock);

	ret = file_find(file_inode(filp)->i_private, &kind, &vm);
	if (!ret)
		ret = kind->set ? kind->set(vm, value) : -EINVAL;

	return ret ?: cnt;
}

static const struct file_operations file_fops = {
	.open		= channel_file_open,
	.read		= seq_read,
	.write		= channel_file_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static void create_files(struct dentry *dir, u32 number, const struct file_kind *kinds,
			 unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		tracefs_create_file(kinds[i].name, 0440 | (kinds[i].set ? 0200 : 0), dir,
				    file_data(number, i), &file_fops);
}

/* Create hyp/guests in the directory hyp. */
void hyptrace_channel_files_init(struct dentry *dir)
{
	guard(mutex)(&hyptrace_vms_lock);

	dir = tracefs_create_dir("guests", dir);
	if (IS_ERR_OR_NULL(dir))
		return;

	create_files(dir, 0, file_kinds, ARRAY_SIZE(file_kinds));
	guests_dir = dir;
}

/* VMs come and go ------------------------------------------------------------------ */

/* A VM gets its number. */
void hyptrace_channel_vm_init(struct hyptrace_vm *vm)
{
	lockdep_assert_held(&hyptrace_vms_lock);

	INIT_LIST_HEAD(&vm->names);
	vm->kvm->arch.hyp_channel = for_new_vms;
}

/* Create a VM's directory. Return NULL if that is not possible. */
static struct dentry *create_vm_dir(struct hyptrace_vm *vm, int fd)
{
	struct dentry *dir;
	char name[48];

	/* As in debugfs' directory kvm. A VM may live on when its descriptor has another use. */
	snprintf(name, sizeof(name), "%d-%d", task_pid_nr(current), fd);
	dir = tracefs_create_dir(name, guests_dir);
	if (IS_ERR_OR_NULL(dir)) {
		snprintf(name, sizeof(name), "%d-%d-%u", task_pid_nr(current), fd, vm->number);
		dir = tracefs_create_dir(name, guests_dir);
	}
	if (IS_ERR_OR_NULL(dir)) {
		pr_warn_ratelimited("hyp_trace: no directory guests/%s: that VM may not record events\n",
				    name);
		return NULL;
	}

	create_files(dir, vm->number, vm_file_kinds, ARRAY_SIZE(vm_file_kinds));
	return dir;
}

/**
 * hyptrace_channel_vm_created() - a VM has a file descriptor
 * @kvm:	the VM
 * @fd:		its file descriptor in the current process
 */
void hyptrace_channel_vm_created(struct kvm *kvm, int fd)
{
	struct hyptrace_vm *vm;

	guard(mutex)(&hyptrace_vms_lock);

	vm = hyptrace_vm_numbered(kvm->arch.hyp_trace_vm);
	if (vm && guests_dir)
		vm->dir = create_vm_dir(vm, fd);
	if (vm && vm->dir)
		return;

	/* Nobody could withdraw the permission, so the VM does not get it. */
	WRITE_ONCE(kvm->arch.hyp_channel.open, false);
}

/* A VM is being destroyed. Its events may still be read, so its names stay. */
void hyptrace_channel_vm_gone(struct hyptrace_vm *vm)
{
	lockdep_assert_held(&hyptrace_vms_lock);

	tracefs_remove(vm->dir);
	vm->dir = NULL;
}

/* Free the names of the events of a VM that is gone. */
void hyptrace_channel_forget_names(struct hyptrace_vm *vm)
{
	struct hyptrace_name *name, *next;

	lockdep_assert_held(&hyptrace_vms_lock);

	list_for_each_entry_safe(name, next, &vm->names, list) {
		list_del_rcu(&name->list);
		kfree_rcu(name, rcu);
	}
	vm->nr_names = 0;
}
