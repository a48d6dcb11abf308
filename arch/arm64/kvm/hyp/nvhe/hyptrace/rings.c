// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing at EL2: the hypercalls.
 *
 * In protected mode the host is untrusted. Arguments come in registers and are compared
 * as u64 before they are used. EL2 reads one list from memory, and takes that memory
 * from the host first (memory.c). No pointer, index or bound comes from a page that
 * the host can write.
 *
 * EL2 is not preemptible, so a CPU that executes a hypercall is not writing an event: a
 * hypercall is a quiescent state. An operation that must not race with a ring's writer
 * runs on the writer's CPU, or after that CPU has closed its ring, or while that CPU is
 * known to be off or in firmware; see ring_quiescent(). Loading needs no such care: a CPU
 * without a ring finds its ring closed.
 */

#include <nvhe/hyptrace.h>
#include <nvhe/hyptrace/channel.h>
#include <nvhe/hyptrace/test.h>

#include <nvhe/trap_handler.h>

static_assert(HYP_TRACE_FOLLOWER >= NR_CPUS);
static_assert(sizeof(struct ext_ring_record) + sizeof(*((struct ext_ring *)NULL)->slots) ==
	      HYP_TRACE_BYTES_PER_PAGE,
	      "HYP_TRACE_BYTES_PER_PAGE must be what a page has in records and slots");
static_assert(!offsetof(struct ext_ring_record, page), "a record must begin with the page");

/* All zero is a closed ring. A closed table must not have the epoch of a new vCPU, which is 0. */
DEFINE_PER_CPU(struct hyp_trace_cpu, hyp_trace_cpu) = {
	.totals.epoch = HYP_TOTALS_CLOSED,
};

u32 hyp_event_id[HYP_EVENT_WORDS];

/*
 * No tracing until the next boot. The host sets this before it is deprivileged; after
 * that nobody can write to it, EL2 included.
 */
bool hyp_trace_locked __ro_after_init =
	IS_ENABLED(CONFIG_NVHE_EL2_TRACING_LOCKED);

/* The host's settings for all CPUs. */
static struct {
	hyp_spinlock_t		lock;
	enum hyp_trace_mode	mode;
	bool			totals;
	bool			functions;
	bool			stacks;
	u16			event_id[HYP_NR_EVENTS];
	u16			follow_id[HYP_NR_EVENTS];
	bool			filtered[HYP_NR_EVENTS];
	bool			trigger[HYP_FILTER_USES][HYP_NR_EVENTS];
	u32			words[2][HYP_EVENT_WORDS];	/* running, and stopped */
	struct hyp_clock	clock;
	u32			clock_seq;	/* odd while it is being changed */
} hyp_trace;

/*
 * Whether triggers have stopped recording, and above that bit a count of the changes of it and
 * of hyp_trace.words. Triggers change it without a lock.
 */
static u64 hyp_trace_state;

#define HYP_TRACE_STOPPED	BIT(0)
#define HYP_TRACE_CHANGE	BIT(1)

/* So often a word is published, at most. */
#define HYP_TRACE_TRIES		64

/* The host knows this bit of it; or HYP_TRACE_WILL_ASK, once EL2 has rung. */
static u64 hyp_trace_told;

#define HYP_TRACE_WILL_ASK	BIT(1)

/**
 * hyp_trace_cpu_get() - the tracing state of a CPU
 * @cpu:	its number, untrusted
 *
 * Return: the state, or NULL if there is no such CPU
 */
struct hyp_trace_cpu *hyp_trace_cpu_get(u64 cpu)
{
	if (cpu >= NR_CPUS || !kvm_arm_hyp_percpu_base[cpu])
		return NULL;

	return per_cpu_ptr(&hyp_trace_cpu, cpu);
}

/* The CPU of a ring's number, which is untrusted; NULL if there is no such ring. */
static struct hyp_trace_cpu *cpu_of_ring(u64 number)
{
	return hyp_trace_cpu_get(number & ~(u64)HYP_TRACE_FOLLOWER);
}

/* The ring of a number, on that ring's CPU. */
static struct hyp_trace_ring *ring_of(struct hyp_trace_cpu *cpu, u64 number)
{
	return number & HYP_TRACE_FOLLOWER ? &cpu->follower : &cpu->user;
}

