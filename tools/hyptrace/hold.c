// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes hyp/ and gives it back.
 */

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "hold.h"
#include "instances.h"
#include "settings.h"

/* The settings of hyp/ before it was taken, NULL if it has not been. */
static struct settings *taken;

static _Noreturn void refuse(const struct list *in_use, bool may_be_left)
{
	size_t i;

	warnx(HYP_INSTANCE "/ is in use, and what is set there would limit the recording:");
	for (i = 0; i < in_use->nr; i++)
		warnx("  %s", in_use->text[i]);
	if (may_be_left)
		warnx("a recorder was killed, and may have left some of it");
	errx(1, "unset it, or let --force take it away and set it again at the end");
}

/* Settings that a killed recorder has left belong to nobody, unless they have been changed. */
static struct settings *clear_left(struct settings *settings)
{
	warnx("a recorder was killed: what it has set in " HYP_INSTANCE "/ is unset");
	settings_clear(settings);
	settings_free(settings);
	return settings_read();
}

/**
 * hyp_take() - take hyp/, and set nothing in it
 * @force:	even if something is set there
 *
 * If it is in use, the program ends with the reason.
 */
void hyp_take(bool force)
{
	struct dead_recorders dead;
	struct settings *settings;
	struct list in_use;

	hyp_lock();
	settings = settings_read();
	dead = instances_find_dead(settings_digest(settings));
	if (dead.have_left_it)
		settings = clear_left(settings);
	in_use = settings_in_use(settings);
	if (in_use.nr && !force)
		refuse(&in_use, dead.any);
	list_free(&in_use);
	/* Only now: a user who was refused must be told of them again. */
	instances_remove_dead();
	taken = settings;
	settings_clear(settings);
}

/**
 * hyp_is_taken() - has this process taken hyp/, and not given it back?
 *
 * Return: true if so
 */
bool hyp_is_taken(void)
{
	return taken;
}

/**
 * hyp_give_back() - set again what was set before hyp_take(), if hyp/ has been taken
 */
void hyp_give_back(void)
{
	if (taken)
		settings_restore(taken);
	taken = NULL;
}

/**
 * instance_set() - write to a file, or end the program
 * @instance:	an instance
 * @file:	its file
 * @value:	what is written
 */
void instance_set(struct tracefs_instance *instance, const char *file, const char *value)
{
	if (tracefs_instance_file_write(instance, file, value) < 0)
		err(1, "%s/%s: %s", tracefs_instance_get_name(instance), file, value);
}

/**
 * instance_add() - add lines to a file, or end the program
 * @instance:	an instance
 * @file:	its file
 * @list:	the lines
 */
void instance_add(struct tracefs_instance *instance, const char *file, const struct list *list)
{
	char line[160];
	size_t i;

	for (i = 0; i < list->nr; i++) {
		/* Without the end of a line, the kernel looks at it when the file is closed. */
		snprintf(line, sizeof(line), "%s\n", list->text[i]);
		if (tracefs_instance_file_append(instance, file, line) < 0)
			err(1, "%s/%s: %s", tracefs_instance_get_name(instance), file,
			    list->text[i]);
	}
}

/**
 * instance_set_size() - set the size of buffers, or end the program
 * @instance:	an instance
 * @kb:		the size of each CPU's buffer [KiB]
 */
void instance_set_size(struct tracefs_instance *instance, long kb)
{
	char size[24];

	snprintf(size, sizeof(size), "%ld", kb);
	if (tracefs_instance_file_write(instance, "buffer_size_kb", size) < 0)
		err(1, "-b %ld: the kernel refuses buffers of this size for %s", kb,
		    tracefs_instance_get_name(instance));
}

/**
 * hyp_allocate() - allocate the hypervisor's buffers by turning tracing on, or end the program
 * @kb:		their size, for messages [KiB]
 *
 * Without events, only calls are recorded by that.
 */
void hyp_allocate(long kb)
{
	if (tracefs_trace_on(hyp_open()) >= 0)
		return;
	if (errno == EPERM)
		errx(1, "tracing is locked until the next boot: boot with kvm-arm.hyp_trace=on");
	if (errno == ENOMEM)
		errx(1, "-b %ld: no memory for buffers of this size", kb);
	err(1, HYP_INSTANCE "/tracing_on");
}
