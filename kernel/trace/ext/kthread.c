// SPDX-License-Identifier: GPL-2.0-only
/*
 * An external writer for tests: a kthread on each CPU, which writes with interrupts off.
 *
 * It is an example of an external writer, and tests the readers without a hypervisor.
 * Its instance has the file write_events. Writing the number N to it makes the kthread of
 * each online CPU write N events kthread:written, with ids 1 to N.
 *
 * Only a CPU's kthread writes to the CPU's ring. All other changes of the ring are made
 * with kwriter.lock held, in an interrupt of that CPU, or while the CPU is offline or the
 * ring is closed.
 */

#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/ext_ring_writer.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/trace_ext.h>

#include "../trace.h"

static struct trace_ext_writer kthread_writer;

#undef TRACE_SYSTEM
#define TRACE_SYSTEM		kthread
#define TRACE_SYSTEM_VAR	kthread
#define TRACE_EXT_HEADER	"kthread_event.h"
#define TRACE_EXT_WRITER	kthread_writer
#define TRACE_EXT_NUMBER(name)	0
#define TRACE_HEADER_MULTI_READ
#include <trace/define_trace_ext.h>

/**
 * struct kwriter - one CPU's writer
 * @ring:	the ring
 * @lock:	protects changes of @ring other than writing events
 * @loaded:	@ring has memory
 * @worker:	the kthread
 * @work:	writes @count events
 * @count:	number of events to write
 * @first_seq:	what the last reset of @ring has returned
 * @bell:	tells the reader of an alarm; deferred from where the event is written
 */
struct kwriter {
	struct ext_ring		ring;
	raw_spinlock_t		lock;
	bool			loaded;
	struct kthread_worker	*worker;
	struct kthread_work	work;
	u64			count;
	u64			first_seq;
	struct irq_work		bell;
};

static DEFINE_PER_CPU(struct kwriter, kwriters);

/* The event's type, or 0 if it is not enabled; and whether tracing is on. */
static u16 written_type;
static bool is_on;

/* CPUs whose rings a sync opens. */
static struct cpumask traced_cpus = { CPU_BITS_ALL };

/* Writing -------------------------------------------------------------------------- */

/* Called with interrupts off, so that nothing else writes to the ring or changes it. */
static void write_one(struct kwriter *kw, u16 type, u64 id)
{
	const struct trace_event_raw_written record = {
		.ent.type	= type,
		.ent.pid	= current->pid,
		.id		= id,
	};

	ext_ring_write(&record, sizeof(record), &kw->ring, ktime_get_boot_fast_ns());
}

static void write_work(struct kthread_work *work)
{
	struct kwriter *kw = container_of(work, struct kwriter, work);
	u64 id;

	for (id = 1; id <= kw->count; id++) {
		scoped_guard(irqsave) {
			u16 type = READ_ONCE(written_type);

			/* The CPU is going offline, so the kthread runs on another one. */
			if (kw != this_cpu_ptr(&kwriters))
				return;

			if (type && READ_ONCE(is_on))
				write_one(kw, type, id);
		}
		cond_resched();
	}
}

/* Most events that one write() asks for: CPU hotplug is held off meanwhile. */
#define MAX_COUNT	1000000

static ssize_t write_events_write(struct file *filp, const char __user *ubuf,
				  size_t cnt, loff_t *ppos)
{
	static DEFINE_MUTEX(lock);
	u64 count;
	int cpu, ret;

	ret = kstrtou64_from_user(ubuf, cnt, 10, &count);
	if (ret)
		return ret;
	if (count > MAX_COUNT) {
		pr_err_ratelimited("trace_ext_kthread: write_events: at most %u events at a time\n",
				   MAX_COUNT);
		return -EINVAL;
	}

	guard(mutex)(&lock);
	guard(cpus_read_lock)();

	for_each_online_cpu(cpu) {
		struct kwriter *kw = per_cpu_ptr(&kwriters, cpu);

		kw->count = count;
		/* If the CPU has been offline, its kthread may be on another CPU. */
		set_cpus_allowed_ptr(kw->worker->task, cpumask_of(cpu));
		kthread_queue_work(kw->worker, &kw->work);
	}
	for_each_online_cpu(cpu)
		kthread_flush_work(&per_cpu_ptr(&kwriters, cpu)->work);

	return cnt;
}