/**
 * hyp_trace_cpu_is_away() - test whether a CPU can't be tracing now
 * @cpu:	the CPU, locked
 *
 * After a panic EL2 knows this of no CPU: a CPU comes out of firmware without the lock then.
 *
 * Return: true if it executes this, or is off or in firmware
 */
bool hyp_trace_cpu_is_away(struct hyp_trace_cpu *cpu)
{
	hyp_assert_lock_held(&cpu->lock);

	return !READ_ONCE(hyp_trace_panicked) &&
	       (cpu == this_cpu_ptr(&hyp_trace_cpu) || cpu->parked);
}

/* True if @cpu is certain not to write to a ring of its own. Only a CPU itself opens its rings. */
static bool ring_quiescent(struct hyp_trace_cpu *cpu, const struct hyp_trace_ring *ring)
{
	return hyp_trace_cpu_is_away(cpu) || !ring->ring.open;
}

/* 0 if a ring is loaded, -ENOENT if there is none, -EBUSY while it is loaded or unloaded. */
static int check_loaded(const struct hyp_trace_ring *ring)
{
	if (ring->memory.stage == HYP_TRACE_LOADED)
		return 0;

	return ring->memory.stage == HYP_TRACE_NO_MEMORY ? -ENOENT : -EBUSY;
}

/*
 * Check that @cpu, which is locked, has a ring and does not write to it. As check_loaded(),
 * and -EBUSY if the CPU may be writing to it.
 */
static int check_quiescent(struct hyp_trace_cpu *cpu, const struct hyp_trace_ring *ring)
{
	return check_loaded(ring) ?: ring_quiescent(cpu, ring) ? 0 : -EBUSY;
}

/* Copy the clock that the host has set last. Return false if it is being changed. */
static bool clock_copy(struct hyp_clock *clock)
{
	/* The acquire and the smp_rmb() pair with handle___hyp_trace_clock(). */
	u32 seq = smp_load_acquire(&hyp_trace.clock_seq);

	*clock = hyp_trace.clock;
	smp_rmb();
	return !(seq & 1) && seq == READ_ONCE(hyp_trace.clock_seq);
}

/**
 * hyp_trace_take_clock() - copy the clock that the host has set last
 * @cpu:	this CPU
 *
 * This runs whenever a CPU wakes up and, with set_event_pid, when it switches between
 * tasks. So it takes the lock, which is global, only if the clock is being changed at the
 * same time.
 */
void hyp_trace_take_clock(struct hyp_trace_cpu *cpu)
{
	if (likely(clock_copy(&cpu->clock)))
		return;

	hyp_spin_lock(&hyp_trace.lock);
	cpu->clock = hyp_trace.clock;
	hyp_spin_unlock(&hyp_trace.lock);
}

/**
 * hyp_trace_event_is_set() - test whether the host has enabled an event
 * @event:	its number
 *
 * trace_<event>_enabled() also takes the mode into account.
 *
 * Return: true if the host has enabled it
 */
bool hyp_trace_event_is_set(unsigned int event)
{
	return READ_ONCE(hyp_trace.event_id[event]);
}

/* Hypercalls, in the order of asm/hyptrace.h --------------------------- */

/* A step of its own: a store for each slot, which takes as long as some hundred pages. */
static void ring_set_up(struct hyp_trace_ring *ring, u32 nr_slots)
{
	/* The list's elements are records; the first one has the meta page. */
	ext_ring_init(&ring->ring, hyp_trace_memory_element(&ring->memory, 1), nr_slots,
		      ring->memory.nr_pages - 1, hyp_trace_memory_page(&ring->memory, 0));
	ring->memory.stage = HYP_TRACE_LOADED;
}

void handle___hyp_trace_load(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, number, host_ctxt, 1);
	DECLARE_REG(u64, pfn, host_ctxt, 2);
	DECLARE_REG(u64, region_pages, host_ctxt, 3);
	DECLARE_REG(u64, nr_slots, host_ctxt, 4);
	DECLARE_REG(u64, nr_pages, host_ctxt, 5);
	struct hyp_trace_cpu *cpu = cpu_of_ring(number);
	struct hyp_trace_ring *ring;
	int ret = -EINVAL;

	if (cpu && nr_slots >= EXT_RING_MIN_SLOTS &&
	    nr_slots <= EXT_RING_MAX_SLOTS &&
	    nr_pages > nr_slots && nr_pages - nr_slots <= EXT_RING_MAX_SPARES &&
	    region_pages == hyp_trace_region_pages(nr_pages)) {
		ring = ring_of(cpu, number);
		hyp_spin_lock(&cpu->lock);
		ret = hyp_trace_memory_load(&ring->memory, pfn, region_pages, nr_pages + 1,
					    sizeof(struct ext_ring_record));
		if (!ret) {
			cpu->draft.cpu = number & ~(u64)HYP_TRACE_FOLLOWER;
			ring_set_up(ring, nr_slots);
		}
		hyp_spin_unlock(&cpu->lock);
	}

	cpu_reg(host_ctxt, 1) = ret;
}

