/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that cause each event of the hypervisor, with varying values of its fields. */
#ifndef HYP_PROVOKE_H
#define HYP_PROVOKE_H

#include <linux/hypertrace.h>
#include <signal.h>
#include <sys/time.h>

#include "../guests/hyp_blocks.h"
#include "../guests/hyp_vm.h"
#include "hyp_memory.h"

#define ARRAY_LEN(x)	(sizeof(x) / sizeof((x)[0]))

/* Events for tests ---------------------------------------------------------------- */

static void write_event(void)
{
	emit(42, 42);
}

static void write_events(void)
{
	emit(42, 49);
}

static void write_fields(void)
{
	int id;

	for (id = 1; id <= 8; id++)
		put_num(HYP "write_fields", id);
}

/* Causes another text, and another span. */
static void write_text(void)
{
	write_test(HYP_TRACE_TEST_SAY, 7);
}

/* Guests -------------------------------------------------------------------------- */

#define STORE	0xf9000080	/* str x0, [x4]: leaves the guest */

/* Run a guest up to its store. */
static void run(struct vm *vm)
{
	vm_run(vm);
}

/* Prepares nothing. */
static void nothing(struct vm *vm)
{
}

/*
 * Run @code as vCPU 0 of a VM, and as vCPU 1 of another VM that exists at the same time,
 * so that neither number is constant.
 */
static void guests(const uint32_t *code, size_t size, uint32_t features,
		   void (*prepare)(struct vm *vm), void (*run)(struct vm *vm))
{
	struct vm vm[2];
	int i;

	for (i = 0; i < 2; i++) {
		vm[i] = vm_create_vcpu(code, size, i, features);
		prepare(&vm[i]);
		run(&vm[i]);
	}
	for (i = 0; i < 2; i++)
		vm_destroy(&vm[i]);
}

/* Guests that only store once. */
static void guest_store(void)
{
	static const uint32_t code[] = { STORE };

	guests(code, sizeof(code), 0, nothing, run);
}

/* Set the arguments of a call, and leave traps of FP instructions to EL2. */
static void set_arguments(struct vm *vm)
{
	set_reg(vm, CORE_REG(regs.regs[0]), 0x84000000);	/* PSCI_VERSION */
	set_reg(vm, CORE_REG(regs.regs[1]), 0x11);
	set_reg(vm, CORE_REG(regs.regs[2]), 0x22);
	set_reg(vm, CORE_REG(regs.regs[3]), 0x33);
	set_reg(vm, ARM64_SYS_REG(3, 0, 1, 0, 2), 3 << 20);	/* CPACR_EL1.FPEN */
}

/* A call with arguments, then one with what that has returned; condition flags are set. */
static void guest_call(uint32_t insn)
{
	const uint32_t code[] = { 0xeb00001f /* cmp x0, x0 */, insn, insn, STORE };

	guests(code, sizeof(code), 0, set_arguments, run);
}

static void guest_hvc(void)
{
	guest_call(0xd4000002);
}

static void guest_smc(void)
{
	guest_call(0xd4000003);
}

/* What a guest records next. */
static struct speech {
	int	kind;
	int	low, high;	/* numbers of arguments, alternately */
} speech;

static void set_store(struct vm *vm)
{
	set_reg(vm, CORE_REG(regs.regs[19]), MMIO_IPA);
}

/* Make a call whose arguments are of this number. */
static void speak_once(struct vm *vm, int number)
{
	const uint64_t step = CORE_REG(regs.regs[1]) - CORE_REG(regs.regs[0]);
	int i;

	set_reg(vm, CORE_REG(regs.regs[0]), HYPERTRACE_CALL);
	set_reg(vm, CORE_REG(regs.regs[1]),
		hypertrace_descriptor(speech.kind, 7 + number,
				      number % 2 ? speech.high : speech.low, 1000 + number));
	for (i = 0; i < HYPERTRACE_MAX_ARGS; i++)
		set_reg(vm, CORE_REG(regs.regs[2]) + i * step,
			0x4142434445464748 + (number + 1) * (i + 1));
	vm_run(vm);
}

