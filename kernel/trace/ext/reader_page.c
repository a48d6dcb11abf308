// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: the reader page.
 *
 * Shared pages are untrusted. The reader copies the committed data, checks the copy, and
 * serves events from it. It also checks what a swap returns. It skips the rest of a
 * malformed page, and reports that once; not before the locks are released that a caller may
 * hold, such as the scheduler's. The skipped events count as lost. The count is exact,
 * because the next swap returns the sequence number of its page's first event.
 *
 * A reader that decodes pages itself may take a page that the writer has left as a whole. Then
 * nobody here looks at its events, and their number is the writer's.
 */

#include <linux/printk.h>

#include "internal.h"

/* Skip the rest of the reader page: pretend that it ends after the last event consumed. */
static void skip_page(struct rb_ext_cpu *c, const char *why)
{
	c->bad = true;
	c->whole = 0;
	c->peeked.read = 0;
	c->commit = c->done.read;
	c->end = c->done;
	c->unread = 0;

	if (c->warned)
		return;

	printk_deferred_enter();
	pr_warn("%s: CPU%d: corrupt page (%s), its events are skipped and count as overrun in per_cpu/cpu%d/stats\n",
		c->ext->name, c->cpu, why, c->cpu);
	printk_deferred_exit();
	c->warned = true;
}

/**
 * rb_ext_take_commit() - copy and check what the writer has added to the reader page
 * @c:		the CPU, locked
 * @commit:	bytes of events in the page, untrusted
 */
void rb_ext_take_commit(struct rb_ext_cpu *c, u64 commit)
{
	struct ext_cursor start = c->end, end;
	int count;

	lockdep_assert_held(&c->lock);

	if (commit < c->commit || commit > EXT_RING_DATA_SIZE) {
		skip_page(c, "commit out of range");
		return;
	}

	if (!c->commit) {
		c->copy->time_stamp = READ_ONCE(c->page->time_stamp);
		ext_cursor_init(&start, c->copy);
		if (start.ts < c->end.ts) {
			skip_page(c, "time goes backwards");
			return;
		}
	}

	memcpy(c->copy->data + c->commit, c->page->data + c->commit, commit - c->commit);
	end = start;
	count = ext_cursor_skip(&end, c->copy, commit, &c->ext->format);
	if (count < 0 || (c->whole && count > c->whole_events)) {
		skip_page(c, "malformed event");
		return;
	}

	/* Otherwise later, valid time stamps would be rejected as going backwards. */
	if (end.ts > rb_ext_latest(c->ext)) {
		skip_page(c, "time in the future");
		return;
	}

	if (!c->commit)
		c->done = start;
	c->whole = 0;
	c->end = end;
	c->commit = commit;
	c->unread += count;
}

/*
 * Is what the writer says of a swap possible? The reader can only go on from a page that is not
 * before its position, and that it has recorded under this id.
 */
static bool swap_ok(const struct rb_ext_cpu *c, const struct ext_ring_swap *swap, u32 id)
{
	return swap->pos >= c->next_pos && swap->id == id;
}

/* Bytes of events in a page that the writer has left; 0 if that is not possible. */
static u32 whole_bytes(const struct ext_ring_page *page)
{
	u64 commit = ext_page_commit(page);

	return commit % 4 || commit > EXT_RING_DATA_SIZE ? 0 : commit;
}

/* Take the numbers of events that a swap has returned. */
static void take_counts(struct rb_ext_cpu *c, const struct ext_ring_swap *swap)
{
	u64 lost = swap->first_seq - c->seq;

	/* More events than were written have been read before: they count for this page's. */
	if (swap->first_seq < c->seq || swap->events > EXT_PAGE_MAX_EVENTS) {
		skip_page(c, "impossible number of events");
		return;
	}

	c->whole = swap->events ? whole_bytes(c->page) : 0;
	c->whole_events = swap->events;
	c->seq = swap->first_seq;
	c->lost += lost;
	c->overrun += lost;
}

/**
 * rb_ext_swap_page() - swap the reader page for the oldest unread page
 * @c:		the CPU, locked, with a ring
 *
 * Return: false if there is no unread page
 */
bool rb_ext_swap_page(struct rb_ext_cpu *c)
{
	u32 *slot, spare = c->slot_id[c->give];
	struct ext_ring_swap swap;

	lockdep_assert_held(&c->lock);

	if (c->ext->ops->swap_page(c->ext->writer, c->cpu, spare, &swap))
		return false;

	slot = &c->slot_id[swap.pos % c->ring->nr_slots];
	if (!swap_ok(c, &swap, *slot)) {
		printk_deferred_enter();
		pr_err_once("%s: CPU%d: impossible reader page %u for position %llu, expected position %llu or later; change the size of the buffer to read on\n",
			    c->ext->name, c->cpu, swap.id, swap.pos, c->next_pos);
		printk_deferred_exit();
		return false;
	}

	*slot = spare;
	c->slot_id[c->give] = swap.id;
	c->reader = c->give;
	c->page = c->ring->pages[swap.id];
	c->next_pos = swap.pos + 1;
	c->whole = 0;
	c->commit = 0;
	c->unread = 0;
	c->done.read = 0;
	c->bad = false;
	c->flagged = false;
	take_counts(c, &swap);
	return true;
}

/**
 * rb_ext_rewind() - reset the reader's state, for an empty ring
 * @c:		the CPU, locked; if it has a ring, with its @slot_id and @give
 * @seq:	sequence number of the ring's next event
 */
void rb_ext_rewind(struct rb_ext_cpu *c, u64 seq)
{
	lockdep_assert_held(&c->lock);

	c->generation++;
	WRITE_ONCE(c->alarm, RB_EXT_NO_ALARM);
	c->rung = 0;
	c->page = NULL;
	c->next_pos = 0;
	c->whole = 0;
	c->peeked.read = 0;
	c->commit = 0;
	c->unread = 0;
	c->tail = (struct rb_ext_tail_count) { };
	c->seq = seq;
	c->bad = false;
	c->flagged = false;
	c->warned = false;
	c->done = (struct ext_cursor) { };
	c->end = c->done;
	if (!c->ring)
		return;

	/* Whoever has the reader page keeps it. User space that has a mapping sees an empty one. */
	c->reader = c->give;
	WRITE_ONCE(c->ring->pages[rb_ext_reader_id(c)]->commit, 0);
}

/*
 * Fill in the page ids of a new ring's slots, and behind them those of its spares. No reader may
 * use them: this takes long, and is done without the readers' lock.
 */
void rb_ext_slots_init(u32 *slot_id, u32 nr_pages)
{
	u32 i;

	for (i = 0; i < nr_pages; i++)
		slot_id[i] = i;
}
