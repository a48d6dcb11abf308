/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What recorded events tell: the same intervals as hyp/totals, and what vCPUs did when.
 */
#ifndef HYPTRACE_RECORDING_H
#define HYPTRACE_RECORDING_H

#include "input.h"
#include "interval.h"
#include "map.h"
#include "memory.h"
#include "select.h"
#include "table.h"

/**
 * struct span - a vCPU's thread does one thing for some time
 * @start:	when it begins [ns]
 * @end:	when it ends [ns]
 * @activity:	what it does
 * @reason:	if it handles an exit: why the guest has exited; else NULL
 * @detail:	the same: what that was for
 * @woken:	when the thread was woken meanwhile [ns], 0 if it was not
 * @wakeup:	the number of that wakeup, from 1; 0 if there was none
 * @runs_for:	of a guest's run: the wakeup that it follows, 0 if there was none
 */
struct span {
	uint64_t	start, end;
	enum activity	activity;
	const char	*reason;
	struct detail	detail;
	uint64_t	woken, wakeup, runs_for;
};

/**
 * struct vcpu - a vCPU, from its first entry to its last exit
 * @vm:		the VM's number, 0 if no event has told it
 * @index:	its index in the VM
 * @tid:	the thread that has run it last
 * @comm:	the thread's name
 * @first:	time of the first entry [ns], 0 if there was none
 * @last:	time of the last exit [ns]
 * @time:	time of each activity from @first to @last [ns]
 * @drawing:	for whoever gets its spans
 * @wakeup:	intervals from the waking of a thread to the vCPU's entry
 * @slowest:	when the longest of them ended [ns]
 */
struct vcpu {
	unsigned int	vm, index;
	pid_t		tid;
	char		comm[20];
	uint64_t	first, last;
	uint64_t	time[NR_ACTIVITIES];
	struct row	wakeup;
	uint64_t	slowest;
	void		*drawing;
};

/**
 * struct followed - an event that has been followed
 * @record:	the event
 * @type:	its type
 * @is_hyps:	it is the hypervisor's, not the host's
 * @tid:	the thread that the CPU ran
 * @vcpu:	the vCPU that this thread has run last, NULL if it has run none
 * @reason:	why the CPU is at EL2, NULL if no event has told it
 * @detail:	what for
 * @memory:	a VM's memory if the event has changed what is mapped of it, else NULL
 */
struct followed {
	const struct tep_record	*record;
	int			type;
	bool			is_hyps;
	pid_t			tid;
	struct vcpu		*vcpu;
	const char		*reason;
	struct detail		detail;
	const struct vm_memory	*memory;
};

struct recording;

/**
 * struct reading - what is wanted of a recording, besides its tables
 * @by:		what rows tell apart, from rows_by() or at least BY_WHAT
 * @map:	names of addresses, or NULL
 * @has_window:	only what begins from @from to @to is wanted
 * @is_quiet:	it has been read before, so there is nothing to warn of
 * @from:	see @has_window [ns]
 * @to:		the same
 * @interval:	gets each interval, when an event has told all of it; may be NULL
 * @span:	gets each span, also those behind a vCPU's last exit; may be NULL
 * @event:	gets each event, after what ends with it; may be NULL. If it returns false, no
 *		other event is read
 * @data:	for these
 */
struct reading {
	unsigned int		by;
	struct map		*map;
	bool			has_window, is_quiet;
	uint64_t		from, to;
	void			(*interval)(const struct recording *recording,
					    const struct interval *interval, void *data);
	void			(*span)(struct vcpu *vcpu, const struct span *span, void *data);
	bool			(*event)(const struct recording *recording,
					 const struct followed *followed, void *data);
	void			*data;
};

/**
 * struct clock_mark - what clocks said when the recording began [ns]
 * @boot:	CLOCK_BOOTTIME
 * @mono:	CLOCK_MONOTONIC
 * @real:	CLOCK_REALTIME, 0 if nothing is known
 * @is_mono:	the recording's clock is CLOCK_MONOTONIC, not CLOCK_BOOTTIME
 */
struct clock_mark {
	uint64_t	boot, mono, real;
	bool		is_mono;
};

/**
 * struct recording - what was recorded
 * @table:	intervals, as in hyp/totals
 * @vcpu:	the vCPUs
 * @nr_vcpus:	their number
 * @nr_all:	with those behind them, of which events do not tell enough
 * @memory:	the memory of VMs
 * @tep:	the types of events, as long as it is read
 * @clocks:	what clocks said
 * @origin:	where it was recorded, as JSON; NULL if that is not known
 * @wall_offset: from the recording's clock to the wall clock [ns], 0 if that is not known
 * @has_sched:	events say when threads run; without them they never wait
 * @has_kvm:	events say when the VMM has a thread; without them ACTIVITY_KVM has its time
 * @has_waking:	events say when threads are woken
 * @is_part:	the table is of a part of it, all else is of the whole
 */
struct recording {
	struct table	*table;
	struct vcpu	**vcpu;
	size_t		nr_vcpus, nr_all;
	struct memory	memory;
	struct tep_handle *tep;
	struct clock_mark clocks;
	char		*origin;
	int64_t		wall_offset;
	bool		has_sched, has_kvm, has_waking, is_part;
};

struct tracecmd_input;

struct tracecmd_input *trace_open(const struct input *input);
struct tracecmd_input *trace_hyp(struct tracecmd_input *top, const char *path);
struct recording *recording_open(const struct input *input, const struct reading *reading);
struct recording *recording_live(const struct reading *reading);
void recording_free(struct recording *recording);
bool is_selected_vcpu(const struct recording *recording, const struct vcpu *vcpu,
		      const struct selection *selection);
struct table *table_of_file(const struct input *input);

#endif /* HYPTRACE_RECORDING_H */
