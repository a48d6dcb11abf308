// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace merge: the events of a host and of a guest, each recorded there, in the order of time.
 *
 * The guest tells the hypervisor now and then what its clocks are, and so the recording of the host
 * has pairs of times of both (hyp:guest_clock).
 */

#include <argp.h>
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>

#include "basics.h"
#include "clockmap.h"
#include "color.h"
#include "columns.h"
#include "events.h"
#include "hyp.h"
#include "json.h"
#include "numbers.h"
#include "output.h"
#include "recording.h"
#include "subcommands.h"
#include "text.h"
#include "tracefile.h"

struct arguments {
	struct input	input[2];	/* of the host, and of the guest */
	struct output	output;
	const char	*clock;
	long		vm, run;
	bool		json;
};

/* Recordings ------------------------------------------------------------------------ */

/* The events of a CPU in a buffer. */
struct stream {
	struct recorded		*recorded;
	struct tracecmd_input	*buffer;
	int			cpu;
	struct tep_record	*record;	/* the next one, NULL at the end */
	uint64_t		time;		/* its time on the host [ns] */
};

/* A recording, of the host or of the guest. */
struct recorded {
	const char		*path, *from;
	struct tracefile	*file;
	struct tracecmd_input	**buffer;	/* the first one is the top one */
	int			nr_buffers;
	struct tep_handle	*tep;
	int			cpus;
	struct stream		*stream;
	size_t			nr_streams;
	const struct clockmap	*map;		/* to the host's time; NULL for the host */
	uint64_t		first, last;	/* times in it [ns] */
	uint64_t		lost;
};

static void add_buffer(struct recorded *r, struct tracecmd_input *buffer)
{
	int cpu;

	r->buffer = xrealloc(r->buffer, r->nr_buffers + 1, sizeof(*r->buffer));
	r->buffer[r->nr_buffers++] = buffer;
	r->stream = xrealloc(r->stream, r->nr_streams + r->cpus, sizeof(*r->stream));
	for (cpu = 0; cpu < r->cpus; cpu++)
		r->stream[r->nr_streams++] = (struct stream) {
			.recorded = r, .buffer = buffer, .cpu = cpu,
		};
}

static void recorded_open(struct recorded *r, const struct input *input, const char *from)
{
	struct tracecmd_input *top = trace_open(input), *buffer;
	const char *path = input->path;
	int i;

	*r = (struct recorded) { .path = path, .from = from, .file = tracefile_open(input) };
	if (r->file->changes)
		errx(1, "%s: its option %s changes its times: merge the file as it was recorded, without --date",
		     path, r->file->changes);
	r->tep = tracecmd_get_tep(top);
	r->cpus = tep_get_cpus(r->tep);
	add_buffer(r, top);
	for (i = 0; i < tracecmd_buffer_instances(top); i++) {
		buffer = tracecmd_buffer_instance_handle(top, i);
		if (!buffer)
			errx(1, "%s: libtracecmd can't read the buffer '%s'", path,
			     make_printable(xstrdup(tracecmd_buffer_instance_name(top, i))));
		add_buffer(r, buffer);
	}
}

static void recorded_close(struct recorded *r)
{
	while (r->nr_buffers--)
		tracecmd_close(r->buffer[r->nr_buffers]);
	tracefile_close(r->file);
	free(r->buffer);
	free(r->stream);
}

static void set_record(struct stream *stream, struct tep_record *record)
{
	const struct clockmap *map = stream->recorded->map;

	tracecmd_free_record(stream->record);
	stream->record = record;
	if (record)
		stream->time = map ? clockmap_host(map, record->ts) : record->ts;
}

static void stream_begin(struct stream *stream)
{
	set_record(stream, tracecmd_read_cpu_first(stream->buffer, stream->cpu));
}

static void stream_next(struct stream *stream)
{
	set_record(stream, tracecmd_read_data(stream->buffer, stream->cpu));
}

/* Call a function with each event, CPU by CPU. */
static void each_event(struct recorded *r, void *data,
		       void (*tell)(void *data, struct tep_record *record))
{
	struct stream *stream;

	for (stream = r->stream; stream < r->stream + r->nr_streams; stream++)
		for (stream_begin(stream); stream->record; stream_next(stream))
			tell(data, stream->record);
}

static void note_time(void *data, struct tep_record *record)
{
	struct recorded *r = data;

	if (record->ts < r->first)
		r->first = record->ts;
	if (record->ts > r->last)
		r->last = record->ts;
}

