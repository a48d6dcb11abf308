// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of hypervisor tracing: EL2's functions, by the order of their table.
 *
 * Without protection, and before it is in force, the host writes EL2's text, as it does for static
 * keys and alternatives. With protection EL2 does that itself, when it is asked for a function by
 * its number.
 */

#include <linux/init.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/hyptrace_compat.h>
#include <asm/hyptrace_functions.h>
#include <asm/kvm_mmu.h>
#include <asm/sections.h>
#include <asm/setup.h>
#include <asm/virt.h>

#include "hyptrace.h"

/* The functions' first slots, from the start of EL2's text. With protection, EL2 has the table. */
static u32 *offsets __ro_after_init;

static unsigned long function_address(unsigned int function)
{
	return (unsigned long)__hyp_text_start + offsets[function];
}

static int function_set_hook(unsigned int function, enum trace_ext_hook hook)
{
	u64 first = function_address(function);
	int ret;

	if (is_pkvm_initialized())
		ret = hcall_trace_hook(function, hook);
	else
		ret = aarch64_insn_patch_text_nosync((void *)hyp_function_slot(first),
						     hyp_function_insn(first, hook));
	if (ret)
		pr_err_ratelimited("hyp_trace: can't hook %ps: %pe%s\n", (void *)first,
				   ERR_PTR(ret), hyptrace_if_locked(ret));

	return ret;
}

static int trace_functions(bool on, unsigned int max_depth, bool roots)
{
	int ret = hcall_trace_functions(on, (u64)__hyp_text_start, max_depth, roots);

	if (ret)
		pr_err_ratelimited("hyp_trace: can't trace functions: %pe%s\n", ERR_PTR(ret),
				   hyptrace_if_locked(ret));

	return ret;
}

struct trace_ext_functions hyptrace_functions __ro_after_init = {
	.prefix		= "__kvm_nvhe_",
	.address	= function_address,
	.hook		= function_set_hook,
	.trace		= trace_functions,
};

static char from_boot[COMMAND_LINE_SIZE] __initdata;

static int __init set_from_boot(char *arg)
{
	strscpy(from_boot, arg ?: "");
	hyptrace_functions.from_boot = *from_boot ? from_boot : NULL;
	return 0;
}
early_param("kvm-arm.hyp_trace_functions", set_from_boot);

/* What EL2 may record of a function's result is settled here, before EL2 is on its own. */
static u32 __init first_insn(unsigned int function)
{
	u8 result = HYP_RESULT_NONE;

	if (IS_ENABLED(CONFIG_FUNCTION_GRAPH_RETVAL))
		result = kvm_nvhe_sym(hyp_function_results)[function];
	if (is_protected_kvm_enabled() && !(result & HYP_RESULT_DISCLOSED))
		result = HYP_RESULT_NONE;

	return HYP_FUNCTION_SAVE_LR |
	       FIELD_PREP(HYP_FUNCTION_RESULT, result & HYP_RESULT_KIND);
}

/* Before EL2 runs: keep the table, and have all functions save the link register. */
static int __init functions_init(void)
{
	const u64 *table = kvm_nvhe_sym(__start_hyp_functions);
	unsigned int nr = kvm_nvhe_sym(__stop_hyp_functions) - table, i;
	u64 text = kern_hyp_va((u64)lm_alias(__hyp_text_start));
	int ret;

	if (!is_hyp_mode_available() || is_kernel_in_hyp_mode())
		return 0;

	offsets = kmalloc_array(nr, sizeof(*offsets), GFP_KERNEL);
	if (!offsets)
		return -ENOMEM;

	for (i = 0; i < nr; i++) {
		offsets[i] = table[i] - text;
		ret = aarch64_insn_patch_text_nosync((void *)function_address(i), first_insn(i));
		if (ret) {
			pr_err("hyp_trace: functions can't be traced: can't write to %ps: %pe\n",
			       (void *)function_address(i), ERR_PTR(ret));
			return ret;
		}
	}

	hyptrace_functions.nr = nr;
	return 0;
}
subsys_initcall(functions_init);
