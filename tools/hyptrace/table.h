/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of intervals: how often something took how long, by VM, vCPU, kind and reason. It
 * comes from hyp/totals (totals.h), from events (recording.h), or from JSON (json.h).
 */
#ifndef HYPTRACE_TABLE_H
#define HYPTRACE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What is measured; see Documentation/trace/hyp.rst, "Totals". A vCPU's kinds are first. */
enum kind {
	KIND_GUEST,
	KIND_EXIT_HOST,
	KIND_EXIT_EL2,
	KIND_HCALL,
	KIND_SMC,
	KIND_PSCI,
	KIND_FIRMWARE,
	KIND_ABORT,
	NR_KINDS
};

extern const char * const kind_names[NR_KINDS];

static inline bool is_vcpus(enum kind kind)
{
	return kind <= KIND_EXIT_EL2;
}

/* What a vCPU's thread does. */
enum activity {
	ACTIVITY_GUEST,		/* the guest runs */
	ACTIVITY_EL2,		/* at EL2, for the guest or for the host */
	ACTIVITY_FIRMWARE,	/* firmware that EL2 has called */
	ACTIVITY_KVM,		/* the host's kernel runs the thread: it handles an exit */
	ACTIVITY_VMM,		/* the VMM does */
	ACTIVITY_PREEMPTED,	/* the thread could run, and something else does */
	ACTIVITY_BLOCKED,	/* the thread waits */
	NR_ACTIVITIES
};

extern const char * const activity_names[NR_ACTIVITIES];

/*
 * Bucket i of a histogram has the intervals up to 2^i ns that no lower bucket has; the last
 * bucket has what is longer than all bounds. The bounds are those of hyp/totals.
 */
enum {
	FIRST_BUCKET	= 5,
	LAST_BOUND	= 35,
	INF_BUCKET,
	NR_BUCKETS
};

#define REASON_SIZE	64
#define NR_RECENT	256

/**
 * struct key - what intervals have in common
 * @vm:		number of the VM, 0 for the host's kinds and if VMs are added up
 * @vcpu:	index of the vCPU, 0 for the host's kinds and if vCPUs are added up
 * @detail:	what it was for, as "0x9000000 read 4"; NULL if that is not known or added up
 * @thread:	the thread, as "qemu-123"; NULL if that is not known or added up
 * @kind:	what was measured
 * @reason:	name of the hypercall, the exit...
 *
 * Texts are from intern().
 */
struct key {
	unsigned int	vm, vcpu;
	enum kind	kind;
	const char	*reason, *detail, *thread;
};

/**
 * struct row - intervals with the same key
 * @key:	their key
 * @count:	number of intervals
 * @total:	their sum [ns]
 * @min:	the shortest [ns]
 * @max:	the longest [ns]
 * @min_is_bound: the shortest is not known; it is not shorter than @min
 * @max_is_bound: the longest is not known; it is not longer than @max
 * @bucket:	histogram
 * @spread:	how much this differs between runs; NULL if there was only one
 * @part:	what the vCPU's thread did in that time [ns], if a recording tells it
 * @squares:	sum of the intervals' squares [ns^2], 0 if only the histogram is known
 * @times:	each interval [ns], @count of them, sorted; NULL if they are not kept
 * @size:	allocated length of @times
 * @fine:	a finer histogram, for percentiles, of those that are not kept; NULL if only @bucket
 *		is known
 */
struct row {
	struct key	key;
	uint64_t	count, total, min, max;
	bool		min_is_bound, max_is_bound;
	uint64_t	bucket[NR_BUCKETS];
	struct spread	*spread;
	uint64_t	part[NR_ACTIVITIES];
	double		squares;
	uint64_t	*times;
	size_t		size;
	struct fine	*fine;
};

/* What a percentile is. */
enum precision {
	PRECISE,		/* one of the intervals */
	PRECISE_TO_PERCENT,	/* not more than 1 % from one */
	UPPER_BOUND,
};

enum vm_state {
	VM_UNKNOWN,
	VM_ALIVE,
	VM_GONE
};

/**
 * struct vm - a VM that the table's rows are about
 * @number:	its number
 * @pid:	of the process that has created it, 0 if that is not known
 * @name:	what that process calls it, from intern(); NULL if that is not known
 * @state:	whether it has been destroyed
 * @tid:	threads of its vCPUs, 0 for a vCPU whose thread is not known
 * @nr_vcpus:	length of @tid
 */
struct vm {
	unsigned int	number;
	pid_t		pid;
	const char	*name;
	enum vm_state	state;
	pid_t		*tid;
	unsigned int	nr_vcpus;
};

/**
 * struct table - a table of intervals
 * @recent:	rows that were found before, by a hash of their keys
 * @row:	the rows
 * @nr:		their number
 * @tree:	the same rows, for tsearch()
 * @vm:		the VMs
 * @nr_vms:	their number
 * @run:	the runs of which this is the sum
 * @nr_runs:	their number, 0 if it is no sum
 * @seconds:	how long it was measured, 0 if that is not known
 * @until:	of one of several, when it ended since the first one began; else 0 [s]
 * @lost:	events that were lost
 * @has_forgotten: the kernel has forgotten VMs that were gone, since it was measured
 * @has_bounds:	percentiles are bounds, because only the histogram is known
 */
struct table {
	struct row	*recent[NR_RECENT];
	struct row	**row;
	size_t		nr;
	void		*tree;
	struct vm	*vm;
	size_t		nr_vms;
	struct table	**run;
	size_t		nr_runs;
	double		seconds, until;
	uint64_t	lost;
	bool		has_forgotten;
	bool		has_bounds;
};

struct table *table_new(void);
void table_free(struct table *table);
struct row *table_find(const struct table *table, const struct key *key);
struct row *table_row(struct table *table, const struct key *key);
struct table *table_difference(const struct table *now, const struct table *before);
struct vm *table_find_vm(const struct table *table, unsigned int number);
struct vm *table_vm(struct table *table, unsigned int number);
void vm_set_tid(struct vm *vm, unsigned int vcpu, pid_t tid);

enum kind kind_of(const char *name);
int bucket_of_bound(const char *bound);
void row_add_interval(struct row *row, uint64_t ns);
void row_merge(struct row *row, const struct row *other);
void row_finish(struct row *row);
void row_clear(struct row *row);
void rows_keep_all(void);
enum precision row_precision(const struct row *row);
const char *precision_sign(const struct row *row);
double row_deviation(const struct row *row);
uint64_t row_percentile(const struct row *row, unsigned int percent);

void *xrealloc(void *memory, size_t number, size_t size);
void *xzalloc(size_t size);
char *xstrdup(const char *text);
const char *intern(const char *text);
void *tree_get(void **tree, const void *key, size_t size,
	       int (*compare)(const void *a, const void *b));
void sort(void *array, size_t number, size_t size, int (*compare)(const void *a, const void *b));

#endif /* HYPTRACE_TABLE_H */