static void learn_times(struct recorded *r)
{
	r->first = UINT64_MAX;
	each_event(r, r, note_time);
	if (r->first > r->last)
		errx(1, "%s: has no events", r->path);
}

/* Clocks ---------------------------------------------------------------------------- */

static bool is_told(const char *clock)
{
	return !strcmp(clock, "boot") || !strcmp(clock, "mono");
}

/* The clock of a guest's recording; if guests do not tell it, the program ends with a remedy. */
static const char *clock_of(const struct recorded *r)
{
	const struct buffer *buffer = r->file->buffer, *other;

	if (!r->file->nr_buffers)
		errx(1, "%s: does not tell its clock, since its format is old: say --clock boot or --clock mono, or let 'trace-cmd convert' make a new one",
		     r->path);
	for (other = buffer + 1; other < buffer + r->file->nr_buffers; other++)
		if (strcmp(other->clock, buffer->clock))
			errx(1, "%s: its buffers have different clocks, %s and %s: record all with -C boot",
			     r->path, buffer->clock, other->clock);
	if (!is_told(buffer->clock))
		errx(1, "%s: its clock is %s, but guests tell the host of boot and mono: record in the guest with trace-cmd record -C boot",
		     r->path, buffer->clock);
	return buffer->clock;
}

/* The hypervisor's clock is always the boot clock; the others should be the same. */
static void check_clock_of_host(const struct recorded *r)
{
	const struct buffer *buffer = r->file->buffer;

	for (; buffer < r->file->buffer + r->file->nr_buffers; buffer++)
		if (strcmp(buffer->clock, "boot"))
			warnx("%s: the clock of the buffer '%s' is %s, so its events are at wrong times: record with -C boot",
			      r->path, buffer->name, buffer->clock);
}

/* What the guest in a VM has told. */
struct told {
	unsigned int	vm;
	struct clockmap	map;
	size_t		nonsense;
};

/* What the guests have told, in the recording of the host. */
struct clocks {
	struct tep_handle	*tep;
	struct event_field	vm, at, guest;
	struct told		*told;
	size_t			nr;
};

static struct told *told_by(struct clocks *clocks, unsigned int vm)
{
	size_t i = 0;

	while (i < clocks->nr && clocks->told[i].vm != vm)
		i++;
	if (i == clocks->nr) {
		clocks->told = xrealloc(clocks->told, i + 1, sizeof(*clocks->told));
		clocks->told[clocks->nr++] = (struct told) { .vm = vm };
	}
	return &clocks->told[i];
}

static void add_clock(void *data, struct tep_record *record)
{
	struct clocks *clocks = data;
	struct told *told;
	uint64_t at;

	if (tep_data_type(clocks->tep, record) != clocks->at.type)
		return;
	told = told_by(clocks, field_value(&clocks->vm, record));
	at = field_value(&clocks->at, record);
	/* A guest can't know its clock before it is so late. */
	if (at > record->ts)
		told->nonsense++;
	else
		clockmap_add(&told->map, field_value(&clocks->guest, record), at);
}

static _Noreturn void no_clocks(const struct recorded *host)
{
	errx(1, "%s: has no hyp:guest_clock: the first file must be the host's, with this event, and the guest needs its driver 'hypertrace'",
	     host->path);
}

/* Find the VM that the user means, or the only one; or end the program. */
static struct told *choose_vm(const struct clocks *clocks, const struct recorded *host, long vm)
{
	size_t i;

	if (vm < 0 && clocks->nr == 1)
		return clocks->told;
	for (i = 0; i < clocks->nr; i++)
		if (clocks->told[i].vm == vm)
			return &clocks->told[i];
	if (vm < 0)
		warnx("%s: more than one VM has told its clock: say by --vm which one it is",
		      host->path);
	else
		warnx("%s: VM %ld has not told its clock", host->path, vm);
	for (i = 0; i < clocks->nr; i++)
		warnx("pairs of times of VM %u: %zu", clocks->told[i].vm,
		      clocks->told[i].map.given);
	exit(1);
}

