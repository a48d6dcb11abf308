// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: their sizes. A resize exchanges the ring; unread events of the old one are
 * lost, and counted.
 */

#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "internal.h"
#include "../trace.h"
#include "mem.h"
#include "test.h"

#define MAX_SIZE	(EXT_RING_MAX_SLOTS * EXT_RING_DATA_SIZE)

static u32 slots_for(unsigned long size)
{
	return clamp(DIV_ROUND_UP(size, EXT_RING_DATA_SIZE), EXT_RING_MIN_SLOTS,
		     EXT_RING_MAX_SLOTS);
}

unsigned long rb_ext_size(struct rb_ext *ext, int cpu)
{
	return per_cpu_ptr(ext->cpus, cpu)->nr_slots *
	       (unsigned long)EXT_RING_DATA_SIZE;
}

/* Resize the rings of @cpus. Allocate all memory first: without it, no ring changes. */
static int resize_cpus(struct rb_ext *ext, const struct cpumask *cpus, u32 nr_slots)
{
	struct trace_ext_ring **rings __free(kfree) = NULL;
	struct rb_ext_cpu *c;
	int cpu, err = 0;

	rings = kcalloc(nr_cpu_ids, sizeof(*rings), GFP_KERNEL);
	if (!rings)
		return -ENOMEM;

	for_each_cpu(cpu, cpus) {
		c = per_cpu_ptr(ext->cpus, cpu);
		if (!c->ring || c->nr_slots == nr_slots)
			continue;

		rings[cpu] = rb_ext_ring_alloc(c, nr_slots);
		if (!rings[cpu]) {
			for_each_cpu(cpu, cpus)
				rb_ext_ring_free(rings[cpu]);
			return -ENOMEM;
		}
	}

	for_each_cpu(cpu, cpus) {
		int ret = 0;

		c = per_cpu_ptr(ext->cpus, cpu);
		if (rings[cpu])
			ret = rb_ext_cpu_exchange(c, rings[cpu]);
		if (!ret)
			c->nr_slots = nr_slots;
		err = err ?: ret;
	}

	return err;
}

static bool is_mapped(struct rb_ext *ext, const struct cpumask *cpus)
{
	int cpu;

	lockdep_assert_held(&ext->lock);

	for_each_cpu(cpu, cpus) {
		if (per_cpu_ptr(ext->cpus, cpu)->mapped)
			return true;
	}

	return false;
}

/* Check the size that a user asks for, and say what is allowed. */
static int check_size(struct rb_ext *ext, unsigned long size)
{
	unsigned long reserved = trace_ext_mem_slots(ext->writer);

	if (trace_ext_is_frozen(ext->writer)) {
		pr_err_ratelimited("%s: what has been recorded can be read and cleared, not resized\n",
				   ext->name);
		return -EROFS;
	}

	if (size > MAX_SIZE) {
		pr_err_ratelimited("%s: a buffer may have %lu KiB per CPU at most\n",
				   ext->name, MAX_SIZE / 1024);
		return -EINVAL;
	}

	if (reserved && slots_for(size) > reserved) {
		pr_err_ratelimited("%s: %lu KiB per CPU do not fit into the memory that is reserved, which has room for %lu KiB per CPU\n",
				   ext->name, size / 1024, reserved * EXT_RING_DATA_SIZE / 1024);
		return -ENOSPC;
	}

	return 0;
}

/*
 * Is there too little memory for larger rings of @cpus and all rings that are not loaded? Smaller
 * ones are no reason to refuse. CPUs that are offline have none: who loads theirs asks again.
 */
static bool will_lack_memory(struct rb_ext *ext, const struct cpumask *cpus, u32 nr_slots)
{
	unsigned long needed = 0;
	bool larger = false;
	int cpu;

	for_each_online_cpu(cpu) {
		const struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);

		if (cpumask_test_cpu(cpu, cpus)) {
			needed += nr_slots;
			larger |= nr_slots > c->nr_slots;
		} else if (!c->ring) {
			needed += c->nr_slots;
		}
	}

	return larger && needed > si_mem_available();
}

