// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small real guest: it reads its virtual counter and stores it to an address
 * without memory, over and over. Each store leaves the guest to this program,
 * which moves the vCPU from CPU to CPU. Nothing in it waits for anything, so
 * that it does the same on a slow machine as on a fast one.
 *
 * usage: hyp_guest EXITS
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

static const uint32_t code[] = {
	0xd53be041,			/* 1: mrs x1, cntvct_el0 */
	0xf9000001,			/*    str x1, [x0] */
	0x17fffffe,			/*    b 1b */
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

static void add_memory(int vm)
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
	memcpy(memory, code, sizeof(code));
	__builtin___clear_cache(memory, memory + sizeof(code));
	IOCTL(vm, KVM_SET_USER_MEMORY_REGION, &region);
}

static void set_reg(int vcpu, uint64_t id, uint64_t value)
{
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)&value };

	IOCTL(vcpu, KVM_SET_ONE_REG, &reg);
}

static int add_vcpu(int vm)
{
	int vcpu = IOCTL(vm, KVM_CREATE_VCPU, 0);
	struct kvm_vcpu_init init;

	IOCTL(vm, KVM_ARM_PREFERRED_TARGET, &init);
	IOCTL(vcpu, KVM_ARM_VCPU_INIT, &init);
	set_reg(vcpu, CORE_REG(regs.pc), CODE_IPA);
	set_reg(vcpu, CORE_REG(regs.regs[0]), MMIO_IPA);
	return vcpu;
}

int main(int argc, char **argv)
{
	unsigned long exits = argc == 2 ? strtoul(argv[1], NULL, 0) : 0, i;
	uint64_t now, last = 0;
	struct kvm_run *run;
	int kvm, vm, vcpu;

	if (!exits)
		errx(2, "usage: hyp_guest EXITS");
	kvm = open("/dev/kvm", O_RDWR);
	if (kvm < 0)
		err(1, "/dev/kvm");
	vm = IOCTL(kvm, KVM_CREATE_VM, 0);
	add_memory(vm);
	vcpu = add_vcpu(vm);
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
		memcpy(&now, run->mmio.data, sizeof(now));
		if (now < last)
			errx(1, "the guest's time went back");
		last = now;
	}
	return 0;
}
