#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, in the kernel of a Debian package (make deb), which has no test support: its
# hypervisor can be traced.

. /tests/result.sh
hyp=/sys/kernel/tracing/hyp
log=/tmp/log

uname -r | tee $log | grep -q -- '-hyptrace-'
result "the kernel of the package"
hyptrace-check > $log
result "hyptrace-check agrees"
echo 1 > $hyp/events/hyp/enable && echo 1 > $hyp/tracing_on && hyp_guest 20 > $log &&
	echo 0 > $hyp/tracing_on
result "events of a guest are recorded"
cat $hyp/trace > $log
for event in hyp_enter hyp_exit host_hcall host_hcall_done vcpu_enter vcpu_exit; do
	grep -q " $event: " $log
	result "$event"
done
[ ! -e $hyp/write_event ]
result "there is no test support"
exit $status
