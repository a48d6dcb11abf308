// SPDX-License-Identifier: GPL-2.0-only
/*
 * Followers of external writers' events: triggers that this kernel executes, histograms
 * among them, perf and BPF.
 *
 * They see an event shortly after it has happened, whatever the writer's instance records and
 * whoever reads it. For them the writer has a second, small ring on each CPU. When it has
 * written to that ring, it rings the doorbell on that CPU, as soon as it returns there. So an
 * event is delivered on the CPU where it has happened, and nearly always while the task is
 * current that has caused it.
 *
 * An interrupt delivers some events, and leaves the rest to a work, so that no stream of
 * events keeps a CPU in interrupts. What does not fit into a ring is lost, and counted. A
 * writer without a doorbell is polled.
 *
 * Context: events are delivered with interrupts off, on the ring's CPU; or by another one when
 * that CPU is dead. So there is one at a time.
 */

#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/trace_ext_compat.h>
#include <linux/workqueue.h>

#include <asm/irq_regs.h>

#include "internal.h"
#include "../trace.h"
#include "events.h"
#include "follow.h"

/* Pages of a follower's ring: 128 KiB, or as few pages as a ring has. */
#define SLOTS		max(SZ_128K / PAGE_SIZE, EXT_RING_MIN_SLOTS)

/* Events that an interrupt delivers, in some 100 us. */
#define AT_ONCE		64

/**
 * struct follower_cpu - deliveries of one CPU's events
 * @work:	delivers what interrupts have left, or polls
 * @follower:	the follower
 * @cpu:	the CPU
 * @delivered:	number of events that were delivered
 * @late:	number of times that events were left to @work
 * @missed:	number of samples that perf would have taken if events had not been late
 * @lost:	number of events that were lost when the log last said so
 */
struct follower_cpu {
	struct delayed_work	work;
	struct follower		*follower;
	int			cpu;
	u64			delivered;
	u64			late;
	u64			missed;
	u64			lost;
};

/* After some events have been delivered there are none left, there are more, or all must wait. */
enum rest { REST_NONE, REST_MORE, REST_WAITS };

/**
 * struct follower - all that follows events of a writer
 * @list:	in the list of followers; it stays there
 * @ext:	its rings; they have no instance
 * @writer:	the writer of the events
 * @cpus:	deliveries
 * @event:	the events, by type; their types are those that are valid in the rings
 * @nr:		number of events that are followed; protected by event_mutex
 */
struct follower {
	struct list_head		list;
	struct rb_ext			ext;
	struct trace_ext_writer		*writer;
	struct follower_cpu __percpu	*cpus;
	struct trace_ext_event		**event;
	unsigned int			nr;
};

static LIST_HEAD(followers);

/* The follower of a writer, NULL if it never had one; pairs with follower_create(). */
static struct follower *follower_of(const struct trace_ext_writer *writer)
{
	struct rb_ext *ext = writer->follower ? smp_load_acquire(&writer->follower->ext) : NULL;

	return ext ? container_of(ext, struct follower, ext) : NULL;
}

/* Delivery --------------------------------------------------------------------------- */

static void deliver_to_triggers(struct trace_event_file *file, struct trace_ext_delivery *this)
{
	void *record = ring_buffer_event_data(this->rbe);
	enum event_trigger_type after;

	if (!file || list_empty(&file->triggers))
		return;

	after = event_triggers_call(file, file->tr->array_buffer.buffer, record, this->rbe);
	if (after)
		event_triggers_post_call(file, after);
}

static void deliver_event(struct follower_cpu *c, struct ring_buffer_event *rbe, u64 ts,
			  struct pt_regs *regs)
{
	struct trace_entry *entry = ring_buffer_event_data(rbe);
	struct trace_ext_event *event = c->follower->event[entry->type];
	struct trace_ext_delivery *this = this_cpu_ptr(&trace_ext_delivery);
	/* Pairs with trace_ext_follow(): who follows is ready for this. */
	unsigned int by = smp_load_acquire(&event->followed);

