// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads hyp/totals. Its numbers only grow, so whoever wants those of some time takes the
 * difference, and disturbs nobody else.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "command.h"
#include "hyp.h"
#include "totals.h"

static char *file_read(const char *file)
{
	char *text = tracefs_instance_file_read(hyp_open(), file, NULL);

	if (!text)
		err(1, HYP_INSTANCE "/%s: this kernel keeps no totals, or out of memory", file);
	return text;
}

/* "32:5 64:7 inf:1" */
static bool parse_histogram(struct row *row, char *text)
{
	uint64_t count, sum = 0;
	char bound[24], *bucket;
	int i;

	while ((bucket = strsep(&text, " "))) {
		if (sscanf(bucket, "%23[^:]:%" SCNu64, bound, &count) != 2)
			return false;
		i = bucket_of_bound(bound);
		if (i < 0)
			return false;
		row->bucket[i] = count;
		sum += count;
	}
	return sum == row->count;
}

static bool parse_row(struct table *table, char *line)
{
	char kind[16], reason[REASON_SIZE];
	unsigned int vm, vcpu;
	struct row *row;
	int at = 0;

	if (sscanf(line, "%u\t%u\t%15s\t%63s\t%n", &vm, &vcpu, kind, reason, &at) != 4 || !at ||
	    kind_of(kind) == NR_KINDS)
		return false;
	row = table_row(table, vm, vcpu, kind_of(kind), reason);
	line += at;
	at = 0;
	return sscanf(line, "%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%n", &row->count,
		      &row->total, &row->min, &row->max, &at) == 4 && at &&
	       parse_histogram(row, line + at);
}

/* "1\t59\tgone\t59,60": numbers, pids, states and the threads of the vCPUs */
static bool parse_vm(struct table *table, char *line)
{
	unsigned int number, vcpu = 0;
	int pid, at = 0;
	char state[8], *tid;
	struct vm *vm;

	if (sscanf(line, "%u\t%d\t%7s\t%n", &number, &pid, state, &at) != 3 || !at)
		return false;
	vm = table_vm(table, number);
	vm->pid = pid;
	vm->is_gone = !strcmp(state, "gone");
	line += at;
	while (line && *line) {
		tid = strsep(&line, ",");
		vm_set_tid(vm, vcpu++, atoi(tid));
	}
	return true;
}

/* Read a file of lines, the first of which names the columns. */
static void read_lines(const char *file, struct table *table,
		       bool (*parse)(struct table *table, char *line))
{
	char *text = file_read(file), *rest = text, *line;

	strsep(&rest, "\n");
	while ((line = strsep(&rest, "\n")) && *line)
		if (!parse(table, line))
			errx(1, HYP_INSTANCE "/%s: can't be understood: %s", file, line);
	free(text);
}

/**
 * totals_read() - read the totals
 *
 * Return: the table
 */
struct table *totals_read(void)
{
	struct table *table = table_new();

	table->has_bounds = true;
	read_lines("totals/table", table, parse_row);
	read_lines("totals/vms", table, parse_vm);
	return table;
}

/**
 * totals_are_on() - does the hypervisor keep totals?
 *
 * Return: true if it does
 */
bool totals_are_on(void)
{
	char *text = file_read("totals/enable");
	bool on = atoi(text);

	free(text);
	return on;
}

static void turn_off(void)
{
	if (tracefs_instance_file_write(hyp_open(), "totals/enable", "0") < 0)
		warn(HYP_INSTANCE "/totals/enable");
}

/* The process that turns totals off, and the pipe that it reads. */
static pid_t keeper;
static int keepers_pipe;

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
	if (totals_are_on())
		turn_off();
	_exit(0);
}

static void end_keeper(void)
{
	close(keepers_pipe);
	/* It may have been killed. */
	if (command_wait(keeper))
		turn_off();
}

/* A program that is killed can't turn off what it has turned on. So another process does. */
static void start_keeper(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		err(1, "pipe");
	keeper = xfork();
	if (!keeper)
		keep(ends);
	close(ends[0]);
	keepers_pipe = ends[1];
	atexit(end_keeper);
}

/**
 * totals_start() - let the hypervisor keep totals until this program ends
 *
 * If it keeps them already, it goes on afterwards. If it can't, the program ends with the reason.
 */
void totals_start(void)
{
	if (totals_are_on())
		return;
	if (!keeper)
		start_keeper();
	if (tracefs_instance_file_write(hyp_open(), "totals/enable", "1") > 0)
		return;
	if (errno == EPERM)
		errx(1, "tracing is locked until the next boot: boot with kvm-arm.hyp_trace=on");
	if (errno == ENOMEM)
		errx(1, "no memory for the totals");
	err(1, HYP_INSTANCE "/totals/enable");
}
