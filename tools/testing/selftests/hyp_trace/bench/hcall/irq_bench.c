// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of an interrupt, from the instruction that raises it to the one behind it; runs on
 * any kernel. It is irq_work's: with tracing, EL2 may raise that, too.
 */

#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/module.h>

#define INTERRUPTS	100
#define ROUNDS		50

static int handled;

static void handle(struct irq_work *work)
{
	handled++;
}

static struct irq_work work = IRQ_WORK_INIT_HARD(handle);

static int __init irq_bench_init(void)
{
	u64 start, ns, best = U64_MAX;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		start = ktime_get_ns();
		for (i = 0; i < INTERRUPTS; i++) {
			irq_work_queue(&work);
			irq_work_sync(&work);
		}
		ns = ktime_get_ns() - start;
		best = min(best, ns);
	}
	if (handled != ROUNDS * INTERRUPTS)
		return -EIO;

	pr_info("irq_bench: interrupt %llu.%02llu\n", best / INTERRUPTS, best % INTERRUPTS);
	return 0;
}
module_init(irq_bench_init);

MODULE_DESCRIPTION("Cost of an interrupt");
MODULE_LICENSE("GPL");
