/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * This replaces, in user space, what the reader of external rings calls in the kernel:
 * dummy types, real locks, one CPU.
 */
#ifndef USER_HOST_H
#define USER_HOST_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

/* These only have to exist. */
#define __percpu
typedef unsigned int gfp_t;
typedef unsigned int __poll_t;
typedef struct poll_table_struct poll_table;
typedef bool (*ring_buffer_cond_fn)(void *data);
typedef struct { int unused; } wait_queue_head_t;
struct file;
struct vm_area_struct;
struct cpumask;
struct ring_buffer_event;
struct trace_buffer_meta;
struct mutex { int unused; };
struct work_struct { int unused; };
struct delayed_work { int unused; };
struct irq_work { int unused; };
struct list_head { int unused; };

#define schedule_work(work)		((void)(work))
#define schedule_delayed_work(work, delay) ((void)(work))
#define lockdep_assert_held(lock)	((void)(lock))
/* Tasks: each thread is one. */
struct task_struct { int unused; };
extern _Thread_local struct task_struct task_of_thread;
#define current				(&task_of_thread)
#define touch_nmi_watchdog()		((void)0)

/* There is one CPU. */
#define RING_BUFFER_ALL_CPUS		(-1)
#define raw_smp_processor_id()		0
#define per_cpu_ptr(base, cpu)		(&(base)[cpu])
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < 1; (cpu)++)

/* Locks */
typedef pthread_mutex_t raw_spinlock_t;

/*
 * Work of this thread with a lock held. In the kernel it runs with interrupts off and
 * must be bounded. Looking at a page takes one load-acquire.
 */
struct lock_use {
	unsigned int	times;			/* locks taken */
	unsigned int	loads;			/* loads since then */
	unsigned int	most_loads;		/* the maximum of loads */
	void		(*unlocked)(void);	/* called when the lock is free */
};

extern _Thread_local struct lock_use lock_use;

#undef smp_load_acquire
#define smp_load_acquire(p)						\
	(lock_use.loads++, __atomic_load_n((p), __ATOMIC_ACQUIRE))

static inline void locked(void)
{
	lock_use.times++;
	lock_use.loads = 0;
}

static inline void unlock(pthread_mutex_t *mutex)
{
	void (*unlocked)(void) = lock_use.unlocked;

	lock_use.most_loads = max(lock_use.most_loads, lock_use.loads);
	pthread_mutex_unlock(mutex);
	if (!unlocked)
		return;

	/* unlocked() may take the lock itself. */
	lock_use.unlocked = NULL;
	unlocked();
}

static inline pthread_mutex_t *lock_mutex(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	locked();
	return mutex;
}

static inline void unlock_mutex(pthread_mutex_t **mutex)
{
	unlock(*mutex);
}

#define guard(type)			guard_##type
#define guard_raw_spinlock_irqsave(l)					\
	pthread_mutex_t *guard_until_the_end_of_the_scope		\
		__attribute__((unused, cleanup(unlock_mutex))) = lock_mutex(l)

#define raw_spin_lock_irqsave(l, flags)					\
	((flags) = 0, (void)lock_mutex(l))
#define raw_spin_unlock_irqrestore(l, flags)				\
	((void)(flags), unlock(l))

/* Counters */
typedef struct { int counter; } atomic_t;

#define atomic_inc(v)							\
	((void)__atomic_add_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST))
#define atomic_dec_and_test(v)						\
	(!__atomic_sub_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST))

/* Memory */
#define GFP_KERNEL			0
#define kmalloc(size, gfp)		malloc(size)
#define kzalloc(size, gfp)		calloc(1, size)
#define kfree(p)			free((void *)(p))

/* Messages are counted, and the last one is kept. */
extern unsigned int nr_messages;
extern char last_message[256];
void message(const char *fmt, ...);

#define pr_warn(fmt, ...)		message(fmt, ##__VA_ARGS__)
#define pr_err_once(fmt, ...)		pr_warn(fmt, ##__VA_ARGS__)
#define printk_deferred_enter()
#define printk_deferred_exit()

#define NSEC_PER_SEC			1000000000ull

u64 ktime_get_boot_fast_ns(void);

#endif /* USER_HOST_H */
