// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes files for Perfetto, packet after packet. Nothing is kept but the tracks, and which texts
 * each has told already.
 */

#include <err.h>
#include <stdlib.h>

#include "basics.h"
#include "perfetto.h"

/* A clock of a sequence's own, whose times are differences. */
#define CLOCK_OF_TRACK	(PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_MAX_ID + 1)

/* A packet that has a fixed number of numbers, and no texts, is smaller. */
#define SMALL_PACKET	256

/* Texts are told apart by where they are, since they are from intern(). */
struct name {
	const char	*text;
	uint32_t	number;
};

/**
 * struct perfetto - a file that is written
 * @file:	where to
 * @buffer:	a packet on its way
 * @size:	its size
 * @to_boot:	from the clock of what is written to CLOCK_BOOTTIME [ns]
 * @name:	a hash table of the texts that have a number; free places have no text
 * @size_bits:	the number of its places is 2 to the power of this
 * @nr_names:	number of texts
 * @track:	the tracks; each has its place as its number
 * @nr_tracks:	their number
 */
struct perfetto {
	FILE		*file;
	uint8_t		*buffer;
	size_t		size;
	int64_t		to_boot;
	struct name	*name;
	unsigned int	size_bits;
	uint32_t	nr_names;
	struct track	**track;
	uint32_t	nr_tracks;
};

/**
 * struct track - a track
 * @perfetto:	the file
 * @kind:	what it is; its name is not kept
 * @number:	of the track and of its sequence, from 1
 * @last:	time of the last packet [ns]
 * @has_begun:	its sequence has begun
 * @told:	a bit for each text that the sequence has told
 * @nr_told:	number of elements in @told
 */
struct track {
	struct perfetto		*perfetto;
	struct track_kind	kind;
	uint32_t		number;
	uint64_t		last;
	bool			has_begun;
	uint64_t		*told;
	size_t			nr_told;
};

/* 0 is Perfetto's own track; this keeps away from tracks of files that are shown beside it. */
static uint64_t uuid_of(const struct track *track)
{
	return 0x68797000000000ULL + track->number;
}

/* Packets --------------------------------------------------------------------------- */

/**
 * perfetto_new() - begin a file
 * @file:	where it goes
 *
 * Return: the file, for perfetto_free()
 */
struct perfetto *perfetto_new(FILE *file)
{
	struct perfetto *p = xzalloc(sizeof(*p));

	p->file = file;
	p->size = SMALL_PACKET;
	p->buffer = xrealloc(NULL, p->size, 1);
	p->size_bits = 8;
	p->name = xzalloc(sizeof(*p->name) << p->size_bits);
	return p;
}

static void add_packet(struct perfetto *p, Perfetto__TracePacket *packet)
{
	Perfetto__Trace trace = PERFETTO__TRACE__INIT;

	trace.packet = &packet;
	trace.n_packet = 1;
	fwrite(p->buffer, 1, perfetto__trace__pack(&trace, p->buffer), p->file);
}

/**
 * perfetto_add() - write a packet
 * @perfetto:	the file
 * @packet:	the packet
 */
void perfetto_add(struct perfetto *perfetto, Perfetto__TracePacket *packet)
{
	const size_t size = SMALL_PACKET + perfetto__trace_packet__get_packed_size(packet);

	if (size > perfetto->size) {
		perfetto->buffer = xrealloc(perfetto->buffer, size, 1);
		perfetto->size = size;
	}
	add_packet(perfetto, packet);
}

static Perfetto__ClockSnapshot__Clock clock_at(uint32_t clock, uint64_t time)
{
	Perfetto__ClockSnapshot__Clock result = PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT;

	result.has_clock_id = true;
	result.clock_id = clock;
	result.has_timestamp = true;
	result.timestamp = time;
	return result;
}

/**
 * perfetto_clocks() - tell what clocks said at one time
 * @perfetto:	the file
 * @boot:	CLOCK_BOOTTIME [ns], which all times in the file are of
 * @mono:	CLOCK_MONOTONIC [ns]
 * @real:	CLOCK_REALTIME [ns]
 */
