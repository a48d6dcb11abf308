// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the map from a guest's time to its host's (tools/hyptrace/clockmap.c): that it is exact,
 * and that it is one, whatever the guest tells.
 */

#include <stdlib.h>

#include "../ring/tap.h"
#include "clockmap.h"

#define S	1000000000ULL

static struct clockmap map;

static void begin(void)
{
	free(map.pair);
	map = (struct clockmap) { 0 };
}

/* Add @nr pairs, one each second; the guest's clock is faster by @ppb. */
static void add_run(uint64_t guest, uint64_t host, int64_t ppb, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		clockmap_add(&map, guest + i * (S + ppb), host + i * S);
}

static void check_host(uint64_t guest, uint64_t expected)
{
	const uint64_t host = clockmap_host(&map, guest);

	CHECK(host == expected, "%llu is %llu, not %llu", (unsigned long long)guest,
	      (unsigned long long)host, (unsigned long long)expected);
}

static void pairs_are_exact(void)
{
	const struct clock_pair pairs[] = {
		{ 1000, 77 }, { 1000000007, 1000000099 }, { 2000000011, 2000000163 },
	};
	size_t i;

	begin();
	for (i = 0; i < 3; i++)
		clockmap_add(&map, pairs[i].guest, pairs[i].host);
	CHECK(clockmap_choose(&map, 0, 3 * S, 0) && map.nr == 3, "%zu pairs", map.nr);
	for (i = 0; i < 3; i++)
		check_host(pairs[i].guest, pairs[i].host);
}

static void lines_are_exact(void)
{
	begin();
	clockmap_add(&map, 10 * S, 100 * S);
	clockmap_add(&map, 11 * S, 101 * S + 1000);
	clockmap_add(&map, 12 * S, 102 * S - 1000);
	CHECK(clockmap_choose(&map, 10 * S, 12 * S, 0), "no run");
	/* 1000 ns more in each second: one in a million ns. */
	check_host(10 * S + 1000000, 100 * S + 1000001);
	check_host(10 * S + 499999, 100 * S + 499999);
	check_host(10 * S + 500000, 100 * S + 500001);	/* half a ns is rounded up */
	check_host(11 * S - 1, 101 * S + 999);
	/* 2000 ns less in each second. */
	check_host(11 * S + 1000000, 101 * S + 1000 + 999998);
	/* Before and behind the pairs, the clocks are as fast as they are there. */
	check_host(9 * S, 99 * S - 1000);
	check_host(0, 90 * S - 10000);
	check_host(13 * S, 103 * S - 3000);
	check_host(20 * S, 110 * S - 17000);
}

static void one_pair_is_an_offset(void)
{
	begin();
	clockmap_add(&map, 5 * S, 100 * S);
	CHECK(clockmap_choose(&map, S, 9 * S, 0) && map.nr == 1 && map.runs == 1, "not so");
	check_host(5 * S, 100 * S);
	check_host(0, 95 * S);
	check_host(7 * S + 1, 102 * S + 1);
	CHECK(clockmap_offset(&map, S, 9 * S).ns == 95 * S, "another offset");
	CHECK(!clockmap_offset(&map, S, 9 * S).error, "an error");
}

static void no_pair_is_no_map(void)
{
	begin();
	CHECK(!clockmap_choose(&map, 0, S, 0), "a run");
	add_run(S, 50 * S, 0, 3);
	CHECK(!clockmap_choose(&map, 0, S, 2), "a second run");
}

static void order_does_not_matter(void)
{
	begin();
	clockmap_add(&map, 3 * S, 103 * S);
	clockmap_add(&map, 1 * S, 101 * S);
	clockmap_add(&map, 2 * S, 102 * S);
	CHECK(clockmap_choose(&map, S, 3 * S, 0) && map.nr == 3, "%zu pairs", map.nr);
	check_host(2 * S + 5, 102 * S + 5);
}

static void repetitions_are_left_out(void)
{
	begin();
	add_run(S, 50 * S, 300, 5);
	add_run(S, 50 * S, 300, 5);
	CHECK(clockmap_choose(&map, S, 5 * S, 0) && map.nr == 5 && map.given == 10,
	      "%zu pairs", map.nr);
	check_host(S, 50 * S);
	check_host(5 * S + 1200, 54 * S);
}

static void nonsense_is_left_out(void)
{
	begin();
	add_run(10 * S, 100 * S, 500, 10);
	clockmap_add(&map, 0, 103 * S + 1);			/* back */
	clockmap_add(&map, UINT64_MAX, 105 * S + 1);		/* far ahead */
	clockmap_add(&map, 13 * S, 105 * S + 2);		/* a bit back */
	clockmap_add(&map, 17 * S, 105 * S + 3);		/* a bit ahead */
	clockmap_add(&map, 18 * S, 0);				/* the host's are nonsense */
	clockmap_add(&map, 0, UINT64_MAX);
	clockmap_add(&map, 15 * S, 104 * S);			/* one time twice */
	CHECK(clockmap_choose(&map, 10 * S, 19 * S, 0) && map.nr == 10 && map.runs == 1 &&
	      !map.in_others, "%zu pairs, %u runs", map.nr, map.runs);
	check_host(14 * S + 2000, 104 * S);
	check_host(19 * S + 4500, 109 * S);
}

