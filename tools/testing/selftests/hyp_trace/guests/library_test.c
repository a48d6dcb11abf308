// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests libhypertrace (tools/hypertrace) without a device: a socket that keeps the bounds of
 * writes is in its place. The linker replaces open() and ioctl().
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wchar.h>

#include <linux/hypertrace.h>

#include "../ring/tap.h"
#include "hypertrace.h"

/* What is written, by the ABI: places and sizes of fields. All behind the kind is reserved. */
#define ID_AT		0
#define ID_SIZE		4
#define KIND_AT		4
#define HEAD_SIZE	8
#define ARG_SIZE	8
#define MAX_ARGS	16
#define MAX_TEXT	112

#define KIND_EVENT	0
#define KIND_MARK	1
#define KIND_NAME	2

#define ID		0x87654321u
#define CLIENT		0xfedc
#define UNTOUCHED	4711

/* What arrives at the device. */
static int device;
static struct hypertrace ht;
static unsigned char got[2 * (HEAD_SIZE + MAX_ARGS * ARG_SIZE)];

/* The device ------------------------------------------------------------------------ */

/* What open() and ioctl() return. */
static int fd_of_open, error_of_ioctl;
static uint32_t version;

int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_open(const char *path, int flags, ...)
{
	CHECK(!strcmp(path, "/dev/hypertrace"), "%s", path);
	CHECK(flags == (O_WRONLY | O_CLOEXEC), "0x%x", flags);
	if (fd_of_open < 0)
		errno = ENOENT;
	return fd_of_open;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct hypertrace_info *info;
	va_list args;

	va_start(args, request);
	info = va_arg(args, struct hypertrace_info *);
	va_end(args);

	CHECK((fd == fd_of_open || (!fd_of_open && fd > STDERR_FILENO)) &&
	      request == HYPERTRACE_GET_INFO, "%d 0x%lx", fd, request);
	*info = (struct hypertrace_info) { .version = version, .client = CLIENT };
	errno = error_of_ioctl;
	return error_of_ioctl ? -1 : 0;
}

static void begin(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)) {
		perror("socketpair");
		exit(1);
	}
	device = pair[0];
	fd_of_open = pair[1];
	ht = (struct hypertrace) { .fd = pair[1], .client = CLIENT };
	error_of_ioctl = 0;
	version = 1;
	errno = UNTOUCHED;
}

static void end(void)
{
	CHECK(errno == UNTOUCHED, "%d", errno);
	hypertrace_close(&ht);
	close(device);
}

/* The size of the next write, which is in @got then, or -1 if there is none. */
static ssize_t receive(int flags)
{
	return recv(device, got, sizeof(got), flags);
}

static bool nothing_came(void)
{
	int saved = errno;
	bool nothing = receive(MSG_DONTWAIT) == -1 && errno == EAGAIN;

	errno = saved;
	return nothing;
}

/* The number at a place of what has arrived, least significant byte first. */
static uint64_t number_at(int at, int size)
{
	uint64_t number = 0;

	while (size--)
		number = number << 8 | got[at + size];
	return number;
}

/* The argument @i of what has arrived. */
static uint64_t arg(int i)
{
	return number_at(HEAD_SIZE + i * ARG_SIZE, ARG_SIZE);
}

/* Has just one write of that size arrived, with this head? */
static bool came(unsigned int kind, uint32_t id, size_t size)
{
	ssize_t received = receive(MSG_DONTWAIT);

	return received == (ssize_t)(HEAD_SIZE + size) && number_at(ID_AT, ID_SIZE) == id &&
	       number_at(KIND_AT, HEAD_SIZE - KIND_AT) == kind && nothing_came();
}

static bool text_came(unsigned int kind, uint32_t id, const char *text)
{
	return came(kind, id, strlen(text)) && !memcmp(got + HEAD_SIZE, text, strlen(text));
}

/* Arguments, each of which differs from all others in each byte. */
#define ARG(n)		(UINT64_C(0x0101010101010101) * (n))

