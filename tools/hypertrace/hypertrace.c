// SPDX-License-Identifier: GPL-2.0-only
/*
 * libhypertrace: a program in a virtual machine records events in the trace of its hypervisor.
 *
 * Each call of a function is one write to the device (linux/hypertrace.h), so the functions need
 * neither memory nor locks, and what two threads record is never mixed.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/hypertrace.h>

#include "hypertrace.h"

#define DEVICE	"/dev/hypertrace"

/* One write to the device. The text has room for the 0 of vsnprintf(), which is not written. */
struct message {
	struct hypertrace_write	head;
	union {
		uint64_t	args[HYPERTRACE_MAX_ARGS];
		char		text[HYPERTRACE_MAX_TEXT + 1];
	};
};

/* A handle of zeros has no channel, so the device must not be 0, where the standard input was. */
static int open_device(void)
{
	int error, fd = open(DEVICE, O_WRONLY | O_CLOEXEC), other;

	if (fd)
		return fd;
	other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	error = errno;
	close(fd);
	errno = error;
	return other;
}

static bool is_open(const struct hypertrace *ht)
{
	return ht->fd > 0;
}

/**
 * hypertrace_init() - open the channel to the hypervisor
 * @ht:		is set, also if that fails
 *
 * A program may go on if that fails: the other functions then do nothing, and return -ENODEV.
 *
 * Context: any thread; not in a signal handler.
 * Return: 0; -ENOENT or -ENODEV if this machine has no channel; -EACCES or -EPERM if the user may
 *	   not use it; -EPROTONOSUPPORT if the device is of another version; another error of
 *	   open(2) or ioctl(2)
 */
int hypertrace_init(struct hypertrace *ht)
{
	struct hypertrace_info info;
	int ret = 0;

	ht->client = 0;
	ht->fd = open_device();
	if (ht->fd < 0)
		return -errno;

	if (ioctl(ht->fd, HYPERTRACE_GET_INFO, &info))
		ret = -errno;
	else if (info.version != HYPERTRACE_VERSION)
		ret = -EPROTONOSUPPORT;
	if (ret) {
		hypertrace_close(ht);
		return ret;
	}

	ht->client = info.client;
	return 0;
}

/**
 * hypertrace_close() - close the channel
 * @ht:		what hypertrace_init() has set; may be closed already, or only zeros
 *
 * The other functions do nothing from then on.
 *
 * Context: any thread, while no other one uses @ht.
 */
void hypertrace_close(struct hypertrace *ht)
{
	if (is_open(ht))
		close(ht->fd);
	ht->fd = -1;
}

/*
 * Write a message with @size bytes behind its head. The device never takes a part of it. errno is
 * the program's, which may be between a call and the message about its failure.
 */
static int send_message(const struct hypertrace *ht, const struct message *message, size_t size)
{
	int ret, saved = errno;
	ssize_t written;

	do {
		written = write(ht->fd, message, sizeof(message->head) + size);
	} while (written < 0 && errno == EINTR);

	ret = written < 0 ? -errno : 0;
	errno = saved;
	return ret;
}

/**
 * hypertrace_emit() - record an event
 * @ht:		who records it
 * @id:		the event
 * @args:	its arguments; may be NULL if there are none
 * @count:	the number of arguments, 16 at most
 *
 * If nobody records events just now, the function succeeds.
 *
 * Context: any thread, also in a signal handler. Keeps errno.
 * Return: 0; -EINVAL if there are too many arguments; -ENODEV without a channel; -EAGAIN if the
 *	   host's limit does not allow more events just now; -EOPNOTSUPP if the host does not allow
 *	   them any more
 */
int hypertrace_emit(const struct hypertrace *ht, uint32_t id, const uint64_t *args,
		    unsigned int count)
{
	struct message message;

	if (count > HYPERTRACE_MAX_ARGS)
		return -EINVAL;
	if (!is_open(ht))
		return -ENODEV;

	message.head = (struct hypertrace_write) { .id = id, .kind = HYPERTRACE_EVENT };
	if (count)
		memcpy(message.args, args, count * sizeof(*args));
	return send_message(ht, &message, count * sizeof(*args));
}

/**
 * hypertrace_name() - give an event a name, and its arguments
 * @ht:		who names it
 * @id:		the event
 * @name:	its name and those of its arguments, with spaces between them, 1 to 112 bytes
 *
 * An argument whose name ends in ":x" is printed in hexadecimal, without that ending. The host
 * keeps 256 names of a VM: an id means the same for all of its programs.
 *
 * Context: any thread, also in a signal handler. Keeps errno.
 * Return: 0; -EINVAL if @name is empty or too long; -ENODEV without a channel; -EAGAIN if the host
 *	   takes no more names; -EOPNOTSUPP if the host does not allow it any more
 */
int hypertrace_name(const struct hypertrace *ht, uint32_t id, const char *name)
{
	size_t length = strlen(name);
	struct message message;

	if (!length || length > HYPERTRACE_MAX_TEXT)
		return -EINVAL;
	if (!is_open(ht))
		return -ENODEV;

	message.head = (struct hypertrace_write) { .id = id, .kind = HYPERTRACE_NAME };
	memcpy(message.text, name, length);
	return send_message(ht, &message, length);
}

/**
 * hypertrace_mark() - record a text
 * @ht:		who records it
 * @fmt:	a format as of printf(3); what is longer than 112 bytes is cut
 * @...:	the format's arguments
 *
 * Context: any thread; not in a signal handler, because of the format. Keeps errno.
 * Return: 0; -ENODEV without a channel; -EAGAIN and -EOPNOTSUPP as hypertrace_emit(); an error of
 *	   vsnprintf(3)
 */
int hypertrace_mark(const struct hypertrace *ht, const char *fmt, ...)
{
	int length, error, saved = errno;
	struct message message;
	va_list args;

	if (!is_open(ht))
		return -ENODEV;

	message.head = (struct hypertrace_write) { .kind = HYPERTRACE_MARK };
	va_start(args, fmt);
	length = vsnprintf(message.text, sizeof(message.text), fmt, args);
	va_end(args);
	error = -errno;
	errno = saved;
	if (length < 0)
		return error;

	if (length > HYPERTRACE_MAX_TEXT)
		length = HYPERTRACE_MAX_TEXT;
	return send_message(ht, &message, length);
}
