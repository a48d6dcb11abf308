/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Defines the events of an external writer, as define_trace.h does for tracepoints.
 *
 * ftrace's own stages (include/trace/stages/) generate the structures, the fields and the
 * text output. Registering an event tells the writer to record it. An event has a tracepoint,
 * because BPF programs are for tracepoints. Nothing calls that, and it has no probe.
 *
 * Include this once, in a .c file, after defining:
 *
 *   TRACE_SYSTEM, TRACE_SYSTEM_VAR	as in the event header
 *   TRACE_EXT_HEADER			the event header, as for #include
 *   TRACE_EXT_WRITER			a struct trace_ext_writer
 *   TRACE_EXT_NUMBER(name)		the writer's number of an event
 *   TRACE_HEADER_MULTI_READ		if the header is guarded by it, as most are
 *   TRACE_EXT_ENUMS			optional: TRACE_DEFINE_ENUM()s in addition to the
 *					header's
 *
 * This defines a struct trace_ext_event event_<name> for each event, and a struct
 * trace_event_raw_<class> for its record.
 */

#include <linux/trace_ext_event.h>

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),		\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print)); \
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))

/* Stage 1: structures, and the values of enums. */
#include <trace/stages/init.h>

#ifdef TRACE_EXT_ENUMS
TRACE_EXT_ENUMS
#endif

#include <trace/stages/stage1_struct_define.h>

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	struct trace_event_raw_##name {					\
		struct trace_entry	ent;				\
		tstruct							\
	}

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, name, proto, args)

#include TRACE_EXT_HEADER

#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(name)

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

#include TRACE_EXT_HEADER

/* Stage 4: fields. */
#include <trace/stages/stage4_event_fields.h>

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
static struct trace_event_fields trace_event_fields_##name[] = {	\
	tstruct								\
	{}								\
}

#include TRACE_EXT_HEADER

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
	.reg			= trace_ext_event_reg,			\
}

#undef TRACE_EXT_PERF_PERM
#ifdef CONFIG_PERF_EVENTS
#define TRACE_EXT_PERF_PERM	.perf_perm = trace_ext_perf_perm,
#else
#define TRACE_EXT_PERF_PERM
#endif

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, item, proto, args)			\
static struct tracepoint tracepoint_##item = {				\
	.name	= #item,						\
};									\
									\
static struct trace_ext_event event_##item = {				\
	.call = {							\
		.class		= &event_class_##template,		\
		.tp		= &tracepoint_##item,			\
		.event.funcs	= &trace_event_type_funcs_##template,	\
		.print_fmt	= print_fmt_##template,			\
		TRACE_EXT_PERF_PERM					\
		.flags		= TRACE_EVENT_FL_EXTERNAL |		\
				  TRACE_EVENT_FL_TRACEPOINT,		\
	},								\
	.writer	= &TRACE_EXT_WRITER,					\
	.number	= TRACE_EXT_NUMBER(item),				\
	.size	= sizeof(struct trace_event_raw_##template),		\
};									\
static struct trace_event_call *__event_##item __used			\
	__section("_ftrace_events") = &event_##item.call

#include TRACE_EXT_HEADER

#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT
#undef TRACE_EVENT
