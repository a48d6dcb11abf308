/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing hypercalls: the ABI between host and EL2.
 *
 * The host may issue them at any time after KVM has set up EL2. A result of 0 is
 * success, a negative one an errno; further results are in registers. Any call returns
 * -EINVAL for an argument that is out of range or a CPU that does not exist.
 *
 * A @ring is a CPU's number for its ring that readers of hyp/ read, and that number with
 * HYP_TRACE_FOLLOWER for its ring with what the host follows.
 *
 * __hyp_trace_load(ring, pfn, region_pages, nr_slots, nr_pages)
 *	Do a step of giving EL2 memory for @ring. @pfn is the first of @region_pages
 *	contiguous pages, the region, exactly hyp_trace_region_pages(@nr_pages). The
 *	region begins with the page frame numbers of the meta page and of the
 *	@nr_pages data pages, a u64 each; @nr_slots of these are in the ring, and 1 to
 *	EXT_RING_MAX_SPARES are not. In protected mode these pages must be
 *	shared with EL2, and the region is donated to EL2 until unload. In nVHE mode
 *	all of them must be mapped at EL2.
 *	-EINVAL: @ring, @region_pages, @nr_slots or @nr_pages out of range; a page is
 *		 pinned already: it is named twice, or in another ring
 *	-EBUSY:  @ring has memory, or is being loaded or unloaded
 *	-EPERM:  a page is not the host's, is not memory or is not shared; or tracing
 *		 is locked
 *	-EINPROGRESS: up to HYP_TRACE_STEP_PAGES have been taken or, after an error,
 *		 given back; repeat the call. Until it returns something else, all
 *		 other calls for this ring return -EBUSY
 * __hyp_trace_unload(ring) -> {seq, dropped}
 *	Do a step of taking the ring back: unpin its pages, zero the region and donate
 *	it to the host.
 *	-ENOENT: no ring; -EBUSY: the CPU may be writing, see sync, or the ring is
 *	being loaded; -EINPROGRESS: as with load
 * __hyp_trace_sync(state, totals, follower)
 *	On this CPU, which is then in a quiescent state: copy the clock; open, close or
 *	suspend the CPU's ring for readers and its follower's (enum hyp_trace_ring_state);
 *	if @totals is 1 and the CPU has a table, keep totals, if it is 0 do not.
 * __hyp_trace_mode(mode, overwrite)
 *	Set enum trace_ext_mode, for all CPUs and events, and for rings of readers.
 * __hyp_trace_run(on)
 *	In mode TRACE_EXT_ON, stop recording (0) or start it (1), as triggers do. At first it
 *	is running.
 * __hyp_trace_event(event, id)
 *	Enable the event with that number (HYP_EVENT_<name>). Its records have @id as
 *	their type, the host's number of the event. 0 disables the event.
 *	-EINVAL: out of range; -EPERM: tracing is locked
 * __hyp_trace_follow(event, id)
 *	Have the event go to the follower's rings, too, whatever the mode, filters and
 *	triggers are. If a CPU has recorded any there, EL2 raises the doorbell when it is left
 *	for the host. 0 ends that. This call is not followed, nor are load, unload and swap of
 *	these rings.
 *	-EINVAL: out of range; -EPERM: tracing is locked
 * __hyp_trace_pred(place, lo, width, mask, rest)
 *	Put a comparison at @place, from EXT_FILTER_FIRST to HYP_FILTER_PLACES - 1: struct
 *	ext_filter_pred, with hyp_filter_rest().
 *	-EINVAL: out of range; what it compares is outside of all records; or it goes to
 *	itself or back; -EBUSY: the place is part of an event's filter
 * __hyp_trace_filter(event, use, place, nr)
 *	Apply the @nr comparisons from @place as a filter to an event, for enum
 *	hyp_filter_use. 0 comparisons, from any place that exists, remove it. A CPU that is
 *	at EL2 may still apply the filter that the event had: let each CPU leave EL2 before
 *	its places have other comparisons.
 *	-EINVAL: out of range; or a comparison goes elsewhere, or compares what is outside
 *	of the event's record
 * __hyp_trace_trigger(event, use, action, count)
 *	Have the event, if its filter for that use matches, do enum trace_ext_action, @count
 *	times at most; -1 is no limit. A CPU that is at EL2 may still do what the event did
 *	before.
 *	-EINVAL: out of range, or the use has no such action; -EPERM: tracing is locked
 * __hyp_trace_triggers(event, use) -> {running, count}
 *	Get the state that triggers have left, 1 if recording, and how often the event may
 *	still act.
 * __hyp_trace_stacks(on, text)
 *	Record the stack after each event (1) or not (0). Addresses in records are as if EL2's
 *	text began at @text.
 *	-EINVAL: out of range; -EPERM: tracing is locked
 * __hyp_trace_mark(ip, len, text...)
 *	Record @len bytes of text, 1 to TRACE_EXT_MARK_MAX, as ftrace:print with that @ip. The
 *	text is in the registers of the further arguments, the first byte in bits 7:0.
 *	-EINVAL: out of range; -EBADF: not recorded: tracing is off, or the ring is full
 * __hyp_trace_swap(ring, id) -> {page id | number of events << 32, position, sequence number}
 *	Exchange the spare page with that id for the oldest unread page, which is a spare then
 *	(ext_ring_swap()).
 *	-EINVAL: also if the page is no spare; -ENOENT: no ring; -EAGAIN: nothing to swap
 * __hyp_trace_reset(ring) -> {seq}
 *	Empty the ring, from its CPU or with the ring closed. Its next event has that sequence
 *	number.
 *	-ENOENT, -EBUSY: as with unload
 * __hyp_trace_clock(mult, shift, base)
 *	Set the clock (struct hyp_clock). Each CPU copies it at its next sync, and when it
 *	comes out of PSCI firmware.
 * __hyp_trace_alarm(cpu, pos)
 *	Raise the doorbell once when @cpu records an event at position @pos or later.
 *	This replaces the alarm that was set before. From the CPU itself or with its
 *	ring closed.
 *	-ENOENT, -EBUSY: as with unload; -EOPNOTSUPP: no doorbell
 * __hyp_trace_doorbell(sgi)
 *	Set the SGI that EL2 raises on the CPU that records the event.
 *	-EINVAL: not an SGI; -EOPNOTSUPP: EL2 has neither a GICv3's system registers nor
 *	a GICv2's distributor
 *
 * With CONFIG_KVM_HYPTRACE_FUNCTIONS only:
 *
 * __hyp_trace_hook(function, hook)
 *	With protection: set what happens when a function is called, by its place in EL2's table
 *	(enum trace_ext_hook). A CPU that is at EL2 may still do what it did before.
 *	-EINVAL: out of range; -EPERM: tracing is locked; -EOPNOTSUPP: without protection,
 *	where the host writes EL2's text itself
 * __hyp_trace_functions(on, text, max_depth, roots)
 *	Record the calls and returns of functions that are hooked (1) or not (0). Addresses in
 *	records are as if EL2's text began at @text. Functions deeper than @max_depth, 1 to
 *	FTRACE_RETFUNC_DEPTH, are not recorded; if @roots is 1, only what roots call.
 *	-EINVAL: out of range; -EPERM: tracing is locked
 *
 * __hyp_totals_load(cpu, pfn, nr_pages)
 *	Do a step of giving EL2 a table of totals for @cpu (asm/hyptrace_totals.h). As
 *	__hyp_trace_load(), with a region and shared pages of hyp_totals_cpu_shape().
 * __hyp_totals_load_vcpu(vm, id, pfn, nr_pages)
 *	Give EL2 a table for a vCPU, of hyp_totals_vcpu_shape(), in one step: with protection, for
 *	that with number @id of the VM with handle @vm; without, for that whose struct
 *	kvm_vcpu is at @id. EL2 keeps the table until it has torn down the VM.
 *	-ENOENT: no such vCPU; -EBUSY: it has a table; else as with load
 * __hyp_totals_unload(cpu) -> {pfn}
 *	Do a step of taking the table back. With HYP_TOTALS_GONE for @cpu, that of any vCPU that
 *	is gone. @pfn is the first page of its region.
 *	-ENOENT: no table; -EBUSY: the CPU may be using it, see sync, or it is being
 *	loaded; -EINPROGRESS: as with load
 * __hyp_totals_enable(enable, reset)
 *	Measure guests (1) or not (0), on CPUs that keep totals. A vCPU's rows begin at 0 when it
 *	runs, unless they have since a call with the same @reset.
 *	-EPERM: tracing is locked
 * __hyp_totals_max(enable, threshold, number, reset)
 *	Publish long intervals (1) or not (0), from a CPU's next sync on: the longest of each row
 *	since a call with another @reset, and those above @threshold [ns]. Each call must have
 *	another @number. Records have @reset.
 *	-EPERM: tracing is locked
 *
 * With CONFIG_KVM_HYPTRACE_TEST only:
 *
 * __hyp_trace_write_event(id)
 *	Record the event "selftest", and some text.
 * __hyp_trace_test(action, arg)
 *	Do what enum hyp_trace_test_action says.
 *	-EINVAL: out of range
 */
