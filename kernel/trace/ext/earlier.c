// SPDX-License-Identifier: GPL-2.0-only
/*
 * ext_mem - find what an earlier boot has left in memory, and copy its events
 *
 * Each page is checked on its own, and then against its neighbours. One that fails is left
 * out, and counted. The events of the others are written to a ring of this kernel.
 */

#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "earlier.h"

/* The writer's clock may be some microseconds behind the kernel's, whose times a header has. */
#define MAX_BEHIND	(1ULL * NSEC_PER_SEC)

/* Finding ------------------------------------------------------------------------- */

/**
 * ext_mem_bank_error() - check the header of a bank
 * @bank:	the bank
 * @size:	its size [bytes], at least a page
 *
 * Return: NULL if the functions below may use it, or what is wrong with it
 */
const char *ext_mem_bank_error(const struct ext_mem_bank *bank, u64 size)
{
	u64 pages = size / EXT_RING_PAGE_SIZE;
	u64 header_size;

	if (bank->magic != EXT_MEM_MAGIC)
		return "it has no header";
	if (bank->version != EXT_MEM_VERSION)
		return "its layout has another version";
	if (bank->page_size != EXT_RING_PAGE_SIZE)
		return "its pages have another size";
	if (bank->size != size)
		return "it has another size";
	if (bank->boot > S64_MAX || bank->end > EXT_MEM_PANIC ||
	    bank->nr_events > EXT_MEM_MAX_EVENTS)
		return "its header has impossible values";

	header_size = sizeof(*bank) + bank->nr_events * sizeof(bank->events[0]);
	if (bank->header_pages > pages ||
	    bank->header_pages != header_size / EXT_RING_PAGE_SIZE +
				  !!(header_size % EXT_RING_PAGE_SIZE))
		return "its header has an impossible size";
	if (bank->share_pages < EXT_MEM_SHARE_OVERHEAD + EXT_RING_MIN_SLOTS ||
	    bank->share_pages > EXT_MEM_SHARE_OVERHEAD + EXT_RING_MAX_SLOTS ||
	    (u64)bank->nr_cpus * bank->share_pages > pages - bank->header_pages)
		return "its shares have an impossible size";

	return NULL;
}

/* The slots that a CPU has recorded into. */
static u32 slots_of(const struct ext_mem_bank *bank, u32 cpu)
{
	const struct ext_mem_cpu *share = ext_mem_cpu(bank, cpu);

	return share->boot == bank->boot ? share->nr_slots : 0;
}

/* Has any CPU recorded into a bank without error, and has that not been cleared? */
bool ext_mem_is_used(const struct ext_mem_bank *bank)
{
	u32 cpu;

	for (cpu = 0; cpu < bank->nr_cpus; cpu++) {
		if (slots_of(bank, cpu))
			return true;
	}

	return false;
}

/* The latest time that an event may have. A number that is impossible sets no limit. */
static u64 latest_time(const struct ext_mem_bank *bank)
{
	if (bank->ended < bank->since || bank->ended > S64_MAX - EXT_PAGE_MAX_AHEAD)
		return S64_MAX;

	return bank->ended + EXT_PAGE_MAX_AHEAD;
}

/*
 * Get the number with which the events of a CPU begin since the ring's last reset. The page that
 * the writer has begun then has that number, or later pages have larger ones. If there are none,
 * the number is damaged, and says nothing.
 */
static u64 first_event(const struct ext_mem_bank *bank, u32 cpu, u32 nr_slots)
{
	u64 first_seq = ext_mem_cpu(bank, cpu)->meta.first_seq;
	u32 id;

	for (id = 0; id <= nr_slots; id++) {
		if (ext_mem_data_page(bank, cpu, id)->first_seq >= first_seq)
			return first_seq;
	}

	return 0;
}

/*
 * Check a page that has @found->commit bytes of events, and fill in @found. The CPU's events begin
 * with number @first.
 */
static bool check_page(const struct ext_mem_bank *bank, const struct ext_mem_cpu *cpu,
		       const struct ext_page_format *format, u64 first,
		       struct ext_mem_page *found)
{
	struct ext_cursor end;
	u64 position;
	int count;

	if (found->commit > EXT_RING_DATA_ROOM)
		return false;

	count = ext_page_check(&end, found->page, found->commit, format, latest_time(bank));
	if (count <= 0)
		return false;

