// SPDX-License-Identifier: GPL-2.0-only
/*
 * The texts that EL2 records by reference: hyp_printk and hyp_puts.
 *
 * nvhe/hyptrace/printk.h puts all texts into one section. A record has the offset of its text.
 * The offset is untrusted: it is valid only if a text begins there.
 */

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
const char *hyptrace_printk_text(u64 offset)
{
	const char *text = __start_hyp_formats + offset;

	if (offset >= texts_size() || (offset && text[-1]))
		return NULL;

	return text;
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

	char *fmt __free(kfree) = kmalloc(size, GFP_KERNEL);
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
	if (first || seq_buf_has_overflowed(&s))
		return NULL;

	seq_buf_str(&s);
	return_ptr(fmt);
}

/* Without memory or texts, keep the event's own format, which shows the offset. */
static void set_format(struct trace_event_call *call, const char *conversions, const char *args)
{
	char *fmt = print_format(conversions, args);

	if (fmt)
		call->print_fmt = fmt;
	else
		to_trace_ext_event(call)->by_kernel = true;
}

/* At boot, give binary readers the texts of hyp_printk and hyp_puts. */
void __init hyptrace_printk_init(struct trace_event_call *printk, struct trace_event_call *puts)
{
	set_format(printk, "%s (0x%llx, 0x%llx, 0x%llx, 0x%llx)",
		   ", REC->a, REC->b, REC->c, REC->d");
	set_format(puts, "%s", "");
}
