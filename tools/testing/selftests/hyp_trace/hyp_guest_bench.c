// SPDX-License-Identifier: GPL-2.0-only
/*
 * What leaving a guest costs, under QEMU's -icount in instructions: to its VMM and back,
 * and, where it has a counter of its own, to EL2 and back. Without hyp/, too: what
 * tracing that is off adds is the difference between two kernels.
 */

#include "hyp_vm.h"

#define ROUNDS	50
#define READS	200

/* 1: store; branch to 1 */
static const uint32_t store[] = { 0xf9000080, 0x17ffffff };

/* 1: mov x1, x5; 2: mrs x0, cntpct_el0; subs x1, x1, #1; b.ne 2; store; branch to 1 */
static const uint32_t read_counter[] = {
	0xaa0503e1, 0xd53be020, 0xf1000421, 0x54ffffc1, 0xf9000080, 0x17fffffb,
};

/* The least that a run up to the next store takes [ns]. */
static uint64_t least(const struct vm *vm)
{
	uint64_t start, ns, best = UINT64_MAX;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		start = boot_ns();
		vm_run(vm);
		ns = boot_ns() - start;
		if (ns < best)
			best = ns;
	}
	return best;
}

static uint64_t reading(uint64_t reads)
{
	struct kvm_arm_counter_offset offset = { .counter_offset = 1 };
	struct vm vm = vm_create(read_counter, sizeof(read_counter));
	uint64_t ns;

	IOCTL(vm.vm, KVM_ARM_SET_COUNTER_OFFSET, &offset);
	set_reg(&vm, CORE_REG(regs.regs[5]), reads);
	ns = least(&vm);
	vm_destroy(&vm);
	return ns;
}

int main(void)
{
	struct vm vm = vm_create(store, sizeof(store));
	uint64_t few, many;
	char *cmdline = get("/proc/cmdline");

	printf("guest_vmm %lu\n", least(&vm));
	vm_destroy(&vm);

	/* With protection the counter is the guest's for good. */
	if (!strstr(cmdline, "kvm-arm.mode=protected")) {
		few = reading(1);
		many = reading(1 + READS);
		printf("guest_el2 %.1f\n", (double)(many - few) / READS);
	}
	return 0;
}
