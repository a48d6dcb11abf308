/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Texts and names that somebody else has chosen: threads, guests, makers of files.
 */
#ifndef HYPTRACE_TEXT_H
#define HYPTRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

bool ends_in(const char *name, const char *end);
char *make_printable(char *text);
void make_lines_printable(char *text, size_t size);
void copy_text(char *copy, size_t size, const char *text);
void copy_name(char *copy, size_t size, const char *name);

#endif /* HYPTRACE_TEXT_H */
