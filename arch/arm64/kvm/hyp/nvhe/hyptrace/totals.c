// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals of the time at EL2: measuring, see asm/hyptrace_totals.h.
 *
 * Intervals are measured in cycles of the counter, which all CPUs share, and converted to
 * nanoseconds when they end: so a change of the clock does not matter, and a vCPU may move to
 * another CPU. The vCPU itself keeps when and why it has stopped. That
 * is EL2's own copy of the vCPU with protection; without it EL2 trusts the host, and still
 * uses what it finds there as numbers only.
 *
 * While events are recorded as well, an event and the totals use the same time stamp.
 *
 * The fast paths call nothing that returns to them, but handle_trap(): the rest are tail
 * calls.
 */

#include <nvhe/hyptrace.h>
#include <nvhe/hyptrace/totals_table.h>
#include <nvhe/hyptrace/fields.h>

#include <linux/bitfield.h>

u32 hyp_totals_epoch;

static noinline void count_interval_slow(struct hyp_totals_own *own, u64 ns)
{
	hyp_totals_count(own, ns);
}

/* Add an interval [cycles] to a row, and publish what has changed. */
static void count_interval(struct hyp_trace_cpu *cpu, struct hyp_totals_own *own, u64 cycles)
{
	u64 ns = hyp_clock_ns(&cpu->clock, cycles), n, total, in_bucket, i;
	struct hyp_totals_row *row = own->shared;

	if (unlikely(ns - own->low > own->span)) {
		count_interval_slow(own, ns);
		return;
	}

	i = hyp_totals_bucket(ns);
	n = own->count + 1;
	total = own->total + ns;
	in_bucket = own->bucket[i] + 1;
	own->count = n;
	own->total = total;
	own->bucket[i] = in_bucket;

	hyp_totals_publish_begin(row, n);
	row->total = total;
	row->bucket[i] = in_bucket;
	hyp_totals_publish_end(row, n);
}

static noinline void add_interval_slow(struct hyp_trace_cpu *cpu, u64 key, u64 cycles)
{
	count_interval(cpu, hyp_totals_find(&cpu->totals, key), cycles);
}

/* Add an interval [cycles] to the row of a key. */
static __always_inline void add_interval(struct hyp_trace_cpu *cpu, u64 key, u64 cycles)
{
	struct hyp_totals_own *own = hyp_totals_first(&cpu->totals, key);

	if (likely(own->key == key))
		count_interval(cpu, own, cycles);
	else
		add_interval_slow(cpu, key, cycles);
}

/* Exceptions of the host --------------------------------------------------------- */

/* Rare: out of line. */
static noinline void settle_slow(struct hyp_totals_cpu *totals)
{
	hyp_totals_settle(totals);
}

/* The time at EL2 since @began, of which a guest and PSCI firmware had none [cycles]. */
static __always_inline u64 time_since(struct hyp_totals_cpu *totals, u64 now, u64 began)
{
	u64 cycles = now - began - totals->away;

	if (unlikely(!totals->exit_host))
		settle_slow(totals);

	return cycles;
}

static u64 hcall_key(u64 id)
{
	return HYP_TOTALS_HCALL | FIELD_PREP(HYP_TOTALS_KEY_UPPER, id);
}

/* The first hypercall with that number; or this CPU has ceased to measure, or has to ring. */
static noinline void add_hcall(struct hyp_trace_cpu *cpu, u64 id, u64 cycles)
{
	hyp_trace_leave(cpu);
	if (!cpu->totals.open)
		return;

	cpu->totals.hcall[id] = hyp_totals_find(&cpu->totals, hcall_key(id));
	count_interval(cpu, cpu->totals.hcall[id], cycles);
}

static u64 trap_key(u64 esr, u64 fn)
{
	switch (ESR_ELx_EC(esr)) {
	case ESR_ELx_EC_HVC64:
		fn -= KVM_HOST_SMCCC_ID(0);
		return hcall_key(fn < HYP_TOTALS_HCALL_IDS ? fn : HYP_TOTALS_NO_HCALL);
	case ESR_ELx_EC_SMC64:
		return HYP_TOTALS_SMC | FIELD_PREP(HYP_TOTALS_KEY_UPPER, lower_32_bits(fn));
	default:
		return HYP_TOTALS_ABORT |
		       FIELD_PREP(HYP_TOTALS_KEY_UPPER, ESR_ELx_EC(esr));
	}
}

/* All but hypercalls, and if events are recorded. */
static noinline void handle_other(struct hyp_trace_cpu *cpu, u64 esr, u64 began,
				  struct kvm_cpu_context *host_ctxt)
{
	u64 key = trap_key(esr, cpu_reg(host_ctxt, 0) & ~ARM_SMCCC_CALL_HINTS), now, cycles;

	hyp_trace_enter_host_at(esr, hyp_clock_at(&cpu->clock, began));
	hyp_trace_handle(esr, host_ctxt);
	now = hyp_clock_cycles();
	hyp_trace_exit_at(HYP_CROSSING_ERET_HOST, hyp_clock_at(&cpu->clock, now));

	if (cpu->totals.psci)
		key += HYP_TOTALS_PSCI - HYP_TOTALS_SMC;
	cycles = time_since(&cpu->totals, now, began);
	/* This may have been the call that closes the table. */
	if (cpu->totals.open)
		add_interval(cpu, key, cycles);
	hyp_trace_leave(cpu);
}

/**
 * hyp_totals_handle_trap() - handle_trap(), measured
 * @host_ctxt:	the host's registers
 */
