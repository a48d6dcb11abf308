// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: the memory of a CPU's ring, and how the writer and the readers get it.
 * buffer.c and size.c decide when.
 */

#include <linux/cleanup.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "internal.h"
#include "mem.h"

/* Memory ---------------------------------------------------------------------- */

/**
 * rb_ext_ring_free() - free a ring that nobody else has
 * @ring:	the ring, or NULL
 */
void rb_ext_ring_free(struct trace_ext_ring *ring)
{
	u32 id;

	if (!ring)
		return;

	if (!ring->reserved) {
		for (id = 0; ring->pages && id < ring->nr_pages; id++)
			free_page((unsigned long)ring->pages[id]);
		free_page((unsigned long)ring->meta);
	}
	kvfree(ring->pages);
	kfree(ring);
}

DEFINE_FREE(ring_free, struct trace_ext_ring *, rb_ext_ring_free(_T))

static void *ring_page_alloc(int cpu)
{
	struct page *page = alloc_pages_node(cpu_to_node(cpu), RB_EXT_GFP, 0);

	return page ? page_address(page) : NULL;
}

/*
 * Allocate the pages of a ring. Return false if there is no memory, or whoever asks for it has
 * been killed; the caller frees it.
 */
static bool ring_pages_alloc(struct trace_ext_ring *ring)
{
	u32 id;

	ring->meta = ring_page_alloc(ring->cpu);
	if (!ring->meta)
		return false;

	for (id = 0; id < ring->nr_pages; id++) {
		ring->pages[id] = ring_page_alloc(ring->cpu);
		if (!ring->pages[id] || fatal_signal_pending(current))
			return false;
		cond_resched();
	}

	return true;
}

/*
 * The spare pages of a ring: the reader page, and as many more as a pipe of the usual size can
 * hold, but at most a quarter of the ring. Reserved memory has room for one spare. Without an
 * instance there are no pipes, and frozen pages are copied.
 */
static u32 spares_for(const struct rb_ext_cpu *c, u32 nr_slots)
{
	if (!c->ext->tr || trace_ext_is_frozen(c->ext->writer) ||
	    trace_ext_mem_slots(c->ext->writer))
		return 1;

	return 1 + min(nr_slots / 4, RB_EXT_MAX_KEPT);
}

/**
 * rb_ext_ring_alloc() - allocate a ring
 * @c:		its CPU
 * @nr_slots:	its size
 *
 * Return: the ring, or NULL if there is no memory, or the task has been killed
 */
struct trace_ext_ring *rb_ext_ring_alloc(struct rb_ext_cpu *c, u32 nr_slots)
{
	struct trace_ext_ring *ring __free(ring_free) = NULL;

	ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return NULL;

	ring->cpu = c->cpu;
	ring->nr_slots = nr_slots;
	ring->nr_pages = nr_slots + spares_for(c, nr_slots);
	ring->reserved = trace_ext_mem_slots(c->ext->writer);
	ring->pages = kvcalloc(ring->nr_pages, sizeof(*ring->pages), RB_EXT_GFP);
	if (!ring->pages)
		return NULL;

	if (ring->reserved)
		trace_ext_mem_pages(ring);
	else if (ring->nr_pages > si_mem_available() || !ring_pages_alloc(ring))
		return NULL;

	return no_free_ptr(ring);
}

/* Free a ring that readers could use until now; leak it if a dump may be using it. */
static void ring_retire(struct rb_ext *ext, struct trace_ext_ring *ring)
{
	/* Pairs with rb_ext_dump_begin(): it does not find the ring, or we find the dump. */
	smp_mb();
	if (!READ_ONCE(ext->dumper))
		rb_ext_ring_free(ring);
}

/* Loading and unloading ------------------------------------------------------- */

/* Give @ring to the writer and to the readers. On failure the caller keeps it. */
static int cpu_install(struct rb_ext_cpu *c, struct trace_ext_ring *ring)
{
	u32 *slot_id __free(kvfree) = NULL;
	int ret;

	lockdep_assert_held(&c->ext->lock);

	slot_id = kvmalloc_array(ring->nr_pages, sizeof(*slot_id), RB_EXT_GFP);
	if (!slot_id)
		return -ENOMEM;
	rb_ext_slots_init(slot_id, ring->nr_pages);

	if (ring->reserved)
		trace_ext_mem_begin(ring);
	ret = c->ext->ops->load(c->ext->writer, ring);
	if (ret)
		return ret;

	scoped_guard(raw_spinlock_irqsave, &c->lock) {
		c->ring = ring;
		c->slot_id = no_free_ptr(slot_id);
		c->give = ring->nr_slots;
		rb_ext_rewind(c, 0);
	}

	rb_ext_crash_set(c, ring);
	rb_ext_rearm(c);
	return 0;
}

/* Take the ring from the readers, then from the writer. Return it; NULL on failure. */
static struct trace_ext_ring *cpu_remove(struct rb_ext_cpu *c)
{
	struct trace_ext_ring *ring = c->ring;
	u64 seq = 0, dropped = 0;
	u32 *slot_id;
	int ret;

	lockdep_assert_held(&c->ext->lock);

	/* Readers hold the lock while they use the ring. */
	scoped_guard(raw_spinlock_irqsave, &c->lock)
		c->ring = NULL;

	ret = c->ext->ops->unload(c->ext->writer, ring, &seq, &dropped);

	scoped_guard(raw_spinlock_irqsave, &c->lock) {
		u64 lost = ret || seq < c->seq ? 0 : seq - c->seq;

		c->lost += lost;
		c->overrun += lost;
		c->dropped += dropped;
		rb_ext_rewind(c, 0);
		slot_id = c->slot_id;
		c->slot_id = NULL;
	}

