// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events at EL2: hyp_write_<class>(), generated from trace/events/hyp.h.
 *
 * The fast path is the whole cost of an enabled event: everything in it is inlined. Rare
 * cases are left to hyp_write_draft().
 */

#include <nvhe/hyptrace.h>
#include <nvhe/hyptrace/fields.h>
#include <nvhe/hyptrace/filter.h>

#include <linux/args.h>
#include <linux/build_bug.h>
#include <linux/string.h>

#include <nvhe/mem_protect.h>

/* KVM's own numbers, which events have: readers get them as text. */
static_assert((int)HYP_OWNER_HYP == (int)PKVM_ID_HYP);
static_assert(KVM_PGTABLE_PROT_X == HYPTRACE_PROT_X);
static_assert(KVM_PGTABLE_PROT_W == HYPTRACE_PROT_W);
static_assert(KVM_PGTABLE_PROT_R == HYPTRACE_PROT_R);
static_assert(KVM_PGTABLE_PROT_DEVICE == HYPTRACE_PROT_DEVICE);

/*
 * Fill in a record's struct trace_entry.
 * If the fields leave holes, @zero clears the record first, so that no stale bytes of the
 * page get out. The barrier keeps the wide stores: the compiler would turn them into
 * narrow ones for the holes only, which are more.
 */
static __always_inline void hyp_trace_begin(struct hyp_trace_cpu *cpu,
					    u64 *ent, u64 type, u32 size,
					    bool zero)
{
	hyp_trace_head(cpu, ent, type);
	if (zero) {
		memset(ent + 1, 0, size - sizeof(*ent));
		barrier();
	}
}

/*
 * A guest's data are not shown unless somebody says so. An event takes a guest's vCPU as a union
 * hyp_guest, as its first argument, and any other argument then says what it is: a struct
 * hyp_secret or a struct hyp_public. It can't get at anything else.
 */
#undef read_sysreg
#undef read_sysreg_s
#undef read_sysreg_el1
#undef read_sysreg_el2
#undef read_gicreg
#pragma GCC poison read_sysreg read_sysreg_s read_sysreg_el1 read_sysreg_el2 read_gicreg
#pragma GCC poison __vcpu __value

#define HYP_ARG_IS(arg, type)						\
	__builtin_types_compatible_p(typeof(arg), type)
#define HYP_ARGS_1(arg)							\
	(!HYP_ARG_IS(arg, struct kvm_vcpu *) && !HYP_ARG_IS(arg, const struct kvm_vcpu *))
#define HYP_ARGS_2(guest, arg)						\
	(HYP_ARGS_1(guest) && HYP_ARGS_1(arg) &&			\
	 (!HYP_ARG_IS(guest, union hyp_guest) ||			\
	  HYP_ARG_IS(arg, struct hyp_secret) || HYP_ARG_IS(arg, struct hyp_public)) && \
	 !HYP_ARG_IS(arg, union hyp_guest))
#define HYP_ARGS_3(guest, arg, args...)					\
	(HYP_ARGS_2(guest, arg) && HYP_ARGS_2(guest, args))
#define HYP_ARGS_4(guest, arg, args...)					\
	(HYP_ARGS_2(guest, arg) && HYP_ARGS_3(guest, args))
#define HYP_ARGS_5(guest, arg, args...)					\
	(HYP_ARGS_2(guest, arg) && HYP_ARGS_4(guest, args))
#define HYP_ARGS_6(guest, arg, args...)					\
	(HYP_ARGS_2(guest, arg) && HYP_ARGS_5(guest, args))
#define HYP_ARGS_SAY_WHOSE(args...)					\
	CONCATENATE(HYP_ARGS_, COUNT_ARGS(args))(args)

#define TP_STRUCT__entry(args...)	args
#define TP_fast_assign(args...)		args

/*
 * Pass 1: the records, with the layout that ftrace gives them on the host. A field is an
 * integer or an array of integers; ftrace's other kinds of fields are refused.
 */