/* By the limit, a vCPU may make two calls at once, and another one after an eighth of a second. */
static void speak(struct vm *vm)
{
	int i;

	for (i = 0; i < 6; i++)
		speak_once(vm, i);
	usleep(150000);
	speak_once(vm, i);
	speak_once(vm, i + 1);
}

static void guests_speak(int kind, int low, int high)
{
	/* hvc #0; str x0, [x19]; back */
	static const uint32_t code[] = { 0xd4000002, 0xf9000260, 0x17fffffe };

	speech = (struct speech) { .kind = kind, .low = low, .high = high };
	put(HYP "guests/limit", "8");
	put(HYP "guests/default", "1");
	guests(code, sizeof(code), 0, set_store, speak);
	put(HYP "guests/default", "0");
	put(HYP "guests/limit", "10000");
}

static void guest_trace_1(void)
{
	guests_speak(HYPERTRACE_EVENT, 0, 1);
}

static void guest_trace_2(void)
{
	guests_speak(HYPERTRACE_EVENT, 2, 2);
}

static void guest_trace_4(void)
{
	guests_speak(HYPERTRACE_EVENT, 3, 4);
}

static void guest_trace_8(void)
{
	guests_speak(HYPERTRACE_EVENT, 5, 8);
}

static void guest_trace_16(void)
{
	guests_speak(HYPERTRACE_EVENT, 9, 16);
}

static void guest_mark(void)
{
	guests_speak(HYPERTRACE_MARK, 8, 16);
}

static void guest_clock(void)
{
	guests_speak(HYPERTRACE_CLOCK, HYPERTRACE_CLOCK_ARGS, HYPERTRACE_CLOCK_ARGS);
}

static void guest_fp(void)
{
	static const uint32_t code[] = { 0x9e670000 /* fmov d0, x0 */, STORE };

	guests(code, sizeof(code), 0, set_arguments, run);
}

/* Allow FP and SVE in CPACR_EL1. */
static void set_sve(struct vm *vm)
{
	int feature = KVM_ARM_VCPU_SVE;

	IOCTL(vm->vcpu, KVM_ARM_VCPU_FINALIZE, &feature);
	set_reg(vm, ARM64_SYS_REG(3, 0, 1, 0, 2), 3 << 20 | 3 << 16);
}

static void guest_sve(void)
{
	static const uint32_t code[] = { 0x2518e3e0 /* ptrue p0.b */, STORE };

	guests(code, sizeof(code), 1 << KVM_ARM_VCPU_SVE, set_sve, run);
}

static void on_alarm(int sig)
{
}

/* A signal every @us microseconds; none if that is 0. */
static void alarm_each(long us)
{
	const struct timeval time = { us / 1000000, us % 1000000 };
	const struct itimerval each = { time, time };

	setitimer(ITIMER_REAL, &each, NULL);
}

#define MAX_RUN_US	(60 * 1000000l)

/*
 * Run a guest with signals until it is @done. A signal may come before the guest has run,
 * so the time between signals grows.
 */
static void run_interrupted(struct vm *vm, bool (*done)(const struct vm *vm, int ret))
{
	const struct sigaction interrupt = { .sa_handler = on_alarm };
	long us = 10000;
	int ret;

	sigaction(SIGALRM, &interrupt, NULL);
	do {
		alarm_each(us *= 2);
		ret = ioctl(vm->vcpu, KVM_RUN, 0);
		if (ret && errno != EINTR)
			err(1, "KVM_RUN");
		if (us > MAX_RUN_US)
			errx(1, "a guest does not do what it is to");
	} while (!done(vm, ret));
	alarm_each(0);
}

static bool has_stored(const struct vm *vm, int ret)
{
	return !ret;
}

static void run_to_store(struct vm *vm)
{
	run_interrupted(vm, has_stored);
}

/* A signal ends the wfi. */
static void guest_wfi(void)
{
	static const uint32_t code[] = { 0xd503207f, STORE };

	guests(code, sizeof(code), 0, nothing, run_to_store);
}

#define FLAG_OFFSET	0x800

static bool has_begun(const struct vm *vm, int ret)
{
	return __atomic_load_n(vm->code + FLAG_OFFSET / 4, __ATOMIC_RELAXED);
}

static void run_until_begun(struct vm *vm)
{
	set_reg(vm, CORE_REG(regs.regs[5]), CODE_IPA + FLAG_OFFSET);
	run_interrupted(vm, has_begun);
}

