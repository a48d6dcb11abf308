// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each event of the hypervisor: what makes it happen, and what it must say then.
 *
 * A table. An event that is not in it is a failure, and so is one of the table that
 * is not seen; what can't be made to happen here has the reason for that.
 */

#include <regex.h>
#include <signal.h>
#include <sys/time.h>

#include "../kselftest.h"
#include "hyp_vm.h"

#define ARRAY_LEN(x)	(sizeof(x) / sizeof((x)[0]))

/* What the machine must have for an event. */
enum { PROTECTED = 1, UNPROTECTED = 2, SMP = 4, GICV3 = 8, GIC_TRAPPED = 16 };

static unsigned int machine(void)
{
	char *text = get("/proc/cmdline");
	unsigned int has;

	has = strstr(text, "kvm-arm.mode=protected") ? PROTECTED : UNPROTECTED;
	if (strstr(text, "vgic_v3_common_trap=1"))
		has |= GIC_TRAPPED;
	free(text);
	if (nr_cpus() > 1)
		has |= SMP;
	if (has_gicv3())
		has |= GICV3;
	return has;
}

/* What makes it happen ------------------------------------------------------------ */

#define STORE	0xf9000080	/* str x0, [x4]: leaves the guest */

static void write_event(void)
{
	emit(42, 42);
}

/* A guest that stores once. */
static void guest_store(void)
{
	static const uint32_t code[] = { STORE };
	struct vm vm = vm_create(code, sizeof(code));

	vm_run(&vm);
	vm_destroy(&vm);
}

/* A guest that does one thing, with arguments, and stores. */
static void guest_do(uint32_t insn)
{
	const uint32_t code[] = { insn, STORE };
	struct vm vm = vm_create(code, sizeof(code));

	set_reg(&vm, CORE_REG(regs.regs[0]), 0x84000000);	/* PSCI_VERSION */
	set_reg(&vm, CORE_REG(regs.regs[1]), 0x11);
	set_reg(&vm, CORE_REG(regs.regs[2]), 0x22);
	set_reg(&vm, CORE_REG(regs.regs[3]), 0x33);
	set_reg(&vm, ARM64_SYS_REG(3, 0, 1, 0, 2), 3 << 20);	/* CPACR_EL1.FPEN */
	vm_run(&vm);
	vm_destroy(&vm);
}

static void guest_hvc(void)
{
	guest_do(0xd4000002);
}

static void guest_smc(void)
{
	guest_do(0xd4000003);
}

/* fmov d0, x0 */
static void guest_fp(void)
{
	guest_do(0x9e670000);
}

static void on_alarm(int sig)
{
}