void hyp_totals_handle_trap(struct kvm_cpu_context *host_ctxt)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	u64 began = hyp_clock_cycles(), esr = read_sysreg_el2(SYS_ESR), cycles;
	u64 id = (cpu_reg(host_ctxt, 0) & ~ARM_SMCCC_CALL_HINTS) - KVM_HOST_SMCCC_ID(0);
	struct hyp_totals_own *own;

	hyp_trace_latch_pid(cpu);
	if (unlikely(ESR_ELx_EC(esr) != ESR_ELx_EC_HVC64 || id >= HYP_TOTALS_HCALL_IDS ||
		     hyp_trace_any())) {
		handle_other(cpu, esr, began, host_ctxt);
		return;
	}

	handle_trap(host_ctxt);
	cycles = time_since(&cpu->totals, hyp_clock_cycles(), began);
	own = cpu->totals.hcall[id];
	/* A guest may have recorded events itself, for which EL2 has to ring. */
	if (likely(own && !cpu->leave))
		count_interval(cpu, own, cycles);
	else
		add_hcall(cpu, id, cycles);
}

/* This CPU is about to call PSCI firmware. */
void hyp_totals_psci_leave(struct hyp_trace_cpu *cpu)
{
	u64 now = hyp_clock_cycles();

	hyp_trace_exit_at(HYP_CROSSING_PSCI, hyp_clock_at(&cpu->clock, now));
	cpu->totals.psci = true;
	hyp_totals_leave(&cpu->totals, now);
}

/* This CPU is back from PSCI firmware. */
void hyp_totals_psci_return(struct hyp_trace_cpu *cpu)
{
	u64 now = hyp_clock_cycles();

	hyp_trace_enter_at(HYP_CROSSING_PSCI, hyp_clock_at(&cpu->clock, now));
	hyp_totals_return(&cpu->totals, now);
}

/* Guests -------------------------------------------------------------------------- */

static_assert(HYP_TOTALS_EXIT_HOST - HYP_TOTALS_EXIT_EL2 == 1);

/* The vCPU has not run before, in this measurement; or this CPU does not measure. */
static noinline void measure_begin(struct hyp_totals_cpu *totals, struct kvm_vcpu *vcpu, u64 now)
{
	struct hyp_totals_vcpu *own = &vcpu->arch.hyp_totals;

	if (!totals->open) {
		own->epoch = 0;
		return;
	}

	own->epoch = totals->epoch;
	own->key = FIELD_PREP(HYP_TOTALS_KEY_UPPER, (u64)hyp_vm(vcpu)) |
		   FIELD_PREP(HYP_TOTALS_KEY_VCPU, (u64)vcpu->vcpu_idx);
	totals->left = now;
	totals->exit_host = 0;
}

/* A guest is about to run. */
static __always_inline void measure_enter(struct kvm_vcpu *vcpu, u64 now)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	struct hyp_totals_vcpu *own = &vcpu->arch.hyp_totals;
	u64 key;

	if (unlikely(own->epoch != cpu->totals.epoch)) {
		measure_begin(&cpu->totals, vcpu, now);
		return;
	}

	key = own->key + cpu->totals.exit_host;
	cpu->totals.exit_host = 0;
	cpu->totals.left = now;
	add_interval(cpu, key, now - own->stopped);
}

/* The first exit of a vCPU that was not the last one here; or this CPU does not measure. */
static noinline void add_guest(struct hyp_trace_cpu *cpu, u64 key, u64 cycles)
{
	if (!cpu->totals.open)
		return;

	cpu->totals.guest = hyp_totals_find(&cpu->totals, key);
	cpu->totals.guest_key = key;
	count_interval(cpu, cpu->totals.guest, cycles);
}

/* A guest has run. */
static __always_inline void measure_exit(struct kvm_vcpu *vcpu, u64 exit_code, u64 now)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	struct hyp_totals_vcpu *own = &vcpu->arch.hyp_totals;
	u64 key = own->key & (HYP_TOTALS_KEY_UPPER | HYP_TOTALS_KEY_VCPU);
	u64 reason = hyp_exit_reason(exit_code, hyp_exit_esr(exit_code));
	u64 ran = now - cpu->totals.left;

	own->key = key | FIELD_PREP(HYP_TOTALS_KEY_EXIT, reason) | HYP_TOTALS_EXIT_EL2;
	own->stopped = now;
	cpu->totals.away += ran;

	key |= HYP_TOTALS_GUEST;
	if (likely(key == cpu->totals.guest_key))
		count_interval(cpu, cpu->totals.guest, ran);
	else
		add_guest(cpu, key, ran);
}

/* A guest is about to run, and no event is recorded. */
void hyp_totals_guest_enter(struct kvm_vcpu *vcpu)
{
	measure_enter(vcpu, hyp_clock_cycles());
}

/*
 * A guest has run, and no event is recorded. Return @exit_code: the caller, which is on the path
 * of each exit, need not keep it.
 */
u64 hyp_totals_guest_exit(struct kvm_vcpu *vcpu, u64 exit_code)
{
	measure_exit(vcpu, exit_code, hyp_clock_cycles());
	return exit_code;
}

/* As hyp_totals_guest_enter(), if the counter has been read. */
void hyp_totals_guest_enter_at(struct kvm_vcpu *vcpu, u64 now)
{
	measure_enter(vcpu, now);
}

/* As hyp_totals_guest_exit(), if the counter has been read. */
void hyp_totals_guest_exit_at(struct kvm_vcpu *vcpu, u64 exit_code, u64 now)
{
	measure_exit(vcpu, exit_code, now);
}
