// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follows the calls of the hypervisor's functions in a recording. While the hypervisor runs a guest
 * or firmware, that is called [guest] or [firmware]; hyp_enter and hyp_exit tell.
 */

#include <err.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <trace-cmd.h>

#include "events.h"
#include "graph.h"
#include "hyp.h"
#include "recording.h"
#include "text.h"

/* ftrace's limit, FTRACE_RETFUNC_DEPTH. */
#define MAX_DEPTH	50

/* Linux has no more on arm64; a damaged file may. */
#define MAX_CPUS	4096

/* A guest and firmware are called by the function that waits, and are deeper than any. */
#define AWAY_DEPTH	UINT64_MAX

/* The hypervisor's functions have this before their names in the kernel. */
#define PREFIX		"__kvm_nvhe_"

struct reader {
	const struct graph_user	*user;
	struct tep_handle	*tep;
	struct event_field	entry_func, entry_depth, exit_func, exit_depth;
	struct event_field	hyp_enter, hyp_exit;
	/* The CPU that is read: its functions that have not returned, and its last event [ns]. */
	int			cpu;
	uint64_t		depth[MAX_DEPTH], func[MAX_DEPTH];
	int			open;
	uint64_t		last;
	uint64_t		entries, lost;
	char			name[512];	/* KSYM_NAME_LEN */
};

static void close_from(struct reader *r, uint64_t depth, uint64_t ts)
{
	while (r->open && r->depth[r->open - 1] >= depth) {
		r->open--;
		r->user->close(r->user->data, r->cpu, ts);
	}
}

static void open_at(struct reader *r, uint64_t depth, uint64_t func, const char *name, uint64_t ts)
{
	if (r->open == MAX_DEPTH)
		return;
	r->depth[r->open] = depth;
	r->func[r->open++] = func;
	r->user->open(r->user->data, r->cpu, name, ts);
}

static const char *name_of(struct reader *r, uint64_t func)
{
	const char *name = tep_find_function(r->tep, func) ?: "?";

	if (!strncmp(name, PREFIX, strlen(PREFIX)))
		name += strlen(PREFIX);
	copy_name(r->name, sizeof(r->name), name);
	return r->name;
}

static void enter(struct reader *r, const struct tep_record *record)
{
	const uint64_t depth = field_value(&r->entry_depth, record);
	const uint64_t func = field_value(&r->entry_func, record);

	/* The returns of these have been lost, or were not recorded. */
	close_from(r, depth, record->ts);
	open_at(r, depth, func, name_of(r, func), record->ts);
	r->entries++;
}

static void leave(struct reader *r, const struct tep_record *record)
{
	const uint64_t depth = field_value(&r->exit_depth, record);

	close_from(r, depth + 1, record->ts);
	if (r->open && r->depth[r->open - 1] == depth &&
	    r->func[r->open - 1] == field_value(&r->exit_func, record))
		close_from(r, depth, record->ts);
}

/* The hypervisor is left. This is no function's time if no function is known that waits. */
static void goes_away(struct reader *r, const struct tep_record *record)
{
	const char *reason = value_name(&r->hyp_exit, field_value(&r->hyp_exit, record)) ?: "";

	close_from(r, AWAY_DEPTH, record->ts);
	if (strcmp(reason, "eret_host") && r->open)
		open_at(r, AWAY_DEPTH, 0, strcmp(reason, "eret_guest") ? "[firmware]" : "[guest]",
			record->ts);
}

static int follow(struct tracecmd_input *handle, struct tep_record *record, int cpu, void *data)
{
	struct reader *r = data;
	int type = tep_data_type(r->tep, record);

	if (record->missed_events) {
		r->lost += record->missed_events > 0 ? record->missed_events : 1;
		close_from(r, 0, r->last);
	}
	r->last = record->ts;
	if (type < 0)
		return 0;
	if (type == r->entry_func.type)
		enter(r, record);
	else if (type == r->exit_func.type)
		leave(r, record);
	else if (type == r->hyp_exit.type)
		goes_away(r, record);
	else if (type == r->hyp_enter.type)
		close_from(r, AWAY_DEPTH, record->ts);
	return 0;
}

static void follow_cpu(struct reader *r, struct tracecmd_input *hyp, const char *path)
{
	const size_t size = CPU_ALLOC_SIZE(r->cpu + 1);
	cpu_set_t *cpus = CPU_ALLOC(r->cpu + 1);

	if (!cpus)
		err(1, "memory");
	CPU_ZERO_S(size, cpus);
	CPU_SET_S(r->cpu, size, cpus);
	if (tracecmd_iterate_events(hyp, cpus, size, follow, r) < 0)
		errx(1, "%s: libtracecmd can't read all of it", path);
	close_from(r, 0, r->last);
	CPU_FREE(cpus);
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

	r.entry_func = event_field(r.tep, "ftrace", "funcgraph_entry", "func");
	r.entry_depth = event_field(r.tep, "ftrace", "funcgraph_entry", "depth");
	r.exit_func = event_field(r.tep, "ftrace", "funcgraph_exit", "func");
	r.exit_depth = event_field(r.tep, "ftrace", "funcgraph_exit", "depth");
	r.hyp_enter = event_field(r.tep, HYP_INSTANCE, "hyp_enter", "reason");
	r.hyp_exit = event_field(r.tep, HYP_INSTANCE, "hyp_exit", "reason");
	for (r.cpu = 0; r.cpu < tep_get_cpus(r.tep) && r.cpu < MAX_CPUS; r.cpu++)
		follow_cpu(&r, hyp, input->path);
	if (!r.entries)
		errx(1, "%s: has no calls of functions: use hyptrace record --graph",
		     input->path);
	if (r.lost)
		warnx("%s: %" PRIu64 " events were lost, and calls end there",
		      input->path, r.lost);
	event_field_free(&r.hyp_enter);
	event_field_free(&r.hyp_exit);
	tracecmd_close(hyp);
	tracecmd_close(top);
}
