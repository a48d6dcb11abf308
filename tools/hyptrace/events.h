/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hypervisor's events in a recording: their types, fields, and the names of values.
 */
#ifndef HYPTRACE_EVENTS_H
#define HYPTRACE_EVENTS_H

#include <event-parse.h>
#include <stdint.h>

/* A value of a field that has a name. */
struct name {
	unsigned long long	value;
	const char		*text;
};

/**
 * struct event_field - an event, and the field of it that is used
 * @type:	the event's type, -1 if it is not known
 * @field:	the field
 * @name:	names of its values, as __print_symbolic() has them but clean,
 *		from intern(); sorted by the values
 * @nr_names:	their number
 */
struct event_field {
	int			type;
	struct tep_format_field	*field;
	struct name		*name;
	size_t			nr_names;
};

struct event_field event_field(struct tep_handle *tep, const char *system, const char *event,
			       const char *field);
void event_field_free(struct event_field *field);
unsigned long long number_in(struct tep_format_field *field, const struct tep_record *record);
unsigned long long field_value(const struct event_field *field, const struct tep_record *record);
unsigned long long named_value(const struct event_field *field, const char *name);
const char *value_name(const struct event_field *field, unsigned long long value);

#endif /* HYPTRACE_EVENTS_H */
