// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of guests that record events themselves: what real guests pass is what is recorded, and
 * the host decides which of them may.
 */

#include <linux/hypertrace.h>
#include <sys/syscall.h>

#include "../hyp_names.h"
#include "../tracefs/hyp_suite.h"
#include "hyp_vm.h"

#define GUESTS		HYP "guests/"
#define SMCCC_FEATURES	0x86000000	/* of KVM's vendor specific service */
#define NR_REGS		31

/* Guests ------------------------------------------------------------------------------ */

/*
 * They use what the call does not: x19 is MMIO_IPA, where they leave for this program.
 *
 * guest_hvc, guest_smc	make a call with the registers that this program has set; x0 is stored
 * guest_many		makes x21 calls, with x0 from x20 and x2 counting, the last one once the
 *			word at x24 is not 0; the sum of results is stored
 * guest_random		makes x21 calls, x0 from x25, with other arguments each time
 * guest_immediates	makes a call by HVC and one by SMC, with immediates that are not 0; x0 is
 *			stored after each
 * guest_a32		makes a call in AArch32, where r4 is MMIO_IPA; r0 is stored
 */
extern const uint32_t guest_hvc[], guest_smc[], guest_many[], guest_random[], guest_immediates[],
		      guest_a32[], guests_end[];

asm(".pushsection .rodata\n"
	".balign 4\n"
	".global guest_hvc, guest_smc, guest_many, guest_random, guest_immediates\n"
	".global guest_a32, guests_end\n"
	"guest_hvc:\n"
	"1:	hvc	#0\n"
	"	str	x0, [x19]\n"
	"	b	1b\n"
	"guest_smc:\n"
	"1:	smc	#0\n"
	"	str	x0, [x19]\n"
	"	b	1b\n"
	"guest_many:\n"
	"1:	mov	x22, #0\n"
	"2:	cmp	x21, #1\n"
	"	b.ne	4f\n"
	"3:	ldr	w23, [x24]\n"
	"	cbz	w23, 3b\n"
	"4:	mov	x0, x20\n"
	"	add	x2, x2, #1\n"
	"	hvc	#0\n"
	"	add	x22, x22, x0\n"
	"	subs	x21, x21, #1\n"
	"	b.ne	2b\n"
	"	str	x22, [x19]\n"
	"	b	1b\n"
	"guest_random:\n"
	"1:\n"
	"	.irp	r, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17\n"
	"	mul	x20, x20, x23\n"
	"	add	x20, x20, x24\n"
	"	eor	x\\r, x20, x20, lsr #29\n"
	"	.endr\n"
	"	tbz	x20, #40, 2f\n"		/* half of them are of a kind up to 7 */
	"	and	x1, x1, #0xffff07ffffffffff\n"
	"2:	mov	x0, x25\n"
	"	tbz	x20, #41, 3f\n"
	"	hvc	#0\n"
	"	b	4f\n"
	"3:	smc	#0\n"
	"4:	subs	x21, x21, #1\n"
	"	b.ne	1b\n"
	"	str	x21, [x19]\n"
	"	b	1b\n"
	"guest_immediates:\n"
	"	hvc	#1\n"
	"	str	x0, [x19]\n"
	"	mov	x0, x20\n"
	"	smc	#0xffff\n"
	"	str	x0, [x19]\n"
	"	b	.\n"
	"guest_a32:\n"
	"	.inst	0xe1400070\n"		/* hvc #0 */
	"	.inst	0xe5840000\n"		/* str r0, [r4] */
	"	.inst	0xeafffffc\n"		/* b guest_a32 */
	"guests_end:\n"
	".popsection\n");

static struct vm create(const uint32_t *code, const uint32_t *end)
{
	struct vm vm = vm_create(code, (uintptr_t)end - (uintptr_t)code);

	set_reg(&vm, x_reg(19), MMIO_IPA);
	return vm;
}

static struct vm create_hvc(void)
{
	return create(guest_hvc, guest_smc);
}

/* Have a guest call a function with up to 17 arguments; returns x0. */
static int64_t call(const struct vm *vm, uint64_t function, const uint64_t *args, int nr)
{
	int i;

	set_reg(vm, x_reg(0), function);
	for (i = 0; i < nr; i++)
		set_reg(vm, x_reg(1 + i), args[i]);
	return vm_run(vm);
}

/* Have a guest record an event. */
static int64_t speak(const struct vm *vm, int kind, unsigned int client, unsigned int count,
		     uint32_t id, const uint64_t *args, int nr)
{
	uint64_t regs[1 + HYPERTRACE_MAX_ARGS] = {
		hypertrace_descriptor(kind, client, count, id),
	};

	if (nr)
		memcpy(regs + 1, args, nr * sizeof(*args));
	return call(vm, HYPERTRACE_CALL, regs, 1 + HYPERTRACE_MAX_ARGS);
}

static int64_t speak_text(const struct vm *vm, int kind, unsigned int client, uint32_t id,
			  const char *text, int len)
{
	uint64_t regs[HYPERTRACE_MAX_ARGS];

	/* What is behind the text is none of the host's business. */
	memset(regs, '!', sizeof(regs));
	memcpy(regs, text, len);
	return speak(vm, kind, client, len, id, regs, HYPERTRACE_MAX_ARGS);
}

