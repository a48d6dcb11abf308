/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: the event sites, and the hooks into the hypervisor.
 *
 * For each event of trace/events/hyp.h there is
 *
 *   trace_<event>(args)	records the event, if it is enabled
 *   trace_<event>_enabled()	tests for that, to guard costly arguments
 *
 * A disabled event costs a load, a test and a branch; the rest is out of line. These
 * functions are empty without CONFIG_NVHE_EL2_TRACING, and where a file of EL2's is
 * compiled for the kernel as well.
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_H

#include <trace/misc/hyp.h>

#include <asm/kvm_hyp.h>

#if defined(CONFIG_NVHE_EL2_TRACING) && defined(__KVM_NVHE_HYPERVISOR__)

#include <asm/hyptrace_ids.h>
#include <linux/bitfield.h>
#include <linux/trace_events.h>

#include <asm/hyptrace.h>

#include <nvhe/hyptrace/clock.h>
#include <linux/ext_filter.h>
#include <linux/ext_ring_writer.h>
#include <nvhe/spinlock.h>
#include <nvhe/hyptrace/totals.h>
#include <nvhe/hyptrace/function.h>
#include <nvhe/hyptrace/stack.h>

/**
 * enum hyp_trace_stage - state of memory for a ring or a table
 * @HYP_TRACE_NO_MEMORY: there is none
 * @HYP_TRACE_LOADING:	the memory is being taken from the host, step by step
 * @HYP_TRACE_LOADED:	the ring or table is ready
 * @HYP_TRACE_UNLOADING: the memory is being given back, step by step
 */
enum hyp_trace_stage {
	HYP_TRACE_NO_MEMORY,
	HYP_TRACE_LOADING,
	HYP_TRACE_LOADED,
	HYP_TRACE_UNLOADING,
};

/**
 * struct hyp_trace_memory - memory that EL2 has taken from the host (memory.c)
 * @stage:	whether the memory is being taken or given back
 * @region_pfn:	first page of the donated region
 * @region_pages: size of the donated region
 * @nr_pages:	number of shared pages, which the list at the start of the region names
 * @element:	size of an element of the list, once a page is pinned [bytes]
 * @region_taken: pages of the region that EL2 owns, counted from the first
 * @pages_taken: shared pages that are pinned, counted from the last
 * @set_up:	how much of what the memory is for has been set up, if that takes steps, too
 * @error:	why a load has failed, while its memory is given back; 0 in an unload
 */
struct hyp_trace_memory {
	enum hyp_trace_stage	stage;
	u64			region_pfn;
	u64			region_pages;
	u32			nr_pages;
	u32			element;
	u32			region_taken;
	u32			pages_taken;
	u32			set_up;
	int			error;
};

void *hyp_trace_memory_element(const struct hyp_trace_memory *mem, u32 i);
void *hyp_trace_memory_page(const struct hyp_trace_memory *mem, u32 i);
int hyp_trace_memory_load(struct hyp_trace_memory *mem, u64 pfn, u64 region_pages,
			  u32 nr_pages, u32 element);
int hyp_trace_memory_unload(struct hyp_trace_memory *mem);

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
 * @beyond:	0. A filter may read it, and its result may depend on it while the host
 *		replaces the filter
 */
struct hyp_trace_draft {
	u64	cpu;
	u8	record[HYP_RECORD_MAX] __aligned(8);
	u64	beyond;
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
 * @traced:	a ring is open or suspended
 * @followed:	what happens until EL2 is left goes to the follower's ring
 * @leave:	HYP_LEAVE_*, what there is to do when EL2 is left for the host
 * @follower:	the ring for the host itself: what is followed
 * @totals:	totals of the time at EL2
 * @calls:	functions that have been called
 * @panic:	why this CPU has panicked
 * @lock:	protects the fields below, the set-up of both rings and their readers' side,
 *		but not @user.ring.overwrite, see rings_set_overwrite()
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
#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
	struct hyp_calls	calls;
#endif
	struct hyp_panic_regs	panic;

	hyp_spinlock_t		lock;
	bool			parked;
	struct hyp_trace_memory	totals_memory;
};

/*
 * Raise the SGI; raise it for what is followed; tell the host if it does not know whether triggers
 * have stopped recording; this call's hyp_exit has been recorded.
 */
#define HYP_LEAVE_RING		BIT(0)
#define HYP_LEAVE_FOLLOWED	BIT(1)
#define HYP_LEAVE_TURNED	BIT(2)
#define HYP_LEAVE_EXITED	BIT(3)

DECLARE_PER_CPU(struct hyp_trace_cpu, hyp_trace_cpu);

