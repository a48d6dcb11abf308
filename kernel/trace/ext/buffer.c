// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: life of the rings.
 *
 * A CPU has a ring from when tracing is first turned on until tracing is off, all rings
 * are empty and no reader is left. A resize exchanges the ring; unread events of the old
 * one are lost, and counted.
 */

#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "internal.h"
#include "../trace.h"
#include "instance.h"
#include "mem.h"
#include "test.h"

/* Memory of a ring ---------------------------------------------------------- */

static void ring_free(struct trace_ext_ring *ring)
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

DEFINE_FREE(ring_free, struct trace_ext_ring *, ring_free(_T))

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
 * A ring has the reader page, and as many spares more as may be in a pipe of the usual size; but
 * not many if it is small. Reserved memory has room for one spare. Where there is no instance,
 * there are no pipes; and frozen pages are copied.
 */
static u32 spares_for(const struct rb_ext_cpu *c, u32 nr_slots)
{
	if (!c->ext->tr || trace_ext_is_frozen(c->ext->writer) ||
	    trace_ext_mem_slots(c->ext->writer))
		return 1;

	return 1 + min(nr_slots / 4, RB_EXT_MAX_KEPT);
}

static struct trace_ext_ring *ring_alloc(struct rb_ext_cpu *c, u32 nr_slots)
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
		ring_free(ring);
}

/* Loading and unloading ------------------------------------------------------ */

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
	ret = c->ext->ops->load(ring);
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

	ret = c->ext->ops->unload(ring, &seq, &dropped);

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
	struct ext_ring_page **pages[] = { &c->copy, &c->event, &c->dump_copy };
	int i;

	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		if (!*pages[i])
			*pages[i] = ring_page_alloc(c->cpu);
		if (!*pages[i])
			return false;
	}

	return true;
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

/*
 * Load a CPU's ring, unless it is loaded. The CPU may be offline. The ring is closed until
 * the next sync on that CPU.
 */
static int cpu_load(struct rb_ext_cpu *c)
{
	struct trace_ext_ring *ring __free(ring_free) = NULL;
	int ret;

	lockdep_assert_held(&c->ext->lock);

	if (c->ring)
		return 0;

	if (!cpu_pages_alloc(c))
		return -ENOMEM;

	ring = ring_alloc(c, c->nr_slots);
	if (!ring)
		return -ENOMEM;

	ret = cpu_install(c, ring);
	if (!ret)
		retain_and_null_ptr(ring);

	return ret;
}

static void cpu_unload(struct rb_ext_cpu *c)
{
	/* Turning on has failed, and user space had mapped the ring before: keep it. */
	if (c->mapped)
		return;

	if (c->ring)
		ring_retire(c->ext, cpu_remove(c));

	cpu_pages_free(c);
}

static void unload_all(struct rb_ext *ext)
{
	int cpu;

	lockdep_assert_held(&ext->lock);

	for_each_possible_cpu(cpu)
		cpu_unload(per_cpu_ptr(ext->cpus, cpu));

	if (ext->started)
		ext->ops->stop();
	ext->started = false;
}

/*
 * Set the writer's mode: on, or @otherwise if tracing is off or paused. While a trigger may
 * turn tracing on, the mode is on, and the writer does not record until then.
 */
static void set_mode(struct rb_ext *ext, enum trace_ext_mode otherwise)
{
	bool on = ext->on || ext->nr_starters;

	lockdep_assert_held(&ext->mode_lock);

	ext->ops->set_mode(on && !ext->paused ? TRACE_EXT_ON : otherwise, ext->overwrite);
}

/* Set the mode again when something else than tracing_on has changed. */
static void set_mode_again(struct rb_ext *ext)
{
	bool on = ext->on || ext->nr_starters;

	set_mode(ext, on && ext->paused ? TRACE_EXT_DRAIN : TRACE_EXT_OFF);
}

/* The user turns tracing on or off. */
static void set_running(struct rb_ext *ext, bool on)
{
	if (ext->ops->set_running && !ext->catching_up)
		ext->ops->set_running(on);
}

