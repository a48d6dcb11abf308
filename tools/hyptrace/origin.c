// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where, when and of what something was measured: for those who keep what --json prints, and
 * compare it later.
 */

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "origin.h"
#include "text.h"

/* "2026-11-28T01:02:03Z" */
static json_t *time_to_json(time_t time)
{
	char text[32];
	struct tm utc;

	gmtime_r(&time, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	return json_string(text);
}

static json_t *by(void)
{
	return json_pack("{ss}", "by", "hyptrace " VERSION);
}

/* The last parameter of its name counts, as for the kernel; without one, it runs as nVHE. */
static const char *mode(void)
{
	static const char name[] = "kvm-arm.mode=";
	const char *last = NULL, *found;
	char line[4096] = "";
	FILE *file = fopen("/proc/cmdline", "r");

	if (file && fgets(line, sizeof(line), file))
		for (found = line; (found = strstr(found, name)); found++)
			last = found + strlen(name);
	if (file)
		fclose(file);
	return last && !strncmp(last, "protected", strlen("protected")) ? "protected" : "nvhe";
}

static json_t *command_to_json(char **command)
{
	json_t *words = json_array();

	/* JSON must be UTF-8. */
	for (; *command; command++)
		json_array_append_new(words, json_string(make_printable(strdupa(*command))));
	return words;
}

/**
 * origin_of_totals() - totals were taken here and now
 * @command:	the command that was measured, with NULL at the end; NULL if there was none
 *
 * Return: an object with this program's version, host, kernel, mode, time, and the command
 */
json_t *origin_of_totals(char **command)
{
	json_t *origin = by();
	struct utsname uts;

	uname(&uts);
	json_object_set_new(origin, "host", json_string(make_printable(uts.nodename)));
	json_object_set_new(origin, "kernel", json_string(make_printable(uts.release)));
	json_object_set_new(origin, "mode", json_string(mode()));
	json_object_set_new(origin, "time", time_to_json(time(NULL)));
	if (command)
		json_object_set_new(origin, "command", command_to_json(command));
	return origin;
}

/**
 * origin_of_recording() - what a recording tells of itself
 * @recording:	the recording
 *
 * Return: an object with this program's version and, if it is known, when the recording began
 */
json_t *origin_of_recording(const struct recording *recording)
{
	json_t *origin = by();

	if (recording->clocks.real)
		json_object_set_new(origin, "time",
				    time_to_json(recording->clocks.real / 1000000000));
	return origin;
}
