// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps the time of a guest to the time of its host.
 *
 * A guest may tell any times: the map must be one, whatever they are. Pairs that contradict
 * others are left out, and results that no 64 bits hold are the nearest that 64 bits hold.
 * Products of two times need 128 bits, and so do differences with a sign.
 */

#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "clockmap.h"

/*
 * A guest's clock may stop while the host's goes on, but it is not much faster: adjtimex(2) changes
 * the speed of a clock by a 10th at most. Times that are close to each other have been rounded.
 */
#define MAX_FASTER	4		/* a 4th */
#define MAX_ROUNDING	100000		/* [ns] */

/*
 * Two pairs that are 100 ms apart tell how fast a clock is, to 1 ppm. If the clock is slower than
 * the other one by more than a 4th, it has stood still.
 */
#define MIN_MEASURED	100000000	/* [ns] */
#define MAX_DIFFERENT	4		/* a 4th */

/**
 * clockmap_add() - add a pair of times
 * @map:	the map
 * @guest:	the guest's time [ns]
 * @host:	the host's time [ns]
 *
 * Pairs may be added in any order; clockmap_choose() chooses among them.
 */
void clockmap_add(struct clockmap *map, uint64_t guest, uint64_t host)
{
	/* The length doubles, when it is a power of two. */
	if (!(map->given & (map->given - 1)))
		map->pair = xrealloc(map->pair, map->given ? 2 * map->given : 1,
				     sizeof(*map->pair));
	map->pair[map->given++] = (struct clock_pair) { .guest = guest, .host = host };
}

/* Runs ------------------------------------------------------------------------------ */

/* Pairs in the order of the host's time, in which the guest's clock goes on. */
struct run {
	struct clock_pair	first, last;
	size_t			nr;
};

/* Runs that may go on; the one that has gone on last is the first. */
#define MAX_OPEN	16

struct runs {
	struct run	*run;
	size_t		nr, size;
	size_t		open[MAX_OPEN], nr_open;
};

/* Find out if a pair can follow another, and for how long a clock has stood still then [ns]. */
static bool follows(const struct clock_pair *pair, const struct clock_pair *last, __int128 *still)
{
	const __int128 guest = (__int128)pair->guest - last->guest;
	const __int128 host = (__int128)pair->host - last->host;

	*still = host > guest ? host - guest : guest - host;
	return guest > 0 && host > 0 && guest <= host + host / MAX_FASTER + MAX_ROUNDING;
}

/*
 * Choose the run that has to make room for a new one. Single pairs that contradict all others
 * must not displace a run that is real.
 */
static size_t choose_closed(const struct runs *runs)
{
	size_t i;

	for (i = runs->nr_open - 1; i > 0; i--)
		if (runs->run[runs->open[i]].nr == 1)
			return i;
	return runs->nr_open - 1;
}

/* Make a run the first of those that are open: @i is its place until now. */
static void move_to_front(struct runs *runs, size_t i, size_t run)
{
	memmove(runs->open + 1, runs->open, i * sizeof(*runs->open));
	runs->open[0] = run;
}

static size_t begin_run(struct runs *runs)
{
	if (runs->nr == runs->size) {
		runs->size = runs->size ? 2 * runs->size : 16;
		runs->run = xrealloc(runs->run, runs->size, sizeof(*runs->run));
	}
	if (runs->nr_open < MAX_OPEN)
		move_to_front(runs, runs->nr_open++, runs->nr);
	else
		move_to_front(runs, choose_closed(runs), runs->nr);
	return runs->nr++;
}

/*
 * How well a pair goes on with a run. If the clocks have gone on all the time, it does for sure. If
 * one has stood still, a single pair is more likely to be nonsense than a run.
 */
enum fit {
	FITS_NOT,
	FITS_SINGLE,
	FITS_RUN,
	FITS_WELL,
};

static enum fit fit(const struct run *run, const struct clock_pair *pair, __int128 *still)
{
	if (!follows(pair, &run->last, still))
		return FITS_NOT;
	if (*still <= (pair->host - run->last.host) / MAX_DIFFERENT)
		return FITS_WELL;
	return run->nr > 1 ? FITS_RUN : FITS_SINGLE;
}

