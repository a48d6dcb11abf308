// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: the memory of the rings, and what their reader asks for. sync.c opens and closes
 * them, and so does panic.c; what is written to them comes from the files of the events.
 *
 * This holds for all of tracing's hypercalls: in protected mode the host is untrusted. Arguments
 * come in registers, and are compared as u64 before they are used: with their maximum in hcalls.c,
 * and with all else in the handlers. EL2 reads one list from memory, and takes that memory from the
 * host first (memory.c). No pointer, index or bound comes from a page that the host can write.
 *
 * EL2 is not preemptible, so a CPU that executes a hypercall is not writing an event: a
 * hypercall is a quiescent state. An operation that must not race with a ring's writer
 * runs on the writer's CPU, or after that CPU has closed its ring, or while that CPU is
 * known to be off or in firmware; see ring_quiescent(). Loading needs no such care: a CPU
 * without a ring finds its ring closed.
 */

#include <nvhe/hyptrace.h>
#include <nvhe/hyptrace/test.h>

static_assert(HYP_TRACE_FOLLOWER >= NR_CPUS);
static_assert(sizeof(struct ext_ring_record) + sizeof(*((struct ext_ring *)NULL)->slots) ==
	      HYP_TRACE_BYTES_PER_PAGE,
	      "HYP_TRACE_BYTES_PER_PAGE must be what a page has in records and slots");
static_assert(!offsetof(struct ext_ring_record, page), "a record must begin with the page");

/* The CPU of a ring's number, which is untrusted; NULL if there is no such ring. */
static struct hyp_trace_cpu *cpu_of_ring(u64 number)
{
	return hyp_trace_cpu_get(number & ~(u64)HYP_TRACE_FOLLOWER);
}

/* The ring of a number, on that ring's CPU. */
static struct hyp_trace_ring *ring_of(struct hyp_trace_cpu *cpu, u64 number)
{
	return number & HYP_TRACE_FOLLOWER ? &cpu->follower : &cpu->user;
}

/* True if @cpu is certain not to write to a ring of its own. Only a CPU itself opens its rings. */
static bool ring_quiescent(struct hyp_trace_cpu *cpu, const struct hyp_trace_ring *ring)
{
	return hyp_trace_cpu_is_away(cpu) || !ring->ring.open;
}

/* 0 if a ring is loaded, -ENOENT if there is none, -EBUSY while it is loaded or unloaded. */
static int check_loaded(const struct hyp_trace_ring *ring)
{
	if (hyp_trace_ring_is_loaded(ring))
		return 0;

	return ring->memory.stage == HYP_TRACE_NO_MEMORY ? -ENOENT : -EBUSY;
}

/*
 * Check that @cpu, which is locked, has a ring and does not write to it. As check_loaded(),
 * and -EBUSY if the CPU may be writing to it.
 */
static int check_quiescent(struct hyp_trace_cpu *cpu, const struct hyp_trace_ring *ring)
{
	return check_loaded(ring) ?: ring_quiescent(cpu, ring) ? 0 : -EBUSY;
}

/* A step of its own: a store for each slot, which takes as long as some hundred pages. */
static void ring_set_up(struct hyp_trace_ring *ring, u32 nr_slots)
{
	/* The list's elements are records; the first one has the meta page. */
	ext_ring_init(&ring->ring, hyp_trace_memory_element(&ring->memory, 1), nr_slots,
		      ring->memory.nr_pages - 1, hyp_trace_memory_page(&ring->memory, 0));
	ring->memory.stage = HYP_TRACE_LOADED;
}

s64 handle___hyp_trace_load(u64 number, u64 pfn, u64 region_pages, u64 nr_slots, u64 nr_pages)
{
	struct hyp_trace_cpu *cpu = cpu_of_ring(number);
	struct hyp_trace_ring *ring;
	int ret;

	if (!cpu || nr_slots < EXT_RING_MIN_SLOTS || nr_pages <= nr_slots ||
	    nr_pages - nr_slots > EXT_RING_MAX_SPARES ||
	    region_pages != hyp_trace_region_pages(nr_pages))
		return -EINVAL;

	guard(hyp_trace_lock)(&cpu->lock);

	ring = ring_of(cpu, number);
	ret = hyp_trace_memory_load(&ring->memory, pfn, region_pages, nr_pages + 1,
				    sizeof(struct ext_ring_record));
	if (ret)
		return ret;

	cpu->draft.cpu = number & ~(u64)HYP_TRACE_FOLLOWER;
	ring_set_up(ring, nr_slots);
	return 0;
}

