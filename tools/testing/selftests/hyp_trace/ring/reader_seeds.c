// SPDX-License-Identifier: GPL-2.0-only
/*
 * Seeds for reader_fuzz: real pages, and pages with one fault each, which one check must
 * refuse. Their scripts begin so that the reader reaches the fault, and continue at random.
 * Each seed is tried first; making seeds fails if one does not get as far as it must.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "page.h"
#include "reader_fuzz.h"

#define COPIES		3	/* of each seed, with other bytes in its script */
#define TYPE_LEN_MASK	((1u << EXT_RING_TYPE_BITS) - 1)

/* Pages as hyp/ring_pages has them. */
struct real_pages {
	union {
		struct ext_ring_meta	meta;
		u8			meta_page[EXT_RING_PAGE_SIZE];
	};
	struct ext_ring_page		pages[SLOTS + 1];
};

/* The beginning of a record. */
struct record_head {
	u16	type;
	u16	flags;
	s32	pid;
};

/* As rb_ext_oldest(). No page has been swapped out, so ids equal slots. */
static u64 oldest(const struct fuzz_input *in)
{
	return in->meta.tail >= SLOTS ? in->meta.tail - SLOTS + 1 : 0;
}

static struct ext_ring_page *page_at(struct fuzz_input *in, u64 pos)
{
	return &in->pages[pos % SLOTS];
}

static struct ext_ring_page *first_page(struct fuzz_input *in)
{
	return page_at(in, oldest(in));
}

static u32 *first_head(struct fuzz_input *in)
{
	return (u32 *)first_page(in)->data;
}

static struct record_head *first_record(struct fuzz_input *in)
{
	u32 *head = first_head(in);

	return (struct record_head *)(head[0] & TYPE_LEN_MASK ? head + 1 : head + 2);
}

/* The number of events in a page; 0 if the page is bad. */
static unsigned int events_of(struct ext_ring_page *page)
{
	struct ext_cursor cursor;
	int count;

	ext_cursor_init(&cursor, page);
	count = ext_cursor_skip(&cursor, page, page->commit, &fuzz_format);
	return max(count, 0);
}

static bool is_good(struct ext_ring_page *page)
{
	return !page->commit || events_of(page);
}

/* The number of events in a ring; 0 if one of its pages is bad. */
static unsigned int all_events(struct fuzz_input *in)
{
	unsigned int count = 0;
	u64 pos;

	for (pos = oldest(in); pos <= in->meta.tail; pos++) {
		if (!is_good(page_at(in, pos)))
			return 0;
		count += events_of(page_at(in, pos));
	}
	return count;
}

/* Faults, one in each seed -------------------------------------------------- */

static void nothing(struct fuzz_input *in)
{
}

static void commit_beyond_page(struct fuzz_input *in)
{
	first_page(in)->commit = EXT_RING_PAGE_SIZE;
}

/* Leave one event in the page, with its length in its header. */
static void one_event(struct fuzz_input *in, u32 type_len)
{
	u32 *head = first_head(in);

	memmove(head + 1, first_record(in), sizeof(struct record_head));
	head[0] = (head[0] & ~TYPE_LEN_MASK) | type_len;
	first_page(in)->commit = 4 + 4 * type_len;
}

/* Leave one event, of a known type but too short for it. */
static void short_record(struct fuzz_input *in)
{
	one_event(in, sizeof(struct record_head) / 4);
}

/* Fill the page with time extends, then an event that goes beyond the end. */
static void event_beyond_page(struct fuzz_input *in)
{
	struct record_head record = *first_record(in);
	u32 *head = first_head(in), *last = head + (EXT_RING_DATA_SIZE / 8 - 2) * 2;

	for (; head < last; head += 2) {
		head[0] = EXT_RING_TYPE_EXTEND;
		head[1] = 0;
	}
	last[0] = EXT_RING_TYPE_MAX_LEN;
	memcpy(last + 1, &record, sizeof(record));
	first_page(in)->commit = EXT_RING_DATA_SIZE;
}

static void type_of_ftrace(struct fuzz_input *in)
{
	first_record(in)->type = 1;
}

static void type_of_nobody(struct fuzz_input *in)
{
	first_record(in)->type = NR_TYPES;
}

static void negative_pid(struct fuzz_input *in)
{
	first_record(in)->pid = -1;
}

static void half_a_header(struct fuzz_input *in)
{
	first_page(in)->commit = 2;
}

static void type_len_of_padding(struct fuzz_input *in)
{
	*first_head(in) |= TYPE_LEN_MASK & ~2;
}

/* The event's length is in a second word, which is beyond the commit. */
static void no_length(struct fuzz_input *in)
{
	*first_head(in) &= ~TYPE_LEN_MASK;
	first_page(in)->commit = 4;
}

static void length_of_part_of_a_word(struct fuzz_input *in)
{
	*first_head(in) &= ~TYPE_LEN_MASK;
	first_head(in)[1] = 4 + 13;
}

static void length_beyond_page(struct fuzz_input *in)
{
	*first_head(in) &= ~TYPE_LEN_MASK;
	first_head(in)[1] = 4 + (1 << 16);
}

