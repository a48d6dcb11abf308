/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A picture of what vCPUs did when.
 */
#ifndef HYPTRACE_TIMELINE_H
#define HYPTRACE_TIMELINE_H

#include "output.h"
#include "recording.h"
#include "select.h"

void draw_timeline(const struct recording *recording, const struct selection *selection,
		   struct output *output);

#endif /* HYPTRACE_TIMELINE_H */
