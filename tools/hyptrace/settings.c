// SPDX-License-Identifier: GPL-2.0-only
/*
 * The settings of hyp/. Its files are ftrace's (Documentation/trace/ftrace.rst), and each has its
 * own way to say that nothing is set.
 */

#include <err.h>
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basics.h"
#include "hyp.h"
#include "settings.h"

/* How a file is written. */
enum form {
	FORM_VALUE,	/* by its new content */
	FORM_LIST,	/* a line is appended; opening it with O_TRUNC empties it */
	FORM_TRIGGERS,	/* a line is added, or removed with a "!" before it */
};

/**
 * struct kind_of_file - files of one kind
 * @pattern:	their names in hyp/, for glob()
 * @form:	how they are written
 * @unset:	what they say if nothing is set; NULL if there is always something
 * @clear:	what unsets a value, NULL if that is @unset
 * @limits:	if something is set, not all is recorded that a recorder asks for
 */
struct kind_of_file {
	const char	*pattern;
	enum form	form;
	const char	*unset, *clear;
	bool		limits;
};

/* They are cleared in this order and restored in the opposite one: tracing is off meanwhile. */
static const struct kind_of_file kinds[] = {
	{ "tracing_on", FORM_VALUE, "0", NULL, true },
	{ "set_event", FORM_LIST, "", NULL, true },
	{ "current_tracer", FORM_VALUE, "nop", NULL, true },
	{ "events/hyp/*/filter", FORM_VALUE, "none", "0", true },
	{ "events/hyp/*/trigger", FORM_TRIGGERS, "", NULL, true },
	{ SETTING_PIDS, FORM_LIST, "", NULL, true },
	{ "set_event_notrace_pid", FORM_LIST, "", NULL, true },
	{ "tracing_cpumask", FORM_VALUE, NULL, NULL, true },
	{ "set_ftrace_filter", FORM_LIST, "", NULL, true },
	{ "set_ftrace_notrace", FORM_LIST, "", NULL, true },
	{ "set_graph_function", FORM_LIST, "", NULL, true },
	{ "set_graph_notrace", FORM_LIST, "", NULL, true },
	{ "max_graph_depth", FORM_VALUE, "0", NULL, true },
	{ "buffer_percent", FORM_VALUE, "50", NULL, false },
	{ "options/overwrite", FORM_VALUE, "1", NULL, false },
	{ "options/stacktrace", FORM_VALUE, "0", NULL, false },
	{ "options/func_stack_trace", FORM_VALUE, "0", NULL, false },
	{ "options/event-fork", FORM_VALUE, "0", NULL, false },
	{ "per_cpu/cpu*/buffer_size_kb", FORM_VALUE, NULL, NULL, false },
};

#define NR_KINDS_OF_FILES (sizeof(kinds) / sizeof(kinds[0]))

/**
 * struct setting - a file, and what it says
 * @kind:	what it is
 * @file:	its name in hyp/
 * @unset:	what it says if nothing is set
 * @line:	what is set
 */
struct setting {
	const struct kind_of_file	*kind;
	char				*file, *unset;
	struct list			line;
};

struct settings {
	struct setting	*setting;
	size_t		nr;
};

/* Reading --------------------------------------------------------------------------- */

/* By default all CPUs are traced, those that may come, too. hyp/ has a directory for each. */
static char *all_cpus(void)
{
	const long words = (sysconf(_SC_NPROCESSORS_CONF) + 31) / 32;
	const long rest = sysconf(_SC_NPROCESSORS_CONF) % 32;
	char *mask = NULL;
	FILE *stream;
	size_t size;
	long i;

	stream = open_memstream(&mask, &size);
	if (!stream)
		err(1, "memory");
	fprintf(stream, "%x", rest ? (1u << rest) - 1 : ~0u);
	for (i = 1; i < words; i++)
		fprintf(stream, ",ffffffff");
	fclose(stream);
	return mask;
}

/* Replace a part of a line, if it has it, by something that is not longer. */
static bool replace(char *line, const char *part, const char *by)
{
	char *at = strstr(line, part);

	if (!at)
		return false;
	memmove(at + strlen(by), at + strlen(part), strlen(at + strlen(part)) + 1);
	memcpy(at, by, strlen(by));
	return true;
}

/*
 * A trigger's line is not what must be written to have it: "traceoff:unlimited",
 * "traceoff:count=5", "hist:keys=reason [active]", "hist:keys=reason if vm == 1 [paused]".
 */
