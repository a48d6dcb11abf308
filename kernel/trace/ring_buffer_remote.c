// SPDX-License-Identifier: GPL-2.0-only
/*
 * Remote ring buffers: life of the rings.
 *
 * A CPU has a ring from when tracing is first turned on until tracing is off,
 * all rings are empty and nobody reads. In between it may be exchanged for one
 * of another size; what was unread then is lost, and counted.
 */

#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/slab.h>

#include "ring_buffer_remote_internal.h"
#include "trace.h"

u64 rb_remote_clock(void)
{
	return ktime_get_boot_fast_ns();
}

/* Memory of a ring ---------------------------------------------------------- */

static void ring_free(struct rb_remote_ring *ring)
{
	u32 id;

	if (!ring)
		return;

	for (id = 0; ring->pages && id <= ring->nr_slots; id++)
		free_page((unsigned long)ring->pages[id]);
	kvfree(ring->pages);
	free_page((unsigned long)ring->meta);
	kfree(ring);
}

DEFINE_FREE(ring_free, struct rb_remote_ring *, ring_free(_T))

/* Rather fail than have the OOM killer make room: it is only a trace. */
static void *ring_page_alloc(int cpu)
{
	struct page *page = alloc_pages_node(cpu_to_node(cpu), GFP_KERNEL |
					     __GFP_ZERO | __GFP_RETRY_MAYFAIL |
					     __GFP_NOWARN, 0);

	return page ? page_address(page) : NULL;
}

static struct rb_remote_ring *ring_alloc(int cpu, u32 nr_slots)
{
	struct rb_remote_ring *ring __free(ring_free) = NULL;
	u32 id;

	ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return NULL;

	ring->cpu = cpu;
	ring->nr_slots = nr_slots;
	ring->meta = ring_page_alloc(cpu);
	ring->pages = kvcalloc(nr_slots + 1, sizeof(*ring->pages), GFP_KERNEL);
	if (!ring->meta || !ring->pages)
		return NULL;

	for (id = 0; id <= nr_slots; id++) {
		ring->pages[id] = ring_page_alloc(cpu);
		if (!ring->pages[id])
			return NULL;
		cond_resched();
	}

	return no_free_ptr(ring);
}

/* Loading and unloading ------------------------------------------------------ */

/* Give @ring to the writer, and to the readers. On failure it is the caller's. */
static int cpu_install(struct rb_remote_cpu *c, struct rb_remote_ring *ring)
{
	u32 *slot_id __free(kvfree) = NULL;
	int ret;

	lockdep_assert_held(&c->remote->lock);

	slot_id = kvmalloc_array(ring->nr_slots, sizeof(*slot_id), GFP_KERNEL);
	if (!slot_id)
		return -ENOMEM;
	rb_remote_slots_init(slot_id, ring->nr_slots);

	ret = c->remote->ops->load(ring);
	if (ret)
		return ret;

	scoped_guard(raw_spinlock_irqsave, &c->lock) {
		c->ring = ring;
		c->slot_id = no_free_ptr(slot_id);
		rb_remote_rewind(c);
	}

	rb_remote_rearm(c);
	return 0;
}

/* Take the ring away from the readers, then from the writer; the caller's now */
static struct rb_remote_ring *cpu_remove(struct rb_remote_cpu *c)
{
	struct rb_remote_ring *ring = c->ring;
	u64 seq = 0, dropped = 0;
	u32 *slot_id;
	int ret;

	lockdep_assert_held(&c->remote->lock);

	/* Readers are in their critical section for as long as they use it. */
	scoped_guard(raw_spinlock_irqsave, &c->lock)
		c->ring = NULL;

	ret = c->remote->ops->unload(ring, &seq, &dropped);

	scoped_guard(raw_spinlock_irqsave, &c->lock) {
		u64 lost = ret || seq < c->seq ? 0 : seq - c->seq;

		c->lost += lost;
		c->overrun += lost;
		c->dropped += dropped;
		rb_remote_rewind(c);
		slot_id = c->slot_id;
		c->slot_id = NULL;
	}

