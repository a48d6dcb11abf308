/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hypervisor's events, each declared once for both sides.
 *
 * EL2 expands this header to inline functions hyp_emit_<event>() (nvhe/hyptrace.h), the host to
 * the events of /sys/kernel/tracing/hyp (arch/arm64/kvm/hyptrace/events.c). Neither is a
 * tracepoint: do not include this header from elsewhere.
 *
 * Documentation/trace/hyp-events.rst shows how to add an event. Its catalogue lists each
 * event with the comment that is before its declaration here.
 *
 * TP_fast_assign() is compiled for EL2 only, and runs only if the event is enabled. Values
 * that are costly to get belong there (nvhe/hyptrace/fields.h).
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hyp

#if !defined(_TRACE_HYP_H)
#define _TRACE_HYP_H

#include <trace/misc/hyp.h>

struct hyp_pool;
struct hyp_span;
struct kvm_cpu_context;

/* The vCPU of an event, in the record and in the text. */
#define VCPU_ENTRY							\
	__field(u16, vm)						\
	__field(u16, vcpu)
#define VCPU_ASSIGN(_vcpu)						\
do {									\
	__entry->vm = hyp_vm(_vcpu);					\
	__entry->vcpu = hyp_vcpu(_vcpu);				\
} while (0)
#define VCPU_PR_FMT	"vm=%u vcpu=%u"
#define VCPU_PR_ARG	__entry->vm, __entry->vcpu

/* A guest passes this for an event: who makes the call, and the arguments. */
#define GUEST_ENTRY							\
	VCPU_ENTRY							\
	__field(u16, client)						\
	__field(u16, count)						\
	__field(u32, lost)
#define GUEST_ASSIGN(_vcpu, _desc, _lost)				\
do {									\
	VCPU_ASSIGN(_vcpu);						\
	__entry->client = hypertrace_client((_desc).value);		\
	__entry->count = hypertrace_count((_desc).value);		\
	__entry->lost = (_lost).value;					\
} while (0)
#define GUEST_PR_FMT	VCPU_PR_FMT " client=%u lost=%u"
#define GUEST_PR_ARG	VCPU_PR_ARG, __entry->client, __entry->lost

#define GUEST_ARGS_1(X)		X(0)
#define GUEST_ARGS_2(X)		GUEST_ARGS_1(X) X(1)
#define GUEST_ARGS_4(X)		GUEST_ARGS_2(X) X(2) X(3)
#define GUEST_ARGS_8(X)		GUEST_ARGS_4(X) X(4) X(5) X(6) X(7)
#define GUEST_ARGS_16(X)						\
	GUEST_ARGS_8(X) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

#define GUEST_ARG_FIELD(i)	__field(u64, a##i)
#define GUEST_ARG_ASSIGN(i)	__entry->a##i = hyp_channel_arg(vcpu, desc.value, i);
#define GUEST_ARG_PR_FMT(i)	" a" #i "=0x%llx"
#define GUEST_ARG_PR_ARG(i)	, __entry->a##i

#define GUEST_TRACE_STRUCT(args)					\
	GUEST_ENTRY							\
	__field(u32, id)						\
	args(GUEST_ARG_FIELD)
#define GUEST_TRACE_ASSIGN(args)					\
	GUEST_ASSIGN(vcpu, desc, lost);					\
	__entry->id = desc.value;					\
	args(GUEST_ARG_ASSIGN)
#define GUEST_TRACE_PR_FMT(args)	GUEST_PR_FMT " id=%u" args(GUEST_ARG_PR_FMT)
#define GUEST_TRACE_PR_ARG(args)	GUEST_PR_ARG, __entry->id args(GUEST_ARG_PR_ARG)

#endif /* _TRACE_HYP_H */

HYP_DEFINE_ALL_ENUMS

/* Entry to and exit from EL2 */

DECLARE_EVENT_CLASS(hyp_crossing,
	TP_PROTO(u8 reason),
	TP_ARGS(reason),
	TP_STRUCT__entry(
		__field(u8, reason)
	),
	TP_fast_assign(
		__entry->reason = reason;
	),
	TP_printk("reason=%s",
		  __print_symbolic(__entry->reason, HYP_SYMBOLS(HYP_CROSSING_LIST)))
);

/* EL2 is entered from the host, a guest or firmware. */
DEFINE_EVENT(hyp_crossing, hyp_enter,
	TP_PROTO(u8 reason),
	TP_ARGS(reason)
);

/* EL2 is left. Each hyp_exit follows its own hyp_enter on the same CPU. */
DEFINE_EVENT(hyp_crossing, hyp_exit,
	TP_PROTO(u8 reason),
	TP_ARGS(reason)
);

/*
 * EL2 panics: the last event of its CPU. pc is where, counted from the start of EL2's text,
 * and the host prints the function's name. If the exception was not EL2's own, pc is -1, and
 * esr has its class only.
 */
TRACE_EVENT(hyp_panic,
	TP_PROTO(u64 esr, s32 pc),
	TP_ARGS(esr, pc),
	TP_STRUCT__entry(
		__field(u64, esr)
		__field(s32, pc)
	),
	TP_fast_assign(
		__entry->esr = esr;
		__entry->pc = pc;
	),
	TP_printk("esr=0x%llx pc=0x%x", __entry->esr, __entry->pc)
);

/* The host */

/* The host makes a hypercall. If invalid is 1, EL2 refuses it. */
TRACE_EVENT(host_hcall,
	TP_PROTO(u32 id, u8 invalid),
	TP_ARGS(id, invalid),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u8, invalid)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->invalid = invalid;
	),
	TP_printk("%s id=%u invalid=%u",
		  __print_symbolic(__entry->id, HYP_HCALL_NAMES),
		  __entry->id, __entry->invalid)
);

/*
 * A hypercall returns. The result is 0 if the hypercall returns nothing, or nothing that
 * may be shown. There is no such event for __hyp_trace_alarm and __hyp_trace_sync: it would wake
 * those readers that wait for the next event. Nor is there one for __hyp_trace_triggers: it might
 * be a trigger, and change what that call has returned.
 */
TRACE_EVENT(host_hcall_done,
	TP_PROTO(u32 id, const struct kvm_cpu_context *host_ctxt),
	TP_ARGS(id, host_ctxt),
	TP_STRUCT__entry(
		__field(s64, result)
		__field(u32, id)
	),
	TP_fast_assign(
		__entry->result = hyp_hcall_result(id, host_ctxt);
		__entry->id = id;
	),
	TP_printk("%s id=%u result=%lld",
		  __print_symbolic(__entry->id, HYP_HCALL_NAMES),
		  __entry->id, __entry->result)
);

/*
 * The host makes an SMC. If forwarded is 1, EL2 passes it on to firmware unchanged. The
 * event comes after EL2 has done its own part, so a call that does not return has only
 * psci_* events.
 */
