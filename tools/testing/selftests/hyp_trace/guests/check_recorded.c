// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks what was recorded while guests ran: the hypervisor's events for themselves,
 * and against what the host recorded of the same, its kvm_entry and kvm_exit.
 *
 * usage: check_recorded DIRECTORY
 * with the files hyp.cpuN and kvm.cpuN of record.c, in the system that recorded them.
 * What is wrong is said, the first of its kind on each CPU; status 1 then.
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

/* By event type, and where in the payload there is "u16 vm, u16 vcpu". */
static enum what what_is[65536];
static int vm_at[WHATS];

static void learn(void)
{
	enum what what;

	for (what = 1; what < WHATS; what++) {
		const char *dir = path_of("/sys/kernel/tracing/events/%s", files[what]);
		long long id = get_num(path_of("%s/id", dir), "");
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
	uint32_t	vcpu;		/* with its VM's number */
};

struct records {
	struct record	*record;
	size_t		n, size;
};

static void append(void *data, const struct event *e)
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

static struct records load(const char *path)
{
	struct records r = { };
	uint8_t page[PAGE];
	FILE *f = fopen(path, "r");

	if (!f)
		err(1, "%s", path);
	while (fread(page, sizeof(page), 1, f) == 1)
		if (decode_page(page, append, &r) < 0)
			errx(1, "%s: a page makes no sense", path);
	fclose(f);
	return r;
}

/* What is known at a point of a CPU's time line. */
struct state {
	int		cpu;
	unsigned int	said;		/* bit per complaint */
	size_t		count[WHATS];
	bool		inside;		/* of EL2; not known before the first event */
	bool		known;
	bool		loaded, running, entered;
	uint32_t	vcpu;
	unsigned int	loads;		/* between kvm_entry and kvm_exit */
	int		pid;
};

static void expect(struct state *s, bool ok, int line, const char *what,
		   const struct record *r)
{
	if (ok || s->said & 1u << line % 32)
		return;
	s->said |= 1u << line % 32;
	printf("# CPU %d, %llu.%09llu: %s\n", s->cpu,
	       (unsigned long long)r->ts / 1000000000,
	       (unsigned long long)r->ts % 1000000000, what);
}

#define EXPECT(s, condition, r)	expect(s, condition, __LINE__, #condition, r)

/* EL2 is entered and left in turn; a guest is loaded, entered, left, put. */
static void step(struct state *s, const struct record *r)
{
	s->count[r->what]++;
	switch (r->what) {
	case HYP_ENTER:
	case HYP_EXIT:
		EXPECT(s, !s->known || s->inside == (r->what == HYP_EXIT), r);
		s->inside = r->what == HYP_ENTER;
		s->known = true;
		break;
	case LOAD:
		EXPECT(s, !s->loaded && !s->running, r);
		s->loaded = true;
		s->vcpu = r->vcpu;
		s->loads++;
		EXPECT(s, s->pid == r->pid, r);
		break;
	case ENTER:
		EXPECT(s, s->loaded && !s->running && s->vcpu == r->vcpu, r);
		s->running = true;
		break;
	case EXIT:
		EXPECT(s, s->running && s->vcpu == r->vcpu, r);
		s->running = false;
		break;
	case PUT:
		EXPECT(s, s->loaded && !s->running && s->vcpu == r->vcpu, r);
		s->loaded = false;
		break;
	case KVM_ENTRY:
		EXPECT(s, !s->entered && !s->loaded, r);
		s->entered = true;
		s->loads = 0;
		s->pid = r->pid;
		break;
	case KVM_EXIT:
		EXPECT(s, s->entered && !s->loaded && s->loads == 1, r);
		s->entered = false;
		break;
	default:
		break;
	}
	if (s->loaded)
		EXPECT(s, s->entered, r);
}

/* Does a hypervisor's event come before one of the host's that has the same time? */
static bool hyp_first(const struct record *hyp, const struct record *kvm)
{
	return hyp->ts < kvm->ts || (hyp->ts == kvm->ts && kvm->what == KVM_EXIT);
}

static bool check_cpu(const char *dir, int cpu, size_t *guests)
{
	struct records hyp = load(path_of("%s/hyp.cpu%d", dir, cpu));
	struct records kvm = load(path_of("%s/kvm.cpu%d", dir, cpu));
	struct state s = { .cpu = cpu };
	uint64_t last = 0, lost = 0;
	size_t h = 0, k = 0;

	while (h < hyp.n || k < kvm.n) {
		bool is_hyp = k == kvm.n ||
			      (h < hyp.n && hyp_first(&hyp.record[h], &kvm.record[k]));
		const struct record *r = is_hyp ? &hyp.record[h++] : &kvm.record[k++];

		/* Of each by itself; merged they are in order whatever they are. */
		if (is_hyp) {
			EXPECT(&s, r->ts >= last, r);
			last = r->ts;
			lost += r->lost;
		}
		EXPECT(&s, !r->lost, r);
		step(&s, r);
	}
	printf("# CPU %d: %zu events, %zu runs of vCPUs, %zu of kvm_entry, %llu lost\n",
	       cpu, hyp.n, s.count[ENTER], s.count[KVM_ENTRY],
	       (unsigned long long)lost);
	*guests += s.count[ENTER];
	if ((long long)lost != stat_of(cpu, "overrun:") ||
	    s.count[LOAD] != s.count[KVM_ENTRY] || s.count[LOAD] != s.count[PUT] ||
	    s.count[ENTER] != s.count[EXIT]) {
		printf("# CPU %d: %zu loads, %zu puts, %zu enters, %zu exits; overrun: %lld\n",
		       cpu, s.count[LOAD], s.count[PUT], s.count[ENTER],
		       s.count[EXIT], stat_of(cpu, "overrun:"));
		return false;
	}
	free(hyp.record);
	free(kvm.record);
	return !s.said;
}

int main(int argc, char **argv)
{
	size_t guests = 0;
	bool ok = true;
	int cpu;

	if (argc != 2)
		errx(2, "usage: check_recorded DIRECTORY");
	learn();
	for (cpu = 0; cpu < nr_cpus(); cpu++)
		ok &= check_cpu(argv[1], cpu, &guests);
	if (!guests) {
		printf("# no guest ran at all\n");
		ok = false;
	}
	return !ok;
}