struct hyp_trace_cpu *hyp_trace_cpu_get(u64 cpu);
bool hyp_trace_cpu_is_away(struct hyp_trace_cpu *cpu);
void hyp_trace_rings_reopen(struct hyp_trace_cpu *cpu);
bool hyp_trace_ring_claim(struct hyp_trace_cpu *cpu);
void hyp_trace_end(struct hyp_trace_cpu *cpu);

/* EL2 has panicked: no CPU may trace any more, but for hyp_panic. */
extern bool hyp_trace_panicked;

void hyp_trace_take_clock(struct hyp_trace_cpu *cpu);

/**
 * hyp_trace_latch_pid() - keep the pid of the task that has entered EL2
 * @cpu:	this CPU
 *
 * The host writes it in contextidr_thread_switch(). From here on the register changes hands,
 * somewhere in the middle of a switch to a vCPU.
 */
static __always_inline void hyp_trace_latch_pid(struct hyp_trace_cpu *cpu)
{
	cpu->pid = read_sysreg_el1(SYS_CONTEXTIDR);
}

/**
 * hyp_trace_head() - fill in a record's struct trace_entry: type, no flags, no preempt count, pid
 * @cpu:	this CPU
 * @ent:	the struct trace_entry
 * @type:	the host's number of the event
 */
static __always_inline void hyp_trace_head(const struct hyp_trace_cpu *cpu, void *ent, u64 type)
{
	*(u64 *)ent = type | cpu->pid << 32;
}

static_assert(sizeof(struct trace_entry) == sizeof(u64));
static_assert(offsetof(struct trace_entry, type) == 0);
static_assert(offsetof(struct trace_entry, pid) == 4);

/* Indexed by CPU, 0 if there is no such CPU (hyp-smp.c). */
extern unsigned long kvm_arm_hyp_percpu_base[NR_CPUS];

/*
 * Words behind those of the events in hyp_event_id[]. The first one is not 0 if any event is
 * enabled, but those that guests record themselves; the second one is that, with
 * HYP_TRACE_TOTALS if totals are kept. The others are not 0 if calls of functions are recorded,
 * returns from what was recorded, and marks.
 */
#define HYP_EVENT_ANY	HYP_NR_EVENTS
#define HYP_EVENT_GUEST	(HYP_NR_EVENTS + 1)
#define HYP_EVENT_CALL	(HYP_NR_EVENTS + 2)
#define HYP_EVENT_RETURN (HYP_NR_EVENTS + 3)
#define HYP_EVENT_MARK	(HYP_NR_EVENTS + 4)
#define HYP_EVENT_WORDS	(HYP_NR_EVENTS + 5)

#define HYP_TRACE_TOTALS	BIT(16)

/*
 * The host's event type of each event, a u16; 0 if the event is disabled. If the event has a
 * filter, is a trigger or is followed, its number and these bits follow.
 */
extern u32 hyp_event_id[HYP_EVENT_WORDS];

#define HYP_EVENT_NUMBER	GENMASK(23, 16)
#define HYP_EVENT_UNPAIRED	BIT(26)	/* a hyp_exit without a hyp_enter: not recorded */
#define HYP_EVENT_UNRECORDED	BIT(27)	/* it does not go to the user's ring, or not now */
#define HYP_EVENT_STACK		BIT(28)	/* where it is recorded, the stack is, too */
#define HYP_EVENT_FOLLOWED	BIT(29)	/* it goes to the follower's ring */
#define HYP_EVENT_TRIGGER	BIT(30)
#define HYP_EVENT_DRAFT		BIT(31)	/* any of these: the record is a draft first */

/* With these, there is more to do than to record the event. Adjacent bits, for one test. */
#define HYP_EVENT_BEYOND	(HYP_EVENT_TRIGGER | HYP_EVENT_FOLLOWED | HYP_EVENT_STACK)

static_assert(BIT(HWEIGHT(HYP_EVENT_NUMBER)) >= HYP_NR_EVENTS);

u32 hyp_record_size(unsigned int event);

/*
 * Read hyp_event_id[@event] in two instructions. The compiler would take three, because it
 * first computes the array's address; and it might keep that in a register that the
 * calling function then has to save.
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
void hyp_trace_enter_at(u8 reason, u64 now);
void hyp_trace_enter_host_at(u64 esr, u64 now);
void hyp_trace_exit_at(u8 reason, u64 now);
void __hyp_trace_enter_host(u64 type, u64 esr);
void __hyp_trace_exit(u64 type, u8 reason);
bool hyp_trace_event_is_set(unsigned int event);
void hyp_trace_set_followed(unsigned int event, u16 id);
void hyp_trace_set_functions(bool on);
void hyp_trace_set_filtered(unsigned int event, bool filtered);
void hyp_trace_set_stacks(bool on);
void hyp_trace_set_trigger(unsigned int event, enum hyp_filter_use use, bool trigger);
bool hyp_trace_is_running(void);
bool hyp_trace_turn(bool on);
bool hyp_trace_tell(struct hyp_trace_cpu *cpu);
bool hyp_trace_tell_later(void);
bool hyp_trace_triggered(struct hyp_trace_cpu *cpu, u64 type, u32 size, u64 now);
bool hyp_trace_beyond_ring(u64 type, u64 size, struct hyp_trace_cpu *cpu, u64 now);
bool hyp_trace_has_doorbell(void);
int hyp_trace_set_doorbell(u64 sgi);
void hyp_trace_raise(void);
void __hyp_trace_leave(struct hyp_trace_cpu *cpu, u8 now);
void hyp_trace_exit_early(struct hyp_trace_cpu *cpu);

/**
 * hyp_trace_leave() - EL2 is about to be left for the host
 * @cpu:	this CPU
 */
