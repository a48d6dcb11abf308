// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small real guest: it reads its virtual counter, or makes a hypercall, and
 * stores the result to an address without memory, over and over. Each store leaves
 * the guest to this program, which moves the vCPU from CPU to CPU. Nothing in it
 * waits for anything, so that it does the same on a slow machine as on a fast one.
 *
 * usage: hyp_guest EXITS [HYPERCALL]
 * With HYPERCALL, the first to try, the guest tries one after the other; none of
 * them may be known.
 */

#include <err.h>
#include <linux/kvm.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "hyp_trace.h"

#define CODE_IPA		0x40000000
#define MMIO_IPA		0x10000000
#define EXITS_PER_CPU		8

#define NOT_SUPPORTED		(-1)		/* SMCCC_RET_NOT_SUPPORTED */

/* x4 is MMIO_IPA */
static const uint32_t read_time[] = {
	0xd53be040,			/* 1: mrs x0, cntvct_el0 */
	0xf9000080,			/*    str x0, [x4] */
	0x17fffffe,			/*    b 1b */
};

/* x5 is the first hypercall; x0 to x3 are its results */
static const uint32_t call_hypervisor[] = {
	0xaa0503e0,			/* 1: mov x0, x5 */
	0xd4000002,			/*    hvc #0 */
	0x910004a5,			/*    add x5, x5, #1 */
	0xf9000080,			/*    str x0, [x4] */
	0x17fffffc,			/*    b 1b */
};

#define CORE_REG(name)	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | \
			 KVM_REG_ARM_CORE_REG(name))

static int checked_ioctl(int fd, unsigned long request, const char *name, void *arg)
{
	int ret = ioctl(fd, request, arg);

	if (ret < 0)
		err(1, "%s", name);
	return ret;
}

#define IOCTL(fd, request, arg)	checked_ioctl(fd, request, #request, (void *)(arg))

static void add_memory(int vm, const uint32_t *code, size_t size)
{
	void *memory = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = CODE_IPA,
		.memory_size = getpagesize(),
		.userspace_addr = (uintptr_t)memory,
	};

	if (memory == MAP_FAILED)
		err(1, "mmap");
	memcpy(memory, code, size);
	__builtin___clear_cache(memory, memory + size);
	IOCTL(vm, KVM_SET_USER_MEMORY_REGION, &region);
}

static void set_reg(int vcpu, uint64_t id, uint64_t value)
{
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)&value };

	IOCTL(vcpu, KVM_SET_ONE_REG, &reg);
}

static int add_vcpu(int vm, uint64_t hypercall)
{
	int vcpu = IOCTL(vm, KVM_CREATE_VCPU, 0);
	struct kvm_vcpu_init init;

	IOCTL(vm, KVM_ARM_PREFERRED_TARGET, &init);
	IOCTL(vcpu, KVM_ARM_VCPU_INIT, &init);
	set_reg(vcpu, CORE_REG(regs.pc), CODE_IPA);
	set_reg(vcpu, CORE_REG(regs.regs[4]), MMIO_IPA);
	set_reg(vcpu, CORE_REG(regs.regs[5]), hypercall);
	return vcpu;
}

int main(int argc, char **argv)
{
	unsigned long exits = argc >= 2 ? strtoul(argv[1], NULL, 0) : 0, i;
	uint64_t hypercall = argc == 3 ? strtoull(argv[2], NULL, 0) : 0;
	uint64_t result, last = 0;
	struct kvm_run *run;
	int kvm, vm, vcpu;

	if (!exits || argc > 3)
		errx(2, "usage: hyp_guest EXITS [HYPERCALL]");
	kvm = open("/dev/kvm", O_RDWR);
	if (kvm < 0)
		err(1, "/dev/kvm");
	vm = IOCTL(kvm, KVM_CREATE_VM, 0);
	if (hypercall)
		add_memory(vm, call_hypervisor, sizeof(call_hypervisor));
	else
		add_memory(vm, read_time, sizeof(read_time));
	vcpu = add_vcpu(vm, hypercall);
	run = mmap(NULL, IOCTL(kvm, KVM_GET_VCPU_MMAP_SIZE, 0),
		   PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	if (run == MAP_FAILED)
		err(1, "mmap of a vCPU");

	for (i = 0; i < exits; i++) {
		/* Nowhere, if that CPU is off. */
		if (i % EXITS_PER_CPU == 0)
			run_on(i / EXITS_PER_CPU % nr_cpus());
		IOCTL(vcpu, KVM_RUN, 0);
		if (run->exit_reason != KVM_EXIT_MMIO ||
		    run->mmio.phys_addr != MMIO_IPA)
			errx(1, "exit reason %u, not MMIO at %#x",
			     run->exit_reason, MMIO_IPA);
		memcpy(&result, run->mmio.data, sizeof(result));
		if (hypercall && (int64_t)result != NOT_SUPPORTED)
			errx(1, "hypercall %#lx of the guest returns %ld",
			     hypercall + i, result);
		if (!hypercall && result < last)
			errx(1, "the guest's time went back");
		last = result;
	}
	return 0;
}
