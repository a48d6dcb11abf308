/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The format of a trace.dat: trace-cmd.dat.v7(5).
 */
#ifndef HYPTRACE_TRACEDAT_FORMAT_H
#define HYPTRACE_TRACEDAT_FORMAT_H

/* Each file begins with this; the version follows, as text. */
#define TRACEDAT_MAGIC		"\x17\x08\x44tracing"
#define TRACEDAT_MAGIC_SIZE	10

/* Options; a section has the number of the option that says where it is. */
enum {
	OPTION_DONE		= 0,
	OPTION_DATE		= 1,
	OPTION_BUFFER		= 3,
	OPTION_TRACECLOCK	= 4,
	OPTION_UNAME		= 5,
	OPTION_OFFSET		= 7,
	OPTION_CPUCOUNT		= 8,
	OPTION_VERSION		= 9,
	OPTION_TRACEID		= 11,
	OPTION_TIME_SHIFT	= 12,
	OPTION_HEADER_INFO	= 16,
	OPTION_FTRACE_EVENTS	= 17,
	OPTION_EVENT_FORMATS	= 18,
	OPTION_KALLSYMS		= 19,
	OPTION_PRINTK		= 20,
	OPTION_CMDLINES		= 21,
};

/* The section that has options, and the flag of one that is compressed. */
#define SECTION_OPTIONS		0
#define SECTION_COMPRESSED	1

/* The headers of a section, of what is compressed in it, and of an option [bytes]. */
#define SECTION_HEADER		16
#define COMPRESSED_HEADER	8
#define OPTION_HEADER		6

#endif /* HYPTRACE_TRACEDAT_FORMAT_H */
