/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bank of memory that survives a reboot, in user space: written by the ring's writer as
 * the hypervisor does, and copied by kernel/trace/ext/earlier.c, unchanged, as at boot.
 */
#ifndef MEM_FIXTURE_H
#define MEM_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "earlier.h"

_Thread_local struct lock_use lock_use;

#define CPUS		2
#define SLOTS		5
#define SHARE_PAGES	(SLOTS + EXT_MEM_SHARE_OVERHEAD)
#define BANK_PAGES	(1 + CPUS * SHARE_PAGES)
#define BANK_SIZE	((size_t)BANK_PAGES * EXT_RING_PAGE_SIZE)

/* Types of the two events: in the bank, and in this kernel, which does not know the second. */
#define TYPE		100
#define OTHER_TYPE	101
#define OUR_TYPE	90
#define OUR_UNKNOWN	91
#define NR_TYPES	102

/* An event as EL2 writes it. */
struct record {
	u16	type;
	u8	flags;
	u8	preempt_count;
	s32	pid;
	u64	id;
} __attribute__((packed, aligned(4)));

static u16 bank_sizes[NR_TYPES] = { [TYPE] = sizeof(struct record), [OTHER_TYPE] = 8 };
static u16 our_types[NR_TYPES] = { [TYPE] = OUR_TYPE };
static const struct ext_mem_types types = {
	.format = { .nr_types = NR_TYPES, .size = bank_sizes }, .ours = our_types, .unknown = OUR_UNKNOWN,
};

static u16 our_sizes[NR_TYPES] = {
	[OUR_TYPE] = sizeof(struct record),
	[OUR_UNKNOWN] = offsetof(struct ext_mem_unknown, data),
};
static const struct ext_page_format our_format = { .nr_types = NR_TYPES, .size = our_sizes };

/* The same for a kernel that has recorded itself. */
static const u16 same_types[NR_TYPES] = { [TYPE] = TYPE, [OTHER_TYPE] = OTHER_TYPE };
static const struct ext_mem_types same = {
	.format = { .nr_types = NR_TYPES, .size = bank_sizes }, .ours = same_types, .same = true,
};

/* An event is as old as its number says. */
static inline u64 time_of(u64 id)
{
	return 1000000000 + id * 1000;
}

void ext_ring_doorbell(void)
{
}

/* A ring in pages that are given, or in pages of its own. */
struct test_ring {
	struct ext_ring		ring;
	struct ext_ring_meta	own_meta;
	void			*bookkeeping;
	u32			nr_slots;
	bool			owns;
};

static inline void ring_init(struct test_ring *t, u32 nr_slots, struct ext_ring_meta *meta,
			     struct ext_ring_page *pages)
{
	struct ext_ring_record *records = calloc(1, ext_ring_bookkeeping(nr_slots, nr_slots + 1));
	u32 i;

	memset(t, 0, sizeof(*t));
	t->bookkeeping = records;
	t->nr_slots = nr_slots;
	t->owns = !pages;
	t->ring.overwrite = true;
	/* Each page of its own is an allocation, so that the sanitizer guards it. */
	for (i = 0; i <= nr_slots; i++)
		records[i].page = pages ? &pages[i] : calloc(1, sizeof(*pages));
	ext_ring_init(&t->ring, records, nr_slots, nr_slots + 1, meta ?: &t->own_meta);
	ext_ring_open(&t->ring);
}

static inline void ring_exit(struct test_ring *t)
{
	u32 i;

	for (i = 0; t->owns && i <= t->nr_slots; i++)
		free(t->ring.records[i].page);
	free(t->bookkeeping);
}

static inline void write_record(struct ext_ring *ring, u16 type, u64 id)
{
	struct ext_ring_reservation resv;
	u64 now = time_of(id);

	if (!ext_ring_reserve(ring, now, sizeof(struct record), &resv) &&
	    !ext_ring_reserve_slow(ring, now, sizeof(struct record), &resv))
		abort();
	*(struct record *)resv.payload = (struct record) { .type = type, .pid = 7, .id = id };
	ext_ring_commit(&resv);
}

/*
 * Make a bank whose CPUs have written @events events each, one in @others of which this
 * kernel does not know.
 */
static inline struct ext_mem_bank *bank_new(u64 events, u64 others)
{
	struct ext_mem_bank *bank = aligned_alloc(EXT_RING_PAGE_SIZE, BANK_SIZE);
	u32 cpu;
	u64 id;

	memset(bank, 0, BANK_SIZE);
	*bank = (struct ext_mem_bank) {
		.magic = EXT_MEM_MAGIC, .version = EXT_MEM_VERSION,
		.page_size = EXT_RING_PAGE_SIZE, .size = BANK_SIZE, .boot = 1,
		.header_pages = 1, .share_pages = SHARE_PAGES, .nr_cpus = CPUS,
		.since = time_of(0), .nr_events = 2,
	};
	bank->events[0].type = TYPE;
	bank->events[1].type = OTHER_TYPE;

	for (cpu = 0; cpu < CPUS; cpu++) {
		struct ext_mem_cpu *share = ext_mem_cpu(bank, cpu);
		struct test_ring t;

		share->boot = bank->boot;
		share->since = time_of(0);
		share->nr_slots = SLOTS;
		ring_init(&t, SLOTS, &share->meta, ext_mem_data_page(bank, cpu, 0));
		for (id = 1; id <= events; id++)
			write_record(&t.ring, others && id % others == 0 ? OTHER_TYPE : TYPE, id);
		ring_exit(&t);
	}

	return bank;
}

/* Called with each event that has been copied. */
typedef void (*event_fn)(const struct ext_cursor *cursor, u64 seq);

/*
 * Copy a CPU's events to a ring as at boot, and show them; return false if anything is
 * wrong with that ring.
 */
static inline bool copy_cpu(const struct ext_mem_bank *bank, u32 cpu,
			    const struct ext_mem_types *types,
			    const struct ext_page_format *ours,
			    struct ext_mem_count *count, event_fn show)
{
	struct ext_mem_page *pages = calloc(bank->share_pages, sizeof(*pages));
	u32 nr = ext_mem_find(bank, cpu, &types->format, pages, count), i;
	u64 events = 0, copied = 0, pos;
	struct test_ring t;
	bool ok;

	ring_init(&t, ext_mem_slots(pages, nr, types), NULL, NULL);
	for (i = 0; i < nr; i++) {
		events += pages[i].count;
		ext_mem_copy_page(&t.ring, &pages[i], types);
	}
	/* Nothing has been overwritten: position n is on page n. */
	ok = t.ring.tail < t.nr_slots;
	for (pos = 0; ok && pos <= t.ring.tail; pos++) {
		const struct ext_ring_page *page = t.ring.records[pos].page;
		u64 seq = page->first_seq;
		struct ext_cursor cursor;
		int ret;

		ext_cursor_init(&cursor, page);
		while ((ret = ext_cursor_next(&cursor, page, page->commit, ours)) > 0) {
			show(&cursor, seq++);
			copied++;
		}
		ok = !ret;
	}
	ring_exit(&t);
	free(pages);
	return ok && copied == events;
}

#endif /* MEM_FIXTURE_H */
