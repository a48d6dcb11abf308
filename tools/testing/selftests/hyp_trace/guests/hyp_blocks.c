// SPDX-License-Identifier: GPL-2.0-only
/*
 * A VM with three blocks of memory. The first one stays as it is. The second one is split as the
 * guest writes to two pages of it, while writes are logged. Of the third one the host takes one
 * page away, and the guest writes to another one.
 */

#include "hyp_blocks.h"
#include "hyp_vm.h"

/* The guest stores to block @block, in its page @page. */
static void store_to(const struct vm *vm, int block, int page)
{
	set_reg(vm, CORE_REG(regs.regs[6]),
		DATA_IPA + block * block_size() + page * page_size());
	vm_run(vm);
}

int main(void)
{
	/* 1: str x4, [x6]; str x0, [x4]; b 1b */
	static const uint32_t code[] = { 0xf90000c4, 0xf9000080, 0x17fffffe };
	struct vm vm = vm_create(code, sizeof(code));
	char *data = blocks_map(3);
	int i;

	for (i = 0; i < 3; i++) {
		set_slot(vm.vm, 1 + i, DATA_IPA + i * block_size(), data + i * block_size(),
			 block_size(), 0);
		store_to(&vm, i, 0);
	}
	set_slot(vm.vm, 2, DATA_IPA + block_size(), data + block_size(), block_size(),
		 KVM_MEM_LOG_DIRTY_PAGES);
	store_to(&vm, 1, 0);
	store_to(&vm, 1, 5);
	if (madvise(data + 2 * block_size(), page_size(), MADV_DONTNEED))
		err(1, "madvise");
	store_to(&vm, 2, 7);
	vm_destroy(&vm);
	return 0;
}
