// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of perf and BPF on the hypervisor's events, by system calls: counts are exact, samples
 * are the events as EL2 has recorded them, and the usual permissions are needed.
 */

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "hyp_follow.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

static struct perf_event_attr attr_of(const char *event)
{
	return (struct perf_event_attr) {
		.type		= PERF_TYPE_TRACEPOINT,
		.size		= sizeof(struct perf_event_attr),
		.config		= event_id(event),
	};
}

/* perf_event_open(): a file descriptor, or -errno. */
static int perf_open_in(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return perf_open_in(attr, pid, cpu, -1);
}

static long long value_of(int fd)
{
	uint64_t value;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : -1;
}

FIXTURE(perf) {
	int cpus;
	char *paranoid;
};

FIXTURE_SETUP(perf)
{
	self->cpus = nr_cpus();
	self->paranoid = get(PARANOID);
	if (!*self->paranoid)
		SKIP(return, "this kernel has no perf events");
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	ASSERT_EQ(0, put(HYP "events/enable", "0"));
	ASSERT_EQ(0, put(HYP "trace", ""));
	ASSERT_EQ(0, run_on(0));
	ASSERT_TRUE(is_quiet());
}

FIXTURE_TEARDOWN(perf)
{
	put(HYP "tracing_on", "0");
	put(HYP "events/enable", "0");
	put(PARANOID, self->paranoid);
	free(self->paranoid);
}

/* Counting ------------------------------------------------------------------------ */

TEST_F(perf, counts_each_event_once)
{
	struct perf_event_attr attr = attr_of("selftest");
	int fd[self->cpus], cpu;

	for (cpu = 0; cpu < self->cpus; cpu++) {
		fd[cpu] = perf_open(&attr, -1, cpu);
		ASSERT_LE(0, fd[cpu]);
	}
	ASSERT_EQ(0, emit_on_all(self->cpus, 1, 1000));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		if (el2_can_ring())
			EXPECT_EQ(1000, value_of(fd[cpu]));
		ASSERT_EQ(0, ioctl(fd[cpu], PERF_EVENT_IOC_DISABLE, 0));
	}
	ASSERT_EQ(0, emit_on_all(self->cpus, 1, 100));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		EXPECT_EQ(1000, value_of(fd[cpu]));
		ASSERT_EQ(0, ioctl(fd[cpu], PERF_EVENT_IOC_ENABLE, 0));
	}
	ASSERT_EQ(0, emit(1, 100));
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(1100, value_of(fd[0]));
	for (cpu = 0; cpu < self->cpus; cpu++)
		close(fd[cpu]);
	EXPECT_TRUE(is_quiet());
}