/* Has an event arrived with that many of these arguments? */
static bool counted_args_came(int count)
{
	int i;

	if (!came(KIND_EVENT, ID, count * ARG_SIZE))
		return false;
	for (i = 0; i < count; i++)
		if (arg(i) != ARG(i + 1))
			return false;
	return true;
}

/* Events ---------------------------------------------------------------------------- */

static void an_event_is_one_write(void)
{
	uint64_t args[MAX_ARGS];
	int i, ret;

	begin();
	for (i = 0; i < MAX_ARGS; i++)
		args[i] = ARG(i + 1);
	for (i = 0; i <= MAX_ARGS; i++) {
		ret = hypertrace_emit(&ht, ID, args, i);
		CHECK(!ret && counted_args_came(i), "%d: %d", i, ret);
	}
	CHECK(!hypertrace_emit(&ht, ID, NULL, 0) && counted_args_came(0), "no arguments");
	end();
}

static void more_arguments_are_refused(void)
{
	uint64_t args[MAX_ARGS + 1] = { 0 };

	begin();
	CHECK(hypertrace_emit(&ht, ID, args, MAX_ARGS + 1) == -EINVAL && nothing_came(), "17");
	CHECK(hypertrace_emit(&ht, ID, args, UINT_MAX) == -EINVAL && nothing_came(), "many");
	CHECK(hypertrace(&ht, ID, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17) ==
	      -EINVAL && nothing_came(), "the macro");
	end();
}

#define ARGS_1		ARG(1)
#define ARGS_2		ARGS_1, ARG(2)
#define ARGS_3		ARGS_2, ARG(3)
#define ARGS_4		ARGS_3, ARG(4)
#define ARGS_5		ARGS_4, ARG(5)
#define ARGS_6		ARGS_5, ARG(6)
#define ARGS_7		ARGS_6, ARG(7)
#define ARGS_8		ARGS_7, ARG(8)
#define ARGS_9		ARGS_8, ARG(9)
#define ARGS_10		ARGS_9, ARG(10)
#define ARGS_11		ARGS_10, ARG(11)
#define ARGS_12		ARGS_11, ARG(12)
#define ARGS_13		ARGS_12, ARG(13)
#define ARGS_14		ARGS_13, ARG(14)
#define ARGS_15		ARGS_14, ARG(15)
#define ARGS_16		ARGS_15, ARG(16)

