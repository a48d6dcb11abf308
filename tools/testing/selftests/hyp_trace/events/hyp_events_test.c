// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests each event of the hypervisor by the tables of hyp_events_table.h. A table's event
 * that does not exist is a failure, and so is an event that exists and is not seen. A
 * field that has only one value is a failure, too, unless the table gives a reason: a
 * constant in its place would not be noticed.
 */

#include <regex.h>

#include "../../kselftest.h"
#include "hyp_events_table.h"
#include "hyp_fields.h"

/* The features that guests can have on this machine. */
static unsigned int machine_of_guests(void)
{
	static const uint32_t code[] = { STORE };
	struct vm vm = vm_create(code, sizeof(code));
	unsigned int has = 0;

	if (ioctl(vm.kvm, KVM_CHECK_EXTENSION, KVM_CAP_ARM_EL1_32BIT) > 0)
		has |= AARCH32;
	if (ioctl(vm.kvm, KVM_CHECK_EXTENSION, KVM_CAP_ARM_SVE) > 0)
		has |= SVE;
	vm_destroy(&vm);
	return has;
}

/* Is this the first run since boot? The host maps devices and splits blocks only once. */
static bool is_fresh(void)
{
	static const char mark[] = "/tmp/hyp_events_test.ran";
	bool fresh = !exists(mark);

	close(open(mark, O_CREAT, 0600));
	return fresh;
}

static unsigned int machine(void)
{
	unsigned int has = is_protected() ? PROTECTED : UNPROTECTED;

	if (cmdline_has("vgic_v3_common_trap=1"))
		has |= GIC_TRAPPED;
	if (nr_cpus() > 1)
		has |= SMP;
	if (has_gicv3())
		has |= GICV3;
	if (is_fresh())
		has |= FRESH;
	has |= is_since(6, 18) ? SINCE_6_18 : BEFORE_6_18;
	has |= is_since(7, 3) ? SINCE_7_3 : BEFORE_7_3;
	has |= page_size() == 4096 ? PAGES_4K : PAGES_LARGER;
	if (block_size() <= AFAR_SIZE / 2)
		has |= SMALL_BLOCKS;
	return has | machine_of_guests();
}

/* Lines of the trace ---------------------------------------------------------------- */

struct walk {
	int	events;			/* of this kind */
	int	right;			/* that match */
};

/* A row's regular expression, with the size of a page in place of PAGE. */
static const char *with_page_size(const char *says)
{
	const char *at = strstr(says, "PAGE");

	if (!at)
		return says;

	return path_of("%.*s%#zx%s", (int)(at - says), says, page_size(),
		       at + strlen("PAGE"));
}

/*
 * Walk over an event's lines in a trace. A line is right if the rest of it, as a whole,
 * matches @says, a regular expression in which PAGE is the size of a page. @tell is called
 * for each line.
 */
static struct walk walk(const char *trace, const char *event, const char *says,
			void (*tell)(const char *line, bool right, const struct walk *walk))
{
	char *text = strdup(trace), *rest = text, *line, *at;
	const char *what = path_of(": %s: ", event);
	struct walk walk = { };
	regex_t regex;
	bool right;

	if (regcomp(&regex, path_of("^(%s)$", with_page_size(says)), REG_EXTENDED | REG_NOSUB))
		errx(1, "%s", says);
	while ((line = strsep(&rest, "\n"))) {
		at = strstr(line, what);
		if (!at)
			continue;
		right = !regexec(&regex, at + strlen(what), 0, NULL, 0);
		walk.events++;
		walk.right += right;
		if (tell)
			tell(at + 2, right, &walk);
	}
	regfree(&regex);
	free(text);
	return walk;
}

/* Prints the first right line of each event; "make doc" shows it in the catalogue. */
static void show_sample(const char *line, bool right, const struct walk *walk)
{
	if (right && walk->right == 1)
		ksft_print_msg("sample %s\n", line);
}

