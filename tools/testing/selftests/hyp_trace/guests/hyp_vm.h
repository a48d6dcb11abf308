/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small real guest: one page of code, no other memory by default, one vCPU that runs. A store to
 * MMIO_IPA, which is in x4, leaves the guest to its VMM.
 */
#ifndef HYP_VM_H
#define HYP_VM_H

#include <err.h>
#include <linux/kvm.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "../hyp_trace.h"

#define CODE_IPA		0x40000000
#define DATA_IPA		0x50000000	/* if it has other memory */
#define MMIO_IPA		0x10000000

/*
 * A guest that has an exit to EL2 before each one to its VMM:
 *
 *	mov x6, #0x300000; msr cpacr_el1, x6; isb
 * 1:	fmov d0, x4, which EL2 handles; str x0, [x4]; b 1b
 */
static const uint32_t use_fp[] = {
	0xd2a00606, 0xd5181046, 0xd5033fdf, 0x9e670080, 0xf9000080, 0x17fffffe,
};

/* A guest that stores again and again: 1: str x0, [x4]; b 1b */
static const uint32_t store[] = { 0xf9000080, 0x17ffffff };

/* The vCPU in use is the last one of its VM; those before it never need to run. */
struct vm {
	int		kvm;
	int		vm;
	int		vcpu;
	int		first;		/* the first vCPU; -1 if it is the one in use */
	uint32_t	*code;
	struct kvm_run	*run;
};

/* The host can't use the memory of such a VM (since Linux 7.3). */
#ifndef KVM_VM_TYPE_ARM_PROTECTED
#define KVM_VM_TYPE_ARM_PROTECTED	0x80000000ul
#endif

#define CORE_REG(name)	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | \
			 KVM_REG_ARM_CORE_REG(name))

static inline int checked_ioctl(int fd, unsigned long request, const char *name,
				void *arg)
{
	int ret = ioctl(fd, request, arg);

	if (ret < 0)
		err(1, "%s", name);
	return ret;
}

#define IOCTL(fd, request, arg)	checked_ioctl(fd, request, #request, (void *)(arg))

static inline void set_reg(const struct vm *vm, uint64_t id, uint64_t value)
{
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)&value };

	IOCTL(vm->vcpu, KVM_SET_ONE_REG, &reg);
}

static inline uint64_t get_reg(const struct vm *vm, uint64_t id)
{
	uint64_t value = 0;
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)&value };

	IOCTL(vm->vcpu, KVM_GET_ONE_REG, &reg);
	return value;
}

/* A general register. */
static inline uint64_t x_reg(int i)
{
	return CORE_REG(regs.regs[0]) + i * (CORE_REG(regs.regs[1]) - CORE_REG(regs.regs[0]));
}

/* Map memory of the guest, with KVM_MEM_* flags. */
static inline void set_slot(int vm, int slot, uint64_t ipa, const void *memory, size_t size,
			    uint32_t flags)
{
	struct kvm_userspace_memory_region region = {
		.slot = slot,
		.flags = flags,
		.guest_phys_addr = ipa,
		.memory_size = size,
		.userspace_addr = (uintptr_t)memory,
	};

	IOCTL(vm, KVM_SET_USER_MEMORY_REGION, &region);
}

/* Map the page of the guest's code. */
static inline void set_memory(int vm, const uint32_t *memory, uint32_t flags)
{
	set_slot(vm, 0, CODE_IPA, memory, getpagesize(), flags);
}

static inline uint32_t *add_memory(int vm, const uint32_t *code, size_t size)
{
	uint32_t *memory = mmap(NULL, getpagesize(),
				PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		err(1, "mmap");
	memcpy(memory, code, size);
	__builtin___clear_cache((char *)memory, (char *)memory + size);
	set_memory(vm, memory, 0);
	return memory;
}

/* Initialize a vCPU with a mask of features, to start at CODE_IPA. */
static inline void vcpu_init(struct vm *vm, int vcpu, uint32_t features)
{
	struct kvm_vcpu_init init;

	vm->vcpu = vcpu;
	IOCTL(vm->vm, KVM_ARM_PREFERRED_TARGET, &init);
	init.features[0] |= features;
	IOCTL(vcpu, KVM_ARM_VCPU_INIT, &init);
	set_reg(vm, CORE_REG(regs.pc), CODE_IPA);
	set_reg(vm, CORE_REG(regs.regs[4]), MMIO_IPA);

	vm->run = mmap(NULL, IOCTL(vm->kvm, KVM_GET_VCPU_MMAP_SIZE, 0),
		       PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	if (vm->run == MAP_FAILED)
		err(1, "mmap of a vCPU");
}

/*
 * Create a VM, of a type of KVM's, with a vCPU of that index, 0 or 1; with 1 there is another vCPU
 * before it.
 */
static inline struct vm vm_create_type(unsigned long type, const uint32_t *code, size_t size,
				       int index, uint32_t features)
{
	struct vm vm = { .first = -1 };

	vm.kvm = open("/dev/kvm", O_RDWR);
	if (vm.kvm < 0)
		err(1, "/dev/kvm");
	vm.vm = IOCTL(vm.kvm, KVM_CREATE_VM, type);
	vm.code = add_memory(vm.vm, code, size);
	if (index)
		vm.first = IOCTL(vm.vm, KVM_CREATE_VCPU, 0);
	vcpu_init(&vm, IOCTL(vm.vm, KVM_CREATE_VCPU, (long)index), features);
	return vm;
}

static inline struct vm vm_create_vcpu(const uint32_t *code, size_t size, int index,
				       uint32_t features)
{
	return vm_create_type(0, code, size, index, features);
}

static inline struct vm vm_create(const uint32_t *code, size_t size)
{
	return vm_create_vcpu(code, size, 0, 0);
}

/* Run to the next store to MMIO_IPA; returns the value stored. */
static inline uint64_t vm_run(const struct vm *vm)
{
	uint64_t value;

	IOCTL(vm->vcpu, KVM_RUN, 0);
	if (vm->run->exit_reason != KVM_EXIT_MMIO ||
	    vm->run->mmio.phys_addr != MMIO_IPA)
		errx(1, "exit reason %u, not MMIO at %#x", vm->run->exit_reason,
		     MMIO_IPA);
	memcpy(&value, vm->run->mmio.data, sizeof(value));
	return value;
}

/* Let go of the vCPU in use. */
static inline void vcpu_destroy(struct vm *vm)
{
	munmap(vm->run, IOCTL(vm->kvm, KVM_GET_VCPU_MMAP_SIZE, 0));
	close(vm->vcpu);
}

static inline void vm_destroy(struct vm *vm)
{
	vcpu_destroy(vm);
	munmap(vm->code, getpagesize());
	if (vm->first >= 0)
		close(vm->first);
	close(vm->vm);
	close(vm->kvm);
}

#endif /* HYP_VM_H */
