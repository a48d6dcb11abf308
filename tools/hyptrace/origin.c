// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where, when and of what something was measured: for those who keep what --json prints, and
 * compare it later.
 */

#include <err.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

/*
 * As for the kernel, the last parameter of that name counts, and - and _ are the same; without one,
 * it runs as nVHE.
 */
static const char *mode(void)
{
	char line[4096] = "", *rest = line, *word;
	FILE *file = fopen("/proc/cmdline", "r");
	bool is_protected = false;

	if (file && !fgets(line, sizeof(line), file))
		*line = '\0';
	while ((word = strsep(&rest, "\n ")))
		if (!fnmatch("kvm[-_]arm.mode=*", word, 0))
			is_protected = !strcmp(strchr(word, '=') + 1, "protected");
	if (file)
		fclose(file);
	return is_protected ? "protected" : "nvhe";
}

static json_t *command_to_json(char **command)
{
	json_t *words = json_array();

	/* JSON must be UTF-8. */
	for (; *command; command++)
		json_array_append_new(words, json_string(make_printable(strdupa(*command))));
	return words;
}

/* Totals were taken here and now. */
static json_t *origin_of_totals(char **command)
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

/* A mark must fit into a page of ftrace's, with its header, and is cut otherwise. */
#define MAX_TEXT	3800

/**
 * origin_text() - the origin of a recording that begins now, for a mark
 * @command:	the command that is recorded, with NULL at the end; NULL if there is none
 *
 * Return: JSON on one line, for free(); it is without the command if that is too long for a mark
 */
char *origin_text(char **command)
{
	json_t *origin = origin_of_totals(command);
	char *text = json_dumps(origin, JSON_COMPACT | JSON_ENSURE_ASCII);

	if (text && strlen(text) > MAX_TEXT) {
		free(text);
		json_object_del(origin, "command");
		text = json_dumps(origin, JSON_COMPACT | JSON_ENSURE_ASCII);
	}
	json_decref(origin);
	if (!text)
		err(1, "memory");
	return text;
}

/* Somebody else may have written the mark. A copy that can be printed; NULL if it is no string. */
static json_t *string_told(const json_t *value)
{
	return json_is_string(value) ?
	       json_string(make_printable(strdupa(json_string_value(value)))) : NULL;
}

/* The same for an array of strings */
static json_t *command_told(const json_t *value)
{
	json_t *command = json_array();
	const json_t *word;
	size_t i;

	json_array_foreach(value, i, word)
		if (json_array_append_new(command, string_told(word)))
			break;
	if (json_array_size(command) && json_array_size(command) == json_array_size(value))
		return command;
	json_decref(command);
	return NULL;
}

static void copy_told(json_t *origin, const char *text)
{
	/* "by" is of the program that prints. */
	static const struct {
		const char	*theirs, *ours;
	} names[] = {
		{ "by", "recorded_by" }, { "host", "host" }, { "kernel", "kernel" },
		{ "mode", "mode" }, { "time", "time" },
	};
	json_t *told = json_loads(text, 0, NULL);
	size_t i;

	/* A member that is NULL is left out: json_object_set_new() refuses it. */
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		json_object_set_new(origin, names[i].ours,
				    string_told(json_object_get(told, names[i].theirs)));
	json_object_set_new(origin, "command", command_told(json_object_get(told, "command")));
	json_decref(told);
}

/* The recorder has noted its origin, or, if it is an older one, only the clocks. */
static json_t *origin_of_recording(const struct recording *recording)
{
	json_t *origin = by();

	if (recording->clocks.real)
		json_object_set_new(origin, "time",
				    time_to_json(recording->clocks.real / 1000000000));
	if (recording->origin)
		copy_told(origin, recording->origin);
	return origin;
}

/**
 * origin_of() - where, when and of what something was measured
 * @recording:	the recording that it is from, NULL if totals were taken just now
 * @command:	of totals: the command that was measured, with NULL at the end; or NULL
 *
 * Return: an object with this program's version and, as far as they are known, host, kernel, mode,
 * time and command
 */
json_t *origin_of(const struct recording *recording, char **command)
{
	return recording ? origin_of_recording(recording) : origin_of_totals(command);
}