/* What the guest of the recording has told: its boot clock, or its monotonic one. */
static struct told *read_clocks(struct clocks *clocks, struct recorded *host, const char *clock,
				long vm)
{
	*clocks = (struct clocks) { .tep = host->tep };
	clocks->vm = event_field(host->tep, HYP_INSTANCE, "guest_clock", "vm");
	clocks->at = event_field(host->tep, HYP_INSTANCE, "guest_clock", "at");
	clocks->guest = event_field(host->tep, HYP_INSTANCE, "guest_clock", clock);
	if (clocks->vm.type < 0 || clocks->at.type < 0 || clocks->guest.type < 0)
		no_clocks(host);
	each_event(host, clocks, add_clock);
	if (!clocks->nr)
		no_clocks(host);
	return choose_vm(clocks, host, vm);
}

static void free_clocks(struct clocks *clocks)
{
	while (clocks->nr--)
		free(clocks->told[clocks->nr].map.pair);
	free(clocks->told);
}

/* Messages -------------------------------------------------------------------------- */

/* Say which of the guest's times are used, and why not all. */
static void describe_pairs(const struct told *told, const char *clock, bool is_wanted)
{
	const struct clockmap *map = &told->map;
	const size_t left_out = map->given - map->nr - map->in_others + told->nonsense;
	char first[SECONDS_SIZE], last[SECONDS_SIZE];

	fprintf(stderr, "Pairs of times of VM %u: %zu, from %s to %s s of its %s clock", told->vm,
		map->nr, format_seconds(first, map->pair[0].guest, 9),
		format_seconds(last, map->pair[map->nr - 1].guest, 9), clock);
	if (left_out)
		fprintf(stderr, "; left out, since they contradict others: %zu", left_out);
	fprintf(stderr, "\n");
	if (map->runs < 2)
		return;
	fprintf(stderr, "The guest was started more than once: run %u of %u is taken%s\n", map->run,
		map->runs, is_wanted ? "" :
		map->alike ? ", the last one that covers the recording; --run takes another one" :
			     ", which fits the recording best");
}

/* Say where no two pairs are around the events. */
static void describe_ends(const struct clockmap *map, const struct recorded *guest)
{
	const uint64_t start = map->pair[0].guest, end = map->pair[map->nr - 1].guest;
	char text[SECONDS_SIZE];

	if (guest->first < start)
		fprintf(stderr, "The recording begins %s s before that: times there are estimated\n",
			format_seconds(text, start - guest->first, 9));
	if (guest->last > end)
		fprintf(stderr, "The recording ends %s s behind that: times there are estimated\n",
			format_seconds(text, guest->last - end, 9));
}

static void describe_offset(const struct clockmap *map, const struct recorded *host,
			    const struct recorded *guest)
{
	const struct clock_offset offset = clockmap_offset(map, guest->first, guest->last);

	fprintf(stderr, "With one offset for all events, times are wrong by up to %" PRIu64 " ns:\n"
		"  trace-cmd report -i %s -i %s --ts-offset %" PRId64 "\n",
		offset.error, host->path, guest->path, offset.ns);
}

/* Events ---------------------------------------------------------------------------- */

/* An event, as it is printed. */
struct shown {
	const struct stream	*stream;
	char			system[64], event[64], comm[64], *text;
	int			tid, lost;
};

static void show_text(const struct shown *e)
{
	const struct stream *stream = e->stream;
	const char *from = stream->recorded->from;
	char time[SECONDS_SIZE];

	if (e->lost)
		printf("%-5s %s%d events were lost on CPU %d%s\n", from, color_begin(stdout),
		       e->lost, stream->cpu, color_end(stdout));
	printf("%-5s %16s-%-7d [%03d] %s: %s: %s\n", from, e->comm, e->tid, stream->cpu,
	       format_seconds(time, stream->time, 9), e->event, e->text);
}

/* JSON's integers have a sign. */
static json_t *json_time(uint64_t ns)
{
	return json_integer(ns > INT64_MAX ? INT64_MAX : ns);
}

static void show_json(const struct shown *e)
{
	const struct stream *stream = e->stream;
	json_t *object = json_pack("{ss, so, si, si, ss, ss, ss, ss}",
				   "from", stream->recorded->from,
				   "time_ns", json_time(stream->time), "cpu", stream->cpu,
				   "tid", e->tid, "comm", e->comm, "system", e->system,
				   "event", e->event, "text", e->text);

	if (stream->recorded->map)
		json_object_set_new(object, "guest_ns", json_time(stream->record->ts));
	if (e->lost)
		json_object_set_new(object, "lost", json_integer(e->lost));
	print_json_value(stdout, object, 0);
}

