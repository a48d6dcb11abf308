// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace export: a recording as a file for Perfetto.
 *
 * Each VM is a process. Each vCPU has a track for what its thread did, where one thing follows the
 * other, and below it one for the hypervisor, where calls are in calls: a hypercall that runs the
 * guest begins before that, and ends after it, so both can't be in one track. What a guest has
 * recorded is on a third one. Each CPU has a track for its stays in the hypervisor.
 *
 * All is written as soon as it is known, so what is written until an interrupt is a whole file.
 */

#include <argp.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "color.h"
#include "command.h"
#include "fields.h"
#include "graph.h"
#include "hyp.h"
#include "output.h"
#include "raw.h"
#include "recording.h"
#include "source.h"
#include "subcommands.h"
#include "tracks.h"

/*
 * So many calls in a stay wait for its end, where its reason and its vCPU are known; if there are
 * more, it is written in parts.
 */
#define MAX_WAITING	1024

/* A call, or a return if @is_open is false, that has not been written yet */
struct call {
	uint64_t	time;
	const char	*name;
	enum frame	frame;
	bool		is_open;
};

/* A CPU's stay in the hypervisor */
struct stay {
	struct call	call[MAX_WAITING];
	size_t		nr_calls;
	enum frame	frame[MAX_FRAMES];	/* those that are open */
	size_t		depth;
	const char	*reason;
	struct detail	detail;
	struct vcpu	*vcpu;
	bool		is_begun;		/* a part of it is written */
	struct track	*of_vcpu, *of_cpu;	/* where to, NULL if not */
};

/* The export of a recording. All names are from intern(). */
struct export {
	struct output		*output;
	struct perfetto		*perfetto;
	struct tracks		*tracks;
	struct raw		*raw;		/* NULL if no events are written */
	struct graph		*graph;
	struct graph_user	calls;
	uint64_t		from, to;
	bool			has_raw, has_clocks;
	struct stay		**stay;		/* by CPU; NULL if nothing is known of one */
	size_t			nr_cpus;
	struct fields		**fields;	/* of events that guests record, by type */
	size_t			nr_types;
	const char		*activity[NR_ACTIVITIES], *el2, *woken;
	const char		*reason, *address, *access, *size, *name, *number;
};

static bool is_wanted(const struct export *x, uint64_t start, uint64_t end)
{
	return end >= x->from && start <= x->to;
}

/* States ---------------------------------------------------------------------------- */

/* The arguments say what an exit, or a stay, was for; there are at most four. */
static size_t detail_arguments(const struct export *x, const struct detail *detail,
			       struct argument *argument)
{
	const bool is_at = detail->kind == DETAIL_MMIO || detail->kind == DETAIL_MEMORY;
	const char *access = detail_access(detail);
	size_t nr = 0;

	if (detail->kind == DETAIL_NONE)
		return 0;
	if (is_at || !detail->name)
		argument[nr++] = (struct argument) {
			.name = is_at ? x->address : x->number, .kind = ARGUMENT_ADDRESS,
			.value = detail->value };
	if (detail->name)
		argument[nr++] = (struct argument) {
			.name = x->name, .kind = ARGUMENT_NAME, .text = detail->name };
	if (*access)
		argument[nr++] = (struct argument) {
			.name = x->access, .kind = ARGUMENT_NAME, .text = access };
	if (detail->size)
		argument[nr++] = (struct argument) {
			.name = x->size, .kind = ARGUMENT_NUMBER, .value = detail->size };
	return nr;
}

static void add_span(struct vcpu *vcpu, const struct span *span, void *data)
{
	struct export *x = data;
	struct argument argument[5];
	struct moment moment = { .name = x->activity[span->activity], .argument = argument };
	struct track *track;

	if (!is_wanted(x, span->start, span->end))
		return;
	if (span->reason) {
		argument[0] = (struct argument) {
			.name = x->reason, .kind = ARGUMENT_NAME, .text = span->reason };
		moment.nr_arguments = 1 + detail_arguments(x, &span->detail, argument + 1);
	}
	moment.flow_end = span->runs_for;
	track = tracks_state(x->tracks, vcpu);
	track_begin(track, span->start, &moment);
	if (span->woken)
		track_instant(track, span->woken,
			      &(struct moment) { .name = x->woken, .flow = span->wakeup });
	track_end(track, span->end);
}

