// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of hypervisor tracing: what EL2 is to do on each CPU. Whoever changes that says so
 * here, and this tells EL2, on the CPU itself.
 */

#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/kvm_host.h>
#include <linux/mutex.h>
#include <linux/smp.h>

#include <trace/events/ipi.h>

#include <asm/hyptrace.h>
#include <asm/mmu_context.h>

#include "hyptrace.h"

/* Keeps a sync from opening a ring that has been closed to be unloaded. */
DEFINE_MUTEX(hyptrace_sync_lock);

/* True from start to stop. Otherwise all rings of this kind are closed, and need no sync. */
static bool in_use[NR_RINGS];

/* A CPU's ring for readers is open only if the CPU is traced and its task is not ignored. */
static struct cpumask traced_cpus = { CPU_BITS_ALL };
static DEFINE_PER_CPU(bool, ignored);

/* Closed to be unloaded, or because the CPU goes offline; until it is opened again. */
static DEFINE_PER_CPU(bool, closed[NR_RINGS]);

/**
 * struct state - arguments of __hyp_trace_sync(), in a word
 * @ring:	enum hyp_trace_ring_state of each ring
 * @totals:	keep totals
 */
struct state {
	u8	ring[NR_RINGS];
	bool	totals;
} __aligned(4);

/* Totals are kept on all CPUs, but not on one that goes offline: EL2 is removed from it soon. */
static bool totals_on;
static DEFINE_PER_CPU(bool, offline);

/* The state that EL2 was given last for a CPU. */
static DEFINE_PER_CPU(struct state, el2_state);

/* Does a CPU write to a ring of a kind, or would it if the ring were open, whatever its task? */
static bool is_written(enum hyptrace_ring kind, int cpu)
{
	return READ_ONCE(in_use[kind]) &&
	       (kind == FOLLOWER_RING || cpumask_test_cpu(cpu, &traced_cpus));
}

static bool totals_wanted(void)
{
	return READ_ONCE(totals_on) && !this_cpu_read(offline);
}

static enum hyp_trace_ring_state wanted_ring(enum hyptrace_ring kind)
{
	if (!is_written(kind, smp_processor_id()) || (kind == USER_RING && this_cpu_read(ignored)))
		return HYP_TRACE_CLOSED;

	return this_cpu_read(closed[kind]) ? HYP_TRACE_SUSPENDED : HYP_TRACE_OPEN;
}

static bool state_is_idle(struct state state)
{
	return state.ring[USER_RING] == HYP_TRACE_CLOSED &&
	       state.ring[FOLLOWER_RING] == HYP_TRACE_CLOSED && !state.totals;
}

/*
 * EL2 reads the pid of the task that has entered it in CONTEXTIDR_EL1, which task switches write
 * while this is on. What is current on a CPU that begins to trace may not be switched for long,
 * so tell_el2() writes its pid. On a CPU that comes online, the ring is closed until then, or the
 * pid is 0 (hyp_trace_cpu_entry()).
 */
DEFINE_STATIC_KEY_FALSE(hyptrace_key);

/* noinline and __noclone, so that the function tracer shows the calls by this name. */
static noinline __noclone void tell_el2(struct state state)
{
	struct state *told = this_cpu_ptr(&el2_state);

	contextidr_thread_switch(current);

	/*
	 * Pairs with hyptrace_clock_changed(): either it sees el2_state and syncs this
	 * CPU, or this CPU copies the new clock.
	 */
	WRITE_ONCE(*told, state);
	smp_mb();

	/* EL2 is not set up yet, see system_resume(). Have the next sync call it again. */
	if (hcall_trace_sync(state.ring[USER_RING], state.totals, state.ring[FOLLOWER_RING]))
		WRITE_ONCE(told->ring[USER_RING], HYP_TRACE_SUSPENDED);
}

/**
 * hyptrace_sync_this_cpu() - tell EL2 what this CPU shall do, and have it copy the clock
 *
 * EL2 opens or closes this CPU's rings, and begins or ceases to keep totals. Makes no
 * hypercall if the CPU does neither trace nor measure, and goes on like that.
 *
 * Context: interrupts are off.
 */
void hyptrace_sync_this_cpu(void)
{
	struct state wanted = {
		.ring	= {
			[USER_RING]	= wanted_ring(USER_RING),
			[FOLLOWER_RING]	= wanted_ring(FOLLOWER_RING),
		},
		.totals	= totals_wanted(),
	};

	if (!state_is_idle(wanted) || !state_is_idle(*this_cpu_ptr(&el2_state)))
		tell_el2(wanted);
}

static void sync_this_cpu(void *unused)
{
	hyptrace_sync_this_cpu();
}

/* These run on each CPU. @kind is an enum hyptrace_ring *. */

static void open_this_cpu(void *kind)
{
	this_cpu_write(closed[*(enum hyptrace_ring *)kind], false);
	hyptrace_sync_this_cpu();
}

static void close_this_cpu(void *kind)
{
	this_cpu_write(closed[*(enum hyptrace_ring *)kind], true);
	hyptrace_sync_this_cpu();
}

/* Test whether EL2 has been told to open a ring. If not, EL2 does not write to it. */
bool hyptrace_ring_is_open(enum hyptrace_ring kind, int cpu)
{
	return READ_ONCE(per_cpu(el2_state, cpu).ring[kind]) != HYP_TRACE_CLOSED;
}

static bool is_open(int cpu, void *kind)
{
	return hyptrace_ring_is_open(*(enum hyptrace_ring *)kind, cpu);
}

/* True if EL2 uses a CPU's clock. */
static bool is_busy(int cpu, void *unused)
{
	return !state_is_idle(READ_ONCE(per_cpu(el2_state, cpu)));
}

