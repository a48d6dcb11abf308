// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small real guest: it repeatedly reads its virtual counter, or makes a hypercall, and
 * stores the result to an address without memory. Each store leaves the guest to this
 * program, which moves the vCPU from CPU to CPU. It never waits, so it does the same on a
 * slow machine as on a fast one.
 *
 * usage: hyp_guest EXITS [HYPERCALL]
 * With HYPERCALL, the guest tries one number after the other, beginning with that one;
 * none of them may be known.
 */

#include "hyp_vm.h"

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

int main(int argc, char **argv)
{
	unsigned long exits = argc >= 2 ? strtoul(argv[1], NULL, 0) : 0, i;
	uint64_t hypercall = argc == 3 ? strtoull(argv[2], NULL, 0) : 0;
	uint64_t result, last = 0;
	struct vm vm;

	if (!exits || argc > 3)
		errx(2, "usage: hyp_guest EXITS [HYPERCALL]");
	vm = hypercall ? vm_create(call_hypervisor, sizeof(call_hypervisor)) :
			 vm_create(read_time, sizeof(read_time));
	set_reg(&vm, CORE_REG(regs.regs[5]), hypercall);

	for (i = 0; i < exits; i++) {
		/* This has no effect if that CPU is off. */
		if (i % EXITS_PER_CPU == 0)
			run_on(i / EXITS_PER_CPU % nr_cpus());
		result = vm_run(&vm);
		if (hypercall && (int64_t)result != NOT_SUPPORTED)
			errx(1, "hypercall %#lx of the guest returns %ld",
			     hypercall + i, result);
		if (!hypercall && result < last)
			errx(1, "the guest's time went back, from %lu to %lu in exit %lu",
			     last, result, i);
		last = result;
	}
	return 0;
}
