/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are written.
 */
#ifndef HYPTRACE_OUTPUT_H
#define HYPTRACE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct output - a file that is written
 * @path:	its name, NULL if none is wanted
 * @file:	where it is open
 * @ends_whole:	what wants the program to end, ends its reading, but what is written is finished
 */
struct output {
	const char	*path;
	FILE		*file;
	bool		ends_whole;
};

const char *temporary_dir(void);
int unnamed_file(const char *dir);
void output_open(struct output *output);
void output_begin(struct output *output);
void output_write(struct output *output, const char *text, size_t size);
void output_copy(FILE *to, FILE *from);
void output_close(struct output *output);
void output_finish(void);

#endif /* HYPTRACE_OUTPUT_H */
