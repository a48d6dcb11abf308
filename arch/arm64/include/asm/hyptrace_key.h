/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether the hypervisor may record anything: a nop where the kernel asks, until it may.
 */
#ifndef __ASM_HYPTRACE_KEY_H__
#define __ASM_HYPTRACE_KEY_H__

#include <linux/jump_label.h>

#ifdef CONFIG_KVM_HYPTRACE
DECLARE_STATIC_KEY_FALSE(hyptrace_key);
#define hyptrace_is_in_use()	static_branch_unlikely(&hyptrace_key)
#else
#define hyptrace_is_in_use()	false
#endif

#endif /* __ASM_HYPTRACE_KEY_H__ */
