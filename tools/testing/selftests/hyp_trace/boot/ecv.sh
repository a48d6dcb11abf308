#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: this CPU has a counter that need not be synchronized, and EL2's clock, which reads
# that one, is right.

. /tests/result.sh

dmesg | grep -q 'detected: Enhanced Counter Virtualization$'
result "the CPU has FEAT_ECV"
hold_switches
for test in hyp_trace_test hyp_time_test hyp_tasks_test; do
	$test || status=1
done
exit $status
