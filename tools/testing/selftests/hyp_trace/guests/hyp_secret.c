// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest with a secret, for scripts:
 *
 *   hyp_secret run protected|plain TIMES	have it do all it does
 *   hyp_secret find FILE...			print which files have the secret; 0 if any has
 *   hyp_secret tell				print it as a dump of a register would
 */

#include "hyp_secret.h"

static int run(const char *type, int times)
{
	struct vm vm = secret_create(strcmp(type, "plain") ? KVM_VM_TYPE_ARM_PROTECTED : 0,
				     SECRET_ROUNDS);

	secret_run(&vm, times);
	vm_destroy(&vm);
	return 0;
}

static int find(char **paths)
{
	const uint64_t secret = secret_compute(SECRET_ROUNDS);
	int ret = 1, found;

	for (; *paths; paths++) {
		found = secret_in_file(*paths, secret);
		if (found < 0)
			err(2, "%s", *paths);
		if (!found)
			continue;
		puts(*paths);
		ret = 0;
	}
	return ret;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "run"))
		return run(argv[2], atoi(argv[3]));
	if (argc > 2 && !strcmp(argv[1], "find"))
		return find(argv + 2);
	if (argc == 2 && !strcmp(argv[1], "tell"))
		return printf("%llx\n", (unsigned long long)secret_compute(SECRET_ROUNDS)) < 0;
	errx(2, "usage: hyp_secret run protected|plain TIMES, or find FILE..., or tell");
}
