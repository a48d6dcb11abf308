/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hypervisor's instance of ftrace: /sys/kernel/tracing/hyp.
 */
#ifndef HYPTRACE_HYP_H
#define HYPTRACE_HYP_H

#include <tracefs.h>

#define HYP_INSTANCE	"hyp"

struct tracefs_instance *hyp_open(void);
const char *hyp_dir(void);

#endif /* HYPTRACE_HYP_H */
