/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest with a secret, and a search for it.
 *
 * The guest computes its secret, so nothing of the host has it before secret_compute() is called.
 * It puts it into all of its registers and into its memory, and then does whatever EL2 may record.
 */
#ifndef HYP_SECRET_H
#define HYP_SECRET_H

#include "hyp_vm.h"

/* How the secret is computed, in registers of the guest that have other values afterwards. */
#define SECRET_FACTOR	6364136223846793005ull
#define SECRET_ADDEND	1442695040888963407ull
#define SECRET_ROUNDS	100003

/* The guest tells this of its own will. */
#define SECRET_TOLD	0x5ec2e7

/*
 * In x0 to x3 it begins with values from the host, x4 is MMIO_IPA and x5 DATA_IPA. x30 has the
 * secret while others have to have a call's function or results. Whatever it may not do has it go
 * on behind that.
 */
extern const uint32_t secret_guest[], secret_guest_end[];

asm(".pushsection .rodata\n"
	".balign 4\n"
	".global secret_guest, secret_guest_end\n"
	".macro	restore\n"
	"	.irp	r, 0, 1, 2, 3\n"
	"	mov	x\\r, x30\n"
	"	.endr\n"
	".endm\n"
	"secret_guest:\n"
	"	mov	x6, #0x300000\n"	/* floating point */
	"	msr	cpacr_el1, x6\n"
	"	adr	x6, secret_guest\n"
	"	msr	vbar_el1, x6\n"
	"	isb\n"
	"1:	madd	x0, x0, x1, x2\n"
	"	subs	x3, x3, #1\n"
	"	b.ne	1b\n"
	"	mov	x7, #512\n"
	"	mov	x6, x5\n"
	"2:	str	x0, [x6], #8\n"
	"	subs	x7, x7, #1\n"
	"	b.ne	2b\n"
	"	.irp	r, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19\n"
	"	mov	x\\r, x0\n"
	"	.endr\n"
	"	.irp	r, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30\n"
	"	mov	x\\r, x0\n"
	"	.endr\n"
	"	.irp	r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"	dup	v\\r\\().2d, x0\n"
	"	.endr\n"
	"	.irp	r, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
	"	dup	v\\r\\().2d, x0\n"
	"	.endr\n"
	"	.irp	r, sp_el0, tpidr_el0, tpidrro_el0, tpidr_el1, contextidr_el1, afsr0_el1\n"
	"	msr	\\r, x0\n"
	"	.endr\n"
	"	.irp	r, afsr1_el1, far_el1, mair_el1, amair_el1, ttbr0_el1, ttbr1_el1, par_el1\n"
	"	msr	\\r, x0\n"
	"	.endr\n"
	"	mov	sp, x0\n"
	"	b	3f\n"
	"	.balign	4\n"
	"	.space	0x200 - (. - secret_guest)\n"
	/* The vector for exceptions of EL1 itself. */
	"	mrs	x6, elr_el1\n"
	"	add	x6, x6, #4\n"
	"	msr	elr_el1, x6\n"
	"	mov	x6, x30\n"
	"	eret\n"
	"3:	wfe\n"
	"	mrs	x7, id_aa64pfr0_el1\n"
	"	mov	x7, x30\n"
	"	msr	dbgbvr0_el1, x0\n"
	"	msr	pmccntr_el0, x0\n"
	"	msr	s3_0_c12_c11_5, x0\n"	/* icc_sgi1r_el1 */
	"	msr	cntv_cval_el0, x0\n"
	"	hvc	#0\n"
	"	restore\n"
	"	smc	#0\n"
	"	restore\n"
	"	movz	w0, #0xc400, lsl #16\n"	/* CPU_ON */
	"	movk	w0, #3\n"
	"	hvc	#0\n"
	"	restore\n"
	"	movz	w0, #0xc600, lsl #16\n"	/* HYPERTRACE_CALL, with one argument */
	"	movk	w0, #0x70\n"
	"	mov	x1, #7\n"
	"	movk	x1, #1, lsl #32\n"
	"	movz	x2, #0x5e, lsl #16\n"
	"	movk	x2, #0xc2e7\n"
	"	hvc	#0\n"
	"	restore\n"
	"	str	xzr, [x4]\n"
	"	b	3b\n"
	"secret_guest_end:\n"
	".purgem restore\n"
	".popsection\n");

/* The guest's memory, which its host never reads; it is never unmapped. */
static inline const void *secret_memory(void)
{
	void *memory = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		err(1, "mmap");
	return memory;
}

/* Create the guest, in a VM of a type of KVM's. With other @rounds it has another secret. */
static inline struct vm secret_create(unsigned long type, int rounds)
{
	struct vm vm = vm_create_type(type, secret_guest,
				      (uintptr_t)secret_guest_end - (uintptr_t)secret_guest, 0, 0);
	const uint64_t regs[] = {
		0, SECRET_FACTOR, SECRET_ADDEND, rounds, MMIO_IPA, DATA_IPA,
	};
	int i;

	set_slot(vm.vm, 1, DATA_IPA, secret_memory(), page_size(), 0);
	for (i = 0; i < sizeof(regs) / sizeof(*regs); i++)
		set_reg(&vm, x_reg(i), regs[i]);
	return vm;
}

/* Have the guest do all it does, that many times. */
static inline void secret_run(const struct vm *vm, int times)
{
	while (times--)
		vm_run(vm);
}

/* The secret, for after tracing. */
static inline uint64_t secret_compute(int rounds)
{
	uint64_t secret = 0;
	int i;

	for (i = 0; i < rounds; i++) {
		secret = secret * SECRET_FACTOR + SECRET_ADDEND;
		/* The compiler must not know it, either. */
		asm volatile("" : "+r" (secret));
	}
	return secret;
}

/* Find a number in binary, or written in any way. */
static inline bool number_found(const char *text, size_t len, uint64_t number, size_t size)
{
	static const char * const formats[] = { "%llx", "%llX", "%llu", "%lld" };
	long long signed_number = size == 4 ? (int32_t)number : (int64_t)number;
	char digits[24];
	int i;

	if (memmem(text, len, &number, size))
		return true;
	for (i = 0; i < 4; i++) {
		sprintf(digits, formats[i], i == 3 ? signed_number : (long long)number);
		if (memmem(text, len, digits, strlen(digits)))
			return true;
	}
	return false;
}

/* Find a secret, half of it, or what an address of that value has of it. */
static inline bool secret_found(const char *text, size_t len, uint64_t secret)
{
	return number_found(text, len, secret, 8) ||
	       number_found(text, len, (uint32_t)secret, 4) ||
	       number_found(text, len, secret >> 32, 4) ||
	       number_found(text, len, secret >> 12, 8) ||
	       number_found(text, len, secret & ~0xfffull, 8);
}

/* Find a secret in a file, and take what the file has if it is a pipe; -1 if it can't be opened. */
static inline int secret_in_file(const char *path, uint64_t secret)
{
	static char text[1 << 24];
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	while ((n = read(fd, text + len, sizeof(text) - len)) > 0)
		len += n;
	close(fd);
	if (len == sizeof(text))
		errx(2, "%s has more than can be searched", path);
	return secret_found(text, len, secret);
}

#endif /* HYP_SECRET_H */
