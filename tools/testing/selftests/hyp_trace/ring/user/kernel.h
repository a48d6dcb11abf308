/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel primitives that the ring and the page decoder use, in terms of the
 * compiler's, for user space.
 */
#ifndef USER_KERNEL_H
#define USER_KERNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

typedef int64_t s64;
typedef int32_t s32;
typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;

#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define noinline		__attribute__((noinline))
#define __packed		__attribute__((packed))
#define __weak			__attribute__((weak))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define OPTIMIZER_HIDE_VAR(x)	__asm__ ("" : "+r" (x))
#define S64_MAX			INT64_MAX
#define U64_MAX			UINT64_MAX
#define U32_MAX			UINT32_MAX
#define U16_MAX			UINT16_MAX
#define BIT(n)			(1ull << (n))
/* Each argument is evaluated once, in the common type. */
#define of_two(a, op, b)						\
({									\
	__typeof__((a) + (b)) __a = (a), __b = (b);			\
	__a op __b ? __a : __b;						\
})
#define max(a, b)		of_two(a, >, b)
#define min(a, b)		of_two(a, <, b)

#define PAGE_SIZE		4096ul
#define swap(a, b)							\
	do { __typeof__(a) tmp = (a); (a) = (b); (b) = tmp; } while (0)
#define container_of(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))

/*
 * A read that may race with writes, on purpose. ThreadSanitizer is told to ignore it, as
 * the kernel's data_race() tells KCSAN.
 */
#ifdef __SANITIZE_THREAD__
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
#define data_race(expr)							\
({									\
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);			\
	__auto_type __result = (expr);					\
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);			\
	__result;							\
})
#else
#define data_race(expr)		(expr)
#endif

#define barrier()		asm volatile("" ::: "memory")
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define smp_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define try_cmpxchg(p, old, new)					\
	__atomic_compare_exchange_n((p), (old), (new), false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
/* It is used where a dependency on the result gives the order: sanitizers know of none. */
#define try_cmpxchg_relaxed(p, old, new)				\
	__atomic_compare_exchange_n((p), (old), (new), false,		\
				    __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)

#endif /* USER_KERNEL_H */