static int64_t name_by(const struct vm *vm, unsigned int client, uint32_t id, const char *text)
{
	return speak_text(vm, HYPERTRACE_NAME, client, id, text, strlen(text));
}

/* All clients but 0 share names. */
static int64_t name(const struct vm *vm, uint32_t id, const char *text)
{
	return name_by(vm, 1, id, text);
}

static int64_t speak_one(const struct vm *vm, uint64_t arg)
{
	return speak(vm, HYPERTRACE_EVENT, 0, 1, 1, &arg, 1);
}

/* A file of a VM in hyp/guests. */
static const char *file_of(const struct vm *vm, const char *name)
{
	return path_of(GUESTS "%d-%d/%s", getpid(), vm->vm, name);
}

static bool has_feature(const struct vm *vm)
{
	call(vm, SMCCC_FEATURES, NULL, 0);
	return get_reg(vm, x_reg(HYPERTRACE_FEATURE / 32)) & 1ull << HYPERTRACE_FEATURE % 32;
}

/* Events ------------------------------------------------------------------------------ */

static const int sizes[] = { 1, 2, 4, 8, 16 };

#define NR_SIZES	5

/* Fields of guest_trace_1 to guest_trace_16. */
static struct fields {
	struct names	vm, vcpu, client, count, lost, id, arg[HYPERTRACE_MAX_ARGS];
} fields[NR_SIZES];

static struct names mark_count, mark_text, mark_lost, clock_field[4], clock_lost;

static void learn_fields(void)
{
	static const char * const names[] = { "at", "boot", "mono", "cntvct" };
	char event[24], arg[8];
	int s, i;

	for (s = 0; s < NR_SIZES; s++) {
		sprintf(event, "guest_trace_%d", sizes[s]);
		fields[s].vm = learn(event, "vm");
		fields[s].vcpu = learn(event, "vcpu");
		fields[s].client = learn(event, "client");
		fields[s].count = learn(event, "count");
		fields[s].lost = learn(event, "lost");
		fields[s].id = learn(event, "id");
		for (i = 0; i < sizes[s]; i++) {
			sprintf(arg, "a%d", i);
			fields[s].arg[i] = learn(event, arg);
		}
	}
	mark_count = learn("guest_mark", "count");
	mark_lost = learn("guest_mark", "lost");
	mark_text = learn("guest_mark", path_of("text[%d]", HYPERTRACE_MAX_TEXT));
	for (i = 0; i < 4; i++)
		clock_field[i] = learn("guest_clock", names[i]);
	clock_lost = learn("guest_clock", "lost");
}

/* What was recorded: all, and the last of each kind. */
static struct recorded {
	int		events, marks, clocks, others;
	int		errors, overruns;	/* an overrun is an error, too */
	uint64_t	lost;
	int		size;			/* of the last guest_trace_*, in arguments */
	uint64_t	vm, vcpu, client, count, id, arg[HYPERTRACE_MAX_ARGS], first_ts, ts;
	char		text[HYPERTRACE_MAX_TEXT + 1];
	uint64_t	text_len, clock[4];
} rec;

static int reading_cpu;

/* Where a0 counts: the last one of a vCPU on a CPU; the last bits of a VM's number are enough. */
static bool counts;
static uint64_t last_count[4][4][MAX_CPUS];

static void take_event(const struct fields *f, int size, const struct event *e)
{
	uint64_t *last;
	int i;

	rec.events++;
	rec.size = size;
	rec.vm = value_of(&f->vm, e);
	rec.vcpu = value_of(&f->vcpu, e);
	rec.client = value_of(&f->client, e);
	rec.count = value_of(&f->count, e);
	rec.lost += value_of(&f->lost, e);
	rec.id = value_of(&f->id, e);
	for (i = 0; i < size; i++)
		rec.arg[i] = value_of(&f->arg[i], e);
	if (counts) {
		last = &last_count[rec.vm % 4][rec.vcpu % 4][reading_cpu];
		rec.errors += rec.arg[0] <= *last;
		*last = rec.arg[0];
	}
	rec.first_ts = rec.first_ts ?: e->ts;
	rec.ts = e->ts;
}

/* The type of another event that counts; 0 for none. */
static int other_type;

static void take(void *data, const struct event *e)
{
	int s, i;

	rec.overruns += !!e->lost;
	rec.errors += !!e->lost;
	rec.others += other_type && e->type == other_type;
	for (s = 0; s < NR_SIZES; s++)
		if (e->type == fields[s].vm.type)
			take_event(&fields[s], sizes[s], e);

	if (e->type == mark_text.type) {
		rec.marks++;
		rec.lost += value_of(&mark_lost, e);
		rec.text_len = value_of(&mark_count, e);
		memcpy(rec.text, e->payload + mark_text.offset, HYPERTRACE_MAX_TEXT);
	}
	if (e->type == clock_lost.type) {
		rec.clocks++;
		rec.lost += value_of(&clock_lost, e);
		for (i = 0; i < 4; i++)
			rec.clock[i] = value_of(&clock_field[i], e);
		rec.ts = e->ts;
	}
}

