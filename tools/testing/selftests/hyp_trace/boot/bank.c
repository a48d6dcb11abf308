// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes an image of memory that survives a reboot, on the machine that builds:
 *
 *   bank FILE fields EVENT	the event had other fields
 *   bank FILE text EVENT	its values had other names
 *   bank FILE build		another kernel has recorded
 *   bank FILE flip SEED N	flip N bits, at random, of the pages of all CPUs
 *   bank FILE nonsense SEED	everything is random
 */

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <linux/ext_mem.h>

static struct ext_mem_bank *bank;
static size_t size;

static struct ext_mem_event *event_named(const char *name)
{
	__u32 i;

	for (i = 0; i < bank->nr_events; i++) {
		if (!strcmp(bank->events[i].name, name))
			return &bank->events[i];
	}
	errx(1, "there is no event %s", name);
}

/* Flip bits of what was written: the first pages of each CPU's share. */
static void flip(unsigned int seed, long count)
{
	const size_t page = bank->page_size;

	srand(seed);
	while (count--) {
		size_t cpu = rand() % bank->nr_cpus, nth = rand() % 4;
		__u8 *at = (__u8 *)bank + page * (bank->header_pages +
						  cpu * bank->share_pages + nth);

		at[rand() % page] ^= 1 << rand() % 8;
	}
}

static void nonsense(unsigned int seed)
{
	size_t i;

	srand(seed);
	for (i = 0; i < size; i++)
		((__u8 *)bank)[i] = rand();
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[1], O_RDWR) : -1;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err(1, "usage: bank FILE COMMAND ...");
	size = st.st_size;
	bank = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bank == MAP_FAILED)
		err(1, "%s", argv[1]);
	if (bank->magic != EXT_MEM_MAGIC)
		errx(1, "%s has no bank at its beginning", argv[1]);

	if (!strcmp(argv[2], "fields") && argc == 4)
		event_named(argv[3])->fields++;
	else if (!strcmp(argv[2], "text") && argc == 4)
		event_named(argv[3])->text++;
	else if (!strcmp(argv[2], "build"))
		bank->build_id[0]++;
	else if (!strcmp(argv[2], "flip") && argc == 5)
		flip(atoi(argv[3]), atol(argv[4]));
	else if (!strcmp(argv[2], "nonsense") && argc == 4)
		nonsense(atoi(argv[3]));
	else
		errx(1, "usage: bank FILE COMMAND ...");
	return 0;
}