/* Stays ----------------------------------------------------------------------------- */

/* Functions that a vCPU's thread has called are on its track, and not on the CPU's, too. */
static bool is_on_cpus(const struct stay *stay, enum frame frame)
{
	return stay->of_cpu && (frame != FRAME_FUNCTION || !stay->of_vcpu);
}

static void write_call(struct export *x, struct stay *stay, const struct call *call)
{
	struct argument argument[4];
	struct moment moment = { .name = call->name, .argument = argument };

	if (call->frame == FRAME_STAY) {
		moment.name = stay->reason ?: x->el2;
		moment.nr_arguments = detail_arguments(x, &stay->detail, argument);
	}
	if (call->is_open && stay->of_vcpu)
		track_begin(stay->of_vcpu, call->time, &moment);
	else if (stay->of_vcpu)
		track_end(stay->of_vcpu, call->time);
	if (!is_on_cpus(stay, call->frame))
		return;
	if (call->is_open)
		track_begin(stay->of_cpu, call->time, &moment);
	else
		track_end(stay->of_cpu, call->time);
}

/* It is known now, as far as it will be, to whom the stay belongs. */
static void begin_stay(struct export *x, struct stay *stay, int cpu)
{
	const uint64_t start = stay->call[0].time;
	/* If it is written in parts, its end is not known. */
	const uint64_t end = stay->depth ? UINT64_MAX : stay->call[stay->nr_calls - 1].time;

	stay->is_begun = true;
	stay->of_cpu = NULL;
	stay->of_vcpu = NULL;
	if (!is_wanted(x, start, end))
		return;
	stay->of_cpu = tracks_cpu(x->tracks, cpu);
	if (stay->vcpu)
		stay->of_vcpu = tracks_el2(x->tracks, stay->vcpu);
	/* Events were lost, and the thread has been on another CPU since. */
	if (stay->of_vcpu && track_last(stay->of_vcpu) > start)
		stay->of_vcpu = NULL;
}

static void write_calls(struct export *x, struct stay *stay, int cpu)
{
	size_t i;

	if (!stay->is_begun)
		begin_stay(x, stay, cpu);
	for (i = 0; i < stay->nr_calls; i++)
		write_call(x, stay, &stay->call[i]);
	stay->nr_calls = 0;
}

static void add_call(struct export *x, int cpu, const struct call *call)
{
	struct stay *stay = x->stay[cpu];

	if (stay->nr_calls == MAX_WAITING)
		write_calls(x, stay, cpu);
	stay->call[stay->nr_calls++] = *call;
}

static void open_call(void *data, int cpu, enum frame frame, const char *name, uint64_t time)
{
	struct export *x = data;
	struct stay *stay = x->stay[cpu];

	stay->frame[stay->depth++] = frame;
	add_call(x, cpu, &(struct call) {
		.time = time, .name = name, .frame = frame, .is_open = true });
}

static void close_call(void *data, int cpu, uint64_t time)
{
	struct export *x = data;
	struct stay *stay = x->stay[cpu];

	add_call(x, cpu, &(struct call) { .time = time, .frame = stay->frame[--stay->depth] });
	if (stay->depth)
		return;
	write_calls(x, stay, cpu);
	stay->is_begun = false;
	stay->reason = NULL;
	stay->vcpu = NULL;
	stay->detail = (struct detail) { 0 };
}

/* An event tells of the stay that it is in. */
static void note_stay(struct stay *stay, const struct followed *event)
{
	stay->vcpu = event->vcpu;
	if (event->reason)
		stay->reason = event->reason;
	if (event->detail.kind != DETAIL_NONE)
		stay->detail = event->detail;
}