static void show(const struct stream *stream, struct trace_seq *seq, bool json)
{
	struct recorded *r = stream->recorded;
	struct tep_record *record = stream->record;
	struct tep_event *event = tep_find_event_by_record(r->tep, record);
	struct shown shown = {
		.stream = stream, .tid = tep_data_pid(r->tep, record),
	};

	if (record->missed_events)
		shown.lost = record->missed_events > 0 ? record->missed_events : 1;
	r->lost += shown.lost;
	copy_name(shown.system, sizeof(shown.system), event ? event->system : "?");
	copy_name(shown.event, sizeof(shown.event), event ? event->name : "?");
	snprintf(shown.comm, sizeof(shown.comm), "%s", tep_data_comm_from_pid(r->tep, shown.tid));
	make_printable(shown.comm);
	trace_seq_reset(seq);
	if (event)
		tep_print_event(r->tep, seq, record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(seq);
	shown.text = make_printable(seq->buffer);
	if (json)
		show_json(&shown);
	else
		show_text(&shown);
}

static struct stream *earlier(struct recorded *r, struct stream *than)
{
	struct stream *stream;

	for (stream = r->stream; stream < r->stream + r->nr_streams; stream++)
		if (stream->record && (!than || stream->time < than->time))
			than = stream;
	return than;
}

static void warn_of_lost_events(const struct recorded *r)
{
	if (r->lost)
		warn_missing("%s: %" PRIu64 " events were lost", r->path, r->lost);
}

static void show_all(struct recorded *host, struct recorded *guest, bool json)
{
	struct stream *stream;
	struct trace_seq seq;
	size_t i;

	for (i = 0; i < host->nr_streams; i++)
		stream_begin(&host->stream[i]);
	for (i = 0; i < guest->nr_streams; i++)
		stream_begin(&guest->stream[i]);
	trace_seq_init(&seq);
	while ((stream = earlier(guest, earlier(host, NULL)))) {
		show(stream, &seq, json);
		stream_next(stream);
	}
	trace_seq_destroy(&seq);
	warn_of_lost_events(host);
	warn_of_lost_events(guest);
}

/* A copy of the guest's recording --------------------------------------------------- */

/* Times of the guest, and the host's, with a line between each two. */
struct line {
	struct clock_pair	*pair;
	size_t			nr;
};

static void add_point(struct line *line, const struct clockmap *map, uint64_t guest)
{
	if (line->nr && line->pair[line->nr - 1].guest == guest)
		return;
	line->pair = xrealloc(line->pair, line->nr + 1, sizeof(*line->pair));
	line->pair[line->nr++] = (struct clock_pair) {
		.guest = guest, .host = clockmap_host(map, guest),
	};
}

/*
 * libtracecmd multiplies the time since a point with how much the offset changes until the next
 * one, in 64 bits with a sign. More points in between keep that from an overflow.
 */
static unsigned int count_parts(const struct clock_pair *start, const struct clock_pair *end)
{
	const uint64_t guest = end->guest - start->guest, host = end->host - start->host;
	double product = (double)guest * (host > guest ? host - guest : guest - host);
	unsigned int parts = 1;

	for (; product > 1ULL << 62 && parts < 1 << 16; parts *= 2)
		product /= 4;
	return parts;
}

static void add_line(struct line *line, const struct clockmap *map, uint64_t end)
{
	const struct clock_pair from = line->pair[line->nr - 1];
	const struct clock_pair to = { .guest = end, .host = clockmap_host(map, end) };
	const unsigned int parts = count_parts(&from, &to);
	unsigned int i;

	for (i = 1; i < parts; i++)
		add_point(line, map, from.guest + (end - from.guest) / parts * i);
	add_point(line, map, end);
}

/* libtracecmd does not shift the times of other buffers than the top one. */
static void warn_of_buffers(const struct recorded *guest, const char *path)
{
	const struct buffer *buffer = guest->file->buffer;

	for (; buffer < guest->file->buffer + guest->file->nr_buffers; buffer++)
		if (*buffer->name)
			warnx("%s: the buffer '%s' keeps the guest's time, as libtracecmd shifts the top buffer only: record without -B",
			      path, buffer->name);
}

static void write_shifted(const struct clockmap *map, struct recorded *host,
			  struct recorded *guest, struct output *output)
{
	struct line line = { 0 };
	size_t i;

	if (!guest->file->link)
		errx(1, "%s: has an old format, in which times can't be shifted: let 'trace-cmd convert' make a new one",
		     guest->path);
	/* The recording's ends, too, so that libtracecmd needs no guess. */
	add_point(&line, map, guest->first);
	for (i = 0; i < map->nr; i++)
		if (map->pair[i].guest > guest->first && map->pair[i].guest < guest->last)
			add_line(&line, map, map->pair[i].guest);
	add_line(&line, map, guest->last);
	tracefile_shift(guest->file, output, tracecmd_get_traceid(host->buffer[0]), line.pair,
			line.nr, guest->cpus);
	free(line.pair);
	warn_of_buffers(guest, output->path);
	fprintf(stderr, "%s has the host's time:\n  trace-cmd report -i %s -i %s\n",
		output->path, host->path, output->path);
}

/* All ------------------------------------------------------------------------------- */

enum {
	OPTION_VM = 0x3000,
	OPTION_CLOCK,
	OPTION_JSON,
	OPTION_RUN,
};

static const struct argp_option options[] = {
	{ "vm", OPTION_VM, "N", 0,
	  "The VM of the guest; needed if several VMs have told their clocks", 0 },
	{ "clock", OPTION_CLOCK, "boot|mono", 0,
	  "The clock of GUEST.dat, instead of what it tells", 0 },
	{ "run", OPTION_RUN, "N", 0,
	  "If the guest was started more than once: its N-th run; default: the one that covers most "
	  "of GUEST.dat", 0 },
	{ "json", OPTION_JSON, NULL, 0,
	  "Print JSON, an object a line", 0 },
	{ "output", 'o', "FILE", 0,
	  "Print nothing, but write a copy of GUEST.dat that has the host's time", 0 },
	{ 0 }
};

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (option) {
	case OPTION_VM:
		arguments->vm = number_option(state, "--vm", argument);
		return 0;
	case OPTION_CLOCK:
		if (!is_told(argument))
			argp_error(state, "--clock %s: must be boot or mono", argument);
		arguments->clock = argument;
		return 0;
	case OPTION_RUN:
		arguments->run = number_option(state, "--run", argument);
		return 0;
	case OPTION_JSON:
		arguments->json = true;
		return 0;
	case 'o':
		arguments->output.path = argument;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 1)
			argp_error(state, "only two recordings can be merged");
		arguments->input[state->arg_num].path = argument;
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < 2)
			argp_error(state, "say which two: the host's recording, and the guest's");
		if (arguments->json && arguments->output.path)
			argp_error(state, "either --json or -o");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void choose_pairs(struct told *told, const struct recorded *guest, long run)
{
	if (clockmap_choose(&told->map, guest->first, guest->last, run))
		return;
	if (told->map.runs)
		errx(1, "--run %ld: the guest has had %u runs", run, told->map.runs);
	errx(1, "VM %u has told clocks, but only of times to come", told->vm);
}