static char *make_trigger(const char *text)
{
	static const char pause[] = ":pause";
	char *line = xstrdup(text), *at;

	replace(line, ":unlimited", "");
	replace(line, ":count=", ":");
	replace(line, " [active]", "");
	if (replace(line, " [paused]", "")) {
		at = strstr(line, " if ") ?: line + strlen(line);
		memmove(at + strlen(pause), at, strlen(at) + 1);
		memcpy(at, pause, strlen(pause));
	}
	return line;
}

/* What is no comment and not the default is set. */
static void read_lines(struct setting *setting)
{
	char *text = tracefs_instance_file_read(hyp_open(), setting->file, NULL);
	char *rest = text, *line, *trigger;

	/* An empty file reads as NULL, and one that is not there, too. */
	while (rest && (line = strsep(&rest, "\n"))) {
		if (!*line || *line == '#' || !strcmp(line, setting->unset))
			continue;
		trigger = setting->kind->form == FORM_TRIGGERS ? make_trigger(line) : NULL;
		list_add(&setting->line, trigger ?: line);
		free(trigger);
	}
	free(text);
}

static void read_setting(struct settings *settings, const struct kind_of_file *kind,
			 const char *file)
{
	struct setting *setting;

	settings->setting = xrealloc(settings->setting, settings->nr + 1,
				     sizeof(*settings->setting));
	setting = &settings->setting[settings->nr++];
	*setting = (struct setting) { .kind = kind, .file = xstrdup(file) };
	if (!strcmp(file, "tracing_cpumask"))
		setting->unset = all_cpus();
	else
		setting->unset = xstrdup(kind->unset ?: "");
	read_lines(setting);
}

static void read_kind(struct settings *settings, const struct kind_of_file *kind)
{
	const size_t skipped = strlen(hyp_dir()) + 1;
	char *pattern;
	glob_t found;
	size_t i;
	int error;

	if (asprintf(&pattern, "%s/%s", hyp_dir(), kind->pattern) < 0)
		err(1, "memory");
	error = glob(pattern, 0, NULL, &found);
	if (error && error != GLOB_NOMATCH)
		err(1, "%s", pattern);
	for (i = 0; !error && i < found.gl_pathc; i++)
		read_setting(settings, kind, found.gl_pathv[i] + skipped);
	if (!error)
		globfree(&found);
	free(pattern);
}

/**
 * settings_read() - read what is set in hyp/
 *
 * Return: the settings, for settings_free()
 */
struct settings *settings_read(void)
{
	struct settings *settings = xzalloc(sizeof(*settings));
	size_t i;

	for (i = 0; i < NR_KINDS_OF_FILES; i++)
		read_kind(settings, &kinds[i]);
	return settings;
}

/**
 * settings_free() - forget settings
 * @settings:	the settings
 */
void settings_free(struct settings *settings)
{
	struct setting *s;

	for (s = settings->setting; s < settings->setting + settings->nr; s++) {
		free(s->file);
		free(s->unset);
		list_free(&s->line);
	}
	free(settings->setting);
	free(settings);
}

/* Telling --------------------------------------------------------------------------- */

/* "hyp/set_event: hyp:vcpu_exit, ..." */
static void tell(struct list *list, const struct setting *setting)
{
	const struct list *line = &setting->line;
	const char *unset = *setting->unset ? setting->unset : "nothing";
	char *text;

	if (asprintf(&text, HYP_INSTANCE "/%s: %s%s", setting->file,
		     line->nr ? line->text[0] : unset, line->nr > 1 ? ", ..." : "") < 0)
		err(1, "memory");
	list_add(list, text);
	free(text);
}

/**
 * settings_in_use() - tell what is set that limits a recording
 * @settings:	the settings
 *
 * Return: a line for each file, for list_free()
 */
struct list settings_in_use(const struct settings *settings)
{
	struct list list = { 0 };
	size_t i;

	for (i = 0; i < settings->nr; i++)
		if (settings->setting[i].kind->limits && settings->setting[i].line.nr)
			tell(&list, &settings->setting[i]);
	return list;
}

static bool is_equal(const struct list *a, const struct list *b)
{
	size_t i;

	for (i = 0; i < a->nr && i < b->nr; i++)
		if (strcmp(a->text[i], b->text[i]))
			return false;
	return a->nr == b->nr;
}