void perfetto_clocks(struct perfetto *perfetto, uint64_t boot, uint64_t mono, uint64_t real)
{
	Perfetto__ClockSnapshot__Clock clocks[] = {
		clock_at(PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_BOOTTIME, boot),
		clock_at(PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_MONOTONIC, mono),
		clock_at(PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME, real),
	};
	Perfetto__ClockSnapshot__Clock *list[] = { &clocks[0], &clocks[1], &clocks[2] };
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	snapshot.clocks = list;
	snapshot.n_clocks = 3;
	packet.clock_snapshot = &snapshot;
	perfetto_add(perfetto, &packet);
}

/**
 * perfetto_use_mono() - what is written has times of CLOCK_MONOTONIC
 * @perfetto:	the file
 * @to_boot:	from there to CLOCK_BOOTTIME [ns]
 *
 * It must be told before anything else is written; record's mark of clocks is its first event.
 */
void perfetto_use_mono(struct perfetto *perfetto, int64_t to_boot)
{
	perfetto->to_boot = to_boot;
}

/**
 * perfetto_time() - a time, as the file has it
 * @perfetto:	the file
 * @time:	a time of what is written [ns]
 *
 * Return: the time [ns]
 */
uint64_t perfetto_time(const struct perfetto *perfetto, uint64_t time)
{
	return time + perfetto->to_boot;
}

/**
 * perfetto_free() - free a file's tracks; the file has been written
 * @perfetto:	the file
 */
void perfetto_free(struct perfetto *perfetto)
{
	while (perfetto->nr_tracks--) {
		free(perfetto->track[perfetto->nr_tracks]->told);
		free(perfetto->track[perfetto->nr_tracks]);
	}
	free(perfetto->track);
	free(perfetto->name);
	free(perfetto->buffer);
	free(perfetto);
}

/* Texts ----------------------------------------------------------------------------- */

/* Knuth's multiplicative hash (TAOCP 3, 6.4): 2^64 by the golden ratio. */
static struct name *place_of(const struct perfetto *p, const char *text)
{
	size_t i = (uintptr_t)text * 0x9e3779b97f4a7c15ULL >> (64 - p->size_bits);

	while (p->name[i].text && p->name[i].text != text)
		i = (i + 1) & ((1UL << p->size_bits) - 1);
	return &p->name[i];
}

static void grow(struct perfetto *p)
{
	struct name *old = p->name, *name;

	p->size_bits++;
	p->name = xzalloc(sizeof(*p->name) << p->size_bits);
	for (name = old; name < old + (1UL << (p->size_bits - 1)); name++)
		if (name->text)
			*place_of(p, name->text) = *name;
	free(old);
}

static uint32_t number_of(struct perfetto *p, const char *text)
{
	struct name *name = place_of(p, text);

	if (name->text)
		return name->number;
	if (2 * p->nr_names > 1UL << p->size_bits) {
		grow(p);
		name = place_of(p, text);
	}
	*name = (struct name) { .text = text, .number = ++p->nr_names };
	return name->number;
}

/* A text is for one of these; each has numbers of its own. */
enum use {
	USE_EVENT,
	USE_ARGUMENT,
	NR_USES
};

/* Note that a track's sequence tells a text. False if it has told it before. */
static bool tells(struct track *track, uint32_t number, enum use use)
{
	const size_t n = (size_t)number * NR_USES + use, i = n / 64;
	const uint64_t bit = 1ULL << n % 64;

	track->told = xgrow(track->told, &track->nr_told, i + 1, sizeof(*track->told));
	if (track->told[i] & bit)
		return false;
	track->told[i] |= bit;
	return true;
}

/* A packet of a track */
static Perfetto__TracePacket packet_of(const struct track *track)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	packet.has_trusted_packet_sequence_id = true;
	packet.trusted_packet_sequence_id = track->number;
	packet.has_sequence_flags = true;
	packet.sequence_flags = PERFETTO__SEQUENCE_FLAGS__SEQ_NEEDS_INCREMENTAL_STATE;
	return packet;
}

