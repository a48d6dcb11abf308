// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds out and says what is missing from a recording, and why. Nobody should have to guess it from
 * what the recording seems to show.
 */

#include <err.h>
#include <inttypes.h>

#include "color.h"
#include "hyp.h"
#include "limits.h"

/**
 * limits_of_settings() - what others have changed since the recorder has set hyp/ up
 * @limits:	gets it
 * @set_up:	what the recorder has set
 * @but:	a file of hyp/ that changes by itself, or NULL
 */
void limits_of_settings(struct limits *limits, const struct settings *set_up, const char *but)
{
	struct settings *now = settings_read();

	limits->changed = settings_changed(set_up, now, but);
	limits->is_off = !tracefs_trace_is_on(hyp_open());
	settings_free(now);
}

/**
 * limits_of_buffers() - what the kernel says of the buffers
 * @limits:	gets it
 * @host:	the host's instance; nothing is recorded or taken any more
 * @hyp:	the hypervisor's
 */
void limits_of_buffers(struct limits *limits, struct tracefs_instance *host,
		       struct tracefs_instance *hyp)
{
	const struct buffer_stats of_host = buffer_stats(host), of_hyp = buffer_stats(hyp);

	limits->recorded = of_host.recorded + of_hyp.recorded;
	limits->lost = of_host.lost + of_hyp.lost;
}

/**
 * limits_of_pages() - what is in the pages
 * @limits:	gets it, after limits_of_buffers()
 * @host:	what the host's pages have
 * @hyp:	what the hypervisor's pages have
 *
 * Pages say what was lost before them, and the kernel also knows what was lost behind the last one.
 */
void limits_of_pages(struct limits *limits, struct page_counts host, struct page_counts hyp)
{
	limits->host = host;
	limits->hyp = hyp;
	if (limits->lost < host.lost + hyp.lost)
		limits->lost = host.lost + hyp.lost;
}

/**
 * limits_print() - say what is missing from a recording
 * @limits:	what has limited it
 *
 * Return: true if something is missing that should be there
 */
bool limits_print(const struct limits *limits)
{
	const uint64_t events = limits->host.events + limits->hyp.events;
	const bool were_taken = limits->recorded > events;
	size_t i;

	if (limits->is_off)
		warn_missing("tracing was turned off before the end, by a trigger or by somebody: the last event is at %.6f s",
			     limits->hyp.last / 1e9);
	for (i = 0; i < limits->changed.nr; i++)
		warn_missing("somebody has changed " HYP_INSTANCE "/ meanwhile: %s",
			     limits->changed.text[i]);
	if (were_taken)
		warn_missing("another reader has taken %" PRIu64 " events",
			     limits->recorded - events);
	if (limits->lost)
		warn_missing("events were lost: record fewer (-e, --host), or use a larger buffer (-b)");
	return limits->is_off || limits->changed.nr || were_taken || limits->lost;
}
