/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The values that fields of events have had. The events' format files say where the fields
 * are, so a new field is found without a change here.
 */
#ifndef HYP_FIELDS_H
#define HYP_FIELDS_H

#include <err.h>

#include "../hyp_trace.h"

#define MAX_FIELDS	512
#define MAX_VALUES	4	/* remembered per field */
#define MAX_FIELD_SIZE	112

static struct field {
	char		event[32];
	char		name[32];
	int		type;		/* the event's */
	unsigned int	offset;		/* in the payload */
	unsigned int	size;
	bool		is_text;
	bool		is_signed;
	int		nr_values;
	uint8_t		value[MAX_VALUES][MAX_FIELD_SIZE];
} fields[MAX_FIELDS];

static int nr_fields;

/* Add the field of a line of a format file, unless it is common to all events. */
static inline void field_add(const char *event, const char *line)
{
	struct field f = { .type = event_id(event) };
	unsigned int offset, size, is_signed;
	char declaration[64], *name;

	if (sscanf(line, " field:%63[^;]; offset:%u; size:%u; signed:%u;", declaration,
		   &offset, &size, &is_signed) != 4 || strstr(declaration, " common_"))
		return;

	f.is_signed = is_signed;
	f.is_text = strchr(declaration, '[');
	*strchrnul(declaration, '[') = 0;
	name = strrchr(declaration, ' ');
	f.offset = offset - 8;
	f.size = size;
	if (!name || nr_fields == MAX_FIELDS || size > MAX_FIELD_SIZE)
		errx(1, "a field of %s: %s", event, line);
	snprintf(f.event, sizeof(f.event), "%s", event);
	snprintf(f.name, sizeof(f.name), "%s", name + 1);
	fields[nr_fields++] = f;
}

static inline bool fields_add(const char *event)
{
	char *text = get(path_of(HYP "events/hyp/%s/format", event));
	char *line = strtok(text, "\n");
	int before = nr_fields;

	for (; line; line = strtok(NULL, "\n"))
		field_add(event, line);
	free(text);
	return nr_fields > before;
}

/* Add all fields of all events. */
static inline bool fields_init(void)
{
	return of_all_events(fields_add);
}

static inline void field_note(struct field *f, const struct event *e)
{
	uint8_t value[MAX_FIELD_SIZE] = { };
	int i;

	if (f->offset + f->size > e->size)
		errx(1, "an event %s of %u bytes", f->event, e->size);
	memcpy(value, e->payload + f->offset, f->size);
	for (i = 0; i < f->nr_values; i++)
		if (!memcmp(f->value[i], value, sizeof(value)))
			return;
	if (i < MAX_VALUES)
		memcpy(f->value[f->nr_values++], value, sizeof(value));
}

/* Note the values of an event's fields; an event_fn. */
static inline void fields_note(void *unused, const struct event *e)
{
	int i;

	for (i = 0; i < nr_fields; i++)
		if (fields[i].type == e->type)
			field_note(&fields[i], e);
}

static inline struct field *field_of(const char *event, const char *name)
{
	int i;

	for (i = 0; i < nr_fields; i++)
		if (!strcmp(fields[i].event, event) && !strcmp(fields[i].name, name))
			return &fields[i];
	return NULL;
}

/* The value of an event's field of up to 64 bits. */
static inline uint64_t field_value(const char *event, const char *name,
				   const struct event *e)
{
	const struct field *f = field_of(event, name);
	uint64_t value = 0;

	if (!f || f->size > sizeof(value) || f->offset + f->size > e->size)
		errx(1, "no %s in %s", name, event);
	memcpy(&value, e->payload + f->offset, f->size);
	return value;
}

/* Print one of a field's values. */
static inline int print_value(char *text, const struct field *f, const uint8_t *value)
{
	int unused = f->size < 8 ? 64 - 8 * f->size : 0;
	int64_t number;

	if (f->is_text)
		return sprintf(text, " \"%.*s\"", (int)f->size, value);

	memcpy(&number, value, sizeof(number));
	if (f->is_signed)
		return sprintf(text, " %ld", (int64_t)((uint64_t)number << unused) >> unused);

	return sprintf(text, " %#lx", number);
}

/* Up to MAX_VALUES of the values seen, as in " 0 0x1". */
static inline const char *field_values(const struct field *f)
{
	static char text[MAX_VALUES * (MAX_FIELD_SIZE + 4)];
	int len = 0, i;

	text[0] = 0;
	for (i = 0; i < f->nr_values; i++)
		len += print_value(text + len, f, f->value[i]);
	return text;
}

#endif /* HYP_FIELDS_H */
