/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events as they were recorded, in a file for Perfetto.
 */
#ifndef HYPTRACE_RAW_H
#define HYPTRACE_RAW_H

#include <event-parse.h>

#include "perfetto.h"

struct raw *raw_new(struct perfetto *perfetto, struct tep_handle *tep);
void raw_event(struct raw *raw, const struct tep_record *record, int type, pid_t tid);
void raw_free(struct raw *raw);

#endif /* HYPTRACE_RAW_H */
