// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follows recorded events, and measures what hyp/totals measures, and what vCPUs do. memory.c
 * follows VMs' memory.
 *
 * At EL2, a CPU is between hyp_enter and hyp_exit. Within a stay that the host has begun, EL2
 * may go to a guest, or to firmware, and come back: each time another hyp_exit and hyp_enter.
 */

#include <err.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>
#include <unistd.h>

#include "events.h"
#include "hyp.h"
#include "print.h"
#include "recording.h"
#include "text.h"
#include "tracedat_format.h"
#include "tracefile.h"

/* The reason if the event that has it was not recorded. */
#define REASON_UNKNOWN	"?"

/* A vCPU, while events are being followed. */
struct vcpu_state {
	struct vcpu	vcpu;		/* first, for its users */
	uint64_t	stopped;	/* when it was left, 0 if that is not known */
	int		stopped_on;	/* and on which CPU */
	const char	*reason;	/* and why */
	struct detail	detail;
	enum activity	activity;
	uint64_t	since;		/* 0 if the activity is not known */
	enum activity	runs;		/* what it does when the host runs it: KVM, or the VMM */
	enum activity	at_el1;		/* that, or it does not run */
	uint64_t	time[NR_ACTIVITIES];
	uint64_t	until_stopped[NR_ACTIVITIES];
	struct task	*woken;		/* its thread, if that was woken in this span */
	uint64_t	wakeup;		/* for which the guest runs, 0 if there was none */
};

/* A thread */
struct task {
	pid_t			pid;
	const char		*name;
	struct vcpu_state	*vcpu;		/* that it has run last */
	uint64_t		woken;		/* when it was woken, 0 if it has run since */
	uint64_t		wakeup;		/* the number of that, 0 if no span has it */
};

/* A CPU, from hyp_enter from the host to hyp_exit to the host. */
struct cpu {
	bool			inside;
	enum kind		kind;
	const char		*reason;	/* NULL if no event has told it */
	struct detail		detail;
	uint64_t		entered, left;
	uint64_t		away;		/* in a guest, or in firmware [ns] */
	const char		*firmware;	/* the reason if firmware has the CPU, else NULL */
	bool			run_ended;	/* the guest has run; not yet added */
	uint64_t		run_began, ran;
	struct task		*runner;	/* the task that has run the guest */
	bool			guest_has_run;
	struct vcpu_state	*loaded;	/* what an event has told in this stay */
	struct vcpu_state	*running;
};

/* The fields that tell of which vCPU an event is. */
struct vcpu_fields {
	struct tep_format_field	*vm, *index;
};

/* Tasks that were found before. */
#define NR_RECENT	256

struct follower {
	struct recording	*recording;
	const struct reading	*reading;
	struct tep_handle	*tep;
	struct tracecmd_input	*hyp;		/* its buffer, in a file */
	struct event_field	enter, leave, hcall, smc, abort, exit;
	unsigned long long	guest_exit, from_psci, eret_guest, eret_host;	/* their reasons */
	struct event_field	prev_pid, prev_state, next_pid, woken_pid;
	struct event_field	kvm_entry, userspace_exit, mmio, mark;
	struct detail_events	details;
	const char		*unknown, *none;	/* REASON_UNKNOWN, "-" */
	struct vcpu_fields	*fields;	/* by type of event */
	size_t			nr_types;
	struct cpu		*cpu;
	size_t			nr_cpus;
	void			*tasks, *vcpus;
	struct task		*recent[NR_RECENT];	/* by their pids */
	uint64_t		gap;		/* when events were missing last [ns] */
	uint64_t		nr_wakeups;
	bool			is_over;	/* no other event is wanted */
	struct memory_follower	*memory;
};

/* vCPUs ----------------------------------------------------------------------------- */

static struct vcpu_state *vcpu_new(struct follower *f)
{
	struct recording *r = f->recording;
	struct vcpu_state *v = xzalloc(sizeof(*v));

	v->runs = ACTIVITY_KVM;
	v->at_el1 = ACTIVITY_KVM;
	v->reason = f->unknown;
	r->vcpu = xrealloc(r->vcpu, r->nr_vcpus + 1, sizeof(*r->vcpu));
	r->vcpu[r->nr_vcpus++] = &v->vcpu;
	return v;
}

