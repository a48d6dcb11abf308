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

#include <linux/nmi.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "internal.h"

/* A ring with that many malformed pages is not worth a longer look. */
#define MOST_BAD_PAGES	16

/*
 * Find the page that has events since the ring's last reset, with the largest or smallest @seq of
 * those in a range; return NULL if there is none.
 */
static const struct ext_ring_page *find_page(const struct trace_ext_ring *ring, u64 from, u64 to,
					     bool largest, u64 *seq)
{
	const struct ext_ring_page *found = NULL;
	u32 id;

	from = max(from, READ_ONCE(ring->meta->first_seq));
	for (id = 0; id < ring->nr_pages; id++) {
		const struct ext_ring_page *page = ring->pages[id];
		u64 first_seq = READ_ONCE(page->first_seq);

		if (first_seq < from || first_seq > to || !ext_page_bytes(page))
			continue;
		if (found && (largest ? first_seq < *seq : first_seq > *seq))
			continue;

		found = page;
		*seq = first_seq;
	}

	return found;
}

/* Number of pages that were begun after the one whose first event is @seq. */
static u32 pages_after(const struct trace_ext_ring *ring, u64 seq)
{
	u32 id, count = 0;

	for (id = 0; id < ring->nr_pages; id++)
		count += READ_ONCE(ring->pages[id]->first_seq) > seq;

	return count;
}

/*
 * The position of the page whose first event is @seq, or an earlier one. A page that was begun
 * before all that are in slots is a spare, which is not reused: it gets the oldest position that
 * is not reused yet.
 */
static u64 earliest_pos(const struct trace_ext_ring *ring, u64 seq)
{
	u64 tail = rb_ext_tail(ring);

	return tail - min(pages_after(ring, seq), ring->nr_slots - 1);
}

/*
 * Copy and check the page whose first event is @seq. Return the number of its events; 0 if
 * it has been reused, or is malformed.
 */
static u32 take_page(struct rb_ext_cpu *c, const struct ext_ring_page *page, u64 seq)
{
	struct rb_ext_dump *d = &c->dump;
	u64 commit = ext_page_bytes(page);
	int count;

	touch_nmi_watchdog();
	d->pages--;
	if (seq == d->last_page)
		commit = min(commit, d->last_commit);

	count = rb_ext_copy_page(&d->copy, c->ext, page, earliest_pos(d->copy.ring, seq), commit);
	if (d->copy.page->first_seq != seq)
		d->copy.commit = 0;
	else if (count == -EINVAL && ++d->bad == MOST_BAD_PAGES)
		d->pages = 0;

	return d->copy.commit ? count : 0;
}

/* If the page has no more events, go to the next one; false if there is none. */
static bool dump_fill(struct rb_ext_cpu *c)
{
	struct rb_ext_dump *d = &c->dump;
	const struct ext_ring_page *page;
	u64 seq, known;

	while (rb_ext_copy_is_read(&d->copy)) {
		if (!d->pages)
			return false;

		page = find_page(d->copy.ring, d->next_page, d->last_page, false, &seq);
		if (!page)
			return false;

		d->next_page = seq + 1;
		if (!take_page(c, page, seq))
			continue;
		known = max(d->seq, d->done);
		if (seq > known)
			d->lost += seq - known;
		d->seq = seq;
	}

	return true;
}

/* Get the next event; set @next to the position after it. */
static struct ring_buffer_event *dump_peek(struct rb_ext_cpu *c, struct ext_cursor *next)
{
	return dump_fill(c) ? rb_ext_copy_peek(&c->dump.copy, c->ext, next) : NULL;
}

/* Go to the next event. */
static void dump_advance(struct rb_ext_cpu *c)
{
	struct rb_ext_dump *d = &c->dump;

	if (!dump_peek(c, &d->copy.cursor))
		return;

	d->lost = 0;
	d->seq++;
	d->done = max(d->done, d->seq);
}

