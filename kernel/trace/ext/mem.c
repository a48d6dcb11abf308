// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings in memory that survives a reboot: recording.
 *
 * The memory has two banks, see linux/ext_mem.h. This boot records into one; the other one keeps
 * what an earlier boot has left, until this boot ends. Which one is kept is decided at boot:
 * the newer one, unless the older one ended in a crash that nobody has looked at. So if a
 * machine crashes again and again, the first crash is kept.
 *
 * The header of this boot's bank is written when the first ring is loaded. If no ring ever is,
 * everything stays as it was.
 */

#include <linux/buildid.h>
#include <linux/cleanup.h>
#include <linux/jhash.h>
#include <linux/nmi.h>
#include <linux/panic_notifier.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/utsname.h>

#include "events.h"
#include "mem.h"

extern const void __start_notes;
extern const void __stop_notes;

/*
 * The memory of the one writer that has such memory:
 *   bank		this boot's bank
 *   header		this boot's header; copied to the bank when the first ring is loaded
 *   begun		that has happened
 *   kept		the other bank, if an earlier boot has left anything in it
 */
static struct {
	const struct trace_ext_writer	*writer;
	struct ext_mem_bank		*bank;
	struct ext_mem_bank		*kept;
	struct ext_mem_bank		*header;
	bool				begun;
} mem;

/* The most slots that a ring may have in such memory; 0 if the writer has none. */
u32 trace_ext_mem_slots(const struct trace_ext_writer *writer)
{
	return mem.writer == writer ? mem.header->share_pages - EXT_MEM_SHARE_OVERHEAD : 0;
}

/* The share of a ring's CPU. mem.header describes mem.bank before that has its header. */
static struct ext_mem_cpu *share_of(int cpu)
{
	return (void *)mem.bank + ((void *)ext_mem_cpu(mem.header, cpu) - (void *)mem.header);
}

/*
 * Let a ring have its CPU's share; @cpu, @nr_pages and @pages are set. A ring that is loaded has
 * the same pages: unload it before this one is loaded.
 */
void trace_ext_mem_pages(struct trace_ext_ring *ring)
{
	struct ext_mem_cpu *share = share_of(ring->cpu);
	u32 id;

	ring->meta = &share->meta;
	for (id = 0; id < ring->nr_pages; id++)
		ring->pages[id] = (void *)share + (id + 1UL) * PAGE_SIZE;
}

static void mem_clean(const void *start, size_t pages)
{
	mem.writer->clean(start, pages * PAGE_SIZE);
}

/* An old share can't be taken for this boot's: it has another boot's number. */
static void shares_begin(void)
{
	mem.header->since = ktime_get_boot_fast_ns();
	mem.header->since_real = ktime_get_real_ns();

	/* A crash before the end leaves a bank without a magic number. */
	WRITE_ONCE(mem.bank->magic, 0);
	smp_wmb();
	memcpy((void *)mem.bank + sizeof(mem.bank->magic),
	       (void *)mem.header + sizeof(mem.bank->magic),
	       mem.header->header_pages * PAGE_SIZE - sizeof(mem.bank->magic));
	smp_wmb();
	WRITE_ONCE(mem.bank->magic, EXT_MEM_MAGIC);
	mem_clean(mem.bank, mem.header->header_pages);
	mem.begun = true;
}

/**
 * trace_ext_mem_begin() - a ring is about to be given to the writer
 * @ring:	the ring
 */
void trace_ext_mem_begin(const struct trace_ext_ring *ring)
{
	struct ext_mem_cpu *share = share_of(ring->cpu);
	u32 id;

	if (!mem.begun)
		shares_begin();

	share->nr_slots = 0;
	smp_wmb();
	share->meta = (struct ext_ring_meta) { };
	for (id = 0; id < ring->nr_pages; id++) {
		WRITE_ONCE(ring->pages[id]->commit, 0);
		ring->pages[id]->first_seq = 0;
		/* A reset that loses what is in caches must not bring back what was there. */
		mem.writer->clean(ring->pages[id], offsetof(struct ext_ring_page, data));
	}
	share->boot = mem.header->boot;
	share->since = ktime_get_boot_fast_ns();
	smp_wmb();
	WRITE_ONCE(share->nr_slots, ring->nr_slots);
	mem_clean(share, 1);
}

/**
 * trace_ext_mem_cleared() - a CPU's events have been cleared
 * @writer:	a writer
 * @cpu:	the CPU
 * @loaded:	it has a ring. The ring's pages keep their content, which is stale now
 * @since:	when it was cleared, or before [ns, boot clock]
 */
