// SPDX-License-Identifier: GPL-2.0-only
/*
 * How EL2 tells the host that there is something to read: by an interrupt to the
 * CPU that it runs on, which the host takes when EL2 is left. That is the earliest
 * moment at which anybody on this CPU could do anything about it, and by then the
 * event has been committed.
 *
 * It is a software generated interrupt of the host's choice, and the host could
 * raise it as well as EL2 can. It takes a GICv3 whose CPU interface is in system
 * registers.
 */

#include <nvhe/trace.h>

#include <linux/irqchip/arm-gic-v3.h>

#include <asm/cpufeature.h>
#include <asm/cputype.h>

#define NR_SGIS		16

/* The interrupt, if there is one. */
static u32 doorbell_sgi;
static bool doorbell_set;

/** hyp_trace_has_doorbell() - can EL2 tell the host? */
bool hyp_trace_has_doorbell(void)
{
	return READ_ONCE(doorbell_set);
}

/**
 * hyp_trace_set_doorbell() - choose the interrupt
 * @sgi:	its number
 *
 * Return: 0, -EINVAL if there is no such SGI, -EOPNOTSUPP if EL2 can't raise any
 */
int hyp_trace_set_doorbell(u64 sgi)
{
	if (sgi >= NR_SGIS)
		return -EINVAL;
	if (!cpus_have_final_cap(ARM64_HAS_GIC_CPUIF_SYSREGS))
		return -EOPNOTSUPP;

	WRITE_ONCE(doorbell_sgi, sgi);
	WRITE_ONCE(doorbell_set, true);
	return 0;
}

/* ICC_SGI1R_EL1: this CPU by its affinity, and the SGI's number. */
void ext_ring_doorbell(void)
{
	u64 mpidr = read_cpuid_mpidr();
	u64 aff0 = MPIDR_AFFINITY_LEVEL(mpidr, 0);

	write_sysreg_s(BIT(aff0 % 16) |
		       aff0 / 16 << ICC_SGI1R_RS_SHIFT |
		       (u64)MPIDR_AFFINITY_LEVEL(mpidr, 1) << ICC_SGI1R_AFFINITY_1_SHIFT |
		       (u64)MPIDR_AFFINITY_LEVEL(mpidr, 2) << ICC_SGI1R_AFFINITY_2_SHIFT |
		       (u64)MPIDR_AFFINITY_LEVEL(mpidr, 3) << ICC_SGI1R_AFFINITY_3_SHIFT |
		       (u64)READ_ONCE(doorbell_sgi) << ICC_SGI1R_SGI_ID_SHIFT,
		       SYS_ICC_SGI1R_EL1);
}
