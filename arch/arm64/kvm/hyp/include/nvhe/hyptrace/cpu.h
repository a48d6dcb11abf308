/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: the state of each CPU (cpu.c).
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_CPU_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_CPU_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/cleanup.h>
#include <linux/ext_filter.h>
#include <linux/ext_ring_writer.h>
#include <linux/percpu-defs.h>
#include <linux/stddef.h>
#include <linux/trace_events.h>
#include <linux/trace_ext_function.h>

#include <asm/hyptrace.h>
#include <asm/kvm_hyp.h>

#include <nvhe/hyptrace/calls.h>
#include <nvhe/hyptrace/clock.h>
#include <nvhe/hyptrace/memory.h>
#include <nvhe/hyptrace/totals.h>
#include <nvhe/spinlock.h>

DEFINE_LOCK_GUARD_1(hyp_trace_lock, hyp_spinlock_t, hyp_spin_lock(_T->lock),
		    hyp_spin_unlock(_T->lock))

/**
 * struct hyp_panic_regs - the exception for which EL2 has panicked first
 * @panicked:	there is one
 * @esr:	ESR_EL2
 * @elr:	ELR_EL2
 * @spsr:	SPSR_EL2
 * @par:	PAR_EL1
 * @far:	FAR_EL2
 * @hpfar:	HPFAR_EL2
 */
struct hyp_panic_regs {
	bool			panicked;
	u64			esr;
	u64			elr;
	u64			spsr;
	u64			par;
	u64			far;
	u64			hpfar;
};

/**
 * struct hyp_trace_draft - a record before it is in the ring, if at all: struct ext_filter_data
 * @cpu:	this CPU
 * @record:	its record
 * @zero:	0. A filter may read it, and its result may depend on it while the host
 *		replaces the filter
 */
struct hyp_trace_draft {
	u64	cpu;
	u8	record[HYP_RECORD_MAX] __aligned(8);
	u64	zero;
};

static_assert(offsetof(struct hyp_trace_draft, record) ==
	      offsetof(struct ext_filter_data, record));

/**
 * struct hyp_trace_ring - a ring, and what the hypercalls need to know of it
 * @ring:	the ring
 * @was_open:	the ring that was unloaded last was open: so is the next one, once its CPU runs
 * @memory:	the memory of @ring
 */
struct hyp_trace_ring {
	struct ext_ring		ring;
	bool			was_open;
	struct hyp_trace_memory	memory;
};

static inline bool hyp_trace_ring_is_loaded(const struct hyp_trace_ring *ring)
{
	return ring->memory.stage == HYP_TRACE_LOADED;
}

/* Is there anything to do for its events? A suspended ring counts those that it misses. */
static inline bool hyp_trace_ring_is_traced(const struct hyp_trace_ring *ring)
{
	return ring->ring.open || ring->ring.suspended;
}

/**
 * struct hyp_trace_cpu - tracing state of one CPU
 * @user:	the ring for readers of hyp/
 * @clock:	this CPU's copy of the clock
 * @draft:	the event that is recorded by the slow path, or that may be recorded
 * @stack:	the stack that is being recorded
 * @pid:	the host's task that has entered EL2
 * @entered:	not 0 if the last hyp_enter has been recorded and its hyp_exit has not
 * @nr_spans:	spans begun since boot; the id of the last one
 * @vector:	offset of the vectors for exceptions of the host from the ordinary ones
 * @traced:	a ring is open or suspended, and what happens is not hidden (hide.c)
 * @followed:	what happens until EL2 is left goes to the follower's ring
 * @leave:	HYP_LEAVE_*: what there is to do when EL2 is left, and what is special about the
 *		host's present call
 * @follower:	the ring for the host itself: what is followed
 * @totals:	totals of the time at EL2
 * @calls:	functions that have been called
 * @panic:	why this CPU has panicked
 * @lock:	protects the fields below, the set-up of both rings and their readers' side,
 *		but not @user.ring.overwrite, see rings_set_overwrite() in words.c
 * @parked:	the CPU is off or in firmware, so it can't be writing
 * @totals_memory: the memory of the table of @totals
 */
