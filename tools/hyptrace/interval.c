// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intervals as text, CSV and JSON.
 */

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "interval.h"
#include "json.h"

/**
 * wall_text() - what the wall clock was
 * @text:	where it goes
 * @time:	a time by the recording's clock [ns]
 * @offset:	from there to the wall clock [ns], 0 if that is not known
 *
 * Return: @text; "-" if it is not known
 */
const char *wall_text(char text[40], uint64_t time, int64_t offset)
{
	const time_t seconds = (time + offset) / 1000000000;
	struct tm tm;

	strcpy(text, "-");
	if (offset && localtime_r(&seconds, &tm))
		snprintf(text + strftime(text, 40, "%Y-%m-%d %H:%M:%S", &tm), 20, ".%06u",
			 (unsigned int)((time + offset) / 1000 % 1000000));
	return text;
}

/**
 * interval_print_csv_header() - print what the columns are
 * @file:	where to
 * @separator:	what is between fields
 */
void interval_print_csv_header(FILE *file, const char *separator)
{
	static const char * const names[] = {
		"start_ns", "duration_ns", "wall_ns", "first_cpu", "cpu", "vm", "vcpu", "thread",
		"tid", "kind", "reason", "detail", "value", "name", "access", "size", "el2_ns",
		"firmware_ns", "kvm_ns", "vmm_ns", "preempted_ns",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fprintf(file, "%s%s", names[i], separator);
	fprintf(file, "blocked_ns\n");
}

/* A number that is not known, or has no meaning here, is empty. */
static void print_number(FILE *file, const char *separator, bool is_known, uint64_t number)
{
	if (is_known)
		fprintf(file, "%" PRIu64, number);
	fputs(separator, file);
}

/**
 * interval_print_csv() - print an interval as a line of CSV
 * @file:	where to
 * @separator:	what is between fields
 * @interval:	the interval
 * @wall_offset: from its clock to the wall clock [ns], 0 if that is not known
 */
void interval_print_csv(FILE *file, const char *separator, const struct interval *interval,
			int64_t wall_offset)
{
	const struct detail *detail = &interval->detail;
	const struct key *key = &interval->key;
	const bool has_parts = key->kind == KIND_EXIT_HOST, is_guests = is_vcpus(key->kind);
	enum activity activity;

	print_number(file, separator, true, interval->start);
	print_number(file, separator, true, interval->ns);
	print_number(file, separator, wall_offset, interval->start + wall_offset);
	print_number(file, separator, true, interval->first_cpu);
	print_number(file, separator, true, interval->cpu);
	print_number(file, separator, is_guests, key->vm);
	print_number(file, separator, is_guests, key->vcpu);
	fprintf(file, "%s%s%d%s", key->thread, separator, interval->tid, separator);
	fprintf(file, "%s%s%s%s", kind_names[key->kind], separator, key->reason, separator);
	fprintf(file, "%s%s", detail_names[detail->kind], separator);
	if (detail->kind != DETAIL_NONE)
		fprintf(file, "%#" PRIx64, detail->value);
	fprintf(file, "%s%s%s%s%s", separator, detail->name ?: "", separator, detail_access(detail),
		separator);
	print_number(file, separator, detail->size, detail->size);
	for (activity = ACTIVITY_EL2; activity < NR_ACTIVITIES; activity++)
		print_number(file, activity == NR_ACTIVITIES - 1 ? "\n" : separator, has_parts,
			     interval->part[activity]);
}

/**
 * interval_print_json() - print an interval as a line of JSON
 * @file:	where to
 * @interval:	the interval
 * @wall_offset: from its clock to the wall clock [ns], 0 if that is not known
 */
void interval_print_json(FILE *file, const struct interval *interval, int64_t wall_offset)
{
	const struct detail *detail = &interval->detail;
	const struct key *key = &interval->key;
	enum activity activity;
	json_t *object, *parts;

	object = json_pack("{sI, sI, si, si, ss, si, ss, ss}",
			   "start_ns", (json_int_t)interval->start,
			   "duration_ns", (json_int_t)interval->ns,
			   "first_cpu", interval->first_cpu, "cpu", interval->cpu,
			   "thread", key->thread, "tid", interval->tid,
			   "kind", kind_names[key->kind], "reason", key->reason);
	if (wall_offset)
		json_object_set_new(object, "wall_ns",
				    json_integer(interval->start + wall_offset));
	if (is_vcpus(key->kind)) {
		json_object_set_new(object, "vm", json_integer(key->vm));
		json_object_set_new(object, "vcpu", json_integer(key->vcpu));
	}
	if (detail->kind != DETAIL_NONE)
		json_object_set_new(object, "detail",
				    json_pack("{ss, sI, ss?, ss, si}",
					      "kind", detail_names[detail->kind],
					      "value", (json_int_t)detail->value,
					      "name", detail->name,
					      "access", detail_access(detail),
					      "size", detail->size));
	if (key->kind == KIND_EXIT_HOST) {
		parts = json_object();
		for (activity = ACTIVITY_EL2; activity < NR_ACTIVITIES; activity++)
			json_object_set_new(parts, activity_names[activity],
					    json_integer(interval->part[activity]));
		json_object_set_new(object, "time_ns", parts);
	}
	print_json_value(file, object, JSON_COMPACT);
}