/* True if a CPU's ring is open or should be. */
static bool is_concerned(int cpu, void *kind)
{
	return is_open(cpu, kind) || is_written(*(enum hyptrace_ring *)kind, cpu);
}

void hyptrace_ignore(struct trace_ext_writer *writer, bool ignore)
{
	if (ignore == this_cpu_read(ignored))
		return;

	this_cpu_write(ignored, ignore);

	/* A ring that is being unloaded stays closed until the sync that follows. */
	if (!this_cpu_read(closed[USER_RING]))
		hyptrace_sync_this_cpu();
}

/*
 * Have a CPU close its ring, so that it can be unloaded; may sleep. An offline CPU's ring is
 * already closed (nVHE), or EL2 knows that the CPU is parked (pKVM). The ring of a CPU that is
 * not traced is closed.
 */
void hyptrace_ring_close(enum hyptrace_ring kind, int cpu)
{
	lockdep_assert_held(&hyptrace_sync_lock);

	if (cpu_online(cpu) && is_concerned(cpu, &kind))
		smp_call_function_single(cpu, close_this_cpu, &kind, true);
}

/*
 * Have all CPUs copy the clock that EL2 was given; may sleep. The caller holds off CPU hotplug.
 * A CPU that neither traces nor measures copies it when it begins to.
 */
void hyptrace_clock_changed(void)
{
	/* Pairs with tell_el2(). */
	smp_mb();
	on_each_cpu_cond(is_busy, sync_this_cpu, NULL, true);
}

/* Have a CPU, or all if it is -1, open the ring that has been loaded. */
void hyptrace_rings_sync(enum hyptrace_ring kind, int cpu)
{
	guard(mutex)(&hyptrace_sync_lock);

	if (cpu == -1)
		on_each_cpu_cond(is_concerned, open_this_cpu, &kind, true);
	else if (is_concerned(cpu, &kind))
		smp_call_function_single(cpu, open_this_cpu, &kind, true);
}

void hyptrace_set_cpus(struct trace_ext_writer *writer, const struct cpumask *cpus)
{
	static struct cpumask concerned;
	enum hyptrace_ring kind = USER_RING;

	guard(mutex)(&hyptrace_sync_lock);

	/* A CPU that is opening its ring right now may have read the old mask. */
	cpumask_or(&concerned, &traced_cpus, cpus);
	cpumask_copy(&traced_cpus, cpus);
	if (READ_ONCE(in_use[USER_RING]))
		on_each_cpu_mask(&concerned, open_this_cpu, &kind, true);
}

/*
 * Begin or cease to use a kind of rings; may sleep. The caller holds off CPU hotplug. A sync
 * opens them then. A CPU that is offline closes its ring when it comes online.
 */
void hyptrace_rings_use(enum hyptrace_ring kind, bool use)
{
	WRITE_ONCE(in_use[kind], use);
	/* sync_this_cpu() ignores its argument. */
	if (!use)
		on_each_cpu_cond(is_open, sync_this_cpu, &kind, true);
}

/*
 * Have EL2 keep totals, or not, on all CPUs that have a table; may sleep. The caller holds off
 * CPU hotplug.
 */
void hyptrace_totals_turn(bool on)
{
	WRITE_ONCE(totals_on, on);
	on_each_cpu(sync_this_cpu, NULL, true);
}

/* Test whether totals are kept. */
bool hyptrace_totals_are_on(void)
{
	return READ_ONCE(totals_on);
}

/* CPUs that come and go ------------------------------------------------------------- */

/* EL2 will be removed from this CPU soon: close its rings. Interrupts are off. */
void hyptrace_sync_offline(void)
{
	this_cpu_write(offline, true);
	this_cpu_write(closed[FOLLOWER_RING], true);
	this_cpu_write(closed[USER_RING], true);
	hyptrace_sync_this_cpu();
}

/*
 * This CPU has come online, its rings and its table have been loaded. If tracing has been turned
 * off while it was offline, its ring may be open; and the same for totals. Interrupts are off.
 */
void hyptrace_sync_online(void)
{
	this_cpu_write(offline, false);
	/* If tracing is in use, it has synced this CPU if the CPU is traced. */
	if (!READ_ONCE(in_use[USER_RING]) || !READ_ONCE(in_use[FOLLOWER_RING]) ||
	    totals_wanted() || this_cpu_ptr(&el2_state)->totals)
		hyptrace_sync_this_cpu();
}

/* This CPU has slept, and EL2 may have been set up on it anew. Interrupts are off. */
void hyptrace_sync_after_sleep(void)
{
	if (!this_cpu_read(closed[USER_RING]) || !this_cpu_read(closed[FOLLOWER_RING]) ||
	    totals_wanted())
		hyptrace_sync_this_cpu();
}

/* Guests ---------------------------------------------------------------------------- */

/**
 * hyptrace_end_guest_runs() - have EL2 look anew what it is to trace of guests
 *
 * EL2 looks when the host has it run a vCPU (hyp_trace_guest_begin()). An interrupt ends that
 * run. A CPU that is not traced is left alone; when it is, a sync interrupts it.
 *
 * Context: any, after a hypercall that has changed what is traced. That ends with a full barrier,
 * which pairs with the one in kvm_arch_vcpu_ioctl_run(): either the CPU's vCPU is seen here, or
 * EL2 sees the change when it runs the vCPU.
 */
void hyptrace_end_guest_runs(void)
{
	struct kvm_vcpu * __percpu *running = kvm_get_running_vcpus();
	int cpu;

	for_each_online_cpu(cpu) {
		if (is_busy(cpu, NULL) && READ_ONCE(*per_cpu_ptr(running, cpu)))
			smp_send_reschedule(cpu);
	}
}