static void tell(struct track *track, const char *text, uint32_t number, enum use use)
{
	Perfetto__TracePacket packet = packet_of(track);
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__EventName event = PERFETTO__EVENT_NAME__INIT, *events = &event;
	Perfetto__DebugAnnotationName name = PERFETTO__DEBUG_ANNOTATION_NAME__INIT, *names = &name;

	event.has_iid = true;
	event.iid = number;
	event.name = (char *)text;
	name.has_iid = true;
	name.iid = number;
	name.name = (char *)text;
	data.event_names = &events;
	data.n_event_names = use == USE_EVENT;
	data.debug_annotation_names = &names;
	data.n_debug_annotation_names = use == USE_ARGUMENT;
	packet.interned_data = &data;
	perfetto_add(track->perfetto, &packet);
}

/* The number of a text that the track's next packet has */
static uint32_t told(struct track *track, const char *text, enum use use)
{
	const uint32_t number = number_of(track->perfetto, text);

	if (tells(track, number, use))
		tell(track, text, number, use);
	return number;
}

/* Tracks ---------------------------------------------------------------------------- */

static void describe(struct track *track, const char *name)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TrackDescriptor descriptor = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
	Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
	const struct track_kind *kind = &track->kind;

	descriptor.has_uuid = true;
	descriptor.uuid = uuid_of(track);
	descriptor.name = (char *)name;
	descriptor.has_parent_uuid = !!kind->parent;
	descriptor.parent_uuid = kind->parent ? uuid_of(kind->parent) : 0;
	descriptor.has_child_ordering = true;
	descriptor.child_ordering =
		PERFETTO__TRACK_DESCRIPTOR__CHILD_TRACKS_ORDERING__EXPLICIT;
	descriptor.has_sibling_order_rank = true;
	descriptor.sibling_order_rank = kind->rank;
	if (kind->pid) {
		process.has_pid = true;
		process.pid = kind->pid;
		process.process_name = (char *)name;
		descriptor.process = &process;
	}
	if (kind->counts_bytes) {
		counter.has_unit = true;
		counter.unit = PERFETTO__COUNTER_DESCRIPTOR__UNIT__UNIT_SIZE_BYTES;
		descriptor.counter = &counter;
	}
	packet.track_descriptor = &descriptor;
	packet.has_trusted_packet_sequence_id = true;
	packet.trusted_packet_sequence_id = track->number;
	perfetto_add(track->perfetto, &packet);
}

/**
 * track_new() - add a track to a file
 * @perfetto:	the file
 * @kind:	what the track is
 *
 * Return: the track, until perfetto_free()
 */
struct track *track_new(struct perfetto *perfetto, const struct track_kind *kind)
{
	struct track *track = xzalloc(sizeof(*track));

	perfetto->track = xrealloc(perfetto->track, perfetto->nr_tracks + 1,
				   sizeof(*perfetto->track));
	perfetto->track[perfetto->nr_tracks++] = track;
	track->perfetto = perfetto;
	track->number = perfetto->nr_tracks;
	track->kind = *kind;
	describe(track, kind->name);
	return track;
}

/**
 * track_rename() - give a track another name, also before now
 * @track:	the track
 * @name:	the name
 */
void track_rename(struct track *track, const char *name)
{
	describe(track, name);
}

/**
 * track_last() - when something has happened on a track
 * @track:	the track
 *
 * Return: the last time [ns], 0 if nothing has happened. What comes next can't be before that
 */
uint64_t track_last(const struct track *track)
{
	return track->last;
}

/* A track's sequence begins: what all its packets have in common. */
static void begin_sequence(struct track *track, uint64_t time)
{
	Perfetto__TracePacket packet = packet_of(track);
	const uint64_t boot = perfetto_time(track->perfetto, time);
	Perfetto__ClockSnapshot__Clock clocks[] = {
		clock_at(CLOCK_OF_TRACK, boot),
		clock_at(PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_BOOTTIME, boot),
	};
	Perfetto__ClockSnapshot__Clock *list[] = { &clocks[0], &clocks[1] };
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__TracePacketDefaults defaults = PERFETTO__TRACE_PACKET_DEFAULTS__INIT;
	Perfetto__TrackEventDefaults events = PERFETTO__TRACK_EVENT_DEFAULTS__INIT;

	clocks[0].has_is_incremental = true;
	clocks[0].is_incremental = true;
	snapshot.clocks = list;
	snapshot.n_clocks = 2;
	events.has_track_uuid = true;
	events.track_uuid = uuid_of(track);
	defaults.track_event_defaults = &events;
	defaults.has_timestamp_clock_id = true;
	defaults.timestamp_clock_id = CLOCK_OF_TRACK;
	packet.sequence_flags = PERFETTO__SEQUENCE_FLAGS__SEQ_INCREMENTAL_STATE_CLEARED;
	packet.trace_packet_defaults = &defaults;
	packet.clock_snapshot = &snapshot;
	perfetto_add(track->perfetto, &packet);
	track->has_begun = true;
	track->last = time;
}