/* Does an event match @row; for events of guests, one of each guest? */
static bool is_said(const char *trace, const struct row *row)
{
	const char *event = row->event, *says = row->says;

	if (!strstr(says, "%d"))
		return walk(trace, event, says, show_sample).right;

	return walk(trace, event, path_of(says, 0), show_sample).right &&
	       walk(trace, event, path_of(says, 1), NULL).right;
}

/* Are there such events, and do all of them match? */
static bool is_all_said(const char *trace, const struct row *row)
{
	struct walk w = walk(trace, row->event, row->says, NULL);

	return w.events && w.right == w.events;
}

static void show_line(const char *line, bool right, const struct walk *walk)
{
	if (walk->events <= 8)
		ksft_print_msg("%s\n", line);
}

/* Print what an event says instead. */
static void show(const char *trace, const char *event)
{
	if (!walk(trace, event, "", show_line).events)
		ksft_print_msg("no %s at all\n", event);
}

/* Running a table ----------------------------------------------------------------- */

#define MAX_ROWS	256

/* A table being run. Rows with the same provoke() are run together. */
struct run {
	const struct row *rows;
	size_t		nr_rows;
	unsigned int	has;		/* features of the machine */
	bool		(*is_right)(const char *trace, const struct row *row);
	bool		note;		/* note the values of fields */
	bool		done[MAX_ROWS];
	bool		ok[MAX_ROWS];
};

static bool is_possible(const struct run *r, size_t i)
{
	return r->rows[i].provoke && !(~r->has & r->rows[i].needs);
}

static bool is_with(const struct run *r, size_t i, size_t first)
{
	return is_possible(r, i) && r->rows[i].provoke == r->rows[first].provoke;
}

static void note_values(void)
{
	int cpus = nr_cpus(), cpu;

	for (cpu = 0; cpu < cpus; cpu++)
		if (read_raw(cpu, fields_note, NULL) < 0)
			errx(1, "CPU %d: an event makes no sense", cpu);
}

/* The trace of one try; the caller frees it. */
static char *try(const struct run *r, size_t first)
{
	char *trace;

	if (put(HYP "trace", "") || put(HYP "tracing_on", "1"))
		errx(1, "tracing can't be turned on");
	r->rows[first].provoke();
	put(HYP "tracing_on", "0");
	trace = get(HYP "trace");
	if (r->note)
		note_values();
	return trace;
}

/* Check the rows that are not right yet and allowed in this try; is another try due? */
static bool look(struct run *r, size_t first, const char *trace, int tries)
{
	bool again = false;
	size_t i;

	for (i = first; i < r->nr_rows; i++) {
		const struct row *row = &r->rows[i];

		if (!is_with(r, i, first) || r->ok[i])
			continue;
		if (!r->done[i] || row->again_because)
			r->ok[i] = r->is_right(trace, row);
		r->done[i] = true;
		if (r->ok[i])
			continue;
		if (row->again_because && tries)
			again = true;
		else
			show(trace, row->event);
	}
	return again;
}

#define TRIES	10

/* Run this row, and all rows with the same provoke(). */
static void run_rows(struct run *r, size_t first)
{
	int tries = TRIES;
	bool again;
	char *trace;
	size_t i;

	put(HYP "events/enable", "0");
	for (i = first; i < r->nr_rows; i++)
		if (is_with(r, i, first) &&
		    put(path_of(HYP "events/hyp/%s/enable", r->rows[i].event), "1"))
			errx(1, "%s can't be enabled", r->rows[i].event);
	do {
		trace = try(r, first);
		again = look(r, first, trace, --tries);
		free(trace);
	} while (again);
}

static void run_table(struct run *r, const char *of)
{
	const struct row *row;
	size_t i;

	if (r->nr_rows > MAX_ROWS)
		errx(1, "more than %d rows", MAX_ROWS);
	for (i = 0; i < r->nr_rows; i++) {
		row = &r->rows[i];
		if (is_possible(r, i) && !r->done[i])
			run_rows(r, i);
		if (!row->provoke)
			ksft_test_result_skip("%s: %s\n", row->event, row->says);
		else if (!r->done[i])
			ksft_test_result_skip("%s: not on this machine, or in this mode\n",
					      row->event);
		else
			ksft_test_result(r->ok[i], "%s%s: %s\n", row->event, of, row->says);
	}
}