/*
 * A ring is about to be empty: do not record the returns of functions whose calls were in it. Only
 * the user's ring has calls. If @cpu is at EL2 meanwhile, it has closed that ring, and recorded all
 * returns before: hyp_trace_exit_early().
 */
static void forget_calls(struct hyp_trace_cpu *cpu, const struct hyp_trace_ring *ring)
{
	if (ring == &cpu->user && hyp_trace_cpu_is_away(cpu))
		hyp_calls_forget(cpu);
}

static int ring_unload(struct hyp_trace_cpu *cpu, struct hyp_trace_ring *ring)
{
	int ret;

	if (ring->memory.stage != HYP_TRACE_UNLOADING) {
		ret = check_quiescent(cpu, ring);
		if (ret)
			return ret;

		/* If the host has closed it, it has also chosen between closed and suspended. */
		ring->was_open = ring->ring.open;
		forget_calls(cpu, ring);
		if (ring->ring.open)
			ext_ring_suspend(&ring->ring);
	}

	return hyp_trace_memory_unload(&ring->memory);
}

s64 handle___hyp_trace_unload(u64 *more, u64 number)
{
	struct hyp_trace_cpu *cpu = cpu_of_ring(number);
	struct hyp_trace_ring *ring;
	int ret;

	if (!cpu)
		return -EINVAL;

	guard(hyp_trace_lock)(&cpu->lock);

	ring = ring_of(cpu, number);
	ret = ring_unload(cpu, ring);
	if (ret)
		return ret;

	more[0] = ring->ring.seq;
	more[1] = ring->ring.dropped;
	return 0;
}

s64 handle___hyp_trace_swap(u64 *more, u64 number, u64 id)
{
	struct hyp_trace_cpu *cpu = cpu_of_ring(number);
	struct ext_ring_swap swap = { };
	struct hyp_trace_ring *ring;
	int ret = -EINVAL;

	if (cpu) {
		guard(hyp_trace_lock)(&cpu->lock);
		ring = ring_of(cpu, number);
		ret = check_loaded(ring) ?: ext_ring_swap(&ring->ring, id, &swap);
	}
	hyp_trace_test_swapped();

	more[0] = swap.pos;
	more[1] = swap.first_seq;
	return ret ?: swap.id | (u64)swap.events << 32;
}

s64 handle___hyp_trace_reset(u64 *more, u64 number)
{
	struct hyp_trace_cpu *cpu = cpu_of_ring(number);
	struct hyp_trace_ring *ring;
	int ret;

	if (!cpu)
		return -EINVAL;

	guard(hyp_trace_lock)(&cpu->lock);

	ring = ring_of(cpu, number);
	ret = check_quiescent(cpu, ring);
	if (ret)
		return ret;

	forget_calls(cpu, ring);
	more[0] = ext_ring_reset(&ring->ring);
	return 0;
}

s64 handle___hyp_trace_alarm(u64 cpu_id, u64 pos)
{
	struct hyp_trace_cpu *cpu = hyp_trace_cpu_get(cpu_id);
	int ret;

	if (!cpu)
		return -EINVAL;

	/* After the alarm is set, this call's hyp_exit would set it off. */
	hyp_trace_exit_early(this_cpu_ptr(&hyp_trace_cpu));

	guard(hyp_trace_lock)(&cpu->lock);

	ret = hyp_trace_has_doorbell() ? check_quiescent(cpu, &cpu->user) : -EOPNOTSUPP;
	if (!ret)
		ext_ring_set_alarm(&cpu->user.ring, pos);

	return ret;
}
