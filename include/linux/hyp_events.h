/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values of the hypervisor events' fields, and their names.
 */
#ifndef _LINUX_HYP_EVENTS_H
#define _LINUX_HYP_EVENTS_H

/*
 * Why EL2 was entered or left. One list gives the enum, the names that the
 * events print, and (TRACE_DEFINE_ENUM) their values for binary readers.
 */
#define HYP_REASON_LIST(X, XEND)				\
	X(SMC,		"smc")					\
	X(HVC,		"hvc")					\
	X(SYS,		"sys")					\
	X(PSCI,		"psci")					\
	X(HOST_ABORT,	"host_abort")				\
	X(GUEST_EXIT,	"guest_exit")				\
	X(ERET_HOST,	"eret_host")				\
	X(ERET_GUEST,	"eret_guest")				\
	XEND(UNKNOWN,	"unknown")

#define HYP_REASON_ENUM(name, text)	HYP_REASON_##name,
#define HYP_REASON_DEFINE(name, text)	TRACE_DEFINE_ENUM(HYP_REASON_##name);
#define HYP_REASON_NAME(name, text)	{ HYP_REASON_##name, text },
#define HYP_REASON_NAME_END(name, text)	{ HYP_REASON_##name, text }

/**
 * enum hyp_reason - why EL2 is entered (first group) or left (second)
 * @HYP_REASON_SMC:		SMC of the host
 * @HYP_REASON_HVC:		hypercall of the host
 * @HYP_REASON_SYS:		system register access of the host; in 6.12 none traps
 * @HYP_REASON_PSCI:		to, or back from, PSCI firmware
 * @HYP_REASON_HOST_ABORT:	stage 2 abort of the host
 * @HYP_REASON_GUEST_EXIT:	any exception of a guest
 * @HYP_REASON_ERET_HOST:	back to the host
 * @HYP_REASON_ERET_GUEST:	to a guest
 * @HYP_REASON_UNKNOWN:		anything else
 */
enum hyp_reason {
	HYP_REASON_LIST(HYP_REASON_ENUM, HYP_REASON_ENUM)
};

#define HYP_REASONS		HYP_REASON_LIST(HYP_REASON_DEFINE, HYP_REASON_DEFINE)
#define HYP_REASON_NAMES	HYP_REASON_LIST(HYP_REASON_NAME, HYP_REASON_NAME_END)

#endif /* _LINUX_HYP_EVENTS_H */
