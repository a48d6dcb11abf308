// SPDX-License-Identifier: GPL-2.0-only
/*
 * External ring buffers: a copy of a page of the ring, for readers that do not consume.
 *
 * The page stays where it is, and the writer may reuse it at any time. So it is copied first, and
 * only then checked whether it is whole and valid. The reader decides in which order it takes
 * pages, and under which lock.
 */

#include "internal.h"

/**
 * rb_ext_copy_page() - copy a page, unless it is reused meanwhile, and check its events
 * @copy:	the copy; its ring and its page are set. It has no events after a failure
 * @ext:	the buffer
 * @page:	the page
 * @pos:	its position, or an earlier one
 * @commit:	bytes of events to take, at most what the page has had; untrusted
 *
 * Return: number of events; -EAGAIN if the writer may have begun to reuse the page, or -EINVAL if
 * it is malformed
 */
int rb_ext_copy_page(struct rb_ext_copy *copy, const struct rb_ext *ext,
		     const struct ext_ring_page *page, u64 pos, u64 commit)
{
	struct ext_cursor end;
	int count;

	copy->commit = 0;
	copy->cursor.read = 0;

	/* The page may be reused during the copy; this is checked below. */
	data_race(memcpy(copy->page, page, sizeof(*copy->page)));

	/* Pairs with ring_begin_page(), which sets claimed before it changes the page. */
	smp_rmb();
	if (READ_ONCE(copy->ring->meta->claimed) - pos >= copy->ring->nr_slots)
		return -EAGAIN;

	count = ext_page_check(&end, copy->page, commit, &ext->format, rb_ext_latest(ext));
	if (count < 0)
		return count;

	ext_cursor_init(&copy->cursor, copy->page);
	copy->commit = commit;
	return count;
}

/* Get the next event of a copy, or NULL, and set @next to the position after it. */
struct ring_buffer_event *rb_ext_copy_peek(const struct rb_ext_copy *copy,
					   const struct rb_ext *ext, struct ext_cursor *next)
{
	*next = copy->cursor;
	if (ext_cursor_next(next, copy->page, copy->commit, &ext->format) <= 0)
		return NULL;

	return (struct ring_buffer_event *)next->header;
}
