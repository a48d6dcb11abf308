/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common parts of the tests of hypervisor tracing: tracefs files, CPUs, and a decoder of
 * trace_pipe_raw.
 *
 * The decoder follows the documents of the format, include/linux/ring_buffer.h and
 * events/header_page, not the kernel's code.
 */
#ifndef HYP_TRACE_H
#define HYP_TRACE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define ROOT "/sys/kernel/tracing/"
#define HYP ROOT "hyp/"

/* The size of a page, which is also that of a ring's pages. */
static inline size_t page_size(void)
{
	return getpagesize();
}

#define MAX_PAGE	65536	/* of all kernels, for arrays that are not on the stack */

/*
 * In a page of EL2's ring, the bytes for events and the number of lost ones: a header is
 * before them, and the ring's own number behind.
 */
#define PAGE_OVERHEAD	24

static inline size_t page_data(void)
{
	return page_size() - PAGE_OVERHEAD;
}

#define SELFTEST_SIZE	20	/* of an event, with its header */

/* EL2 leaves room for the number of lost events. */
static inline int events_per_page(void)
{
	return (page_data() - sizeof(uint64_t)) / SELFTEST_SIZE;
}

/* @n events, or KiB, with pages of 4 KiB; with others, what fills as many pages. */
static inline int scaled(int n)
{
	return n * (page_size() / 4096);
}

/* The last four are valid, of each thread. */
static inline const char *path_of(const char *fmt, ...)
{
	static __thread char path[4][256];
	static __thread int i;
	va_list ap;

	i = (i + 1) % 4;
	va_start(ap, fmt);
	vsnprintf(path[i], sizeof(path[i]), fmt, ap);
	va_end(ap);
	return path[i];
}

/* Write a string to a file that is opened with more flags; 0 or -errno. */
static inline int write_to(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | flags), ret = 0;
	size_t len = strlen(text);
	ssize_t n;

	if (fd < 0)
		return -errno;
	/* Some files take a word at a time. */
	do {
		n = write(fd, text, len);
		if (n < 0) {
			ret = -errno;
			break;
		}
		text += n;
		len -= n;
	} while (n && len);
	close(fd);
	return ret;
}

static inline int put(const char *path, const char *text)
{
	return write_to(path, O_TRUNC, text);
}

/* Append to a file: put() opens with O_TRUNC, which empties some. */
static inline int append(const char *path, const char *text)
{
	return write_to(path, O_APPEND, text);
}

static inline int put_num(const char *path, unsigned long long value)
{
	char text[24];

	sprintf(text, "%llu", value);
	return put(path, text);
}

/* Read a whole file into a buffer, which the caller frees. */
static inline char *get(const char *path)
{
	size_t size = 1 << 16, len = 0;
	char *text = malloc(size);
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	ssize_t n;

	text[0] = 0;
	if (fd < 0)
		return text;
	while ((n = read(fd, text + len, size - len - 1)) > 0) {
		len += n;
		text[len] = 0;
		if (size - len < 1 << 15)
			text = realloc(text, size *= 2);
	}
	close(fd);
	return text;
}

/* The number after @key in a file, or the only one if @key is ""; -1 if there is none. */
static inline long long get_num(const char *path, const char *key)
{
	char *text = get(path), *at = strstr(text, key), *end;
	long long value = -1;

	if (at) {
		at += strlen(key);
		value = strtoll(at, &end, 10);
		if (end == at)
			value = -1;
	}
	free(text);
	return value;
}

/* The number of occurrences of @what in a text. */
static inline int count_of(const char *text, const char *what)
{
	int count = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		count++;
	}
	return count;
}

static inline long long stat_of(int cpu, const char *key)
{
	return get_num(path_of(HYP "per_cpu/cpu%d/stats", cpu), key);
}

static inline bool exists(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

static inline uint64_t boot_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static inline int run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

/* Is a thread in an interruptible sleep? */
static inline bool is_sleeping(pid_t tid)
{
	char *text = get(path_of("/proc/%d/stat", tid));
	bool sleeps = strstr(text, ") S ");

	free(text);
	return sleeps;
}

static inline int nr_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_CONF);
}

/* Does the kernel's command line have this text? */
static inline bool cmdline_has(const char *what)
{
	char *cmdline = get("/proc/cmdline");
	bool has = strstr(cmdline, what);

	free(cmdline);
	return has;
}

/* The rings are in memory of a fixed size, which is never freed. */
static inline bool memory_is_reserved(void)
{
	return cmdline_has("kvm-arm.hyp_trace_mem=");
}

