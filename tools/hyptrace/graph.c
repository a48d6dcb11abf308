// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follows the calls of the hypervisor's functions in a recording. While the hypervisor runs a guest
 * or firmware, that is called [guest] or [firmware]; hyp_enter and hyp_exit tell.
 */

#include <err.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>

#include "color.h"
#include "events.h"
#include "graph.h"
#include "hyp.h"
#include "recording.h"
#include "text.h"

/* Linux has no more on arm64; a damaged file may. */
#define MAX_CPUS	4096

/* A stay is deeper than nothing; functions' own depths begin behind it. */
#define STAY_DEPTH	0

/* A guest and firmware are called by the function that waits, and are deeper than any. */
#define AWAY_DEPTH	UINT64_MAX

/* The hypervisor's functions have this before their names in the kernel. */
#define PREFIX		"__kvm_nvhe_"

/* Functions whose names were found before */
#define NR_RECENT	256

/* A CPU: its frames that are open, and when its last event was [ns]. */
struct graph_cpu {
	uint64_t	depth[MAX_FRAMES], func[MAX_FRAMES];
	int		open;
	bool		entered, left;	/* hyp_enter, or hyp_exit, has told of the stay */
	uint64_t	last;
};

struct graph {
	const struct graph_user	*user;
	struct tep_handle	*tep;
	struct event_field	entry_func, entry_depth, exit_func, exit_depth;
	struct event_field	hyp_enter, hyp_exit;
	unsigned long long	guest_exit, eret_guest, eret_host;	/* their reasons */
	const char		*guest, *firmware;
	struct graph_cpu	*cpu;
	size_t			nr_cpus;
	uint64_t		entries, lost;
	struct {
		uint64_t	func;
		const char	*name;
	} recent[NR_RECENT];
};

static void close_from(struct graph *g, struct graph_cpu *c, uint64_t depth, uint64_t ts)
{
	while (c->open && c->depth[c->open - 1] >= depth) {
		c->open--;
		g->user->close(g->user->data, c - g->cpu, ts);
	}
}

static void open_at(struct graph *g, struct graph_cpu *c, uint64_t depth, enum frame frame,
		    uint64_t func, const char *name, uint64_t ts)
{
	if (c->open == MAX_FRAMES)
		return;
	c->depth[c->open] = depth;
	c->func[c->open++] = func;
	g->user->open(g->user->data, c - g->cpu, frame, name, ts);
}

static const char *name_of(struct graph *g, uint64_t func)
{
	const size_t i = func / 4 % NR_RECENT;
	char copy[512];		/* KSYM_NAME_LEN */
	const char *name;

	if (!g->recent[i].name || g->recent[i].func != func) {
		name = tep_find_function(g->tep, func) ?: "?";
		if (!strncmp(name, PREFIX, strlen(PREFIX)))
			name += strlen(PREFIX);
		copy_name(copy, sizeof(copy), name);
		g->recent[i].func = func;
		g->recent[i].name = intern(copy);
	}
	return g->recent[i].name;
}

/* There is a stay, as a function is called in it, or hyp_enter tells. */
static void open_stay(struct graph *g, struct graph_cpu *c, uint64_t ts)
{
	if (!g->user->has_stays || c->open)
		return;
	c->entered = false;
	c->left = false;
	open_at(g, c, STAY_DEPTH, FRAME_STAY, 0, NULL, ts);
}

/* Functions may be called before hyp_enter, and return after hyp_exit. */
static void close_stay(struct graph *g, struct graph_cpu *c, uint64_t ts)
{
	if (g->user->has_stays && c->open == 1 && (c->left || !c->entered))
		close_from(g, c, STAY_DEPTH, ts);
}

static void enter(struct graph *g, struct graph_cpu *c, const struct tep_record *record)
{
	const uint64_t depth = field_value(&g->entry_depth, record);
	const uint64_t func = field_value(&g->entry_func, record);

	open_stay(g, c, record->ts);
	/* The returns of these have been lost, or were not recorded. */
	close_from(g, c, STAY_DEPTH + 1 + depth, record->ts);
	open_at(g, c, STAY_DEPTH + 1 + depth, FRAME_FUNCTION, func, name_of(g, func), record->ts);
	g->entries++;
}

static void leave(struct graph *g, struct graph_cpu *c, const struct tep_record *record)
{
	const uint64_t depth = STAY_DEPTH + 1 + field_value(&g->exit_depth, record);

	close_from(g, c, depth + 1, record->ts);
	if (c->open && c->depth[c->open - 1] == depth &&
	    c->func[c->open - 1] == field_value(&g->exit_func, record))
		close_from(g, c, depth, record->ts);
	close_stay(g, c, record->ts);
}

/* The CPU comes from the host, unless it was away. */
static void comes_back(struct graph *g, struct graph_cpu *c, const struct tep_record *record)
{
	const bool was_away = c->open && c->depth[c->open - 1] == AWAY_DEPTH;

	close_from(g, c, AWAY_DEPTH, record->ts);
	if (was_away || field_value(&g->hyp_enter, record) == g->guest_exit || !g->user->has_stays)
		return;
	/* The hyp_exit of the stay before is missing. */
	if (c->entered)
		close_from(g, c, STAY_DEPTH, record->ts);
	open_stay(g, c, record->ts);
	c->entered = true;
}

