/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: the event sites, and the hooks into the hypervisor.
 *
 * For each event of trace/events/hyp.h there is
 *
 *   trace_<event>(args)	record it, if it is enabled
 *   trace_<event>_enabled()	is it? To guard costly arguments
 *
 * A disabled event costs a load, a test and a branch; the rest is out of line.
 * Without CONFIG_NVHE_EL2_TRACING all of these are empty.
 */
#ifndef __ARM64_KVM_HYP_NVHE_TRACE_H
#define __ARM64_KVM_HYP_NVHE_TRACE_H

#include <linux/hyp_events.h>

#include <asm/kvm_hyp.h>

#ifdef CONFIG_NVHE_EL2_TRACING

#include <linux/hyp_event_ids.h>
#include <linux/trace_events.h>

#include <asm/kvm_hyptrace.h>

#include <nvhe/clock.h>
#include <nvhe/ring.h>
#include <nvhe/spinlock.h>

/**
 * struct hyp_trace_cpu - tracing state of one CPU
 * @ring:	the ring, whose writer this CPU is
 * @clock:	this CPU's copy of the clock
 * @host_pid:	while a vCPU is loaded: the pid that the host ran with, with
 *		bit 32 set; else 0, for it is in CONTEXTIDR_EL1
 * @entered:	not 0: the last hyp_enter has been recorded, its hyp_exit has not
 * @lock:	protects all below, @ring's set-up, and the readers' side of it;
 *		not @ring.overwrite, see rings_set_overwrite()
 * @loaded:	@ring has pages
 * @parked:	the CPU is in firmware or off: it can't be writing
 * @was_open:	the ring that was unloaded last was open
 * @region_pfn:	first page of the donated region, and
 * @region_pages: its size
 */
struct hyp_trace_cpu {
	struct hyp_ring		ring;
	struct hyp_clock	clock;
	u64			host_pid;
	u32			entered;

	hyp_spinlock_t		lock;
	bool			loaded;
	bool			parked;
	bool			was_open;
	u64			region_pfn;
	u64			region_pages;
};

DECLARE_PER_CPU(struct hyp_trace_cpu, hyp_trace_cpu);

/* By CPU; 0 if there is no such CPU (hyp-smp.c). */
extern unsigned long kvm_arm_hyp_percpu_base[NR_CPUS];

/* The host's event type per event, a u16; 0: disabled. */
extern u32 hyp_event_id[HYP_NR_EVENTS];

/*
 * hyp_event_id[@event], in two instructions. Of an element that is not the first the
 * compiler would take the array's address, which makes three, and might keep it in a
 * register that the function around the site has to save.
 */
#define hyp_event_id_read(event)					\
({									\
	u64 __id;							\
									\
	asm volatile("adrp	%0, %1\n"				\
		     "ldr	%w0, [%0, :lo12:%1]"			\
		     : "=r" (__id) : "S" (&hyp_event_id[event]));	\
	__id;								\
})

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	void hyp_write_##name(u64 __type, proto)

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)			\
static __always_inline u64 trace_##name##_enabled(void)			\
{									\
	return hyp_event_id_read(HYP_EVENT_##name);			\
}									\
									\
static __always_inline void trace_##name(proto)				\
{									\
	u64 __type = trace_##name##_enabled();				\
									\
	if (unlikely(__type))						\
		hyp_write_##template(__type, args);			\
}

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),		\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print)); \
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))

#include <trace/events/hyp.h>

#undef TRACE_EVENT
#undef DEFINE_EVENT
#undef DECLARE_EVENT_CLASS
#include <linux/tracepoint.h>

void __hyp_trace_enter(u64 type, u8 reason);
void __hyp_trace_enter_host(u64 type, u64 esr);
void __hyp_trace_exit(u64 type, u8 reason);
bool hyp_trace_event_is_set(unsigned int event);
bool hyp_trace_has_doorbell(void);
int hyp_trace_set_doorbell(u64 sgi);

/**
 * hyp_trace_enter() - EL2 has been entered
 * @reason:	enum hyp_reason
 *
 * Like trace_hyp_enter(), and remembers that a hyp_exit is due.
 */
static __always_inline void hyp_trace_enter(u8 reason)
{
	u64 type = trace_hyp_enter_enabled();

	if (unlikely(type))
		__hyp_trace_enter(type, reason);
}

/**
 * hyp_trace_exit() - EL2 is about to be left
 * @reason:	enum hyp_reason
 *
 * Like trace_hyp_exit(), but silent if the hyp_enter was not recorded: pairs
 * stay pairs when tracing is turned on or off from within one.
 */
static __always_inline void hyp_trace_exit(u8 reason)
{
	u64 type = trace_hyp_exit_enabled();

	if (unlikely(type))
		__hyp_trace_exit(type, reason);
}

/**
 * hyp_trace_enter_host() - EL2 has been entered from the host
 * @esr:	ESR_EL2
 */
static __always_inline void hyp_trace_enter_host(u64 esr)
{
	u64 type = trace_hyp_enter_enabled();

	if (unlikely(type))
		__hyp_trace_enter_host(type, esr);
}

/**
 * hyp_trace_vcpu_load() - the host's EL1 registers are about to be replaced
 *
 * Remembers the host's pid, which is in one of them. Not conditional on
 * tracing: it may be turned on while the guest runs, and the guest's register
 * is neither the host's pid nor the host's business.
 */
static __always_inline void hyp_trace_vcpu_load(void)
{
	this_cpu_ptr(&hyp_trace_cpu)->host_pid =
		(u32)read_sysreg_el1(SYS_CONTEXTIDR) | BIT(32);
}

/** hyp_trace_vcpu_put() - the host's EL1 registers are back */
static __always_inline void hyp_trace_vcpu_put(void)
{
	this_cpu_ptr(&hyp_trace_cpu)->host_pid = 0;
}

void hyp_trace_psci_leave(void);
void hyp_trace_psci_return(void);
void hyp_trace_cpu_entry(void);

#define HYP_TRACE_HCALLS(X)						\
	X(__hyp_trace_load)						\
	X(__hyp_trace_unload)						\
	X(__hyp_trace_sync)						\
	X(__hyp_trace_mode)						\
	X(__hyp_trace_event)						\
	X(__hyp_trace_swap)						\
	X(__hyp_trace_reset)						\
	X(__hyp_trace_clock)						\
	X(__hyp_trace_alarm)						\
	X(__hyp_trace_doorbell)						\
	X(__hyp_trace_write_event)

#define HYP_TRACE_HANDLER(name)						\
	void handle_##name(struct kvm_cpu_context *host_ctxt);
HYP_TRACE_HCALLS(HYP_TRACE_HANDLER)

#else /* !CONFIG_NVHE_EL2_TRACING */

#define HYP_TRACE_HCALLS(X)

static inline void hyp_trace_enter(u8 reason) { }
static inline void hyp_trace_exit(u8 reason) { }
static inline void hyp_trace_enter_host(u64 esr) { }
static inline void hyp_trace_vcpu_load(void) { }
static inline void hyp_trace_vcpu_put(void) { }
static inline void hyp_trace_psci_leave(void) { }
static inline void hyp_trace_psci_return(void) { }
static inline void hyp_trace_cpu_entry(void) { }
static inline void trace_host_hcall(u32 id, u8 invalid) { }
static inline void trace_host_smc(u64 id, u8 forwarded) { }
static inline void trace_host_mem_abort(u64 esr, u64 addr) { }

#endif /* CONFIG_NVHE_EL2_TRACING */
#endif /* __ARM64_KVM_HYP_NVHE_TRACE_H */
