// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marks in a recording. They are records of ftrace's trace_marker in the host's buffer, and so all
 * tools show them.
 */

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "marks.h"
#include "origin.h"
#include "table.h"
#include "totals.h"
#include "vmm.h"

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/**
 * mark_clocks() - note what other clocks say
 * @instance:	where to
 * @when:	at which part of the recording: "start" or "end"
 */
void mark_clocks(struct tracefs_instance *instance, const char *when)
{
	const uint64_t boot = now_ns(CLOCK_BOOTTIME), mono = now_ns(CLOCK_MONOTONIC);

	if (tracefs_printf(instance,
			   "hyptrace: clock at=%s boot=%" PRIu64 " mono=%" PRIu64 " real=%" PRIu64,
			   when, boot, mono, now_ns(CLOCK_REALTIME)) < 0)
		warn("trace_marker");
}

/**
 * mark_origin() - note where, when and of what the recording is
 * @instance:	where to
 * @command:	the command that is recorded, NULL if there is none
 */
void mark_origin(struct tracefs_instance *instance, char **command)
{
	char *text = origin_text(command);

	if (tracefs_printf(instance, "hyptrace: origin=%s", text) < 0)
		warn("trace_marker");
	free(text);
}

static void mark_vm(struct tracefs_instance *instance, const struct vm *vm)
{
	/* Another process may have the pid of one that is gone. */
	char *name = vm->state == VM_GONE ? xstrdup("?") : vmm_name(vm->pid);

	/* The name comes last, since it may have spaces. */
	if (tracefs_printf(instance, "hyptrace: vm=%u pid=%d name=%s", vm->number, vm->pid,
			   name) < 0)
		warn("trace_marker");
	free(name);
}

/**
 * mark_vms() - note the VMs that have not been noted yet
 * @instance:	where to, always the same
 *
 * The first time, those that are gone already are left out.
 */
void mark_vms(struct tracefs_instance *instance)
{
	static unsigned int last;
	static bool is_later;
	struct table *vms = totals_vms();
	unsigned int highest = last;
	const struct vm *vm;

	/* Numbers only grow. */
	for (vm = vms->vm; vm < vms->vm + vms->nr_vms; vm++) {
		if (vm->number > last && (is_later || vm->state != VM_GONE))
			mark_vm(instance, vm);
		if (vm->number > highest)
			highest = vm->number;
	}
	last = highest;
	is_later = true;
	table_free(vms);
}
