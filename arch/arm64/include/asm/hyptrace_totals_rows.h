/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals of the time at EL2: which row of a table counts what.
 */
#ifndef __ASM_HYPTRACE_TOTALS_ROWS_H__
#define __ASM_HYPTRACE_TOTALS_ROWS_H__

#include <asm/hyptrace_compat.h>
#include <asm/hyptrace_totals.h>

#include <trace/misc/hyp.h>

/**
 * enum hyp_totals_kind - what is measured
 * @HYP_TOTALS_HCALL:	a hypercall; the reason is its number
 * @HYP_TOTALS_SMC:	an SMC; the reason is the function
 * @HYP_TOTALS_ABORT:	an abort at the host's stage 2, or a trapped access to a system register;
 *			the reason is the exception class
 * @HYP_TOTALS_PSCI:	an SMC that calls PSCI firmware and returns; the reason is as for SMC
 * @HYP_TOTALS_FIRMWARE: other firmware runs; the reason is the function that EL2 calls
 * @HYP_TOTALS_EXIT_EL2: a guest's exit that EL2 handles, until the guest runs again; the
 *			reason is the exception class
 * @HYP_TOTALS_EXIT_HOST: a guest's exit that the host handles, until that vCPU runs again; the
 *			reason is the exception class or enum hyp_exit
 * @HYP_TOTALS_GUEST:	a guest runs
 * @HYP_TOTALS_KINDS:	number of kinds
 *
 * The first five are the host's. All of them but FIRMWARE measure the time at EL2, from an
 * exception of the host until the host goes on, less the time that a guest or firmware had the CPU.
 * The time of PSCI firmware, where a CPU may sleep, counts nowhere.
 *
 * The others are a vCPU's, and follow each other without a gap.
 */
enum hyp_totals_kind {
	HYP_TOTALS_HCALL,
	HYP_TOTALS_SMC,
	HYP_TOTALS_ABORT,
	HYP_TOTALS_PSCI,
	HYP_TOTALS_FIRMWARE,
	HYP_TOTALS_EXIT_EL2,
	HYP_TOTALS_EXIT_HOST,
	HYP_TOTALS_GUEST,
	HYP_TOTALS_KINDS
};

/*
 * A CPU's rows: one for each hypercall by its number, and one for those that do not exist; for
 * SMC, PSCI and FIRMWARE one for each function that has a name, and one for all others; for ABORT
 * one for each exception class that the host can have.
 */
#define HYP_TOTALS_COUNT(name, value, text)	+ 1
#define HYP_TOTALS_FUNCTIONS	(0 HYP_SMC_LIST(HYP_TOTALS_COUNT, HYP_TOTALS_COUNT))

#define HYP_TOTALS_ABORTS(X)	X(IABT_LOW) X(DABT_LOW) X(SYS64)

#define HYP_TOTALS_ABORT_ROW(ec)	HYP_TOTALS_ROW_ABORT_##ec,

enum hyp_totals_cpu_row {
	HYP_TOTALS_ROW_HCALLS,
	HYP_TOTALS_ROW_NO_HCALL	= HYP_TOTALS_ROW_HCALLS + HYPTRACE_NR_HCALLS,
	HYP_TOTALS_ROW_SMCS,
	HYP_TOTALS_ROW_OTHER_SMC = HYP_TOTALS_ROW_SMCS + HYP_TOTALS_FUNCTIONS,
	HYP_TOTALS_ABORTS(HYP_TOTALS_ABORT_ROW)
	HYP_TOTALS_ROW_OTHER_ABORT,
	HYP_TOTALS_ROW_PSCI,
	HYP_TOTALS_ROW_OTHER_PSCI = HYP_TOTALS_ROW_PSCI + HYP_TOTALS_FUNCTIONS,
	HYP_TOTALS_ROW_FIRMWARE,
	HYP_TOTALS_ROW_OTHER_FIRMWARE = HYP_TOTALS_ROW_FIRMWARE + HYP_TOTALS_FUNCTIONS,
	HYP_TOTALS_CPU_ROWS
};

/*
 * The exits that have a row of their own: X(kind, name, reason). EL2's are all for which it has a
 * handler. The host's are all for which the host has one, on any kernel, and all of EL2's: if an
 * interrupt is pending when EL2 has handled an exit, the guest does not run, and the exit goes on
 * to the host. Any other reason is counted as "unexpected", a row that should stay empty.
 */
#define HYP_TOTALS_EXIT_EC(X, kind, ec)		X(kind, ec, ESR_ELx_EC_##ec)

#define HYP_TOTALS_EXITS(X)					\
	HYP_TOTALS_EXIT_EC(X, EXIT_EL2, CP15_32)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_EL2, FP_ASIMD)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_EL2, HVC64)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_EL2, SMC64)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_EL2, SYS64)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_EL2, SVE)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_EL2, IABT_LOW)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_EL2, DABT_LOW)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_EL2, MOPS)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_EL2, WATCHPT_LOW)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, WFx)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, CP15_32)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, CP15_64)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, CP14_MR)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, CP14_LS)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, FP_ASIMD)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, CP10_ID)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, PAC)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, CP14_64)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, HVC32)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, SMC32)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, SVC64)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, HVC64)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, SMC64)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, SYS64)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, SVE)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, ERET)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, MOPS)			\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, IABT_LOW)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, DABT_LOW)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, SOFTSTP_LOW)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, WATCHPT_LOW)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, BREAKPT_LOW)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, BKPT32)		\
	HYP_TOTALS_EXIT_EC(X, EXIT_HOST, BRK64)			\
	HYPTRACE_MORE_EXITS(X)					\
	X(EXIT_HOST, IRQ, HYP_EXIT_IRQ)				\
	X(EXIT_HOST, SERROR, HYP_EXIT_SERROR)			\
	X(EXIT_HOST, IL, HYP_EXIT_IL)

#define HYP_TOTALS_EXIT_ROW(kind, name, reason)	HYP_TOTALS_ROW_##kind##_##name,

/* A vCPU's rows. */
enum hyp_totals_vcpu_row {
	HYP_TOTALS_ROW_UNEXPECTED,
	HYP_TOTALS_EXITS(HYP_TOTALS_EXIT_ROW)
	HYP_TOTALS_ROW_GUEST,
	HYP_TOTALS_VCPU_ROWS
};

#endif /* __ASM_HYPTRACE_TOTALS_ROWS_H__ */
