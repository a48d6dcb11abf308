// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks what was recorded while guests ran: the hypervisor's events by themselves, and
 * against the host's kvm_entry and kvm_exit.
 *
 * usage: check_recorded DIRECTORY
 * DIRECTORY has the files hyp.cpuN and kvm.cpuN of record.c; run it in the system that
 * recorded them. Prints the first error of each kind on each CPU; then the status is 1.
 *
 * Recorders that do not keep up lose events. Then as many events must be missing as the
 * hypervisor says; nothing is expected of lost events, and everything of others.
 */

#include <err.h>

#include "../hyp_trace.h"

enum what {
	OTHER, HYP_ENTER, HYP_EXIT, LOAD, PUT, ENTER, EXIT, KVM_ENTRY, KVM_EXIT, WHATS
};

static const char * const files[WHATS] = {
	[HYP_ENTER]	= "hyp/hyp_enter",	[HYP_EXIT]	= "hyp/hyp_exit",
	[LOAD]		= "hyp/vcpu_load",	[PUT]		= "hyp/vcpu_put",
	[ENTER]		= "hyp/vcpu_enter",	[EXIT]		= "hyp/vcpu_exit",
	[KVM_ENTRY]	= "kvm/kvm_entry",	[KVM_EXIT]	= "kvm/kvm_exit",
};

/* By event type: the kind, and the offset of "u16 vm, u16 vcpu" in the payload. */
static enum what what_is[65536];
static int vm_at[WHATS];

static void learn(void)
{
	enum what what;

	for (what = 1; what < WHATS; what++) {
		const char *dir = path_of("/sys/kernel/tracing/events/%s", files[what]);
		long long id = get_num(path_of("%s/format", dir), "ID:");
		char *format = get(path_of("%s/format", dir));
		char *vm = strstr(format, "u16 vm;\toffset:");

		if (id <= 0)
			errx(1, "%s: no such event", files[what]);
		what_is[id] = what;
		vm_at[what] = vm ? atoi(vm + 15) - 8 : -1;
		free(format);
	}
}

struct record {
	uint64_t	ts;
	uint64_t	lost;
	enum what	what;
	int		pid;
	uint32_t	vcpu;		/* and its VM's number */
};

struct records {
	struct record	*record;
	size_t		n, size;
};

static void keep(void *data, const struct event *e)
{
	struct records *r = data;
	enum what what = what_is[e->type];
	struct record *record;

	if (r->n == r->size) {
		r->size = r->size ? 2 * r->size : 4096;
		r->record = realloc(r->record, r->size * sizeof(*r->record));
		if (!r->record)
			err(1, "memory for what was recorded");
	}
	record = &r->record[r->n++];
	*record = (struct record) {
		.ts = e->ts, .lost = e->lost, .what = what, .pid = e->pid,
	};
	if (what && vm_at[what] >= 0)
		memcpy(&record->vcpu, e->payload + vm_at[what], sizeof(record->vcpu));
}

static struct records load(const char *path, bool padded)
{
	struct records r = { };
	uint8_t page[page_size()];
	FILE *f = fopen(path, "r");

	if (!f)
		err(1, "%s", path);
	while (fread(page, sizeof(page), 1, f) == 1)
		if (decode_any_page(page, padded, keep, &r) < 0)
			errx(1, "%s: a page makes no sense", path);
	fclose(f);
	return r;
}

/* So many runs of vCPUs must be complete; a ring has room for more in any case. */
#define ENOUGH		1000

/* The state of a CPU at a point of its time line. At first nothing runs. */
struct state {
	int		cpu;
	unsigned int	said;		/* a bit per message */
	size_t		count[WHATS];
	bool		inside;		/* at EL2; not known before the first event */
	bool		known;
	bool		loaded, running;
	bool		guest_known;
	uint32_t	vcpu;
	bool		entered;	/* by kvm_entry, until kvm_exit */
	bool		entered_known;
	int		pid;
	unsigned int	loads;		/* between kvm_entry and kvm_exit */
	bool		loads_known;
	size_t		whole;		/* runs from kvm_entry to kvm_exit without loss */
};

/* Events of the hypervisor are missing here, so its state is unknown. */
static void forget_hyp(struct state *s)
{
	s->known = false;
	s->guest_known = false;
	s->loads_known = false;
}

/* Events of the host are missing here, so its state is unknown. */
static void forget_kvm(struct state *s)
{
	s->entered_known = false;
	s->loads_known = false;
}

static void expect(struct state *s, bool ok, int line, const char *what,
		   const struct record *r)
{
	if (ok || s->said & 1u << line % 32)
		return;
	s->said |= 1u << line % 32;
	printf("# CPU %d, %llu.%09llu: %s; pid %d, entered by %d\n", s->cpu,
	       (unsigned long long)r->ts / 1000000000,
	       (unsigned long long)r->ts % 1000000000, what, r->pid, s->pid);
}

#define EXPECT(s, condition, r)	expect(s, condition, __LINE__, #condition, r)

/* A guest is loaded, entered, left and put, in this order. */
static void step_guest(struct state *s, const struct record *r)
{
	bool known = s->guest_known;

	switch (r->what) {
	case LOAD:
		EXPECT(s, !known || (!s->loaded && !s->running), r);
		EXPECT(s, !s->entered_known || s->pid == r->pid, r);
		s->loads++;
		break;
	case ENTER:
		EXPECT(s, !known || (s->loaded && !s->running && s->vcpu == r->vcpu), r);
		break;
	case EXIT:
		EXPECT(s, !known || (s->running && s->vcpu == r->vcpu), r);
		break;
	case PUT:
		EXPECT(s, !known || (s->loaded && !s->running && s->vcpu == r->vcpu), r);
		break;
	default:
		return;
	}
	s->loaded = r->what != PUT;
	s->running = r->what == ENTER;
	s->vcpu = r->vcpu;
	s->guest_known = true;
}

