/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of the hypervisor's events, and the names of their values, as format files
 * describe them.
 */
#ifndef HYP_NAMES_H
#define HYP_NAMES_H

#include "hyp_trace.h"

/* The names that __print_symbolic() has for a field, from the event's format file. */
struct names {
	int		type;		/* of the event */
	int		offset, size;	/* of the field in the payload */
	struct name {
		uint64_t	value;
		char		text[40];
	} name[128];
	int		n;
};

static inline struct names learn(const char *event, const char *field)
{
	char *format = get(path_of(HYP "events/hyp/%s/format", event)), *at;
	struct names names = { .type = event_id(event) };

	at = strstr(format, path_of(" %s;\toffset:", field));
	if (at)
		sscanf(strchr(at, '\t'), "\toffset:%d;\tsize:%d;", &names.offset,
		       &names.size);
	names.offset -= 8;
	at = strstr(format, path_of("__print_symbolic(REC->%s,", field));
	while (at && (at = strstr(at, "{ ")) && names.n < 128) {
		struct name *name = &names.name[names.n];

		at += 2 + strspn(at + 2, "(");
		name->value = strtoull(at, &at, 0);
		if (sscanf(at, "%*[^\"]\"%39[^\"]", name->text) == 1)
			names.n++;
	}
	free(format);
	return names;
}

/* The value of a field. */
static inline uint64_t value_of(const struct names *names, const struct event *e)
{
	uint64_t value = 0;

	memcpy(&value, e->payload + names->offset, names->size);
	return value;
}

/* The name of a value, or the value in hexadecimal. */
static inline const char *name_of_value(const struct names *names, uint64_t value)
{
	static char number[24];
	int i;

	for (i = 0; i < names->n; i++)
		if (names->name[i].value == value)
			return names->name[i].text;
	sprintf(number, "%#llx", (unsigned long long)value);
	return number;
}

/* The value that has a name, 0 if there is none. */
static inline uint64_t value_of_name(const struct names *names, const char *name)
{
	int i;

	for (i = 0; i < names->n; i++)
		if (!strcmp(names->name[i].text, name))
			return names->name[i].value;
	return 0;
}

static inline const char *name_of(const struct names *names, const struct event *e)
{
	return name_of_value(names, value_of(names, e));
}

#endif /* HYP_NAMES_H */