void trace_ext_mem_cleared(const struct trace_ext_writer *writer, int cpu, bool loaded, u64 since)
{
	if (mem.writer != writer || !mem.begun)
		return;

	if (loaded)
		WRITE_ONCE(share_of(cpu)->since, since);
	else
		WRITE_ONCE(share_of(cpu)->nr_slots, 0);
}

/* Descriptions of the events, for the next boot ------------------------------------- */

static u32 __init events_count(const struct trace_ext_writer *writer)
{
	struct trace_ext_event *event;
	u32 count = 0;

	guard(mutex)(&event_mutex);

	trace_ext_for_each_event(event, writer)
		count++;

	return count;
}

static u32 hash_string(const char *string, u32 hash)
{
	return jhash(string, strlen(string), hash);
}

static u32 __init hash_fields(struct trace_ext_event *event)
{
	struct ftrace_event_field *field;
	u32 hash = 0;

	list_for_each_entry(field, trace_get_fields(&event->call), link) {
		hash = hash_string(field->name, hash);
		hash = hash_string(field->type, hash);
		hash = jhash_3words(field->offset, field->size, field->is_signed, hash);
	}

	return hash;
}

/*
 * Describe the events that @bank has room for: names, types and hashes of fields; and later, if
 * @texts, the hashes of what they are printed as.
 */
static void __init events_describe(const struct trace_ext_writer *writer,
				   struct ext_mem_bank *bank, bool texts)
{
	struct ext_mem_event *to = bank->events;
	struct trace_ext_event *event;

	guard(mutex)(&event_mutex);

	trace_ext_for_each_event(event, writer) {
		if (to == bank->events + bank->nr_events)
			break;
		if (!texts) {
			strscpy(to->name, trace_event_name(&event->call));
			to->type = event->call.event.type;
			to->fields = hash_fields(event);
		} else {
			/* Without a hash, another kernel's text is never taken for the same. */
			to->text = event->by_kernel ? 0 : hash_string(event->call.print_fmt, 0);
		}
		to++;
	}
}

/**
 * trace_ext_mem_describe() - describe how events are printed, for the next boot
 *
 * Context: boot, when ftrace has put the values of enums into the events' formats.
 */
void __init trace_ext_mem_describe(void)
{
	if (!mem.writer)
		return;

	events_describe(mem.writer, mem.header, true);
	if (mem.begun)
		memcpy(mem.bank->events, mem.header->events,
		       mem.header->nr_events * sizeof(mem.header->events[0]));
}

/* The end of this boot ------------------------------------------------------------- */

/* Clean what this kernel has written, or had written. It may be too much for a watchdog. */
static void clean_bank(struct ext_mem_bank *bank, bool pages)
{
	u32 cpu, nr_slots;

	mem_clean(bank, bank->header_pages);
	for (cpu = 0; cpu < bank->nr_cpus; cpu++) {
		nr_slots = pages ? ext_mem_cpu(bank, cpu)->nr_slots : 0;
		mem_clean(ext_mem_cpu(bank, cpu), nr_slots ? nr_slots + EXT_MEM_SHARE_OVERHEAD : 1);
		touch_nmi_watchdog();
	}
}

/* Firmware may turn caches off before memory has what is in them. */
static void shares_end(enum ext_mem_end how)
{
	if (mem.begun) {
		mem.bank->ended = ktime_get_boot_fast_ns();
		mem.bank->end = how;
		clean_bank(mem.bank, true);
	}
	if (mem.kept)
		clean_bank(mem.kept, false);
}

static int on_panic(struct notifier_block *nb, unsigned long action, void *data)
{
	shares_end(EXT_MEM_PANIC);
	return NOTIFY_DONE;
}

static struct notifier_block panic_nb = { .notifier_call = on_panic };

static int on_reboot(struct notifier_block *nb, unsigned long action, void *data)
{
	shares_end(EXT_MEM_REBOOT);
	return NOTIFY_DONE;
}

/* After the drivers, whose callbacks may call the writer. */
static struct notifier_block reboot_nb = { .notifier_call = on_reboot, .priority = INT_MIN };

/* The beginning -------------------------------------------------------------------- */

/* Has trace_instance= given some of this memory to an instance of the kernel's own? */
static bool __init is_instances(phys_addr_t start, size_t size)
{
	struct trace_array *tr;

	guard(mutex)(&trace_types_lock);

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		phys_addr_t theirs;

		if (!tr->range_addr_start)
			continue;

		/* It is contiguous, and mapped a second time. */
		theirs = page_to_phys(vmalloc_to_page((void *)tr->range_addr_start));
		if (theirs < start + size && start < theirs + tr->range_addr_size)
			return true;
	}

	return false;
}

