// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the guest's /proc/iomem, or what QEMU's monitor prints for "info mtree -f". Both have lines
 * with a first and a last address in hexadecimal, and a name at the end, behind a colon:
 *
 *   09000000-09000fff : pl011@9000000
 *   0000000009000000-0000000009000fff (prio 0, i/o): pl011
 */

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "row.h"
#include "text.h"

struct range {
	uint64_t	first, last;
	const char	*name;
};

struct map {
	struct range	*range;
	size_t		nr;
};

static void add_line(struct map *map, const char *line)
{
	/* Names may have colons, too. */
	const char *colon = strchr(line, ':');
	struct range range = { 0 };
	char name[REASON_SIZE / 2];

	if (!colon || sscanf(line, " %" SCNx64 "-%" SCNx64, &range.first, &range.last) != 2)
		return;
	copy_text(name, sizeof(name), colon + 1 + strspn(colon + 1, " "));
	range.name = intern(name);
	map->range = xrealloc(map->range, map->nr + 1, sizeof(range));
	map->range[map->nr++] = range;
}

/**
 * map_read() - read what is where
 * @input:	the file, which is open
 *
 * If there is nothing in it, the program ends with the reason.
 *
 * Return: the map
 */
struct map *map_read(const struct input *input)
{
	struct map *map = xzalloc(sizeof(*map));
	FILE *file = input_stream(input);
	uint64_t addresses = 0;
	char *line = NULL;
	size_t size = 0, i;

	while (getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		add_line(map, line);
	}
	free(line);
	fclose(file);
	for (i = 0; i < map->nr; i++)
		addresses |= map->range[i].last;
	if (map->nr && !addresses)
		errx(1, "%s: has no addresses: read /proc/iomem as the guest's root",
		     input->path);
	if (!map->nr)
		errx(1, "%s: has no line as the guest's /proc/iomem or QEMU's 'info mtree -f' have: FIRST-LAST ...: NAME",
		     input->path);
	return map;
}

/**
 * map_free() - free a map
 * @map:	the map, or NULL
 */
void map_free(struct map *map)
{
	if (map)
		free(map->range);
	free(map);
}

/**
 * map_name() - what is at an address
 * @map:	the map, or NULL
 * @address:	the address
 *
 * Return: the name of the smallest range that has it, of several the last; NULL if there is none
 */
const char *map_name(const struct map *map, uint64_t address)
{
	const struct range *range, *best = NULL;

	if (!map)
		return NULL;
	for (range = map->range; range < map->range + map->nr; range++)
		if (range->first <= address && address <= range->last &&
		    (!best || range->last - range->first <= best->last - best->first))
			best = range;
	return best ? best->name : NULL;
}
