// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: which functions call a hook, see asm/hyptrace_functions.h.
 */

#include <nvhe/hyptrace.h>

#include <asm/hyptrace_functions.h>
#include <asm/tlbflush.h>

#include <nvhe/mm.h>

/*
 * Write a function's second slot, through a mapping of its own: text is not writable where it
 * executes. Other CPUs may execute the slot, and may write it at the same time.
 */
static void set_slot(u64 first, enum trace_ext_hook hook)
{
	u64 slot = hyp_function_slot(first);
	void *page = hyp_fixmap_map(__hyp_pa(slot & PAGE_MASK));
	u32 *insn = page + offset_in_page(slot);

	WRITE_ONCE(*insn, hyp_function_insn(first, hook));
	dcache_clean_inval_poc((u64)insn, (u64)(insn + 1));
	hyp_fixmap_unmap();
	/*
	 * QEMU 7.2 does not invalidate EL2's TLB by address if EL2 has VHE: the next function's
	 * slot would be written where this one is.
	 */
	if (has_hvhe()) {
		__tlbi(alle2is);
		dsb(ish);
		isb();
	}
	icache_inval_pou(slot, slot + AARCH64_INSN_SIZE);
}

s64 handle___hyp_trace_hook(u64 function, u64 hook)
{
	u64 nr = __stop_hyp_functions - __start_hyp_functions;

	/* Without protection there is no such mapping, and the host writes EL2's text anyway. */
	if (!static_branch_unlikely(&kvm_protected_mode_initialized))
		return -EOPNOTSUPP;
	if (function >= nr)
		return -EINVAL;

	set_slot(__start_hyp_functions[function], hook);
	return 0;
}
