// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of hyp/totals: each vCPU has rows of its own, wherever it runs, and they outlive it.
 */

#include <pthread.h>
#include <signal.h>

#include "../guests/hyp_vm.h"
#include "../hyp_names.h"
#include "../tracefs/hyp_fixture.h"
#include "hyp_totals.h"

/* The number of the last VM that this process has created. */
static unsigned int last_vm(void)
{
	return vm_of(getpid());
}

/* Sum of a vCPU's rows of a kind. */
static uint64_t sum_of(const struct totals *t, unsigned int vm, unsigned int vcpu, const char *kind)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < t->n; i++)
		if (t->rows[i].vm == vm && t->rows[i].vcpu == vcpu &&
		    !strcmp(t->rows[i].kind, kind))
			sum += t->rows[i].count;
	return sum;
}

/*
 * Are the sums of a vCPU right, which has run up to @stores stores? Each of its exits but the last
 * one has ended, and there is nothing that no row was made for.
 */
static bool is_right(const struct totals *t, unsigned int vm, unsigned int vcpu, uint64_t stores)
{
	uint64_t aborts = totals_of(t, vm, vcpu, "exit_host", "DABT_LOW").count;
	uint64_t runs = sum_of(t, vm, vcpu, "guest");
	uint64_t exits = sum_of(t, vm, vcpu, "exit_host") + sum_of(t, vm, vcpu, "exit_el2");
	bool right = aborts == stores - 1 && runs == exits + 1 && runs >= stores &&
		     !totals_of(t, vm, vcpu, "exit_host", "unexpected").count;

	if (!right)
		printf("# VM %u, vCPU %u: %lu stores of %lu, %lu runs, %lu exits\n", vm, vcpu,
		       aborts, stores, runs, exits);
	return right;
}

/* Run a guest that is created now up to some stores. */
static void run_stores(int stores)
{
	struct vm vm = vm_create(store, sizeof(store));

	while (stores--)
		vm_run(&vm);
	vm_destroy(&vm);
}

/* Run a guest up to some stores, each on the next CPU. */
static bool run_everywhere(const struct vm *vm, int cpus, int stores)
{
	int i;

	for (i = 0; i < stores; i++) {
		if (run_on(i % cpus))
			return false;
		vm_run(vm);
	}
	return true;
}

TEST_F(hyp, totals_of_a_vcpu_are_right_wherever_it_runs)
{
	const int stores = 200;
	struct vm vm = vm_create(store, sizeof(store));
	struct totals t;

	ASSERT_TRUE(totals_on());
	ASSERT_TRUE(run_everywhere(&vm, self->cpus, stores));
	t = totals_read();
	EXPECT_TRUE(is_right(&t, last_vm(), 0, stores));
	totals_free(&t);

	/* A reset is one for all CPUs, also if the vCPU has not run since. */
	ASSERT_EQ(0, put(TOTALS "reset", "1"));
	EXPECT_EQ(0, count_of_kind("guest", NULL));
	ASSERT_TRUE(run_everywhere(&vm, self->cpus, stores));
	t = totals_read();
	EXPECT_TRUE(is_right(&t, last_vm(), 0, stores));
	totals_free(&t);

	vm_destroy(&vm);
	t = totals_read();
	EXPECT_TRUE(is_right(&t, last_vm(), 0, stores));
	totals_free(&t);
	EXPECT_TRUE(totals_fresh());
}

/* Reads the totals all the time; @wrong counts readings with fewer runs of guests than before. */
struct reader {
	pthread_t		thread;
	bool			stop;
	unsigned int		readings, wrong;	/* @readings: with more runs than before */
};