/* str x4, [x5]; b . - only an interrupt ends it. */
static void guest_spin(void)
{
	static const uint32_t code[] = { 0xf90000a4, 0x14000000 };

	guests(code, sizeof(code), 0, nothing, run_until_begun);
}

/* Log what is written from the first exit on. */
static void run_logged(struct vm *vm)
{
	void *data = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	set_reg(vm, CORE_REG(regs.regs[5]), CODE_IPA + FLAG_OFFSET);
	set_reg(vm, CORE_REG(regs.regs[6]), DATA_IPA);
	set_slot(vm->vm, 1, DATA_IPA, data, getpagesize(), 0);
	vm_run(vm);
	set_memory(vm->vm, vm->code, KVM_MEM_LOG_DIRTY_PAGES);
	set_slot(vm->vm, 1, DATA_IPA, data, getpagesize(), KVM_MEM_LOG_DIRTY_PAGES);
	vm_run(vm);
}

/* str x4, [x6]; str x0, [x4]; str x4, [x5]; str x4, [x6]; str x0, [x4] */
static void guest_dirty(void)
{
	static const uint32_t code[] = { 0xf90000c4, STORE, 0xf90000a4, 0xf90000c4, STORE };

	guests(code, sizeof(code), 0, nothing, run_logged);
}

/*
 * Say that nobody has used a page, or its huge page, since the last time:
 * Documentation/admin-guide/mm/idle_page_tracking.rst.
 */
static void set_idle(const void *page)
{
	const uint64_t pfn = pfn_of(page), bit = 1ull << pfn % 64;
	int fd = open("/sys/kernel/mm/page_idle/bitmap", O_WRONLY);

	if (pwrite(fd, &bit, sizeof(bit), pfn / 64 * sizeof(bit)) != sizeof(bit))
		err(1, "page_idle");
	close(fd);
}

/* The guest's data is a block. Another page of it is used later, and logging writes splits it. */
static void run_in_block(struct vm *vm)
{
	char *data = blocks_map(1);

	set_reg(vm, CORE_REG(regs.regs[6]), DATA_IPA);
	set_slot(vm->vm, 1, DATA_IPA, data, block_size(), 0);
	vm_run(vm);
	set_idle(data);
	set_reg(vm, CORE_REG(regs.regs[6]), DATA_IPA + page_size());
	vm_run(vm);
	set_slot(vm->vm, 1, DATA_IPA, data, block_size(), KVM_MEM_LOG_DIRTY_PAGES);
	vm_run(vm);
	munmap(data, block_size());
}

/* 1: str x4, [x6]; str x0, [x4]; b 1b */
static void guest_block(void)
{
	static const uint32_t code[] = { 0xf90000c4, STORE, 0x17fffffe };

	guests(code, sizeof(code), 0, nothing, run_in_block);
}

/* A read by the kernel, unlike one by its user, takes the page from a protected guest by force. */
static void have_kernel_read(const void *page)
{
	int fd = open("/proc/self/mem", O_RDONLY);
	char byte;

	if (pread(fd, &byte, 1, (uintptr_t)page) != 1)
		err(1, "/proc/self/mem");
	close(fd);
}

/* linux/arm-smccc.h */
#define ARM_SMCCC_VENDOR_HYP_KVM_MEM_SHARE_FUNC_ID	0xc6000003
#define ARM_SMCCC_VENDOR_HYP_KVM_MEM_UNSHARE_FUNC_ID	0xc6000004

/* The guest calls a function that is in a register, about the page in x6. */
#define PVM_CALL(func)							\
	0xaa0003e0 | (func) << 16,	/* mov x0, xFUNC */		\
	0xaa0603e1,			/* mov x1, x6 */		\
	0xaa1f03e2,			/* mov x2, xzr */		\
	0xaa1f03e3,			/* mov x3, xzr */		\
	0xd4000002			/* hvc #0 */

/*
 * Two protected guests. Each shares a page with the host for a while, and tries both again; then
 * the host takes another one.
 */