int cmd_merge(int argc, char **argv)
{
	static const struct argp_child children[] = { { &color_argp }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "HOST.dat GUEST.dat",
		.doc = "Print the events of a host and of a Linux guest in the order of time. Both "
		       "were recorded at the same time, HOST.dat with hyp:guest_clock, and "
		       "GUEST.dat in the guest by 'trace-cmd record -C boot'.\v"
		       "'trace-cmd report -i HOST.dat -i FILE' shows FILE of -o, and KernelShark.",
		.children = children,
	};
	struct arguments arguments = { .vm = -1 };
	struct recorded host, guest;
	struct clocks clocks;
	struct told *told;
	const char *clock;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	read_in_child(arguments.input, 2, &arguments.output);
	recorded_open(&host, &arguments.input[0], "host");
	recorded_open(&guest, &arguments.input[1], "guest");
	clock = arguments.clock ?: clock_of(&guest);
	check_clock_of_host(&host);
	told = read_clocks(&clocks, &host, clock, arguments.vm);
	learn_times(&guest);
	choose_pairs(told, &guest, arguments.run);
	guest.map = &told->map;
	describe_pairs(told, clock, arguments.run);
	describe_ends(guest.map, &guest);
	describe_offset(guest.map, &host, &guest);
	if (arguments.output.path)
		write_shifted(guest.map, &host, &guest, &arguments.output);
	else
		show_all(&host, &guest, arguments.json);
	free_clocks(&clocks);
	recorded_close(&guest);
	recorded_close(&host);
	return 0;
}
