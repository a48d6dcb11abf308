// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hostile pages, made by libFuzzer: the kernel's reader of an external ring, unchanged,
 * gets pages, positions and answers of EL2 that are made from the input.
 *
 * The input is struct fuzz_input: a script, which says in what order the reader's
 * functions are called and what changes in between, then a meta page and data pages
 * as in hyp/ring_pages. Seeds are made from real rings, so the reader accepts any type
 * that a kernel's event can have. The sanitizers find accesses out of bounds. This
 * program checks that each call ends, that each event returned lies in the reader's
 * copies, has a valid type and size, and is not earlier than the one before.
 *
 * reader_fuzz --seeds DIR FILE...: make seeds from FILEs, see reader_seeds.c. Otherwise
 * the arguments are libFuzzer's; at the end the number of inputs with accepted events is
 * printed.
 */

#include <stdio.h>

#include "reader_fixture.h"
#include "reader_fuzz.h"

static u16 sizes[NR_TYPES];
const struct ext_page_format fuzz_format = { NR_TYPES, sizes };

/* The rest of the script. */
static const u8 *script, *script_end;

unsigned long accepted;
static unsigned long inputs, inputs_accepted;

static struct reader reader;
static struct ext_ring_page *pages[NR_PAGES];
static u64 last_ts;

static u8 next_byte(void)
{
	return script < script_end ? *script++ : 0;
}

static u64 next_u64(void)
{
	u64 value = 0;
	int i;

	for (i = next_byte() % 9; i; i--)
		value = value << 8 | next_byte();
	return value;
}

u64 ktime_get_boot_fast_ns(void)
{
	return 1ull << 50;
}

/* Is the type one of EL2's? */
static bool is_ours(const struct record *record)
{
	return record->type >= FIRST_TYPE && record->type < NR_TYPES;
}

/* Prints the condition that failed; a test with a deliberate bug looks for that text. */
#define require(condition) do {						\
	if (!(condition)) {						\
		fprintf(stderr, "required: %s\n", #condition);		\
		abort();						\
	}								\
} while (0)

/* Half of the answers are those of EL2, or nearly. Nobody else has what EL2 gets. */
static int swap_page(struct trace_ext_writer *writer, int cpu, u32 spare,
		     struct ext_ring_swap *swap)
{
	enum fuzz_answer answer = next_byte() % NR_ANSWERS;
	struct rb_ext_cpu *c = &reader.c;

	require(spare < NR_PAGES);
	require(page_ref_count(virt_to_page(pages[spare])) == 1);
	switch (answer) {
	case NO_PAGE:
		return -EAGAIN;
	case ANY_PAGE:
		*swap = (struct ext_ring_swap) {
			.id = next_u64(), .pos = next_u64(), .first_seq = next_u64(),
			.events = next_u64(),
		};
		return 0;
	default:
		swap->events = answer == WHOLE_PAGE ? next_byte() + 1 : 0;
		swap->pos = rb_ext_oldest(c, READ_ONCE(reader.meta.tail)) +
			    next_byte() % 4;
		swap->id = c->slot_id[swap->pos % SLOTS];
		swap->first_seq = c->seq + next_byte() % 4;
		return 0;
	}
}

static const struct trace_ext_ops ops = { .swap_page = swap_page };

/* Change memory that the writer, or another part of EL2 or the host, could change. */
static void change_memory(void)
{
	u64 value = next_u64();
	u32 at = next_u64() % (sizeof(struct ext_ring_page) / sizeof(value));

	if (next_byte() % 2)
		memcpy((u64 *)&reader.meta + at % (sizeof(reader.meta) / sizeof(value)),
		       &value, sizeof(value));
	else
		memcpy((u8 *)pages[next_byte() % NR_PAGES] + at * sizeof(value),
		       &value, sizeof(value));
}

/* The event must lie within a page's worth of events at @where. */
static void check_event(const struct ring_buffer_event *event, const void *where)
{
	const struct record *record = record_of(event);
	const u8 *end = where + EXT_RING_DATA_SIZE;

	require((void *)event >= where && (u8 *)record + size_of(event) <= end);
	require(is_ours(record));
	require(record->pid >= 0);
	require(size_of(event) >= MIN_SIZE);
}

/* Time stamps of consumed events are neither in the future nor before the last one. */
static void check_time(u64 ts)
{
	require(ts >= last_ts);
	require(ts <= rb_ext_latest(&reader.ext));
	last_ts = ts;
}

static void consume(bool only_peek)
{
	struct ring_buffer_event *event;
	unsigned long lost;
	u64 ts;

	event = only_peek ? rb_ext_peek(&reader.ext, 0, &ts, &lost) :
			    rb_ext_consume(&reader.ext, 0, &ts, &lost);
	if (!event)
		return;

	check_event(event, reader.c.event);
	check_time(ts);
	accepted += !only_peek;
}

/* A page that was taken as a whole has what it has, but for its end. */
static void check_page(const struct ext_ring_page *page, u64 commit, bool whole)
{
	struct ext_cursor cursor;
	int ret;

	ext_cursor_init(&cursor, page);
	while ((ret = ext_cursor_next(&cursor, page, commit, &fuzz_format)) > 0) {
		check_event(cursor.header, page->data);
		if (!whole)
			check_time(cursor.ts);
		accepted++;
	}
	require(!ret || whole);
}

