// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts and names that somebody else has chosen. A terminal would obey their control characters.
 */

#include <stdio.h>
#include <string.h>

#include "text.h"

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

static void replace(char *text, const char *others)
{
	for (; *text; text++)
		if (!is_printable(*text) || strchr(others, *text))
			*text = '?';
}

/**
 * ends_in() - has a name an end, and something before it?
 * @name:	the name
 * @end:	the end, such as ".svg"
 *
 * Return: true if so
 */
bool ends_in(const char *name, const char *end)
{
	const size_t length = strlen(name);

	return length > strlen(end) && !strcmp(name + length - strlen(end), end);
}

/**
 * make_printable() - make a text one of a line
 * @text:	the text
 *
 * A line feed would let it forge other lines. JSON must be UTF-8, so ASCII it is.
 *
 * Return: the text
 */
char *make_printable(char *text)
{
	size_t length = strlen(text);

	while (length && strchr("\n ", text[length - 1]))
		text[--length] = '\0';
	replace(text, "");
	return text;
}

/**
 * make_lines_printable() - replace all but printable ASCII, newlines and tabs by '?'
 * @text:	the text
 * @size:	its size [bytes]
 */
void make_lines_printable(char *text, size_t size)
{
	for (; size; text++, size--)
		if (!is_printable(*text) && *text != '\n' && *text != '\t')
			*text = '?';
}

/**
 * copy_text() - copy a text that goes into CSV
 * @copy:	where to
 * @size:	its size [bytes]; what is longer is cut
 * @text:	the text. The copy has no quotes and no separators, but may have spaces
 */
void copy_text(char *copy, size_t size, const char *text)
{
	snprintf(copy, size, "%s", text);
	replace(copy, "\",;\\");
}

/**
 * copy_name() - copy the name of a reason, of a function or of an event
 * @copy:	where to
 * @size:	its size [bytes]; what is longer is cut
 * @name:	the name. The copy has nothing that ends a name in CSV, for Prometheus, or in folded
 *		stacks
 */
void copy_name(char *copy, size_t size, const char *name)
{
	snprintf(copy, size, "%s", name);
	replace(copy, " \",;\\");
}