/* Events that no interrupt has delivered yet belong to who was there, and to nobody else. */
TEST_F(perf, counts_are_exact_when_they_begin_and_end)
{
	struct perf_event_attr attr = attr_of("selftest");
	int first = perf_open(&attr, -1, 0), second, i;

	ASSERT_LE(0, first);
	for (i = 1; i <= 20; i++) {
		ASSERT_EQ(0, write_test(HYP_TRACE_TEST_EMIT, 500));
		second = perf_open(&attr, -1, 0);
		ASSERT_LE(0, second);
		EXPECT_EQ(0, value_of(second));
		ASSERT_EQ(0, write_test(HYP_TRACE_TEST_EMIT, 500));
		ASSERT_EQ(0, ioctl(second, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(500, value_of(second));
		close(second);
		flush();
		EXPECT_EQ(1000 * i, value_of(first));
	}
	close(first);
}

TEST_F(perf, counts_events_of_a_task)
{
	struct perf_event_attr attr = attr_of("selftest");
	int fd = perf_open(&attr, 0, -1), status;
	pid_t pid;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, emit_on_all(self->cpus, 1, 100));
	pid = fork();
	if (!pid)
		_exit(emit(1, 1000) != 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_EQ(100 * self->cpus, value_of(fd));
	close(fd);
}

/* More than an interrupt delivers. */
#define BURST	1000

/* The last events wait when a task ends, and its counts are added to its parent's. */
TEST_F(perf, counts_events_of_tasks_that_end)
{
	struct perf_event_attr attr = attr_of("selftest");
	int fd, i, status;
	pid_t pid;

	attr.inherit = 1;
	fd = perf_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	for (i = 1; i <= 20; i++) {
		pid = fork();
		if (!pid)
			_exit(write_test(HYP_TRACE_TEST_EMIT, BURST) != 0);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
		EXPECT_EQ(BURST * i, value_of(fd));
	}
	close(fd);
}

/* Tasks that have inherited the same exchange what they have, rather than switch it. */
TEST_F(perf, counts_events_of_tasks_that_take_turns)
{
	struct perf_event_attr attr = attr_of("selftest");
	long long lost = followed("lost: ");
	int fd, i, turn, status;
	pid_t pid[3];

	attr.inherit = 1;
	fd = perf_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	for (i = 0; i < ARRAY_SIZE(pid); i++) {
		pid[i] = fork();
		if (pid[i])
			continue;
		for (turn = 0; turn < 20; turn++) {
			if (write_test(HYP_TRACE_TEST_EMIT, BURST))
				_exit(1);
			sched_yield();
		}
		_exit(0);
	}
	for (i = 0; i < ARRAY_SIZE(pid); i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	EXPECT_EQ(ARRAY_SIZE(pid) * 20 * BURST, value_of(fd) + followed("lost: ") - lost);
	close(fd);
}

/* Emit so many events that a kernel thread delivers most, and wait until it has. */
static bool burst_is_delivered(void)
{
	long long end = followed("delivered: ") + BURST;

	return !write_test(HYP_TRACE_TEST_EMIT, BURST) && wait_until_delivered(end);
}

/* Most of the events are delivered late, and perf turns a group on and off by its leader only. */
TEST_F(perf, counts_what_happens_while_its_group_is_on)
{
	struct perf_event_attr leaders[] = {
		attr_of("hyp_puts"), { .type = PERF_TYPE_SOFTWARE, .size = sizeof(*leaders),
				       .config = PERF_COUNT_SW_DUMMY },
	}, attr = attr_of("selftest");
	int i, leader, fd;

	for (i = 0; i < ARRAY_SIZE(leaders); i++) {
		leaders[i].disabled = 1;
		leader = perf_open(&leaders[i], 0, -1);
		ASSERT_LE(0, leader);
		fd = perf_open_in(&attr, 0, -1, leader);
		ASSERT_LE(0, fd);

		ASSERT_TRUE(burst_is_delivered());
		EXPECT_EQ(0, value_of(fd));
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, write_test(HYP_TRACE_TEST_EMIT, BURST));
		ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(BURST, value_of(fd));
		ASSERT_TRUE(burst_is_delivered());
		EXPECT_EQ(BURST, value_of(fd));
		close(fd);
		close(leader);
	}
}

/* perf counts what waits before it reads a group, whichever of its events the file is for. */
TEST_F(perf, a_sibling_reads_its_group)
{
	struct perf_event_attr attr = attr_of("selftest"), other = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(other), .config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_GROUP,
	};
	int leader = perf_open(&attr, 0, -1), fd = perf_open_in(&other, 0, -1, leader), i;
	struct {
		uint64_t nr, value[2];
	} group;

	ASSERT_LE(0, leader);
	ASSERT_LE(0, fd);
	for (i = 1; i <= 5; i++) {
		ASSERT_EQ(0, write_test(HYP_TRACE_TEST_EMIT, BURST));
		ASSERT_EQ(sizeof(group), read(fd, &group, sizeof(group)));
		EXPECT_EQ(2, group.nr);
		EXPECT_EQ(i * BURST, group.value[0]);
	}
	close(fd);
	close(leader);
}

/* As "perf stat -e '{a,b}' COMMAND" counts: the group is turned on by exec. */
TEST_F(perf, counts_what_happens_after_exec)
{
	struct perf_event_attr leader = attr_of("hyp_puts"), attr = attr_of("selftest");
	int go[2], all, first, fd, status;
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		if (read(go[0], &status, 1) != 1 || write_test(HYP_TRACE_TEST_EMIT, BURST))
			_exit(1);
		execlp("true", "true", NULL);
		_exit(1);
	}

	leader.disabled = 1;
	leader.enable_on_exec = 1;
	all = perf_open(&attr, pid, -1);
	first = perf_open(&leader, pid, -1);
	fd = perf_open_in(&attr, pid, -1, first);
	ASSERT_LE(0, all);
	ASSERT_LE(0, fd);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(BURST, value_of(all));
	EXPECT_EQ(0, value_of(fd));
	close(fd);
	close(first);
	close(all);
	close(go[0]);
	close(go[1]);
}

