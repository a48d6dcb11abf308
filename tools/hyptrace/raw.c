// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events in a file for Perfetto: bundles of events of one CPU. An event is a message in a field of
 * FtraceEvent. If perfetto.proto has a field of that name, its message says which fields it has.
 * Else the event gets the next number from 65536 on, and a descriptor.
 *
 * (Perfetto has messages for hyp_enter and hyp_exit, but without a field for their reasons.)
 */

#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "fields.h"
#include "raw.h"

#define FIRST_GENERIC	65536

/* Events of a bundle: enough for its own fields not to count, and few enough to be kept. */
#define BUNDLE_EVENTS	64

/* The fields of protobuf are numbers, or bytes after their length. */
enum wire {
	WIRE_NUMBER = PROTOBUF_C_WIRE_TYPE_VARINT,
	WIRE_BYTES = PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED,
};

/* The most bytes of a varint */
#define VARINT_SIZE	10

/**
 * struct raw_type - a type of events
 * @fields:	its fields, NULL if it can't be read
 * @id:		its field in FtraceEvent, 0 before its first event
 * @number:	the number of each field in its message, 0 if that does not have it
 */
struct raw_type {
	struct fields	*fields;
	uint32_t	id;
	uint32_t	*number;
};

/**
 * struct bundle - the events of a CPU that have not been written
 * @event:	the events; each has its message as a field that protobuf-c does not know
 * @message:	these fields
 * @begin:	where in @bytes each message begins
 * @nr:		number of events
 * @bytes:	all messages
 * @size:	their size
 * @allocated:	the size of @bytes
 * @has_lost:	events are missing before the first one
 */
struct bundle {
	Perfetto__FtraceEvent		event[BUNDLE_EVENTS];
	ProtobufCMessageUnknownField	message[BUNDLE_EVENTS];
	size_t				begin[BUNDLE_EVENTS + 1];
	size_t				nr;
	uint8_t				*bytes;
	size_t				size, allocated;
	bool				has_lost;
};

/**
 * struct raw - events that are written
 * @perfetto:	the file
 * @tep:	the types of events
 * @type:	what is known of each type
 * @nr_types:	number of elements in @type
 * @nr_generic:	number of types that have a descriptor
 * @bundle:	the bundles, by CPU; NULL if a CPU has none
 * @nr_cpus:	number of elements in @bundle
 */
struct raw {
	struct perfetto		*perfetto;
	struct tep_handle	*tep;
	struct raw_type		*type;
	size_t			nr_types;
	uint32_t		nr_generic;
	struct bundle		**bundle;
	size_t			nr_cpus;
};

/**
 * raw_new() - begin to write events
 * @perfetto:	where to
 * @tep:	the types of events
 *
 * Return: for raw_free()
 */
struct raw *raw_new(struct perfetto *perfetto, struct tep_handle *tep)
{
	struct raw *raw = xzalloc(sizeof(*raw));

	raw->perfetto = perfetto;
	raw->tep = tep;
	return raw;
}

/* Messages -------------------------------------------------------------------------- */

static uint8_t *room_for(struct bundle *b, size_t size)
{
	if (b->size + size > b->allocated) {
		b->allocated = 2 * (b->size + size);
		b->bytes = xrealloc(b->bytes, b->allocated, 1);
	}
	return b->bytes + b->size;
}

/* Base 128, the lowest digits first; the highest bit says that more follow. */
static size_t put_varint(uint8_t *to, uint64_t value)
{
	size_t size = 0;

	for (; value > 0x7f; value >>= 7)
		to[size++] = value | 0x80;
	to[size++] = value;
	return size;
}

static void add_varint(struct bundle *b, uint64_t value)
{
	b->size += put_varint(room_for(b, VARINT_SIZE), value);
}

static void add_number(struct bundle *b, uint32_t field, uint64_t value)
{
	add_varint(b, field << 3 | WIRE_NUMBER);
	add_varint(b, value);
}

static void add_text(struct bundle *b, uint32_t field, const char *text)
{
	const size_t length = strlen(text);

	add_varint(b, field << 3 | WIRE_BYTES);
	add_varint(b, length);
	memcpy(room_for(b, length), text, length);
	b->size += length;
}

static void add_field(struct bundle *b, uint32_t number, const struct argument *argument)
{
	if (argument->kind == ARGUMENT_TEXT || argument->kind == ARGUMENT_NAME)
		add_text(b, number, argument->text);
	else
		add_number(b, number, argument->value);
}

