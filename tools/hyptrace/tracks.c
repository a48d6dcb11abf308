// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracks of a file for Perfetto: each VM is a process, with its vCPUs; each CPU is below
 * "hypervisor". A track is there once something is on it.
 */

#include <stdio.h>
#include <stdlib.h>

#include "basics.h"
#include "tracks.h"

/*
 * If a VM's process is not known, or is another VM's, too, the VM gets a pid that Linux has for
 * none (PID_MAX_LIMIT is 2^22): Perfetto has only one process with a pid.
 */
#define FIRST_PID	0x40000000

/* VMs come first, by their numbers, which have 16 bits. */
#define RANK_CPUS	0x10000

/* "VM 65535 ", and a name */
#define NAME_SIZE	160

/* Below a VM, and below a vCPU */
enum {
	RANK_MEMORY,
	RANK_VCPUS,
};

enum {
	RANK_EL2,
	RANK_GUEST,
};

/* A VM's tracks */
struct vm_tracks {
	struct track	*process, *memory;
	const char	*name;		/* the process's, from intern() */
	pid_t		pid;
};

/* A vCPU's tracks, which are vcpu->drawing */
struct vcpu_tracks {
	unsigned int		vm, index;
	struct track		*state, *el2, *guest;
	struct vcpu_tracks	*next;		/* another vCPU's */
};

/**
 * struct tracks - the tracks of a file
 * @perfetto:	the file
 * @recording:	what is written; it has the VMs' names
 * @vm:		tracks of VMs, by their numbers; NULL if there are none
 * @nr_vms:	number of elements in @vm
 * @vcpu:	tracks of a vCPU, and behind it of all others
 * @cpus:	the track that CPUs are below, or NULL
 * @cpu:	tracks of CPUs; NULL if there is none
 * @nr_cpus:	number of elements in @cpu
 */
struct tracks {
	struct perfetto		*perfetto;
	const struct recording	*recording;
	struct vm_tracks	**vm;
	size_t			nr_vms;
	struct vcpu_tracks	*vcpu;
	struct track		*cpus, **cpu;
	size_t			nr_cpus;
};

/**
 * tracks_new() - there are no tracks yet
 * @perfetto:	the file
 * @recording:	what will be written
 *
 * Return: the tracks, for tracks_free()
 */
struct tracks *tracks_new(struct perfetto *perfetto, const struct recording *recording)
{
	struct tracks *t = xzalloc(sizeof(*t));

	t->perfetto = perfetto;
	t->recording = recording;
	return t;
}

static void name_vm(char name[NAME_SIZE], unsigned int number, const char *of_process)
{
	if (number)
		snprintf(name, NAME_SIZE, "VM %u%s%s", number, *of_process ? " " : "", of_process);
	else
		snprintf(name, NAME_SIZE, "VM ?");
}

static pid_t pid_for(const struct tracks *t, const struct vm *vm, unsigned int number)
{
	size_t i;

	for (i = 0; vm && vm->pid && i < t->nr_vms; i++)
		if (t->vm[i] && t->vm[i]->pid == vm->pid)
			return FIRST_PID + number;
	return vm && vm->pid ? vm->pid : FIRST_PID + number;
}

static struct vm_tracks *vm_tracks(struct tracks *t, unsigned int number)
{
	const struct vm *vm = table_find_vm(t->recording->table, number);
	struct track_kind kind = { .rank = number };
	struct vm_tracks *tracks;
	char name[NAME_SIZE];

	t->vm = xgrow(t->vm, &t->nr_vms, number + 1, sizeof(*t->vm));
	if (t->vm[number])
		return t->vm[number];
	tracks = xzalloc(sizeof(*tracks));
	tracks->pid = pid_for(t, vm, number);
	tracks->name = vm && vm->name ? vm->name : "";
	t->vm[number] = tracks;
	name_vm(name, number, tracks->name);
	kind.name = name;
	kind.pid = tracks->pid;
	tracks->process = track_new(t->perfetto, &kind);
	return tracks;
}

/* Until an event has told which vCPU it is, it is its thread's. */
static struct vcpu_tracks *vcpu_tracks(struct tracks *t, struct vcpu *vcpu)
{
	struct vcpu_tracks *tracks = vcpu->drawing;
	struct track_kind kind = { .rank = RANK_VCPUS + vcpu->index };
	char name[32];

