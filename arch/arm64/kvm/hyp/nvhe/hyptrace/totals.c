// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals of the time at EL2: measuring, see asm/hyptrace_totals.h.
 *
 * Intervals are measured in cycles of the counter, which all CPUs share, and converted to
 * nanoseconds when they end: so a change of the clock does not matter, and a vCPU may move to
 * another CPU. The vCPU itself keeps when and why it has stopped, and has its rows (struct
 * hyp_totals_vcpu).
 *
 * While events are recorded as well, an event and the totals use the same time stamp.
 *
 * The fast paths call nothing that returns to them, but handle_trap(): the rest are tail
 * calls.
 */

#include <nvhe/hyptrace.h>
#include <nvhe/hyptrace/totals_table.h>
#include <nvhe/hyptrace/fields.h>

u32 hyp_totals_measurement;
u32 hyp_totals_last_reset;

/* An interval is out of its row's range: it may have to be published as a long one. */
static noinline void count_slow(struct hyp_trace_cpu *cpu, struct hyp_totals_own *own, u64 ns,
				struct kvm_vcpu *vcpu, u64 began, u64 ended)
{
	const struct hyp_totals_interval interval = { own, ns, vcpu, began, ended };
	u64 limit = cpu->totals.maxima ? hyp_totals_max_look(cpu, &interval) : U64_MAX;

	hyp_totals_count(own, ns, limit);
}

/* Add an interval to a row, and publish what has changed; false if it is out of the row's range. */
static __always_inline bool count_fast(struct hyp_totals_own *own, u64 ns)
{
	struct hyp_totals_row *row = own->shared;
	u64 n, total, in_bucket, i;

	if (unlikely(ns - own->low > own->span))
		return false;

	i = hyp_totals_bucket(ns);
	/* The compiler would scale it twice otherwise, which takes one instruction more. */
	OPTIMIZER_HIDE_VAR(i);
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
	return true;
}

/*
 * Add an interval [cycles] to one of a CPU's rows. @cycles is @ended - @began [counter values],
 * less what does not count.
 */
static void count_interval(struct hyp_trace_cpu *cpu, struct hyp_totals_own *own, u64 cycles,
			   u64 began, u64 ended)
{
	u64 ns = hyp_clock_ns(&cpu->clock, cycles);

	if (!count_fast(own, ns))
		count_slow(cpu, own, ns, NULL, began, ended);
}

/* Exceptions of the host --------------------------------------------------------- */

/* Rare: out of line. */
static noinline void settle_slow(struct hyp_totals_cpu *totals)
{
	hyp_totals_settle(totals);
}

/*
 * Return the time at EL2 since @began, less that of guests and firmware [cycles]. After that, the
 * next exception begins anew: hyp_totals_settle().
 */
static __always_inline u64 settle_time(struct hyp_totals_cpu *totals, u64 now, u64 began)
{
	u64 cycles = now - began - totals->away;

	if (unlikely(!totals->exit_host))
		settle_slow(totals);

	return cycles;
}

/*
 * The first hypercall with that number, or one that is out of its row's range; or this CPU has
 * ceased to measure, or has to ring.
 */
static noinline void add_hcall(struct hyp_trace_cpu *cpu, u64 id, u64 cycles, u64 began, u64 now)
{
	if (cpu->totals.open) {
		cpu->totals.hcall[id] = &cpu->totals.rows[HYP_TOTALS_ROW_HCALLS + id];
		count_interval(cpu, cpu->totals.hcall[id], cycles, began, now);
	}
	hyp_trace_leave(cpu);
}

/* The place of a function among those that have names; behind them, if it has none. */
static u64 function_place(u32 fn)
{
	static const u32 functions[] = {
#define FUNCTION(name, value, text)	HYP_##name,
		HYP_SMC_LIST(FUNCTION, FUNCTION)
#undef FUNCTION
	};
	u64 i;

	static_assert(ARRAY_SIZE(functions) == HYP_TOTALS_FUNCTIONS);
	for (i = 0; i < ARRAY_SIZE(functions) && functions[i] != fn; i++)
		;

	return i;
}

