// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws what vCPUs did when, as SVG: a row for each vCPU, time from left to right. A column is
 * one unit wide. Its parts are as high as the activities' parts of the column's time.
 *
 * Spans are added up while the recording is read. How long it is, is only known at its end; so when
 * there is no more room, two cells become one.
 */

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "svg.h"
#include "timeline.h"

#define COLUMNS		1000
#define LEFT		190
#define ROW_HEIGHT	48
#define ROW_GAP		12
#define TOP		52
#define MAX_TICKS	8

static const char * const colours[NR_ACTIVITIES] = {
	[ACTIVITY_GUEST]	= "#4c9f50",
	[ACTIVITY_EL2]		= "#d1495b",
	[ACTIVITY_FIRMWARE]	= "#7b4fa3",
	[ACTIVITY_KVM]		= "#3d78b4",
	[ACTIVITY_VMM]		= "#7fc4d6",
	[ACTIVITY_PREEMPTED]	= "#edae49",
	[ACTIVITY_BLOCKED]	= "#d9d9d9",
};

/* Cells ----------------------------------------------------------------------------- */

/* More than half of them are in use, so there is at least one for each column. */
#define CELLS		(2 * COLUMNS)

/* At first, a cell is so long [ns]. */
#define FIRST_LENGTH	256

/**
 * struct vcpu_row - a vCPU's row
 * @time:	how long it did what in each cell [ns]
 * @waiting:	spans that are not drawn if the guest does not run again
 * @nr_waiting:	their number
 * @size:	allocated length of @waiting
 */
struct vcpu_row {
	float		time[CELLS][NR_ACTIVITIES];
	struct span	*waiting;
	size_t		nr_waiting, size;
};

/**
 * struct timeline - what vCPUs did when
 * @reading:	has the part of the recording that is drawn
 * @start:	of the first cell [ns]
 * @end:	of the last span [ns]
 * @length:	of a cell [ns], 0 as long as there is no span
 * @row:	the rows, which are vcpu->drawing
 * @nr:		their number
 */
struct timeline {
	const struct reading	*reading;
	uint64_t		start, end, length;
	struct vcpu_row		**row;
	size_t			nr;
};

/**
 * timeline_new() - begin a timeline
 * @reading:	how the recording will be read
 *
 * Return: the timeline, for timeline_draw()
 */
struct timeline *timeline_new(const struct reading *reading)
{
	struct timeline *t = xzalloc(sizeof(*t));

	t->reading = reading;
	return t;
}

/* Cells begin at multiples of their length. */
static uint64_t cell_start(const struct timeline *t, uint64_t time)
{
	return time / t->length * t->length;
}

/* The end of a cell that a time is in, or another time that comes before it. */
static uint64_t cell_end(const struct timeline *t, uint64_t time, uint64_t other)
{
	const uint64_t left = t->length - time % t->length;

	return other - time < left ? other : time + left;
}

static void double_length(struct timeline *t)
{
	const size_t is_odd = t->start / t->length % 2;
	float (*time)[NR_ACTIVITIES];
	enum activity a;
	size_t i, n;

	for (n = 0; n < t->nr; n++) {
		time = t->row[n]->time;
		for (i = 0; i < CELLS; i++)
			for (a = 0; a < NR_ACTIVITIES; a++)
				time[(i + is_odd) / 2][a] = time[i][a] +
					(i && (i + is_odd) % 2 ? time[(i + is_odd) / 2][a] : 0);
		i = (CELLS - 1 + is_odd) / 2 + 1;
		memset(time[i], 0, (CELLS - i) * sizeof(*time));
	}
	t->length *= 2;
	t->start = cell_start(t, t->start);
}

static void move_start(struct timeline *t, uint64_t start)
{
	const size_t by = (t->start - start) / t->length;
	float (*time)[NR_ACTIVITIES];
	size_t n;

	for (n = 0; n < t->nr; n++) {
		time = t->row[n]->time;
		memmove(time[by], time, (CELLS - by) * sizeof(*time));
		memset(time, 0, by * sizeof(*time));
	}
	t->start = start;
}

/* Have cells for a span. It may begin before all others, if it is longer. */
static void make_room(struct timeline *t, uint64_t start, uint64_t end)
{
	if (!t->length) {
		t->length = FIRST_LENGTH;
		t->start = cell_start(t, start);
	}
	start = start < t->start ? start : t->start;
	t->end = end > t->end ? end : t->end;
	while ((t->end - cell_start(t, start)) / t->length >= CELLS)
		double_length(t);
	if (start < t->start)
		move_start(t, cell_start(t, start));
}