/*
 * A ring is about to be empty: calls are in that of the user. What returns on another CPU that is
 * not parked has been called while its ring was closed.
 */
static void forget_calls(struct hyp_trace_cpu *cpu, const struct hyp_trace_ring *ring)
{
	if (ring == &cpu->user && hyp_trace_cpu_is_away(cpu))
		hyp_calls_forget(cpu);
}

static int ring_unload(struct hyp_trace_cpu *cpu, struct hyp_trace_ring *ring)
{
	int ret;

	if (ring->memory.stage != HYP_TRACE_UNLOADING) {
		ret = check_quiescent(cpu, ring);
		if (ret)
			return ret;

		/* If the host has closed it, it has also chosen between closed and suspended. */
		ring->was_open = ring->ring.open;
		forget_calls(cpu, ring);
		if (ring->ring.open)
			ext_ring_suspend(&ring->ring);
	}

	return hyp_trace_memory_unload(&ring->memory);
}

void handle___hyp_trace_unload(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, number, host_ctxt, 1);
	struct hyp_trace_cpu *cpu = cpu_of_ring(number);
	struct hyp_trace_ring *ring;
	int ret = -EINVAL;

	if (cpu) {
		ring = ring_of(cpu, number);
		hyp_spin_lock(&cpu->lock);
		ret = ring_unload(cpu, ring);
		cpu_reg(host_ctxt, 2) = ret ? 0 : ring->ring.seq;
		cpu_reg(host_ctxt, 3) = ret ? 0 : ring->ring.dropped;
		hyp_spin_unlock(&cpu->lock);
	}

	cpu_reg(host_ctxt, 1) = ret;
}

/**
 * hyp_trace_exit_early() - record the hyp_exit of this hypercall now
 * @cpu:	this CPU
 *
 * And the returns of its functions: nothing may be recorded in the user's ring after it, and no
 * trigger acts. The follower gets the event when EL2 is left.
 */
void hyp_trace_exit_early(struct hyp_trace_cpu *cpu)
{
	bool followed = cpu->followed;

	hyp_calls_end(cpu);
	if (!cpu->traced)
		return;

	cpu->followed = false;
	hyp_trace_exit(HYP_REASON_ERET_HOST);
	cpu->followed = followed;
	cpu->leave |= HYP_LEAVE_EXITED;
}

/* Open a ring of this CPU, if it is loaded. After a panic none is opened but for hyp_panic. */
static void ring_open(struct hyp_trace_ring *ring)
{
	if (!check_loaded(ring) && !READ_ONCE(hyp_trace_panicked))
		ext_ring_open(&ring->ring);
}

/**
 * hyp_trace_rings_reopen() - open the rings that were replaced while this CPU was in firmware
 * @cpu:	this CPU, locked
 */
void hyp_trace_rings_reopen(struct hyp_trace_cpu *cpu)
{
	hyp_assert_lock_held(&cpu->lock);

	if (cpu->user.was_open)
		ring_open(&cpu->user);
	if (cpu->follower.was_open)
		ring_open(&cpu->follower);
}

/* hyp_spin_lock(), if nobody holds the lock: after a panic that may be for ever. */
static bool try_lock(hyp_spinlock_t *lock)
{
	hyp_spinlock_t old = READ_ONCE(*lock), new = old;

	new.next++;
	return old.owner == old.next && try_cmpxchg_acquire(&lock->__val, &old.__val, new.__val);
}

/*
 * A CPU that does not trace has no clock, or an old one, and its exceptions come through vectors
 * that latch no pid. CONTEXTIDR_EL1 is not the host's while a vCPU is there, nor after firmware.
 */
