// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace top: the hypervisor's totals, live in the terminal.
 */

#include <err.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "measure.h"
#include "print.h"
#include "subcommands.h"
#include "terminals.h"
#include "totals.h"

struct arguments {
	struct selection	selection;
	double			seconds;
};

static const struct argp_option options[] = {
	{ "delay", 'd', "SECONDS", 0,
	  "Refresh so often; default: 1", 0 },
	{ 0 }
};

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (option) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->selection;
		state->child_inputs[1] = &arguments->selection;
		state->child_inputs[2] = &arguments->selection;
		return 0;
	case 'd':
		arguments->seconds = seconds_option(state, "-d", argument);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/**
 * struct view - what is shown
 * @selection:	of what
 * @seconds:	how often it is refreshed
 * @before:	the totals as they were when the time shown began
 * @shown:	what has been added in that time
 * @start:	when it began [s]
 * @is_paused:	it is not refreshed
 * @group:	which of groups[] the key g has chosen
 */
struct view {
	struct selection	selection;
	double			seconds;
	struct table		*before, *shown;
	double			start;
	bool			is_paused;
	unsigned int		group;
};

/* What the key g goes through. */
static const char * const groups[] = {
	NULL, "guest,exit", "exit", "hcall", "smc,psci,firmware", "abort",
};

#define NR_GROUPS (sizeof(groups) / sizeof(groups[0]))

/* The living VM with the next number; after the last one, all. */
static void next_vm(struct view *view)
{
	const struct table *table = view->before;
	long next = -1;
	size_t i;

	for (i = 0; i < table->nr_vms; i++)
		if (table->vm[i].state != VM_GONE && table->vm[i].number > view->selection.vm &&
		    (next < 0 || table->vm[i].number < next))
			next = table->vm[i].number;
	view->selection.vm = next;
}

static void show_header(const struct view *view)
{
	char vm[24] = "all";

	if (view->selection.vm >= 0)
		snprintf(vm, sizeof(vm), "%ld", view->selection.vm);
	attron(A_REVERSE);
	mvprintw(0, 0, "%-*.*s", COLS, COLS, "");
	mvprintw(0, 0, "hyptrace top   VM: %s   kinds: %s   by %s   last %.1f s%s", vm,
		 view->selection.kinds ?: "all", sort_key_names[view->selection.key],
		 view->shown ? view->shown->seconds : 0, view->is_paused ? "   PAUSED" : "");
	mvprintw(LINES - 1, 0, "%-*.*s", COLS, COLS,
		 "t time  c count  m max  9 p99  v next VM  g next kinds  space pause  q quit");
	attroff(A_REVERSE);
}

static void show_lines(char *text)
{
	int y = 1;
	char *line;

	while ((line = strsep(&text, "\n")) && y < LINES - 1)
		mvaddnstr(y++, 0, line, COLS);
}

static void show(const struct view *view)
{
	struct table *selected;
	size_t size;
	FILE *file;
	char *text;

	erase();
	show_header(view);
	if (view->shown) {
		selected = select_rows(view->shown, &view->selection, BY_WHAT);
		file = open_memstream(&text, &size);
		if (!file)
			err(1, "memory");
		print_sections(file, selected, view->shown, BY_WHAT, COLS);
		if (!selected->nr)
			fprintf(file, "\nNothing has happened.\n");
		fclose(file);
		show_lines(text);
		free(text);
		table_free(selected);
	}
	refresh();
}

/* Take what has been added since the last time. If the totals were reset, begin anew. */
static void update(struct view *view)
{
	const double end = now_seconds();
	struct table *now, *difference;

	/* Somebody else may have turned totals off. */
	totals_start();
	now = totals_read();
	difference = table_difference(now, view->before);
	if (difference) {
		difference->seconds = end - view->start;
		table_free(view->shown);
		view->shown = difference;
	}
	table_free(view->before);
	view->before = now;
	view->start = end;
}

/* Act on a key; false to quit. */
static bool handle(struct view *view, int key)
{
	switch (key) {
	case 'q':
		return false;
	case 't':
		view->selection.key = SORT_TIME;
		break;
	case 'c':
		view->selection.key = SORT_COUNT;
		break;
	case 'm':
		view->selection.key = SORT_MAX;
		break;
	case '9':
		view->selection.key = SORT_P99;
		break;
	case 'v':
		next_vm(view);
		break;
	case 'g':
		view->selection.kinds = groups[++view->group % NR_GROUPS];
		break;
	case ' ':
		view->is_paused = !view->is_paused;
		break;
	}
	return true;
}

static void run(struct view *view)
{
	double left;
	int key;

	while (!interrupted) {
		show(view);
		left = view->start + view->seconds - now_seconds();
		left = left > 1000 ? 1000 : left;
		timeout(view->is_paused ? -1 : left > 0 ? left * 1000 + 1 : 1);
		key = getch();
		if (!handle(view, key))
			return;
		if (!view->is_paused && now_seconds() >= view->start + view->seconds)
			update(view);
	}
}

static void end_screen(void)
{
	endwin();
}

int cmd_top(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &select_argp }, { &kind_argp }, { &sort_argp }, { 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Show live what the hypervisor does, and how long it takes. Nothing is "
		       "recorded.\v"
		       "Keys: t, c, m, 9 sort by time, count, max, p99; v chooses the next VM, g "
		       "the next kinds; space pauses; q quits.",
		.children = children,
	};
	struct arguments arguments = { .selection = SELECT_ALL, .seconds = 1 };
	struct view view = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		errx(1, "top needs a terminal; hyptrace stat needs none");
	catch_interrupts();
	totals_start();
	view.selection = arguments.selection;
	view.seconds = arguments.seconds;
	view.before = totals_read();
	view.start = now_seconds();
	terminal_know();
	if (!newterm(NULL, stdout, stdin))
		errx(1, "top needs a terminal that ncurses knows (TERM=%s)", getenv("TERM") ?: "");
	atexit(end_screen);
	cbreak();
	noecho();
	curs_set(0);
	run(&view);
	table_free(view.before);
	table_free(view.shown);
	return 0;
}
