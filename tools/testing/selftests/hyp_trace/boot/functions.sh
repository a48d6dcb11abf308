#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, booted with functions of the hypervisor to trace from boot on: by
# kvm-arm.hyp_trace_functions=handle_trap,handle_*_vcpu_run,nonsense, or, if $test_tracer says
# so, all by a tracer that the boot configuration has chosen.

hyp=/sys/kernel/tracing/hyp
. /tests/result.sh

cat $hyp/tracing_on > /run/was_on
echo 0 > $hyp/tracing_on

[ "$(cat /run/was_on)" = 1 ] && [ "$(cat $hyp/current_tracer)" = "${test_tracer:-function}" ]
result "it is on, with the tracer"
if [ -n "$test_tracer" ]; then
	[ "$(cat $hyp/set_ftrace_filter)" = "#### all functions enabled ####" ]
else
	[ "$(sort $hyp/set_ftrace_filter | tr '\n' ' ')" = \
		"__kvm_nvhe_handle___kvm_vcpu_run __kvm_nvhe_handle_trap " ] &&
		dmesg | grep -q 'hyp_trace: no function has the name "nonsense"'
fi
result "functions are chosen"
# What init has caused before it ran this, and what it has caused when it turned tracing off.
grep -q __kvm_nvhe_handle_trap $hyp/trace
result "functions have been recorded"

echo > $hyp/trace
echo 1 > $hyp/tracing_on
hyp_guest 10 > /dev/null
echo 0 > $hyp/tracing_on
grep -q __kvm_nvhe_handle___kvm_vcpu_run $hyp/trace
result "and are recorded"
exit $status
