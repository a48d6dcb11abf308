/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Terminals that hyptrace knows by itself.
 */
#ifndef HYPTRACE_TERMINALS_H
#define HYPTRACE_TERMINALS_H

void terminal_know(void);

#endif /* HYPTRACE_TERMINALS_H */
