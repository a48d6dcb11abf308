/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: the event sites, and the hooks into the hypervisor.
 *
 * For each event of trace/events/hyp.h there is
 *
 *   hyp_emit_<event>(args)	records the event, if it is enabled
 *   hyp_emit_<event>_enabled()	tests for that, to guard costly arguments
 *
 * A disabled event costs a load, a test and a branch; the rest is out of line. These
 * functions are empty without CONFIG_KVM_HYPTRACE, and where a file of EL2's is
 * compiled for the kernel as well.
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_H

#include <linux/arm-smccc.h>

#include <trace/misc/hyp.h>

#include <asm/kvm_hyp.h>

#if defined(CONFIG_KVM_HYPTRACE) && defined(__KVM_NVHE_HYPERVISOR__)

#include <nvhe/hyptrace/cpu.h>
#include <nvhe/hyptrace/stack.h>
#include <nvhe/hyptrace/words.h>

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	void hyp_write_##name(u64 __type, proto)

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)			\
static __always_inline u64 hyp_emit_##name##_enabled(void)		\
{									\
	return hyp_word_read(HYP_EVENT_##name);				\
}									\
									\
static __always_inline void hyp_emit_##name(proto)			\
{									\
	u64 __type = hyp_emit_##name##_enabled();			\
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
bool hyp_draft_finish(u64 type, u64 size, struct hyp_trace_cpu *cpu, u64 now);
u32 hyp_record_size(unsigned int event);
bool hyp_trace_has_doorbell(void);
void hyp_trace_raise(void);
void __hyp_trace_leave(struct hyp_trace_cpu *cpu, u8 now);
void hyp_trace_exit_early(struct hyp_trace_cpu *cpu);

/* EL2 is about to be left for the host. */
static __always_inline void hyp_trace_leave(struct hyp_trace_cpu *cpu)
{
	if (unlikely(cpu->leave))
		__hyp_trace_leave(cpu, cpu->leave);
}

/*
 * EL2 is about to be left for PSCI firmware, where this CPU may sleep. Ring for an alarm or a long
 * interval: a CPU whose readers wait does not sleep. What is followed, and what triggers have done,
 * waits until EL2 is left for the host: going to sleep makes such events itself, so the CPU would
 * never sleep.
 */
static __always_inline void hyp_trace_leave_for_firmware(struct hyp_trace_cpu *cpu)
{
	__hyp_trace_leave(cpu, cpu->leave & ~(HYP_LEAVE_FOLLOWED | HYP_LEAVE_TURNED));
}

/* EL2 has been entered. Like hyp_emit_hyp_enter(), but also notes that a hyp_exit is due. */
static __always_inline void hyp_trace_enter(u8 reason)
{
	u64 type = hyp_emit_hyp_enter_enabled();

	if (unlikely(type))
		__hyp_trace_enter(type, reason);
}

/*
 * EL2 is about to be left. Like hyp_emit_hyp_exit(), but records nothing if the hyp_enter was
 * not recorded, so that pairs stay complete when tracing is turned on or off within one.
 */
static __always_inline void hyp_trace_exit(u8 reason)
{
	u64 type = hyp_emit_hyp_exit_enabled();

	if (unlikely(type))
		__hyp_trace_exit(type, reason);
}

/* EL2 has been entered from the host. */
static __always_inline void hyp_trace_enter_host(u64 esr)
{
	u64 type = hyp_emit_hyp_enter_enabled();

	if (unlikely(type))
		__hyp_trace_enter_host(type, esr);
}

/* True if any event is enabled that EL2 records by itself; guards sites that emit several. */
static __always_inline bool hyp_trace_any(void)
{
	return hyp_word_read(HYP_EVENT_ANY);
}

#ifdef HYPTRACE_PROTECTED_GUESTS
extern bool hyp_trace_unprotected;

void __hyp_trace_hide(void);
void __hyp_trace_show(void);

/* Does the host want this vCPU's runs not to be traced? */
static __always_inline bool hyp_trace_hides(const struct kvm_vcpu *vcpu)
{
	return unlikely(hyp_trace_unprotected) && vcpu_is_protected(vcpu);
}

/* Has the hypercall that is about to return done what is hidden? */
static __always_inline bool hyp_trace_has_hidden(void)
{
	return this_cpu_ptr(&hyp_trace_cpu)->leave & HYP_LEAVE_HIDDEN;
}

/**
 * hyp_trace_hide() - a vCPU is about to be run: trace nothing from here on if that is hidden
 * @vcpu:	EL2's copy of the vCPU
 */
static __always_inline void hyp_trace_hide(const struct kvm_vcpu *vcpu)
{
	if (hyp_trace_hides(vcpu))
		__hyp_trace_hide();
}

/**
 * hyp_trace_show() - a vCPU has run: trace again
 * @vcpu:	EL2's copy of the vCPU
 */
static __always_inline void hyp_trace_show(const struct kvm_vcpu *vcpu)
{
	if (hyp_trace_hides(vcpu))
		__hyp_trace_show();
}
#else
static inline bool hyp_trace_hides(const struct kvm_vcpu *vcpu) { return false; }
static inline bool hyp_trace_has_hidden(void) { return false; }
#endif

u64 __hyp_trace_guest_run(struct kvm_vcpu *vcpu, u64 last_exit);
void __hyp_trace_guest_end(const struct kvm_vcpu *vcpu, u64 exit_code);

/* The exit code before a vCPU's first exit. */
#define HYP_TRACE_NO_EXIT	U64_MAX

/**
 * hyp_trace_guest_begin() - the host has EL2 run a vCPU
 * @vcpu:	the vCPU
 *
 * EL2 looks only here, not at each exit of the guest that it handles. So the host ends the runs of
 * vCPUs when it begins to trace: hyptrace_end_guest_runs(), or hyptrace_totals_turn().
 *
 * Return: what is traced of guests: 0 for nothing, HYP_TRACE_TOTALS for totals only
 */
static __always_inline u64 hyp_trace_guest_begin(const struct kvm_vcpu *vcpu)
{
	u64 traced = hyp_word_read(HYP_EVENT_GUEST);

	return unlikely(traced) && hyp_trace_hides(vcpu) ? 0 : traced;
}

/*
 * Test whether __guest_enter() would refuse to enter a guest, with ARM_EXCEPTION_IRQ. It does so
 * if an interrupt is pending. Then the guest does not run and EL2 is not left, so nothing is
 * recorded or counted. An interrupt that comes after this test, before __guest_enter() looks, is
 * recorded as if it had come after the guest's entry.
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
	if (unlikely(hyp_emit_vcpu_inject_enabled()) &&
	    vcpu_get_flag(vcpu, PENDING_EXCEPTION))
		hyp_emit_vcpu_inject(vcpu);
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

void __hyp_trace_ffa(u64 func_id, const struct kvm_cpu_context *host_ctxt, bool handled);

/**
 * hyp_trace_host_smc() - EL2 has handled an SMC of the host, or passes it on
 * @func_id:	the function that is called
 * @host_ctxt:	the host's registers, with the result if EL2 has handled the call
 * @handled:	EL2 has handled the call; otherwise it passes the call on unchanged
 */
static __always_inline void
hyp_trace_host_smc(u64 func_id, const struct kvm_cpu_context *host_ctxt, bool handled)
{
	hyp_emit_host_smc(func_id, !handled);
	if (unlikely(hyp_emit_host_ffa_call_enabled()))
		__hyp_trace_ffa(func_id, host_ctxt, handled);
}

void hyp_in_firmware(const struct arm_smccc_1_2_regs *args, struct arm_smccc_1_2_regs *res);

/**
 * hyp_trace_forward_smc() - pass an SMC of the host on, as __kvm_hyp_host_forward_smc() does
 * @host_ctxt:	the host's registers
 */
static __always_inline void hyp_trace_forward_smc(struct kvm_cpu_context *host_ctxt)
{
	struct arm_smccc_1_2_regs *regs = (void *)host_ctxt->regs.regs;

	static_assert(offsetofend(struct arm_smccc_1_2_regs, a17) ==
		      offsetof(struct user_pt_regs, regs[18]));
	hyp_in_firmware(regs, regs);
}

void __hyp_trace_psci_forward(u64 fn);

/**
 * hyp_trace_psci_forward() - EL2 passes a PSCI call on unchanged
 * @host_ctxt:	the host's registers, with the call
 */
static __always_inline void
hyp_trace_psci_forward(const struct kvm_cpu_context *host_ctxt)
{
	if (unlikely(hyp_emit_psci_cpu_off_enabled()))
		__hyp_trace_psci_forward(host_ctxt->regs.regs[0]);
}

void hyp_trace_psci_leave(void);
void hyp_trace_psci_return(void);
void hyp_trace_cpu_entry(void);
void hyp_trace_cpu_start(void);

/* In hyp-main.c. */
bool hyp_trace_hcall_is_valid(u64 id);
void handle_trap(struct kvm_cpu_context *host_ctxt);

/* The number of the hypercall that the host makes, if it makes one. */
static __always_inline u64 hyp_trace_hcall_id(const struct kvm_cpu_context *host_ctxt)
{
	return (host_ctxt->regs.regs[0] & ~ARM_SMCCC_CALL_HINTS) - KVM_HOST_SMCCC_ID(0);
}

/* The ordinary vectors, in host.S. */
extern char __kvm_hyp_host_vector[];

void hyp_trace_handle(u64 esr, struct kvm_cpu_context *host_ctxt);
void hyp_trace_handle_trap(struct kvm_cpu_context *host_ctxt);
void hyp_follow_handle_trap(struct kvm_cpu_context *host_ctxt);
void hyp_trace_vector_update(struct hyp_trace_cpu *cpu);
void hyp_trace_rings_reopen(struct hyp_trace_cpu *cpu);
void hyp_trace_panic(u64 *spsr, u64 *elr, u64 *par);
void hyp_trace_end(struct hyp_trace_cpu *cpu);

/**
 * hyp_trace_host_vector() - the vectors for exceptions of the host
 * @usual:	the vectors without tracing
 *
 * Return: @usual, or others while this CPU traces or measures
 */
#define hyp_trace_host_vector(usual)					\
	((u64)(usual) + this_cpu_ptr(&hyp_trace_cpu)->vector)

/* The hypercalls that this kernel has, see asm/hyptrace_hcalls.h. */
#define HYP_OUR_HCALLS(X, M)						\
	HYP_RING_HCALLS(X, M)						\
	HYP_IF_FUNCTIONS(HYP_FUNCTION_HCALLS(X))			\
	HYP_TOTALS_HCALLS(X, M)						\
	HYP_IF_TEST(HYP_TEST_HCALLS(X))

#ifdef CONFIG_KVM_HYPTRACE_FUNCTIONS
#define HYP_IF_FUNCTIONS(...)	__VA_ARGS__
#else
#define HYP_IF_FUNCTIONS(...)
#endif

#ifdef CONFIG_KVM_HYPTRACE_TEST
#define HYP_IF_TEST(...)	__VA_ARGS__
#else
#define HYP_IF_TEST(...)
#endif

/*
 * hyp_hcall_<name>() checks the arguments and calls handle___hyp_<name>(): see hcalls.c. @more is
 * the host's second register: the second result goes there, and the third one behind it.
 */
#define HYP_HCALL_HANDLER(name, result, enables, ...)			\
	s64 handle___hyp_##name(HYP_PARAMS(__VA_ARGS__));		\
	void hyp_hcall_##name(struct kvm_cpu_context *host_ctxt);
#define HYP_HCALL_HANDLER_MORE(name, result, enables, ...)		\
	s64 handle___hyp_##name(u64 *more, HYP_PARAMS(__VA_ARGS__));	\
	void hyp_hcall_##name(struct kvm_cpu_context *host_ctxt);
HYP_OUR_HCALLS(HYP_HCALL_HANDLER, HYP_HCALL_HANDLER_MORE)

#define HYP_HCALL_ENTRY(name, ...)					\
	[__KVM_HOST_SMCCC_FUNC___hyp_##name] = hyp_hcall_##name,
#define HYP_HCALL_ENTRIES	HYP_OUR_HCALLS(HYP_HCALL_ENTRY, HYP_HCALL_ENTRY)

/*
 * Emit an event where hyp_emit_<event>() would not do: with the option off, the compiler would see
 * its arguments, and take registers in another order.
 */
#define hyp_emit(event, args...)	hyp_emit_##event(args)

#else /* nothing is traced */

#define HYP_HCALL_ENTRIES
#define hyp_emit(event, args...)	do { } while (0)

#include <linux/tracepoint.h>

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)			\
static inline bool hyp_emit_##name##_enabled(void)			\
{									\
	return false;							\
}									\
									\
static inline void hyp_emit_##name(proto)				\
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
static inline void hyp_trace_hide(const struct kvm_vcpu *vcpu) { }
static inline void hyp_trace_show(const struct kvm_vcpu *vcpu) { }
static inline void hyp_trace_vm_init(struct kvm *kvm, const struct kvm *host_kvm) { }
static inline void hyp_totals_vcpu_gone(struct kvm_vcpu *vcpu) { }
static inline void hyp_trace_host_smc(u64 func_id, const struct kvm_cpu_context *host_ctxt,
				      bool handled) { }
static inline void hyp_trace_psci_forward(const struct kvm_cpu_context *host_ctxt) { }
static inline void hyp_trace_psci_leave(void) { }
static inline void hyp_trace_psci_return(void) { }
static inline void hyp_trace_cpu_entry(void) { }
static inline void hyp_trace_cpu_start(void) { }
static inline void hyp_trace_panic(u64 *spsr, u64 *elr, u64 *par) { }

#define hyp_trace_host_vector(usual)	(usual)
#define hyp_trace_forward_smc		__kvm_hyp_host_forward_smc

#define HYP_TRACE_NO_EXIT			0
#define hyp_trace_guest_begin(vcpu)		0
#define hyp_trace_guest_run(vcpu, traced, exit)	__guest_enter(vcpu)

#endif
#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_H */
