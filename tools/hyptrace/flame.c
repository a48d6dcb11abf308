// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace flame: where the hypervisor spends its time, as folded stacks for flamegraph.pl and
 * other viewers of these, and as a file for speedscope.
 *
 * Folded stacks: a line for each chain of callers, their names with ";" between them, and the time
 * in the last one itself (https://github.com/brendangregg/FlameGraph).
 */

#include <argp.h>
#include <err.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "graph.h"
#include "input.h"
#include "speedscope.h"
#include "subcommands.h"

/* Trees --------------------------------------------------------------------------------- */

/* A function, called by a chain of others. */
struct node {
	char		*name;
	struct node	*caller, *called, *next;	/* @called: the first one of a list */
	uint64_t	self;				/* [ns] */
};

static struct node *node_called(struct node *caller, const char *name)
{
	struct node *node;

	for (node = caller->called; node; node = node->next)
		if (!strcmp(node->name, name))
			return node;
	node = xzalloc(sizeof(*node));
	node->name = xstrdup(name);
	node->caller = caller;
	node->next = caller->called;
	caller->called = node;
	return node;
}

static void node_free(struct node *node)
{
	struct node *called = node->called, *next;

	for (; called; called = next) {
		next = called->next;
		node_free(called);
	}
	free(node->name);
	free(node);
}

/* Where a CPU is in the tree, and since when. */
struct place {
	struct node	*node;
	uint64_t	since;
};

struct flame {
	struct node		*root;
	struct place		*cpu;
	int			nr_cpus;
	struct speedscope	*speedscope;
};

static struct place *place_of(struct flame *flame, int cpu)
{
	if (cpu >= flame->nr_cpus) {
		flame->cpu = xrealloc(flame->cpu, cpu + 1, sizeof(*flame->cpu));
		while (flame->nr_cpus <= cpu)
			flame->cpu[flame->nr_cpus++] = (struct place) { .node = flame->root };
	}
	return &flame->cpu[cpu];
}

/* Time has passed in the function where the CPU is; now it goes to another one. */
static void go(struct place *place, struct node *node, uint64_t ts)
{
	place->node->self += ts - place->since;
	*place = (struct place) { .node = node, .since = ts };
}

static void call(void *data, int cpu, const char *function, uint64_t ts)
{
	struct flame *flame = data;
	struct place *place = place_of(flame, cpu);

	go(place, node_called(place->node, function), ts);
	if (flame->speedscope)
		speedscope_open(flame->speedscope, cpu, function, ts);
}

static void ret(void *data, int cpu, uint64_t ts)
{
	struct flame *flame = data;
	struct place *place = place_of(flame, cpu);

	go(place, place->node->caller, ts);
	if (flame->speedscope)
		speedscope_close(flame->speedscope, cpu, ts);
}

/* Output -------------------------------------------------------------------------------- */

struct lines {
	char	**line;
	size_t	nr;
};

static void add_lines(struct lines *lines, const struct node *node, const char *callers)
{
	const struct node *called;
	char *chain;

	if (asprintf(&chain, "%s%s%s", callers, *callers ? ";" : "", node->name) < 0)
		err(1, NULL);
	if (node->self) {
		lines->line = xrealloc(lines->line, lines->nr + 1, sizeof(*lines->line));
		if (asprintf(&lines->line[lines->nr++], "%s %" PRIu64, chain, node->self) < 0)
			err(1, NULL);
	}
	for (called = node->called; called; called = called->next)
		add_lines(lines, called, chain);
	free(chain);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

static void print_folded(const struct node *root)
{
	struct lines lines = { 0 };
	const struct node *called;
	size_t i;

	for (called = root->called; called; called = called->next)
		add_lines(&lines, called, "");
	sort(lines.line, lines.nr, sizeof(*lines.line), by_text);
	for (i = 0; i < lines.nr; i++) {
		puts(lines.line[i]);
		free(lines.line[i]);
	}
	free(lines.line);
}

/* All ------------------------------------------------------------------------------------- */

struct arguments {
	struct input	input;
	struct output	speedscope;
};

enum {
	OPTION_SPEEDSCOPE = 0x3000,
};

static const struct argp_option options[] = {
	{ "input", 'i', "FILE", 0,
	  "Read FILE instead of trace.dat", 0 },
	{ "speedscope", OPTION_SPEEDSCOPE, "FILE.json", 0,
	  "Also write what each CPU did when, for https://www.speedscope.app", 0 },
	{ 0 }
};

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (option) {
	case 'i':
		arguments->input.path = argument;
		return 0;
	case OPTION_SPEEDSCOPE:
		arguments->speedscope.path = argument;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int cmd_flame(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Print where the hypervisor has spent its time, from a recording of its "
		       "functions: folded stacks, with nanoseconds.\v"
		       "'hyptrace record --graph' records functions; 'flamegraph.pl' draws "
		       "folded stacks.",
	};
	struct arguments arguments = { .input.path = "trace.dat" };
	struct flame flame = { .root = xzalloc(sizeof(*flame.root)) };
	const struct graph_user user = { .data = &flame, .open = call, .close = ret };

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	read_in_child(&arguments.input, 1, &arguments.speedscope);
	if (arguments.speedscope.path)
		flame.speedscope = speedscope_new();
	graph_read(&arguments.input, &user);
	print_folded(flame.root);
	if (arguments.speedscope.path)
		speedscope_write(flame.speedscope, &arguments.speedscope);
	node_free(flame.root);
	free(flame.cpu);
	return 0;
}