	kvfree(slot_id);

	/* Rather lose the pages than share them with who knows what. */
	return ret ? NULL : ring;
}

/**
 * rb_remote_cpu_load() - load a ring, unless it is loaded
 * @c:		the CPU; it need not be online
 *
 * Until the next sync on that CPU the ring is closed.
 *
 * Context: rb_remote.lock is held.
 * Return: 0, -ENOMEM, or why the writer refused
 */
int rb_remote_cpu_load(struct rb_remote_cpu *c)
{
	struct rb_remote_ring *ring __free(ring_free) = NULL;
	int ret;

	lockdep_assert_held(&c->remote->lock);

	if (c->ring)
		return 0;

	if (!c->copy)
		c->copy = ring_page_alloc(c->cpu);
	if (!c->event)
		c->event = ring_page_alloc(c->cpu);
	if (!c->copy || !c->event)
		return -ENOMEM;

	ring = ring_alloc(c->cpu, c->nr_slots);
	if (!ring)
		return -ENOMEM;

	ret = cpu_install(c, ring);
	if (!ret)
		retain_and_null_ptr(ring);

	return ret;
}

static void cpu_unload(struct rb_remote_cpu *c)
{
	/* Only after tracing could not be turned on: they had it before that. */
	if (c->mapped)
		return;

	if (c->ring)
		ring_free(cpu_remove(c));

	free_page((unsigned long)c->copy);
	c->copy = NULL;
	free_page((unsigned long)c->event);
	c->event = NULL;
}

static void unload_all(struct rb_remote *remote)
{
	int cpu;

	lockdep_assert_held(&remote->lock);

	for_each_possible_cpu(cpu)
		cpu_unload(per_cpu_ptr(remote->cpus, cpu));

	if (remote->started)
		remote->ops->stop();
	remote->started = false;
}

static void tell_writer(struct rb_remote *remote, bool draining)
{
	lockdep_assert_held(&remote->mode_lock);

	remote->ops->set_on(remote->on && !remote->paused, draining,
			    remote->overwrite);
}

/*
 * Ends with the writer ready to finish what it will begin once it is on: else it
 * could begin on a CPU that has not heard yet that there is something to finish.
 */
static int load_all(struct rb_remote *remote)
{
	int cpu, ret;

	lockdep_assert_held(&remote->lock);

	if (!remote->started) {
		ret = remote->ops->start();
		if (ret)
			return ret;
		remote->started = true;
	}

	for_each_online_cpu(cpu) {
		ret = rb_remote_cpu_load(per_cpu_ptr(remote->cpus, cpu));
		if (ret)
			return ret;
	}

	scoped_guard(raw_spinlock_irqsave, &remote->mode_lock)
		tell_writer(remote, true);
	remote->ops->sync(-1);
	return 0;
}

/* If the rings are there already, a CPU that can't get one changes nothing. */
static int try_load_all(struct rb_remote *remote)
{
	bool was_started;
	int ret;

	guard(cpus_read_lock)();
	guard(mutex)(&remote->lock);

	was_started = remote->started;
	ret = load_all(remote);
	if (ret && !was_started)
		unload_all(remote);

	return ret;
}

/**
 * rb_remote_load() - see to it that there are rings to write to
 * @remote:	the buffer
 *
 * For rb_remote_on() to follow, which can't fail.
 *
 * Return: 0, -ENOMEM, or why the writer refused
 */
int rb_remote_load(struct rb_remote *remote)
{
	int ret = try_load_all(remote);

	if (ret)
		pr_err("%s: tracing can't be turned on: %pe%s\n", remote->name,
		       ERR_PTR(ret), ret == -ENOMEM ?
		       ", write a smaller size to buffer_size_kb" : "");
	else
		remote->in_use(true);

	return ret;
}

