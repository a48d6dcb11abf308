/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The keeper turns off what this program has turned on, however the program ends.
 */
#ifndef HYPTRACE_KEEPER_H
#define HYPTRACE_KEEPER_H

void keeper_add(const char *file, const char *value);
void keeper_start(void);

#endif /* HYPTRACE_KEEPER_H */
