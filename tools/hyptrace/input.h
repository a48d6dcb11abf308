/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are read. They may be damaged, or made by somebody who means harm.
 */
#ifndef HYPTRACE_INPUT_H
#define HYPTRACE_INPUT_H

#include <stdio.h>

#include "output.h"

/**
 * struct input - a file that is read
 * @path:	its name
 * @fd:		where it is open
 */
struct input {
	const char	*path;
	int		fd;
};

void input_open(struct input *input);
void read_in_child(struct input *input, int nr, struct output *output);
FILE *input_stream(const struct input *input);

#endif /* HYPTRACE_INPUT_H */
