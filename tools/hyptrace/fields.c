// SPDX-License-Identifier: GPL-2.0-only
/*
 * All fields of events.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "fields.h"
#include "text.h"

/* Nobody has checked the names of a damaged file. */
static const char *clean(const char *name)
{
	char copy[FIELD_TEXT_SIZE];

	copy_name(copy, sizeof(copy), name);
	return intern(copy);
}

/**
 * fields_of() - find the fields of a type of events
 * @tep:	the events
 * @type:	the type
 *
 * Return: the fields, for fields_free(); NULL if there is no such type
 */
struct fields *fields_of(struct tep_handle *tep, int type)
{
	struct tep_event *event = tep_find_event(tep, type);
	struct tep_format_field *field;
	struct fields *fields;

	if (!event)
		return NULL;
	fields = xzalloc(sizeof(*fields));
	fields->event = event;
	fields->name = clean(event->name);
	fields->system = clean(event->system);
	for (field = event->format.fields; field; field = field->next) {
		fields->field = xrealloc(fields->field, fields->nr + 1, sizeof(*fields->field));
		fields->field_name = xrealloc(fields->field_name, fields->nr + 1,
					      sizeof(*fields->field_name));
		fields->field[fields->nr] = event_field(tep, event->system, event->name,
							field->name);
		fields->field_name[fields->nr++] = clean(field->name);
	}
	return fields;
}

/**
 * fields_free() - free what fields_of() has allocated
 * @fields:	that, or NULL
 */
void fields_free(struct fields *fields)
{
	if (!fields)
		return;
	while (fields->nr)
		event_field_free(&fields->field[--fields->nr]);
	free(fields->field);
	free(fields->field_name);
	free(fields);
}

/**
 * field_kind() - which kind of argument a field is
 * @field:	the field
 *
 * Return: ARGUMENT_TEXT also for what has several elements
 */
enum argument_kind field_kind(const struct event_field *field)
{
	const unsigned long flags = field->field->flags;

	if (flags & (TEP_FIELD_IS_STRING | TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC))
		return ARGUMENT_TEXT;
	/* Perfetto itself reads this one of events that are slices, and expects a number. */
	if (field->nr_names && strcmp(field->field->name, "track_event_type"))
		return ARGUMENT_NAME;
	if (flags & TEP_FIELD_IS_SIGNED)
		return ARGUMENT_SIGNED;
	/* Registers, addresses, and what guests tell. */
	return field->field->size == 8 ? ARGUMENT_ADDRESS : ARGUMENT_NUMBER;
}

/* The bytes of a field; those that a damaged file lacks are left out. */
static size_t bytes_of(struct tep_format_field *field, const struct tep_record *record,
		       const char **bytes)
{
	size_t offset = field->offset, size = field->size;
	uint32_t where;

	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		where = number_in(field, record);
		offset = where & 0xffff;
		size = where >> 16;
		if (field->flags & TEP_FIELD_IS_RELATIVE)
			offset += field->offset + field->size;
	} else if (!size) {
		/* "char buf[]" has what is left. */
		size = SIZE_MAX;
	}
	if (field->offset < 0 || field->size < 0 || offset >= record->size)
		return 0;
	*bytes = (const char *)record->data + offset;
	return size < record->size - offset ? size : record->size - offset;
}

static void text_of(const struct event_field *event, const struct tep_record *record,
		    char text[FIELD_TEXT_SIZE])
{
	struct tep_format_field element = *event->field;
	const char *bytes;
	size_t i, length = 0, size = bytes_of(event->field, record, &bytes);

	text[0] = '\0';
	if (!size)
		return;
	if (element.flags & TEP_FIELD_IS_STRING) {
		snprintf(text, FIELD_TEXT_SIZE, "%.*s", (int)strnlen(bytes, size), bytes);
		make_printable(text);
		return;
	}
	element.size = element.elementsize;
	for (i = 0; element.size && (i + 1) * element.size <= size; i++) {
		element.offset = bytes - (const char *)record->data + i * element.size;
		length += snprintf(text + length, FIELD_TEXT_SIZE - length, "%s%#llx",
				   i ? " " : "", number_in(&element, record));
		if (length >= FIELD_TEXT_SIZE)
			break;
	}
}

/* A number of this size [bytes], as one of 64 bits */
static uint64_t extend_sign(uint64_t value, int size)
{
	const unsigned int unused = size > 0 && size < 8 ? 64 - 8 * size : 0;

	return (int64_t)(value << unused) >> unused;
}

/**
 * field_argument() - the value of a field
 * @fields:	from fields_of()
 * @i:		which field
 * @record:	an event of this type
 * @text:	the argument's text if it is no name
 *
 * Return: the argument. Its kind is field_kind(), or ARGUMENT_TEXT for a value without a name
 */
struct argument field_argument(const struct fields *fields, size_t i,
			       const struct tep_record *record, char text[FIELD_TEXT_SIZE])
{
	const struct event_field *field = &fields->field[i];
	struct argument argument = { .name = fields->field_name[i], .kind = field_kind(field) };

	if (argument.kind == ARGUMENT_TEXT) {
		text_of(field, record, text);
		argument.text = text;
		return argument;
	}
	argument.value = field_value(field, record);
	if (argument.kind == ARGUMENT_NAME)
		argument.text = value_name(field, argument.value);
	if (argument.kind == ARGUMENT_NAME && !argument.text) {
		snprintf(text, FIELD_TEXT_SIZE, "%#" PRIx64, argument.value);
		argument.kind = ARGUMENT_TEXT;
		argument.text = text;
	}
	if (argument.kind == ARGUMENT_SIGNED)
		argument.value = extend_sign(argument.value, field->field->size);
	return argument;
}