TRACE_EVENT(host_smc,
	TP_PROTO(u64 id, u8 forwarded),
	TP_ARGS(id, forwarded),
	TP_STRUCT__entry(
		__field(u64, id)
		__field(u8, forwarded)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->forwarded = forwarded;
	),
	TP_printk("%s id=0x%llx forwarded=%u",
		  __print_symbolic(__entry->id, HYP_SYMBOLS(HYP_SMC_LIST)),
		  __entry->id, __entry->forwarded)
);

/*
 * The host calls the Firmware Framework (FF-A). If handled is 0, EL2 passes the call on
 * unchanged. 6.12 has no fourth result; res_a4 is there because Perfetto expects it.
 */
TRACE_EVENT(host_ffa_call,
	TP_PROTO(u64 func_id, const struct kvm_cpu_context *host_ctxt,
		 s32 handled),
	TP_ARGS(func_id, host_ctxt, handled),
	TP_STRUCT__entry(
		__field(u64, func_id)
		__field(u64, res_a1)
		__field(u64, res_a2)
		__field(u64, res_a3)
		__field(u64, res_a4)
		__field(s32, handled)
		__field(s32, err)
	),
	TP_fast_assign(
		__entry->func_id = func_id;
		__entry->res_a1 = handled ? cpu_reg(host_ctxt, 1) : 0;
		__entry->res_a2 = handled ? cpu_reg(host_ctxt, 2) : 0;
		__entry->res_a3 = handled ? cpu_reg(host_ctxt, 3) : 0;
		__entry->res_a4 = 0;
		__entry->handled = handled;
		__entry->err = handled && cpu_reg(host_ctxt, 0) == FFA_ERROR ?
			       (s32)cpu_reg(host_ctxt, 2) : 0;
	),
	TP_printk("%s func_id=0x%llx res_a1=0x%llx res_a2=0x%llx res_a3=0x%llx res_a4=0x%llx handled=%d err=%d",
		  __print_symbolic(__entry->func_id, HYP_SYMBOLS(HYP_SMC_LIST)),
		  __entry->func_id, __entry->res_a1, __entry->res_a2,
		  __entry->res_a3, __entry->res_a4, __entry->handled,
		  __entry->err)
);

/* The host accessed memory that its stage 2 does not map (yet). */
TRACE_EVENT(host_mem_abort,
	TP_PROTO(u64 esr, u64 addr),
	TP_ARGS(esr, addr),
	TP_STRUCT__entry(
		__field(u64, esr)
		__field(u64, addr)
	),
	TP_fast_assign(
		__entry->esr = esr;
		__entry->addr = addr;
	),
	TP_printk("esr=0x%llx addr=0x%llx", __entry->esr, __entry->addr)
);

/* Power */

/* The host turns on a CPU, which starts at entry. */
TRACE_EVENT(psci_cpu_on,
	TP_PROTO(u64 mpidr, u64 entry),
	TP_ARGS(mpidr, entry),
	TP_STRUCT__entry(
		__field(u64, mpidr)
		__field(u64, entry)
	),
	TP_fast_assign(
		__entry->mpidr = mpidr;
		__entry->entry = entry;
	),
	TP_printk("mpidr=0x%llx entry=0x%llx", __entry->mpidr, __entry->entry)
);

/* The host turns off this CPU. */
TRACE_EVENT(psci_cpu_off,
	TP_PROTO(u32 func_id),
	TP_ARGS(func_id),
	TP_STRUCT__entry(
		__field(u64, mpidr)
		__field(u32, func_id)
	),
	TP_fast_assign(
		__entry->mpidr = read_cpuid_mpidr() & MPIDR_HWID_BITMASK;
		__entry->func_id = func_id;
	),
	TP_printk("mpidr=0x%llx func_id=0x%x", __entry->mpidr, __entry->func_id)
);

/* The host suspends this CPU, which resumes at entry if it loses its state. */
TRACE_EVENT(psci_cpu_suspend,
	TP_PROTO(u64 power_state, u64 entry),
	TP_ARGS(power_state, entry),
	TP_STRUCT__entry(
		__field(u64, power_state)
		__field(u64, entry)
	),
	TP_fast_assign(
		__entry->power_state = power_state;
		__entry->entry = entry;
	),
	TP_printk("power_state=0x%llx entry=0x%llx", __entry->power_state,
		  __entry->entry)
);

DECLARE_EVENT_CLASS(psci_entry,
	TP_PROTO(u64 entry),
	TP_ARGS(entry),
	TP_STRUCT__entry(
		__field(u64, entry)
	),
	TP_fast_assign(
		__entry->entry = entry;
	),
	TP_printk("entry=0x%llx", __entry->entry)
);

/* The host suspends the system, which resumes at entry. */
DEFINE_EVENT(psci_entry, psci_system_suspend,
	TP_PROTO(u64 entry),
	TP_ARGS(entry)
);

/* A CPU that was turned on or suspended comes out of firmware and goes to entry. */
DEFINE_EVENT(psci_entry, psci_cpu_entry,
	TP_PROTO(u64 entry),
	TP_ARGS(entry)
);

/* Guests: load, one or more pairs of enter and exit, put */

/*
 * EL2 loads a vCPU's registers and stage 2. pending has the virtual interrupts and errors
 * that the host injects other than by a list register.
 */
TRACE_EVENT(vcpu_load,
	TP_PROTO(union hyp_guest vcpu),
	TP_ARGS(vcpu),
	TP_STRUCT__entry(
		VCPU_ENTRY
		__field(u8, pending)
	),
	TP_fast_assign(
		VCPU_ASSIGN(vcpu);
		__entry->pending = hyp_virq_flags(vcpu);
	),
	TP_printk(VCPU_PR_FMT " pending=%s", VCPU_PR_ARG,
		  __print_flags(__entry->pending, "|", HYP_VIRQ_FLAGS))
);

DECLARE_EVENT_CLASS(vcpu_only,
	TP_PROTO(union hyp_guest vcpu),
	TP_ARGS(vcpu),
	TP_STRUCT__entry(
		VCPU_ENTRY
	),
	TP_fast_assign(
		VCPU_ASSIGN(vcpu);
	),
	TP_printk(VCPU_PR_FMT, VCPU_PR_ARG)
);

/* EL2 puts a vCPU that has run, and loads the host's registers and stage 2. */
DEFINE_EVENT(vcpu_only, vcpu_put,
	TP_PROTO(union hyp_guest vcpu),
	TP_ARGS(vcpu)
);

/*
 * The guest is about to run. If an interrupt is pending when the host has EL2 run the vCPU, the
 * guest does not run: then there is no such event between vcpu_load and vcpu_put.
 */
TRACE_EVENT(vcpu_enter,
	TP_PROTO(union hyp_guest vcpu),
	TP_ARGS(vcpu),
	TP_STRUCT__entry(
		__field(u64, pc)
		__field(u32, pstate)
		VCPU_ENTRY
	),
	TP_fast_assign(
		bool secret = hyp_is_secret(vcpu);

		__entry->pc = hyp_disclose(secret, hyp_guest_pc());
		__entry->pstate = hyp_disclose(secret, hyp_guest_pstate());
		VCPU_ASSIGN(vcpu);
	),
	TP_printk(VCPU_PR_FMT " pc=0x%llx pstate=0x%x", VCPU_PR_ARG,
		  __entry->pc, __entry->pstate)
);

