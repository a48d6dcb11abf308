// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a file for speedscope, of evented profiles:
 * https://www.speedscope.app/file-format-schema.json
 */

#include <err.h>
#include <jansson.h>
#include <stdlib.h>

#include "basics.h"
#include "speedscope.h"

#define MAX_DEPTH	50	/* FTRACE_RETFUNC_DEPTH */

/* A CPU: its events, and the numbers of the functions that have not returned. */
struct profile {
	json_t		*events;
	uint64_t	first, last;
	size_t		frame[MAX_DEPTH];
	int		open;
};

/**
 * struct speedscope - a file that is being made
 * @numbers:	the number of each function, by its name
 * @frames:	the functions, by number
 * @cpu:	the CPUs
 * @nr_cpus:	their number
 */
struct speedscope {
	json_t		*numbers, *frames;
	struct profile	*cpu;
	int		nr_cpus;
};

/**
 * speedscope_new() - begin a file
 *
 * Return: the file, for speedscope_write()
 */
struct speedscope *speedscope_new(void)
{
	struct speedscope *s = xzalloc(sizeof(*s));

	s->numbers = json_object();
	s->frames = json_array();
	return s;
}

static size_t number_of(struct speedscope *s, const char *function)
{
	json_t *number = json_object_get(s->numbers, function);

	if (!number) {
		number = json_integer(json_array_size(s->frames));
		json_object_set_new(s->numbers, function, number);
		json_array_append_new(s->frames, json_pack("{ss}", "name", function));
	}
	return json_integer_value(number);
}

static struct profile *profile_of(struct speedscope *s, int cpu, uint64_t ts)
{
	if (cpu >= s->nr_cpus) {
		s->cpu = xrealloc(s->cpu, cpu + 1, sizeof(*s->cpu));
		while (s->nr_cpus <= cpu)
			s->cpu[s->nr_cpus++] = (struct profile) { .events = json_array() };
	}
	if (!json_array_size(s->cpu[cpu].events))
		s->cpu[cpu].first = ts;
	s->cpu[cpu].last = ts;
	return &s->cpu[cpu];
}

static void add_event(struct profile *profile, const char *type, size_t frame, uint64_t ts)
{
	json_array_append_new(profile->events,
			      json_pack("{ss, sI, sI}", "type", type, "frame", (json_int_t)frame,
					"at", (json_int_t)ts));
}

/**
 * speedscope_open() - a function is called
 * @s:		the file
 * @cpu:	on this CPU
 * @function:	its name
 * @ts:		when [ns]
 */
void speedscope_open(struct speedscope *s, int cpu, const char *function, uint64_t ts)
{
	struct profile *profile = profile_of(s, cpu, ts);
	size_t frame = number_of(s, function);

	profile->frame[profile->open++] = frame;
	add_event(profile, "O", frame, ts);
}

/**
 * speedscope_close() - the last function that was called on a CPU returns
 * @s:		the file
 * @cpu:	the CPU
 * @ts:		when [ns]
 */
void speedscope_close(struct speedscope *s, int cpu, uint64_t ts)
{
	struct profile *profile = profile_of(s, cpu, ts);

	add_event(profile, "C", profile->frame[--profile->open], ts);
}

static json_t *profile_to_json(const struct profile *profile, int cpu)
{
	return json_pack("{ss, so, ss, sI, sI, sO}", "type", "evented",
			 "name", json_sprintf("CPU %d", cpu), "unit", "nanoseconds",
			 "startValue", (json_int_t)profile->first,
			 "endValue", (json_int_t)profile->last, "events", profile->events);
}

/**
 * speedscope_write() - write a file, and free it
 * @s:		the file
 * @output:	where to, which is open
 *
 * If it can't be written, the program ends with the reason.
 */
void speedscope_write(struct speedscope *s, struct output *output)
{
	json_t *profiles = json_array(), *root;
	int cpu;

	for (cpu = 0; cpu < s->nr_cpus; cpu++) {
		if (json_array_size(s->cpu[cpu].events))
			json_array_append_new(profiles, profile_to_json(&s->cpu[cpu], cpu));
		json_decref(s->cpu[cpu].events);
	}
	root = json_pack("{ss, ss, s{so}, so}",
			 "$schema", "https://www.speedscope.app/file-format-schema.json",
			 "exporter", "hyptrace", "shared", "frames", s->frames,
			 "profiles", profiles);
	output_begin(output);
	if (!root || json_dumpf(root, output->file, JSON_COMPACT))
		err(1, "%s", output->path);
	output_close(output);
	json_decref(root);
	json_decref(s->numbers);
	free(s->cpu);
	free(s);
}