static void run_events(unsigned int has)
{
	static struct run r = {
		.rows = table, .nr_rows = ARRAY_LEN(table), .is_right = is_said, .note = true,
	};

	r.has = has;
	run_table(&r, "");
}

/* Withheld fields are 0 or shortened, so their values are not noted. */
static void run_withheld(unsigned int has)
{
	static struct run r = {
		.rows = withheld, .nr_rows = ARRAY_LEN(withheld), .is_right = is_all_said,
	};

	r.has = has;
	if (write_test(HYP_TRACE_TEST_WITHHOLD, 1))
		errx(1, "EL2 does not withhold");
	run_table(&r, " of a protected guest");
	write_test(HYP_TRACE_TEST_WITHHOLD, 0);
}

/* Results of hypercalls ------------------------------------------------------------ */

/* Has each of tracing's own hypercalls the result of a call that fails? */
static bool failures_are_said(void)
{
	char *names = get(HYP "events/hyp/host_hcall/format"), *at, *trace;
	bool ok = true;
	char name[64];
	int calls = 0;

	put(HYP "trace", "");
	put(HYP "events/hyp/host_hcall_done/enable", "1");
	put(HYP "tracing_on", "1");
	for (at = names; (at = strstr(at, ", \"__hyp_t")); at++) {
		if (sscanf(at, ", \"%63[a-z_]\"", name) != 1)
			errx(1, "no name: %.20s", at);
		/* These three have no such event, and this one can't fail. */
		if (!strcmp(name, "__hyp_trace_alarm") || !strcmp(name, "__hyp_trace_sync") ||
		    !strcmp(name, "__hyp_trace_triggers") ||
		    !strcmp(name, "__hyp_trace_write_event"))
			continue;
		hvc(hcall_id(name), "ffffffff ffffffff ffffffff");
		calls++;
	}
	put(HYP "tracing_on", "0");
	put(HYP "events/hyp/host_hcall_done/enable", "0");

	trace = get(HYP "trace");
	for (at = names; (at = strstr(at, ", \"__hyp_t")); at++) {
		if (sscanf(at, ", \"%63[a-z_]\"", name) != 1 ||
		    !strstr(trace, path_of("host_hcall_done: %s id", name)))
			continue;
		calls--;
		if (walk(trace, "host_hcall_done",
			 path_of("%s id=[0-9]+ result=-[1-9][0-9]*", name), NULL).right)
			continue;
		ksft_print_msg("%s has failed without a word\n", name);
		ok = false;
	}
	free(trace);
	free(names);
	return ok && !calls;
}

/* Spans --------------------------------------------------------------------------- */

/* A span of write_event() has an event before it, one after it, and one in it. */
struct span {
	uint64_t	before;
	uint64_t	began;
	uint64_t	within;
	uint64_t	id;
	int		right;
	int		wrong;
};

static void check_end(struct span *span, const struct event *e)
{
	uint64_t duration = field_value("hyp_span", "duration", e);
	bool right = field_value("hyp_span", "id", e) == span->id &&
		     duration >= span->within - span->began &&
		     duration <= e->ts - span->before;

	span->right += right;
	span->wrong += !right;
	if (!right)
		ksft_print_msg("%lu ns, not %lu to %lu\n", duration,
			       span->within - span->began, e->ts - span->before);
}

static void check_span(void *data, const struct event *e)
{
	struct span *span = data;

	if (e->type == event_id("selftest")) {
		span->before = e->ts;
	} else if (e->type == event_id("hyp_puts")) {
		span->within = e->ts;
	} else if (e->type == event_id("hyp_span")) {
		if (field_value("hyp_span", "track_event_type", e) == 'E') {
			check_end(span, e);
			return;
		}
		span->began = e->ts;
		span->id = field_value("hyp_span", "id", e);
	}
}

/*
 * Does the duration of a span agree with the events around it and in it? The span's own
 * events are not recorded exactly when it begins and ends, so no more can be checked.
 */
