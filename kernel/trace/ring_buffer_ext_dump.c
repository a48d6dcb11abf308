// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: dumps in a crash.
 *
 * A dump shows the newest events, read and unread, when nothing can be relied on any more:
 * the writer may be dead, and who holds a lock may never release it. So it calls nobody,
 * takes no lock and allocates nothing. It does not use the reader's record of the slots
 * either: a reader may have been stopped before it was updated. Instead it takes all pages
 * of a ring, and orders them by the sequence numbers of their first events.
 *
 * A dump ends where the writer was when it began. It changes nothing for readers.
 */

#include <linux/smp.h>

#include "ring_buffer_ext_internal.h"

/*
 * Number of page ids that can have events of this life of the ring: until the writer has
 * come around, position n is on page n. What later pages have is older than the ring's last
 * reset. Afterwards all pages have been written, or are empty (see rb_ext_rewind()).
 */
static u32 pages_used(const struct trace_ext_ring *ring)
{
	return min(rb_ext_tail(ring), ring->nr_slots) + 1;
}

/* Where to look for a page: the one with the largest or smallest number in a range. */
struct search {
	u64	from;
	u64	to;
	bool	largest;
};

/* Find the page that has events, and whose @seq is wanted; return NULL if there is none. */
static const struct ext_ring_page *find_page(const struct trace_ext_ring *ring,
					     struct search want, u64 *seq)
{
	const struct ext_ring_page *found = NULL;
	u32 id, used = pages_used(ring);

	for (id = 0; id < used; id++) {
		const struct ext_ring_page *page = ring->pages[id];
		u64 first_seq = READ_ONCE(page->first_seq);

		if (first_seq < want.from || first_seq > want.to ||
		    !rb_ext_page_commit(page))
			continue;
		if (found && (want.largest ? first_seq < *seq : first_seq > *seq))
			continue;

		found = page;
		*seq = first_seq;
	}

	return found;
}

/* Number of pages that were begun after the one whose first event is @seq. */
static u32 pages_after(const struct trace_ext_ring *ring, u64 seq)
{
	u32 id, used = pages_used(ring), count = 0;

	for (id = 0; id < used; id++)
		count += READ_ONCE(ring->pages[id]->first_seq) > seq;

	return count;
}

/*
 * True if the writer may have begun to reuse a page while it was copied. @tail is its
 * position before the copy. The page's own position is @tail - pages_after() or later, and
 * the page is reused when the position nr_slots after that is claimed.
 */
static bool maybe_reused(const struct trace_ext_ring *ring, u64 seq, u64 tail)
{
	u64 claimed;

	/* Pairs with ring_begin_page(), which sets claimed before it changes the page. */
	smp_rmb();
	claimed = READ_ONCE(ring->meta->claimed);
	return claimed != tail &&
	       claimed - tail + pages_after(ring, seq) >= ring->nr_slots;
}

/* Copy and check the page whose first event is @seq. Return the number of its events. */
static u32 take_page(struct rb_ext_cpu *c, const struct ext_ring_page *page, u64 seq)
{
	const struct trace_ext_ring *ring = c->dump.ring;
	struct rb_ext_dump *d = &c->dump;
	u64 tail = rb_ext_tail(ring), commit = rb_ext_page_commit(page);
	struct ext_cursor check;
	int count;

	d->commit = 0;
	d->cursor.read = 0;
	if (!d->pages)
		return 0;
	d->pages--;

	/* The page may be reused during the copy; this is checked below. */
	data_race(memcpy(d->copy, page, sizeof(*d->copy)));
	if (maybe_reused(ring, seq, tail) || d->copy->first_seq != seq)
		return 0;

	if (seq == d->last_page)
		commit = min(commit, d->last_commit);
	ext_cursor_init(&d->cursor, d->copy);
	check = d->cursor;
	count = ext_cursor_skip(&check, d->copy, commit, &c->ext->format);
	if (count < 0 || check.ts > rb_ext_latest()) {
		pr_warn("%s: CPU%d: a malformed page is left out of the dump\n",
			c->ext->name, c->cpu);
		return 0;
	}

	d->commit = commit;
	return count;
}

/* If the page has no more events, go to the next one; false if there is none. */
static bool fill(struct rb_ext_cpu *c)
{
	struct rb_ext_dump *d = &c->dump;
	const struct ext_ring_page *page;
	u64 seq;

	while (d->cursor.read == d->commit) {
		if (!d->pages)
			return false;

		page = find_page(d->ring, (struct search) { d->next_page, d->last_page, false }, &seq);
		if (!page)
			return false;

		d->next_page = seq + 1;
		if (!take_page(c, page, seq))
			continue;
		if (seq > d->seq)
			d->lost += seq - d->seq;
		d->seq = seq;
	}

	return true;
}

/* Get the next event; set @next to the position after it. */
static struct ring_buffer_event *peek(struct rb_ext_cpu *c, struct ext_cursor *next)
{
	if (!fill(c))
		return NULL;

	*next = c->dump.cursor;
	if (ext_cursor_next(next, c->dump.copy, c->dump.commit, &c->ext->format) <= 0)
		return NULL;

