// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hostile pages, by libFuzzer: the kernel's reader of a remote ring, as it is, over
 * pages, positions and answers of EL2 that are made of the input.
 *
 * The input is a script of SCRIPT bytes, which says in what order the reader's
 * functions are called and what changes meanwhile, then a meta page and data pages
 * as they lie in hyp/ring_pages; what is missing is zero. Seeds are real ones, so
 * any type that an event of the kernel can have is accepted. The sanitizers see to it
 * that nothing outside is touched; here it is checked that it ends, that what is
 * returned lies in the reader's copies, and that it is of the type and size that it
 * must have, later than what was before.
 */

#include "reader_fixture.h"

#define SCRIPT		256
#define META		sizeof(struct hyp_ring_meta)
#define SLOTS		3
#define FIRST_TYPE	20		/* below are ftrace's own */
#define NR_TYPES	2048
#define MIN_SIZE	12		/* a struct trace_entry, and something */

static u16 sizes[NR_TYPES];

/* What is left of the script. */
static const u8 *script, *script_end;

static struct reader reader;
static struct hyp_ring_page *pages[SLOTS + 1];
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

u64 rb_remote_clock(void)
{
	return 1ull << 50;
}

/* Of a type that is EL2's. */
static bool is_ours(const struct record *record)
{
	return record->type >= FIRST_TYPE && record->type < NR_TYPES;
}

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* Half of the time what EL2 would answer. */
static int swap_page(int cpu, struct hyp_ring_swap *swap)
{
	struct rb_remote_cpu *c = &reader.c;

	switch (next_byte() % 4) {
	case 0:
		return -EAGAIN;
	case 1:
		*swap = (struct hyp_ring_swap) {
			.id = next_u64(), .pos = next_u64(), .first_seq = next_u64(),
		};
		return 0;
	default:
		swap->pos = c->next_pos + next_byte() % 4;
		swap->id = c->slot_id[swap->pos % SLOTS];
		swap->first_seq = c->seq + next_byte() % 4;
		return 0;
	}
}

static const struct rb_remote_ops ops = { .swap_page = swap_page };

/* The writer, or whoever else can, writes something somewhere. */
static void change_memory(void)
{
	u64 value = next_u64();
	u32 at = next_u64() % (sizeof(struct hyp_ring_page) / sizeof(value));

	if (next_byte() % 2)
		memcpy((u8 *)&reader.meta + at % 3 * sizeof(value), &value,
		       sizeof(value));
	else
		memcpy((u8 *)pages[next_byte() % (SLOTS + 1)] + at * sizeof(value),
		       &value, sizeof(value));
}

/* It is to lie where a page's worth of events would. */
static void check_event(const struct ring_buffer_event *event, const void *where)
{
	const struct record *record = record_of(event);
	const u8 *end = where + HYP_RING_DATA_SIZE;

	require((void *)event >= where && (u8 *)record + size_of(event) <= end);
	require(is_ours(record) && record->pid >= 0 && size_of(event) >= MIN_SIZE);
}

static void consume(bool only_peek)
{
	struct ring_buffer_event *event;
	unsigned long lost;
	u64 ts;

	event = only_peek ? rb_remote_peek(&reader.remote, 0, &ts, &lost) :
			    rb_remote_consume(&reader.remote, 0, &ts, &lost);
	if (!event)
		return;

	check_event(event, reader.c.event);
	require(ts >= last_ts && ts <= rb_remote_latest());
	last_ts = ts;
}

static void read_page(void)
{
	struct buffer_data_page *data_page = malloc(sizeof(struct hyp_ring_page));
	size_t len = next_u64() % (HYP_RING_DATA_SIZE + 1);
	struct hyp_ring_page *page;
	struct hyp_cursor cursor;
	u64 commit;
	int ret;

	if (!rb_remote_read_page(&reader.remote, 0, &data_page, len, next_byte() % 2)) {
		page = (struct hyp_ring_page *)data_page;
		commit = page->commit & (BIT(30) - 1);
		require(commit && commit <= len);
		hyp_cursor_init(&cursor, page);
		while ((ret = hyp_cursor_next(&cursor, page, commit,
					      &reader.remote.format)) > 0)
			check_event(cursor.header, page->data);
		require(!ret);
	}
	free(data_page);
}

static void iterate(void)
{
	struct rb_remote_iter *iter = rb_remote_iter_alloc(&reader.remote, 0, GFP_KERNEL);
	struct ring_buffer_event *event;
	int count = 0;
	u64 ts;

	while ((event = rb_remote_iter_peek(iter, &ts))) {
		require(is_ours(record_of(event)));
		require(count++ < (int)((SLOTS + 1) * HYP_RING_DATA_SIZE / 12));
		rb_remote_iter_advance(iter);
		if (next_byte() % 8 == 1)
			change_memory();
		if (next_byte() % 8 == 1)
			consume(false);
	}
	rb_remote_iter_free(iter);
}

static void count(void)
{
	enum rb_remote_stat stat;

	for (stat = RB_REMOTE_ENTRIES; stat <= RB_REMOTE_OLDEST_TS; stat++)
		rb_remote_stat(&reader.remote, 0, stat);
	require(rb_remote_stat(&reader.remote, 0, RB_REMOTE_BYTES) <=
		(SLOTS + 1) * HYP_RING_DATA_SIZE);
}

static void consume_mapped(void)
{
	pthread_mutex_lock(&reader.c.lock);
	rb_remote_consume_mapped(&reader.c);
	pthread_mutex_unlock(&reader.c.lock);
}

static void run_script(void)
{
	while (script < script_end) {
		switch (next_byte() % 8) {
		case 0:
			consume(false);
			break;
		case 1:
			consume(true);
			break;
		case 2:
			read_page();
			break;
		case 3:
			iterate();
			break;
		case 4:
			count();
			break;
		case 5:
			rb_remote_empty(&reader.remote, 0);
			break;
		case 6:
			consume_mapped();
			break;
		case 7:
			change_memory();
			break;
		}
	}
}

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	size_t n = min(size, SCRIPT), i;

	script = input;
	script_end = input + n;
	input += n;
	size -= n;

	/* On the heap, so that what lies around them is guarded. */
	for (i = 0; i <= SLOTS; i++)
		pages[i] = calloc(1, sizeof(*pages[i]));
	for (i = FIRST_TYPE; i < NR_TYPES; i++)
		sizes[i] = MIN_SIZE;
	reader_init(&reader, pages, SLOTS, &ops);
	reader.remote.format = (struct hyp_page_format) { NR_TYPES, sizes };
	last_ts = 0;

	n = min(size, META);
	memcpy(&reader.meta, input, n);
	input += n;
	size -= n;
	for (i = 0; i <= SLOTS && size; i++) {
		n = min(size, sizeof(*pages[i]));
		memcpy(pages[i], input, n);
		input += n;
		size -= n;
	}

	run_script();

	for (i = 0; i <= SLOTS; i++)
		free(pages[i]);
	reader_destroy(&reader);
	return 0;
}
