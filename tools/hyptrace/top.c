// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace top: the hypervisor's totals, live in the terminal.
 */

#include <err.h>
#include <limits.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ttydefaults.h>
#include <unistd.h>

#include "color.h"
#include "command.h"
#include "loads.h"
#include "measure.h"
#include "numbers.h"
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

/* What is on the screen. */
enum page {
	PAGE_VMS,		/* a line for each VM, and one for the host */
	PAGE_ONE,		/* one of these, by kind and reason */
	PAGE_HELP,
};

/**
 * struct view - what is shown
 * @page:	what is on the screen
 * @before:	what was there before the help
 * @selection:	what the user has selected
 * @seconds:	how often it is refreshed
 * @meter:	what has been counted since the last time
 * @shown:	what had been counted then, NULL at first
 * @is_paused:	it is not refreshed
 * @loads:	the VMs, in the order in which they are shown
 * @key:	the column that they are sorted by
 * @cursor:	number of the VM that the cursor is on, 0 for the host
 * @line:	and its line in the list
 * @follows:	the cursor has left the first line, and stays on its VM
 * @opened:	what PAGE_ONE shows
 * @of:		whose that is
 * @kinds:	its kinds at first
 * @group:	which of groups[] the key g has chosen, 0 for @kinds
 * @y:		the first line that is on the screen
 * @x:		its first character that is
 */
struct view {
	enum page		page, before;
	struct selection	selection;
	double			seconds;
	struct meter		meter;
	struct table		*shown;
	bool			is_paused;
	struct loads		loads;
	enum load_key		key;
	unsigned int		cursor;
	size_t			line;
	bool			follows;
	struct selection	opened;
	unsigned int		of;
	const char		*kinds;
	unsigned int		group;
	unsigned int		y, x;
};

/* What the key g goes through, after what the user has selected: of a VM, of the host, of all. */
enum { OF_VM, OF_HOST, OF_ALL };

static const char * const groups[][6] = {
	[OF_VM]		= { "guest", "exit_host", "exit_el2" },
	[OF_HOST]	= { "hcall", "smc,psci,firmware", "abort" },
	[OF_ALL]	= { "guest,exit", "exit", "hcall", "smc,psci,firmware", "abort" },
};

/* What the host's line has */
#define HOST_KINDS	"hcall,smc,psci,firmware,abort"

/* How far the screen moves sideways */
#define STEP		10

/* Painting -------------------------------------------------------------------------- */

static const char help[] =
	"Up, Down, Page Up, Page Down, Home, End   move\n"
	"Left, Right   show what does not fit\n"
	"Enter         open the VM under the cursor, or the host\n"
	"a             all VMs and the host in one\n"
	"Backspace     back to the list of VMs\n"
	"< and >       sort by the column to the left, to the right\n"
	"t c m 9       sort an opened VM by time, count, max, p99\n"
	"r             reverse the order\n"
	"g             in an opened VM: the next kinds\n"
	"space         pause, and go on\n"
	"Ctrl-L        repaint, if messages were printed over the screen\n"
	"h             this help, and back\n"
	"q             quit\n"
	"\n"
	"Guest, EL2 and Host are of one CPU's time. Host includes the time when an exit waits for\n"
	"the host to run the vCPU's thread again. '<' is an upper bound.\n";

static const char * const footers[] = {
	[PAGE_VMS]	= "Enter open  a all  < > sort  r reverse  space pause  h help  q quit",
	[PAGE_ONE]	= "Backspace VMs  < > sort  r reverse  g kinds  space pause  h help  q quit",
	[PAGE_HELP]	= "h back  q quit",
};

