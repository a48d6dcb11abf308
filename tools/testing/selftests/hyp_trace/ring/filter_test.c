// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of filters, in user space: kernel/trace/ext/filter_compile.c and linux/ext_filter.h. What is
 * compiled must have the result that the comparisons mean, in the words of C; and whatever
 * passes as valid must end and stay inside of the data. Prints TAP. The sanitizers find
 * accesses out of bounds.
 */

#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "filter_compile.h"
#include "tap.h"

#define RECORD		40
#define DATA		(offsetof(struct ext_filter_data, record) + RECORD)
#define NR_CPUS		300
#define CPU_WORDS	((NR_CPUS + 63) / 64)

static u64 seed = 1;

/* splitmix64, https://prng.di.unimi.it/splitmix64.c */
static u64 any(void)
{
	u64 z = (seed += 0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static unsigned int below(unsigned int limit)
{
	return any() % limit;
}

/* A number of any size, often at an end of some type's range. */
static u64 number(void)
{
	u64 value = any() >> below(64);

	switch (below(4)) {
	case 0:
		return (1ull << below(64)) - below(3);
	case 1:
		return -value;
	default:
		return value;
	}
}

/* The data that is filtered. A sanitizer sees accesses behind the 8 bytes that may be read. */
static struct ext_filter_data *data;

static void data_new(void)
{
	size_t i;

	free(data);
	data = malloc(DATA + 8);
	for (i = 0; i < DATA + 8; i++)
		((u8 *)data)[i] = any();
	data->cpu = below(NR_CPUS);
}

/* The meaning of a comparison ------------------------------------------------------- */

#define COMPARE(type, op, field, with)					\
({									\
	type __a, __b = (type)(with);					\
	bool __is;							\
									\
	memcpy(&__a, field, sizeof(__a));				\
	switch (op) {							\
	case EXT_FILTER_EQ: __is = __a == __b; break;			\
	case EXT_FILTER_NE: __is = __a != __b; break;			\
	case EXT_FILTER_LT: __is = __a < __b; break;			\
	case EXT_FILTER_LE: __is = __a <= __b; break;			\
	case EXT_FILTER_GT: __is = __a > __b; break;			\
	case EXT_FILTER_GE: __is = __a >= __b; break;			\
	default: __is = __a & __b; break;				\
	}								\
	__is;								\
})

static bool compare(const struct ext_filter_test *t, const void *field)
{
	switch (t->size * 2 + t->is_signed) {
	case 2:  return COMPARE(u8, t->op, field, t->value);
	case 3:  return COMPARE(int8_t, t->op, field, t->value);
	case 4:  return COMPARE(u16, t->op, field, t->value);
	case 5:  return COMPARE(int16_t, t->op, field, t->value);
	case 8:  return COMPARE(u32, t->op, field, t->value);
	case 9:  return COMPARE(s32, t->op, field, t->value);
	case 16: return COMPARE(u64, t->op, field, t->value);
	default: return COMPARE(s64, t->op, field, t->value);
	}
}

static bool compare_with_set(const struct ext_filter_test *t, const void *field)
{
	u32 cpu = 0;

	memcpy(&cpu, field, t->size < 4 ? t->size : 4);
	if (cpu >= t->nr_cpus)
		return false;
	if (t->op == EXT_FILTER_AND)
		return t->cpus[cpu / 64] >> cpu % 64 & 1;
	return t->op == EXT_FILTER_NE;
}

static bool is_true(const struct ext_filter_test *t)
{
	bool of_cpu = t->offset == EXT_FILTER_CPU;
	const void *field = of_cpu ? (void *)&data->cpu : data->record + t->offset;

	if (t->cpus)
		return compare_with_set(t, field);
	return !(of_cpu && t->op == EXT_FILTER_AND) && compare(t, field);
}

static bool means(const struct ext_filter_test *tests, unsigned int n)
{
	unsigned int i = 0;

	while (i < n)
		i = tests[i].next[is_true(&tests[i])];
	return i == n;
}

/* Random filters ---------------------------------------------------------------------- */

static unsigned long sets[EXT_FILTER_MAX][CPU_WORDS];

/* A set that has few ranges, as the comparisons of each count. */
static void some_set(struct ext_filter_test *t, unsigned long *set)
{
	unsigned int ranges = below(4), from, i;

	memset(set, 0, sizeof(sets[0]));
	while (ranges--) {
		from = below(NR_CPUS);
		for (i = from; i < from + below(100) && i < NR_CPUS; i++)
			set[i / 64] |= 1ul << i % 64;
	}
	t->cpus = set;
	t->nr_cpus = NR_CPUS;
	t->op = (enum ext_filter_op []){ EXT_FILTER_EQ, EXT_FILTER_NE, EXT_FILTER_AND }[below(3)];
}

/* Often compare with what the field has, or nearly so. */
static u64 some_value(const struct ext_filter_test *t)
{
	u64 value = 0;

	if (below(2))
		return number();
	if (t->offset == EXT_FILTER_CPU)
		return data->cpu + below(3) - 1;
	memcpy(&value, data->record + t->offset, t->size);
	return value + below(3) - 1 + (below(4) ? 0 : 1ull << below(64));
}

static void some_test(struct ext_filter_test *t, unsigned int i, unsigned int n)
{
	*t = (struct ext_filter_test) {
		.op		= below(7),
		.size		= 1 << below(4),
		.is_signed	= below(2),
		.next		= { i + 1 + below(n + 1 - i), i + 1 + below(n + 1 - i) },
	};
	t->offset = below(RECORD - t->size + 1);
	if (!below(8)) {
		t->offset = EXT_FILTER_CPU;
		t->size = 4;
		t->is_signed = true;
	}
	t->value = some_value(t);
	if (!below(8))
		some_set(t, sets[i]);
}

/* Move a compiled filter to @place, and check each comparison as the writer does. */
static bool put_at(struct ext_filter_pred *pool, unsigned int place,
		   const struct ext_filter_pred *preds, unsigned int n)
{
	unsigned int i, side;

	for (i = 0; i < n; i++) {
		pool[place + i] = preds[i];
		for (side = 0; side < 2; side++)
			if (preds[i].next[side] >= EXT_FILTER_FIRST)
				pool[place + i].next[side] += place - EXT_FILTER_FIRST;
		if (!ext_filter_pred_is_valid(&pool[place + i], place + i, place + n, DATA))
			return false;
	}
	return true;
}

#define POOL	256
#define FILTERS	50000
#define RECORDS	40

static void random_filters_match_as_their_meaning_says(void)
{
	struct ext_filter_pred pool[POOL], preds[EXT_FILTER_MAX];
	struct ext_filter_test tests[EXT_FILTER_MAX];
	unsigned int filter, i, n, place, matches = 0, applied = 0;
	int len;

	for (filter = 0; filter < FILTERS; filter++) {
		n = 1 + below(below(8) ? 6 : EXT_FILTER_MAX);
		place = EXT_FILTER_FIRST + below(POOL - EXT_FILTER_FIRST - EXT_FILTER_MAX);
		data_new();
		for (i = 0; i < n; i++)
			some_test(&tests[i], i, n);
		len = ext_filter_compile(tests, n, preds);
		if (len == -E2BIG)
			continue;
		CHECK(len > 0 && put_at(pool, place, preds, len), "filter %u is not valid", filter);
		for (i = 0; i < RECORDS && !failed; i++) {
			bool meant = means(tests, n);

			CHECK(ext_filter_match(pool, place, data) == meant,
			      "filter %u, record %u: meant %d", filter, i, meant);
			matches += meant;
			applied++;
			data_new();
		}
	}
	CHECK(applied > FILTERS * RECORDS * 9ull / 10, "only %u", applied);
	CHECK(matches > applied / 4 && matches < applied / 4 * 3, "%u of %u match", matches,
	      applied);
}

static void all_bytes_compare_as_c_does(void)
{
	struct ext_filter_test t = { .size = 1, .next = { 2, 1 } };
	struct ext_filter_pred pool[EXT_FILTER_FIRST + EXT_FILTER_MAX];
	unsigned int value, field, yes = 0;
	bool meant;

	data_new();
	for (t.op = EXT_FILTER_EQ; t.op <= EXT_FILTER_AND; t.op++) {
		for (value = 0; value < 0x200; value++) {
			t.value = (value & 0xff) | (value & 0x100 ? -0x100ull : 0);
			t.is_signed = value >> 8;
			ext_filter_compile(&t, 1, pool + EXT_FILTER_FIRST);
			for (field = 0; field < 0x100; field++) {
				data->record[0] = field;
				meant = means(&t, 1);
				CHECK(ext_filter_match(pool, EXT_FILTER_FIRST, data) == meant,
				      "%u, op %d %u: meant %d", field, t.op, value, meant);
				yes += meant;
			}
		}
	}
	CHECK(yes, "nothing matches");
}

static void a_long_filter_is_refused(void)
{
	struct ext_filter_pred preds[EXT_FILTER_MAX];
	struct ext_filter_test tests[EXT_FILTER_MAX + 1];
	unsigned long evens[CPU_WORDS] = { 0x5555555555555555, 0x5555555555555555 };
	unsigned int i;

	for (i = 0; i <= EXT_FILTER_MAX; i++)
		tests[i] = (struct ext_filter_test) {
			.size = 4, .next = { i + 1, EXT_FILTER_MAX },
		};
	tests[EXT_FILTER_MAX - 1].next[0] = EXT_FILTER_MAX + 1;
	CHECK(ext_filter_compile(tests, EXT_FILTER_MAX, preds) == EXT_FILTER_MAX, "refused");
	CHECK(ext_filter_compile(tests, EXT_FILTER_MAX + 1, preds) == -E2BIG, "not refused");

	/* 64 CPUs of 128 are 64 comparisons. */
	tests[0] = (struct ext_filter_test) {
		.op = EXT_FILTER_AND, .size = 4, .cpus = evens, .nr_cpus = 128,
		.next = { EXT_FILTER_MAX + 1, EXT_FILTER_MAX },
	};
	tests[0].next[0] = 2;
	tests[0].next[1] = 1;
	CHECK(ext_filter_compile(tests, 1, preds) == EXT_FILTER_MAX, "refused");
	evens[2] = 1;
	tests[0].nr_cpus = 129;
	CHECK(ext_filter_compile(tests, 1, preds) == -E2BIG, "not refused");
}

/* Comparisons that nobody has compiled --------------------------------------------------- */

static struct ext_filter_pred some_pred(unsigned int place)
{
	return (struct ext_filter_pred) {
		.lo	= number(),
		.width	= number(),
		.mask	= below(2) ? U64_MAX >> below(64) : number(),
		.offset	= below(8) ? below(DATA) : any(),
		.next	= { place + below(POOL / 8), below(8) ? place + below(POOL / 8) : any() },
	};
}

static bool is_valid(const struct ext_filter_pred *pred, unsigned int place)
{
	return ext_filter_pred_is_valid(pred, place, POOL, DATA);
}

static struct ext_filter_pred some_valid_pred(unsigned int place, unsigned int *refused)
{
	struct ext_filter_pred pred = some_pred(place);

	while (!is_valid(&pred, place)) {
		pred = some_pred(place);
		pred.next[0] %= below(4) ? U16_MAX : EXT_FILTER_FIRST;
		pred.next[1] %= below(4) ? U16_MAX : EXT_FILTER_FIRST;
		++*refused;
	}
	return pred;
}

/* A comparison that is being replaced has some fields of the old one and some of the new. */
static void mix(struct ext_filter_pred *to, const struct ext_filter_pred *from)
{
	unsigned int which = any();

	to->lo = which & 1 ? from->lo : to->lo;
	to->width = which & 2 ? from->width : to->width;
	to->mask = which & 4 ? from->mask : to->mask;
	to->next[0] = which & 8 ? from->next[0] : to->next[0];
	to->next[1] = which & 16 ? from->next[1] : to->next[1];
	to->offset = which & 32 ? from->offset : to->offset;
}

static void what_is_valid_ends_inside_even_if_it_is_replaced(void)
{
	unsigned int round, place, refused = 0, yes = 0, no = 0;
	struct ext_filter_pred *pool, other;

	for (round = 0; round < 2000; round++) {
		data_new();
		pool = calloc(POOL, sizeof(*pool));
		for (place = EXT_FILTER_FIRST; place < POOL; place++)
			pool[place] = some_valid_pred(place, &refused);
		for (place = EXT_FILTER_FIRST; place < POOL; place++)
			ext_filter_match(pool, place, data) ? yes++ : no++;
		for (place = EXT_FILTER_FIRST; place < POOL; place++) {
			other = some_valid_pred(place, &refused);
			mix(&pool[place], &other);
		}
		for (place = EXT_FILTER_FIRST; place < POOL; place++)
			ext_filter_match(pool, place, data) ? yes++ : no++;
		free(pool);
	}
	CHECK(yes > 10000 && no > 10000, "%u yes, %u no", yes, no);
	CHECK(refused > 10000, "%u refused", refused);
}

static void what_is_not_valid_is_refused(void)
{
	const struct ext_filter_pred good = {
		.mask = 0xff, .offset = DATA - 1, .next = { 11, 99 },
	};
	struct ext_filter_pred pred = good;
	int side;

	CHECK(ext_filter_pred_is_valid(&good, 10, 100, DATA), "good");
	for (side = 0; side < 2; side++) {
		pred = good;
		pred.next[side] = EXT_FILTER_NO;
		CHECK(ext_filter_pred_is_valid(&pred, 10, 100, DATA), "no");
		pred.next[side] = EXT_FILTER_YES;
		CHECK(ext_filter_pred_is_valid(&pred, 10, 100, DATA), "yes");
		pred.next[side] = EXT_FILTER_FIRST;
		CHECK(!ext_filter_pred_is_valid(&pred, 10, 100, DATA), "back to the first");
		pred.next[side] = 10;
		CHECK(!ext_filter_pred_is_valid(&pred, 10, 100, DATA), "to itself");
		pred.next[side] = 100;
		CHECK(!ext_filter_pred_is_valid(&pred, 10, 100, DATA), "behind the last");
		pred.next[side] = U16_MAX;
		CHECK(!ext_filter_pred_is_valid(&pred, 10, 100, DATA), "far behind");
	}
	pred = good;
	pred.mask = 0x100;
	CHECK(!ext_filter_pred_is_valid(&pred, 10, 100, DATA), "a bit beyond the record");
	pred.mask = 0;
	pred.offset = DATA;
	CHECK(ext_filter_pred_is_valid(&pred, 10, 100, DATA), "the end, of which no bit counts");
	pred.offset = DATA + 1;
	CHECK(!ext_filter_pred_is_valid(&pred, 10, 100, DATA), "beyond the end");
	pred.mask = 1ull << 63;
	pred.offset = U16_MAX;
	CHECK(!ext_filter_pred_is_valid(&pred, 10, 100, DATA), "far beyond");
}

int main(void)
{
	static const struct test tests[] = {
		TEST(random_filters_match_as_their_meaning_says),
		TEST(all_bytes_compare_as_c_does),
		TEST(a_long_filter_is_refused),
		TEST(what_is_valid_ends_inside_even_if_it_is_replaced),
		TEST(what_is_not_valid_is_refused),
	};
	int ret = run_tests("filter", tests, ARRAY_SIZE(tests));

	free(data);
	return ret;
}
