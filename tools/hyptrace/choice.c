// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chooses events by patterns: "vcpu_*,-vcpu_load", or a file with one a line.
 */

#include <err.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "choice.h"
#include "hyp.h"

/**
 * struct choice - a choice of events
 * @name:	all that there are
 * @chosen:	for each, whether it is chosen
 * @nr:		number of events
 * @is_empty:	nothing has been said yet
 */
struct choice {
	char	**name;
	bool	*chosen;
	size_t	nr;
	bool	is_empty;
};

/**
 * choice_new() - choose none of the hypervisor's events yet
 *
 * Return: the choice
 */
struct choice *choice_new(void)
{
	struct choice *choice = xrealloc(NULL, 1, sizeof(*choice));

	*choice = (struct choice) { .is_empty = true };
	choice->name = tracefs_system_events(hyp_dir(), HYP_INSTANCE);
	if (!choice->name)
		err(1, "%s/events/" HYP_INSTANCE, hyp_dir());
	while (choice->name[choice->nr])
		choice->nr++;
	choice->chosen = xzalloc(choice->nr * sizeof(*choice->chosen));
	return choice;
}

/* "vcpu_*", "hyp:vcpu_*", "hyp", or one of them after "-" */
static void add_pattern(struct choice *choice, const char *text)
{
	const char *pattern = text + (*text == '-');
	bool found = false;
	size_t i;

	if (!strcmp(pattern, HYP_INSTANCE) || !strcmp(pattern, "all"))
		pattern = "*";
	else if (!strncmp(pattern, HYP_INSTANCE ":", strlen(HYP_INSTANCE ":")))
		pattern += strlen(HYP_INSTANCE ":");
	for (i = 0; i < choice->nr; i++) {
		/* If the first pattern takes away, it takes away from all events. */
		if (choice->is_empty && *text == '-')
			choice->chosen[i] = true;
		if (fnmatch(pattern, choice->name[i], 0))
			continue;
		choice->chosen[i] = *text != '-';
		found = true;
	}
	choice->is_empty = false;
	if (!found)
		errx(1, "the hypervisor has no event %s: %s/events/" HYP_INSTANCE " has all",
		     pattern, hyp_dir());
}

static void add_file(struct choice *choice, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL, *text;
	size_t size = 0;

	if (!file)
		err(1, "%s", path);
	while (getline(&line, &size, file) >= 0) {
		line[strcspn(line, "#\n")] = '\0';
		text = strtok(line, " \t\r");
		while (text) {
			add_pattern(choice, text);
			text = strtok(NULL, " \t\r");
		}
	}
	free(line);
	fclose(file);
}

/**
 * choice_add() - choose events, or take them away
 * @choice:	the choice
 * @events:	names and patterns with commas, or a file's name after "@"
 *
 * If there is no such event, the program ends with the reason.
 */
void choice_add(struct choice *choice, const char *events)
{
	char *copy = strdupa(events), *text;

	if (*events == '@') {
		add_file(choice, events + 1);
		return;
	}
	while ((text = strsep(&copy, ",")))
		add_pattern(choice, text);
}

/**
 * choice_to_list() - the events that are chosen
 * @choice:	the choice; NULL is all
 *
 * If there is none, the program ends with the reason.
 *
 * Return: their names, as "hyp:vcpu_exit"
 */
struct list choice_to_list(const struct choice *choice)
{
	const struct choice *events = choice ?: choice_new();
	struct list list = { 0 };
	char name[128];
	size_t i;

	for (i = 0; i < events->nr; i++) {
		if (choice && !choice->chosen[i])
			continue;
		snprintf(name, sizeof(name), HYP_INSTANCE ":%s", events->name[i]);
		list_add(&list, name);
	}
	if (!list.nr)
		errx(1, "all events have been taken away");
	return list;
}