/*
 * Have buffer_size_kb show the sizes that a buffer has, which are not what parameters or
 * defaults have asked for.
 */
void rb_ext_note_sizes(struct rb_ext *ext)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(ext->tr->array_buffer.data, cpu)->entries =
			rb_ext_size(ext, cpu);
}

int rb_ext_resize(struct rb_ext *ext, unsigned long size, int cpu)
{
	const struct cpumask *cpus = cpu == RING_BUFFER_ALL_CPUS ?
				     cpu_possible_mask : cpumask_of(cpu);
	u32 nr_slots = slots_for(size);
	int ret = check_size(ext, size);

	if (ret)
		return ret;

	guard(cpus_read_lock)();
	guard(mutex)(&ext->lock);

	if (is_mapped(ext, cpus))
		return -EBUSY;

	/* If it is not loaded, fail now rather than when tracing is turned on. */
	if (!trace_ext_mem_slots(ext->writer) && will_lack_memory(ext, cpus, nr_slots))
		return -ENOMEM;

	ret = resize_cpus(ext, cpus, nr_slots);
	/* Some CPUs may have the new size, and ftrace notes that only if all do. */
	if (ret)
		rb_ext_note_sizes(ext);

	return ret;
}

/*
 * A boot parameter has set the size, perhaps that of all instances, and it may be too large
 * for this one. There is no one to return an error to, so limit the size. A write to
 * buffer_size_kb fails.
 */
static unsigned long clamp_size(struct rb_ext *ext, unsigned long size)
{
	if (size <= MAX_SIZE)
		return size;

	pr_warn("%s: a buffer may have %lu KiB per CPU at most, and has that\n",
		ext->name, MAX_SIZE / 1024);
	return MAX_SIZE;
}

/* Set the size of all rings; none is loaded. */
static void set_slots(struct rb_ext *ext, u32 nr_slots)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(ext->cpus, cpu)->nr_slots = nr_slots;
}

/**
 * rb_ext_prepare() - set a buffer's size and mode when its instance is created
 * @ext:	the buffer
 * @size:	its size once it is loaded [bytes per CPU], unless its writer has another;
 *		limited to the maximum
 * @overwrite:	if true, a full ring loses the oldest events, else the newest
 *
 * Return: 0, or an error that a test injects
 */
int rb_ext_prepare(struct rb_ext *ext, unsigned long size, bool overwrite)
{
	rb_ext_set_overwrite(ext, overwrite);
	/* A frozen buffer gets its size when the events are copied to it. */
	if (!trace_ext_is_frozen(ext->writer))
		set_slots(ext, slots_for(clamp_size(ext, ext->writer->size ?: size)));

	return trace_ext_test_fail();
}

/*
 * Make a buffer without rings fit into its writer's reserved memory, if it has any. It has all
 * of that memory, or as much as the boot parameter for its size says.
 */
void __init rb_ext_use_mem(struct rb_ext *ext)
{
	u32 reserved = trace_ext_mem_slots(ext->writer), wanted = reserved;

	if (ext->writer->size)
		wanted = slots_for(clamp_size(ext, ext->writer->size));
	if (reserved)
		set_slots(ext, min(wanted, reserved));
}

/**
 * rb_ext_load_cpu() - load the ring of one CPU, with a size of its own
 * @ext:	the buffer, whose writer shows what an earlier boot has recorded
 * @cpu:	the CPU
 * @nr_slots:	pages of its ring
 *
 * Return: 0, -ENOMEM
 */
int __init rb_ext_load_cpu(struct rb_ext *ext, int cpu, u32 nr_slots)
{
	struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);
	int ret;

	guard(mutex)(&ext->lock);

	c->nr_slots = nr_slots;
	ret = rb_ext_cpu_load(c);
	if (ret)
		c->nr_slots = EXT_RING_MIN_SLOTS;

	return ret;
}
