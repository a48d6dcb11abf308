/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of the hypervisor: what causes each, and what it must then say, or why it
 * cannot be caused here. Then the fields that have only one value, and why.
 */
#ifndef HYP_EVENTS_TABLE_H
#define HYP_EVENTS_TABLE_H

#include "hyp_provoke.h"

/* Features of the machine that an event needs. */
enum {
	PROTECTED	= 1 << 0,
	UNPROTECTED	= 1 << 1,
	SMP		= 1 << 2,
	GICV3		= 1 << 3,
	GIC_TRAPPED	= 1 << 4,
	AARCH32		= 1 << 5,
	SVE		= 1 << 6,
	FRESH		= 1 << 7,	/* not run since boot */
	PAGES_4K	= 1 << 8,
	PAGES_LARGER	= 1 << 9,	/* than 4 KiB */
	SMALL_BLOCKS	= 1 << 10,	/* some block of memory has nothing of EL2's in it */
};

/* guests() runs two guests: the vCPU of one is number 0, of the other number 1. */
#define GUEST	"vm=[1-9][0-9]* vcpu=%d "

struct row {
	const char	*event;
	void		(*provoke)(void);	/* NULL: cannot be caused */
	const char	*says;			/* what walk() matches; or why not caused */
	unsigned int	needs;
	const char	*again_because;		/* why it may take several tries */
};

