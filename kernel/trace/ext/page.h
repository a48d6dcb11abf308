/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ext_page - decode a page's events
 *
 * This is plain C without state of its own, so that it can be tested and fuzzed in user
 * space. Whatever the bytes are, it makes no access outside of the page, and terminates.
 */
#ifndef _KERNEL_TRACE_EXT_PAGE_H
#define _KERNEL_TRACE_EXT_PAGE_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/ext_ring.h>

#include <asm/barrier.h>

/**
 * struct ext_page_limit - the values that are valid in a record
 * @type:	its type; 0 after the last limit
 * @offset:	offset of a number of 32 bits in the record [bytes]
 * @max:	the number's largest valid value; none is negative
 */
struct ext_page_limit {
	u16	type;
	u16	offset;
	u32	max;
};

/* Types from here on have no limits. */
#define EXT_PAGE_LIMITED_TYPES	16

/**
 * struct ext_page_format - the valid events
 * @nr_types:	length of @size
 * @size:	by event type: size of its record [bytes]; 0 if the type is not valid
 * @limits:	what records of types below EXT_PAGE_LIMITED_TYPES may have; or NULL
 * @text:	the type of records that end with a text and a 0, below EXT_PAGE_LIMITED_TYPES;
 *		or 0
 *
 * ftrace would print a record of any other type by the functions of that type's owner, and
 * would read beyond the end of a record that is too short.
 */
struct ext_page_format {
	unsigned int			nr_types;
	const u16			*size;
	const struct ext_page_limit	*limits;
	u16				text;
};

/**
 * struct ext_cursor - a position in a page
 * @read:	offset of the next event [bytes]
 * @ts:		boot clock of the last event [ns]
 * @record:	the last event's record, or NULL
 * @header:	the last event's header
 */
struct ext_cursor {
	u32		read;
	u64		ts;
	const void	*record;
	const void	*header;
};

/**
 * ext_page_commit() - get the number of bytes that can be read
 * @page:	a page that may be written right now
 *
 * The acquire pairs with ext_ring_commit(): the events up to there are complete.
 *
 * Return: bytes of data; untrusted, may be more than EXT_RING_DATA_SIZE
 */
static inline u64 ext_page_commit(const struct ext_ring_page *page)
{
	return smp_load_acquire(&page->commit);
}

/* Maximum number of events in a page: each has a header, and the type and pid of a record. */
#define EXT_PAGE_MAX_EVENTS	(EXT_RING_DATA_SIZE / 12)

/*
 * The writer's clock may be ahead of this kernel's until it is corrected, after a suspend
 * for instance. This limit [ns] only rejects nonsense.
 */
#define EXT_PAGE_MAX_AHEAD	(600ULL * 1000000000)

/* ring_buffer.c's flags in a page's commit that tell binary readers of lost events. */
#define MISSED_EVENTS	BIT(31)
#define MISSED_STORED	BIT(30)

/*
 * The number of bytes of events in any page of a ring; untrusted, may be more than
 * EXT_RING_DATA_SIZE. The reader page of a mapped ring may have flags there.
 */
static inline u64 ext_page_bytes(const struct ext_ring_page *page)
{
	return ext_page_commit(page) & ~(u64)(MISSED_EVENTS | MISSED_STORED);
}

/* Go to the start of a page. */
static inline void ext_cursor_init(struct ext_cursor *cursor, const struct ext_ring_page *page)
{
	*cursor = (struct ext_cursor) { .ts = READ_ONCE(page->time_stamp) };
}

int ext_cursor_next(struct ext_cursor *cursor, const struct ext_ring_page *page,
		    u32 commit, const struct ext_page_format *format);
int ext_cursor_skip(struct ext_cursor *cursor, const struct ext_ring_page *page,
		    u64 commit, const struct ext_page_format *format);
int ext_page_check(struct ext_cursor *end, const struct ext_ring_page *page, u64 commit,
		   const struct ext_page_format *format, u64 latest);

#endif /* _KERNEL_TRACE_EXT_PAGE_H */
