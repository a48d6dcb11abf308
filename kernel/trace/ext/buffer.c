// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: life of the rings.
 *
 * A CPU has a ring from when tracing is first turned on until tracing is off, all rings
 * are empty and no reader is left.
 */

#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/mm.h>

#include "internal.h"
#include "../trace.h"

/* Loading and unloading ------------------------------------------------------ */

static void unload_all(struct rb_ext *ext)
{
	int cpu;

	lockdep_assert_held(&ext->lock);

	for_each_possible_cpu(cpu)
		rb_ext_cpu_unload(per_cpu_ptr(ext->cpus, cpu));

	if (ext->started && ext->ops->stop)
		ext->ops->stop(ext->writer);
	ext->started = false;
}

static void writer_set_mode(struct rb_ext *ext, enum trace_ext_mode mode)
{
	lockdep_assert_held(&ext->mode_lock);

	if (ext->ops->set_mode)
		ext->ops->set_mode(ext->writer, mode, ext->overwrite);
}

/*
 * Set the writer's mode: on, or @otherwise if tracing is off or paused. While a trigger may
 * turn tracing on, the mode is on, and the writer does not record until then.
 */
static void set_mode(struct rb_ext *ext, enum trace_ext_mode otherwise)
{
	writer_set_mode(ext, rb_ext_is_armed(ext) && !ext->paused ? TRACE_EXT_ON : otherwise);
}

/* Set the mode. While recording is paused it is drain: on may follow that without a sync. */
static void set_mode_again(struct rb_ext *ext)
{
	set_mode(ext, rb_ext_is_armed(ext) && ext->paused ? TRACE_EXT_DRAIN : TRACE_EXT_OFF);
}

/* Have the writer record, or not, whatever triggers have done. */
static void set_running(struct rb_ext *ext)
{
	lockdep_assert_held(&ext->mode_lock);

	if (ext->ops->set_running)
		ext->ops->set_running(ext->writer, ext->on);
	ext->was_on = ext->on;
}

/* Load all rings, closed. On failure, some may be loaded. */
static int load_closed(struct rb_ext *ext)
{
	int cpu, ret;

	lockdep_assert_held(&ext->lock);

	if (!ext->started) {
		ret = ext->ops->start(ext->writer);
		if (ret)
			return ret;
		ext->started = true;
	}

	for_each_online_cpu(cpu) {
		ret = rb_ext_cpu_load(per_cpu_ptr(ext->cpus, cpu));
		if (ret)
			return ret;
	}

	return 0;
}

/*
 * Load all rings; on failure, unload them if this has started the writer. This leaves the writer in
 * drain mode and all CPUs synced, so that the end of every event pair that begins after "on" is
 * recorded, too.
 */
static int load_all(struct rb_ext *ext)
{
	bool was_started;
	int ret;

	guard(cpus_read_lock)();
	guard(mutex)(&ext->lock);

	was_started = ext->started;
	ret = load_closed(ext);
	if (ret) {
		if (ext->started && !was_started)
			unload_all(ext);
		return ret;
	}

	scoped_guard(raw_spinlock_irqsave, &ext->mode_lock)
		set_mode(ext, TRACE_EXT_DRAIN);
	rb_ext_sync(ext, -1);
	return 0;
}

/**
 * rb_ext_load() - load all rings, so that rb_ext_on() can't fail
 * @ext:	the buffer, or NULL if there is nothing to load
 *
 * Return: 0, -ENOMEM, or the writer's error
 */
int rb_ext_load(struct rb_ext *ext)
{
	int ret;

	if (!ext)
		return 0;

	ret = load_all(ext);
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
		rb_ext_sync(ext, -1);

	return ret;
}

/* Unload all rings of a buffer that has no instance. */
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
 * Return: 0, even if the CPU gets no ring; it is not traced then
 */
