/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Host side of hypervisor tracing: declarations that its files share.
 */
#ifndef __ARM64_KVM_HYPTRACE_HOST_H
#define __ARM64_KVM_HYPTRACE_HOST_H

#include <linux/arm-smccc.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/panic.h>
#include <linux/sched.h>
#include <linux/trace_ext.h>

#include <asm/kvm_asm.h>

extern bool hyptrace_el2_dead;

/* A test's function, which is called when EL2 has panicked. */
extern void (*hyptrace_after_panic)(void);

/*
 * Test whether a hypercall is safe. When EL2 has panicked, it may hold any lock. A panic of the
 * host may have stopped a CPU at EL2.
 */
static inline bool hyptrace_may_call(void)
{
	return likely(!READ_ONCE(hyptrace_el2_dead) &&
		      atomic_read(&panic_cpu) == PANIC_CPU_INVALID);
}

/**
 * hyptrace_call() - make a tracing hypercall, see asm/hyptrace.h
 * @res:	struct arm_smccc_res *, for the second and further results
 * @func:	the hypercall
 *
 * Return: the first result as an int; -ENODEV if EL2 does not know the call, because KVM's
 * hypervisor is not installed; -EIO if EL2 has panicked, or in a panic
 */
#define hyptrace_call(res, func, ...)					\
({									\
	struct arm_smccc_res *__r = (res);				\
	int __ret = -EIO;						\
									\
	if (hyptrace_may_call()) {					\
		arm_smccc_1_1_hvc(KVM_HOST_SMCCC_FUNC(func),		\
				  ##__VA_ARGS__, __r);			\
		__ret = __r->a0 == SMCCC_RET_SUCCESS ? (int)__r->a1 : -ENODEV; \
	}								\
	__ret;								\
})

/*
 * The tracing hypercalls as functions, hcall_<name>(): see asm/hyptrace_hcalls.h. They return what
 * hyptrace_call() does. Those with further results have its @res as their first parameter.
 */
#define HCALL(name, result, enables, ...)				\
static inline int hcall_##name(HYP_PARAMS(__VA_ARGS__))			\
{									\
	struct arm_smccc_res res;					\
									\
	return hyptrace_call(&res, __hyp_##name, HYP_NAMES(__VA_ARGS__)); \
}

#define HCALL_MORE(name, result, enables, ...)				\
static inline int hcall_##name(struct arm_smccc_res *res, HYP_PARAMS(__VA_ARGS__)) \
{									\
	return hyptrace_call(res, __hyp_##name, HYP_NAMES(__VA_ARGS__)); \
}

HYP_ALL_HCALLS(HCALL, HCALL_MORE)

#undef HCALL_MORE
#undef HCALL

/* Repeat a hypercall until it has done all its steps; may sleep. The value is the last one's. */
#define hcall_steps(hcall)						\
({									\
	int __last;							\
									\
	do {								\
		__last = hcall;						\
		cond_resched();						\
	} while (__last == -EINPROGRESS);				\
	__last;								\
})

/**
 * struct hyptrace_memory - memory for EL2
 * @region:	for EL2 alone, while it has the memory
 * @region_pages: size of the region
 * @first:	first shared page
 * @pages:	the other shared pages
 * @nr_pages:	their number
 */
struct hyptrace_memory {
	void		*region;
	size_t		region_pages;
	void		*first;
	void *const	*pages;
	u32		nr_pages;
};

int hyptrace_memory_prepare(struct hyptrace_memory *mem, gfp_t gfp);
void hyptrace_memory_release(struct hyptrace_memory *mem);

extern bool hyptrace_available;
const char *hyptrace_if_locked(int ret);
bool hyptrace_hides(const struct kvm_vcpu *vcpu);

/* A CPU's rings: for readers of hyp/, and for what is followed. */
enum hyptrace_ring {
	USER_RING,
	FOLLOWER_RING,
	NR_RINGS,
};

extern struct mutex hyptrace_sync_lock;

bool hyptrace_ring_is_open(enum hyptrace_ring kind, int cpu);
void hyptrace_ring_close(enum hyptrace_ring kind, int cpu);
void hyptrace_rings_use(enum hyptrace_ring kind, bool use);
void hyptrace_rings_sync(enum hyptrace_ring kind, int cpu);
void hyptrace_set_cpus(struct trace_ext_writer *writer, const struct cpumask *cpus);
void hyptrace_ignore(struct trace_ext_writer *writer, bool ignore);
void hyptrace_totals_turn(bool on);
bool hyptrace_totals_are_on(void);
void hyptrace_clock_changed(void);
void hyptrace_end_guest_runs(void);
void hyptrace_sync_this_cpu(void);
void hyptrace_sync_offline(void);
void hyptrace_sync_online(void);
void hyptrace_sync_after_sleep(void);

int hyptrace_clock_start(void);
void hyptrace_clock_stop(void);
void hyptrace_clock_resume(void);

extern bool hyptrace_el2_rings;

int hyptrace_doorbell_init(void);

int hyptrace_set_filter(struct trace_ext_writer *writer, unsigned int event,
			const struct ext_filter_pred *preds, unsigned int nr);
int hyptrace_set_trigger(struct trace_ext_writer *writer, unsigned int event,
			 enum trace_ext_action action, long count,
			 const struct ext_filter_pred *preds, unsigned int nr);
void hyptrace_del_trigger(struct trace_ext_writer *writer, unsigned int event,
			  enum trace_ext_action action);
long hyptrace_trigger_left(struct trace_ext_writer *writer, unsigned int event,
			   enum trace_ext_action action);
int hyptrace_mark(struct trace_ext_writer *writer, unsigned long ip, const char *text, size_t len);
void hyptrace_set_running(struct trace_ext_writer *writer, bool on);
bool hyptrace_is_running(struct trace_ext_writer *writer);

void hyptrace_events_init(void);
void hyptrace_last_boot_init(void);
void hyptrace_last_boot_show(void);
void hyptrace_last_boot_clean(const void *start, size_t size);

void hyptrace_totals_init(void);
void hyptrace_totals_resume(void);
void hyptrace_totals_online(unsigned int cpu);
void hyptrace_totals_files_init(struct dentry *dir);
void hyptrace_max_doorbell(void);

extern struct trace_ext_writer hyptrace_writer;
extern struct trace_ext_functions hyptrace_functions;

#ifdef CONFIG_KVM_HYPTRACE_TEST
void hyptrace_test_init(struct dentry *dir);
int hyptrace_test_doorbell(int irq);
#else
static inline void hyptrace_test_init(struct dentry *dir) { }
static inline int hyptrace_test_doorbell(int irq) { return irq; }
#endif

#endif /* __ARM64_KVM_HYPTRACE_HOST_H */
