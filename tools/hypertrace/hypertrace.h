/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libhypertrace: a program in a virtual machine records events in the trace of its hypervisor.
 * hypertrace(3) describes it.
 */
#ifndef HYPERTRACE_H
#define HYPERTRACE_H

#include <stddef.h>
#include <stdint.h>

/* The version. What is built for an older one of the same major number works with this one. */
#define LIBHYPERTRACE_MAJOR	1
#define LIBHYPERTRACE_MINOR	1

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct hypertrace - who records events
 * @fd:		the open device; -1, or 0, if there is no channel to the hypervisor
 * @client:	a number that all its events have
 */
struct hypertrace {
	int		fd;
	uint16_t	client;
};

int hypertrace_init(struct hypertrace *ht);
void hypertrace_close(struct hypertrace *ht);
int hypertrace_emit(const struct hypertrace *ht, uint32_t id, const uint64_t *args,
		    unsigned int count);
int hypertrace_name(const struct hypertrace *ht, uint32_t id, const char *name);
int hypertrace_mark(const struct hypertrace *ht, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
} /* extern "C" */

template <typename... Args>
static inline int hypertrace_list(const struct hypertrace *ht, uint32_t id, Args... args)
{
	/* The 0 is for C++, which has no empty lists. */
	const uint64_t list[] = { static_cast<uint64_t>(args)..., 0 };

	return hypertrace_emit(ht, id, list, sizeof...(args));
}

#define hypertrace(ht, ...)	hypertrace_list(ht, __VA_ARGS__)
#else
/* The macro's list begins with the id, so it is never empty: C11 has no empty lists. */
static inline int hypertrace_emit_list(const struct hypertrace *ht, const uint64_t *list,
				       size_t length)
{
	return hypertrace_emit(ht, (uint32_t)list[0], list + 1, (unsigned int)(length - 1));
}

/**
 * hypertrace() - record an event with up to 16 arguments
 * @ht:		who records it
 * @...:	the event's id, and its arguments: integers, which are converted to uint64_t
 *
 * Context: any thread, also in a signal handler.
 * Return: as hypertrace_emit()
 */
#define hypertrace(ht, ...)						\
	hypertrace_emit_list(ht, (const uint64_t[]) { __VA_ARGS__ },	\
			     sizeof((const uint64_t[]) { __VA_ARGS__ }) / sizeof(uint64_t))
#endif /* __cplusplus */

#endif /* HYPERTRACE_H */