#define TRY(count)							\
	CHECK(!hypertrace(&ht, ID, ARGS_##count) && counted_args_came(count), #count)

static void the_macro_counts(void)
{
	begin();
	CHECK(!hypertrace(&ht, ID) && counted_args_came(0), "0");
	TRY(1);
	TRY(2);
	TRY(3);
	TRY(4);
	TRY(5);
	TRY(6);
	TRY(7);
	TRY(8);
	TRY(9);
	TRY(10);
	TRY(11);
	TRY(12);
	TRY(13);
	TRY(14);
	TRY(15);
	TRY(16);
	end();
}

static void the_macro_converts(void)
{
	int minus = -2, evaluated = 0;
	unsigned char byte = 200;
	uint32_t word = 0xffffffff;
	short small = -3;

	begin();
	CHECK(!hypertrace(&ht, ID, minus, byte, word, small, 1 == 1, 'x', ++evaluated, -1LL) &&
	      came(KIND_EVENT, ID, 8 * ARG_SIZE), "an event");
	CHECK(arg(0) == -2ULL && arg(1) == 200 && arg(2) == 0xffffffff && arg(3) == -3ULL &&
	      arg(4) == 1 && arg(5) == 'x' && arg(6) == 1 && arg(7) == -1ULL, "its arguments");
	CHECK(evaluated == 1, "%d", evaluated);
	end();
}

/* Texts ----------------------------------------------------------------------------- */

/* A text of @length bytes, of which no two neighbours are alike. */
static const char *text_of(int length)
{
	static char text[1001];
	int i;

	for (i = 0; i < length; i++)
		text[i] = 'a' + i % 26;
	text[length] = '\0';
	return text;
}

static void a_mark_is_formatted(void)
{
	begin();
	CHECK(!hypertrace_mark(&ht, "sector %d of %s: %m", 42, "vda") &&
	      text_came(KIND_MARK, 0, "sector 42 of vda: Unknown error 4711"), "not so");
	CHECK(!hypertrace_mark(&ht, "%s", "") && text_came(KIND_MARK, 0, ""), "no text");
	end();
}

static void a_mark_is_cut(void)
{
	char cut[MAX_TEXT + 1];

	begin();
	memcpy(cut, text_of(MAX_TEXT), sizeof(cut));
	CHECK(!hypertrace_mark(&ht, "%s", text_of(MAX_TEXT - 1)) &&
	      text_came(KIND_MARK, 0, text_of(MAX_TEXT - 1)), "111");
	CHECK(!hypertrace_mark(&ht, "%s", cut) && text_came(KIND_MARK, 0, cut), "112");
	CHECK(!hypertrace_mark(&ht, "%s", text_of(MAX_TEXT + 1)) &&
	      text_came(KIND_MARK, 0, cut), "113");
	CHECK(!hypertrace_mark(&ht, "%s", text_of(1000)) && text_came(KIND_MARK, 0, cut), "1000");
	end();
}

static void what_cannot_be_formatted_is_refused(void)
{
	static const wchar_t no_character[] = { 0x7fffffff, 0 };

	begin();
	CHECK(hypertrace_mark(&ht, "%ls", no_character) == -EILSEQ && nothing_came(), "not so");
	end();
}

static void an_event_is_named(void)
{
	begin();
	CHECK(!hypertrace_name(&ht, ID, "disk_done sector addr:x") &&
	      text_came(KIND_NAME, ID, "disk_done sector addr:x"), "not so");
	CHECK(!hypertrace_name(&ht, ID, text_of(MAX_TEXT)) &&
	      text_came(KIND_NAME, ID, text_of(MAX_TEXT)), "112");
	CHECK(hypertrace_name(&ht, ID, text_of(MAX_TEXT + 1)) == -EINVAL && nothing_came(), "113");
	CHECK(hypertrace_name(&ht, ID, "") == -EINVAL && nothing_came(), "0");
	end();
}

/* The device, and what it may say --------------------------------------------------- */

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) != -1;
}

static void the_device_is_opened(void)
{
	begin();
	ht = (struct hypertrace) { .fd = -1 };
	CHECK(!hypertrace_init(&ht) && ht.fd == fd_of_open && ht.client == CLIENT, "%d", ht.fd);
	hypertrace_close(&ht);
	CHECK(ht.fd == -1 && !is_open(fd_of_open), "closed");
	errno = UNTOUCHED;
	end();
}

/* The standard input is closed, and the device is what is opened next. */
static void the_device_is_not_0(void)
{
	int input, fd;

	begin();
	input = dup(STDIN_FILENO);
	fd = fd_of_open;
	dup2(fd, STDIN_FILENO);
	fd_of_open = STDIN_FILENO;
	CHECK(!hypertrace_init(&ht) && ht.fd > STDERR_FILENO, "%d", ht.fd);
	CHECK(!is_open(STDIN_FILENO) && (fcntl(ht.fd, F_GETFD) & FD_CLOEXEC), "not moved");
	CHECK(!hypertrace(&ht, ID) && came(KIND_EVENT, ID, 0), "event");
	dup2(input, STDIN_FILENO);
	close(input);
	close(fd);
	errno = UNTOUCHED;
	end();
}

