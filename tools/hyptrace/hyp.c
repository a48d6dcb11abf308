// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hypervisor's instance of ftrace, or why there is none.
 */

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "hyp.h"

/* hyptrace-check knows all reasons, and prints the one that applies and its remedy. */
static _Noreturn void explain_absence(void)
{
	pid_t check;

	fflush(stdout);
	/* What it prints is no result of a measurement. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	/* This program has an end of its own: output_open(). */
	check = xfork();
	if (check)
		exit(command_wait(check));
	execlp("hyptrace-check", "hyptrace-check", NULL);
	errx(1, "there is no hypervisor to trace: no %s/%s; hyptrace-check, which would say why, is not installed",
	     tracefs_tracing_dir(), HYP_INSTANCE);
}

/**
 * hyp_open() - the hypervisor's instance
 *
 * If it can't be used, the program ends with the reason and a remedy.
 *
 * Return: the instance
 */
struct tracefs_instance *hyp_open(void)
{
	static struct tracefs_instance *instance;
	const char *tracing;
	char *dir;

	if (instance)
		return instance;
	tracing = tracefs_tracing_dir();
	if (!tracing)
		errx(1, "tracefs is not mounted, and can't be: mount -t tracefs tracefs /sys/kernel/tracing");
	if (asprintf(&dir, "%s/%s", tracing, HYP_INSTANCE) < 0)
		err(1, "memory");
	if (access(dir, R_OK | X_OK) && errno == EACCES)
		errx(1, "%s: %m: run it as root, or let a group trace: see hyptrace(1), \"PERMISSION\"",
		     dir);
	if (access(dir, F_OK))
		explain_absence();
	free(dir);
	instance = tracefs_instance_create(HYP_INSTANCE);
	if (!instance)
		err(1, "%s/%s", tracing, HYP_INSTANCE);
	return instance;
}

/**
 * hyp_dir() - the directory of the hypervisor's instance
 *
 * Return: the directory
 */
const char *hyp_dir(void)
{
	static char *dir;

	if (!dir)
		dir = tracefs_instance_get_dir(hyp_open());
	if (!dir)
		err(1, HYP_INSTANCE);
	return dir;
}
