// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of hypervisor tracing: the text of what guests record themselves.
 */

#include <linux/rculist.h>
#include <linux/string.h>
#include <linux/trace_ext_event.h>

#include "channel.h"
#include "vms.h"

/* Suffix of the name of an argument that is printed as a hexadecimal number. */
#define HEX_SUFFIX	":x"

/* The name that a record's VM gave its event, or NULL. The caller is in RCU's critical section. */
static const char *find_name(const struct hyptrace_guest_record *record)
{
	struct hyptrace_vm *vm = hyptrace_vm_of_event(record->vm);
	struct hyptrace_name *name;

	if (!vm)
		return NULL;

	list_for_each_entry_rcu(name, &vm->names, list)
		if (name->id == record->id && name->shared == !!record->client)
			return name->text;

	return NULL;
}

/* Get the next word of a name, and its length; the length is 0 behind the last one. */
static const char *next_word(const char **text, int *len)
{
	const char *word = skip_spaces(*text);

	*len = strcspn(word, " ");
	*text = word + *len;
	return word;
}

static void print_arg(struct trace_seq *s, const char *word, int len, u64 value)
{
	const int suffix = strlen(HEX_SUFFIX);

	if (len > suffix && !strncmp(word + len - suffix, HEX_SUFFIX, suffix))
		trace_seq_printf(s, " %.*s=0x%llx", len - suffix, word, value);
	else
		trace_seq_printf(s, " %.*s=%lld", len, word, value);
}

/* @nr is how many arguments there are, and how many fit into the record. */
static void print_args(struct trace_seq *s, const char *names,
		       const struct hyptrace_guest_record *record, unsigned int nr)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < nr; i++) {
		const char *word = names ? next_word(&names, &len) : NULL;

		if (len)
			print_arg(s, word, len, record->args[i]);
		else
			trace_seq_printf(s, " a%u=0x%llx", i, record->args[i]);
	}
}

static enum print_line_t guest_trace_print(struct trace_iterator *iter, int flags,
					   struct trace_event *event)
{
	struct trace_event_call *call = container_of(event, struct trace_event_call, event);
	const struct hyptrace_guest_record *record = (void *)iter->ent;
	unsigned int room = (to_trace_ext_event(call)->size - sizeof(*record)) / sizeof(u64);
	unsigned int nr = min_t(unsigned int, READ_ONCE(record->count), room);
	struct trace_seq *s = &iter->seq;
	const char *names, *word;
	int len;

	guard(rcu)();

	trace_seq_printf(s, "%s: vm=%u vcpu=%u client=%u lost=%u", trace_event_name(call),
			 record->vm, record->vcpu, record->client, record->lost);
	names = find_name(record);
	if (names) {
		word = next_word(&names, &len);
		trace_seq_printf(s, " %.*s", len, word);
	} else {
		trace_seq_printf(s, " id=%u", record->id);
	}
	print_args(s, names, record, nr);
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

/* At boot, make one of guest_trace_1 to guest_trace_16 print what its VM calls it. */
void __init hyptrace_channel_print_init(struct trace_event_call *call)
{
	call->event.funcs->trace = guest_trace_print;
	to_trace_ext_event(call)->by_kernel = true;
}