/* wfi, until a signal comes. */
static void guest_wfi(void)
{
	static const uint32_t code[] = { 0xd503207f, STORE };
	const struct itimerval soon = { { 0, 20000 }, { 0, 20000 } }, never = { };
	const struct sigaction interrupt = { .sa_handler = on_alarm };
	struct vm vm = vm_create(code, sizeof(code));

	sigaction(SIGALRM, &interrupt, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	while (ioctl(vm.vcpu, KVM_RUN, 0) && errno == EINTR)
		;
	setitimer(ITIMER_REAL, &never, NULL);
	vm_destroy(&vm);
}

/* With a counter of its own: mrs x0, cntpct_el0. */
static void guest_counter(void)
{
	static const uint32_t code[] = { 0xd53be020, STORE };
	struct kvm_arm_counter_offset offset = { .counter_offset = 0x123456 };
	struct vm vm = vm_create(code, sizeof(code));

	IOCTL(vm.vm, KVM_ARM_SET_COUNTER_OFFSET, &offset);
	vm_run(&vm);
	vm_destroy(&vm);
}

/* mrs x0, icc_ctlr_el1 */
static void guest_gic(void)
{
	static const uint32_t code[] = { 0xd538cc80, STORE };
	struct kvm_create_device gic = { .type = KVM_DEV_TYPE_ARM_VGIC_V3 };
	uint64_t dist = 0x8000000, redist = 0x80a0000;
	struct kvm_device_attr attrs[] = {
		{ .group = KVM_DEV_ARM_VGIC_GRP_ADDR,
		  .attr = KVM_VGIC_V3_ADDR_TYPE_DIST, .addr = (uintptr_t)&dist },
		{ .group = KVM_DEV_ARM_VGIC_GRP_ADDR,
		  .attr = KVM_VGIC_V3_ADDR_TYPE_REDIST, .addr = (uintptr_t)&redist },
		{ .group = KVM_DEV_ARM_VGIC_GRP_CTRL,
		  .attr = KVM_DEV_ARM_VGIC_CTRL_INIT },
	};
	struct vm vm = vm_create(code, sizeof(code));
	size_t i;

	IOCTL(vm.vm, KVM_CREATE_DEVICE, &gic);
	for (i = 0; i < ARRAY_LEN(attrs); i++)
		IOCTL(gic.fd, KVM_SET_DEVICE_ATTR, &attrs[i]);
	vm_run(&vm);
	close(gic.fd);
	vm_destroy(&vm);
}

/* mrs x0, pmccntr_el0, which the guest has not got; its vectors are in its page. */
static void guest_undefined(void)
{
	static const uint32_t code[0xa04 / 4] = {
		[0] = 0xd53b9d00,
		[0xa00 / 4] = STORE,
	};
	struct vm vm = vm_create(code, sizeof(code));

	set_reg(&vm, ARM64_SYS_REG(3, 0, 12, 0, 0), CODE_IPA + 0x800);
	vm_run(&vm);
	vm_destroy(&vm);
}

/* With an interrupt and a system error pending, both of which it masks. */
static void guest_pending(void)
{
	static const uint32_t code[] = { STORE };
	struct kvm_irq_level irq = {
		.irq = KVM_ARM_IRQ_TYPE_CPU << KVM_ARM_IRQ_TYPE_SHIFT |
		       KVM_ARM_IRQ_CPU_IRQ,
		.level = 1,
	};
	struct kvm_vcpu_events events = { .exception.serror_pending = 1 };
	struct vm vm = vm_create(code, sizeof(code));

	IOCTL(vm.vm, KVM_IRQ_LINE, &irq);
	IOCTL(vm.vcpu, KVM_SET_VCPU_EVENTS, &events);
	vm_run(&vm);
	vm_destroy(&vm);
}

/* Its memory is taken away. */
static void guest_unmap(void)
{
	static const uint32_t code[] = { STORE };
	struct vm vm = vm_create(code, sizeof(code));

	vm_run(&vm);
	munmap(vm.code, getpagesize());
	vm_destroy(&vm);
}

static void cpu_off_and_on(void)
{
	put("/sys/devices/system/cpu/cpu1/online", "0");
	put("/sys/devices/system/cpu/cpu1/online", "1");
}

static void smc_psci_version(void)
{
	put(HYP "write_smc", "84000000");
}

/* A state that is not a deep one: firmware waits for an interrupt and returns. */
static void smc_cpu_suspend(void)
{
	put(HYP "write_smc", "c4000001 0 40080000");
}

/* Which QEMU's firmware does not know. */
static void smc_system_suspend(void)
{
	put(HYP "write_smc", "c400000e 40080000");
}

/* Before the version is negotiated, which EL2 refuses without asking. */
static void smc_ffa_id_get(void)
{
	put(HYP "write_smc", "84000069");
}

/*
 * A VM whose structures are in memory that nothing was shared of yet: what the kernel
 * has such of is used up before, for a buffer of its own.
 */
static void share_afresh(void)
{
	static int mb;

	put_num("/sys/kernel/tracing/buffer_size_kb", (mb += 16) * 1024 / nr_cpus());
	guest_store();
}

/* The table ----------------------------------------------------------------------- */

#define GUEST	"vm=[1-9][0-9]* vcpu=0 "

static const struct {
	const char	*event;
	void		(*provoke)(void);	/* or: */
	const char	*says;			/* regular expression; or why not */
	unsigned int	needs;
} table[] = {
	{ "selftest", write_event, "id=42" },
	{ "hyp_enter", write_event, "reason=hvc" },
	{ "hyp_exit", write_event, "reason=eret_host" },
	{ "hyp_enter", guest_store, "reason=guest_exit" },
	{ "hyp_exit", guest_store, "reason=eret_guest" },
	{ "hyp_enter", smc_psci_version, "reason=smc", PROTECTED },
	{ "hyp_enter", smc_psci_version, "reason=psci", PROTECTED },
	{ "hyp_enter", guest_store, "reason=host_abort", PROTECTED },
	{ "host_hcall", write_event, "__hyp_trace_write_event id=[0-9]+ invalid=0" },
	{ "host_hcall_done", write_event, "__hyp_trace_write_event id=[0-9]+ result=0" },
	{ "host_hcall_done", guest_store, "__kvm_vcpu_run id=[0-9]+ result=2" },
	{ "host_smc", smc_psci_version, "PSCI_VERSION id=0x84000000 forwarded=0", PROTECTED },
	{ "host_smc", smc_ffa_id_get, "FFA_ID_GET id=0x84000069 forwarded=0", PROTECTED },
	{ "host_ffa_call", smc_ffa_id_get,
	  "FFA_ID_GET func_id=0x84000069 (res_a[134]=0x0 |res_a2=0xf+e )+handled=1 err=-2",
	  PROTECTED },
	{ "host_mem_abort", guest_store, "esr=0x9[23][0-9a-f]+ addr=0x[0-9a-f]+000", PROTECTED },

	{ "psci_cpu_on", cpu_off_and_on, "mpidr=0x1 entry=0x[0-9a-f]+", PROTECTED | SMP },
	{ "psci_cpu_off", cpu_off_and_on, "mpidr=0x1 func_id=0x84000002", PROTECTED | SMP },
	{ "psci_cpu_entry", cpu_off_and_on, "entry=0x[0-9a-f]+", PROTECTED | SMP },
	{ "psci_cpu_suspend", smc_cpu_suspend, "power_state=0x0 entry=0x40080000", PROTECTED },
	{ "psci_system_suspend", smc_system_suspend, "entry=0x40080000", PROTECTED },

	{ "vcpu_load", guest_store, GUEST "pending=" },
	{ "vcpu_load", guest_pending, GUEST "pending=virq[|]vserror" },
	{ "vcpu_put", guest_store, "vm=[1-9][0-9]* vcpu=0" },
	{ "vcpu_enter", guest_store, GUEST "pc=0x40000000 pstate=0x[0-9a-f]*3c5" },
	{ "vcpu_exit", guest_store, GUEST "reason=DABT_LOW pc=0x40000000 esr=0x93[0-9a-f]+" },
	{ "vcpu_exit", guest_hvc, GUEST "reason=HVC64 pc=0x40000004 esr=0x5a000000" },
	{ "vcpu_mem_abort", guest_store,
	  GUEST "DABT_LOW ipa=0x10000000 va=0x10000000 esr=0x93[0-9a-f]+" },
	{ "vcpu_mem_abort", guest_store,
	  GUEST "IABT_LOW ipa=0x40000000 va=0x40000000 esr=0x82[0-9a-f]+" },
	{ "guest_hvc", guest_hvc,
	  GUEST "PSCI_VERSION func_id=0x84000000 a1=0x11 a2=0x22 a3=0x33" },
	{ "guest_smc", guest_smc,
	  GUEST "PSCI_VERSION func_id=0x84000000 a1=0x11 a2=0x22 a3=0x33" },
	{ "vcpu_wfx", guest_wfi, GUEST "wfi" },
	{ "vcpu_inject", guest_undefined, GUEST "el1_sync" },
	{ "vcpu_fixup_fp", guest_fp, GUEST "FP_ASIMD esr=0x1f[0-9a-f]+" },
	{ "vcpu_fixup_sysreg", guest_counter,
	  GUEST "read CNTPCT_EL0 value=0x[0-9a-f]+", UNPROTECTED },
	{ "vcpu_fixup_sysreg", guest_gic,
	  GUEST "read ICC_CTLR_EL1 value=0x[0-9a-f]+", GICV3 | GIC_TRAPPED },
	{ "vcpu_serror", NULL, "QEMU raises no system error" },
	{ "vcpu_illegal_trap", NULL, "6.12 can't create a protected guest" },
	{ "vcpu_fixup_mem", NULL,
	  "takes a change of page tables meanwhile, or a GICv2 that is not page aligned" },
	{ "vcpu_fixup_mops", NULL, "takes CPUs of different kinds, with FEAT_MOPS" },

	{ "timer_cntvoff", guest_counter, "cntvoff=1193046" },
	{ "vgic_restore", guest_store, GUEST "lrs=0 hcr=0x[0-9a-f]+", GICV3 },
	{ "vgic_save", guest_store, GUEST "lrs=0 empty=0x[0-9a-f]*f maintenance=0x0", GICV3 },

	{ "mem_host_share_hyp", guest_store, "pfn=0x[0-9a-f]+ nr_pages=1 ret=0", PROTECTED },
	{ "mem_host_unshare_hyp", guest_store, "pfn=0x[0-9a-f]+ nr_pages=1 ret=0", PROTECTED },
	{ "mem_host_donate_hyp", guest_store, "pfn=0x[0-9a-f]+ nr_pages=[1-9] ret=0", PROTECTED },
	{ "mem_hyp_donate_host", guest_store, "pfn=0x[0-9a-f]+ nr_pages=[1-9] ret=0", PROTECTED },
	{ "mem_host_share_ffa", NULL, "takes firmware with FF-A, which QEMU's is not" },
	{ "mem_host_unshare_ffa", NULL, "takes firmware with FF-A, which QEMU's is not" },
	{ "s2_host_map", guest_store,
	  "addr=0x[0-9a-f]+000 size=0x[0-9a-f]+000 prot=rwx ret=0", PROTECTED },
	{ "s2_host_set_owner", guest_store,
	  "addr=0x[0-9a-f]+000 size=0x[0-9a-f]+000 owner=hyp ret=0", PROTECTED },
	{ "s2_host_set_owner", guest_store,
	  "addr=0x[0-9a-f]+000 size=0x[0-9a-f]+000 owner=host ret=0", PROTECTED },
	{ "s2_host_split", share_afresh, "addr=0x[0-9a-f]+000 level=2", PROTECTED },
	{ "s2_host_unmap_dev", NULL, "takes more devices than page tables were set aside for" },
	{ "tlb_flush", guest_unmap,
	  "(ipa|range) vm=[1-9][0-9]* ipa=0x40000000 size=[01] level=[03]" },

	{ "vm_create", guest_store, "handle=4096", PROTECTED },
	{ "vm_create_vcpu", guest_store, "handle=4096 ret=0", PROTECTED },
	{ "vm_destroy", guest_store, "handle=4096 ret=0", PROTECTED },
	{ "pool_alloc", guest_store, "pool=0x[0-9a-f]+ order=[0-9] ret=0", PROTECTED },
	{ "pool_free", guest_store, "pool=0x[0-9a-f]+ order=[0-9]", PROTECTED },

	{ "hyp_printk", write_event, "selftest 42 is 0x2a" },
	{ "hyp_puts", write_event, "selftest is over" },
	{ "hyp_span", write_event, "begin selftest id=[1-9][0-9]* duration=0 ns" },
	{ "hyp_span", write_event, "end selftest id=[1-9][0-9]* duration=[0-9]+ ns" },
};

/*
 * Of a guest that is protected, or that EL2 takes for one. That there is more of others
 * the table above has checked.
 */
#define CLASS	"esr=0x([0-9a-f]?[048c]0{6}|0)"

static const struct {
	const char	*event;
	void		(*provoke)(void);
	const char	*says;
	unsigned int	needs;
} withheld[] = {
	{ "vcpu_enter", guest_store, GUEST "pc=0x0 pstate=0x0" },
	{ "vcpu_exit", guest_store, GUEST "reason=[A-Z_0-9]+ pc=0x0 " CLASS },
	{ "vcpu_exit", guest_hvc, GUEST "reason=[A-Z_0-9]+ pc=0x0 " CLASS },
	{ "vcpu_mem_abort", guest_store, GUEST "[DI]ABT_LOW ipa=0x[0-9a-f]+000 va=0x0 " CLASS },
	{ "guest_hvc", guest_hvc, GUEST "0x0 func_id=0x0 a1=0x0 a2=0x0 a3=0x0" },
	{ "guest_smc", guest_smc, GUEST "0x0 func_id=0x0 a1=0x0 a2=0x0 a3=0x0" },
	{ "vcpu_fixup_fp", guest_fp, GUEST "FP_ASIMD " CLASS },
	{ "vcpu_fixup_sysreg", guest_counter, GUEST "read CNTPCT_EL0 value=0x0", UNPROTECTED },
	{ "vcpu_fixup_sysreg", guest_gic, GUEST "read [A-Z0-9_]+ value=0x0", GICV3 | GIC_TRAPPED },
};

/* Running it ---------------------------------------------------------------------- */

/*
 * Does the event say this, in the whole rest of a line of trace? The line is shown, for
 * make doc: the catalogue has one of each.
 */
static bool said(const char *event, const char *says)
{
	char *text = get(HYP "trace"), *line = strtok(text, "\n");
	const char *what = path_of(": %s: ", event), *at;
	bool found = false;
	regex_t regex;

	if (regcomp(&regex, path_of("^(%s)$", says), REG_EXTENDED | REG_NOSUB))
		errx(1, "%s", says);
	for (; line && !found; line = strtok(NULL, "\n")) {
		at = strstr(line, what);
		found = at && !regexec(&regex, at + strlen(what), 0, NULL, 0);
		if (found)
			ksft_print_msg("sample%s\n", at + 1);
	}
	regfree(&regex);
	free(text);
	return found;
}

/* What an event says instead, for whoever is to mend it. */
static void show(const char *event)
{
	char *text = get(HYP "trace"), *line = strtok(text, "\n");
	const char *what = path_of(": %s: ", event);
	int n = 0;

	for (; line && n < 8; line = strtok(NULL, "\n"))
		if (strstr(line, what) && ++n)
			ksft_print_msg("%s\n", line);
	if (!n)
		ksft_print_msg("no %s at all\n", event);
	free(text);
}

/* A block is split only if it has not been before. */
#define TRIES	10

static bool happens(const char *event, void (*provoke)(void), const char *says)
{
	bool ok = false;
	int i;

	put(HYP "events/enable", "0");
	put(path_of(HYP "events/hyp/%s/enable", event), "1");
	put(HYP "tracing_on", "1");
	for (i = 0; i < TRIES && !ok; i++) {
		put(HYP "trace", "");
		provoke();
		ok = said(event, says);
	}
	if (!ok)
		show(event);
	put(HYP "tracing_on", "0");
	return ok;
}

static void test(size_t i, unsigned int has)
{
	const char *event = table[i].event, *says = table[i].says;

	if (!table[i].provoke)
		ksft_test_result_skip("%s: %s\n", event, says);
	else if (~has & table[i].needs)
		ksft_test_result_skip("%s: not on this machine, or in this mode\n", event);
	else
		ksft_test_result(happens(event, table[i].provoke, says),
				 "%s: %s\n", event, says);
}

/* Is there such an event, and does each of them say this? */
static bool all_say(const char *event, const char *says)
{
	char *text = get(HYP "trace"), *line = strtok(text, "\n");
	const char *what = path_of(": %s: ", event), *at;
	int events = 0, right = 0;
	regex_t regex;

	if (regcomp(&regex, path_of("^(%s)$", says), REG_EXTENDED | REG_NOSUB))
		errx(1, "%s", says);
	for (; line; line = strtok(NULL, "\n")) {
		at = strstr(line, what);
		if (!at)
			continue;
		events++;
		right += !regexec(&regex, at + strlen(what), 0, NULL, 0);
	}
	regfree(&regex);
	free(text);
	return events && right == events;
}

static bool is_withheld(const char *event, void (*provoke)(void), const char *says)
{
	bool ok = !write_test(HYP_TRACE_TEST_WITHHOLD, 1);

	put(HYP "events/enable", "0");
	put(path_of(HYP "events/hyp/%s/enable", event), "1");
	put(HYP "tracing_on", "1");
	put(HYP "trace", "");
	provoke();
	ok &= all_say(event, says);
	if (!ok)
		show(event);
	put(HYP "tracing_on", "0");
	write_test(HYP_TRACE_TEST_WITHHOLD, 0);
	return ok;
}

static void test_withheld(size_t i, unsigned int has)
{
	const char *event = withheld[i].event, *says = withheld[i].says;

	if (~has & withheld[i].needs)
		ksft_test_result_skip("%s: not on this machine, or in this mode\n", event);
	else
		ksft_test_result(is_withheld(event, withheld[i].provoke, says),
				 "%s of a protected guest: %s\n", event, says);
}

static bool in_table(const char *event)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(table); i++)
		if (!strcmp(table[i].event, event))
			return true;

	ksft_print_msg("no test of %s\n", event);
	return false;
}

int main(void)
{
	unsigned int has = machine();
	size_t i;

	ksft_print_header();
	ksft_set_plan(ARRAY_LEN(table) + ARRAY_LEN(withheld) + 1);
	run_on(0);
	put(HYP "tracing_on", "0");
	put(HYP "buffer_size_kb", "256");
	for (i = 0; i < ARRAY_LEN(table); i++)
		test(i, has);
	for (i = 0; i < ARRAY_LEN(withheld); i++)
		test_withheld(i, has);
	put(HYP "events/enable", "0");
	put("/sys/kernel/tracing/buffer_size_kb", "1408");
	ksft_test_result(of_all_events(in_table), "each event has a test\n");
	ksft_finished();
}
