// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads hyp/totals. Its numbers only grow, so whoever wants those of some time takes the
 * difference, and disturbs nobody else.
 */

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hyp.h"
#include "keeper.h"
#include "totals.h"
#include "vmm.h"

static char *file_read(const char *file)
{
	char *text = tracefs_instance_file_read(hyp_open(), file, NULL);

	if (!text)
		err(1, HYP_INSTANCE "/%s: this kernel keeps no totals, or out of memory", file);
	return text;
}

/* "32:5 64:7 inf:1" */
static bool parse_histogram(struct row *row, char *text)
{
	uint64_t count, sum = 0;
	char bound[24], *bucket;
	int i;

	while ((bucket = strsep(&text, " "))) {
		if (sscanf(bucket, "%23[^:]:%" SCNu64, bound, &count) != 2)
			return false;
		i = bucket_of_bound(bound);
		if (i < 0)
			return false;
		row->bucket[i] = count;
		sum += count;
	}
	return sum == row->count;
}

static bool parse_row(struct table *table, char *line)
{
	char kind[16], reason[REASON_SIZE];
	struct key key = { 0 };
	struct row *row;
	int at = 0;

	if (sscanf(line, "%u\t%u\t%15s\t%63s\t%n", &key.vm, &key.vcpu, kind, reason, &at) != 4 ||
	    !at)
		return false;
	key.kind = kind_of(kind);
	if (key.kind == NR_KINDS)
		return false;
	key.reason = intern(reason);
	row = table_row(table, &key);
	line += at;
	at = 0;
	return sscanf(line, "%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%n", &row->count,
		      &row->total, &row->min, &row->max, &at) == 4 && at &&
	       parse_histogram(row, line + at);
}

/* "1\t59\tgone\t59,60": numbers, pids, states and the threads of the vCPUs */
static bool parse_vm(struct table *table, char *line)
{
	unsigned int number, vcpu = 0;
	int pid, at = 0;
	char state[8], *tid;
	struct vm *vm;

	if (sscanf(line, "%u\t%d\t%7s\t%n", &number, &pid, state, &at) != 3 || !at)
		return false;
	vm = table_vm(table, number);
	vm->pid = pid;
	vm->state = strcmp(state, "gone") ? VM_ALIVE : VM_GONE;
	line += at;
	while (line && *line) {
		tid = strsep(&line, ",");
		vm_set_tid(vm, vcpu++, atoi(tid));
	}
	return true;
}

/* Read a file of lines, the first of which names the columns. */
static void read_lines(const char *file, struct table *table,
		       bool (*parse)(struct table *table, char *line))
{
	char *text = file_read(file), *rest = text, *line;

	strsep(&rest, "\n");
	while ((line = strsep(&rest, "\n")) && *line)
		if (!parse(table, line))
			errx(1, HYP_INSTANCE "/%s: can't be understood: %s", file, line);
	free(text);
}

/**
 * totals_read() - read the totals
 *
 * Return: the table
 */
struct table *totals_read(void)
{
	struct table *table = table_new();

	table->has_bounds = true;
	read_lines("totals/table", table, parse_row);
	read_lines("totals/vms", table, parse_vm);
	return table;
}

/**
 * totals_vms() - the VMs that have numbers, whether or not the hypervisor keeps totals
 *
 * Return: a table without rows
 */
struct table *totals_vms(void)
{
	struct table *table = table_new();

	read_lines("totals/vms", table, parse_vm);
	return table;
}

/**
 * totals_name_vms() - find out what processes call their VMs
 * @table:	has the VMs, as they are on this machine now
 *
 * Another process may have the pid of one that is gone.
 */
void totals_name_vms(struct table *table)
{
	struct vm *vm;
	char *name;

	for (vm = table->vm; vm < table->vm + table->nr_vms; vm++) {
		if (vm->state != VM_ALIVE)
			continue;
		name = vmm_name(vm->pid);
		vm->name = intern(name);
		free(name);
	}
}

/**
 * totals_are_on() - does the hypervisor keep totals?
 *
 * Return: true if it does
 */
bool totals_are_on(void)
{
	char *text = file_read("totals/enable");
	bool on = atoi(text);

	free(text);
	return on;
}

/**
 * totals_start() - let the hypervisor keep totals until this program ends
 *
 * If it keeps them already, it goes on afterwards. If it can't, the program ends with the reason.
 */
void totals_start(void)
{
	if (totals_are_on())
		return;
	keeper_add("totals/enable", "0");
	keeper_start();
	if (tracefs_instance_file_write(hyp_open(), "totals/enable", "1") > 0)
		return;
	if (errno == EPERM)
		errx(1, "tracing is locked until the next boot: boot with kvm-arm.hyp_trace=on");
	if (errno == ENOMEM)
		errx(1, "no memory for the totals");
	err(1, HYP_INSTANCE "/totals/enable");
}