/* Nobody reads in between: what waits is counted before perf forgets when it was on. */
TEST_F(perf, counts_what_happens_before_all_are_turned_off_and_on)
{
	struct perf_event_attr attr = attr_of("selftest");
	int fd = perf_open(&attr, 0, -1), i;

	ASSERT_LE(0, fd);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, write_test(HYP_TRACE_TEST_EMIT, BURST));
		ASSERT_EQ(0, prctl(PR_TASK_PERF_EVENTS_DISABLE));
		ASSERT_EQ(0, prctl(PR_TASK_PERF_EVENTS_ENABLE));
	}
	EXPECT_EQ(5 * BURST, value_of(fd));
	close(fd);
}

/* What another task has caused is not this task's, whoever runs when it is delivered. */
TEST_F(perf, counts_no_events_of_another_task)
{
	struct perf_event_attr attr = attr_of("selftest");
	int fd = perf_open(&attr, 0, -1), status;
	pid_t pid;

	ASSERT_LE(0, fd);
	pid = fork();
	if (!pid)
		_exit(write_test(HYP_TRACE_TEST_EMIT, BURST) != 0);
	flush();
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	flush();
	EXPECT_EQ(0, value_of(fd));
	close(fd);
}

TEST_F(perf, a_filter_chooses)
{
	struct perf_event_attr attr = attr_of("selftest");
	int fd = perf_open(&attr, -1, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_SET_FILTER,
			   path_of("id & 1 && common_pid == %d", getpid())));
	ASSERT_EQ(0, emit(1, 100));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(50, value_of(fd));
	close(fd);

	fd = perf_open(&attr, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "common_pid == 1"));
	ASSERT_EQ(0, emit(1, 100));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(0, value_of(fd));
	close(fd);
}

/* Samples ------------------------------------------------------------------------- */

/* A sample with PERF_SAMPLE_TID, _TIME and _RAW. */
struct sample {
	struct perf_event_header	header;
	uint32_t			pid, tid;
	uint64_t			time;
	uint32_t			size;
	uint16_t			type;
	uint8_t				flags, preempt_count;
	int32_t				common_pid;
	uint32_t			id, id_upper;
};

struct recorded {
	int		type;
	uint64_t	ts[100];
	int		nr;
};

static void note_event(void *data, const struct event *e)
{
	struct recorded *r = data;

	if (e->type == r->type && r->nr < ARRAY_SIZE(r->ts))
		r->ts[r->nr++] = e->ts;
}

TEST_F(perf, samples_are_the_events)
{
	struct perf_event_attr attr = attr_of("selftest");
	struct recorded recorded = { .type = attr.config };
	struct perf_event_mmap_page *meta;
	struct sample *sample;
	int fd, i, nr = 0;
	uint64_t at;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_BOOTTIME;
	fd = perf_open(&attr, -1, 0);
	ASSERT_LE(0, fd);
	meta = mmap(NULL, 9 * page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, meta);

	ASSERT_EQ(0, put(HYP "set_event", "hyp:selftest"));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	ASSERT_EQ(0, emit(1, ARRAY_SIZE(recorded.ts)));
	ASSERT_EQ(ARRAY_SIZE(recorded.ts), read_raw(0, note_event, &recorded));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));

	for (at = 0; at < meta->data_head; at += sample->header.size) {
		sample = (void *)meta + page_size() + at;
		if (sample->header.type != PERF_RECORD_SAMPLE)
			continue;
		ASSERT_LT(nr, recorded.nr);
		EXPECT_EQ(nr + 1, sample->id);
		EXPECT_EQ(0, sample->id_upper);
		EXPECT_EQ(recorded.ts[nr], sample->time);
		EXPECT_EQ(attr.config, sample->type);
		EXPECT_EQ(getpid(), sample->common_pid);
		/* This is who was interrupted; and without an interrupt, a worker. */
		if (el2_can_ring())
			EXPECT_EQ(getpid(), sample->tid);
		EXPECT_EQ(0, sample->flags | sample->preempt_count);
		nr++;
	}
	EXPECT_EQ(recorded.nr, nr);
	for (i = 1; i < nr; i++)
		EXPECT_LT(recorded.ts[i - 1], recorded.ts[i]);
	munmap(meta, 9 * page_size());
	close(fd);
}

/* The addresses of a function of this kernel. */
struct range {
	uint64_t	from, to;
};

static struct range range_of(const char *function)
{
	struct range range = { .to = UINT64_MAX };
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512], name[256];
	uint64_t address;

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx %*c %255s", &address, name) == 2 && !strcmp(name, function))
			range.from = address;
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		address = strtoull(line, NULL, 16);
		if (address > range.from && address < range.to)
			range.to = address;
	}
	fclose(f);
	return range;
}

