// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of what every host does all the time, under QEMU's -icount in instructions: a system
 * call, and a switch to another task. Runs without hyp/, too: the difference between two kernels
 * is what tracing costs those who never trace.
 */
#include <err.h>
#include <linux/kvm.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "../hyp_trace.h"

#define ROUNDS	50
#define TIMES	100

/* The least time of a system call, in ROUNDS of TIMES [ns]. */
static double least(long call)
{
	uint64_t start, ns, best = UINT64_MAX;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		start = boot_ns();
		for (i = 0; i < TIMES; i++)
			syscall(call);
		ns = boot_ns() - start;
		if (ns < best)
			best = ns;
	}
	return (double)best / TIMES;
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Two tasks take turns: a call of one is a switch to the other, its call, and a switch back. */
static double switching(double call)
{
	struct sched_param first = { .sched_priority = 10 };
	pid_t pid;
	double ns;
	long n;

	if (run_on(0) || sched_setscheduler(0, SCHED_FIFO, &first))
		err(1, "real-time priority");
	pid = fork();
	while (!pid)
		sched_yield();

	n = switches();
	ns = least(SYS_sched_yield);
	n = switches() - n;
	kill(pid, SIGKILL);
	if (n < ROUNDS * TIMES)
		errx(1, "%ld switches in %d calls", n, ROUNDS * TIMES);
	return (ns - 2 * call) / 2;
}

int main(void)
{
	double call = least(SYS_getppid);

	/* There are preempt notifiers while there is a VM, and always in a kernel for tests. */
	if (ioctl(open("/dev/kvm", O_RDWR), KVM_CREATE_VM, 0) < 0)
		err(1, "no VM");

	printf("syscall %.2f\n", call);
	printf("task_switch %.2f\n", switching(call));
	return 0;
}