/* The guest has exited. esr is 0 for an IRQ, which has none. */
TRACE_EVENT(vcpu_exit,
	TP_PROTO(union hyp_guest vcpu, struct hyp_public exit_code),
	TP_ARGS(vcpu, exit_code),
	TP_STRUCT__entry(
		__field(u64, pc)
		__field(u32, esr)
		VCPU_ENTRY
		__field(u8, reason)
	),
	TP_fast_assign(
		bool secret = hyp_is_secret(vcpu);
		struct hyp_secret esr = hyp_exit_esr(exit_code.value);

		__entry->pc = hyp_disclose(secret, hyp_guest_pc());
		__entry->esr = hyp_disclose_esr(secret, esr);
		VCPU_ASSIGN(vcpu);
		__entry->reason = hyp_exit_reason(exit_code.value, esr);
	),
	TP_printk(VCPU_PR_FMT " reason=%s pc=0x%llx esr=0x%x", VCPU_PR_ARG,
		  __print_symbolic(__entry->reason, HYP_EXIT_SYMBOLS),
		  __entry->pc, __entry->esr)
);

/* A stage 2 fault of the guest: no translation, or no permission. */
TRACE_EVENT(vcpu_mem_abort,
	TP_PROTO(union hyp_guest vcpu),
	TP_ARGS(vcpu),
	TP_STRUCT__entry(
		__field(u64, ipa)
		__field(u64, va)
		__field(u32, esr)
		VCPU_ENTRY
	),
	TP_fast_assign(
		bool secret = hyp_is_secret(vcpu);

		__entry->ipa = hyp_fault_ipa(vcpu, secret);
		__entry->va = hyp_disclose(secret, hyp_fault(vcpu, far_el2));
		__entry->esr = hyp_disclose_esr(secret, hyp_fault(vcpu, esr_el2));
		VCPU_ASSIGN(vcpu);
	),
	TP_printk(VCPU_PR_FMT " %s ipa=0x%llx va=0x%llx esr=0x%x", VCPU_PR_ARG,
		  __print_symbolic(__entry->esr >> 26, HYP_EXIT_SYMBOLS),
		  __entry->ipa, __entry->va, __entry->esr)
);

DECLARE_EVENT_CLASS(vcpu_call,
	TP_PROTO(union hyp_guest vcpu),
	TP_ARGS(vcpu),
	TP_STRUCT__entry(
		__field(u64, a1)
		__field(u64, a2)
		__field(u64, a3)
		__field(u32, func_id)
		VCPU_ENTRY
	),
	TP_fast_assign(
		bool secret = hyp_is_secret(vcpu);

		__entry->a1 = hyp_disclose(secret, hyp_guest_reg(vcpu, 1));
		__entry->a2 = hyp_disclose(secret, hyp_guest_reg(vcpu, 2));
		__entry->a3 = hyp_disclose(secret, hyp_guest_reg(vcpu, 3));
		__entry->func_id = hyp_disclose(secret, hyp_guest_reg(vcpu, 0));
		VCPU_ASSIGN(vcpu);
	),
	TP_printk(VCPU_PR_FMT " %s func_id=0x%x a1=0x%llx a2=0x%llx a3=0x%llx",
		  VCPU_PR_ARG,
		  __print_symbolic(__entry->func_id, HYP_SYMBOLS(HYP_SMC_LIST)),
		  __entry->func_id, __entry->a1, __entry->a2, __entry->a3)
);

/* The guest makes a hypercall. */
DEFINE_EVENT(vcpu_call, guest_hvc,
	TP_PROTO(union hyp_guest vcpu),
	TP_ARGS(vcpu)
);

/* The guest calls firmware. */
DEFINE_EVENT(vcpu_call, guest_smc,
	TP_PROTO(union hyp_guest vcpu),
	TP_ARGS(vcpu)
);

/* The guest executes WFI or WFE. Of a protected guest it is not said which. */
TRACE_EVENT(vcpu_wfx,
	TP_PROTO(union hyp_guest vcpu, struct hyp_secret esr),
	TP_ARGS(vcpu, esr),
	TP_STRUCT__entry(
		VCPU_ENTRY
		__field(u8, insn)
	),
	TP_fast_assign(
		bool secret = hyp_is_secret(vcpu);

		VCPU_ASSIGN(vcpu);
		__entry->insn = hyp_disclose_or(HYP_WFX_WITHHELD, secret, hyp_esr_wfx(esr));
	),
	TP_printk(VCPU_PR_FMT " %s", VCPU_PR_ARG,
		  __print_symbolic(__entry->insn, HYP_SYMBOLS(HYP_WFX_LIST)))
);

/* A system error came while the guest ran. */
TRACE_EVENT(vcpu_serror,
	TP_PROTO(union hyp_guest vcpu),
	TP_ARGS(vcpu),
	TP_STRUCT__entry(
		__field(u64, disr)
		VCPU_ENTRY
	),
	TP_fast_assign(
		bool secret = hyp_is_secret(vcpu);

		__entry->disr = hyp_disclose(secret, hyp_fault(vcpu, disr_el1));
		VCPU_ASSIGN(vcpu);
	),
	TP_printk(VCPU_PR_FMT " disr=0x%llx", VCPU_PR_ARG, __entry->disr)
);

/* A protected guest traps on something that it may not use. */
TRACE_EVENT(vcpu_illegal_trap,
	TP_PROTO(union hyp_guest vcpu, struct hyp_secret esr),
	TP_ARGS(vcpu, esr),
	TP_STRUCT__entry(
		__field(u64, esr)
		VCPU_ENTRY
	),
	TP_fast_assign(
		bool secret = hyp_is_secret(vcpu);

		__entry->esr = hyp_disclose_esr(secret, esr);
		VCPU_ASSIGN(vcpu);
	),
	TP_printk(VCPU_PR_FMT " %s esr=0x%llx", VCPU_PR_ARG,
		  __print_symbolic(__entry->esr >> 26 & 0x3f, HYP_EXIT_SYMBOLS),
		  __entry->esr)
);

/*
 * An exception is injected into the guest, by the host for the run that begins now or by
 * EL2 itself. If the host injects one between two runs, it is a hypercall instead,
 * __kvm_adjust_pc.
 */
TRACE_EVENT(vcpu_inject,
	TP_PROTO(union hyp_guest vcpu),
	TP_ARGS(vcpu),
	TP_STRUCT__entry(
		VCPU_ENTRY
		__field(u8, kind)
	),
	TP_fast_assign(
		VCPU_ASSIGN(vcpu);
		__entry->kind = hyp_inject_kind(vcpu);
	),
	TP_printk(VCPU_PR_FMT " %s", VCPU_PR_ARG,
		  __print_symbolic(__entry->kind, HYP_SYMBOLS(HYP_INJECT_LIST)))
);

/* Exits that EL2 handles without the host */

