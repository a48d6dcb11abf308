#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, booted with a boot configuration: ftrace.instance.hyp sets up the hypervisor's
# instance, with the event selftest and perhaps more. It is on, for CPU 0 and keeping the
# oldest events; or off if tracing_on is 0, which $test_tracing_on says then.

hyp=/sys/kernel/tracing/hyp
. /tests/result.sh

on=${test_tracing_on:-1}
[ "$(cat $hyp/tracing_on)" = $on ] && [ "$(cat $hyp/events/hyp/selftest/enable)" = 1 ] &&
	[ "$(cat $hyp/events/hyp/host_hcall/enable)" = 0 ]
result "it is on or off as configured, with the events configured"
if [ $on = 1 ]; then
	[ "$(cat $hyp/buffer_size_kb)" -ge 128 ] && [ "$(cat $hyp/buffer_size_kb)" -lt 256 ] &&
		[ "$(cat $hyp/tracing_cpumask)" = 1 ] && [ "$(cat $hyp/options/overwrite)" = 0 ]
	result "so are size, CPUs and options"
else
	[ ! -e $hyp/snapshot ] && dmesg | grep -q 'Failed to allocate snapshot buffer'
	result "a snapshot buffer is refused"
	taskset 1 sh -c "echo 1 > $hyp/tracing_on; echo 1 > $hyp/write_event; echo 4711 > $hyp/write_event"
	[ "$(grep -c 'selftest: id=' $hyp/trace)" = 1 ]
	result "a filter is applied"
	dmesg | grep -q 'Failed to apply filter: stacktrace == 1' &&
		grep -q 'fields of 1, 2, 4 or 8 bytes' $hyp/error_log
	result "and one that can't be is not"
	echo stacktrace > $hyp/events/hyp/selftest/trigger
	taskset 1 sh -c "echo 4712 > $hyp/write_event"
	echo '!stacktrace' > $hyp/events/hyp/selftest/trigger
	grep -q ' => __kvm_nvhe_handle___hyp_trace_write_event$' $hyp/trace
	result "the first stack has names"
fi
echo > $hyp/trace
echo 1 > $hyp/tracing_on
taskset 1 sh -c "echo 4711 > $hyp/write_event"
grep -q 'selftest: id=4711' $hyp/trace
result "it records"
taskset 2 sh -c "echo 4712 > $hyp/write_event"
grep -q 'selftest: id=4712' $hyp/trace && recorded=1 || recorded=0
[ $recorded = $((1 - on)) ]
result "and only the CPUs that it should"
exit $status