	*this = (struct trace_ext_delivery) {
		.rbe	= rbe,
		.event	= event,
		.cpu	= c->cpu,
		.ts	= ts,
		.regs	= regs,
	};
	if (by & TRACE_EXT_BY_OWN)
		deliver_to_triggers(event->own, this);
	if (by & TRACE_EXT_BY_ROOT)
		deliver_to_triggers(event->root, this);
	if (by & TRACE_EXT_BY_PERF)
		c->missed += trace_ext_perf_deliver(this);
	this->rbe = NULL;
	c->delivered++;
}

/* Deliver some events of a CPU, whose doorbell has interrupted @regs, or NULL. */
static enum rest deliver_some(struct follower_cpu *c, struct pt_regs *regs)
{
	unsigned int max = AT_ONCE;
	struct ring_buffer_event *rbe;
	u64 ts;

	lockdep_assert_irqs_disabled();

	/* Triggers rely on what is so in a tracepoint's probe. */
	guard(preempt_notrace)();

	/* A follower has caused this interrupt itself. The events wait until it returns. */
	if (trace_ext_is_delivering())
		return REST_NONE;
	if (!trace_ext_perf_can_deliver())
		return REST_WAITS;

	while (max--) {
		rbe = rb_ext_consume(&c->follower->ext, c->cpu, &ts, NULL);
		if (!rbe)
			return REST_NONE;
		deliver_event(c, rbe, ts, regs);
	}

	return REST_MORE;
}

/* If @c->cpu has gone offline, this is another CPU: trace_ext_follow_dead() does it then. */
static enum rest deliver_some_here(struct follower_cpu *c)
{
	guard(irqsave)();

	return c->cpu == smp_processor_id() ? deliver_some(c, NULL) : REST_NONE;
}

static u64 lost_on(struct follower *follower, int cpu)
{
	return rb_ext_stat(&follower->ext, cpu, RB_EXT_OVERRUN) +
	       rb_ext_stat(&follower->ext, cpu, RB_EXT_DROPPED);
}

/* Not where events are delivered: interrupts are off there. */
static void warn_of_loss(struct follower_cpu *c)
{
	u64 lost = lost_on(c->follower, c->cpu);

	if (lost != c->lost)
		pr_warn_ratelimited("%s: CPU%d: histograms, perf and BPF have missed events, see %s/follower\n",
				    c->follower->ext.name, c->cpu, c->follower->writer->name);
	c->lost = lost;
}

static bool is_polled(const struct follower *follower)
{
	return !follower->writer->ops->set_alarm && READ_ONCE(follower->nr);
}

static void deliver_work(struct work_struct *work)
{
	struct follower_cpu *c = container_of(to_delayed_work(work), struct follower_cpu, work);
	enum rest rest;

	while ((rest = deliver_some_here(c)) == REST_MORE)
		cond_resched();
	warn_of_loss(c);

	if ((rest == REST_WAITS || is_polled(c->follower)) && cpu_online(c->cpu))
		schedule_delayed_work_on(c->cpu, &c->work,
					 rest == REST_WAITS ? 1 : RB_EXT_POLL_TICKS);
}

static void deliver_soon(struct follower_cpu *c)
{
	mod_delayed_work_on(c->cpu, TRACE_EXT_PERCPU_WQ, &c->work, 0);
}

/**
 * trace_ext_follow_doorbell() - the writer may have rung, on this CPU
 * @writer:	the writer
 *
 * Context: hard interrupt.
 */
void trace_ext_follow_doorbell(struct trace_ext_writer *writer)
{
	struct follower *follower = follower_of(writer);
	struct follower_cpu *c;

	if (!follower || !READ_ONCE(follower->nr))
		return;

	c = this_cpu_ptr(follower->cpus);
	if (deliver_some(c, get_irq_regs()) != REST_NONE) {
		c->late++;
		deliver_soon(c);
	}
}

