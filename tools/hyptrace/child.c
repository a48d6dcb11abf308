// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that has taken hyp/, and the front, which waits for the user's command or Ctrl-C. The
 * process ends when the front closes a pipe, even by being killed.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "child.h"
#include "command.h"
#include "hyp.h"
#include "instances.h"

/* Nothing but the end of the front may end it: what it has taken must be given back. */
static _Noreturn void be_child(child_work *work, const void *data, int front, int until)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ };
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_IGN);
	prctl(PR_SET_NAME, "hyptrace-rec");
	exit(work(data, front, until));
}

/* Has the child told something? To be called until it has told all, or has ended. */
static bool child_tells(const struct child *child)
{
	ssize_t size;
	char nothing;

	do {
		size = read(child->told, &nothing, 1);
	} while (size < 0 && errno == EINTR);
	return size == 1;
}

/* It was killed. What it had not given back by then, is given back here. */
static _Noreturn void clean_up(const struct child *child)
{
	if (!child_tells(child)) {
		hyp_lock();
		settings_restore(child->before);
		instances_remove_dead();
	}
	errx(1, "the process that had taken " HYP_INSTANCE "/ was killed");
}

static void child_wait(struct child *child)
{
	child->status = command_wait(child->pid);
	child->pid = 0;
	if (child->status > 128)
		clean_up(child);
}

/**
 * child_start() - start the process, and wait until it has begun
 * @work:	what it does; it calls child_tell() when it has begun, and when all is given back
 * @data:	for @work
 *
 * If it can't begin, it has said why, and has ended.
 *
 * Return: the process, for child_run()
 */
struct child child_start(child_work *work, const void *data)
{
	struct child child = { .before = settings_read() };
	int told[2], end[2];

	if (pipe2(told, O_CLOEXEC) || pipe2(end, O_CLOEXEC))
		err(1, "pipe");
	child.end = end[1];
	child.told = told[0];
	child.pid = xfork();
	if (!child.pid) {
		close(told[0]);
		close(end[1]);
		be_child(work, data, told[1], end[0]);
	}
	close(told[1]);
	close(end[0]);
	if (!child_tells(&child))
		child_wait(&child);
	return child;
}

/**
 * child_tell() - tell the front that the process has begun, or that it has given all back
 * @front:	the pipe to it
 */
void child_tell(int front)
{
	/* It may have been killed: then the process will end. */
	if (write(front, "", 1) != 1 && errno != EPIPE)
		err(1, "pipe");
}

static void child_end(struct child *child)
{
	close(child->end);
	if (child->pid)
		child_wait(child);
}

/* Wait for some time; true if the recording should end. */
static bool wait_a_second(pid_t command, double end)
{
	if (command) {
		if (command_ends(command, 1))
			return true;
		command_forward(command);
		return false;
	}
	wait_seconds(end - now_seconds() < 1 ? end - now_seconds() : 1);
	return interrupted || now_seconds() >= end;
}

/* Wait for the command, for some seconds, or for Ctrl-C. A command goes on if nothing records. */
static void wait_for_end(struct measurement *m, struct child *child)
{
	const double end = now_seconds() + (m->seconds ?: 1e9);
	pid_t command = m->argv ? command_start(m->argv) : 0;

	do {
		if (child->pid && command_ends(child->pid, 0))
			child_wait(child);
	} while ((child->pid || command) && !wait_a_second(command, end));
	if (command)
		m->status = command_wait(command);
}

/**
 * child_run() - wait for the command, for some seconds, or for Ctrl-C; then end the process
 * @child:	the process
 * @m:		says what to wait for; gets the command's exit status, or that of the process
 */
void child_run(struct child *child, struct measurement *m)
{
	if (child->pid && interrupted)
		m->status = 128 + interrupted;
	else if (child->pid)
		wait_for_end(m, child);
	child_end(child);
	m->status = m->status ?: child->status;
}