int rb_ext_cpu_online(struct rb_ext *ext, int cpu)
{
	struct rb_ext_cpu *c = per_cpu_ptr(ext->cpus, cpu);
	int ret;

	guard(mutex)(&ext->lock);

	if (!ext->started)
		return 0;

	ret = rb_ext_cpu_load(c);
	if (ret)
		pr_err_ratelimited("%s: CPU%d has no buffer, it will not be traced: %pe\n",
				   ext->name, cpu, ERR_PTR(ret));
	else
		rb_ext_sync(ext, cpu);

	rb_ext_rearm(c);
	return 0;
}

/*
 * True if the rings are not needed: tracing is off, and only the user can turn it on, all events
 * are read and no reader has a file open. A ring that is mapped has its file open, too.
 */
static bool rings_are_idle(struct rb_ext *ext)
{
	lockdep_assert_held(&trace_types_lock);

	return !rb_ext_is_armed(ext) && !ext->tr->trace_ref && !atomic_read(&ext->iters) &&
	       rb_ext_all_empty(ext);
}

static void idle_work(struct work_struct *work)
{
	struct rb_ext *ext = container_of(work, struct rb_ext, idle);

	guard(mutex)(&trace_types_lock);

	scoped_guard(cpus_read_lock) {
		guard(mutex)(&ext->lock);

		if (!rings_are_idle(ext))
			return;
		unload_all(ext);
	}

	ext->in_use(ext, false);
}

/**
 * rb_ext_reader_gone() - a reader's file has been closed
 * @ext:	the buffer, or NULL if the file's buffer is not external
 */
void rb_ext_reader_gone(struct rb_ext *ext)
{
	if (!ext)
		return;

	if (ext->ops->seen && rb_ext_stat(ext, RING_BUFFER_ALL_CPUS, RB_EXT_READ))
		ext->ops->seen(ext->writer);
	if (!rb_ext_is_on(ext))
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
	scoped_guard(raw_spinlock_irqsave, &ext->mode_lock) {
		update_on(ext);
		set_running(ext);
		set_mode_again(ext);
	}

	/* A trigger may have undone this already, and the writer need not ring for that: ask. */
	rb_ext_ask_soon(ext);
}

void rb_ext_off(struct rb_ext *ext)
{
	guard(cpus_read_lock)();

	scoped_guard(raw_spinlock_irqsave, &ext->mode_lock) {
		update_on(ext);
		writer_set_mode(ext, TRACE_EXT_DRAIN);
	}

	/* After this, each event pair that had begun is complete. */
	rb_ext_sync(ext, -1);

	scoped_guard(raw_spinlock_irqsave, &ext->mode_lock) {
		update_on(ext);
		set_running(ext);
		set_mode_again(ext);
	}

	schedule_work(&ext->idle);
}

/* Unlike on and off, pause and resume nest and may be called from any context. */
void rb_ext_pause(struct rb_ext *ext)
{
	guard(raw_spinlock_irqsave)(&ext->mode_lock);

	if (!ext->paused++ && rb_ext_is_armed(ext))
		set_mode(ext, TRACE_EXT_DRAIN);
}

void rb_ext_resume(struct rb_ext *ext)
{
	guard(raw_spinlock_irqsave)(&ext->mode_lock);

	if (!--ext->paused && rb_ext_is_armed(ext))
		set_mode(ext, TRACE_EXT_OFF);
}

void rb_ext_set_overwrite(struct rb_ext *ext, bool overwrite)
{
	guard(raw_spinlock_irqsave)(&ext->mode_lock);

	ext->overwrite = overwrite;
	set_mode_again(ext);
}

/* Triggers --------------------------------------------------------------------- */

/* Is recording on, as the user or a trigger has left it? */
static bool is_recording(const struct rb_ext *ext)
{
	return READ_ONCE(ext->nr_triggers) ? ext->ops->is_running(ext->writer) :
					     READ_ONCE(ext->on);
}

/**
 * rb_ext_is_on() - check whether tracing is on, for all who ask tracer_tracing_is_on()
 * @ext:	the buffer
 *
 * Context: any but NMI.
 * Return: true if it is on: a trigger may have turned it on or off since the user has
 */