#ifndef __ASM_HYPTRACE_H__
#define __ASM_HYPTRACE_H__

#include <linux/ext_filter.h>
#include <linux/ext_ring.h>
#include <linux/math.h>
#include <linux/sizes.h>
#include <linux/trace_ext.h>

#include <asm/hyp_image.h>
#include <asm/hyptrace_key.h>

struct resource;

#ifdef CONFIG_KVM_HYPTRACE
void hyptrace_set_gicd(const struct resource *dist);
void hyptrace_handle_doorbell(void);
void hyptrace_el2_panicked(void);
#else
#define hyptrace_set_gicd(dist)		do { } while (0)	/* there is no dist */
static inline void hyptrace_handle_doorbell(void) { }
static inline void hyptrace_el2_panicked(void) { }
#endif

/* Where the kernel gets irq_work's interrupt. */
static inline void hyptrace_doorbell(void)
{
	if (hyptrace_is_in_use())
		hyptrace_handle_doorbell();
}

/* EL2's variable: no tracing until the next boot (kvm-arm.hyp_trace=off). */
extern bool kvm_nvhe_sym(hyp_trace_locked);

/* EL2's variable: runs of protected guests are not traced (kvm-arm.hyp_trace=unprotected). */
extern bool kvm_nvhe_sym(hyp_trace_unprotected);

