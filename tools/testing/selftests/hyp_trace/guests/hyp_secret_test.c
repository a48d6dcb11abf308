// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that tracing tells nothing of what a protected guest has in its registers and its memory:
 * a search through all that hyp/ and the log have, after everything has been traced. The same
 * search finds it for a guest that is not protected.
 *
 * Where KVM has no protected guests, EL2 is told to take all for protected.
 */

#include <ftw.h>
#include <sys/klog.h>

#include "../tracefs/hyp_suite.h"
#include "hyp_secret.h"

#define RUNS	10

static bool has_protected_guests;

/* Each test's guests have another secret: rings in reserved memory still have what they had. */
static int rounds;

/* Where the secret was found. */
static struct {
	uint64_t	secret;
	int		files;		/* in which it was looked for */
	int		found;		/* in which it was */
	bool		trace, raw, hist;
	char		*text;		/* of the trace */
} search;

static struct vm create(bool is_protected)
{
	if (!has_protected_guests)
		write_test(HYP_TRACE_TEST_WITHHOLD, is_protected);
	return secret_create(is_protected && has_protected_guests ? KVM_VM_TYPE_ARM_PROTECTED : 0,
			     rounds);
}

static void destroy(struct vm *vm)
{
	vm_destroy(vm);
	write_test(HYP_TRACE_TEST_WITHHOLD, 0);
}

static void run_secret_guest(bool is_protected, int times)
{
	struct vm vm = create(is_protected);

	secret_run(&vm, times);
	destroy(&vm);
}

static void looked_into(const char *path, bool found)
{
	search.files++;
	if (!found)
		return;

	printf("# found in %s\n", path);
	search.found++;
	search.trace |= !strcmp(path, HYP "trace");
	search.raw |= !!strstr(path, "trace_pipe_raw");
	search.hist |= !!strstr(path, "/hist");
}

/* Pipes come last: who reads them takes what they have. */
static bool raw_now;

static int look_into_file(const char *path, const struct stat *st, int kind, struct FTW *unused)
{
	bool is_pipe = strstr(path, "trace_pipe");
	int found;

	if (kind != FTW_F || !(st->st_mode & 0444) || strstr(path, "write_") ||
	    is_pipe != raw_now || (is_pipe && !strstr(path, "raw")))
		return 0;

	found = secret_in_file(path, search.secret);
	if (found >= 0)
		looked_into(path, found);
	return 0;
}

/* Look for the secret in all that the host has got by tracing. Tracing must be off. */
static void look_everywhere(void)
{
	static char log[1 << 20];
	int len;

	memset(&search, 0, sizeof(search));
	search.secret = secret_compute(rounds);
	raw_now = false;
	nftw(HYP, look_into_file, 16, FTW_PHYS);
	nftw(ROOT "events/hyp", look_into_file, 16, FTW_PHYS);
	search.text = get(HYP "trace");
	raw_now = true;
	nftw(HYP, look_into_file, 16, FTW_PHYS);
	len = klogctl(3, log, sizeof(log));
	looked_into("the log", secret_found(log, len, search.secret));
}

static void set_up_all(const char *on, const char *hist)
{
	put(HYP "events/enable", "1");
	put(HYP "options/stacktrace", on);
	put(HYP "totals/enable", "1");
	put(HYP "max/enable", on);
	append(HYP "events/hyp/guest_hvc/trigger", path_of("%shist:keys=a1,func_id", hist));
	append(HYP "events/hyp/vcpu_exit/trigger", path_of("%shist:keys=pc", hist));
	append(ROOT "events/hyp/guest_smc/trigger", path_of("%shist:keys=a2", hist));
	put(HYP "guests/default", "1");
}

FIXTURE(secret) {
};

static void clean_up(void)
{
	put(HYP "tracing_on", "0");
	put(HYP "current_tracer", "nop");
	put(HYP "events/hyp/guest_hvc/filter", "0");
	set_up_all("0", "!");
	put(HYP "events/enable", "0");
	put(HYP "totals/enable", "0");
	put(HYP "max/reset", "1");
	put(HYP "guests/default", "0");
	put(HYP "trace", "");
	set_size_kb(256);
}