static struct vcpu_row *row_of(struct timeline *t, struct vcpu *vcpu)
{
	if (!vcpu->drawing) {
		vcpu->drawing = xzalloc(sizeof(struct vcpu_row));
		t->row = xrealloc(t->row, t->nr + 1, sizeof(*t->row));
		t->row[t->nr++] = vcpu->drawing;
	}
	return vcpu->drawing;
}

static void draw_span(struct timeline *t, struct vcpu_row *row, const struct span *span)
{
	uint64_t start = span->start, end = span->end, until;
	size_t i;

	if (t->reading->has_window) {
		start = start > t->reading->from ? start : t->reading->from;
		end = end < t->reading->to ? end : t->reading->to;
	}
	if (start >= end)
		return;
	make_room(t, start, end);
	for (i = (start - t->start) / t->length; start < end; start = until, i++) {
		until = cell_end(t, start, end);
		row->time[i][span->activity] += until - start;
	}
}

/**
 * timeline_add() - a vCPU has done something for some time
 * @vcpu:	the vCPU
 * @span:	what, and when
 * @timeline:	the timeline
 */
void timeline_add(struct vcpu *vcpu, const struct span *span, void *timeline)
{
	struct vcpu_row *row = row_of(timeline, vcpu);
	size_t i;

	if (row->nr_waiting == row->size) {
		row->size = row->size ? 2 * row->size : 16;
		row->waiting = xrealloc(row->waiting, row->size, sizeof(*row->waiting));
	}
	row->waiting[row->nr_waiting++] = *span;
	if (span->activity != ACTIVITY_GUEST)
		return;
	for (i = 0; i < row->nr_waiting; i++)
		draw_span(timeline, row, &row->waiting[i]);
	row->nr_waiting = 0;
}

/* Pictures -------------------------------------------------------------------------- */

/* The time that is drawn, and the file. */
struct drawing {
	const struct timeline	*t;
	FILE			*file;
	uint64_t		start, end;
};

static uint64_t time_of_column(const struct drawing *d, int x)
{
	const uint64_t all = d->end - d->start;

	return d->start + all / COLUMNS * x + all % COLUMNS * x / COLUMNS;
}