/* Read what all CPUs have recorded. */
static void read_all(void)
{
	for (reading_cpu = 0; reading_cpu < nr_cpus(); reading_cpu++)
		rec.errors += read_raw(reading_cpu, take, NULL) < 0;
	if (rec.errors)
		printf("# %d errors, %d of them overruns\n", rec.errors, rec.overruns);
}

static void read_anew(void)
{
	memset(&rec, 0, sizeof(rec));
	read_all();
}

/* The fixture ------------------------------------------------------------------------- */

static void enable_guest_events(const char *on)
{
	int s;

	for (s = 0; s < NR_SIZES; s++)
		put(path_of(HYP "events/hyp/guest_trace_%d/enable", sizes[s]), on);
	put(HYP "events/hyp/guest_mark/enable", on);
	put(HYP "events/hyp/guest_clock/enable", on);
}

FIXTURE(channel) {
};

static void clean_up(void)
{
	put(HYP "tracing_on", "0");
	put(HYP "events/enable", "0");
	put(HYP "trace", "");
	put(HYP "set_event_pid", "");
	put(GUESTS "default", "0");
	put(GUESTS "limit", "10000");
	set_size_kb(256);
}

FIXTURE_SETUP(channel)
{
	clean_up();
	learn_fields();
	memset(&rec, 0, sizeof(rec));
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, put(GUESTS "default", "1"));
	ASSERT_EQ(0, put(GUESTS "limit", "0"));
	enable_guest_events("1");
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
}

FIXTURE_TEARDOWN(channel)
{
	clean_up();
}

/* The call ---------------------------------------------------------------------------- */

static void fill_regs(const struct vm *vm, uint64_t seed)
{
	int i;

	for (i = 0; i < NR_REGS; i++)
		set_reg(vm, x_reg(i), seed * (i + 1));
	set_reg(vm, x_reg(19), MMIO_IPA);
}

/* The number of registers from x2 on that are not what they were. */
static int changed_regs(const struct vm *vm, uint64_t seed)
{
	int i, changed = 0;

	for (i = 2; i < NR_REGS; i++)
		if (i != 19)
			changed += get_reg(vm, x_reg(i)) != seed * (i + 1);
	return changed;
}

static void each_count(struct __test_metadata *_metadata, const struct vm *vm)
{
	uint64_t seed = 0x0123456789abcdf1, desc;
	int count, i, size;

	for (count = 0; count <= HYPERTRACE_MAX_ARGS; count++) {
		fill_regs(vm, seed);
		desc = hypertrace_descriptor(HYPERTRACE_EVENT, 77 + count, count,
					     0xfedc0000 + count);
		set_reg(vm, x_reg(0), HYPERTRACE_CALL | 0xabcd00000000);
		set_reg(vm, x_reg(1), desc);
		ASSERT_EQ(HYPERTRACE_DONE, (int64_t)vm_run(vm));
		EXPECT_EQ(desc, get_reg(vm, x_reg(1)));
		EXPECT_EQ(0, changed_regs(vm, seed));
		read_anew();
		ASSERT_EQ(0, rec.errors);
		ASSERT_EQ(1, rec.events);
		size = count < 2 ? 1 : count == 2 ? 2 : count <= 4 ? 4 : count <= 8 ? 8 : 16;
		EXPECT_EQ(size, rec.size);
		EXPECT_EQ(count, rec.count);
		EXPECT_EQ(77 + count, rec.client);
		EXPECT_EQ(0xfedc0000 + count, rec.id);
		EXPECT_EQ(0, rec.vcpu);
		EXPECT_EQ(get_num(file_of(vm, "vm"), ""), rec.vm);
		/* The registers behind the last argument are not recorded. */
		for (i = 0; i < size; i++)
			EXPECT_EQ(i < count ? seed * (i + 3) : 0, rec.arg[i]);
		seed = seed * 31 + 2;
	}
}

TEST_F(channel, each_number_of_arguments_by_hvc)
{
	struct vm vm = create_hvc();

	each_count(_metadata, &vm);
	vm_destroy(&vm);
}

TEST_F(channel, each_number_of_arguments_by_smc)
{
	struct vm vm = create(guest_smc, guest_many);

	each_count(_metadata, &vm);
	vm_destroy(&vm);
}

TEST_F(channel, what_makes_no_sense_is_refused)
{
	struct vm vm = create_hvc();
	uint64_t args[HYPERTRACE_MAX_ARGS] = { };
	int count, kind;

	for (count = HYPERTRACE_MAX_ARGS + 1; count < 256; count++)
		ASSERT_EQ(HYPERTRACE_INVALID,
			  speak(&vm, HYPERTRACE_EVENT, 0, count, 1, args, 0));
	for (count = HYPERTRACE_MAX_TEXT + 1; count < 256; count++) {
		ASSERT_EQ(HYPERTRACE_INVALID, speak(&vm, HYPERTRACE_MARK, 0, count, 1, args, 0));
		ASSERT_EQ(HYPERTRACE_INVALID, speak(&vm, HYPERTRACE_NAME, 0, count, 1, args, 0));
	}
	for (count = 0; count < 256; count++)
		ASSERT_EQ(count == HYPERTRACE_CLOCK_ARGS ? HYPERTRACE_DONE : HYPERTRACE_INVALID,
			  speak(&vm, HYPERTRACE_CLOCK, 0, count, 1, args, 0));
	for (kind = HYPERTRACE_CLOCK + 1; kind < 256; kind++)
		ASSERT_EQ(HYPERTRACE_INVALID, speak(&vm, kind, 0, 0, 1, args, 0));
	ASSERT_EQ(HYPERTRACE_INVALID, speak(&vm, HYPERTRACE_NAME, 0, 0, 1, args, 0));
	read_anew();
	EXPECT_EQ(0, rec.events + rec.marks);
	EXPECT_EQ(1, rec.clocks);

	/* Control. */
	ASSERT_EQ(HYPERTRACE_DONE, speak_one(&vm, 5));
	read_anew();
	EXPECT_EQ(1, rec.events);
	vm_destroy(&vm);
}

