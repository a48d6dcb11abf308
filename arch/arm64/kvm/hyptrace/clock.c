// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the hypervisor's clock at the host's CLOCK_BOOTTIME.
 *
 * EL2 gets the timekeeper's own conversion from counter to nanoseconds, so both clocks
 * agree from the first event on. Later, each update of timekeeping compares EL2's
 * conversion with the timekeeper's. If they have drifted apart (NTP, a change of rate),
 * EL2 gets the new one. There is no timer, and no hypercall while they agree. While
 * timekeeping uses another clocksource, EL2's clock goes on as it was.
 *
 * During suspend, timekeeping uses the counter's own rate, not the one that NTP has
 * adjusted. EL2 does the same from the moment at which timekeeping is suspended.
 * Otherwise its clock would be off afterwards by parts per million of the time slept; and
 * if it were ahead, the ring's time would stand still until the host's clock caught up.
 */

#include <linux/clocksource.h>
#include <linux/cpu.h>
#include <linux/irq_work.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/pvclock_gtod.h>
#include <linux/timekeeper_internal.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "hyptrace.h"

/* EL2's clock is corrected if it is off by more than this. */
#define CLOCK_TOLERANCE_NS	100

/**
 * struct conversion - the timekeeper's conversion from counter to boot time
 * @cyc:	a counter value
 * @ns:		boot time at that counter value [ns]
 * @mult:	ns = (cyc * @mult) >> @shift
 * @shift:	see @mult
 */
struct conversion {
	u64	cyc;
	u64	ns;
	u32	mult;
	u32	shift;
};

/* Updated in hard interrupt context, by the timekeeping core. */
static DEFINE_RAW_SPINLOCK(clock_lock);
static struct conversion wanted;	/* the timekeeper's */
static struct conversion used;		/* EL2's */
static bool usable;			/* timekeeping uses the counter that EL2 reads */
static bool asleep;			/* timekeeping is suspended */

static u64 clock_convert(const struct conversion *c, u64 cyc)
{
	return c->ns + mul_u64_u32_shr(cyc - c->cyc, c->mult, c->shift);
}

/*
 * Set EL2's clock (struct hyp_clock). It takes the rate as a 64 bit fraction, with a shift
 * that makes it less than one, and the time at which the counter was 0.
 */
static int clock_push(const struct conversion *c)
{
	int shift = max(0, fls(c->mult) - (int)c->shift);
	u64 mult = (u64)c->mult << (64 - c->shift - shift);
	u64 since = mul_u64_u64_shr(c->cyc << shift, mult, 64);

	return hcall_trace_clock(mult, shift, c->ns - since);
}

/* The lock keeps @used in step with EL2. */
static int update_locked(void)
{
	lockdep_assert_held(&clock_lock);

	used = wanted;
	return clock_push(&used);
}

static int clock_update(void)
{
	scoped_guard(raw_spinlock_irqsave, &clock_lock) {
		if (usable)
			return update_locked();
	}

	pr_err_ratelimited("hyp_trace: the clocksource is not the architected counter, which is what EL2 reads: see /sys/devices/system/clocksource\n");
	return -EOPNOTSUPP;
}

static void update_work(struct work_struct *work)
{
	guard(cpus_read_lock)();

	if (!clock_update())
		hyptrace_clock_changed();
}

static DECLARE_WORK(clock_work, update_work);

/* An irq_work, because waking a worker inside timekeeping's critical section could deadlock. */
static void schedule_update(struct irq_work *work)
{
	schedule_work(&clock_work);
}

static DEFINE_IRQ_WORK(clock_irq_work, schedule_update);

/*
 * The only CPU that is awake corrects the clock at once: no work can run, and there may be
 * events. The other CPUs copy the clock when they come out of firmware or, without
 * protection, when KVM sets EL2 up again. On resume the irq_work syncs all CPUs once
 * more, because some may have come out of firmware before timekeeping resumed.
 */
static void fall_asleep_or_wake_up(void)
{
	lockdep_assert_held(&clock_lock);

	if (!update_locked())
		hyptrace_sync_this_cpu();
	if (!asleep)
		irq_work_queue(&clock_irq_work);
}

static int timekeeping_updated(struct notifier_block *nb, unsigned long was_set, void *data)
{
	const struct timekeeper *tk = data;
	const struct tk_read_base *tkr = &tk->tkr_mono;
	bool was_usable;
	u64 used_ns;

	guard(raw_spinlock_irqsave)(&clock_lock);

	was_usable = usable;
	usable = tkr->clock->id == CSID_ARM_ARCH_COUNTER;
	if (!usable) {
		/* Another counter can't be compared with EL2's. The work says so, once. */
		asleep = timekeeping_suspended;
		if (was_usable)
			irq_work_queue(&clock_irq_work);
		return NOTIFY_OK;
	}

	wanted = (struct conversion) {
		.cyc	= tkr->cycle_last,
		.ns	= ktime_to_ns(tkr->base) + ktime_to_ns(tk->offs_boot) +
			  (tkr->xtime_nsec >> tkr->shift),
		.mult	= timekeeping_suspended ? tkr->clock->mult : tkr->mult,
		.shift	= tkr->shift,
	};

	if (asleep != timekeeping_suspended) {
		asleep = timekeeping_suspended;
		fall_asleep_or_wake_up();
		return NOTIFY_OK;
	}

	used_ns = clock_convert(&used, wanted.cyc);
	if (abs_diff(used_ns, wanted.ns) > CLOCK_TOLERANCE_NS)
		irq_work_queue(&clock_irq_work);

	return NOTIFY_OK;
}

static struct notifier_block timekeeping_nb = {
	.notifier_call = timekeeping_updated,
};

/* Tracing and totals. */
static DEFINE_MUTEX(users_lock);
static unsigned int users;

static void clock_stop(void)
{
	pvclock_gtod_unregister_notifier(&timekeeping_nb);
	irq_work_sync(&clock_irq_work);
	cancel_work(&clock_work);
}

/**
 * hyptrace_clock_start() - set EL2's clock, and begin to correct it
 *
 * Return: 0, and hyptrace_clock_stop() must follow; or a negative errno
 */
int hyptrace_clock_start(void)
{
	int ret = 0;

	guard(mutex)(&users_lock);

	if (!users) {
		/* Calls back with the current state before it returns. */
		ret = pvclock_gtod_register_notifier(&timekeeping_nb);
		ret = ret ?: clock_update();
		if (ret)
			clock_stop();
	}
	if (!ret)
		WRITE_ONCE(users, users + 1);

	return ret;
}

/* Stop correcting EL2's clock, if nobody else uses it. */
void hyptrace_clock_stop(void)
{
	guard(mutex)(&users_lock);

	WRITE_ONCE(users, users - 1);
	if (!users)
		clock_stop();
}

/*
 * Set EL2's clock after resume, if it is used: EL2 may have been set up later than timekeeping
 * resumed. Interrupts are off, and no other CPU is up.
 */
void hyptrace_clock_resume(void)
{
	guard(raw_spinlock_irqsave)(&clock_lock);

	if (READ_ONCE(users) && usable)
		update_locked();
}
