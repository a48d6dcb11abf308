// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures hyptrace top with a thousand VMs, each with a process of its own: the CPU time of a
 * refresh, under QEMU's -icount in instructions.
 */

#include <err.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "../guests/hyp_vm.h"
#include "../totals/hyp_totals.h"

enum { VMS = 1000, EXITS = 3, SECONDS = 20 };

static void run_vm(int done)
{
	struct vm vm = vm_create(store, sizeof(store));
	int i;

	for (i = 0; i < EXITS; i++)
		vm_run(&vm);
	close(done);
	for (;;)
		pause();
}

/* Start the VMs, and wait until each has run. */
static void start_vms(void)
{
	int done[2], i;
	pid_t pid;
	char byte;

	if (pipe(done))
		err(1, "pipe");
	for (i = 0; i < VMS; i++) {
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(done[0]);
		run_vm(done[1]);
	}
	close(done[1]);
	if (read(done[0], &byte, 1))
		errx(1, "the end of a pipe was expected");
}

static double seconds_of(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		err(1, "clock");
	return time.tv_sec + time.tv_nsec / 1e9;
}

/* Reads what top shows; true if there was anything in a second. */
static bool read_screen(int terminal, char *text, size_t size)
{
	struct pollfd event = { .fd = terminal, .events = POLLIN };
	ssize_t n;

	if (!poll(&event, 1, 1000))
		return false;
	n = read(terminal, text, size - 1);
	if (n <= 0)
		errx(1, "hyptrace top has ended");
	text[n] = '\0';
	return true;
}

static pid_t start_top(int *terminal)
{
	struct winsize size = { .ws_row = 40, .ws_col = 130 };
	pid_t pid = forkpty(terminal, NULL, NULL, &size);

	if (pid < 0)
		err(1, "forkpty");
	if (!pid) {
		execlp("hyptrace", "hyptrace", "top", "-d", "1", NULL);
		err(1, "hyptrace");
	}
	return pid;
}

/* The CPU time of top, for each refresh. They are a second and that time apart. */
static double cost_of(pid_t top, int terminal)
{
	double start, cpu, now;
	char text[1 << 12];
	clockid_t clock;

	/* The screen is there. */
	while (!read_screen(terminal, text, sizeof(text)) || !strstr(text, "hyp_top_bench"))
		;
	if (clock_getcpuclockid(top, &clock))
		errx(1, "clock of top");
	start = seconds_of(CLOCK_MONOTONIC);
	cpu = seconds_of(clock);
	do {
		read_screen(terminal, text, sizeof(text));
		now = seconds_of(CLOCK_MONOTONIC) - start;
	} while (now < SECONDS);
	cpu = seconds_of(clock) - cpu;
	return cpu / (now - cpu);
}

int main(void)
{
	struct totals t;
	size_t i, n = 0;
	int terminal;
	double cost;
	pid_t top;

	mkdir("/dev/pts", 0755);
	if (mount("devpts", "/dev/pts", "devpts", 0, NULL) && errno != EBUSY)
		err(1, "/dev/pts");
	if (!totals_on())
		errx(1, "no totals");
	start_vms();
	top = start_top(&terminal);
	cost = cost_of(top, terminal);
	kill(top, SIGTERM);

	t = totals_read();
	for (i = 0; i < t.n; i++)
		n += !strcmp(t.rows[i].kind, "guest");
	if (n < VMS)
		errx(1, "%zu VMs have run, not %d", n, VMS);
	printf("top_1000 %.1f\n", cost * 1000);
	return 0;
}
