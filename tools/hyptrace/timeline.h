/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A picture of what vCPUs did when.
 */
#ifndef HYPTRACE_TIMELINE_H
#define HYPTRACE_TIMELINE_H

#include "output.h"
#include "recording.h"
#include "select.h"

struct timeline;

struct timeline *timeline_new(const struct reading *reading);
void timeline_add(struct vcpu *vcpu, const struct span *span, void *timeline);
void timeline_draw(struct timeline *timeline, const struct recording *recording,
		   const struct selection *selection, struct output *output);

#endif /* HYPTRACE_TIMELINE_H */
