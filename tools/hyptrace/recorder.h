/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process that records.
 */
#ifndef HYPTRACE_RECORDER_H
#define HYPTRACE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "choice.h"

/**
 * struct recorder - what is to be recorded
 * @choice:	the hypervisor's events, NULL for all, or for none but the entries and exits if
 *		@graph is not NULL
 * @host:	the host's systems and events, with commas; NULL for none
 * @graph:	functions whose calls are recorded, with commas, "" for all; NULL for none
 * @output:	the file to write, "-" for the standard output
 * @buffer_kb:	size of each CPU's buffers [KiB]
 * @max_size:	size of pages at which the recording ends; what is in buffers then is added [bytes]
 * @vm:		number of the only VM, 0 for all
 * @pid:	the only process or thread, 0 for all
 * @command:	the command that is recorded, NULL for none
 * @force:	take hyp/ even if it is in use
 * @allow_lost:	end well even if the recording is incomplete
 */
struct recorder {
	const struct choice	*choice;
	const char		*host, *graph, *output;
	long			buffer_kb;
	uint64_t		max_size;
	long			vm;
	pid_t			pid;
	char			**command;
	bool			force, allow_lost;
};

int record(const void *data, int front, int until);

#endif /* HYPTRACE_RECORDER_H */
