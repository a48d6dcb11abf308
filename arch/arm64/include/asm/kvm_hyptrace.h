/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing hypercalls: the ABI between host and EL2.
 *
 * All may be issued at any time after pKVM's finalisation. A result of 0 is
 * success, a negative one an errno; further results are in registers. Any call
 * returns -EINVAL for an argument that is out of range, a CPU that there is not.
 *
 * __hyp_trace_load(cpu, pfn, nr_pages, nr_slots)
 *	Give EL2 a ring for @cpu. @pfn names a region of @nr_pages contiguous
 *	pages, hyp_trace_region_pages(@nr_slots) exactly, which starts with the
 *	page frame numbers of the meta page and of @nr_slots + 1 data pages, a
 *	u64 each. In protected mode those must be shared with EL2, and the region
 *	is donated to it until unload; in nVHE mode all must be mapped at EL2.
 *	-EINVAL: @cpu, @nr_slots or @nr_pages out of range; a page named twice
 *	-EBUSY:  @cpu has a ring, or is being given another one, or its is being taken
 *	-EPERM:  a page is not the host's, is not memory, is not shared; or tracing
 *		 is locked
 *	-EINPROGRESS: up to HYP_TRACE_STEP_PAGES have been taken, or, if there is
 *		 something wrong with one, given back: make the same call again. Until it
 *		 returns something else all other calls for this ring return -EBUSY
 * __hyp_trace_unload(cpu) -> {seq, dropped}
 *	Take it back: pages unpinned, region zeroed and donated to the host.
 *	-ENOENT: no ring; -EBUSY: the CPU may be writing, see sync, or its ring is
 *	being loaded; -EINPROGRESS: as with load
 * __hyp_trace_sync(state)
 *	On the CPU itself, which thereby is in no trace write: take over the
 *	clock, and open the CPU's ring, or close it: enum hyp_trace_ring_state.
 * __hyp_trace_mode(mode, overwrite)
 *	enum hyp_trace_mode, for all CPUs and events.
 * __hyp_trace_event(event, id)
 *	Enable the event of that index (enum hyp_event) and have its records
 *	bear @id, the host's event type; 0 disables it.
 *	-EINVAL: out of range; -EPERM: tracing is locked
 * __hyp_trace_swap(cpu) -> {page id, position, sequence number}
 *	-ENOENT: no ring; -EAGAIN: nothing to swap
 * __hyp_trace_reset(cpu)
 *	Empty the ring; from the CPU itself, or with its ring closed.
 *	-ENOENT, -EBUSY as with unload
 * __hyp_trace_clock(mult, shift, base)
 *	Set the clock (struct hyp_clock); CPUs take it over at their next sync.
 * __hyp_trace_alarm(cpu, pos)
 *	Raise the doorbell when @cpu records an event at position @pos or a later
 *	one. Once, and instead of what was asked for before; from the CPU itself, or
 *	with its ring closed.
 *	-ENOENT, -EBUSY as with unload; -EOPNOTSUPP: no doorbell
 * __hyp_trace_doorbell(sgi)
 *	The doorbell is SGI number @sgi, raised on the CPU that records the event.
 *	-EINVAL: not an SGI; -EOPNOTSUPP: there is no GICv3 system register interface
 *
 * With CONFIG_NVHE_EL2_TRACING_TEST only:
 *
 * __hyp_trace_write_event(id)
 *	Emit the event "selftest"
 * __hyp_trace_test(action, arg)
 *	enum hyp_trace_test_action.
 *	-EINVAL: out of range
 */
#ifndef __ARM64_KVM_HYPTRACE_H__
#define __ARM64_KVM_HYPTRACE_H__

#include <linux/ext_ring.h>

#include <asm/hyp_image.h>

#ifdef CONFIG_NVHE_EL2_TRACING
void hyptrace_doorbell(void);
#else
static inline void hyptrace_doorbell(void) { }
#endif

/* EL2's: kvm-arm.hyp_trace=off, no tracing until the next boot. */
extern bool kvm_nvhe_sym(hyp_trace_locked);

/**
 * enum hyp_trace_mode - what EL2 records
 * @HYP_TRACE_OFF:	nothing
 * @HYP_TRACE_DRAIN:	the hyp_exit of each hyp_enter that is recorded already
 * @HYP_TRACE_ON:	all enabled events
 */
enum hyp_trace_mode {
	HYP_TRACE_OFF,
	HYP_TRACE_DRAIN,
	HYP_TRACE_ON,
};

/**
 * enum hyp_trace_ring_state - whether a CPU's events are recorded
 * @HYP_TRACE_CLOSED:	not, and nobody wants them
 * @HYP_TRACE_OPEN:	if the CPU has a ring
 * @HYP_TRACE_SUSPENDED: not for the moment, so that the ring can be exchanged:
 *			they count as dropped in the next one
 */
enum hyp_trace_ring_state {
	HYP_TRACE_CLOSED,
	HYP_TRACE_OPEN,
	HYP_TRACE_SUSPENDED,
};

/**
 * enum hyp_trace_test_action - what a test may ask for
 * @HYP_TRACE_TEST_PANIC:	EL2 panics
 * @HYP_TRACE_TEST_PANIC_LOCKED: with the CPU's lock held
 * @HYP_TRACE_TEST_PANIC_WRITING: while it writes an event
 * @HYP_TRACE_TEST_WITHHOLD:	arg 1: every guest counts as a protected one; 0: as it is
 * @HYP_TRACE_TEST_STEP:	pages that a step handles, 1 to HYP_TRACE_STEP_PAGES
 * @HYP_TRACE_TEST_QUIET:	0 if nothing of tracing is in the way of this CPU's host
 *				exceptions, else -EBUSY
 * @HYP_TRACE_TEST_SAY:		a text of four arguments, @arg among them, and a span: others
 *				than those of __hyp_trace_write_event()
 * @HYP_TRACE_TEST_MEMORY:	protected KVM: the host's pages, frame number << 8 | how many,
 *				are shared with the secure world, donated to EL2, and back
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
};

/* One call takes from the host, or gives back, this many pages at most: some 250 us. */
#define HYP_TRACE_STEP_PAGES	256

/* EL2's bookkeeping for a page: a record (16 bytes) and a slot (8). */
#define HYP_TRACE_BYTES_PER_PAGE	24

/**
 * hyp_trace_region_pages() - size of the region that describes a ring
 * @nr_slots:	pages in the ring, at most EXT_RING_MAX_SLOTS
 *
 * The list of page frame numbers, and in its place later EL2's bookkeeping,
 * which is the larger of the two.
 *
 * Return: pages to donate
 */
static inline u64 hyp_trace_region_pages(u32 nr_slots)
{
	return DIV_ROUND_UP((u64)(nr_slots + 1) * HYP_TRACE_BYTES_PER_PAGE,
			    PAGE_SIZE);
}

#endif /* __ARM64_KVM_HYPTRACE_H__ */
