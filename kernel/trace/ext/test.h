/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files for tests in the instance of each external writer.
 */
#ifndef _KERNEL_TRACE_EXT_TEST_H
#define _KERNEL_TRACE_EXT_TEST_H

struct rb_ext;

#ifdef CONFIG_TRACE_EXT_TEST
void trace_ext_test_init(struct rb_ext *ext);
int trace_ext_test_fail(void);
#else
static inline void trace_ext_test_init(struct rb_ext *ext)
{
}

static inline int trace_ext_test_fail(void)
{
	return 0;
}
#endif

#endif /* _KERNEL_TRACE_EXT_TEST_H */
