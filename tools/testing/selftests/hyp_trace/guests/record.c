// SPDX-License-Identifier: GPL-2.0-only
/*
 * Appends what an instance of ftrace records to files, one for each CPU: the pages of
 * trace_pipe_raw, unchanged. On SIGTERM it copies the remaining events and ends.
 *
 * usage: record INSTANCE PREFIX
 * INSTANCE is a directory; the files are PREFIX.cpu0, PREFIX.cpu1 ...
 */

#include <err.h>
#include <poll.h>
#include <signal.h>

#include "../hyp_trace.h"

#define MAX_CPUS	64

static struct pollfd in[MAX_CPUS];
static int out[MAX_CPUS];

static void on_term(int sig)
{
}

static int open_cpu(const char *fmt, const char *base, int cpu, int flags)
{
	char path[256];

	snprintf(path, sizeof(path), fmt, base, cpu);
	return open(path, flags, 0600);
}

/* Copy all unread events, without waiting. */
static void drain(int cpu)
{
	const ssize_t size = page_size();
	char page[size];
	ssize_t n;

	while ((n = read(in[cpu].fd, page, size)) == size)
		if (write(out[cpu], page, size) != size)
			err(1, "writing what CPU %d recorded", cpu);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		err(1, "trace_pipe_raw of CPU %d", cpu);
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_term };
	sigset_t term, none;
	int cpus, cpu, ready;

	if (argc != 3)
		errx(2, "usage: record INSTANCE PREFIX");
	for (cpus = 0; cpus < MAX_CPUS; cpus++) {
		in[cpus].events = POLLIN;
		in[cpus].fd = open_cpu("%s/per_cpu/cpu%d/trace_pipe_raw", argv[1], cpus,
				       O_RDONLY | O_NONBLOCK);
		if (in[cpus].fd < 0)
			break;
		out[cpus] = open_cpu("%s.cpu%d", argv[2], cpus,
				     O_WRONLY | O_CREAT | O_APPEND);
		if (out[cpus] < 0)
			err(1, "%s.cpu%d", argv[2], cpus);
	}
	if (!cpus)
		err(1, "%s", argv[1]);

	/* The signal is unblocked only while waiting, so that it ends the wait. */
	sigemptyset(&none);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	sigaction(SIGTERM, &action, NULL);
	do {
		ready = ppoll(in, cpus, NULL, &none);
		if (ready < 0 && errno != EINTR)
			err(1, "ppoll");
		for (cpu = 0; cpu < cpus; cpu++)
			drain(cpu);
	} while (ready >= 0);
	return 0;
}