/* A sample with PERF_SAMPLE_CALLCHAIN. */
struct chain {
	struct perf_event_header	header;
	uint64_t			nr, ip[];
};

static bool is_called_by(const struct chain *chain, struct range function)
{
	uint64_t i;

	for (i = 0; i < chain->nr; i++)
		if (chain->ip[i] >= function.from && chain->ip[i] < function.to)
			return true;
	return false;
}

/*
 * Most events wait when the task is switched out. They are counted, but have no sample: the
 * scheduler does not deliver them, and later another task runs.
 */
TEST_F(perf, samples_have_the_stack_of_the_caller)
{
	struct range write = range_of("ksys_write");
	struct perf_event_attr attr = attr_of("selftest");
	long long missed = followed("missed: "), delivered;
	size_t size = 1 << 20;
	struct perf_event_mmap_page *meta;
	int fd, i, nr = 0, of_write = 0;
	struct chain *chain;
	uint64_t at;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	attr.exclude_callchain_user = 1;
	fd = perf_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	meta = mmap(NULL, page_size() + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, meta);
	for (i = 1; i <= 5; i++) {
		delivered = followed("delivered: ");
		ASSERT_EQ(0, write_test(HYP_TRACE_TEST_EMIT, BURST));
		EXPECT_TRUE(wait_until_delivered(delivered + BURST));
	}
	for (at = 0; at < meta->data_head; at += chain->header.size) {
		chain = (void *)meta + page_size() + at;
		if (chain->header.type != PERF_RECORD_SAMPLE)
			continue;
		nr++;
		of_write += is_called_by(chain, write);
	}
	EXPECT_EQ(5 * BURST, value_of(fd));
	EXPECT_EQ(5 * BURST, nr + followed("missed: ") - missed);
	EXPECT_EQ(nr, of_write);
	if (el2_can_ring())
		EXPECT_LT(0, nr);
	munmap(meta, page_size() + size);
	close(fd);
}

/* BPF ----------------------------------------------------------------------------- */

static int bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

#define NR_COUNTS	64

static int counts_create(void)
{
	union bpf_attr attr = {
		.map_type	= BPF_MAP_TYPE_ARRAY,
		.key_size	= sizeof(uint32_t),
		.value_size	= sizeof(uint64_t),
		.max_entries	= NR_COUNTS,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static long long count_at(int map, uint32_t key)
{
	uint64_t value = 0;
	union bpf_attr attr = {
		.map_fd	= map,
		.key	= (uintptr_t)&key,
		.value	= (uintptr_t)&value,
	};

	return bpf(BPF_MAP_LOOKUP_ELEM, &attr) ?: (long long)value;
}

#define INSN(c, d, s, o, i)	((struct bpf_insn) { \
	.code = c, .dst_reg = d, .src_reg = s, .off = o, .imm = i })

static int program_load(const struct bpf_insn *insns, int nr)
{
	union bpf_attr attr = {
		.prog_type	= BPF_PROG_TYPE_TRACEPOINT,
		.insn_cnt	= nr,
		.insns		= (uintptr_t)insns,
		.license	= (uintptr_t)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

/* A program: counts[id]++, with the id that is at @offset of the event. */
static int counter_load(int map, int offset)
{
	struct bpf_insn insns[] = {
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 6, 1, offset, 0),
		INSN(BPF_STX | BPF_MEM | BPF_W, 10, 6, -4, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, 0, BPF_ADD),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return program_load(insns, ARRAY_SIZE(insns));
}

TEST_F(perf, a_bpf_program_sees_each_event_once)
{
	struct perf_event_attr attr = attr_of("selftest");
	int offset = get_num(HYP "events/hyp/selftest/format", "u64 id;\toffset:");
	int map, program, fd, i;

	map = counts_create();
	if (!exists("/proc/sys/kernel/unprivileged_bpf_disabled"))
		SKIP(return, "this kernel has no BPF");
	ASSERT_LE(0, map);
	program = counter_load(map, offset);
	ASSERT_LE(0, program);
	/* As bpftrace does it: on any CPU, and the program runs on all. */
	fd = perf_open(&attr, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_SET_BPF, program));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));

	ASSERT_EQ(0, emit_on_all(self->cpus, 1, 50));
	flush();
	for (i = 0; i < NR_COUNTS; i++)
		EXPECT_EQ(i >= 1 && i <= 50 ? self->cpus : 0, count_at(map, i));
	/* The program lets perf go on, or not: it has returned 0. */
	EXPECT_EQ(0, value_of(fd));
	close(fd);
	ASSERT_EQ(0, emit(1, 50));
	EXPECT_EQ(self->cpus, count_at(map, 1));
	EXPECT_TRUE(is_quiet());
	close(program);
	close(map);
}

