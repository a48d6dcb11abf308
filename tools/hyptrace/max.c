// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace max: the longest intervals, and the events that go with one of them.
 */

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "color.h"
#include "command.h"
#include "hyp.h"
#include "keeper.h"
#include "measure.h"
#include "numbers.h"
#include "print.h"
#include "select.h"
#include "subcommands.h"
#include "text.h"
#include "totals.h"

struct arguments {
	struct measurement	measurement;
	struct selection	selection;
	long			threshold_us;
	bool			why;
};

enum {
	OPTION_ABOVE = 0x5000,
};

static const struct argp_option options[] = {
	{ "above", OPTION_ABOVE, "US", 0,
	  "Also the latest that are longer than US microseconds", 0 },
	{ "why", 'w', NULL, 0,
	  "Also the events of the first one; records them for that", 0 },
	{ 0 }
};

/* Is it to measure for some time, and not to show what is kept? */
static bool is_measured(const struct measurement *measurement)
{
	return measurement->argv || measurement->seconds;
}

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (option) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->selection;
		state->child_inputs[1] = &arguments->selection;
		state->child_inputs[2] = &arguments->measurement;
		return 0;
	case OPTION_ABOVE:
		arguments->threshold_us = number_option(state, "--above", argument);
		return 0;
	case 'w':
		arguments->why = true;
		return 0;
	case ARGP_KEY_END:
		if (arguments->threshold_us && !is_measured(&arguments->measurement))
			argp_error(state, "--above: say how long: a command, or -d SECONDS");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Reading --------------------------------------------------------------------------- */

/**
 * struct max_interval - an interval as hyp/max/events has it
 * @is_longest:	it is the longest of its kind and reason
 * @key:	its VM, vCPU, kind and reason
 * @ns:		its length [ns]
 * @from:	its beginning [ns]
 * @first_cpu:	where it has begun
 * @cpu:	where it has ended
 * @pid:	the task
 * @comm:	the task's name
 * @nr:		number of events
 * @lost:	number of events that were not there any more, or "?"
 * @events:	their text, up to @end
 * @end:	the end of it
 */
struct max_interval {
	bool		is_longest;
	struct key	key;
	uint64_t	ns, from;
	int		first_cpu, cpu, pid;
	char		comm[64];
	uint64_t	nr;
	char		lost[24];
	const char	*events, *end;
};

/* "12\tlongest\t1\t0\texit_host\tDABT_LOW\t..." */
static bool parse_interval(struct max_interval *interval, const char *line)
{
	struct key *key = &interval->key;
	char which[16], kind[16], reason[REASON_SIZE];

	*interval = (struct max_interval) { 0 };
	if (sscanf(line, "%*u\t%15s\t%u\t%u\t%15s\t%63s\t%" SCNu64 "\t%" SCNu64
		   "\t%*u\t%d\t%d\t%d\t%" SCNu64 "\t%23s\t%63[^\n]", which, &key->vm,
		   &key->vcpu, kind, reason, &interval->ns, &interval->from, &interval->first_cpu,
		   &interval->cpu, &interval->pid, &interval->nr, interval->lost,
		   interval->comm) != 13)
		return false;
	interval->is_longest = !strcmp(which, "longest");
	key->kind = kind_of(kind);
	key->reason = intern(reason);
	return key->kind != NR_KINDS;
}

/* Longest first. */
static int by_length(const void *a, const void *b)
{
	const struct max_interval *x = a, *y = b;

	return x->ns > y->ns ? -1 : x->ns < y->ns;
}

struct intervals {
	struct max_interval	*interval;
	size_t		nr;
};

/* The line of an interval begins with "# ", a number and a tab. Other comments have no number. */
static const char *next_line(const char *text)
{
	while ((text = strstr(text, "\n# "))) {
		text += 3;
		if (strspn(text, "0123456789") && text[strspn(text, "0123456789")] == '\t')
			break;
	}
	return text;
}

/* Read those that the user wants to see from @text, which must stay; the longest first. */
static struct intervals intervals_read(const char *text, const struct selection *selection)
{
	struct intervals intervals = { 0 };
	struct table *vms = totals_vms();
	const char *line, *next;
	struct max_interval *now;

	selection_check(vms, selection);
	for (line = next_line(text); line; line = next) {
		intervals.interval = xrealloc(intervals.interval, intervals.nr + 1, sizeof(*now));
		now = &intervals.interval[intervals.nr];
		if (!parse_interval(now, line))
			errx(1, HYP_INSTANCE "/max/events: can't be understood: %.*s",
			     (int)strcspn(line, "\n"), line);
		next = next_line(line);
		now->events = line + strcspn(line, "\n") + 1;
		now->end = next ? next - 2 : line + strlen(line);
		intervals.nr += is_selected(vms, selection, &now->key);
	}
	table_free(vms);
	sort(intervals.interval, intervals.nr, sizeof(*now), by_length);
	return intervals;
}

/* Measuring ------------------------------------------------------------------------- */

static long hyp_number(const char *file)
{
	long long number;

	if (tracefs_instance_file_read_number(hyp_open(), file, &number))
		err(1, HYP_INSTANCE "/%s: this kernel does not keep the longest intervals", file);
	return number;
}

static void hyp_write(const char *file, const char *value)
{
	if (tracefs_instance_file_write(hyp_open(), file, value) < 0)
		err(1, HYP_INSTANCE "/%s", file);
}

/* Is any event of the hypervisor enabled? */
static bool has_events(void)
{
	char *text = tracefs_instance_file_read(hyp_open(), "events/hyp/enable", NULL);
	bool any = text && text[0] != '0';

	free(text);
	return any;
}