/**
 * struct flush - delivery on another CPU
 * @follower:	the follower
 * @rest:	what is left
 */
struct flush {
	struct follower	*follower;
	enum rest	rest;
};

static void flush_some(void *data)
{
	struct flush *flush = data;

	flush->rest = deliver_some(this_cpu_ptr(flush->follower->cpus), NULL);
}

/* Let others run, such as the BPF program that events wait for. */
static void pause_delivery(enum rest rest)
{
	if (rest == REST_WAITS)
		schedule_timeout_uninterruptible(1);
	else
		cond_resched();
}

/* Deliver all events that have happened so far: as many as a ring holds, at most. */
static void flush_cpu(struct follower *follower, int cpu)
{
	unsigned int times = SLOTS * EXT_PAGE_MAX_EVENTS / AT_ONCE + 1;
	struct flush flush = { .follower = follower };

	do {
		flush.rest = REST_NONE;
		smp_call_function_single(cpu, flush_some, &flush, true);
		pause_delivery(flush.rest);
	} while (flush.rest != REST_NONE && times--);
}

/* The same, on all CPUs. One may be too busy for a work. */
static void follower_flush(struct follower *follower)
{
	int cpu;

	guard(cpus_read_lock)();

	for_each_online_cpu(cpu)
		flush_cpu(follower, cpu);
}

#ifdef CONFIG_PERF_EVENTS
/**
 * trace_ext_perf_settle() - have counts that have all events so far, of all writers
 * @cpu:	the events of this CPU, or of all if it is -1
 *
 * Context: a process that has nothing locked.
 */
void trace_ext_perf_settle(int cpu)
{
	struct follower *follower;

	if (!trace_ext_perf_is_listening())
		return;

	list_for_each_entry_rcu(follower, &followers, list, true) {
		if (!READ_ONCE(follower->nr))
			continue;
		if (cpu < 0)
			follower_flush(follower);
		else
			flush_cpu(follower, cpu);
	}
}

/**
 * __trace_ext_task_settle() - have counts of a task that have all events so far
 * @task:	a task that has perf events
 *
 * If none of them is external, no CPU is interrupted.
 *
 * Context: as trace_ext_perf_settle().
 */
void __trace_ext_task_settle(const struct task_struct *task)
{
	struct perf_event_context *ctx;
	struct perf_event *event;
	bool external = false;

	scoped_guard(rcu) {
		ctx = READ_ONCE(task->perf_event_ctxp);
		if (!ctx)
			return;
		list_for_each_entry_rcu(event, &ctx->event_list, event_entry)
			external |= trace_ext_event_has_time(event);
	}

	if (external)
		trace_ext_perf_settle(-1);
}
#endif

/**
 * trace_ext_follow_flush() - deliver all events that have happened so far, of all writers
 *
 * Events of this kernel may come of them, too: synthetic ones.
 *
 * Context: event_mutex is held.
 */
void trace_ext_follow_flush(void)
{
	struct follower *follower;

	lockdep_assert_held(&event_mutex);

	list_for_each_entry_rcu(follower, &followers, list, true) {
		if (follower->nr)
			follower_flush(follower);
	}
}

/* Begin and end ---------------------------------------------------------------------- */

static int cpus_create(struct follower *follower)
{
	int cpu;

	follower->cpus = alloc_percpu(struct follower_cpu);
	if (!follower->cpus)
		return -ENOMEM;

	for_each_possible_cpu(cpu) {
		struct follower_cpu *c = per_cpu_ptr(follower->cpus, cpu);

		INIT_DELAYED_WORK(&c->work, deliver_work);
		c->follower = follower;
		c->cpu = cpu;
		per_cpu_ptr(follower->ext.cpus, cpu)->nr_slots = SLOTS;
	}

	return 0;
}

static void follower_free(struct follower *follower)
{
	if (!follower)
		return;

	rb_ext_exit(&follower->ext);
	free_percpu(follower->cpus);
	kfree(follower->event);
	kfree(follower->ext.format.size);
	kfree(follower);
}

