/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files in hyp/ for the tests, if there are to be any.
 */
#ifndef _KERNEL_TRACE_TRACE_HYP_TEST_H
#define _KERNEL_TRACE_TRACE_HYP_TEST_H

struct rb_remote;

#ifdef CONFIG_NVHE_EL2_TRACING_TEST
void trace_hyp_test_init(struct rb_remote *remote);
int trace_hyp_test_fail(void);
#else
static inline void trace_hyp_test_init(struct rb_remote *remote)
{
}

static inline int trace_hyp_test_fail(void)
{
	return 0;
}
#endif

#endif /* _KERNEL_TRACE_TRACE_HYP_TEST_H */
