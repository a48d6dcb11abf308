// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events, as libtraceevent knows them from format files.
 */

#include <endian.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "row.h"
#include "text.h"

/* Find the __print_symbolic() of a field in what an event prints. */
static const struct tep_print_arg *symbols_of(const struct tep_event *event, const char *field)
{
	const struct tep_print_arg *arg, *of;

	for (arg = event->print_fmt.args; arg; arg = arg->next) {
		if (arg->type != TEP_PRINT_SYMBOL)
			continue;
		of = arg->symbol.field;
		if (of->type == TEP_PRINT_FIELD && !strcmp(of->field.name, field))
			return arg;
	}
	return NULL;
}

static int by_value(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

static void learn_names(struct event_field *field, const struct tep_print_arg *symbols)
{
	const struct tep_print_flag_sym *symbol;
	char name[REASON_SIZE];

	for (symbol = symbols->symbol.symbols; symbol; symbol = symbol->next) {
		copy_name(name, sizeof(name), symbol->str);
		field->name = xrealloc(field->name, field->nr_names + 1, sizeof(*field->name));
		field->name[field->nr_names++] = (struct name) {
			.value = strtoull(symbol->value, NULL, 0), .text = intern(name),
		};
	}
	sort(field->name, field->nr_names, sizeof(*field->name), by_value);
}

/**
 * event_field() - look for a field of an event
 * @tep:	the events
 * @system:	the event's system
 * @event:	the event's name
 * @field:	the field's name
 *
 * Return: the field. Its type is -1 if there is no such event, or no such field.
 */
struct event_field event_field(struct tep_handle *tep, const char *system, const char *event,
			       const char *field)
{
	struct tep_event *found = tep_find_event_by_name(tep, system, event);
	struct event_field result = { .type = -1 };
	const struct tep_print_arg *symbols;

	if (found)
		result.field = tep_find_field(found, field);
	if (!result.field)
		return result;
	result.type = found->id;
	symbols = symbols_of(found, field);
	if (symbols)
		learn_names(&result, symbols);
	return result;
}

/**
 * event_field_free() - free what event_field() has allocated
 * @field:	the field
 */
void event_field_free(struct event_field *field)
{
	free(field->name);
}

static bool is_little_endian(const struct tep_format_field *field)
{
	return !tep_is_file_bigendian(field->event->tep) && BYTE_ORDER == LITTLE_ENDIAN;
}

/**
 * number_in() - a number in an event
 * @field:	where it is; NULL if there is no such field
 * @record:	the event
 *
 * Return: the number; 0 if the event has no such field, or ends before it, as in a damaged file
 */
unsigned long long number_in(struct tep_format_field *field, const struct tep_record *record)
{
	unsigned long long value = 0;
	const char *at;

	if (!field || field->offset < 0 || field->size < 0 || field->offset > record->size ||
	    field->size > record->size - field->offset)
		return 0;
	/* Report would spend a tenth of its time in tep_read_number_field(). */
	at = (const char *)record->data + field->offset;
	switch (is_little_endian(field) ? field->size : 0) {
	case 1:
		memcpy(&value, at, 1);
		break;
	case 2:
		memcpy(&value, at, 2);
		break;
	case 4:
		memcpy(&value, at, 4);
		break;
	case 8:
		memcpy(&value, at, 8);
		break;
	default:
		tep_read_number_field(field, record->data, &value);
	}
	return value;
}

/**
 * field_value() - the value of a field
 * @field:	the field
 * @record:	an event of its type
 *
 * Return: the value
 */
unsigned long long field_value(const struct event_field *field, const struct tep_record *record)
{
	return number_in(field->field, record);
}

/**
 * named_value() - the value of a field that has a name
 * @field:	the field
 * @name:	the name
 *
 * Return: the value; the highest number if none has this name
 */
unsigned long long named_value(const struct event_field *field, const char *name)
{
	size_t i;

	for (i = 0; i < field->nr_names; i++)
		if (!strcmp(field->name[i].text, name))
			return field->name[i].value;
	return -1ULL;
}

/**
 * value_name() - the name of a field's value
 * @field:	the field
 * @value:	the value
 *
 * Return: the name, NULL if it has none
 */
const char *value_name(const struct event_field *field, unsigned long long value)
{
	const struct name key = { .value = value }, *found;

	if (!field->nr_names)
		return NULL;
	found = bsearch(&key, field->name, field->nr_names, sizeof(key), by_value);
	return found ? found->text : NULL;
}
