/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: the event sites, and the hooks into the hypervisor.
 *
 * For each event of trace/events/hyp.h there is
 *
 *   trace_<event>(args)	record it, if it is enabled
 *   trace_<event>_enabled()	is it? To guard costly arguments
 *
 * A disabled event costs a load, a test and a branch; the rest is out of line. Without
 * CONFIG_NVHE_EL2_TRACING, and in the parts of EL2's code that are compiled for the
 * kernel, too, all are empty.
 */
#ifndef __ARM64_KVM_HYP_NVHE_TRACE_H
#define __ARM64_KVM_HYP_NVHE_TRACE_H

#include <trace/misc/hyp.h>

#include <asm/kvm_hyp.h>

#if defined(CONFIG_NVHE_EL2_TRACING) && defined(__KVM_NVHE_HYPERVISOR__)

#include <asm/kvm_hyptrace_ids.h>
#include <linux/trace_events.h>

#include <asm/kvm_hyptrace.h>

#include <nvhe/clock.h>
#include <linux/ext_ring_writer.h>
#include <nvhe/spinlock.h>

/**
 * enum hyp_trace_stage - what has become of the memory that the host offers for a ring
 * @HYP_TRACE_NO_RING:	there is none
 * @HYP_TRACE_LOADING:	it is being taken, step by step
 * @HYP_TRACE_LOADED:	it is the ring's
 * @HYP_TRACE_UNLOADING: it is being given back, step by step
 */
enum hyp_trace_stage {
	HYP_TRACE_NO_RING,
	HYP_TRACE_LOADING,
	HYP_TRACE_LOADED,
	HYP_TRACE_UNLOADING,
};

/**
 * struct hyp_trace_load - the memory of a ring, as far as EL2 has it (trace_load.c)
 * @stage:	on its way to the ring, there, or back
 * @region_pfn:	first page of the donated region, and
 * @region_pages: its size
 * @nr_slots:	pages that the ring has
 * @region_taken: pages of the region that are EL2's, from the first on
 * @pages_taken: data pages that are pinned, from the last on
 * @meta:	the meta page, NULL if it is not pinned
 * @error:	while it is given back: what was wrong with it, 0 if nothing was
 */
struct hyp_trace_load {
	enum hyp_trace_stage	stage;
	u64			region_pfn;
	u64			region_pages;
	u32			nr_slots;
	u32			region_taken;
	u32			pages_taken;
	void			*meta;
	int			error;
};

/**
 * struct hyp_trace_cpu - tracing state of one CPU
 * @ring:	the ring, whose writer this CPU is
 * @clock:	this CPU's copy of the clock
 * @host_ctxt:	where the host's registers are while a guest's are loaded
 * @entered:	not 0: the last hyp_enter has been recorded, its hyp_exit has not
 * @nr_spans:	spans begun since boot; the last one's id
 * @vector:	where the vectors for exceptions of the host are, from the usual ones
 * @lock:	protects all below, @ring's set-up, and the readers' side of it;
 *		not @ring.overwrite, see rings_set_overwrite()
 * @parked:	the CPU is in firmware or off: it can't be writing
 * @was_open:	the ring that was unloaded last was open
 * @load:	@ring's memory
 */
struct hyp_trace_cpu {
	struct ext_ring		ring;
	struct hyp_clock	clock;
	struct kvm_cpu_context	*host_ctxt;
	u32			entered;
	u64			nr_spans;
	u64			vector;

	hyp_spinlock_t		lock;
	bool			parked;
	bool			was_open;
	struct hyp_trace_load	load;
};

DECLARE_PER_CPU(struct hyp_trace_cpu, hyp_trace_cpu);

/**
 * hyp_trace_is_loaded() - has a CPU a ring?
 * @cpu:	the CPU, locked
 */
static inline bool hyp_trace_is_loaded(const struct hyp_trace_cpu *cpu)
{
	return cpu->load.stage == HYP_TRACE_LOADED;
}

int hyp_trace_load(struct hyp_trace_cpu *cpu, u64 pfn, u64 nr_pages, u32 nr_slots);
int hyp_trace_unload(struct hyp_trace_cpu *cpu);
int hyp_trace_ring_quiescent(struct hyp_trace_cpu *cpu);

/* EL2 has panicked: nothing of tracing is to happen any more, on any CPU. */
extern bool hyp_trace_panicked;

void hyp_trace_take_clock(struct hyp_trace_cpu *cpu);

/* By CPU; 0 if there is no such CPU (hyp-smp.c). */
extern unsigned long kvm_arm_hyp_percpu_base[NR_CPUS];

/* Behind the last event: not 0 if any is enabled. */
#define HYP_EVENT_ANY	HYP_NR_EVENTS

/* The host's event type per event, a u16; 0: disabled. */
extern u32 hyp_event_id[HYP_NR_EVENTS + 1];

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

/* Of the places with several events, which have one check in common. */
static __always_inline bool hyp_trace_any(void)
{
	return hyp_event_id_read(HYP_EVENT_ANY);
}

void __hyp_trace_guest_enter(const struct kvm_vcpu *vcpu);
void __hyp_trace_guest_exit(const struct kvm_vcpu *vcpu, u64 exit_code);
void __hyp_trace_guest_fixup(const struct kvm_vcpu *vcpu, u64 exit_code,
			     bool handled);

/**
 * hyp_trace_guest_enter() - a guest is about to run
 * @vcpu:	its vCPU
 */
static __always_inline void hyp_trace_guest_enter(const struct kvm_vcpu *vcpu)
{
	if (unlikely(hyp_trace_any()))
		__hyp_trace_guest_enter(vcpu);
}