DEFINE_FREE(follower_free, struct follower *, follower_free(_T))

/* Nothing but events is valid: ftrace's own records, which the user's ring may have, are not. */
static int format_create(struct follower *follower)
{
	unsigned int nr_types = follower->writer->ext->format.nr_types;
	u16 *size = kcalloc(nr_types, sizeof(*size), GFP_KERNEL);
	struct trace_ext_event *event;

	follower->event = kcalloc(nr_types, sizeof(*follower->event), GFP_KERNEL);
	follower->ext.format = (struct ext_page_format) { .nr_types = nr_types, .size = size };
	if (!follower->event || !size)
		return -ENOMEM;

	trace_ext_for_each_event(event, follower->writer) {
		follower->event[event->call.event.type] = event;
		size[event->call.event.type] = event->size;
	}

	return 0;
}

/* Create the follower of a writer; it stays. */
static struct follower *follower_create(struct trace_ext_writer *writer)
{
	struct follower *follower __free(follower_free) = NULL;
	int ret;

	lockdep_assert_held(&event_mutex);

	follower = kzalloc(sizeof(*follower), GFP_KERNEL);
	if (!follower)
		return ERR_PTR(-ENOMEM);

	follower->writer = writer;
	follower->ext.writer = writer->follower;
	follower->ext.name = writer->label;
	follower->ext.ops = writer->follower->ops;
	ret = format_create(follower) ?: rb_ext_init(&follower->ext) ?: cpus_create(follower);
	if (ret)
		return ERR_PTR(ret);

	list_add_tail_rcu(&follower->list, &followers);
	/* Pairs with follower_of(). */
	smp_store_release(&writer->follower->ext, &follower->ext);
	return no_free_ptr(follower);
}

/* Begin to poll, if that is needed. */
static void poll_begin(struct follower *follower)
{
	int cpu;

	guard(cpus_read_lock)();

	for_each_online_cpu(cpu)
		if (is_polled(follower))
			deliver_soon(per_cpu_ptr(follower->cpus, cpu));
}

static void follower_end(struct follower *follower)
{
	int cpu;

	follower_flush(follower);
	/* Nobody schedules it again: nothing is followed. */
	for_each_possible_cpu(cpu) {
		cancel_delayed_work_sync(&per_cpu_ptr(follower->cpus, cpu)->work);
		warn_of_loss(per_cpu_ptr(follower->cpus, cpu));
	}
	rb_ext_end(&follower->ext);
}

/* Can events of this event's writer be followed? */
bool trace_ext_can_follow(const struct trace_event_call *call)
{
	return to_trace_ext_event(call)->writer->follower;
}

static void one_less(struct follower *follower)
{
	WRITE_ONCE(follower->nr, follower->nr - 1);
	if (!follower->nr)
		follower_end(follower);
}

/* Have the writer write an event to the follower's rings. */
static int event_begin(struct trace_ext_event *event)
{
	struct follower *follower = follower_of(event->writer) ?: follower_create(event->writer);
	int ret;

	if (IS_ERR(follower))
		return PTR_ERR(follower);

	ret = follower->nr ? 0 : rb_ext_begin(&follower->ext);
	if (ret) {
		pr_err_ratelimited("%s: events can't be followed: %pe\n", follower->ext.name,
				   ERR_PTR(ret));
		return ret;
	}

	/* Before the first event rings. */
	WRITE_ONCE(follower->nr, follower->nr + 1);
	ret = follower->ext.ops->enable(follower->ext.writer, event->number,
					event->call.event.type);
	if (ret)
		one_less(follower);
	else if (follower->nr == 1)
		poll_begin(follower);

	return ret;
}

static void event_end(struct trace_ext_event *event)
{
	struct follower *follower = follower_of(event->writer);

	follower->ext.ops->enable(follower->ext.writer, event->number, 0);
	one_less(follower);
}