static void *read_always(void *data)
{
	struct reader *reader = data;
	uint64_t runs, last = 0;
	struct totals t;
	size_t i;

	while (!__atomic_load_n(&reader->stop, __ATOMIC_RELAXED)) {
		t = totals_read();
		for (runs = 0, i = 0; i < t.n; i++)
			if (!strcmp(t.rows[i].kind, "guest"))
				runs += t.rows[i].count;
		reader->wrong += runs < last || t.malformed;
		reader->readings += runs > last;
		last = runs;
		totals_free(&t);
	}
	return NULL;
}

/* VMs that are gone are listed, with their rows, up to so many of both. */
enum { MAX_GONE = 1024, MAX_GONE_ROWS = 100000 };

/*
 * When a VM ends on Linux 7.3 with protection, KVM looks for its pages in as many addresses as the
 * CPU may have: for 48 bits that takes a second in QEMU.
 */
static bool vms_end_slowly(void)
{
	const int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	const int bits = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_ARM_VM_IPA_SIZE);

	close(kvm);
	return is_protected() && is_since(7, 3) && bits > 44;
}

/* VMs come and go while somebody reads; each of them is there in the end, with all of it. */
TEST_F(hyp, totals_of_vms_that_are_gone_stay)
{
	const int vms = vms_end_slowly() || is_short() ? 100 : MAX_GONE, stores = 3;
	long long bad = bad_totals(), unmeasured = unmeasured_vcpus();
	struct reader reader = { };
	unsigned int first;
	struct totals t;
	int i, right = 0;

	ASSERT_TRUE(totals_on());
	run_stores(stores);
	first = last_vm() + 1;
	ASSERT_EQ(0, pthread_create(&reader.thread, NULL, read_always, &reader));
	for (i = 0; i < vms; i++)
		run_stores(stores);
	__atomic_store_n(&reader.stop, true, __ATOMIC_RELAXED);
	ASSERT_EQ(0, pthread_join(reader.thread, NULL));
	EXPECT_LT(1, reader.readings);
	EXPECT_EQ(0, reader.wrong);

	/* Nobody else has had a VM. */
	EXPECT_EQ(first + vms - 1, last_vm());
	t = totals_read();
	for (i = 0; i < vms; i++)
		right += is_right(&t, first + i, 0, stores);
	totals_free(&t);
	EXPECT_EQ(vms, right);

	/* One more than there may be: the oldest one is forgotten. */
	if (vms < MAX_GONE) {
		TH_LOG("%d VMs, which are not too many to be listed", vms);
	} else {
		run_stores(stores);
		t = totals_read();
		EXPECT_EQ(0, sum_of(&t, first, 0, "guest"));
		EXPECT_TRUE(is_right(&t, first + 1, 0, stores));
		totals_free(&t);
	}
	EXPECT_EQ(bad, bad_totals());
	EXPECT_EQ(unmeasured, unmeasured_vcpus());
	EXPECT_TRUE(totals_fresh());
}

/*
 * A guest with exits of some kinds before the first one to its VMM:
 *
 *	mov x6, #0x300000; msr cpacr_el1, x6; isb; fmov d0, x4; mrs x7, id_aa64isar0_el1
 *	mov x0, #0x84000000; hvc #0; mov x0, #0x84000000; smc #0; 1: str x0, [x4]; b 1b
 */
static const uint32_t many_exits[] = {
	0xd2a00606, 0xd5181046, 0xd5033fdf, 0x9e670080, 0xd5380607,
	0xd2b08000, 0xd4000002, 0xd2b08000, 0xd4000003, 0xf9000080, 0x17ffffff,
};

static int max_vcpus(void)
{
	const int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	const int vcpus = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_MAX_VCPUS);

	close(kvm);
	return vcpus;
}

