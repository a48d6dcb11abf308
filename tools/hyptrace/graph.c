// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follows the calls of the hypervisor's functions in a recording. While the hypervisor runs a guest
 * or firmware, that is called [guest] or [firmware]; hyp_enter and hyp_exit tell.
 */

#include <err.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>

#include "basics.h"
#include "events.h"
#include "graph.h"
#include "hyp.h"
#include "recording.h"
#include "text.h"

/* ftrace's limit, FTRACE_RETFUNC_DEPTH. */
#define MAX_DEPTH	50

/* A guest and firmware are called by the function that waits, and are deeper than any. */
#define AWAY_DEPTH	UINT64_MAX

/* The hypervisor's functions have this before their names in the kernel. */
#define PREFIX		"__kvm_nvhe_"

/* A CPU's functions that have not returned: their depths in the hypervisor, and addresses. */
struct calls {
	uint64_t	depth[MAX_DEPTH], func[MAX_DEPTH];
	int		open;
	uint64_t	last;		/* [ns] */
};

struct reader {
	const struct graph_user	*user;
	struct tep_handle	*tep;
	struct event_field	entry_func, entry_depth, exit_func, exit_depth;
	struct event_field	hyp_enter, hyp_exit;
	struct calls		*cpu;
	int			nr_cpus;
	uint64_t		entries, lost;
	char			name[512];	/* KSYM_NAME_LEN */
};

static void close_from(struct reader *r, int cpu, uint64_t depth, uint64_t ts)
{
	struct calls *calls = &r->cpu[cpu];

	while (calls->open && calls->depth[calls->open - 1] >= depth) {
		calls->open--;
		r->user->close(r->user->data, cpu, ts);
	}
}

static const char *name_of(struct reader *r, uint64_t func)
{
	const char *name = tep_find_function(r->tep, func) ?: "?";

	if (!strncmp(name, PREFIX, strlen(PREFIX)))
		name += strlen(PREFIX);
	copy_name(r->name, sizeof(r->name), name);
	return r->name;
}

static void enter(struct reader *r, int cpu, const struct tep_record *record)
{
	uint64_t depth = field_value(&r->entry_depth, record);
	struct calls *calls = &r->cpu[cpu];

	/* The returns of these have been lost, or were not recorded. */
	close_from(r, cpu, depth, record->ts);
	if (calls->open == MAX_DEPTH)
		return;
	calls->depth[calls->open] = depth;
	calls->func[calls->open++] = field_value(&r->entry_func, record);
	r->entries++;
	r->user->open(r->user->data, cpu, name_of(r, calls->func[calls->open - 1]), record->ts);
}

static void leave(struct reader *r, int cpu, const struct tep_record *record)
{
	uint64_t depth = field_value(&r->exit_depth, record);
	const struct calls *calls = &r->cpu[cpu];

	close_from(r, cpu, depth + 1, record->ts);
	if (calls->open && calls->depth[calls->open - 1] == depth &&
	    calls->func[calls->open - 1] == field_value(&r->exit_func, record))
		close_from(r, cpu, depth, record->ts);
}

/* The hypervisor is left. This is no function's time if no function is known that waits. */
static void goes_away(struct reader *r, int cpu, const struct tep_record *record)
{
	const char *reason = value_name(&r->hyp_exit, field_value(&r->hyp_exit, record)) ?: "";
	struct calls *calls = &r->cpu[cpu];

	close_from(r, cpu, AWAY_DEPTH, record->ts);
	if (!strcmp(reason, "eret_host") || !calls->open || calls->open == MAX_DEPTH)
		return;
	calls->depth[calls->open] = AWAY_DEPTH;
	calls->func[calls->open++] = 0;
	r->user->open(r->user->data, cpu,
		      strcmp(reason, "eret_guest") ? "[firmware]" : "[guest]", record->ts);
}

static int follow(struct tracecmd_input *handle, struct tep_record *record, int cpu, void *data)
{
	struct reader *r = data;
	int type = tep_data_type(r->tep, record);

	if (cpu >= r->nr_cpus) {
		r->cpu = xrealloc(r->cpu, cpu + 1, sizeof(*r->cpu));
		memset(r->cpu + r->nr_cpus, 0, (cpu + 1 - r->nr_cpus) * sizeof(*r->cpu));
		r->nr_cpus = cpu + 1;
	}
	if (record->missed_events) {
		r->lost += record->missed_events > 0 ? record->missed_events : 1;
		close_from(r, cpu, 0, r->cpu[cpu].last);
	}
	r->cpu[cpu].last = record->ts;
	if (type < 0)
		return 0;
	if (type == r->entry_func.type)
		enter(r, cpu, record);
	else if (type == r->exit_func.type)
		leave(r, cpu, record);
	else if (type == r->hyp_exit.type)
		goes_away(r, cpu, record);
	else if (type == r->hyp_enter.type)
		close_from(r, cpu, AWAY_DEPTH, record->ts);
	return 0;
}

/**
 * graph_read() - follow the calls in a recording
 * @input:	a trace.dat
 * @user:	told of each call, and of each return
 *
 * If it can't be read or has none, the program ends with the reason.
 */
void graph_read(const struct input *input, const struct graph_user *user)
{
	struct tracecmd_input *top = trace_open(input), *hyp = trace_hyp(top, input->path);
	struct reader r = { .user = user, .tep = tracecmd_get_tep(top) };
	int cpu;

	r.entry_func = event_field(r.tep, "ftrace", "funcgraph_entry", "func");
	r.entry_depth = event_field(r.tep, "ftrace", "funcgraph_entry", "depth");
	r.exit_func = event_field(r.tep, "ftrace", "funcgraph_exit", "func");
	r.exit_depth = event_field(r.tep, "ftrace", "funcgraph_exit", "depth");
	r.hyp_enter = event_field(r.tep, HYP_INSTANCE, "hyp_enter", "reason");
	r.hyp_exit = event_field(r.tep, HYP_INSTANCE, "hyp_exit", "reason");
	if (tracecmd_iterate_events(hyp, NULL, 0, follow, &r) < 0)
		errx(1, "%s: libtracecmd can't read all of it", input->path);
	for (cpu = 0; cpu < r.nr_cpus; cpu++)
		close_from(&r, cpu, 0, r.cpu[cpu].last);
	if (!r.entries)
		errx(1, "%s: has no calls of functions: use hyptrace record --graph",
		     input->path);
	if (r.lost)
		warnx("%s: %" PRIu64 " events were lost, and calls end there",
		      input->path, r.lost);
	event_field_free(&r.hyp_enter);
	event_field_free(&r.hyp_exit);
	free(r.cpu);
	tracecmd_close(hyp);
	tracecmd_close(top);
}
