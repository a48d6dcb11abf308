// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that is killed can't turn off what it has turned on. So another process does.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "command.h"
#include "hyp.h"
#include "keeper.h"

/* The files to write at the end, the last one first. */
static struct {
	const char	*file, *value;
} kept[8];

static size_t nr_kept;

/* The process that writes it, and the pipe that it reads. */
static pid_t keeper;
static int keepers_pipe;

/**
 * keeper_add() - have a file written when this program ends
 * @file:	a file of hyp/
 * @value:	what is written to it
 *
 * Both must stay. To be called before keeper_start(), unless the file has been added already.
 */
void keeper_add(const char *file, const char *value)
{
	size_t i;

	for (i = 0; i < nr_kept; i++)
		if (!strcmp(kept[i].file, file))
			return;
	if (keeper || nr_kept == sizeof(kept) / sizeof(kept[0]))
		errx(1, "too late to keep %s", file);
	kept[nr_kept].file = file;
	kept[nr_kept++].value = value;
}

static void write_kept(void)
{
	size_t i;

	for (i = nr_kept; i > 0; i--)
		if (tracefs_instance_file_write(hyp_open(), kept[i - 1].file,
						kept[i - 1].value) < 0)
			warn(HYP_INSTANCE "/%s", kept[i - 1].file);
}

/* All that has the other end of the pipe is this program: its end is the end of the pipe. */
static _Noreturn void keep(const int pipe[2])
{
	char nothing;

	close(pipe[1]);
	setsid();
	prctl(PR_SET_NAME, "hyptrace-off");
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	while (read(pipe[0], &nothing, 1) < 0 && errno == EINTR)
		;
	write_kept();
	_exit(0);
}

static void end_keeper(void)
{
	close(keepers_pipe);
	/* It may have been killed. */
	if (command_wait(keeper))
		write_kept();
}

/* From now on, what has been added is written when this program ends. */
void keeper_start(void)
{
	int ends[2];

	if (keeper)
		return;
	if (pipe2(ends, O_CLOEXEC))
		err(1, "pipe");
	keeper = xfork();
	if (!keeper)
		keep(ends);
	close(ends[0]);
	keepers_pipe = ends[1];
	atexit(end_keeper);
}