/* EL2 emulates an access to a system register. Of a protected guest it is not said which. */
TRACE_EVENT(vcpu_fixup_sysreg,
	TP_PROTO(union hyp_guest vcpu, struct hyp_secret esr),
	TP_ARGS(vcpu, esr),
	TP_STRUCT__entry(
		__field(u64, value)
		__field(u32, sysreg)
		VCPU_ENTRY
		__field(u8, write)
	),
	TP_fast_assign(
		bool secret = hyp_is_secret(vcpu);

		__entry->value = hyp_disclose(secret, hyp_esr_sysreg_value(esr, vcpu));
		__entry->sysreg = hyp_disclose(secret, hyp_esr_sysreg(esr));
		VCPU_ASSIGN(vcpu);
		__entry->write = hyp_disclose_or(HYP_ACCESS_WITHHELD, secret,
						 hyp_esr_sysreg_write(esr));
	),
	TP_printk(VCPU_PR_FMT " %s %s value=0x%llx", VCPU_PR_ARG,
		  __print_symbolic(__entry->write, HYP_SYMBOLS(HYP_ACCESS_LIST)),
		  __print_symbolic(__entry->sysreg, HYP_SYMBOLS(HYP_SYSREG_LIST)),
		  __entry->value)
);

DECLARE_EVENT_CLASS(vcpu_fixup,
	TP_PROTO(union hyp_guest vcpu, struct hyp_secret esr),
	TP_ARGS(vcpu, esr),
	TP_STRUCT__entry(
		__field(u32, esr)
		VCPU_ENTRY
	),
	TP_fast_assign(
		bool secret = hyp_is_secret(vcpu);

		__entry->esr = hyp_disclose_esr(secret, esr);
		VCPU_ASSIGN(vcpu);
	),
	TP_printk(VCPU_PR_FMT " %s esr=0x%x", VCPU_PR_ARG,
		  __print_symbolic(__entry->esr >> 26, HYP_EXIT_SYMBOLS),
		  __entry->esr)
);

/* EL2 loads the guest's floating point or vector registers at their first use. */
DEFINE_EVENT(vcpu_fixup, vcpu_fixup_fp,
	TP_PROTO(union hyp_guest vcpu, struct hyp_secret esr),
	TP_ARGS(vcpu, esr)
);

/*
 * The guest retries a memory access because the page tables have changed, or EL2 emulates
 * an access to GICv2's CPU interface.
 */
DEFINE_EVENT(vcpu_fixup, vcpu_fixup_mem,
	TP_PROTO(union hyp_guest vcpu, struct hyp_secret esr),
	TP_ARGS(vcpu, esr)
);

/* The guest restarts a memory copy that it began on another type of CPU. */
DEFINE_EVENT(vcpu_fixup, vcpu_fixup_mops,
	TP_PROTO(union hyp_guest vcpu, struct hyp_secret esr),
	TP_ARGS(vcpu, esr)
);

/* Time and interrupts of guests */

/*
 * The host sets the offset of a guest's virtual counter from the physical one [cycles].
 * The offset puts the guest's own trace on the host's time line.
 */
TRACE_EVENT(timer_cntvoff,
	TP_PROTO(u64 cntvoff),
	TP_ARGS(cntvoff),
	TP_STRUCT__entry(
		__field(u64, cntvoff)
	),
	TP_fast_assign(
		__entry->cntvoff = cntvoff;
	),
	TP_printk("cntvoff=%llu", __entry->cntvoff)
);

/* EL2 writes interrupts to the list registers of a GICv3. */
TRACE_EVENT(vgic_restore,
	TP_PROTO(union hyp_guest vcpu),
	TP_ARGS(vcpu),
	TP_STRUCT__entry(
		__field(u32, hcr)
		VCPU_ENTRY
		__field(u8, lrs)
	),
	TP_fast_assign(
		__entry->hcr = hyp_vgic(vcpu)->vgic_hcr;
		VCPU_ASSIGN(vcpu);
		__entry->lrs = hyp_vgic(vcpu)->used_lrs;
	),
	TP_printk(VCPU_PR_FMT " lrs=%u hcr=0x%x", VCPU_PR_ARG, __entry->lrs,
		  __entry->hcr)
);

/*
 * EL2 reads the list registers back. empty has a bit for each one that holds no interrupt
 * any more, maintenance has the pending maintenance interrupts (ICH_MISR_EL2).
 */
TRACE_EVENT(vgic_save,
	TP_PROTO(union hyp_guest vcpu),
	TP_ARGS(vcpu),
	TP_STRUCT__entry(
		VCPU_ENTRY
		__field(u16, empty)
		__field(u8, maintenance)
		__field(u8, lrs)
	),
	TP_fast_assign(
		VCPU_ASSIGN(vcpu);
		__entry->empty = hyp_vgic_empty();
		__entry->maintenance = hyp_vgic_maintenance();
		__entry->lrs = hyp_vgic(vcpu)->used_lrs;
	),
	TP_printk(VCPU_PR_FMT " lrs=%u empty=0x%x maintenance=0x%x",
		  VCPU_PR_ARG, __entry->lrs, __entry->empty,
		  __entry->maintenance)
);

#ifdef CONFIG_KVM_HYPTRACE_GUESTS
/* What guests record themselves */

/*
 * A guest records an event with an argument, or with none. lost is how many of this vCPU's
 * events had to be dropped before, because it recorded too many.
 */
TRACE_EVENT(guest_trace_1,
	TP_PROTO(union hyp_guest vcpu, struct hyp_public desc,
		 struct hyp_public lost),
	TP_ARGS(vcpu, desc, lost),
	TP_STRUCT__entry(
		GUEST_TRACE_STRUCT(GUEST_ARGS_1)
	),
	TP_fast_assign(
		GUEST_TRACE_ASSIGN(GUEST_ARGS_1)
	),
	TP_printk(GUEST_TRACE_PR_FMT(GUEST_ARGS_1), GUEST_TRACE_PR_ARG(GUEST_ARGS_1))
);

/* A guest records an event with two arguments. */
TRACE_EVENT(guest_trace_2,
	TP_PROTO(union hyp_guest vcpu, struct hyp_public desc,
		 struct hyp_public lost),
	TP_ARGS(vcpu, desc, lost),
	TP_STRUCT__entry(
		GUEST_TRACE_STRUCT(GUEST_ARGS_2)
	),
	TP_fast_assign(
		GUEST_TRACE_ASSIGN(GUEST_ARGS_2)
	),
	TP_printk(GUEST_TRACE_PR_FMT(GUEST_ARGS_2), GUEST_TRACE_PR_ARG(GUEST_ARGS_2))
);

/* A guest records an event with 3 or 4 arguments. */
TRACE_EVENT(guest_trace_4,
	TP_PROTO(union hyp_guest vcpu, struct hyp_public desc,
		 struct hyp_public lost),
	TP_ARGS(vcpu, desc, lost),
	TP_STRUCT__entry(
		GUEST_TRACE_STRUCT(GUEST_ARGS_4)
	),
	TP_fast_assign(
		GUEST_TRACE_ASSIGN(GUEST_ARGS_4)
	),
	TP_printk(GUEST_TRACE_PR_FMT(GUEST_ARGS_4), GUEST_TRACE_PR_ARG(GUEST_ARGS_4))
);

