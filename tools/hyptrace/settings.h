/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is set in hyp/, by whomever: a recorder takes it away, and gives it back.
 */
#ifndef HYPTRACE_SETTINGS_H
#define HYPTRACE_SETTINGS_H

#include <stdint.h>

#include "list.h"

/* The file that says whose events are recorded. */
#define SETTING_PIDS	"set_event_pid"

struct settings;

struct settings *settings_read(void);
struct list settings_in_use(const struct settings *settings);
struct list settings_changed(const struct settings *before, const struct settings *now,
			     const char *but);
uint64_t settings_digest(const struct settings *settings);
void settings_clear(const struct settings *settings);
void settings_restore(const struct settings *settings);
void settings_free(struct settings *settings);

#endif /* HYPTRACE_SETTINGS_H */
