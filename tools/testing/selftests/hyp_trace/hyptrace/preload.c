// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loaded before libtracecmd: when hyptrace opens a recording, it crashes, like libtracecmd on a
 * damaged file.
 */

#include <signal.h>
#include <stdio.h>
#include <trace-cmd.h>

struct tracecmd_input *tracecmd_open_fd(int fd, int flags)
{
	raise(SIGSEGV);
	return NULL;
}