/* SMCCC reserves them. */
TEST_F(channel, an_immediate_is_refused)
{
	struct vm vm = create(guest_immediates, guest_a32), other = create_hvc();

	ASSERT_EQ(HYPERTRACE_DONE, speak_one(&other, 1));
	set_reg(&vm, x_reg(20), HYPERTRACE_CALL);
	EXPECT_EQ(HYPERTRACE_UNSUPPORTED, speak_one(&vm, 2));
	EXPECT_EQ(HYPERTRACE_UNSUPPORTED, (int64_t)vm_run(&vm));
	read_anew();
	EXPECT_EQ(1, rec.events);
	EXPECT_EQ(1, rec.arg[0]);
	vm_destroy(&vm);
	vm_destroy(&other);
}

TEST_F(channel, a_32_bit_guest_may_not)
{
	uint64_t args[] = { hypertrace_descriptor(HYPERTRACE_EVENT, 0, 1, 1) };
	int kvm = open("/dev/kvm", O_RDWR);
	struct vm vm;

	/* Since 6.18 protected KVM runs none. */
	if (ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_ARM_EL1_32BIT) != 1 ||
	    (is_protected() && is_since(6, 18)))
		SKIP(return, "no guest in AArch32 here");

	vm = vm_create_vcpu(guest_a32, (uintptr_t)guests_end - (uintptr_t)guest_a32, 0,
			    1 << KVM_ARM_VCPU_EL1_32BIT);
	EXPECT_EQ(1, get_num(file_of(&vm, "enable"), ""));
	EXPECT_FALSE(has_feature(&vm));
	/* Some of KVM's services it has: the function that says so itself. */
	EXPECT_EQ(1, get_reg(&vm, x_reg(0)) & 1);
	EXPECT_EQ(HYPERTRACE_UNSUPPORTED, (int32_t)call(&vm, HYPERTRACE_CALL, args, 1));
	read_anew();
	EXPECT_EQ(0, rec.events);
	vm_destroy(&vm);
	close(kvm);
}

TEST_F(channel, text)
{
	char text[HYPERTRACE_MAX_TEXT], want[HYPERTRACE_MAX_TEXT + 1];
	struct vm vm = create_hvc();
	int len, i;

	for (len = 0; len <= HYPERTRACE_MAX_TEXT; len++) {
		memset(want, 0, sizeof(want));
		for (i = 0; i < len; i++) {
			text[i] = len * 37 + i * 11;
			want[i] = (uint8_t)text[i] < ' ' ? '?' : text[i];
		}
		ASSERT_EQ(HYPERTRACE_DONE, speak_text(&vm, HYPERTRACE_MARK, 0, 0, text, len));
		read_anew();
		ASSERT_EQ(1, rec.marks);
		EXPECT_EQ(len, rec.text_len);
		EXPECT_EQ(0, memcmp(want, rec.text, sizeof(want)));
	}
	vm_destroy(&vm);
}

TEST_F(channel, a_mark_is_a_line_of_the_trace)
{
	static const char evil[] = "one\ntwo \033[2J";
	struct vm vm = create_hvc();
	char *trace;

	ASSERT_EQ(HYPERTRACE_DONE, speak_text(&vm, HYPERTRACE_MARK, 0, 0, evil, strlen(evil)));
	trace = get(HYP "trace");
	EXPECT_NE(NULL, strstr(trace, "guest_mark: vm="));
	EXPECT_NE(NULL, strstr(trace, "one?two ?[2J\n"));
	free(trace);
	vm_destroy(&vm);
}

/* The guest's counter has another offset in each run, at which EL2 must look. */
TEST_F(channel, clocks)
{
	uint64_t args[] = { 1111, 2222, 0 }, before, after;
	struct kvm_arm_counter_offset offset = { };
	struct vm vm = create_hvc();
	uint64_t frequency;
	int i;

	asm volatile("mrs %0, cntfrq_el0" : "=r" (frequency));
	for (i = 1; i < 4; i++) {
		offset.counter_offset = i * 1234567;
		IOCTL(vm.vm, KVM_ARM_SET_COUNTER_OFFSET, &offset);
		before = boot_ns();
		asm volatile("isb\n mrs %0, cntvct_el0" : "=r" (args[2]));
		after = boot_ns();
		args[2] -= offset.counter_offset;
		ASSERT_EQ(HYPERTRACE_DONE, speak(&vm, HYPERTRACE_CLOCK, 0, 3, 0, args, 3));
		read_anew();
		ASSERT_EQ(1, rec.clocks);
		EXPECT_EQ(1111, rec.clock[1]);
		EXPECT_EQ(2222, rec.clock[2]);
		EXPECT_EQ(args[2], rec.clock[3]);
		/* A tick is lost by rounding. */
		EXPECT_LE(before, rec.clock[0] + 1000000000 / frequency + 1);
		EXPECT_GE(after, rec.clock[0]);
		EXPECT_LE(rec.clock[0], rec.ts);
	}
	vm_destroy(&vm);
}