/* Other events ---------------------------------------------------------------------- */

/* Guests record guest_trace_* and guest_mark; guest_hvc and guest_smc are calls of theirs. */
static bool is_guests(const struct fields *fields)
{
	return !strcmp(fields->system, HYP_INSTANCE) &&
	       (!strncmp(fields->name, "guest_trace_", strlen("guest_trace_")) ||
		!strcmp(fields->name, "guest_mark"));
}

static void learn_types(struct export *x, struct tep_handle *tep)
{
	struct tep_event **list = tep_list_events(tep, TEP_EVENT_SORT_ID);
	struct fields *fields;

	for (; list && *list; list++) {
		if ((*list)->id < 0 || (*list)->id > UINT16_MAX)
			continue;
		x->fields = xgrow(x->fields, &x->nr_types, (*list)->id + 1, sizeof(*x->fields));
		fields = fields_of(tep, (*list)->id);
		if (is_guests(fields))
			x->fields[(*list)->id] = fields;
		else
			fields_free(fields);
	}
}

/* The track says of which vCPU it is, and the number of arguments which of them are used. */
static bool is_shown(const char *name, unsigned long long nr_used)
{
	unsigned int argument;

	if (!strcmp(name, "vm") || !strcmp(name, "vcpu") || !strcmp(name, "count"))
		return false;
	return sscanf(name, "a%u", &argument) != 1 || argument < nr_used;
}

static void add_guests(struct export *x, const struct followed *event)
{
	const struct fields *fields = event->type < x->nr_types ? x->fields[event->type] : NULL;
	struct argument argument[MAX_ARGUMENTS];
	char text[MAX_ARGUMENTS][FIELD_TEXT_SIZE];
	struct moment moment = { .argument = argument };
	unsigned long long nr_used;
	size_t i, nr = 0;

	if (!fields || !event->vcpu)
		return;
	moment.name = fields->name;
	nr_used = number_in(tep_find_field(fields->event, "count"), event->record);
	for (i = 0; i < fields->nr && nr < MAX_ARGUMENTS; i++) {
		if (!is_shown(fields->field_name[i], nr_used))
			continue;
		argument[nr] = field_argument(fields, i, event->record, text[nr]);
		nr++;
	}
	moment.nr_arguments = nr;
	track_instant(tracks_guest(x->tracks, event->vcpu), event->record->ts, &moment);
}

/* Reading --------------------------------------------------------------------------- */

static void add_clocks(struct export *x, const struct clock_mark *clocks)
{
	x->has_clocks = true;
	perfetto_clocks(x->perfetto, clocks->boot, clocks->mono, clocks->real);
	if (clocks->is_mono)
		perfetto_use_mono(x->perfetto, clocks->boot - clocks->mono);
}

/* There is something to write. */
static void begin(struct export *x, const struct recording *recording)
{
	if (x->output->path)
		output_begin(x->output);
	x->tracks = tracks_new(x->perfetto, recording);
	x->graph = graph_new(recording->tep, &x->calls);
	if (x->has_raw)
		x->raw = raw_new(x->perfetto, recording->tep);
	learn_types(x, recording->tep);
}

static struct stay *stay_of(struct export *x, int cpu)
{
	x->stay = xgrow(x->stay, &x->nr_cpus, cpu + 1, sizeof(*x->stay));
	if (!x->stay[cpu])
		x->stay[cpu] = xzalloc(sizeof(struct stay));
	return x->stay[cpu];
}

static bool add_event(const struct recording *recording, const struct followed *event, void *data)
{
	struct export *x = data;
	const uint64_t time = event->record->ts;
	struct stay *stay;

	if (!x->tracks)
		begin(x, recording);
	if (!x->has_clocks && recording->clocks.real)
		add_clocks(x, &recording->clocks);
	if (event->is_hyps) {
		stay = stay_of(x, event->record->cpu);
		/* If events are missing before this one, another stay has ended there. */
		graph_event(x->graph, event->record, event->type);
		note_stay(stay, event);
	}
	if (is_wanted(x, time, time)) {
		add_guests(x, event);
		if (event->memory)
			track_count(tracks_memory(x->tracks, event->memory->vm), time,
				    event->memory->now.bytes);
		if (x->raw)
			raw_event(x->raw, event->record, event->type, event->tid);
	}
	return !interrupted;
}