/* Load all rings, closed. On failure, some may be loaded. */
static int load_closed(struct rb_ext *ext)
{
	int cpu, ret;

	lockdep_assert_held(&ext->lock);

	if (!ext->started) {
		ret = ext->ops->start();
		if (ret)
			return ret;
		ext->started = true;
	}

	for_each_online_cpu(cpu) {
		ret = cpu_load(per_cpu_ptr(ext->cpus, cpu));
		if (ret)
			return ret;
	}

	return 0;
}

/*
 * Load all rings. This leaves the writer in drain mode and all CPUs synced, so that the
 * end of every event pair that begins after "on" is recorded, too.
 */
static int load_all(struct rb_ext *ext)
{
	int ret = load_closed(ext);

	if (ret)
		return ret;

	scoped_guard(raw_spinlock_irqsave, &ext->mode_lock)
		set_mode(ext, TRACE_EXT_DRAIN);
	ext->ops->sync(-1);
	return 0;
}

/* Load all rings; on failure, unload them if this has started the writer. */
static int try_load_all(struct rb_ext *ext)
{
	bool was_started;
	int ret;

	guard(cpus_read_lock)();
	guard(mutex)(&ext->lock);

	was_started = ext->started;
	ret = load_all(ext);
	if (ret && ext->started && !was_started)
		unload_all(ext);

	return ret;
}

/**
 * rb_ext_load() - load all rings, so that rb_ext_on() can't fail
 * @ext:	the buffer
 *
 * Return: 0, -ENOMEM, or the writer's error
 */
int rb_ext_load(struct rb_ext *ext)
{
	int ret = try_load_all(ext);

	if (ret)
		pr_err_ratelimited("%s: tracing can't be turned on: %pe%s\n", ext->name,
				   ERR_PTR(ret), ret == -ENOMEM ?
				   ", write a smaller size to buffer_size_kb" : "");
	else
		ext->in_use(ext, true);

	return ret;
}

/**
 * rb_ext_begin() - load all rings of a buffer that has no instance, and open them
 * @ext:	the buffer; nothing but its events, and rb_ext_end(), turns it on and off
 *
 * Return: 0, -ENOMEM, or the writer's error; the rings are not loaded then
 */
int rb_ext_begin(struct rb_ext *ext)
{
	int ret;

	guard(cpus_read_lock)();
	guard(mutex)(&ext->lock);

	/* While this is true, an empty ring is not taken for one that is not needed. */
	WRITE_ONCE(ext->on, true);
	ret = load_closed(ext);
	if (ret)
		unload_all(ext);
	else
		ext->ops->sync(-1);

	return ret;
}

/**
 * rb_ext_end() - unload all rings of a buffer that has no instance
 * @ext:	the buffer
 */
void rb_ext_end(struct rb_ext *ext)
{
	guard(cpus_read_lock)();
	guard(mutex)(&ext->lock);

	unload_all(ext);
}

/**
 * rb_ext_cpu_online() - a CPU has come online
 * @ext:	the buffer
 * @cpu:	the CPU, which runs this
 *
 * Context: CPU hotplug.
 * Return: 0, even if there is no memory for a ring; the CPU is not traced then
 */
int rb_ext_cpu_online(struct rb_ext *ext, int cpu)
{
	struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);

	guard(mutex)(&ext->lock);

	if (!ext->started)
		return 0;

	if (cpu_load(c))
		pr_err_ratelimited("%s: no memory for CPU%d's buffer, it will not be traced\n",
				   ext->name, cpu);
	else
		ext->ops->sync(cpu);

	rb_ext_rearm(c);
	return 0;
}

/*
 * True if the rings are not needed: tracing is off, all events are read and no reader has
 * a file open. A ring that is mapped has its file open, too.
 */
static bool rings_are_idle(struct rb_ext *ext)
{
	lockdep_assert_held(&trace_types_lock);

	return !READ_ONCE(ext->on) && !READ_ONCE(ext->nr_starters) && !ext->tr->trace_ref &&
	       !atomic_read(&ext->iters) && rb_ext_all_empty(ext);
}

static void idle_work(struct work_struct *work)
{
	struct rb_ext *ext = container_of(work, struct rb_ext, idle);

	guard(mutex)(&trace_types_lock);

	rb_ext_catch_up(ext);
	scoped_guard(cpus_read_lock) {
		guard(mutex)(&ext->lock);

		if (!rings_are_idle(ext))
			return;
		unload_all(ext);
	}

	ext->in_use(ext, false);
}