struct hyp_trace_cpu {
	struct hyp_trace_ring	user;
	struct hyp_clock	clock;
	struct hyp_trace_draft	draft;
	struct trace_ext_stack	stack;
	u64			pid;
	u32			entered;
	u64			nr_spans;
	u64			vector;
	bool			traced;
	bool			followed;
	u8			leave;
	struct hyp_trace_ring	follower;
	struct hyp_totals_cpu	totals;
#ifdef CONFIG_KVM_HYPTRACE_FUNCTIONS
	struct hyp_calls	calls;
#endif
	struct hyp_panic_regs	panic;

	hyp_spinlock_t		lock;
	bool			parked;
	struct hyp_trace_memory	totals_memory;
};

/*
 * Bits of struct hyp_trace_cpu.leave. The first three say what there is to do when EL2 is left; the
 * others are about the host's present call, and end with it.
 */

/* Raise the SGI. */
#define HYP_LEAVE_RING		BIT(0)
/* Raise the SGI, for events that are followed. */
#define HYP_LEAVE_FOLLOWED	BIT(1)
/* Tell the host that triggers have stopped or started recording, if it does not know. */
#define HYP_LEAVE_TURNED	BIT(2)
/* The hyp_exit of this call has been recorded already. */
#define HYP_LEAVE_EXITED	BIT(3)
/* The result of this call is not shown. */
#define HYP_LEAVE_HIDDEN	BIT(4)

DECLARE_PER_CPU(struct hyp_trace_cpu, hyp_trace_cpu);

/* Indexed by CPU, 0 if there is no such CPU (hyp-smp.c). */
extern unsigned long kvm_arm_hyp_percpu_base[NR_CPUS];

/* The tracing state of a CPU, whose number is untrusted; NULL if there is no such CPU. */
static inline struct hyp_trace_cpu *hyp_trace_cpu_get(u64 cpu)
{
	if (cpu >= NR_CPUS || !kvm_arm_hyp_percpu_base[cpu])
		return NULL;

	return per_cpu_ptr(&hyp_trace_cpu, cpu);
}

bool hyp_trace_cpu_is_away(struct hyp_trace_cpu *cpu);

/* If long intervals are wanted, keep which event is the next one at @now [cycles], which is @ns. */
static __always_inline void hyp_totals_mark(struct hyp_totals_mark *mark,
					    const struct hyp_trace_cpu *cpu, u64 now, u64 ns)
{
	if (!cpu->totals.maxima)
		return;

	mark->at = now;
	mark->ns = ns;
	mark->seq = cpu->user.ring.seq;
	mark->cpu = cpu->draft.cpu;
}

/* EL2 has panicked: no CPU may trace any more, but for hyp_panic. */
extern bool hyp_trace_panicked;

/*
 * Keep the pid of the task that has entered EL2. The host writes it in
 * contextidr_thread_switch(). From here on the register changes hands, somewhere in the middle
 * of a switch to a vCPU.
 */
static __always_inline void hyp_trace_latch_pid(struct hyp_trace_cpu *cpu)
{
	cpu->pid = read_sysreg_el1(SYS_CONTEXTIDR);
}

/* Fill in a record's struct trace_entry: type, no flags, no preempt count, pid. */
static __always_inline void hyp_trace_head(const struct hyp_trace_cpu *cpu, void *ent, u64 type)
{
	*(u64 *)ent = type | cpu->pid << 32;
}

static_assert(sizeof(struct trace_entry) == sizeof(u64));
static_assert(offsetof(struct trace_entry, type) == 0);
static_assert(offsetof(struct trace_entry, pid) == 4);

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_CPU_H */