/* Make this boot's header, in ordinary memory. */
static struct ext_mem_bank * __init make_header(const struct trace_ext_writer *writer, u64 size)
{
	u32 nr_events = min(events_count(writer), EXT_MEM_MAX_EVENTS);
	u32 header_pages, share_pages;
	struct ext_mem_bank *header;

	header_pages = DIV_ROUND_UP(struct_size(header, events, nr_events), PAGE_SIZE);
	if (size / PAGE_SIZE <= header_pages)
		return ERR_PTR(-EINVAL);

	share_pages = min((size / PAGE_SIZE - header_pages) / nr_cpu_ids,
			  EXT_RING_MAX_SLOTS + EXT_MEM_SHARE_OVERHEAD);
	if (share_pages < EXT_RING_MIN_SLOTS + EXT_MEM_SHARE_OVERHEAD)
		return ERR_PTR(-EINVAL);

	header = kvzalloc(header_pages * PAGE_SIZE, GFP_KERNEL);
	if (!header)
		return ERR_PTR(-ENOMEM);

	header->magic = EXT_MEM_MAGIC;
	header->version = EXT_MEM_VERSION;
	header->text = (unsigned long)_stext;
	header->page_size = PAGE_SIZE;
	header->size = size;
	header->header_pages = header_pages;
	header->share_pages = share_pages;
	header->nr_cpus = nr_cpu_ids;
	header->nr_events = nr_events;
	build_id_parse_buf(&__start_notes, header->build_id, &__stop_notes - &__start_notes);
	strscpy(header->release, init_utsname()->release);
	events_describe(writer, header, false);
	return header;
}

/* A bank that an earlier boot has left, or NULL. */
static struct ext_mem_bank * __init left_in(const struct trace_ext_writer *writer,
					    void *start, size_t size)
{
	struct ext_mem_bank *bank = start;
	const char *error = ext_mem_bank_error(bank, size);

	if (error && bank->magic == EXT_MEM_MAGIC)
		pr_info("%s: what an earlier boot has left can't be shown: %s\n",
			writer->label, error);

	return error ? NULL : bank;
}

/**
 * trace_ext_mem_init() - have a writer's rings in memory that survives a reboot
 * @writer:	the writer, not registered yet; one writer only
 * @start:	the memory, page-aligned; its content is what an earlier boot has left
 * @size:	its size [bytes]
 *
 * Context: boot, once.
 * Return: 0, -EBUSY if another instance has it, -EINVAL if it is too small for all CPUs, -ENOMEM
 */
int __init trace_ext_mem_init(struct trace_ext_writer *writer, void *start, size_t size)
{
	size_t half = round_down(size / 2, PAGE_SIZE);
	struct ext_mem_bank *header, *older, *newer;

	if (is_instances(virt_to_phys(start), size))
		return -EBUSY;

	header = make_header(writer, half);
	if (IS_ERR(header))
		return PTR_ERR(header);

	newer = left_in(writer, start, half);
	older = left_in(writer, start + half, half);
	if (!newer || (older && older->boot > newer->boot))
		swap(newer, older);
	header->boot = newer ? newer->boot + 1 : 1;

	/* Keep the newer one, or the older one if that is a crash which nobody has seen. */
	mem.kept = newer;
	if (older && !older->seen && older->end != EXT_MEM_REBOOT && ext_mem_is_used(older))
		mem.kept = older;

	mem.bank = mem.kept == start ? start + half : start;
	mem.header = header;
	mem.writer = writer;
	atomic_notifier_chain_register(&panic_notifier_list, &panic_nb);
	register_reboot_notifier(&reboot_nb);

	pr_info("%s: rings are in reserved memory, 0x%llx:0x%zx, %lu KiB per CPU\n",
		writer->label, (u64)virt_to_phys(start), size,
		trace_ext_mem_slots(writer) * EXT_RING_DATA_SIZE / 1024);
	return 0;
}

/*
 * Find the bank that an earlier boot has left, and this kernel's own header; NULL if it has left
 * nothing.
 */
struct ext_mem_bank * __init trace_ext_mem_kept(const struct ext_mem_bank **header)
{
	*header = mem.header;
	return mem.kept && ext_mem_is_used(mem.kept) ? mem.kept : NULL;
}
