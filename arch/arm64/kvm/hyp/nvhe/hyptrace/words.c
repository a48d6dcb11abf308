// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: what the sites of events see. That is a word for each event, and some more for
 * what is not an event. They are computed from what the host has set, and from whether triggers
 * have stopped recording.
 *
 * This calls nothing that records. All it does to rings is to set whether they overwrite.
 */

#include <nvhe/hyptrace.h>
#include <nvhe/hyptrace/channel.h>

#include <linux/bitfield.h>

u32 hyp_words[HYP_EVENT_WORDS];

/* The host's settings for all CPUs. */
static struct {
	hyp_spinlock_t		lock;
	enum trace_ext_mode	mode;
	bool			totals;
	bool			functions;
	bool			stacks;
	u16			event_id[HYP_NR_EVENTS];
	u16			follow_id[HYP_NR_EVENTS];
	bool			filtered[HYP_NR_EVENTS];
	bool			trigger[HYP_FILTER_USES][HYP_NR_EVENTS];
	u32			words[2][HYP_EVENT_WORDS];	/* running, and stopped */
} settings;

/*
 * Bit 0 says whether triggers have stopped recording. The bits above count how often that bit or
 * settings.words has changed. Triggers change it without a lock.
 */
static u64 running_state;

#define STATE_STOPPED	BIT(0)
#define STATE_CHANGE	BIT(1)

/* So often a word is published, at most. */
#define WORD_TRIES	64

/* The host knows this bit of it; or STATE_WILL_ASK, once EL2 has rung. */
static u64 told_state;

#define STATE_WILL_ASK	BIT(1)

/*
 * Has the host enabled an event? hyp_emit_<event>_enabled() also takes the mode into account.
 */
bool hyp_trace_event_is_set(unsigned int event)
{
	return READ_ONCE(settings.event_id[event]);
}

/* The word that an event's sites read while triggers have stopped recording, or have not. */
static u32 event_word(unsigned int event, bool stopped)
{
	bool on = settings.mode == TRACE_EXT_ON;
	bool ends_pair = event == HYP_EVENT_hyp_exit && settings.event_id[HYP_EVENT_hyp_enter] &&
			 settings.mode != TRACE_EXT_OFF;
	bool recorded = settings.event_id[event] && ((on && !stopped) || ends_pair);
	bool trigger = on && (settings.trigger[HYP_FILTER_TRIGGER][event] ||
			      settings.trigger[HYP_FILTER_STACK][event]);
	bool followed = settings.follow_id[event];
	u32 word = settings.event_id[event] ?: settings.follow_id[event];

	if (!recorded && !trigger && !followed)
		return 0;

	if (settings.filtered[event] || settings.stacks || trigger || followed)
		word |= FIELD_PREP(HYP_EVENT_NUMBER, event) | HYP_EVENT_DRAFT;

	return word | (trigger ? HYP_EVENT_TRIGGER : 0) |
	       (settings.stacks ? HYP_EVENT_STACK : 0) |
	       (followed ? HYP_EVENT_FOLLOWED : 0) | (recorded ? 0 : HYP_EVENT_UNRECORDED);
}

static void words_update(bool stopped)
{
	u32 *words = settings.words[stopped], any = 0, starts = 0;
	int event;

	for (event = 0; event < HYP_NR_EVENTS; event++) {
		WRITE_ONCE(words[event], event_word(event, stopped));
		/* A guest's own event may start recording in the middle of the guest's run. */
		if (!hyp_channel_has(event))
			any |= !!words[event];
		else if (stopped)
			starts |= !!words[event];
	}

	WRITE_ONCE(words[HYP_EVENT_ANY], any);
	WRITE_ONCE(words[HYP_EVENT_GUEST],
		   any | starts | (settings.totals ? HYP_TRACE_TOTALS : 0));
	WRITE_ONCE(words[HYP_EVENT_CALL],
		   settings.functions && settings.mode == TRACE_EXT_ON && !stopped);
	WRITE_ONCE(words[HYP_EVENT_MARK], settings.mode == TRACE_EXT_ON && !stopped);
	WRITE_ONCE(words[HYP_EVENT_RETURN], settings.mode != TRACE_EXT_OFF && !stopped);
}