static void take_clock_and_pid(struct hyp_trace_cpu *cpu)
{
	struct hyp_clock clock;

	if (clock_copy(&clock))
		cpu->clock = clock;
	if (cpu->parked || host_data_ptr(host_ctxt)->__hyp_running_vcpu)
		cpu->pid = 0;
	else
		hyp_trace_latch_pid(cpu);
}

/**
 * hyp_trace_ring_claim() - have this CPU's ring for hyp_panic, even if it is closed
 * @cpu:	this CPU
 *
 * Others may take a closed ring, and that of a CPU that is on its way out of firmware. They do it
 * with the lock held. So this opens the ring with the lock held, if the lock is free.
 *
 * Context: EL2 has panicked.
 * Return: true if this CPU has an open ring, which nobody takes
 */
bool hyp_trace_ring_claim(struct hyp_trace_cpu *cpu)
{
	bool loaded;

	if (cpu->user.ring.open && !cpu->parked)
		return true;

	if (!try_lock(&cpu->lock))
		return false;

	loaded = !check_loaded(&cpu->user);
	if (loaded) {
		take_clock_and_pid(cpu);
		ext_ring_open(&cpu->user.ring);
	}
	/* Whoever gets the lock now finds the panic, and an open ring: ring_quiescent(). */
	hyp_spin_unlock(&cpu->lock);

	return loaded;
}

/* Open, close or suspend a ring of this CPU. */
static void ring_sync(struct hyp_trace_ring *ring, enum hyp_trace_ring_state state)
{
	/* hyp_trace_rings_reopen() must not open it: the host has decided. */
	ring->was_open = false;
	if (state == HYP_TRACE_CLOSED)
		ext_ring_close(&ring->ring);
	else if (state == HYP_TRACE_SUSPENDED)
		ext_ring_suspend(&ring->ring);
	else
		ring_open(ring);
}

void handle___hyp_trace_sync(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, state, host_ctxt, 1);
	DECLARE_REG(u64, totals, host_ctxt, 2);
	DECLARE_REG(u64, follower, host_ctxt, 3);
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);

	if (state > HYP_TRACE_SUSPENDED || follower > HYP_TRACE_SUSPENDED || totals > 1) {
		cpu_reg(host_ctxt, 1) = -EINVAL;
		return;
	}

	/* The exception that made this call may have come through the ordinary vectors. */
	hyp_trace_latch_pid(cpu);
	hyp_trace_take_clock(cpu);

	if (state != HYP_TRACE_OPEN)
		hyp_trace_exit_early(cpu);

	hyp_spin_lock(&cpu->lock);
	/* After a panic on another CPU, this one may have come out of firmware unnoticed. */
	cpu->parked = false;
	ring_sync(&cpu->user, state);
	ring_sync(&cpu->follower, follower);
	if (totals)
		hyp_totals_open(cpu);
	else
		hyp_totals_shut(&cpu->totals);
	hyp_trace_vector_update(cpu);
	hyp_spin_unlock(&cpu->lock);

	cpu_reg(host_ctxt, 1) = 0;
}

/* The word that an event's sites read while triggers have stopped recording, or have not. */
static u32 event_word(unsigned int event, bool stopped)
{
	bool on = hyp_trace.mode == HYP_TRACE_ON;
	bool ends_pair = event == HYP_EVENT_hyp_exit && hyp_trace.event_id[HYP_EVENT_hyp_enter] &&
			 hyp_trace.mode != HYP_TRACE_OFF;
	bool recorded = hyp_trace.event_id[event] && ((on && !stopped) || ends_pair);
	bool trigger = on && (hyp_trace.trigger[HYP_FILTER_TRIGGER][event] ||
			      hyp_trace.trigger[HYP_FILTER_STACK][event]);
	bool followed = hyp_trace.follow_id[event];
	u32 word = hyp_trace.event_id[event] ?: hyp_trace.follow_id[event];

	if (!recorded && !trigger && !followed)
		return 0;

	if (hyp_trace.filtered[event] || hyp_trace.stacks || trigger || followed)
		word |= FIELD_PREP(HYP_EVENT_NUMBER, event) | HYP_EVENT_DRAFT;

	return word | (trigger ? HYP_EVENT_TRIGGER : 0) |
	       (hyp_trace.stacks ? HYP_EVENT_STACK : 0) |
	       (followed ? HYP_EVENT_FOLLOWED : 0) | (recorded ? 0 : HYP_EVENT_UNRECORDED);
}