/**
 * rb_remote_cpu_online() - a CPU has come up
 * @remote:	the buffer
 * @cpu:	the CPU; runs this
 *
 * Context: CPU hotplug.
 * Return: 0; without memory for a ring the CPU is not traced
 */
int rb_remote_cpu_online(struct rb_remote *remote, int cpu)
{
	struct rb_remote_cpu *c = per_cpu_ptr(remote->cpus, cpu);

	guard(mutex)(&remote->lock);

	if (!remote->started)
		return 0;

	if (rb_remote_cpu_load(c))
		pr_err("%s: no memory for CPU%d's buffer, it will not be traced\n",
		       remote->name, cpu);
	else
		remote->ops->sync(cpu);

	rb_remote_rearm(c);
	return 0;
}

/*
 * Nobody could miss the rings: tracing off, all read, no one reading. Whoever has
 * one mapped has its file open.
 */
static bool is_idle(struct rb_remote *remote)
{
	lockdep_assert_held(&trace_types_lock);

	return !READ_ONCE(remote->on) && !remote->tr->trace_ref &&
	       !atomic_read(&remote->iters) && rb_remote_all_empty(remote);
}

static void idle_work(struct work_struct *work)
{
	struct rb_remote *remote = container_of(work, struct rb_remote, idle);

	guard(mutex)(&trace_types_lock);

	scoped_guard(cpus_read_lock) {
		guard(mutex)(&remote->lock);

		if (!is_idle(remote))
			return;
		unload_all(remote);
	}

	remote->in_use(false);
}

/**
 * rb_remote_reader_gone() - a reader's file has been closed
 * @remote:	the buffer, or NULL: it was not that of a remote
 */
void rb_remote_reader_gone(struct rb_remote *remote)
{
	if (remote && !READ_ONCE(remote->on))
		schedule_work(&remote->idle);
}

/* On and off ------------------------------------------------------------------ */

void rb_remote_on(struct rb_remote *remote)
{
	guard(raw_spinlock_irqsave)(&remote->mode_lock);

	remote->on = true;
	tell_writer(remote, false);
}

/* In an oops (ftrace_dump_on_oops) nothing is waited for: just be quiet. */
static void off_in_oops(struct rb_remote *remote)
{
	if (!raw_spin_trylock(&remote->mode_lock))
		return;

	remote->on = false;
	tell_writer(remote, false);
	raw_spin_unlock(&remote->mode_lock);
}

void rb_remote_off(struct rb_remote *remote)
{
	if (oops_in_progress) {
		off_in_oops(remote);
		return;
	}

	guard(cpus_read_lock)();

	scoped_guard(raw_spinlock_irqsave, &remote->mode_lock) {
		remote->on = false;
		tell_writer(remote, true);
	}

	/* All that was inside an event pair has left it after this. */
	remote->ops->sync(-1);

	scoped_guard(raw_spinlock_irqsave, &remote->mode_lock)
		tell_writer(remote, false);

	schedule_work(&remote->idle);
}

/* Unlike on and off these nest, and may be called from any context. */
void rb_remote_pause(struct rb_remote *remote)
{
	guard(raw_spinlock_irqsave)(&remote->mode_lock);

	if (!remote->paused++ && remote->on)
		tell_writer(remote, true);
}

void rb_remote_resume(struct rb_remote *remote)
{
	guard(raw_spinlock_irqsave)(&remote->mode_lock);

	if (!--remote->paused && remote->on)
		tell_writer(remote, false);
}

bool rb_remote_is_on(struct rb_remote *remote)
{
	return READ_ONCE(remote->on) && !READ_ONCE(remote->paused);
}

bool rb_remote_is_set_on(struct rb_remote *remote)
{
	return READ_ONCE(remote->on);
}

void rb_remote_set_overwrite(struct rb_remote *remote, bool overwrite)
{
	guard(raw_spinlock_irqsave)(&remote->mode_lock);

	remote->overwrite = overwrite;
	tell_writer(remote, remote->on && remote->paused);
}