/**
 * trace_ext_follow() - begin to follow an event, or go on
 * @event:	the event
 * @by:		who does
 *
 * Context: event_mutex is held.
 * Return: 0; -EAGAIN while booting, -ENOMEM, or the writer's error
 */
int trace_ext_follow(struct trace_ext_event *event, enum trace_ext_by by)
{
	unsigned int before = event->followed;
	int ret;

	lockdep_assert_held(&event_mutex);

	if (before & by)
		return 0;
	if (!event->writer->armed)
		return -EAGAIN;

	/* Before the first event comes. Pairs with deliver_event(). */
	smp_store_release(&event->followed, before | by);
	ret = before ? 0 : event_begin(event);
	if (ret) {
		WRITE_ONCE(event->followed, before);
		/* There may have been events from before, and perf frees its lists now. */
		tracepoint_synchronize_unregister();
	}

	return ret;
}

/**
 * trace_ext_unfollow() - end to follow an event
 * @event:	the event
 * @by:		who followed it, perhaps
 *
 * Context: event_mutex is held. After tracepoint_synchronize_unregister(), no event is being
 * delivered to @by.
 */
void trace_ext_unfollow(struct trace_ext_event *event, enum trace_ext_by by)
{
	lockdep_assert_held(&event_mutex);

	if (!(event->followed & by))
		return;

	WRITE_ONCE(event->followed, event->followed & ~by);
	if (!event->followed)
		event_end(event);
}

/* CPU hotplug ------------------------------------------------------------------------- */

/**
 * trace_ext_follow_online() - a CPU has come online, and can call the writer
 * @writer:	the writer
 * @cpu:	the CPU, which runs this
 *
 * Context: CPU hotplug.
 */
void trace_ext_follow_online(struct trace_ext_writer *writer, unsigned int cpu)
{
	struct follower *follower = follower_of(writer);

	if (!follower)
		return;

	rb_ext_cpu_online(&follower->ext, cpu);
	if (is_polled(follower))
		deliver_soon(per_cpu_ptr(follower->cpus, cpu));
}

/**
 * trace_ext_follow_dead() - a CPU has gone offline: deliver its last events
 * @writer:	the writer
 * @cpu:	the CPU
 *
 * Context: CPU hotplug.
 */
void trace_ext_follow_dead(struct trace_ext_writer *writer, unsigned int cpu)
{
	struct follower *follower = follower_of(writer);
	enum rest rest = follower ? REST_MORE : REST_NONE;

	while (rest != REST_NONE) {
		scoped_guard(irqsave)
			rest = deliver_some(per_cpu_ptr(follower->cpus, cpu), NULL);
		pause_delivery(rest);
	}
}

/* The file "follower" ------------------------------------------------------------------ */

static int follower_show(struct seq_file *m, void *unused)
{
	struct follower *follower = follower_of(m->private);
	int cpu;

	for_each_possible_cpu(cpu) {
		struct follower_cpu *c = follower ? per_cpu_ptr(follower->cpus, cpu) : NULL;

		seq_printf(m, "cpu: %d delivered: %llu lost: %llu late: %llu missed: %llu\n", cpu,
			   c ? READ_ONCE(c->delivered) : 0, c ? lost_on(follower, cpu) : 0,
			   c ? READ_ONCE(c->late) : 0, c ? READ_ONCE(c->missed) : 0);
	}

	return 0;
}

static int show_open(struct inode *inode, struct file *filp)
{
	return security_locked_down(LOCKDOWN_TRACEFS) ?:
	       single_open(filp, follower_show, inode->i_private);
}

static const struct file_operations show_fops = {
	.open		= show_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* Create the file with the counts of what was followed. */
void __init trace_ext_follow_init(struct trace_ext_writer *writer, struct dentry *dir)
{
	if (writer->follower)
		trace_create_file("follower", TRACE_MODE_READ, dir, writer, &show_fops);
}
