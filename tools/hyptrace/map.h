/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is where in a guest's memory.
 */
#ifndef HYPTRACE_MAP_H
#define HYPTRACE_MAP_H

#include <stdint.h>

#include "input.h"

struct map;

struct map *map_read(const struct input *input);
void map_free(struct map *map);
const char *map_name(const struct map *map, uint64_t address);

#endif /* HYPTRACE_MAP_H */
