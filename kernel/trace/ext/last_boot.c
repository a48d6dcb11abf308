// SPDX-License-Identifier: GPL-2.0-only
/*
 * This file shows an earlier boot's events in an instance of their own.
 *
 * The instance is that of an external writer that died long ago. When the machine boots,
 * this file writes the events that are left to rings in ordinary memory, with the types
 * that this kernel's events have. From then on all readers work as usual, and nothing can
 * be recorded. The rings are freed when all events have been consumed or cleared.
 */

#include <linux/bitmap.h>
#include <linux/ctype.h>
#include <linux/ext_ring_writer.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/trace_ext_function.h>

#include "internal.h"
#include "../trace.h"
#include "events.h"
#include "mem.h"

/**
 * struct last_boot - the boot that is shown; there is one at most
 * @writer:	the writer of the instance that shows it; NULL if nothing is shown
 * @bank:	what it has left; only @seen and @nr_slots of CPUs are ever changed
 * @header:	this kernel's header, to compare
 * @types:	the types of its events, and this kernel's
 * @numbers:	by this kernel's type: the event's fields are printed as numbers
 * @count:	what was found in @bank
 * @absent_cpus: CPUs of @bank that this kernel does not have
 * @pages:	valid pages of the CPU that is being copied
 * @nr_pages:	their number
 */
static struct last_boot {
	struct trace_ext_writer		*writer;
	struct ext_mem_bank		*bank;
	const struct ext_mem_bank	*header;
	struct ext_mem_types		types;
	unsigned long			*numbers;
	struct ext_mem_count		count;
	u32				absent_cpus;
	struct ext_mem_page		*pages;
	u32				nr_pages;
} last;

/* The ring of each CPU; its records are NULL if there is none. */
static DEFINE_PER_CPU(struct ext_ring, rings);

/* Its events and ours ---------------------------------------------------------------- */

static bool same_build(void)
{
	static const u8 none[EXT_MEM_BUILD_ID];

	return !memcmp(last.bank->build_id, last.header->build_id, EXT_MEM_BUILD_ID) &&
	       memcmp(last.bank->build_id, none, EXT_MEM_BUILD_ID);
}

static const struct ext_mem_event *our_event(const struct ext_mem_event *event)
{
	u32 i;

	for (i = 0; i < last.header->nr_events; i++) {
		const struct ext_mem_event *ours = &last.header->events[i];

		if (!strncmp(ours->name, event->name, sizeof(ours->name)) &&
		    ours->fields == event->fields)
			return ours;
	}

	return NULL;
}

/*
 * ftrace's own records. They have addresses, which mean something to the kernel that has recorded
 * them, and to any boot of it.
 */
static const struct own_record {
	u16		type;
	const char	*name;
} own_records[] = {
	{ TRACE_FN, "function" },
	{ TRACE_STACK, "kernel_stack" },
	{ TRACE_PRINT, "print" },
	{ TRACE_GRAPH_ENT, "funcgraph_entry" },
	{ TRACE_GRAPH_RET, "funcgraph_exit" },
};

static void __init translate_own(const struct ext_page_format *format, u16 *size, u16 *ours)
{
	const bool same = same_build();
	const struct own_record *own;

	/* This replaces what the bank has said of these numbers. */
	for (own = own_records; own < own_records + ARRAY_SIZE(own_records); own++) {
		size[own->type] = same ? format->size[own->type] : sizeof(struct trace_entry);
		ours[own->type] = same ? own->type : 0;
	}

	last.types.same &= same;
	if (same) {
		last.types.format.limits = format->limits;
		last.types.format.text = format->text;
	}
}

/* Find this kernel's types of the events in the bank. */
static int __init translate_types(const struct ext_page_format *format)
{
	unsigned int last_type = TRACE_GRAPH_ENT;
	u16 *size, *ours;
	u32 i;

	for (i = 0; i < last.bank->nr_events; i++)
		last_type = max_t(unsigned int, last_type, last.bank->events[i].type);

	size = kvcalloc(last_type + 1, sizeof(*size), GFP_KERNEL);
	ours = kvcalloc(last_type + 1, sizeof(*ours), GFP_KERNEL);
	last.types.format = (struct ext_page_format) { last_type + 1, size };
	last.types.ours = ours;
	last.types.same = true;
	if (!size || !ours)
		return -ENOMEM;

	for (i = 0; i < last.bank->nr_events; i++) {
		const struct ext_mem_event *event = &last.bank->events[i];
		const struct ext_mem_event *our = our_event(event);

		ours[event->type] = our ? our->type : 0;
		last.types.same &= ours[event->type] == event->type;
		size[event->type] = our ? format->size[our->type] : sizeof(struct trace_entry);
	}

	translate_own(format, size, ours);
	return 0;
}