/*
 * Copy the event's word for the current state to hyp_words[]. Return false if the caller has to try
 * again: the state or the published word has changed since they were read, or EL2 panics.
 */
static bool word_publish(unsigned int i)
{
	/* Pairs with the full barrier of each change of the state, which comes after the words. */
	u64 state = smp_load_acquire(&running_state);
	u32 word = READ_ONCE(settings.words[state & STATE_STOPPED][i]);
	u32 old = READ_ONCE(hyp_words[i]);
	bool panicked = READ_ONCE(hyp_trace_panicked);

	/* Another CPU that panics may still record hyp_panic. */
	if (panicked && i != HYP_EVENT_hyp_panic)
		word = 0;
	if (word == old)
		return true;

	/*
	 * If the state changes after this check, whoever changes it replaces @old, too, and one
	 * of the two fails. So what a trigger has stopped does not begin again for a moment;
	 * except for an event that the host enables at that moment.
	 */
	smp_mb();
	if (READ_ONCE(running_state) != state || !try_cmpxchg(&hyp_words[i], &old, word))
		return false;

	/*
	 * Whoever has changed the state since may have found @old, and may have let it be. Also
	 * pairs with hyp_trace_panic().
	 */
	smp_mb();
	return READ_ONCE(running_state) == state &&
	       READ_ONCE(hyp_trace_panicked) == panicked;
}

/*
 * Copy the current words to hyp_words[]. Another CPU may publish concurrently; if the state changed
 * since we read it, start over with that word. A retry means that some other CPU made progress.
 *
 * If the state changes after a word has been published, the CPU that changes it publishes all words
 * again, so there is nothing left to do here. That pass over all words takes much longer than one
 * word_publish(). So a few retries are enough, unless a host has many CPUs change the state all the
 * time. If it exceeds the bound, sites see a word of another state until the next change.
 */
static void events_publish(void)
{
	unsigned int tries;
	int i;

	/* From the last one: if a run begins with a hyp_enter, guests are traced. */
	for (i = HYP_EVENT_WORDS - 1; i >= 0; i--)
		for (tries = 0; tries < WORD_TRIES && !word_publish(i); tries++)
			;
}

static void events_update(void)
{
	u64 state = READ_ONCE(running_state);

	hyp_assert_lock_held(&settings.lock);

	words_update(false);
	words_update(true);
	while (!try_cmpxchg(&running_state, &state, state + STATE_CHANGE))
		;
	events_publish();
}

/* Set whether recording is stopped. Return false if that is so already. */
static bool state_set(bool stopped)
{
	u64 state = READ_ONCE(running_state);

	do {
		if ((state & STATE_STOPPED) == stopped)
			return false;
	} while (!try_cmpxchg(&running_state, &state, (state ^ STATE_STOPPED) + STATE_CHANGE));

	return true;
}

/* Return false if triggers, or the host, have stopped recording. */
bool hyp_trace_is_running(void)
{
	return !(READ_ONCE(running_state) & STATE_STOPPED);
}

/*
 * Stop recording, or start it, on all CPUs; in an event or a hypercall, without locks. Return
 * false if it was so before, or another CPU is doing it. When this returns true, this CPU's
 * sites see it; other CPUs see it when they next read an event's word.
 */
bool hyp_trace_turn(bool on)
{
	if (!state_set(!on))
		return false;

	events_publish();
	return true;
}

/**
 * hyp_trace_tell() - the host asks whether recording is stopped
 * @cpu:	this CPU
 *
 * If another CPU stops or starts recording meanwhile, either that CPU finds that the host knows
 * something else, or this one does, and tells that. So the host gets to know of the last change.
 *
 * Return: hyp_trace_is_running()
 */