/* Size and reset --------------------------------------------------------------- */

#define MAX_SIZE	(EXT_RING_MAX_SLOTS * EXT_RING_DATA_SIZE)

/**
 * rb_remote_clamp() - the size that a buffer gets when it is created
 * @remote:	the buffer
 * @size:	the size that trace_buf_size= is for all instances [bytes per CPU]
 *
 * Unlike one that is written to buffer_size_kb it was not meant for this buffer, and
 * nobody is there who could be told: so one that is too large is not refused.
 */
unsigned long rb_remote_clamp(struct rb_remote *remote, unsigned long size)
{
	if (size <= MAX_SIZE)
		return size;

	pr_warn("%s: trace_buf_size: a buffer may have %lu KiB per CPU at most, and has that\n",
		remote->name, MAX_SIZE / 1024);
	return MAX_SIZE;
}

unsigned long rb_remote_size(struct rb_remote *remote, int cpu)
{
	return per_cpu_ptr(remote->cpus, cpu)->nr_slots *
	       (unsigned long)EXT_RING_DATA_SIZE;
}

/* Exchange a loaded ring for @ring; if that fails the old one goes on. */
static int cpu_exchange(struct rb_remote_cpu *c, struct rb_remote_ring *ring)
{
	struct rb_remote_ring *old = cpu_remove(c);
	int ret;

	ret = cpu_install(c, ring);
	if (ret) {
		ring_free(ring);
		if (old && cpu_install(c, old))
			ring_free(old);
	} else {
		ring_free(old);
	}

	if (cpu_online(c->cpu))
		c->remote->ops->sync(c->cpu);

	return ret;
}

/* Resize the rings of @cpus: get all the memory first, so that none is half. */
static int resize_cpus(struct rb_remote *remote, const struct cpumask *cpus,
		       u32 nr_slots)
{
	struct rb_remote_ring **rings __free(kfree) = NULL;
	struct rb_remote_cpu *c;
	int cpu, err = 0;

	rings = kcalloc(nr_cpu_ids, sizeof(*rings), GFP_KERNEL);
	if (!rings)
		return -ENOMEM;

	for_each_cpu(cpu, cpus) {
		c = per_cpu_ptr(remote->cpus, cpu);
		if (!c->ring || c->nr_slots == nr_slots)
			continue;

		rings[cpu] = ring_alloc(cpu, nr_slots);
		if (!rings[cpu]) {
			for_each_cpu(cpu, cpus)
				ring_free(rings[cpu]);
			return -ENOMEM;
		}
	}

	for_each_cpu(cpu, cpus) {
		int ret = 0;

		c = per_cpu_ptr(remote->cpus, cpu);
		if (rings[cpu])
			ret = cpu_exchange(c, rings[cpu]);
		if (!ret)
			c->nr_slots = nr_slots;
		err = err ?: ret;
	}

	return err;
}

static bool is_mapped(struct rb_remote *remote, const struct cpumask *cpus)
{
	int cpu;

	lockdep_assert_held(&remote->lock);

	for_each_cpu(cpu, cpus) {
		if (per_cpu_ptr(remote->cpus, cpu)->mapped)
			return true;
	}

	return false;
}

int rb_remote_resize(struct rb_remote *remote, unsigned long size, int cpu)
{
	const struct cpumask *cpus = cpu == RING_BUFFER_ALL_CPUS ?
				     cpu_possible_mask : cpumask_of(cpu);
	unsigned long nr_slots;

	if (size > MAX_SIZE) {
		pr_err("%s: a buffer may have %lu KiB per CPU at most\n",
		       remote->name, MAX_SIZE / 1024);
		return -EINVAL;
	}
	nr_slots = max(DIV_ROUND_UP(size, EXT_RING_DATA_SIZE),
		       EXT_RING_MIN_SLOTS);

	guard(cpus_read_lock)();
	guard(mutex)(&remote->lock);

	if (is_mapped(remote, cpus))
		return -EBUSY;

	/* If it is not loaded yet, say now what would be found out then. */
	if (remote->tr && nr_slots * cpumask_weight(cpus) > si_mem_available())
		return -ENOMEM;

	return resize_cpus(remote, cpus, nr_slots);
}