static void guest_protected(void)
{
	/* str x4, [x5]; str x4, [x6]; share x6, twice; unshare x6, twice; str x0, [x4] */
	static const uint32_t code[] = {
		0xf90000a4, 0xf90000c4, PVM_CALL(7), PVM_CALL(7), PVM_CALL(8), PVM_CALL(8), STORE,
	};
	const size_t size = 4 * page_size();
	int i;

	for (i = 0; i < 2; i++) {
		struct vm vm = vm_create_type(KVM_VM_TYPE_ARM_PROTECTED, code, sizeof(code), i, 0);
		char *data = mmap(NULL, size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		set_slot(vm.vm, 1, DATA_IPA, data, size, 0);
		set_reg(&vm, CORE_REG(regs.regs[5]), DATA_IPA + i * page_size());
		set_reg(&vm, CORE_REG(regs.regs[6]), DATA_IPA + (2 + i) * page_size());
		set_reg(&vm, CORE_REG(regs.regs[7]), ARM_SMCCC_VENDOR_HYP_KVM_MEM_SHARE_FUNC_ID);
		set_reg(&vm, CORE_REG(regs.regs[8]), ARM_SMCCC_VENDOR_HYP_KVM_MEM_UNSHARE_FUNC_ID);
		vm_run(&vm);
		have_kernel_read(data + i * page_size());
		vm_destroy(&vm);
		munmap(data, size);
	}
}

/* Two VMs that are never run. */
static void vm_unused(void)
{
	int kvm = open("/dev/kvm", O_RDWR), vm[2], i;

	for (i = 0; i < 2; i++)
		vm[i] = IOCTL(kvm, KVM_CREATE_VM, 0);
	for (i = 0; i < 2; i++)
		close(vm[i]);
	close(kvm);
}

static void set_counter_offset(struct vm *vm)
{
	struct kvm_arm_counter_offset offset = { .counter_offset = 0x123456 };

	IOCTL(vm->vm, KVM_ARM_SET_COUNTER_OFFSET, &offset);
}

/* The guest has a counter offset: mrs x0, cntpct_el0. */
static void guest_counter(void)
{
	static const uint32_t code[] = { 0xd53be020, STORE };

	guests(code, sizeof(code), 0, set_counter_offset, run);
}

static int gic;

static void gic_set(uint32_t group, uint64_t attr, const void *value)
{
	struct kvm_device_attr a = { .group = group, .attr = attr, .addr = (uintptr_t)value };

	IOCTL(gic, KVM_SET_DEVICE_ATTR, &a);
}

/* Raise a private interrupt of a vCPU. */
static void gic_raise(const struct vm *vm, uint64_t index, int irq)
{
	struct kvm_irq_level line = {
		.irq = KVM_ARM_IRQ_TYPE_PPI << KVM_ARM_IRQ_TYPE_SHIFT |
		       index << KVM_ARM_IRQ_VCPU_SHIFT | irq,
		.level = 1,
	};
	uint32_t group1 = 2, enabled = 1 << irq;

	gic_set(KVM_DEV_ARM_VGIC_GRP_DIST_REGS, 0, &group1);
	gic_set(KVM_DEV_ARM_VGIC_GRP_REDIST_REGS, index << 32 | 0x10100, &enabled);
	IOCTL(vm->vm, KVM_IRQ_LINE, &line);
}

#define AN_IRQ	20

static void add_gic(struct vm *vm)
{
	struct kvm_create_device device = { .type = KVM_DEV_TYPE_ARM_VGIC_V3 };
	uint64_t dist = 0x8000000, redist = 0x80a0000;

	IOCTL(vm->vm, KVM_CREATE_DEVICE, &device);
	gic = device.fd;
	gic_set(KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V3_ADDR_TYPE_DIST, &dist);
	gic_set(KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V3_ADDR_TYPE_REDIST, &redist);
	gic_set(KVM_DEV_ARM_VGIC_GRP_CTRL, KVM_DEV_ARM_VGIC_CTRL_INIT, NULL);
	gic_raise(vm, vm->first >= 0, AN_IRQ);
	close(gic);
}

/* The guests acknowledge and end an interrupt. */
static void guest_gic(void)
{
	static const uint32_t code[] = {
		0xd2801fe1,		/* mov x1, #0xff */
		0xd5184601,		/* msr icc_pmr_el1, x1 */
		0xd2800021,		/* mov x1, #1 */
		0xd518cce1,		/* msr icc_igrpen1_el1, x1 */
		0xd5033fdf,		/* isb */
		0xd538cc00,		/* mrs x0, icc_iar1_el1 */
		0xd518cc20,		/* msr icc_eoir1_el1, x0 */
		0xd538cc80,		/* mrs x0, icc_ctlr_el1 */
		STORE,
	};

	guests(code, sizeof(code), 0, add_gic, run);
}

static void set_vectors(struct vm *vm)
{
	set_reg(vm, ARM64_SYS_REG(3, 0, 12, 0, 0), CODE_IPA + 0x800);
}

/* mrs x0, pmccntr_el0, which the guest lacks; its vectors are in the page of its code. */
static void guest_undefined(void)
{
	static const uint32_t code[0xa04 / 4] = {
		[0] = 0xd53b9d00,
		[0xa00 / 4] = STORE,
	};

	guests(code, sizeof(code), 0, set_vectors, run);
}

/* AArch32: mov pc, #0x10000000, where nothing is; the vector of such aborts has str r0, [r4]. */
static void guest_abort32(void)
{
	static const uint32_t code[] = {
		[0] = 0xe3a0f201,
		[0x80c / 4] = 0xe5840000,
	};

	guests(code, sizeof(code), 1 << KVM_ARM_VCPU_EL1_32BIT, set_vectors, run);
}

/* Make an interrupt and a system error pending; the guest masks both. */
static void set_pending(struct vm *vm)
{
	struct kvm_irq_level irq = {
		.irq = KVM_ARM_IRQ_TYPE_CPU << KVM_ARM_IRQ_TYPE_SHIFT |
		       (vm->first >= 0) << KVM_ARM_IRQ_VCPU_SHIFT | KVM_ARM_IRQ_CPU_IRQ,
		.level = 1,
	};
	struct kvm_vcpu_events events = { .exception.serror_pending = 1 };

	IOCTL(vm->vm, KVM_IRQ_LINE, &irq);
	IOCTL(vm->vcpu, KVM_SET_VCPU_EVENTS, &events);
}

static void guest_pending(void)
{
	static const uint32_t code[] = { STORE };

	guests(code, sizeof(code), 0, set_pending, run);
}

/* Run a guest, then unmap its memory. */
static void run_and_unmap(struct vm *vm)
{
	vm_run(vm);
	munmap(vm->code, getpagesize());
}

static void guest_unmap(void)
{
	static const uint32_t code[] = { STORE };

	guests(code, sizeof(code), 0, nothing, run_and_unmap);
}

/* Run a guest, then log its writes, which write-protects its memory. */
static void run_and_log(struct vm *vm)
{
	vm_run(vm);
	set_memory(vm->vm, vm->code, KVM_MEM_LOG_DIRTY_PAGES);
}

static void guest_log(void)
{
	static const uint32_t code[] = { STORE };

	guests(code, sizeof(code), 0, nothing, run_and_log);
}

/* Run two vCPUs of one VM on one CPU. */
static void guest_vcpus(void)
{
	static const uint32_t code[] = { STORE };
	struct vm vm = vm_create_vcpu(code, sizeof(code), 1, 0), first = vm;

	vcpu_init(&first, vm.first, 0);
	vm_run(&first);
	vm_run(&vm);
	munmap(first.run, IOCTL(vm.kvm, KVM_GET_VCPU_MMAP_SIZE, 0));
	vm_destroy(&vm);
}

/* Hypercalls ---------------------------------------------------------------------- */

/* The number of a hypercall, found by the name that the event prints. */
static long hcall_id(const char *name)
{
	char *text = get(HYP "events/hyp/host_hcall/format");
	char *at = strstr(text, path_of(", \"%s\"", name));
	long id;

	while (at && at > text && *at != '{')
		at--;
	id = at ? strtol(at + 1, NULL, 10) : -1;
	free(text);
	if (id < 0)
		errx(1, "no hypercall %s", name);
	return id;
}

/* A call to SMCCC's vendor specific hypervisor service; @args are hexadecimal. */
static void hvc(long id, const char *args)
{
	put(HYP "write_hvc", path_of("%lx %s", 0xc6000000 | id, args));
}

/* A hypercall that does not exist. */
static void hvc_invalid(void)
{
	hvc(0xffff, "");
}

/* Share an address that is not memory. */
static void hvc_share_device(void)
{
	hvc(hcall_id("__pkvm_host_share_hyp"), "0");
}

static void hvc_unshare_device(void)
{
	hvc(hcall_id("__pkvm_host_unshare_hyp"), "0");
}

/* Initialize a vCPU of a VM that does not exist; the address is not that of a page. */
static void hvc_init_vcpu(void)
{
	hvc(hcall_id("__pkvm_init_vcpu"), "1 0 1");
}

/* Since Linux 7.3, it takes two calls. */
static void hvc_teardown_vm(void)
{
	if (is_since(7, 3)) {
		hvc(hcall_id("__pkvm_start_teardown_vm"), "1");
		hvc(hcall_id("__pkvm_finalize_teardown_vm"), "1");
	} else {
		hvc(hcall_id("__pkvm_teardown_vm"), "1");
	}
}

/* Create a VM at an address that is not shared. */
static void hvc_init_vm(void)
{
	hvc(hcall_id("__pkvm_init_vm"), "0 1 1");
}

static void hvc_flush(void)
{
	hvc(hcall_id("__kvm_flush_vm_context"), "");
}

/* Firmware ------------------------------------------------------------------------ */

/* Turn a CPU off and on from another one. */
static void cpu_off_and_on(int cpu)
{
	run_on(!cpu);
	set_online(cpu, false);
	set_online(cpu, true);
	run_on(0);
}

static void cpu1_off_and_on(void)
{
	cpu_off_and_on(1);
}

static void cpu0_off_and_on(void)
{
	cpu_off_and_on(0);
}

static void smc_psci_version(void)
{
	put(HYP "write_smc", "84000000");
}

/* SMCCC_VERSION, which EL2 leaves to firmware. */
static void smc_version(void)
{
	put(HYP "write_smc", "80000000");
}

/* CPU_ON for a CPU that is on; firmware refuses it. */
static void smc_cpu_on(void)
{
	put(HYP "write_smc", "c4000003 0 40080000");
	put(HYP "write_smc", "c4000003 0 40090000");
}

/* CPU_SUSPEND to shallow states: firmware waits for an interrupt and returns. */
static void smc_cpu_suspend(void)
{
	put(HYP "write_smc", "c4000001 0 40080000");
	put(HYP "write_smc", "c4000001 1 40090000");
}

/* SYSTEM_SUSPEND, which QEMU's firmware does not implement. */
static void smc_system_suspend(void)
{
	put(HYP "write_smc", "c400000e 40080000");
	put(HYP "write_smc", "c400000e 40090000");
}

/* FFA_ID_GET before a version is negotiated; EL2 refuses it without asking firmware. */
static void smc_ffa_id_get(void)
{
	put(HYP "write_smc", "84000069");
}

/* FFA_VERSION 1.0: EL2 asks firmware, which does not implement FF-A. */
static void smc_ffa_version(void)
{
	put(HYP "write_smc", "84000063 10000");
}

/* Memory -------------------------------------------------------------------------- */

static void pass_around(void)
{
	pass_around_each(getpagesize(), getpagesize());
}

/* Twice, pass two neighbouring pages at once, so that addresses vary; there are such among many. */
static void pass_two_around(void)
{
	const size_t size = 256 * page_size();
	char *memory = populated(size);
	uint64_t last = pfn_of(memory), pfn = 0;
	int passed = 0;
	size_t at;

	for (at = page_size(); at < size && passed < 2; at += page_size(), last = pfn) {
		pfn = pfn_of(memory + at);
		if (pfn + 1 != last && pfn - 1 != last)
			continue;
		write_test(HYP_TRACE_TEST_MEMORY, (pfn < last ? pfn : last) << 8 | 2);
		passed++;
		pfn = 0;
	}
	munmap(memory, size);
}

/* Pass two pages that are not memory. */
static void pass_device_around(void)
{
	write_test(HYP_TRACE_TEST_MEMORY, 2);
}

/* Touch where PCI devices could be. The first such access since boot maps half a TB. */
static void touch_device(void)
{
	put(HYP "write_touch", "8000000000");
}

#endif /* HYP_PROVOKE_H */