/* All functions must be harmless then. */
static void check_absence(void)
{
	uint64_t args[MAX_ARGS] = { 0 };

	errno = UNTOUCHED;
	CHECK(ht.fd <= 0 && ht.client == 0, "%d %d", ht.fd, ht.client);
	CHECK(hypertrace_emit(&ht, ID, args, MAX_ARGS) == -ENODEV, "emit");
	CHECK(hypertrace(&ht, ID) == -ENODEV && hypertrace(&ht, ID, 1) == -ENODEV, "macro");
	CHECK(hypertrace_name(&ht, ID, "name") == -ENODEV, "name");
	CHECK(hypertrace_mark(&ht, "text %d", 1) == -ENODEV, "mark");
	hypertrace_close(&ht);
}

static void without_a_device_nothing_happens(void)
{
	int fd;

	begin();
	fd = fd_of_open;
	fd_of_open = -1;
	CHECK(hypertrace_init(&ht) == -ENOENT, "init");
	check_absence();
	CHECK(nothing_came(), "something");
	close(fd);
	end();
}

static void zeros_are_no_channel(void)
{
	int input, fd;

	begin();
	input = dup(STDIN_FILENO);
	fd = ht.fd;
	dup2(fd, STDIN_FILENO);
	memset(&ht, 0, sizeof(ht));
	check_absence();
	CHECK(nothing_came() && is_open(STDIN_FILENO), "something");
	dup2(input, STDIN_FILENO);
	close(input);
	close(fd);
	errno = UNTOUCHED;
	end();
}

static void another_version_is_refused(void)
{
	begin();
	version = 2;
	CHECK(hypertrace_init(&ht) == -EPROTONOSUPPORT && !is_open(fd_of_open), "init");
	check_absence();
	end();
}

static void another_device_is_refused(void)
{
	begin();
	error_of_ioctl = ENOTTY;
	CHECK(hypertrace_init(&ht) == -ENOTTY && !is_open(fd_of_open), "init");
	check_absence();
	end();
}

/* Write without waiting, until nothing more fits. */
static unsigned int fill(void)
{
	unsigned int filled = 0;

	fcntl(ht.fd, F_SETFL, O_NONBLOCK);
	while (!hypertrace_emit(&ht, ID, NULL, 0))
		filled++;
	return filled;
}

static void errors_are_returned(void)
{
	begin();
	fill();
	CHECK(hypertrace(&ht, ID, 1, 2) == -EAGAIN, "emit");
	CHECK(hypertrace_name(&ht, ID, "name") == -EAGAIN, "name");
	CHECK(hypertrace_mark(&ht, "text") == -EAGAIN, "mark");
	end();
}

/* Signals and threads --------------------------------------------------------------- */

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
	signals++;
}

/* System calls are interrupted by that signal, and not restarted. */
static void handle(int number, void (*handler)(int))
{
	const struct sigaction action = { .sa_handler = handler };

	signals = 0;
	sigaction(number, &action, NULL);
}

static void *emit_one(void *result)
{
	*(int *)result = hypertrace(&ht, ID, 1);
	return NULL;
}

static void a_signal_does_not_end_a_write(void)
{
	unsigned int i, filled;
	pthread_t thread;
	int result = 1;

	begin();
	handle(SIGUSR1, count_signal);
	filled = fill();
	fcntl(ht.fd, F_SETFL, 0);
	pthread_create(&thread, NULL, emit_one, &result);
	for (i = 0; i < 50; i++) {
		pthread_kill(thread, SIGUSR1);
		usleep(1000);
	}
	for (i = 0; i < filled; i++)
		receive(0);
	pthread_join(thread, NULL);
	CHECK(signals, "no signal");
	CHECK(!result && came(KIND_EVENT, ID, ARG_SIZE), "%d", result);
	end();
}

#define NR_THREADS	4
#define NR_EVENTS	5000

/* What the device must get from a thread, or from a signal handler: events, in this order. */
static unsigned int next_of[NR_THREADS + 1];

/* The event has so many arguments, all of them its number; the id is the thread. */
static unsigned int count_of(unsigned int number)
{
	return 1 + number % MAX_ARGS;
}

