// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes the pages of instances' buffers. A thread for each CPU of each buffer waits until the
 * buffer is as full as its buffer_percent says, and moves its pages into a file; what is in pages
 * that are not full comes at the end.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <kbuffer.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "basics.h"
#include "output.h"
#include "pages.h"

/* Takes the pages of a CPU of an instance, in a thread. */
struct taker {
	struct pages		*pages;
	size_t			buffer;
	int			cpu;
	int			raw;		/* its trace_pipe_raw */
	struct tracefs_cpu	*reader;
	int			file;
	atomic_ullong		size;
	pthread_t		thread;
};

/**
 * struct pages - the pages of several instances
 * @dir:	where their files are, which have no names
 * @taker:	one for each CPU of each instance
 * @nr:		their number
 * @nr_buffers:	the number of instances
 * @nr_threads:	the number of threads, which are those of the first buffers
 * @stop:	can be read when threads are to end
 * @end:	can be read when the recording is to end
 * @size:	of all pages [bytes]
 * @max_size:	at which the recording is to end [bytes]
 * @error:	why pages can't be taken, 0 if they can
 */
struct pages {
	const char		*dir;
	struct taker		**taker;
	size_t			nr, nr_buffers, nr_threads;
	int			stop, end;
	atomic_ullong		size;
	uint64_t		max_size;
	atomic_int		error;
};

static int event_new(void)
{
	const int event = eventfd(0, EFD_CLOEXEC);

	if (event < 0)
		err(1, "eventfd");
	return event;
}

static void event_signal(int event)
{
	eventfd_write(event, 1);
}

/**
 * pages_new() - take no pages yet
 * @dir:	a directory for files of pages; must stay
 *
 * Return: the pages, until the program ends
 */
struct pages *pages_new(const char *dir)
{
	struct pages *pages = xzalloc(sizeof(*pages));

	pages->dir = dir;
	pages->stop = event_new();
	pages->end = event_new();
	return pages;
}

