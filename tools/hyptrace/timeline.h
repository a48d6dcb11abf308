/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A picture of what vCPUs did when.
 */
#ifndef HYPTRACE_TIMELINE_H
#define HYPTRACE_TIMELINE_H

#include "recording.h"
#include "select.h"

void draw_timeline(const struct recording *recording, const struct selection *selection,
		   const char *path);

#endif /* HYPTRACE_TIMELINE_H */
