/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread that waits for events, and irq_work interrupts that do not come from the
 * hypervisor, for tests of wake-ups.
 */
#ifndef HYP_WAITER_H
#define HYP_WAITER_H

#include <poll.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "hyp_suite.h"

/* The ways in which a waiter waits. */
enum way { READ_TEXT, READ_CPU_TEXT, READ_RAW, POLL_TEXT, POLL_RAW, WAYS };

static const char * const way_file[WAYS] = {
	[READ_TEXT]	= HYP "trace_pipe",
	[READ_CPU_TEXT]	= HYP "per_cpu/cpu%d/trace_pipe",
	[READ_RAW]	= HYP "per_cpu/cpu%d/trace_pipe_raw",
	[POLL_TEXT]	= HYP "trace_pipe",
	[POLL_RAW]	= HYP "per_cpu/cpu%d/trace_pipe_raw",
};

/* A thread that waits until there is an event. */
struct waiter {
	pthread_t	thread;
	pid_t		tid;
	int		fd;
	enum way	how;
	bool		woken;
	ssize_t		got;
	uint8_t		buf[MAX_PAGE];
};

static inline void *wait_for_events(void *arg)
{
	struct waiter *w = arg;
	struct pollfd pfd = { .fd = w->fd, .events = POLLIN };

	__atomic_store_n(&w->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	if (w->how >= POLL_TEXT && poll(&pfd, 1, TIMEOUT_MS) != 1)
		return NULL;
	w->got = read(w->fd, w->buf, page_size());
	__atomic_store_n(&w->woken, true, __ATOMIC_RELEASE);
	return NULL;
}

static inline bool is_woken(struct waiter *w)
{
	return __atomic_load_n(&w->woken, __ATOMIC_ACQUIRE);
}

static inline bool waits(struct waiter *w)
{
	pid_t tid = __atomic_load_n(&w->tid, __ATOMIC_ACQUIRE);

	return tid && is_sleeping(tid);
}

/*
 * Returns once the waiter has slept; false if it does not, as there are events. It may have been
 * woken for nothing meanwhile, and look.
 */
static inline bool waiter_start(struct waiter *w, enum way how, int cpu)
{
	int tries = TIMEOUT_MS;
	bool slept;

	*w = (struct waiter) { .how = how };
	w->fd = open(path_of(way_file[how], cpu), O_RDONLY);
	if (w->fd < 0)
		return false;
	pthread_create(&w->thread, NULL, wait_for_events, w);
	while (!(slept = waits(w)) && !is_woken(w) && tries--)
		usleep(1000);
	return slept;
}

/* Wait until the waiter has been woken; false if it got nothing. */
static inline bool waiter_end(struct waiter *w)
{
	pthread_join(w->thread, NULL);
	close(w->fd);
	return is_woken(w) && w->got > 0;
}

/* Sleep for more than a tick, so that an alarm is set if one is needed. */
static inline void let_a_tick_pass(void)
{
	usleep(20000);
}

/* irq_work interrupts that CPU 0 has taken. */
static inline long irq_works(void)
{
	return get_num("/proc/interrupts", "IPI5:");
}

/* Reads events of FOO as they come; the host wakes this reader by irq_work for each. */
static inline void *host_reader(void *arg)
{
	char buf[4096] = { };
	int fd = *(int *)arg;

	while (read(fd, buf, sizeof(buf) - 1) > 0 && !strstr(buf, "id=0"))
		memset(buf, 0, sizeof(buf));
	return NULL;
}

/*
 * Make CPU 0, which must be the caller's CPU, take at least @n irq_work interrupts that do
 * not come from the hypervisor.
 */
static inline bool others_ring(int n)
{
	long before = irq_works();
	int fd, i, tries = TIMEOUT_MS;
	pthread_t reader;

	fd = open(FOO "trace_pipe", O_RDONLY);
	if (fd < 0)
		return false;
	pthread_create(&reader, NULL, host_reader, &fd);
	for (i = 1; irq_works() < before + n && i < tries; i++) {
		put_num(HYP "write_host_event", i);
		usleep(1000);
	}
	put(HYP "write_host_event", "0");
	pthread_join(reader, NULL);
	close(fd);
	return i < tries;
}

#endif /* HYP_WAITER_H */