/* pages_close() closes what this has opened, also if it can't open the rest. */
static void add_taker(struct pages *pages, struct tracefs_instance *instance, int cpu)
{
	struct taker *taker = xzalloc(sizeof(*taker));
	char path[64];

	*taker = (struct taker) {
		.pages = pages, .buffer = pages->nr_buffers, .cpu = cpu, .raw = -1,
	};
	pages->taker = xrealloc(pages->taker, pages->nr + 1, sizeof(*pages->taker));
	pages->taker[pages->nr++] = taker;
	taker->file = unnamed_file(pages->dir);
	if (taker->file < 0)
		err(1, "%s: no file can be made there", pages->dir);
	snprintf(path, sizeof(path), "per_cpu/cpu%d/trace_pipe_raw", cpu);
	taker->raw = tracefs_instance_file_open(instance, path,
						O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (taker->raw < 0)
		err(1, "%s", path);
	/* libtracefs would wait by select(), which can't have many files. */
	taker->reader = tracefs_cpu_alloc_fd(taker->raw, getpagesize(), true);
	if (!taker->reader)
		err(1, "%s", path);
}

/**
 * pages_add() - take an instance's pages, too
 * @pages:	the pages, before pages_start()
 * @instance:	the instance
 *
 * Return: the number of its buffer, from 0
 */
size_t pages_add(struct pages *pages, struct tracefs_instance *instance)
{
	int cpu;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		add_taker(pages, instance, cpu);
	return pages->nr_buffers++;
}

/* Taking ---------------------------------------------------------------------------- */

static void add_size(struct taker *taker, uint64_t size)
{
	struct pages *pages = taker->pages;

	atomic_fetch_add(&taker->size, size);
	if (atomic_fetch_add(&pages->size, size) + size >= pages->max_size)
		event_signal(pages->end);
}

static void fail(struct taker *taker)
{
	if (errno == EAGAIN || errno == EINTR)
		return;
	taker->pages->error = errno;
	event_signal(taker->pages->end);
}

/* Take what is there. False if there was nothing. */
static bool take_full_pages(struct taker *taker)
{
	bool some = false;
	int size;

	for (;;) {
		errno = EAGAIN;
		size = tracefs_cpu_write(taker->reader, taker->file, true);
		if (size < 0)
			fail(taker);
		if (size <= 0)
			break;
		some = true;
		add_size(taker, size);
	}
	return some;
}

/* The rest is less than what a splice() takes. */
static void take_rest(struct taker *taker)
{
	int size;

	for (;;) {
		errno = EAGAIN;
		size = tracefs_cpu_flush_write(taker->reader, taker->file);
		if (size < 0)
			fail(taker);
		if (size <= 0)
			return;
		add_size(taker, size);
	}
}

/* If there is something to take, but no full page, it is too early. */
#define TOO_EARLY_NS	10000000

static void *take(void *data)
{
	const struct timespec too_early = { .tv_nsec = TOO_EARLY_NS };
	struct taker *taker = data;
	struct pollfd files[] = {
		{ .fd = taker->pages->stop, .events = POLLIN },
		{ .fd = taker->raw, .events = POLLIN },
	};

	for (;;) {
		if (poll(files, 2, -1) < 0)
			continue;
		if (files[0].revents)
			break;
		if (!take_full_pages(taker))
			nanosleep(&too_early, NULL);
	}
	take_full_pages(taker);
	take_rest(taker);
	return NULL;
}

/**
 * pages_start() - begin to take pages
 * @pages:	the pages
 * @max_size:	the recording is to end when this has been taken [bytes]
 */
void pages_start(struct pages *pages, uint64_t max_size)
{
	sigset_t all, before;
	size_t i;
	int error;

	pages->max_size = max_size;
	/* Signals are for the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (i = 0; i < pages->nr; i++) {
		error = pthread_create(&pages->taker[i]->thread, NULL, take, pages->taker[i]);
		if (error)
			errx(1, "a thread for each CPU: %s", strerror(error));
		pages->nr_threads++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/**
 * pages_end() - what to poll for
 * @pages:	the pages
 *
 * Return: a file that can be read when the recording is to end: there are enough pages, or they
 *	   can't be taken
 */
int pages_end(const struct pages *pages)
{
	return pages->end;
}

/**
 * pages_size() - how much has been taken
 * @pages:	the pages
 *
 * Return: the size [bytes]
 */
uint64_t pages_size(const struct pages *pages)
{
	return pages->size;
}

/**
 * pages_are_full() - has as much been taken as may be?
 * @pages:	the pages
 *
 * Return: true if so
 */
bool pages_are_full(const struct pages *pages)
{
	return pages->size >= pages->max_size;
}

/**
 * pages_stop() - take what is left, and no more
 * @pages:	the pages, before or after pages_start(); nothing is recorded any more
 */
void pages_stop(struct pages *pages)
{
	event_signal(pages->stop);
	while (pages->nr_threads)
		pthread_join(pages->taker[--pages->nr_threads]->thread, NULL);
}

/**
 * pages_close() - let go of the buffers, after pages_stop()
 * @pages:	the pages
 */
void pages_close(struct pages *pages)
{
	struct taker *taker;
	size_t i;

	for (i = 0; i < pages->nr; i++) {
		taker = pages->taker[i];
		if (taker->reader)
			tracefs_cpu_free_fd(taker->reader);
		taker->reader = NULL;
		if (taker->raw >= 0)
			close(taker->raw);
		taker->raw = -1;
	}
}

/**
 * pages_check() - end the program with the reason if pages could not be taken
 * @pages:	the pages, after pages_stop()
 */
void pages_check(const struct pages *pages)
{
	if (pages->error)
		errx(1, "%s: can't write what was recorded: %s", pages->dir,
		     strerror(pages->error));
}

/* Pages that were taken ------------------------------------------------------------- */

/* The buffers have the same CPUs, and one comes after the other. */
static const struct taker *taker_of(const struct pages *pages, size_t buffer, size_t index)
{
	return pages->taker[buffer * pages_cpus(pages) + index];
}

/**
 * pages_cpus() - the number of each buffer's CPUs
 * @pages:	the pages
 *
 * Return: the number
 */
size_t pages_cpus(const struct pages *pages)
{
	return pages->nr / pages->nr_buffers;
}

/**
 * pages_of() - what was taken of a CPU
 * @pages:	the pages, after pages_stop()
 * @buffer:	the buffer's number
 * @index:	index of the CPU
 *
 * Return: the pages
 */
struct cpu_pages pages_of(const struct pages *pages, size_t buffer, size_t index)
{
	const struct taker *taker = taker_of(pages, buffer, index);

	return (struct cpu_pages) {
		.cpu = taker->cpu, .file = taker->file, .size = taker->size,
	};
}

static void count_page(struct kbuffer *kbuffer, void *page, struct page_counts *counts)
{
	unsigned long long time;
	int lost;

	if (kbuffer_load_subbuffer(kbuffer, page))
		return;
	lost = kbuffer_missed_events(kbuffer);
	/* Without a number, it is one at least. */
	counts->lost += lost < 0 ? 1 : lost;
	while (kbuffer_read_event(kbuffer, &time)) {
		counts->events++;
		if (time > counts->last)
			counts->last = time;
		kbuffer_next_event(kbuffer, NULL);
	}
}

static void count_cpu(struct kbuffer *kbuffer, struct cpu_pages cpu, struct page_counts *counts)
{
	const int page_size = getpagesize();
	char *map;
	off_t at;

	if (cpu.size < page_size)
		return;
	map = mmap(NULL, cpu.size, PROT_READ, MAP_PRIVATE, cpu.file, 0);
	if (map == MAP_FAILED)
		err(1, "the file of CPU %d", cpu.cpu);
	for (at = 0; at + page_size <= cpu.size; at += page_size)
		count_page(kbuffer, map + at, counts);
	munmap(map, cpu.size);
}

/**
 * pages_count() - count what is in a buffer's pages
 * @pages:	the pages, after pages_stop()
 * @buffer:	the buffer's number
 *
 * Return: the numbers
 */
struct page_counts pages_count(const struct pages *pages, size_t buffer)
{
	struct kbuffer *kbuffer = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_SAME_AS_HOST);
	struct page_counts counts = { 0 };
	size_t i;

	if (!kbuffer)
		err(1, "memory");
	for (i = 0; i < pages_cpus(pages); i++)
		count_cpu(kbuffer, pages_of(pages, buffer, i), &counts);
	kbuffer_free(kbuffer);
	return counts;
}