static void show_title(const struct view *view)
{
	const bool is_list = view->page == PAGE_VMS;
	const struct selection *selection = is_list ? &view->selection : &view->opened;

	if (is_list)
		printw("VMs");
	else if (view->of == OF_ALL)
		printw("all");
	else if (view->of == OF_HOST)
		printw("EL2, for the host");
	else
		printw("VM %ld", selection->vm);
	printw("   kinds: %s   by %s%s   last %.1f s%s", selection->kinds ?: "all",
	       is_list ? load_columns[view->key].title : sort_key_names[selection->key],
	       selection->ascending ? ", lowest first" : "",
	       view->shown ? view->shown->seconds : 0, view->is_paused ? "   PAUSED" : "");
}

static void show_header(const struct view *view)
{
	attron(A_REVERSE);
	mvprintw(LINES - 1, 0, "%-*.*s", COLS, COLS, footers[view->page]);
	mvprintw(0, 0, "%-*.*s", COLS, COLS, "");
	mvprintw(0, 0, "hyptrace top   ");
	if (view->page == PAGE_HELP)
		printw("keys");
	else
		show_title(view);
	attroff(A_REVERSE);
}

/* Who looks to the right wants to see all columns. */
static unsigned int width_of(const struct view *view)
{
	return view->x ? 0 : COLS;
}

static unsigned int nr_visible(void)
{
	return LINES > 3 ? LINES - 3 : 1;
}

/* The cursor stays on the first line, or on its VM, or on its line if that is gone. */
static void place_cursor(struct view *view)
{
	const struct loads *loads = &view->loads;
	size_t i;

	for (i = 0; view->follows && i < loads->nr; i++)
		if (loads->load[i].vm == view->cursor)
			view->line = i;
	if (view->line >= loads->nr)
		view->line = loads->nr ? loads->nr - 1 : 0;
	if (loads->nr)
		view->cursor = loads->load[view->line].vm;
	if (view->y > view->line)
		view->y = view->line;
	if (view->line >= view->y + nr_visible())
		view->y = view->line - nr_visible() + 1;
}

/* A line's part that is on the screen */
static void show_line(const struct view *view, int y, const char *line)
{
	if (strlen(line) > view->x)
		mvaddnstr(y, 0, line + view->x, COLS);
}

static FILE *open_text(char **text, size_t *size)
{
	FILE *file = open_memstream(text, size);

	if (!file)
		err(1, "memory");
	return file;
}

static void show_vms(struct view *view)
{
	const struct loads *loads = &view->loads;
	char *text, *rest, *line;
	size_t size, i;
	FILE *file;
	int y = 1;

	place_cursor(view);
	file = open_text(&text, &size);
	loads_print_titles(file, width_of(view));
	for (i = view->y; i < loads->nr && i < view->y + nr_visible(); i++)
		loads_print(file, &loads->load[i], width_of(view));
	fclose(file);
	for (rest = text; (line = strsep(&rest, "\n")) && *line; y++) {
		if (y == 2 + (int)(view->line - view->y))
			attron(A_BOLD | A_REVERSE);
		show_line(view, y, line);
		attrset(A_NORMAL);
	}
	free(text);
}

static void show_text(struct view *view, char *text)
{
	unsigned int nr = 0;
	char *line;
	int y = 1;

	for (line = text; *line; line++)
		nr += *line == '\n';
	/* The last lines stay on the screen. */
	if (view->y + nr_visible() > nr)
		view->y = nr > nr_visible() ? nr - nr_visible() : 0;
	for (nr = 0; (line = strsep(&text, "\n")) && y < LINES - 1; nr++)
		if (nr >= view->y)
			show_line(view, y++, line);
}

static void show_one(struct view *view)
{
	struct table *selected = select_rows(view->shown, &view->opened, BY_WHAT);
	size_t size;
	FILE *file;
	char *text;

	file = open_text(&text, &size);
	print_sections(file, selected, view->shown, BY_WHAT, width_of(view));
	if (!selected->nr)
		fprintf(file, "\nNothing has happened.\n");
	fclose(file);
	show_text(view, text);
	free(text);
	table_free(selected);
}

