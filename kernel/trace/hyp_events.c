// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hypervisor's events on the host, generated from trace/events/hyp.h.
 *
 * ftrace's own stages (include/trace/stages/) give the structures, the fields
 * and the text output. There is no tracepoint and no probe behind an event:
 * registering it tells EL2 to record it.
 */

#include <linux/args.h>
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/hyp_event_ids.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/trace_ext.h>

#include <asm/kvm_asm.h>

#include "hyp_events.h"
#include "hyp_hcall_names.h"
#include "hyp_printk.h"

static const struct trace_ext_ops *hyp_ops;

#undef TRACE_SYSTEM
#define TRACE_SYSTEM hyp
#define TRACE_SYSTEM_VAR hyp

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),		\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print)); \
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))

/* Stage 1: structures, and the values of enums. */
#include <trace/stages/init.h>

HYP_HCALLS

#include <trace/stages/stage1_struct_define.h>

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	struct trace_event_raw_##name {					\
		struct trace_entry	ent;				\
		tstruct							\
	}

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)

#include <trace/events/hyp.h>

#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(name)

static_assert(sizeof(struct trace_event_raw_hyp_printk) == sizeof(struct hyp_printk_record));
static_assert(offsetof(struct trace_event_raw_hyp_printk, a) ==
	      offsetof(struct hyp_printk_record, args));
static_assert(offsetof(struct trace_event_raw_hyp_printk, fmt) ==
	      offsetof(struct hyp_printk_record, fmt));
static_assert(offsetof(struct trace_event_raw_hyp_puts, fmt) ==
	      offsetof(struct hyp_puts_record, fmt));

/* Stage 3: text output. */
#include <trace/stages/stage3_trace_output.h>

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
static enum print_line_t						\
trace_raw_output_##name(struct trace_iterator *iter, int flags,		\
			struct trace_event *trace_event)		\
{									\
	struct trace_seq *s = &iter->seq;				\
	struct trace_seq __maybe_unused *p = &iter->tmp_seq;		\
	struct trace_event_raw_##name *field = (void *)iter->ent;	\
	int ret;							\
									\
	ret = trace_raw_output_prep(iter, trace_event);			\
	if (ret != TRACE_TYPE_HANDLED)					\
		return ret;						\
									\
	trace_event_printf(iter, print);				\
	return trace_handle_return(s);					\
}									\
									\
static struct trace_event_functions trace_event_type_funcs_##name = {	\
	.trace	= trace_raw_output_##name,				\
}

#include <trace/events/hyp.h>

/* Stage 4: fields. */
#include <trace/stages/stage4_event_fields.h>

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
static struct trace_event_fields trace_event_fields_##name[] = {	\
	tstruct								\
	{}								\
}

#include <trace/events/hyp.h>