/**
 * trace_ext_prints_numbers() - check whether an event must not be printed with this
 * kernel's names of values
 * @tr:		the instance
 * @event:	the event
 *
 * Return: true if another kernel has recorded it, which has other names
 */
bool trace_ext_prints_numbers(const struct trace_array *tr, const struct trace_event *event)
{
	const struct rb_ext *ext = trace_array_ext(tr);

	/* print_event_fields() needs a lock that a dump does not take. */
	return ext && ext->writer == last.writer && !rb_ext_is_dumping(ext) &&
	       event->type < ext->format.nr_types && test_bit(event->type, last.numbers);
}

/**
 * trace_ext_find_cmdline() - get the name of the task that an event has
 * @tr:		the instance
 * @pid:	the task
 * @comm:	its name; "<...>" if the task is one of another boot
 */
void trace_ext_find_cmdline(const struct trace_array *tr, int pid, char *comm)
{
	const struct rb_ext *ext = trace_array_ext(tr);

	if (pid && ext && trace_ext_is_frozen(ext->writer))
		strscpy(comm, "<...>", TASK_COMM_LEN);
	else
		trace_find_cmdline(pid, comm);
}

/* The name of an event in the bank. */
static const char *bank_event_name(const struct ext_mem_event *event)
{
	size_t i;

	for (i = 0; i < EXT_MEM_EVENT_NAME && event->name[i]; i++) {
		if (!isalnum(event->name[i]) && event->name[i] != '_')
			return "?";
	}

	return i < EXT_MEM_EVENT_NAME ? event->name : "?";
}

static const char *name_of_type(u16 type)
{
	u32 i;

	for (i = 0; i < last.bank->nr_events; i++) {
		if (last.bank->events[i].type == type)
			return bank_event_name(&last.bank->events[i]);
	}

	for (i = 0; i < ARRAY_SIZE(own_records); i++) {
		if (own_records[i].type == type)
			return own_records[i].name;
	}

	return "?";
}

static enum print_line_t print_unknown(struct trace_iterator *iter, int flags,
				       struct trace_event *event)
{
	const struct ext_mem_unknown *record = (void *)iter->ent;
	struct trace_event_call *call = container_of(event, typeof(*call), event);
	struct trace_seq *s = &iter->seq;

	trace_seq_printf(s, "%s: %s %*ph\n", trace_event_name(call),
			 name_of_type(record->their_type), record->bytes >> 16, record->data);
	return trace_handle_return(s);
}

/* Copying --------------------------------------------------------------------------- */

/* Addresses of functions are where this boot has them. */
static void relocate_record(void *record, const void *end, u64 delta)
{
	const struct trace_entry *entry = record;
	struct trace_ext_function *call = record;
	struct trace_ext_stack *stack = record;
	unsigned long *caller;

	switch (entry->type) {
	case TRACE_FN:
		call->ip += delta;
		call->parent_ip += call->parent_ip ? delta : 0;
		break;
	case TRACE_GRAPH_ENT:
		((struct trace_ext_graph_entry *)record)->call.func += delta;
		break;
	case TRACE_GRAPH_RET:
		((struct trace_ext_graph_return *)record)->ret.func += delta;
		break;
	case TRACE_PRINT:
		((struct trace_ext_print *)record)->ip += delta;
		break;
	case TRACE_STACK:
		for (caller = stack->caller;
		     (void *)(caller + 1) <= end && *caller != ULONG_MAX; caller++)
			*caller += delta;
		break;
	}
}

static void relocate_page(struct ext_ring_page *page)
{
	const struct ext_page_format *format = &last.writer->ext->format;
	u64 delta = last.header->text - last.bank->text;
	struct ext_cursor cursor;

	ext_cursor_init(&cursor, page);
	while (ext_cursor_next(&cursor, page, page->commit, format) > 0)
		relocate_record((void *)cursor.record, page->data + cursor.read, delta);
}

/* The next boot must not show what has been consumed or cleared. */
static void forget_bank(int cpu)
{
	if (cpu < last.bank->nr_cpus)
		ext_mem_cpu(last.bank, cpu)->nr_slots = 0;
}

