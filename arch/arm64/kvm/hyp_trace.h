/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Host side of hypervisor tracing: what its files share.
 */
#ifndef __ARM64_KVM_HYP_TRACE_H
#define __ARM64_KVM_HYP_TRACE_H

#include <linux/arm-smccc.h>
#include <linux/errno.h>

#include <asm/kvm_asm.h>

/**
 * hyp_trace_call() - a tracing hypercall, see asm/kvm_hyptrace.h
 * @res:	struct arm_smccc_res *, for results beyond the first
 * @func:	the hypercall
 *
 * Return: the first result as an int; -ENODEV if EL2 does not know the call,
 * which is so if KVM's hypervisor is not installed there
 */
#define hyp_trace_call(res, func, ...)					\
({									\
	struct arm_smccc_res *__r = (res);				\
									\
	arm_smccc_1_1_hvc(KVM_HOST_SMCCC_FUNC(func), ##__VA_ARGS__, __r); \
	__r->a0 == SMCCC_RET_SUCCESS ? (int)__r->a1 : -ENODEV;		\
})

void hyp_trace_sync_cpus(void);

int hyp_trace_clock_start(void);
void hyp_trace_clock_stop(void);

int hyp_trace_doorbell_init(void);

#endif /* __ARM64_KVM_HYP_TRACE_H */
