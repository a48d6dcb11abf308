/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pictures, as SVG.
 */
#ifndef HYPTRACE_SVG_H
#define HYPTRACE_SVG_H

#include <argp.h>
#include <stdio.h>

void svg_option(struct argp_state *state, const char *option, const char *path);
void svg_begin(FILE *file, int width, int height);
void svg_end(FILE *file);
void svg_print(FILE *file, const char *text, size_t length);

#endif /* HYPTRACE_SVG_H */