static bool spans_last_as_long(void)
{
	struct span span = { };

	put(HYP "events/enable", "0");
	put(HYP "events/hyp/hyp_span/enable", "1");
	put(HYP "events/hyp/selftest/enable", "1");
	put(HYP "events/hyp/hyp_puts/enable", "1");
	put(HYP "trace", "");
	put(HYP "tracing_on", "1");
	write_events();
	put(HYP "tracing_on", "0");
	return read_raw(0, check_span, &span) > 0 && span.right == 8 && !span.wrong;
}

/* Fields -------------------------------------------------------------------------- */

static const struct constant *constant_of(const struct field *f, unsigned int has)
{
	const struct constant *c;

	for (c = constant; c < constant + ARRAY_LEN(constant); c++)
		if (!strcmp(c->event, f->event) && !strcmp(c->field, f->name) &&
		    !(~has & c->needs) && !(has & c->unless))
			return c;
	return NULL;
}

/* Print the values that a field has had, with "!" if they are wrong. */
static bool field_varies(const struct field *f, unsigned int has)
{
	const struct constant *c = constant_of(f, has);
	bool ok = !f->nr_values || (f->nr_values == 1) == !!c;
	const char *why = "";

	if (f->nr_values && c)
		why = f->nr_values == 1 ? c->why : "it varies, but is said not to";
	else if (f->nr_values == 1)
		why = "nothing varies it";
	ksft_print_msg("%s %s.%s:%s%s%s\n", ok ? "field" : "! field", f->event, f->name,
		       f->nr_values ? field_values(f) : " not seen",
		       *why ? " - " : "", why);
	return ok;
}

static bool fields_vary(unsigned int has)
{
	bool ok = nr_fields;
	int i;

	for (i = 0; i < nr_fields; i++)
		ok &= field_varies(&fields[i], has);
	return ok;
}

/* Is each entry of the table of constants a field? */
static bool constants_exist(unsigned int has)
{
	bool ok = true;
	size_t i;

	for (i = 0; i < ARRAY_LEN(constant); i++) {
		if (~has & constant[i].needs || field_of(constant[i].event, constant[i].field))
			continue;
		ksft_print_msg("no field %s.%s\n", constant[i].event, constant[i].field);
		ok = false;
	}
	return ok;
}

/* psci_cpu_entry has one value; was it also a value of psci_cpu_on? */
static bool begins_where_told(void)
{
	const struct field *told = field_of("psci_cpu_on", "entry");
	const struct field *entry = field_of("psci_cpu_entry", "entry");
	int i;

	for (i = 0; told && entry && i < told->nr_values; i++)
		if (!memcmp(told->value[i], entry->value[0], sizeof(entry->value[0])))
			return true;
	return false;
}

static bool in_table(const char *event)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(table); i++)
		if (!strcmp(table[i].event, event))
			return true;

	ksft_print_msg("no test of %s\n", event);
	return false;
}

int main(void)
{
	unsigned int has = machine();

	ksft_print_header();
	ksft_set_plan(ARRAY_LEN(table) + ARRAY_LEN(withheld) + 6);
	run_on(0);
	put(HYP "tracing_on", "0");
	put(HYP "buffer_size_kb", "256");
	if (!fields_init())
		errx(1, "an event without fields");
	run_events(has);
	run_withheld(has);
	ksft_test_result(failures_are_said(), "a hypercall that fails has its error\n");
	ksft_test_result(spans_last_as_long(), "a span lasts as long as its events say\n");
	put(HYP "events/enable", "0");
	ksft_test_result(of_all_events(in_table), "each event has a test\n");
	ksft_test_result(fields_vary(has), "each field varies, or there is a reason\n");
	ksft_test_result(constants_exist(has), "each reason is that of a field\n");
	if (~has & (PROTECTED | SMP))
		ksft_test_result_skip("psci_cpu_entry: not on this machine, or in this mode\n");
	else
		ksft_test_result(begins_where_told(), "a CPU begins where it was told to\n");
	ksft_finished();
}
