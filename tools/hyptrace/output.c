// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that are written, and the standard output. If one can't be written, the program must not
 * end as if all were well: a script would take what is there for the whole.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

/**
 * temporary_dir() - a directory for large files that nobody wants to keep
 *
 * Return: what TMPDIR says, or else one that is not in memory, if there is one
 */
const char *temporary_dir(void)
{
	const char *dir = getenv("TMPDIR");

	if (dir && *dir)
		return dir;
	return access("/var/tmp", W_OK) ? P_tmpdir : "/var/tmp";
}

/**
 * unnamed_file() - make a file without a name
 * @dir:	the directory whose file system has it
 *
 * Return: a file descriptor, -1 with errno if it can't be made
 */
int unnamed_file(const char *dir)
{
	int fd = open(dir, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	char *name;

	/* Not all file systems have it. */
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	if (asprintf(&name, "%s/.hyptrace.XXXXXX", dir) < 0)
		err(1, "memory");
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

/* A file that this process has made. A program writes one. */
static struct {
	const char	*path;
	pid_t		maker;
} made;

/* A script would take an empty file for a result. Children have the same file, and leave it. */
static void remove_if_empty(void)
{
	struct stat status;

	if (made.path && made.maker == getpid() && !stat(made.path, &status) && !status.st_size)
		unlink(made.path);
}

/**
 * output_open() - open a file to write it later
 * @output:	the file, by its name
 *
 * Until output_begin(), an older file of that name keeps its content. A new file in which there is
 * nothing when the program ends is removed.
 */
void output_open(struct output *output)
{
	int fd;

	if (!output->path)
		return;
	fd = open(output->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0) {
		made.path = output->path;
		made.maker = getpid();
		atexit(remove_if_empty);
	} else {
		fd = open(output->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	}
	output->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!output->file)
		err(1, "%s", output->path);
}

/* Is it no pipe, and no device? */
static bool is_regular(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISREG(status.st_mode);
}

/**
 * output_begin() - begin to write a file that is open
 * @output:	the file
 */
void output_begin(struct output *output)
{
	const int fd = fileno(output->file);

	if (is_regular(fd) && ftruncate(fd, 0))
		err(1, "%s", output->path);
}

/* Make room for what a file is to have, or leave it as it is, with errno. */
static bool make_room(int fd, size_t size)
{
	struct stat status;
	int error;

	if (fstat(fd, &status))
		return false;
	/* In a file system that can't tell, posix_fallocate() would read the file, and write it. */
	if (!fallocate(fd, 0, 0, size) || errno == EOPNOTSUPP)
		return true;
	error = errno;
	if (ftruncate(fd, status.st_size))
		warn("ftruncate");
	errno = error;
	return false;
}

/**
 * output_write() - write all of a file that is open
 * @output:	the file; what it has had stays if its file system says that there is no room
 * @text:	what it is to have
 * @size:	its size [bytes], not 0
 */
void output_write(struct output *output, const char *text, size_t size)
{
	const int fd = fileno(output->file);
	const bool is_file = is_regular(fd);

	if (is_file && !make_room(fd, size))
		err(1, "%s", output->path);
	fwrite(text, 1, size, output->file);
	if (fflush(output->file) || (is_file && ftruncate(fd, size)))
		err(1, "%s", output->path);
}

/**
 * output_copy() - write all that another file has, from where it is
 * @to:		where to
 * @from:	the other file
 */
void output_copy(FILE *to, FILE *from)
{
	char bytes[1 << 12];
	size_t size;

	while ((size = fread(bytes, 1, sizeof(bytes), from)))
		fwrite(bytes, 1, size, to);
}

/* Has all been written? */
static bool is_closed(FILE *file)
{
	const bool failed = ferror(file);

	return !fclose(file) && !failed;
}

/**
 * output_close() - all of a file has been written
 * @output:	the file
 */
void output_close(struct output *output)
{
	if (!is_closed(output->file))
		err(1, "%s", output->path);
}

/**
 * output_finish() - the program has printed all
 */
void output_finish(void)
{
	if (!is_closed(stdout))
		err(1, "can't print all");
}