static const struct setting *find(const struct settings *settings, const char *file)
{
	size_t i;

	for (i = 0; i < settings->nr; i++)
		if (!strcmp(settings->setting[i].file, file))
			return &settings->setting[i];
	return NULL;
}

/**
 * settings_changed() - tell which settings that limit a recording have changed
 * @before:	the settings before
 * @now:	those now
 * @but:	a file that may have changed, or NULL
 *
 * Whether tracing is on is left out: a trigger may have turned it off.
 *
 * Return: a line for each file, with what it says now, for list_free()
 */
struct list settings_changed(const struct settings *before, const struct settings *now,
			     const char *but)
{
	struct list list = { 0 };
	const struct setting *old, *new;
	size_t i;

	for (i = 0; i < now->nr; i++) {
		new = &now->setting[i];
		old = find(before, new->file);
		if (!old || !new->kind->limits || !strcmp(new->file, "tracing_on") ||
		    (but && !strcmp(new->file, but)))
			continue;
		if (!is_equal(&old->line, &new->line))
			tell(&list, new);
	}
	return list;
}

/* FNV-1a, with the end of the text */
static uint64_t add_to_digest(uint64_t digest, const char *text)
{
	do {
		digest = (digest ^ (unsigned char)*text) * 0x100000001b3;
	} while (*text++);
	return digest;
}

/**
 * settings_digest() - make a number of what is set
 * @settings:	the settings
 *
 * Whether tracing is on is left out, and the pids: those that are followed come and go.
 *
 * Return: the number, another one if anything else is set
 */
uint64_t settings_digest(const struct settings *settings)
{
	uint64_t digest = 0xcbf29ce484222325;
	const struct setting *s;
	size_t i;

	for (s = settings->setting; s < settings->setting + settings->nr; s++) {
		if (!strcmp(s->file, "tracing_on") || !strcmp(s->file, SETTING_PIDS))
			continue;
		digest = add_to_digest(digest, s->file);
		for (i = 0; i < s->line.nr; i++)
			digest = add_to_digest(digest, s->line.text[i]);
	}
	return digest;
}

/* Writing --------------------------------------------------------------------------- */

/* Each line needs a call of its own. */
static bool write_line(const char *file, const char *before, const char *line, int flags)
{
	int fd = tracefs_instance_file_open(hyp_open(), file, O_WRONLY | flags);
	bool done = fd >= 0 && dprintf(fd, "%s%s\n", before, line) > 0;

	if (fd >= 0 && close(fd))
		done = false;
	return done;
}

static void clear(const struct setting *setting)
{
	size_t i;

	if (!setting->line.nr)
		return;
	switch (setting->kind->form) {
	case FORM_VALUE:
		if (*setting->unset)
			write_line(setting->file, "", setting->kind->clear ?: setting->unset, 0);
		break;
	case FORM_LIST:
		write_line(setting->file, "", "", O_TRUNC);
		break;
	case FORM_TRIGGERS:
		for (i = 0; i < setting->line.nr; i++)
			write_line(setting->file, "!", setting->line.text[i], 0);
		break;
	}
}

/**
 * settings_clear() - set nothing in hyp/
 * @settings:	what is set now
 *
 * If something can't be unset, the program ends with the reason.
 */
void settings_clear(const struct settings *settings)
{
	struct settings *now;
	struct list left;
	size_t i;

	for (i = 0; i < settings->nr; i++)
		clear(&settings->setting[i]);
	now = settings_read();
	left = settings_in_use(now);
	if (left.nr)
		errx(1, "can't be unset: %s", left.text[0]);
	list_free(&left);
	settings_free(now);
}

static void restore(const struct setting *setting)
{
	struct setting now = *setting;
	size_t i;

	now.line = (struct list) { 0 };
	read_lines(&now);
	if (!is_equal(&setting->line, &now.line)) {
		clear(&now);
		for (i = 0; i < setting->line.nr; i++)
			if (!write_line(setting->file, "", setting->line.text[i], O_APPEND))
				warn(HYP_INSTANCE "/%s: can't be %s again", setting->file,
				     setting->line.text[i]);
	}
	list_free(&now.line);
}

/**
 * settings_restore() - set what was set before in hyp/
 * @settings:	what was set
 */
void settings_restore(const struct settings *settings)
{
	size_t i;

	tracefs_trace_off(hyp_open());
	for (i = settings->nr; i-- > 0;)
		restore(&settings->setting[i]);
}
