// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests differences of totals (tools/hyptrace/table.c): what is known exactly, and VMs that go
 * while it is measured.
 */

#include <stdlib.h>

#include "../ring/tap.h"
#include "table.h"

static struct table *before, *now, *difference;

static struct key key_of(const char *reason)
{
	return (struct key) { .vm = 1, .kind = KIND_GUEST, .reason = intern(reason) };
}

/* A row of a table gets @count intervals of @ns each. */
static void add(struct table *table, const char *reason, unsigned int count, uint64_t ns)
{
	const struct key key = key_of(reason);

	while (count--)
		row_add_interval(table_row(table, &key), ns);
}

/* Totals know no single intervals. */
static void forget_times(struct table *table)
{
	size_t i;

	for (i = 0; i < table->nr; i++) {
		free(table->row[i]->times);
		table->row[i]->times = NULL;
		table->row[i]->size = 0;
		table->row[i]->squares = 0;
	}
}

static const struct row *take_difference(const char *reason)
{
	const struct key key = key_of(reason);

	forget_times(before);
	forget_times(now);
	difference = table_difference(now, before);
	return difference ? table_find(difference, &key) : NULL;
}

static void begin(void)
{
	table_free(before);
	table_free(now);
	table_free(difference);
	before = table_new();
	now = table_new();
	difference = NULL;
}

static void new_rows_are_exact(void)
{
	const struct row *row;

	begin();
	add(now, "A", 2, 100);
	add(now, "A", 1, 700);
	row = take_difference("A");
	CHECK(row && row->count == 3 && row->total == 900 && row->min == 100 && row->max == 700 &&
	      !row->min_is_bound && !row->max_is_bound, "not so");
}

static void new_extremes_are_exact(void)
{
	const struct row *row;

	begin();
	add(before, "A", 1, 300);
	add(now, "A", 1, 300);
	add(now, "A", 1, 100);
	add(now, "A", 1, 5000);
	row = take_difference("A");
	CHECK(row && row->count == 2 && row->min == 100 && row->max == 5000 &&
	      !row->min_is_bound && !row->max_is_bound, "not so");
}

/* The new interval is in the bucket of 513 to 1024 ns, as the old extremes are. */
static void old_extremes_are_bounds(void)
{
	const struct row *row;

	begin();
	add(before, "A", 1, 520);
	add(before, "A", 1, 1000);
	add(now, "A", 1, 520);
	add(now, "A", 1, 1000);
	add(now, "A", 1, 600);
	row = take_difference("A");
	CHECK(row && row->count == 1 && row->total == 600 && row->min == 520 && row->max == 1000 &&
	      row->min_is_bound && row->max_is_bound, "not so");
}

static void a_bucket_is_a_better_bound(void)
{
	const struct row *row;

	begin();
	add(before, "A", 1, 40);
	add(before, "A", 1, 1000000);
	add(now, "A", 1, 40);
	add(now, "A", 1, 1000000);
	add(now, "A", 1, 600);
	row = take_difference("A");
	CHECK(row && row->min == 512 && row->max == 1024 && row->min_is_bound &&
	      row->max_is_bound && row_percentile(row, 50) == 1024, "not so");
}

static void what_does_not_happen_is_not_there(void)
{
	begin();
	add(before, "A", 5, 100);
	add(now, "A", 5, 100);
	CHECK(!take_difference("A") && difference && !difference->nr, "not so");
}

/* The VM, which was gone, is no longer listed. */
static void a_vm_may_be_forgotten(void)
{
	const struct row *row;

	begin();
	add(before, "A", 5, 100);
	add(now, "B", 3, 300);
	row = take_difference("B");
	CHECK(row && row->count == 3 && difference->nr == 1 && difference->has_forgotten, "not so");
}

static void a_row_that_is_missing_of_a_vm_that_is_listed_is_a_reset(void)
{
	begin();
	add(before, "A", 5, 100);
	add(now, "B", 3, 300);
	table_vm(now, 1);
	CHECK(!take_difference("B") && !difference, "not so");
}

static void a_reset_is_noticed(void)
{
	begin();
	add(before, "A", 5, 100);
	add(now, "A", 3, 100);
	CHECK(!take_difference("A") && !difference, "not so");
}

static void a_reset_of_what_comes_again_is_noticed(void)
{
	begin();
	add(before, "A", 5, 100);
	add(now, "A", 9, 5000);
	CHECK(!take_difference("A") && !difference, "not so");
}

#define MANY	5000

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* In a row of many, and in the sum of two, which has the same intervals. */
static void percentiles_of_many_are_precise_to_a_percent(void)
{
	const struct key key = key_of("A"), all = key_of("B");
	uint64_t *times = xzalloc(MANY * sizeof(*times)), number = 1, exact, found, i;
	struct row sum = { 0 };
	bool is_right = true;

	begin();
	for (i = 0; i < MANY; i++) {
		/* Of all sizes: Knuth's MMIX */
		number = number * 6364136223846793005ULL + 1442695040888963407ULL;
		times[i] = number >> (20 + (number >> 50) % 43);
		add(i % 2 ? now : before, "A", 1, times[i]);
		add(now, "B", 1, times[i]);
	}
	qsort(times, MANY, sizeof(*times), by_number);
	row_merge(&sum, table_find(now, &key));
	row_merge(&sum, table_find(before, &key));
	for (i = 1; i <= 100; i++) {
		exact = times[(MANY * i + 99) / 100 - 1];
		found = row_percentile(table_find(now, &all), i);
		is_right &= found >= exact - exact / 100 && found <= exact + exact / 100;
		found = row_percentile(&sum, i);
		is_right &= found >= exact - exact / 100 && found <= exact + exact / 100;
	}
	CHECK(is_right && row_precision(&sum) == PRECISE_TO_PERCENT && sum.count == MANY &&
	      times[0] < 100 && times[MANY - 1] > 1ULL << 40, "not so");
	row_clear(&sum);
	free(times);
}

static void percentiles_of_known_times_are_exact(void)
{
	const struct key key = key_of("A");
	struct row *row;
	uint64_t ns;

	begin();
	rows_keep_all();
	for (ns = 1; ns <= 200; ns++)
		add(now, "A", 1, 201 - ns);
	row = table_find(now, &key);
	row_finish(row);
	CHECK(row_percentile(row, 50) == 100 && row_percentile(row, 99) == 198 &&
	      row_percentile(row, 100) == 200, "not so");
}

static const struct test tests[] = {
	TEST(new_rows_are_exact),
	TEST(new_extremes_are_exact),
	TEST(old_extremes_are_bounds),
	TEST(a_bucket_is_a_better_bound),
	TEST(what_does_not_happen_is_not_there),
	TEST(a_vm_may_be_forgotten),
	TEST(a_row_that_is_missing_of_a_vm_that_is_listed_is_a_reset),
	TEST(a_reset_is_noticed),
	TEST(a_reset_of_what_comes_again_is_noticed),
	TEST(percentiles_of_many_are_precise_to_a_percent),
	TEST(percentiles_of_known_times_are_exact),
};

int main(void)
{
	int failed = run_tests("table", tests, sizeof(tests) / sizeof(tests[0]));

	begin();
	return failed;
}