static void readers_reset(struct rb_remote_cpu *c)
{
	lockdep_assert_held(&c->lock);

	rb_remote_rewind(c);
	c->lost = 0;
	c->read = 0;
	c->overrun = 0;
	c->dropped = 0;
	if (c->user)
		rb_remote_update_user(c, 0);
}

/*
 * The ring is taken from the readers while the writer resets it, and given back
 * to them rewound: a swap in between would be neither of the old ring nor of the
 * new one. If the writer refuses, all goes on as before.
 */
static void cpu_reset(struct rb_remote_cpu *c)
{
	struct rb_remote_ring *ring = c->ring;
	int ret = 0;

	if (ring) {
		scoped_guard(raw_spinlock_irqsave, &c->lock)
			c->ring = NULL;
		ret = c->remote->ops->reset(c->cpu);
		if (!ret)
			rb_remote_slots_init(c->slot_id, ring->nr_slots);
	}

	scoped_guard(raw_spinlock_irqsave, &c->lock) {
		c->ring = ring;
		if (!ret)
			readers_reset(c);
	}

	rb_remote_rearm(c);
}

void rb_remote_reset(struct rb_remote *remote, int cpu)
{
	guard(cpus_read_lock)();

	scoped_guard(mutex, &remote->lock) {
		if (cpu == RING_BUFFER_ALL_CPUS) {
			for_each_possible_cpu(cpu)
				cpu_reset(per_cpu_ptr(remote->cpus, cpu));
		} else {
			cpu_reset(per_cpu_ptr(remote->cpus, cpu));
		}
	}

	if (!READ_ONCE(remote->on))
		schedule_work(&remote->idle);
}

/**
 * rb_remote_set_cpus() - choose which CPUs' events are recorded
 * @remote:	the buffer
 * @cpus:	those CPUs, for tracing_cpumask; the rings of the others keep what they
 *		have
 */
void rb_remote_set_cpus(struct rb_remote *remote, const struct cpumask *cpus)
{
	guard(mutex)(&trace_types_lock);

	scoped_guard(cpus_read_lock) {
		guard(mutex)(&remote->lock);

		remote->ops->set_cpus(cpus);
		cpumask_copy(remote->tr->tracing_cpumask, cpus);
	}

	/* As when tracing is turned on, for those that are traced only now. */
	if (READ_ONCE(remote->on))
		remote->in_use(true);
}

/**
 * rb_remote_init() - set up a buffer, without rings
 * @remote:	name, ops and format are set
 *
 * Return: 0 or -ENOMEM
 */
int rb_remote_init(struct rb_remote *remote)
{
	int cpu;

	remote->cpus = alloc_percpu(struct rb_remote_cpu);
	if (!remote->cpus)
		return -ENOMEM;

	for_each_possible_cpu(cpu) {
		struct rb_remote_cpu *c = per_cpu_ptr(remote->cpus, cpu);

		raw_spin_lock_init(&c->lock);
		c->remote = remote;
		c->cpu = cpu;
		c->nr_slots = EXT_RING_MIN_SLOTS;
	}

	mutex_init(&remote->lock);
	raw_spin_lock_init(&remote->mode_lock);
	remote->overwrite = true;
	INIT_WORK(&remote->idle, idle_work);
	rb_remote_init_wait(remote);
	return 0;
}

/**
 * rb_remote_exit() - undo rb_remote_init()
 * @remote:	a buffer that was never turned on
 */
void __init rb_remote_exit(struct rb_remote *remote)
{
	free_percpu(remote->cpus);
	remote->cpus = NULL;
}
