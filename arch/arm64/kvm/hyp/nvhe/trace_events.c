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
 * Room for a record of @size bytes, with its struct trace_entry filled in:
 * type, no flags, no preempt count, pid. If the fields leave holes, @zero
 * clears them: what lies in the page is not for whoever reads the record.
 */
static __always_inline void *hyp_trace_reserve(struct hyp_trace_cpu *cpu,
					       u16 type, u32 size, bool zero)
{
	u64 now = hyp_clock_now(&cpu->clock);
	u64 *ent = hyp_ring_reserve(&cpu->ring, now, size);

	if (unlikely(!ent))
		return NULL;

	ent[0] = type | (u64)hyp_trace_pid(cpu) << 32;
	if (zero)
		memset(ent + 1, 0, size - sizeof(*ent));

	return ent;
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

/* Pass 3: the writers. */
#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
bool hyp_write_##name(u16 __type, proto)				\
{									\
	struct hyp_trace_cpu *__cpu = this_cpu_ptr(&hyp_trace_cpu);	\
	struct hyp_record_##name *__entry;				\
									\
	__entry = hyp_trace_reserve(__cpu, __type, sizeof(*__entry),	\
				    sizeof(*__entry) != hyp_size_##name); \
	if (unlikely(!__entry))						\
		return false;						\
									\
	{ assign }							\
									\
	hyp_ring_commit(&__cpu->ring);					\
	return true;							\
}

#include <trace/events/hyp.h>