/*
 * Have the hypervisor record until this program ends: all its events, unless some are enabled. What
 * is on already stays on.
 */
static void record_events(void)
{
	bool is_on = hyp_number("tracing_on"), some = has_events();

	if (!is_on)
		keeper_add("tracing_on", "0");
	if (!some)
		keeper_add("events/hyp/enable", "0");
	keeper_start();
	if (!some)
		hyp_write("events/hyp/enable", "1");
	if (!is_on)
		hyp_write("tracing_on", "1");
}

/* Begin anew, and let it go on until this program ends. */
static void max_start(const struct arguments *arguments)
{
	static char before[24];
	char threshold[24];

	snprintf(before, sizeof(before), "%ld", hyp_number("max/threshold_us"));
	snprintf(threshold, sizeof(threshold), "%ld", arguments->threshold_us);
	keeper_add("max/threshold_us", before);
	keeper_add("max/enable", "0");
	if (!totals_are_on())
		keeper_add("totals/enable", "0");
	if (arguments->why)
		record_events();
	keeper_start();
	hyp_write("max/threshold_us", threshold);
	hyp_write("max/reset", "1");
	hyp_write("max/enable", "1");
}

/* Somebody has chosen what is kept, and recorded, and that must stay. */
static void check_kept(const struct arguments *arguments)
{
	const char *option = NULL;

	if (arguments->threshold_us)
		option = "--above";
	else if (arguments->why && is_measured(&arguments->measurement) &&
		 !(hyp_number("tracing_on") && has_events()))
		option = "--why";
	if (option)
		errx(1, "%s: somebody keeps the longest intervals already, with other settings: leave it out, or first echo 0 > %s/max/enable",
		     option, hyp_dir());
	warnx("somebody keeps the longest intervals already: these are since then");
}

static char *measure_max(struct arguments *arguments)
{
	struct measurement *measurement = &arguments->measurement;

	if (hyp_number("max/enable")) {
		check_kept(arguments);
	} else if (is_measured(measurement)) {
		catch_interrupts();
		max_start(arguments);
	} else if (!hyp_number("totals/enable")) {
		warnx("the longest intervals are not kept: say how long (a command, or -d SECONDS), or let them be kept from now on: echo 1 > %s/max/enable",
		      hyp_dir());
	}
	if (measurement->argv)
		measurement->status = command_run(measurement->argv);
	else if (measurement->seconds)
		wait_seconds(measurement->seconds);
	return tracefs_instance_file_read(hyp_open(), "max/events", NULL);
}

/* Printing -------------------------------------------------------------------------- */

static void print_interval(struct max_interval *interval)
{
	char text[TIME_SIZE], from[SECONDS_SIZE], task[80], guest[32] = "", cpus[32];
	const struct key *key = &interval->key;

	if (is_vcpus(key->kind))
		snprintf(guest, sizeof(guest), "%u/%u", key->vm, key->vcpu);
	if (interval->first_cpu == interval->cpu)
		snprintf(cpus, sizeof(cpus), "%d", interval->cpu);
	else
		snprintf(cpus, sizeof(cpus), "%d>%d", interval->first_cpu, interval->cpu);
	snprintf(task, sizeof(task), "%s-%d", make_printable(interval->comm), interval->pid);
	printf("%9s%s %-9s %-26s %7s %7s %-22s %14s %6" PRIu64 " %5s\n",
	       format_time(text, "", interval->ns), interval->is_longest ? " " : "+",
	       kind_names[key->kind], key->reason, guest, cpus, task,
	       format_seconds(from, interval->from, 6), interval->nr, interval->lost);
}

static void print_intervals(const struct intervals *intervals)
{
	size_t i;

	printf("%9s  %-9s %-26s %7s %7s %-22s %14s %6s %5s\n", "Longest", "Kind", "Reason",
	       "VM/vCPU", "CPU", "Thread", "from", "Events", "lost");
	for (i = 0; i < intervals->nr; i++)
		print_interval(&intervals->interval[i]);
}

/* The events of the first one. What guests and threads have chosen is in them. */
static void print_events(const struct intervals *intervals)
{
	const struct max_interval *first = intervals->interval;
	char *events = strndup(first->events, first->end - first->events), *rest, *line;

	if (!events)
		err(1, "memory");
	printf("\n%s %s:\n", kind_names[first->key.kind], first->key.reason);
	if (strcmp(first->lost, "0"))
		printf("%s%s events were overwritten before they could be read%s: a larger %s/buffer_size_kb helps\n",
		       color_begin(stdout), strcmp(first->lost, "?") ? first->lost : "Some",
		       color_end(stdout), hyp_dir());
	if (!*events)
		printf("The hypervisor has recorded no event meanwhile.\n");
	for (rest = events; (line = strsep(&rest, "\n")) && *line; )
		printf("%s\n", make_printable(line));
	free(events);
}

int cmd_max(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &select_argp }, { &kind_argp }, { &measure_argp }, { &color_argp }, { 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[COMMAND...]",
		.doc = "Show the longest interval of each kind and reason: while COMMAND runs, for "
		       "SECONDS, or since they are kept.\v"
		       "A '+' marks those of --above.",
		.children = children,
	};
	struct arguments arguments = { .selection = SELECT_ALL };
	struct intervals intervals;
	char *text;

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments);
	text = measure_max(&arguments);
	if (!text)
		err(1, HYP_INSTANCE "/max/events");
	intervals = intervals_read(text, &arguments.selection);
	if (intervals.nr)
		print_intervals(&intervals);
	else
		printf("There is no such interval.\n");
	if (intervals.nr && arguments.why)
		print_events(&intervals);
	free(intervals.interval);
	free(text);
	return arguments.measurement.status;
}