/* Run each vCPU of a VM that has so many up to two stores; returns the VM's number. */
static unsigned int run_vcpus(int n)
{
	struct vm *vcpu = calloc(n, sizeof(*vcpu));
	int i;

	vcpu[0] = vm_create(many_exits, sizeof(many_exits));
	for (i = 1; i < n; i++) {
		vcpu[i] = vcpu[0];
		vcpu_init(&vcpu[i], IOCTL(vcpu[0].vm, KVM_CREATE_VCPU, (long)i), 0);
	}
	for (i = 0; i < 2 * n; i++)
		vm_run(&vcpu[i / 2]);
	for (i = 1; i < n; i++)
		vcpu_destroy(&vcpu[i]);
	vm_destroy(&vcpu[0]);
	free(vcpu);
	return last_vm();
}

static size_t rows_of_guests(const struct totals *t)
{
	size_t i, n = 0;

	for (i = 0; i < t->n; i++)
		n += !!t->rows[i].vm;
	return n;
}

/* If there are too many rows, the oldest VM that is gone is forgotten, though VMs are few. */
TEST_F(hyp, rows_of_vms_that_are_gone_have_a_bound)
{
	const int vcpus = max_vcpus();
	unsigned int first, last = 0;
	struct totals t;
	size_t rows, n;
	int i;

	if (is_short())
		SKIP(return, "another boot does this");
	if (vcpus < 256)
		SKIP(return, "needs VMs of many vCPUs");

	ASSERT_TRUE(totals_on());
	first = run_vcpus(vcpus);
	t = totals_read();
	rows = rows_of_guests(&t);
	totals_free(&t);
	TH_LOG("%zu rows of %d vCPUs", rows, vcpus);
	ASSERT_LT(3 * vcpus, rows);
	ASSERT_LT(rows, MAX_GONE_ROWS / 2);
	for (i = 1; i <= MAX_GONE_ROWS / rows; i++)
		last = run_vcpus(vcpus);

	t = totals_read();
	n = rows_of_guests(&t);
	EXPECT_GE(MAX_GONE_ROWS, n);
	EXPECT_LT(MAX_GONE_ROWS, n + rows + vcpus);
	EXPECT_EQ(0, sum_of(&t, first, 0, "guest"));
	EXPECT_LT(0, sum_of(&t, first + 1, vcpus - 1, "guest"));
	EXPECT_LT(0, sum_of(&t, last, vcpus - 1, "guest"));
	totals_free(&t);
	EXPECT_TRUE(totals_fresh());
}

/* Many VMs at once: none keeps another one out. */
TEST_F(hyp, totals_of_many_vms_at_once)
{
	enum { VMS = 80 };
	const int stores = 10;
	struct vm vm[VMS];
	struct totals t;
	unsigned int last;
	int i, j;

	ASSERT_TRUE(totals_on());
	for (i = 0; i < VMS; i++)
		vm[i] = vm_create(store, sizeof(store));
	for (j = 0; j < stores; j++)
		for (i = 0; i < VMS; i++)
			vm_run(&vm[i]);
	t = totals_read();
	last = last_vm();
	for (i = 0; i < VMS; i++)
		EXPECT_TRUE(is_right(&t, last - VMS + 1 + i, 0, stores));
	totals_free(&t);
	for (i = 0; i < VMS; i++)
		vm_destroy(&vm[i]);
	EXPECT_TRUE(totals_fresh());
}

/* A vCPU has the same rows when totals are off and on again, and when it has begun before them. */
TEST_F(hyp, totals_begin_and_end_between_runs_of_a_vcpu)
{
	struct vm vm = vm_create(store, sizeof(store));
	struct totals t;
	int i;

	for (i = 0; i < 5; i++)
		vm_run(&vm);
	ASSERT_TRUE(totals_on());
	for (i = 0; i < 5; i++)
		vm_run(&vm);
	ASSERT_EQ(0, put(TOTALS "enable", "0"));
	for (i = 0; i < 5; i++)
		vm_run(&vm);
	ASSERT_EQ(0, put(TOTALS "enable", "1"));
	for (i = 0; i < 5; i++)
		vm_run(&vm);
	t = totals_read();
	/* Twice four intervals between five stores. */
	EXPECT_EQ(8, totals_of(&t, last_vm(), 0, "exit_host", "DABT_LOW").count);
	EXPECT_LE(10, sum_of(&t, last_vm(), 0, "guest"));
	totals_free(&t);
	vm_destroy(&vm);
	EXPECT_TRUE(totals_fresh());
}