/* The hypervisor is left. This is nobody's time if nothing is known that waits. */
static void goes_away(struct graph *g, struct graph_cpu *c, const struct tep_record *record)
{
	const unsigned long long reason = field_value(&g->hyp_exit, record);

	close_from(g, c, AWAY_DEPTH, record->ts);
	if (reason == g->eret_host) {
		c->left = true;
		close_stay(g, c, record->ts);
	} else if (c->open) {
		open_at(g, c, AWAY_DEPTH, FRAME_AWAY, 0,
			reason == g->eret_guest ? g->guest : g->firmware, record->ts);
	}
}

static struct graph_cpu *cpu_of(struct graph *g, int cpu)
{
	g->cpu = xgrow(g->cpu, &g->nr_cpus, cpu + 1, sizeof(*g->cpu));
	return &g->cpu[cpu];
}

/**
 * graph_new() - begin to follow calls
 * @tep:	the events
 * @user:	told of each call, and of each return; it must stay
 *
 * Return: what is known of calls, for graph_free()
 */
struct graph *graph_new(struct tep_handle *tep, const struct graph_user *user)
{
	struct graph *g = xzalloc(sizeof(*g));

	g->user = user;
	g->tep = tep;
	g->entry_func = event_field(tep, "ftrace", "funcgraph_entry", "func");
	g->entry_depth = event_field(tep, "ftrace", "funcgraph_entry", "depth");
	g->exit_func = event_field(tep, "ftrace", "funcgraph_exit", "func");
	g->exit_depth = event_field(tep, "ftrace", "funcgraph_exit", "depth");
	g->hyp_enter = event_field(tep, HYP_INSTANCE, "hyp_enter", "reason");
	g->hyp_exit = event_field(tep, HYP_INSTANCE, "hyp_exit", "reason");
	g->guest_exit = named_value(&g->hyp_enter, "guest_exit");
	g->eret_guest = named_value(&g->hyp_exit, "eret_guest");
	g->eret_host = named_value(&g->hyp_exit, "eret_host");
	g->guest = intern("[guest]");
	g->firmware = intern("[firmware]");
	return g;
}

/**
 * graph_event() - an event of the hypervisor has happened
 * @graph:	from graph_new()
 * @record:	the event
 * @type:	its type, -1 if that can't be read
 */
void graph_event(struct graph *graph, const struct tep_record *record, int type)
{
	struct graph_cpu *c = cpu_of(graph, record->cpu);

	if (record->missed_events) {
		graph->lost += record->missed_events > 0 ? record->missed_events : 1;
		close_from(graph, c, STAY_DEPTH, c->last);
	}
	c->last = record->ts;
	/* A type that the recording does not have is -1 in @graph, too: it must not match. */
	if (type < 0)
		return;
	if (type == graph->entry_func.type)
		enter(graph, c, record);
	else if (type == graph->exit_func.type)
		leave(graph, c, record);
	else if (type == graph->hyp_exit.type)
		goes_away(graph, c, record);
	else if (type == graph->hyp_enter.type)
		comes_back(graph, c, record);
}

static void close_all(struct graph *g, int cpu)
{
	close_from(g, &g->cpu[cpu], STAY_DEPTH, g->cpu[cpu].last);
}

/**
 * graph_free() - there are no more events
 * @graph:	from graph_new(); it is freed
 */
void graph_free(struct graph *graph)
{
	size_t cpu;

	for (cpu = 0; cpu < graph->nr_cpus; cpu++)
		close_all(graph, cpu);
	event_field_free(&graph->hyp_enter);
	event_field_free(&graph->hyp_exit);
	free(graph->cpu);
	free(graph);
}

static int follow(struct tracecmd_input *handle, struct tep_record *record, int cpu, void *data)
{
	struct graph *g = data;

	graph_event(g, record, tep_data_type(g->tep, record));
	return 0;
}

static void read_cpu(struct graph *g, int cpu, struct tracecmd_input *hyp, const char *path)
{
	const size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *cpus = CPU_ALLOC(cpu + 1);

	if (!cpus)
		err(1, "memory");
	CPU_ZERO_S(size, cpus);
	CPU_SET_S(cpu, size, cpus);
	if (tracecmd_iterate_events(hyp, cpus, size, follow, g) < 0)
		errx(1, "%s: libtracecmd can't read all of it", path);
	if (cpu < g->nr_cpus)
		close_all(g, cpu);
	CPU_FREE(cpus);
}

/**
 * graph_read() - follow the calls in a recording
 * @input:	a trace.dat
 * @user:	told of each call, and of each return; one CPU comes after the other
 *
 * If it can't be read or has none, the program ends with the reason.
 */
void graph_read(const struct input *input, const struct graph_user *user)
{
	struct tracecmd_input *top = trace_open(input), *hyp = trace_hyp(top, input->path);
	struct tep_handle *tep = tracecmd_get_tep(top);
	struct graph *g = graph_new(tep, user);
	int cpu;

	for (cpu = 0; cpu < tep_get_cpus(tep) && cpu < MAX_CPUS; cpu++)
		read_cpu(g, cpu, hyp, input->path);
	if (!g->entries)
		errx(1, "%s: has no calls of functions: use hyptrace record --graph",
		     input->path);
	if (g->lost)
		warn_missing("%s: %" PRIu64 " events were lost, and calls end there",
			     input->path, g->lost);
	graph_free(g);
	tracecmd_close(hyp);
	tracecmd_close(top);
}