/* More of it than runs that are open, between two pairs that are not. */
static void much_nonsense_is_left_out(void)
{
	unsigned int i;

	begin();
	add_run(1000 * S, 5000 * S, 0, 10);
	for (i = 0; i < 1000; i++)
		clockmap_add(&map, (999 - i) * S, 5004 * S + 1 + i);
	CHECK(clockmap_choose(&map, 1000 * S, 1009 * S, 0) && map.nr == 10 && map.runs == 1,
	      "%zu pairs, %u runs", map.nr, map.runs);
	check_host(1009 * S, 5009 * S);
}

static void the_run_of_the_recording_is_chosen(void)
{
	begin();
	add_run(5 * S, 100 * S, 0, 100);
	add_run(5 * S, 300 * S, 0, 20);
	add_run(5 * S, 400 * S, 0, 50);
	CHECK(clockmap_choose(&map, 60 * S, 90 * S, 0) && map.run == 1 && map.runs == 3 &&
	      map.in_others == 70 && !map.alike, "run %u of %u", map.run, map.runs);
	check_host(60 * S + 3, 155 * S + 3);
}

static void the_last_run_is_chosen_of_several(void)
{
	begin();
	add_run(5 * S, 100 * S, 0, 100);
	add_run(5 * S, 300 * S, 0, 50);
	CHECK(clockmap_choose(&map, 10 * S, 20 * S, 0) && map.run == 2 && map.alike == 1,
	      "run %u, %u are alike", map.run, map.alike);
	check_host(15 * S, 310 * S);
}

static void a_run_can_be_demanded(void)
{
	begin();
	add_run(5 * S, 100 * S, 0, 100);
	add_run(5 * S, 300 * S, 0, 50);
	CHECK(clockmap_choose(&map, 10 * S, 20 * S, 1) && map.run == 1 && map.in_others == 50,
	      "run %u", map.run);
	check_host(15 * S, 110 * S);
}

static void the_nearest_run_is_chosen(void)
{
	begin();
	add_run(50 * S, 100 * S, 0, 10);
	add_run(5 * S, 300 * S, 0, 10);
	CHECK(clockmap_choose(&map, 40 * S, 49 * S, 0) && map.run == 1, "run %u", map.run);
	check_host(49 * S, 99 * S);
}

/* While a guest does not run, its clock may stand still. */
static void a_stop_is_no_speed(void)
{
	begin();
	add_run(10 * S, 100 * S, 1000, 5);
	clockmap_add(&map, 15 * S, 3700 * S);
	CHECK(clockmap_choose(&map, 10 * S, 20 * S, 0) && map.nr == 6, "%zu pairs", map.nr);
	check_host(16 * S, 3701 * S);
	check_host(9 * S, 99 * S + 1000);
}

/* Nonsense while a guest runs is not more likely when it has stopped. */
static void nonsense_before_a_stop_is_left_out(void)
{
	begin();
	add_run(10 * S, 100 * S, 0, 5);
	clockmap_add(&map, 13 * S, 104 * S + 1);
	clockmap_add(&map, 1, 104 * S + 2);
	add_run(15 * S, 3700 * S, 0, 5);
	CHECK(clockmap_choose(&map, 10 * S, 20 * S, 0) && map.nr == 10 && map.runs == 1,
	      "%zu pairs, %u runs", map.nr, map.runs);
	check_host(14 * S, 104 * S);
	check_host(16 * S, 3701 * S);
}

/* The first pair of a run is alone, too. */
static void an_early_start_is_no_stop(void)
{
	begin();
	add_run(10 * S, 100 * S, 0, 3);
	clockmap_add(&map, 5 * S, 200 * S);
	clockmap_add(&map, 20 * S, 215 * S);
	CHECK(clockmap_choose(&map, 5 * S, 20 * S, 0) && map.run == 2 && map.nr == 2,
	      "run %u, %zu pairs", map.run, map.nr);
	check_host(10 * S, 205 * S);
}

/* Two pairs of almost the same time say nothing about the time behind them. */
static void a_short_time_is_no_speed(void)
{
	begin();
	add_run(10 * S, 100 * S, 0, 5);
	clockmap_add(&map, 14 * S + 1000, 104 * S + 1100);
	CHECK(clockmap_choose(&map, 10 * S, 20 * S, 0) && map.nr == 6, "%zu pairs", map.nr);
	check_host(14 * S + 500, 104 * S + 550);
	check_host(24 * S + 1000, 114 * S + 1100 + 1000);
}