static const struct row table[] = {
	{ "selftest", write_event, "id=42" },
	{ "selftest", write_events, "id=49" },
	{ "selftest_fields", write_fields, "id=8 [0-9]+ -?[0-9]+ .* -?[0-9]+" },
	{ "hyp_enter", write_event, "reason=hvc" },
	{ "hyp_exit", write_event, "reason=eret_host" },
	{ "hyp_enter", guest_store, "reason=guest_exit" },
	{ "hyp_exit", guest_store, "reason=eret_guest" },
	{ "hyp_enter", smc_psci_version, "reason=smc", PROTECTED },
	{ "hyp_enter", smc_psci_version, "reason=psci", PROTECTED },
	{ "hyp_exit", smc_psci_version, "reason=psci", PROTECTED },
	{ "hyp_enter", pass_around, "reason=host_abort", PROTECTED },
	{ "hyp_panic", NULL, "no other test can go on after it; boot/crash tests it" },
	{ "host_hcall", write_event, "__hyp_trace_write_event id=[0-9]+ invalid=0" },
	{ "host_hcall", hvc_invalid, "0xffff id=65535 invalid=1" },
	{ "host_hcall_done", write_event, "__hyp_trace_write_event id=[0-9]+ result=0" },
	{ "host_hcall_done", guest_store, "__kvm_vcpu_run id=[0-9]+ result=2" },
	{ "host_smc", smc_psci_version, "PSCI_VERSION id=0x84000000 forwarded=0", PROTECTED },
	{ "host_smc", smc_ffa_id_get, "FFA_ID_GET id=0x84000069 forwarded=0", PROTECTED },
	{ "host_smc", smc_version, "SMCCC_VERSION id=0x80000000 forwarded=1", PROTECTED },
	{ "host_ffa_call", smc_ffa_id_get,
	  "FFA_ID_GET func_id=0x84000069 (res_a[134]=0x0 |res_a2=0xf+e )+handled=1 err=-2",
	  PROTECTED },
	{ "host_ffa_call", smc_ffa_version,
	  "FFA_VERSION func_id=0x84000063 .* handled=1 err=0", PROTECTED },
	{ "host_mem_abort", pass_around_afar,
	  "esr=0x9[23][0-9a-f]+ addr=0x[0-9a-f]+000", PROTECTED },

	{ "psci_cpu_on", cpu1_off_and_on, "mpidr=0x1 entry=0x[0-9a-f]+", PROTECTED | SMP },
	{ "psci_cpu_on", smc_cpu_on, "mpidr=0x0 entry=0x40080000", PROTECTED },
	{ "psci_cpu_on", smc_cpu_on, "mpidr=0x0 entry=0x40090000", PROTECTED },
	{ "psci_cpu_off", cpu1_off_and_on, "mpidr=0x1 func_id=0x84000002", PROTECTED | SMP },
	{ "psci_cpu_off", cpu0_off_and_on, "mpidr=0x0 func_id=0x84000002", PROTECTED | SMP },
	{ "psci_cpu_entry", cpu1_off_and_on, "entry=0x[0-9a-f]+", PROTECTED | SMP },
	{ "psci_cpu_suspend", smc_cpu_suspend, "power_state=0x0 entry=0x40080000", PROTECTED },
	{ "psci_cpu_suspend", smc_cpu_suspend, "power_state=0x1 entry=0x40090000", PROTECTED },
	{ "psci_system_suspend", smc_system_suspend, "entry=0x40080000", PROTECTED },
	{ "psci_system_suspend", smc_system_suspend, "entry=0x40090000", PROTECTED },

	{ "vcpu_load", guest_store, GUEST "pending=" },
	{ "vcpu_load", guest_pending, GUEST "pending=virq[|]vserror" },
	{ "vcpu_put", guest_store, "vm=[1-9][0-9]* vcpu=%d" },
	{ "vcpu_enter", guest_store, GUEST "pc=0x40000000 pstate=0x[0-9a-f]*3c5" },
	{ "vcpu_enter", guest_hvc, GUEST "pc=0x40000008 pstate=0x6[0-9a-f]*3c5" },
	{ "vcpu_exit", guest_store, GUEST "reason=DABT_LOW pc=0x40000000 esr=0x93[0-9a-f]+" },
	{ "vcpu_exit", guest_hvc, GUEST "reason=HVC64 pc=0x40000008 esr=0x5a000000" },
	{ "vcpu_exit", guest_spin, GUEST "reason=IRQ pc=0x40000004 esr=0x0" },
	{ "vcpu_mem_abort", guest_store,
	  GUEST "DABT_LOW ipa=0x10000000 va=0x10000000 esr=0x93[0-9a-f]+" },
	{ "vcpu_mem_abort", guest_store,
	  GUEST "IABT_LOW ipa=0x40000000 va=0x40000000 esr=0x82[0-9a-f]+" },
	{ "guest_hvc", guest_hvc,
	  GUEST "PSCI_VERSION func_id=0x84000000 a1=0x11 a2=0x22 a3=0x33" },
	{ "guest_hvc", guest_hvc,
	  GUEST "0xffffffff func_id=0xffffffff a1=0x0 a2=0x0 a3=0x0" },
	{ "guest_smc", guest_smc,
	  GUEST "PSCI_VERSION func_id=0x84000000 a1=0x11 a2=0x22 a3=0x33" },
	{ "guest_smc", guest_smc,
	  GUEST "0xffffffff func_id=0xffffffff a1=0x0 a2=0x0 a3=0x0" },
	{ "guest_trace_1", guest_trace_1, GUEST "client=8 lost=0 id=1001 a0=0x414243444546474a" },
	{ "guest_trace_2", guest_trace_2,
	  GUEST "client=7 lost=0 id=1000 a0=0x4142434445464749 a1=0x414243444546474a" },
	{ "guest_trace_4", guest_trace_4,
	  GUEST "client=7 lost=0 id=1000 a0=.* a1=.* a2=0x414243444546474b" },
	{ "guest_trace_8", guest_trace_8,
	  GUEST "client=8 lost=0 id=1001 .* a7=0x4142434445464758" },
	{ "guest_trace_16", guest_trace_16,
	  GUEST "client=8 lost=0 id=1001 .* a15=0x4142434445464768" },
	{ "guest_mark", guest_mark, GUEST "client=7 lost=0 IGFEDCBA" },
	{ "guest_mark", guest_mark, GUEST "client=1[34] lost=[1-4] .*" },
	{ "guest_clock", guest_clock,
	  GUEST "lost=0 at=[0-9]+ boot=4702394921427289929 mono=[0-9]+ cntvct=[0-9]+" },
	{ "vcpu_wfx", guest_wfi, GUEST "wfi" },
	{ "vcpu_inject", guest_undefined, GUEST "el1_sync" },
	{ "vcpu_inject", guest_abort32, GUEST "aa32_iabt", UNPROTECTED | AARCH32 },
	{ "vcpu_fixup_fp", guest_fp, GUEST "FP_ASIMD esr=0x1f[0-9a-f]+" },
	{ "vcpu_fixup_fp", guest_sve, GUEST "SVE esr=0x6[4-7][0-9a-f]+", SVE },
	{ "vcpu_fixup_sysreg", guest_counter,
	  GUEST "read CNTPCT_EL0 value=0x[0-9a-f]+", UNPROTECTED },
	{ "vcpu_fixup_sysreg", guest_gic,
	  GUEST "read ICC_CTLR_EL1 value=0x[0-9a-f]+", GICV3 | GIC_TRAPPED },
	{ "vcpu_fixup_sysreg", guest_gic,
	  GUEST "write ICC_PMR_EL1 value=0xff", GICV3 | GIC_TRAPPED },
	{ "vcpu_serror", NULL, "QEMU raises no system error" },
	{ "vcpu_illegal_trap", NULL, "6.12 can't create a protected guest" },
	{ "vcpu_fixup_mem", NULL,
	  "takes a change of page tables meanwhile, or a GICv2 that is not page aligned" },
	{ "vcpu_fixup_mops", NULL, "takes CPUs of different kinds, with FEAT_MOPS" },

	{ "timer_cntvoff", guest_counter, "cntvoff=1193046" },
	{ "vgic_restore", guest_store, GUEST "lrs=0 hcr=0x[0-9a-f]+", GICV3 },
	{ "vgic_restore", guest_gic, GUEST "lrs=1 hcr=0x[0-9a-f]+", GICV3 },
	{ "vgic_save", guest_store, GUEST "lrs=0 empty=0x[0-9a-f]*f maintenance=0x0", GICV3 },
	{ "vgic_save", guest_gic, GUEST "lrs=1 empty=0x[0-9a-f]*e maintenance=0x0", GICV3 },
	{ "vgic_save", guest_gic, GUEST "lrs=1 empty=0x[0-9a-f]*e maintenance=0x1", GICV3 },

	{ "mem_host_share_hyp", guest_store, "pfn=0x[0-9a-f]+ nr_pages=1 ret=0", PROTECTED },
	{ "mem_host_share_hyp", hvc_share_device, "pfn=0x0 nr_pages=1 ret=-1", PROTECTED },
	{ "mem_host_unshare_hyp", guest_store, "pfn=0x[0-9a-f]+ nr_pages=1 ret=0", PROTECTED },
	{ "mem_host_unshare_hyp", hvc_unshare_device, "pfn=0x0 nr_pages=1 ret=-1", PROTECTED },
	{ "mem_host_donate_hyp", pass_around, "pfn=0x[0-9a-f]+ nr_pages=1 ret=0", PROTECTED },
	{ "mem_host_donate_hyp", pass_device_around, "pfn=0x0 nr_pages=2 ret=-1", PROTECTED },
	{ "mem_hyp_donate_host", pass_around, "pfn=0x[0-9a-f]+ nr_pages=1 ret=0", PROTECTED },
	{ "mem_hyp_donate_host", pass_device_around, "pfn=0x0 nr_pages=2 ret=-1", PROTECTED },
	{ "mem_host_share_ffa", pass_around, "pfn=0x[0-9a-f]+ nr_pages=1 ret=0", PROTECTED },
	{ "mem_host_share_ffa", pass_device_around, "pfn=0x0 nr_pages=2 ret=-1", PROTECTED },
	{ "mem_host_unshare_ffa", pass_around, "pfn=0x[0-9a-f]+ nr_pages=1 ret=0", PROTECTED },
	{ "mem_host_unshare_ffa", pass_device_around, "pfn=0x0 nr_pages=2 ret=-1", PROTECTED },
	{ "s2_host_map", pass_around,
	  "addr=0x[0-9a-f]+000 size=PAGE prot=rwx ret=0", PROTECTED },
	{ "s2_host_map", touch_device,
	  "addr=0x8000000000 size=0x[48]0+ prot=rw ret=0", PROTECTED | FRESH | PAGES_4K },
	{ "s2_host_map", touch_device,
	  "addr=0x8000000000 size=0x[12]0+ prot=rw ret=0", PROTECTED | FRESH | PAGES_LARGER },
	{ "s2_host_set_owner", pass_around,
	  "addr=0x[0-9a-f]+000 size=PAGE owner=hyp ret=0", PROTECTED },
	{ "s2_host_set_owner", guest_store,
	  "addr=0x[0-9a-f]+000 size=0x[2-9]000 owner=hyp ret=0", PROTECTED | PAGES_4K },
	{ "s2_host_set_owner", pass_two_around,
	  "addr=0x[0-9a-f]+000 size=0x(8|20)000 owner=hyp ret=0", PROTECTED | PAGES_LARGER },
	{ "s2_host_set_owner", pass_around,
	  "addr=0x[0-9a-f]+000 size=PAGE owner=host ret=0", PROTECTED },
	{ "s2_host_split", pass_around_afar, "addr=0x[0-9a-f]+000 level=2",
	  PROTECTED | FRESH | SMALL_BLOCKS,
	  "a block is split only if it has not been before" },
	{ "s2_host_unmap_dev", NULL, "takes more devices than page tables were set aside for" },
	{ "tlb_flush", guest_unmap,
	  "ipa vmid=[1-9][0-9]* ipa=0x40000000 size=0 level=3" },
	{ "tlb_flush", pass_around, "ipa vmid=0 ipa=0x[0-9a-f]+000 size=0 level=3", PROTECTED },
	{ "tlb_flush", guest_log, "vmid vmid=[1-9][0-9]* ipa=0x0 size=0 level=0" },
	{ "tlb_flush", pass_device_around, "range vmid=0 ipa=0x0 size=2 level=0", PROTECTED },
	{ "tlb_flush", guest_vcpus, "vmid_nsh vmid=[1-9][0-9]* ipa=0x0 size=0 level=0" },
	{ "tlb_flush", hvc_flush, "all vmid=0 ipa=0x0 size=0 level=0" },

	{ "vm_create", guest_store, "handle=4096", PROTECTED },
	{ "vm_create", guest_store, "handle=4097", PROTECTED },
	{ "vm_create", hvc_init_vm, "handle=-1", PROTECTED },
	{ "vm_create_vcpu", guest_store, "handle=4096 ret=0", PROTECTED },
	{ "vm_create_vcpu", hvc_init_vcpu, "handle=1 ret=-12", PROTECTED },
	{ "vm_destroy", guest_store, "handle=4096 ret=0", PROTECTED },
	{ "vm_destroy", hvc_teardown_vm, "handle=1 ret=-2", PROTECTED },
	{ "pool_alloc", guest_store, "pool=vm order=[0-9] ret=0", PROTECTED },
	{ "pool_alloc", pass_around_afar, "pool=el2 order=0 ret=0", PROTECTED | SMALL_BLOCKS },
	{ "pool_alloc", pass_around_afar, "pool=host order=0 ret=0",
	  PROTECTED | FRESH | SMALL_BLOCKS,
	  "a block is split only if it has not been before" },
	{ "pool_alloc", pass_device_around, "pool=vm order=1 ret=-12", PROTECTED },
	{ "pool_free", guest_store, "pool=vm order=[0-9]", PROTECTED },
	{ "pool_free", pass_around_afar, "pool=el2 order=0", PROTECTED | SMALL_BLOCKS },

	{ "hyp_printk", write_event, "selftest 42 is 0x2a" },
	{ "hyp_printk", write_text, "test 7 -7 0xfffffffffffffff8 49" },
	{ "hyp_puts", write_event, "selftest is over" },
	{ "hyp_puts", write_text, "test is over" },
	{ "hyp_span", write_event, "begin selftest id=[1-9][0-9]* duration=0 ns" },
	{ "hyp_span", write_event, "end selftest id=[1-9][0-9]* duration=[0-9]+ ns" },
	{ "hyp_span", write_text, "end test id=[1-9][0-9]* duration=[0-9]+ ns" },
};

