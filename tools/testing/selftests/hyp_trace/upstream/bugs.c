// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shows bugs of Linux, in an instance of ftrace, for bugs.sh:
 *
 *   bugs mremap DIR	moves one of two mappings of the buffer; 0 if they are counted
 *   bugs splice DIR	splices trace_pipe to stdout
 */

#include <err.h>
#include <sys/mman.h>

#include "../hyp_trace.h"

static int takes_snapshot(const char *dir)
{
	return put(path_of("%s/snapshot", dir), "1") != -EBUSY;
}

/* No snapshot may be taken while the buffer is mapped. */
static int move_mapping(const char *dir)
{
	void *first, *second, *place = (void *)0x7000000000;
	const size_t size = page_size();
	int fd = open(path_of("%s/per_cpu/cpu0/trace_pipe_raw", dir), O_RDONLY);

	first = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	second = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (first == MAP_FAILED || second == MAP_FAILED ||
	    mremap(first, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) != place ||
	    takes_snapshot(dir))
		errx(2, "the buffer can't be mapped");
	munmap(place, size);
	return takes_snapshot(dir);
}

static int splice_text(const char *dir)
{
	int fd = open(path_of("%s/trace_pipe", dir), O_RDONLY | O_NONBLOCK);
	char text[1 << 16];
	int pipes[2];
	ssize_t n;

	if (fd < 0 || pipe(pipes))
		err(2, "%s", dir);
	while (splice(fd, NULL, pipes[1], NULL, sizeof(text), SPLICE_F_NONBLOCK) > 0) {
		n = read(pipes[0], text, sizeof(text));
		if (n < 0 || write(1, text, n) != n)
			err(2, "a pipe");
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "mremap"))
		return move_mapping(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "splice"))
		return splice_text(argv[2]);
	errx(2, "usage: bugs mremap|splice DIR");
}
