/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracks of VMs, vCPUs and CPUs in a file for Perfetto.
 */
#ifndef HYPTRACE_TRACKS_H
#define HYPTRACE_TRACKS_H

#include "perfetto.h"
#include "recording.h"

struct tracks *tracks_new(struct perfetto *perfetto, const struct recording *recording);
struct track *tracks_state(struct tracks *tracks, struct vcpu *vcpu);
struct track *tracks_el2(struct tracks *tracks, struct vcpu *vcpu);
struct track *tracks_guest(struct tracks *tracks, struct vcpu *vcpu);
struct track *tracks_memory(struct tracks *tracks, unsigned int vm);
struct track *tracks_cpu(struct tracks *tracks, int cpu);
void tracks_free(struct tracks *tracks);

#endif /* HYPTRACE_TRACKS_H */