static void show(struct view *view)
{
	erase();
	show_header(view);
	if (view->page == PAGE_HELP)
		show_text(view, strdupa(help));
	else if (view->shown && view->page == PAGE_VMS)
		show_vms(view);
	else if (view->shown)
		show_one(view);
	refresh();
}

/* Refreshing ------------------------------------------------------------------------ */

static void make_loads(struct view *view)
{
	free(view->loads.load);
	view->loads = (struct loads) { 0 };
	if (view->shown)
		view->loads = loads_of(view->shown, &view->selection, view->key,
				       view->selection.ascending);
}

/* Take what has been added since the last time. If the totals were reset, begin anew. */
static void update(struct view *view)
{
	struct table *difference;

	/* Somebody else may have turned totals off. */
	totals_start();
	difference = meter_read(&view->meter);
	if (!difference)
		return;
	table_free(view->shown);
	view->shown = difference;
	make_loads(view);
}

/* Keys ------------------------------------------------------------------------------ */

static void turn_to(struct view *view, enum page page)
{
	view->before = view->page;
	view->page = page;
	view->y = 0;
	view->x = 0;
}

static void open_page(struct view *view, unsigned int of)
{
	view->opened = view->selection;
	view->opened.ascending = false;
	view->of = of;
	view->kinds = view->selection.kinds;
	/* The host's line has no exits; without this, the page would show those of all VMs. */
	if (of == OF_HOST)
		view->kinds = kinds_in_both(view->kinds, HOST_KINDS);
	view->opened.kinds = view->kinds;
	view->group = 0;
	turn_to(view, PAGE_ONE);
}

static void open_one(struct view *view)
{
	if (!view->loads.nr)
		return;
	open_page(view, view->cursor ? OF_VM : OF_HOST);
	if (view->cursor)
		view->opened.vm = view->cursor;
}

/* After the last group, all again. */
static void next_group(struct view *view)
{
	const char *kinds = groups[view->of][view->group];

	view->group = kinds ? view->group + 1 : 0;
	view->opened.kinds = kinds ?: view->kinds;
}

static void choose_column(struct view *view, int step)
{
	if (view->page == PAGE_VMS) {
		view->key = (view->key + step + NR_LOAD_KEYS) % NR_LOAD_KEYS;
		make_loads(view);
	} else {
		view->opened.key = (view->opened.key + step + NR_SORT_KEYS) % NR_SORT_KEYS;
	}
}

static void reverse(struct view *view)
{
	struct selection *selection = view->page == PAGE_VMS ? &view->selection : &view->opened;

	selection->ascending = !selection->ascending;
	make_loads(view);
}

/* The lowest line is found when it is painted. */
static void move_by(struct view *view, long lines)
{
	size_t *line = &view->line;

	if (view->page == PAGE_VMS) {
		*line = lines < 0 && *line < -lines ? 0 : *line + lines;
		if (*line >= view->loads.nr)
			*line = view->loads.nr ? view->loads.nr - 1 : 0;
		view->follows = *line > 0;
		if (view->loads.nr)
			view->cursor = view->loads.load[*line].vm;
	} else {
		view->y = lines < 0 && view->y < -lines ? 0 : view->y + lines;
	}
}

static bool handle_move(struct view *view, int key)
{
	const long most = 1 << 30;

	switch (key) {
	case KEY_UP:
		move_by(view, -1);
		return true;
	case KEY_DOWN:
		move_by(view, 1);
		return true;
	case KEY_PPAGE:
		move_by(view, -(long)nr_visible());
		return true;
	case KEY_NPAGE:
		move_by(view, nr_visible());
		return true;
	/* A VT220 calls the keys at these places Find and Select. */
	case KEY_HOME:
	case KEY_FIND:
		move_by(view, -most);
		return true;
	case KEY_END:
	case KEY_SELECT:
		move_by(view, most);
		return true;
	case KEY_LEFT:
		view->x -= view->x < STEP ? view->x : STEP;
		return true;
	case KEY_RIGHT:
		view->x += STEP;
		return true;
	}
	return false;
}

