/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: a file of EL2's that calls firmware includes this as its last header. Then all of
 * its calls are traced.
 *
 * mem_protect.c of Linux 7.3 does not. For an erratum it calls firmware in the middle of
 * hypercalls: if that were traced, a later guest's exit that the host has handled would count as
 * EL2's.
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_FIRMWARE_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_FIRMWARE_H

#include <nvhe/hyptrace.h>

#ifdef CONFIG_KVM_HYPTRACE

static inline void hyp_in_firmware_1_1(u64 a0, u64 a1, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6,
				       u64 a7, struct arm_smccc_res *res)
{
	struct arm_smccc_1_2_regs regs = {
		.a0 = a0, .a1 = a1, .a2 = a2, .a3 = a3, .a4 = a4, .a5 = a5, .a6 = a6, .a7 = a7,
	};

	hyp_in_firmware(&regs, &regs);
	*res = (struct arm_smccc_res) {
		.a0 = regs.a0, .a1 = regs.a1, .a2 = regs.a2, .a3 = regs.a3,
	};
}

#undef arm_smccc_1_1_smc
#define arm_smccc_1_1_smc	hyp_in_firmware_1_1
#define arm_smccc_1_2_smc	hyp_in_firmware

#endif
#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_FIRMWARE_H */