static u64 abort_row(u64 esr)
{
	static const u16 rows[ESR_ELx_EC_MAX + 1] = {
#define ABORT_ROW(ec)	\
		[ESR_ELx_EC_##ec] = HYP_TOTALS_ROW_ABORT_##ec,
		HYP_TOTALS_ABORTS(ABORT_ROW)
#undef ABORT_ROW
	};

	return rows[ESR_ELx_EC(esr)] ?: HYP_TOTALS_ROW_OTHER_ABORT;
}

/* The row of an exception of the host. */
static u64 trap_row(const struct hyp_totals_cpu *totals, u64 esr, u64 fn)
{
	switch (ESR_ELx_EC(esr)) {
	case ESR_ELx_EC_HVC64:
		return HYP_TOTALS_ROW_HCALLS +
		       min(fn - KVM_HOST_SMCCC_ID(0), (u64)HYPTRACE_NR_HCALLS);
	case ESR_ELx_EC_SMC64:
		return (totals->psci ? HYP_TOTALS_ROW_PSCI : HYP_TOTALS_ROW_SMCS) +
		       function_place(fn);
	default:
		return abort_row(esr);
	}
}

/* Handle and measure any exception but a hypercall; while events are recorded, hypercalls, too. */
static noinline void handle_other(struct hyp_trace_cpu *cpu, u64 esr, u64 began,
				  struct kvm_cpu_context *host_ctxt)
{
	u64 fn = cpu_reg(host_ctxt, 0) & ~ARM_SMCCC_CALL_HINTS, now, cycles;
	u64 ns = hyp_clock_at(&cpu->clock, began);

	if (hyp_trace_any())
		hyp_totals_mark(&cpu->totals.mark, cpu, began, ns);
	hyp_trace_enter_host_at(esr, ns);
	hyp_trace_handle(esr, host_ctxt);
	now = hyp_clock_cycles();
	hyp_trace_exit_at(HYP_CROSSING_ERET_HOST, hyp_clock_at(&cpu->clock, now));

	/* This may have been the call that closes the table. */
	if (cpu->totals.open) {
		/* It is first: settle_time() forgets whether firmware was called. */
		u64 row = trap_row(&cpu->totals, esr, fn);

		cycles = settle_time(&cpu->totals, now, began);
		count_interval(cpu, &cpu->totals.rows[row], cycles, began, now);
	}
	hyp_trace_leave(cpu);
}

/* handle_trap(), measured. */
void hyp_totals_handle_trap(struct kvm_cpu_context *host_ctxt)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	u64 began = hyp_clock_cycles(), esr = read_sysreg_el2(SYS_ESR), now, cycles;
	u64 id = hyp_trace_hcall_id(host_ctxt);
	struct hyp_totals_own *own;

	hyp_trace_latch_pid(cpu);
	if (unlikely(ESR_ELx_EC(esr) != ESR_ELx_EC_HVC64 || id >= HYPTRACE_NR_HCALLS ||
		     hyp_trace_any())) {
		handle_other(cpu, esr, began, host_ctxt);
		return;
	}

	handle_trap(host_ctxt);
	now = hyp_clock_cycles();
	cycles = settle_time(&cpu->totals, now, began);
	own = cpu->totals.hcall[id];
	/* A guest may have recorded events itself, or run for long: EL2 has to ring. */
	if (unlikely(!own || cpu->leave ||
		     !count_fast(own, hyp_clock_ns(&cpu->clock, cycles))))
		add_hcall(cpu, id, cycles, began, now);
}

