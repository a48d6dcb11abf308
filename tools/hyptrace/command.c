// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands, and waiting for them.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

/* The signal that wants this program to end, 0 until then. */
volatile sig_atomic_t interrupted;

/* It is the terminal's, which sends it to the user's command, too. */
static volatile sig_atomic_t is_terminals;

static void interrupt(int signal, siginfo_t *info, void *context)
{
	interrupted = signal;
	is_terminals = info->si_code == SI_KERNEL;
}

static void catch(int signal, int flags)
{
	const struct sigaction action = {
		.sa_sigaction = interrupt, .sa_flags = SA_SIGINFO | flags };
	struct sigaction before;

	/* What nohup lets a program ignore, stays ignored. */
	sigaction(signal, NULL, &before);
	if (signal != SIGHUP || before.sa_handler != SIG_IGN)
		sigaction(signal, &action, NULL);
}

static void catch_all(int flags)
{
	catch(SIGINT, flags);
	catch(SIGTERM, flags);
	catch(SIGHUP, flags);
}

/**
 * catch_interrupts() - let signals end the measurement, not this program
 *
 * The program must be able to turn off what it has turned on. A shell lets what it starts in the
 * background of a script ignore SIGINT; who sends that nevertheless, means it.
 */
void catch_interrupts(void)
{
	catch_all(0);
}

/**
 * catch_interrupts_of_reading() - let signals end the reading of a file, not this program
 *
 * The code that reads must look at @interrupted. A write that waits goes on.
 */
void catch_interrupts_of_reading(void)
{
	catch_all(SA_RESTART);
}

/**
 * command_forward() - tell a command that this program should end
 * @pid:	its process
 *
 * The command gets the terminal's signals by itself; others come to this program alone.
 */
void command_forward(pid_t pid)
{
	if (interrupted && !is_terminals)
		kill(pid, interrupted);
}

static _Noreturn void run(char **argv)
{
	execvp(argv[0], argv);
	warn("%s", argv[0]);
	_exit(127);
}

/**
 * xfork() - start a process, or end the program
 *
 * Return: as fork()
 */
pid_t xfork(void)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	return pid;
}

/**
 * command_follow() - wait for a process, and tell it if this program should end
 * @pid:	the process
 *
 * Return: its exit status, as from command_wait()
 */
int command_follow(pid_t pid)
{
	while (!command_ends(pid, 1))
		command_forward(pid);
	return command_wait(pid);
}

/**
 * command_run() - run the user's command, unless this program should end already
 * @argv:	the command and its arguments, with NULL at the end
 *
 * Return: its exit status, as from command_wait()
 */
int command_run(char **argv)
{
	if (interrupted)
		return 128 + interrupted;
	return command_follow(command_start(argv));
}

/**
 * command_start() - start the user's command
 * @argv:	the command and its arguments, with NULL at the end
 *
 * Return: the process. If the command can't be run, the process ends with status 127.
 */
pid_t command_start(char **argv)
{
	pid_t pid = xfork();

	if (!pid)
		run(argv);
	return pid;
}

/**
 * filter_start() - start a command that makes something of what this program writes
 * @argv:	the command and its arguments, with NULL at the end
 * @to:		gets the stream that the command reads
 * @from:	gets the stream that the command writes
 *
 * Return: the process
 */
pid_t filter_start(char **argv, FILE **to, FILE **from)
{
	int in[2], out[2];
	pid_t pid;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		err(1, "pipe");
	pid = xfork();
	if (!pid) {
		if (dup2(in[0], STDIN_FILENO) < 0 || dup2(out[1], STDOUT_FILENO) < 0)
			_exit(127);
		run(argv);
	}
	close(in[0]);
	close(out[1]);
	*to = fdopen(in[1], "w");
	*from = fdopen(out[0], "r");
	if (!*to || !*from)
		err(1, "%s", argv[0]);
	return pid;
}

/**
 * command_ends() - wait some time for a command's end, until a signal at the latest
 * @pid:	its process
 * @seconds:	how long
 *
 * Return: true if it has ended; command_wait() must still be called
 */
bool command_ends(pid_t pid, double seconds)
{
	struct pollfd process = { .fd = pidfd_open(pid, 0), .events = POLLIN };
	bool ends;

	if (process.fd < 0)
		err(1, "pidfd_open");
	ends = poll(&process, 1, seconds * 1000) > 0;
	close(process.fd);
	return ends;
}

/**
 * command_wait() - wait until a command ends
 * @pid:	its process
 *
 * Return: its exit status; as in a shell, 128 and the signal that has ended it
 */
int command_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			err(1, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/**
 * wait_seconds() - wait, until a signal at the latest
 * @seconds:	how long
 */
void wait_seconds(double seconds)
{
	const double end = now_seconds() + seconds;
	struct timespec rest;
	double left;

	while (!interrupted && (left = end - now_seconds()) > 0) {
		rest.tv_sec = left;
		rest.tv_nsec = (left - rest.tv_sec) * 1e9;
		nanosleep(&rest, NULL);
	}
}

/**
 * now_seconds() - the time on a clock that nobody sets
 *
 * Return: the time [s]
 */
double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}
