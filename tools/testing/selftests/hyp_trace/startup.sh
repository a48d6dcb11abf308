#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, in the kernel of make test-startup, which has enabled and disabled all
# events at boot. What that has found to be wrong is a warning, and fails the run.

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
exit $status