static const struct file_operations write_events_fops = {
	.open	= tracing_open_generic,
	.write	= write_events_write,
};

/* The doorbell --------------------------------------------------------------------- */

/* Defer ringing: an event is being written, and may not be committed yet. */
void ext_ring_doorbell(void)
{
	irq_work_queue(&this_cpu_ptr(&kwriters)->bell);
}

static void ring_bell(struct irq_work *work)
{
	trace_ext_doorbell(&kthread_writer);
}

/* Operations ----------------------------------------------------------------------- */

/* True from start to stop. Otherwise all rings are closed. */
static bool in_use;

/* Open or close this CPU's ring. Runs in an interrupt, so the CPU is not writing. */
static void kthread_ring_sync(void *unused)
{
	struct kwriter *kw = this_cpu_ptr(&kwriters);

	guard(raw_spinlock)(&kw->lock);

	if (kw->loaded && READ_ONCE(in_use) &&
	    cpumask_test_cpu(smp_processor_id(), &traced_cpus))
		ext_ring_open(&kw->ring);
	else
		ext_ring_close(&kw->ring);
}

/*
 * Runs on the writer's CPU, or while that CPU is offline. No sync opens the ring after
 * this.
 */
static void ring_take_away(void *data)
{
	struct kwriter *kw = data;

	guard(raw_spinlock_irqsave)(&kw->lock);

	kw->loaded = false;
	if (kw->ring.open)
		ext_ring_suspend(&kw->ring);
}

/* Runs on the writer's CPU, or while that CPU is offline. */
static void ring_reset(void *data)
{
	struct kwriter *kw = data;

	guard(raw_spinlock_irqsave)(&kw->lock);
	kw->first_seq = ext_ring_reset(&kw->ring);
}

/* Call @fn on a CPU, or here if that CPU is offline. */
static void call_quiescent(int cpu, smp_call_func_t fn)
{
	struct kwriter *kw = per_cpu_ptr(&kwriters, cpu);

	if (!cpu_online(cpu) || smp_call_function_single(cpu, fn, kw, true))
		fn(kw);
}

static int kwriter_start(struct trace_ext_writer *writer)
{
	WRITE_ONCE(in_use, true);
	return 0;
}

static void kwriter_stop(struct trace_ext_writer *writer)
{
	WRITE_ONCE(in_use, false);
	on_each_cpu(kthread_ring_sync, NULL, true);
}

static int kwriter_load(struct trace_ext_writer *writer, const struct trace_ext_ring *ring)
{
	struct kwriter *kw = per_cpu_ptr(&kwriters, ring->cpu);
	struct ext_ring_record *records;
	u32 id;

	records = kvzalloc(ext_ring_bookkeeping(ring->nr_slots, ring->nr_pages), GFP_KERNEL);
	if (!records)
		return -ENOMEM;		/* kvzalloc() has said so. */

	for (id = 0; id < ring->nr_pages; id++)
		records[id].page = ring->pages[id];

	guard(raw_spinlock_irqsave)(&kw->lock);
	ext_ring_init(&kw->ring, records, ring->nr_slots, ring->nr_pages, ring->meta);
	kw->loaded = true;
	return 0;
}

static int kwriter_unload(struct trace_ext_writer *writer, const struct trace_ext_ring *ring,
			  u64 *seq, u64 *dropped)
{
	struct kwriter *kw = per_cpu_ptr(&kwriters, ring->cpu);

	call_quiescent(ring->cpu, ring_take_away);

	*seq = kw->ring.seq;
	*dropped = kw->ring.dropped;
	kvfree(kw->ring.records);
	return 0;
}

static void kwriter_sync(struct trace_ext_writer *writer, int cpu)
{
	if (cpu == -1)
		on_each_cpu(kthread_ring_sync, NULL, true);
	else
		smp_call_function_single(cpu, kthread_ring_sync, NULL, true);
}

static bool kwriter_is_open(struct trace_ext_writer *writer, int cpu)
{
	return READ_ONCE(per_cpu(kwriters, cpu).ring.open);
}

static void kwriter_set_cpus(struct trace_ext_writer *writer, const struct cpumask *cpus)
{
	cpumask_copy(&traced_cpus, cpus);
	on_each_cpu(kthread_ring_sync, NULL, true);
}