/* Stage 7: classes and calls. */
#include <trace/stages/stage7_class_define.h>

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
static char print_fmt_##name[] = print;					\
static struct trace_event_class event_class_##name = {			\
	.system			= TRACE_SYSTEM_STRING,			\
	.fields_array		= trace_event_fields_##name,		\
	.fields			= LIST_HEAD_INIT(event_class_##name.fields), \
	.raw_init		= trace_event_raw_init,			\
	.reg			= hyp_event_reg,			\
}

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, call, proto, args)			\
static struct trace_event_call event_##call = {				\
	.class			= &event_class_##template,		\
	.name			= #call,				\
	.event.funcs		= &trace_event_type_funcs_##template,	\
	.print_fmt		= print_fmt_##template,			\
	.data			= (void *)HYP_EVENT_##call,		\
};									\
static struct trace_event_call *__event_##call __used			\
	__section(CONCATENATE(HYP_EVENT_SECTION_,			\
			      __is_defined(HYP_WITHOUT_##call))) = &event_##call

/* An event that is compiled out stays unknown to ftrace, and its type 0. */
#define HYP_EVENT_SECTION_0	"_ftrace_events"
#define HYP_EVENT_SECTION_1	".discard.hyp_events"

#include <trace/events/hyp.h>

static const char * const hyp_errors[] = {
	[HYP_ERR_FILTER] = "Hypervisor events can't be filtered; write 0 for no filter",
	[HYP_ERR_ELSEWHERE] = "Hypervisor events are recorded in hyp/, not here",
	[HYP_ERR_TRIGGER] = "Hypervisor events have no triggers, and none can enable them",
	[HYP_ERR_PROBE] = "Hypervisor events can't be probed",
	[HYP_ERR_PERF] = "Hypervisor events are not perf's: read them in hyp/",
};

/* Which is said in the error_log of @tr; @command is what was asked for. */
static void log_error(struct trace_array *tr, enum hyp_event_error error,
		      const char *command)
{
	tracing_log_err(tr, "hyp event", command, (const char **)hyp_errors, error, 0);
}

/**
 * hyp_event_refuse() - an event of the hypervisor's can't do what is wanted of it
 * @tr:		the instance, in whose error_log it is said; NULL for the root
 * @error:	what is not to be had
 * @command:	what was asked for
 *
 * To be called before anything has changed: ftrace's own undoing is not complete.
 *
 * Filter files are there nevertheless: trace-cmd takes an event for one that can be
 * enabled only if it has a filter, which may be empty.
 *
 * Return: -EOPNOTSUPP
 */
int hyp_event_refuse(struct trace_array *tr, enum hyp_event_error error,
		     const char *command)
{
	log_error(tr, error, command);
	return -EOPNOTSUPP;
}

/* Instances that have an event enabled: the hypervisor's, the root, or both. */
static unsigned int users[HYP_NR_EVENTS];

static void note_if_foreign(struct trace_event_file *file)
{
	if (hyp_event_is_foreign(file->tr, file->event_call))
		log_error(file->tr, HYP_ERR_ELSEWHERE,
			  trace_event_name(file->event_call));
}

#ifdef CONFIG_PERF_EVENTS
/* Its id is there for those who read hyp/. Who may not read error_log may not fill it. */
static int refuse_perf(struct trace_event_call *call)
{
	if (!perfmon_capable())
		return -EOPNOTSUPP;

	return hyp_event_refuse(NULL, HYP_ERR_PERF, trace_event_name(call));
}
#endif

/**
 * hyp_event_reg() - have EL2 record an event, or stop it
 * @call:	the event
 * @type:	what is wanted
 * @data:	the trace_event_file, of the instance that asks
 *
 * Wherever it is enabled, it is recorded in the hypervisor's instance; if that is
 * not the one, its error_log says so. Before the hypervisor is known it is only noted
 * down who wants it, for hyp_events_arm().
 *
 * Context: event_mutex is held.
 * Return: 0, -EOPNOTSUPP for anything but recording it (perf), or why EL2 refused
 */
int hyp_event_reg(struct trace_event_call *call, enum trace_reg type,
		  void *data)
{
	unsigned long event = (unsigned long)call->data;
	int ret = 0;

	switch (type) {
	case TRACE_REG_REGISTER:
		if (hyp_ops)
			note_if_foreign(data);
		if (hyp_ops && !users[event])
			ret = hyp_ops->enable(event, call->event.type);
		if (!ret)
			users[event]++;
		return ret;
	case TRACE_REG_UNREGISTER:
		if (--users[event] || !hyp_ops)
			return 0;
		return hyp_ops->enable(event, 0);
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		return refuse_perf(call);
#endif
	default:
		return -EOPNOTSUPP;
	}
}

/* From here on the header is expanded inside of functions, a statement each. */
#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)

static u16 last_type(void)
{
	u16 type = 0;

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)			\
	type = max_t(u16, type, event_##name.event.type)
#include <trace/events/hyp.h>

	return type;
}

/**
 * hyp_events_init() - say what the events look like
 * @format:	to be filled in: the records that EL2 writes
 *
 * Return: 0 or -ENOMEM
 */
int __init hyp_events_init(struct ext_page_format *format)
{
	u16 *size = kcalloc(last_type() + 1, sizeof(*size), GFP_KERNEL);

	if (!size)
		return -ENOMEM;

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)			\
	if (event_##name.event.type)					\
		size[event_##name.event.type] =				\
			sizeof(struct trace_event_raw_##template)
#include <trace/events/hyp.h>

	format->size = size;
	format->nr_types = last_type() + 1;
	return 0;
}

/* Do something about each file of an event by which it is enabled. */
static void __init to_enabled_files(struct trace_event_call *call,
				    void (*fn)(struct trace_event_file *file))
{
	struct trace_event_file *file;
	struct trace_array *tr;

	guard(mutex)(&trace_types_lock);

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		list_for_each_entry(file, &tr->events, list) {
			if (file->event_call == call &&
			    file->flags & EVENT_FILE_FL_ENABLED)
				fn(file);
		}
	}
}

/* It has recorded nothing: no trace need be cleared when the event is removed. */
static void __init disarm(struct trace_event_file *file)
{
	trace_event_enable_disable(file, 0, 0);
	clear_bit(EVENT_FILE_FL_WAS_ENABLED_BIT, &file->flags);
}

static void __init arm(struct trace_event_call *call, const struct trace_ext_ops *ops)
{
	unsigned long event = (unsigned long)call->data;
	int ret;

	if (!users[event])
		return;

	ret = ops->enable(event, call->event.type);
	if (ret) {
		pr_err("hyp_trace: %s, enabled at boot, is disabled again: %pe\n",
		       trace_event_name(call), ERR_PTR(ret));
		to_enabled_files(call, disarm);
	} else {
		to_enabled_files(call, note_if_foreign);
	}
}

/**
 * hyp_events_arm() - there is a hypervisor to record the events
 * @ops:	how to enable them
 *
 * Has it record what has been enabled until now.
 */
void __init hyp_events_arm(const struct trace_ext_ops *ops)
{
	struct trace_event_call *call;

	guard(mutex)(&event_mutex);

	hyp_printk_init(&event_hyp_printk, &event_hyp_puts);
	list_for_each_entry(call, &ftrace_events, list) {
		if (is_hyp_event(call))
			arm(call, ops);
	}

	hyp_ops = ops;
}

/**
 * hyp_events_remove() - there is no hypervisor to record them
 *
 * One that is enabled could not be removed: it is disabled first.
 */
void __init hyp_events_remove(void)
{
	struct trace_event_call *call, *next;

	guard(mutex)(&event_mutex);

	list_for_each_entry_safe(call, next, &ftrace_events, list) {
		if (!is_hyp_event(call))
			continue;
		to_enabled_files(call, disarm);
		WARN_ON(trace_remove_event_call(call));
	}
}
