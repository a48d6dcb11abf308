/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where, when and of what something was measured.
 */
#ifndef HYPTRACE_ORIGIN_H
#define HYPTRACE_ORIGIN_H

#include <jansson.h>

#include "recording.h"

char *origin_text(char **command);
json_t *origin_of(const struct recording *recording, char **command);

#endif /* HYPTRACE_ORIGIN_H */
