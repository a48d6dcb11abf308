// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws what vCPUs did when, as SVG: a row for each vCPU, time from left to right. A column is
 * one unit wide. Its parts are as high as the activities' parts of the column's time.
 */

#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "print.h"
#include "timeline.h"

#define COLUMNS		1000
#define LEFT		190
#define ROW_HEIGHT	48
#define ROW_GAP		12
#define TOP		52
#define TICKS		5

static const char * const colours[NR_ACTIVITIES] = {
	[ACTIVITY_GUEST]	= "#4c9f50",
	[ACTIVITY_EL2]		= "#d1495b",
	[ACTIVITY_FIRMWARE]	= "#7b4fa3",
	[ACTIVITY_KVM]		= "#3d78b4",
	[ACTIVITY_VMM]		= "#7fc4d6",
	[ACTIVITY_PREEMPTED]	= "#edae49",
	[ACTIVITY_BLOCKED]	= "#d9d9d9",
};

/* The time that is drawn, and the file. */
struct drawing {
	FILE		*file;
	uint64_t	start, end;
};

/* Part of each column's time, by activity. */
struct columns {
	double	part[COLUMNS][NR_ACTIVITIES];
};

/* The column of a time, with fractions. In a damaged file, times may be outside of the drawing. */
static double column_of(const struct drawing *d, uint64_t time)
{
	if (time <= d->start)
		return 0;
	if (time >= d->end)
		return COLUMNS;
	return (double)(time - d->start) * COLUMNS / (d->end - d->start);
}

static void fill(struct columns *columns, const struct drawing *d, const struct span *span)
{
	double from = column_of(d, span->start), to = column_of(d, span->end);
	double until;
	int i;

	for (i = from; i < COLUMNS && i < to; i++) {
		until = to < i + 1 ? to : i + 1;
		columns->part[i][span->activity] += until - from;
		from = until;
	}
}

static void draw_column(FILE *file, double parts[NR_ACTIVITIES], int x, int width, int y)
{
	double bottom = y + ROW_HEIGHT;
	enum activity activity;
	double height;

	for (activity = 0; activity < NR_ACTIVITIES; activity++) {
		height = parts[activity] * ROW_HEIGHT;
		if (height < 0.05)
			continue;
		bottom -= height;
		fprintf(file, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"/>\n",
			LEFT + x, bottom, width, height, colours[activity]);
	}
}

/* Columns that look the same become one. */
static bool is_alike(const double a[NR_ACTIVITIES], const double b[NR_ACTIVITIES])
{
	enum activity activity;

	for (activity = 0; activity < NR_ACTIVITIES; activity++)
		if (a[activity] - b[activity] > 0.005 || b[activity] - a[activity] > 0.005)
			return false;
	return true;
}

static void draw_vcpu(const struct drawing *d, const struct vcpu *v, int y)
{
	struct columns *columns = xzalloc(sizeof(*columns));
	int x, width;
	size_t i;

	for (i = 0; i < v->nr_spans; i++)
		fill(columns, d, &v->span[i]);
	fprintf(d->file, "<text x=\"10\" y=\"%d\">VM %u, vCPU %u</text>\n", y + 20, v->vm,
		v->index);
	fprintf(d->file, "<text x=\"10\" y=\"%d\" fill=\"#666\">thread %d</text>\n", y + 36,
		v->tid);
	for (x = 0; x < COLUMNS; x += width) {
		for (width = 1; x + width < COLUMNS; width++)
			if (!is_alike(columns->part[x], columns->part[x + width]))
				break;
		draw_column(d->file, columns->part[x], x, width, y);
	}
	free(columns);
}

static void draw_legend(const struct drawing *d)
{
	enum activity activity;
	int x = LEFT;

	for (activity = 0; activity < NR_ACTIVITIES; activity++) {
		fprintf(d->file, "<rect x=\"%d\" y=\"14\" width=\"14\" height=\"14\" fill=\"%s\"/>\n",
			x, colours[activity]);
		fprintf(d->file, "<text x=\"%d\" y=\"26\">%s</text>\n", x + 20,
			activity_names[activity]);
		x += 110;
	}
}

static void draw_times(const struct drawing *d, int y)
{
	char time[TIME_SIZE];
	int i, x;

	for (i = 0; i <= TICKS; i++) {
		x = LEFT + i * COLUMNS / TICKS;
		fprintf(d->file, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#999\"/>\n",
			x, y, x, y + 6);
		fprintf(d->file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x,
			y + 22, format_time(time, i ? "+" : "", (d->end - d->start) * i / TICKS));
	}
}

/**
 * draw_timeline() - draw what vCPUs did when
 * @recording:	the recording, with spans
 * @selection:	which vCPUs
 * @output:	the file, which is open
 *
 * If it can't be drawn, the program ends with the reason.
 */
void draw_timeline(const struct recording *recording, const struct selection *selection,
		   struct output *output)
{
	struct drawing d = { .start = UINT64_MAX };
	int rows = 0, y = TOP;
	const struct vcpu *v;
	size_t i;

	for (i = 0; i < recording->nr_vcpus; i++) {
		v = recording->vcpu[i];
		if (!is_selected_vcpu(recording, v, selection))
			continue;
		d.start = v->first < d.start ? v->first : d.start;
		d.end = v->last > d.end ? v->last : d.end;
		rows++;
	}
	if (!rows)
		errx(1, "--timeline: no vCPU has run, or all of them are excluded");
	output_begin(output);
	d.file = output->file;
	fprintf(d.file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		LEFT + COLUMNS + 50, TOP + rows * (ROW_HEIGHT + ROW_GAP) + 36);
	draw_legend(&d);
	for (i = 0; i < recording->nr_vcpus; i++) {
		if (!is_selected_vcpu(recording, recording->vcpu[i], selection))
			continue;
		draw_vcpu(&d, recording->vcpu[i], y);
		y += ROW_HEIGHT + ROW_GAP;
	}
	draw_times(&d, y);
	fprintf(d.file, "</svg>\n");
	output_close(output);
}
