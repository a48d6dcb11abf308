/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file for speedscope: what each CPU did when.
 */
#ifndef HYPTRACE_SPEEDSCOPE_H
#define HYPTRACE_SPEEDSCOPE_H

#include <stdint.h>

#include "output.h"

struct speedscope;

struct speedscope *speedscope_new(void);
void speedscope_open(struct speedscope *speedscope, int cpu, const char *function, uint64_t ts);
void speedscope_close(struct speedscope *speedscope, int cpu, uint64_t ts);
void speedscope_write(struct speedscope *speedscope, struct output *output);

#endif /* HYPTRACE_SPEEDSCOPE_H */
