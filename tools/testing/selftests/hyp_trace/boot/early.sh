#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, booted with trace_event=hyp:hyp_enter trace_trigger=hyp_exit.traceoff: an
# event that is enabled before the hypervisor is known is recorded from when it is known, in
# the hypervisor's instance, until it is disabled; a trigger is refused.

tracing=/sys/kernel/tracing
hyp=$tracing/hyp
. /tests/result.sh

# recorded NAME: the number of these events in a hypercall that also records selftest
recorded() {
	echo > $hyp/trace
	echo 42 > $hyp/write_event
	grep -q 'selftest: id=42' $hyp/trace && grep -c " $1: reason=" $hyp/trace
}

[ "$(cat $tracing/events/hyp/hyp_enter/enable)" = 0 ] &&
	[ "$(cat $hyp/events/hyp/hyp_enter/enable)" = 1 ] &&
	[ "$(cat $tracing/events/hyp/hyp_exit/enable)" = 0 ] && [ "$(cat $hyp/tracing_on)" = 1 ]
result "an event is enabled from boot on, in the hypervisor's instance, which is on"
# Without protection, the kernel has no business with EL2 by itself.
grep -q kvm-arm.mode=nvhe /proc/cmdline ||
	grep -q ' init-1 .* hyp_enter: reason=host_abort' $hyp/trace
result "it has been recorded from boot on"
echo 1 > $hyp/events/hyp/selftest/enable
[ "$(recorded hyp_enter)" -gt 0 ]
result "it is recorded"
echo 0 > $hyp/events/hyp/hyp_enter/enable
[ "$(cat $hyp/events/hyp/hyp_enter/enable)" = 0 ] && [ "$(recorded hyp_enter)" = 0 ]
result "and is not after it has been disabled"

# A refused trigger leaves no reference: the event can be enabled and disabled.
grep -q 'none of its own is set while booting' $tracing/error_log &&
	[ "$(cat $tracing/events/hyp/hyp_exit/enable)" = 0 ] &&
	echo 1 > $tracing/events/hyp/hyp_exit/enable &&
	[ "$(cat $tracing/events/hyp/hyp_exit/enable)" = 1 ] &&
	[ "$(recorded hyp_exit)" -gt 0 ] &&
	echo 0 > $tracing/events/hyp/hyp_exit/enable &&
	[ "$(cat $tracing/events/hyp/hyp_exit/enable)" = 0 ]
result "a trigger of an event is refused"
[ "$(recorded hyp_exit)" = 0 ]
result "and does not keep the event recorded"
exit $status
