// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring under stress, in user space: EL2's writer and the kernel's readers, unchanged,
 * in threads of their own; for -fsanitize=thread and address.
 *
 * usage: reader_stress SECONDS [SEED [EPOCHS]]: at least that long, and that many epochs
 *
 * In each epoch a ring of random size and mode is written, while other threads consume
 * events and whole pages, iterate without consuming, dump, and read statistics. Events must
 * be delivered whole, in order and once, or be counted as lost.
 */

#include <linux/ext_ring_writer.h>

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "reader_fixture.h"

#define MAX_SLOTS	32
#define MAX_SPARES	5

static struct reader reader;
static struct ext_ring ring;
static struct ext_ring_page *pages[MAX_SLOTS + MAX_SPARES];
static pthread_barrier_t start;
static bool stop;

static u64 nr_events;			/* to be written in this epoch */
static u64 written;			/* written so far */
static unsigned int epoch, errors;

/* Events that the consumers got, in the order of c.lock; see account_consumed(). */
static pthread_mutex_t consume_lock = PTHREAD_MUTEX_INITIALIZER;
static u64 next_id, consumed, peeked, dumped, lost;

/* Pages that were read, and may be the ring's; and how often they were. */
static struct buffer_data_page *held[MAX_SPARES];
static u64 handed_out;

static void __attribute__((format(printf, 1, 2))) complain(const char *fmt, ...)
{
	va_list args;

	if (__atomic_add_fetch(&errors, 1, __ATOMIC_RELAXED) > 20)
		return;
	va_start(args, fmt);
	printf("# epoch %u, %u slots, %s: ", epoch, ring.nr_slots,
	       ring.overwrite ? "overwrite" : "keep");
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
}

u64 ktime_get_boot_fast_ns(void)
{
	return S64_MAX;
}

static int swap_page(struct trace_ext_writer *writer, int cpu, u32 spare,
		     struct ext_ring_swap *swap)
{
	return ext_ring_swap(&ring, spare, swap);
}

static const struct trace_ext_ops ops = { .swap_page = swap_page };

/* Check an event that has been consumed; called in the order of consumption. */
static void consumed_one(const struct record *record, u64 ts, u64 missed)
{
	if (record->check != check_of(record->id, ts))
		complain("torn event %llu", (unsigned long long)record->id);
	if (record->id != next_id + missed)
		complain("event %llu after %llu, %llu lost",
			 (unsigned long long)record->id,
			 (unsigned long long)next_id - 1,
			 (unsigned long long)missed);
	next_id = record->id + 1;
	lost += missed;
	consumed++;
}

/* Consume one event, as trace_pipe does. */
static bool consume_event(void)
{
	struct ring_buffer_event *event;
	unsigned long missed;
	u64 ts;

	event = rb_ext_consume(&reader.ext, 0, &ts, &missed);
	if (event)
		consumed_one(record_of(event), ts, missed);
	return event;
}

/* Take a page that was read before; nobody has written to it since. */
static struct buffer_data_page *take_back(unsigned int i)
{
	struct buffer_data_page *data_page = held[i];
	struct ext_ring_page *page = (void *)data_page;
	struct ext_cursor cursor;

	held[i] = NULL;
	if (!data_page)
		return page_new();

	ext_cursor_init(&cursor, page);
	while (ext_cursor_next(&cursor, page, page->commit & (BIT(30) - 1),
			       &reader.ext.format) > 0) {
		const struct record *record = cursor.record;

		if (record->check != check_of(record->id, cursor.ts) || record->id >= next_id)
			complain("torn event %llu in a page that was read",
				 (unsigned long long)record->id);
	}
	return data_page;
}