/* All has been read, or as much as was until an interrupt. */
static void finish(struct export *x)
{
	graph_free(x->graph);
	if (x->raw)
		raw_free(x->raw);
	tracks_free(x->tracks);
	while (x->nr_cpus)
		free(x->stay[--x->nr_cpus]);
	free(x->stay);
	while (x->nr_types)
		fields_free(x->fields[--x->nr_types]);
	free(x->fields);
	perfetto_free(x->perfetto);
}

static void learn_names(struct export *x)
{
	enum activity activity;

	for (activity = 0; activity < NR_ACTIVITIES; activity++)
		x->activity[activity] = intern(activity_names[activity]);
	x->el2 = intern("EL2");
	x->woken = intern("woken");
	x->reason = intern("reason");
	x->address = intern("address");
	x->number = intern("number");
	x->name = intern("name");
	x->access = intern("access");
	x->size = intern("size");
}

/* Arguments ------------------------------------------------------------------------- */

struct arguments {
	struct source	source;
	struct output	output;
	bool		has_no_raw;
};

enum {
	OPTION_PERFETTO = 0x3000,
	OPTION_NO_RAW,
};

static const struct argp_option options[] = {
	{ "perfetto", OPTION_PERFETTO, "FILE", 0, "Write FILE, or - for the standard output", 0 },
	{ "no-raw", OPTION_NO_RAW, NULL, 0, "Leave out the events themselves", 0 },
	{ 0 }
};

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (option) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->source;
		return 0;
	case OPTION_PERFETTO:
		arguments->output.path = argument;
		return 0;
	case OPTION_NO_RAW:
		arguments->has_no_raw = true;
		return 0;
	case ARGP_KEY_END:
		if (!arguments->output.path)
			argp_error(state, "say where to: --perfetto FILE, or --perfetto -");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* The standard output is written as a file is, but it is nobody's by name. */
static void choose_output(struct output *output)
{
	if (strcmp(output->path, "-"))
		return;
	if (isatty(STDOUT_FILENO))
		errx(1, "--perfetto -: the standard output is a terminal: send it to a file, or a pipe");
	output->path = NULL;
	output->file = stdout;
}

static void export(struct arguments *arguments)
{
	struct export x = {
		.from = arguments->source.from, .to = arguments->source.to,
		.has_raw = !arguments->has_no_raw, .output = &arguments->output,
		.perfetto = perfetto_new(arguments->output.file),
	};
	const struct reading reading = {
		.by = BY_WHAT, .span = add_span, .event = add_event, .data = &x,
	};
	struct recording *recording;

	x.calls = (struct graph_user) {
		.has_stays = true, .data = &x, .open = open_call, .close = close_call };
	learn_names(&x);
	recording = source_read(&arguments->source, &reading);
	finish(&x);
	recording_free(recording);
}

int cmd_export(int argc, char **argv)
{
	static const struct argp_child children[] = { { &source_argp }, { &color_argp }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Write what the hypervisor and vCPUs did, from recorded events, as a file that https://ui.perfetto.dev shows.",
		.children = children,
	};
	struct arguments arguments = { 0 };
	struct output *output = &arguments.output;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	choose_output(output);
	output->ends_whole = true;
	source_open(&arguments.source, output);
	if (arguments.source.is_live)
		catch_interrupts_of_reading();
	export(&arguments);
	if (output->path)
		output_close(output);
	if (!output->path && fflush(stdout))
		err(1, "can't print all");
	if (!interrupted)
		return 0;
	warn_missing("interrupted: %s has what was read until then", output->path ?: "the output");
	return 128 + interrupted;
}
