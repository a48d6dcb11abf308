#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, in the kernel of make test-startup, which has enabled and disabled all
# events at boot. What that has found to be wrong is a warning, and fails the run. With
# kvm-arm.hyp_trace=on: that unlocks tracing, which is locked in this kernel without.

status=0
if dmesg | grep -q 'Testing event system hyp: OK'; then
	echo "ok the system hyp has been tested"
else
	echo "not ok the system hyp has been tested"
	status=1
fi
if dmesg | grep 'Testing all events: OK'; then
	echo "ok all events have been tested"
else
	echo "not ok all events have been tested"
	status=1
fi
if grep -l 1 /sys/kernel/tracing/events/hyp/*/enable /sys/kernel/tracing/hyp/events/hyp/*/enable; then
	echo "not ok no event has stayed enabled"
	status=1
else
	echo "ok no event has stayed enabled"
fi
grep -q kvm-arm.hyp_trace=on /proc/cmdline || exit $status
cd /sys/kernel/tracing/hyp || exit 1
echo 1 > events/hyp/selftest/enable
echo 1 > tracing_on
echo 4711 > write_event
if grep -q 'selftest: id=4711' trace; then
	echo "ok tracing is unlocked"
else
	echo "not ok tracing is unlocked"
	status=1
fi
exit $status
