// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: which functions call a hook, see asm/hyptrace_functions.h.
 */

#include <nvhe/hyptrace.h>

#include <asm/hyptrace_functions.h>
#include <asm/tlbflush.h>

#include <nvhe/mm.h>
#include <nvhe/trap_handler.h>

/*
 * Write a function's second slot, through a mapping of its own: text is not writable where it
 * executes. Other CPUs may execute the slot, and may write it at the same time.
 */
static void set_slot(u64 first, enum trace_ext_hook hook)
{
	u64 slot = hyp_function_slot(first);
	void *page = hyp_fixmap_map(__hyp_pa(slot));
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

void handle___hyp_trace_hook(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, index, host_ctxt, 1);
	DECLARE_REG(u64, hook, host_ctxt, 2);
	u64 nr = __stop_hyp_functions - __start_hyp_functions;
	int ret = -EINVAL;

	/* Without protection there is no such mapping, and the host writes EL2's text anyway. */
	if (!static_branch_unlikely(&kvm_protected_mode_initialized)) {
		ret = -EOPNOTSUPP;
	} else if (index < nr && hook < TRACE_EXT_NR_HOOKS) {
		ret = hook && hyp_trace_locked ? -EPERM : 0;
		if (!ret)
			set_slot(__start_hyp_functions[index], hook);
	}

	cpu_reg(host_ctxt, 1) = ret;
}
