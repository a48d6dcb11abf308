/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lets the machine sleep.
 */
#ifndef HYP_SLEEP_H
#define HYP_SLEEP_H

#include "hyp_trace.h"

#define WAKEUP_COUNT	"/sys/power/wakeup_count"
#define RTC		"/sys/class/rtc/rtc0/"

/*
 * Sleep until the real-time clock wakes the machine. The machine does not go to sleep if
 * a wake-up was counted after the read of wakeup_count. Returns 0 if the machine has
 * slept and an interrupt has woken it.
 */
static inline int sleep_for(int seconds)
{
	char *count;
	int ret;

	put(RTC "wakealarm", "0");
	count = get(WAKEUP_COUNT);
	ret = put(RTC "wakealarm", path_of("+%d", seconds)) ?: put(WAKEUP_COUNT, count) ?:
	      put("/sys/power/state", "freeze");
	free(count);
	return ret ?: get_num("/sys/power/pm_wakeup_irq", "") > 0 ? 0 : -EAGAIN;
}

/* Going to sleep can take longer than the alarm; try again with more time then. */
static inline int suspend(void)
{
	int seconds, ret = -EAGAIN;

	for (seconds = 2; ret && seconds < 100; seconds *= 2)
		ret = sleep_for(seconds);
	return ret;
}

/*
 * Do what hibernation does, except for what firmware does meanwhile, which QEMU's does
 * not: all CPUs but one go off, then devices, timekeeping and KVM stop.
 */
static inline int hibernate(void)
{
	int ret;

	put("/sys/module/suspend/parameters/pm_test_delay", "1");
	ret = put("/sys/power/pm_test", "core");
	if (!ret)
		ret = put("/sys/power/state", "disk");
	put("/sys/power/pm_test", "none");
	return ret;
}

/*
 * The tests' output goes to a port of QEMU's. Since Linux 7.3, a machine that has slept tells QEMU
 * of the port before it has room for the answer, that somebody listens, and QEMU drops that.
 * Whoever writes to the port waits for ever.
 */
#define SKIP_IF_IT_NEVER_WAKES_UP()					\
	do {								\
		if (is_since(7, 3))					\
			SKIP(return, "the kernel loses QEMU's ports");	\
	} while (0)

#endif /* HYP_SLEEP_H */
