/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that has taken hyp/. It gives it back even if the front, the user's process, is killed;
 * and if it is killed itself, the front does.
 */
#ifndef HYPTRACE_CHILD_H
#define HYPTRACE_CHILD_H

#include <sys/types.h>

#include "measure.h"
#include "settings.h"

/**
 * struct child - the process that has taken hyp/
 * @pid:	the process, 0 if it has ended
 * @end:	it ends when this is closed
 * @told:	it writes a byte when it has begun, and another one when it has given all back
 * @status:	its exit status, if it has ended
 * @before:	what was set in hyp/ before
 */
struct child {
	pid_t		pid;
	int		end, told, status;
	struct settings	*before;
};

/**
 * typedef child_work - what the process does
 * @data:	what child_start() was given
 * @front:	for child_tell()
 * @until:	it should end when the other end of this pipe is closed
 *
 * Return: its exit status
 */
typedef int child_work(const void *data, int front, int until);

struct child child_start(child_work *work, const void *data);
void child_tell(int front);
void child_run(struct child *child, struct measurement *measurement);

#endif /* HYPTRACE_CHILD_H */
