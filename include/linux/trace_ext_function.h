/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * External writers record functions, stack traces and marks in ftrace's own records.
 * ext/functions.c and ext/mark.c check that they are those of trace_entries.h.
 */
#ifndef _LINUX_TRACE_EXT_FUNCTION_H
#define _LINUX_TRACE_EXT_FUNCTION_H

#include <linux/align.h>
#include <linux/bits.h>
#include <linux/ftrace.h>
#include <linux/trace_events.h>
#include <linux/trace_ext_compat.h>

/* The types of the records. Those of function graphs are in trace_ext_compat.h. */
#define TRACE_EXT_FUNCTION	1
#define TRACE_EXT_STACK		4
#define TRACE_EXT_PRINT		5
#define TRACE_EXT_GRAPH_RETURN	10
#define TRACE_EXT_GRAPH_ENTRY	11

/**
 * struct trace_ext_function - ftrace:function
 * @ent:	its type is TRACE_EXT_FUNCTION
 * @ip:		address of the function in this kernel
 * @parent_ip:	where it returns to; 0 if that is not in this kernel
 */
struct trace_ext_function {
	struct trace_entry	ent;
	unsigned long		ip;
	unsigned long		parent_ip;
};

/* The number of callers in ftrace's format of a stack, and the most that a writer records. */
#define TRACE_EXT_STACK_MIN	8
#define TRACE_EXT_STACK_MAX	16

/**
 * struct trace_ext_stack - ftrace:kernel_stack
 * @ent:	its type is TRACE_EXT_STACK
 * @size:	number of callers
 * @caller:	where functions will return to, addresses in this kernel, the innermost first. A
 *		record has at least TRACE_EXT_STACK_MIN; ULONG_MAX follows the last caller
 */
struct trace_ext_stack {
	struct trace_entry	ent;
	int			size;
	unsigned long		caller[TRACE_EXT_STACK_MAX];
};

/* Characters of a mark that are recorded, and room for them, a line feed and a 0. */
#define TRACE_EXT_MARK_MAX	112
#define TRACE_EXT_MARK_ROOM	ALIGN(TRACE_EXT_MARK_MAX + 2, 4)

/**
 * struct trace_ext_print - ftrace:print
 * @ent:	its type is TRACE_EXT_PRINT
 * @ip:		where in this kernel it comes from
 * @text:	the text, a line feed, and zeros to the end of the record, one at least
 */
struct trace_ext_print {
	struct trace_entry	ent;
	unsigned long		ip;
	char			text[TRACE_EXT_MARK_ROOM];
};

/* This is @ret.retval if there is no result, or none that may be shown. No int is that. */
#define TRACE_EXT_NO_RESULT	BIT(63)

/**
 * enum trace_ext_hook - what happens when a writer's function is called
 * @TRACE_EXT_HOOK_NONE:	nothing
 * @TRACE_EXT_HOOK_FUNCTION:	record the call
 * @TRACE_EXT_HOOK_FUNCTION_STACK: record the call and the stack
 * @TRACE_EXT_HOOK_GRAPH:	record the call and the return
 * @TRACE_EXT_HOOK_GRAPH_ROOT:	the same, and begin with it if only what roots call is recorded
 * @TRACE_EXT_HOOK_GRAPH_NOT:	record neither it nor what it calls
 * @TRACE_EXT_NR_HOOKS:		number of hooks
 */
enum trace_ext_hook {
	TRACE_EXT_HOOK_NONE,
	TRACE_EXT_HOOK_FUNCTION,
	TRACE_EXT_HOOK_FUNCTION_STACK,
	TRACE_EXT_HOOK_GRAPH,
	TRACE_EXT_HOOK_GRAPH_ROOT,
	TRACE_EXT_HOOK_GRAPH_NOT,
	TRACE_EXT_NR_HOOKS,
};

/**
 * struct trace_ext_functions - functions of an external writer that can be traced
 * @nr:		their number; 0 if there are none
 * @from_boot:	names of functions, as globs with commas between them, that are traced from boot
 *		on; or NULL
 * @prefix:	what their symbols in this kernel begin with; users may leave it out
 * @address:	the address of a function in this kernel, by number
 * @hook:	set what happens when the function of that number is called; NONE must not fail
 * @trace:	record calls and returns where functions are hooked, or (@on is false) do not.
 *		Functions deeper than @max_depth (1 to FTRACE_RETFUNC_DEPTH) are not recorded; if
 *		@roots, only what roots call
 *
 * Functions that return int return 0 or a negative errno, and log the reason of a failure. All
 * may sleep.
 */
struct trace_ext_functions {
	unsigned int	nr;
	char		*from_boot;
	const char	*prefix;
	unsigned long	(*address)(unsigned int function);
	int		(*hook)(unsigned int function, enum trace_ext_hook hook);
	int		(*trace)(bool on, unsigned int max_depth, bool roots);
};

#endif /* _LINUX_TRACE_EXT_FUNCTION_H */
