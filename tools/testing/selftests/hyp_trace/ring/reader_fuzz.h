/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an input of reader_fuzz is, for those that make some: reader_seeds.c.
 */
#ifndef READER_FUZZ_H
#define READER_FUZZ_H

#include <linux/ext_ring.h>

#include "kernel.h"

#define SCRIPT		256
#define SLOTS		3
#define FIRST_TYPE	20		/* below are ftrace's own */
#define NR_TYPES	2048
#define MIN_SIZE	12		/* a struct trace_entry, and something */

/* What a byte of the script has done, modulo NR_OPS. */
enum fuzz_op {
	CONSUME, PEEK, READ_PAGE, ITERATE, COUNT, EMPTY, CONSUME_MAPPED, CHANGE_MEMORY,
	NR_OPS
};

/* And where EL2 is asked for a page, what it answers; modulo NR_ANSWERS. */
enum fuzz_answer {
	NO_PAGE, ANY_PAGE, RIGHT_PAGE, RIGHT_PAGE_TOO,
	NR_ANSWERS
};

/* An input: what is missing at its end is zero. */
struct fuzz_input {
	u8			script[SCRIPT];
	struct ext_ring_meta	meta;
	struct ext_ring_page	pages[SLOTS + 1];
};

extern const struct ext_page_format fuzz_format;

/* Events that the reader has given. */
extern unsigned long accepted;

void fuzz_run(const struct fuzz_input *input, size_t script_size);
int make_seeds(const char *directory, char **paths);

#endif /* READER_FUZZ_H */
