// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of texts.
 */

#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "list.h"

/**
 * list_add() - add a text to a list
 * @list:	the list
 * @text:	the text, which is copied
 */
void list_add(struct list *list, const char *text)
{
	list->text = xrealloc(list->text, list->nr + 2, sizeof(char *));
	list->text[list->nr] = xstrdup(text);
	list->text[++list->nr] = NULL;
}

/**
 * list_add_once() - add a text to a list unless it is there
 * @list:	the list
 * @text:	the text, which is copied
 */
void list_add_once(struct list *list, const char *text)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (!strcmp(list->text[i], text))
			return;
	list_add(list, text);
}

/**
 * list_free() - empty a list
 * @list:	the list
 */
void list_free(struct list *list)
{
	while (list->nr)
		free(list->text[--list->nr]);
	free(list->text);
	*list = (struct list) { 0 };
}