static void words_update(bool stopped)
{
	u32 *words = hyp_trace.words[stopped], any = 0, starts = 0;
	int event;

	for (event = 0; event < HYP_NR_EVENTS; event++) {
		WRITE_ONCE(words[event], event_word(event, stopped));
		/* What a guest records itself may start recording in the middle of its run. */
		if (!hyp_channel_has(event))
			any |= !!words[event];
		else if (stopped)
			starts |= !!words[event];
	}

	WRITE_ONCE(words[HYP_EVENT_ANY], any);
	WRITE_ONCE(words[HYP_EVENT_GUEST],
		   any | starts | (hyp_trace.totals ? HYP_TRACE_TOTALS : 0));
	WRITE_ONCE(words[HYP_EVENT_CALL],
		   hyp_trace.functions && hyp_trace.mode == HYP_TRACE_ON && !stopped);
	WRITE_ONCE(words[HYP_EVENT_MARK], hyp_trace.mode == HYP_TRACE_ON && !stopped);
	WRITE_ONCE(words[HYP_EVENT_RETURN], hyp_trace.mode != HYP_TRACE_OFF && !stopped);
}

/*
 * Replace what the sites of an event see by its word in the present state. Return false if the
 * state changes meanwhile, or the word, or EL2 panics.
 */
static bool word_publish(unsigned int i)
{
	/* Pairs with the full barriers of whoever changes it, after the words. */
	u64 state = smp_load_acquire(&hyp_trace_state);
	u32 word = READ_ONCE(hyp_trace.words[state & HYP_TRACE_STOPPED][i]);
	u32 old = READ_ONCE(hyp_event_id[i]);
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
	if (READ_ONCE(hyp_trace_state) != state || !try_cmpxchg(&hyp_event_id[i], &old, word))
		return false;

	/*
	 * Whoever has changed the state since may have found @old, and may have let it be. Also
	 * pairs with hyp_trace_panic().
	 */
	smp_mb();
	return READ_ONCE(hyp_trace_state) == state &&
	       READ_ONCE(hyp_trace_panicked) == panicked;
}

/*
 * Publish to the sites what is enabled. Other CPUs may be in one of them, and may publish at the
 * same time. A state that comes after a word has been published is published by whoever has
 * changed it. So only a change within word_publish() is a reason to repeat it, and who makes a
 * change needs more time than that for its own pass. If a host manages to exceed the bound, it
 * sees an event's word of another state until the next change.
 */
static void events_publish(void)
{
	unsigned int tries;
	int i;

	/* From the last one: if a run begins with a hyp_enter, guests are traced. */
	for (i = HYP_EVENT_WORDS - 1; i >= 0; i--)
		for (tries = 0; tries < HYP_TRACE_TRIES && !word_publish(i); tries++)
			;
}

static void events_update(void)
{
	u64 state = READ_ONCE(hyp_trace_state);

	hyp_assert_lock_held(&hyp_trace.lock);

	words_update(false);
	words_update(true);
	while (!try_cmpxchg(&hyp_trace_state, &state, state + HYP_TRACE_CHANGE))
		;
	events_publish();
}

/* Set whether recording is stopped. Return false if that is so already. */
static bool state_set(bool stopped)
{
	u64 state = READ_ONCE(hyp_trace_state);

	do {
		if ((state & HYP_TRACE_STOPPED) == stopped)
			return false;
	} while (!try_cmpxchg(&hyp_trace_state, &state,
			      (state ^ HYP_TRACE_STOPPED) + HYP_TRACE_CHANGE));

	return true;
}

/**
 * hyp_trace_is_running() - test whether triggers let events be recorded
 *
 * Return: false if they have stopped that, or the host has
 */
bool hyp_trace_is_running(void)
{
	return !(READ_ONCE(hyp_trace_state) & HYP_TRACE_STOPPED);
}