/* kvm_entry comes before the load, kvm_exit after the put. */
static void step_host(struct state *s, const struct record *r)
{
	bool loaded = s->guest_known && s->loaded;

	if (r->what == KVM_ENTRY) {
		EXPECT(s, !s->entered_known || !s->entered, r);
		EXPECT(s, !loaded, r);
		s->pid = r->pid;
		s->loads = 0;
		s->loads_known = true;
	} else if (r->what == KVM_EXIT) {
		EXPECT(s, !s->entered_known || s->entered, r);
		EXPECT(s, !loaded, r);
		EXPECT(s, !s->loads_known || s->loads == 1, r);
		s->whole += s->loads_known && s->loads == 1;
	} else {
		return;
	}
	s->entered = r->what == KVM_ENTRY;
	s->entered_known = true;
}

/* hyp_enter and hyp_exit alternate. */
static void step(struct state *s, const struct record *r)
{
	s->count[r->what]++;
	if (r->what == HYP_ENTER || r->what == HYP_EXIT) {
		EXPECT(s, !s->known || s->inside == (r->what == HYP_EXIT), r);
		s->inside = r->what == HYP_ENTER;
		s->known = true;
	}
	step_guest(s, r);
	step_host(s, r);
	if (s->guest_known && s->loaded)
		EXPECT(s, !s->entered_known || s->entered, r);
}

/* Does an event of the hypervisor come before one of the host with the same time? */
static bool hyp_first(const struct record *hyp, const struct record *kvm)
{
	return hyp->ts < kvm->ts || (hyp->ts == kvm->ts && kvm->what == KVM_EXIT);
}

static bool loses(const struct records *r, size_t next)
{
	return next < r->n && r->record[next].lost;
}

/* Step through both. After a gap the state is unknown, from the earliest possible point. */
static void walk(struct state *s, const struct records *hyp, const struct records *kvm)
{
	uint64_t last[2] = { };
	size_t h = 0, k = 0;

	while (h < hyp->n || k < kvm->n) {
		bool is_hyp = k == kvm->n ||
			      (h < hyp->n && hyp_first(&hyp->record[h], &kvm->record[k]));
		const struct record *r;

		if (loses(hyp, h))
			forget_hyp(s);
		if (loses(kvm, k))
			forget_kvm(s);
		r = is_hyp ? &hyp->record[h++] : &kvm->record[k++];
		/* Check each sequence by itself; the merged one is always in order. */
		EXPECT(s, r->ts >= last[is_hyp], r);
		last[is_hyp] = r->ts;
		step(s, r);
	}
}

/* The numbers of missing events and of gaps; the host may not give a number. */
static uint64_t lost_of(const struct records *r, size_t *gaps)
{
	uint64_t lost = 0;
	size_t i;

	for (i = 0; i < r->n; i++) {
		lost += r->record[i].lost;
		*gaps += loses(r, i);
	}
	return lost;
}

/* If nothing was lost, the counts of these events agree. */
static bool adds_up(const struct state *s)
{
	return s->count[LOAD] == s->count[KVM_ENTRY] && s->count[LOAD] == s->count[PUT] &&
	       s->count[ENTER] == s->count[EXIT];
}

static bool check_cpu(const char *dir, int cpu, size_t *whole)
{
	struct records hyp = load(path_of("%s/hyp.cpu%d", dir, cpu), false);
	struct records kvm = load(path_of("%s/kvm.cpu%d", dir, cpu), true);
	struct state s = {
		.cpu = cpu, .guest_known = true, .entered_known = true,
	};
	long long overrun = stat_of(cpu, "overrun:");
	size_t gaps = 0, host_gaps = 0;
	uint64_t lost = lost_of(&hyp, &gaps);

	lost_of(&kvm, &host_gaps);
	walk(&s, &hyp, &kvm);
	printf("# CPU %d: %zu events, %zu runs of vCPUs, %zu of kvm_entry, %zu whole; ",
	       cpu, hyp.n, s.count[ENTER], s.count[KVM_ENTRY], s.whole);
	printf("%llu lost in %zu places, of the host's own in %zu\n",
	       (unsigned long long)lost, gaps, host_gaps);
	*whole += s.whole;
	free(hyp.record);
	free(kvm.record);
	if ((long long)lost != overrun || (!gaps && !host_gaps && !adds_up(&s))) {
		printf("# CPU %d: %zu loads, %zu puts, %zu enters, %zu exits; overrun: %lld\n",
		       cpu, s.count[LOAD], s.count[PUT], s.count[ENTER],
		       s.count[EXIT], overrun);
		return false;
	}
	return !s.said;
}

int main(int argc, char **argv)
{
	size_t whole = 0;
	bool ok = true;
	int cpu;

	if (argc != 2)
		errx(2, "usage: check_recorded DIRECTORY");
	learn();
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		ok &= check_cpu(argv[1], cpu, &whole);
	if (whole < ENOUGH) {
		printf("# only %zu of a vCPU's runs were recorded as a whole\n", whole);
		ok = false;
	}
	return !ok;
}