static void time_extend_only(struct fuzz_input *in)
{
	*first_head(in) = EXT_RING_TYPE_EXTEND;
	first_page(in)->commit = EXT_RING_EXTEND_SIZE;
}

static void half_a_time_extend(struct fuzz_input *in)
{
	*first_head(in) = EXT_RING_TYPE_EXTEND;
	first_page(in)->commit = 4;
}

static void time_that_wraps(struct fuzz_input *in)
{
	first_page(in)->time_stamp = U64_MAX;
	*first_head(in) |= 1 << EXT_RING_TYPE_BITS;
}

static void time_in_the_future(struct fuzz_input *in)
{
	first_page(in)->time_stamp = 1ull << 60;
}

/* Use the first page also as the next one. */
static void time_before_last_page(struct fuzz_input *in)
{
	in->pages[0] = *first_page(in);
	in->pages[1] = in->pages[0];
	in->pages[1].time_stamp = 1;
	in->meta.claimed = 1;
	in->meta.tail = 1;
}

/* Kinds of seeds ------------------------------------------------------------- */

/**
 * struct kind - a kind of seeds
 * @name:	prefix of the files' names
 * @op:		operation of the reader that reaches the fault
 * @answer:	what EL2 answers
 * @change:	adds the fault
 * @good_pages:	pages that are read before the fault is noticed
 * @why:	the reader's message; NULL if there is no fault
 */
static const struct kind {
	const char	*name;
	enum fuzz_op	op;
	enum fuzz_answer answer;
	void		(*change)(struct fuzz_input *in);
	unsigned int	good_pages;
	const char	*why;
} kinds[] = {
	{ "consumed", CONSUME, RIGHT_PAGE, nothing, SLOTS, NULL },
	{ "decoded", CONSUME, WHOLE_PAGE, nothing, SLOTS, NULL },
	{ "pages", READ_PAGE, RIGHT_PAGE, nothing, SLOTS, NULL },
	{ "whole", READ_PAGE, WHOLE_PAGE, nothing, SLOTS, NULL },
	{ "iterated", ITERATE, RIGHT_PAGE, nothing, SLOTS, NULL },
	{ "mapped", CONSUME_MAPPED, RIGHT_PAGE, nothing, SLOTS, NULL },
	{ "undecoded", CONSUME_MAPPED, WHOLE_PAGE, nothing, SLOTS, NULL },
	{ "dumped", DUMP, RIGHT_PAGE, nothing, SLOTS, NULL },
	{ "swap", READ_PAGE, ANY_PAGE, nothing, 0, "impossible reader page" },
	{ "commit", READ_PAGE, RIGHT_PAGE, commit_beyond_page, 0, "commit out of range" },
	{ "short", READ_PAGE, RIGHT_PAGE, short_record, 0, "malformed event" },
	{ "long", READ_PAGE, RIGHT_PAGE, event_beyond_page, 0, "malformed event" },
	{ "type", READ_PAGE, RIGHT_PAGE, type_of_ftrace, 0, "malformed event" },
	{ "types", READ_PAGE, RIGHT_PAGE, type_of_nobody, 0, "malformed event" },
	{ "pid", READ_PAGE, RIGHT_PAGE, negative_pid, 0, "malformed event" },
	{ "header", READ_PAGE, RIGHT_PAGE, half_a_header, 0, "malformed event" },
	{ "padding", READ_PAGE, RIGHT_PAGE, type_len_of_padding, 0, "malformed event" },
	{ "length", READ_PAGE, RIGHT_PAGE, no_length, 0, "malformed event" },
	{ "odd", READ_PAGE, RIGHT_PAGE, length_of_part_of_a_word, 0, "malformed event" },
	{ "large", READ_PAGE, RIGHT_PAGE, length_beyond_page, 0, "malformed event" },
	{ "extend", READ_PAGE, RIGHT_PAGE, time_extend_only, 0, "malformed event" },
	{ "half", READ_PAGE, RIGHT_PAGE, half_a_time_extend, 0, "malformed event" },
	{ "wraps", READ_PAGE, RIGHT_PAGE, time_that_wraps, 0, "malformed event" },
	{ "late", READ_PAGE, RIGHT_PAGE, time_in_the_future, 0, "time in the future" },
	{ "early", READ_PAGE, RIGHT_PAGE, time_before_last_page, 1, "time goes backwards" },
	{ "end", READ_PAGE, WHOLE_PAGE, commit_beyond_page, 0, "commit out of range" },
};

static u8 *put_op(u8 *at, enum fuzz_op op)
{
	*at++ = op;
	if (op == READ_PAGE) {
		*at++ = 2;		/* size of the length, which follows: */
		*at++ = EXT_RING_DATA_SIZE >> 8;
		*at++ = EXT_RING_DATA_SIZE & 0xff;
		*at++ = 0;		/* the page need not be full */
	} else if (op == DUMP) {
		*at++ = 2;		/* size of the number of events, which follows: all */
		*at++ = 0xff;
		*at++ = 0xff;
	}
	return at;
}

