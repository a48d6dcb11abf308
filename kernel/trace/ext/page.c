// SPDX-License-Identifier: GPL-2.0-only
/*
 * ext_page - decode a page's events, see page.h
 *
 * The encoding is that of struct ring_buffer_event (ring_buffer.h). Only data events and
 * time extends are valid; the writer uses no others.
 */

#include <linux/errno.h>
#include <linux/types.h>

#include "page.h"

/* Get the sizes of a data event's header and payload, both in bytes. */
static int data_event(const u32 *head, u32 type_len, u32 room, u32 *header, u32 *payload)
{
	if (type_len) {
		*header = 4;
		*payload = type_len * 4;
	} else {
		if (room < 8)
			return -EINVAL;

		/* The length includes its own word. */
		*header = 8;
		*payload = READ_ONCE(head[1]) - 4;
		if (*payload > EXT_RING_DATA_SIZE || *payload % 4)
			return -EINVAL;
	}

	return *header + *payload <= room ? 0 : -EINVAL;
}

/* The start of a record, laid out as struct trace_entry (trace_events.h). */
struct record_head {
	u16	type;
	u8	flags;
	u8	preempt_count;
	s32	pid;
};

/* True if a record has nothing that ftrace can't print. */
static bool values_ok(const void *record, u32 size, u16 type, const struct ext_page_format *format)
{
	const struct ext_page_limit *limit = format->limits;

	if (type == format->text)
		return !READ_ONCE(((const char *)record)[size - 1]);

	for (; limit && limit->type; limit++)
		if (limit->type == type &&
		    READ_ONCE(*(const u32 *)(record + limit->offset)) > limit->max)
			return false;

	return true;
}

/*
 * True if a record has a known type, at least that type's size, and a pid that is not
 * negative. The lookup of a task's name relies on a valid pid.
 */
static bool record_ok(const struct record_head *record, u32 size,
		      const struct ext_page_format *format)
{
	u16 type;

	if (size < sizeof(*record))
		return false;

	type = READ_ONCE(record->type);
	return type < format->nr_types && format->size[type] &&
	       size >= format->size[type] && READ_ONCE(record->pid) >= 0 &&
	       (type >= EXT_PAGE_LIMITED_TYPES || values_ok(record, size, type, format));
}

/**
 * ext_cursor_next() - go to the next event
 * @cursor:	current position; on success @cursor->record is the event's record
 * @page:	the page; if it is being written, the result is good for counting only
 * @commit:	bytes of data, at most EXT_RING_DATA_SIZE
 * @format:	the valid events
 *
 * Return: 1 if there is an event, 0 at the end, -EINVAL if the data is malformed
 */
int ext_cursor_next(struct ext_cursor *cursor, const struct ext_ring_page *page,
		    u32 commit, const struct ext_page_format *format)
{
	bool extended = false;

	while (cursor->read < commit) {
		const u32 *head = (const u32 *)(page->data + cursor->read);
		u32 room = commit - cursor->read;
		u32 word, type_len, header, payload;
		u64 delta;

		if (room < 4)
			return -EINVAL;

		word = READ_ONCE(head[0]);
		type_len = word & ((1U << EXT_RING_TYPE_BITS) - 1);
		delta = word >> EXT_RING_TYPE_BITS;

		if (type_len == EXT_RING_TYPE_EXTEND) {
			if (room < EXT_RING_EXTEND_SIZE)
				return -EINVAL;

			delta |= (u64)READ_ONCE(head[1]) << EXT_RING_DELTA_BITS;
			header = EXT_RING_EXTEND_SIZE;
			payload = 0;
			extended = true;
		} else if (type_len > EXT_RING_TYPE_MAX_LEN ||
			   data_event(head, type_len, room, &header, &payload) ||
			   !record_ok((const void *)head + header, payload, format)) {
			return -EINVAL;
		}

		if (cursor->ts + delta < cursor->ts)
			return -EINVAL;

		cursor->ts += delta;
		cursor->read += header + payload;
		if (payload) {
			cursor->record = (const u8 *)head + header;
			cursor->header = head;
			return 1;
		}
	}

	/* A time extend is committed together with its event, so it is never last. */
	return extended ? -EINVAL : 0;
}

/*
 * Skip the following events that are valid and of the same type and length as the last
 * one, which most are. This is faster than ext_cursor_next(). Return their number.
 *
 * @cursor->ts is checked once, so that no delta in the page can make it overflow.
 */
static int skip_alike(struct ext_cursor *cursor, const struct ext_ring_page *page, u32 commit)
{
	const u32 len_mask = (1U << EXT_RING_TYPE_BITS) - 1;
	const u32 type_len = READ_ONCE(*(const u32 *)cursor->header) & len_mask;
	const u16 type = READ_ONCE(((const struct record_head *)cursor->record)->type);
	const u32 size = 4 + type_len * 4;
	const u8 *at = page->data + cursor->read, *start = at;
	const u8 *last = page->data + commit - size;
	/* More than the sum of the largest deltas that fit into a page. */
	const u64 reach = (u64)EXT_RING_DATA_SIZE << EXT_RING_DELTA_BITS;
	u64 ts = cursor->ts;

	/*
	 * Skip none if the size is in a second word, or has changed since it was read, or if
	 * values are limited.
	 */
	if (size <= sizeof(struct record_head) || type_len > EXT_RING_TYPE_MAX_LEN ||
	    type < EXT_PAGE_LIMITED_TYPES ||
	    (const u8 *)cursor->header + size != at || ts > U64_MAX - reach)
		return 0;

	for (; at <= last; at += size) {
		u32 word = READ_ONCE(*(const u32 *)at);
		const struct record_head *record = (const void *)(at + 4);

		if ((word ^ type_len) & len_mask ||
		    READ_ONCE(record->type) != type || READ_ONCE(record->pid) < 0)
			break;

		ts += word >> EXT_RING_TYPE_BITS;
	}

	cursor->read += at - start;
	cursor->ts = ts;
	return (at - start) / size;
}

/**
 * ext_cursor_skip() - check events of a page, and skip them
 * @cursor:	where to begin; on success, moved to @commit
 * @page:	the page
 * @commit:	where to end [bytes of data]
 * @format:	the valid events
 *
 * Return: number of events skipped, or -EINVAL if any is malformed
 */
int ext_cursor_skip(struct ext_cursor *cursor, const struct ext_ring_page *page,
		    u64 commit, const struct ext_page_format *format)
{
	struct ext_cursor next = *cursor;
	int count = 0, ret;

	if (commit > EXT_RING_DATA_SIZE)
		return -EINVAL;

	while ((ret = ext_cursor_next(&next, page, commit, format)) > 0)
		count += 1 + skip_alike(&next, page, commit);
	if (ret)
		return ret;

	*cursor = next;
	return count;
}

/*
 * Check all events of a page, none of which is later than @latest, and set @end to the position
 * after the last one. Return their number, or -EINVAL if any is malformed.
 */
int ext_page_check(struct ext_cursor *end, const struct ext_ring_page *page, u64 commit,
		   const struct ext_page_format *format, u64 latest)
{
	int count;

	ext_cursor_init(end, page);
	count = ext_cursor_skip(end, page, commit, format);
	return end->ts > latest ? -EINVAL : count;
}
