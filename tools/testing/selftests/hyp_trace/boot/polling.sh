#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, where EL2 can't interrupt the host: whoever waits for events gets them all the
# same. Prints TAP.

. /tests/result.sh

{ ! grep -q vgic /proc/interrupts || grep -q hyp_trace_no_doorbell /proc/cmdline; } && dmesg | grep -q "hyp_trace: EL2 can't interrupt"
result "EL2 can't interrupt, and a message says so"

hold_switches
for test in hyp_wait_test hyp_hist_test hyp_perf_test hyp_trigger_test; do
	$test || status=1
done
exit $status
