/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where, when and of what something was measured.
 */
#ifndef HYPTRACE_ORIGIN_H
#define HYPTRACE_ORIGIN_H

#include <jansson.h>

#include "recording.h"

json_t *origin_of_totals(char **command);
json_t *origin_of_recording(const struct recording *recording);

#endif /* HYPTRACE_ORIGIN_H */