static int __init copy_cpu(u32 cpu)
{
	struct rb_ext *ext = last.writer->ext;
	u32 bad = last.count.malformed + last.count.misplaced + last.count.cpus;
	int ret = 0;

	last.pages = kvcalloc(last.bank->share_pages, sizeof(*last.pages), GFP_KERNEL);
	if (!last.pages)
		return -ENOMEM;

	last.nr_pages = ext_mem_find(last.bank, cpu, &last.types.format, last.pages, &last.count);
	/* Another kernel may make more of what this one can't decode. */
	if (!last.nr_pages &&
	    bad == last.count.malformed + last.count.misplaced + last.count.cpus)
		forget_bank(cpu);
	else if (!last.nr_pages)
		pr_warn("%s: CPU%u has nothing that is valid\n", last.writer->label, cpu);
	else if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		last.absent_cpus++;
	else
		ret = rb_ext_load_cpu(ext, cpu,
				      ext_mem_slots(last.pages, last.nr_pages, &last.types));

	kvfree(last.pages);
	last.pages = NULL;
	last.nr_pages = 0;
	return ret;
}

/* Operations ------------------------------------------------------------------------ */

static int last_boot_start(struct trace_ext_writer *writer)
{
	return -EROFS;
}

static int last_boot_load(struct trace_ext_writer *writer, const struct trace_ext_ring *to)
{
	struct ext_ring *ring = per_cpu_ptr(&rings, to->cpu);
	struct ext_ring_record *records;
	u32 i;

	records = kvzalloc(ext_ring_bookkeeping(to->nr_slots, to->nr_pages), GFP_KERNEL);
	if (!records)
		return -ENOMEM;

	for (i = 0; i < to->nr_pages; i++)
		records[i].page = to->pages[i];

	*ring = (struct ext_ring) { .overwrite = true };
	ext_ring_init(ring, records, to->nr_slots, to->nr_pages, to->meta);
	ext_ring_open(ring);
	for (i = 0; i < last.nr_pages; i++) {
		ext_mem_copy_page(ring, &last.pages[i], &last.types);
		cond_resched();
	}
	ext_ring_close(ring);

	for (i = 0; same_build() && i < to->nr_slots; i++) {
		relocate_page(to->pages[i]);
		cond_resched();
	}
	return 0;
}

static int last_boot_unload(struct trace_ext_writer *writer, const struct trace_ext_ring *loaded,
			    u64 *seq, u64 *dropped)
{
	struct ext_ring *ring = per_cpu_ptr(&rings, loaded->cpu);

	*seq = ring->seq;
	*dropped = 0;
	kvfree(ring->records);
	ring->records = NULL;
	forget_bank(loaded->cpu);
	per_cpu_ptr(last.writer->ext->cpus, loaded->cpu)->nr_slots = EXT_RING_MIN_SLOTS;
	rb_ext_note_sizes(last.writer->ext);
	return 0;
}

static int last_boot_reset(struct trace_ext_writer *writer, int cpu, u64 *seq)
{
	*seq = ext_ring_reset(per_cpu_ptr(&rings, cpu));
	forget_bank(cpu);
	return 0;
}

static void last_boot_seen(struct trace_ext_writer *writer)
{
	last.bank->seen = true;
}

static int last_boot_swap_page(struct trace_ext_writer *writer, int cpu, u32 spare,
			       struct ext_ring_swap *swap)
{
	int ret = ext_ring_swap(per_cpu_ptr(&rings, cpu), spare, swap);

	/* Pages may be missing between this one and the next: ext_mem_copy_page(). */
	swap->events = 0;
	return ret;
}

static int last_boot_enable(struct trace_ext_writer *writer, unsigned int event, u16 type)
{
	return -EROFS;
}

/* There will never be another event. */
static int last_boot_set_alarm(struct trace_ext_writer *writer, int cpu, u64 pos)
{
	return 0;
}

const struct trace_ext_ops trace_ext_last_boot_ops = {
	.start		= last_boot_start,
	.load		= last_boot_load,
	.unload		= last_boot_unload,
	.swap_page	= last_boot_swap_page,
	.reset		= last_boot_reset,
	.enable		= last_boot_enable,
	.set_alarm	= last_boot_set_alarm,
	.seen		= last_boot_seen,
};

/* last_boot_info -------------------------------------------------------------------- */

static const char *how_it_ended(void)
{
	switch (last.bank->end) {
	case EXT_MEM_REBOOT:
		return "reboot";
	case EXT_MEM_PANIC:
		return "panic";
	default:
		return "unknown: reset, power loss or kdump";
	}
}

static void show_time(struct seq_file *m, const char *what, u64 ns)
{
	u32 rem;
	u64 s = div_u64_rem(ns, NSEC_PER_SEC, &rem);

	seq_printf(m, "%s: %llu.%06u\n", what, s, rem / (u32)NSEC_PER_USEC);
}

