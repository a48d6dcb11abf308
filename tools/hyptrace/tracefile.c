// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of a trace.dat, which libtracecmd uses, but does not tell: trace-cmd.dat.v7(5).
 *
 * The options are in sections; at the end of each is the offset of the next one. That of the last
 * one is 0, so a section can be added at the end of the file.
 */

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "basics.h"
#include "text.h"
#include "tracedat_format.h"
#include "tracefile.h"

/* There are a few more sections of options than buffers; a file that is broken may have loops. */
#define MAX_SECTIONS	10000

/* libtracecmd interpolates: between two corrections, it takes what is on the line through both. */
#define SHIFT_INTERPOLATE	1

/* Numbers --------------------------------------------------------------------------- */

static uint64_t get(const struct tracefile *file, const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < size; i++)
		value = value << 8 | bytes[file->big_endian ? i : size - 1 - i];
	return value;
}

static void put(const struct tracefile *file, uint8_t *bytes, size_t size, uint64_t value)
{
	size_t i;

	for (i = 0; i < size; i++, value >>= 8)
		bytes[file->big_endian ? size - 1 - i : i] = value;
}

/* Reading --------------------------------------------------------------------------- */

static _Noreturn void broken(const struct tracefile *file)
{
	errx(1, "%s: is broken: its options can't be found", file->path);
}

static void read_bytes(const struct tracefile *file, void *bytes, size_t size)
{
	if (size && fread(bytes, size, 1, file->file) != 1)
		broken(file);
}

static uint64_t read_number(const struct tracefile *file, size_t size)
{
	uint8_t bytes[8];

	read_bytes(file, bytes, size);
	return get(file, bytes, size);
}

/* Read a short text, and return the number that it begins with. */
static unsigned int read_text(const struct tracefile *file)
{
	char text[64];
	size_t i = 0;

	do {
		if (i == sizeof(text))
			broken(file);
		read_bytes(file, text + i, 1);
	} while (text[i++]);
	return atoi(text);
}

static uint64_t size_of(const struct tracefile *file)
{
	struct stat status;

	if (fstat(fileno(file->file), &status))
		err(1, "%s", file->path);
	return status.st_size;
}

/* An option says where a buffer is, and then what its name and its clock are. */
static void read_buffer(struct tracefile *file, const uint8_t *data, size_t size)
{
	const uint8_t *name = data + sizeof(uint64_t), *clock, *end = data + size;
	struct buffer *buffer;

	if (size < sizeof(uint64_t))
		broken(file);
	clock = memchr(name, '\0', end - name);
	if (!clock || !memchr(clock + 1, '\0', end - clock - 1))
		broken(file);
	file->buffer = xrealloc(file->buffer, file->nr_buffers + 1, sizeof(*file->buffer));
	buffer = &file->buffer[file->nr_buffers++];
	buffer->name = make_printable(xstrdup((const char *)name));
	buffer->clock = make_printable(xstrdup((const char *)clock + 1));
}

static void read_option(struct tracefile *file, unsigned int option, const uint8_t *data,
			size_t size)
{
	switch (option) {
	case OPTION_DATE:
		file->changes = "DATE";
		break;
	case OPTION_OFFSET:
		file->changes = "OFFSET";
		break;
	case OPTION_TIME_SHIFT:
		file->changes = "TIME_SHIFT";
		break;
	case OPTION_BUFFER:
		read_buffer(file, data, size);
		break;
	}
}

/* Read the options of a section, which begins at @start. Return where the next section begins. */
static uint64_t read_options(struct tracefile *file, uint64_t start, const uint8_t *data,
			     uint64_t size)
{
	uint64_t at = 0, length;
	unsigned int option;

	while (size - at >= OPTION_HEADER) {
		option = get(file, data + at, 2);
		length = get(file, data + at + 2, 4);
		at += OPTION_HEADER;
		if (length > size - at)
			break;
		if (option == OPTION_DONE && length == sizeof(uint64_t)) {
			file->link = start + at;
			return get(file, data + at, length);
		}
		read_option(file, option, data + at, length);
		at += length;
	}
	broken(file);
}

static uint64_t read_section(struct tracefile *file, uint64_t offset)
{
	unsigned int section, flags;
	uint64_t size, next;
	uint8_t *data;

	if (offset > INT64_MAX || fseeko(file->file, offset, SEEK_SET))
		broken(file);
	section = read_number(file, 2);
	flags = read_number(file, 2);
	file->title = read_number(file, 4);
	size = read_number(file, 8);
	/* Sections of options are not compressed, though others are. */
	if (section != SECTION_OPTIONS || flags || size > size_of(file))
		broken(file);
	data = xrealloc(NULL, 1, size + 1);
	read_bytes(file, data, size);
	next = read_options(file, offset + SECTION_HEADER, data, size);
	free(data);
	return next;
}

/* Read what files of all versions begin with. */
static void read_header(struct tracefile *file, const struct input *input)
{
	file->path = input->path;
	file->file = input_stream(input);
	if (fseeko(file->file, TRACEDAT_MAGIC_SIZE, SEEK_SET))
		err(1, "%s", file->path);
	file->version = read_text(file);
	file->big_endian = read_number(file, 1);
	read_number(file, 1);		/* the size of a long */
	file->page_size = read_number(file, 4);
}