TEST_F(channel, nobody_records)
{
	struct vm vm = create_hvc();
	uint64_t arg = 1;

	ASSERT_EQ(HYPERTRACE_DONE, speak_one(&vm, 1));
	ASSERT_EQ(0, put(HYP "events/hyp/guest_trace_1/enable", "0"));
	EXPECT_EQ(HYPERTRACE_IDLE, speak_one(&vm, 2));
	EXPECT_EQ(HYPERTRACE_DONE, speak(&vm, HYPERTRACE_EVENT, 0, 2, 1, &arg, 1));
	ASSERT_EQ(0, put(HYP "events/hyp/guest_trace_1/enable", "1"));
	ASSERT_EQ(0, put(HYP "tracing_on", "0"));
	EXPECT_EQ(HYPERTRACE_IDLE, speak_one(&vm, 3));
	ASSERT_EQ(0, put(HYP "tracing_on", "1"));
	EXPECT_EQ(HYPERTRACE_DONE, speak_one(&vm, 4));
	read_anew();
	EXPECT_EQ(3, rec.events);
	EXPECT_EQ(4, rec.arg[0]);
	vm_destroy(&vm);
}

/* Other events are followed on all CPUs, and the user's ring is closed on this one. */
TEST_F(channel, nobody_records_while_others_are_followed)
{
	static const char hist[] = "hist:keys=common_pid", end[] = "!hist:keys=common_pid";
	struct vm vm = create_hvc();

	ASSERT_EQ(0, put(HYP "set_event_pid", "1"));
	EXPECT_EQ(HYPERTRACE_IDLE, speak_one(&vm, 1));
	ASSERT_EQ(0, put(HYP "events/hyp/selftest/trigger", hist));
	EXPECT_EQ(HYPERTRACE_IDLE, speak_one(&vm, 2));
	ASSERT_EQ(0, put(HYP "events/hyp/guest_trace_1/trigger", hist));
	EXPECT_EQ(HYPERTRACE_DONE, speak_one(&vm, 3));
	ASSERT_EQ(0, put(HYP "events/hyp/guest_trace_1/trigger", end));
	ASSERT_EQ(0, put(HYP "events/hyp/selftest/trigger", end));
	ASSERT_EQ(0, put(HYP "set_event_pid", ""));
	EXPECT_EQ(HYPERTRACE_DONE, speak_one(&vm, 4));
	read_anew();
	EXPECT_EQ(1, rec.events);
	EXPECT_EQ(4, rec.arg[0]);
	vm_destroy(&vm);
}

/* Permission -------------------------------------------------------------------------- */

TEST_F(channel, a_vm_that_may_not_sees_nothing)
{
	struct vm vm;

	ASSERT_EQ(0, put(GUESTS "default", "0"));
	vm = create_hvc();
	EXPECT_EQ(0, get_num(file_of(&vm, "enable"), ""));
	EXPECT_FALSE(has_feature(&vm));
	EXPECT_EQ(HYPERTRACE_UNSUPPORTED, speak_one(&vm, 1));
	EXPECT_EQ(HYPERTRACE_UNSUPPORTED, name(&vm, 1, "nobody"));

	ASSERT_EQ(0, put(file_of(&vm, "enable"), "1"));
	EXPECT_TRUE(has_feature(&vm));
	EXPECT_EQ(HYPERTRACE_DONE, speak_one(&vm, 2));

	ASSERT_EQ(0, put(file_of(&vm, "enable"), "0"));
	EXPECT_FALSE(has_feature(&vm));
	EXPECT_EQ(HYPERTRACE_UNSUPPORTED, speak_one(&vm, 3));
	EXPECT_EQ(-EINVAL, put(file_of(&vm, "enable"), "2"));
	read_anew();
	EXPECT_EQ(1, rec.events);
	EXPECT_EQ(2, rec.arg[0]);
	vm_destroy(&vm);
}

TEST_F(channel, a_vmm_hides_the_call)
{
	struct kvm_smccc_filter filter = {
		.base = HYPERTRACE_CALL, .nr_functions = 1, .action = KVM_SMCCC_FILTER_DENY,
	};
	struct kvm_device_attr attr = {
		.group = KVM_ARM_VM_SMCCC_CTRL, .attr = KVM_ARM_VM_SMCCC_FILTER,
		.addr = (uintptr_t)&filter,
	};
	struct vm vm = create_hvc();

	IOCTL(vm.vm, KVM_SET_DEVICE_ATTR, &attr);
	EXPECT_FALSE(has_feature(&vm));
	EXPECT_EQ(HYPERTRACE_UNSUPPORTED, speak_one(&vm, 1));
	EXPECT_EQ(HYPERTRACE_UNSUPPORTED, name(&vm, 1, "hidden"));
	/* Permission does not override it. */
	ASSERT_EQ(0, put(file_of(&vm, "enable"), "1"));
	EXPECT_EQ(HYPERTRACE_UNSUPPORTED, speak_one(&vm, 1));
	vm_destroy(&vm);
}

