/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The user's command. What happens while it runs is measured or recorded.
 */
#ifndef HYPTRACE_COMMAND_H
#define HYPTRACE_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

extern volatile sig_atomic_t interrupted;

void catch_interrupts(void);
void catch_interrupts_of_reading(void);
pid_t xfork(void);
int command_follow(pid_t pid);
int command_run(char **argv);
pid_t command_start(char **argv);
pid_t filter_start(char **argv, FILE **to, FILE **from);
void command_forward(pid_t pid);
bool command_ends(pid_t pid, double seconds);
int command_wait(pid_t pid);
void wait_seconds(double seconds);
double now_seconds(void);

#endif /* HYPTRACE_COMMAND_H */
