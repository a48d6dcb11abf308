/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filters of external writers' events: what ftrace has parsed, as filter.c takes
 * it. Included by trace_events_filter.c, whose structures nobody else knows.
 */

#ifdef CONFIG_RING_BUFFER_EXT

#include "filter_compile.h"

static const enum ext_filter_op ext_filter_ops[] = {
	[OP_EQ]		= EXT_FILTER_EQ,
	[OP_NE]		= EXT_FILTER_NE,
	[OP_LT]		= EXT_FILTER_LT,
	[OP_LE]		= EXT_FILTER_LE,
	[OP_GT]		= EXT_FILTER_GT,
	[OP_GE]		= EXT_FILTER_GE,
	[OP_BAND]	= EXT_FILTER_AND,
};

/* Describe entry @i of a program. Return -EINVAL if that can't be done, and why. */
static int ext_filter_describe(const struct prog_entry *prog, unsigned int i,
			       struct ext_filter_test *test, enum trace_ext_error *why)
{
	const struct prog_entry *entry = &prog[i];
	const struct filter_pred *pred = entry->pred;
	const struct ftrace_event_field *field = pred->field;
	bool is_cpu = field->filter_type == FILTER_CPU;

	*why = TRACE_EXT_ERR_OPERAND;
	if (pred->regex || pred->fn_num == FILTER_PRED_FN_FUNCTION ||
	    field->filter_type == FILTER_CPUMASK)
		return -EINVAL;

	*why = TRACE_EXT_ERR_SIZE;
	if (!is_cpu && (!is_power_of_2(field->size) || field->size > sizeof(u64)))
		return -EINVAL;

	*test = (struct ext_filter_test) {
		.op		= ext_filter_ops[pred->op],
		.value		= pred->val,
		.cpus		= pred->mask ? cpumask_bits(pred->mask) : NULL,
		.nr_cpus	= nr_cpu_ids,
		.offset		= is_cpu ? EXT_FILTER_CPU : pred->offset,
		.size		= is_cpu ? sizeof(int) : field->size,
		.is_signed	= field->is_signed,
	};
	/* filter_match_preds() adds 1 to the target, too. */
	test->next[entry->when_to_branch] = entry->target + 1;
	test->next[!entry->when_to_branch] = i + 1;
	return 0;
}

/**
 * trace_ext_filter_compile() - compile a filter for an external writer
 * @filter:	the filter, as ftrace has parsed it
 * @preds:	filled in with the comparisons; the caller frees it, also after a failure
 * @why:	filled in with the reason of a failure, or TRACE_EXT_NR_ERRORS if there is none
 *		for the user
 *
 * Return: number of comparisons, -EINVAL, or -ENOMEM
 */
int trace_ext_filter_compile(const struct event_filter *filter, struct ext_filter_pred **preds,
			     enum trace_ext_error *why)
{
	const struct prog_entry *prog = rcu_access_pointer(filter->prog);
	struct ext_filter_test *tests __free(kfree) = NULL;
	unsigned int nr_tests;
	int ret;

	*why = TRACE_EXT_NR_ERRORS;
	for (nr_tests = 0; prog[nr_tests].pred; nr_tests++)
		;
	tests = kcalloc(nr_tests, sizeof(*tests), GFP_KERNEL);
	*preds = kcalloc(EXT_FILTER_MAX, sizeof(**preds), GFP_KERNEL);
	if (!tests || !*preds)
		return -ENOMEM;

	for (nr_tests = 0; prog[nr_tests].pred; nr_tests++)
		if (ext_filter_describe(prog, nr_tests, &tests[nr_tests], why))
			return -EINVAL;

	*why = TRACE_EXT_ERR_LENGTH;
	ret = ext_filter_compile(tests, nr_tests, *preds);
	if (ret < 0)
		return -EINVAL;

	*why = TRACE_EXT_NR_ERRORS;
	return ret;
}

/*
 * Have the writer apply a filter, or log why not; an event of this kernel needs nothing. If @show,
 * a filter that fails shows an error, as one that can't be parsed does. The reason comes last:
 * tools show the last line of error_log.
 */
static int ext_filter_apply(struct trace_event_file *file, struct event_filter *filter, bool show)
{
	char *input __free(kfree) = NULL;
	struct filter_parse_error pe = { };
	enum trace_ext_error why;
	int err;

	if (!is_trace_ext_event(file->event_call))
		return 0;

	err = trace_ext_filter_set(file, filter, &why);
	if (!err)
		return 0;

	if (show) {
		input = kstrdup(filter->filter_string, GFP_KERNEL);
		pe.lasterr = err == -EINVAL ? FILT_ERR_ILLEGAL_FIELD_OP : err;
		append_filter_err(file->tr, &pe, filter);
	}
	trace_ext_filter_refused(file, why, show ? input ?: "" : filter->filter_string);
	return err;
}

/**
 * trace_ext_filters_arm() - have a writer apply the filters that boot parameters have set
 * @tr:		its instance
 *
 * They were set before the writer could be called. One that it does not take shows an error.
 */
void __init trace_ext_filters_arm(struct trace_array *tr)
{
	struct trace_event_file *file;

	guard(mutex)(&event_mutex);

	list_for_each_entry(file, &tr->events, list) {
		if (!(file->flags & EVENT_FILE_FL_FILTERED) ||
		    !ext_filter_apply(file, event_filter(file), true))
			continue;
		pr_err("%s: the filter of %s, set at boot, is removed again: see error_log\n",
		       tr->name, trace_event_name(file->event_call));
		filter_disable(file);
	}
}

#else

#define ext_filter_apply(file, filter, show)	0

#endif