/* This CPU is about to call firmware. */
void hyp_totals_firmware_leave(struct hyp_trace_cpu *cpu, u8 crossing)
{
	u64 now = hyp_clock_cycles();

	hyp_trace_exit_at(crossing, hyp_clock_at(&cpu->clock, now));
	cpu->totals.psci = crossing == HYP_CROSSING_PSCI;
	hyp_totals_leave(&cpu->totals, now);
}

/* This CPU is back from firmware. */
void hyp_totals_firmware_return(struct hyp_trace_cpu *cpu, u8 crossing)
{
	u64 now = hyp_clock_cycles();

	hyp_trace_enter_at(crossing, hyp_clock_at(&cpu->clock, now));
	hyp_totals_return(&cpu->totals, now);
}

/* As hyp_totals_firmware_return(), and add the time to that of the function. */
void hyp_totals_firmware_add(struct hyp_trace_cpu *cpu, u64 fn)
{
	u64 before = cpu->totals.away, away, row;

	hyp_totals_firmware_return(cpu, HYP_CROSSING_SMC);
	row = HYP_TOTALS_ROW_FIRMWARE + function_place(fn & ~ARM_SMCCC_CALL_HINTS);
	away = cpu->totals.away - before;
	count_interval(cpu, &cpu->totals.rows[row], away, cpu->totals.left,
		       cpu->totals.left + away);
}

/* Guests -------------------------------------------------------------------------- */

#define ROW_OFFSET(row)		((row) * sizeof(struct hyp_totals_own))

/*
 * Where the row of an exit is in its vCPU's rows [bytes], by reason: of those that EL2 handles and
 * of those that the host does. What is not in HYP_TOTALS_EXITS() has HYP_TOTALS_ROW_UNEXPECTED.
 */