	found->count = count;
	found->seq = found->page->first_seq - first;
	found->start = found->page->time_stamp;
	found->end = end.ts;
	/* Before position n there are that many events at most. */
	position = found->seq / EXT_PAGE_MAX_EVENTS;
	return found->seq <= S64_MAX &&
	       (position <= cpu->meta.tail || position <= cpu->nr_slots);
}

/* True if a page is older than the ring's last reset, since which events begin with @first. */
static bool is_stale(const struct ext_mem_cpu *cpu, const struct ext_ring_page *page, u64 first)
{
	return page->time_stamp + MAX_BEHIND < cpu->since || page->first_seq < first;
}

static int by_seq(const void *a, const void *b)
{
	u64 seq_a = ((const struct ext_mem_page *)a)->seq;
	u64 seq_b = ((const struct ext_mem_page *)b)->seq;

	return seq_a < seq_b ? -1 : seq_a > seq_b;
}

/* True if @b, which comes after @a by its sequence number, begins before @a ends. */
static bool pages_overlap(const struct ext_mem_page *a, const struct ext_mem_page *b)
{
	return a->end > b->start || a->count > b->seq - a->seq;
}

/*
 * Leave out pages that overlap others, of @nr pages that are sorted. If two overlap, the
 * next one says which of them is wrong. Return the number that are left.
 */
static u32 drop_misplaced(struct ext_mem_page *pages, u32 nr)
{
	u32 kept = 0, i;

	for (i = 0; i < nr; i++) {
		const struct ext_mem_page *next = i + 1 < nr ? &pages[i + 1] : NULL;
		struct ext_mem_page *last = kept ? &pages[kept - 1] : NULL;

		if (!last || !pages_overlap(last, &pages[i]))
			pages[kept++] = pages[i];
		else if (next && pages_overlap(last, next) && !pages_overlap(&pages[i], next) &&
			 (kept == 1 || !pages_overlap(last - 1, &pages[i])))
			*last = pages[i];
	}

	return kept;
}

/**
 * ext_mem_find() - find the valid pages of a CPU
 * @bank:	a bank without error
 * @cpu:	the CPU, less than @bank->nr_cpus
 * @format:	the valid events
 * @found:	the pages, in the order in which they were written; it has room for
 *		@bank->share_pages - 1
 * @count:	what is found or left out is added to it
 *
 * Return: number of pages found
 */
u32 ext_mem_find(const struct ext_mem_bank *bank, u32 cpu,
		 const struct ext_page_format *format, struct ext_mem_page *found,
		 struct ext_mem_count *count)
{
	const struct ext_mem_cpu *share = ext_mem_cpu(bank, cpu);
	u32 id, nr_slots = slots_of(bank, cpu), nr = 0, kept;
	u64 first;

	if (nr_slots > bank->share_pages - EXT_MEM_SHARE_OVERHEAD) {
		count->cpus++;
		return 0;
	}

	first = nr_slots ? first_event(bank, cpu, nr_slots) : 0;
	for (id = 0; nr_slots && id <= nr_slots; id++) {
		const struct ext_ring_page *page = ext_mem_data_page(bank, cpu, id);

		found[nr].page = page;
		found[nr].commit = min(ext_page_bytes(page), U32_MAX);
		if (!found[nr].commit)
			continue;

		if (is_stale(share, page, first))
			count->stale++;
		else if (!check_page(bank, share, format, first, &found[nr]))
			count->malformed++;
		else
			nr++;
	}

	sort(found, nr, sizeof(*found), by_seq, NULL);
	kept = drop_misplaced(found, nr);
	count->misplaced += nr - kept;
	count->good += kept;
	return kept;
}

/* Copying ------------------------------------------------------------------------- */

/* Part of a record that each event has, as struct trace_entry. */
#define HEAD_SIZE	offsetof(struct ext_mem_unknown, bytes)

/* Number of bytes that are shown of an unknown record of @size bytes. */
static u32 unknown_bytes(u32 size)
{
	return min(size - HEAD_SIZE, EXT_MEM_MAX_BYTES);
}

/* Size of the record that shows them. */
static u32 unknown_size(u32 size)
{
	return (offsetof(struct ext_mem_unknown, data) + unknown_bytes(size) + 3) & ~3U;
}