bool hyp_trace_tell(struct hyp_trace_cpu *cpu)
{
	unsigned int tries;
	u64 stopped;

	for (tries = 0; tries < WORD_TRIES; tries++) {
		stopped = READ_ONCE(running_state) & STATE_STOPPED;
		WRITE_ONCE(told_state, stopped);
		/* Pairs with hyp_trace_tell_later(). */
		smp_mb();
		if ((READ_ONCE(running_state) & STATE_STOPPED) == stopped)
			return !stopped;
	}

	cpu->leave |= HYP_LEAVE_TURNED;
	return !stopped;
}

/**
 * hyp_trace_tell_later() - a trigger of this CPU has stopped or started recording
 *
 * Until the host has asked, EL2 rings once. So the host decides how often that can be; and what
 * triggers have undone before EL2 is left, the host need not know.
 *
 * Return: true if the host must be made to ask
 */
bool hyp_trace_tell_later(void)
{
	u64 told;

	/* The change comes first. Pairs with hyp_trace_tell(). */
	smp_mb();
	told = READ_ONCE(told_state);
	if (told == STATE_WILL_ASK ||
	    told == (READ_ONCE(running_state) & STATE_STOPPED))
		return false;

	return try_cmpxchg(&told_state, &told, STATE_WILL_ASK);
}

/* Set a flag in settings that words depend on. */
static void flag_set(bool *flag, bool value)
{
	guard(hyp_trace_lock)(&settings.lock);
	*flag = value;
	events_update();
}

void hyp_trace_set_filtered(unsigned int event, bool filtered)
{
	flag_set(&settings.filtered[event], filtered);
}

void hyp_trace_set_trigger(unsigned int event, enum hyp_filter_use use, bool trigger)
{
	flag_set(&settings.trigger[use][event], trigger);
}

void hyp_trace_set_functions(bool on)
{
	flag_set(&settings.functions, on);
}

s64 handle___hyp_trace_stacks(u64 on, u64 text)
{
	hyp_text_set(text);
	flag_set(&settings.stacks, on);
	return 0;
}

s64 handle___hyp_trace_follow(u64 event, u64 id)
{
	guard(hyp_trace_lock)(&settings.lock);
	settings.follow_id[event] = id;
	events_update();
	return 0;
}

s64 handle___hyp_totals_enable(u64 enable, u64 reset)
{
	guard(hyp_trace_lock)(&settings.lock);
	WRITE_ONCE(hyp_totals_last_reset, reset);
	/* This makes stale what vCPUs have kept of an earlier measurement. */
	if (enable && !settings.totals)
		WRITE_ONCE(hyp_totals_measurement, (hyp_totals_measurement + 1) % U32_MAX ?: 1);
	settings.totals = enable;
	events_update();
	return 0;
}

/*
 * For all CPUs, with or without a ring. A writer looks at this when its ring is full. The
 * follower's rings never overwrite.
 */
static void rings_set_overwrite(bool overwrite)
{
	struct hyp_trace_cpu *cpu;
	int i;

	hyp_assert_lock_held(&settings.lock);

	for (i = 0; i < NR_CPUS; i++) {
		cpu = hyp_trace_cpu_get(i);
		if (cpu)
			WRITE_ONCE(cpu->user.ring.overwrite, overwrite);
	}
}

s64 handle___hyp_trace_mode(u64 mode, u64 overwrite)
{
	guard(hyp_trace_lock)(&settings.lock);
	rings_set_overwrite(overwrite);
	settings.mode = mode;
	events_update();
	return 0;
}

s64 handle___hyp_trace_event(u64 event, u64 id)
{
	guard(hyp_trace_lock)(&settings.lock);
	settings.event_id[event] = id;
	events_update();
	return 0;
}
