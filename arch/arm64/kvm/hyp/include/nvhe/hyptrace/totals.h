/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals of the time at EL2: the hooks, see asm/hyptrace_totals.h.
 *
 * Nothing here runs while no totals are kept. The host's exceptions come through vectors of
 * their own (vector.S), and guests' entries and exits through the check for any event.
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_TOTALS_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_TOTALS_H

#include <linux/limits.h>

#include <asm/hyptrace_totals_max.h>
#include <asm/kvm_asm.h>

struct hyp_trace_cpu;
struct kvm_cpu_context;
struct kvm_vcpu;

/**
 * struct hyp_totals_own - EL2's own copy of a row
 * @low:	with @span, the intervals for which the fast path will do [ns]: none shorter
 *		than @min or longer than @max, and longer than 32 ns, up to 2^36 ns; and none
 *		that may have to be published as a long one
 * @span:	length of that range
 * @count:	number of intervals
 * @total:	sum of the intervals [ns]
 * @shared:	where the row is published
 * @min:	shortest interval [ns]
 * @max:	longest interval [ns]
 * @bucket:	number of intervals by length
 *
 * In Linux 6.12 a host can run one vCPU on two CPUs at once. Then both write to its rows, and the
 * numbers are wrong. But @shared is not written again once the row is set up, and any @low and
 * @span lead to a bucket that there is.
 */
struct hyp_totals_own {
	u64			low;
	u64			span;
	u64			count;
	u64			total;
	struct hyp_totals_row	*shared;
	u64			min;
	u64			max;
	u64			bucket[HYP_TOTALS_BUCKETS];
};

/**
 * struct hyp_totals_maxima - the long intervals that a CPU has published
 * @setting:	the host's number of the setting
 * @reset:	the host's number of the last reset
 * @threshold:	publish those that are longer [ns]
 * @number:	intervals that have been published
 * @nr_latest:	of these, those above the threshold
 * @nr_spared:	intervals above the threshold that have not been published
 * @last:	when the last one above the threshold ended [ns]
 * @rung:	when EL2 has last rung for them [ns]
 * @longest:	the longest of each row since @reset [ns]
 */
struct hyp_totals_maxima {
	u32			setting;
	u32			reset;
	u64			threshold;
	u64			number;
	u64			nr_latest;
	u64			nr_spared;
	u64			last;
	u64			rung;
	u64			longest[HYP_TOTALS_MAX_ROWS];
};

/**
 * struct hyp_totals_cpu - totals of one CPU
 * @rows:	its rows
 * @guest:	the row GUEST of the vCPU that is running, from its entry to its exit; NULL if
 *		the vCPU is not measured
 * @left:	when the CPU has left EL2, for a guest or for firmware [cycles]
 * @away:	time at EL2 that does not count: a guest or firmware had the CPU, or what EL2 did
 *		for a guest is hidden [cycles]
 * @exit_host:	1 as long as neither had it since the host has entered EL2, then 0. So a
 *		guest's exit that ends has been handled by the host if this is 1, by EL2 if
 *		it is 0
 * @psci:	the host has entered EL2 to call PSCI firmware
 * @open:	this CPU measures
 * @maxima:	what it publishes of long intervals, NULL if nothing
 * @mark:	set when the host has entered EL2, if events were recorded
 * @epoch:	the measurement that this CPU takes part in, in its upper half, and @setting of
 *		@maxima; HYP_TOTALS_CLOSED if in none
 * @hcall:	rows of hypercalls that have been counted, by number
 */
struct hyp_totals_cpu {
	struct hyp_totals_own	*rows;
	struct hyp_totals_own	*guest;
	u64			left;
	u64			away;
	u64			exit_host;
	bool			psci;
	bool			open;
	struct hyp_totals_maxima *maxima;
	struct hyp_totals_mark	mark;
	u64			epoch;
	struct hyp_totals_own	*hcall[HYPTRACE_NR_HCALLS];
};

/* No vCPU's epoch: no measurement has this number. */
#define HYP_TOTALS_CLOSED	U64_MAX

/* The present measurement, 0 before the first one. */
extern u32 hyp_totals_measurement;

/* The last reset, by the host's number. */
extern u32 hyp_totals_last_reset;

/* The host goes on: EL2 will be entered anew. */
static __always_inline void hyp_totals_settle(struct hyp_totals_cpu *totals)
{
	totals->away = 0;
	totals->exit_host = 1;
	totals->psci = false;
}

/* From now on the time is not EL2's. */
static __always_inline void hyp_totals_leave(struct hyp_totals_cpu *totals, u64 now)
{
	totals->exit_host = 0;
	totals->left = now;
}

/* From now on it is again. */
static __always_inline void hyp_totals_return(struct hyp_totals_cpu *totals, u64 now)
{
	totals->away += now - totals->left;
}

void hyp_totals_open(struct hyp_trace_cpu *cpu);
void hyp_totals_shut(struct hyp_totals_cpu *totals);

void hyp_totals_handle_trap(struct kvm_cpu_context *host_ctxt);
void hyp_totals_guest_enter(struct kvm_vcpu *vcpu);
void hyp_totals_guest_enter_at(struct kvm_vcpu *vcpu, u64 now);
u64 hyp_totals_guest_exit(struct kvm_vcpu *vcpu, u64 exit_code);
void hyp_totals_guest_exit_at(struct kvm_vcpu *vcpu, u64 exit_code, u64 now);
void hyp_totals_firmware_leave(struct hyp_trace_cpu *cpu, u8 crossing);
void hyp_totals_firmware_return(struct hyp_trace_cpu *cpu, u8 crossing);
void hyp_totals_firmware_add(struct hyp_trace_cpu *cpu, u64 fn);
void hyp_totals_vcpu_gone(struct kvm_vcpu *vcpu);

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_TOTALS_H */
