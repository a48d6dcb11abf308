// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of EL2's ring in a program on this machine: ext_ring_writer.h and ext/ring.c,
 * unchanged; an event of one u64, into a ring of 1 MiB that is overwritten.
 *
 * Also lower bounds for any tracer: the cost of the clock alone, and of storing as many
 * bytes to as much memory.
 */

#include <string.h>

#include <linux/ext_ring_writer.h>

#include "bench.h"

#define NR_SLOTS	256

struct record {
	u64	ent;
	u64	id;
} __attribute__((packed, aligned(4)));

static struct ext_ring ring;
static struct ext_ring_meta meta;
static struct ext_ring_page pages[NR_SLOTS + 1] __attribute__((aligned(4096)));

void ext_ring_doorbell(void)
{
}

static void ring_set_up(void)
{
	struct ext_ring_record *records = calloc(1, ext_ring_bookkeeping(NR_SLOTS, NR_SLOTS + 1));
	u32 i;

	for (i = 0; i <= NR_SLOTS; i++)
		records[i].page = &pages[i];
	ext_ring_init(&ring, records, NR_SLOTS, NR_SLOTS + 1, &meta);
	ring.overwrite = true;
	ext_ring_open(&ring);
}

static inline void write_at(u64 now, u64 id)
{
	struct ext_ring_reservation resv;
	struct record *record;

	if (!ext_ring_reserve(&ring, now, sizeof(*record), &resv) &&
	    !ext_ring_reserve_slow(&ring, now, sizeof(*record), &resv))
		return;

	record = resv.payload;
	record->ent = 1;
	record->id = id;
	ext_ring_commit(&resv);
}

static void write_event(u64 id)
{
	write_at(bench_clock(), id);
}

static void write_without_clock(u64 id)
{
	write_at(id, id);
}

static volatile u64 sink;

static void read_clock(u64 id)
{
	sink = bench_clock();
}

static void copy_bytes(u64 id)
{
	static const u8 from[sizeof(struct record) + 4];
	static size_t at;
	u8 *to = (u8 *)pages + at;

	memcpy(to, from, sizeof(from));
	/* The compiler must not drop any of the stores. */
	__asm__ volatile("" : : "r" (to) : "memory");
	at = at + sizeof(from) < sizeof(pages) - sizeof(from) ? at + sizeof(from) : 0;
}

/* Check that the ring has each event that was timed, and ends with the last one. */
static void check_ring(u64 seq)
{
	u64 room = ring.write - sizeof(struct record), id;

	memcpy(&id, &ring.page->data[room + offsetof(struct record, id)], sizeof(id));
	if (ring.seq - seq != (u64)BENCH_EVENTS * BENCH_ROUNDS || ring.dropped ||
	    ring.missed || id != BENCH_EVENTS - 1) {
		fprintf(stderr, "ring_bench: %llu events written, %llu lost, the last is %llu\n",
			(unsigned long long)(ring.seq - seq),
			(unsigned long long)(ring.dropped + ring.missed),
			(unsigned long long)id);
		exit(1);
	}
}

static void bench_ring(const char *name, void (*write)(u64 id))
{
	u64 seq = ring.seq;

	bench(name, write);
	check_ring(seq);
}

int main(void)
{
	ring_set_up();
	bench_ring("ring", write_event);
	bench_ring("ring_without_clock", write_without_clock);
	bench("clock", read_clock);
	bench("memcpy", copy_bytes);
	return 0;
}