/* Find the open run that a pair goes on with; return its place, or the number of open ones. */
static size_t find_open(const struct runs *runs, const struct clock_pair *pair)
{
	size_t i, best = runs->nr_open;
	enum fit best_fit = FITS_NOT, its;
	__int128 still, least = 0;

	for (i = 0; i < runs->nr_open; i++) {
		its = fit(&runs->run[runs->open[i]], pair, &still);
		if (its < best_fit || its == FITS_NOT || (its == best_fit && still >= least))
			continue;
		best_fit = its;
		least = still;
		best = i;
	}
	return best;
}

/* Let a pair go on with a run, or begin one; the pairs come in order. Return the run. */
static size_t add_to_run(struct runs *runs, const struct clock_pair *pair)
{
	size_t i = find_open(runs, pair), run;

	if (i == runs->nr_open) {
		run = begin_run(runs);
		runs->run[run] = (struct run) { .first = *pair };
	} else {
		run = runs->open[i];
		move_to_front(runs, i, run);
	}
	runs->run[run].last = *pair;
	runs->run[run].nr++;
	return run;
}

/* How long a run and the recording overlap; if they do not, minus their distance [ns]. */
static __int128 overlap(const struct run *run, uint64_t first, uint64_t last)
{
	const uint64_t start = run->first.guest > first ? run->first.guest : first;
	const uint64_t end = run->last.guest < last ? run->last.guest : last;

	return (__int128)end - start;
}

/*
 * Choose the run that covers most of the recording, of several the last one, or the run that the
 * user wants. A single pair is no run, unless there is nothing else. Return its index, or the
 * number of runs if there is none.
 */
static size_t choose_run(struct clockmap *map, const struct runs *runs, size_t shortest,
			 uint64_t first, uint64_t last, unsigned int wanted)
{
	size_t i, best = runs->nr;
	__int128 most = 0, its;

	for (i = 0; i < runs->nr; i++) {
		if (runs->run[i].nr < shortest)
			continue;
		map->runs++;
		map->in_others += runs->run[i].nr;
		its = overlap(&runs->run[i], first, last);
		if (wanted ? map->runs != wanted : best < runs->nr && its < most)
			continue;
		map->alike = best < runs->nr && its == most ? map->alike + 1 : 0;
		map->run = map->runs;
		most = its;
		best = i;
	}
	return best;
}

static int by_host(const void *a, const void *b)
{
	const struct clock_pair *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return x->guest < y->guest ? -1 : x->guest > y->guest;
}

static struct clock_pair difference(const struct clock_pair *a, const struct clock_pair *b)
{
	return (struct clock_pair) {
		.guest = a->guest > b->guest ? a->guest - b->guest : b->guest - a->guest,
		.host = a->host > b->host ? a->host - b->host : b->host - a->host,
	};
}

/*
 * How fast the clocks are next to the first or the last pair, from which @step leads to others. If
 * the guest's clock has stood still there, that says nothing about the time before or behind it.
 */
static struct clock_pair speed_at(const struct clockmap *map, size_t end, int step)
{
	static const struct clock_pair same = { 1, 1 };
	struct clock_pair speed;
	size_t i;

	for (i = end + step; i < map->nr; i += step) {
		speed = difference(&map->pair[i], &map->pair[end]);
		if (speed.guest < MIN_MEASURED)
			continue;
		if (speed.host > speed.guest &&
		    speed.host - speed.guest > speed.guest / MAX_DIFFERENT)
			return same;
		return speed;
	}
	return same;
}

/**
 * clockmap_choose() - choose the pairs for a recording
 * @map:	the map; all pairs have been added
 * @first:	the guest's time at the start of the recording [ns]
 * @last:	the guest's time at its end [ns]
 * @wanted:	the run to take, from 1; 0 for the one that covers most of the recording, and of
 *		several the last one
 *
 * Return: false if there is none
 */