/* As rb_ext_peek() and rb_ext_consume(). */
struct ring_buffer_event *rb_ext_dump_read(struct rb_ext_cpu *c, u64 *ts, unsigned long *lost,
					   bool consume)
{
	struct ring_buffer_event *event = NULL;
	struct ext_cursor next;

	if (c->ext->dump_left)
		event = dump_peek(c, &next);
	if (event && ts)
		*ts = next.ts;
	if (lost)
		*lost = event ? c->dump.lost : 0;
	if (event && consume) {
		dump_advance(c);
		c->ext->dump_left--;
	}

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

	/* No page begins with event U64_MAX, so that next_page can't overflow. */
	page = find_page(d->copy.ring, 0, U64_MAX - 1, true, &seq);
	if (!page)
		return 0;

	d->last_page = seq;
	d->last_commit = ext_page_bytes(page);
	do {
		count += take_page(c, page, seq);
		if (seq == d->last_page)
			d->end = seq + count;
		d->next_page = seq;
		if (count >= want || seq <= d->done)
			break;
		page = find_page(d->copy.ring, 0, seq - 1, true, &seq);
	} while (page && d->pages);

	/*
	 * Events are lost if they are missing since the last dump; but not if they are left
	 * out because there are more than are wanted.
	 */
	d->seq = count >= want || !d->done ? d->next_page : 0;
	return count;
}

/* Begin the dump of a CPU with @want events or more. Return their number. */
static u64 begin_cpu(struct rb_ext_cpu *c, u64 want)
{
	u64 done = c->dump.done_generation == c->generation ? c->dump.done : 0, count;
	struct rb_ext_dump *d = &c->dump;

	*d = (struct rb_ext_dump) {
		.copy.ring = want ? READ_ONCE(c->ring) : NULL,
		.copy.page = READ_ONCE(c->dump_copy),
		.done = done,
		.done_generation = c->generation,
	};
	/* The ring may be loaded right now. */
	if (!d->copy.ring || !d->copy.page)
		return 0;

	/* The writer can't make a dump endless: it looks at each page twice at most. */
	d->pages = d->copy.ring->nr_pages;
	count = go_back(c, want);

	/* The first page is taken again. */
	d->pages = d->copy.ring->nr_pages;
	d->bad = 0;
	d->copy.commit = 0;
	while (dump_fill(c) && d->seq < done) {
		dump_advance(c);
		count--;
	}

	return count;
}

/* The CPU with the oldest event that is to be dumped, or NULL. */
static struct rb_ext_cpu *dump_oldest(struct rb_ext *ext)
{
	struct rb_ext_cpu *c, *found = NULL;
	u64 oldest_ts = U64_MAX;
	struct ext_cursor next;
	int cpu;

	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(ext->cpus, cpu);
		if (dump_peek(c, &next) && next.ts <= oldest_ts) {
			found = c;
			oldest_ts = next.ts;
		}
	}

	return found;
}

/**
 * rb_ext_dump_begin() - read this buffer as a dump until rb_ext_dump_end()
 * @ext:	the buffer, or NULL
 * @this_cpu:	dump only this CPU's events
 *
 * From here on, rb_ext_peek(), rb_ext_consume() and rb_ext_empty() show the current task the
 * newest events that no dump has shown yet.
 *
 * Context: any, with interrupts off until the end; one dump at a time.
 */
void rb_ext_dump_begin(struct rb_ext *ext, bool this_cpu)
{
	u64 want, count = 0;
	struct rb_ext_cpu *c;
	int cpu;

	if (!ext)
		return;

	/* Pairs with ring_retire(): who takes a ring away does not free it from now on. */
	WRITE_ONCE(ext->dumper, current);
	smp_mb();

	want = ext->writer->dump_events;
	ext->dump_left = want;
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(ext->cpus, cpu);
		count += begin_cpu(c, this_cpu && cpu != raw_smp_processor_id() ? 0 : want);
	}

	while (count-- > want && (c = dump_oldest(ext)))
		dump_advance(c);
}

/* Report what could not be dumped. */
static void dump_report(const struct rb_ext_cpu *c)
{
	const struct rb_ext_dump *d = &c->dump;

	if (d->bad)
		pr_warn("%s: CPU%d: %u malformed pages are left out of the dump%s\n",
			c->ext->name, c->cpu, d->bad,
			d->bad == MOST_BAD_PAGES ? ", which ends there" : "");
	else if (c->ext->dump_left && d->seq < d->end)
		pr_warn("%s: CPU%d: lost %llu more events, which were overwritten during the dump\n",
			c->ext->name, c->cpu, d->end - d->seq);
}

/**
 * rb_ext_dump_end() - end a dump, and report what could not be dumped
 * @ext:	the buffer, or NULL
 */
void rb_ext_dump_end(struct rb_ext *ext)
{
	int cpu;

	if (!ext)
		return;

	for_each_possible_cpu(cpu)
		dump_report(per_cpu_ptr(ext->cpus, cpu));

	WRITE_ONCE(ext->dumper, NULL);
}
