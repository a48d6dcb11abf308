#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, with tracing locked, and trace_event=hyp:hyp_enter: writing to the files
# fails, and nothing is recorded.

tracing=/sys/kernel/tracing
hyp=$tracing/hyp
. /tests/result.sh

# refused FILE TEXT: writing TEXT to FILE must fail
refused() {
	sh -c "echo $2 > $hyp/$1" 2>&1 | grep -q 'Operation not permitted'
}

[ "$(cat $tracing/events/hyp/hyp_enter/enable)" = 0 ] &&
	dmesg | grep -q 'hyp_trace: hyp_enter, enabled at boot, is disabled again: -EPERM'
result "an event enabled at boot is disabled again"
refused tracing_on 1
result "tracing_on: not permitted"
refused events/hyp/enable 1
result "events: not permitted"
refused events/hyp/hyp_enter/enable 1
result "event: not permitted"
refused set_event hyp:hyp_enter
result "set_event: not permitted"
refused totals/enable 1
result "totals: not permitted"
refused events/hyp/selftest/trigger hist:keys=id
result "a histogram: not permitted"
refused ../events/hyp/selftest/trigger hist:keys=id
result "a histogram at the root: not permitted"
refused events/hyp/selftest/trigger traceoff
result "a trigger: not permitted"
if [ -e $hyp/available_filter_functions ]; then
	refused current_tracer function && [ "$(cat $hyp/current_tracer)" = nop ]
	result "a tracer of functions: not permitted"
fi
echo 1 > $hyp/write_event
[ "$(cat $hyp/tracing_on)" = 0 ] && ! grep -v '^#' $hyp/trace &&
	[ "$(cat $hyp/totals/enable)" = 0 ] && [ "$(wc -l < $hyp/totals/table)" = 1 ]
result "nothing recorded"
dmesg | grep -q 'hyp_trace: .*: -EPERM, tracing is locked: boot with kvm-arm.hyp_trace=on'
result "the log says why"
exit $status