/* A column shows which parts of its time a vCPU spent on what. */
static void column_parts(const struct drawing *d, const struct vcpu *v, int x,
			 double part[NR_ACTIVITIES])
{
	const uint64_t from = time_of_column(d, x), to = time_of_column(d, x + 1);
	const struct timeline *t = d->t;
	const struct vcpu_row *row = v->drawing;
	uint64_t end, at = from;
	enum activity a;
	size_t i;

	memset(part, 0, NR_ACTIVITIES * sizeof(*part));
	for (; at < to && at >= t->start; at = end) {
		i = (at - t->start) / t->length;
		if (i >= CELLS)
			return;
		end = cell_end(t, at, to);
		for (a = 0; a < NR_ACTIVITIES; a++)
			part[a] += (double)row->time[i][a] / t->length * (end - at) / (to - from);
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

static void draw_columns(const struct drawing *d, const double part[NR_ACTIVITIES], int x,
			 int width, int y)
{
	char from[SECONDS_SIZE], to[SECONDS_SIZE];
	double bottom = y + ROW_HEIGHT;
	enum activity activity;
	double height;

	format_seconds(from, time_of_column(d, x), 6);
	format_seconds(to, time_of_column(d, x + width), 6);
	for (activity = 0; activity < NR_ACTIVITIES; activity++) {
		height = part[activity] * ROW_HEIGHT;
		if (height < 0.05)
			continue;
		bottom -= height;
		fprintf(d->file, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"><title>%s %.1f%%, %s to %s</title></rect>\n",
			LEFT + x, bottom, width, height, colours[activity],
			activity_names[activity], 100 * part[activity], from, to);
	}
}

static void draw_vcpu(const struct drawing *d, const struct vcpu *v, int y)
{
	double part[NR_ACTIVITIES], next[NR_ACTIVITIES];
	int x, width;

	fprintf(d->file, "<text x=\"10\" y=\"%d\">VM %u, vCPU %u</text>\n", y + 20, v->vm,
		v->index);
	fprintf(d->file, "<text x=\"10\" y=\"%d\" fill=\"#666\">thread %d</text>\n", y + 36,
		v->tid);
	if (!v->drawing)
		return;
	column_parts(d, v, 0, part);
	for (x = 0; x < COLUMNS; x += width) {
		for (width = 1; x + width < COLUMNS; width++) {
			column_parts(d, v, x + width, next);
			if (!is_alike(part, next))
				break;
		}
		draw_columns(d, part, x, width, y);
		memcpy(part, next, sizeof(part));
	}
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

/* The time between two ticks: 1, 2 or 5 of a power of ten [ns]. */
static uint64_t tick_of(uint64_t time)
{
	uint64_t tick = 1;

	for (;;) {
		if (time / tick <= MAX_TICKS)
			return tick;
		if (time / tick <= 2 * MAX_TICKS)
			return 2 * tick;
		if (time / tick <= 5 * MAX_TICKS)
			return 5 * tick;
		tick *= 10;
	}
}

static void draw_times(const struct drawing *d, const struct recording *recording, int y)
{
	const uint64_t tick = tick_of(d->end - d->start);
	const int decimals = tick >= 1000000000 ? 0 : 9 - (int)log10(tick);
	uint64_t time = d->start / tick * tick;
	char text[SECONDS_SIZE], wall[40];
	int n = 0;
	double x;

	fprintf(d->file, "<text x=\"10\" y=\"%d\">Time [s]</text>\n", y + 22);
	if (recording->wall_offset)
		fprintf(d->file, "<text x=\"%d\" y=\"%d\" fill=\"#666\">from %s</text>\n", LEFT,
			y + 42, wall_text(wall, d->start, recording->wall_offset));
	for (; time <= d->end && n < 2 * MAX_TICKS; time += tick, n++) {
		if (time < d->start)
			continue;
		x = LEFT + (double)(time - d->start) * COLUMNS / (d->end - d->start);
		fprintf(d->file, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#999\"/>\n",
			x, y, x, y + 6);
		fprintf(d->file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
			x, y + 22, format_seconds(text, time, decimals));
	}
}

static void timeline_free(struct timeline *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++) {
		free(t->row[i]->waiting);
		free(t->row[i]);
	}
	free(t->row);
	free(t);
}

/*
 * From the first entry to the last exit of the selected vCPUs, as far as that is wanted. Returns
 * how many vCPUs these are.
 */
static int find_range(struct drawing *d, const struct recording *recording,
		      const struct selection *selection)
{
	const struct reading *reading = d->t->reading;
	const struct vcpu *v;
	int rows = 0;
	size_t i;

	d->start = UINT64_MAX;
	for (i = 0; i < recording->nr_vcpus; i++) {
		v = recording->vcpu[i];
		if (!is_selected_vcpu(recording, v, selection))
			continue;
		d->start = v->first < d->start ? v->first : d->start;
		d->end = v->last > d->end ? v->last : d->end;
		rows++;
	}
	if (reading->has_window) {
		d->start = d->start > reading->from ? d->start : reading->from;
		d->end = d->end < reading->to ? d->end : reading->to;
	}
	return d->start < d->end ? rows : 0;
}

/**
 * timeline_draw() - draw a timeline, and free it
 * @t:		the timeline
 * @recording:	the recording that it is of
 * @selection:	which vCPUs
 * @output:	the file, which is open
 *
 * If it can't be drawn, the program ends with the reason.
 */
void timeline_draw(struct timeline *t, const struct recording *recording,
		   const struct selection *selection, struct output *output)
{
	struct drawing d = { .t = t, .file = output->file };
	const int rows = find_range(&d, recording, selection);
	int y = TOP;
	size_t i;

	if (!rows)
		errx(1, "--timeline: no vCPU has run, or all of them are excluded");
	output_begin(output);
	svg_begin(d.file, LEFT + COLUMNS + 50, TOP + rows * (ROW_HEIGHT + ROW_GAP) + 52);
	draw_legend(&d);
	for (i = 0; i < recording->nr_vcpus; i++) {
		if (!is_selected_vcpu(recording, recording->vcpu[i], selection))
			continue;
		draw_vcpu(&d, recording->vcpu[i], y);
		y += ROW_HEIGHT + ROW_GAP;
	}
	draw_times(&d, recording, y);
	svg_end(d.file);
	output_close(output);
	timeline_free(t);
}