/* Some readers keep the page until the next one does. */
static void put_page(struct buffer_data_page *data_page, bool keep)
{
	static struct buffer_data_page *kept;

	if (keep)
		swap(kept, data_page);
	free_page((unsigned long)data_page);
}

static void read_page(void)
{
	struct buffer_data_page *data_page = page_new();
	size_t len = next_u64() % (EXT_RING_DATA_SIZE + 1);
	const struct ext_cursor end = reader.c.end;
	const bool decoded = reader.c.unread;
	const u8 how = next_byte();
	struct ext_ring_page *page;
	u64 commit;

	if (!rb_ext_read_page(&reader.ext, 0, &data_page,
			      offsetof(struct ext_ring_page, data) + len, how % 2)) {
		page = (struct ext_ring_page *)data_page;
		commit = page->commit & (BIT(30) - 1);
		require(commit && commit <= len);
		check_page(page, commit, !decoded && reader.c.end.header == end.header &&
					 reader.c.end.ts == end.ts);
	}
	put_page(data_page, how & 2);
}

static void iterate(void)
{
	struct rb_ext_iter *iter = rb_ext_iter_alloc(&reader.ext, 0, GFP_KERNEL);
	struct ring_buffer_event *event;
	int count = 0, missed;
	u64 ts;

	while ((event = rb_ext_iter_peek(iter, &ts, &missed))) {
		require(is_ours(record_of(event)));
		require(count++ < (int)(NR_PAGES * EXT_RING_DATA_SIZE / 12));
		accepted++;
		rb_ext_iter_advance(iter);
		if (next_byte() % 8 == 1)
			change_memory();
		if (next_byte() % 8 == 1)
			consume(false);
	}
	rb_ext_iter_free(iter);
}

static void dump(void)
{
	const struct ring_buffer_event *event;
	u64 want = next_u64() % 100000, count = 0;

	reader.writer.dump_events = want;
	rb_ext_dump_begin(&reader.ext, false);
	while (!rb_ext_empty(&reader.ext, 0)) {
		event = rb_ext_consume(&reader.ext, 0, NULL, NULL);
		check_event(event, reader.c.dump.copy.page->data);
		require(count++ < want);
		require(count <= NR_PAGES * EXT_RING_DATA_SIZE / 12);
		accepted++;
		if (next_byte() % 8 == 1)
			change_memory();
	}
	rb_ext_dump_end(&reader.ext);
}

static void count(void)
{
	enum rb_ext_stat stat;

	for (stat = RB_EXT_ENTRIES; stat <= RB_EXT_OLDEST_TS; stat++)
		rb_ext_stat(&reader.ext, 0, stat);
	require(rb_ext_stat(&reader.ext, 0, RB_EXT_BYTES) <=
		(SLOTS + 1) * EXT_RING_DATA_SIZE);
}

static void consume_mapped(void)
{
	u64 read = reader.c.read;

	pthread_mutex_lock(&reader.c.lock);
	rb_ext_consume_mapped(&reader.c);
	pthread_mutex_unlock(&reader.c.lock);
	accepted += reader.c.read - read;
}

static void run_script(void)
{
	while (script < script_end) {
		switch (next_byte() % NR_OPS) {
		case CONSUME:
			consume(false);
			break;
		case PEEK:
			consume(true);
			break;
		case READ_PAGE:
			read_page();
			break;
		case ITERATE:
			iterate();
			break;
		case COUNT:
			count();
			break;
		case EMPTY:
			rb_ext_empty(&reader.ext, 0);
			break;
		case CONSUME_MAPPED:
			consume_mapped();
			break;
		case CHANGE_MEMORY:
			change_memory();
			break;
		case DUMP:
			dump();
			break;
		}
	}
}

/* Run an input, with @script_size bytes of its script. */
void fuzz_run(const struct fuzz_input *input, size_t script_size)
{
	int i;

	script = input->script;
	script_end = script + script_size;

	/* The pages are on the heap, so that the sanitizer guards their surroundings. */
	for (i = 0; i < NR_PAGES; i++) {
		pages[i] = page_new();
		*pages[i] = input->pages[i];
	}
	reader_init(&reader, pages, SLOTS, NR_PAGES, &ops);
	reader.ext.format = fuzz_format;
	reader.meta = input->meta;
	last_ts = 0;

	run_script();

	for (i = 0; i < NR_PAGES; i++)
		free_page((unsigned long)pages[i]);
	reader_destroy(&reader);
}

static void say_how_far_it_got(void)
{
	if (inputs)
		printf("%lu inputs, %lu with events that were accepted, %lu events\n",
		       inputs, inputs_accepted, accepted);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	int i;

	for (i = FIRST_TYPE; i < NR_TYPES; i++)
		sizes[i] = MIN_SIZE;
	if (*argc > 3 && !strcmp((*argv)[1], "--seeds"))
		exit(make_seeds((*argv)[2], *argv + 3));

	atexit(say_how_far_it_got);
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
	static struct fuzz_input input;
	unsigned long before = accepted;

	size = min(size, sizeof(input));
	memcpy(&input, bytes, size);
	memset((u8 *)&input + size, 0, sizeof(input) - size);
	fuzz_run(&input, min(size, sizeof(input.script)));
	inputs++;
	inputs_accepted += accepted != before;
	return 0;
}