/* The length of a message comes before it, and is known behind it. */
static void add_message(struct bundle *b, const struct raw_type *type,
			const struct tep_record *record)
{
	char text[FIELD_TEXT_SIZE];
	uint8_t length[VARINT_SIZE];
	const size_t begin = b->size;
	struct argument argument;
	size_t i, size;

	for (i = 0; i < type->fields->nr; i++) {
		if (!type->number[i])
			continue;
		argument = field_argument(type->fields, i, record, text);
		add_field(b, type->number[i], &argument);
	}
	size = put_varint(length, b->size - begin);
	room_for(b, size);
	memmove(b->bytes + begin + size, b->bytes + begin, b->size - begin);
	memcpy(b->bytes + begin, length, size);
	b->size += size;
}

/* Types ----------------------------------------------------------------------------- */

/* A value that has a name is a text, so all of them must be. */
static Perfetto__FieldDescriptorProto__Type type_of(const struct event_field *field)
{
	switch (field_kind(field)) {
	case ARGUMENT_TEXT:
	case ARGUMENT_NAME:
		return PERFETTO__FIELD_DESCRIPTOR_PROTO__TYPE__TYPE_STRING;
	case ARGUMENT_SIGNED:
		return PERFETTO__FIELD_DESCRIPTOR_PROTO__TYPE__TYPE_INT64;
	default:
		return PERFETTO__FIELD_DESCRIPTOR_PROTO__TYPE__TYPE_UINT64;
	}
}

/* Write what the type's messages have: in a bundle of its own, for which no event has to wait. */
static void describe(struct raw *raw, const struct raw_type *type, int cpu)
{
	const size_t nr = type->fields->nr;
	Perfetto__FieldDescriptorProto *field = xrealloc(NULL, nr + 1, sizeof(*field));
	Perfetto__FieldDescriptorProto **fields = xrealloc(NULL, nr + 1, sizeof(*fields));
	Perfetto__DescriptorProto message = PERFETTO__DESCRIPTOR_PROTO__INIT;
	Perfetto__GenericEventDescriptor descriptor = PERFETTO__GENERIC_EVENT_DESCRIPTOR__INIT;
	Perfetto__GenericEventDescriptor *descriptors = &descriptor;
	Perfetto__FtraceEventBundle bundle = PERFETTO__FTRACE_EVENT_BUNDLE__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	size_t i;

	for (i = 0; i < nr; i++) {
		field[i] = (Perfetto__FieldDescriptorProto)PERFETTO__FIELD_DESCRIPTOR_PROTO__INIT;
		field[i].name = (char *)type->fields->field_name[i];
		field[i].has_number = true;
		field[i].number = type->number[i];
		field[i].has_type = true;
		field[i].type = type_of(&type->fields->field[i]);
		fields[i] = &field[i];
	}
	message.name = (char *)type->fields->name;
	message.field = fields;
	message.n_field = nr;
	descriptor.has_field_id = true;
	descriptor.field_id = type->id;
	descriptor.event_descriptor = &message;
	bundle.has_cpu = true;
	bundle.cpu = cpu;
	bundle.generic_event_descriptors = &descriptors;
	bundle.n_generic_event_descriptors = 1;
	packet.ftrace_events = &bundle;
	perfetto_add(raw->perfetto, &packet);
	free(field);
	free(fields);
}

static const ProtobufCFieldDescriptor *field_of(const ProtobufCMessageDescriptor *message,
						const char *name)
{
	return protobuf_c_message_descriptor_get_field_by_name(message, name);
}

/* Perfetto has a message for such events: use what fields that has. */
static void use_message(struct raw_type *type, const ProtobufCFieldDescriptor *message)
{
	const ProtobufCMessageDescriptor *descriptor = message->descriptor;
	const ProtobufCFieldDescriptor *field;
	size_t i;

	type->id = message->id;
	for (i = 0; i < type->fields->nr; i++) {
		field = field_of(descriptor, type->fields->field_name[i]);
		type->number[i] = field ? field->id : 0;
	}
}

static void use_descriptor(struct raw *raw, struct raw_type *type, int cpu)
{
	size_t i;

	type->id = FIRST_GENERIC + raw->nr_generic++;
	for (i = 0; i < type->fields->nr; i++)
		type->number[i] = i + 1;
	describe(raw, type, cpu);
}

