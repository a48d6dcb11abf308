// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints how long the CPUs were at EL2, by reason: from each hyp_enter to its hyp_exit, as
 * read from trace_pipe_raw. The event after hyp_enter gives the reason, if it is enabled:
 * host_hcall, host_smc, vcpu_exit.
 *
 * usage: hyp_times
 */

#include "../hyp_names.h"

static struct names reasons, hcalls, smcs, exits;

/* A line of the table. */
struct line {
	char		what[80];
	uint64_t	*ns;
	size_t		n, size;
};

#define MAX_LINES	256

static struct line lines[MAX_LINES];
static size_t nr_lines;

static void add(const char *what, uint64_t ns)
{
	struct line *l = lines;

	while (l < lines + nr_lines && strcmp(l->what, what))
		l++;
	if (l == lines + nr_lines) {
		if (nr_lines == MAX_LINES)
			return;
		nr_lines++;
		snprintf(l->what, sizeof(l->what), "%s", what);
	}
	if (l->n == l->size) {
		l->size = l->size ? 2 * l->size : 64;
		l->ns = realloc(l->ns, l->size * sizeof(*l->ns));
	}
	l->ns[l->n++] = ns;
}

/* The state of a CPU. */
struct state {
	bool		inside;
	uint64_t	entered;
	char		what[80];
	int		exit_type;
};

static void step(void *data, const struct event *e)
{
	struct state *s = data;

	if (e->lost)
		s->inside = false;
	if (e->type == reasons.type) {
		s->inside = true;
		s->entered = e->ts;
		snprintf(s->what, sizeof(s->what), "%s", name_of(&reasons, e));
	} else if (!s->inside) {
		return;
	} else if (e->type == hcalls.type) {
		snprintf(s->what, sizeof(s->what), "hvc %s", name_of(&hcalls, e));
	} else if (e->type == smcs.type) {
		snprintf(s->what, sizeof(s->what), "smc %s", name_of(&smcs, e));
	} else if (e->type == exits.type) {
		snprintf(s->what, sizeof(s->what), "guest_exit %s", name_of(&exits, e));
	} else if (e->type == s->exit_type) {
		add(s->what, e->ts - s->entered);
		s->inside = false;
	}
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static uint64_t sum(const struct line *l)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < l->n; i++)
		sum += l->ns[i];
	return sum;
}

static int by_sum(const void *a, const void *b)
{
	uint64_t x = sum(a), y = sum(b);

	return x > y ? -1 : x < y;
}

static void print(struct line *l)
{
	qsort(l->ns, l->n, sizeof(*l->ns), by_value);
	printf("%-44s %7zu %10.1f %10.1f %10.1f %10.2f\n", l->what, l->n,
	       sum(l) / 1e3 / l->n, l->ns[(l->n * 99 + 99) / 100 - 1] / 1e3,
	       l->ns[l->n - 1] / 1e3, sum(l) / 1e6);
}

int main(void)
{
	struct state s;
	size_t i;
	int cpu;

	reasons = learn("hyp_enter", "reason");
	hcalls = learn("host_hcall", "id");
	smcs = learn("host_smc", "id");
	exits = learn("vcpu_exit", "reason");
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		s = (struct state) { .exit_type = event_id("hyp_exit") };
		if (read_raw(cpu, step, &s) < 0) {
			fprintf(stderr, "CPU %d: no trace_pipe_raw, or a page makes no sense\n",
				cpu);
			return 1;
		}
	}
	qsort(lines, nr_lines, sizeof(lines[0]), by_sum);
	printf("%-44s %7s %10s %10s %10s %10s\n", "time at EL2", "count", "mean us",
	       "p99 us", "max us", "all ms");
	for (i = 0; i < nr_lines; i++)
		print(&lines[i]);
	return 0;
}