/* Has any event been consumed? */
static bool has_been_read(struct rb_ext *ext)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (READ_ONCE(per_cpu_ptr(ext->cpus, cpu)->read))
			return true;
	}

	return false;
}

/**
 * rb_ext_reader_gone() - a reader's file has been closed
 * @ext:	the buffer, or NULL if the file's buffer is not external
 */
void rb_ext_reader_gone(struct rb_ext *ext)
{
	if (!ext)
		return;

	if (ext->ops->seen && has_been_read(ext))
		ext->ops->seen();
	rb_ext_catch_up(ext);
	if (!READ_ONCE(ext->on))
		schedule_work(&ext->idle);
}

/* On and off ------------------------------------------------------------------ */

/*
 * On and off may be set in parallel. ring_buffer.c changes its flag without mode_lock and
 * then calls these: whoever gets the lock last sees the flag's final state.
 */
static void update_on(struct rb_ext *ext)
{
	lockdep_assert_held(&ext->mode_lock);

	ext->on = ext->tr && ring_buffer_record_is_set_on(ext->tr->array_buffer.buffer);
}

void rb_ext_on(struct rb_ext *ext)
{
	guard(raw_spinlock_irqsave)(&ext->mode_lock);

	update_on(ext);
	set_running(ext, ext->on);
	set_mode(ext, TRACE_EXT_OFF);
}

/* A trigger has stopped recording, and another one may start it at any time: no drain. */
static bool stays_armed(struct rb_ext *ext)
{
	guard(raw_spinlock_irqsave)(&ext->mode_lock);

	if (!ext->catching_up || !ext->nr_starters)
		return false;

	update_on(ext);
	return true;
}

void rb_ext_off(struct rb_ext *ext)
{
	guard(cpus_read_lock)();

	if (stays_armed(ext))
		return;

	scoped_guard(raw_spinlock_irqsave, &ext->mode_lock) {
		update_on(ext);
		ext->ops->set_mode(TRACE_EXT_DRAIN, ext->overwrite);
	}

	/* After this, each event pair that had begun is complete. */
	ext->ops->sync(-1);

	scoped_guard(raw_spinlock_irqsave, &ext->mode_lock) {
		update_on(ext);
		set_running(ext, ext->on);
		set_mode(ext, TRACE_EXT_OFF);
	}

	schedule_work(&ext->idle);
}

/* Unlike on and off, pause and resume nest and may be called from any context. */
void rb_ext_pause(struct rb_ext *ext)
{
	guard(raw_spinlock_irqsave)(&ext->mode_lock);

	if (!ext->paused++ && (ext->on || ext->nr_starters))
		set_mode(ext, TRACE_EXT_DRAIN);
}

void rb_ext_resume(struct rb_ext *ext)
{
	guard(raw_spinlock_irqsave)(&ext->mode_lock);

	if (!--ext->paused && (ext->on || ext->nr_starters))
		set_mode(ext, TRACE_EXT_OFF);
}

void rb_ext_set_overwrite(struct rb_ext *ext, bool overwrite)
{
	guard(raw_spinlock_irqsave)(&ext->mode_lock);

	ext->overwrite = overwrite;
	set_mode_again(ext);
}

/* Triggers --------------------------------------------------------------------- */

static bool has_changed(struct rb_ext *ext)
{
	guard(raw_spinlock_irqsave)(&ext->mode_lock);

	/* While tracing is off and nothing can start it, the writer's state is of no account. */
	return ext->nr_triggers && (ext->on || ext->nr_starters) &&
	       ext->on != ext->ops->is_running();
}

/**
 * rb_ext_catch_up() - set tracing_on to what the writer's triggers have done
 * @ext:	the buffer, or NULL
 *
 * Context: trace_types_lock is held.
 */
void rb_ext_catch_up(struct rb_ext *ext)
{
	if (!ext || !has_changed(ext))
		return;

	lockdep_assert_held(&trace_types_lock);

	ext->catching_up = true;
	if (READ_ONCE(ext->on))
		tracer_tracing_off(ext->tr);
	else
		tracer_tracing_on(ext->tr);
	ext->catching_up = false;

	/* As after a write to tracing_on: readers find that tracing is off. */
	ring_buffer_wake_waiters(ext->tr->array_buffer.buffer, RING_BUFFER_ALL_CPUS);
}

