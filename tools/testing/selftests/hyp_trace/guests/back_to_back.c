// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs in a Linux guest: records an event in the hypervisor's trace and a marker in the guest's own
 * trace, one right after the other, again and again. Both have the same number.
 *
 * usage: back_to_back FIRST END
 */

#include <err.h>
#include <fcntl.h>
#include <linux/hypertrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EVENT	500

int main(int argc, char **argv)
{
	struct {
		struct hypertrace_write	head;
		unsigned long long	number;
	} event = { .head = { .id = EVENT, .kind = HYPERTRACE_EVENT } };
	int device = open("/dev/hypertrace", O_WRONLY), marker, len;
	unsigned long end = argc == 3 ? strtoul(argv[2], NULL, 0) : 0;
	char text[32];

	if (!end)
		errx(2, "usage: back_to_back FIRST END");
	marker = open("/sys/kernel/tracing/trace_marker", O_WRONLY);
	if (device < 0 || marker < 0)
		err(1, "/dev/hypertrace or trace_marker");
	event.number = strtoul(argv[1], NULL, 0);
	while (event.number < end) {
		len = snprintf(text, sizeof(text), "sync %llu", event.number);
		if (write(device, &event, sizeof(event)) != sizeof(event) ||
		    write(marker, text, len) != len)
			err(1, "write");
		event.number++;
	}
	return 0;
}
