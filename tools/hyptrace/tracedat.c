// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a trace.dat, as trace-cmd.dat.v7(5) describes it: a header, options, and sections that
 * options say the place of. Where all is, is known before anything is written, so that a pipe can
 * be written, too. What a reader needs besides events is compressed, and the events are not: a
 * reader maps them.
 */

#include <err.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zstd.h>

#include "basics.h"
#include "tracedat.h"
#include "tracedat_format.h"

/* The clock of all buffers. */
#define CLOCK			"boot"

/* How much it is compressed, from 1 to 19. */
#define ZSTD_LEVEL		3

/* Bytes that are collected in memory. */
struct bytes {
	FILE	*stream;
	char	*data;
	size_t	size;
};

/* A section that options say the place of. */
struct section {
	uint16_t	number;
	struct bytes	bytes;		/* with its header */
	uint64_t	at;
};

/**
 * struct tracedat - what a file has besides events
 * @section:	its sections
 * @nr:		their number
 */
struct tracedat {
	struct section	section[8];
	size_t		nr;
};

/* Bytes ----------------------------------------------------------------------------- */

static void bytes_begin(struct bytes *bytes)
{
	bytes->stream = open_memstream(&bytes->data, &bytes->size);
	if (!bytes->stream)
		err(1, "memory");
}

static void bytes_end(struct bytes *bytes)
{
	if (fclose(bytes->stream))
		err(1, "memory");
}

/* Numbers have this machine's byte order; the header says which one. */
static void put(struct bytes *bytes, const void *data, size_t size)
{
	fwrite(data, 1, size, bytes->stream);
}

static void put_u16(struct bytes *bytes, uint16_t number)
{
	put(bytes, &number, sizeof(number));
}

static void put_u32(struct bytes *bytes, uint32_t number)
{
	put(bytes, &number, sizeof(number));
}

static void put_u64(struct bytes *bytes, uint64_t number)
{
	put(bytes, &number, sizeof(number));
}

/* With its end. */
static void put_text(struct bytes *bytes, const char *text)
{
	put(bytes, text, strlen(text) + 1);
}

/* The files of tracefs and of /proc don't tell how long they are. */
static struct bytes read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	struct bytes bytes = { 0 };
	char part[1 << 16];
	size_t size;

	if (!file)
		err(1, "%s", path);
	bytes_begin(&bytes);
	while ((size = fread(part, 1, sizeof(part), file)))
		put(&bytes, part, size);
	if (ferror(file))
		err(1, "%s", path);
	fclose(file);
	bytes_end(&bytes);
	return bytes;
}

/* A file, after its size, which has 4 or 8 bytes. */
static void put_file(struct bytes *bytes, const char *path, size_t size_of_size)
{
	struct bytes file = read_file(path);
	uint64_t size = file.size;

	if (size_of_size == sizeof(uint32_t))
		put_u32(bytes, size);
	else
		put_u64(bytes, size);
	put(bytes, file.data, file.size);
	free(file.data);
}

/* The same of a file of tracefs. */
static void put_trace_file(struct bytes *bytes, const char *name, size_t size_of_size)
{
	char *path = tracefs_get_tracing_file(name);

	if (!path)
		err(1, "%s", name);
	put_file(bytes, path, size_of_size);
	tracefs_put_tracing_file(path);
}

/* Sections -------------------------------------------------------------------------- */

static void put_section_header(struct bytes *bytes, uint16_t number, uint16_t flags,
			       uint64_t size)
{
	put_u16(bytes, number);
	put_u16(bytes, flags);
	put_u32(bytes, 0);		/* no description */
	put_u64(bytes, size);
}

/* Make a section of what is in it. */
static void add_section(struct tracedat *dat, uint16_t number, struct bytes *content)
{
	struct section *section = &dat->section[dat->nr++];
	const size_t bound = ZSTD_compressBound(content->size);
	char *compressed = xzalloc(bound);
	size_t size;

	size = ZSTD_compress(compressed, bound, content->data, content->size, ZSTD_LEVEL);
	if (ZSTD_isError(size))
		errx(1, "can't compress: %s", ZSTD_getErrorName(size));
	section->number = number;
	bytes_begin(&section->bytes);
	put_section_header(&section->bytes, number, SECTION_COMPRESSED, COMPRESSED_HEADER + size);
	put_u32(&section->bytes, size);
	put_u32(&section->bytes, content->size);
	put(&section->bytes, compressed, size);
	bytes_end(&section->bytes);
	free(compressed);
	free(content->data);
}

static void add_header_info(struct tracedat *dat)
{
	struct bytes bytes;

	bytes_begin(&bytes);
	put_text(&bytes, "header_page");
	put_trace_file(&bytes, "events/header_page", sizeof(uint64_t));
	put_text(&bytes, "header_event");
	put_trace_file(&bytes, "events/header_event", sizeof(uint64_t));
	bytes_end(&bytes);
	add_section(dat, OPTION_HEADER_INFO, &bytes);
}