/* A VMM that offers none of KVM's own services offers this one neither. */
TEST_F(channel, a_vmm_hides_all_services)
{
	struct vm vm = create_hvc();

	set_reg(&vm, KVM_REG_ARM_VENDOR_HYP_BMAP, 0);
	EXPECT_EQ(HYPERTRACE_UNSUPPORTED, speak_one(&vm, 1));
	vm_destroy(&vm);
}

TEST_F(channel, files_of_a_vm)
{
	struct vm vm = create_hvc(), other = create_hvc();
	char *gone = strdup(file_of(&vm, "enable"));
	int fd = open(gone, O_WRONLY);

	ASSERT_LE(0, fd);
	EXPECT_NE(get_num(file_of(&vm, "vm"), ""), get_num(file_of(&other, "vm"), ""));
	EXPECT_EQ(1, get_num(file_of(&vm, "enable"), ""));
	EXPECT_EQ(0, get_num(file_of(&vm, "limit"), ""));
	EXPECT_EQ(0, get_num(file_of(&vm, "lost"), ""));
	EXPECT_NE(0, put(file_of(&vm, "vm"), "1"));
	vm_destroy(&vm);
	EXPECT_FALSE(exists(gone));
	/* The file outlives the VM. */
	EXPECT_EQ(-1, write(fd, "1", 1));
	EXPECT_EQ(ENODEV, errno);
	close(fd);
	free(gone);
	EXPECT_EQ(1, get_num(file_of(&other, "enable"), ""));
	vm_destroy(&other);
}

/* Limits ------------------------------------------------------------------------------ */

/* Have a guest make many calls with one argument that counts from 1; returns their results. */
/* Have guest_many make calls, the last one once the word at an offset in its page is not 0. */
static uint64_t speak_up_to(const struct vm *vm, uint64_t times, size_t word)
{
	set_reg(vm, x_reg(1), hypertrace_descriptor(HYPERTRACE_EVENT, 0, 1, 1));
	set_reg(vm, x_reg(2), 0);
	set_reg(vm, x_reg(20), HYPERTRACE_CALL);
	set_reg(vm, x_reg(21), times);
	set_reg(vm, x_reg(24), CODE_IPA + word);
	return vm_run(vm);
}

/* The guest does not wait: its code is not 0. */
static uint64_t speak_often(const struct vm *vm, uint64_t times)
{
	return speak_up_to(vm, times, 0);
}

#define CALLS	20000

TEST_F(channel, what_exceeds_the_limit_is_counted)
{
	const uint64_t limit = 4000, burst = limit / 8 + 1;
	struct vm vm = create(guest_many, guest_random);
	uint64_t refused, most;

	ASSERT_EQ(0, set_size_kb(4096));
	ASSERT_EQ(0, put_num(file_of(&vm, "limit"), limit));
	refused = speak_often(&vm, CALLS) / HYPERTRACE_LIMITED;
	EXPECT_LT(0, refused);
	EXPECT_EQ(refused, get_num(file_of(&vm, "lost"), ""));
	read_anew();
	EXPECT_EQ(0, rec.errors);
	EXPECT_EQ(CALLS, rec.events + refused);
	/* By the events' own times, the limit was heeded. */
	most = burst + (rec.ts - rec.first_ts) * limit / 1000000000 + 1;
	EXPECT_LT(1, rec.events);
	EXPECT_GE(most, rec.events);

	/* The next event says what is missing since the last one. */
	ASSERT_EQ(0, put(file_of(&vm, "limit"), "0"));
	speak_often(&vm, 1);
	read_all();
	EXPECT_EQ(refused, rec.lost);
	vm_destroy(&vm);
}

/* A vCPU that has recorded too many need not wait when it may record more. */
TEST_F(channel, a_limit_is_raised_at_once)
{
	struct vm vm = create_hvc();

	ASSERT_EQ(0, put(file_of(&vm, "limit"), "1"));
	EXPECT_EQ(HYPERTRACE_DONE, speak_one(&vm, 1));
	EXPECT_EQ(HYPERTRACE_LIMITED, speak_one(&vm, 2));
	ASSERT_EQ(0, put(file_of(&vm, "limit"), "10000"));
	EXPECT_EQ(HYPERTRACE_DONE, speak_one(&vm, 3));
	ASSERT_EQ(0, put(file_of(&vm, "limit"), "4294967295"));
	EXPECT_EQ(HYPERTRACE_DONE, speak_one(&vm, 4));
	EXPECT_EQ(-ERANGE, put(file_of(&vm, "limit"), "4294967296"));
	vm_destroy(&vm);
}

/* Names ------------------------------------------------------------------------------- */