static const u16 exit_offset[2][U8_MAX + 1] = {
#define EXIT_OFFSET(kind, name, reason)				\
	[HYP_TOTALS_##kind - HYP_TOTALS_EXIT_EL2][reason] =	\
		ROW_OFFSET(HYP_TOTALS_ROW_##kind##_##name),
	HYP_TOTALS_EXITS(EXIT_OFFSET)
#undef EXIT_OFFSET
};

/* Each exit that EL2 handles has a row for the host, too. */
#define EXIT_GOES_ON_EXIT_EL2(name)	static_assert(HYP_TOTALS_ROW_EXIT_HOST_##name);
#define EXIT_GOES_ON_EXIT_HOST(name)
#define EXIT_GOES_ON(kind, name, reason)	EXIT_GOES_ON_##kind(name)
HYP_TOTALS_EXITS(EXIT_GOES_ON)

static_assert(HYP_TOTALS_EXIT_HOST - HYP_TOTALS_EXIT_EL2 == 1);
static_assert(!HYP_TOTALS_ROW_UNEXPECTED);
static_assert(ROW_OFFSET(HYP_TOTALS_VCPU_ROWS) <= U16_MAX);

/* A vCPU takes part in what this CPU does: its ranges are made anew. */
static void take_part(const struct hyp_totals_cpu *totals, struct hyp_totals_vcpu *of_vcpu)
{
	int i;

	for (i = 0; i < HYP_TOTALS_VCPU_ROWS; i++)
		hyp_totals_row_renew(&of_vcpu->rows[i]);

	of_vcpu->epoch = totals->epoch;
}

/* The vCPU's measurement begins, if it is measured and this CPU measures. */
static void measure_begin(struct hyp_totals_cpu *totals, struct kvm_vcpu *vcpu, u64 now)
{
	struct hyp_totals_vcpu *of_vcpu = &vcpu->arch.hyp_totals;

	of_vcpu->epoch = 0;
	totals->guest = NULL;
	if (!totals->open)
		return;

	hyp_totals_leave(totals, now);
	if (!hyp_totals_vcpu_reset(vcpu))
		return;

	take_part(totals, of_vcpu);
	totals->guest = &of_vcpu->rows[HYP_TOTALS_ROW_GUEST];
}

/* A guest's exit ends: count it, and have the time that the guest runs measured. */
static __always_inline void end_exit(struct hyp_trace_cpu *cpu, struct kvm_vcpu *vcpu,
				     struct hyp_totals_own *rows, u64 now)
{
	struct hyp_totals_vcpu *of_vcpu = &vcpu->arch.hyp_totals;
	u64 offset = exit_offset[cpu->totals.exit_host][of_vcpu->reason];
	u64 ns = hyp_clock_ns(&cpu->clock, now - of_vcpu->stopped);
	struct hyp_totals_own *row = (void *)rows + offset;

	hyp_totals_leave(&cpu->totals, now);
	cpu->totals.guest = &rows[HYP_TOTALS_ROW_GUEST];
	if (!count_fast(row, ns))
		count_slow(cpu, row, ns, vcpu, of_vcpu->stopped, now);
}

/*
 * The vCPU has no rows, or its epoch is not this CPU's. If only the lower halves of the epochs
 * differ, the measurement is the same, and only the ranges of the vCPU's rows belong to another
 * setting: renew these, and count the exit. Otherwise begin the vCPU's measurement.
 */
static noinline void measure_anew(struct hyp_trace_cpu *cpu, struct kvm_vcpu *vcpu, u64 now)
{
	struct hyp_totals_vcpu *of_vcpu = &vcpu->arch.hyp_totals;
	struct hyp_totals_own *rows = of_vcpu->rows;

	if (!rows || !cpu->totals.open ||
	    upper_32_bits(of_vcpu->epoch) != upper_32_bits(cpu->totals.epoch)) {
		measure_begin(&cpu->totals, vcpu, now);
		return;
	}

	take_part(&cpu->totals, of_vcpu);
	end_exit(cpu, vcpu, rows, now);
}

/* A guest is about to run. */
static __always_inline void measure_enter(struct kvm_vcpu *vcpu, u64 now)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	struct hyp_totals_vcpu *of_vcpu = &vcpu->arch.hyp_totals;
	struct hyp_totals_own *rows = of_vcpu->rows;

	/* @rows may be older than the epoch, if another CPU runs this vCPU, too. */
	if (unlikely(!rows || of_vcpu->epoch != cpu->totals.epoch)) {
		measure_anew(cpu, vcpu, now);
		return;
	}

	end_exit(cpu, vcpu, rows, now);
}

/* As count_slow(), of a guest's run. Return @exit_code, so that the fast path need not keep it. */
static noinline u64 count_run_slow(struct hyp_trace_cpu *cpu, struct hyp_totals_own *own, u64 ns,
				   struct kvm_vcpu *vcpu, u64 began, u64 ended, u64 exit_code)
{
	count_slow(cpu, own, ns, vcpu, began, ended);
	return exit_code;
}

/* A guest has run. Return @exit_code. */
static __always_inline u64 measure_exit(struct kvm_vcpu *vcpu, u64 exit_code, u64 now)
{
	struct hyp_trace_cpu *cpu = this_cpu_ptr(&hyp_trace_cpu);
	struct hyp_totals_vcpu *of_vcpu = &vcpu->arch.hyp_totals;
	struct hyp_totals_own *guest = cpu->totals.guest;
	u64 left = cpu->totals.left, ran = now - left, ns = hyp_clock_ns(&cpu->clock, ran);

	of_vcpu->reason = hyp_exit_reason(exit_code, hyp_exit_esr(exit_code));
	of_vcpu->stopped = now;
	cpu->totals.away += ran;
	/* No row outlives the run: when the VM is gone, its memory is no longer EL2's. */
	cpu->totals.guest = NULL;
	if (unlikely(guest && !count_fast(guest, ns)))
		return count_run_slow(cpu, guest, ns, vcpu, left, now, exit_code);

	return exit_code;
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
	return measure_exit(vcpu, exit_code, hyp_clock_cycles());
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
