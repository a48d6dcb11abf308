// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of what the next boot makes of a bank, in user space: kernel/trace/ext/earlier.c. Prints
 * TAP. The sanitizers find accesses out of bounds.
 */

#include "mem_fixture.h"
#include "tap.h"

#define PER_PAGE	((u32)(EXT_RING_DATA_ROOM / (4 + sizeof(struct record))))
/* In all pages of a ring, the last one with a few events. */
#define MANY		(PER_PAGE * 20ull + 7)
#define KEPT		(PER_PAGE * (SLOTS - 1ull) + 7)

static u64 nr_shown, nr_unknown, nr_wrong, nr_before, first_id, last_id;

static void show(const struct ext_cursor *cursor, u64 seq)
{
	const struct ext_mem_unknown *unknown = cursor->record;
	const struct record *record = cursor->record;
	u64 id = record->id;

	if (unknown->type == OUR_UNKNOWN) {
		nr_unknown++;
		memcpy(&id, unknown->data, sizeof(id));
		nr_wrong += unknown->their_type != OTHER_TYPE || unknown->bytes >> 16 != 8 ||
			    (u16)unknown->bytes != offsetof(struct ext_mem_unknown, data);
	}
	if (!nr_shown++) {
		first_id = id;
		nr_before = seq;
	}
	last_id = id;
	/* The first event has sequence number 0 and id 1. */
	nr_wrong += id != seq + 1 || cursor->ts != time_of(id) || record->pid != 7;
}

static bool copy(const struct ext_mem_bank *bank, struct ext_mem_count *count)
{
	nr_shown = nr_unknown = nr_wrong = nr_before = first_id = last_id = 0;
	*count = (struct ext_mem_count) { };
	return !ext_mem_bank_error(bank, BANK_SIZE) &&
	       copy_cpu(bank, 0, &types, &our_format, count, show);
}

static void all_events_are_copied(void)
{
	struct ext_mem_bank *bank = bank_new(KEPT, 0);
	struct ext_mem_count count;

	CHECK(copy(bank, &count), "the copy is not valid");
	CHECK(nr_shown == KEPT && !nr_wrong, "%lu shown, %lu wrong", nr_shown, nr_wrong);
	CHECK(count.good == SLOTS && !count.stale && !count.malformed && !count.misplaced,
	      "good %u", count.good);
	CHECK(ext_mem_is_used(bank), "not used");
	free(bank);
}

static void the_same_kernels_pages_are_copied_as_they_are(void)
{
	struct ext_mem_bank *bank = bank_new(MANY, 3);
	struct ext_mem_count count = { };

	nr_shown = nr_unknown = nr_wrong = 0;
	CHECK(copy_cpu(bank, 0, &same, &same.format, &count, show), "the copy is not valid");
	CHECK(nr_shown == KEPT && last_id == MANY && !nr_wrong && !nr_unknown,
	      "%lu shown, last %lu, %lu wrong", nr_shown, last_id, nr_wrong);
	free(bank);
}

static void an_overrun_ring_keeps_the_newest(void)
{
	struct ext_mem_bank *bank = bank_new(MANY, 0);
	struct ext_mem_count count;

	CHECK(copy(bank, &count), "the copy is not valid");
	/* No reader has taken the spare page, which is empty. */
	CHECK(nr_shown == KEPT && last_id == MANY && !nr_wrong, "%lu shown, last %lu, %lu wrong",
	      nr_shown, last_id, nr_wrong);
	CHECK(nr_before == MANY - KEPT, "%lu were lost", nr_before);
	free(bank);
}

static void unknown_events_keep_their_bytes(void)
{
	u64 others;

	for (others = 1; others < 5; others++) {
		struct ext_mem_bank *bank = bank_new(MANY, others);
		struct ext_mem_count count;

		CHECK(copy(bank, &count), "the copy is not valid");
		CHECK(nr_shown == KEPT && !nr_wrong, "%lu shown, %lu wrong", nr_shown, nr_wrong);
		CHECK(nr_unknown >= KEPT / others && nr_unknown <= KEPT / others + 1,
		      "%lu unknown", nr_unknown);
		free(bank);
	}
}