/* A guest records an event with 5 to 8 arguments. */
TRACE_EVENT(guest_trace_8,
	TP_PROTO(union hyp_guest vcpu, struct hyp_public desc,
		 struct hyp_public lost),
	TP_ARGS(vcpu, desc, lost),
	TP_STRUCT__entry(
		GUEST_TRACE_STRUCT(GUEST_ARGS_8)
	),
	TP_fast_assign(
		GUEST_TRACE_ASSIGN(GUEST_ARGS_8)
	),
	TP_printk(GUEST_TRACE_PR_FMT(GUEST_ARGS_8), GUEST_TRACE_PR_ARG(GUEST_ARGS_8))
);

/* A guest records an event with 9 to 16 arguments. */
TRACE_EVENT(guest_trace_16,
	TP_PROTO(union hyp_guest vcpu, struct hyp_public desc,
		 struct hyp_public lost),
	TP_ARGS(vcpu, desc, lost),
	TP_STRUCT__entry(
		GUEST_TRACE_STRUCT(GUEST_ARGS_16)
	),
	TP_fast_assign(
		GUEST_TRACE_ASSIGN(GUEST_ARGS_16)
	),
	TP_printk(GUEST_TRACE_PR_FMT(GUEST_ARGS_16), GUEST_TRACE_PR_ARG(GUEST_ARGS_16))
);

/* A guest records a text of count bytes; a control character is a "?". */
TRACE_EVENT(guest_mark,
	TP_PROTO(union hyp_guest vcpu, struct hyp_public desc,
		 struct hyp_public lost),
	TP_ARGS(vcpu, desc, lost),
	TP_STRUCT__entry(
		GUEST_ENTRY
		__array(char, text, HYPERTRACE_MAX_TEXT)
	),
	TP_fast_assign(
		GUEST_ASSIGN(vcpu, desc, lost);
		hyp_channel_text(vcpu, desc.value, __entry->text);
	),
	TP_printk(GUEST_PR_FMT " %.112s", GUEST_PR_ARG, __entry->text)
);

/*
 * A guest says what its clocks were when its virtual counter was cntvct [ns]. at is what the
 * clock of this trace was then.
 */
TRACE_EVENT(guest_clock,
	TP_PROTO(union hyp_guest vcpu, struct hyp_public lost),
	TP_ARGS(vcpu, lost),
	TP_STRUCT__entry(
		__field(u64, at)
		__field(u64, boot)
		__field(u64, mono)
		__field(u64, cntvct)
		VCPU_ENTRY
		__field(u32, lost)
	),
	TP_fast_assign(
		__entry->at = hyp_channel_at(hyp_channel_reg(vcpu, 4));
		__entry->boot = hyp_channel_reg(vcpu, 2);
		__entry->mono = hyp_channel_reg(vcpu, 3);
		__entry->cntvct = hyp_channel_reg(vcpu, 4);
		VCPU_ASSIGN(vcpu);
		__entry->lost = lost.value;
	),
	TP_printk(VCPU_PR_FMT " lost=%u at=%llu boot=%llu mono=%llu cntvct=%llu", VCPU_PR_ARG,
		  __entry->lost, __entry->at, __entry->boot, __entry->mono, __entry->cntvct)
);
#endif

/* Protected KVM: ownership of memory */

DECLARE_EVENT_CLASS(mem_transition,
	TP_PROTO(u64 pfn, u32 nr_pages, s32 ret),
	TP_ARGS(pfn, nr_pages, ret),
	TP_STRUCT__entry(
		__field(u64, pfn)
		__field(u32, nr_pages)
		__field(s32, ret)
	),
	TP_fast_assign(
		__entry->pfn = pfn;
		__entry->nr_pages = nr_pages;
		__entry->ret = ret;
	),
	TP_printk("pfn=0x%llx nr_pages=%u ret=%d", __entry->pfn,
		  __entry->nr_pages, __entry->ret)
);

/* The host shares memory with the hypervisor. */
DEFINE_EVENT(mem_transition, mem_host_share_hyp,
	TP_PROTO(u64 pfn, u32 nr_pages, s32 ret),
	TP_ARGS(pfn, nr_pages, ret)
);

/* The host stops sharing memory with the hypervisor. */
DEFINE_EVENT(mem_transition, mem_host_unshare_hyp,
	TP_PROTO(u64 pfn, u32 nr_pages, s32 ret),
	TP_ARGS(pfn, nr_pages, ret)
);

/* The host donates memory to the hypervisor, and loses access. */
DEFINE_EVENT(mem_transition, mem_host_donate_hyp,
	TP_PROTO(u64 pfn, u32 nr_pages, s32 ret),
	TP_ARGS(pfn, nr_pages, ret)
);

/* The hypervisor donates memory back to the host. */
DEFINE_EVENT(mem_transition, mem_hyp_donate_host,
	TP_PROTO(u64 pfn, u32 nr_pages, s32 ret),
	TP_ARGS(pfn, nr_pages, ret)
);

/* The host shares memory with the secure world, or lends it (FF-A). */
DEFINE_EVENT(mem_transition, mem_host_share_ffa,
	TP_PROTO(u64 pfn, u32 nr_pages, s32 ret),
	TP_ARGS(pfn, nr_pages, ret)
);

/* The host reclaims memory from the secure world. */
DEFINE_EVENT(mem_transition, mem_host_unshare_ffa,
	TP_PROTO(u64 pfn, u32 nr_pages, s32 ret),
	TP_ARGS(pfn, nr_pages, ret)
);

/* Protected KVM: the host's stage 2 */

/* Memory or devices are mapped for the host, or their permissions change. */
TRACE_EVENT(s2_host_map,
	TP_PROTO(u64 addr, u64 size, u8 prot, s32 ret),
	TP_ARGS(addr, size, prot, ret),
	TP_STRUCT__entry(
		__field(u64, addr)
		__field(u64, size)
		__field(s32, ret)
		__field(u8, prot)
	),
	TP_fast_assign(
		__entry->addr = addr;
		__entry->size = size;
		__entry->ret = ret;
		__entry->prot = prot;
	),
	TP_printk("addr=0x%llx size=0x%llx prot=%s ret=%d", __entry->addr,
		  __entry->size, __print_flags(__entry->prot, "", HYP_PROT_FLAGS),
		  __entry->ret)
);

/* Memory gets another owner. It is unmapped from the host unless the host owns it. */
TRACE_EVENT(s2_host_set_owner,
	TP_PROTO(u64 addr, u64 size, u8 owner, s32 ret),
	TP_ARGS(addr, size, owner, ret),
	TP_STRUCT__entry(
		__field(u64, addr)
		__field(u64, size)
		__field(s32, ret)
		__field(u8, owner)
	),
	TP_fast_assign(
		__entry->addr = addr;
		__entry->size = size;
		__entry->ret = ret;
		__entry->owner = owner;
	),
	TP_printk("addr=0x%llx size=0x%llx owner=%s ret=%d", __entry->addr,
		  __entry->size,
		  __print_symbolic(__entry->owner, HYP_SYMBOLS(HYP_OWNER_LIST)),
		  __entry->ret)
);

