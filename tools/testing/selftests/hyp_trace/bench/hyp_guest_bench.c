// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of leaving a guest, under QEMU's -icount in instructions: to its VMM and back,
 * and, if it has a counter offset, to EL2 and back. Runs without hyp/, too: the difference
 * between two kernels is the cost of tracing that is off.
 *
 * hyp_guest_bench speak: the cost of an event that a guest records, and how it compares.
 */
#include <linux/hypertrace.h>

#include "../guests/hyp_vm.h"

#define ROUNDS	50
#define RUNS	16		/* in a round, as the counter ticks every 16 ns */
#define READS	200

/* 1: mov x1, x5; 2: mrs x0, cntpct_el0; subs x1, x1, #1; b.ne 2; store; branch to 1 */
static const uint32_t read_counter[] = {
	0xaa0503e1, 0xd53be020, 0xf1000421, 0x54ffffc1, 0xf9000080, 0x17fffffb,
};

/* 1: mov x22, x21; 2: mov x0, x20; hvc #0; subs x22, x22, #1; b.ne 2; str x0, [x19]; b 1 */
static const uint32_t speak[] = {
	0xaa1503f6, 0xaa1403e0, 0xd4000002, 0xf10006d6, 0x54ffffa1, 0xf9000260, 0x17fffffa,
};

#define EXITS	"/sys/kernel/debug/kvm/exits"

/*
 * The least time of a run up to the next store [ns]; @last is the value stored. The host
 * counts exits: there is one in each run, and few others, which interrupts cause.
 */
static double least(const struct vm *vm, uint64_t *last)
{
	uint64_t start, ns, best = UINT64_MAX;
	long long exits = get_num(EXITS, "");
	int i, run;

	for (i = 0; i < ROUNDS; i++) {
		start = boot_ns();
		for (run = 0; run < RUNS; run++)
			*last = vm_run(vm);
		ns = boot_ns() - start;
		if (ns < best)
			best = ns;
	}
	exits = get_num(EXITS, "") - exits;
	if (exits < ROUNDS * RUNS || exits >= 2 * ROUNDS * RUNS)
		errx(1, "%lld exits to the host in %d runs", exits, ROUNDS * RUNS);
	return (double)best / RUNS;
}

static double storing(void)
{
	struct vm vm = vm_create(store, sizeof(store));
	const uint64_t stored = 0x5a5a;
	uint64_t last;
	double ns;

	set_reg(&vm, CORE_REG(regs.regs[0]), stored);
	ns = least(&vm, &last);
	if (last != stored)
		errx(1, "the guest stores %#lx", last);
	vm_destroy(&vm);
	return ns;
}

/* Time of a run in which the guest reads its counter @reads times; EL2 emulates that. */
static double reading(uint64_t reads)
{
	struct kvm_arm_counter_offset offset = { .counter_offset = 1ull << 62 };
	struct vm vm = vm_create(read_counter, sizeof(read_counter));
	uint64_t last;
	double ns;

	IOCTL(vm.vm, KVM_ARM_SET_COUNTER_OFFSET, &offset);
	set_reg(&vm, CORE_REG(regs.regs[5]), reads);
	ns = least(&vm, &last);
	/* The machine's own counter cannot be that high. */
	if (last >> 62 != 3)
		errx(1, "the guest reads the counter as %#lx, not with its offset", last);
	vm_destroy(&vm);
	return ns;
}

/* Time of a run in which the guest records @events events with @args arguments. */
static double speaking(uint64_t events, int args)
{
	const uint64_t step = CORE_REG(regs.regs[1]) - CORE_REG(regs.regs[0]);
	const uint64_t x0 = CORE_REG(regs.regs[0]);
	struct vm vm = vm_create(speak, sizeof(speak));
	uint64_t last;
	double ns;

	set_reg(&vm, x0 + step, hypertrace_descriptor(HYPERTRACE_EVENT, 0, args, 1));
	set_reg(&vm, x0 + 19 * step, MMIO_IPA);
	set_reg(&vm, x0 + 20 * step, HYPERTRACE_CALL);
	set_reg(&vm, x0 + 21 * step, events);
	ns = least(&vm, &last);
	if (last != HYPERTRACE_DONE)
		errx(1, "the guest records nothing: %ld", (int64_t)last);
	vm_destroy(&vm);
	return ns;
}

/* The cost of one event. */
static double event(int args)
{
	return (speaking(1 + READS, args) - speaking(1, args)) / READS;
}

static void bench_speaking(void)
{
	double exit = is_protected() ? 0 : (reading(1 + READS) - reading(1)) / READS;
	double to_vmm = storing(), one;

	/* More than the guest reaches, so that EL2 looks at the limit and records all. */
	put(HYP "guests/limit", "4000000");
	put(HYP "guests/default", "1");
	put(HYP "set_event", "hyp:guest_trace_*");
	put(HYP "tracing_on", "1");
	one = event(1);
	printf("guest_speaks %.1f\n", one);
	printf("guest_speaks_16 %.1f\n", event(HYPERTRACE_MAX_ARGS));
	printf("guest_speaks_to_vmm %.1f\n", to_vmm / one);
	if (exit)
		printf("guest_speaks_to_exit %.2f\n", one / exit);
	put(HYP "tracing_on", "0");
	put(HYP "set_event", "");
	put(HYP "guests/default", "0");
}

int main(int argc, char **argv)
{
	double few, many;

	if (argc == 2 && !strcmp(argv[1], "speak")) {
		bench_speaking();
		return 0;
	}

	printf("guest_vmm %.1f\n", storing());

	/* In protected mode the guest always has the counter itself. */
	if (!is_protected()) {
		few = reading(1);
		many = reading(1 + READS);
		printf("guest_el2 %.1f\n", (many - few) / READS);
	}
	return 0;
}
