/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The boot clock at EL2, in nanoseconds.
 *
 * It reads the physical counter: while a vCPU is loaded, the virtual counter is shifted
 * by the guest's CNTVOFF_EL2.
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_CLOCK_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_CLOCK_H

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
 * 64 x 64 bit multiplication, so it can't overflow. With the slowest counter that the
 * architecture allows (1 MHz, shift 10), the shift would overflow after 500 years. The
 * host sets these values, and any are safe: at worst the time is wrong, and the ring
 * keeps it from going backwards.
 *
 * Each CPU has its own copy, which only that CPU replaces, between two events. So a copy
 * is never seen half-written, and needs no lock.
 */
struct hyp_clock {
	u64	mult;
	u64	shift;
	u64	base;
};

/* The isb keeps the counter from being read early. With FEAT_ECV none is needed. */
static __always_inline u64 hyp_clock_cycles(void)
{
	u64 cyc;

	asm volatile(ALTERNATIVE("isb\n mrs %0, cntpct_el0",
				 "nop\n" __mrs_s("%0", SYS_CNTPCTSS_EL0),
				 ARM64_HAS_ECV)
		     : "=r" (cyc) : : "memory");
	return cyc;
}

/* Convert an interval from cycles to ns. */
static __always_inline u64 hyp_clock_ns(const struct hyp_clock *clock, u64 cyc)
{
	return mul_u64_u64_shr(cyc << clock->shift, clock->mult, 64);
}

/* Boot time [ns] at a value of the counter. */
static __always_inline u64 hyp_clock_at(const struct hyp_clock *clock, u64 cyc)
{
	return clock->base + hyp_clock_ns(clock, cyc);
}

/* Boot time [ns]. */
static __always_inline u64 hyp_clock_now(const struct hyp_clock *clock)
{
	return hyp_clock_at(clock, hyp_clock_cycles());
}

bool hyp_clock_try_copy(struct hyp_clock *clock);
void hyp_clock_copy(struct hyp_clock *clock);

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_CLOCK_H */
