// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory, texts, trees and sorting. If there is no memory, the program ends with a message.
 */

#include <err.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"

/**
 * xrealloc() - resize an array, or end the program
 * @memory:	the array, or NULL
 * @number:	number of elements
 * @size:	size of an element [bytes]
 *
 * Return: the array
 */
void *xrealloc(void *memory, size_t number, size_t size)
{
	memory = reallocarray(memory, number, size);
	if (!memory && number)
		err(1, "memory");
	return memory;
}

/**
 * xzalloc() - allocate zeroed memory, or end the program
 * @size:	size [bytes]
 *
 * Return: the memory
 */
void *xzalloc(size_t size)
{
	return memset(xrealloc(NULL, 1, size), 0, size);
}

/**
 * xgrow() - make an array longer, or end the program
 * @array:	the array, or NULL
 * @number:	of its elements; is set to the new number
 * @least:	number of elements that it must have
 * @size:	the size of an element [bytes]
 *
 * New elements are 0.
 *
 * Return: the array, for free()
 */
void *xgrow(void *array, size_t *number, size_t least, size_t size)
{
	if (*number >= least)
		return array;
	array = xrealloc(array, least, size);
	memset((char *)array + *number * size, 0, (least - *number) * size);
	*number = least;
	return array;
}

/**
 * xstrdup() - copy a text, or end the program
 * @text:	the text
 *
 * Return: the copy
 */
char *xstrdup(const char *text)
{
	return strcpy(xrealloc(NULL, strlen(text) + 1, 1), text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/**
 * intern() - the only copy of a text
 * @text:	the text
 *
 * Return: the copy, which stays; texts that are the same have the same address
 */
const char *intern(const char *text)
{
	static void *texts;

	return *(char **)(tfind(text, &texts, by_text) ?: tsearch(xstrdup(text), &texts, by_text));
}

/**
 * tree_get() - find an element of a tree, or add it
 * @tree:	the tree, for tsearch()
 * @key:	what the element equals; a copy of the key is added if there is none
 * @size:	size of an element [bytes]
 * @compare:	compares two elements
 *
 * Return: the element
 */
void *tree_get(void **tree, const void *key, size_t size,
	       int (*compare)(const void *a, const void *b))
{
	void **found = tsearch(key, tree, compare);

	if (!found)
		err(1, "memory");
	if (*found == key)
		*found = memcpy(xrealloc(NULL, 1, size), key, size);
	return *found;
}

/**
 * sort() - sort an array, which may be empty
 * @array:	the array; NULL if it is empty
 * @number:	number of elements
 * @size:	size of an element [bytes]
 * @compare:	as of qsort(), which takes no NULL
 */
void sort(void *array, size_t number, size_t size, int (*compare)(const void *a, const void *b))
{
	if (number)
		qsort(array, number, size, compare);
}
