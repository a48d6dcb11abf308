// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host side of hypervisor tracing: whether EL2 can be called, and whether it will refuse.
 */

#include <linux/init.h>
#include <linux/instruction_pointer.h>
#include <linux/irqflags.h>
#include <linux/kstrtox.h>
#include <linux/kvm_host.h>
#include <linux/string.h>
#include <linux/trace_ext.h>

#include <asm/hyptrace.h>
#include <asm/hyptrace_compat.h>
#include <asm/kvm_asm.h>

#include "hyptrace.h"

/* The host's copy of hyp_trace_locked, which it can't read after it is deprivileged. */
static bool locked __ro_after_init = IS_ENABLED(CONFIG_KVM_HYPTRACE_LOCKED);

/* The end of a message about an error: the reason and the remedy of -EPERM, or nothing. */
const char *hyptrace_if_locked(int ret)
{
	return locked && ret == -EPERM ?
	       ", tracing is locked: boot with kvm-arm.hyp_trace=on" : "";
}

#ifdef HYPTRACE_PROTECTED_GUESTS
/* The host's copy of hyp_trace_unprotected. */
static bool unprotected __ro_after_init;

static void __init hide_protected_guests(void)
{
	unprotected = true;
	kvm_nvhe_sym(hyp_trace_unprotected) = true;
}

/* EL2 neither records nor counts the runs of a vCPU that it hides. */
bool hyptrace_hides(const struct kvm_vcpu *vcpu)
{
	return unprotected && vcpu_is_protected(vcpu);
}
#else
static void __init hide_protected_guests(void) { }

bool hyptrace_hides(const struct kvm_vcpu *vcpu)
{
	return false;
}
#endif

/* This early the host may still write to EL2's variables. */
static int __init set_what_is_traced(char *arg)
{
	bool on;

	if (arg && !strcmp(arg, "unprotected")) {
		hide_protected_guests();
		return 0;
	}
	if (kstrtobool(arg, &on))
		return -EINVAL;

	locked = !on;
	kvm_nvhe_sym(hyp_trace_locked) = locked;
	return 0;
}
early_param("kvm-arm.hyp_trace", set_what_is_traced);

bool hyptrace_el2_dead;

#ifdef CONFIG_KVM_HYPTRACE_KUNIT_TEST
void (*hyptrace_after_panic)(void);
#endif

/**
 * hyptrace_el2_panicked() - EL2 has panicked: dump its last events, and never call it again
 *
 * Context: before panic(), on the CPU on which EL2 has panicked.
 */
void hyptrace_el2_panicked(void)
{
	if (IS_ENABLED(CONFIG_KVM_HYPTRACE_KUNIT_TEST) && hyptrace_after_panic)
		hyptrace_after_panic();

	WRITE_ONCE(hyptrace_el2_dead, true);
	/* lockdep does not know that EL2 has masked interrupts. The dump may allocate memory. */
	lockdep_hardirqs_off(_THIS_IP_);
	trace_ext_died(&hyptrace_writer);
}