static __always_inline void hyp_trace_leave(struct hyp_trace_cpu *cpu)
{
	if (unlikely(cpu->leave))
		__hyp_trace_leave(cpu, cpu->leave);
}

/**
 * hyp_trace_leave_for_firmware() - EL2 is about to be left for firmware
 * @cpu:	this CPU
 *
 * A CPU whose readers wait does not go to sleep. But the events of going to sleep would be followed
 * again and again, so what is followed waits until EL2 is left for the host.
 */
static __always_inline void hyp_trace_leave_for_firmware(struct hyp_trace_cpu *cpu)
{
	__hyp_trace_leave(cpu, cpu->leave & ~HYP_LEAVE_FOLLOWED);
}

/**
 * hyp_trace_enter() - EL2 has been entered
 * @reason:	enum hyp_reason
 *
 * Like trace_hyp_enter(), but also notes that a hyp_exit is due.
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
 * Like trace_hyp_exit(), but records nothing if the hyp_enter was not recorded, so that
 * pairs stay complete when tracing is turned on or off within one.
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

/* True if any event is enabled that EL2 records by itself; guards sites that emit several. */
static __always_inline bool hyp_trace_any(void)
{
	return hyp_event_id_read(HYP_EVENT_ANY);
}

u64 __hyp_trace_guest_run(struct kvm_vcpu *vcpu, u64 last_exit);
void __hyp_trace_guest_end(const struct kvm_vcpu *vcpu, u64 exit_code);

/* The exit code before a vCPU's first exit. */
#define HYP_TRACE_NO_EXIT	U64_MAX

/**
 * hyp_trace_guest_begin() - the host has EL2 run a vCPU
 *
 * EL2 looks only here, not at each exit of the guest that it handles. So the host ends the runs of
 * vCPUs when it begins to trace: hyptrace_end_guest_runs(), or hyptrace_totals_turn().
 *
 * Return: what is traced of guests: 0 for nothing, HYP_TRACE_TOTALS for totals only
 */
static __always_inline u64 hyp_trace_guest_begin(void)
{
	return hyp_event_id_read(HYP_EVENT_GUEST);
}

/**
 * hyp_trace_guest_refused() - test whether __guest_enter() would refuse to enter a guest
 *
 * It does so if an interrupt is pending. Then the guest does not run and EL2 is not left, so
 * nothing is recorded or counted. An interrupt that comes after this test, before
 * __guest_enter() looks, is recorded as if it had come after the guest's entry.
 *
 * Return: true if so; the exit code is ARM_EXCEPTION_IRQ
 */
static __always_inline bool hyp_trace_guest_refused(void)
{
	if (likely(!read_sysreg(isr_el1)))
		return false;

	/* __guest_enter() does the same: its callers rely on it. */
	isb();
	return true;
}

/**
 * hyp_trace_guest_run() - run a guest up to its next exit
 * @vcpu:	its vCPU
 * @traced:	what hyp_trace_guest_begin() has returned
 * @last_exit:	its last exit in this run, which EL2 has handled; or HYP_TRACE_NO_EXIT. It is read
 *		only if guests are traced
 *
 * Return: ARM_EXCEPTION_*, perhaps with a system error
 */
static __always_inline u64 hyp_trace_guest_run(struct kvm_vcpu *vcpu, u64 traced,
					       const u64 *last_exit)
{
	if (likely(!traced))
		return __guest_enter(vcpu);
	if (traced != HYP_TRACE_TOTALS)
		return __hyp_trace_guest_run(vcpu, *last_exit);

	if (unlikely(hyp_trace_guest_refused()))
		return ARM_EXCEPTION_IRQ;

	hyp_totals_guest_enter(vcpu);
	return hyp_totals_guest_exit(vcpu, __guest_enter(vcpu));
}

/**
 * hyp_trace_guest_end() - EL2 leaves a guest's exit to the host
 * @vcpu:	the vCPU, which has the syndrome
 * @traced:	what hyp_trace_guest_begin() has returned
 * @exit_code:	as of hyp_trace_guest_run(), or as EL2 has changed it
 */