/* Is the kernel this one, or a later one? */
static inline bool is_since(int version, int patchlevel)
{
	struct utsname name;
	int is[2] = { 0 };

	if (uname(&name) || sscanf(name.release, "%d.%d", &is[0], &is[1]) != 2)
		return false;
	return is[0] > version || (is[0] == version && is[1] >= patchlevel);
}

static inline bool is_protected(void)
{
	return cmdline_has("kvm-arm.mode=protected");
}

static inline bool interrupts_have(const char *name)
{
	char *text = get("/proc/interrupts");
	bool have = strstr(text, name);

	free(text);
	return have;
}

static inline bool has_gicv3(void)
{
	return interrupts_have("GICv3");
}

/*
 * KVM knows the interrupt controller: a GICv3, or a GICv2 that can be virtualized. And there is an
 * interrupt that is the same on each CPU.
 */
static inline bool el2_can_ring(void)
{
	return interrupts_have("vgic") && !cmdline_has("hyp_trace_no_doorbell");
}

/* Emit selftest events @first..@last on this CPU. */
static inline int emit(unsigned long first, unsigned long last)
{
	int fd = open(HYP "write_event", O_WRONLY);
	char text[24];
	int ret = 0;

	if (fd < 0)
		return -errno;
	for (; first <= last && !ret; first++)
		if (write(fd, text, sprintf(text, "%lu", first)) < 0)
			ret = -errno;
	close(fd);
	return ret;
}

/* Between two events that are so far apart there is a time extend, if they are in one page. */
#define TIME_EXTEND_NS	134217728	/* 2^27 */

/* Emit events 1..@last, or up to one that may need a time extend; returns how many. */
static inline int emit_up_to_extend(int fd, int last)
{
	uint64_t before = boot_ns(), begun;
	char text[24];
	int id;

	for (id = 1; id <= last; id++) {
		begun = boot_ns();
		if (write(fd, text, sprintf(text, "%d", id)) < 0)
			return -errno;
		if (boot_ns() - before >= TIME_EXTEND_NS)
			break;
		before = begun;
	}
	return id - 1;
}

/*
 * Emit events 1..@last into a buffer that is empty: @trace is its file. A time extend takes the
 * place of an event, so if this program was kept from running for too long, it begins anew: how
 * many events a page has does not depend on what else the machine does.
 */
static inline int emit_evenly(int fd, const char *trace, int last)
{
	int ret;

	do {
		ret = put(trace, "") ?: emit_up_to_extend(fd, last);
	} while (ret >= 0 && ret < last);
	return ret < 0 ? ret : 0;
}

/* Empty the buffer, and fill @pages pages of this CPU, with events_per_page() each. */
static inline int emit_pages(int pages)
{
	int fd = open(HYP "write_event", O_WRONLY), ret;

	if (fd < 0)
		return -errno;
	ret = emit_evenly(fd, HYP "trace", pages * events_per_page());
	close(fd);
	return ret;
}

/* The ids below 64 of an event's lines in a trace; its text begins with the id. */
static inline uint64_t ids_in(const char *file, const char *event)
{
	const char *start = path_of(" %s: id=", event), *at;
	char *text = get(file);
	uint64_t ids = 0;

	for (at = text; (at = strstr(at, start)); at++)
		ids |= 1ull << strtoul(at + strlen(start), NULL, 10) % 64;
	free(text);
	return ids;
}

static inline int event_id(const char *name)
{
	/* Without perf events there is no file "id". */
	return get_num(path_of(HYP "events/hyp/%s/format", name), "ID:");
}

/* Is this true of each event of the hypervisor? @is_so is called for all of them. */
static inline bool of_all_events(bool (*is_so)(const char *event))
{
	DIR *dir = opendir(HYP "events/hyp");
	struct dirent *e;
	bool ok = dir;

	while (dir && (e = readdir(dir)))
		if (exists(path_of(HYP "events/hyp/%s/format", e->d_name)))
			ok &= is_so(e->d_name);
	if (dir)
		closedir(dir);
	return ok;
}

/* A decoded event. */
struct event {
	uint64_t	ts;		/* [ns] */
	uint64_t	lost;		/* events missing before this one */
	uint16_t	type;
	int32_t		pid;
	const uint8_t	*payload;	/* behind the struct trace_entry */
	unsigned int	size;		/* of the payload */
};

static inline uint64_t payload_u64(const struct event *e)
{
	uint64_t value;

	memcpy(&value, e->payload, sizeof(value));
	return value;
}

typedef void (*event_fn)(void *data, const struct event *e);

/*
 * Skip padding, whose header precedes @p: a discarded event, or the rest of the page.
 * Returns NULL if it is malformed.
 */
