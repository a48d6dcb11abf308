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

static int remove_dead(const char *name, void *found)
{
	struct tracefs_instance *instance;

	if (strncmp(name, HOST_INSTANCE, strlen(HOST_INSTANCE)))
		return 0;
	instance = tracefs_instance_create(name);
	if (instance && is_dead(instance)) {
		*(bool *)found = true;
		tracefs_instance_destroy(instance);
	}
	tracefs_instance_free(instance);
	return 0;
}

/**
 * instances_remove_dead() - remove the host's instances of recorders that were killed
 *
 * Return: true if there was one
 */
bool instances_remove_dead(void)
{
	bool found = false;

	tracefs_instances_walk(remove_dead, &found);
	return found;
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
