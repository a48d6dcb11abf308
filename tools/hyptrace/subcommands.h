/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The subcommands of hyptrace. Each takes its arguments as main() would, and returns the exit
 * status.
 */
#ifndef HYPTRACE_SUBCOMMANDS_H
#define HYPTRACE_SUBCOMMANDS_H

int cmd_check(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_flame(int argc, char **argv);
int cmd_hist(int argc, char **argv);
int cmd_log(int argc, char **argv);
int cmd_max(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_wakeup(int argc, char **argv);

#endif /* HYPTRACE_SUBCOMMANDS_H */
