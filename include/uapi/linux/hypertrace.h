/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Hypertrace: by one hypercall a guest records an event in the trace of its hypervisor, which
 * goes on with the guest at once. Documentation/virt/kvm/arm/hyp-guest-trace.rst describes it.
 *
 * The call is for 64-bit guests, by HVC or SMC. It takes x0 to x17, returns its result in x0 and
 * keeps all other registers, but for x1 to x3 if the call is not supported:
 *
 *   x0		HYPERTRACE_CALL
 *   x1		a descriptor, see hypertrace_descriptor()
 *   x2 to x17	arguments; or text, 8 bytes in each register, the first one in bits 7:0
 */
#ifndef _UAPI_LINUX_HYPERTRACE_H
#define _UAPI_LINUX_HYPERTRACE_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* A fast 64-bit call of the vendor specific hypervisor service: ARM DEN 0028, SMCCC. */
#define HYPERTRACE_CALL		0xc6000070

/*
 * The bit that a VM finds set if it may make the call: of the four words that KVM's function
 * FEATURES (0x86000000) returns, 32 bits each, counted from bit 0 of the first.
 */
#define HYPERTRACE_FEATURE	112

/* Bits of a descriptor; those that are not named are 0. */
#define HYPERTRACE_ID_BITS	32
#define HYPERTRACE_COUNT_SHIFT	32
#define HYPERTRACE_COUNT_BITS	8
#define HYPERTRACE_KIND_SHIFT	40
#define HYPERTRACE_KIND_BITS	8
#define HYPERTRACE_CLIENT_SHIFT	48

/* Kinds of calls. */
#define HYPERTRACE_EVENT	0	/* record count arguments, HYPERTRACE_MAX_ARGS at most */
#define HYPERTRACE_MARK		1	/* record count bytes, HYPERTRACE_MAX_TEXT at most */
#define HYPERTRACE_NAME		2	/* name the events with that id by count bytes of text */
#define HYPERTRACE_CLOCK	3	/* relate clocks: boot [ns], monotonic [ns], CNTVCT_EL0 */

#define HYPERTRACE_MAX_ARGS	16
#define HYPERTRACE_MAX_TEXT	112
#define HYPERTRACE_CLOCK_ARGS	3

/* Results. */
#define HYPERTRACE_DONE		0	/* it has been recorded, unless the host filters it */
#define HYPERTRACE_IDLE		1	/* nobody records it just now */
#define HYPERTRACE_LIMITED	2	/* too many: it is only counted; or no room for a name */
#define HYPERTRACE_UNSUPPORTED	(-1)	/* this VM may not make the call, or not any more */
#define HYPERTRACE_INVALID	(-3)	/* no such kind, or too many arguments */

/**
 * hypertrace_descriptor() - the value of x1
 * @kind:	kind of the call
 * @client:	who in the guest makes the call, 0 to 65535
 * @count:	number of arguments, or bytes of text
 * @id:		the event
 *
 * Return: the descriptor
 */
static inline __u64 hypertrace_descriptor(__u64 kind, __u16 client, __u64 count, __u32 id)
{
	return (__u64)client << HYPERTRACE_CLIENT_SHIFT | kind << HYPERTRACE_KIND_SHIFT |
	       count << HYPERTRACE_COUNT_SHIFT | id;
}

/**
 * hypertrace_kind() - the kind of a call
 * @descriptor:	its descriptor
 *
 * Return: the kind, perhaps none that there is
 */
static inline __u64 hypertrace_kind(__u64 descriptor)
{
	return descriptor >> HYPERTRACE_KIND_SHIFT & ((1 << HYPERTRACE_KIND_BITS) - 1);
}

/**
 * hypertrace_count() - the number of a call's arguments, or bytes of text
 * @descriptor:	its descriptor
 *
 * Return: the number, perhaps too large
 */
static inline __u64 hypertrace_count(__u64 descriptor)
{
	return descriptor >> HYPERTRACE_COUNT_SHIFT & ((1 << HYPERTRACE_COUNT_BITS) - 1);
}

/**
 * hypertrace_client() - who in the guest makes a call
 * @descriptor:	its descriptor
 *
 * Return: the client
 */
static inline __u16 hypertrace_client(__u64 descriptor)
{
	return descriptor >> HYPERTRACE_CLIENT_SHIFT;
}

/*
 * /dev/hypertrace of a Linux guest. A write makes one call: struct hypertrace_write, with the
 * arguments or the text behind it. It succeeds also if nobody records events just now. Errors:
 * EINVAL if it makes no sense; EAGAIN if the vCPU has recorded too many, or the host has no room
 * for the name; EOPNOTSUPP if the host does not allow the call any more.
 */

/**
 * struct hypertrace_write - the start of what is written
 * @id:		the event
 * @kind:	HYPERTRACE_EVENT, HYPERTRACE_MARK or HYPERTRACE_NAME
 * @reserved:	0
 */
struct hypertrace_write {
	__u32	id;
	__u16	kind;
	__u16	reserved;
};

#define HYPERTRACE_VERSION	1

/**
 * struct hypertrace_info - what HYPERTRACE_GET_INFO returns
 * @version:	HYPERTRACE_VERSION
 * @client:	the number of this open file in the events that it records
 * @max_args:	HYPERTRACE_MAX_ARGS
 * @max_text:	HYPERTRACE_MAX_TEXT
 * @reserved:	0
 */
struct hypertrace_info {
	__u32	version;
	__u16	client;
	__u16	max_args;
	__u16	max_text;
	__u16	reserved[3];
};

#define HYPERTRACE_GET_INFO	_IOR(0xBC, 0x00, struct hypertrace_info)

#endif /* _UAPI_LINUX_HYPERTRACE_H */
