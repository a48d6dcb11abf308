// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hostile tests of the longest intervals of totals: what EL2 publishes does not depend on what the
 * host has written, and the host believes no record that EL2 can't have written.
 */

#include <linux/sched.h>

#include "../totals.h"
#include "hostile.h"

/* A record in shared pages, by its place. */
static struct hyp_totals_max *record_in(void * const *pages, u32 place)
{
	struct hyp_totals_max *records = pages[hyp_totals_max_page(place)];

	return &records[place % HYP_TOTALS_MAX_PER_PAGE];
}

static const u32 event_row = HYP_TOTALS_ROW_HCALLS + __KVM_HOST_SMCCC_FUNC___hyp_trace_write_event;

/* A record of the longest, or above a threshold that all are above. */
static void expect_sound(struct kunit *test, const struct hyp_totals_max *record)
{
	KUNIT_EXPECT_EQ(test, record->done, record->number);
	KUNIT_EXPECT_EQ(test, 7, record->reset);
	KUNIT_EXPECT_EQ(test, event_row, record->row);
	KUNIT_EXPECT_GT(test, record->ns, 0);
	KUNIT_EXPECT_EQ(test, record->ns, record->ended - record->began);
	KUNIT_EXPECT_EQ(test, 0, record->first_cpu);
	KUNIT_EXPECT_EQ(test, 0, record->vm);
	KUNIT_EXPECT_EQ(test, 0, record->vcpu);
}

void hostile_max_writes(struct kunit *test)
{
	struct hostile_table *table = hostile_table_new(test);
	const struct hyp_totals_max *record;
	u64 longest = 0, untouched = 0;
	int i, call, changes = 0;

	KUNIT_ASSERT_EQ(test, 0, hcall_trace_clock(BIT_ULL(63), 1, 0));
	KUNIT_ASSERT_EQ(test, 0, hostile_totals_load_table(0, table));
	KUNIT_EXPECT_EQ(test, 0, hcall_totals_enable(1, 1));
	KUNIT_EXPECT_EQ(test, 0, hcall_totals_max(1, 0, 7, 7));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_CLOSED, 1));
	record = record_in(table->page, event_row);
	for (call = 1; call <= 100; call++) {
		KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(call));
		if (record->number != untouched) {
			expect_sound(test, record);
			KUNIT_EXPECT_GT(test, record->ns, longest);
			longest = record->ns;
			changes++;
		}

		for (i = 0; i < HOSTILE_TABLE_PAGES; i++)
			memset(table->page[i], call, PAGE_SIZE);
		memset(&untouched, call, sizeof(untouched));
	}
	KUNIT_EXPECT_GT(test, changes, 0);

	/* Once it is off, nothing is published. */
	KUNIT_EXPECT_EQ(test, 0, hcall_totals_max(0, 0, 8, 7));
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_CLOSED, 1));
	for (i = 0; i < HOSTILE_TABLE_PAGES; i++)
		memset(table->page[i], 0, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, 0, hcall_trace_write_event(call));
	KUNIT_EXPECT_EQ(test, 0, record->done);
	KUNIT_EXPECT_EQ(test, 0, hostile_sync(0, HYP_TRACE_CLOSED, 0));
	KUNIT_EXPECT_EQ(test, 0, hostile_totals_unload(0));
	hostile_table_expect_intact(test, table, "writing to records of long intervals");
}

/* A record that makes sense, of a row that nothing is counted in. */
static const struct hyp_totals_max sound = {
	.ns		= 10,
	.began		= 1000,
	.ended		= 1010,
	.first_seq	= HYP_TOTALS_NO_SEQ,
	.row		= HYP_TOTALS_ROW_OTHER_ABORT,
	.pid		= INT_MAX,
};