/* A bit-field must be an integer: the compiler reports any other type by name. */
#define HYP_FIELD_INTEGER(type, item)					\
	static_assert(sizeof(struct { type item##_must_be_an_integer : 2; }));

#define HYP_FIELD_REFUSED(item)						\
	static_assert(0, "hyp event: field " #item			\
		      " must be a __field() or an __array() of integers");

#undef __field
#define __field(type, item)		HYP_FIELD_INTEGER(type, item) type item;
#undef __array
#define __array(type, item, len)	HYP_FIELD_INTEGER(type, item) type item[len];
#define __field_ext(type, item, ext)	HYP_FIELD_REFUSED(item)
#define __field_struct(type, item)	HYP_FIELD_REFUSED(item)
#define __dynamic_array(type, item, len) HYP_FIELD_REFUSED(item)
#define __string(item, src)		HYP_FIELD_REFUSED(item)
#define __string_len(item, src, len)	HYP_FIELD_REFUSED(item)
#define __vstring(item, fmt, ap)	HYP_FIELD_REFUSED(item)
#define __bitmask(item, nr_bits)	HYP_FIELD_REFUSED(item)
#define __cpumask(item)			HYP_FIELD_REFUSED(item)
#define __rel_dynamic_array(type, item, len) HYP_FIELD_REFUSED(item)
#define __rel_string(item, src)		HYP_FIELD_REFUSED(item)

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	struct hyp_record_##name {					\
		struct trace_entry ent;					\
		tstruct							\
	};								\
	static_assert(sizeof(struct hyp_record_##name) % 4 == 0);	\
	static_assert(sizeof(struct hyp_record_##name) <= HYP_RECORD_MAX, \
		      "hyp event " #name " is too large")

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),		\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print))

#include <trace/events/hyp.h>

/* Pass 2: the sum of the fields' sizes, which is less than the record if it has holes. */
#undef __field
#define __field(type, item)		+ sizeof(type)
#undef __array
#define __array(type, item, len)	+ sizeof(type) * (len)

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	enum { hyp_size_##name = sizeof(struct trace_entry) tstruct }

#include <trace/events/hyp.h>

/*
 * Pass 3: the writers. The fast path calls nothing, so it needs no stack frame. If it fails, a
 * tail call makes the event's record a draft, in EL2's own memory, and what follows is the same
 * for all events: hyp_write_draft(). So it is with an event that is filtered, followed or a
 * trigger: its time, if it is not known, is read when it is recorded. There is one tail call for
 * all of this, and it leaves the event's arguments where they are; otherwise the compiler moves
 * them at the start of the fast path.
 */
static __always_inline bool hyp_is_draft(u64 type)
{
	return unlikely(type & HYP_EVENT_DRAFT);
}

/*
 * These go on when the draft has an event's record, and return true if it was recorded in the
 * user's ring. They have the same parameters, used or not: so an event leaves the values in their
 * registers, whichever it calls. __noipa keeps the compiler from dropping those that are unused.
 */
static noinline __noipa bool
hyp_write_draft(u64 type, u64 size, struct hyp_trace_cpu *cpu, u64 now)
{
	return ext_ring_write_slow(cpu->draft.record, size, &cpu->user.ring, now);
}

/* @now is 0 if it is not known. */
static noinline __noipa bool
hyp_write_if_match(u64 type, u64 size, struct hyp_trace_cpu *cpu, u64 now)
{
	if (unlikely(type & HYP_EVENT_MORE))
		return hyp_draft_finish(type, size, cpu, now);

	if (!hyp_filter_match(&cpu->draft, type, HYP_FILTER_RECORD))
		return false;

	if (likely(!now))
		now = hyp_clock_now(&cpu->clock);
	return ext_ring_write(cpu->draft.record, size, &cpu->user.ring, now);
}

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
static __always_inline void						\
hyp_fill_##name(struct hyp_trace_cpu *__cpu, void *__record, u64 __type, \
		proto)							\
{									\
	struct hyp_record_##name *__entry = __record;			\
									\
	static_assert(HYP_ARGS_SAY_WHOSE(args), "hyp event " #name	\
		      ": a guest is a union hyp_guest, and what is passed with it" \
		      " a struct hyp_secret or hyp_public");		\
	hyp_trace_begin(__cpu, (u64 *)__entry, __type, sizeof(*__entry), \
			sizeof(*__entry) != hyp_size_##name);		\
	{ assign }							\
}									\
									\
static __always_inline bool						\
hyp_write_fast_##name(struct hyp_trace_cpu *__cpu, u64 __now, u64 __type, \
		      proto)						\
{									\
	struct ext_ring_reservation __resv;				\
									\
	if (!ext_ring_reserve(&__cpu->user.ring, __now,			\
			      sizeof(struct hyp_record_##name), &__resv)) \
		return false;						\
									\
	hyp_fill_##name(__cpu, __resv.payload, __type, args);		\
	ext_ring_commit(&__resv);					\
	return true;							\
}									\
									\
static noinline bool							\
hyp_draft_##name(u64 __type, proto, struct hyp_trace_cpu *__cpu,	\
		 u64 __now)						\
{									\
	hyp_fill_##name(__cpu, __cpu->draft.record, (u16)__type, args);	\
	if (hyp_is_draft(__type))					\
		return hyp_write_if_match(__type, sizeof(struct hyp_record_##name), \
					  __cpu, __now);		\
	return hyp_write_draft(__type, sizeof(struct hyp_record_##name), \
			       __cpu, __now);				\
}									\
									\
void hyp_write_##name(u64 __type, proto)				\
{									\
	struct hyp_trace_cpu *__cpu = this_cpu_ptr(&hyp_trace_cpu);	\
	u64 __now = 0;							\
									\
	if (!hyp_is_draft(__type)) {					\
		__now = hyp_clock_now(&__cpu->clock);			\
		if (likely(hyp_write_fast_##name(__cpu, __now, __type, args))) \
			return;						\
	}								\
									\
	hyp_draft_##name(__type, args, __cpu, __now);			\
}

#include <trace/events/hyp.h>

/*
 * hyp_enter and hyp_exit, of class hyp_crossing. hyp_exit is recorded only if its
 * hyp_enter was; see hyp_trace_enter() and hyp_trace_exit().
 */

/* If hyp_exit is disabled now and enabled later, it must not pair with this hyp_enter. */
static __always_inline void hyp_trace_entered(struct hyp_trace_cpu *cpu)
{
	cpu->entered = hyp_emit_hyp_exit_enabled();
}

static noinline void hyp_trace_enter_slow(u64 type, u8 reason, struct hyp_trace_cpu *cpu, u64 now)
{
	if (hyp_draft_hyp_crossing(type, reason, cpu, now))
		hyp_trace_entered(cpu);
	else
		cpu->entered = 0;
}

static __always_inline void hyp_trace_write_enter(struct hyp_trace_cpu *cpu, u64 now,
						  u64 type, u8 reason)
{
	if (likely(!hyp_is_draft(type) &&
		   hyp_write_fast_hyp_crossing(cpu, now, type, reason)))
		hyp_trace_entered(cpu);
	else
		hyp_trace_enter_slow(type, reason, cpu, now);
}

static __always_inline void hyp_trace_enter_now(u64 type, u8 reason)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	hyp_trace_write_enter(cpu, hyp_clock_now(&cpu->clock), type, reason);
}

void __hyp_trace_enter(u64 type, u8 reason)
{
	hyp_trace_enter_now(type, reason);
}

/* As hyp_trace_enter(), if the time is known. */
void hyp_trace_enter_at(u8 reason, u64 now)
{
	u64 type = hyp_emit_hyp_enter_enabled();

	if (type)
		hyp_trace_write_enter(this_cpu_ptr(&hyp_trace_cpu), now, type, reason);
}

/* Reason for each exception class. */
static const u8 host_reason[ESR_ELx_EC_MAX + 1] = {
	[0 ... ESR_ELx_EC_HVC64 - 1]				= HYP_CROSSING_UNKNOWN,
	[ESR_ELx_EC_HVC64]					= HYP_CROSSING_HVC,
	[ESR_ELx_EC_SMC64]					= HYP_CROSSING_SMC,
	[ESR_ELx_EC_SYS64]					= HYP_CROSSING_SYS,
	[ESR_ELx_EC_SYS64 + 1 ... ESR_ELx_EC_IABT_LOW - 1]	= HYP_CROSSING_UNKNOWN,
	[ESR_ELx_EC_IABT_LOW]					= HYP_CROSSING_HOST_ABORT,
	[ESR_ELx_EC_IABT_LOW + 1 ... ESR_ELx_EC_DABT_LOW - 1]	= HYP_CROSSING_UNKNOWN,
	[ESR_ELx_EC_DABT_LOW]					= HYP_CROSSING_HOST_ABORT,
	[ESR_ELx_EC_DABT_LOW + 1 ... ESR_ELx_EC_MAX]		= HYP_CROSSING_UNKNOWN,
};

void __hyp_trace_enter_host(u64 type, u64 esr)
{
	hyp_trace_enter_now(type, host_reason[ESR_ELx_EC(esr)]);
}

/* As hyp_trace_enter_host(), if the time is known. */
void hyp_trace_enter_host_at(u64 esr, u64 now)
{
	hyp_trace_enter_at(host_reason[ESR_ELx_EC(esr)], now);
}

static noinline void hyp_trace_exit_slow(u64 type, u8 reason, struct hyp_trace_cpu *cpu, u64 now)
{
	/*
	 * hyp_trace_exit_early() has recorded it and let it trigger; only the follower has not had
	 * it.
	 */
	if (cpu->leave & HYP_LEAVE_EXITED)
		type = (type & ~(u64)HYP_EVENT_TRIGGER) | HYP_EVENT_UNPAIRED;
	/* If hyp_exit is enabled without hyp_enter, it is not part of a pair. */
	else if (!cpu->entered && hyp_trace_event_is_set(HYP_EVENT_hyp_enter))
		type |= HYP_EVENT_UNPAIRED;

	if (type & HYP_EVENT_UNPAIRED && !(type & (HYP_EVENT_TRIGGER | HYP_EVENT_FOLLOWED)))
		return;

	cpu->entered = 0;
	if (hyp_is_draft(type) ||
	    !hyp_write_fast_hyp_crossing(cpu, now, type, reason))
		hyp_draft_hyp_crossing(type, reason, cpu, now);
}

static __always_inline void hyp_trace_write_exit(struct hyp_trace_cpu *cpu, u64 now,
						 u64 type, u8 reason)
{
	if (likely(cpu->entered && !hyp_is_draft(type)) &&
	    hyp_write_fast_hyp_crossing(cpu, now, type, reason))
		cpu->entered = 0;
	else
		hyp_trace_exit_slow(type, reason, cpu, now);
}

void __hyp_trace_exit(u64 type, u8 reason)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	hyp_trace_write_exit(cpu, hyp_clock_now(&cpu->clock), type, reason);
}

/* As hyp_trace_exit(), if the time is known. */
void hyp_trace_exit_at(u8 reason, u64 now)
{
	u64 type = hyp_emit_hyp_exit_enabled();

	if (type)
		hyp_trace_write_exit(this_cpu_ptr(&hyp_trace_cpu), now, type, reason);
}

/* Pass 4: sizes, for whoever has an event's number only. */
#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)			\
	case HYP_EVENT_##name:						\
		return sizeof(struct hyp_record_##template)
#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))

/* The size of an event's record [bytes]. */
u32 hyp_record_size(unsigned int event)
{
	switch (event) {
#include <trace/events/hyp.h>
	}

	return 0;
}
