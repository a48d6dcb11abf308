// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace flame: where the hypervisor spends its time, as folded stacks, as a picture, and as a
 * file for speedscope.
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
#include "color.h"
#include "flame_svg.h"
#include "graph.h"
#include "input.h"
#include "speedscope.h"
#include "subcommands.h"
#include "svg.h"

/* Trees --------------------------------------------------------------------------------- */

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

/* Where the CPU that is read is in the tree, and since when. Its end is at the root again. */
struct flame {
	struct node		*root, *node;
	uint64_t		since;
	struct speedscope	*speedscope;
};

/* Time has passed in the function where the CPU is; now it goes to another one. */
static void go(struct flame *flame, struct node *node, uint64_t ts)
{
	flame->node->self += ts - flame->since;
	flame->node = node;
	flame->since = ts;
}

static void call(void *data, int cpu, enum frame frame, const char *function, uint64_t ts)
{
	struct flame *flame = data;

	go(flame, node_called(flame->node, function), ts);
	if (flame->speedscope)
		speedscope_open(flame->speedscope, cpu, function, ts);
}

static void ret(void *data, int cpu, uint64_t ts)
{
	struct flame *flame = data;

	go(flame, flame->node->caller, ts);
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
		err(1, "memory");
	if (node->self) {
		lines->line = xrealloc(lines->line, lines->nr + 1, sizeof(*lines->line));
		if (asprintf(&lines->line[lines->nr++], "%s %" PRIu64, chain, node->self) < 0)
			err(1, "memory");
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
	struct output	output;
	int		format;		/* OPTION_SVG or OPTION_SPEEDSCOPE */
};

enum {
	OPTION_SVG = 0x3000,
	OPTION_SPEEDSCOPE,
};

static const struct argp_option options[] = {
	{ "input", 'i', "FILE", 0,
	  "Read FILE instead of trace.dat", 0 },
	{ "svg", OPTION_SVG, "FILE.svg", 0, "Also draw them", 0 },
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
	case OPTION_SVG:
		svg_option(state, "--svg", argument);
		break;
	case OPTION_SPEEDSCOPE:
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (arguments->output.path)
		argp_error(state, "either --svg or --speedscope, once");
	arguments->output.path = argument;
	arguments->format = option;
	return 0;
}

int cmd_flame(int argc, char **argv)
{
	static const struct argp_child children[] = { { &color_argp }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Print where the hypervisor has spent its time, from a recording of its "
		       "functions: folded stacks, with nanoseconds.\v"
		       "'hyptrace record --graph' records functions.",
		.children = children,
	};
	struct arguments arguments = { .input.path = "trace.dat" };
	struct flame flame = { .root = xzalloc(sizeof(*flame.root)) };
	const struct graph_user user = { .data = &flame, .open = call, .close = ret };

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	flame.node = flame.root;
	read_in_child(&arguments.input, 1, &arguments.output);
	if (arguments.format == OPTION_SPEEDSCOPE)
		flame.speedscope = speedscope_new();
	graph_read(&arguments.input, &user);
	print_folded(flame.root);
	if (arguments.format == OPTION_SVG)
		flame_draw(flame.root, &arguments.output);
	if (arguments.format == OPTION_SPEEDSCOPE)
		speedscope_write(flame.speedscope, &arguments.output);
	node_free(flame.root);
	return 0;
}
