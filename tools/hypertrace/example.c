// SPDX-License-Identifier: GPL-2.0-only
/*
 * hypertrace-example: two threads record events by libhypertrace.
 *
 * hypertrace-example [-n COUNT]
 */

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hypertrace.h"

#define NR_THREADS	2
#define MAX_ARGS	16

/* A program chooses the ids of its events. */
enum {
	EVENT_DISK_DONE	= 1,
	EVENT_TICK,
	EVENT_ARGS,
};

/**
 * struct worker - a thread, which has a handle of its own
 * @ht:		the handle
 * @thread:	the thread
 * @rounds:	how often it is to record each of its events
 * @recorded:	how many events it has recorded
 * @refused:	how many were more than the host's limit allows
 * @error:	what has gone wrong, or 0
 */
struct worker {
	struct hypertrace	ht;
	pthread_t		thread;
	unsigned long		rounds, recorded, refused;
	int			error;
};

/* Most programs ignore what the functions return: without a channel they just do nothing. */
static void note(struct worker *worker, int ret)
{
	if (!ret)
		worker->recorded++;
	else if (ret == -EAGAIN)
		worker->refused++;
	else
		worker->error = ret;
}

static void name_events(struct worker *worker)
{
	hypertrace_name(&worker->ht, EVENT_DISK_DONE, "disk_done sector addr:x");
	hypertrace_name(&worker->ht, EVENT_TICK, "tick");
	hypertrace_name(&worker->ht, EVENT_ARGS, "args");
}

static void record_round(struct worker *worker, unsigned long round)
{
	const struct hypertrace *ht = &worker->ht;
	uint64_t args[MAX_ARGS];
	unsigned int count;

	note(worker, hypertrace(ht, EVENT_TICK));
	note(worker, hypertrace(ht, EVENT_DISK_DONE, round * 8, (uintptr_t)worker));
	note(worker, hypertrace(ht, EVENT_ARGS, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
				15));
	for (count = 0; count <= MAX_ARGS; count++) {
		note(worker, hypertrace_emit(ht, EVENT_ARGS, args, count));
		if (count < MAX_ARGS)
			args[count] = round << 8 | count;
	}
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	unsigned long round;

	name_events(worker);
	hypertrace_mark(&worker->ht, "client %u begins", worker->ht.client);
	for (round = 0; round < worker->rounds && !worker->error; round++)
		record_round(worker, round);
	hypertrace_mark(&worker->ht, "client %u has recorded %lu events", worker->ht.client,
			worker->recorded);
	return NULL;
}

static const char *remedy(int error)
{
	switch (error) {
	case -EACCES:
	case -EPERM:
		return "run it as root, or let this user write to that file";
	case -ENOENT:
	case -ENODEV:
	case -ENXIO:
	case -EOPNOTSUPP:
		return "the host must allow it (there: echo 1 > "
		       "/sys/kernel/tracing/hyp/guests/PID-FD/enable), and the kernel of this "
		       "guest needs CONFIG_HYPERTRACE";
	default:
		return "is that the device of a kernel with CONFIG_HYPERTRACE?";
	}
}

static int report(const struct worker *worker)
{
	if (worker->error) {
		warnx("/dev/hypertrace: %s: %s", strerror(-worker->error), remedy(worker->error));
		return EXIT_FAILURE;
	}

	printf("hypertrace-example: client %u: %lu events\n", worker->ht.client, worker->recorded);
	if (worker->refused)
		warnx("client %u: %lu more were too many for the host's limit", worker->ht.client,
		      worker->refused);
	return EXIT_SUCCESS;
}

static unsigned long parse(int argc, char **argv)
{
	unsigned long rounds = 1;
	char *end;
	int option;

	while ((option = getopt(argc, argv, "n:")) != -1) {
		if (option != 'n')
			goto usage;
		rounds = strtoul(optarg, &end, 10);
		if (end == optarg || *end)
			goto usage;
	}
	if (optind == argc)
		return rounds;
usage:
	fprintf(stderr, "usage: hypertrace-example [-n COUNT]\n"
			"Two threads record 20 events each, COUNT times; once by default.\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct worker workers[NR_THREADS] = { 0 };
	unsigned long rounds = parse(argc, argv);
	int i, error;

	/* A client's number is its own until it is closed. */
	for (i = 0; i < NR_THREADS; i++) {
		workers[i].rounds = rounds;
		workers[i].error = hypertrace_init(&workers[i].ht);
	}

	for (i = 0; i < NR_THREADS; i++) {
		error = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
		if (error)
			errx(EXIT_FAILURE, "no thread: %s", strerror(error));
	}

	for (i = 0; i < NR_THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	for (i = 0; i < NR_THREADS; i++) {
		if (report(&workers[i]))
			return EXIT_FAILURE;
		hypertrace_close(&workers[i].ht);
	}

	return EXIT_SUCCESS;
}