/* Write an event of a track. A damaged file's times may go back, but none here. */
static void add_event(struct track *track, uint64_t time, Perfetto__TrackEvent *event)
{
	Perfetto__TracePacket packet = packet_of(track);

	time = time > track->last ? time : track->last;
	packet.has_timestamp = true;
	packet.timestamp = time - track->last;
	packet.track_event = event;
	track->last = time;
	/* For most packets, finding out their size would take a third of the time. */
	if (event->n_debug_annotations)
		perfetto_add(track->perfetto, &packet);
	else
		add_packet(track->perfetto, &packet);
}

static Perfetto__DebugAnnotation annotation_of(struct track *track, const struct argument *argument)
{
	Perfetto__DebugAnnotation annotation = PERFETTO__DEBUG_ANNOTATION__INIT;

	annotation.has_name_iid = true;
	annotation.name_iid = told(track, argument->name, USE_ARGUMENT);
	switch (argument->kind) {
	case ARGUMENT_NAME:
	case ARGUMENT_TEXT:
		annotation.string_value = (char *)argument->text;
		break;
	case ARGUMENT_NUMBER:
		annotation.has_uint_value = true;
		annotation.uint_value = argument->value;
		break;
	case ARGUMENT_SIGNED:
		annotation.has_int_value = true;
		annotation.int_value = argument->value;
		break;
	case ARGUMENT_ADDRESS:
		annotation.has_pointer_value = true;
		annotation.pointer_value = argument->value;
	}
	return annotation;
}

static void add_moment(struct track *track, uint64_t time, Perfetto__TrackEvent__Type type,
		       const struct moment *moment)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__DebugAnnotation annotation[MAX_ARGUMENTS], *annotations[MAX_ARGUMENTS];
	uint64_t flow = moment->flow, flow_end = moment->flow_end;
	size_t i;

	if (!track->has_begun)
		begin_sequence(track, time);
	for (i = 0; i < moment->nr_arguments && i < MAX_ARGUMENTS; i++) {
		annotation[i] = annotation_of(track, &moment->argument[i]);
		annotations[i] = &annotation[i];
	}
	event.debug_annotations = annotations;
	event.n_debug_annotations = i;
	event.has_type = true;
	event.type = type;
	event.has_name_iid = true;
	event.name_iid = told(track, moment->name, USE_EVENT);
	event.flow_ids = &flow;
	event.n_flow_ids = !!flow;
	event.terminating_flow_ids = &flow_end;
	event.n_terminating_flow_ids = !!flow_end;
	add_event(track, time, &event);
}

/**
 * track_begin() - a slice begins
 * @track:	the track
 * @time:	when [ns]
 * @moment:	the slice
 */
void track_begin(struct track *track, uint64_t time, const struct moment *moment)
{
	add_moment(track, time, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, moment);
}

/**
 * track_end() - the slice that has begun last ends
 * @track:	the track
 * @time:	when [ns]
 */
void track_end(struct track *track, uint64_t time)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

	event.has_type = true;
	event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END;
	add_event(track, time, &event);
}

/**
 * track_instant() - something happens
 * @track:	the track
 * @time:	when [ns]
 * @moment:	what
 */
void track_instant(struct track *track, uint64_t time, const struct moment *moment)
{
	add_moment(track, time, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT, moment);
}

/**
 * track_count() - the value of a counter
 * @track:	the track
 * @time:	from when on [ns]
 * @value:	the value
 */
void track_count(struct track *track, uint64_t time, uint64_t value)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

	if (!track->has_begun)
		begin_sequence(track, time);
	event.has_type = true;
	event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER;
	event.has_counter_value = true;
	event.counter_value = value;
	add_event(track, time, &event);
}
