/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads hyp/totals for tests.
 */
#ifndef HYP_TOTALS_H
#define HYP_TOTALS_H

#include "../hyp_trace.h"

#define TOTALS HYP "totals/"

/* A line of hyp/totals/table. */
struct total {
	unsigned int	vm, vcpu;
	char		kind[16];
	char		reason[64];
	uint64_t	count, total, min, max;
	uint64_t	in_buckets;	/* sum of the histogram */
	bool		ordered;	/* the histogram's bounds increase, and fit min and max */
};

/* hyp/totals/table at one time. */
struct totals {
	struct total	*rows;
	size_t		n;
	bool		malformed;
};

/* Sum up a histogram, and check its bounds. */
static inline void parse_histogram(struct total *row, char *text)
{
	unsigned long long last = 0, bound, count;
	char *save, *pair = strtok_r(text, " ", &save);

	row->ordered = true;
	for (; pair; pair = strtok_r(NULL, " ", &save)) {
		if (!strncmp(pair, "inf:", 4)) {
			bound = UINT64_MAX;
			count = strtoull(pair + 4, NULL, 10);
		} else if (sscanf(pair, "%llu:%llu", &bound, &count) != 2) {
			row->ordered = false;
			return;
		}
		/* The first bucket has the shortest interval, the last one the longest. */
		if (!last && row->min > bound)
			row->ordered = false;
		if (bound <= last || !count)
			row->ordered = false;
		last = bound;
		row->in_buckets += count;
	}
	if (row->max > last)
		row->ordered = false;
}

static inline bool parse_row(struct total *row, char *line)
{
	int at = 0;

	memset(row, 0, sizeof(*row));
	if (sscanf(line, "%u\t%u\t%15[^\t]\t%63[^\t]\t%lu\t%lu\t%lu\t%lu\t%n", &row->vm,
		   &row->vcpu, row->kind, row->reason, &row->count, &row->total, &row->min,
		   &row->max, &at) != 8 || !at)
		return false;
	parse_histogram(row, line + at);
	return true;
}

static inline struct totals totals_read(void)
{
	char *text = get(TOTALS "table"), *save, *line;
	struct totals t = {
		.rows = calloc(count_of(text, "\n") + 1, sizeof(*t.rows)),
		.malformed = strncmp(text, "vm\tvcpu\tkind\treason\tcount\t", 26),
	};

	line = strtok_r(text, "\n", &save);
	while ((line = strtok_r(NULL, "\n", &save)))
		t.malformed |= !parse_row(&t.rows[t.n++], line);
	free(text);
	return t;
}

static inline void totals_free(struct totals *t)
{
	free(t->rows);
}

/* The row of a VM and vCPU (0 for the host), with a count of 0 if there is none. */
static inline struct total totals_of(const struct totals *t, unsigned int vm, unsigned int vcpu,
				     const char *kind, const char *reason)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (t->rows[i].vm == vm && t->rows[i].vcpu == vcpu &&
		    !strcmp(t->rows[i].kind, kind) && !strcmp(t->rows[i].reason, reason))
			return t->rows[i];
	return (struct total) { .vm = vm, .vcpu = vcpu };
}

/* The count of a kind; of one reason, unless @reason is NULL. */
static inline uint64_t count_of_kind(const char *kind, const char *reason)
{
	struct totals t = totals_read();
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < t.n; i++)
		if (!strcmp(t.rows[i].kind, kind) &&
		    (!reason || !strcmp(t.rows[i].reason, reason)))
			sum += t.rows[i].count;
	totals_free(&t);
	return sum;
}

/* Hypercalls of emit(). */
static inline uint64_t emitted_calls(void)
{
	return count_of_kind("hcall", "__hyp_trace_write_event");
}

/* Totals are off, and at 0. */
static inline bool totals_fresh(void)
{
	return !put(TOTALS "enable", "0") && !put(TOTALS "reset", "1");
}

/* They are on, and have begun at 0. */
static inline bool totals_on(void)
{
	return totals_fresh() && !put(TOTALS "enable", "1");
}

/* The number of rows that made no sense, or of vCPUs that ran and were not measured. */
static inline long long bad_totals(void)
{
	return get_num(TOTALS "stats", "bad: ");
}

static inline long long unmeasured_vcpus(void)
{
	return get_num(TOTALS "stats", "unmeasured: ");
}

/* The number of the last VM of a VMM, from hyp/totals/vms; 0 if there is none. */
static inline unsigned int vm_of(pid_t pid)
{
	char *text = get(TOTALS "vms"), *line, *save;
	unsigned int number, last = 0;
	int its_pid;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (sscanf(line, "%u\t%d\t", &number, &its_pid) == 2 && its_pid == pid)
			last = number;
	free(text);
	return last;
}

#endif /* HYP_TOTALS_H */
