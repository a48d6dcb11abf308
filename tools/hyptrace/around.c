// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the events around a time, as trace-cmd report does: the hypervisor's and the host's.
 */

#include <err.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>

#include "around.h"
#include "color.h"
#include "columns.h"
#include "hyp.h"
#include "numbers.h"
#include "recording.h"
#include "text.h"

#define DEFAULT_EVENTS	20

/**
 * around_option() - the argument of --around, or the end of the program
 * @state:	the parser's state
 * @around:	gets it
 * @text:	the argument: "TIME", "TIME,EVENTS" or "TIME,DURATION"; +- may be before these
 */
void around_option(struct argp_state *state, struct around *around, const char *text)
{
	char *copy = strdupa(text), *width = strchr(copy, ','), *end;
	long events;

	if (width)
		*width++ = '\0';
	around->time = time_option(state, "--around", copy);
	around->events = DEFAULT_EVENTS;
	if (!width)
		return;
	if (!strncmp(width, "+-", 2) || !strncmp(width, "\u00b1", 2))
		width += 2;
	events = strtol(width, &end, 10);
	if (end != width && !*end && events > 0 && events <= INT_MAX) {
		around->events = events;
		return;
	}
	around->events = 0;
	around->ns = duration_option(state, "--around", width);
}

/* Reading --------------------------------------------------------------------------- */

struct window {
	const struct around	*around;
	struct tracecmd_input	*hyp;
	struct tep_handle	*tep;
	size_t			nr_before, seen;	/* events before the time, and in all */
	uint64_t		first, last;		/* times of events [ns] */
	bool			is_counting;
	struct trace_seq	seq;
};

static bool is_inside(const struct window *w, uint64_t now)
{
	const struct around *around = w->around;

	if (!around->events)
		return now + around->ns >= around->time && now <= around->time + around->ns;
	return w->seen + around->events >= w->nr_before &&
	       w->seen < w->nr_before + around->events;
}

static void print_event(struct window *w, struct tep_record *record, bool is_hyps)
{
	char *line;

	trace_seq_reset(&w->seq);
	tep_print_event(w->tep, &w->seq, record, "%16s-%-7d [%03d] %6.1000d: %s: %s",
			TEP_PRINT_COMM, TEP_PRINT_PID, TEP_PRINT_CPU, TEP_PRINT_TIME,
			TEP_PRINT_NAME, TEP_PRINT_INFO);
	trace_seq_terminate(&w->seq);
	line = strdupa(w->seq.buffer);
	printf("%-5s%s\n", is_hyps ? HYP_INSTANCE ":" : "", make_printable(line));
}

static int follow(struct tracecmd_input *handle, struct tep_record *record, int cpu, void *data)
{
	struct window *w = data;

	if (w->is_counting) {
		w->nr_before += record->ts < w->around->time;
		w->first = w->first ?: record->ts;
		w->last = record->ts;
		return 0;
	}
	if (is_inside(w, record->ts)) {
		if (record->missed_events)
			printf("%-5s[%03d] %sevents are missing here%s\n",
			       handle == w->hyp ? HYP_INSTANCE ":" : "", cpu,
			       color_begin(stdout), color_end(stdout));
		print_event(w, record, handle == w->hyp);
	}
	w->seen++;
	return 0;
}

static void iterate(struct window *w, const struct input *input, bool is_counting)
{
	struct tracecmd_input *top = trace_open(input);
	struct tracecmd_input *handles[2] = { top, trace_hyp(top, input->path) };

	w->hyp = handles[1];
	w->tep = tracecmd_get_tep(top);
	w->is_counting = is_counting;
	if (tracecmd_iterate_events_multi(handles, 2, follow, w) < 0)
		errx(1, "%s: libtracecmd can't read all of it", input->path);
	tracecmd_close(handles[1]);
	tracecmd_close(top);
}

/**
 * around_print() - print events
 * @input:	the recording
 * @around:	which ones
 */
void around_print(const struct input *input, const struct around *around)
{
	struct window window = { .around = around };
	char first[SECONDS_SIZE], last[SECONDS_SIZE];

	trace_seq_init(&window.seq);
	iterate(&window, input, true);
	if (around->time + around->ns < window.first || around->time > window.last + around->ns)
		errx(1, "%s: is from %s to %s s only", input->path,
		     format_seconds(first, window.first, 6), format_seconds(last, window.last, 6));
	iterate(&window, input, false);
	trace_seq_destroy(&window.seq);
}
