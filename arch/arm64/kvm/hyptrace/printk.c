// SPDX-License-Identifier: GPL-2.0-only
/*
 * The texts that EL2 records by reference: hyp_printk and hyp_puts.
 *
 * nvhe/hyptrace/printk.h puts all texts into one section. A record has the offset of its text.
 * The offset is untrusted: it is valid only if a text begins there.
 */

#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/trace_ext_event.h>

#include "printk.h"

extern const char __start_hyp_formats[], __stop_hyp_formats[];

static size_t texts_size(void)
{
	return __stop_hyp_formats - __start_hyp_formats;
}

/* The text that begins at an offset, or NULL. */
static const char *text_at(u64 offset)
{
	const char *text = __start_hyp_formats + offset;

	if (offset >= texts_size() || (offset && text[-1]))
		return NULL;

	return text;
}

static const char unknown[] = "text %u is not in this kernel";

static enum print_line_t hyp_printk_print(struct trace_iterator *iter, int flags,
					  struct trace_event *event)
{
	const struct hyp_printk_record *record = (void *)iter->ent;
	const char *fmt = text_at(record->fmt);
	struct trace_seq *s = &iter->seq;
	const u64 *args = record->args;

	trace_seq_puts(s, "hyp_printk: ");
	if (fmt)
		/*
		 * A text has at most 4 conversions, each of a u64: hyp_trace_printk() and
		 * hyp_trace_puts() check this when they are compiled.
		 */
		trace_seq_printf(s, fmt, args[0], args[1], args[2], args[3]);
	else
		trace_seq_printf(s, unknown, record->fmt);
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

static enum print_line_t hyp_puts_print(struct trace_iterator *iter, int flags,
					struct trace_event *event)
{
	const struct hyp_puts_record *record = (void *)iter->ent;
	const char *text = text_at(record->fmt);
	struct trace_seq *s = &iter->seq;

	trace_seq_puts(s, "hyp_puts: ");
	if (text)
		trace_seq_puts(s, text);
	else
		trace_seq_printf(s, unknown, record->fmt);
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

/* Print a text as a C string literal. */
static void put_literal(struct seq_buf *s, const char *text)
{
	seq_buf_putc(s, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			seq_buf_putc(s, '\\');
		if (*text == '\n')
			seq_buf_puts(s, "\\n");
		else
			seq_buf_putc(s, *text);
	}
	seq_buf_putc(s, '"');
}

/*
 * Make the format for binary readers. It has all texts; a reader prints the text without
 * its arguments, followed by the arguments.
 */
static char *print_format(const char *conversions, const char *args)
{
	size_t size = 256 + 8 * texts_size() * 2;
	const char *text = __start_hyp_formats;
	bool first = true;
	struct seq_buf s;
	char *fmt;

	fmt = kmalloc(size, GFP_KERNEL);
	if (!fmt)
		return NULL;

	seq_buf_init(&s, fmt, size);
	seq_buf_printf(&s, "\"%s\", __print_symbolic(REC->fmt", conversions);
	for (; text < __stop_hyp_formats; text += strlen(text) + 1) {
		if (!*text)
			continue;
		seq_buf_printf(&s, ", { %zu, ", text - __start_hyp_formats);
		put_literal(&s, text);
		seq_buf_puts(&s, " }");
		first = false;
	}
	seq_buf_printf(&s, ")%s", args);

	/* A __print_symbolic() without symbols is not valid. */
	if (first || seq_buf_has_overflowed(&s)) {
		kfree(fmt);
		return NULL;
	}

	seq_buf_str(&s);
	return fmt;
}

/* Without memory or texts, keep the event's own format, which shows the offset. */
static void set_format(struct trace_event_call *call, const char *conversions,
		       const char *args)
{
	char *fmt = print_format(conversions, args);

	if (fmt)
		call->print_fmt = fmt;
	else
		to_trace_ext_event(call)->by_kernel = true;
}

/* At boot, make hyp_printk and hyp_puts print their texts. */
void __init hyptrace_printk_init(struct trace_event_call *printk,
				 struct trace_event_call *puts)
{
	printk->event.funcs->trace = hyp_printk_print;
	set_format(printk, "%s (0x%llx, 0x%llx, 0x%llx, 0x%llx)",
		   ", REC->a, REC->b, REC->c, REC->d");

	puts->event.funcs->trace = hyp_puts_print;
	set_format(puts, "%s", "");
}
