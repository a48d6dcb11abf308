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
	struct vm vm = secret_create(strcmp(type, "plain") ? KVM_VM_TYPE_ARM_PROTECTED : 0);

	secret_run(&vm, times);
	vm_destroy(&vm);
	return 0;
}

static bool file_has_it(const char *path, uint64_t secret)
{
	static char text[1 << 24];
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		err(2, "%s", path);
	while ((n = read(fd, text + len, sizeof(text) - len)) > 0)
		len += n;
	close(fd);
	if (len == sizeof(text))
		errx(2, "%s has more than this program reads", path);
	return secret_found(text, len, secret);
}

static int find(char **paths)
{
	const uint64_t secret = secret_compute();
	int ret = 1;

	for (; *paths; paths++) {
		if (!file_has_it(*paths, secret))
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
		return printf("%llx\n", (unsigned long long)secret_compute()) < 0;
	errx(2, "usage: hyp_secret run protected|plain TIMES, or find FILE..., or tell");
}
