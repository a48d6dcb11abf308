/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers, times and durations that are the arguments of options.
 */
#ifndef HYPTRACE_NUMBERS_H
#define HYPTRACE_NUMBERS_H

#include <argp.h>
#include <stdint.h>

long number_option(struct argp_state *state, const char *option, const char *text);
long positive_option(struct argp_state *state, const char *option, const char *text);
double seconds_option(struct argp_state *state, const char *option, const char *text);
uint64_t time_option(struct argp_state *state, const char *option, const char *text);
uint64_t duration_option(struct argp_state *state, const char *option, const char *text);

#endif /* HYPTRACE_NUMBERS_H */
