#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, booted with kunit.enable=1: shows the results of the hostile host's tests,
# which ran before anything else, repeats them while a guest runs, then tests whether tracing
# still works.

. /tests/result.sh

suite=/sys/kernel/debug/kunit/hyp_trace_hostile

# Results are indented by their depth.
show() {
	sed 's/^ *//' $suite/results
	grep -q '^ok .* hyp_trace_hostile$' $suite/results || status=1
}

show

# The guest goes on until the tests have ended.
while [ ! -e /run/done ]; do
	hyp_guest 200 || echo "not ok a guest runs beside a hostile host"
	echo >> /run/guests
done &
until [ -s /run/guests ]; do
	usleep 10000
done
before=$(wc -l < /run/guests)
echo 20000 > /sys/module/hyp_trace_hostile/parameters/calls
echo 1 > $suite/run
ran=$(($(wc -l < /run/guests) - before))
touch /run/done
wait
show | sed 's/^\(ok\|not ok\) \(.*\)/\1 beside a guest: \2/'
[ $ran -gt 0 ] && echo "ok a guest runs beside a hostile host" || status=1

hold_switches
for test in hyp_trace_test hyp_time_test hyp_tasks_test; do
	$test || status=1
done
exit $status
