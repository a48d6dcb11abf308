/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The boot clock at EL2, in nanoseconds.
 *
 * From the physical counter: the virtual one is shifted by CNTVOFF_EL2 while a
 * vCPU is loaded, which would misdate all that happens then.
 */
#ifndef __ARM64_KVM_HYP_NVHE_CLOCK_H
#define __ARM64_KVM_HYP_NVHE_CLOCK_H

#include <linux/math64.h>
#include <linux/types.h>

#include <asm/alternative.h>
#include <asm/sysreg.h>

/**
 * struct hyp_clock - how to convert cycles to boot time
 * @mult:	nanoseconds per cycle, as a fraction of 2^(64 - @shift)
 * @shift:	such that @mult fits: a cycle is shorter than 2^@shift ns
 * @base:	boot time when the counter was 0, modulo 2^64 [ns]
 *
 * ns = base + (cyc << shift) * mult / 2^64. The product is the upper half of a
 * 64 x 64 bit multiplication, so that it cannot overflow: with the slowest counter
 * that the architecture allows (1 MHz, shift 10) the shift would take 500 years
 * to. Any values are safe: they can give a wrong time, nothing worse, and the
 * ring keeps even that from going backwards.
 *
 * Each CPU has its own copy, replaced by that CPU only, between two events:
 * it can't be seen half-written and needs neither banks nor a lock.
 */
struct hyp_clock {
	u64	mult;
	u64	shift;
	u64	base;
};

/* The isb keeps the counter from being read early; FEAT_ECV needs none. */
static __always_inline u64 hyp_clock_cycles(void)
{
	u64 cyc;

	asm volatile(ALTERNATIVE("isb\n mrs %0, cntpct_el0",
				 "nop\n" __mrs_s("%0", SYS_CNTPCTSS_EL0),
				 ARM64_HAS_ECV)
		     : "=r" (cyc) : : "memory");
	return cyc;
}

/**
 * hyp_clock_now() - boot time
 * @clock:	this CPU's clock
 *
 * Return: boot time [ns]
 */
static __always_inline u64 hyp_clock_now(const struct hyp_clock *clock)
{
	u64 cyc = hyp_clock_cycles();

	return clock->base +
	       mul_u64_u64_shr(cyc << clock->shift, clock->mult, 64);
}

#endif /* __ARM64_KVM_HYP_NVHE_CLOCK_H */