static void huge_times_do_not_overflow(void)
{
	const uint64_t end = UINT64_MAX;

	begin();
	clockmap_add(&map, end - 4 * S, end - 3 * S - 7);
	clockmap_add(&map, end - 3 * S, end - 2 * S - 7);
	clockmap_add(&map, end - 2 * S, end - S - 7);
	CHECK(clockmap_choose(&map, 0, end, 0) && map.nr == 3, "%zu pairs", map.nr);
	check_host(end - 3 * S + 1, end - 2 * S - 6);
	check_host(end - S - 8, end - 15);
	check_host(end, end);			/* the nearest that can be said */
	check_host(0, S - 7);
}

static void huge_differences_do_not_overflow(void)
{
	const uint64_t end = UINT64_MAX;

	begin();
	clockmap_add(&map, 0, 0);
	clockmap_add(&map, end, end);
	CHECK(clockmap_choose(&map, 0, end, 0) && map.nr == 2, "%zu pairs", map.nr);
	check_host(end - 1, end - 1);
	check_host(end / 2, end / 2);
	CHECK(!clockmap_offset(&map, 0, end).ns, "an offset");

	begin();
	clockmap_add(&map, end - 1, 0);
	CHECK(clockmap_choose(&map, 0, end, 0), "no run");
	check_host(0, 0);
	check_host(end, 1);
	CHECK(clockmap_offset(&map, end - 1, end).ns == INT64_MIN, "not the smallest offset");
}

static uint64_t random_time(void)
{
	uint64_t time = (uint64_t)rand() << 62 ^ (uint64_t)rand() << 31 ^ rand();

	return time >> rand() % 64;
}

/* Whatever the pairs, a later time of the guest is no earlier one of the host. */
static void random_pairs_make_a_map(void)
{
	uint64_t guest, host, later, offset;
	unsigned int round, i;

	srand(1);
	for (round = 0; round < 300; round++) {
		begin();
		offset = random_time();
		for (i = 0; i < 100; i++) {
			guest = random_time();
			clockmap_add(&map, guest, rand() % 2 ? random_time() : guest + offset);
		}
		CHECK(clockmap_choose(&map, random_time(), random_time(), 0), "no run");
		for (i = 0; i < map.nr; i++)
			check_host(map.pair[i].guest, map.pair[i].host);
		for (i = 0; i < 100; i++) {
			guest = random_time();
			later = guest + rand() % 1000;
			host = clockmap_host(&map, guest);
			CHECK(later < guest || clockmap_host(&map, later) >= host, "it goes back");
		}
	}
}

static void the_offset_has_the_least_error(void)
{
	struct clock_offset offset;

	begin();
	clockmap_add(&map, 10 * S, 110 * S);
	clockmap_add(&map, 20 * S, 120 * S + 4000);
	clockmap_add(&map, 30 * S, 130 * S - 1001);
	CHECK(clockmap_choose(&map, 10 * S, 30 * S, 0), "no run");
	offset = clockmap_offset(&map, 10 * S, 30 * S);
	CHECK(offset.ns == 100 * S + 1499 && offset.error == 2501, "%lld, %llu",
	      (long long)offset.ns, (unsigned long long)offset.error);
	/* Only the time of the recording counts. */
	offset = clockmap_offset(&map, 10 * S, 15 * S);
	CHECK(offset.ns == 100 * S + 1000 && offset.error == 1000, "%lld, %llu",
	      (long long)offset.ns, (unsigned long long)offset.error);
}

static const struct test tests[] = {
	TEST(pairs_are_exact),
	TEST(lines_are_exact),
	TEST(one_pair_is_an_offset),
	TEST(no_pair_is_no_map),
	TEST(order_does_not_matter),
	TEST(repetitions_are_left_out),
	TEST(nonsense_is_left_out),
	TEST(much_nonsense_is_left_out),
	TEST(the_run_of_the_recording_is_chosen),
	TEST(the_last_run_is_chosen_of_several),
	TEST(a_run_can_be_demanded),
	TEST(the_nearest_run_is_chosen),
	TEST(a_stop_is_no_speed),
	TEST(nonsense_before_a_stop_is_left_out),
	TEST(an_early_start_is_no_stop),
	TEST(a_short_time_is_no_speed),
	TEST(huge_times_do_not_overflow),
	TEST(huge_differences_do_not_overflow),
	TEST(random_pairs_make_a_map),
	TEST(the_offset_has_the_least_error),
};

int main(void)
{
	int failed = run_tests("clockmap", tests, sizeof(tests) / sizeof(tests[0]));

	begin();
	return failed;
}