/* Have the host find a record at a place, as if EL2 had published it. */
static void found_at(u32 place, struct hyp_totals_max record)
{
	const struct hyptrace_totals_table *table = per_cpu_ptr(&hyptrace_totals_table, 0);
	struct hyp_totals_state *state = table->pages[0];
	u64 number = state->nr_max + 1;

	record.number += number;
	record.done += number;
	record.reset = hyptrace_max_taken.reset;
	*record_in(table->pages, place) = record;
	/* The work that looks may do so right now: it ignores what is behind this number. */
	smp_store_release(&state->nr_max, number);
	hyptrace_max_look();
}

/* The reader believes no record that EL2 can't have written. */
void hostile_max_nonsense(struct kunit *test)
{
	const u32 row = sound.row, latest = HYP_TOTALS_MAX_ROWS;
	struct hostile_table *other = hostile_table_new(test);
	u64 bad, id;
	int i;

	struct nonsense {
		const char		*what;
		struct hyp_totals_max	record;
	} nonsense[] = {
		{ "another row", sound },
		{ "a row that there is not", sound },
		{ "an end before its beginning", sound },
		{ "a time that can't be", sound },
		{ "a CPU that there is not", sound },
		{ "longer than since boot", sound },
	};

	nonsense[0].record.row++;
	nonsense[1].record.row = HYP_TOTALS_MAX_ROWS;
	nonsense[2].record.ended = sound.began - 1;
	nonsense[3].record.ended = BIT_ULL(63);
	nonsense[4].record.first_cpu = nr_cpu_ids;
	nonsense[5].record.ns = sound.ended + 1;

	/* EL2 publishes nothing, and the host does not know. */
	KUNIT_ASSERT_EQ(test, 0, hyptrace_totals_enable(true));
	KUNIT_ASSERT_EQ(test, 0, hyptrace_max_enable(true));
	KUNIT_ASSERT_EQ(test, 0, hyptrace_max_reset(0));
	KUNIT_ASSERT_EQ(test, 0, hcall_totals_max(0, 0, U32_MAX, 0));
	hyptrace_totals_turn(true);
	hyptrace_max_look();
	bad = hyptrace_max_taken.bad;
	id = hyptrace_max_taken.last_id;

	for (i = 0; i < ARRAY_SIZE(nonsense); i++) {
		found_at(row, nonsense[i].record);
		KUNIT_EXPECT_EQ_MSG(test, ++bad, hyptrace_max_taken.bad, "%s", nonsense[i].what);
		KUNIT_EXPECT_EQ_MSG(test, id, hyptrace_max_taken.last_id, "%s", nonsense[i].what);
	}
	for (i = 1; i < ARRAY_SIZE(nonsense); i++) {
		found_at(latest, nonsense[i].record);
		KUNIT_EXPECT_EQ_MSG(test, ++bad, hyptrace_max_taken.bad, "%s", nonsense[i].what);
	}

	/* Nor is one taken that is being written. */
	nonsense[0].record = sound;
	nonsense[0].record.done--;
	found_at(row, nonsense[0].record);
	KUNIT_EXPECT_EQ(test, id, hyptrace_max_taken.last_id);

	found_at(row, sound);
	KUNIT_EXPECT_EQ(test, id + 1, hyptrace_max_taken.last_id);
	found_at(row, sound);
	KUNIT_EXPECT_EQ(test, id + 1, hyptrace_max_taken.last_id);
	found_at(latest, sound);
	KUNIT_EXPECT_EQ(test, id + 2, hyptrace_max_taken.last_id);
	KUNIT_EXPECT_EQ(test, bad, hyptrace_max_taken.bad);

	KUNIT_EXPECT_EQ(test, 0, hyptrace_max_enable(false));
	KUNIT_EXPECT_EQ(test, 0, hyptrace_max_reset(0));
	KUNIT_EXPECT_EQ(test, 0, hyptrace_totals_enable(false));
	KUNIT_EXPECT_EQ(test, 0, hyptrace_totals_reset());
	hostile_table_expect_intact(test, other, "reading nonsense of long intervals");
}