static bool trace_has(const char *line)
{
	char *trace = get(HYP "trace");
	bool has = strstr(trace, line);

	if (!has)
		printf("# not \"%s\" in:\n%s", line, trace);
	free(trace);
	return has;
}

TEST_F(channel, names)
{
	uint64_t args[] = { 17, 0xbeef, -3, 4 };
	struct vm vm = create_hvc();
	char *names;

	ASSERT_EQ(HYPERTRACE_DONE, name(&vm, 7, "disk_done sector addr:x delta"));
	ASSERT_EQ(HYPERTRACE_DONE, name(&vm, 8, "old"));
	ASSERT_EQ(HYPERTRACE_DONE, name(&vm, 8, "bell\a x"));
	names = get(file_of(&vm, "names"));
	EXPECT_STREQ("* 7 disk_done sector addr:x delta\n* 8 bell? x\n", names);
	free(names);

	ASSERT_EQ(HYPERTRACE_DONE, speak(&vm, HYPERTRACE_EVENT, 3, 1, 7, args, 4));
	ASSERT_EQ(HYPERTRACE_DONE, speak(&vm, HYPERTRACE_EVENT, 4, 4, 7, args, 4));
	ASSERT_EQ(HYPERTRACE_DONE, speak(&vm, HYPERTRACE_EVENT, 5, 0, 8, args, 4));
	ASSERT_EQ(HYPERTRACE_DONE, speak(&vm, HYPERTRACE_EVENT, 6, 2, 9, args, 4));
	EXPECT_TRUE(trace_has(" client=3 lost=0 disk_done sector=17\n"));
	EXPECT_TRUE(trace_has(" lost=0 disk_done sector=17 addr=0xbeef delta=-3 a3=0x4\n"));
	EXPECT_TRUE(trace_has(" client=5 lost=0 bell?\n"));
	EXPECT_TRUE(trace_has(" client=6 lost=0 id=9 a0=0x11 a1=0xbeef\n"));

	/* What a VM has recorded keeps its names. */
	vm_destroy(&vm);
	EXPECT_TRUE(trace_has(" client=3 lost=0 disk_done sector=17\n"));
}

/* In Linux, client 0 is the kernel, and the others are what user space has opened. */
TEST_F(channel, client_0_has_names_of_its_own)
{
	struct vm vm = create_hvc();
	uint64_t arg = 17;
	char *names;

	ASSERT_EQ(HYPERTRACE_DONE, name_by(&vm, 0, 7, "irq number"));
	ASSERT_EQ(HYPERTRACE_DONE, name_by(&vm, 0, 8, "softirq number"));
	ASSERT_EQ(HYPERTRACE_DONE, name_by(&vm, 5, 7, "request number"));
	ASSERT_EQ(HYPERTRACE_DONE, name_by(&vm, 6, 7, "reply number"));
	names = get(file_of(&vm, "names"));
	EXPECT_STREQ("0 7 irq number\n0 8 softirq number\n* 7 reply number\n", names);
	free(names);

	ASSERT_EQ(HYPERTRACE_DONE, speak(&vm, HYPERTRACE_EVENT, 0, 1, 7, &arg, 1));
	ASSERT_EQ(HYPERTRACE_DONE, speak(&vm, HYPERTRACE_EVENT, 9, 1, 7, &arg, 1));
	ASSERT_EQ(HYPERTRACE_DONE, speak(&vm, HYPERTRACE_EVENT, 10, 1, 8, &arg, 1));
	EXPECT_TRUE(trace_has(" client=0 lost=0 irq number=17\n"));
	EXPECT_TRUE(trace_has(" client=9 lost=0 reply number=17\n"));
	EXPECT_TRUE(trace_has(" client=10 lost=0 id=8 a0=0x11\n"));
	vm_destroy(&vm);
}

TEST_F(channel, a_vm_has_so_many_names)
{
	struct vm vm = create_hvc();
	int64_t result = HYPERTRACE_DONE;
	int i;

	for (i = 0; i < 10000 && result == HYPERTRACE_DONE; i++)
		result = name(&vm, i, path_of("name_%d", i));
	EXPECT_EQ(HYPERTRACE_LIMITED, result);
	EXPECT_EQ(257, i);
	EXPECT_EQ(HYPERTRACE_DONE, name(&vm, 0, "again"));
	vm_destroy(&vm);
}

/* Many at once ------------------------------------------------------------------------ */

#define VMS	2
#define VCPUS	2

/* A vCPU's thread: makes many calls, and returns the sum of their results. */
static void *run_many(void *vm)
{
	return (void *)speak_often(vm, CALLS);
}

#define MORE_CALLS	(5 * CALLS)

/* A word of the guest's page that is 0 at first. */
static size_t last_word(void)
{
	return getpagesize() - sizeof(uint32_t);
}

/* The same; the guest runs until it is told to end. */
static void *run_until_told(void *vm)
{
	return (void *)speak_up_to(vm, MORE_CALLS, last_word());
}

/* Without an MMU, the guest does not look into caches. */
static void tell(const struct vm *vm)
{
	uint32_t *word = vm->code + last_word() / sizeof(*word);

	__atomic_store_n(word, 1, __ATOMIC_RELEASE);
	asm volatile("dc civac, %0; dsb sy" :: "r" (word) : "memory");
}