/*
 * With these rows, EL2 treats each guest as protected and withholds these fields. The
 * table above has checked that they have values otherwise.
 */
#define A_GUEST	"vm=[1-9][0-9]* vcpu=[01] "
#define CLASS	"esr=0x([0-9a-f]?[048c]0{6}|0)"

static const struct row withheld[] = {
	{ "vcpu_enter", guest_store, A_GUEST "pc=0x0 pstate=0x0" },
	{ "vcpu_exit", guest_store, A_GUEST "reason=[A-Z_0-9]+ pc=0x0 " CLASS },
	{ "vcpu_exit", guest_hvc, A_GUEST "reason=[A-Z_0-9]+ pc=0x0 " CLASS },
	{ "vcpu_mem_abort", guest_store, A_GUEST "[DI]ABT_LOW ipa=0x[0-9a-f]+000 va=0x0 " CLASS },
	{ "guest_hvc", guest_hvc, A_GUEST "0x0 func_id=0x0 a1=0x0 a2=0x0 a3=0x0" },
	{ "guest_smc", guest_smc, A_GUEST "0x0 func_id=0x0 a1=0x0 a2=0x0 a3=0x0" },
	{ "vcpu_fixup_fp", guest_fp, A_GUEST "FP_ASIMD " CLASS },
	{ "vcpu_fixup_sysreg", guest_counter, A_GUEST "access 0x0 value=0x0",
	  UNPROTECTED },
	{ "vcpu_fixup_sysreg", guest_gic, A_GUEST "access 0x0 value=0x0",
	  GICV3 | GIC_TRAPPED },
	{ "vcpu_wfx", guest_wfi, A_GUEST "wfx" },
};