static void what_is_older_is_stale(void)
{
	struct ext_mem_bank *bank = bank_new(KEPT, 0);
	struct ext_mem_cpu *share = ext_mem_cpu(bank, 0);
	static const u64 wrong[] = { 0, 1ull << 40 };
	struct ext_mem_count count;
	size_t i;

	/* After a reset the writer is on one page; the others are as they were. */
	share->meta.tail = 0;
	share->meta.first_seq = KEPT;
	ext_mem_data_page(bank, 0, 2)->first_seq = KEPT;
	CHECK(copy(bank, &count), "the copy is not valid");
	CHECK(nr_shown == PER_PAGE && count.stale == SLOTS - 1, "%lu shown, %u stale",
	      nr_shown, count.stale);
	CHECK(!nr_before, "%lu that were cleared are lost", nr_before);

	/* If memory has an old meta page only, or a damaged one, nothing is known of the reset. */
	ext_mem_data_page(bank, 0, 2)->first_seq = 2 * PER_PAGE;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		share->meta.first_seq = wrong[i];
		CHECK(copy(bank, &count), "the copy is not valid");
		CHECK(nr_shown == KEPT && !count.stale, "%lu shown, %u stale", nr_shown,
		      count.stale);
	}

	share->meta.tail = SLOTS - 1;
	share->since = time_of(KEPT) + 2000000000;
	CHECK(copy(bank, &count), "the copy is not valid");
	CHECK(!nr_shown && count.stale == SLOTS, "%lu shown, %u stale", nr_shown, count.stale);

	/* The share has what a boot before that one has left. */
	share->since = time_of(0);
	share->boot++;
	CHECK(copy(bank, &count), "the copy is not valid");
	CHECK(!nr_shown && !count.stale && !count.good, "%lu shown", nr_shown);
	free(bank);
}

static void the_end_limits_the_time(void)
{
	struct ext_mem_bank *bank = bank_new(KEPT, 0);
	struct ext_mem_count count;

	ext_mem_data_page(bank, 0, SLOTS - 1)->time_stamp += 1ull << 62;
	CHECK(copy(bank, &count) && count.good == SLOTS, "without an end: good %u", count.good);
	bank->end = EXT_MEM_PANIC;
	bank->ended = time_of(KEPT);
	CHECK(copy(bank, &count) && count.good == SLOTS - 1 && count.malformed == 1,
	      "with an end: good %u, malformed %u", count.good, count.malformed);
	CHECK(!nr_wrong, "%lu wrong", nr_wrong);
	free(bank);
}

static void flip(struct ext_mem_bank *bank, size_t bit)
{
	((u8 *)bank)[bit / 8] ^= 1 << bit % 8;
}

/* A page with a bit flipped may be shown, with one wrong event or time. Others must be. */
static void a_flipped_bit_costs_one_page(void)
{
	struct ext_mem_bank *bank = bank_new(MANY, 3);
	size_t from = ((u8 *)ext_mem_data_page(bank, 0, 0) - (u8 *)bank) * 8;
	size_t to = from + SLOTS * EXT_RING_PAGE_SIZE * 8, bit, discarded = 0;
	struct ext_mem_count count;

	for (bit = from; bit < to; bit += bit % (EXT_RING_PAGE_SIZE * 8) < 256 ? 1 : 13) {
		flip(bank, bit);
		CHECK(copy(bank, &count), "bit %zu: the copy is not valid", bit);
		CHECK(count.good + 1 >= SLOTS, "bit %zu: only %u pages", bit, count.good);
		CHECK(nr_wrong <= PER_PAGE, "bit %zu: %lu wrong", bit, nr_wrong);
		discarded += count.good < SLOTS;
		flip(bank, bit);
	}
	CHECK(discarded > 100, "only %zu discarded", discarded);
	CHECK(copy(bank, &count) && count.good == SLOTS, "good %u", count.good);
	free(bank);
}

