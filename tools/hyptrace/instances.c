// SPDX-License-Identifier: GPL-2.0-only
/*
 * The instances of ftrace that a recorder has for itself. The host's events go into one that it
 * makes. The hypervisor has only one, hyp/, which two recorders can't have at a time.
 *
 * A lock on an instance's directory says that its recorder lives. The kernel takes it back from
 * one that is killed.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hyp.h"
#include "instances.h"

/* The host's instances of recorders: this, and a number. */
#define HOST_INSTANCE	"hyptrace."

/*
 * Lock an instance until the file is closed that is returned, or this process ends. Return -1, with
 * EWOULDBLOCK if somebody else has locked it.
 */
static int lock(const char *dir)
{
	const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	close(fd);
	return -1;
}

/**
 * hyp_lock() - keep other recorders out of hyp/ until the end of this process
 *
 * If there is another one, the program ends with the reason.
 */
void hyp_lock(void)
{
	if (lock(hyp_dir()) >= 0)
		return;
	if (errno != EWOULDBLOCK)
		err(1, "%s: can't be locked", hyp_dir());
	errx(1, "another hyptrace records: wait for its end");
}

static bool is_dead(struct tracefs_instance *instance)
{
	char *dir = tracefs_instance_get_dir(instance);
	const int fd = lock(dir);

	if (fd >= 0)
		close(fd);
	tracefs_put_tracing_file(dir);
	return fd >= 0;
}

/* An instance of the host whose recorder was killed; NULL if @name is none. */
static struct tracefs_instance *dead_instance(const char *name)
{
	struct tracefs_instance *instance;

	if (strncmp(name, HOST_INSTANCE, strlen(HOST_INSTANCE)))
		return NULL;
	instance = tracefs_instance_create(name);
	if (!instance || is_dead(instance))
		return instance;
	tracefs_instance_free(instance);
	return NULL;
}

static int remove_dead(const char *name, void *nothing)
{
	struct tracefs_instance *instance = dead_instance(name);

	if (instance)
		tracefs_instance_destroy(instance);
	tracefs_instance_free(instance);
	return 0;
}

/**
 * instances_remove_dead() - remove the host's instances of recorders that were killed
 */
void instances_remove_dead(void)
{
	tracefs_instances_walk(remove_dead, NULL);
}

/* Tracefs keeps the time of a directory as it is set, and takes it away with the directory. */
#define NS_PER_S	1000000000

/**
 * host_instance_note() - note what has been set in hyp/, in case that the recorder is killed
 * @instance:	the instance
 * @digest:	settings_digest() of it
 */
void host_instance_note(struct tracefs_instance *instance, uint64_t digest)
{
	const struct timespec noted = {
		.tv_sec = digest / NS_PER_S, .tv_nsec = digest % NS_PER_S,
	};
	const struct timespec times[2] = { noted, noted };
	char *dir = tracefs_instance_get_dir(instance);

	/* Without it, the next recorder lets the user decide. */
	if (dir)
		utimensat(AT_FDCWD, dir, times, 0);
	tracefs_put_tracing_file(dir);
}

static int look_at_dead(const char *name, void *data)
{
	struct tracefs_instance *instance = dead_instance(name);
	struct dead_recorders *dead = data;
	struct stat status;
	char *dir;

	if (!instance)
		return 0;
	dir = tracefs_instance_get_dir(instance);
	dead->any = true;
	if (dir && !stat(dir, &status) && dead->digest ==
	    (uint64_t)status.st_mtim.tv_sec * NS_PER_S + status.st_mtim.tv_nsec)
		dead->have_left_it = true;
	tracefs_put_tracing_file(dir);
	tracefs_instance_free(instance);
	return 0;
}

/**
 * instances_find_dead() - look for recorders that were killed
 * @digest:	settings_digest() of hyp/ now
 *
 * Return: what there is of them
 */
struct dead_recorders instances_find_dead(uint64_t digest)
{
	struct dead_recorders dead = { .digest = digest };

	tracefs_instances_walk(look_at_dead, &dead);
	return dead;
}

/* A new instance has the options of the root, which others may have set. */
static void set_options(struct tracefs_instance *instance)
{
	static const struct {
		const char	*file, *value;
	} options[] = {
		{ "options/overwrite", "1" },
		{ "options/markers", "1" },
		{ "options/record-cmd", "1" },
		{ "options/stacktrace", "0" },
	};
	size_t i;

	/* Not each kernel has each. */
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		tracefs_instance_file_write(instance, options[i].file, options[i].value);
}

/**
 * host_instance() - make an instance for the host's events
 *
 * If none can be made, the program ends with the reason.
 *
 * Return: the instance, for host_instance_remove()
 */
struct tracefs_instance *host_instance(void)
{
	struct tracefs_instance *instance;
	char name[40], *dir;

	snprintf(name, sizeof(name), HOST_INSTANCE "%d", getpid());
	instance = tracefs_instance_create(name);
	if (!instance)
		err(1, "can't make the instance %s for the host's events", name);
	dir = tracefs_instance_get_dir(instance);
	if (!dir || lock(dir) < 0)
		errx(1, "%s: somebody else has it", name);
	tracefs_put_tracing_file(dir);
	tracefs_trace_off(instance);
	set_options(instance);
	return instance;
}

/**
 * host_instance_remove() - remove the instance of the host's events, and its memory
 * @instance:	the instance
 */
void host_instance_remove(struct tracefs_instance *instance)
{
	tracefs_print_close(instance);
	if (tracefs_instance_destroy(instance))
		warn("can't remove the instance %s", tracefs_instance_get_name(instance));
	tracefs_instance_free(instance);
}

static uint64_t stat_of(const char *stats, const char *name)
{
	const char *at = strstr(stats, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static void add_stats(struct buffer_stats *sum, struct tracefs_instance *instance, int cpu)
{
	char path[64], *stats;

	snprintf(path, sizeof(path), "per_cpu/cpu%d/stats", cpu);
	stats = tracefs_instance_file_read(instance, path, NULL);
	if (!stats)
		return;
	sum->recorded += stat_of(stats, "entries: ") + stat_of(stats, "read events: ");
	/* "commit overrun" is another number, which is part of the dropped ones. */
	sum->lost += stat_of(stats, "\noverrun: ") + stat_of(stats, "dropped events: ");
	free(stats);
}

/**
 * buffer_stats() - count an instance's events, of all CPUs
 * @instance:	the instance
 *
 * Return: the numbers; exact if nothing is recorded or taken meanwhile
 */
struct buffer_stats buffer_stats(struct tracefs_instance *instance)
{
	struct buffer_stats sum = { 0 };
	int cpu;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		add_stats(&sum, instance, cpu);
	return sum;
}