/* When the write returns, the guest is through with its last event. */
TEST_F(channel, permission_is_withdrawn_while_the_guest_runs)
{
	struct vm vm = create(guest_many, guest_random);
	pthread_t thread;
	void *results;
	int events;

	ASSERT_EQ(0, set_size_kb(8192));
	ASSERT_EQ(0, pthread_create(&thread, NULL, run_until_told, &vm));
	while (stat_of(0, "entries:") < 10)
		usleep(100);
	ASSERT_EQ(0, put(file_of(&vm, "enable"), "0"));
	read_anew();
	events = rec.events;
	tell(&vm);
	pthread_join(thread, &results);
	read_all();
	EXPECT_LT(0, events);
	EXPECT_GT(MORE_CALLS, events);
	EXPECT_EQ(events, rec.events);
	EXPECT_EQ(MORE_CALLS - events, -(int64_t)results);
	vm_destroy(&vm);
}

/* EL2 looks only when the host has it run the vCPU whether guests are traced. */
TEST_F(channel, tracing_begins_while_the_guest_runs)
{
	struct vm vm = create(guest_many, guest_random);
	int type = learn("vcpu_exit", "esr").type;
	pthread_t thread;

	/* So many events take as much memory with pages of any size. */
	ASSERT_EQ(0, put_num(HYP "buffer_size_kb", 16384));
	ASSERT_EQ(0, pthread_create(&thread, NULL, run_until_told, &vm));
	ASSERT_EQ(0, run_on(nr_cpus() - 1));
	while (stat_of(0, "entries:") < 10)
		usleep(100);
	ASSERT_EQ(0, put(HYP "events/hyp/vcpu_exit/enable", "1"));
	/* Without the last call, what is more than these is an exit. */
	while (stat_of(0, "entries:") < MORE_CALLS)
		usleep(100);
	tell(&vm);
	pthread_join(thread, NULL);
	other_type = type;
	read_anew();
	other_type = 0;
	EXPECT_EQ(0, rec.errors);
	EXPECT_EQ(MORE_CALLS, rec.events);
	/* The guest leaves EL2 by itself at its end only. */
	EXPECT_LT(1, rec.others);
	vm_destroy(&vm);
}

TEST_F(channel, two_vms_with_two_vcpus)
{
	void *result;
	pthread_t threads[VMS][VCPUS];
	struct vm vm[VMS][VCPUS];
	cpu_set_t all;
	int v, i;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
	ASSERT_EQ(0, set_size_kb(8192));
	for (v = 0; v < VMS; v++) {
		vm[v][0] = create(guest_many, guest_random);
		vm[v][1] = vm[v][0];
		vcpu_init(&vm[v][1], IOCTL(vm[v][0].vm, KVM_CREATE_VCPU, 1L), 0);
		set_reg(&vm[v][1], x_reg(19), MMIO_IPA);
	}
	for (v = 0; v < VMS; v++) {
		for (i = 0; i < VCPUS; i++) {
			ASSERT_EQ(0, pthread_create(&threads[v][i], NULL, run_many,
						    &vm[v][i]));
		}
	}
	for (v = 0; v < VMS; v++) {
		for (i = 0; i < VCPUS; i++) {
			pthread_join(threads[v][i], &result);
			EXPECT_EQ(NULL, result);
		}
	}

	/* In each CPU's ring, what each vCPU has recorded there is in order. */
	memset(last_count, 0, sizeof(last_count));
	counts = true;
	read_anew();
	counts = false;
	EXPECT_EQ(0, rec.errors);
	EXPECT_EQ(VMS * VCPUS * CALLS, rec.events);
	for (v = 0; v < VMS; v++)
		vm_destroy(&vm[v][0]);
}

/* A hostile guest --------------------------------------------------------------------- */

TEST_F(channel, random_calls_harm_nothing)
{
	struct vm vm = create(guest_random, guest_immediates), witness = create_hvc();
	int64_t result = HYPERTRACE_DONE;

	ASSERT_EQ(0, put(file_of(&vm, "limit"), "100"));
	set_reg(&vm, x_reg(20), 0x2545f4914f6cdd1d);
	set_reg(&vm, x_reg(21), rounds_of(1000000));
	set_reg(&vm, x_reg(23), 6364136223846793005);
	set_reg(&vm, x_reg(24), 1442695040888963407);
	set_reg(&vm, x_reg(25), HYPERTRACE_CALL);
	EXPECT_EQ(0, vm_run(&vm));
	read_anew();
	/* So many are recorded each second: a slow machine overruns the ring. */
	EXPECT_EQ(rec.overruns, rec.errors);
	EXPECT_LT(0, rec.events + rec.marks);

	/* All goes on for others. */
	result = speak_one(&witness, 42);
	EXPECT_EQ(HYPERTRACE_DONE, result);
	read_anew();
	EXPECT_EQ(0, rec.errors);
	EXPECT_EQ(1, rec.events);
	EXPECT_EQ(42, rec.arg[0]);
	EXPECT_LT(0, get_num(file_of(&vm, "lost"), ""));
	vm_destroy(&vm);
	vm_destroy(&witness);
}

TEST_HARNESS_MAIN