/* Consume a page, not always to its end, as trace_pipe_raw does; and keep it for a while. */
static bool consume_page(unsigned int *seed)
{
	unsigned int i = rand_r(seed) % MAX_SPARES;
	struct buffer_data_page *data_page = take_back(i);
	struct ext_ring_page *page;
	struct ext_cursor cursor;
	u64 commit, missed = 0;
	size_t len = rand_r(seed) % 3 ? EXT_RING_DATA_SIZE : rand_r(seed) % 500;

	if (rand_r(seed) % 2) {
		free_page((unsigned long)data_page);
		data_page = page_new();
	}
	if (rb_ext_read_page(&reader.ext, 0, &data_page,
			     offsetof(struct ext_ring_page, data) + len, rand_r(seed) % 2)) {
		free_page((unsigned long)data_page);
		return false;
	}
	held[i] = data_page;
	handed_out += page_ref_count(virt_to_page(data_page)) > 1;

	page = (struct ext_ring_page *)data_page;
	commit = page->commit & (BIT(30) - 1);
	if (commit > len)
		complain("%llu bytes where %zu fit", (unsigned long long)commit, len);
	if (page->commit & BIT(30))
		memcpy(&missed, page->data + commit, sizeof(missed));
	else if (page->commit & BIT(31))		/* no room for the number */
		missed = ((const struct record *)(page->data + 4))->id - next_id;

	ext_cursor_init(&cursor, page);
	while (ext_cursor_next(&cursor, page, commit, &reader.ext.format) > 0) {
		consumed_one(cursor.record, cursor.ts, missed);
		missed = 0;
	}
	return true;
}

static void *consumer(void *arg)
{
	unsigned int seed = epoch * 31 + (unsigned long)arg;

	pthread_barrier_wait(&start);
	while (!READ_ONCE(stop)) {
		pthread_mutex_lock(&consume_lock);
		if (rand_r(&seed) % 4)
			consume_event();
		else
			consume_page(&seed);
		pthread_mutex_unlock(&consume_lock);
	}
	return NULL;
}

/* Iterate without consuming: events are whole and in order, and the iteration ends. */
static void *iterator(void *arg)
{
	u64 seen = 0;

	pthread_barrier_wait(&start);
	while (!READ_ONCE(stop)) {
		struct rb_ext_iter *iter;
		struct ring_buffer_event *event;
		u64 last = 0, ts;
		int missed;

		iter = rb_ext_iter_alloc(&reader.ext, 0, GFP_KERNEL);
		while ((event = rb_ext_iter_peek(iter, &ts, &missed))) {
			const struct record *record = record_of(event);

			if (record->check != check_of(record->id, ts) ||
			    record->id <= last)
				complain("iterator: event %llu after %llu",
					 (unsigned long long)record->id,
					 (unsigned long long)last);
			last = record->id;
			rb_ext_iter_advance(iter);
			seen++;
		}
		rb_ext_iter_free(iter);
	}
	__atomic_add_fetch(&peeked, seen, __ATOMIC_RELAXED);
	return NULL;
}

/* Dump again and again: no event twice, and each one that is left out counts. */
static void *dumper(void *arg)
{
	unsigned int seed = epoch;
	u64 seen = 0, last = 0;

	pthread_barrier_wait(&start);
	while (!READ_ONCE(stop)) {
		struct ring_buffer_event *event;
		unsigned long missed;
		bool first = true;
		u64 ts;

		reader.writer.dump_events = rand_r(&seed) % 10000;
		rb_ext_dump_begin(&reader.ext, false);
		while ((event = rb_ext_consume(&reader.ext, 0, &ts, &missed))) {
			const struct record *record = record_of(event);

			if (record->check != check_of(record->id, ts) || record->id <= last ||
			    (!first && record->id != last + 1 + missed))
				complain("dump: event %llu after %llu, %lu lost",
					 (unsigned long long)record->id,
					 (unsigned long long)last, missed);
			last = record->id;
			first = false;
			seen++;
		}
		rb_ext_dump_end(&reader.ext);
	}
	__atomic_add_fetch(&dumped, seen, __ATOMIC_RELAXED);
	return NULL;
}

/* Read statistics, which must never exceed what is possible. */
static void *counter(void *arg)
{
	pthread_barrier_wait(&start);
	while (!READ_ONCE(stop)) {
		u64 entries = rb_ext_stat(&reader.ext, 0, RB_EXT_ENTRIES);
		u64 bytes = rb_ext_stat(&reader.ext, 0, RB_EXT_BYTES);
		u64 overrun = rb_ext_stat(&reader.ext, 0, RB_EXT_OVERRUN);

		if (entries > nr_events || overrun > nr_events ||
		    bytes > (MAX_SLOTS + MAX_SPARES) * (u64)EXT_RING_DATA_SIZE)
			complain("%llu entries, %llu bytes, %llu overrun",
				 (unsigned long long)entries,
				 (unsigned long long)bytes,
				 (unsigned long long)overrun);
	}
	return NULL;
}

/* No reader waits here. */
void ext_ring_doorbell(void)
{
}