/**
 * rb_ext_tracing_on() - as rb_ext_catch_up(), for whoever reads tracing_on
 * @ext:	the buffer, or NULL
 */
void rb_ext_tracing_on(struct rb_ext *ext)
{
	if (!ext || !READ_ONCE(ext->nr_triggers))
		return;

	guard(mutex)(&trace_types_lock);
	rb_ext_catch_up(ext);
}

static void catch_up_work(struct work_struct *work)
{
	rb_ext_tracing_on(container_of(to_delayed_work(work), struct rb_ext, catch_up));
}

/**
 * rb_ext_add_trigger() - an event is about to stop or start recording
 * @ext:	the buffer
 * @starts:	start it
 *
 * Return: 0, or the error of loading the rings, which a starter needs
 */
int rb_ext_add_trigger(struct rb_ext *ext, bool starts)
{
	int ret;

	guard(mutex)(&trace_types_lock);

	rb_ext_catch_up(ext);
	ret = starts ? rb_ext_load(ext) : 0;
	if (ret)
		return ret;

	guard(raw_spinlock_irqsave)(&ext->mode_lock);

	if (!ext->nr_triggers)
		set_running(ext, ext->on);
	ext->nr_triggers++;
	ext->nr_starters += starts;
	set_mode_again(ext);
	return 0;
}

/**
 * rb_ext_del_trigger() - an event no longer stops or starts recording
 * @ext:	the buffer
 * @started:	it could start it
 */
void rb_ext_del_trigger(struct rb_ext *ext, bool started)
{
	guard(mutex)(&trace_types_lock);

	rb_ext_catch_up(ext);
	scoped_guard(raw_spinlock_irqsave, &ext->mode_lock) {
		ext->nr_triggers--;
		ext->nr_starters -= started;
		set_mode_again(ext);
	}

	if (!READ_ONCE(ext->on))
		schedule_work(&ext->idle);
}

/* Size and reset --------------------------------------------------------------- */

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

/* Exchange a loaded ring for @ring; on failure keep the old one. */
static int cpu_exchange(struct rb_ext_cpu *c, struct trace_ext_ring *ring)
{
	struct trace_ext_ring *old = cpu_remove(c);
	int ret;

	ret = cpu_install(c, ring);
	if (ret) {
		ring_free(ring);
		if (old && (!ring_renew(c->ext, old) || cpu_install(c, old)))
			ring_retire(c->ext, old);
		if (!c->ring)
			pr_err_ratelimited("%s: CPU%d has no ring now: turn tracing off and on to trace it again\n",
					   c->ext->name, c->cpu);
	} else {
		ring_retire(c->ext, old);
	}

	if (cpu_online(c->cpu))
		c->ext->ops->sync(c->cpu);

	return ret;
}

