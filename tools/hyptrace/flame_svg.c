// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws a flame graph (https://www.brendangregg.com/flamegraphs.html): a row for each depth, callers
 * below those that they call, and each as wide as its time.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "columns.h"
#include "flame_svg.h"
#include "svg.h"

#define WIDTH		1200
#define MARGIN		10
#define TOP		40
#define ROW_HEIGHT	18
#define CHARACTER	7	/* the width of one, about */
#define LEAST_WIDTH	0.2	/* What is narrower is left out. */

struct drawing {
	FILE		*file;
	uint64_t	all;		/* [ns] */
};

static uint64_t time_of(const struct node *node)
{
	const struct node *called;
	uint64_t time = node->self;

	for (called = node->called; called; called = called->next)
		time += time_of(called);
	return time;
}

static int depth_of(const struct node *node)
{
	const struct node *called;
	int depth = 0, most = 0;

	for (called = node->called; called; called = called->next) {
		depth = 1 + depth_of(called);
		most = depth > most ? depth : most;
	}
	return most;
}

static void print_colour(FILE *file, const char *name)
{
	unsigned int hash = 0;

	if (!strcmp(name, "[guest]")) {
		fprintf(file, "#4c9f50");
	} else if (!strcmp(name, "[firmware]")) {
		fprintf(file, "#a583c4");
	} else {
		while (*name)
			hash = hash * 31 + (unsigned char)*name++;
		fprintf(file, "hsl(%u,%u%%,%u%%)", hash % 45, 70 + hash % 20, 62 + hash % 13);
	}
}

static void draw_box(const struct drawing *d, const char *name, uint64_t time, double x, int y)
{
	const double width = (double)time / d->all * WIDTH;
	char text[TIME_SIZE];

	fprintf(d->file, "<g><title>");
	svg_print(d->file, name, SIZE_MAX);
	fprintf(d->file, ": %s, %.2f%%</title><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"",
		format_time(text, "", time), 100.0 * time / d->all, x, y, width, ROW_HEIGHT - 1);
	print_colour(d->file, name);
	fprintf(d->file, "\"/>");
	if (width > 4 * CHARACTER) {
		fprintf(d->file, "<text x=\"%.1f\" y=\"%d\">", x + 3, y + 13);
		svg_print(d->file, name, (width - 6) / CHARACTER);
		fprintf(d->file, "</text>");
	}
	fprintf(d->file, "</g>\n");
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct node * const *)a)->name,
		      (*(const struct node * const *)b)->name);
}

/* Draws what a function has called, from @x on. */
static void draw_called(const struct drawing *d, const struct node *node, double x, int y)
{
	const struct node **all = NULL, *called;
	size_t nr = 0, i;
	uint64_t time;

	for (called = node->called; called; called = called->next) {
		all = xrealloc(all, nr + 1, sizeof(*all));
		all[nr++] = called;
	}
	sort(all, nr, sizeof(*all), by_name);
	for (i = 0; i < nr; i++) {
		time = time_of(all[i]);
		if ((double)time / d->all * WIDTH >= LEAST_WIDTH) {
			draw_box(d, all[i]->name, time, x, y);
			draw_called(d, all[i], x, y - ROW_HEIGHT);
		}
		x += (double)time / d->all * WIDTH;
	}
	free(all);
}

/**
 * flame_draw() - draw a flame graph
 * @root:	the root of the tree, which is no function
 * @output:	the file, which is open
 *
 * If it can't be written, the program ends with the reason.
 */
void flame_draw(const struct node *root, struct output *output)
{
	const int height = TOP + depth_of(root) * ROW_HEIGHT + MARGIN;
	const struct node *called;
	struct drawing d = { .file = output->file };
	char text[TIME_SIZE];

	for (called = root->called; called; called = called->next)
		d.all += time_of(called);
	output_begin(output);
	svg_begin(d.file, WIDTH + 2 * MARGIN, height);
	fprintf(d.file, "<text x=\"%d\" y=\"24\">EL2, by functions: %s</text>\n", MARGIN,
		format_time(text, "", d.all));
	if (d.all)
		draw_called(&d, root, MARGIN, height - MARGIN - ROW_HEIGHT);
	svg_end(d.file);
	output_close(output);
}