/**
 * hyp_trace_turn() - stop recording, or start it, on all CPUs
 * @on:		start it
 *
 * Context: in an event or a hypercall, without locks. When this returns true, this CPU's sites see
 * it; other CPUs see it when they next read an event's word.
 * Return: false if it was so before, or another CPU is doing it
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

	for (tries = 0; tries < HYP_TRACE_TRIES; tries++) {
		stopped = READ_ONCE(hyp_trace_state) & HYP_TRACE_STOPPED;
		WRITE_ONCE(hyp_trace_told, stopped);
		/* Pairs with hyp_trace_tell_later(). */
		smp_mb();
		if ((READ_ONCE(hyp_trace_state) & HYP_TRACE_STOPPED) == stopped)
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
	told = READ_ONCE(hyp_trace_told);
	if (told == HYP_TRACE_WILL_ASK ||
	    told == (READ_ONCE(hyp_trace_state) & HYP_TRACE_STOPPED))
		return false;

	return try_cmpxchg(&hyp_trace_told, &told, HYP_TRACE_WILL_ASK);
}

/* Set a flag in hyp_trace that words depend on. */
static void flag_set(bool *flag, bool value)
{
	hyp_spin_lock(&hyp_trace.lock);
	*flag = value;
	events_update();
	hyp_spin_unlock(&hyp_trace.lock);
}

/**
 * hyp_trace_set_filtered() - have an event filtered, or not
 * @event:	its number
 * @filtered:	whether it has a filter
 */
void hyp_trace_set_filtered(unsigned int event, bool filtered)
{
	flag_set(&hyp_trace.filtered[event], filtered);
}

/**
 * hyp_trace_set_trigger() - make an event a trigger, or not
 * @event:	its number
 * @use:	what kind of trigger
 * @trigger:	whether it is one
 */
void hyp_trace_set_trigger(unsigned int event, enum hyp_filter_use use, bool trigger)
{
	flag_set(&hyp_trace.trigger[use][event], trigger);
}

/**
 * hyp_trace_set_stacks() - have the stack recorded after each event, or not
 * @on:		record it
 */
void hyp_trace_set_stacks(bool on)
{
	flag_set(&hyp_trace.stacks, on);
}

/**
 * hyp_trace_set_functions() - have calls of functions that are hooked recorded, or not
 * @on:		record them
 */
void hyp_trace_set_functions(bool on)
{
	flag_set(&hyp_trace.functions, on);
}

/**
 * hyp_trace_set_followed() - have an event go to the follower's rings, or not
 * @event:	its number
 * @id:		the host's number of it; 0 if it does not go there
 */
void hyp_trace_set_followed(unsigned int event, u16 id)
{
	hyp_spin_lock(&hyp_trace.lock);
	hyp_trace.follow_id[event] = id;
	events_update();
	hyp_spin_unlock(&hyp_trace.lock);
}

/**
 * hyp_trace_keep_totals() - begin or cease to measure guests
 * @keep:	whether totals are kept, on CPUs whose table is open
 */
void hyp_trace_keep_totals(bool keep)
{
	hyp_spin_lock(&hyp_trace.lock);
	/* This makes stale what vCPUs have kept of an earlier measurement. */
	if (keep && !hyp_trace.totals)
		WRITE_ONCE(hyp_totals_epoch, (hyp_totals_epoch + 1) % HYP_TOTALS_CLOSED ?: 1);
	hyp_trace.totals = keep;
	events_update();
	hyp_spin_unlock(&hyp_trace.lock);
}

/*
 * For all CPUs, with or without a ring. A writer looks at this when its ring is full. The
 * follower's rings never overwrite.
 */
static void rings_set_overwrite(bool overwrite)
{
	struct hyp_trace_cpu *cpu;
	int i;

	hyp_assert_lock_held(&hyp_trace.lock);

	for (i = 0; i < NR_CPUS; i++) {
		cpu = hyp_trace_cpu_get(i);
		if (cpu)
			WRITE_ONCE(cpu->user.ring.overwrite, overwrite);
	}
}

void handle___hyp_trace_mode(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, mode, host_ctxt, 1);
	DECLARE_REG(u64, overwrite, host_ctxt, 2);

	if (mode > HYP_TRACE_ON || overwrite > 1) {
		cpu_reg(host_ctxt, 1) = -EINVAL;
		return;
	}

	hyp_spin_lock(&hyp_trace.lock);
	rings_set_overwrite(overwrite);
	hyp_trace.mode = mode;
	events_update();
	hyp_spin_unlock(&hyp_trace.lock);

	cpu_reg(host_ctxt, 1) = 0;
}

void handle___hyp_trace_run(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, on, host_ctxt, 1);

	if (on <= 1) {
		hyp_trace_turn(on);
		hyp_trace_tell(this_cpu_ptr(&hyp_trace_cpu));
	}

	cpu_reg(host_ctxt, 1) = on <= 1 ? 0 : -EINVAL;
}

