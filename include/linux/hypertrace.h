/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hypertrace: record events of this kernel, which is a guest, in the trace of its hypervisor.
 * Without CONFIG_HYPERTRACE, or without such a hypervisor, nothing happens.
 */
#ifndef _LINUX_HYPERTRACE_H
#define _LINUX_HYPERTRACE_H

#include <linux/compiler_attributes.h>
#include <linux/errno.h>
#include <linux/kconfig.h>
#include <linux/types.h>

#include <uapi/linux/hypertrace.h>

#if IS_REACHABLE(CONFIG_HYPERTRACE)
int hypertrace_emit(u32 id, const u64 *args, unsigned int count);
__printf(1, 2) int hypertrace_mark(const char *fmt, ...);
int hypertrace_name(u32 id, const char *name);
#else
static inline int hypertrace_emit(u32 id, const u64 *args, unsigned int count)
{
	return -ENODEV;
}

static inline __printf(1, 2) int hypertrace_mark(const char *fmt, ...)
{
	return -ENODEV;
}

static inline int hypertrace_name(u32 id, const char *name)
{
	return -ENODEV;
}
#endif

/**
 * hypertrace() - record an event with up to 16 arguments
 * @id:		the event
 * @...:	integers
 *
 * Context: any.
 * Return: as hypertrace_emit()
 */
#define hypertrace(id, ...)						\
	hypertrace_emit(id, (const u64[]) { 0, ##__VA_ARGS__ } + 1,	\
			sizeof((const u64[]) { 0, ##__VA_ARGS__ }) / sizeof(u64) - 1)

#endif /* _LINUX_HYPERTRACE_H */