static void handle_list(struct view *view, int key)
{
	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER:
		open_one(view);
		break;
	case 'a':
		open_page(view, OF_ALL);
		break;
	}
}

static void handle_one(struct view *view, int key)
{
	switch (key) {
	case KEY_BACKSPACE:
	case '\b':
	case 0x7f:
		turn_to(view, PAGE_VMS);
		break;
	case 't':
		view->opened.key = SORT_TIME;
		break;
	case 'c':
		view->opened.key = SORT_COUNT;
		break;
	case 'm':
		view->opened.key = SORT_MAX;
		break;
	case '9':
		view->opened.key = SORT_P99;
		break;
	case 'g':
		next_group(view);
		break;
	}
}

/* Act on a key; false to quit. */
static bool handle(struct view *view, int key)
{
	if (key == 'q')
		return false;
	if (key == 'h')
		turn_to(view, view->page == PAGE_HELP ? view->before : PAGE_HELP);
	else if (key == ' ')
		view->is_paused = !view->is_paused;
	else if (key == CTRL('L'))
		clearok(curscr, true);
	else if (handle_move(view, key) || view->page == PAGE_HELP)
		return true;
	else if (key == '<' || key == '>')
		choose_column(view, key == '<' ? -1 : 1);
	else if (key == 'r')
		reverse(view);
	else if (view->page == PAGE_VMS)
		handle_list(view, key);
	else
		handle_one(view, key);
	return true;
}

static void run(struct view *view)
{
	double left;
	int key;

	while (!interrupted) {
		show(view);
		left = view->meter.start + view->seconds - now_seconds();
		left = left > 1000 ? 1000 : left;
		timeout(view->is_paused ? -1 : left > 0 ? left * 1000 + 1 : 1);
		key = getch();
		if (!handle(view, key))
			return;
		if (!view->is_paused && now_seconds() >= view->meter.start + view->seconds)
			update(view);
	}
}

static void end_screen(void)
{
	endwin();
}

static void begin_screen(void)
{
	terminal_know();
	if (!newterm(NULL, stdout, stdin))
		errx(1, "top needs a terminal that ncurses knows (TERM=%s)", getenv("TERM") ?: "");
	atexit(end_screen);
	cbreak();
	noecho();
	keypad(stdscr, true);
	curs_set(0);
}

int cmd_top(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &select_argp }, { &kind_argp }, { &sort_argp }, { &color_argp }, { 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Show live what the hypervisor does, and how long it takes. Nothing is "
		       "recorded.\v"
		       "A line is a VM: Enter opens it, Backspace goes back. < and > sort by "
		       "another column, h shows all keys, q quits.",
		.children = children,
	};
	static const enum load_key columns[NR_SORT_KEYS] = {
		[SORT_TIME]	= LOAD_GUEST,
		[SORT_COUNT]	= LOAD_EXITS,
		[SORT_MAX]	= LOAD_MAX,
		[SORT_P99]	= LOAD_P99,
	};
	struct arguments arguments = { .selection = SELECT_ALL, .seconds = 1 };
	struct view view = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		errx(1, "top needs a terminal; hyptrace stat needs none");
	catch_interrupts();
	view.selection = arguments.selection;
	view.seconds = arguments.seconds;
	view.meter = meter_start();
	selection_check(view.meter.before, &view.selection);
	begin_screen();
	view.key = columns[view.selection.key];
	/* On the first line, whoever that is */
	view.cursor = UINT_MAX;
	if (view.selection.vm >= 0) {
		open_page(&view, OF_VM);
		view.opened.vm = view.selection.vm;
	}
	run(&view);
	free(view.loads.load);
	meter_stop(&view.meter);
	table_free(view.shown);
	return 0;
}
