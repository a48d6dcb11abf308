// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: the clock that the host sets, and each CPU's copy of it.
 */

#include <nvhe/hyptrace.h>

static struct {
	hyp_spinlock_t		lock;
	u32			seq;	/* odd while @clock is being changed */
	struct hyp_clock	clock;
} host_clock;

/*
 * Copy the clock that the host has set last, without a lock. Return false if it is being
 * changed; then @clock may be of no use.
 */
bool hyp_clock_try_copy(struct hyp_clock *clock)
{
	/* The acquire and the smp_rmb() pair with handle___hyp_trace_clock(). */
	u32 seq = smp_load_acquire(&host_clock.seq);

	*clock = host_clock.clock;
	smp_rmb();
	return !(seq & 1) && seq == READ_ONCE(host_clock.seq);
}

/*
 * Copy the clock that the host has set last. This runs whenever a CPU wakes up and, with
 * set_event_pid, when it switches between tasks. So it takes the lock, which is global, only if
 * the clock is being changed at the same time.
 */
void hyp_clock_copy(struct hyp_clock *clock)
{
	if (likely(hyp_clock_try_copy(clock)))
		return;

	guard(hyp_trace_lock)(&host_clock.lock);
	*clock = host_clock.clock;
}

s64 handle___hyp_trace_clock(u64 mult, u64 shift, u64 base)
{
	guard(hyp_trace_lock)(&host_clock.lock);

	/* The smp_wmb() and the release pair with hyp_clock_try_copy(). */
	WRITE_ONCE(host_clock.seq, host_clock.seq + 1);
	smp_wmb();
	host_clock.clock = (struct hyp_clock) {
		.mult		= mult,
		.shift		= shift,
		.base		= base,
	};
	smp_store_release(&host_clock.seq, host_clock.seq + 1);
	return 0;
}
