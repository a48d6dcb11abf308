// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processes that have VMs. What a VMM calls its VM is on its command line.
 */

#include <dirent.h>
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "text.h"
#include "vmm.h"

/* QEMU: -name X, -name guest=X,...; crosvm and kvmtool: --name X; Firecracker: --id X. */
static const char * const options[] = { "-name", "--name", "--id" };

/* The value of an option: "--name X" or "--name=X" */
static const char *option_value(const char *argument, const char *next)
{
	size_t i, length;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		length = strlen(options[i]);
		if (strncmp(argument, options[i], length))
			continue;
		if (argument[length] == '=')
			return argument + length + 1;
		if (!argument[length])
			return next;
	}
	return NULL;
}

/* "guest=X,debug-threads=on", in any order; the first may be "X". NULL if there is no name. */
static char *make_name(const char *value)
{
	char *rest = strdupa(value), *first = rest, *part, *name = NULL;

	while ((part = strsep(&rest, ",")))
		if (!strncmp(part, "guest=", strlen("guest=")))
			name = part + strlen("guest=");
		else if (part == first && !strchr(part, '='))
			name = part;
	return name && *name ? make_printable(xstrdup(name)) : NULL;
}

static FILE *open_file(pid_t pid, const char *file)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	return fopen(path, "r");
}

/* The next text of a file that has a character behind each, NULL at the end. */
static char *next_text(FILE *file, int end)
{
	char *text = NULL;
	size_t size = 0;

	if (getdelim(&text, &size, end, file) > 0) {
		text[strcspn(text, "\n")] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

static char *name_on_command_line(pid_t pid)
{
	FILE *file = open_file(pid, "cmdline");
	char *argument, *next, *name = NULL;
	const char *value;

	if (!file)
		return NULL;
	argument = next_text(file, '\0');
	while (argument && !name) {
		next = next_text(file, '\0');
		value = option_value(argument, next);
		if (value && *value)
			name = make_name(value);
		free(argument);
		argument = next;
	}
	free(argument);
	fclose(file);
	return name;
}

/**
 * vmm_name() - what a process calls its VM
 * @pid:	the process
 *
 * Return: the name that its command line has, or else the name of the process; "?" if it is gone.
 *	   For free(); it can be printed
 */
char *vmm_name(pid_t pid)
{
	char *name = name_on_command_line(pid);
	FILE *file;

	if (name)
		return name;
	file = open_file(pid, "comm");
	if (file) {
		name = next_text(file, '\n');
		fclose(file);
	}
	return name ? make_printable(name) : xstrdup("?");
}

/* A thread has a directory in /proc as its process has, and shows the process's threads in it. */
static bool is_process(pid_t pid)
{
	static const char tgid_is[] = "Tgid:\t";
	FILE *file = open_file(pid, "status");
	char *line;
	int tgid = 0;

	while (file && !tgid && (line = next_text(file, '\n'))) {
		if (!strncmp(line, tgid_is, strlen(tgid_is)))
			tgid = atoi(line + strlen(tgid_is));
		free(line);
	}
	if (file)
		fclose(file);
	return tgid == pid;
}

/**
 * vmm_threads() - the threads of a process
 * @pid:	the process, or one thread of it
 *
 * Return: the threads' numbers, as texts; if @pid is a thread, only that; none if there is no
 *	   such process. For list_free()
 */
struct list vmm_threads(pid_t pid)
{
	struct list threads = { 0 };
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return threads;
	if (is_process(pid)) {
		while ((entry = readdir(dir)))
			if (atoi(entry->d_name))
				list_add(&threads, entry->d_name);
	} else {
		snprintf(path, sizeof(path), "%d", pid);
		list_add(&threads, path);
	}
	closedir(dir);
	return threads;
}
