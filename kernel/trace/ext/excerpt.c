// SPDX-License-Identifier: GPL-2.0-only
/*
 * Excerpts: what a buffer has of a CPU in a span of time, as text. An excerpt consumes nothing, and
 * does not stop the writer.
 */

#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/trace_seq.h>

#include "internal.h"
#include "../trace.h"
#include "../trace_output.h"

/**
 * struct reading - an excerpt that is being read
 * @excerpt:	the excerpt
 * @events:	the events
 * @print:	prints them
 * @expected:	sequence number of the next event, or U64_MAX
 */
struct reading {
	struct trace_ext_excerpt	*excerpt;
	struct rb_ext_iter		*events;
	struct trace_iterator		*print;
	u64				expected;
};

/* ftrace prints a call with its return: it would consume the buffer to find that. */
static bool is_call(const struct trace_entry *entry)
{
	return entry->type == TRACE_GRAPH_ENT || entry->type == TRACE_GRAPH_RET;
}

/* Print an event, with the options of its instance. */
static void print_event(struct trace_iterator *print, struct ring_buffer_event *event)
{
	print->ent = ring_buffer_event_data(event);
	print->ent_size = ring_buffer_event_length(event);
	trace_seq_init(&print->seq);
	if (is_call(print->ent)) {
		trace_print_context(print);
		print_event_fields(print, ftrace_find_event(print->ent->type));
	} else {
		print_trace_line(print);
	}
}

/* No text that somebody else has chosen shall look like the end of the text, or like a comment. */
static void neutralise(char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!text[i] || (text[i] == '#' && (!i || text[i - 1] == '\n')))
			text[i] = ' ';
}

/* Add the text of the event that has been printed, unless there is no room for all of it. */
static bool text_add(struct trace_iterator *print, struct seq_buf *text)
{
	size_t len = trace_seq_used(&print->seq);

	if (seq_buf_buffer_left(text) < len)
		return false;

	neutralise(print->seq.buffer, len);
	seq_buf_putmem(text, print->seq.buffer, len);
	return true;
}

static void lost_add(struct trace_ext_excerpt *excerpt, u64 nr)
{
	if (excerpt->lost != U64_MAX)
		excerpt->lost += nr;
}

/* The next event is in the span: count what has been lost before it. */
static void count_lost(struct reading *reading)
{
	struct trace_ext_excerpt *excerpt = reading->excerpt;
	u64 seq = rb_ext_iter_seq(reading->events);

	if (seq > reading->expected)
		lost_add(excerpt, seq - reading->expected);
	reading->expected = seq + 1;
}

/*
 * Is an event behind the span? If the number at the end is known, it decides: the ring delays an
 * event's time if the clock has gone back.
 */
static bool is_behind(const struct reading *reading, u64 ts)
{
	const struct trace_ext_excerpt *excerpt = reading->excerpt;

	return excerpt->end_seq != U64_MAX ?
	       rb_ext_iter_seq(reading->events) >= excerpt->end_seq : ts > excerpt->to;
}

/* Read an event; false if it is behind the span, or there is none. */
static bool read_event(struct reading *reading, struct seq_buf *text)
{
	struct trace_ext_excerpt *excerpt = reading->excerpt;
	struct ring_buffer_event *event;
	u64 ts;

	event = rb_ext_iter_peek(reading->events, &ts, NULL);
	if (!event || is_behind(reading, ts))
		return false;

	if (ts >= excerpt->from) {
		count_lost(reading);
		reading->print->ts = ts;
		excerpt->nr++;
		if (excerpt->nr_shown == excerpt->nr - 1) {
			print_event(reading->print, event);
			excerpt->nr_shown += text_add(reading->print, text);
		}
	}
	rb_ext_iter_advance(reading->events);
	return true;
}

