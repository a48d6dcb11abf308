/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts that are missing from a recording, and the reasons.
 */
#ifndef HYPTRACE_LIMITS_H
#define HYPTRACE_LIMITS_H

#include "instances.h"
#include "list.h"
#include "pages.h"
#include "settings.h"

/**
 * struct limits - what has limited a recording
 * @changed:	what others have set in hyp/ meanwhile
 * @is_off:	tracing was off at the end
 * @recorded:	events that were recorded, as the kernel counts them
 * @lost:	events that were lost
 * @host:	what the host's pages have
 * @hyp:	what the hypervisor's pages have
 */
struct limits {
	struct list		changed;
	bool			is_off;
	uint64_t		recorded, lost;
	struct page_counts	host, hyp;
};

void limits_of_settings(struct limits *limits, const struct settings *set_up, const char *but);
void limits_of_buffers(struct limits *limits, struct tracefs_instance *host,
		       struct tracefs_instance *hyp);
void limits_of_pages(struct limits *limits, struct page_counts host, struct page_counts hyp);
bool limits_print(const struct limits *limits);

#endif /* HYPTRACE_LIMITS_H */
