// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace: what KVM's hypervisor on arm64 does, and how long it takes.
 */

#include <argp.h>
#include <err.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "subcommands.h"

/* The arguments are wrong. */
#define STATUS_USAGE	2

/* hyptrace check: the script does it, since it must run where nothing else is installed. */
int cmd_check(int argc, char **argv)
{
	if (argc > 1) {
		printf("Usage: hyptrace check\n"
		       "Say whether this machine can trace its hypervisor, and if not, why. There are no options.\n");
		return strcmp(argv[1], "--help") ? STATUS_USAGE : 0;
	}
	argv[0] = "hyptrace-check";
	execvp(argv[0], argv);
	err(1, "hyptrace-check, which is installed with hyptrace");
}

#define MAX_NAME	8

static const struct subcommand {
	char		name[MAX_NAME];
	const char	*summary;
	int		(*run)(int argc, char **argv);
} subcommands[] = {
	{ "stat",   "count exits, hypercalls and their time, while a command runs", cmd_stat },
	{ "top",    "the same, live in the terminal", cmd_top },
	{ "hist",   "show the histogram of one of them", cmd_hist },
	{ "max",    "the longest of each, and what happened meanwhile", cmd_max },
	{ "log",    "print events as they come, a line each", cmd_log },
	{ "record", "record events of host and hypervisor into a trace.dat", cmd_record },
	{ "report", "the tables of stat from a trace.dat, and what vCPUs did when", cmd_report },
	{ "wakeup", "how long vCPUs take from being woken to running", cmd_wakeup },
	{ "export", "what vCPUs and the hypervisor did, for Perfetto", cmd_export },
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
	fprintf(file, "\nhyptrace help SUBCOMMAND explains one; see also hyptrace(1).\n");
}

static const struct subcommand *subcommand_of(const char *name)
{
	const struct subcommand *c;

	for (c = subcommands; c < subcommands + NR_SUBCOMMANDS; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

/*
 * How many characters must be put in, taken out or replaced to make @name of @text (Wagner and
 * Fischer, "The String-to-String Correction Problem", 1974)
 */
static unsigned int edits(const char *text, const char *name)
{
	/* These are the edits from the part of @text seen so far to each beginning of @name. */
	unsigned int to[MAX_NAME], before, above, i, length = strlen(name);

	for (i = 0; i <= length; i++)
		to[i] = i;
	for (; *text; text++) {
		before = to[0]++;
		for (i = 1; i <= length; i++) {
			above = to[i];
			to[i] = before + (*text != name[i - 1]);
			to[i] = to[i] < above + 1 ? to[i] : above + 1;
			to[i] = to[i] < to[i - 1] + 1 ? to[i] : to[i - 1] + 1;
			before = above;
		}
	}
	return to[length];
}

static _Noreturn void refuse(const char *name)
{
	const struct subcommand *c, *closest = NULL;
	unsigned int least = UINT_MAX, n;

	/* One with more to change has not much in common. */
	for (c = subcommands; c < subcommands + NR_SUBCOMMANDS; c++) {
		n = edits(name, c->name);
		if (n < least && 2 * n < strlen(c->name)) {
			least = n;
			closest = c;
		}
	}
	warnx("there is no subcommand %s%s%s", name, closest ? "; did you mean " : "",
	      closest ? closest->name : "");
	usage(stderr);
	exit(STATUS_USAGE);
}

static bool is_version(const char *argument)
{
	return !strcmp(argument, "--version") || !strcmp(argument, "-V");
}

static bool is_help(const char *argument)
{
	return !strcmp(argument, "--help") || !strcmp(argument, "-h");
}

/* "help stat" and "stat -h" become what argp knows: "stat --help". */
static void set_help(int argc, char **argv)
{
	if (!strcmp(argv[1], "help")) {
		argv[1] = argv[2];
		argv[2] = "--help";
	}
	if (argc > 2 && is_help(argv[2]))
		argv[2] = "--help";
}

int main(int argc, char **argv)
{
	const struct subcommand *c;
	char name[32];
	int status;

	if (argc < 2) {
		usage(stderr);
		return STATUS_USAGE;
	}
	if (is_help(argv[1]) || (!strcmp(argv[1], "help") && argc == 2)) {
		usage(stdout);
		output_finish();
		return 0;
	}
	if (is_version(argv[1])) {
		printf("hyptrace %s\n", VERSION);
		output_finish();
		return 0;
	}
	set_help(argc, argv);
	c = subcommand_of(argv[1]);
	if (!c)
		refuse(argv[1]);
	argp_err_exit_status = STATUS_USAGE;
	/* A help should fit on a screen, so argp's note that each would have is left out. */
	setenv("ARGP_HELP_FMT", "no-dup-args-note", false);
	/* Messages about arguments begin with this. */
	snprintf(name, sizeof(name), "hyptrace %s", c->name);
	argv[1] = name;
	status = c->run(argc - 1, argv + 1);
	output_finish();
	return status;
}
