// SPDX-License-Identifier: GPL-2.0-only
/*
 * Terminals that hyptrace knows by itself: where it is the only program, there may be no terminfo.
 */

#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "terminals.h"

static const struct {
	const char	*name, *terminfo;
} terminals[] = {
	/* The Makefile makes it by infocmp(1): { "linux", "hex:..." }, ... */
#include "terminfo.inc"
};

/**
 * terminal_know() - have ncurses know the terminal, if that is one that hyptrace knows
 *
 * It uses what the system has if that has the terminal. To be called before ncurses is used.
 */
void terminal_know(void)
{
	const char *name = getenv("TERM");
	size_t i;
	int error;

	if (!name || setupterm(NULL, STDOUT_FILENO, &error) == OK)
		return;
	for (i = 0; i < sizeof(terminals) / sizeof(terminals[0]); i++)
		if (!strcmp(terminals[i].name, name))
			setenv("TERMINFO", terminals[i].terminfo, true);
}