static int emit_numbered(const struct hypertrace *ht, uint32_t id, unsigned int number)
{
	uint64_t args[MAX_ARGS];
	unsigned int i;

	for (i = 0; i < MAX_ARGS; i++)
		args[i] = number;
	return hypertrace_emit(ht, id, args, count_of(number));
}

/* Is what has arrived the next event of its thread? */
static bool is_next(ssize_t size)
{
	uint64_t id = number_at(ID_AT, ID_SIZE);
	unsigned int i, number;

	if (size < HEAD_SIZE || number_at(KIND_AT, HEAD_SIZE - KIND_AT) || id > NR_THREADS)
		return false;
	number = next_of[id]++;
	if (size != HEAD_SIZE + count_of(number) * ARG_SIZE)
		return false;
	for (i = 0; i < count_of(number); i++)
		if (arg(i) != number)
			return false;
	return true;
}

/* Receive as many events; returns how many are as they should be. */
static unsigned int receive_numbered(unsigned int events)
{
	unsigned int good = 0;

	while (events--)
		good += is_next(receive(0));
	return good;
}

struct worker {
	pthread_t	thread;
	uint32_t	id;
	int		errors;
};

static void *work(void *argument)
{
	struct worker *worker = argument;
	unsigned int i;

	for (i = 0; i < NR_EVENTS; i++)
		worker->errors += emit_numbered(&ht, worker->id, i) != 0;
	return NULL;
}

static void threads_share_a_handle(void)
{
	struct worker workers[NR_THREADS] = { 0 };
	unsigned int i, good;

	begin();
	memset(next_of, 0, sizeof(next_of));
	for (i = 0; i < NR_THREADS; i++) {
		workers[i].id = i;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	good = receive_numbered(NR_THREADS * NR_EVENTS);
	CHECK(good == NR_THREADS * NR_EVENTS && nothing_came(), "%u", good);
	for (i = 0; i < NR_THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		CHECK(!workers[i].errors, "%u: %d", i, workers[i].errors);
	}
	end();
}

/* The id of the handler's events. */
#define HANDLER		NR_THREADS

static void emit_in_handler(int number)
{
	emit_numbered(&ht, HANDLER, signals++);
}

/* The handler's last events fit into the socket: all others have been received. */
static void a_signal_handler_records(void)
{
	unsigned int received = 0, good = 0;
	struct worker worker = { 0 };

	begin();
	memset(next_of, 0, sizeof(next_of));
	handle(SIGUSR1, emit_in_handler);
	pthread_create(&worker.thread, NULL, work, &worker);
	while (next_of[0] < NR_EVENTS && good == received) {
		if (received++ % 8 == 0)
			pthread_kill(worker.thread, SIGUSR1);
		good += receive_numbered(1);
	}
	pthread_join(worker.thread, NULL);
	good += receive_numbered(signals - next_of[HANDLER]);
	CHECK(good == NR_EVENTS + (unsigned int)signals && nothing_came(), "%u", good);
	CHECK(signals && !worker.errors, "%d %d", (int)signals, worker.errors);
	end();
}

static const struct test tests[] = {
	TEST(an_event_is_one_write),
	TEST(more_arguments_are_refused),
	TEST(the_macro_counts),
	TEST(the_macro_converts),
	TEST(a_mark_is_formatted),
	TEST(a_mark_is_cut),
	TEST(what_cannot_be_formatted_is_refused),
	TEST(an_event_is_named),
	TEST(the_device_is_opened),
	TEST(the_device_is_not_0),
	TEST(without_a_device_nothing_happens),
	TEST(zeros_are_no_channel),
	TEST(another_version_is_refused),
	TEST(another_device_is_refused),
	TEST(errors_are_returned),
	TEST(a_signal_does_not_end_a_write),
	TEST(threads_share_a_handle),
	TEST(a_signal_handler_records),
};

int main(void)
{
	/* What does not arrive is waited for. */
	alarm(300);
	return run_tests("library", tests, sizeof(tests) / sizeof(tests[0]));
}
