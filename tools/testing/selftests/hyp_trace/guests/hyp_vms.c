// SPDX-License-Identifier: GPL-2.0-only
/*
 * Some VMs with some vCPUs each, which do what those of users do: each vCPU has a thread, exits
 * to EL2 and to its VMM, and waits now and then. Each VM has a process.
 *
 * usage: hyp_vms VMS VCPUS EXITS
 */

#include <pthread.h>
#include <sys/wait.h>

#include "hyp_vm.h"

#define EXITS_PER_NAP	40
#define NAP_US		500

#define MAX_VCPUS	64

static unsigned long exits;

static void *run_vcpu(void *data)
{
	const struct vm *vm = data;
	unsigned long i;

	for (i = 1; i <= exits; i++) {
		vm_run(vm);
		if (i % EXITS_PER_NAP == 0)
			usleep(NAP_US);
	}
	return NULL;
}

static void run_vm(int nr_vcpus)
{
	struct vm vcpus[MAX_VCPUS];
	pthread_t threads[MAX_VCPUS];
	int i;

	vcpus[0] = vm_create(use_fp, sizeof(use_fp));
	for (i = 1; i < nr_vcpus; i++) {
		vcpus[i] = vcpus[0];
		vcpu_init(&vcpus[i], IOCTL(vcpus[0].vm, KVM_CREATE_VCPU, (long)i), 0);
	}
	for (i = 0; i < nr_vcpus; i++)
		if (pthread_create(&threads[i], NULL, run_vcpu, &vcpus[i]))
			errx(1, "pthread_create");
	for (i = 0; i < nr_vcpus; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	int nr_vms = argc == 4 ? atoi(argv[1]) : 0, nr_vcpus = argc == 4 ? atoi(argv[2]) : 0;
	int i, status, failed = 0;

	exits = argc == 4 ? strtoul(argv[3], NULL, 0) : 0;
	if (nr_vms < 1 || nr_vcpus < 1 || nr_vcpus > MAX_VCPUS || !exits)
		errx(2, "usage: hyp_vms VMS VCPUS EXITS");
	for (i = 0; i < nr_vms; i++) {
		if (!fork()) {
			run_vm(nr_vcpus);
			return 0;
		}
	}
	while (wait(&status) > 0)
		failed |= status;
	return !!failed;
}
