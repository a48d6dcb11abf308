// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events at EL2: hyp_write_<class>(), generated from trace/events/hyp.h.
 *
 * This is the enabled event's whole cost, so everything in it is inlined and
 * nothing in it is done for a rare case; those are in hyp_ring_reserve_slow().
 */

#include <nvhe/trace.h>

#include <linux/build_bug.h>
#include <linux/string.h>

/* The host task that entered EL2 (CONFIG_PID_IN_CONTEXTIDR). */
static __always_inline u32 hyp_trace_pid(const struct hyp_trace_cpu *cpu)
{
	u64 pid = cpu->host_pid;

	return likely(!pid) ? read_sysreg_el1(SYS_CONTEXTIDR) : pid;
}

/*
 * Fill in a record's struct trace_entry: type, no flags, no preempt count, pid.
 * If the fields leave holes, @zero clears them: what lies in the page is not for
 * whoever reads the record.
 */
static __always_inline void hyp_trace_begin(struct hyp_trace_cpu *cpu,
					    u64 *ent, u32 type, u32 size,
					    bool zero)
{
	ent[0] = type | (u64)hyp_trace_pid(cpu) << 32;
	if (zero)
		memset(ent + 1, 0, size - sizeof(*ent));
}

static_assert(sizeof(struct trace_entry) == sizeof(u64));
static_assert(offsetof(struct trace_entry, type) == 0);
static_assert(offsetof(struct trace_entry, pid) == 4);

#define TP_STRUCT__entry(args...)	args
#define TP_fast_assign(args...)		args

/* Pass 1: the records, as the host's ftrace lays them out too. */
#undef __field
#define __field(type, item)	type item;

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	struct hyp_record_##name {					\
		struct trace_entry ent;					\
		tstruct							\
	};								\
	static_assert(sizeof(struct hyp_record_##name) % 4 == 0);	\
	static_assert(sizeof(struct hyp_record_##name) <		\
		      HYP_RING_DATA_SIZE / 2, "hyp event " #name " is too large")

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),		\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print))

#include <trace/events/hyp.h>

/* Pass 2: the size of their fields, to know of holes. */
#undef __field
#define __field(type, item)	+ sizeof(type)

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	enum { hyp_size_##name = sizeof(struct trace_entry) tstruct }

#include <trace/events/hyp.h>

/*
 * Pass 3: the writers. The common case calls nothing, so that it needs no stack
 * frame; the rest it leaves to a twin, by a tail call.
 */
#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
static __always_inline bool						\
hyp_fill_##name(struct hyp_trace_cpu *__cpu,				\
		struct hyp_record_##name *__entry, u32 __type, proto)	\
{									\
	hyp_trace_begin(__cpu, (u64 *)__entry, __type, sizeof(*__entry), \
			sizeof(*__entry) != hyp_size_##name);		\
	{ assign }							\
	hyp_ring_commit(&__cpu->ring);					\
	return true;							\
}									\
									\
static noinline bool							\
hyp_write_slow_##name(struct hyp_trace_cpu *__cpu, u64 __now, u32 __type, \
		      proto)						\
{									\
	struct hyp_record_##name *__entry =				\
		hyp_ring_reserve_slow(&__cpu->ring, __now,		\
				      sizeof(*__entry));		\
									\
	return __entry && hyp_fill_##name(__cpu, __entry, __type, args); \
}									\
									\
bool hyp_write_##name(u32 __type, proto)				\
{									\
	struct hyp_trace_cpu *__cpu = this_cpu_ptr(&hyp_trace_cpu);	\
	u64 __now = hyp_clock_now(&__cpu->clock);			\
	struct hyp_record_##name *__entry =				\
		hyp_ring_reserve(&__cpu->ring, __now, sizeof(*__entry)); \
									\
	if (unlikely(!__entry))						\
		return hyp_write_slow_##name(__cpu, __now, __type, args); \
									\
	return hyp_fill_##name(__cpu, __entry, __type, args);		\
}

#include <trace/events/hyp.h>
