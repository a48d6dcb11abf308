// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: the doorbell.
 *
 * EL2 raises an interrupt on its own CPU to tell the host that there is something to look at: an
 * alarm has gone off, events are followed, triggers have stopped or started recording, or a long
 * interval has been published. It does so when EL2 is left for the host, once whatever there is.
 * Nothing on this CPU could react earlier; and on the way to a guest, a pending interrupt would
 * throw the guest out before its first instruction. For an alarm or a long interval EL2 also rings
 * before it calls PSCI firmware, so that a CPU does not sleep while its readers wait.
 *
 * The host bounds how often that happens: an alarm goes off once, the host's own calls to get what
 * is followed are not followed, and after a trigger EL2 waits until the host has asked. For long
 * intervals EL2 rings once in 10 ms.
 *
 * The host chooses which SGI this is, and could raise it itself. EL2 can raise one if there
 * is a GICv3 whose CPU interface is in system registers; or, without protection, a GICv2,
 * whose distributor the host has mapped here.
 */

#include <nvhe/hyptrace.h>

#include <linux/io.h>
#include <linux/irqchip/arm-gic.h>
/* Both headers define these, and nothing here needs them. */
#undef GICH_LR_VIRTUALID
#undef GICH_LR_PHYSID_CPUID
#include <linux/irqchip/arm-gic-v3.h>

#include <asm/cpufeature.h>
#include <asm/cputype.h>
#include <asm/hyptrace_compat.h>

#define NR_SGIS		16

/* In GICD_SGIR: TargetListFilter, this CPU. (ARM IHI 0048B, 4.3.15) */
#define GICD_SGIR_SELF	(2U << 24)

/*
 * A GICv2's distributor, in EL2's address space; NULL if there is none. The host sets this during
 * boot, and never with protection: then it could have EL2 write to memory of EL2's own.
 */
void __iomem *hyp_trace_gicd __ro_after_init;

/* The SGI, valid if doorbell_set. */
static u32 doorbell_sgi;
static bool doorbell_set;

/* Has the host chosen an interrupt for EL2 to raise? */
bool hyp_trace_has_doorbell(void)
{
	/* Pairs with the release of handle___hyp_trace_doorbell(). */
	return smp_load_acquire(&doorbell_set);
}

/* ICC_SGI1R_EL1 takes this CPU's affinity and the number of the SGI. */
static void raise_gicv3(u32 sgi)
{
	u64 mpidr = read_cpuid_mpidr();
	u64 aff0 = MPIDR_AFFINITY_LEVEL(mpidr, 0);

	write_sysreg_s(BIT(aff0 % 16) |
		       aff0 / 16 << ICC_SGI1R_RS_SHIFT |
		       (u64)MPIDR_AFFINITY_LEVEL(mpidr, 1) << ICC_SGI1R_AFFINITY_1_SHIFT |
		       (u64)MPIDR_AFFINITY_LEVEL(mpidr, 2) << ICC_SGI1R_AFFINITY_2_SHIFT |
		       (u64)MPIDR_AFFINITY_LEVEL(mpidr, 3) << ICC_SGI1R_AFFINITY_3_SHIFT |
		       (u64)sgi << ICC_SGI1R_SGI_ID_SHIFT,
		       SYS_ICC_SGI1R_EL1);
}

/* Interrupt this CPU. */
void hyp_trace_raise(void)
{
	u32 sgi = READ_ONCE(doorbell_sgi);

	if (hyp_trace_gicd)
		writel_relaxed(GICD_SGIR_SELF | sgi, hyp_trace_gicd + GIC_DIST_SOFTINT);
	else
		raise_gicv3(sgi);
}

/* The reader is called when EL2 is left, if the host has chosen an interrupt. */
void ext_ring_doorbell(void)
{
	this_cpu_ptr(&hyp_trace_cpu)->leave |= HYP_LEAVE_RING;
}

/* EL2 is left for the host or for firmware: do what @now says, HYP_LEAVE_* of @cpu->leave. */
void __hyp_trace_leave(struct hyp_trace_cpu *cpu, u8 now)
{
	u8 later = cpu->leave & ~now;

	/* The host looks into the ring's meta page to see that EL2 has rung. */
	if (now & HYP_LEAVE_TURNED && !cpu->user.ring.open) {
		later |= HYP_LEAVE_TURNED;
	} else if (now & HYP_LEAVE_TURNED && hyp_trace_tell_later()) {
		ext_ring_call_reader(&cpu->user.ring);
		now |= HYP_LEAVE_RING;
	}

	if (now & (HYP_LEAVE_RING | HYP_LEAVE_FOLLOWED) && hyp_trace_has_doorbell())
		hyp_trace_raise();

	cpu->leave = later;
}

s64 handle___hyp_trace_doorbell(u64 sgi)
{
	if (sgi >= NR_SGIS)
		return -EINVAL;
	if (!cpus_have_final_cap(HYPTRACE_HAS_GIC_SYSREGS) && !hyp_trace_gicd)
		return -EOPNOTSUPP;

	WRITE_ONCE(doorbell_sgi, sgi);
	/* Pairs with the acquire of hyp_trace_has_doorbell(): then the SGI is there. */
	smp_store_release(&doorbell_set, true);
	return 0;
}