/* The host has events called sched_switch, and perhaps the hypervisor, too. */
static bool is_perfettos(const struct fields *fields)
{
	return !strcmp(fields->system, "sched") || !strcmp(fields->system, "ftrace");
}

/* Find the type of an event. NULL if it can't be read. */
static const struct raw_type *find_type(struct raw *raw, int number, int cpu)
{
	const ProtobufCFieldDescriptor *message = NULL;
	struct raw_type *type;

	raw->type = xgrow(raw->type, &raw->nr_types, number + 1, sizeof(*raw->type));
	type = &raw->type[number];
	if (type->id)
		return type;
	type->fields = fields_of(raw->tep, number);
	if (!type->fields)
		return NULL;
	type->number = xrealloc(NULL, type->fields->nr + 1, sizeof(*type->number));
	if (is_perfettos(type->fields))
		message = field_of(&perfetto__ftrace_event__descriptor, type->fields->name);
	if (message)
		use_message(type, message);
	else
		use_descriptor(raw, type, cpu);
	return type;
}

/* Bundles --------------------------------------------------------------------------- */

static void write_bundle(struct raw *raw, struct bundle *b, int cpu)
{
	Perfetto__FtraceEventBundle bundle = PERFETTO__FTRACE_EVENT_BUNDLE__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	struct Perfetto__FtraceEvent *events[BUNDLE_EVENTS];
	size_t i;

	b->begin[b->nr] = b->size;
	for (i = 0; i < b->nr; i++) {
		/* Not before now, as @bytes may have been moved. */
		b->message[i].data = b->bytes + b->begin[i];
		b->message[i].len = b->begin[i + 1] - b->begin[i];
		b->event[i].base.unknown_fields = &b->message[i];
		b->event[i].base.n_unknown_fields = 1;
		events[i] = &b->event[i];
	}
	bundle.has_cpu = true;
	bundle.cpu = cpu;
	bundle.event = events;
	bundle.n_event = b->nr;
	bundle.has_lost_events = b->has_lost;
	bundle.lost_events = b->has_lost;
	packet.ftrace_events = &bundle;
	perfetto_add(raw->perfetto, &packet);
	b->nr = 0;
	b->size = 0;
	b->has_lost = false;
}

static struct bundle *bundle_of(struct raw *raw, int cpu)
{
	raw->bundle = xgrow(raw->bundle, &raw->nr_cpus, cpu + 1, sizeof(*raw->bundle));
	if (!raw->bundle[cpu])
		raw->bundle[cpu] = xzalloc(sizeof(struct bundle));
	return raw->bundle[cpu];
}

/**
 * raw_event() - write an event
 * @raw:	from raw_new()
 * @record:	the event; those of a CPU come in the order of time
 * @type:	its type, 0 or more
 * @tid:	the thread that the CPU ran
 */
void raw_event(struct raw *raw, const struct tep_record *record, int type, pid_t tid)
{
	const struct raw_type *found = find_type(raw, type, record->cpu);
	struct bundle *b = bundle_of(raw, record->cpu);
	Perfetto__FtraceEvent *event;

	if (!found)
		return;
	if (b->nr == BUNDLE_EVENTS || (record->missed_events && b->nr))
		write_bundle(raw, b, record->cpu);
	b->has_lost |= record->missed_events != 0;
	event = &b->event[b->nr];
	*event = (Perfetto__FtraceEvent)PERFETTO__FTRACE_EVENT__INIT;
	event->has_timestamp = true;
	event->timestamp = perfetto_time(raw->perfetto, record->ts);
	event->has_pid = true;
	event->pid = tid;
	b->message[b->nr].tag = found->id;
	b->message[b->nr].wire_type = PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
	b->begin[b->nr++] = b->size;
	add_message(b, found, record);
}

/**
 * raw_free() - there are no more events: write those that wait
 * @raw:	from raw_new(); it is freed
 */
void raw_free(struct raw *raw)
{
	size_t i;

	for (i = 0; i < raw->nr_cpus; i++) {
		if (!raw->bundle[i])
			continue;
		if (raw->bundle[i]->nr)
			write_bundle(raw, raw->bundle[i], i);
		free(raw->bundle[i]->bytes);
		free(raw->bundle[i]);
	}
	for (i = 0; i < raw->nr_types; i++) {
		fields_free(raw->type[i].fields);
		free(raw->type[i].number);
	}
	free(raw->bundle);
	free(raw->type);
	free(raw);
}