/* The formats of a system's events, after their number. */
static void put_formats(struct bytes *bytes, const char *system)
{
	char *events = tracefs_get_tracing_file("events"), *pattern;
	glob_t found;
	size_t i;

	if (asprintf(&pattern, "%s/%s/*/format", events, system) < 0)
		err(1, "memory");
	if (glob(pattern, 0, NULL, &found))
		errx(1, "there is no %s", pattern);
	put_u32(bytes, found.gl_pathc);
	for (i = 0; i < found.gl_pathc; i++)
		put_file(bytes, found.gl_pathv[i], sizeof(uint64_t));
	globfree(&found);
	free(pattern);
	tracefs_put_tracing_file(events);
}

static void add_formats(struct tracedat *dat, const struct list *systems)
{
	struct bytes bytes;
	size_t i;

	bytes_begin(&bytes);
	put_formats(&bytes, "ftrace");
	bytes_end(&bytes);
	add_section(dat, OPTION_FTRACE_EVENTS, &bytes);
	bytes_begin(&bytes);
	put_u32(&bytes, systems->nr);
	for (i = 0; i < systems->nr; i++) {
		put_text(&bytes, systems->text[i]);
		put_formats(&bytes, systems->text[i]);
	}
	bytes_end(&bytes);
	add_section(dat, OPTION_EVENT_FORMATS, &bytes);
}

static void add_file(struct tracedat *dat, uint16_t number, const char *path, size_t size_of_size)
{
	struct bytes bytes;

	bytes_begin(&bytes);
	if (*path == '/')
		put_file(&bytes, path, size_of_size);
	else
		put_trace_file(&bytes, path, size_of_size);
	bytes_end(&bytes);
	add_section(dat, number, &bytes);
}

/**
 * tracedat_new() - read what a file needs besides events
 * @systems:	the systems of events that are recorded
 *
 * If something can't be read, the program ends with the reason.
 *
 * Return: what was read, for tracedat_write()
 */
struct tracedat *tracedat_new(const struct list *systems)
{
	struct tracedat *dat = xzalloc(sizeof(*dat));

	add_header_info(dat);
	add_formats(dat, systems);
	add_file(dat, OPTION_KALLSYMS, "/proc/kallsyms", sizeof(uint32_t));
	add_file(dat, OPTION_PRINTK, "printk_formats", sizeof(uint32_t));
	return dat;
}

/* Options --------------------------------------------------------------------------- */

static void put_option(struct bytes *bytes, uint16_t option, const void *data, uint32_t size)
{
	put_u16(bytes, option);
	put_u32(bytes, size);
	put(bytes, data, size);
}

static void put_text_option(struct bytes *bytes, uint16_t option, const char *text)
{
	put_option(bytes, option, text, strlen(text) + 1);
}

static void put_uname(struct bytes *bytes)
{
	struct utsname uts;
	char *text;

	uname(&uts);
	if (asprintf(&text, "%s %s %s %s", uts.sysname, uts.nodename, uts.release,
		     uts.machine) < 0)
		err(1, "memory");
	put_text_option(bytes, OPTION_UNAME, text);
	free(text);
}

/* Files of one session have numbers; this one is a session of its own. */
static void put_trace_id(struct bytes *bytes)
{
	uint64_t id = 0;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id))
		err(1, "getrandom");
	put_option(bytes, OPTION_TRACEID, &id, sizeof(id));
}

/* Where the pages of each buffer go. */
struct layout {
	const struct pages	*pages;
	const char * const	*name;
	uint64_t		at;	/* of the first buffer's section */
};

/* Pages begin at a multiple of their size. */
static uint64_t align(uint64_t at)
{
	return (at + getpagesize() - 1) / getpagesize() * getpagesize();
}

/* What a buffer's option says. Return where its section ends. */
static uint64_t put_buffer(struct bytes *bytes, const struct layout *layout, size_t buffer,
			   uint64_t at)
{
	const size_t cpus = pages_cpus(layout->pages);
	struct cpu_pages cpu;
	size_t i;

	put_u64(bytes, at);
	put_text(bytes, layout->name[buffer]);
	put_text(bytes, CLOCK);
	put_u32(bytes, getpagesize());
	put_u32(bytes, cpus);
	at = align(at + SECTION_HEADER);
	for (i = 0; i < cpus; i++) {
		cpu = pages_of(layout->pages, buffer, i);
		put_u32(bytes, cpu.cpu);
		put_u64(bytes, at);
		put_u64(bytes, cpu.size);
		at = align(at + cpu.size);
	}
	return at;
}

static void put_buffers(struct bytes *bytes, const struct layout *layout)
{
	uint64_t at = layout->at;
	struct bytes option;
	size_t i;

	for (i = 0; layout->name[i]; i++) {
		bytes_begin(&option);
		at = put_buffer(&option, layout, i, at);
		bytes_end(&option);
		put_option(bytes, OPTION_BUFFER, option.data, option.size);
		free(option.data);
	}
}

/* The options; their size does not depend on what they say of places. */
static struct bytes make_options(const struct tracedat *dat, const struct layout *layout)
{
	const uint32_t cpus = pages_cpus(layout->pages);
	const uint64_t last = 0;
	struct bytes bytes;
	size_t i;

