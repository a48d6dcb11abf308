#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, in the kernel of make test-startup, which has enabled and disabled all
# events at boot. An error found then is a warning, and fails the run. Booted with
# kvm-arm.hyp_trace=on, which unlocks tracing; it is locked in this kernel by default.

. /tests/result.sh

cd /sys/kernel/tracing

# All events are disabled; if the hypervisor cannot be traced, its events are gone.
none_enabled() {
	if [ -e hyp ]; then
		[ "$(cat events/hyp/*/enable hyp/events/hyp/*/enable | sort -u)" = 0 ]
	else
		[ -e events/sched ] && [ ! -e events/hyp ]
	fi
}

records() {
	echo 1 > hyp/events/hyp/selftest/enable &&
		echo 1 > hyp/tracing_on &&
		echo 4711 > hyp/write_event &&
		grep -q 'selftest: id=4711' hyp/trace
}

dmesg | grep -q 'Testing event system hyp: OK'
result "the system hyp has been tested"
dmesg | grep 'Testing all events: OK'
result "all events have been tested"
none_enabled
result "no event has stayed enabled"
if grep -q kvm-arm.hyp_trace=on /proc/cmdline; then
	records
	result "tracing is unlocked"
fi
exit $status