/* All devices are unmapped from the host, to free their page tables. */
TRACE_EVENT(s2_host_unmap_dev,
	TP_PROTO(s32 ret),
	TP_ARGS(ret),
	TP_STRUCT__entry(
		__field(s32, ret)
	),
	TP_fast_assign(
		__entry->ret = ret;
	),
	TP_printk("ret=%d", __entry->ret)
);

/* A block is split into a table, because a part of it is to be mapped differently. */
TRACE_EVENT(s2_host_split,
	TP_PROTO(u64 addr, s8 level),
	TP_ARGS(addr, level),
	TP_STRUCT__entry(
		__field(u64, addr)
		__field(s8, level)
	),
	TP_fast_assign(
		__entry->addr = addr;
		__entry->level = level;
	),
	TP_printk("addr=0x%llx level=%d", __entry->addr, __entry->level)
);

/*
 * Translations are invalidated. size is that of a range [pages], level that of an IPA.
 * With protected KVM vmid is 0 for the host and 65535 for any guest.
 */
TRACE_EVENT(tlb_flush,
	TP_PROTO(u8 kind, u64 ipa, u64 size, s8 level),
	TP_ARGS(kind, ipa, size, level),
	TP_STRUCT__entry(
		__field(u64, ipa)
		__field(u64, size)
		__field(u16, vmid)
		__field(u8, kind)
		__field(s8, level)
	),
	TP_fast_assign(
		__entry->ipa = ipa;
		__entry->size = size;
		__entry->vmid = hyp_tlb_vmid();
		__entry->kind = kind;
		__entry->level = level;
	),
	TP_printk("%s vmid=%u ipa=0x%llx size=%llu level=%d",
		  __print_symbolic(__entry->kind, HYP_SYMBOLS(HYP_TLB_LIST)),
		  __entry->vmid, __entry->ipa, __entry->size, __entry->level)
);

/* Protected KVM: VMs, by EL2's handle */

DECLARE_EVENT_CLASS(vm_handle,
	TP_PROTO(s32 handle),
	TP_ARGS(handle),
	TP_STRUCT__entry(
		__field(s32, handle)
	),
	TP_fast_assign(
		__entry->handle = handle;
	),
	TP_printk("handle=%d", __entry->handle)
);

/* A VM is created. handle is its handle or an error. */
DEFINE_EVENT(vm_handle, vm_create,
	TP_PROTO(s32 handle),
	TP_ARGS(handle)
);

DECLARE_EVENT_CLASS(vm_change,
	TP_PROTO(s32 handle, s32 ret),
	TP_ARGS(handle, ret),
	TP_STRUCT__entry(
		__field(s32, handle)
		__field(s32, ret)
	),
	TP_fast_assign(
		__entry->handle = handle;
		__entry->ret = ret;
	),
	TP_printk("handle=%d ret=%d", __entry->handle, __entry->ret)
);

/* A vCPU is added to a VM. */
DEFINE_EVENT(vm_change, vm_create_vcpu,
	TP_PROTO(s32 handle, s32 ret),
	TP_ARGS(handle, ret)
);

/* A VM is torn down, and its memory is returned. */
DEFINE_EVENT(vm_change, vm_destroy,
	TP_PROTO(s32 handle, s32 ret),
	TP_ARGS(handle, ret)
);

#ifdef HYPTRACE_GUESTS_MEMORY
/* Protected KVM: guests' memory. (Before Linux 6.18, the host manages it.) */

/* The host shares its memory with a guest: it is mapped, in a block if it is the size of one. */
TRACE_EVENT(mem_host_share_guest,
	TP_PROTO(union hyp_guest_vm vm, u64 ipa, u64 pfn, u64 nr_pages, u32 prot, s32 ret),
	TP_ARGS(vm, ipa, pfn, nr_pages, prot, ret),
	TP_STRUCT__entry(
		__field(u64, ipa)
		__field(u64, pfn)
		__field(u32, nr_pages)
		__field(s32, ret)
		__field(u16, vm)
		__field(u8, prot)
	),
	TP_fast_assign(
		__entry->ipa = ipa;
		__entry->pfn = pfn;
		__entry->nr_pages = nr_pages;
		__entry->ret = ret;
		__entry->vm = hyp_vm_number(vm);
		__entry->prot = prot;
	),
	TP_printk("vm=%u ipa=0x%llx pfn=0x%llx nr_pages=%u prot=%s ret=%d", __entry->vm,
		  __entry->ipa, __entry->pfn, __entry->nr_pages,
		  __print_flags(__entry->prot, "", HYP_PROT_FLAGS), __entry->ret)
);

/* The host stops sharing memory with a guest. pfn is 0 if none was shared. */
TRACE_EVENT(mem_host_unshare_guest,
	TP_PROTO(union hyp_guest_vm vm, u64 ipa, u64 pfn, u64 nr_pages, s32 ret),
	TP_ARGS(vm, ipa, pfn, nr_pages, ret),
	TP_STRUCT__entry(
		__field(u64, ipa)
		__field(u64, pfn)
		__field(u32, nr_pages)
		__field(s32, ret)
		__field(u16, vm)
	),
	TP_fast_assign(
		__entry->ipa = ipa;
		__entry->pfn = pfn;
		__entry->nr_pages = nr_pages;
		__entry->ret = ret;
		__entry->vm = hyp_vm_number(vm);
	),
	TP_printk("vm=%u ipa=0x%llx pfn=0x%llx nr_pages=%u ret=%d", __entry->vm,
		  __entry->ipa, __entry->pfn, __entry->nr_pages, __entry->ret)
);

/* A page of a guest gets more permissions, after it lacked them. */
TRACE_EVENT(s2_guest_relax,
	TP_PROTO(union hyp_guest_vm vm, u64 ipa, u8 prot, s32 ret),
	TP_ARGS(vm, ipa, prot, ret),
	TP_STRUCT__entry(
		__field(u64, ipa)
		__field(s32, ret)
		__field(u16, vm)
		__field(u8, prot)
	),
	TP_fast_assign(
		__entry->ipa = ipa;
		__entry->ret = ret;
		__entry->vm = hyp_vm_number(vm);
		__entry->prot = prot;
	),
	TP_printk("vm=%u ipa=0x%llx prot=%s ret=%d", __entry->vm, __entry->ipa,
		  __print_flags(__entry->prot, "", HYP_PROT_FLAGS), __entry->ret)
);