/* EL2's variable: the distributor of a GICv2, in EL2's address space, or NULL. */
extern void __iomem *kvm_nvhe_sym(hyp_trace_gicd);

/* No CPU: for __hyp_totals_unload(), all vCPUs that are gone. */
#define HYP_TOTALS_GONE		(U32_MAX - 1)

/* Added to a CPU's number, its follower's ring. */
#define HYP_TRACE_FOLLOWER	BIT(16)

/**
 * enum hyp_filter_use - what an event's filter decides
 * @HYP_FILTER_RECORD:	whether the event is recorded
 * @HYP_FILTER_TRIGGER:	whether it stops or starts recording
 * @HYP_FILTER_STACK:	whether its stack is recorded
 * @HYP_FILTER_USES:	number of uses
 */
enum hyp_filter_use {
	HYP_FILTER_RECORD,
	HYP_FILTER_TRIGGER,
	HYP_FILTER_STACK,
	HYP_FILTER_USES,
};

/**
 * enum hyp_trace_ring_state - whether a CPU's events are recorded
 * @HYP_TRACE_CLOSED:	they are not recorded and not counted
 * @HYP_TRACE_OPEN:	they are recorded, if the CPU has a ring
 * @HYP_TRACE_SUSPENDED: the ring is being replaced: they are not recorded, and count as
 *			dropped in the next ring
 */
enum hyp_trace_ring_state {
	HYP_TRACE_CLOSED,
	HYP_TRACE_OPEN,
	HYP_TRACE_SUSPENDED,
};

