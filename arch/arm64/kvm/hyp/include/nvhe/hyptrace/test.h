/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: settings that tests may change (CONFIG_KVM_HYPTRACE_TEST).
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_TEST_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_TEST_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include <asm/hyptrace.h>

/**
 * struct hyp_trace_test - settings of a test
 * @step_pages:	pages in a step of loading or unloading, 0 for HYP_TRACE_STEP_PAGES
 * @withhold:	treat every guest as a protected one; 6.12 can't create protected guests
 * @panic_swapped: panic when a page has been swapped
 * @refuse:	so often an interrupt comes when a guest is about to be entered
 */
struct hyp_trace_test {
	u32	step_pages;
	bool	withhold;
	bool	panic_swapped;
	u32	refuse;
};

extern struct hyp_trace_test hyp_trace_test;

/* A test's setting; 0 in a kernel without tests, which has no such variable. */
#define HYP_TEST_SETTING(name)	(IS_ENABLED(CONFIG_KVM_HYPTRACE_TEST) ? hyp_trace_test.name : 0)

void hyp_test_tree(void);
int hyp_test_int_error(void);
u64 hyp_test_recurse(u64 depth);
void hyp_result_kinds(void);
bool hyp_result_bool(void);
int hyp_result_unlisted(void);

static inline u32 hyp_trace_step_pages(void)
{
	return HYP_TEST_SETTING(step_pages) ?: HYP_TRACE_STEP_PAGES;
}

static inline bool hyp_trace_test_withhold(void)
{
	return HYP_TEST_SETTING(withhold);
}

static inline void hyp_trace_test_swapped(void)
{
	BUG_ON(HYP_TEST_SETTING(panic_swapped));
}

/* Whether to let an interrupt come now. */
static inline bool hyp_trace_test_refuse(void)
{
	if (likely(!HYP_TEST_SETTING(refuse)))
		return false;

	hyp_trace_test.refuse--;
	return true;
}

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_TEST_H */