bool clockmap_choose(struct clockmap *map, uint64_t first, uint64_t last, unsigned int wanted)
{
	size_t *of = xrealloc(NULL, map->given + 1, sizeof(*of)), i, longest = 0, best;
	struct runs runs = { 0 };

	sort(map->pair, map->given, sizeof(*map->pair), by_host);
	for (i = 0; i < map->given; i++) {
		of[i] = add_to_run(&runs, &map->pair[i]);
		if (runs.run[of[i]].nr > longest)
			longest = runs.run[of[i]].nr;
	}
	best = choose_run(map, &runs, longest < 2 ? 1 : 2, first, last, wanted);
	for (i = 0; i < map->given; i++)
		if (of[i] == best)
			map->pair[map->nr++] = map->pair[i];
	map->in_others -= map->nr;
	if (map->nr) {
		map->before = speed_at(map, 0, 1);
		map->behind = speed_at(map, map->nr - 1, -1);
	}
	free(runs.run);
	free(of);
	return map->nr;
}

/* The map --------------------------------------------------------------------------- */

/* Return what is nearest to ns * numerator / denominator, UINT64_MAX at most. */
static uint64_t scale(uint64_t ns, uint64_t numerator, uint64_t denominator)
{
	unsigned __int128 scaled = ns;

	scaled = (scaled * numerator + denominator / 2) / denominator;
	return scaled > UINT64_MAX ? UINT64_MAX : scaled;
}

static uint64_t saturating_add(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

static uint64_t saturating_sub(uint64_t a, uint64_t b)
{
	return b > a ? 0 : a - b;
}

/* Count the pairs up to a time. */
static size_t count_until(const struct clockmap *map, uint64_t guest)
{
	size_t low = 0, high = map->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (map->pair[middle].guest <= guest)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * clockmap_host() - the host's time at a time of the guest
 * @map:	the map; pairs have been chosen
 * @guest:	the guest's time [ns]
 *
 * Between two pairs it is on the line through them; before the first and behind the last one, the
 * clocks are as fast as they are next to it.
 *
 * Return: the host's time [ns]
 */
uint64_t clockmap_host(const struct clockmap *map, uint64_t guest)
{
	const size_t i = count_until(map, guest);
	const struct clock_pair *pair = map->pair;
	struct clock_pair speed = map->behind;

	if (!i)
		return saturating_sub(pair->host, scale(pair->guest - guest, map->before.host,
							map->before.guest));
	pair += i - 1;
	if (i < map->nr)
		speed = difference(pair, pair + 1);
	return saturating_add(pair->host, scale(guest - pair->guest, speed.host, speed.guest));
}

/* The smallest and the largest difference between the host's time and the guest's. */
struct bounds {
	__int128	min, max;
};

static void extend(struct bounds *bounds, uint64_t guest, uint64_t host)
{
	const __int128 difference = (__int128)host - guest;

	if (difference < bounds->min)
		bounds->min = difference;
	if (difference > bounds->max)
		bounds->max = difference;
}

static __int128 clamp(__int128 value, __int128 min, __int128 max)
{
	return value < min ? min : value > max ? max : value;
}

/**
 * clockmap_offset() - the offset that comes closest to a map
 * @map:	the map; pairs have been chosen
 * @first:	the guest's time at the start of the recording [ns]
 * @last:	the guest's time at its end [ns]
 *
 * Return: the offset with the smallest error in that time
 */
struct clock_offset clockmap_offset(const struct clockmap *map, uint64_t first, uint64_t last)
{
	struct bounds bounds = { .min = UINT64_MAX, .max = -(__int128)UINT64_MAX };
	__int128 middle;
	size_t i;

	/* The difference is largest and smallest where the map bends, or where it ends. */
	extend(&bounds, first, clockmap_host(map, first));
	extend(&bounds, last, clockmap_host(map, last));
	for (i = count_until(map, first); i < map->nr && map->pair[i].guest < last; i++)
		extend(&bounds, map->pair[i].guest, map->pair[i].host);
	middle = clamp(bounds.min + (bounds.max - bounds.min) / 2, INT64_MIN, INT64_MAX);
	return (struct clock_offset) {
		.ns = middle,
		.error = clamp(bounds.max - middle > middle - bounds.min ? bounds.max - middle :
			       middle - bounds.min, 0, UINT64_MAX),
	};
}