/* Fields that have only one value, and why. */
static const struct constant {
	const char	*event;
	const char	*field;
	const char	*why;
	unsigned int	needs;			/* applies only with all of these, */
	unsigned int	unless;			/* and with none of these */
} constant[] = {
	{ "host_ffa_call", "res_a1", "EL2 has no answer without firmware that knows of FF-A" },
	{ "host_ffa_call", "res_a3", "EL2 has no answer without firmware that knows of FF-A" },
	{ "host_ffa_call", "res_a4", "6.12 has no such result" },
	{ "host_ffa_call", "handled", "nothing is passed on to firmware without FF-A" },
	{ "psci_cpu_on", "mpidr", "there is one CPU only", .unless = SMP },
	{ "psci_cpu_off", "func_id", "PSCI has one function for it" },
	{ "psci_cpu_entry", "entry",
	  "Linux has one entry for all CPUs; those of QEMU don't sleep" },
	{ "guest_trace_2", "count", "it is for two arguments" },
	{ "vcpu_wfx", "insn", "QEMU 7.2 traps no wfe, and has no wfit" },
	{ "vcpu_inject", "kind",
	  "6.12 gives AArch64 guests no other kind; EL2 knows no AArch32 ones",
	  .unless = UNPROTECTED },
	{ "vcpu_fixup_fp", "esr", "AArch64's FP instructions have one syndrome", .unless = SVE },
	{ "vcpu_fixup_sysreg", "sysreg", "of the untrapped only a counter is emulated",
	  .unless = GIC_TRAPPED },
	{ "vcpu_fixup_sysreg", "write", "the counter is read only", .unless = GIC_TRAPPED },
	{ "mem_host_share_hyp", "nr_pages", "6.12 shares page by page" },
	{ "mem_host_unshare_hyp", "nr_pages", "6.12 shares page by page" },
	{ "s2_host_map", "addr", "devices have been mapped before", .unless = FRESH },
	{ "s2_host_map", "size", "devices have been mapped before", .unless = FRESH },
	{ "s2_host_map", "prot", "devices have been mapped before", .unless = FRESH },
	{ "s2_host_map", "ret", "fails only for want of tables, which there are for all memory" },
	{ "s2_host_set_owner", "ret",
	  "fails only for want of tables, which there are for all memory" },
	{ "s2_host_split", "level", "level 1 takes a GB without anything of EL2's in it" },
	{ "tlb_flush", "size", "takes a kernel with CONFIG_ARM64_TLB_RANGE", .unless = PROTECTED },
	{ "pool_alloc", "pool", "EL2 and the host have a table for that memory",
	  .unless = SMALL_BLOCKS },
	{ "pool_free", "pool", "EL2 and the host have a table for that memory",
	  .unless = SMALL_BLOCKS },
	{ "pool_free", "order", "what is larger than a page is split before" },
};

#endif /* HYP_EVENTS_TABLE_H */
