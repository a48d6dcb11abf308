// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a file for speedscope, of evented profiles, one for each CPU:
 * https://www.speedscope.app/file-format-schema.json
 */

#include <err.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "basics.h"
#include "graph.h"
#include "speedscope.h"

/**
 * struct speedscope - a file that is being made
 * @file:	what has been made; nobody else sees it until it is whole
 * @numbers:	the number of each function, by its name
 * @frames:	the functions, by number
 * @cpu:	the CPU whose profile is being written, -1 before the first one
 * @first:	when its first event was [ns]
 * @last:	when its last one was [ns]
 * @frame:	the numbers of its functions that have not returned
 * @open:	how many these are
 */
struct speedscope {
	FILE		*file;
	json_t		*numbers, *frames;
	int		cpu;
	uint64_t	first, last;
	size_t		frame[MAX_FRAMES];
	int		open;
};

/**
 * speedscope_new() - begin a file
 *
 * Return: the file, for speedscope_write()
 */
struct speedscope *speedscope_new(void)
{
	struct speedscope *s = xzalloc(sizeof(*s));
	const char *dir = temporary_dir();
	const int fd = unnamed_file(dir);

	s->file = fd < 0 ? NULL : fdopen(fd, "w+");
	if (!s->file)
		err(1, "%s", dir);
	s->numbers = json_object();
	s->frames = json_array();
	s->cpu = -1;
	fprintf(s->file, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"hyptrace\",\"profiles\":[");
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

static void end_profile(struct speedscope *s)
{
	if (s->cpu >= 0)
		fprintf(s->file, "],\"startValue\":%" PRIu64 ",\"endValue\":%" PRIu64 "}", s->first,
			s->last);
}

static void add_event(struct speedscope *s, int cpu, char type, size_t frame, uint64_t ts)
{
	if (s->cpu == cpu) {
		fputc(',', s->file);
	} else {
		end_profile(s);
		fprintf(s->file, "%s{\"type\":\"evented\",\"name\":\"CPU %d\",\"unit\":\"nanoseconds\",\"events\":[",
			s->cpu < 0 ? "" : ",", cpu);
		s->cpu = cpu;
		s->first = ts;
	}
	fprintf(s->file, "{\"type\":\"%c\",\"frame\":%zu,\"at\":%" PRIu64 "}", type, frame, ts);
	s->last = ts;
}

/**
 * speedscope_open() - a function is called
 * @s:		the file
 * @cpu:	on this CPU, of which all events follow each other
 * @function:	its name
 * @ts:		when [ns]
 */
void speedscope_open(struct speedscope *s, int cpu, const char *function, uint64_t ts)
{
	const size_t frame = number_of(s, function);

	s->frame[s->open++] = frame;
	add_event(s, cpu, 'O', frame, ts);
}

/**
 * speedscope_close() - the last function that was called on a CPU returns
 * @s:		the file
 * @cpu:	the CPU
 * @ts:		when [ns]
 */
void speedscope_close(struct speedscope *s, int cpu, uint64_t ts)
{
	add_event(s, cpu, 'C', s->frame[--s->open], ts);
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
	end_profile(s);
	fprintf(s->file, "],\"shared\":{\"frames\":");
	json_dumpf(s->frames, s->file, JSON_COMPACT);
	fprintf(s->file, "}}");
	if (fflush(s->file) || ferror(s->file))
		err(1, "%s", temporary_dir());
	rewind(s->file);
	output_begin(output);
	output_copy(output->file, s->file);
	output_close(output);
	fclose(s->file);
	json_decref(s->frames);
	json_decref(s->numbers);
	free(s);
}