/* 1: branch to 1 */
static const uint32_t spin[] = { 0x14000000 };

static void interrupt(int signal)
{
}

static void *run_for_ever(void *data)
{
	const struct vm *vm = data;

	while (ioctl(vm->vcpu, KVM_RUN, 0) < 0 && errno == EINTR && !vm->run->immediate_exit)
		;
	return NULL;
}

/*
 * A hostile host runs one vCPU on two CPUs at once, so that both write to its rows. What they say
 * is wrong then; nothing else is. (Since Linux 6.18, EL2 refuses it.)
 */
TEST_F(hyp, a_vcpu_on_two_cpus_harms_only_its_numbers)
{
	const int tries = 2000;
	struct vm vm = vm_create(spin, sizeof(spin));
	int i, twice = 0, refused = 0, ret;
	pthread_t thread;
	struct totals t;

	if (!is_protected())
		SKIP(return, "the host is trusted");
	if (self->cpus < 2)
		SKIP(return, "needs two CPUs");

	ASSERT_NE(SIG_ERR, signal(SIGUSR1, interrupt));
	ASSERT_TRUE(totals_on());
	ASSERT_EQ(0, run_on(1));
	ASSERT_EQ(0, pthread_create(&thread, NULL, run_for_ever, &vm));
	ASSERT_EQ(0, run_on(0));
	/* Wait until the thread is in the guest. */
	for (i = 0; i < 1000 * tries && put(HYP "write_vcpu", "1") == -ENOENT; i++)
		;
	for (i = 0; i < tries; i++) {
		ret = put(HYP "write_vcpu", "1");
		twice += !ret;
		refused += ret == -EINVAL;
		ASSERT_TRUE(!ret || ret == -ENOENT || ret == -EINVAL) TH_LOG("%d", ret);
	}
	EXPECT_LT(tries / 2, twice + refused);
	TH_LOG("%d times of %d, refused %d times", twice, tries, refused);
	vm.run->immediate_exit = 1;
	ASSERT_EQ(0, pthread_kill(thread, SIGUSR1));
	ASSERT_EQ(0, pthread_join(thread, NULL));

	/* EL2 goes on, and other rows are right. */
	t = totals_read();
	EXPECT_FALSE(t.malformed);
	totals_free(&t);
	vm_destroy(&vm);
	ASSERT_EQ(0, put(TOTALS "reset", "1"));
	ASSERT_EQ(0, emit(1, 10));
	EXPECT_EQ(10, emitted_calls());
	run_stores(10);
	t = totals_read();
	EXPECT_TRUE(is_right(&t, last_vm(), 0, 10));
	totals_free(&t);
	EXPECT_TRUE(totals_fresh());
}

/* The memory of a vCPU's table goes back when its VM is gone. */
TEST_F(hyp, memory_of_vcpus_totals_goes_back)
{
	long long before;
	struct totals t;
	int i;

	if (!memory_counts())
		SKIP(return, "freed memory does not count as free at once");

	ASSERT_TRUE(totals_on());
	/* The rows kept of a VM that is gone take some KiB; its table had 32. */
	run_stores(1);
	before = free_memory();
	for (i = 0; i < 300; i++)
		run_stores(1);
	EXPECT_GT(300 * 12, before - free_memory());
	/* Each had a table. */
	t = totals_read();
	EXPECT_TRUE(is_right(&t, last_vm(), 0, 1));
	EXPECT_TRUE(is_right(&t, last_vm() - 299, 0, 1));
	totals_free(&t);
	EXPECT_TRUE(totals_fresh());
}

TEST_HARNESS_MAIN