static void *writer(void *arg)
{
	unsigned int seed = epoch;
	u64 now = 1000, id = 1, i;

	pthread_barrier_wait(&start);
	for (i = 0; i < nr_events; i++) {
		struct ext_ring_reservation resv;

		now += rand_r(&seed) % 500 ? rand_r(&seed) % 100u : 1ull << 28;
		if (!ext_ring_reserve(&ring, now, sizeof(struct record), &resv) &&
		    !ext_ring_reserve_slow(&ring, now, sizeof(struct record), &resv))
			continue;
		*(struct record *)resv.payload = (struct record) {
			.type = TYPE, .pid = 1, .id = id, .check = check_of(id, now),
		};
		ext_ring_commit(&resv);
		id++;
	}
	WRITE_ONCE(written, id - 1);
	WRITE_ONCE(stop, true);
	return NULL;
}

static void run_epoch(unsigned int *seed)
{
	static void *(* const roles[])(void *) = {
		writer, consumer, consumer, iterator, iterator, counter, dumper,
	};
	pthread_t threads[ARRAY_SIZE(roles)];
	u32 nr_slots = 2 + rand_r(seed) % (rand_r(seed) % 2 ? 3 : MAX_SLOTS - 2);
	u32 nr_pages = nr_slots + 1 + rand_r(seed) % MAX_SPARES;
	struct ext_ring_record *records = calloc(1, ext_ring_bookkeeping(nr_slots, nr_pages));
	size_t i;

	for (i = 0; i < nr_pages; i++) {
		records[i].page = pages[i] = page_new();
		pages[i]->commit = 0;
	}
	nr_events = 1 + rand_r(seed) % (ARRAY_SIZE(roles) * 5000);
	next_id = 1;
	consumed = lost = written = 0;
	stop = false;
	ring = (struct ext_ring) { };
	reader_init(&reader, pages, nr_slots, nr_pages, &ops);
	ext_ring_init(&ring, records, nr_slots, nr_pages, &reader.meta);
	ring.overwrite = rand_r(seed) % 2;
	ext_ring_open(&ring);

	pthread_barrier_init(&start, NULL, ARRAY_SIZE(roles));
	for (i = 0; i < ARRAY_SIZE(roles); i++)
		pthread_create(&threads[i], NULL, roles[i], (void *)i);
	for (i = 0; i < ARRAY_SIZE(roles); i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&start);
	while (consume_event())
		;

	if (consumed + lost != written || written + reader.meta.dropped != nr_events)
		complain("of %llu: %llu written, %llu dropped, %llu read, %llu lost",
			 (unsigned long long)nr_events,
			 (unsigned long long)written,
			 (unsigned long long)reader.meta.dropped,
			 (unsigned long long)consumed, (unsigned long long)lost);
	if (rb_ext_stat(&reader.ext, 0, RB_EXT_READ) != consumed ||
	    rb_ext_stat(&reader.ext, 0, RB_EXT_OVERRUN) != lost ||
	    rb_ext_stat(&reader.ext, 0, RB_EXT_ENTRIES))
		complain("the statistics say otherwise");
	for (i = 0; i < MAX_SPARES; i++)
		free_page((unsigned long)take_back(i));
	for (i = 0; i < nr_pages; i++)
		free_page((unsigned long)pages[i]);
	reader_destroy(&reader);
	free(records);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	unsigned int seed = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	unsigned int epochs = argc > 3 ? strtoul(argv[3], NULL, 0) : 20;
	u64 total = 0, total_lost = 0;
	bool all;

	printf("TAP version 13\n1..2\n# seed %u\n", seed);
	do {
		epoch++;
		run_epoch(&seed);
		total += consumed;
		total_lost += lost;
	} while ((time(NULL) < end || epoch < epochs) && !errors);

	printf("# %u epochs, %llu events read, %llu lost, %llu seen without reading, %llu dumped, %llu pages handed out\n",
	       epoch, (unsigned long long)total, (unsigned long long)total_lost,
	       (unsigned long long)peeked, (unsigned long long)dumped,
	       (unsigned long long)handed_out);
	all = total && total_lost && peeked && dumped && handed_out;
	if (nr_messages)
		complain("%u messages, the last is: %s", nr_messages, last_message);
	printf("%sok 1 each event once, whole, in order, or counted\n",
	       errors ? "not " : "");
	printf("%sok 2 there was something to lose\n",
	       all ? "" : "not ");
	return errors || !all;
}
