#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, booted with trace_instance=hyp^traceoff^printk@map,hyp:host_*,hyp:none and
# trace_buf_size=8G (131072 pages of 64 KiB), or 1G, which is too much for pages of 4 KiB: this is
# the hypervisor's instance, its events are enabled, the flag traceoff is heeded, what means nothing
# is refused, and its buffer gets the maximum size. Also with reserve_mem=4M:4096:map
# trace_instance=map@map, an instance without a snapshot buffer. With fail_trace_ext= the link
# "hypervisor" cannot be created.

tracing=/sys/kernel/tracing
hyp=$tracing/hyp
. /tests/result.sh

[ -e $hyp/write_event ] && [ "$(readlink $tracing/instances/hyp)" = ../hyp ]
result "the hypervisor has its instance"
[ "$(cat $hyp/tracing_on)" = 0 ] &&
	[ "$(sort $hyp/set_event)" = "$(ls -d $hyp/events/hyp/host_* | sed 's,.*/,hyp:,')" ]
result "its events are enabled, and it is off"
dmesg | grep -q 'hyp_trace: trace_instance=hyp: no flag "printk", only traceoff' &&
	dmesg | grep -q 'hyp_trace: trace_instance=hyp: the buffer can.t be mapped to "map"' &&
	dmesg | grep -q 'Failed to enable trace event: hyp:none'
result "the log says what is refused"
max_kb=$((131072 * ($(page_size) - 24) / 1024))
[ "$(cat $hyp/buffer_size_kb)" = $max_kb ]
result "the buffer is as large as can be"
dmesg | grep -q "hyp_trace: a buffer may have $max_kb KiB per CPU at most"
result "the log says so"
echo 64 > $hyp/buffer_size_kb &&
	echo 1 > $hyp/events/hyp/selftest/enable &&
	echo 1 > $hyp/tracing_on &&
	echo 7 > $hyp/write_event &&
	grep -q 'selftest: id=7' $hyp/trace
result "it records"
if grep -q fail_trace_ext /proc/cmdline; then
	[ ! -e $tracing/hypervisor ] && dmesg | grep -q 'hyp_trace: no link "hypervisor"'
	result "the log says that a link is missing"
else
	[ "$(readlink $tracing/hypervisor)" = hyp ]
	result "there is a link for clients"
fi
if [ -e $tracing/instances/map ] && [ ! -e $tracing/instances/map/snapshot ]; then
	echo 0 > $tracing/instances/map/options/overwrite &&
		[ "$(cat $tracing/instances/map/options/overwrite)" = 0 ]
	result "an instance without a snapshot buffer can keep its oldest events"
	all=$(cat $tracing/instances/map/tracing_cpumask)
	echo 0 > $tracing/instances/map/tracing_cpumask &&
		echo "$all" > $tracing/instances/map/tracing_cpumask &&
		[ "$(cat $tracing/instances/map/tracing_cpumask)" = "$all" ]
	result "and trace some CPUs only"
else
	false
	result "there is an instance without a snapshot buffer"
fi
exit $status