	return (struct ring_buffer_event *)next->header;
}

struct ring_buffer_event *rb_ext_dump_peek(struct rb_ext_cpu *c, u64 *ts,
					   unsigned long *lost)
{
	struct ring_buffer_event *event;
	struct ext_cursor next;

	event = peek(c, &next);
	if (event && ts)
		*ts = next.ts;
	if (lost)
		*lost = event ? c->dump.lost : 0;

	return event;
}

struct ring_buffer_event *rb_ext_dump_consume(struct rb_ext_cpu *c, u64 *ts,
					      unsigned long *lost)
{
	struct ring_buffer_event *event = rb_ext_dump_peek(c, ts, lost);
	struct rb_ext_dump *d = &c->dump;

	if (!event)
		return NULL;

	peek(c, &d->cursor);
	d->lost = 0;
	d->done = ++d->seq;
	return event;
}

/*
 * Go to the beginning of the page from which on there are @want events that have not been
 * dumped; or of the oldest page. Return the number of events from there on.
 */
static u64 go_back(struct rb_ext_cpu *c, u64 want)
{
	struct rb_ext_dump *d = &c->dump;
	const struct ext_ring_page *page;
	u64 seq, count = 0;

	page = find_page(d->ring, (struct search) { 0, U64_MAX, true }, &seq);
	if (!page)
		return 0;

	d->last_page = seq;
	d->last_commit = rb_ext_page_commit(page);
	do {
		count += take_page(c, page, seq);
		if (seq == d->last_page)
			d->end = seq + count;
		d->next_page = seq;
		if (count >= want || seq <= d->done)
			break;
		page = find_page(d->ring, (struct search) { 0, seq - 1, true }, &seq);
	} while (page && d->pages);

	/* The first page is taken again when it is read. */
	d->seq = d->next_page;
	d->commit = 0;
	d->cursor.read = 0;
	return count;
}

/* Begin the dump of a CPU with @want events or more. Return their number. */
static u64 begin_cpu(struct rb_ext_cpu *c, u64 want)
{
	struct rb_ext_dump *d = &c->dump;
	u64 count, done = d->done;

	d->ring = want ? READ_ONCE(c->ring) : NULL;
	d->seq = 0;
	d->end = 0;
	d->lost = 0;
	d->commit = 0;
	d->cursor = (struct ext_cursor) { };
	d->pages = 0;
	if (!d->ring)
		return 0;

	/* The writer can't make a dump endless: each page is looked at twice at most. */
	d->pages = 2 * (d->ring->nr_slots + 1);
	count = go_back(c, want);
	while (d->seq < done && rb_ext_dump_consume(c, NULL, NULL))
		count--;

	return count;
}

/* The CPU with the oldest event that is to be dumped, or NULL. */
static struct rb_ext_cpu *oldest(struct rb_ext *ext)
{
	struct rb_ext_cpu *c, *found = NULL;
	u64 ts, found_ts = U64_MAX;
	int cpu;

	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(ext->cpus, cpu);
		if (rb_ext_dump_peek(c, &ts, NULL) && ts <= found_ts) {
			found = c;
			found_ts = ts;
		}
	}

	return found;
}

/**
 * rb_ext_dump_begin() - read this buffer as a dump until rb_ext_dump_end()
 * @ext:	the buffer, or NULL
 * @this_cpu:	dump only this CPU's events
 *
 * From here on, rb_ext_peek(), rb_ext_consume() and rb_ext_empty() show, on this CPU, the
 * newest events that no dump has shown yet.
 *
 * Context: any, with interrupts off; one dump at a time.
 */
void rb_ext_dump_begin(struct rb_ext *ext, bool this_cpu)
{
	u64 want, count = 0;
	struct rb_ext_cpu *c;
	int cpu;

	if (!ext)
		return;

	/* Pairs with ring_retire(): who takes a ring away does not free it from now on. */
	WRITE_ONCE(ext->dumper, raw_smp_processor_id());
	smp_mb();

	want = ext->writer->dump_events;
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(ext->cpus, cpu);
		count += begin_cpu(c, this_cpu && cpu != ext->dumper ? 0 : want);
	}

	for (; count > want; count--) {
		c = oldest(ext);
		if (!c)
			break;
		rb_ext_dump_consume(c, NULL, NULL);
	}
}

/**
 * rb_ext_dump_end() - end a dump, and report events that the writer has overtaken at its end
 * @ext:	the buffer, or NULL
 */
void rb_ext_dump_end(struct rb_ext *ext)
{
	int cpu;

	if (!ext)
		return;

	for_each_possible_cpu(cpu) {
		struct rb_ext_dump *d = &per_cpu_ptr(ext->cpus, cpu)->dump;

		if (d->seq < d->end)
			pr_warn("%s: CPU%d: lost %llu more events, which were overwritten during the dump\n",
				ext->name, cpu, d->end - d->seq);
	}

	WRITE_ONCE(ext->dumper, RB_EXT_NO_DUMP);
}