/**
 * tracefile_page_size() - the size of a page on the machine that was traced
 * @input:	the file; it is a trace.dat
 *
 * If the file is too short, the program ends with the reason.
 *
 * Return: the size [bytes]; 0 if it is none that arm64 has, as in a damaged file
 */
unsigned int tracefile_page_size(const struct input *input)
{
	struct tracefile file = { 0 };

	read_header(&file, input);
	fclose(file.file);
	return file.page_size == 4096 || file.page_size == 16384 || file.page_size == 65536 ?
	       file.page_size : 0;
}

/**
 * tracefile_open() - read the options of a trace.dat
 * @input:	the file; it is one
 *
 * If they can't be read, the program ends with the reason.
 *
 * Return: what they say, for tracefile_close()
 */
struct tracefile *tracefile_open(const struct input *input)
{
	struct tracefile *file = xzalloc(sizeof(*file));
	unsigned int sections = 0;
	uint64_t next;

	read_header(file, input);
	if (file->version < 7)
		return file;
	read_text(file);		/* how it is compressed */
	read_text(file);		/* by which version of that */
	for (next = read_number(file, 8); next; next = read_section(file, next))
		if (++sections > MAX_SECTIONS)
			broken(file);
	return file;
}

/**
 * tracefile_close() - close a trace.dat
 * @file:	the file
 */
void tracefile_close(struct tracefile *file)
{
	size_t i;

	for (i = 0; i < file->nr_buffers; i++) {
		free(file->buffer[i].name);
		free(file->buffer[i].clock);
	}
	free(file->buffer);
	fclose(file->file);
	free(file);
}

/* Writing --------------------------------------------------------------------------- */

/* A copy of a trace.dat, which is being written. */
struct copy {
	const struct tracefile	*from;
	const char		*path;
	FILE			*file;
};

static void write_bytes(struct copy *copy, const void *bytes, size_t size)
{
	if (size && fwrite(bytes, size, 1, copy->file) != 1)
		err(1, "%s", copy->path);
}

static void write_number(struct copy *copy, size_t size, uint64_t value)
{
	uint8_t bytes[8];

	put(copy->from, bytes, size, value);
	write_bytes(copy, bytes, size);
}

static void copy_all(struct copy *copy)
{
	static uint8_t bytes[1 << 16];
	size_t size;

	rewind(copy->from->file);
	while ((size = fread(bytes, 1, sizeof(bytes), copy->from->file)))
		write_bytes(copy, bytes, size);
	if (ferror(copy->from->file))
		err(1, "%s", copy->from->path);
}

/* The option has the number of corrections, their times, the corrections, and a factor of 1. */
static void write_corrections(struct copy *copy, const struct clock_pair *pair, uint32_t nr)
{
	uint32_t i;

	write_number(copy, 4, nr);
	for (i = 0; i < nr; i++)
		write_number(copy, 8, pair[i].guest);
	for (i = 0; i < nr; i++)
		write_number(copy, 8, pair[i].host - pair[i].guest);
	for (i = 0; i < nr; i++)
		write_number(copy, 8, 1);
}

/* libtracecmd knows a field that its manual does not have: bits behind the point of the factor. */
static void write_option(struct copy *copy, uint64_t peer, const struct clock_pair *pair,
			 uint32_t nr, uint32_t cpus)
{
	uint32_t cpu;

	write_number(copy, 8, peer);
	write_number(copy, 4, SHIFT_INTERPOLATE);
	write_number(copy, 4, cpus);
	for (cpu = 0; cpu < cpus; cpu++)
		write_corrections(copy, pair, nr);
	for (cpu = 0; cpu < cpus * nr; cpu++)
		write_number(copy, 8, 0);
}

/**
 * tracefile_shift() - copy a trace.dat, so that libtracecmd changes the times of all its events
 * @file:	what is copied, of version 7
 * @output:	the copy, which is open
 * @peer:	the trace id of the recording whose time they get
 * @pair:	a line through these pairs gives the time
 * @nr:		number of pairs
 * @cpus:	number of CPUs in the file
 *
 * If it can't be written, the program ends with the reason.
 */
void tracefile_shift(struct tracefile *file, struct output *output, uint64_t peer,
		     const struct clock_pair *pair, uint32_t nr, uint32_t cpus)
{
	const uint64_t of_cpu = sizeof(uint32_t) + nr * 4 * sizeof(uint64_t);
	const uint64_t size = 2 * sizeof(uint64_t) + cpus * of_cpu;
	struct copy copy = { .from = file, .path = output->path, .file = output->file };

	if (size > INT32_MAX)
		errx(1, "%s: would be too large: it needs %u corrections", copy.path, nr);
	output_begin(output);
	copy_all(&copy);
	write_number(&copy, 2, SECTION_OPTIONS);
	write_number(&copy, 2, 0);
	write_number(&copy, 4, file->title);
	write_number(&copy, 8, 2 * OPTION_HEADER + size + sizeof(uint64_t));
	write_number(&copy, 2, OPTION_TIME_SHIFT);
	write_number(&copy, 4, size);
	write_option(&copy, peer, pair, nr, cpus);
	write_number(&copy, 2, OPTION_DONE);
	write_number(&copy, 4, sizeof(uint64_t));
	write_number(&copy, 8, 0);
	if (fseeko(copy.file, file->link, SEEK_SET))
		err(1, "%s", copy.path);
	write_number(&copy, 8, size_of(file));
	output_close(output);
}
