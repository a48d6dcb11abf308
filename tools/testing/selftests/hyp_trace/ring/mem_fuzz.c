// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hostile banks, made by libFuzzer: kernel/trace/ext/earlier.c, unchanged, gets a bank that is
 * made from the input, and copies what it finds to rings.
 *
 * The input's first byte says which parts of the header are made valid; the bank follows. If
 * the input is shorter, the rest is a bank that the ring's writer has filled. The
 * sanitizers find accesses out of bounds; this program checks that all events of the pages
 * that are found get to the ring, with types that this kernel has.
 */

#include <stdio.h>

#include "mem_fixture.h"

enum valid { MAGIC = 1, LAYOUT = 2, SHARES = 4 };

static unsigned long shown, inputs, inputs_shown;

static void show(const struct ext_cursor *cursor, u64 seq)
{
	shown++;
}

static void make_valid(struct ext_mem_bank *bank, const struct ext_mem_bank *good, u8 what)
{
	const struct ext_mem_cpu *share;
	u32 cpu;

	if (what & MAGIC)
		memcpy(bank, good, offsetof(struct ext_mem_bank, boot));
	if (what & LAYOUT)
		memcpy(&bank->boot, &good->boot,
		       sizeof(*good) - offsetof(struct ext_mem_bank, boot));
	for (cpu = 0; cpu < CPUS && what & SHARES; cpu++) {
		share = ext_mem_cpu(good, cpu);
		memcpy((u8 *)bank + ((u8 *)share - (u8 *)good), share, sizeof(*share));
	}
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
	static struct ext_mem_bank *good;
	struct ext_mem_bank *bank = malloc(BANK_SIZE);
	struct ext_mem_count count = { };
	unsigned long before = shown;
	u32 cpu;

	if (!good)
		good = bank_new(2000, 3);
	memcpy(bank, good, BANK_SIZE);
	if (size)
		memcpy(bank, bytes + 1, min(size - 1, BANK_SIZE));
	make_valid(bank, good, size ? bytes[0] : MAGIC | LAYOUT | SHARES);

	if (!ext_mem_bank_error(bank, BANK_SIZE)) {
		ext_mem_is_used(bank);
		for (cpu = 0; cpu < bank->nr_cpus; cpu++)
			if (!copy_cpu(bank, cpu, &types, &our_format, &count, show) ||
			    !copy_cpu(bank, cpu, &same, &same.format, &count, show))
				abort();
	}
	free(bank);
	inputs++;
	inputs_shown += shown != before;
	return 0;
}

static void say_how_far_it_got(void)
{
	if (inputs)
		printf("%lu inputs, %lu with events that were accepted, %lu events\n",
		       inputs, inputs_shown, shown);
}

/* --seeds FILE: write a bank that is valid. Otherwise the arguments are libFuzzer's. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	if (*argc > 2 && !strcmp((*argv)[1], "--seeds")) {
		struct ext_mem_bank *bank = bank_new(2000, 3);
		FILE *file = fopen((*argv)[2], "w");
		bool ok = file && putc(0, file) != EOF &&
			  fwrite(bank, BANK_SIZE, 1, file) == 1;

		free(bank);
		exit(!ok || fclose(file));
	}

	atexit(say_how_far_it_got);
	return 0;
}
