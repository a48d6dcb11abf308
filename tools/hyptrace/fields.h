/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All fields of events, as arguments for Perfetto.
 */
#ifndef HYPTRACE_FIELDS_H
#define HYPTRACE_FIELDS_H

#include <event-parse.h>

#include "events.h"
#include "perfetto.h"

/* A text of an event; what is longer is cut. */
#define FIELD_TEXT_SIZE	1024

/**
 * struct fields - a type of events, and its fields
 * @event:	the event
 * @name:	its name, from intern()
 * @system:	the name of its system, the same
 * @field:	the fields, without those that all events have
 * @field_name:	their names, from intern()
 * @nr:		their number
 */
struct fields {
	struct tep_event	*event;
	const char		*name, *system;
	struct event_field	*field;
	const char		**field_name;
	size_t			nr;
};

struct fields *fields_of(struct tep_handle *tep, int type);
void fields_free(struct fields *fields);
enum argument_kind field_kind(const struct event_field *field);
struct argument field_argument(const struct fields *fields, size_t i,
			       const struct tep_record *record, char text[FIELD_TEXT_SIZE]);

#endif /* HYPTRACE_FIELDS_H */