	if (tracks && tracks->vm == vcpu->vm && tracks->index == vcpu->index)
		return tracks;
	if (!tracks) {
		tracks = xzalloc(sizeof(*tracks));
		tracks->next = t->vcpu;
		t->vcpu = tracks;
		vcpu->drawing = tracks;
	}
	*tracks = (struct vcpu_tracks) {
		.vm = vcpu->vm, .index = vcpu->index, .next = tracks->next };
	if (vcpu->vm)
		snprintf(name, sizeof(name), "vCPU %u", vcpu->index);
	else
		snprintf(name, sizeof(name), "thread %d", vcpu->tid);
	kind.name = name;
	kind.parent = vm_tracks(t, vcpu->vm)->process;
	tracks->state = track_new(t->perfetto, &kind);
	return tracks;
}

/* Get a track, or make it. */
static struct track *get(struct tracks *t, struct track **track, const struct track_kind *kind)
{
	if (!*track)
		*track = track_new(t->perfetto, kind);
	return *track;
}

/**
 * tracks_state() - what a vCPU's thread does
 * @tracks:	the tracks
 * @vcpu:	the vCPU
 *
 * Return: the track
 */
struct track *tracks_state(struct tracks *tracks, struct vcpu *vcpu)
{
	return vcpu_tracks(tracks, vcpu)->state;
}

/**
 * tracks_el2() - the stays of a vCPU's thread in the hypervisor
 * @tracks:	the tracks
 * @vcpu:	the vCPU
 *
 * Return: the track
 */
struct track *tracks_el2(struct tracks *tracks, struct vcpu *vcpu)
{
	struct vcpu_tracks *of_vcpu = vcpu_tracks(tracks, vcpu);

	return get(tracks, &of_vcpu->el2, &(struct track_kind) {
		.name = "EL2", .parent = of_vcpu->state, .rank = RANK_EL2 });
}

/**
 * tracks_guest() - what a guest records
 * @tracks:	the tracks
 * @vcpu:	the vCPU that does it
 *
 * Return: the track
 */
struct track *tracks_guest(struct tracks *tracks, struct vcpu *vcpu)
{
	struct vcpu_tracks *of_vcpu = vcpu_tracks(tracks, vcpu);

	return get(tracks, &of_vcpu->guest, &(struct track_kind) {
		.name = "guest's events", .parent = of_vcpu->state, .rank = RANK_GUEST });
}

/**
 * tracks_memory() - the counter of what is mapped for a VM
 * @tracks:	the tracks
 * @vm:		the VM's number
 *
 * Return: the track
 */
struct track *tracks_memory(struct tracks *tracks, unsigned int vm)
{
	struct vm_tracks *of_vm = vm_tracks(tracks, vm);

	return get(tracks, &of_vm->memory, &(struct track_kind) {
		.name = "memory that the host has mapped", .parent = of_vm->process,
		.rank = RANK_MEMORY, .counts_bytes = true });
}

/**
 * tracks_cpu() - the stays of a CPU in the hypervisor
 * @tracks:	the tracks
 * @cpu:	the CPU
 *
 * Return: the track
 */
struct track *tracks_cpu(struct tracks *tracks, int cpu)
{
	struct track_kind kind = { .rank = cpu };
	char name[16];

	if (cpu < tracks->nr_cpus && tracks->cpu[cpu])
		return tracks->cpu[cpu];
	tracks->cpu = xgrow(tracks->cpu, &tracks->nr_cpus, cpu + 1, sizeof(*tracks->cpu));
	snprintf(name, sizeof(name), "CPU %d", cpu);
	kind.name = name;
	kind.parent = get(tracks, &tracks->cpus, &(struct track_kind) {
		.name = "hypervisor", .rank = RANK_CPUS });
	return get(tracks, &tracks->cpu[cpu], &kind);
}

/* What is told of a VM may come after its events. */
static void rename_vms(const struct tracks *t)
{
	const struct vm *vm;
	char name[NAME_SIZE];
	size_t i;

	for (i = 1; i < t->nr_vms; i++) {
		vm = t->vm[i] ? table_find_vm(t->recording->table, i) : NULL;
		if (!vm || !vm->name || vm->name == t->vm[i]->name)
			continue;
		name_vm(name, i, vm->name);
		track_rename(t->vm[i]->process, name);
	}
}

/**
 * tracks_free() - there is nothing else to write
 * @tracks:	the tracks; perfetto_free() is still to be called
 */
void tracks_free(struct tracks *tracks)
{
	struct vcpu_tracks *next;
	size_t i;

	rename_vms(tracks);
	for (; tracks->vcpu; tracks->vcpu = next) {
		next = tracks->vcpu->next;
		free(tracks->vcpu);
	}
	for (i = 0; i < tracks->nr_vms; i++)
		free(tracks->vm[i]);
	free(tracks->vm);
	free(tracks->cpu);
	free(tracks);
}