/* A program may not read behind the event. */
TEST_F(perf, a_bpf_program_that_reads_too_far_is_refused)
{
	struct perf_event_attr attr = attr_of("selftest");
	int map = counts_create(), program, fd;

	if (!exists("/proc/sys/kernel/unprivileged_bpf_disabled"))
		SKIP(return, "this kernel has no BPF");
	ASSERT_LE(0, map);
	program = counter_load(map, 64);
	ASSERT_LE(0, program);
	fd = perf_open(&attr, -1, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_SET_BPF, program));
	EXPECT_EQ(EACCES, errno);
	close(fd);
	close(program);
	close(map);
}

/* What the program of waiter_load() and its test tell each other, by place in the map. */
enum { RELEASED, STATE };

enum { RUNS = 1, GAVE_UP, WAS_RELEASED };

#ifndef BPF_JCOND
#define BPF_JCOND	0xe0
#endif

/* A program that waits, for some millions of rounds at most, until it is released. */
static int waiter_load(int map)
{
	struct bpf_insn insns[] = {
		INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, STATE),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 16, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 8, 0, 0, 0),
		INSN(BPF_ST | BPF_MEM | BPF_DW, 8, 0, 0, RUNS),
		INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, RELEASED),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 7, 0),
		/* The loop: until released[0] is not 0, or the verifier's bound. */
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 7, 0, 0, 0),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 7, 0, 3, 0),
		INSN(BPF_JMP | BPF_JCOND, 0, 0, 1, 0),
		INSN(BPF_JMP | BPF_JA, 0, 0, -4, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 7, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 7, 0, 0, GAVE_UP),
		INSN(BPF_STX | BPF_MEM | BPF_DW, 8, 7, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return program_load(insns, ARRAY_SIZE(insns));
}

/* A program that lets perf go on. */
static int passer_load(void)
{
	struct bpf_insn insns[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return program_load(insns, ARRAY_SIZE(insns));
}

static int set_at(int map, uint32_t key, uint64_t value)
{
	union bpf_attr attr = {
		.map_fd	= map,
		.key	= (uintptr_t)&key,
		.value	= (uintptr_t)&value,
	};

	return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

/* The number of the hypercall by which a CPU tells EL2 whether it is traced. */
static int sync_id(void)
{
	char *format = get(ROOT "events/hyp/host_hcall/format");
	char *at = strstr(format, "\"__hyp_trace_sync\"");
	int id = -1;

	while (at && at > format && *at != '{')
		at--;
	if (at)
		id = strtoul(at + 1 + strspn(at + 1, " ("), NULL, 0);
	free(format);
	return id;
}

static bool is_ready;

/* Interrupt the program, on CPU 0, twice: each time that CPU calls EL2. */
static void *interrupt_and_release(void *data)
{
	unsigned long all = ~0UL >> (64 - nr_cpus());
	int map = *(int *)data, tries = TIMEOUT_MS;

	run_on(1);
	__atomic_store_n(&is_ready, true, __ATOMIC_RELAXED);
	while (!count_at(map, STATE) && tries--)
		usleep(1000);
	put(HYP "tracing_cpumask", path_of("%lx", all & ~1));
	put(HYP "tracing_cpumask", path_of("%lx", all));
	set_at(map, RELEASED, 1);
	return NULL;
}

/* No other program can run then, and perf does not count what none has let pass. */
TEST_F(perf, no_event_is_lost_while_a_program_runs)
{
	struct perf_event_attr attr = attr_of("host_hcall"), of_host = attr;
	int map, waiter, passer, fd, on_host, counted = 0, tries = 20;
	pthread_t thread;

	if (self->cpus < 2)
		SKIP(return, "one CPU only");
	if (!exists("/proc/sys/kernel/unprivileged_bpf_disabled"))
		SKIP(return, "this kernel has no BPF");
	of_host.config = get_num(ROOT "events/hyp_test/host_selftest/id", "");
	map = counts_create();
	waiter = waiter_load(map);
	passer = passer_load();
	ASSERT_LE(0, map);
	ASSERT_LE(0, waiter);
	ASSERT_LE(0, passer);
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	fd = perf_open(&attr, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_SET_FILTER, path_of("id == %d", sync_id())));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_SET_BPF, passer));
	on_host = perf_open(&of_host, -1, 0);
	ASSERT_LE(0, on_host);
	ASSERT_EQ(0, ioctl(on_host, PERF_EVENT_IOC_SET_BPF, waiter));

	do {
		EXPECT_EQ(counted, value_of(fd));
		ASSERT_EQ(0, set_at(map, RELEASED, 0));
		ASSERT_EQ(0, set_at(map, STATE, 0));
		is_ready = false;
		ASSERT_EQ(0, pthread_create(&thread, NULL, interrupt_and_release, &map));
		while (!__atomic_load_n(&is_ready, __ATOMIC_RELAXED))
			usleep(100);
		ASSERT_EQ(0, put_num(HYP "write_host_event", 1));
		pthread_join(thread, NULL);
		counted += 2;
		/* The other CPU may have been too slow. */
	} while (count_at(map, STATE) != WAS_RELEASED && tries--);
	EXPECT_EQ(WAS_RELEASED, count_at(map, STATE));
	EXPECT_EQ(counted, value_of(fd));
	close(on_host);
	close(fd);
	close(passer);
	close(waiter);
	close(map);
}