	kvfree(slot_id);
	rb_ext_crash_set(c, NULL);

	/* If the writer refused, it may still write to the pages: leak them. */
	return ret ? NULL : ring;
}

/* Allocate the pages to which events of a CPU are copied. */
static bool cpu_pages_alloc(struct rb_ext_cpu *c)
{
	c->copy = c->copy ?: ring_page_alloc(c->cpu);
	c->event = c->event ?: ring_page_alloc(c->cpu);
	c->dump_copy = c->dump_copy ?: ring_page_alloc(c->cpu);

	return c->copy && c->event && c->dump_copy;
}

static void cpu_pages_free(struct rb_ext_cpu *c)
{
	free_page((unsigned long)c->copy);
	c->copy = NULL;
	free_page((unsigned long)c->event);
	c->event = NULL;
	rb_ext_free_kept(c);
	/* See ring_retire(). The next ring uses a page that is kept. */
	if (READ_ONCE(c->ext->dumper))
		return;
	free_page((unsigned long)c->dump_copy);
	c->dump_copy = NULL;
}

/**
 * rb_ext_cpu_load() - load a CPU's ring, unless it is loaded
 * @c:		the CPU, which may be offline
 *
 * The ring is closed until the next sync on that CPU.
 *
 * Return: 0, -ENOMEM, or the writer's error
 */
int rb_ext_cpu_load(struct rb_ext_cpu *c)
{
	struct trace_ext_ring *ring __free(ring_free) = NULL;
	int ret;

	lockdep_assert_held(&c->ext->lock);

	if (c->ring)
		return 0;

	if (!cpu_pages_alloc(c))
		return -ENOMEM;

	ring = rb_ext_ring_alloc(c, c->nr_slots);
	if (!ring)
		return -ENOMEM;

	ret = cpu_install(c, ring);
	if (!ret)
		retain_and_null_ptr(ring);

	return ret;
}

/* Unload a CPU's ring, unless user space has mapped it. */
void rb_ext_cpu_unload(struct rb_ext_cpu *c)
{
	/* Turning on has failed, and user space had mapped the ring before: keep it. */
	if (c->mapped)
		return;

	if (c->ring)
		ring_retire(c->ext, cpu_remove(c));

	cpu_pages_free(c);
}

/*
 * Make a ring that was loaded as good as a new one: empty, and without pages that readers have.
 * They leave one spare at least, see free_spare(); the next resize brings back the others. Return
 * false if there are too few pages, because user space has a part of an earlier mapping pinned; or
 * if a dump may be using the ring.
 */
static bool ring_renew(struct rb_ext *ext, struct trace_ext_ring *ring)
{
	u32 id, nr_pages = 0;

	/* As in ring_retire(). */
	smp_mb();
	if (READ_ONCE(ext->dumper))
		return false;

	for (id = 0; id < ring->nr_pages; id++) {
		struct ext_ring_page *page = ring->pages[id];

		cond_resched();
		if (!ring->reserved && page_ref_count(virt_to_page(page)) != 1) {
			free_page((unsigned long)page);
			continue;
		}

		page->commit = 0;
		page->first_seq = 0;
		ring->pages[nr_pages++] = page;
	}

	ring->nr_pages = nr_pages;
	return nr_pages > ring->nr_slots;
}

/**
 * rb_ext_cpu_exchange() - exchange a loaded ring for another one
 * @c:		the CPU
 * @ring:	the ring. On failure it is freed, and the CPU has the old one, empty; or none, if
 *		that fails, too
 *
 * Return: 0, -ENOMEM, or the writer's error
 */
int rb_ext_cpu_exchange(struct rb_ext_cpu *c, struct trace_ext_ring *ring)
{
	struct trace_ext_ring *old = cpu_remove(c);
	int ret;

	ret = cpu_install(c, ring);
	if (ret) {
		rb_ext_ring_free(ring);
		if (old && (!ring_renew(c->ext, old) || cpu_install(c, old)))
			ring_retire(c->ext, old);
		if (!c->ring)
			pr_err_ratelimited("%s: CPU%d has no ring now: turn tracing off and on to trace it again\n",
					   c->ext->name, c->cpu);
	} else {
		ring_retire(c->ext, old);
	}

	if (cpu_online(c->cpu))
		rb_ext_sync(c->ext, c->cpu);

	return ret;
}

static void readers_reset(struct rb_ext_cpu *c, u64 seq)
{
	lockdep_assert_held(&c->lock);

	rb_ext_rewind(c, seq);
	c->lost = 0;
	c->read = 0;
	c->overrun = 0;
	c->dropped = 0;
	if (c->user)
		rb_ext_update_user(c, 0);
}

/**
 * rb_ext_cpu_reset() - empty a CPU's ring, if it has one
 * @c:		the CPU
 *
 * This takes the ring from the readers while the writer resets it, and gives it back rewound.
 * Otherwise a reader could swap between the writer's reset and its own. If the writer
 * refuses, nothing changes.
 */
void rb_ext_cpu_reset(struct rb_ext_cpu *c)
{
	struct trace_ext_ring *ring = c->ring;
	u64 since = ktime_get_boot_fast_ns(), seq = 0;
	int ret = 0;

	if (ring) {
		scoped_guard(raw_spinlock_irqsave, &c->lock)
			c->ring = NULL;
		ret = c->ext->ops->reset(c->ext->writer, c->cpu, &seq);
	}
	if (!ret)
		trace_ext_mem_cleared(c->ext->writer, c->cpu, ring, since);

	scoped_guard(raw_spinlock_irqsave, &c->lock) {
		c->ring = ring;
		if (!ret)
			readers_reset(c, seq);
	}

	rb_ext_rearm(c);
}
