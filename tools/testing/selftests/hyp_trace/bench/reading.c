// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads all events of a recording's two buffers, and does nothing with them: what libtracecmd alone
 * costs. Prints their number.
 *
 * usage: reading FILE
 */

#include <err.h>
#include <stdio.h>
#include <trace-cmd.h>

static int count(struct tracecmd_input *handle, struct tep_record *record, int cpu, void *data)
{
	++*(unsigned long *)data;
	return 0;
}

int main(int argc, char **argv)
{
	struct tracecmd_input *handles[2];
	unsigned long n = 0;

	if (argc != 2)
		errx(2, "usage: reading FILE");
	handles[0] = tracecmd_open(argv[1], TRACECMD_FL_LOAD_NO_PLUGINS);
	handles[1] = handles[0] ? tracecmd_buffer_instance_handle(handles[0], 0) : NULL;
	if (!handles[1])
		errx(1, "%s: can't be read", argv[1]);
	if (tracecmd_iterate_events_multi(handles, 2, count, &n) < 0)
		errx(1, "%s: can't be read to its end", argv[1]);
	printf("%lu\n", n);
	return 0;
}