/**
 * enum hyp_trace_test_action - the actions of __hyp_trace_test()
 * @HYP_TRACE_TEST_PANIC:	record arg events, and panic at EL2
 * @HYP_TRACE_TEST_PANIC_LOCKED: the same with the CPU's lock held
 * @HYP_TRACE_TEST_PANIC_WRITING: the same while an event is written
 * @HYP_TRACE_TEST_WITHHOLD:	treat every guest as a protected one if arg is 1, 0 to stop
 * @HYP_TRACE_TEST_STEP:	set the pages in a step, 1 to HYP_TRACE_STEP_PAGES
 * @HYP_TRACE_TEST_QUIET:	return 0 if this CPU uses the ordinary vectors, else -EBUSY
 * @HYP_TRACE_TEST_SAY:		record a text with four arguments computed from arg, and a
 *				span; not those of __hyp_trace_write_event()
 * @HYP_TRACE_TEST_MEMORY:	with protection, share pages of the host (arg is their frame
 *				number << 8 | count) with the secure world and back, donate
 *				them to EL2 and back
 * @HYP_TRACE_TEST_PANIC_SWAPPED: panic when a page has been swapped, before the reader knows
 * @HYP_TRACE_TEST_PANIC_TWICE: as HYP_TRACE_TEST_PANIC, but EL2 faults on hyp_panic, too
 * @HYP_TRACE_TEST_FIELDS:	record the event "selftest_fields" number arg
 * @HYP_TRACE_TEST_EMIT:	record the event "selftest" arg times, 65536 at most
 * @HYP_TRACE_TEST_TREE:	call a tree of eleven functions arg times, 65536 at most
 * @HYP_TRACE_TEST_RECURSE:	call a function that calls itself arg times,
 *				HYP_TRACE_TEST_MAX_DEPTH at most
 * @HYP_TRACE_TEST_TEXT:	keep a checksum of EL2's text if arg is 0; otherwise return 0 if
 *				that is still the same, else -EBADMSG
 * @HYP_TRACE_TEST_STACK:	mark the unused part of this CPU's stack if arg is 0; otherwise
 *				return 0 if that many bytes have never been used since, else
 *				-ENOSPC
 * @HYP_TRACE_TEST_REFUSE:	let an interrupt come when a guest is about to be entered, the
 *				next arg times that guests are traced
 * @HYP_TRACE_TEST_RESULTS:	call three more functions than the tree's, once
 */
enum hyp_trace_test_action {
	HYP_TRACE_TEST_PANIC,
	HYP_TRACE_TEST_PANIC_LOCKED,
	HYP_TRACE_TEST_PANIC_WRITING,
	HYP_TRACE_TEST_WITHHOLD,
	HYP_TRACE_TEST_STEP,
	HYP_TRACE_TEST_QUIET,
	HYP_TRACE_TEST_SAY,
	HYP_TRACE_TEST_MEMORY,
	HYP_TRACE_TEST_PANIC_SWAPPED,
	HYP_TRACE_TEST_PANIC_TWICE,
	HYP_TRACE_TEST_FIELDS,
	HYP_TRACE_TEST_EMIT,
	HYP_TRACE_TEST_TREE,
	HYP_TRACE_TEST_RECURSE,
	HYP_TRACE_TEST_TEXT,
	HYP_TRACE_TEST_STACK,
	HYP_TRACE_TEST_REFUSE,
	HYP_TRACE_TEST_RESULTS,
};

/* Deeper than what is recorded; EL2's stack is a page. */
#define HYP_TRACE_TEST_MAX_DEPTH	60

/*
 * A number for a field of event number @id of selftest_fields and host_selftest_fields. All sizes
 * and both signs are frequent.
 */
static inline u64 hyp_trace_test_number(u64 id, unsigned int field)
{
	u64 mixed = (id * 8 + field + 1) * 0x9e3779b97f4a7c15;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
	mixed ^= mixed >> 27;
	return mixed & BIT(6) ? -(mixed >> mixed % 64) : mixed >> mixed % 64;
}

/* One call takes or gives back this many pages at most, in some 250 us. */
#define HYP_TRACE_STEP_PAGES	256

/* EL2 zeroes what it gives back, so one call handles at most 1 MiB of the region. */
#define HYP_TRACE_STEP_REGION	(SZ_1M / PAGE_SIZE)

/* EL2's bookkeeping for a page: a record (16 bytes) and a slot's word (8 bytes). */
#define HYP_TRACE_BYTES_PER_PAGE	24

/*
 * The pages of the region that describes a ring of so many data pages and a meta page. It first
 * holds the list of page frame numbers. EL2's bookkeeping then takes its place, and is the larger
 * of the two.
 */
static inline u64 hyp_trace_region_pages(u32 nr_pages)
{
	return DIV_ROUND_UP((nr_pages + 1ULL) * HYP_TRACE_BYTES_PER_PAGE, PAGE_SIZE);
}

/* Size of the largest record that EL2 writes, which it checks when it is compiled [bytes]. */
#define HYP_RECORD_MAX		152

/* The places for the comparisons of all filters together. */
#define HYP_FILTER_PLACES	1024

/* The last argument of __hyp_trace_pred(): the small members of a comparison. */
static inline u64 hyp_filter_rest(const struct ext_filter_pred *pred)
{
	return pred->offset | (u64)pred->next[0] << 16 | (u64)pred->next[1] << 32;
}

#endif /* __ASM_HYPTRACE_H__ */
