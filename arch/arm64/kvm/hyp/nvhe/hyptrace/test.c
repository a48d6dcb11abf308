// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: hypercalls for the tests (CONFIG_KVM_HYPTRACE_TEST).
 */

#include <nvhe/hyptrace/printk.h>
#include <nvhe/hyptrace/span.h>
#include <nvhe/hyptrace/test.h>

#include <asm/sections.h>

#include <nvhe/gfp.h>
#include <nvhe/mem_protect.h>
#include <nvhe/memory.h>

struct hyp_trace_test hyp_trace_test;

static void selftest_text(u64 id)
{
	HYP_TRACE_SPAN("selftest");

	hyp_trace_printk("selftest %llu is %#llx", id, id);
	hyp_trace_puts("selftest is over");
}

s64 handle___hyp_trace_write_event(u64 id)
{
	hyp_emit_selftest(id);
	selftest_text(id);
	return 0;
}

static void emit_selftests(u64 events)
{
	u64 id;

	for (id = 1; id <= events; id++)
		hyp_emit_selftest(id);
}

/* Record @events events, and panic as a bug in EL2 would at that place. */
static noinline void panic_at(enum hyp_trace_test_action where, u64 events)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	emit_selftests(events);
	if (where == HYP_TRACE_TEST_PANIC_LOCKED)
		hyp_spin_lock(&cpu->lock);
	if (where == HYP_TRACE_TEST_PANIC_TWICE)
		cpu->user.ring.tail_slot = NULL;
	if (where != HYP_TRACE_TEST_PANIC_WRITING)
		BUG();

	/* Nothing is mapped at this address, so writing the event faults. */
	cpu->user.ring.page = NULL;
	hyp_emit_selftest(0);
}

/* True if the vectors are the ordinary ones now, and after a guest has run. */
static bool is_quiet(void)
{
	return !this_cpu_ptr(&hyp_trace_cpu)->vector &&
	       read_sysreg(vbar_el2) == (u64)__kvm_hyp_host_vector;
}

static void say_all(u64 arg)
{
	HYP_TRACE_SPAN("test");

	hyp_trace_printk("test %llu %lld %#llx %llu", arg, -arg, ~arg, arg * arg);
	hyp_trace_puts("test is over");
}

/*
 * EL2 gives back only pages that the host has just donated. Each of the four calls
 * refuses pages that are not memory, or is not made.
 */
static int pass_around(u64 pfn, u64 nr_pages)
{
	struct hyp_pool empty = { };
	int ret;

	if (!static_branch_unlikely(&kvm_protected_mode_initialized))
		return -EINVAL;

	__pkvm_host_share_ffa(pfn, nr_pages);
	__pkvm_host_unshare_ffa(pfn, nr_pages);
	ret = __pkvm_host_donate_hyp(pfn, nr_pages);
	if (!ret || (HYPTRACE_DONATION_IS_CHECKED && !addr_is_memory(hyp_pfn_to_phys(pfn))))
		ret = __pkvm_hyp_donate_host(pfn, nr_pages);

	/* Flush this range of the host's. 6.12 itself flushes ranges for guests only. */
	__kvm_tlb_flush_vmid_range(&host_mmu.arch.mmu, hyp_pfn_to_phys(pfn), nr_pages);

	/* Allocate from an empty pool. */
	hyp_alloc_pages(&empty, empty.max_order + 1);
	return ret;
}

/* Whether EL2's text is what it was when it was kept (FNV-1a by words). */
static int check_text(bool keep)
{
	static u64 kept;
	u64 sum = 0xcbf29ce484222325;
	const u32 *insn;

	for (insn = (const u32 *)__hyp_text_start; insn < (const u32 *)__hyp_text_end; insn++)
		sum = (sum ^ *insn) * 0x100000001b3;
	if (keep)
		kept = sum;

	return sum == kept ? 0 : -EBADMSG;
}

#define STACK_MARK	0x6b6361747320324cULL

/* Mark what this CPU's stack has left, or check that this many bytes still have the mark. */
static int check_stack(u64 unused)
{
	u64 *word = (u64 *)(this_cpu_ptr(&kvm_init_params)->stack_hyp_va - PAGE_SIZE);
	u64 *end = word + unused / sizeof(*word);

	if (unused > PAGE_SIZE)
		return -EINVAL;

	if (!unused) {
		while ((u64)word < current_stack_pointer - sizeof(*word))
			WRITE_ONCE(*word++, STACK_MARK);
		return 0;
	}

	while (word < end)
		if (READ_ONCE(*word++) != STACK_MARK)
			return -ENOSPC;

	return 0;
}

s64 handle___hyp_trace_test(u64 action, u64 arg)
{
	switch (action) {
	case HYP_TRACE_TEST_PANIC:
	case HYP_TRACE_TEST_PANIC_LOCKED:
	case HYP_TRACE_TEST_PANIC_WRITING:
	case HYP_TRACE_TEST_PANIC_TWICE:
		panic_at(action, arg);
		break;
	case HYP_TRACE_TEST_WITHHOLD:
		hyp_trace_test.withhold = arg;
		return 0;
	case HYP_TRACE_TEST_STEP:
		if (!arg || arg > HYP_TRACE_STEP_PAGES)
			break;
		hyp_trace_test.step_pages = arg;
		return 0;
	case HYP_TRACE_TEST_QUIET:
		return is_quiet() ? 0 : -EBUSY;
	case HYP_TRACE_TEST_SAY:
		say_all(arg);
		return 0;
	case HYP_TRACE_TEST_FIELDS:
		hyp_emit_selftest_fields(arg);
		return 0;
	case HYP_TRACE_TEST_EMIT:
		if (arg > BIT(16))
			break;
		emit_selftests(arg);
		return 0;
	case HYP_TRACE_TEST_TREE:
		if (arg > BIT(16))
			break;
		while (arg--)
			hyp_test_tree();
		return 0;
	case HYP_TRACE_TEST_RESULTS:
		hyp_result_kinds();
		return 0;
	case HYP_TRACE_TEST_RECURSE:
		if (arg > HYP_TRACE_TEST_MAX_DEPTH)
			break;
		return hyp_test_recurse(arg) == arg ? 0 : -EBADMSG;
	case HYP_TRACE_TEST_TEXT:
		return check_text(!arg);
	case HYP_TRACE_TEST_STACK:
		return check_stack(arg);
	case HYP_TRACE_TEST_REFUSE:
		hyp_trace_test.refuse = arg;
		return 0;
	case HYP_TRACE_TEST_MEMORY:
		return pass_around(arg >> 8, arg & 0xff);
	case HYP_TRACE_TEST_PANIC_SWAPPED:
		hyp_trace_test.panic_swapped = true;
		return 0;
	}

	return -EINVAL;
}