/* There are no event pairs, so there is nothing to drain. */
static void kwriter_set_mode(struct trace_ext_writer *writer, enum trace_ext_mode mode,
			     bool overwrite)
{
	int cpu;

	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu(kwriters, cpu).ring.overwrite, overwrite);
	WRITE_ONCE(is_on, mode == TRACE_EXT_ON);
}

static int kwriter_swap_page(struct trace_ext_writer *writer, int cpu, u32 spare,
			     struct ext_ring_swap *swap)
{
	return ext_ring_swap(&per_cpu_ptr(&kwriters, cpu)->ring, spare, swap);
}

static int kwriter_reset(struct trace_ext_writer *writer, int cpu, u64 *seq)
{
	call_quiescent(cpu, ring_reset);
	*seq = per_cpu_ptr(&kwriters, cpu)->first_seq;
	return 0;
}

static int kwriter_enable(struct trace_ext_writer *writer, unsigned int event, u16 type)
{
	WRITE_ONCE(written_type, type);
	return 0;
}

static int kwriter_set_alarm(struct trace_ext_writer *writer, int cpu, u64 pos)
{
	struct kwriter *kw = per_cpu_ptr(&kwriters, cpu);

	guard(raw_spinlock_irqsave)(&kw->lock);

	if (kw->ring.open && cpu_online(cpu) && cpu != smp_processor_id())
		return -EBUSY;

	ext_ring_set_alarm(&kw->ring, pos);
	return 0;
}

static const struct trace_ext_ops kwriter_ops = {
	.start		= kwriter_start,
	.stop		= kwriter_stop,
	.load		= kwriter_load,
	.unload		= kwriter_unload,
	.sync		= kwriter_sync,
	.is_open	= kwriter_is_open,
	.set_cpus	= kwriter_set_cpus,
	.set_mode	= kwriter_set_mode,
	.swap_page	= kwriter_swap_page,
	.reset		= kwriter_reset,
	.enable		= kwriter_enable,
	.set_alarm	= kwriter_set_alarm,
};

/* Init ----------------------------------------------------------------------------- */

static void kthread_created(struct dentry *dir)
{
	trace_create_file("write_events", 0200, dir, NULL, &write_events_fops);
}

static struct trace_ext_writer kthread_writer = {
	.name		= "kthread",
	.link		= "../kthread",
	.systems	= "kthread,ftrace",
	.label		= "trace_ext_kthread",
	.location	= "kthread event",
	.errors		= { TRACE_EXT_PLAIN_ERRORS("Kthread events", "kthread/") },
	.ops		= &kwriter_ops,
	.dump_events	= 500,
	.created	= kthread_created,
};

static int kthread_cpu_online(unsigned int cpu)
{
	return trace_ext_cpu_online(&kthread_writer, cpu);
}

static int kthread_cpu_dead(unsigned int cpu)
{
	return trace_ext_cpu_dead(&kthread_writer, cpu);
}

static int __init kwriter_init(struct kwriter *kw, int cpu)
{
	raw_spin_lock_init(&kw->lock);
	kw->bell = IRQ_WORK_INIT_HARD(ring_bell);
	kthread_init_work(&kw->work, write_work);
	kw->worker = kthread_create_worker(0, "trace_ext/%d", cpu);
	return PTR_ERR_OR_ZERO(kw->worker);
}

static void __init kwriters_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct kthread_worker *worker = per_cpu(kwriters, cpu).worker;

		if (!IS_ERR_OR_NULL(worker))
			kthread_destroy_worker(worker);
	}
}

static int __init trace_ext_kthread_init(void)
{
	int cpu, ret;

	for_each_possible_cpu(cpu) {
		ret = kwriter_init(per_cpu_ptr(&kwriters, cpu), cpu);
		if (ret) {
			kwriters_exit();
			return ret;
		}
	}

	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "trace/ext_kthread:dead",
					NULL, kthread_cpu_dead);
	if (ret < 0)
		return ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "trace/ext_kthread:online",
					kthread_cpu_online, NULL);
	if (ret < 0)
		return ret;

	trace_ext_register(&kthread_writer);
	return 0;
}
late_initcall(trace_ext_kthread_init);