/* Encode an answer as swap_page() decodes it. */
static u8 *put_answer(u8 *at, enum fuzz_answer answer, unsigned int events)
{
	*at++ = answer;
	if (answer == ANY_PAGE) {
		*at++ = 1;		/* size of the id, which follows: */
		*at++ = NR_PAGES;
	} else if (answer == WHOLE_PAGE) {
		*at++ = events - 1;
	}
	*at++ = 0;			/* position, or an offset to it */
	*at++ = 0;			/* sequence number, or an offset to it */
	if (answer == ANY_PAGE)
		*at++ = 0;		/* number of events */
	return at;
}

/* Each op reads a page, up to one after the good ones; @events counts the good events. */
static size_t script_of_pages(struct fuzz_input *in, const struct kind *kind,
			      unsigned int *events)
{
	u8 *at = in->script;
	unsigned int i;
	u64 pos;

	for (i = 0; i <= kind->good_pages; i++) {
		pos = oldest(in) + i;
		if (pos > in->meta.tail)
			break;
		if (i < kind->good_pages)
			*events += events_of(page_at(in, pos));
		at = put_answer(put_op(at, kind->op), kind->answer,
				events_of(page_at(in, pos)));
	}
	return at - in->script;
}

/* Each op reads an event, up to half of the script. */
static size_t script_of_events(struct fuzz_input *in, const struct kind *kind,
			       unsigned int *events)
{
	u8 *at = in->script, *stop = at + SCRIPT / 2;
	unsigned int i;
	u64 pos;

	for (pos = oldest(in); pos <= in->meta.tail; pos++) {
		for (i = 0; i < events_of(page_at(in, pos)) && at < stop; i++) {
			at = put_op(at, kind->op);
			if (!i)
				at = put_answer(at, kind->answer,
						events_of(page_at(in, pos)));
			++*events;
		}
	}
	return at - in->script;
}

/* Begin the script and return its size; @events is the number the reader must accept. */
static size_t begin_script(struct fuzz_input *in, const struct kind *kind,
			   unsigned int *events)
{
	*events = 0;
	switch (kind->op) {
	case ITERATE:
	case DUMP:
		*events = all_events(in);
		return put_op(in->script, kind->op) - in->script;
	case CONSUME:
		return script_of_events(in, kind, events);
	default:
		return script_of_pages(in, kind, events);
	}
}

/* Does the seed get as far as it must? */
static bool try_seed(const struct fuzz_input *in, const struct kind *kind,
		     const char *name, size_t script_size, unsigned int events)
{
	const char *why = kind->why ?: "nothing";
	unsigned long before = accepted;

	snprintf(last_message, sizeof(last_message), "nothing");
	fuzz_run(in, script_size);
	if (accepted - before == events && !events == !kind->good_pages &&
	    strstr(last_message, why))
		return true;

	fprintf(stderr, "seed %s: of %u good events %lu are accepted; ", name, events,
		accepted - before);
	fprintf(stderr, "the reader says: %s (expected: %s)\n", last_message, why);
	return false;
}

static bool write_seed(const char *path, const struct fuzz_input *in)
{
	FILE *file = fopen(path, "wb");
	bool ok = file && fwrite(in, sizeof(*in), 1, file) == 1;

	if (!file || fclose(file) || !ok) {
		perror(path);
		return false;
	}
	return true;
}

/* Make seeds of one kind: their scripts begin alike and continue at random. */
static bool make_seed(const char *directory, const struct fuzz_input *real, int number,
		      const struct kind *kind)
{
	struct fuzz_input in = *real;
	unsigned int seed = number, events;
	char path[4096];
	size_t size, i;
	int copy;

	kind->change(&in);
	size = begin_script(&in, kind, &events);
	snprintf(path, sizeof(path), "%s-%d", kind->name, number);
	if (!try_seed(&in, kind, path, size, events))
		return false;

	for (copy = 1; copy <= COPIES; copy++) {
		for (i = size; i < SCRIPT; i++)
			in.script[i] = rand_r(&seed);
		snprintf(path, sizeof(path), "%s/%s-%d-%d", directory, kind->name,
			 number, copy);
		if (!write_seed(path, &in))
			return false;
	}
	return true;
}

static bool read_pages(const char *path, struct fuzz_input *in)
{
	static struct real_pages real;
	FILE *file = fopen(path, "rb");
	bool ok = file && fread(&real, sizeof(real), 1, file) == 1;

	if (file)
		fclose(file);
	in->meta = real.meta;
	memcpy(in->pages, real.pages, sizeof(real.pages));
	if (!ok || !all_events(in)) {
		fprintf(stderr, "%s: no ring with events in it\n", path);
		return false;
	}
	return true;
}

/* Make seeds of each kind from each file. Returns the exit status. */
int make_seeds(const char *directory, char **paths)
{
	static struct fuzz_input real;
	int number, failures = 0;
	size_t i;

	for (number = 0; paths[number]; number++) {
		if (!read_pages(paths[number], &real))
			return 1;
		for (i = 0; i < ARRAY_SIZE(kinds); i++)
			failures += !make_seed(directory, &real, number, &kinds[i]);
	}
	return !number || failures;
}
