// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace: what KVM's hypervisor on arm64 does, and how long it takes.
 */

#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "subcommands.h"

/* hyptrace check: the script does it, since it must run where nothing else is installed. */
int cmd_check(int argc, char **argv)
{
	argv[0] = "hyptrace-check";
	execvp(argv[0], argv);
	err(1, "hyptrace-check, which is installed with hyptrace");
}

static const struct subcommand {
	const char	*name, *summary;
	int		(*run)(int argc, char **argv);
} subcommands[] = {
	{ "stat",   "count exits, hypercalls and their time, while a command runs", cmd_stat },
	{ "top",    "the same, live in the terminal", cmd_top },
	{ "hist",   "show the histogram of one of them", cmd_hist },
	{ "max",    "the longest of each, and what happened meanwhile", cmd_max },
	{ "record", "record events of host and hypervisor into a trace.dat", cmd_record },
	{ "report", "the tables of stat from a trace.dat, and what vCPUs did when", cmd_report },
	{ "wakeup", "how long vCPUs take from being woken to running", cmd_wakeup },
	{ "flame",  "where the time goes, by functions: folded stacks, speedscope", cmd_flame },
	{ "merge",  "events of host and guest in the order of time", cmd_merge },
	{ "diff",   "compare two recordings, or two outputs of --json", cmd_diff },
	{ "check",  "say whether this machine can trace its hypervisor", cmd_check },
};

#define NR_SUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

static void usage(FILE *file)
{
	const struct subcommand *c;

	fprintf(file, "usage: hyptrace SUBCOMMAND [OPTION...]\n\n");
	for (c = subcommands; c < subcommands + NR_SUBCOMMANDS; c++)
		fprintf(file, "  %-8s %s\n", c->name, c->summary);
	fprintf(file, "\nhyptrace SUBCOMMAND --help explains one; see also hyptrace(1).\n");
}

int main(int argc, char **argv)
{
	const struct subcommand *c = subcommands;
	char name[32];
	int status;

	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		output_finish();
		return 0;
	}
	while (c < subcommands + NR_SUBCOMMANDS && strcmp(c->name, argv[1]))
		c++;
	if (c == subcommands + NR_SUBCOMMANDS) {
		warnx("there is no subcommand %s", argv[1]);
		usage(stderr);
		return 2;
	}
	/* A help should fit on a screen, so argp's note that each would have is left out. */
	setenv("ARGP_HELP_FMT", "no-dup-args-note", false);
	/* Messages about arguments begin with this. */
	snprintf(name, sizeof(name), "hyptrace %s", c->name);
	argv[1] = name;
	status = c->run(argc - 1, argv + 1);
	output_finish();
	return status;
}