/* Memory of a guest can't be written any more, so that the host sees what is. */
TRACE_EVENT(s2_guest_wrprotect,
	TP_PROTO(union hyp_guest_vm vm, u64 ipa, u32 nr_pages, s32 ret),
	TP_ARGS(vm, ipa, nr_pages, ret),
	TP_STRUCT__entry(
		__field(u64, ipa)
		__field(u32, nr_pages)
		__field(s32, ret)
		__field(u16, vm)
	),
	TP_fast_assign(
		__entry->ipa = ipa;
		__entry->nr_pages = nr_pages;
		__entry->ret = ret;
		__entry->vm = hyp_vm_number(vm);
	),
	TP_printk("vm=%u ipa=0x%llx nr_pages=%u ret=%d", __entry->vm, __entry->ipa,
		  __entry->nr_pages, __entry->ret)
);

/*
 * The host asks whether a guest has used memory, and may clear the access flags, or sets one. ret
 * is 1 if it was used.
 */
TRACE_EVENT(s2_guest_young,
	TP_PROTO(union hyp_guest_vm vm, u64 ipa, u32 nr_pages, u8 kind, s32 ret),
	TP_ARGS(vm, ipa, nr_pages, kind, ret),
	TP_STRUCT__entry(
		__field(u64, ipa)
		__field(u32, nr_pages)
		__field(s32, ret)
		__field(u16, vm)
		__field(u8, kind)
	),
	TP_fast_assign(
		__entry->ipa = ipa;
		__entry->nr_pages = nr_pages;
		__entry->ret = ret;
		__entry->vm = hyp_vm_number(vm);
		__entry->kind = kind;
	),
	TP_printk("%s vm=%u ipa=0x%llx nr_pages=%u ret=%d",
		  __print_symbolic(__entry->kind, HYP_SYMBOLS(HYP_YOUNG_LIST)),
		  __entry->vm, __entry->ipa, __entry->nr_pages, __entry->ret)
);

/* A vCPU gets pages for page tables from the host; it has nr_pages of them then. */
TRACE_EVENT(vcpu_memcache,
	TP_PROTO(union hyp_guest vcpu, struct hyp_public nr_pages, struct hyp_public ret),
	TP_ARGS(vcpu, nr_pages, ret),
	TP_STRUCT__entry(
		__field(u32, nr_pages)
		__field(s32, ret)
		VCPU_ENTRY
	),
	TP_fast_assign(
		__entry->nr_pages = nr_pages.value;
		__entry->ret = ret.value;
		VCPU_ASSIGN(vcpu);
	),
	TP_printk(VCPU_PR_FMT " nr_pages=%u ret=%d", VCPU_PR_ARG, __entry->nr_pages,
		  __entry->ret)
);

/* Protected KVM: vCPUs that are loaded, and handles that are reserved */

/* The host loads a vCPU on this CPU, for one or more runs. */
DEFINE_EVENT(vcpu_only, pkvm_vcpu_load,
	TP_PROTO(union hyp_guest vcpu),
	TP_ARGS(vcpu)
);

/* The host puts the vCPU that is loaded. */
DEFINE_EVENT(vcpu_only, pkvm_vcpu_put,
	TP_PROTO(union hyp_guest vcpu),
	TP_ARGS(vcpu)
);

/* The host reserves a handle for a VM that it will create. handle is an error if there is none. */
DEFINE_EVENT(vm_handle, vm_reserve,
	TP_PROTO(s32 handle),
	TP_ARGS(handle)
);

/* The host gives back a handle for which it has not created a VM. */
DEFINE_EVENT(vm_handle, vm_unreserve,
	TP_PROTO(s32 handle),
	TP_ARGS(handle)
);
#endif /* HYPTRACE_GUESTS_MEMORY */

#ifdef HYPTRACE_PROTECTED_GUESTS
/* Protected guests, whose memory the host can't use. (Before Linux 7.3, there are none.) */

DECLARE_EVENT_CLASS(guest_page,
	TP_PROTO(union hyp_guest_vm vm, u64 ipa, u64 pfn, s32 ret),
	TP_ARGS(vm, ipa, pfn, ret),
	TP_STRUCT__entry(
		__field(u64, ipa)
		__field(u64, pfn)
		__field(s32, ret)
		__field(u16, vm)
	),
	TP_fast_assign(
		__entry->ipa = ipa;
		__entry->pfn = pfn;
		__entry->ret = ret;
		__entry->vm = hyp_vm_number(vm);
	),
	TP_printk("vm=%u ipa=0x%llx pfn=0x%llx ret=%d", __entry->vm, __entry->ipa,
		  __entry->pfn, __entry->ret)
);

/* The host donates a page to a guest, and loses access. */
DEFINE_EVENT(guest_page, mem_host_donate_guest,
	TP_PROTO(union hyp_guest_vm vm, u64 ipa, u64 pfn, s32 ret),
	TP_ARGS(vm, ipa, pfn, ret)
);

/* A guest shares a page of its own with the host. If not, what it has asked for is withheld: 0. */
DEFINE_EVENT(guest_page, mem_guest_share_host,
	TP_PROTO(union hyp_guest_vm vm, u64 ipa, u64 pfn, s32 ret),
	TP_ARGS(vm, ipa, pfn, ret)
);

/* A guest stops sharing a page with the host. If not, what it has asked for is withheld: 0. */
DEFINE_EVENT(guest_page, mem_guest_unshare_host,
	TP_PROTO(union hyp_guest_vm vm, u64 ipa, u64 pfn, s32 ret),
	TP_ARGS(vm, ipa, pfn, ret)
);

/* The host gets a page of a guest back, which is torn down. pfn is 0 if it had none there. */
DEFINE_EVENT(guest_page, mem_host_reclaim_guest,
	TP_PROTO(union hyp_guest_vm vm, u64 ipa, u64 pfn, s32 ret),
	TP_ARGS(vm, ipa, pfn, ret)
);

/* The host takes a page from a guest that lives, for which it is poisoned from now on. */
DEFINE_EVENT(guest_page, mem_host_force_reclaim_guest,
	TP_PROTO(union hyp_guest_vm vm, u64 ipa, u64 pfn, s32 ret),
	TP_ARGS(vm, ipa, pfn, ret)
);

/* EL2 clears a page of a guest before the host gets it. */
TRACE_EVENT(mem_poison,
	TP_PROTO(u64 pfn),
	TP_ARGS(pfn),
	TP_STRUCT__entry(
		__field(u64, pfn)
	),
	TP_fast_assign(
		__entry->pfn = pfn;
	),
	TP_printk("pfn=0x%llx", __entry->pfn)
);

/* EL2 refuses memory to the host, which gets an abort. */
TRACE_EVENT(host_abort_inject,
	TP_PROTO(u64 addr),
	TP_ARGS(addr),
	TP_STRUCT__entry(
		__field(u64, addr)
	),
	TP_fast_assign(
		__entry->addr = addr;
	),
	TP_printk("addr=0x%llx", __entry->addr)
);

/* The host has accessed a system register that is not there for it: it is undefined. */
TRACE_EVENT(host_sysreg,
	TP_PROTO(u64 esr),
	TP_ARGS(esr),
	TP_STRUCT__entry(
		__field(u32, sysreg)
		__field(u8, write)
	),
	TP_fast_assign(
		__entry->sysreg = esr_sys64_to_sysreg(esr);
		__entry->write = !(esr & ESR_ELx_SYS64_ISS_DIR_READ);
	),
	TP_printk("%s %s",
		  __print_symbolic(__entry->write, HYP_SYMBOLS(HYP_ACCESS_LIST)),
		  __print_symbolic(__entry->sysreg, HYP_SYMBOLS(HYP_SYSREG_LIST)))
);