static inline const uint8_t *skip_padding(uint32_t head, const uint8_t *p,
					  const uint8_t *end)
{
	uint32_t len;

	if ((head & 31) != 29)
		return NULL;
	if (!(head >> 5))
		return end;
	if (p + 4 > end)
		return NULL;
	memcpy(&len, p, 4);
	return len <= end - p ? p + len : NULL;
}

/*
 * Decode one page; returns the number of events, or -1 if the page is malformed. Pages of
 * the host's own buffers may have padding, the hypervisor's have none.
 */
static inline int decode_any_page(const uint8_t *page, bool padded, event_fn fn,
				  void *data)
{
	const uint8_t *p = page + 16, *end;
	uint64_t ts, commit, lost = 0;
	int count = 0;

	memcpy(&ts, page, 8);
	memcpy(&commit, page + 8, 8);
	end = p + (commit & 0x3fffffff);
	if (end > page + page_size())
		return -1;
	if (commit & 1u << 31) {
		lost = UINT64_MAX;
		if (commit & 1u << 30)
			memcpy(&lost, end, 8);
	}

	while (p < end) {
		struct event e = { };
		uint32_t head, len;

		memcpy(&head, p, 4);
		p += 4;
		ts += head >> 5;
		if ((head & 31) == 30) {		/* time extend */
			memcpy(&len, p, 4);
			ts += (uint64_t)len << 27;
			p += 4;
			continue;
		}
		if ((head & 31) > 28) {
			p = padded ? skip_padding(head, p, end) : NULL;
			if (!p)
				return -1;
			continue;
		}
		if (head & 31) {
			len = (head & 31) * 4;
		} else {
			memcpy(&len, p, 4);
			len -= 4;
			p += 4;
		}
		if (p + len > end || len < 8)
			return -1;

		e.ts = ts;
		e.lost = lost;
		lost = 0;
		memcpy(&e.type, p, 2);
		memcpy(&e.pid, p + 4, 4);
		e.payload = p + 8;
		e.size = len - 8;
		p += len;
		count++;
		if (fn)
			fn(data, &e);
	}

	return count;
}

static inline int decode_page(const uint8_t *page, event_fn fn, void *data)
{
	return decode_any_page(page, false, fn, data);
}

/* Decode all unread events of a CPU; returns their number, or -1. */
static inline int read_raw(int cpu, event_fn fn, void *data)
{
	int fd = open(path_of(HYP "per_cpu/cpu%d/trace_pipe_raw", cpu),
		      O_RDONLY | O_NONBLOCK);
	uint8_t page[page_size()];
	int count = 0, n;

	if (fd < 0)
		return -1;
	while (read(fd, page, sizeof(page)) == sizeof(page)) {
		n = decode_page(page, fn, data);
		if (n < 0) {
			count = -1;
			break;
		}
		count += n;
	}
	close(fd);
	return count;
}

/* As in asm/hyptrace.h, which user space cannot include. */
enum hyp_trace_test_action {
	HYP_TRACE_TEST_PANIC,
	HYP_TRACE_TEST_PANIC_LOCKED,
	HYP_TRACE_TEST_PANIC_WRITING,
	HYP_TRACE_TEST_WITHHOLD,
	HYP_TRACE_TEST_STEP,
	HYP_TRACE_TEST_QUIET,
	HYP_TRACE_TEST_SAY,
	HYP_TRACE_TEST_MEMORY,
	HYP_TRACE_TEST_PANIC_SWAPPED,
	HYP_TRACE_TEST_PANIC_TWICE,
	HYP_TRACE_TEST_FIELDS,
	HYP_TRACE_TEST_EMIT,
	HYP_TRACE_TEST_TREE,
	HYP_TRACE_TEST_RECURSE,
	HYP_TRACE_TEST_TEXT,
	HYP_TRACE_TEST_STACK,
	HYP_TRACE_TEST_REFUSE,
	HYP_TRACE_TEST_RESULTS,
};

/*
 * Turn a CPU on or off; 0 or -errno. The kernel waits for 100 ms until a CPU is off. If QEMU had no
 * time for it until then, firmware refuses to turn it on, with EINVAL, until it is off.
 */
static inline int set_online(int cpu, bool online)
{
	int tries = 100, ret;

	do {
		ret = put_num(path_of("/sys/devices/system/cpu/cpu%d/online", cpu), online);
		if (ret != -EINVAL)
			break;
		usleep(100000);
	} while (--tries);
	return ret;
}

/* Have EL2 do something for a test, on this CPU; 0 or -errno. */
static inline int write_test(enum hyp_trace_test_action action, unsigned long arg)
{
	return put(HYP "write_test", path_of("%d %lu", action, arg));
}

#endif /* HYP_TRACE_H */