/* List the events that this kernel can't show as that one would have. */
static void show_events(struct seq_file *m)
{
	u32 i;

	for (i = 0; i < last.bank->nr_events; i++) {
		const struct ext_mem_event *event = &last.bank->events[i];
		u16 ours = last.types.ours[event->type];

		if (!ours)
			seq_printf(m, "event with other fields: %s\n", bank_event_name(event));
		else if (test_bit(ours, last.numbers))
			seq_printf(m, "event with other names of values: %s\n",
				   bank_event_name(event));
	}
}

static int info_show(struct seq_file *m, void *v)
{
	const struct ext_mem_bank *bank = last.bank;
	struct tm tm;

	time64_to_tm(div_u64(bank->since_real, NSEC_PER_SEC), 0, &tm);
	seq_printf(m, "kernel release: %*pE\n",
		   (int)strnlen(bank->release, EXT_MEM_RELEASE), bank->release);
	seq_printf(m, "kernel build id: %*phN\n", EXT_MEM_BUILD_ID, bank->build_id);
	show_time(m, "recorded since [s after boot]", bank->since);
	seq_printf(m, "recorded since [UTC]: %04ld-%02d-%02d %02d:%02d:%02d\n",
		   tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
		   tm.tm_sec);
	seq_printf(m, "ended by: %s\n", how_it_ended());
	if (bank->end)
		show_time(m, "ended [s after boot]", bank->ended);
	seq_printf(m, "later boots whose events were not kept: %llu\n",
		   last.header->boot - 1 - bank->boot);
	seq_printf(m, "pages found: %u\n", last.count.good);
	seq_printf(m, "pages discarded: %u malformed, %u misplaced\n",
		   last.count.malformed, last.count.misplaced);
	seq_printf(m, "older pages: %u\n", last.count.stale);
	if (last.count.cpus)
		seq_printf(m, "CPUs discarded, size of ring impossible: %u\n", last.count.cpus);
	if (last.absent_cpus)
		seq_printf(m, "CPUs discarded, not in this kernel: %u\n", last.absent_cpus);
	show_events(m);
	return 0;
}

static int info_open(struct inode *inode, struct file *filp)
{
	return security_locked_down(LOCKDOWN_TRACEFS) ?: single_open(filp, info_show, NULL);
}

static const struct file_operations info_fops = {
	.open		= info_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* Find the events that would be printed with names which that kernel did not have. */
static void find_numbers(void)
{
	u32 i;

	for (i = 0; i < last.bank->nr_events; i++) {
		const struct ext_mem_event *event = &last.bank->events[i];
		const struct ext_mem_event *ours = our_event(event);

		if (ours && (!ours->text || ours->text != event->text))
			__set_bit(ours->type, last.numbers);
	}
}

/**
 * trace_ext_last_boot_created() - the instance that shows an earlier boot is complete
 * @dir:	its directory
 */
void trace_ext_last_boot_created(struct dentry *dir)
{
	/* Only now this kernel's texts are known, see trace_ext_mem_describe(). */
	if (!same_build())
		find_numbers();

	trace_create_file("last_boot_info", TRACE_MODE_READ, dir, NULL, &info_fops);
}

/* Boot ------------------------------------------------------------------------------ */

/**
 * trace_ext_last_boot_show() - show what an earlier boot has left
 * @unknown:	struct ext_mem_unknown, the event of the instance that shows it; the @source of
 *		its writer is the one that has the memory
 *
 * Context: boot, after that writer has been registered.
 */
void __init trace_ext_last_boot_show(struct trace_ext_event *unknown)
{
	struct rb_ext *ext = unknown->writer->ext;
	int ret = 0;
	u32 cpu;

	last.bank = trace_ext_mem_kept(&last.header);
	if (!ext || !last.bank)
		return;

	last.types.unknown = unknown->call.event.type;
	last.numbers = bitmap_zalloc(ext->format.nr_types, GFP_KERNEL);
	if (!last.numbers || translate_types(&ext->format)) {
		pr_err("%s: no memory to show what an earlier boot has left\n",
		       unknown->writer->label);
		return;
	}

	last.writer = unknown->writer;
	unknown->call.event.funcs->trace = print_unknown;
	trace_ext_register(last.writer);
	for (cpu = 0; cpu < last.bank->nr_cpus; cpu++)
		ret = copy_cpu(cpu) ?: ret;
	rb_ext_note_sizes(ext);

	if (ret)
		pr_err("%s: not all of what an earlier boot has left can be shown: %pe\n",
		       last.writer->label, ERR_PTR(ret));
}
