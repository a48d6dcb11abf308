// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that are read. libtracecmd and libtraceevent trust a trace.dat: a damaged one can make them
 * crash, and one that somebody has made for it, such as the root of a guest, do worse. So it is a
 * child process that reads, and root's has no privileges.
 */

#include <err.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "input.h"

/* Did somebody, or the end of a pipe, want the program to end? Then there is nothing to say. */
static bool is_wanted(int signal)
{
	return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGPIPE;
}

/* The parent has nothing to do but to tell how the child has ended. */
static _Noreturn void end_as(pid_t child, const struct input *input, int nr, bool ends_whole)
{
	const int status = ends_whole ? command_follow(child) : command_wait(child);
	const int signal = status - 128;

	if (signal <= 0 || is_wanted(signal))
		exit(status);
	if (signal == SIGKILL)
		errx(1, "%s: the process that reads was killed; is there memory enough?",
		     input->path);
	while (nr--)
		warnx("%s: is it damaged? Reading has crashed: %s", input++->path,
		      strsignal(signal));
	exit(1);
}

/* The user that has nothing: the kernel shows ids as this one that it can't show otherwise. */
#define NOBODY	65534

/* What is open stays open. */
static void give_up_root(void)
{
	if (geteuid())
		return;
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		err(1, "can't give up root's privileges: run it as another user");
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* libtracecmd can't read a pipe, so a file without a name gets what comes from one. */
static int copy_stdin(void)
{
	const int fd = unnamed_file(temporary_dir());
	FILE *copy = fd < 0 ? NULL : fdopen(dup(fd), "w");
	char part[1 << 16];
	size_t size;

	if (!copy)
		err(1, "%s: no file can be made there", temporary_dir());
	while ((size = fread(part, 1, sizeof(part), stdin)))
		if (fwrite(part, 1, size, copy) != size)
			break;
	if (ferror(stdin))
		err(1, "the standard input");
	if (ferror(copy) || fclose(copy))
		err(1, "%s: can't copy the standard input there", temporary_dir());
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/**
 * input_open() - open a file
 * @input:	the file, by its name; "-" is the standard input
 *
 * If it can't be opened, the program ends with the reason.
 */
void input_open(struct input *input)
{
	input->fd = strcmp(input->path, "-") ? open(input->path, O_RDONLY | O_CLOEXEC) :
					       copy_stdin();
	if (input->fd < 0)
		err(1, "%s", input->path);
}

/* The file that is written must not be one that is read. */
static void check_output(const struct input *input, int nr, const struct output *output)
{
	struct stat in, out;

	if (!output->file || fstat(fileno(output->file), &out) || !S_ISREG(out.st_mode))
		return;
	for (; nr--; input++)
		if (!fstat(input->fd, &in) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			errx(1, "%s: is what is read: write another file", input->path);
}

/**
 * read_in_child() - open files, and go on in a child process
 * @input:	the files, by their names; "-" is the standard input
 * @nr:		number of files
 * @output:	a file that is to be written; it is opened, too, if it has a name. May be NULL
 *
 * The program goes on in the child, without privileges: it can't open other files that only root
 * may. If the child crashes, the program ends with a message.
 */
void read_in_child(struct input *input, int nr, struct output *output)
{
	pid_t child;
	int i;

	for (i = 0; i < nr; i++)
		input_open(&input[i]);
	if (output) {
		output_open(output);
		check_output(input, nr, output);
		if (output->ends_whole)
			catch_interrupts_of_reading();
	}
	child = xfork();
	if (child)
		end_as(child, input, nr, output && output->ends_whole);
	give_up_root();
	/* After that: a change of the user turns it off. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/**
 * input_stream() - a stream to read a file
 * @input:	the file
 *
 * It shares the file's position with libtracecmd, which seeks before it reads.
 *
 * Return: the stream, for fclose()
 */
FILE *input_stream(const struct input *input)
{
	const int fd = dup(input->fd);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");

	if (!stream)
		err(1, "%s", input->path);
	return stream;
}
