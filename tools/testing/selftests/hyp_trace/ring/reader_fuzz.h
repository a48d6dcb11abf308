/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The input of reader_fuzz, which reader_seeds.c also makes.
 */
#ifndef READER_FUZZ_H
#define READER_FUZZ_H

#include <linux/ext_ring.h>

#include "kernel.h"

#define SCRIPT		256
#define SLOTS		3
#define NR_PAGES	(SLOTS + 2)	/* two spares */
#define FIRST_TYPE	20		/* lower ones are ftrace's own */
#define NR_TYPES	2048
#define MIN_SIZE	12		/* a struct trace_entry and 4 bytes */

/* Operations in a script: a byte, modulo NR_OPS. */
enum fuzz_op {
	CONSUME, PEEK, READ_PAGE, ITERATE, COUNT, EMPTY, CONSUME_MAPPED, CHANGE_MEMORY,
	DUMP,
	NR_OPS
};

/* Answers of EL2 to a swap: a byte, modulo NR_ANSWERS. */
enum fuzz_answer {
	NO_PAGE, ANY_PAGE, RIGHT_PAGE, WHOLE_PAGE,
	NR_ANSWERS
};

/* An input; if it is shorter, the rest is zero. */
struct fuzz_input {
	u8			script[SCRIPT];
	struct ext_ring_meta	meta;
	struct ext_ring_page	pages[NR_PAGES];
};

extern const struct ext_page_format fuzz_format;

/* The number of events that the reader has accepted. */
extern unsigned long accepted;

void fuzz_run(const struct fuzz_input *input, size_t script_size);
int make_seeds(const char *directory, char **paths);

#endif /* READER_FUZZ_H */