FIXTURE_SETUP(secret)
{
	int kvm = open("/dev/kvm", O_RDWR);
	int vm = ioctl(kvm, KVM_CREATE_VM, KVM_VM_TYPE_ARM_PROTECTED);

	rounds = SECRET_ROUNDS + getpid() % 1000;
	has_protected_guests = vm >= 0;
	close(vm);
	close(kvm);
	clean_up();
	set_size_kb(512);
	ASSERT_EQ(0, run_on(0));
}

FIXTURE_TEARDOWN(secret)
{
	clean_up();
}

/* Everything but functions, beside which a trigger's events would be lost. */
static void trace_all(bool is_protected)
{
	put(HYP "trace", "");
	set_up_all("1", "");
	put(HYP "tracing_on", "1");
	run_secret_guest(is_protected, RUNS);
	put(HYP "tracing_on", "0");
	look_everywhere();
}

TEST_F(secret, events_stacks_totals_histograms_longest)
{
	trace_all(true);
	EXPECT_EQ(0, search.found);
	EXPECT_LT(200, search.files);
	/* All of that was there. */
	EXPECT_LE(RUNS, count_of(search.text, " guest_hvc: "));
	EXPECT_LE(RUNS, count_of(search.text, " => __kvm_nvhe_handle___kvm_vcpu_run"));
	EXPECT_LE(RUNS, count_of(search.text, path_of("a0=%#x", SECRET_TOLD)));
	EXPECT_TRUE(count_in(HYP "events/hyp/guest_hvc/hist", "a1: "));
	EXPECT_TRUE(count_in(HYP "totals/table", "\tHVC64\t"));
	EXPECT_TRUE(count_in(HYP "max/events", " guest_hvc: "));
}

TEST_F(secret, is_found_where_there_is_no_protection)
{
	trace_all(false);
	EXPECT_TRUE(search.trace);
	EXPECT_TRUE(search.raw);
	EXPECT_TRUE(search.hist);
}

TEST_F(secret, functions_and_their_results)
{
	if (!exists(HYP "available_filter_functions"))
		SKIP(return, "this kernel's tracer can't trace functions");

	ASSERT_EQ(0, put(HYP "current_tracer", "function_graph"));
	put(HYP "options/funcgraph-retval", "1");
	set_size_kb(4096);
	put(HYP "tracing_on", "1");
	run_secret_guest(true, RUNS);
	put(HYP "tracing_on", "0");
	look_everywhere();
	EXPECT_EQ(0, search.found);
	EXPECT_LE(RUNS, count_of(search.text, "__kvm_nvhe___kvm_vcpu_run"));
	EXPECT_LT(0, count_of(search.text, "0x8000000000000000"));
}

#define ASKED	0x1111111111111111ull

/* Find out by filters what a1 of the guest's calls has, bit by bit of those in ASKED. */
static uint64_t ask_filters(bool is_protected)
{
	uint64_t bits = 0;
	int i;

	put(HYP "events/hyp/guest_hvc/enable", "1");
	for (i = 0; i < 64; i += 4) {
		put(HYP "events/hyp/guest_hvc/filter", path_of("a1 & %#llx", 1ull << i));
		put(HYP "trace", "");
		put(HYP "tracing_on", "1");
		run_secret_guest(is_protected, 1);
		put(HYP "tracing_on", "0");
		/* One of the calls has none, one has an argument in a1 that is not secret. */
		if (count_in(HYP "trace", " guest_hvc: ") > 1)
			bits |= 1ull << i;
	}
	return bits;
}

TEST_F(secret, filters_tell_nothing)
{
	EXPECT_EQ(0, ask_filters(true));
}

TEST_F(secret, filters_tell_all_where_there_is_no_protection)
{
	EXPECT_EQ(secret_compute(rounds) & ASKED, ask_filters(false));
}

TEST_F(secret, the_host_has_it_by_other_ways)
{
	struct vm vm = create(true);

	/* Linux 7.3 shows a protected vCPU's registers to the host, as it does any other's. */
	secret_run(&vm, 1);
	EXPECT_EQ(secret_compute(rounds), get_reg(&vm, x_reg(8)));
	destroy(&vm);
}

TEST_HARNESS_MAIN