void handle___hyp_trace_event(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, event, host_ctxt, 1);
	DECLARE_REG(u64, id, host_ctxt, 2);

	if (event >= HYP_NR_EVENTS || id > U16_MAX) {
		cpu_reg(host_ctxt, 1) = -EINVAL;
		return;
	}
	if (id && hyp_trace_locked) {
		cpu_reg(host_ctxt, 1) = -EPERM;
		return;
	}

	hyp_spin_lock(&hyp_trace.lock);
	hyp_trace.event_id[event] = id;
	events_update();
	hyp_spin_unlock(&hyp_trace.lock);

	cpu_reg(host_ctxt, 1) = 0;
}

void handle___hyp_trace_swap(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, number, host_ctxt, 1);
	DECLARE_REG(u64, id, host_ctxt, 2);
	struct hyp_trace_cpu *cpu = cpu_of_ring(number);
	struct ext_ring_swap swap = { };
	struct hyp_trace_ring *ring;
	int ret = -EINVAL;

	if (cpu) {
		ring = ring_of(cpu, number);
		hyp_spin_lock(&cpu->lock);
		ret = check_loaded(ring) ?: ext_ring_swap(&ring->ring, id, &swap);
		hyp_spin_unlock(&cpu->lock);
	}
	hyp_trace_test_swapped();

	cpu_reg(host_ctxt, 1) = ret ?: swap.id | (u64)swap.events << 32;
	cpu_reg(host_ctxt, 2) = swap.pos;
	cpu_reg(host_ctxt, 3) = swap.first_seq;
}

void handle___hyp_trace_reset(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, number, host_ctxt, 1);
	struct hyp_trace_cpu *cpu = cpu_of_ring(number);
	struct hyp_trace_ring *ring;
	int ret = -EINVAL;

	if (cpu) {
		ring = ring_of(cpu, number);
		hyp_spin_lock(&cpu->lock);
		ret = check_quiescent(cpu, ring);
		if (!ret) {
			forget_calls(cpu, ring);
			cpu_reg(host_ctxt, 2) = ext_ring_reset(&ring->ring);
		}
		hyp_spin_unlock(&cpu->lock);
	}

	cpu_reg(host_ctxt, 1) = ret;
}

void handle___hyp_trace_clock(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, mult, host_ctxt, 1);
	DECLARE_REG(u64, shift, host_ctxt, 2);
	DECLARE_REG(u64, base, host_ctxt, 3);

	if (shift > 63) {
		cpu_reg(host_ctxt, 1) = -EINVAL;
		return;
	}

	/* The smp_wmb() and the release pair with hyp_trace_take_clock(). */
	hyp_spin_lock(&hyp_trace.lock);
	WRITE_ONCE(hyp_trace.clock_seq, hyp_trace.clock_seq + 1);
	smp_wmb();
	hyp_trace.clock = (struct hyp_clock) {
		.mult		= mult,
		.shift		= shift,
		.base		= base,
	};
	smp_store_release(&hyp_trace.clock_seq, hyp_trace.clock_seq + 1);
	hyp_spin_unlock(&hyp_trace.lock);

	cpu_reg(host_ctxt, 1) = 0;
}

void handle___hyp_trace_alarm(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, cpu_id, host_ctxt, 1);
	DECLARE_REG(u64, pos, host_ctxt, 2);
	struct hyp_trace_cpu *cpu = hyp_trace_cpu_get(cpu_id);
	int ret = -EINVAL;

	if (cpu) {
		/* After the alarm is set, this call's hyp_exit would set it off. */
		hyp_trace_exit_early(this_cpu_ptr(&hyp_trace_cpu));

		hyp_spin_lock(&cpu->lock);
		ret = hyp_trace_has_doorbell() ? check_quiescent(cpu, &cpu->user) :
						 -EOPNOTSUPP;
		if (!ret)
			ext_ring_set_alarm(&cpu->user.ring, pos);
		hyp_spin_unlock(&cpu->lock);
	}

	cpu_reg(host_ctxt, 1) = ret;
}

void handle___hyp_trace_doorbell(struct kvm_cpu_context *host_ctxt)
{
	DECLARE_REG(u64, sgi, host_ctxt, 1);

	cpu_reg(host_ctxt, 1) = hyp_trace_set_doorbell(sgi);
}
