// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the hypervisor's clock at the host's CLOCK_BOOTTIME.
 *
 * EL2 gets the timekeeper's own conversion from counter to nanoseconds, so that
 * both clocks agree from the first event on. Later each update of timekeeping
 * compares what EL2 makes of the counter with what the timekeeper does, and if
 * they have come apart (NTP, a change of rate) EL2 is told again. There is no
 * timer, and no hypercall while they agree.
 *
 * While the machine sleeps timekeeping counts with the counter's own rate, not with the
 * one that NTP wants. So does EL2 then, from the moment at which timekeeping is suspended:
 * else it would be ahead or behind afterwards by parts per million of the whole sleep,
 * and a ring whose time is ahead has to stand still until the clock has caught up.
 */

#include <linux/clocksource.h>
#include <linux/cpu.h>
#include <linux/irq_work.h>
#include <linux/math64.h>
#include <linux/pvclock_gtod.h>
#include <linux/timekeeper_internal.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include <asm/arch_timer.h>

#include "hyptrace.h"

/* How far EL2's clock may be off before it is corrected. */
#define CLOCK_TOLERANCE_NS	100

/**
 * struct conversion - from counter to boot time, as the timekeeper does it
 * @cyc:	a counter value
 * @ns:		the boot time at that moment [ns]
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
static bool usable;			/* it runs on the counter that EL2 reads */
static bool asleep;			/* it is suspended */

static u64 convert(const struct conversion *c, u64 cyc)
{
	return c->ns + mul_u64_u32_shr(cyc - c->cyc, c->mult, c->shift);
}

/*
 * Tell EL2. It wants the rate as a 64 bit fraction, and whatever makes that less
 * than one as a shift; and the time from when the counter was 0 (struct hyp_clock).
 */
static int push(const struct conversion *c)
{
	int shift = max(0, fls(c->mult) - (int)c->shift);
	u64 mult = (u64)c->mult << (64 - c->shift - shift);
	u64 since = mul_u64_u64_shr(c->cyc << shift, mult, 64);
	struct arm_smccc_res res;

	return hyptrace_call(&res, __hyp_trace_clock, mult, shift, c->ns - since);
}

/* The lock keeps the two together: EL2 was given last what @used says. */
static int update_locked(void)
{
	lockdep_assert_held(&clock_lock);

	used = wanted;
	return push(&used);
}

static int update(void)
{
	scoped_guard(raw_spinlock_irqsave, &clock_lock) {
		if (usable)
			return update_locked();
	}

	pr_err("hyp_trace: the clocksource is not the architected counter, which is what EL2 reads: see /sys/devices/system/clocksource\n");
	return -EOPNOTSUPP;
}

static void update_work(struct work_struct *work)
{
	guard(cpus_read_lock)();

	if (!update())
		hyptrace_clock_changed();
}

static DECLARE_WORK(clock_work, update_work);

/* Out of timekeeping's critical section, where waking a worker could deadlock */
static void schedule_update(struct irq_work *work)
{
	schedule_work(&clock_work);
}

static DEFINE_IRQ_WORK(clock_irq_work, schedule_update);

/*
 * By the one CPU that is awake, at once: there is nobody to do it later, and before it is
 * done there may be events. The others take the clock over when they come out of firmware
 * or, without protection, when they set EL2 up again; and once more after a sleep, for
 * some may have come out before the one that ended it.
 */
static void fall_asleep_or_wake_up(void)
{
	lockdep_assert_held(&clock_lock);

	if (usable && !update_locked())
		hyptrace_sync_this_cpu();
	if (!asleep)
		irq_work_queue(&clock_irq_work);
}

static int timekeeping_updated(struct notifier_block *nb, unsigned long was_set,
			       void *data)
{
	const struct timekeeper *tk = data;
	const struct tk_read_base *tkr = &tk->tkr_mono;
	u64 used_ns;

	guard(raw_spinlock_irqsave)(&clock_lock);

	usable = tkr->clock->id == CSID_ARM_ARCH_COUNTER;
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

	used_ns = convert(&used, wanted.cyc);
	if (abs_diff(used_ns, wanted.ns) > CLOCK_TOLERANCE_NS)
		irq_work_queue(&clock_irq_work);

	return NOTIFY_OK;
}

static struct notifier_block timekeeping_nb = {
	.notifier_call = timekeeping_updated,
};

/**
 * hyptrace_clock_start() - set EL2's clock, and keep it right from now on
 *
 * Return: 0 or a negative errno
 */
int hyptrace_clock_start(void)
{
	int ret;

	/* Calls back with the current state before it returns. */
	ret = pvclock_gtod_register_notifier(&timekeeping_nb);
	if (!ret)
		ret = update();
	if (ret)
		hyptrace_clock_stop();

	return ret;
}

/**
 * hyptrace_clock_stop() - leave EL2's clock alone
 */
void hyptrace_clock_stop(void)
{
	pvclock_gtod_unregister_notifier(&timekeeping_nb);
	irq_work_sync(&clock_irq_work);
	cancel_work(&clock_work);
}

/**
 * hyptrace_clock_resume() - EL2 is back; it was not when timekeeping was
 *
 * Context: interrupts are off, no other CPU is up.
 */
void hyptrace_clock_resume(void)
{
	guard(raw_spinlock_irqsave)(&clock_lock);

	if (usable)
		update_locked();
}