static __always_inline void hyp_trace_guest_end(const struct kvm_vcpu *vcpu, u64 traced,
						u64 exit_code)
{
	if (unlikely(traced & ~HYP_TRACE_TOTALS))
		__hyp_trace_guest_end(vcpu, exit_code);
}

/**
 * hyp_trace_inject() - a vCPU is being loaded
 * @vcpu:	the vCPU, which may have an exception pending
 */
static __always_inline void hyp_trace_inject(const struct kvm_vcpu *vcpu)
{
	if (unlikely(trace_vcpu_inject_enabled()) &&
	    vcpu_get_flag(vcpu, PENDING_EXCEPTION))
		trace_vcpu_inject(vcpu);
}

/**
 * hyp_trace_vm_init() - EL2 has made its own copy of a VM
 * @kvm:	the copy
 * @host_kvm:	the VM
 */
static inline void hyp_trace_vm_init(struct kvm *kvm, const struct kvm *host_kvm)
{
	kvm->arch.hyp_trace_vm = READ_ONCE(host_kvm->arch.hyp_trace_vm);
}

void __hyp_trace_ffa(u64 func_id, const struct kvm_cpu_context *host_ctxt,
		     bool handled);

/**
 * hyp_trace_host_smc() - EL2 has handled an SMC of the host, or passes it on
 * @func_id:	the function that is called
 * @host_ctxt:	the host's registers, with the result if EL2 has handled the call
 * @handled:	EL2 has handled the call; otherwise it passes the call on unchanged
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
 * hyp_trace_psci_forward() - EL2 passes a PSCI call on unchanged
 * @host_ctxt:	the host's registers, with the call
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

void hyp_trace_handle(u64 esr, struct kvm_cpu_context *host_ctxt);
void hyp_trace_handle_trap(struct kvm_cpu_context *host_ctxt);
void hyp_follow_handle_trap(struct kvm_cpu_context *host_ctxt);
void hyp_trace_keep_totals(bool keep);
void hyp_trace_vector_update(struct hyp_trace_cpu *cpu);
void hyp_trace_panic(u64 *spsr, u64 *elr, u64 *par);

/**
 * hyp_trace_host_vector() - the vectors for exceptions of the host
 * @usual:	the vectors without tracing
 *
 * Return: @usual, or others while this CPU traces or measures
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

#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
#define HYP_FUNCTION_HCALLS(X)						\
	X(__hyp_trace_hook)						\
	X(__hyp_trace_functions)
#else
#define HYP_FUNCTION_HCALLS(X)
#endif

#define HYP_TRACE_HCALLS(X)						\
	X(__hyp_trace_load)						\
	X(__hyp_trace_unload)						\
	X(__hyp_trace_sync)						\
	X(__hyp_trace_mode)						\
	X(__hyp_trace_run)						\
	X(__hyp_trace_event)						\
	X(__hyp_trace_follow)						\
	X(__hyp_trace_pred)						\
	X(__hyp_trace_filter)						\
	X(__hyp_trace_trigger)						\
	X(__hyp_trace_triggers)						\
	X(__hyp_trace_stacks)						\
	X(__hyp_trace_mark)						\
	X(__hyp_trace_swap)						\
	X(__hyp_trace_reset)						\
	X(__hyp_trace_clock)						\
	X(__hyp_trace_alarm)						\
	X(__hyp_trace_doorbell)						\
	HYP_FUNCTION_HCALLS(X)						\
	HYP_TOTALS_HCALLS(X)						\
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

static inline void hyp_trace_guest_end(const struct kvm_vcpu *vcpu, u64 traced,
				       u64 exit_code) { }
static inline void hyp_trace_inject(const struct kvm_vcpu *vcpu) { }
static inline void hyp_trace_vm_init(struct kvm *kvm, const struct kvm *host_kvm) { }
static inline void hyp_trace_host_smc(u64 func_id, const struct kvm_cpu_context *host_ctxt,
				      bool handled) { }
static inline void hyp_trace_psci_forward(const struct kvm_cpu_context *host_ctxt) { }
static inline void hyp_trace_psci_leave(void) { }
static inline void hyp_trace_psci_return(void) { }
static inline void hyp_trace_cpu_entry(void) { }
static inline void hyp_trace_cpu_start(void) { }
static inline void hyp_trace_panic(u64 *spsr, u64 *elr, u64 *par) { }

#define hyp_trace_host_vector(usual)	(usual)

#define HYP_TRACE_NO_EXIT			0
#define hyp_trace_guest_begin()			0
#define hyp_trace_guest_run(vcpu, traced, exit)	__guest_enter(vcpu)

#endif
#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_H */