/* Resize the rings of @cpus. Allocate all memory first: without it, no ring changes. */
static int resize_cpus(struct rb_ext *ext, const struct cpumask *cpus,
		       u32 nr_slots)
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

		rings[cpu] = ring_alloc(c, nr_slots);
		if (!rings[cpu]) {
			for_each_cpu(cpu, cpus)
				ring_free(rings[cpu]);
			return -ENOMEM;
		}
	}

	for_each_cpu(cpu, cpus) {
		int ret = 0;

		c = per_cpu_ptr(ext->cpus, cpu);
		if (rings[cpu])
			ret = cpu_exchange(c, rings[cpu]);
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
 * ones are no reason to refuse.
 */
static bool will_lack_memory(struct rb_ext *ext, const struct cpumask *cpus, u32 nr_slots)
{
	unsigned long needed = 0;
	bool larger = false;
	int cpu;

	for_each_possible_cpu(cpu) {
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

/**
 * rb_ext_note_sizes() - have buffer_size_kb show the sizes that a buffer has
 * @ext:	the buffer; it has not the sizes that parameters or defaults have asked for
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

/**
 * rb_ext_use_mem() - make a buffer fit into its writer's reserved memory, if it has any
 * @ext:	the buffer, without rings
 *
 * It has all of that memory, or as much as the boot parameter for its size says.
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
	ret = cpu_load(c);
	if (ret)
		c->nr_slots = EXT_RING_MIN_SLOTS;

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

/*
 * Take the ring from the readers while the writer resets it, and give it back rewound.
 * Otherwise a reader could swap between the writer's reset and its own. If the writer
 * refuses, nothing changes.
 */
static void cpu_reset(struct rb_ext_cpu *c)
{
	struct trace_ext_ring *ring = c->ring;
	u64 since = ktime_get_boot_fast_ns(), seq = 0;
	int ret = 0;

	if (ring) {
		scoped_guard(raw_spinlock_irqsave, &c->lock)
			c->ring = NULL;
		ret = c->ext->ops->reset(c->cpu, &seq);
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

void rb_ext_reset(struct rb_ext *ext, int cpu)
{
	guard(cpus_read_lock)();

	scoped_guard(mutex, &ext->lock) {
		if (cpu == RING_BUFFER_ALL_CPUS) {
			for_each_possible_cpu(cpu)
				cpu_reset(per_cpu_ptr(ext->cpus, cpu));
		} else {
			cpu_reset(per_cpu_ptr(ext->cpus, cpu));
		}
	}

	if (!READ_ONCE(ext->on))
		schedule_work(&ext->idle);
}

/**
 * rb_ext_set_cpus() - set the CPUs whose events are recorded, for tracing_cpumask
 * @ext:	the buffer
 * @cpus:	the CPUs; the rings of the others keep their events
 */
void rb_ext_set_cpus(struct rb_ext *ext, const struct cpumask *cpus)
{
	guard(mutex)(&trace_types_lock);

	scoped_guard(cpus_read_lock) {
		guard(mutex)(&ext->lock);

		ext->ops->set_cpus(cpus);
		cpumask_copy(ext->tr->tracing_cpumask, cpus);
	}

	/*
	 * If tracing is on, tell the newly traced CPUs what turning on told the others. Before
	 * the writer is registered, tracing may be on although nothing has been turned on.
	 */
	if ((READ_ONCE(ext->on) || READ_ONCE(ext->nr_starters)) && READ_ONCE(ext->started))
		ext->in_use(ext, true);
}

/**
 * rb_ext_map() - map a CPU's ring into user space
 * @ext:	the buffer
 * @cpu:	the CPU
 * @vma:	the mapping; its page 0 is struct trace_buffer_meta
 *
 * This loads the ring, unless it is loaded.
 *
 * Context: mmap_lock is held.
 * Return: 0, -EPERM if not read-only and shared, -EINVAL if beyond the end,
 * -ENOMEM, or the writer's error
 */
int rb_ext_map(struct rb_ext *ext, int cpu, struct vm_area_struct *vma)
{
	struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);
	int ret;

	ret = rb_ext_map_prepare(vma);
	if (ret)
		return ret;

	guard(mutex)(&ext->lock);

	return cpu_load(c) ?: rb_ext_map_cpu(c, vma);
}

/**
 * rb_ext_init() - initialise a buffer, without rings
 * @ext:	name, ops and format are set
 *
 * Return: 0 or -ENOMEM
 */
int rb_ext_init(struct rb_ext *ext)
{
	int cpu;

	ext->cpus = alloc_percpu(struct rb_ext_cpu);
	if (!ext->cpus)
		return -ENOMEM;

	for_each_possible_cpu(cpu) {
		struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);

		raw_spin_lock_init(&c->lock);
		c->ext = ext;
		c->cpu = cpu;
		c->nr_slots = EXT_RING_MIN_SLOTS;
	}

	mutex_init(&ext->lock);
	raw_spin_lock_init(&ext->mode_lock);
	ext->overwrite = true;
	INIT_WORK(&ext->idle, idle_work);
	INIT_DELAYED_WORK(&ext->catch_up, catch_up_work);
	rb_ext_init_wait(ext);
	return 0;
}

/**
 * rb_ext_exit() - undo rb_ext_init()
 * @ext:	a buffer that was never turned on
 */
void rb_ext_exit(struct rb_ext *ext)
{
	free_percpu(ext->cpus);
	ext->cpus = NULL;
}