/**
 * hyp_trace_guest_exit() - a guest has run
 * @vcpu:	its vCPU
 * @exit_code:	ARM_EXCEPTION_*, perhaps with a system error
 */
static __always_inline void hyp_trace_guest_exit(const struct kvm_vcpu *vcpu,
						 u64 exit_code)
{
	if (unlikely(hyp_trace_any()))
		__hyp_trace_guest_exit(vcpu, exit_code);
}

/**
 * hyp_trace_guest_fixup() - EL2 has looked at a guest's exit
 * @vcpu:	its vCPU, with the syndrome in it
 * @exit_code:	as of hyp_trace_guest_exit(), or what EL2 has made of it
 * @handled:	the guest goes on; else the host is to see to it
 */
static __always_inline void hyp_trace_guest_fixup(const struct kvm_vcpu *vcpu,
						  u64 exit_code, bool handled)
{
	if (unlikely(hyp_trace_any()))
		__hyp_trace_guest_fixup(vcpu, exit_code, handled);
}

/**
 * hyp_trace_inject() - a vCPU is being loaded
 * @vcpu:	it, perhaps with an exception that it is to take
 */
static __always_inline void hyp_trace_inject(const struct kvm_vcpu *vcpu)
{
	if (unlikely(trace_vcpu_inject_enabled()) &&
	    vcpu_get_flag(vcpu, PENDING_EXCEPTION))
		trace_vcpu_inject(vcpu);
}

void __hyp_trace_ffa(u64 func_id, const struct kvm_cpu_context *host_ctxt,
		     bool handled);

/**
 * hyp_trace_host_smc() - an SMC of the host has been looked at
 * @func_id:	what it calls
 * @host_ctxt:	the host's, with the result in it if
 * @handled:	EL2 has handled it; else it is passed on now, as it is
 */
static __always_inline void
hyp_trace_host_smc(u64 func_id, const struct kvm_cpu_context *host_ctxt, bool handled)
{
	trace_host_smc(func_id, !handled);
	if (unlikely(trace_host_ffa_call_enabled()))
		__hyp_trace_ffa(func_id, host_ctxt, handled);
}

void __hyp_trace_psci_forward(u64 fn);

/**
 * hyp_trace_psci_forward() - a PSCI call is passed on as it is
 * @host_ctxt:	the host's, with the call in it
 */
static __always_inline void
hyp_trace_psci_forward(const struct kvm_cpu_context *host_ctxt)
{
	if (unlikely(trace_psci_cpu_off_enabled()))
		__hyp_trace_psci_forward(host_ctxt->regs.regs[0]);
}

void hyp_trace_psci_leave(void);
void hyp_trace_psci_return(void);
void hyp_trace_cpu_entry(void);
void hyp_trace_cpu_start(void);

/* In hyp-main.c. */
bool hyp_trace_hcall_is_valid(u64 id);
void handle_trap(struct kvm_cpu_context *host_ctxt);

void hyp_trace_handle_trap(struct kvm_cpu_context *host_ctxt);
void hyp_trace_vector_update(struct hyp_trace_cpu *cpu);
void hyp_trace_panic(void);

/**
 * hyp_trace_host_vector() - the vectors for exceptions of the host
 * @usual:	those that there are without tracing
 */
#define hyp_trace_host_vector(usual)					\
	((u64)(usual) + this_cpu_ptr(&hyp_trace_cpu)->vector)

#ifdef CONFIG_NVHE_EL2_TRACING_TEST
#define HYP_TRACE_TEST_HCALLS(X)					\
	X(__hyp_trace_write_event)					\
	X(__hyp_trace_test)
#else
#define HYP_TRACE_TEST_HCALLS(X)
#endif

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
	HYP_TRACE_TEST_HCALLS(X)

#define HYP_TRACE_HANDLER(name)						\
	void handle_##name(struct kvm_cpu_context *host_ctxt);
HYP_TRACE_HCALLS(HYP_TRACE_HANDLER)

#else /* nothing is traced */

#define HYP_TRACE_HCALLS(X)

#include <linux/tracepoint.h>

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)			\
static inline bool trace_##name##_enabled(void)				\
{									\
	return false;							\
}									\
									\
static inline void trace_##name(proto)					\
{									\
}

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))

#include <trace/events/hyp.h>

#undef TRACE_EVENT
#undef DEFINE_EVENT
#undef DECLARE_EVENT_CLASS
#include <linux/tracepoint.h>

static inline void hyp_trace_guest_enter(const struct kvm_vcpu *vcpu) { }
static inline void hyp_trace_guest_exit(const struct kvm_vcpu *vcpu, u64 exit_code) { }
static inline void hyp_trace_guest_fixup(const struct kvm_vcpu *vcpu, u64 exit_code,
					 bool handled) { }
static inline void hyp_trace_inject(const struct kvm_vcpu *vcpu) { }
static inline void hyp_trace_host_smc(u64 func_id, const struct kvm_cpu_context *host_ctxt,
				      bool handled) { }
static inline void hyp_trace_psci_forward(const struct kvm_cpu_context *host_ctxt) { }
static inline void hyp_trace_psci_leave(void) { }
static inline void hyp_trace_psci_return(void) { }
static inline void hyp_trace_cpu_entry(void) { }
static inline void hyp_trace_cpu_start(void) { }
static inline void hyp_trace_panic(void) { }

#define hyp_trace_host_vector(usual)	(usual)

#endif
#endif /* __ARM64_KVM_HYP_NVHE_TRACE_H */