static void write_unknown(struct ext_mem_unknown *to, const struct ext_mem_unknown *from,
			  u32 size, u16 type)
{
	u32 bytes = unknown_bytes(size);

	memset(to, 0, unknown_size(size));
	memcpy(to, from, HEAD_SIZE);
	to->type = type;
	to->bytes = bytes << 16 | offsetof(struct ext_mem_unknown, data);
	to->their_type = from->type;
	memcpy(to->data, &from->bytes, bytes);
}

/* Write the event of @page at @cursor, with this kernel's type. */
static void write_earlier_event(struct ext_ring *ring, const struct ext_ring_page *page,
				const struct ext_cursor *cursor, const struct ext_mem_types *types)
{
	const struct ext_mem_unknown *from = cursor->record;
	u32 size = page->data + cursor->read - (const u8 *)from;
	u16 ours = types->ours[from->type];
	u32 new_size = ours ? size : unknown_size(size);
	struct ext_ring_reservation resv;

	if (!ext_ring_reserve(ring, cursor->ts, new_size, &resv) &&
	    !ext_ring_reserve_slow(ring, cursor->ts, new_size, &resv))
		return;

	if (ours) {
		memcpy(resv.payload, from, size);
		((struct ext_mem_unknown *)resv.payload)->type = ours;
	} else {
		write_unknown(resv.payload, from, size, types->unknown);
	}
	ext_ring_commit(&resv);
}

/* Copy the events of a page as they are, to the page that a ring has just begun. */
static void copy_bytes(struct ext_ring *ring, const struct ext_mem_page *from)
{
	struct ext_ring_page *to = ring->page;

	to->time_stamp = from->start;
	memcpy(to->data, from->page->data, from->commit);
	smp_store_release(&to->commit, from->commit);
	ring->write = from->commit;
	ring->stamp = from->end;
	ring->seq += from->count;
}

/**
 * ext_mem_copy_page() - write the events of a page to a ring
 * @ring:	the ring, open; it has pages enough, see ext_mem_slots()
 * @page:	a page that ext_mem_find() has found. Events that are missing between the
 *		last one and this one count as lost
 * @types:	the types of its events, and ours
 */
void ext_mem_copy_page(struct ext_ring *ring, const struct ext_mem_page *page,
		       const struct ext_mem_types *types)
{
	struct ext_cursor cursor;

	ring->seq = page->seq;
	if (ring->tail || ring->write) {
		ext_ring_skip_page(ring, page->start);
	} else {
		/* The first page of an empty ring begins with this event. */
		ring->records[0].first_seq = page->seq;
		ring->page->first_seq = page->seq;
	}

	if (types->same) {
		copy_bytes(ring, page);
		return;
	}

	ext_cursor_init(&cursor, page->page);
	while (ext_cursor_next(&cursor, page->page, page->commit, &types->format) > 0)
		write_earlier_event(ring, page->page, &cursor, types);
}

/* Number of pages that the events of a page take: pages are full but for one event. */
static u32 pages_for(const struct ext_mem_page *page, const struct ext_mem_types *types)
{
	u32 bytes = page->commit, largest = 0;
	struct ext_cursor cursor;

	ext_cursor_init(&cursor, page->page);
	while (ext_cursor_next(&cursor, page->page, page->commit, &types->format) > 0) {
		const struct ext_mem_unknown *record = cursor.record;
		u32 size = page->page->data + cursor.read - (const u8 *)record;
		u32 new_size = types->ours[record->type] ? size : unknown_size(size);

		bytes += max(new_size, size) - size;
		largest = max(largest, new_size + EXT_RING_EXTEND_SIZE * 2);
	}

	if (bytes <= EXT_RING_DATA_ROOM)
		return 1;

	/* If an event takes more than half of a page, two pages have more than one's events. */
	return bytes / (EXT_RING_DATA_ROOM - min(largest, EXT_RING_DATA_ROOM / 2)) + 1;
}

/*
 * The number of slots that a valid ring needs for the events of pages. The events of a page take
 * a page, unless this kernel does not know some: these grow.
 */
u32 ext_mem_slots(const struct ext_mem_page *pages, u32 nr, const struct ext_mem_types *types)
{
	u32 i, slots = 0;

	for (i = 0; i < nr; i++)
		slots += types->same ? 1 : pages_for(&pages[i], types);

	return min(max(slots, EXT_RING_MIN_SLOTS), EXT_RING_MAX_SLOTS);
}