/* Permissions --------------------------------------------------------------------- */

/* perf_event_open() for this task, by a user without privileges: 0 or the error. */
static int open_as_user(struct perf_event_attr *attr)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(255);
		status = perf_open(attr, 0, -1);
		_exit(status < 0 ? -status : 0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

TEST_F(perf, needs_the_usual_permission)
{
	struct perf_event_attr attr = attr_of("selftest");
	static const char * const level[] = { "2", "1", "0" };
	int i, fd;

	attr.exclude_kernel = 1;
	for (i = 0; i < ARRAY_SIZE(level); i++) {
		ASSERT_EQ(0, put(PARANOID, level[i]));
		EXPECT_EQ(EPERM, open_as_user(&attr));
		EXPECT_TRUE(is_quiet());
		/* Nor while somebody else may. */
		fd = perf_open(&attr, -1, 0);
		ASSERT_LE(0, fd);
		EXPECT_EQ(EPERM, open_as_user(&attr));
		close(fd);
	}
	attr.exclude_kernel = 0;
	ASSERT_EQ(0, put(PARANOID, "-1"));
	EXPECT_EQ(0, open_as_user(&attr));
	EXPECT_TRUE(is_quiet());
}

/* Storms -------------------------------------------------------------------------- */

static void *open_and_close(void *data)
{
	struct perf_event_attr attr = attr_of(data);
	int fd, i;

	for (i = 0; i < rounds_of(300); i++) {
		fd = perf_open(&attr, -1, i % nr_cpus());
		if (fd >= 0)
			close(fd);
	}
	return NULL;
}

static void *plug(void *data)
{
	int cpu = nr_cpus() - 1, i;

	for (i = 0; cpu && i < rounds_of(24); i++)
		set_online(cpu, i % 2);
	return NULL;
}

TEST_F(perf, comes_and_goes_among_everything_else)
{
	struct perf_event_attr attr = attr_of("selftest");
	int emitting = self->cpus > 1 ? self->cpus - 1 : 1, fd[emitting], cpu, i;
	pthread_t thread[3];

	for (cpu = 0; cpu < emitting; cpu++) {
		fd[cpu] = perf_open(&attr, -1, cpu);
		ASSERT_LE(0, fd[cpu]);
	}
	emitters_start(emitting);
	emitters_allow(emitting, 2000);
	ASSERT_EQ(0, pthread_create(&thread[0], NULL, open_and_close, "hyp_enter"));
	ASSERT_EQ(0, pthread_create(&thread[1], NULL, open_and_close, "selftest"));
	ASSERT_EQ(0, pthread_create(&thread[2], NULL, plug, NULL));
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	EXPECT_TRUE(emitters_wait(emitting));
	EXPECT_TRUE(emitters_stop(emitting));
	flush();
	for (cpu = 0; cpu < emitting; cpu++) {
		EXPECT_EQ(2000, value_of(fd[cpu]));
		close(fd[cpu]);
	}
	EXPECT_TRUE(is_quiet());
}

TEST_HARNESS_MAIN