/* EL2 itself answers a hypercall of a protected guest, which is one of few. */
TRACE_EVENT(pvm_call,
	TP_PROTO(union hyp_guest vcpu, struct hyp_public func_id, struct hyp_public ret),
	TP_ARGS(vcpu, func_id, ret),
	TP_STRUCT__entry(
		__field(s64, ret)
		__field(u32, func_id)
		VCPU_ENTRY
	),
	TP_fast_assign(
		__entry->ret = ret.value;
		__entry->func_id = func_id.value;
		VCPU_ASSIGN(vcpu);
	),
	TP_printk(VCPU_PR_FMT " %s func_id=0x%x ret=%lld", VCPU_PR_ARG,
		  __print_symbolic(__entry->func_id, HYP_SYMBOLS(HYP_SMC_LIST)),
		  __entry->func_id, __entry->ret)
);

/* A VM is being torn down from now on; vm_destroy is the end of that. */
DEFINE_EVENT(vm_change, vm_start_teardown,
	TP_PROTO(s32 handle, s32 ret),
	TP_ARGS(handle, ret)
);
#endif /* HYPTRACE_PROTECTED_GUESTS */

/* EL2's own memory */

/*
 * 2^order pages are allocated from the pool for EL2's own page tables, the host's stage 2 or a
 * VM's; ret is an error if the pool has too few. No address is recorded, because the host must
 * not know where EL2 keeps page tables.
 */
TRACE_EVENT(pool_alloc,
	TP_PROTO(const struct hyp_pool *pool, u8 order, s32 ret),
	TP_ARGS(pool, order, ret),
	TP_STRUCT__entry(
		__field(s32, ret)
		__field(u8, pool)
		__field(u8, order)
	),
	TP_fast_assign(
		__entry->ret = ret;
		__entry->pool = hyp_pool_kind(pool);
		__entry->order = order;
	),
	TP_printk("pool=%s order=%u ret=%d",
		  __print_symbolic(__entry->pool, HYP_SYMBOLS(HYP_POOL_LIST)),
		  __entry->order, __entry->ret)
);

/* 2^order pages are freed to the pool. */
TRACE_EVENT(pool_free,
	TP_PROTO(const struct hyp_pool *pool, u8 order),
	TP_ARGS(pool, order),
	TP_STRUCT__entry(
		__field(u8, pool)
		__field(u8, order)
	),
	TP_fast_assign(
		__entry->pool = hyp_pool_kind(pool);
		__entry->order = order;
	),
	TP_printk("pool=%s order=%u",
		  __print_symbolic(__entry->pool, HYP_SYMBOLS(HYP_POOL_LIST)),
		  __entry->order)
);

/* Debugging and tests */

/* hyp_trace_printk(): arguments, and the offset of a format that stays in the kernel. */
TRACE_EVENT(hyp_printk,
	TP_PROTO(u32 fmt, u64 a, u64 b, u64 c, u64 d),
	TP_ARGS(fmt, a, b, c, d),
	TP_STRUCT__entry(
		__field(u64, a)
		__field(u64, b)
		__field(u64, c)
		__field(u64, d)
		__field(u32, fmt)
	),
	TP_fast_assign(
		__entry->a = a;
		__entry->b = b;
		__entry->c = c;
		__entry->d = d;
		__entry->fmt = fmt;
	),
	TP_printk("fmt=%u a=0x%llx b=0x%llx c=0x%llx d=0x%llx", __entry->fmt,
		  __entry->a, __entry->b, __entry->c, __entry->d)
);

/* hyp_trace_puts(): the offset of a text that stays in the kernel. */
TRACE_EVENT(hyp_puts,
	TP_PROTO(u32 fmt),
	TP_ARGS(fmt),
	TP_STRUCT__entry(
		__field(u32, fmt)
	),
	TP_fast_assign(
		__entry->fmt = fmt;
	),
	TP_printk("fmt=%u", __entry->fmt)
);

/*
 * HYP_TRACE_SPAN(): a span of time begins or ends. Its id is unique on the CPU. The fields
 * have the names and values that Perfetto expects of events that are slices.
 */
TRACE_EVENT(hyp_span,
	TP_PROTO(char type, const struct hyp_span *span, u64 duration),
	TP_ARGS(type, span, duration),
	TP_STRUCT__entry(
		__field(u64, id)
		__field(u64, duration)
		__array(char, slice_name, HYP_SPAN_NAME_SIZE)
		__field(char, track_event_type)
	),
	TP_fast_assign(
		__entry->id = span->id;
		__entry->duration = duration;
		memcpy(__entry->slice_name, span->name, HYP_SPAN_NAME_SIZE);
		__entry->track_event_type = type;
	),
	TP_printk("%s %.23s id=%llu duration=%llu ns",
		  __print_symbolic(__entry->track_event_type,
				   HYP_SYMBOLS(HYP_SPAN_LIST)),
		  __entry->slice_name, __entry->id, __entry->duration)
);

/* A write to hyp/write_event records this. */
TRACE_EVENT(selftest,
	TP_PROTO(u64 id),
	TP_ARGS(id),
	TP_STRUCT__entry(
		__field(u64, id)
	),
	TP_fast_assign(
		__entry->id = id;
	),
	TP_printk("id=%llu", __entry->id)
);

#ifdef CONFIG_KVM_HYPTRACE_TEST
/* Fields of all sizes, for tests of filters: HYP_TRACE_TEST_FIELDS. */
TRACE_EVENT(selftest_fields,
	TP_PROTO(u64 id),
	TP_ARGS(id),
	TP_STRUCT__entry(
		__field(u64, id)
		__field(u64, unsigned_8)
		__field(s64, signed_8)
		__field(u32, unsigned_4)
		__field(s32, signed_4)
		__field(u16, unsigned_2)
		__field(s16, signed_2)
		__field(u8, unsigned_1)
		__field(s8, signed_1)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->unsigned_8 = hyp_trace_test_number(id, 0);
		__entry->signed_8 = hyp_trace_test_number(id, 1);
		__entry->unsigned_4 = hyp_trace_test_number(id, 2);
		__entry->signed_4 = hyp_trace_test_number(id, 3);
		__entry->unsigned_2 = hyp_trace_test_number(id, 4);
		__entry->signed_2 = hyp_trace_test_number(id, 5);
		__entry->unsigned_1 = hyp_trace_test_number(id, 6);
		__entry->signed_1 = hyp_trace_test_number(id, 7);
	),
	TP_printk("id=%llu %llu %lld %u %d %u %d %u %d", __entry->id,
		  __entry->unsigned_8, __entry->signed_8,
		  __entry->unsigned_4, __entry->signed_4,
		  __entry->unsigned_2, __entry->signed_2,
		  __entry->unsigned_1, __entry->signed_1)
);
#endif