bool rb_ext_is_on(struct rb_ext *ext)
{
	bool on, stopped;

	scoped_guard(raw_spinlock_irqsave, &ext->mode_lock) {
		on = is_recording(ext);
		stopped = ext->was_on && !on;
		ext->was_on |= on;
	}

	/* The writer takes this for an answer to its doorbell, and need not ring for this stop. */
	if (stopped)
		schedule_delayed_work(&ext->turned, 0);

	return on;
}

/* Have triggers turned tracing off since it was last found on? */
static bool has_stopped(struct rb_ext *ext)
{
	bool was_on;

	guard(raw_spinlock_irqsave)(&ext->mode_lock);

	was_on = ext->was_on;
	ext->was_on = is_recording(ext);
	return was_on && !ext->was_on;
}

/*
 * Tracing is off, but not by the user. If no trigger can turn it on, close the rings. If it @was_on
 * until now, wake whoever waits. Both are as after a write to tracing_on.
 */
static void turned_off(struct rb_ext *ext, bool was_on)
{
	lockdep_assert_held(&trace_types_lock);

	if (!READ_ONCE(ext->nr_starters))
		tracer_tracing_off(ext->tr);
	if (was_on)
		ring_buffer_wake_waiters(ext->tr->array_buffer.buffer, RING_BUFFER_ALL_CPUS);
}

static void turned_work(struct work_struct *work)
{
	struct rb_ext *ext = container_of(to_delayed_work(work), struct rb_ext, turned);

	guard(mutex)(&trace_types_lock);

	if (has_stopped(ext))
		turned_off(ext, true);
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

	ret = starts ? rb_ext_load(ext) : 0;
	if (ret)
		return ret;

	guard(raw_spinlock_irqsave)(&ext->mode_lock);

	/* The writer may have rung for the last trigger when that was gone, and wait. */
	if (!ext->nr_triggers)
		set_running(ext);
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
	bool on, was_on;

	guard(mutex)(&trace_types_lock);

	scoped_guard(raw_spinlock_irqsave, &ext->mode_lock) {
		/* The trigger goes, but tracing stays as it has left it. */
		on = is_recording(ext);
		ext->on = on;
		was_on = ext->was_on;
		ext->was_on = on;
		ext->nr_triggers--;
		ext->nr_starters -= started;
		/* Otherwise the rings are about to be closed. */
		if (rb_ext_is_armed(ext))
			set_mode_again(ext);
	}

	if (!on)
		turned_off(ext, was_on);
}

/* All the rest ----------------------------------------------------------------- */

void rb_ext_reset(struct rb_ext *ext, int cpu)
{
	guard(cpus_read_lock)();

	scoped_guard(mutex, &ext->lock) {
		if (cpu == RING_BUFFER_ALL_CPUS) {
			for_each_possible_cpu(cpu)
				rb_ext_cpu_reset(per_cpu_ptr(ext->cpus, cpu));
		} else {
			rb_ext_cpu_reset(per_cpu_ptr(ext->cpus, cpu));
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

		if (ext->ops->set_cpus)
			ext->ops->set_cpus(ext->writer, cpus);
		cpumask_copy(ext->tr->tracing_cpumask, cpus);
	}

	/*
	 * If tracing is on, tell the newly traced CPUs what turning on told the others. Before
	 * the writer is registered, tracing may be on although nothing has been turned on.
	 */
	if (rb_ext_is_armed(ext) && READ_ONCE(ext->started))
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

	if (vma->vm_flags & (VM_WRITE | VM_EXEC) || !(vma->vm_flags & VM_MAYSHARE))
		return -EPERM;

	/* Never allow writes. No copy on fork: c->mapped counts the mappings. */
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);

	guard(mutex)(&ext->lock);

	return rb_ext_cpu_load(c) ?: rb_ext_map_cpu(c, vma);
}

/**
 * rb_ext_init() - initialise a buffer, without rings
 * @ext:	the buffer, all 0 but for what its owner has set
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
	INIT_DELAYED_WORK(&ext->turned, turned_work);
	rb_ext_init_wait(ext);
	return 0;
}

/* Undo rb_ext_init(), which may have failed. The buffer was never turned on. */
void rb_ext_exit(struct rb_ext *ext)
{
	free_percpu(ext->cpus);
}