static int by_number(const void *a, const void *b)
{
	const struct vcpu *x = a, *y = b;

	if (x->vm != y->vm)
		return x->vm < y->vm ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static struct vcpu_state *vcpu_find(const struct follower *f, unsigned int vm, unsigned int index)
{
	const struct vcpu key = { .vm = vm, .index = index };
	void **found = tfind(&key, &f->vcpus, by_number);

	return found ? *found : NULL;
}

static int by_pid(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static struct task *task_of(struct follower *f, pid_t pid)
{
	struct task **recent = &f->recent[(unsigned int)pid % NR_RECENT];

	if (!*recent || (*recent)->pid != pid)
		*recent = tree_get(&f->tasks, &(struct task) { .pid = pid }, sizeof(struct task),
				   by_pid);
	return *recent;
}

/* "qemu-123" */
static const char *name_of(const struct follower *f, struct task *task)
{
	char name[32], clean[32];

	if (!task->name) {
		snprintf(name, sizeof(name), "%s-%d", tep_data_comm_from_pid(f->tep, task->pid),
			 task->pid);
		copy_name(clean, sizeof(clean), name);
		task->name = intern(clean);
	}
	return task->name;
}

/* Only events of guests tell the vCPU; each VM has a number, from 1. */
static void learn_vcpu(struct follower *f, struct cpu *c, struct task *task,
		       const struct tep_record *record, int type)
{
	const struct vcpu_fields *fields = type < f->nr_types ? &f->fields[type] : NULL;
	unsigned int vm, index;
	struct vcpu_state *v;

	if (!fields || !fields->vm)
		return;
	/* The fields have 16 bits. */
	vm = (uint16_t)number_in(fields->vm, record);
	index = (uint16_t)number_in(fields->index, record);
	v = task->vcpu;
	if (!v || v->vcpu.vm != vm || v->vcpu.index != index)
		v = vcpu_find(f, vm, index);
	if (!v) {
		/* If it runs already, no event has told until now which one it is. */
		v = task->vcpu && !task->vcpu->vcpu.vm ? task->vcpu : vcpu_new(f);
		v->vcpu.vm = vm;
		v->vcpu.index = index;
		if (!tsearch(&v->vcpu, &f->vcpus, by_number))
			err(1, "memory");
	}
	c->loaded = v;
	task->vcpu = v;
}

/* Tell of the span that ends now. */
static void span_ends(struct follower *f, struct vcpu_state *v, uint64_t now)
{
	struct span span = { .start = v->since, .end = now, .activity = v->activity };

	if (v->activity == ACTIVITY_GUEST)
		span.runs_for = v->wakeup;
	if (v->stopped) {
		span.reason = v->reason;
		span.detail = v->detail;
	}
	if (v->woken && v->woken->woken) {
		span.woken = v->woken->woken;
		span.wakeup = ++f->nr_wakeups;
		v->woken->wakeup = span.wakeup;
	}
	f->reading->span(&v->vcpu, &span, f->reading->data);
}

/* A vCPU's thread begins an activity. */
static void begins(struct follower *f, struct vcpu_state *v, enum activity activity, uint64_t now)
{
	if (v->since) {
		v->time[v->activity] += now - v->since;
		if (f->reading->span)
			span_ends(f, v, now);
	}
	v->woken = NULL;
	v->activity = activity;
	v->since = now;
}

/* A vCPU's thread enters EL2. */
static void task_enters(struct follower *f, struct task *task, uint64_t now)
{
	if (task->vcpu && task->vcpu->vcpu.first)
		begins(f, task->vcpu, ACTIVITY_EL2, now);
}

/*
 * It leaves EL2. That need not mean that it runs: after sched_switch, KVM makes hypercalls for
 * the thread that the CPU is about to leave.
 */
static void task_leaves(struct follower *f, struct task *task, uint64_t now)
{
	if (task->vcpu && task->vcpu->vcpu.first)
		begins(f, task->vcpu, task->vcpu->at_el1, now);
}

/* It is switched from. */
static void task_stops(struct follower *f, struct task *task, enum activity how, uint64_t now)
{
	if (!task->vcpu)
		return;
	task->vcpu->at_el1 = how;
	task_leaves(f, task, now);
}

/* It is switched to. */
static void task_runs(struct follower *f, struct task *task, uint64_t now)
{
	if (!task->vcpu)
		return;
	task->vcpu->at_el1 = task->vcpu->runs;
	task_leaves(f, task, now);
}

/* It runs, and goes to the VMM, or comes back from there. */
static void task_goes(struct follower *f, struct task *task, enum activity where, uint64_t now)
{
	f->recording->has_kvm = true;
	if (!task->vcpu)
		return;
	task->vcpu->runs = where;
	task_runs(f, task, now);
}

/* Intervals ------------------------------------------------------------------------- */

static int number_of(const struct follower *f, const struct cpu *c)
{
	return c - f->cpu;
}

/* An interval has ended. */
static void add_interval(struct follower *f, struct task *task, struct interval *interval)
{
	const struct reading *reading = f->reading;
	enum activity activity;
	struct row *row;
	struct key key;

	if (reading->has_window &&
	    (interval->start < reading->from || interval->start > reading->to))
		return;
	interval->tid = task->pid;
	interval->key.thread = name_of(f, task);
	if (interval->detail.kind == group_detail(reading->by))
		interval->key.detail = detail_group(&interval->detail);
	key = group_key(&interval->key, reading->by);
	row = table_row(f->recording->table, &key);
	row_add_interval(row, interval->ns);
	for (activity = 0; activity < NR_ACTIVITIES; activity++)
		row->part[activity] += interval->part[activity];
	if (reading->interval)
		reading->interval(f->recording, interval, reading->data);
}

/* It is the host's. Its end, less the time when the CPU was elsewhere, is its length. */
static void add_host(struct follower *f, const struct cpu *c, enum kind kind, struct task *task,
		     uint64_t start, uint64_t ns)
{
	struct interval interval = {
		.key = { .kind = kind, .reason = c->reason ?: f->unknown },
		.start = start, .ns = ns,
		.first_cpu = number_of(f, c), .cpu = number_of(f, c), .detail = c->detail,
	};

	add_interval(f, task, &interval);
}

/* It is a vCPU's. */
static struct interval vcpus_interval(const struct follower *f, const struct cpu *c,
				      const struct vcpu_state *v, uint64_t start, uint64_t end)
{
	return (struct interval) {
		.key = { .vm = v->vcpu.vm, .vcpu = v->vcpu.index },
		.start = start, .ns = end - start,
		.first_cpu = number_of(f, c), .cpu = number_of(f, c),
	};
}

static void add_exit(struct follower *f, const struct cpu *c, const struct vcpu_state *v,
		     struct task *task, uint64_t now)
{
	struct interval interval = vcpus_interval(f, c, v, v->stopped, now);
	enum activity activity;

	interval.key.kind = c->guest_has_run ? KIND_EXIT_EL2 : KIND_EXIT_HOST;
	interval.key.reason = v->reason;
	interval.first_cpu = v->stopped_on;
	interval.detail = v->detail;
	for (activity = 0; activity < NR_ACTIVITIES; activity++)
		interval.part[activity] = v->time[activity] - v->until_stopped[activity];
	add_interval(f, task, &interval);
}

/* The vCPU of a thread that was woken has run at last, unless that is not known for a gap. */
static bool add_wakeup(const struct follower *f, struct task *task, uint64_t now)
{
	struct vcpu *v = &task->vcpu->vcpu;
	const uint64_t woken = task->woken;

	task->woken = 0;
	if (!woken || woken < f->gap || now <= woken)
		return false;
	if (now - woken > v->wakeup.max)
		v->slowest = now;
	row_add_interval(&v->wakeup, now - woken);
	return true;
}

static void guest_begins(struct follower *f, struct cpu *c, struct task *task, uint64_t now)
{
	struct vcpu_state *v = c->loaded ?: task->vcpu ?: vcpu_new(f);

	task->vcpu = v;
	c->running = v;
	c->runner = task;
	v->vcpu.tid = task->pid;
	if (!v->vcpu.first)
		v->vcpu.first = now;
	begins(f, v, ACTIVITY_GUEST, now);
	v->wakeup = add_wakeup(f, task, now) ? task->wakeup : 0;
	if (v->stopped)
		add_exit(f, c, v, task, now);
	v->stopped = 0;
}

static void guest_ends(struct follower *f, struct cpu *c, uint64_t now)
{
	struct vcpu_state *v = c->running;

	if (!v)
		return;
	c->away += now - c->left;
	c->run_began = c->left;
	c->ran = now - c->left;
	c->run_ended = true;
	c->guest_has_run = true;
	begins(f, v, ACTIVITY_EL2, now);
	v->stopped = now;
	v->stopped_on = number_of(f, c);
	v->detail = (struct detail) { 0 };
	v->reason = f->unknown;
	memcpy(v->until_stopped, v->time, sizeof(v->time));
	/* All until here is between the first entry and the last exit. */
	v->vcpu.last = now;
	memcpy(v->vcpu.time, v->time, sizeof(v->time));
}

/* Add the guest's last run. When it ended, its vCPU may not have been known. */
static void add_run(struct follower *f, struct cpu *c)
{
	struct interval interval;

	if (!c->run_ended)
		return;
	c->run_ended = false;
	interval = vcpus_interval(f, c, c->running, c->run_began, c->run_began + c->ran);
	interval.key.kind = KIND_GUEST;
	interval.key.reason = f->none;
	add_interval(f, c->runner, &interval);
}

static void host_enters(struct follower *f, struct cpu *c, struct task *task, const char *reason,
			uint64_t now)
{
	*c = (struct cpu) { .inside = true, .entered = now };
	c->kind = !strcmp(reason, "hvc") ? KIND_HCALL :
		  !strcmp(reason, "smc") ? KIND_SMC : KIND_ABORT;
	task_enters(f, task, now);
}

static void firmware_begins(struct follower *f, struct cpu *c, struct task *task,
			    const char *reason, uint64_t now)
{
	c->firmware = reason;
	if (task->vcpu && task->vcpu->vcpu.first)
		begins(f, task->vcpu, ACTIVITY_FIRMWARE, now);
}

/* If EL2 does the host's call by calls of its own, no event has told their functions. */
static void firmware_ends(struct follower *f, struct cpu *c, struct task *task, uint64_t now)
{
	if (!strcmp(c->firmware, "psci"))
		c->kind = KIND_PSCI;
	else
		add_host(f, c, KIND_FIRMWARE, task, c->left, now - c->left);
	c->away += now - c->left;
	c->firmware = NULL;
	task_enters(f, task, now);
}

/*
 * A hyp_enter after a hyp_exit to firmware, with the same reason, is the return from there. With
 * another reason, tracing was off meanwhile.
 */
static void enters(struct follower *f, struct cpu *c, struct task *task,
		   const struct tep_record *record)
{
	const unsigned long long value = field_value(&f->enter, record);
	const char *reason;

	if (value == f->guest_exit) {
		guest_ends(f, c, record->ts);
		return;
	}
	reason = value_name(&f->enter, value);
	if (c->firmware && c->firmware == reason)
		firmware_ends(f, c, task, record->ts);
	else if (value != f->from_psci)
		host_enters(f, c, task, reason ?: "", record->ts);
}

static void leaves(struct follower *f, struct cpu *c, struct task *task,
		   const struct tep_record *record)
{
	const unsigned long long value = field_value(&f->leave, record);

	add_run(f, c);
	c->left = record->ts;
	if (value == f->eret_guest) {
		guest_begins(f, c, task, record->ts);
	} else if (value == f->eret_host) {
		/* A PSCI call that did not return has no host_smc, and so no reason. */
		if (c->inside && (c->reason || c->kind != KIND_PSCI))
			add_host(f, c, c->kind, task, c->entered,
				 record->ts - c->entered - c->away);
		*c = (struct cpu) { 0 };
		task_leaves(f, task, record->ts);
	} else {
		firmware_begins(f, c, task, value_name(&f->leave, value) ?: "", record->ts);
	}
}

/* Reasons --------------------------------------------------------------------------- */

static const char *reason_of(const struct event_field *names, unsigned long long value)
{
	const char *name = value_name(names, value);
	char text[24];

	if (name)
		return name;
	snprintf(text, sizeof(text), "%#llx", value);
	return intern(text);
}

/* KVM, or the VMM, has found a device at the address that the guest has accessed. */
static void learn_mmio(const struct task *task)
{
	if (task->vcpu && task->vcpu->detail.kind == DETAIL_MEMORY)
		task->vcpu->detail.kind = DETAIL_MMIO;
}

/* Scheduling ------------------------------------------------------------------------ */

/* The states of sched_switch: 0 and 0x100 are R and R+, all others wait for something. */
#define STATE_MASK	0xff

static void switches(struct follower *f, const struct tep_record *record)
{
	const enum activity how = field_value(&f->prev_state, record) & STATE_MASK ?
				  ACTIVITY_BLOCKED : ACTIVITY_PREEMPTED;
	struct task *prev = task_of(f, field_value(&f->prev_pid, record));

	f->recording->has_sched = true;
	if (how == ACTIVITY_BLOCKED)
		prev->woken = 0;
	task_stops(f, prev, how, record->ts);
	task_runs(f, task_of(f, field_value(&f->next_pid, record)), record->ts);
}

/* A thread that has been woken already is not woken again. */
static void wakes(struct follower *f, const struct tep_record *record)
{
	struct task *task = task_of(f, field_value(&f->woken_pid, record));

	f->recording->has_waking = true;
	if (task->woken)
		return;
	task->woken = record->ts;
	task->wakeup = 0;
	if (task->vcpu)
		task->vcpu->woken = task;
}

/* Events ---------------------------------------------------------------------------- */

static struct cpu *cpu_of(struct follower *f, int cpu)
{
	f->cpu = xgrow(f->cpu, &f->nr_cpus, cpu + 1, sizeof(*f->cpu));
	return &f->cpu[cpu];
}

/*
 * Events are missing: what has begun before can't be measured. Any vCPU may have run on this CPU
 * meanwhile, or have been switched to and from. (What other CPUs did meanwhile has been followed
 * already, so an exit may seem longer than it was.)
 */
static void forget(struct follower *f, const struct tep_record *record, bool is_hyps)
{
	struct recording *r = f->recording;
	struct vcpu_state *v;
	size_t i;

	r->table->lost += record->missed_events > 0 ? record->missed_events : 1;
	f->gap = record->ts;
	if (is_hyps)
		memory_lost(f->memory);
	for (i = 0; i < r->nr_vcpus; i++) {
		v = (struct vcpu_state *)r->vcpu[i];
		if (is_hyps)
			v->stopped = 0;
		v->since = 0;
		v->woken = NULL;
		v->at_el1 = v->runs;
	}
}

/* Which process a VM is of, and what that calls it. */
static void learn_vm(struct follower *f, const char *text)
{
	unsigned int number;
	struct vm *vm;
	char name[128];
	int pid;

	if (sscanf(text, "hyptrace: vm=%u pid=%d name=%127[^\n]", &number, &pid, name) != 3)
		return;
	/* Events have 16 bits of the number. */
	vm = table_vm(f->recording->table, (uint16_t)number);
	vm->pid = pid;
	vm->name = intern(make_printable(name));
}

#define SECOND	1000000000ULL

static void learn_clocks(struct recording *r, uint64_t now, const char *text)
{
	struct clock_mark clocks = { 0 };

	if (sscanf(text, "hyptrace: clock at=start boot=%" SCNu64 " mono=%" SCNu64 " real=%" SCNu64,
		   &clocks.boot, &clocks.mono, &clocks.real) != 3)
		return;
	/* The mark was written at once, so the recording's clock is the one that is near. */
	clocks.is_mono = now - clocks.boot + SECOND >= 2 * SECOND;
	if (clocks.is_mono && now - clocks.mono + SECOND >= 2 * SECOND)
		return;
	r->clocks = clocks;
	r->wall_offset = clocks.real - (clocks.is_mono ? clocks.mono : clocks.boot);
}

static void learn_origin(struct recording *r, const char *text)
{
	static const char begin[] = "hyptrace: origin=";

	if (r->origin || strncmp(text, begin, strlen(begin)))
		return;
	r->origin = xstrdup(text + strlen(begin));
}

/* What hyptrace record has written. */
static void learn_mark(struct follower *f, const struct tep_record *record)
{
	const int size = record->size - f->mark.field->offset;
	char *text;

	if (f->mark.field->offset < 0 || size <= 0)
		return;
	text = strndupa((char *)record->data + f->mark.field->offset, size);
	learn_vm(f, text);
	learn_clocks(f->recording, record->ts, text);
	learn_origin(f->recording, text);
}

/* linux/kvm.h */
#define KVM_EXIT_MMIO	6

static void goes_to_vmm(struct follower *f, struct task *task, const struct tep_record *record)
{
	task_goes(f, task, ACTIVITY_VMM, record->ts);
	if (field_value(&f->userspace_exit, record) == KVM_EXIT_MMIO)
		learn_mmio(task);
}

static void follow_host(struct follower *f, struct task *task, const struct tep_record *record,
			int type)
{
	if (type == f->prev_state.type)
		switches(f, record);
	else if (type == f->woken_pid.type)
		wakes(f, record);
	else if (type == f->kvm_entry.type)
		task_goes(f, task, ACTIVITY_KVM, record->ts);
	else if (type == f->userspace_exit.type)
		goes_to_vmm(f, task, record);
	else if (type == f->mmio.type)
		learn_mmio(task);
	else if (type == f->mark.type)
		learn_mark(f, record);
}

static void follow_hyp(struct follower *f, struct cpu *c, struct task *task,
		       const struct tep_record *record, int type)
{
	learn_vcpu(f, c, task, record, type);
	if (type == f->enter.type)
		enters(f, c, task, record);
	else if (type == f->leave.type)
		leaves(f, c, task, record);
	else if (type == f->hcall.type)
		c->reason = value_name(&f->hcall, field_value(&f->hcall, record)) ?:
			    intern("unknown");
	else if (type == f->smc.type)
		c->reason = reason_of(&f->smc, field_value(&f->smc, record));
	else if (type == f->abort.type)
		c->reason = reason_of(&f->exit, detail_class(field_value(&f->abort, record)));
	else if (type == f->exit.type && c->running)
		c->running->reason = reason_of(&f->exit, field_value(&f->exit, record));
	detail_learn(&f->details, record, type, c->running ? &c->running->detail : &c->detail);
}

/* Tell of an event; @c is NULL if it is the host's. False if no other one is wanted. */
static bool tell_event(const struct follower *f, const struct tep_record *record, int type,
		       const struct task *task, const struct cpu *c, const struct vm_memory *memory)
{
	struct followed followed = {
		.record = record, .type = type, .is_hyps = c, .tid = task->pid,
		.vcpu = task->vcpu ? &task->vcpu->vcpu : NULL, .memory = memory,
	};

	if (c) {
		followed.reason = c->reason;
		followed.detail = c->detail;
	}
	return f->reading->event(f->recording, &followed, f->reading->data);
}

/* False if no other event is wanted. */
static bool follow(struct follower *f, const struct tep_record *record, bool is_hyps)
{
	const int type = tep_data_type(f->tep, (struct tep_record *)record);
	const struct vm_memory *memory = NULL;
	struct cpu *c = NULL;
	struct task *task;

	if (type < 0)
		return true;
	if (record->missed_events)
		forget(f, record, is_hyps);
	task = task_of(f, tep_data_pid(f->tep, (struct tep_record *)record));
	if (is_hyps) {
		c = cpu_of(f, record->cpu);
		if (record->missed_events) {
			add_run(f, c);
			*c = (struct cpu) { 0 };
		}
		memory = memory_event(f->memory, type, task->pid, record);
		follow_hyp(f, c, task, record, type);
	} else {
		follow_host(f, task, record, type);
	}
	return !f->reading->event || tell_event(f, record, type, task, c, memory);
}

/* All of a recording ---------------------------------------------------------------- */

static void learn_fields(struct follower *f)
{
	struct tep_event **list = tep_list_events(f->tep, TEP_EVENT_SORT_ID);
	struct tep_format_field *vm, *index;

	for (; list && *list; list++) {
		vm = tep_find_field(*list, "vm");
		index = tep_find_field(*list, "vcpu");
		if (!vm || !index || strcmp((*list)->system, HYP_INSTANCE))
			continue;
		/* A type has 16 bits. */
		if ((*list)->id < 0 || (*list)->id > UINT16_MAX)
			continue;
		f->fields = xgrow(f->fields, &f->nr_types, (*list)->id + 1, sizeof(*f->fields));
		f->fields[(*list)->id] = (struct vcpu_fields) { .vm = vm, .index = index };
	}
}

/* @from is for messages. */
static void follower_init(struct follower *f, struct tep_handle *tep, uint64_t page_size,
			  const struct reading *reading, const char *from)
{
	*f = (struct follower) {
		.tep = tep, .reading = reading,
		.unknown = intern(REASON_UNKNOWN), .none = intern("-"),
	};
	f->enter = event_field(tep, HYP_INSTANCE, "hyp_enter", "reason");
	f->leave = event_field(tep, HYP_INSTANCE, "hyp_exit", "reason");
	if (f->enter.type < 0 || f->leave.type < 0)
		errx(1, "%s: has no hyp_enter and hyp_exit; record these events, too", from);
	f->guest_exit = named_value(&f->enter, "guest_exit");
	f->from_psci = named_value(&f->enter, "psci");
	f->eret_guest = named_value(&f->leave, "eret_guest");
	f->eret_host = named_value(&f->leave, "eret_host");
	f->hcall = event_field(tep, HYP_INSTANCE, "host_hcall", "id");
	f->smc = event_field(tep, HYP_INSTANCE, "host_smc", "id");
	f->abort = event_field(tep, HYP_INSTANCE, "host_mem_abort", "esr");
	f->exit = event_field(tep, HYP_INSTANCE, "vcpu_exit", "reason");
	f->prev_pid = event_field(tep, "sched", "sched_switch", "prev_pid");
	f->prev_state = event_field(tep, "sched", "sched_switch", "prev_state");
	f->next_pid = event_field(tep, "sched", "sched_switch", "next_pid");
	f->woken_pid = event_field(tep, "sched", "sched_waking", "pid");
	f->kvm_entry = event_field(tep, "kvm", "kvm_entry", "vcpu_pc");
	f->userspace_exit = event_field(tep, "kvm", "kvm_userspace_exit", "reason");
	f->mmio = event_field(tep, "kvm", "kvm_mmio", "gpa");
	f->mark = event_field(tep, "ftrace", "print", "buf");
	f->details = detail_events(tep, reading->map);
	learn_fields(f);
	f->recording = xzalloc(sizeof(*f->recording));
	f->recording->table = table_new();
	f->recording->tep = tep;
	f->recording->is_part = reading->has_window;
	f->memory = memory_begin(tep, page_size);
}

static int by_vm(const void *a, const void *b)
{
	return by_number(*(struct vcpu * const *)a, *(struct vcpu * const *)b);
}

/* The vCPUs of the tree are the recording's. */
static void keep_vcpu(void *vcpu)
{
}

static void follower_free(struct follower *f)
{
	event_field_free(&f->enter);
	event_field_free(&f->leave);
	event_field_free(&f->hcall);
	event_field_free(&f->smc);
	event_field_free(&f->exit);
	event_field_free(&f->userspace_exit);
	detail_events_free(&f->details);
	tdestroy(f->tasks, free);
	tdestroy(f->vcpus, keep_vcpu);
	free(f->fields);
	free(f->cpu);
}

static void vcpu_free(struct vcpu *v)
{
	row_clear(&v->wakeup);
	free(v);
}

/* A VM that nobody has named, or too late, has its thread's name. */
static void note_thread(struct vm *vm, const struct vcpu *v)
{
	vm_set_tid(vm, v->index, v->tid);
	if (!vm->name || !strcmp(vm->name, "?"))
		vm->name = intern(v->comm);
}

/* Some VMs are known by their memory only. */
static void note_vms_of_memory(struct recording *r)
{
	size_t i;

	for (i = 0; i < r->memory.nr_vms; i++)
		table_vm(r->table, r->memory.vm[i].vm);
	for (i = 0; i < r->memory.nr_splits; i++)
		table_vm(r->table, r->memory.split[i].vm);
}

static _Noreturn void refuse_empty(const struct follower *f, const char *from)
{
	if (f->reading->has_window)
		errx(1, "%s: nothing has begun in that time (--from, --to)", from);
	errx(1, "%s: has no hyp_enter that a hyp_exit follows; record these events, too", from);
}

/* Note whose the vCPUs are; those that have not been seen from entry to exit come last. */
static struct recording *finish(struct follower *f, const char *from)
{
	struct recording *r = f->recording;
	struct vcpu *v;
	size_t i, kept = 0;

	for (i = 0; i < r->table->nr; i++)
		row_finish(r->table->row[i]);
	for (i = 0; i < r->nr_vcpus; i++) {
		v = r->vcpu[i];
		if (!v->last)
			continue;
		row_finish(&v->wakeup);
		snprintf(v->comm, sizeof(v->comm), "%s", tep_data_comm_from_pid(f->tep, v->tid));
		make_printable(v->comm);
		note_thread(table_vm(r->table, v->vm), v);
		r->vcpu[i] = r->vcpu[kept];
		r->vcpu[kept++] = v;
	}
	r->nr_all = r->nr_vcpus;
	r->nr_vcpus = kept;
	sort(r->vcpu, r->nr_vcpus, sizeof(*r->vcpu), by_vm);
	r->memory = memory_finish(f->memory);
	note_vms_of_memory(r);
	if (!f->reading->is_quiet)
		warn_of_lost(r->table, from);
	if (!r->table->nr && !f->is_over)
		refuse_empty(f, from);
	r->tep = NULL;
	follower_free(f);
	return r;
}

static int follow_file(struct tracecmd_input *handle, struct tep_record *record, int cpu,
		       void *data)
{
	struct follower *f = data;

	/* Not all versions of libtracecmd end when they are told to. */
	if (!f->is_over)
		f->is_over = !follow(f, record, handle == f->hyp);
	return f->is_over;
}

/**
 * trace_hyp() - the hypervisor's buffer in a recording
 * @top:	the recording
 * @path:	its name, for messages
 *
 * If there is none, the program ends with the reason.
 *
 * Return: the buffer, for tracecmd_close()
 */
struct tracecmd_input *trace_hyp(struct tracecmd_input *top, const char *path)
{
	struct tracecmd_input *hyp;
	int i;

	for (i = 0; i < tracecmd_buffer_instances(top); i++) {
		if (strcmp(tracecmd_buffer_instance_name(top, i), HYP_INSTANCE))
			continue;
		hyp = tracecmd_buffer_instance_handle(top, i);
		if (!hyp)
			errx(1, "%s: libtracecmd can't read the buffer '" HYP_INSTANCE "'", path);
		return hyp;
	}
	errx(1, "%s: has no buffer '" HYP_INSTANCE "': record with hyptrace record, or trace-cmd record -B hyp -e hyp",
	     path);
}

/* Reads nothing, as a pipe with JSON can be read only once. */
static bool is_recording(const struct input *input)
{
	char start[TRACEDAT_MAGIC_SIZE];

	return pread(input->fd, start, sizeof(start), 0) == sizeof(start) &&
	       !memcmp(start, TRACEDAT_MAGIC, sizeof(start));
}

/**
 * trace_open() - open a recording
 * @input:	a trace.dat
 *
 * If it can't be read, the program ends with the reason.
 *
 * Return: the recording, for tracecmd_close()
 */
struct tracecmd_input *trace_open(const struct input *input)
{
	struct tracecmd_input *top;

	if (!is_recording(input))
		errx(1, "%s: not a trace.dat", input->path);
	tracecmd_set_loglevel(TEP_LOG_ERROR);
	/* It may have been read before. */
	lseek(input->fd, 0, SEEK_SET);
	top = tracecmd_open_fd(dup(input->fd), TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!top)
		errx(1, "%s: libtracecmd can't read it", input->path);
	return top;
}

/**
 * recording_open() - read a recording
 * @input:	a trace.dat
 * @reading:	what is wanted of it
 *
 * If it can't be read, the program ends with the reason.
 *
 * Return: the recording, for recording_free()
 */
struct recording *recording_open(const struct input *input, const struct reading *reading)
{
	struct tracecmd_input *top = trace_open(input);
	struct tracecmd_input *handles[2] = { top, trace_hyp(top, input->path) };
	struct follower f;
	struct recording *r;

	follower_init(&f, tracecmd_get_tep(top), tracefile_page_size(input), reading,
		      input->path);
	f.hyp = handles[1];
	if (tracecmd_iterate_events_multi(handles, 2, follow_file, &f) < 0)
		errx(1, "%s: libtracecmd can't read all of it", input->path);
	r = finish(&f, input->path);
	tracecmd_close(handles[1]);
	tracecmd_close(top);
	return r;
}

static int follow_live(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	return !follow(data, record, true);
}

/**
 * recording_live() - take what the hypervisor's buffers hold now
 * @reading:	what is wanted of it
 *
 * If there is nothing, the program ends with the reason.
 *
 * Return: the recording, for recording_free()
 */
struct recording *recording_live(const struct reading *reading)
{
	static const char * const systems[] = { HYP_INSTANCE, NULL };
	struct tracefs_instance *hyp = hyp_open();
	struct tep_handle *tep;
	struct recording *r;
	struct follower f;

	tep = tracefs_local_events_system(hyp_dir(), systems);
	if (!tep)
		err(1, "%s/events", hyp_dir());
	follower_init(&f, tep, getpagesize(), reading, HYP_INSTANCE);
	if (tracefs_iterate_raw_events(tep, hyp, NULL, 0, follow_live, &f) < 0)
		err(1, HYP_INSTANCE "/per_cpu");
	r = finish(&f, "the buffer " HYP_INSTANCE);
	tep_free(tep);
	return r;
}

/**
 * recording_free() - free a recording
 * @recording:	the recording
 */
void recording_free(struct recording *recording)
{
	size_t i;

	for (i = 0; i < recording->nr_all; i++)
		vcpu_free(recording->vcpu[i]);
	free(recording->vcpu);
	memory_free(&recording->memory);
	table_free(recording->table);
	free(recording->origin);
	free(recording);
}

/**
 * is_selected_vcpu() - does the user want to see this vCPU?
 * @recording:	the recording
 * @vcpu:	the vCPU
 * @selection:	what the user wants to see
 *
 * Return: true if so
 */
bool is_selected_vcpu(const struct recording *recording, const struct vcpu *vcpu,
		      const struct selection *selection)
{
	return (selection->vm < 0 || vcpu->vm == selection->vm) &&
	       (selection->vcpu < 0 || vcpu->index == selection->vcpu) &&
	       (!selection->pid ||
		is_of_pid(recording->table, vcpu->vm, vcpu->index, selection->pid));
}

/**
 * table_of_file() - the table of a trace.dat, or of what --json has printed
 * @input:	the file
 *
 * If it can't be read, the program ends with the reason.
 *
 * Return: the table
 */
struct table *table_of_file(const struct input *input)
{
	struct recording *recording;
	struct table *table;

	if (!is_recording(input))
		return read_json(input);
	recording = recording_open(input, &(struct reading) { .by = BY_WHOSE | BY_WHAT });
	table = recording->table;
	recording->table = NULL;
	recording_free(recording);
	return table;
}