static void a_flipped_bit_of_a_header_does_no_harm(void)
{
	struct ext_mem_bank *bank = bank_new(MANY, 3);
	size_t share = ((u8 *)ext_mem_cpu(bank, 0) - (u8 *)bank) * 8, bit, bad = 0;
	struct ext_mem_count count;
	size_t headers[][2] = {
		{ 0, sizeof(*bank) * 8 }, { share, share + sizeof(struct ext_mem_cpu) * 8 },
	};
	int i;

	for (i = 0; i < 2; i++) {
		for (bit = headers[i][0]; bit < headers[i][1]; bit++) {
			flip(bank, bit);
			if (ext_mem_bank_error(bank, BANK_SIZE))
				bad++;
			else
				CHECK(copy(bank, &count), "bit %zu: the copy is not valid", bit);
			flip(bank, bit);
		}
	}
	CHECK(bad > 64, "only %zu refused", bad);
	free(bank);
}

static void a_layout_that_does_not_fit_is_refused(void)
{
	struct ext_mem_bank *bank = bank_new(KEPT, 0), good = *bank;
	const struct {
		u32 *field, value;
	} bad[] = {
		{ &bank->share_pages, 0 },
		{ &bank->share_pages, EXT_MEM_SHARE_OVERHEAD + EXT_RING_MIN_SLOTS - 1 },
		{ &bank->share_pages, SHARE_PAGES + 1 },
		{ &bank->share_pages, U32_MAX },
		{ &bank->nr_cpus, CPUS + 1 },
		{ &bank->nr_cpus, U32_MAX },
		{ &bank->header_pages, 0 },
		{ &bank->header_pages, 2 },
		{ &bank->header_pages, U32_MAX },
		{ &bank->nr_events, EXT_RING_PAGE_SIZE / sizeof(struct ext_mem_event) },
		{ &bank->nr_events, U32_MAX },
		{ &bank->nr_events, EXT_MEM_MAX_EVENTS + 1 },
		{ &bank->end, EXT_MEM_PANIC + 1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		*bad[i].field = bad[i].value;
		CHECK(ext_mem_bank_error(bank, BANK_SIZE), "layout %zu", i);
		*bank = good;
	}
	CHECK(!ext_mem_bank_error(bank, BANK_SIZE), "the good one is refused");
	CHECK(ext_mem_bank_error(bank, BANK_SIZE - EXT_RING_PAGE_SIZE), "a smaller bank");
	free(bank);
}

static void nonsense_is_refused(void)
{
	struct ext_mem_bank *bank = aligned_alloc(EXT_RING_PAGE_SIZE, BANK_SIZE);
	unsigned int seed, i;

	for (seed = 0; seed < 100; seed++) {
		srand(seed);
		for (i = 0; i < BANK_SIZE; i++)
			((u8 *)bank)[i] = seed ? rand() : 0;
		CHECK(ext_mem_bank_error(bank, BANK_SIZE), "seed %u", seed);
	}
	free(bank);
}

static const struct test tests[] = {
	TEST(all_events_are_copied),
	TEST(the_same_kernels_pages_are_copied_as_they_are),
	TEST(an_overrun_ring_keeps_the_newest),
	TEST(unknown_events_keep_their_bytes),
	TEST(what_is_older_is_stale),
	TEST(the_end_limits_the_time),
	TEST(a_flipped_bit_costs_one_page),
	TEST(a_flipped_bit_of_a_header_does_no_harm),
	TEST(a_layout_that_does_not_fit_is_refused),
	TEST(nonsense_is_refused),
};

int main(void)
{
	return run_tests("mem", tests, ARRAY_SIZE(tests));
}
