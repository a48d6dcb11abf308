/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing at EL2: what the sites of events see (words.c).
 */
#ifndef __ARM64_KVM_HYP_NVHE_HYPTRACE_WORDS_H
#define __ARM64_KVM_HYP_NVHE_HYPTRACE_WORDS_H

#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#include <asm/hyptrace.h>
#include <asm/hyptrace_ids.h>

struct hyp_trace_cpu;

/* More words follow those of the events in hyp_words[]. Each is 0 or not: */

/* Any event is enabled, except for those that guests record themselves. */
#define HYP_EVENT_ANY	HYP_NR_EVENTS
/*
 * The same, or such an event of a guest would start recording; with HYP_TRACE_TOTALS if totals are
 * kept.
 */
#define HYP_EVENT_GUEST	(HYP_NR_EVENTS + 1)
/* Calls of functions are recorded. */
#define HYP_EVENT_CALL	(HYP_NR_EVENTS + 2)
/* Returns are recorded, of functions whose calls were. */
#define HYP_EVENT_RETURN (HYP_NR_EVENTS + 3)
/* Marks are recorded: texts that are written to trace_marker. */
#define HYP_EVENT_MARK	(HYP_NR_EVENTS + 4)
/* The number of all words. */
#define HYP_EVENT_WORDS	(HYP_NR_EVENTS + 5)

#define HYP_TRACE_TOTALS	BIT(16)

/*
 * The host's event type of each event, a u16; 0 if the event is disabled. If the event has a
 * filter, is a trigger or is followed, its number and these bits follow.
 */
extern u32 hyp_words[HYP_EVENT_WORDS];

#define HYP_EVENT_NUMBER	GENMASK(23, 16)
#define HYP_EVENT_UNPAIRED	BIT(26)	/* a hyp_exit without a hyp_enter: not recorded */
#define HYP_EVENT_UNRECORDED	BIT(27)	/* it does not go to the user's ring, or not now */
#define HYP_EVENT_STACK		BIT(28)	/* where it is recorded, the stack is, too */
#define HYP_EVENT_FOLLOWED	BIT(29)	/* it goes to the follower's ring */
#define HYP_EVENT_TRIGGER	BIT(30)
#define HYP_EVENT_DRAFT		BIT(31)	/* any of these: the record is a draft first */

/* With these, there is more to do than to record the event. Adjacent bits, for one test. */
#define HYP_EVENT_MORE	(HYP_EVENT_TRIGGER | HYP_EVENT_FOLLOWED | HYP_EVENT_STACK)

static_assert(BIT(HWEIGHT(HYP_EVENT_NUMBER)) >= HYP_NR_EVENTS);

/*
 * Read hyp_words[@event] in two instructions. The compiler would take three, because it
 * first computes the array's address; and it might keep that in a register that the
 * calling function then has to save.
 */
#define hyp_word_read(event)						\
({									\
	u64 __id;							\
									\
	asm volatile("adrp	%0, %1\n"				\
		     "ldr	%w0, [%0, :lo12:%1]"			\
		     : "=r" (__id) : "S" (&hyp_words[event]));		\
	__id;								\
})

bool hyp_trace_event_is_set(unsigned int event);
void hyp_trace_set_functions(bool on);
void hyp_trace_set_filtered(unsigned int event, bool filtered);
void hyp_trace_set_trigger(unsigned int event, enum hyp_filter_use use, bool trigger);
bool hyp_trace_is_running(void);
bool hyp_trace_turn(bool on);
bool hyp_trace_tell(struct hyp_trace_cpu *cpu);
bool hyp_trace_tell_later(void);

#endif /* __ARM64_KVM_HYP_NVHE_HYPTRACE_WORDS_H */
