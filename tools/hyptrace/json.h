/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON, for all that prints it.
 */
#ifndef HYPTRACE_JSON_H
#define HYPTRACE_JSON_H

#include <jansson.h>
#include <stdio.h>

/* The number is raised when a member changes its meaning. */
#define FORMAT_NAME	"hyptrace 1"

void print_json_value(FILE *file, json_t *value, size_t flags);

#endif /* HYPTRACE_JSON_H */