/* May events of the span be gone that were before what the buffer has now? */
static bool begins_late(const struct reading *reading)
{
	u64 from = reading->excerpt->from, ts;

	if (rb_ext_iter_peek(reading->events, &ts, NULL) && ts <= from)
		return false;

	return rb_ext_iter_has_gap(reading->events, from);
}

/* The number of the first event that is not gone, behind what has been read. */
static u64 seq_behind(const struct reading *reading)
{
	return rb_ext_iter_peek(reading->events, NULL, NULL) ?
	       rb_ext_iter_seq(reading->events) : rb_ext_iter_next_seq(reading->events);
}

/* Count what has been lost at the end of the span; how many is known if the end is. */
static void count_lost_at_end(struct reading *reading)
{
	struct trace_ext_excerpt *excerpt = reading->excerpt;

	if (reading->expected == U64_MAX)
		return;

	if (excerpt->end_seq == U64_MAX && seq_behind(reading) > reading->expected)
		excerpt->lost = U64_MAX;
	else if (excerpt->end_seq != U64_MAX && excerpt->end_seq > reading->expected)
		lost_add(excerpt, excerpt->end_seq - reading->expected);
}

static void read_events(struct reading *reading, struct seq_buf *text)
{
	struct trace_ext_excerpt *excerpt = reading->excerpt;
	bool late;

	rb_ext_iter_seek(reading->events, excerpt->from);
	late = excerpt->first_seq == U64_MAX && begins_late(reading);

	/* The functions that print an event may be a module's. */
	trace_event_read_lock();
	while (read_event(reading, text))
		cond_resched();
	trace_event_read_unlock();

	count_lost_at_end(reading);
	if (late)
		excerpt->lost = U64_MAX;
}

static struct trace_iterator *print_begin(const struct rb_ext *ext, int cpu)
{
	struct trace_iterator *print = kzalloc(sizeof(*print), GFP_KERNEL);

	if (!print)
		return NULL;

	print->tr = ext->tr;
	print->array_buffer = &ext->tr->array_buffer;
	print->trace = &nop_trace;
	print->cpu = cpu;
	print->cpu_file = cpu;
	/* The clock of any writer is the boot clock. */
	print->iter_flags = TRACE_FILE_TIME_IN_NS;
	trace_seq_init(&print->tmp_seq);
	return print;
}

/**
 * trace_ext_excerpt() - read the events of a CPU in a span of time
 * @writer:	the writer
 * @excerpt:	the span, and what has been found
 * @text:	the events' text is added, each a line, as in the file "trace"
 *
 * Context: may sleep; takes trace_event_sem, so it must not be called with cpus_read_lock(), nor
 * with a lock that CPU hotplug takes.
 * Return: 0; -ENODEV if the writer has no buffer; -ENOMEM
 */
int trace_ext_excerpt(struct trace_ext_writer *writer, struct trace_ext_excerpt *excerpt,
		      struct seq_buf *text)
{
	/* Pairs with instance_create(). */
	struct rb_ext *ext = smp_load_acquire(&writer->ext);
	struct reading reading = { .excerpt = excerpt, .expected = excerpt->first_seq };

	excerpt->nr = 0;
	excerpt->nr_shown = 0;
	excerpt->lost = 0;
	if (!ext)
		return -ENODEV;

	/* The buffer has been exchanged since, for one of another size: it counts anew. */
	if (excerpt->first_seq != U64_MAX && excerpt->first_seq > excerpt->end_seq) {
		excerpt->first_seq = U64_MAX;
		reading.expected = U64_MAX;
		excerpt->lost = U64_MAX;
	}

	reading.print = print_begin(ext, excerpt->cpu);
	if (!reading.print)
		return -ENOMEM;

	reading.events = rb_ext_iter_alloc(ext, excerpt->cpu, GFP_KERNEL);
	if (reading.events) {
		read_events(&reading, text);
		rb_ext_iter_free(reading.events);
	}
	kfree(reading.print->fmt);
	kfree(reading.print);
	return reading.events ? 0 : -ENOMEM;
}