	bytes_begin(&bytes);
	for (i = 0; i < dat->nr; i++)
		put_option(&bytes, dat->section[i].number, &dat->section[i].at,
			   sizeof(dat->section[i].at));
	put_text_option(&bytes, OPTION_TRACECLOCK, "[" CLOCK "]\n");
	put_uname(&bytes);
	put_text_option(&bytes, OPTION_VERSION, "hyptrace");
	put_trace_id(&bytes);
	put_option(&bytes, OPTION_CPUCOUNT, &cpus, sizeof(cpus));
	put_buffers(&bytes, layout);
	put_option(&bytes, OPTION_DONE, &last, sizeof(last));
	bytes_end(&bytes);
	return bytes;
}

/* Writing --------------------------------------------------------------------------- */

/* The file that is written. */
struct file {
	int		fd;
	const char	*path;
	uint64_t	at;
};

static void write_all(struct file *file, const char *data, size_t size)
{
	ssize_t written;

	while (size) {
		written = write(file->fd, data, size);
		if (written < 0)
			err(1, "%s", file->path);
		data += written;
		size -= written;
		file->at += written;
	}
}

static void write_bytes(struct file *file, struct bytes *bytes)
{
	write_all(file, bytes->data, bytes->size);
	free(bytes->data);
}

static void write_padding(struct file *file, uint64_t to)
{
	char *zeroes = xzalloc(to - file->at);

	write_all(file, zeroes, to - file->at);
	free(zeroes);
}

/* What can be written need not take sendfile(): a file that is appended to does not. */
static void write_pages(struct file *file, struct cpu_pages cpu)
{
	static char part[1 << 20];
	off_t from = 0;
	ssize_t size;

	while (from < cpu.size) {
		size = pread(cpu.file, part, sizeof(part), from);
		if (size < 0)
			err(1, "pages of CPU %d", cpu.cpu);
		if (!size)
			errx(1, "pages of CPU %d: there are fewer", cpu.cpu);
		write_all(file, part, size);
		from += size;
	}
	/* The space is wanted for what is still to be written. */
	close(cpu.file);
}

static void write_buffer(struct file *file, const struct pages *pages, size_t buffer)
{
	const size_t cpus = pages_cpus(pages);
	uint64_t end = align(file->at + SECTION_HEADER);
	struct bytes header;
	size_t i;

	for (i = 0; i < cpus; i++)
		end = align(end + pages_of(pages, buffer, i).size);
	bytes_begin(&header);
	put_section_header(&header, OPTION_BUFFER, 0, end - file->at - SECTION_HEADER);
	bytes_end(&header);
	write_bytes(file, &header);
	write_padding(file, align(file->at));
	for (i = 0; i < cpus; i++) {
		write_pages(file, pages_of(pages, buffer, i));
		write_padding(file, align(file->at));
	}
}

static struct bytes make_header(void)
{
	struct bytes bytes;

	bytes_begin(&bytes);
	put(&bytes, TRACEDAT_MAGIC, TRACEDAT_MAGIC_SIZE);
	put_text(&bytes, "7");
	put(&bytes, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "\1" : "\0", 1);
	put(&bytes, &(uint8_t){ sizeof(long) }, 1);
	put_u32(&bytes, getpagesize());
	put_text(&bytes, "zstd");
	put_text(&bytes, ZSTD_versionString());
	/* Options come next. */
	fflush(bytes.stream);
	put_u64(&bytes, bytes.size + sizeof(uint64_t));
	bytes_end(&bytes);
	return bytes;
}

/**
 * tracedat_write() - write a trace.dat
 * @dat:	what it has besides events; is freed
 * @pages:	its events
 * @name:	the name of each buffer in @pages, and NULL; "" is the top one
 * @fd:		the file, which need not be seekable
 * @path:	its name, for messages
 *
 * If it can't be written, the program ends with the reason.
 */
void tracedat_write(struct tracedat *dat, const struct pages *pages, const char * const *name,
		    int fd, const char *path)
{
	struct layout layout = { .pages = pages, .name = name };
	struct file file = { .fd = fd, .path = path };
	struct bytes header = make_header(), options, begin;
	size_t i;

	/* Names of tasks are known when all has been recorded. */
	add_file(dat, OPTION_CMDLINES, "saved_cmdlines", sizeof(uint64_t));
	options = make_options(dat, &layout);
	layout.at = header.size + SECTION_HEADER + options.size;
	for (i = 0; i < dat->nr; i++) {
		dat->section[i].at = layout.at;
		layout.at += dat->section[i].bytes.size;
	}
	free(options.data);
	options = make_options(dat, &layout);
	bytes_begin(&begin);
	put_section_header(&begin, SECTION_OPTIONS, 0, options.size);
	bytes_end(&begin);
	write_bytes(&file, &header);
	write_bytes(&file, &begin);
	write_bytes(&file, &options);
	for (i = 0; i < dat->nr; i++)
		write_bytes(&file, &dat->section[i].bytes);
	for (i = 0; name[i]; i++)
		write_buffer(&file, pages, i);
	free(dat);
}
